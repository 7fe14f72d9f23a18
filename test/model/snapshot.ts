/** A snapshot of the database, read in one statement. Instants are milliseconds. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Attendance, BookingStatus, PaymentStatus } from "../../src/domain/booking/Booking.ts"
import { Price } from "../../src/domain/catalogue/Pricing.ts"
import { TaxPart } from "../../src/domain/payment/accounts/AccountLine.ts"
import { RefundCause } from "../../src/domain/payment/refunds/Refund.ts"
import { Misfit, PaymentSessionRow, Purpose, SessionStatus } from "../../src/domain/payment/sessions/PaymentSession.ts"

const { Array: List, Int, NullOr, String: Text, Struct } = Schema

export const Snapshot = Struct({
  bookings: List(
    Struct({
      booking_id: Text,
      status: BookingStatus,
      payment_status: PaymentStatus,
      total: Int,
      due_now: Int,
      paid: Int,
      refunded: Int,
      price: Price,
      hold_expires_at: NullOr(Int),
      /** It was made with others, and a page that pays them all keeps its places until the provider was asked. */
      kept_by_order: Schema.Boolean,
      option_id: Text,
      child_ages: List(Int),
      code: NullOr(Text),
      contact_name: Text,
      contact_email: Text,
      attendance: NullOr(Attendance),
      settled_sessions: NullOr(List(Text)),
      credit: NullOr(Int)
    })
  ),
  occupancy: List(
    Struct({ resource: Text, units: Text, start: Int, end: Int, booking_id: NullOr(Text), closure_id: NullOr(Text) })
  ),
  sessions: List(
    Struct({
      payment_session_id: Text,
      booking_id: Text,
      purpose: Purpose,
      way: PaymentSessionRow.fields.way,
      status: SessionStatus,
      amount: Int,
      voucher_id: NullOr(Text),
      refunded: Int,
      provider_session_id: NullOr(Text),
      paid_at: NullOr(Int),
      undone_at: NullOr(Int),
      flagged: NullOr(Text),
      misfit: NullOr(Misfit)
    })
  ),
  refunds: List(
    Struct({
      refund_id: Text,
      booking_id: Text,
      payment_session_id: Text,
      cause: RefundCause,
      way: NullOr(PaymentSessionRow.fields.way),
      status: Schema.Literals(["requested", "pending", "succeeded", "failed"]),
      amount: Int,
      failure: NullOr(Text)
    })
  ),
  /** What goes back to the payers of pages that pay several bookings. */
  saleRefunds: List(Struct({ refund_id: Text, amount: Int })),
  /** What the accounts have of each rate of tax: of payments, refunds and corrections. */
  parts: List(
    Struct({
      id: Text,
      booking_id: Text,
      currency: Text,
      amount: Int,
      counted: Schema.Boolean,
      tax: NullOr(List(TaxPart))
    })
  ),
  history: List(
    Struct({
      booking_id: Text,
      event: Text,
      from_status: NullOr(BookingStatus),
      to_status: NullOr(BookingStatus),
      from_payment: NullOr(PaymentStatus),
      to_payment: NullOr(PaymentStatus)
    })
  ),
  events: List(Struct({ event_id: Text, status: Text, outcome: NullOr(Text) })),
  tasks: List(Struct({ id: Text, state: Text }))
})
export type Snapshot = typeof Snapshot.Type
export type BookingNow = Snapshot["bookings"][number]

const Rows = Schema.Tuple([Struct({ all: Snapshot })])
const list = (query: string) => `coalesce((select jsonb_agg(x) from (${query}) x), '[]')`
const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`
const query = `select jsonb_build_object(
  'bookings', ${list(`select booking_id, status, payment_status, total, due_now, paid, refunded, terms -> 'price' as price,
     ${ms("hold_expires_at")} as hold_expires_at,
     order_id is not null and awaiting_provider as kept_by_order, option_id, child_ages,
     terms -> 'code' ->> 'code' as code, contact_name, contact_email, attendance, terms -> 'settled_sessions' as settled_sessions,
     terms -> 'credit' as credit from booking order by booking_id`)},
  'occupancy', ${list(`select resource_id as resource, units::text as units, ${ms("lower(during)")} as start,
     ${ms("upper(during)")} as end, booking_id, closure_id from occupancy`)},
  'sessions', ${list(`select payment_session_id, booking_id, purpose, way, status, amount, voucher_id, refunded, provider_session_id,
     ${ms("paid_at")} as paid_at, ${ms("undone_at")} as undone_at, flagged, misfit from payment_session order by created_at, payment_session_id`)},
  'refunds', ${list(`select refund_id, booking_id, payment_session_id, cause, way, status, amount, failure from refund
     order by created_at, refund_id`)},
  'saleRefunds', ${list("select refund_id, amount from voucher_refund")},
  'parts', ${list(`select payment_session_id as id, booking_id, currency, amount, status = 'paid' as counted, tax from payment_session
     union all select refund_id, booking_id, currency, -amount, status = 'succeeded', tax from refund
     union all select 'correction ' || seq, booking_id, currency, 0, true, tax from tax_correction`)},
  'history', ${list(`select booking_id, event, from_status, to_status, from_payment_status as from_payment,
     to_payment_status as to_payment from booking_history order by booking_id, seq`)},
  'events', ${list("select event_id, status, outcome from webhook_event")},
  'tasks', ${list("select id, state from provider_task")}) as all`

export const takeSnapshot = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* Effect.orDie(Schema.decodeUnknownEffect(Rows)(yield* sql.unsafe(query)))
  return row.all
})
