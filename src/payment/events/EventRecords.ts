/** The `webhook_event` table. `EventStore.ts` does the inserts. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { Stripe } from "stripe"
import { BookingId, PaymentSessionId } from "../../kernel/Ids.ts"
import { type Instant, InstantFromDate } from "../../kernel/LocalTime.ts"
import { decodeRows, tableOf } from "../../kernel/Rows.ts"
import { plainText } from "../../kernel/Text.ts"
import { Receiver } from "../provider/Receivers.ts"
import { envelopeOfStored } from "./EventEnvelope.ts"
import type { EventSubject } from "./EventHandler.ts"

const NullOr = Schema.NullOr

export const EventStatus = Schema.Literals(["received", "applied", "ignored", "rejected", "dead"])
export type EventStatus = typeof EventStatus.Type

/** Those of events that wait to be applied, or for a person. */
const unsettled: ReadonlyArray<EventStatus> = ["received", "rejected", "dead"]
export const isUnsettledEvent = ({ status }: { readonly status: EventStatus }): boolean => unsettled.includes(status)

const summaryFields = {
  event_id: Schema.String,
  receiver: Receiver,
  type: Schema.String,
  account: NullOr(Schema.String),
  livemode: NullOr(Schema.Boolean),
  api_version: NullOr(Schema.String),
  /** Null if unknown. */
  payment_session_id: NullOr(PaymentSessionId),
  booking_id: NullOr(BookingId),
  status: EventStatus,
  outcome: NullOr(Schema.String),
  attempts: Schema.Int,
  next_attempt_at: InstantFromDate,
  received_at: InstantFromDate,
  applied_at: NullOr(InstantFromDate)
}

/** An event in a list. Instants are milliseconds. */
export const WebhookEventSummary = Schema.Struct(summaryFields)
export type WebhookEventSummary = typeof WebhookEventSummary.Type
/** An event with its body as received, or with its envelope if it isn't ours. */
export const WebhookEvent = Schema.Struct({ ...summaryFields, payload: Schema.String })
export type WebhookEvent = typeof WebhookEvent.Type

/** The end of the outcome of events that a person has resolved. */
export const resolvedByPerson = "dealt with by a person"

/** An outcome as one line that fits the table. */
const oneLine = (text: string): string => plainText(text, 500)

/** The text in lower case, with JSON escapes for letters beyond ASCII: the provider may write them so. */
const asciiJson = (text: string): string =>
  text.toLowerCase().replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * Tests if a body contains this e-mail address, not as a part of a longer one. It may follow an escape such as JSON's
 * `\\u003c`.
 */
const containsEmail = (email: string): ((payload: string) => boolean) => {
  const either = [email.toLowerCase(), asciiJson(email)].map((text) => text.replaceAll(/[^\w@-]/g, "\\$&")).join("|")
  const alone = new RegExp(`(?:(?<=\\\\u00[0-9a-f]{2})|(?<![\\w.%+'-]))(?:${either})(?![\\w-]|\\.\\w)`)
  return (payload) => alone.test(payload.toLowerCase())
}

/** The longest ASCII part of an e-mail address. Whether a database lowers other letters depends on its locale. */
const longestAscii = (email: string): string =>
  (email.toLowerCase().match(/[ -~]+/g) ?? []).reduce(
    (longest, part) => (part.length > longest.length ? part : longest),
    ""
  )

/** The session and booking of an event, if they were known when it was stored. */
export const subjectOf = ({ booking_id, payment_session_id }: WebhookEvent): EventSubject | undefined =>
  payment_session_id === null || booking_id === null ? undefined : { payment_session_id, booking_id }

/** Events with a status. */
export const eventsIn = (sql: SqlClient.SqlClient, status: EventStatus): Statement.Fragment =>
  sql`webhook_event where status = ${status}`

