/**
 * What the database holds about a person who booked: telling it, and taking the person out. What was sold and paid
 * stays, with ids, amounts, states and times. `docs/personal-data.md` lists every column that can hold personal data,
 * and what empties it.
 */

import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { attempt, attemptOrLog, type Outcome } from "../../../platform/concurrency/Outcomes.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { decodeRows } from "../../../platform/database/Rows.ts"
import { BookingId, type PaymentSessionId, Reference } from "../../../platform/ids/Ids.ts"
import { dayMs, format, type Instant, forkRecurring } from "../../../platform/time/LocalTime.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import {
  BookingRecords,
  bookingsOfPerson,
  bookingsOver,
  erasePerson,
  type OverBooking
} from "../../booking/BookingRecords.ts"
import { asOf } from "../../booking/Lifecycle.ts"
import { stopReminders } from "../../booking/LetterOutbox.ts"
import { forgetWaitingPerson, waitingOfPerson } from "../../booking/WaitingList.ts"
import { forgetGuests } from "../../oauth/Grants.ts"
import { EventRecords, isUnsettledEvent, type WebhookEvent } from "../../payment/events/EventRecords.ts"
import { Disputes, isUnsettledDispute } from "../../payment/refunds/Disputes.ts"
import { isOwed } from "../../payment/refunds/Refund.ts"
import { RefundRecords } from "../../payment/refunds/RefundRecords.ts"
import { buysNow, forgetBuyer, salesOfPerson } from "../../payment/settlement/VoucherSales.ts"
import { isLive } from "../../payment/sessions/PaymentSession.ts"
import { PaymentSessions } from "../../payment/sessions/PaymentSessions.ts"

// Whole rows about a person, as stored. Columns that are added later are included.

const Row = Schema.Record(Schema.String, Schema.Json)
const Rows = Schema.Array(Row)

/** A booking with all rows that belong to it. */
const PersonBooking = Schema.Struct({
  booking: Row,
  history: Rows,
  payment_sessions: Rows,
  refunds: Rows,
  disputes: Rows,
  provider_events: Rows,
  /** Idempotency keys of the booking and its payments. */
  idempotency_keys: Rows,
  /** A guest's network address and host, until something is paid. */
  guest_booking: Rows,
  /** Other guests who reach the booking. */
  booking_guests: Rows,
  letters: Rows
})
type PersonBooking = typeof PersonBooking.Type

const bookingRows = decodeRows(Schema.Array(PersonBooking))
const keyRows = decodeRows(Schema.Array(Schema.Struct({ key_id: Schema.String })))
const grantRows = decodeRows(Schema.Array(Schema.Struct({ connect_grant: Row })))

/** These bookings with all their rows, oldest first. */
const rowsOfBookings = Effect.fnUntraced(function* (ids: ReadonlyArray<BookingId>) {
  const sql = yield* SqlClient.SqlClient
  const all = (table: string, as: string) => sql`(select coalesce(jsonb_agg(to_jsonb(t)), '[]')
    from (select * from ${sql(table)} t where t.booking_id = b.booking_id) t) as ${sql(as)}`
  return yield* bookingRows(sql`select to_jsonb(b) as booking,
      (select coalesce(jsonb_agg(to_jsonb(h) - 'done_by' order by h.seq), '[]') from booking_history h where h.booking_id = b.booking_id) as history,
      ${all("payment_session", "payment_sessions")}, ${all("refund", "refunds")}, ${all("dispute", "disputes")},
      ${all("webhook_event", "provider_events")}, ${all("guest_booking", "guest_booking")},
      ${all("booking_guest", "booking_guests")}, ${all("letter", "letters")},
      (select coalesce(jsonb_agg(to_jsonb(i)), '[]') from idempotency i where i.key_id = b.key_id and (i.result_id = b.booking_id
        or i.result_id in (select payment_session_id from payment_session s where s.booking_id = b.booking_id))) as idempotency_keys
    from booking b where b.booking_id = any(${ids}::text[]) order by b.booking_id`)
})

/** Keys of guests who made or reach these bookings, and no other booking that is not erased. */
export const guestsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<BookingId>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* keyRows(sql`select distinct g.key_id from connect_grant g
    where g.sign_in = 'guest' and g.key_id in (
        select key_id from booking where booking_id = any(${ids}::text[])
        union all select key_id from booking_guest where booking_id = any(${ids}::text[]))
      and not exists (select from booking other where other.key_id = g.key_id and other.erased_at is null
        and other.booking_id <> all(${ids}::text[]))
      and not exists (select from booking_guest other where other.key_id = g.key_id
        and other.booking_id <> all(${ids}::text[]))`)
  return found.map(({ key_id }) => key_id)
})

