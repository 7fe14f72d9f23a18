/** The operators' list of bookings, by start. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingId, OperatorId, PlayroomId, Reference } from "../kernel/Ids.ts"
import { dayRange, type Instant, InstantFromDate, type LocalDate } from "../kernel/LocalTime.ts"
import { columnsOf, decodeRows } from "../kernel/Rows.ts"
import { BookingStatus, PaymentStatus } from "./Booking.ts"
import { Extra, extrasOf } from "./Extras.ts"

/** A line of the list. Instants are milliseconds, amounts minor units of `currency`. */
export const ListedBooking = Schema.Struct({
  booking_id: BookingId,
  reference: Reference,
  status: BookingStatus,
  payment_status: PaymentStatus,
  operator_id: OperatorId,
  playroom_id: PlayroomId,
  playroom_name: Schema.String,
  package_name: Schema.String,
  time_zone: Schema.String,
  starts_at: InstantFromDate,
  ends_at: InstantFromDate,
  children: Schema.Int,
  adults: Schema.Int,
  /** In years; empty if the person gave none. */
  child_ages: Schema.Array(Schema.Int),
  extras: Schema.Array(Extra),
  contact_name: Schema.String,
  contact_email: Schema.String,
  contact_phone: Schema.NullOr(Schema.String),
  notes: Schema.NullOr(Schema.String),
  currency: Schema.String,
  total: Schema.Int,
  due_now: Schema.Int,
  paid: Schema.Int,
  refunded: Schema.Int,
  /** When the latest payment came in. */
  last_paid_at: Schema.NullOr(InstantFromDate),
  hold_expires_at: Schema.NullOr(InstantFromDate),
  /** When the balance is due, if there is one: RFC 3339. */
  balance_due_at: Schema.NullOr(Schema.String)
})
export type ListedBooking = typeof ListedBooking.Type

/** Conditions, joined by "and". */
export interface ListQuery {
  /** Visits that start at `from` or later, or on a date in their playroom's time zone. */
  readonly when: { readonly from: Instant } | { readonly day: LocalDate }
  readonly statuses: ReadonlyArray<BookingStatus>
  readonly operator_id?: string
  readonly playroom_id?: string
  /** The contact's e-mail address, however it is spelt (`folded` in `sql/`). */
  readonly email?: string
  readonly limit: number
}

export class BookingList extends Context.Service<
  BookingList,
  {
    /** At most `limit` bookings, by start. */
    readonly find: (query: ListQuery) => Effect.Effect<ReadonlyArray<ListedBooking>, SqlError.SqlError>
  }
>()("playroom/booking/BookingList") {
  static readonly layer = Layer.effect(
    BookingList,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = decodeRows(Schema.Array(ListedBooking))
      const columns = sql.literal(columnsOf(ListedBooking, "f"))
      const zoneRows = decodeRows(Schema.Array(Schema.Struct({ time_zone: Schema.String })))

      /** Matching playrooms as `p`, joined with their range of starts as `z`: a day differs by time zone. */
      const playrooms = Effect.fnUntraced(function* ({ when, operator_id, playroom_id }: ListQuery) {
        const matches = sql.and([
          ...(operator_id === undefined ? [] : [sql`p.operator_id = ${operator_id}`]),
          ...(playroom_id === undefined ? [] : [sql`p.playroom_id = ${playroom_id}`]),
          sql`true`
        ])
        if ("from" in when) {
          return sql`playroom p join (select ${new Date(when.from)}::timestamptz, 'infinity'::timestamptz) z(first, beyond) on ${matches}`
        }
        const zones = yield* zoneRows(sql`select distinct p.time_zone from playroom p where ${matches}`)
        const days = zones.map(({ time_zone }) => ({ time_zone, ...dayRange(time_zone, when.day) }))
        const instants = (all: ReadonlyArray<Instant>) => all.map((at) => new Date(at).toISOString())
        return sql`playroom p join unnest(${days.map(({ time_zone }) => time_zone)}::text[],
            ${instants(days.map(({ start }) => start))}::timestamptz[], ${instants(days.map(({ end }) => end))}::timestamptz[])
          z(time_zone, first, beyond) on z.time_zone = p.time_zone and ${matches}`
      })

      return BookingList.of({
        find: Effect.fn("BookingList.find")(function* (query: ListQuery) {
          const { email, limit, statuses } = query
          const byEmail = email === undefined ? sql`true` : sql`folded(contact_email) = folded(${email}::text)`
          // One lateral query per playroom uses the index on (playroom_id, starts_at).
          return yield* rows(sql`
select ${columns} from ${yield* playrooms(query)} cross join lateral (
  select booking_id, reference, status, payment_status, operator_id, playroom_id, terms ->> 'playroom_name' as playroom_name,
    terms ->> 'package_name' as package_name, terms ->> 'time_zone' as time_zone, starts_at, ends_at, children, adults, child_ages,
    ${extrasOf(sql)} as extras, contact_name, contact_email, contact_phone, notes, currency, total, due_now, paid, refunded, hold_expires_at,
    (select max(s.paid_at) from payment_session s where s.booking_id = b.booking_id and s.status = 'paid') as last_paid_at,
    terms -> 'price' ->> 'balance_due_at' as balance_due_at
  from booking b where playroom_id = p.playroom_id and starts_at >= z.first and starts_at < z.beyond
    and status = any(${statuses}::text[]) and ${byEmail}
  order by starts_at limit ${limit}) f
order by f.starts_at, f.booking_id limit ${limit}`)
        })
      })
    })
  )
}
