/**
 * The inbox of provider events: verified, stored, answered, and only then applied. The insert is the claim, so an event id has one
 * winner however often it is delivered; applying is a second transaction, which a crash or an error leaves to the next try.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Queue, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { AppConfig } from "../AppConfig.ts"
import { type Instant, InstantFromDate } from "../kernel/LocalTime.ts"
import { faultPoint } from "./FaultPoint.ts"
import { EventRouter, type Receiver } from "./EventRouter.ts"
import { makeEventStore } from "./EventStore.ts"
import type { EventOutcome } from "./events/CheckoutSession.ts"
import { type SignatureError, verify } from "./WebhookSignature.ts"
import { WebhookSecrets } from "./WebhookSecrets.ts"
import { decoded } from "../kernel/Rows.ts"

const NullOr = Schema.NullOr

export const EventStatus = Schema.Literals(["received", "applied", "ignored", "rejected", "dead"])
export type EventStatus = typeof EventStatus.Type

const summaryFields = {
  event_id: Schema.String,
  receiver: Schema.Literals(["platform", "connected"]),
  type: Schema.String,
  account: NullOr(Schema.String),
  livemode: NullOr(Schema.Boolean),
  api_version: NullOr(Schema.String),
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
/** An event with its raw body. */
export const WebhookEvent = Schema.Struct({ ...summaryFields, payload: Schema.String })
export type WebhookEvent = typeof WebhookEvent.Type

/** Tries before an event that fails is set aside: about two hours. */
export const maxAttempts = 30
/** Tries for an event of a session that is not in our tables yet: about two minutes. */
const maxLater = 7
/** So many deliveries under way are a rush, in which this node's answers go first: the provider waits for those. */
const rushOfDeliveries = 8
const pauseInRush = "50 millis"
const backoff = (attempts: number): number => Math.min(2 ** attempts, 300) * 1000

/** What went wrong, in a line for the operator's list; the database's own words where it was the database. */
const faultOf = (cause: Cause.Cause<unknown>): string => {
  const fault = Cause.squash(cause)
  const root = SqlError.isSqlError(fault) ? fault.reason.cause : fault
  const text = root instanceof Error ? `${root.name}: ${root.message}` : Cause.pretty(cause)
  return text.slice(0, 500)
}

