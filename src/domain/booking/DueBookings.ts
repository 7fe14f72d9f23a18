/**
 * Bookings by what has to be done about them: holds that end, balances to collect or release, and what needs a person.
 * `BookingRecords.ts` reads and writes the single booking.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { BookingId } from "../../platform/ids/Ids.ts"
import { dayMs, type Instant } from "../../platform/time/LocalTime.ts"
import { columnsOf, decodeRows } from "../../platform/database/Rows.ts"
import { BookingRow } from "./Booking.ts"

/**
 * A booking that needs a person, usually because money moved and its status could not change. `flagged`: the reason.
 */
const FlaggedBooking = Schema.Struct({
  booking_id: BookingId,
  reference: Schema.String,
  flagged: Schema.String
})
type FlaggedBooking = typeof FlaggedBooking.Type

const rowsOf = decodeRows(Schema.Array(BookingRow))
const flaggedOf = decodeRows(Schema.Array(FlaggedBooking))

/** A balance that is unpaid for so long after the visit needs a person. */
const afterVisitMs = dayMs

/**
 * Confirmed bookings with an unpaid balance, as `booking b` and a condition. Only a payment of the present balance
 * counts: not one that a move has made part of what was due, or that was sent back. None of them while a person decides
 * about money that is not what was asked for.
 */
const unpaid = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`booking b where b.status = 'confirmed' and b.total > b.due_now and b.payment_status <> 'paid'
    and not exists (select from payment_session s where s.booking_id = b.booking_id and s.purpose = 'balance'
      and s.status = 'paid' and not coalesce(b.terms -> 'settled_sessions', '[]') @> to_jsonb(s.payment_session_id)
      and not exists (select from refund r where r.booking_id = b.booking_id and r.payment_session_id = s.payment_session_id
        and r.cause = 'misfit'))
    and not exists (select from payment_session m where m.operator_id = b.operator_id and m.booking_id = b.booking_id
      and m.misfit is not null)`

/** Those whose balance was due before `due`, and whose visit has not begun. */
const unpaidBalances = (sql: SqlClient.SqlClient, due: Instant, now: Instant): Statement.Fragment =>
  sql`${unpaid(sql)} and instant_of(b.terms -> 'price' ->> 'balance_due_at') <= ${new Date(due)}
    and b.starts_at > ${new Date(now)}`

/** Those whose visit has been over for `afterVisitMs`, and of which no person has said that they have seen it. */
const unpaidAfterVisit = (sql: SqlClient.SqlClient, now: Instant): Statement.Fragment =>
  sql`${unpaid(sql)} and b.unpaid_seen_at is null and b.ends_at <= ${new Date(now - afterVisitMs)}`

/** When a balance is due; terms without that time say the start. */
const dueAt = (sql: SqlClient.SqlClient) =>
  sql`coalesce(instant_of(b.terms -> 'price' ->> 'balance_due_at'), b.starts_at)`

/** The maximum number of unpaid balances on one page of the desk. */
export const maxOwing = 50

/** Where a page of unpaid balances ends. */
export interface DuePosition {
  readonly due_at: Instant
  readonly booking_id: string
}

/** Overdue balances, for a count. */
export const overdueBalances = (sql: SqlClient.SqlClient, now: Instant) => unpaidBalances(sql, now, now)

/** Counting live holds stops here. */
const maxHoldsCounted = 10_000
const countedHolds = decodeRows(Schema.Tuple([Schema.Struct({ n: Schema.Int })]))

