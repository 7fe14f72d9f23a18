/**
 * The tables `booking` and `booking_history`. Besides this file, only `make_booking` in `sql/`, `BookingRequest.ts`,
 * `BookingLinks.ts` and `InvitedGuests.ts` write them.
 */

import { Clock, Context, Effect, Layer, Metric, Option, Schema, Struct } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { statementOfFibers } from "../../platform/concurrency/SharedReads.ts"
import { columnsOf, decodeRows, encodeRow, type Row, tableOf } from "../../platform/database/Rows.ts"
import { BookingId, OrderId } from "../../platform/ids/Ids.ts"
import { display } from "../../platform/money/Money.ts"
import { format, InstantFromDate, type Instant } from "../../platform/time/LocalTime.ts"
import { Occupancy } from "../availability/Occupancy.ts"
import type { Answer } from "../catalogue/Questions.ts"
import {
  type Attendance,
  BookingRow,
  type HistoryEntry,
  HistoryFacts,
  type VenueHistoryEntry,
  type BookingStatus,
  type PaymentStatus
} from "./Booking.ts"
import { maxOrderedOptions } from "./BookingRequest.ts"
import { LetterOutbox, letterOf } from "./LetterOutbox.ts"
import { refusedTransition, nextPaymentStatus, nextStatus, type PaymentEvent, type StatusEvent } from "./Lifecycle.ts"
import { isPaidBack } from "./Standing.ts"

// Erases personal data from a booking (tables `booking` and `booking_history`); what was sold and paid stays.
// `domain/people/privacy/Persons.ts` decides when, and never before the visit is over.

/** The contact of an erased booking. `.invalid` never resolves (RFC 2606), so no message can be sent there. */
export const erasedContact = { name: "erased", email: "erased@erased.invalid" } as const

export const isErased = ({ contact_email }: Pick<BookingRow, "contact_email">): boolean =>
  contact_email === erasedContact.email