/** The grants of these guests, without digests of secrets. */
export const grantsOf = Effect.fnUntraced(function* (key_ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* grantRows(sql`select to_jsonb(g) - 'key_hash' - 'consent' as connect_grant from connect_grant g
    where g.sign_in = 'guest' and g.key_id = any(${key_ids}::text[]) order by g.grant_id`)
  return found.map(({ connect_grant }) => connect_grant)
})

const notErased = "People could not be erased; tried again in an hour"

/** Bookings read per statement. */
const batch = 50

/**
 * Why a person can't be erased from a booking, or from an event of none of their bookings, yet, and what to do first.
 */
const ErasureBlocker = Schema.Struct({
  booking_id: Schema.optionalKey(BookingId),
  reference: Schema.optionalKey(Reference),
  event_id: Schema.optionalKey(Schema.String),
  why: Schema.String,
  fix: Schema.String
})
type ErasureBlocker = typeof ErasureBlocker.Type

/** What is in the way of erasing a person, in words. */
export const blockerText = ({ event_id, fix, reference, why }: ErasureBlocker): string =>
  `${reference ?? event_id ?? ""} ${why}: ${fix}`.trim()

/** Some of the person's bookings can't be erased yet. */
class ErasureBlocked extends Schema.TaggedError<ErasureBlocked>()("ErasureBlocked", {
  in_the_way: Schema.Array(ErasureBlocker)
}) {
  override get message(): string {
    return ["This is not over yet:", ...this.in_the_way.map((one) => `  ${blockerText(one)}`)].join("\n")
  }
}

/** What erasing a person affects. */
export interface ErasePlan {
  /** References of the bookings that the person is erased from. */
  readonly bookings: ReadonlyArray<Reference>
  /** Provider events of other bookings that contain the address. */
  readonly events: number
  /** Blockers. While there are any, nothing is erased. */
  readonly in_the_way: ReadonlyArray<ErasureBlocker>
}

/**
 * What a person is erased from: a booking, by its reference; the provider's events of others; the sandbox's payers; the
 * addresses that want no reminders; the waiting lists; the vouchers bought.
 */
export type ErasureItem = Reference | "events" | "payers" | "reminders" | "waiting" | "vouchers"

/** What was erased. A part that failed is left for the next call. */
interface Erased extends ErasePlan {
  readonly outcomes: ReadonlyArray<Outcome<ErasureItem, unknown, ErasureBlocked | SqlError.SqlError>>
}

/** All rows that the database holds about a person, as stored. */
interface PersonExport {
  readonly email: string
  readonly bookings: ReadonlyArray<PersonBooking>
  /** Provider events of other bookings that contain the address. */
  readonly other_events: ReadonlyArray<WebhookEvent>
  /** The person's guest sign-ins at `/mcp/connect`, if a booking was made with one. */
  readonly guest_grants: ReadonlyArray<unknown>
  /** Where the person waits for places. */
  readonly waiting: ReadonlyArray<unknown>
  /** The gift vouchers that the person bought online. */
  readonly vouchers: ReadonlyArray<unknown>
  /** What the sandbox provider stores. */
  readonly sandbox: unknown
}

/** Our ids of payment sessions and bookings, and the e-mail address that was entered on payment pages. */
interface Payer {
  readonly payment_session_ids: ReadonlyArray<string>
  readonly booking_ids: ReadonlyArray<string>
  readonly email?: string
}

/** Personal data that the sandbox provider stores in this database: reads it, and erases it. */
interface PayerRecords {
  readonly rows: (payer: Payer) => Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>
  readonly forget: (payer: Payer) => Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
}

const seeDoctor = "see playroom doctor"

const blocker = (booking: BookingRow, why: string, fix: string): ErasureBlocker => ({
  booking_id: booking.booking_id,
  reference: booking.reference,
  why,
  fix
})

export class Persons extends Context.Service<
  Persons,
  {
    /** Everything about the person with this e-mail address; its case is ignored. */
    readonly export: (email: string) => Effect.Effect<PersonExport, SqlError.SqlError>
    /** What `erase` would do. */
    readonly plan: (email: string) => Effect.Effect<ErasePlan, SqlError.SqlError>
    /**
     * Erases the person from all of their bookings, one transaction each: if one fails, from the others. The next call
     * completes it. If any booking is not over, or its payments are not settled, nothing is erased.
     */
    readonly erase: (email: string) => Effect.Effect<Erased, ErasureBlocked | SqlError.SqlError>
    /** Erases people from bookings that ended before then and are settled; returns the number of bookings. */
    readonly eraseOver: (before: Instant) => Effect.Effect<number, SqlError.SqlError>
  }
