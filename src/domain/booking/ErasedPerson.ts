/**
 * Erases personal data from a booking (tables `booking` and `booking_history`); what was sold and paid stays.
 * `domain/people/privacy/Persons.ts` decides when, and never before the visit is over.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingId } from "../../platform/ids/Ids.ts"
import { type Instant, InstantFromDate } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import type { BookingRow } from "./Booking.ts"

/** The contact of an erased booking. `.invalid` never resolves (RFC 2606), so no message can be sent there. */
export const erasedContact = { name: "erased", email: "erased@erased.invalid" } as const

export const isErased = ({ contact_email }: Pick<BookingRow, "contact_email">): boolean =>
  contact_email === erasedContact.email

/** History events whose details hold only amounts and provider ids. Other details may hold a person's words. */
const impersonalEvents = [
  "paid",
  "balance_paid",
  "paid_at_venue",
  "payment_undone",
  "paid_late",
  "duplicate_payment",
  "duplicate_payment_refunded",
  "payment_in_question",
  "payment_taken",
  "payment_sent_back",
  "misfit_payment_refunded",
  "refunded",
  "refund_pending",
  "refund_failed",
  "refund_corrected",
  "refund_mismatch",
  "refund_returned",
  "kept",
  "refund_lowered",
  "refund_waits",
  "disputed",
  "dispute_changed"
] as const

const idRows = decodeRows(Schema.Array(Schema.Struct({ booking_id: BookingId })))
const overRows = decodeRows(Schema.Array(Schema.Struct({ booking_id: BookingId, over_since: InstantFromDate })))

/**
 * A booking that is over. `over_since`: the end of a confirmed visit, or the last change of an expired or cancelled
 * one.
 */
export interface OverBooking {
  readonly booking_id: BookingId
  readonly over_since: Instant
}

/** The bookings of an e-mail address, however it is spelt (`folded` in `sql/`), oldest first. */
export const bookingsOfPerson = Effect.fnUntraced(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* idRows(sql`select booking_id from booking
    where folded(contact_email) = folded(${email}::text) and erased_at is null order by booking_id`)
  return found.map(({ booking_id }) => booking_id)
})

/** Bookings that were over before `before` and are not erased, oldest first, after `after`. */
export const bookingsOver = (
  before: Instant,
  after: OverBooking | undefined,
  limit: number
): Effect.Effect<ReadonlyArray<OverBooking>, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Must equal the expression of the index `booking_over`.
    const since = sql.literal("(case when status = 'confirmed' then ends_at else updated_at end)")
    const last = [new Date(after?.over_since ?? 0), after?.booking_id ?? ""] as const
    return yield* overRows(sql`select booking_id, ${since} as over_since from booking
      where erased_at is null and status <> 'held' and ${since} < ${new Date(before)}
        and (${since}, booking_id) > (${last[0]}::timestamptz, ${last[1]}::text)
      order by ${since}, booking_id limit ${limit}::int`)
  })

/** Erases a booking's personal data. The caller's transaction has locked the booking. False if it was erased before. */
export const erasePerson = Effect.fn("erasePerson")(function* (booking_id: BookingId, now: Instant) {
  const sql = yield* SqlClient.SqlClient
  const { email, name } = erasedContact
  const erased = yield* sql`with erased as (
      update booking set contact_name = ${name}, contact_email = ${email}, contact_phone = null, child_ages = '{}', notes = null,
        retry_key = null, another = null, erased_at = ${new Date(now)}
      where booking_id = ${booking_id} and erased_at is null returning booking_id, operator_id, status, payment_status),
    letters as (update letter l set sent_to = null from erased e where l.booking_id = e.booking_id),
    reached as (delete from booking_guest g using erased e where g.booking_id = e.booking_id),
    details as (
      update booking_history h set detail = null from erased e
      where h.booking_id = e.booking_id and h.event <> all(${impersonalEvents}::text[])),
    line as (
      insert into booking_history (booking_id, operator_id, at, event, from_status, to_status, from_payment_status, to_payment_status)
      select booking_id, operator_id, ${new Date(now)}, 'person_erased', status, status, payment_status, payment_status from erased)
    select 1 from erased`
  return erased.length > 0
})