/** History events whose details hold only amounts and provider ids. Other details may hold a person's words. */
const impersonalEvents = [
  "paid",
  "balance_paid",
  "paid_at_venue",
  "paid_by_voucher",
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
  "dispute_changed",
  "clock_followed"
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
        answers = null, guests = null, retry_key = null, another = null, order_id = null, erased_at = ${new Date(now)}
      where booking_id = ${booking_id} and erased_at is null returning booking_id, operator_id, status, payment_status),
    letters as (update letter l set sent_to = null, recipient = null, words = null from erased e where l.booking_id = e.booking_id),
    reached as (delete from booking_guest g using erased e where g.booking_id = e.booking_id),
    former as (delete from former_contact f using erased e where f.booking_id = e.booking_id),
    details as (
      update booking_history h set detail = null from erased e
      where h.booking_id = e.booking_id and h.event <> all(${impersonalEvents}::text[])),
    line as (
      insert into booking_history (booking_id, operator_id, at, event, from_status, to_status, from_payment_status, to_payment_status)
      select booking_id, operator_id, ${new Date(now)}, 'person_erased', status, status, payment_status, payment_status from erased)
    select 1 from erased`
  return erased.length > 0
})

// A change of a booking, and what it makes of the booking's row. Pure.

/**
 * A change of a booking. A transition that `Lifecycle.ts` refuses (late, repeated or out of order) leaves its field
 * unchanged. If money moved with it, the booking is flagged for a person.
 */
export interface Change {
  /** The event for the booking's status; `Lifecycle.ts` has the transitions. */
  readonly transition?: StatusEvent
  /** The event for its payment status. */
  readonly payment?: PaymentEvent
  /** Minor units to add to `paid` and `refunded`. */
  readonly paid?: number
  readonly refunded?: number
  readonly hold_expires_at?: Instant
  readonly awaiting_provider?: boolean
  /** Writes a history line even if no field changes. */
  readonly note?: true
  /** The event's name in the history, in the past tense. `detail`: a sentence for people. */
  readonly event: string
  readonly detail?: string
  /**
   * The same in parts, for a page that says it in the reader's language. Not without `detail`, with which it is erased.
   */
  readonly facts?: HistoryFacts
  /** Who at the venue did it. The family and its assistants are not told. */
  readonly done_by?: string
}

/** A hold never outlives the start of its visit. */
const holdEnd = (row: BookingRow, wanted: Instant | null): Instant => Math.min(wanted ?? row.starts_at, row.starts_at)

/** The row after a change; the same row if there is nothing to write. */
export const changedBy = (row: BookingRow, wanted: Change): BookingRow => {
  const status: BookingStatus =
    (wanted.transition === undefined ? undefined : nextStatus(row.status, wanted.transition)) ?? row.status
  const payment_status: PaymentStatus =
    (wanted.payment === undefined ? undefined : nextPaymentStatus(row.payment_status, wanted.payment)) ??
    row.payment_status
  const next: BookingRow = {
    ...row,
    status,
    payment_status,
    paid: row.paid + (wanted.paid ?? 0),
    refunded: row.refunded + (wanted.refunded ?? 0),
    hold_expires_at: status === "held" ? holdEnd(row, wanted.hold_expires_at ?? row.hold_expires_at) : null,
    awaiting_provider: wanted.awaiting_provider ?? row.awaiting_provider
  }
  const same =
    next.status === row.status &&
    next.payment_status === row.payment_status &&
    next.paid === row.paid &&
    next.refunded === row.refunded &&
    next.hold_expires_at === row.hold_expires_at &&
    next.awaiting_provider === row.awaiting_provider
  return same && wanted.note !== true ? row : next
}

/** The e-mail address and the key; each has a limit on live holds. */
type Holder = Pick<BookingRow, "contact_email" | "key_id">

const columns = columnsOf(BookingRow)

/** The columns that a change of what is booked changes (`ChangePlan.ts`). */
const VisitRow = Schema.Struct(
  Struct.pick(BookingRow.fields, [
    "playroom_id",
    "package_id",
    "option_id",
    "starts_at",
    "ends_at",
    "children",
    "adults",
    "child_ages",
    "notes",
    "contact_name",
    "contact_email",
    "contact_phone",
    "total",
    "due_now",
    "terms",
    "attendance"
  ])
)
const encodeVisit = encodeRow(VisitRow)

/** A booking, and whether the caller may change it. */
interface SeenBooking {
  readonly row: BookingRow
  readonly may_change: boolean
}

const rowsOf = decodeRows(Schema.Array(BookingRow))
const orderRows = decodeRows(Schema.Array(Schema.Struct({ order_id: OrderId })))

/** The most bookings that are told beside one that was made together with them. */
const maxTogether = maxOrderedOptions - 1
const seenOf = decodeRows(Schema.Array(Schema.Struct({ ...BookingRow.fields, may_change: Schema.Boolean })))
const reasonsOf = decodeRows(Schema.Array(Schema.Struct({ flagged: Schema.String })))

/** So many lines of a booking's history are read, however often it was changed. */
const mostHistoryLines = 200

const linesOf = decodeRows(
  Schema.Array(
    Schema.Struct({
      at: InstantFromDate,
      event: Schema.String,
      detail: Schema.NullOr(Schema.String),
      facts: Schema.NullOr(HistoryFacts),
      done_by: Schema.NullOr(Schema.String)
    })
  )
)

const bookingEvents = Metric.counter("booking_events_total", {
  description:
    "What happened to bookings, by the history's word for it: held, confirmed, cancelled, hold_expired and so on",
  incremental: true
})

/** Counts events after commit. */
export const countBookingEvents = (sql: SqlClient.SqlClient, events: ReadonlyArray<string>) =>
  sql.afterCommit(
    Effect.forEach(events, (event) => Metric.update(Metric.withAttributes(bookingEvents, { event }), 1), {
      discard: true
    })
  )

export class BookingRecords extends Context.Service<
  BookingRecords,
  {
    readonly byId: (booking_id: string) => Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>
    readonly byReference: (reference: string) => Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>
    /**
     * A booking, if this key made it or this guest reaches it, and it is at this operator; omitted fields match any
     * booking. The statement filters, so another key's booking takes the same time as one that does not exist.
     */
    readonly seen: (
      by: { readonly booking_id: string } | { readonly reference: string; readonly contact_email?: string | undefined },
      whose: { readonly key_id?: string; readonly operator_id?: string; readonly guest: boolean }
    ) => Effect.Effect<Option.Option<SeenBooking>, SqlError.SqlError>
    /** The row, locked until the caller's transaction ends. */
    readonly lock: (booking_id: string) => Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>
    /**
     * Locks a booking, then its dependent rows by `child`; none if the booking does not exist. Every transaction that
     * locks both uses this order.
     */
    readonly lockWith: <A, E>(
      booking_id: string,
      child: Effect.Effect<A, E>
    ) => Effect.Effect<Option.Option<readonly [BookingRow, A]>, E | SqlError.SqlError>
    /** Like `lock`, but none if another transaction has locked it: for callers that already hold locks. */
    readonly tryLock: (booking_id: string) => Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>
    /** The live bookings of an option by one key for one e-mail address, under any name; oldest first. */
    readonly liveOfOption: (
      by: Pick<BookingRow, "key_id" | "option_id" | "contact_email">
    ) => Effect.Effect<ReadonlyArray<BookingRow>, SqlError.SqlError>
    /** What these bookings were made together with, if any was made with others. */
    readonly orderOf: (
      bookings: ReadonlyArray<Pick<BookingRow, "booking_id">>
    ) => Effect.Effect<OrderId | undefined, SqlError.SqlError>
    /**
     * The other bookings that were made together with this one and are for the same person still, by their starts, as
     * stored; those that this key made, if one is given.
     */
    readonly bookedTogether: (
      booking: Pick<BookingRow, "booking_id">,
      key_id?: string
    ) => Effect.Effect<ReadonlyArray<BookingRow>, SqlError.SqlError>
    /** Takes the locks on counts of holds that `make_booking` needs, until the caller's transaction ends. */
    readonly lockHolds: (holder: Holder) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Applies a change in the caller's transaction and writes its history line. Releases the places of a booking that
     * ends.
     */
    readonly change: (row: BookingRow, change: Change) => Effect.Effect<BookingRow, SqlError.SqlError>
    /**
     * Like `change`, and stores the row's visit, party, details and price. From then on, a repeated request for the new
     * option finds it; one for the old option does not. One with a former name or e-mail address does, too. A contact
     * that is corrected needs the locks of its address (`lockHolds`).
     */
    readonly changeVisit: (row: BookingRow, change: Change) => Effect.Effect<BookingRow, SqlError.SqlError>
    /**
     * Stores what of a booking's total is due now, and the payments that count towards it, in the caller's transaction,
     * after `change`. The visit stays, and its total but for what is waived.
     */
    readonly changeDue: (row: BookingRow) => Effect.Effect<void, SqlError.SqlError>
    /** The history as the family and its assistants read it: the newest `mostHistoryLines`, oldest first. */
    readonly history: (booking: BookingRow) => Effect.Effect<ReadonlyArray<HistoryEntry>, SqlError.SqlError>
    /** The same for the venue: with who did it. */
    readonly venueHistory: (booking: BookingRow) => Effect.Effect<ReadonlyArray<VenueHistoryEntry>, SqlError.SqlError>
    /** Flags a booking for a person, in the caller's transaction. A repeated reason is stored once. */
    readonly flag: (booking_id: BookingId, why: string) => Effect.Effect<void, SqlError.SqlError>
    /** The reason for the flag; undefined if the booking is not flagged. */
    readonly flagReason: (booking_id: BookingId) => Effect.Effect<string | undefined, SqlError.SqlError>
    /** A person says that the visit takes place though all payments went back (`isPaidBack`). False: they did not. */
    readonly keepPaidBack: (booking_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Removes the flag after a person resolved it; false if there is no such flagged booking. */
    readonly clearFlag: (booking_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Notes in a booking's terms when its places were released, in the caller's transaction, before `change`. */
    readonly markReleased: (booking: BookingRow) => Effect.Effect<BookingRow, SqlError.SqlError>
    /** Stores what the family answered. Returns the booking after it. */
    readonly answer: (
      booking: BookingRow,
      answers: ReadonlyArray<Answer>
    ) => Effect.Effect<BookingRow, SqlError.SqlError>
    /** Marks whether the family came; null takes the mark away. Returns the booking after it. */
    readonly markAttendance: (
      booking: BookingRow,
      attendance: Attendance | null
    ) => Effect.Effect<BookingRow, SqlError.SqlError>
  }
>()("playroom/booking/BookingRecords") {
  static readonly layer = Layer.effect(
    BookingRecords,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const occupancy = yield* Occupancy
      const letters = yield* LetterOutbox
      const all = sql.literal(columns)
      const seenColumns = sql.literal(columnsOf(BookingRow, "b"))
      const one = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(rowsOf(rows), (found) => Option.fromUndefinedOr(found[0]))
      const visitColumns = sql.literal(columnsOf(VisitRow))

      const byId = (booking_id: string) => one(sql`select ${all} from booking where booking_id = ${booking_id}`)
      const byReference = (reference: string) => one(sql`select ${all} from booking where reference = ${reference}`)
      const seen: BookingRecords["Service"]["seen"] = (by, { guest, key_id, operator_id }) => {
        const which =
          "booking_id" in by
            ? sql`b.booking_id = ${by.booking_id}`
            : by.contact_email === undefined
              ? sql`b.reference = ${by.reference}`
              : sql`b.reference = ${by.reference} and folded(b.contact_email) = folded(${by.contact_email}::text)`
        const made = key_id === undefined ? sql`true` : sql`b.key_id = ${key_id}`
        const reached = guest ? sql`(${made} or g.booking_id is not null)` : made
        const at = operator_id === undefined ? sql`true` : sql`b.operator_id = ${operator_id}`
        const reach = guest
          ? sql`left join booking_guest g on g.booking_id = b.booking_id and g.key_id = ${key_id ?? null}::text`
          : sql``
        const may_change = guest ? sql`(${made} or g.may_change)` : sql`true`
        return Effect.map(
          seenOf(sql`select ${seenColumns}, ${may_change} as may_change from booking b ${reach}
            where ${which} and ${reached} and ${at}`),
          ([found]) => {
            if (found === undefined) return Option.none<SeenBooking>()
            const { may_change, ...row } = found
            return Option.some({ row, may_change })
          }
        )
      }
      // `no key`: rows that only refer to a booking, such as its guests, don't wait for it.
      const rowLock = sql.literal("for no key update")
      const lock = statementOfFibers(sql, (ids: ReadonlyArray<string>) =>
        Effect.map(
          // In one order, so that two transactions never wait for each other.
          rowsOf(sql`select ${all} from booking where booking_id = any(${ids}::text[]) order by booking_id ${rowLock}`),
          (found) => ids.map((id) => Option.fromUndefinedOr(found.find(({ booking_id }) => booking_id === id)))
        )
      )
      const lockWith: BookingRecords["Service"]["lockWith"] = (booking_id, child) =>
        Effect.flatMap(
          lock(booking_id),
          Option.match({
            onNone: () => Effect.succeedNone,
            onSome: (booking) => Effect.map(child, (locked) => Option.some([booking, locked] as const))
          })
        )
      const tryLock = (booking_id: string) =>
        one(sql`select ${all} from booking where booking_id = ${booking_id} ${rowLock} skip locked`)
      const liveOfOption: BookingRecords["Service"]["liveOfOption"] = ({ contact_email, key_id, option_id }) =>
        rowsOf(sql`select ${all} from booking where retry_key = retry_key_of(${key_id}, ${option_id}, ${contact_email})
          and status in ('held', 'confirmed') order by created_at, booking_id`)

      const orderOf: BookingRecords["Service"]["orderOf"] = (bookings) =>
        bookings.length === 0
          ? Effect.undefined
          : Effect.map(
              orderRows(sql`select order_id from booking where order_id is not null
                and booking_id = any(${bookings.map(({ booking_id }) => booking_id)}::text[]) order by booking_id limit 1`),
              ([found]) => found?.order_id
            )
      const bookedTogether: BookingRecords["Service"]["bookedTogether"] = ({ booking_id }, key_id) =>
        rowsOf(sql`select ${seenColumns} from booking a join booking b on b.order_id = a.order_id
          where a.booking_id = ${booking_id} and b.booking_id <> a.booking_id and b.operator_id = a.operator_id
            and folded(b.contact_email) = folded(a.contact_email)
            and ${key_id === undefined ? sql`true` : sql`a.key_id = ${key_id} and b.key_id = ${key_id}`}
          order by b.starts_at, b.booking_id limit ${maxTogether}::int`)

      // The address before the key, like `make_booking`: another order can deadlock.
      const lockHolds = Effect.fnUntraced(function* ({ contact_email, key_id }: Holder) {
        yield* sql`select lock_holds_of_email(${contact_email})`
        yield* sql`select lock_holds_of_key(${key_id})`
      })

      const flag = (booking_id: BookingId, why: string) =>
        Effect.asVoid(sql`update booking set flagged = left(coalesce(flagged || '; ', '') || ${why}::text, 1000)
          where booking_id = ${booking_id} and strpos(coalesce(flagged, ''), ${why}::text) = 0`)

      const flagRefused = Effect.fnUntraced(function* (row: BookingRow, wanted: Change, refused: string) {
        const { booking_id, currency } = row
        const moved = [
          ...(wanted.paid ? [`${display(wanted.paid, currency)} paid`] : []),
          ...(wanted.refunded ? [`${display(wanted.refunded, currency)} refunded`] : [])
        ]
        const why = `${wanted.event}: ${moved.join(", ")}, and ${refused}`
        yield* Effect.logError("Money moved, and the booking's status could not follow", { booking_id, why })
        yield* flag(booking_id, why)
      })

      // A page that pays it with others may still be paid when its own has closed.
      const ofOpenOrder = sql.literal(`b.order_id is not null and exists (select from voucher_sale s
        where s.order_id = b.order_id and s.status in ('creating', 'open', 'processing')
          and s.parts @> jsonb_build_array(jsonb_build_object('booking_id', b.booking_id)))`)
      // The person may have booked the same again since, so a revived booking is marked as another one.
      const write = statementOfFibers(sql, (rows: ReadonlyArray<Row & Pick<Change, "event">>) =>
        Effect.as(
          sql`
          with change as (select * from ${tableOf(sql, rows, "booking_id text, at timestamptz, status text, payment_status text, paid int, refunded int, hold_expires_at timestamptz, awaiting_provider boolean, revived boolean, event text, from_status text, from_payment_status text, detail text, facts jsonb, done_by text")}),
          changed as (
            update booking b set status = c.status, payment_status = c.payment_status, paid = c.paid,
              refunded = c.refunded, hold_expires_at = c.hold_expires_at,
              awaiting_provider = c.awaiting_provider or c.status = 'held' and b.awaiting_provider and ${ofOpenOrder},
              updated_at = c.at,
              another = case when c.revived then b.booking_id else b.another end
            from change c where b.booking_id = c.booking_id returning b.booking_id, b.operator_id)
          insert into booking_history
            (booking_id, operator_id, at, event, from_status, to_status, from_payment_status, to_payment_status, detail, facts, done_by)
          select booking_id, operator_id, c.at, c.event, c.from_status, c.status, c.from_payment_status, c.payment_status,
            c.detail, c.facts, c.done_by from changed join change c using (booking_id)`,
          rows
        ).pipe(
          Effect.tap(() =>
            countBookingEvents(
              sql,
              rows.map(({ event }) => event)
            )
          )
        )
      )

      const change: BookingRecords["Service"]["change"] = Effect.fn("BookingRecords.change")(function* (row, wanted) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const next = changedBy(row, wanted)
        if (next === row) return row
        const { detail, done_by, event, facts } = wanted
        const money = (wanted.paid ?? 0) !== 0 || (wanted.refunded ?? 0) !== 0
        const refused = money ? refusedTransition(row, wanted) : undefined
        if (refused !== undefined) yield* flagRefused(row, wanted, refused)
        yield* write({
          booking_id: row.booking_id,
          at: now,
          status: next.status,
          payment_status: next.payment_status,
          paid: next.paid,
          refunded: next.refunded,
          hold_expires_at: next.hold_expires_at === null ? null : new Date(next.hold_expires_at),
          awaiting_provider: next.awaiting_provider,
          revived: row.status === "expired" && next.status !== "expired",
          event,
          from_status: row.status,
          from_payment_status: row.payment_status,
          detail,
          facts,
          done_by
        })
        const ended = next.status !== row.status && (next.status === "expired" || next.status === "cancelled")
        if (ended) yield* occupancy.release([row.booking_id])
        const kind = letterOf(row, next, event)
        if (kind !== undefined) yield* letters.write({ booking: row, kind })
        return next
      })

      const changeVisit = Effect.fn("BookingRecords.changeVisit")(function* (row: BookingRow, wanted: Change) {
        yield* letters.writeChange(row)
        // The person may have booked the same already. If so, this booking is marked as another one.
        const visit = yield* encodeVisit(row)
        const { contact_email: email, contact_name: name } = row
        yield* sql`with guest as (update guest_booking set playroom_id = ${row.playroom_id}
            where booking_id = ${row.booking_id} and playroom_id <> ${row.playroom_id}),
          former as (insert into former_contact (booking_id, contact)
            select booking_id, contact_digest(contact_name, contact_email) from booking
            where booking_id = ${row.booking_id} and (contact_name, contact_email) <> (${name}::text, ${email}::text)
            on conflict do nothing)
          update booking b set (${visitColumns}) = (
            select ${visitColumns} from jsonb_populate_record(null::booking, ${visit}::jsonb)),
          retry_key = w.retry_key,
          another = case when exists (select from booking o where o.retry_key = w.retry_key and o.booking_id <> b.booking_id
              and o.status in ('held', 'confirmed') and is_same_wish(o, ${name}, b.another))
            then b.booking_id else b.another end
          from (select retry_key_of(key_id, ${row.option_id}, ${email}) as retry_key from booking
            where booking_id = ${row.booking_id}) w
          where b.booking_id = ${row.booking_id}`
        return yield* change(row, wanted)
      })

      // `updated_at` is named for `booking_taxed`: what was paid is of the rates of the price as it is now.
      const changeDue = ({ booking_id, due_now, terms, total }: BookingRow) =>
        Effect.asVoid(sql`update booking set due_now = ${due_now}::int, total = ${total}::int, updated_at = updated_at,
            terms = terms || ${JSON.stringify(Struct.pick(terms, ["given_back_by_moves", "goodwill", "most_paid", "price", "settled_sessions"]))}::jsonb
          where booking_id = ${booking_id}`)

      const venueHistory = Effect.fn("BookingRecords.history")(function* (booking: BookingRow) {
        const rows = yield* linesOf(sql`
          select at, event, detail, facts, done_by from booking_history where booking_id = ${booking.booking_id}
          order by seq desc limit ${mostHistoryLines}`)
        return rows.toReversed().map(({ at, detail, done_by, event, facts }): VenueHistoryEntry => ({
          at: format(booking.terms.time_zone, at),
          event,
          ...(detail === null ? {} : { detail }),
          ...(facts === null ? {} : { facts }),
          ...(done_by === null ? {} : { done_by })
        }))
      })
      const history = (booking: BookingRow) =>
        Effect.map(venueHistory(booking), (lines) =>
          lines.map((line): HistoryEntry => Struct.omit(line, ["done_by", "facts"]))
        )

      const markReleased = Effect.fnUntraced(function* (booking: BookingRow) {
        const released_at = yield* Clock.currentTimeMillis
        yield* sql`update booking set terms = terms || jsonb_build_object('released_at', ${released_at}::bigint)
          where booking_id = ${booking.booking_id}`
        return { ...booking, terms: { ...booking.terms, released_at } }
      })

      const answer = (booking: BookingRow, answers: ReadonlyArray<Answer>) =>
        Effect.as(
          sql`update booking set answers = ${JSON.stringify(answers)}::jsonb where booking_id = ${booking.booking_id}`,
          { ...booking, answers }
        )

      const markAttendance = (booking: BookingRow, attendance: Attendance | null) =>
        Effect.as(sql`update booking set attendance = ${attendance}::text where booking_id = ${booking.booking_id}`, {
          ...booking,
          attendance
        })

      const flagReason = (booking_id: BookingId) =>
        Effect.map(
          reasonsOf(sql`select flagged from booking
            where booking_id = ${booking_id} and flagged is not null`),
          ([found]) => found?.flagged
        )

      const clearFlag = (booking_id: string) =>
        Effect.map(
          sql`update booking set flagged = null where booking_id = ${booking_id} and flagged is not null returning booking_id`,
          (rows) => rows.length > 0
        )

      const keepPaidBack = Effect.fn("BookingRecords.keepPaidBack")(function* (booking_id: string) {
        const booking = Option.getOrUndefined(yield* lock(booking_id))
        if (booking === undefined || !isPaidBack(booking, 0)) return false
        yield* sql`update booking set kept_refunded = refunded where booking_id = ${booking_id}`
        yield* change(booking, { note: true, event: "kept", detail: "the visit takes place, though all was paid back" })
        return true
      }, sql.withTransaction)

      return BookingRecords.of({
        byId,
        byReference,
        seen,
        lock,
        lockWith,
        tryLock,
        liveOfOption,
        bookedTogether,
        orderOf,
        lockHolds,
        change,
        changeVisit,
        changeDue,
        history,
        venueHistory,
        flag,
        keepPaidBack,
        markReleased,
        answer,
        markAttendance,
        flagReason,
        clearFlag
      })
    })
  ).pipe(Layer.provide([LetterOutbox.layer, Occupancy.layer]))
}