>()("playroom/privacy/Persons") {
  static readonly layer = (payers: PayerRecords) =>
    Layer.effect(
      Persons,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const bookings = yield* BookingRecords
        const sessions = yield* PaymentSessions
        const refunds = yield* RefundRecords
        const disputes = yield* Disputes
        const events = yield* EventRecords
        const onSql = Effect.provideService(SqlClient.SqlClient, sql)

        /** Why a booking still needs its person; undefined if it does not. */
        const blockerOf = Effect.fnUntraced(function* (stored: BookingRow) {
          const now = yield* Clock.currentTimeMillis
          const booking = asOf(stored, now)
          const { booking_id, reference } = booking
          const cancel = `cancel it first (playroom booking cancel ${reference})`
          if (stored.status === "held") {
            return booking.status === "held"
              ? blocker(booking, "is held", `${cancel}, or wait until the hold has ended`)
              : blocker(booking, "is a hold that is just ending", "try again in a minute")
          }
          if (booking.status === "confirmed" && booking.ends_at > now) {
            const when = format(booking.terms.time_zone, booking.starts_at)
            return blocker(booking, `is a visit to come, at ${when}`, `${cancel}, or wait until it is over`)
          }
          const show = `see playroom booking show ${reference}`
          if ((yield* sessions.ofBooking(booking_id)).some((session) => isLive(session) || session.flagged !== null))
            return blocker(booking, "has a payment that is under way or not accounted for", show)
          if ((yield* refunds.ofBooking(booking)).some((refund) => isOwed(refund) || refund.status === "requested"))
            return blocker(booking, "has a refund that is not settled", show)
          if ((yield* disputes.ofBooking(booking)).some(isUnsettledDispute))
            return blocker(booking, "has a payment under dispute", show)
          if ((yield* events.unsettledOf(booking_id)).length > 0)
            return blocker(booking, "has events of the provider that are not settled", seeDoctor)
          if (booking.payment_status === "processing" || booking.payment_status === "refund_pending")
            return blocker(booking, `has the payment status ${booking.payment_status}`, show)
          if ((yield* bookings.flagReason(booking_id)) !== undefined)
            return blocker(booking, "has money that is not accounted for", seeDoctor)
          return undefined
        })

        /** Erases the person from a locked booking. Returns the blocker, or whether anything changed. */
        const eraseFrom = Effect.fnUntraced(function* (locked: Option.Option<BookingRow>) {
          if (Option.isNone(locked)) return false
          const { booking_id } = locked.value
          const why = yield* blockerOf(locked.value)
          if (why !== undefined) return why
          if (!(yield* onSql(erasePerson(booking_id, yield* Clock.currentTimeMillis)))) return false
          yield* sessions.forgetPayer(booking_id)
          yield* events.forgetBodies(yield* events.wholeOfBooking(booking_id))
          yield* onSql(payers.forget({ payment_session_ids: yield* sessionIds(booking_id), booking_ids: [booking_id] }))
          return true
        })

        const sessionIds = (booking_id: BookingId) =>
          Effect.map(sessions.ofBooking(booking_id), (all) => all.map(({ payment_session_id }) => payment_session_id))

        const find = Effect.fnUntraced(function* (email: string) {
          const ids = yield* onSql(bookingsOfPerson(email))
          const named = yield* events.naming(email)
          const own = new Set<string>(ids)
          return { email, ids, others: named.filter(({ booking_id }) => booking_id === null || !own.has(booking_id)) }
        })

        const planOf = Effect.fnUntraced(function* ({ email, ids, others }: Effect.Success<ReturnType<typeof find>>) {
          const rows = yield* Effect.forEach(ids, bookings.byId)
          const found = rows.flatMap(Option.toArray)
          const reasons = yield* Effect.forEach(found, blockerOf)
          // Whoever settles it needs what it says.
          const waiting = others.filter(isUnsettledEvent).map(({ event_id }) => ({
            event_id,
            why: "is an event of the provider that is not settled",
            fix: seeDoctor
          }))
          return {
            found,
            plan: {
              bookings: found.map(({ reference }) => reference),
              events: others.length,
              in_the_way: [
                ...reasons.filter((reason) => reason !== undefined),
                ...waiting,
                ...((yield* onSql(buysNow(email)))
                  ? [
                      {
                        why: "A gift voucher is being paid",
                        fix: "wait until its page is paid or closed, within an hour"
                      }
                    ]
                  : [])
              ]
            } satisfies ErasePlan
          }
        })

        const eraseOne = Effect.fnUntraced(function* (booking_id: BookingId) {
          const done = yield* sql.withTransaction(
            Effect.gen(function* () {
              const booking = yield* bookings.lock(booking_id)
              const guests = yield* onSql(guestsOf([booking_id]))
              const result = yield* eraseFrom(booking)
              if (result === true) yield* onSql(forgetGuests(guests))
              return result
            })
          )
          // The booking changed after the plan was made.
          return typeof done === "object" ? yield* new ErasureBlocked({ in_the_way: [done] }) : undefined
        })

        const erase = Effect.fn("Persons.erase")(function* (
          email: string
        ): Effect.fn.Return<Erased, ErasureBlocked | SqlError.SqlError> {
          const named = yield* find(email)
          const { found, plan } = yield* planOf(named)
          if (plan.in_the_way.length > 0) return yield* new ErasureBlocked({ in_the_way: plan.in_the_way })
          const outcomes: Array<Erased["outcomes"][number]> = []
          for (const { booking_id, reference } of found)
            outcomes.push(
              yield* attempt<ErasureItem, void, ErasureBlocked | SqlError.SqlError, never>(
                reference,
                eraseOne(booking_id)
              )
            )
          outcomes.push(
            yield* attempt<ErasureItem, void, SqlError.SqlError, never>("events", events.forgetBodies(named.others)),
            yield* attempt<ErasureItem, void, SqlError.SqlError, never>(
              "payers",
              onSql(payers.forget({ payment_session_ids: [], booking_ids: [], email }))
            ),
            yield* attempt<ErasureItem, void, SqlError.SqlError, never>(
              "reminders",
              onSql(stopReminders(email, false))
            ),
            yield* attempt<ErasureItem, void, SqlError.SqlError, never>("waiting", onSql(forgetWaitingPerson(email))),
            yield* attempt<ErasureItem, void, SqlError.SqlError, never>("vouchers", onSql(forgetBuyer({ email })))
          )
          return { ...plan, outcomes }
        })

        const eraseOver = Effect.fn("Persons.eraseOver")(function* (before: Instant) {
          let erased = 0
          let after: OverBooking | undefined
          for (;;) {
            const found = yield* onSql(bookingsOver(before, after, batch))
            for (const { booking_id } of found) {
              // Skip a booking that is locked, by another node or by a payment, or that fails. The next run gets it.
              const done = yield* attemptOrLog(
                sql.withTransaction(Effect.flatMap(bookings.tryLock(booking_id), eraseFrom)),
                { failed: notErased, about: { booking_id }, otherwise: false }
              )
              if (done === true) erased++
              yield* Effect.yieldNow
            }
            after = found.at(-1)
            if (after === undefined) return erased
          }
        })

        const exportOf = Effect.fn("Persons.export")(function* (email: string) {
          const { ids, others } = yield* find(email)
          const rows: Array<PersonBooking> = []
          for (let first = 0; first < ids.length; first += batch)
            rows.push(...(yield* onSql(rowsOfBookings(ids.slice(first, first + batch)))))
          const payments: Array<PaymentSessionId> = []
          for (const booking_id of ids) payments.push(...(yield* sessionIds(booking_id)))
          return {
            email,
            bookings: rows,
            other_events: others,
            guest_grants: yield* onSql(grantsOf(yield* onSql(guestsOf(ids)))),
            waiting: yield* onSql(waitingOfPerson(email)),
            vouchers: yield* onSql(salesOfPerson(email)),
            sandbox: yield* onSql(payers.rows({ payment_session_ids: payments, booking_ids: ids, email }))
          } satisfies PersonExport
        })

        return Persons.of({
          export: exportOf,
          plan: Effect.fn("Persons.plan")((email: string) =>
            Effect.map(Effect.flatMap(find(email), planOf), ({ plan }) => plan)
          ),
          erase,
          eraseOver
        })
      })
    ).pipe(
      Layer.provide([
        BookingRecords.layer,
        Disputes.layer,
        EventRecords.layer,
        PaymentSessions.layer,
        RefundRecords.layer
      ])
    )

  /** Every hour, erases people from bookings that ended `PERSONAL_DATA_DAYS` ago. Does nothing if that is not set. */
  static readonly worker = Layer.effectDiscard(
    Effect.gen(function* () {
      const { personalDataDays } = yield* AppConfig
      if (personalDataDays === undefined) return
      const persons = yield* Persons
      const eraseOver = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const bookings = yield* persons.eraseOver(now - personalDataDays * dayMs)
        yield* forgetBuyer({ before: now - personalDataDays * dayMs })
        if (bookings > 0) yield* Effect.logInfo("People were erased from bookings that are long over", { bookings })
      })
      yield* forkRecurring(eraseOver, {
        delay: "10 minutes",
        every: "1 hour",
        failed: notErased
      })
    })
  )
}