export class DueBookings extends Context.Service<
  DueBookings,
  {
    /** Holds whose time is over and that may end, oldest first. */
    readonly lapsed: (now: Instant, limit: number) => Effect.Effect<ReadonlyArray<BookingRow>, SqlError.SqlError>
    /** Flagged bookings, oldest first. */
    readonly flagged: (limit: number) => Effect.Effect<ReadonlyArray<FlaggedBooking>, SqlError.SqlError>
    /**
     * Confirmed bookings whose visit has not ended and whose payments all went back, by start; `isPaidBack` says which
     * of them need a person.
     */
    readonly paidBack: (
      now: Instant,
      limit: number,
      operator_id?: string
    ) => Effect.Effect<ReadonlyArray<BookingRow>, SqlError.SqlError>
    /**
     * Confirmed bookings with an unpaid balance that was due before `due`, and whose visit has not begun, oldest first.
     */
    readonly unpaidBalances: (
      due: Instant,
      now: Instant,
      limit: number,
      operator_id?: string
    ) => Effect.Effect<ReadonlyArray<BookingRow>, SqlError.SqlError>
    /**
     * All confirmed bookings of an operator with an unpaid balance, due, overdue or after the visit, by the time at
     * which it is due; after a position.
     */
    readonly owing: (
      operator_id: string,
      page: { readonly limit: number; readonly after?: DuePosition }
    ) => Effect.Effect<ReadonlyArray<BookingRow>, SqlError.SqlError>
    /** Those whose visit has been over for a day, oldest first, until a person has seen it. */
    readonly unpaidAfterVisit: (
      now: Instant,
      limit: number,
      operator_id?: string
    ) => Effect.Effect<ReadonlyArray<BookingRow>, SqlError.SqlError>
    /**
     * A person has seen that a balance was not paid after the visit; false if there is none of this id. It stays owed.
     */
    readonly markUnpaidSeen: (booking_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /**
     * Those whose terms release the places by now: the balance has been unpaid for so long. Not of operators who take
     * no payments, so that theirs don't fill every batch; nor before their families have had as long to pay since they
     * take payments again.
     */
    readonly releasable: (now: Instant, limit: number) => Effect.Effect<ReadonlyArray<BookingRow>, SqlError.SqlError>
    /** The number of held bookings, capped at `maxHoldsCounted`. */
    readonly liveHolds: Effect.Effect<number, SqlError.SqlError>
  }
>()("playroom/booking/DueBookings") {
  static readonly layer = Layer.effect(
    DueBookings,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const all = sql.literal(columnsOf(BookingRow))

      const lapsed = (now: Instant, limit: number) =>
        rowsOf(sql`select ${all} from booking b where hold_may_end(b, ${new Date(now)})
            order by hold_expires_at limit ${limit}`)

      const ofOperator = (operator_id: string | undefined) =>
        operator_id === undefined ? sql`true` : sql`operator_id = ${operator_id}`

      const unpaidOf: DueBookings["Service"]["unpaidBalances"] = (due, now, limit, operator_id) =>
        rowsOf(sql`select ${all} from ${unpaidBalances(sql, due, now)} and ${ofOperator(operator_id)}
          order by instant_of(b.terms -> 'price' ->> 'balance_due_at'), booking_id limit ${limit}`)

      const owing: DueBookings["Service"]["owing"] = Effect.fn("DueBookings.owing")((operator_id, { after, limit }) =>
        rowsOf(sql`select ${all} from ${unpaid(sql)} and ${ofOperator(operator_id)}
          and ${
            after === undefined
              ? sql`true`
              : sql`(${dueAt(sql)}, booking_id) > (${new Date(after.due_at)}::timestamptz, ${after.booking_id}::text)`
          }
          order by ${dueAt(sql)}, booking_id limit ${limit}::int`)
      )

      const afterVisit: DueBookings["Service"]["unpaidAfterVisit"] = (now, limit, operator_id) =>
        rowsOf(sql`select ${all} from ${unpaidAfterVisit(sql, now)} and ${ofOperator(operator_id)}
          order by ends_at, booking_id limit ${limit}::int`)

      const markUnpaidSeen = Effect.fn("DueBookings.markUnpaidSeen")(function* (booking_id: string) {
        const now = yield* Clock.currentTimeMillis
        const seen = yield* sql`update booking set unpaid_seen_at = ${new Date(now)} where booking_id in
          (select b.booking_id from ${unpaidAfterVisit(sql, now)} and b.booking_id = ${booking_id}) returning 1 as seen`
        return seen.length > 0
      })

      const releasable: DueBookings["Service"]["releasable"] = (now, limit) =>
        rowsOf(sql`select ${all} from ${unpaidBalances(sql, now, now)}
          and instant_of(b.terms -> 'price' ->> 'balance_due_at')
            + make_interval(hours => (b.terms ->> 'release_unpaid_after_hours')::int) <= ${new Date(now)}
          and exists (select from operator o where o.operator_id = b.operator_id and o.suspended_at is null
            and o.connected_account_id is not null and o.closed_account is distinct from o.connected_account_id
            and (o.account_opened_at is null or o.account_opened_at
              + make_interval(hours => (b.terms ->> 'release_unpaid_after_hours')::int) <= ${new Date(now)}))
          and not exists (select from operator_history h where h.operator_id = b.operator_id and h.event in ('resumed', 'connected')
            and h.at + make_interval(hours => (b.terms ->> 'release_unpaid_after_hours')::int) > ${new Date(now)})
          order by instant_of(b.terms -> 'price' ->> 'balance_due_at'), booking_id limit ${limit}`)

      const flagged = (limit: number) =>
        flaggedOf(sql`select booking_id, reference, flagged from booking where flagged is not null
          order by created_at limit ${limit}::int`)

      const paidBack = (now: Instant, limit: number, operator_id?: string) =>
        rowsOf(sql`select ${all} from booking where status = 'confirmed' and paid > 0 and refunded >= paid
          and ends_at > ${new Date(now)} and ${ofOperator(operator_id)} order by starts_at limit ${limit}::int`)

      const liveHolds = Effect.map(
        countedHolds(sql`select count(*)::int as n from
          (select 1 from booking where status = 'held' limit ${sql.literal(String(maxHoldsCounted))}) h`),
        ([{ n }]) => n
      )

      return DueBookings.of({
        lapsed,
        flagged,
        paidBack,
        unpaidBalances: unpaidOf,
        owing,
        unpaidAfterVisit: afterVisit,
        markUnpaidSeen,
        releasable,
        liveHolds
      })
    })
  )
}
