/** The list of bookings for the people who run a playroom: the next visits, and whose they are. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingId, OperatorId, PlayroomId, Reference } from "../kernel/Ids.ts"
import { type Instant, InstantFromDate } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { BookingStatus, PaymentStatus } from "./Booking.ts"

/** A line of the list. Instants are milliseconds, `total` minor units of `currency`. */
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
  children: Schema.Int,
  adults: Schema.Int,
  contact_name: Schema.String,
  contact_email: Schema.String,
  currency: Schema.String,
  total: Schema.Int
})
export type ListedBooking = typeof ListedBooking.Type

/** All that is given must hold. */
export interface ListQuery {
  /** Only visits that start then or later. */
  readonly from: Instant
  readonly statuses: ReadonlyArray<BookingStatus>
  readonly operator_id?: string
  readonly playroom_id?: string
  /** The contact's, in any case. */
  readonly email?: string
  readonly limit: number
}

export class BookingList extends Context.Service<
  BookingList,
  {
    /** At most `limit` bookings, in the order of their starts. */
    readonly find: (query: ListQuery) => Effect.Effect<ReadonlyArray<ListedBooking>, SqlError.SqlError>
  }
>()("playroom/booking/BookingList") {
  static readonly layer = Layer.effect(
    BookingList,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = decodeRows(Schema.Array(ListedBooking))
      return BookingList.of({
        find: Effect.fn("BookingList.find")(({ from, statuses, operator_id, playroom_id, email, limit }) => {
          const rooms = sql.and([
            ...(operator_id === undefined ? [] : [sql`p.operator_id = ${operator_id}`]),
            ...(playroom_id === undefined ? [] : [sql`p.playroom_id = ${playroom_id}`]),
            sql`true`
          ])
          const whose = email === undefined ? sql`true` : sql`lower(contact_email) = lower(${email}::text)`
          // One playroom at a time, so that the index on a playroom's starts serves, whatever the number of bookings.
          return rows(sql`
select f.* from playroom p cross join lateral (
  select booking_id, reference, status, payment_status, operator_id, playroom_id, terms ->> 'playroom_name' as playroom_name,
    terms ->> 'package_name' as package_name, terms ->> 'time_zone' as time_zone, starts_at, children, adults, contact_name,
    contact_email, currency, total
  from booking where playroom_id = p.playroom_id and starts_at >= ${new Date(from)}::timestamptz
    and status = any(${statuses}::text[]) and ${whose}
  order by starts_at limit ${limit}) f
where ${rooms} order by f.starts_at, f.booking_id limit ${limit}`)
        })
      })
    })
  )
}