export class WebhookInbox extends Context.Service<
  WebhookInbox,
  {
    /** Verifies a delivery and stores its event. `duplicate`: it was there already. Nothing is stored where it fails. */
    readonly receive: (
      receiver: Receiver,
      payload: Uint8Array,
      signatures: ReadonlyArray<string>
    ) => Effect.Effect<{ readonly duplicate: boolean }, SignatureError | SqlError.SqlError>
    /** Applies events whose time has come, one transaction each, until there are none (or `limit`); answers how many it tried. */
    readonly applyDue: (limit?: number) => Effect.Effect<number, SqlError.SqlError>
    /** Waits until this node has stored an event. */
    readonly stored: Effect.Effect<void>
    /** Newest first; of one status, where given; received before `before`, where given. */
    readonly list: (filter?: {
      readonly status?: EventStatus
      readonly before?: Instant
      readonly limit?: number
    }) => Effect.Effect<ReadonlyArray<WebhookEventSummary>, SqlError.SqlError>
    readonly show: (event_id: string) => Effect.Effect<Option.Option<WebhookEvent>, SqlError.SqlError>
    /** Lets an event be applied again, whatever became of it; false where there is none of that id. */
    readonly retry: (event_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** A person has dealt with an event that was set aside or rejected; false where there is none such. */
    readonly dealtWith: (event_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Removes up to `limit` events received before `before` of which nothing is left to do; answers how many. */
    readonly forget: (before: Instant, limit: number) => Effect.Effect<number, SqlError.SqlError>
  }
>()("playroom/payment/WebhookInbox") {
  static readonly layer = Layer.effect(
    WebhookInbox,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const known = yield* WebhookSecrets
      const router = yield* EventRouter
      const store = makeEventStore(sql)
      let arriving = 0
      const news = yield* Queue.sliding<void>(8)
      const summary = sql.literal(Object.keys(summaryFields).join(", "))
      const summaries = decoded(Schema.Array(WebhookEventSummary))
      const events = decoded(Schema.Array(WebhookEvent))
      const first = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(events(query), (rows) => Option.fromUndefinedOr(rows[0]))

      const receive = Effect.fn("WebhookInbox.receive")(function* (
        receiver: Receiver,
        payload: Uint8Array,
        signatures: ReadonlyArray<string>
      ) {
        const now = yield* Clock.currentTimeMillis
        const { event, text } = yield* verify({ payload, signatures, secrets: known[receiver], now })
        const { api_version, id, livemode, type } = event
        const account = event.account ?? null
        // An account's other events are many: they are told by their envelope and cost nothing more.
        const foreign = router.foreign({ receiver, type, account, livemode, api_version })
        const at = new Date(now)
        arriving++
        const stored = yield* store({
          event_id: id,
          receiver,
          type,
          account,
          livemode,
          api_version,
          payload: text,
          status: foreign === undefined ? "received" : "ignored",
          outcome: foreign ?? null,
          next_attempt_at: at,
          received_at: at,
          applied_at: foreign === undefined ? null : at
        }).pipe(Effect.ensuring(Effect.sync(() => arriving--)))
        yield* faultPoint("event stored, not answered")
        if (stored && foreign === undefined) Queue.offerUnsafe(news, undefined)
        return { duplicate: !stored }
      })

      const mark = Effect.fnUntraced(function* (
        event: WebhookEvent,
        result: Exit.Exit<EventOutcome, SqlError.SqlError>
      ) {
        const now = yield* Clock.currentTimeMillis
        const attempts = event.attempts + 1
        const { status, text } = Exit.isSuccess(result)
          ? result.value
          : { status: "failed" as const, text: faultOf(result.cause) }
        const about = { event_id: event.event_id, type: event.type, attempts, outcome: text }
        const again = (status === "later" && attempts < maxLater) || (status === "failed" && attempts < maxAttempts)
        if (again) {
          if (status === "failed")
            yield* Effect.logWarning("A provider event could not be applied; it will be tried again", about)
          yield* sql`update webhook_event set attempts = ${attempts}::int, outcome = ${text},
            next_attempt_at = ${new Date(now + backoff(attempts))} where event_id = ${event.event_id}`
          return
        }
        const final: EventStatus = status === "failed" ? "dead" : status === "later" ? "ignored" : status
        if (final === "dead") yield* Effect.logError("A provider event was set aside after many tries", about)
        if (final === "rejected") yield* Effect.logWarning("A provider event was rejected", about)
        yield* sql`update webhook_event set status = ${final}, attempts = ${attempts}::int, outcome = ${text},
          applied_at = ${new Date(now)} where event_id = ${event.event_id}`
      })

      /** The next event, applied and marked in one transaction; what applying did wrong is undone by its savepoint. */
      const applyNext = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const next = yield* first(sql`select ${summary}, payload from webhook_event
          where status = 'received' and next_attempt_at <= ${new Date(now)}
          order by next_attempt_at limit 1 for update skip locked`)
        if (Option.isNone(next)) return false
        const result = yield* Effect.exit(sql.withTransaction(router.apply(next.value)))
        if (Exit.isFailure(result) && Cause.hasInterruptsOnly(result.cause)) return yield* Effect.interrupt
        yield* faultPoint("event applied, not marked")
        yield* mark(next.value, result)
        yield* faultPoint("event marked, not committed")
        return true
      }).pipe(sql.withTransaction)

      const applyDue = Effect.fn("WebhookInbox.applyDue")(function* (limit = 10_000) {
        let tried = 0
        while (tried < limit && (yield* applyNext)) {
          tried++
          // Whoever waits for the connection goes first, also where there is only one.
          yield* arriving > rushOfDeliveries ? Effect.sleep(pauseInRush) : Effect.yieldNow
        }
        return tried
      })

      return WebhookInbox.of({
        receive,
        applyDue,
        stored: Queue.take(news),
        list: Effect.fn("WebhookInbox.list")(function* (filter = {}) {
          return yield* summaries(sql`select ${summary} from webhook_event
            where (${filter.status ?? null}::text is null or status = ${filter.status ?? null}::text)
              and (${filter.before === undefined ? null : new Date(filter.before)}::timestamptz is null
                or received_at < ${filter.before === undefined ? null : new Date(filter.before)}::timestamptz)
            order by received_at desc, event_id limit ${filter.limit ?? 50}::int`)
        }),
        show: (event_id) => first(sql`select ${summary}, payload from webhook_event where event_id = ${event_id}`),
        retry: Effect.fn("WebhookInbox.retry")(function* (event_id: string) {
          const now = yield* Clock.currentTimeMillis
          const rows = yield* sql`update webhook_event set status = 'received', attempts = 0, applied_at = null,
            next_attempt_at = ${new Date(now)} where event_id = ${event_id} returning event_id`
          if (rows.length > 0) Queue.offerUnsafe(news, undefined)
          return rows.length > 0
        }),
        dealtWith: Effect.fn("WebhookInbox.dealtWith")(function* (event_id: string) {
          const rows = yield* sql`update webhook_event set status = 'ignored',
            outcome = coalesce(outcome || '; ', '') || 'dealt with by a person'
            where event_id = ${event_id} and status in ('rejected', 'dead') returning event_id`
          return rows.length > 0
        }),
        forget: Effect.fn("WebhookInbox.forget")(function* (before: Instant, limit: number) {
          const gone = yield* sql`delete from webhook_event where event_id in (
            select event_id from webhook_event where received_at < ${new Date(before)} and status in ('applied', 'ignored')
            order by received_at limit ${limit}::int for update skip locked) returning 1`
          return gone.length
        })
      })
    })
  ).pipe(Layer.provide(WebhookSecrets.layer))

  /**
   * Applies events as this node stores them, and looks every second for those that others stored or left. One at a time on the
   * embedded database, whose one connection it shares with all else; a quarter of a server's connections otherwise.
   */
  static readonly worker = Layer.effectDiscard(
    Effect.gen(function* () {
      const inbox = yield* WebhookInbox
      const { database } = yield* AppConfig
      const fibers = database.kind === "embedded" ? 1 : 4
      const loop = (pause: "1 second" | "30 seconds") =>
        inbox.applyDue().pipe(
          Effect.tapCause((cause) => Effect.logWarning("Provider events can't be applied now", cause)),
          Effect.ignoreCause,
          Effect.andThen(Effect.race(inbox.stored, Effect.sleep(pause))),
          Effect.forever
        )
      yield* Effect.forkScoped(loop("1 second"))
      for (let fiber = 1; fiber < fibers; fiber++) yield* Effect.forkScoped(loop("30 seconds"))
    })
  )
}
