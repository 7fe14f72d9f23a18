/** The `webhook_event` table, but for how events come into it (`EventStore.ts`). */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { Stripe } from "stripe"
import { BookingId, PaymentSessionId } from "../../kernel/Ids.ts"
import { type Instant, InstantFromDate } from "../../kernel/LocalTime.ts"
import { decodeRows } from "../../kernel/Rows.ts"
import { plainText } from "../../kernel/Text.ts"
import { Receiver } from "../provider/Receivers.ts"
import type { EventSubject } from "./EventHandler.ts"

const NullOr = Schema.NullOr

export const EventStatus = Schema.Literals(["received", "applied", "ignored", "rejected", "dead"])
export type EventStatus = typeof EventStatus.Type

/** Events wait in queues. `known`: of a payment session of ours. `asked`: the object is fetched from the provider first. `rest`: others. */
export const EventQueue = Schema.Literals(["known", "rest", "asked"])
export type EventQueue = typeof EventQueue.Type

const summaryFields = {
  event_id: Schema.String,
  receiver: Receiver,
  type: Schema.String,
  account: NullOr(Schema.String),
  livemode: NullOr(Schema.Boolean),
  api_version: NullOr(Schema.String),
  /** What the event is about, where that is known. */
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
/** An event with its body: as it came, or (of events that are not ours) its envelope. */
export const WebhookEvent = Schema.Struct({ ...summaryFields, payload: Schema.String })
export type WebhookEvent = typeof WebhookEvent.Type

/** How the outcome of an event ends that a person has dealt with. */
export const resolvedByPerson = "dealt with by a person"

/** An outcome as one line that the table can hold. */
const line = (text: string): string => plainText(text, 500)

const Parsed = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      created: Schema.optionalKey(Schema.Unknown),
      data: Schema.Struct({
        object: Schema.Struct({
          id: Schema.optionalKey(Schema.Unknown),
          object: Schema.optionalKey(Schema.Unknown),
          client_reference_id: Schema.optionalKey(Schema.Unknown),
          metadata: Schema.optionalKey(Schema.Unknown)
        })
      })
    })
  )
)
const nameOf = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w.-]{1,255}$/.test(value) ? value : undefined

/** What an event says of itself before its object. */
export interface Envelope {
  readonly event_id: string
  readonly receiver: Receiver
  readonly type: string
  readonly account: string | null
  readonly livemode: boolean | null
  readonly api_version: string | null
}

const isPaymentSessionId = Schema.is(PaymentSessionId)
const namesBooking = Schema.is(Schema.Struct({ booking_id: BookingId }))

/** What an object of the provider's names of this service. */
const ownNames = (object: { readonly client_reference_id?: unknown; readonly metadata?: unknown }): object => ({
  ...(isPaymentSessionId(object.client_reference_id) ? { client_reference_id: object.client_reference_id } : {}),
  ...(namesBooking(object.metadata) ? { metadata: { booking_id: object.metadata.booking_id } } : {})
})

/**
 * What is kept of an event that is not ours, or of a booking that is not known: its own id and type, those of its object, and what that
 * names of this service. No personal data.
 */
export const envelopeOf = (
  { account, api_version, event_id: id, livemode, type }: Envelope,
  body: {
    readonly created?: unknown
    readonly object?: {
      readonly id?: unknown
      readonly object?: unknown
      readonly client_reference_id?: unknown
      readonly metadata?: unknown
    }
  }
): string =>
  JSON.stringify({
    id,
    object: "event",
    type,
    ...(account === null ? {} : { account }),
    livemode,
    api_version,
    ...(typeof body.created === "number" ? { created: body.created } : {}),
    data: {
      object: { id: nameOf(body.object?.id), object: nameOf(body.object?.object), ...ownNames(body.object ?? {}) }
    }
  })

/** The same of an event that was stored whole. */
const envelopeOfStored = (event: WebhookEvent): string => {
  const parsed = Option.getOrUndefined(Parsed(event.payload))
  return envelopeOf(event, parsed === undefined ? {} : { created: parsed.created, object: parsed.data.object })
}

/** The text as JSON in ASCII has it, in lower case: the provider may write letters beyond ASCII so. */
const asciiJson = (text: string): string =>
  text.toLowerCase().replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Whether exactly this e-mail address stands in a body, and not a longer one that holds it. A letter before it may be JSON's `\\u003c`. */
const standsIn = (email: string): ((payload: string) => boolean) => {
  const either = [email.toLowerCase(), asciiJson(email)].map((text) => text.replaceAll(/[^\w@-]/g, "\\$&")).join("|")
  const alone = new RegExp(`(?:(?<=\\\\u00[0-9a-f]{2})|(?<![\\w.%+'-]))(?:${either})(?![\\w-]|\\.\\w)`)
  return (payload) => alone.test(payload.toLowerCase())
}

