/** The `webhook_event` table. */
import { type Array, type Cause, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { Stripe } from "stripe"
import { BookingId, PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { type Instant, InstantFromDate } from "../../../platform/time/LocalTime.ts"
import { columnsOf, decodeRows, type Row, tableOf } from "../../../platform/database/Rows.ts"
import { sharedStatement, statementOfFibers } from "../../../platform/concurrency/SharedReads.ts"
import { plainText } from "../../../platform/text/Text.ts"
import { Receiver } from "../provider/Receivers.ts"
import { envelopeOfStored } from "./EventBody.ts"
import type { EventSubject } from "./Events.ts"

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
const resolvedByPerson = "dealt with by a person"

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

/** A new row of `webhook_event`. */
export type EventToStore = {
  readonly event_id: string
  readonly receiver: string
  readonly type: string
  readonly account: string | null
  readonly livemode: boolean
  readonly api_version: string | null
  readonly payload: string
  readonly status: "received" | "ignored"
  readonly outcome: string | null
  /** The payment session that the event names. It is stored only if it exists and is of the event's account. */
  readonly payment_session_id: string | null
  /** The object has to be fetched from the provider before the event is applied. */
  readonly fetch: boolean
  readonly received_at: Date
}

const maxBatchSize = 32

/**
 * After this time of a statement the provider is told to retry its events. It would wait longer, but each wait holds a
 * connection. A delivery waits for the statement under way, too. (A timeout for each event would double its cost.)
 */
const storeTimeout = "3 seconds"

/** The more useful of two deliveries of an event. In order: applied as stored, fetched first, ignored. */
const moreUseful = (one: EventToStore, other: EventToStore): EventToStore => {
  const rank = (row: EventToStore) => (row.status === "ignored" ? 0 : row.fetch ? 1 : 2)
  return rank(other) > rank(one) ? other : one
}

/** Makes the inserts. Each statement costs a disk write, so events that come at once share one. */
const makeStore = (sql: SqlClient.SqlClient) => {
  const ids = decodeRows(Schema.Array(Schema.Struct({ event_id: Schema.String })))

  const insert = (rows: ReadonlyArray<EventToStore>) => {
    const all = <K extends keyof EventToStore>(name: K): ReadonlyArray<EventToStore[K]> => rows.map((row) => row[name])
    // The driver can't infer the type of a list of nulls.
    const texts = (name: "account" | "api_version" | "outcome" | "payment_session_id") =>
      all(name).map((word) => word ?? "")
    // Sorted by id, so that two nodes with the same events don't deadlock.
    const inserted = ids(sql`
      insert into webhook_event (event_id, receiver, type, account, livemode, api_version, payload, status, outcome,
        received_at, next_attempt_at, applied_at, payment_session_id, booking_id, queue)
      select e.event_id, e.receiver, e.type, nullif(e.account, ''), e.livemode, nullif(e.api_version, ''), e.payload, e.status,
        nullif(e.outcome, ''),
        e.at, e.at, case e.status when 'ignored' then e.at end, s.payment_session_id, s.booking_id,
        case when e.asked then 'asked' when s.payment_session_id is not null then 'known' else 'rest' end
      from unnest(${all("event_id")}::text[], ${all("receiver")}::text[], ${all("type")}::text[], ${texts("account")}::text[],
        ${all("livemode")}::boolean[], ${texts("api_version")}::text[], ${all("payload")}::text[], ${all("status")}::text[],
        ${texts("outcome")}::text[], ${texts("payment_session_id")}::text[], ${all("fetch")}::boolean[], ${all("received_at")}::timestamptz[])
        as e (event_id, receiver, type, account, livemode, api_version, payload, status, outcome, payment_session_id, asked, at)
      left join payment_session s on s.payment_session_id = e.payment_session_id and s.account = e.account
      order by e.event_id
      on conflict (event_id) do update set receiver = excluded.receiver, type = excluded.type, account = excluded.account,
        livemode = excluded.livemode, api_version = excluded.api_version, payload = excluded.payload, status = 'received',
        outcome = null, attempts = 0, next_attempt_at = excluded.next_attempt_at, applied_at = null,
        payment_session_id = excluded.payment_session_id, booking_id = excluded.booking_id, queue = excluded.queue
      where excluded.status = 'received' and (
        (webhook_event.status = 'ignored' and webhook_event.outcome not like ${`%${resolvedByPerson}`})
        or (webhook_event.queue = 'asked' and webhook_event.status in ('received', 'dead') and excluded.queue <> 'asked'))
      returning event_id`)
    return Effect.map(inserted, (stored) => stored.map(({ event_id }) => event_id))
  }

  const storeAll = (rows: Array.NonEmptyReadonlyArray<EventToStore>) => {
    const best = new Map<string, EventToStore>()
    for (const row of rows) {
      const before = best.get(row.event_id)
      best.set(row.event_id, before === undefined ? row : moreUseful(before, row))
    }
    return Effect.map(insert([...best.values()]), (inserted) => {
      const stored = new Set(inserted)
      // Of two deliveries with one id, the first is new.
      return rows.map(({ event_id }) => Exit.succeed(stored.delete(event_id)))
    })
  }

  return sharedStatement<EventToStore, boolean, SqlError.SqlError | Cause.TimeoutError>(
    { name: "EventRecords.store", most: maxBatchSize, sql },
    (rows) =>
      storeAll(rows).pipe(
        // One bad event must not block the others.
        Effect.catchIf(
          (error) => rows.length > 1 && !error.isRetryable,
          () => Effect.forEach(rows, (row) => Effect.exit(Effect.map(insert([row]), (inserted) => inserted.length > 0)))
        ),
        Effect.timeout(storeTimeout)
      )
  )
}

/** Events with a status. */
export const eventsIn = (sql: SqlClient.SqlClient, status: EventStatus): Statement.Fragment =>
  sql`webhook_event where status = ${status}`

export class EventRecords extends Context.Service<
  EventRecords,
  {
    /**
     * Stores an event, or fails after `storeTimeout`; false if its id is already stored. A more useful delivery
     * replaces a stored event: a known event replaces an unknown one, and one that can be applied as stored replaces
     * one whose object has to be fetched.
     */
    readonly store: (event: EventToStore) => Effect.Effect<boolean, SqlError.SqlError | Cause.TimeoutError>
    /**
     * The next due events of our payment sessions, at most `most`, or one of them, if it is due. They and their
     * bookings are locked until the caller's transaction ends; what another transaction has locked is left out. An
     * event of an expired booking comes alone: to take the places again may need locks on other bookings.
     */
    readonly claim: (
      which: { readonly most: number } | { readonly event_id: string },
      now: Instant
    ) => Effect.Effect<ReadonlyArray<WebhookEvent>, SqlError.SqlError>
    /** The next due event of none of our payment sessions, locked, but for those whose object is fetched first. */
    readonly claimOther: (now: Instant) => Effect.Effect<ReadonlyArray<WebhookEvent>, SqlError.SqlError>
    /** Leases the next event whose object has to be fetched. Other nodes skip it until `until`. */
    readonly lease: (now: Instant, until: Instant) => Effect.Effect<Option.Option<WebhookEvent>, SqlError.SqlError>
    /** Locks an event until the caller's transaction ends; false if it no longer waits to be applied. */
    readonly lockWaiting: (event_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Stores an event's outcome. If it isn't ours, or its booking's person is erased, only its envelope is kept. */
    readonly finish: (
      event: WebhookEvent,
      result: {
        readonly status: Exclude<EventStatus, "received">
        readonly text: string
        readonly subject?: EventSubject | undefined
        /** A booking that the event names, if its payment session is unknown. */
        readonly names?: BookingId | undefined
      },
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
     * Marks a dead letter or a rejected event as resolved by a person: only its envelope is kept then. False if there
     * is no such event.
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
      const store = makeStore(sql)
      const summary = sql.literal(Object.keys(summaryFields).join(", "))
      const summaries = decodeRows(Schema.Array(WebhookEventSummary))
      const events = decodeRows(Schema.Array(WebhookEvent))
      const named = decodeRows(Schema.Array(Schema.Struct({ event_id: Schema.String, named: Schema.Boolean })))
      const known = decodeRows(Schema.Array(Schema.Struct({ ...WebhookEvent.fields, alone: Schema.Boolean })))
      const ofErased = decodeRows(Schema.Array(Schema.Struct({ event_id: Schema.String, erased: Schema.Boolean })))
      const first = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(events(query), (rows) => Option.fromUndefinedOr(rows[0]))
      const some = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(query, (rows) => rows.length > 0)

      const claim: EventRecords["Service"]["claim"] = (which, now) =>
        Effect.map(
          known(sql`select ${sql.literal(columnsOf(WebhookEvent, "e"))}, b.status = 'expired' as alone
            from webhook_event e join booking b on b.booking_id = e.booking_id
            where e.status = 'received' and e.queue = 'known' and e.next_attempt_at <= ${new Date(now)}
              and ${"event_id" in which ? sql`e.event_id = ${which.event_id}` : sql`true`}
            order by e.next_attempt_at limit ${"most" in which ? which.most : 1}::int
            for update of e skip locked for no key update of b skip locked`),
          (found) => {
            const first = found.findIndex(({ alone }) => alone)
            return first === -1 ? found : found.slice(0, Math.max(first, 1))
          }
        )

      /** Stores outcomes; returns for each event whether its booking's person is erased. */
      const storeOutcome = statementOfFibers(sql, (values: ReadonlyArray<Row & { readonly event_id: string }>) =>
        Effect.map(
          ofErased(sql`
            update webhook_event e set status = c.status, attempts = e.attempts + 1, outcome = c.outcome, applied_at = c.at,
              payment_session_id = coalesce(c.payment_session_id, e.payment_session_id),
              booking_id = coalesce(c.booking_id, e.booking_id), payload = coalesce(c.payload, e.payload)
            from ${tableOf(sql, values, "event_id text, status text, outcome text, at timestamptz, payment_session_id text, booking_id text, payload text")}
            where e.event_id = c.event_id
            returning e.event_id,
              exists (select from booking b where b.booking_id = e.booking_id and b.erased_at is not null) as erased`),
          (found) => {
            const erased = new Set(found.flatMap((event) => (event.erased ? [event.event_id] : [])))
            return values.map(({ event_id }) => erased.has(event_id))
          }
        )
      )

      const finish: EventRecords["Service"]["finish"] = Effect.fnUntraced(function* (
        event,
        { names, status, subject, text },
        now
      ) {
        const { event_id } = event
        const erased = yield* storeOutcome({
          event_id,
          status,
          outcome: oneLine(text),
          at: new Date(now),
          payment_session_id: subject?.payment_session_id,
          booking_id: subject?.booking_id ?? names,
          payload: status === "ignored" || names !== undefined ? envelopeOfStored(event) : undefined
        })
        if (erased)
          yield* sql`update webhook_event set payload = ${envelopeOfStored(event)} where event_id = ${event_id}`
      })

      return EventRecords.of({
        store,
        claim,
        claimOther: (now) =>
          events(sql`select ${summary}, payload from webhook_event
            where status = 'received' and queue = 'rest' and next_attempt_at <= ${new Date(now)}
            order by next_attempt_at limit 1 for update skip locked`),
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
        // Its caller has locked the booking, and who applies an event locks the event first: don't wait for it. An
        // event that is locked is applied already, or again.
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
            const read =
              yield* named(sql`select event_id, strpos(lower(payload collate "C"), ${longestAscii(email)}) > 0 as named
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