export class EventRecords extends Context.Service<
  EventRecords,
  {
    /**
     * The next due events, at most `most`, or one event if it is due; locked until the caller's transaction ends. Those
     * that another transaction has locked are left out. `known`: of our payment sessions; `rest`: others, but for those
     * whose object is fetched from the provider first (`asked`).
     */
    readonly claim: (
      which: "known" | "rest" | { readonly event_id: string },
      now: Instant,
      most?: number
    ) => Effect.Effect<ReadonlyArray<WebhookEvent>, SqlError.SqlError>
    /** Leases the next event whose object has to be fetched. Other nodes skip it until `until`. */
    readonly lease: (now: Instant, until: Instant) => Effect.Effect<Option.Option<WebhookEvent>, SqlError.SqlError>
    /** Locks an event until the caller's transaction ends; false if it no longer waits to be applied. */
    readonly lockWaiting: (event_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /**
     * Stores the outcomes of events. If one isn't ours, or its booking's person is erased, only its envelope is kept.
     */
    readonly finish: (
      events: ReadonlyArray<{
        readonly event: WebhookEvent
        readonly status: Exclude<EventStatus, "received">
        readonly outcome: string
        readonly subject?: EventSubject | undefined
        /** A booking that the event names, if its payment session is unknown. */
        readonly names?: BookingId | undefined
      }>,
      now: Instant
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Schedules a retry, unless another node has tried the event meanwhile. */
    readonly postpone: (event: WebhookEvent, outcome: string, at: Instant) => Effect.Effect<void, SqlError.SqlError>
    /** Makes the event a dead letter, unless another node has tried it meanwhile. */
    readonly deadLetter: (event: WebhookEvent, outcome: string, now: Instant) => Effect.Effect<void, SqlError.SqlError>
    /** Newest first. `before`: received before. */
    readonly list: (filter?: {
      readonly status?: EventStatus
      readonly before?: Instant
      readonly limit?: number
    }) => Effect.Effect<ReadonlyArray<WebhookEventSummary>, SqlError.SqlError>
    /** Oldest first. */
    readonly ofBooking: (booking_id: BookingId) => Effect.Effect<ReadonlyArray<WebhookEventSummary>, SqlError.SqlError>
    readonly show: (event_id: string) => Effect.Effect<Option.Option<WebhookEvent>, SqlError.SqlError>
    /** Queues an event to be applied again, whatever its outcome; false if there is no such event. */
    readonly retry: (event_id: string, now: Instant) => Effect.Effect<boolean, SqlError.SqlError>
    /** Queues rejected events of this booking again, if their payment session was unknown. */
    readonly retryRejected: (booking_id: BookingId, now: Instant) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Marks a dead letter or a rejected event as resolved by a person: only its envelope is kept then. False if there is no
     * such event.
     */
    readonly resolve: (event_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** A booking's events that wait to be applied or for a person. Their effect on its money is not yet known. */
    readonly unsettledOf: (
      booking_id: BookingId
    ) => Effect.Effect<ReadonlyArray<WebhookEventSummary>, SqlError.SqlError>
    /** Events of any booking whose body contains an e-mail address. Reads all bodies, in batches. */
    readonly naming: (email: string) => Effect.Effect<ReadonlyArray<WebhookEvent>, SqlError.SqlError>
    /** A booking's events with their bodies, oldest first. */
    readonly wholeOfBooking: (booking_id: BookingId) => Effect.Effect<ReadonlyArray<WebhookEvent>, SqlError.SqlError>
    /** Reduces finished events to their envelopes. */
    readonly forgetBodies: (events: ReadonlyArray<WebhookEvent>) => Effect.Effect<void, SqlError.SqlError>
    /** Removes up to `limit` finished events received before `before`; returns how many. */
    readonly purge: (before: Instant, limit: number) => Effect.Effect<number, SqlError.SqlError>
  }
>()("playroom/payment/events/EventRecords") {
  static readonly layer = Layer.effect(
    EventRecords,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const summary = sql.literal(Object.keys(summaryFields).join(", "))
      const summaries = decodeRows(Schema.Array(WebhookEventSummary))
      const events = decodeRows(Schema.Array(WebhookEvent))
      const named = decodeRows(Schema.Array(Schema.Struct({ event_id: Schema.String, named: Schema.Boolean })))
      const ofErased = decodeRows(Schema.Array(Schema.Struct({ event_id: Schema.String, erased: Schema.Boolean })))
      const first = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(events(query), (rows) => Option.fromUndefinedOr(rows[0]))
      const some = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(query, (rows) => rows.length > 0)

      const finish: EventRecords["Service"]["finish"] = Effect.fnUntraced(function* (finished, now) {
        const values = finished.map(({ event, names, outcome, status, subject }) => ({
          event_id: event.event_id,
          status,
          outcome: oneLine(outcome),
          payment_session_id: subject?.payment_session_id,
          booking_id: subject?.booking_id ?? names,
          payload: status === "ignored" || names !== undefined ? envelopeOfStored(event) : undefined
        }))
        const erased =
          yield* ofErased(sql`update webhook_event e set status = c.status, attempts = e.attempts + 1, outcome = c.outcome,
            applied_at = ${new Date(now)},
            payment_session_id = coalesce(c.payment_session_id, e.payment_session_id),
            booking_id = coalesce(c.booking_id, e.booking_id), payload = coalesce(c.payload, e.payload)
          from ${tableOf(sql, values, "event_id text, status text, outcome text, payment_session_id text, booking_id text, payload text")}
          where e.event_id = c.event_id
          returning e.event_id,
            exists (select from booking b where b.booking_id = e.booking_id and b.erased_at is not null) as erased`)
        const ofNobody = new Set(erased.flatMap((event) => (event.erased ? [event.event_id] : [])))
        for (const { event } of finished)
          if (ofNobody.has(event.event_id))
            yield* sql`update webhook_event set payload = ${envelopeOfStored(event)} where event_id = ${event.event_id}`
      })

      return EventRecords.of({
        claim: (which, now, most = 1) => {
          const due = typeof which === "string" ? sql`queue = ${which}` : sql`event_id = ${which.event_id}`
          return events(sql`select ${summary}, payload from webhook_event
            where status = 'received' and ${due} and next_attempt_at <= ${new Date(now)}
            order by next_attempt_at limit ${most}::int for update skip locked`)
        },
        lease: (now, until) =>
          first(sql`update webhook_event set next_attempt_at = ${new Date(until)} where event_id = (
              select event_id from webhook_event
              where status = 'received' and queue = 'asked' and next_attempt_at <= ${new Date(now)}
              order by next_attempt_at limit 1 for update skip locked)
            returning ${summary}, payload`),
        lockWaiting: (event_id) =>
          some(sql`select 1 from webhook_event where event_id = ${event_id} and status = 'received' for update`),
        finish,
        postpone: (event, outcome, at) =>
          Effect.asVoid(sql`update webhook_event set attempts = attempts + 1, outcome = ${oneLine(outcome)},
              next_attempt_at = ${new Date(at)}
            where event_id = ${event.event_id} and status = 'received' and attempts = ${event.attempts}::int`),
        deadLetter: (event, outcome, now) =>
          Effect.asVoid(sql`update webhook_event set status = 'dead', attempts = attempts + 1, outcome = ${oneLine(outcome)},
              applied_at = ${new Date(now)}
            where event_id = ${event.event_id} and status = 'received' and attempts = ${event.attempts}::int`),
        list: Effect.fn("EventRecords.list")(function* (filter = {}) {
          return yield* summaries(sql`select ${summary} from webhook_event
            where (${filter.status ?? null}::text is null or status = ${filter.status ?? null}::text)
              and (${filter.before === undefined ? null : new Date(filter.before)}::timestamptz is null
                or received_at < ${filter.before === undefined ? null : new Date(filter.before)}::timestamptz)
            order by received_at desc, event_id limit ${filter.limit ?? 50}::int`)
        }),
        // A booking has few events, but an operator's account can send many that name it.
        ofBooking: (booking_id) =>
          summaries(sql`select ${summary} from webhook_event where booking_id = ${booking_id}
            order by received_at, event_id limit 200`),
        show: (event_id) => first(sql`select ${summary}, payload from webhook_event where event_id = ${event_id}`),
        // Fetch the object if the event's copy may be gone (it was ignored), or is of another API release.
        retry: (event_id, now) =>
          some(sql`update webhook_event set attempts = 0, applied_at = null, next_attempt_at = ${new Date(now)},
              status = 'received', queue = case when status = 'ignored' or (status = 'rejected' and payment_session_id is null) or api_version is distinct from ${Stripe.API_VERSION}
                then 'asked' else queue end
            where event_id = ${event_id} returning event_id`),
        // Its caller has locked the booking, and who applies an event locks the event first: don't wait for it. An event that
        // is locked is applied already, or again.
        retryRejected: (booking_id, now) =>
          Effect.asVoid(sql`update webhook_event set attempts = 0, applied_at = null, next_attempt_at = ${new Date(now)},
              status = 'received', queue = 'asked'
            where event_id in (select event_id from webhook_event
              where status = 'rejected' and booking_id = ${booking_id} and payment_session_id is null
              for update skip locked)`),
        resolve: Effect.fn("EventRecords.resolve")(function* (event_id: string) {
          const waiting = sql`event_id = ${event_id} and status in ('rejected', 'dead')`
          const found = yield* first(sql`select ${summary}, payload from webhook_event where ${waiting}`)
          if (Option.isNone(found)) return false
          return yield* some(sql`update webhook_event set status = 'ignored', payload = ${envelopeOfStored(found.value)},
              outcome = coalesce(outcome || '; ', '') || ${resolvedByPerson}::text where ${waiting} returning event_id`)
        }),
        unsettledOf: (booking_id) =>
          summaries(sql`select ${summary} from webhook_event
            where booking_id = ${booking_id} and ${sql.in("status", unsettled)} order by received_at, event_id`),
        naming: Effect.fn("EventRecords.naming")(function* (email: string) {
          const found: Array<WebhookEvent> = []
          const matches = containsEmail(email)
          for (let after = ""; ;) {
            const read = yield* named(sql`select event_id, strpos(lower(payload), ${longestAscii(email)}) > 0 as named
              from (select event_id, payload from webhook_event where event_id > ${after} order by event_id limit 500) read`)
            const ids = read.filter((event) => event.named).map(({ event_id }) => event_id)
            if (ids.length > 0) {
              const whole = yield* events(sql`select ${summary}, payload from webhook_event
                where event_id = any(${ids}::text[]) order by event_id`)
              found.push(...whole.filter(({ payload }) => matches(payload)))
            }
            const last = read.at(-1)
            if (last === undefined) return found
            after = last.event_id
          }
        }),
        wholeOfBooking: (booking_id) =>
          events(sql`select ${summary}, payload from webhook_event where booking_id = ${booking_id}
            order by received_at, event_id`),
        forgetBodies: (forgotten) =>
          Effect.forEach(
            forgotten,
            (event) => sql`update webhook_event set payload = ${envelopeOfStored(event)}
              where event_id = ${event.event_id} and status in ('applied', 'ignored')`,
            { discard: true }
          ),
        purge: Effect.fn("EventRecords.purge")(function* (before: Instant, limit: number) {
          const gone = yield* sql`delete from webhook_event where event_id in (
            select event_id from webhook_event where received_at < ${new Date(before)} and status in ('applied', 'ignored')
            order by received_at limit ${limit}::int for update skip locked) returning 1`
          return gone.length
        })
      })
    })
  )
}