/** The longest part of an e-mail address in ASCII: whether a database lowers letters beyond it, depends on its locale. */
const longestAscii = (email: string): string =>
  (email.toLowerCase().match(/[ -~]+/g) ?? []).reduce(
    (longest, part) => (part.length > longest.length ? part : longest),
    ""
  )

/** What an event is about, where that was known when it was stored. */
export const subjectOf = ({ booking_id, payment_session_id }: WebhookEvent): EventSubject | undefined =>
  payment_session_id === null || booking_id === null ? undefined : { payment_session_id, booking_id }

/** Events of a status. */
export const eventsIn = (sql: SqlClient.SqlClient, status: EventStatus): Statement.Fragment =>
  sql`webhook_event where status = ${status}`

export class EventRecords extends Context.Service<
  EventRecords,
  {
    /** The next event of a queue that is due, locked to the end of the caller's transaction. */
    readonly next: (
      queue: "known" | "rest",
      now: Instant
    ) => Effect.Effect<Option.Option<WebhookEvent>, SqlError.SqlError>
    /** Takes the next event whose object has to be fetched; other nodes leave it alone until `until`. */
    readonly lease: (now: Instant, until: Instant) => Effect.Effect<Option.Option<WebhookEvent>, SqlError.SqlError>
    /** Locks an event to the end of the caller's transaction; false where it does not wait to be applied any more. */
    readonly lockWaiting: (event_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Writes down what became of an event. Of one that is not ours, or of an erased person's booking, the envelope stays. */
    readonly finish: (
      event: WebhookEvent,
      as: {
        readonly status: Exclude<EventStatus, "received">
        readonly outcome: string
        readonly subject?: EventSubject | undefined
        /** A booking that it names, and of which no payment session is known. */
        readonly names?: BookingId | undefined
        readonly now: Instant
      }
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Has an event tried again `at`, unless somebody else has tried it meanwhile. */
    readonly postpone: (event: WebhookEvent, outcome: string, at: Instant) => Effect.Effect<void, SqlError.SqlError>
    /** Makes a dead letter of an event that can't be applied, unless somebody else has tried it meanwhile. */
    readonly deadLetter: (event: WebhookEvent, outcome: string, now: Instant) => Effect.Effect<void, SqlError.SqlError>
    /** Newest first; of one status, where given; received before `before`, where given. */
    readonly list: (filter?: {
      readonly status?: EventStatus
      readonly before?: Instant
      readonly limit?: number
    }) => Effect.Effect<ReadonlyArray<WebhookEventSummary>, SqlError.SqlError>
    /** Oldest first. */
    readonly ofBooking: (booking_id: BookingId) => Effect.Effect<ReadonlyArray<WebhookEventSummary>, SqlError.SqlError>
    readonly show: (event_id: string) => Effect.Effect<Option.Option<WebhookEvent>, SqlError.SqlError>
    /** Lets an event be applied again, whatever became of it; false where there is none of that id. */
    readonly retry: (event_id: string, now: Instant) => Effect.Effect<boolean, SqlError.SqlError>
    /** Lets rejected events be applied again that name this booking, and no payment session that was known. */
    readonly retryRejected: (booking_id: BookingId, now: Instant) => Effect.Effect<void, SqlError.SqlError>
    /** A person has dealt with a dead letter, or a rejected event; false where there is none of that id. */
    readonly resolve: (event_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Those of a booking that wait to be applied, or for a person: nobody knows yet what their money comes to. */
    readonly unsettledOf: (
      booking_id: BookingId
    ) => Effect.Effect<ReadonlyArray<WebhookEventSummary>, SqlError.SqlError>
    /** Events with a body in which an e-mail address stands, of whichever booking. Reads all bodies, a few at a time. */
    readonly naming: (email: string) => Effect.Effect<ReadonlyArray<WebhookEvent>, SqlError.SqlError>
    /** The events of a booking with their bodies, oldest first. */
    readonly wholeOfBooking: (booking_id: BookingId) => Effect.Effect<ReadonlyArray<WebhookEvent>, SqlError.SqlError>
    /** Of events of which nothing is left to do the envelopes stay. */
    readonly forgetBodies: (events: ReadonlyArray<WebhookEvent>) => Effect.Effect<void, SqlError.SqlError>
    /** Removes up to `limit` events received before `before` of which nothing is left to do; answers how many. */
    readonly purge: (before: Instant, limit: number) => Effect.Effect<number, SqlError.SqlError>
  }
>()("playroom/payment/EventRecords") {
  static readonly layer = Layer.effect(
    EventRecords,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const summary = sql.literal(Object.keys(summaryFields).join(", "))
      const summaries = decodeRows(Schema.Array(WebhookEventSummary))
      const events = decodeRows(Schema.Array(WebhookEvent))
      const named = decodeRows(Schema.Array(Schema.Struct({ event_id: Schema.String, named: Schema.Boolean })))
      const first = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(events(query), (rows) => Option.fromUndefinedOr(rows[0]))
      const some = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(query, (rows) => rows.length > 0)

      return EventRecords.of({
        next: (queue, now) =>
          first(sql`select ${summary}, payload from webhook_event
            where status = 'received' and queue = ${queue} and next_attempt_at <= ${new Date(now)}
            order by next_attempt_at limit 1 for update skip locked`),
        lease: (now, until) =>
          first(sql`update webhook_event set next_attempt_at = ${new Date(until)} where event_id = (
              select event_id from webhook_event
              where status = 'received' and queue = 'asked' and next_attempt_at <= ${new Date(now)}
              order by next_attempt_at limit 1 for update skip locked)
            returning ${summary}, payload`),
        lockWaiting: (event_id) =>
          some(sql`select 1 from webhook_event where event_id = ${event_id} and status = 'received' for update`),
        finish: (event, { names, now, outcome, status, subject }) =>
          Effect.asVoid(sql`update webhook_event set status = ${status}, attempts = attempts + 1, outcome = ${line(outcome)},
              applied_at = ${new Date(now)},
              payment_session_id = coalesce(${subject?.payment_session_id ?? null}::text, payment_session_id),
              booking_id = coalesce(${subject?.booking_id ?? names ?? null}::text, booking_id),
              payload = case when ${status === "ignored" || names !== undefined}::boolean
                or exists (select from booking b where b.booking_id = ${subject?.booking_id ?? event.booking_id}::text and b.erased_at is not null)
                then ${envelopeOfStored(event)} else payload end
            where event_id = ${event.event_id}`),
        postpone: (event, outcome, at) =>
          Effect.asVoid(sql`update webhook_event set attempts = attempts + 1, outcome = ${line(outcome)},
              next_attempt_at = ${new Date(at)}
            where event_id = ${event.event_id} and status = 'received' and attempts = ${event.attempts}::int`),
        deadLetter: (event, outcome, now) =>
          Effect.asVoid(sql`update webhook_event set status = 'dead', attempts = attempts + 1, outcome = ${line(outcome)},
              applied_at = ${new Date(now)}
            where event_id = ${event.event_id} and status = 'received' and attempts = ${event.attempts}::int`),
        list: Effect.fn("EventRecords.list")(function* (filter = {}) {
          return yield* summaries(sql`select ${summary} from webhook_event
            where (${filter.status ?? null}::text is null or status = ${filter.status ?? null}::text)
              and (${filter.before === undefined ? null : new Date(filter.before)}::timestamptz is null
                or received_at < ${filter.before === undefined ? null : new Date(filter.before)}::timestamptz)
            order by received_at desc, event_id limit ${filter.limit ?? 50}::int`)
        }),
        // A booking has few, but an operator's account can send many in its name.
        ofBooking: (booking_id) =>
          summaries(sql`select ${summary} from webhook_event where booking_id = ${booking_id}
            order by received_at, event_id limit 200`),
        show: (event_id) => first(sql`select ${summary}, payload from webhook_event where event_id = ${event_id}`),
        // The body of an ignored event may be gone, and that of another release is not read: the object is fetched.
        retry: (event_id, now) =>
          some(sql`update webhook_event set attempts = 0, applied_at = null, next_attempt_at = ${new Date(now)},
              status = 'received', queue = case when status = 'ignored' or (status = 'rejected' and payment_session_id is null) or api_version is distinct from ${Stripe.API_VERSION}
                then 'asked' else queue end
            where event_id = ${event_id} returning event_id`),
        retryRejected: (booking_id, now) =>
          Effect.asVoid(sql`update webhook_event set attempts = 0, applied_at = null, next_attempt_at = ${new Date(now)},
              status = 'received', queue = 'asked'
            where status = 'rejected' and booking_id = ${booking_id} and payment_session_id is null`),
        resolve: (event_id) =>
          some(sql`update webhook_event set status = 'ignored',
              outcome = coalesce(outcome || '; ', '') || ${resolvedByPerson}::text
            where event_id = ${event_id} and status in ('rejected', 'dead') returning event_id`),
        unsettledOf: (booking_id) =>
          summaries(sql`select ${summary} from webhook_event
            where booking_id = ${booking_id} and status in ('received', 'rejected', 'dead') order by received_at, event_id`),
        naming: Effect.fn("EventRecords.naming")(function* (email: string) {
          const found: Array<WebhookEvent> = []
          const stands = standsIn(email)
          for (let after = ""; ;) {
            const read = yield* named(sql`select event_id, strpos(lower(payload), ${longestAscii(email)}) > 0 as named
              from (select event_id, payload from webhook_event where event_id > ${after} order by event_id limit 500) read`)
            const ids = read.filter((event) => event.named).map(({ event_id }) => event_id)
            if (ids.length > 0) {
              const whole = yield* events(sql`select ${summary}, payload from webhook_event
                where event_id = any(${ids}::text[]) order by event_id`)
              found.push(...whole.filter(({ payload }) => stands(payload)))
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
