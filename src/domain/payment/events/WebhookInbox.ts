/**
 * The inbox of provider events. An event is verified, stored and answered, and only then applied, in a second
 * transaction. The table has each event id once, however often it is delivered. After a crash or an error, the event is
 * retried.
 */
import { Array, Cause, Clock, Context, Effect, Exit, Layer, Option, Queue, Semaphore } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { Stripe } from "stripe"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { failpoint } from "../../../platform/concurrency/Failpoint.ts"
import { type Instant, minuteMs } from "../../../platform/time/LocalTime.ts"
import { withoutValues } from "../../../platform/telemetry/TelemetryPrivacy.ts"
import { ProviderHealth } from "../provider/ProviderHealth.ts"
import { redactAddresses } from "../provider/StripeMessages.ts"
import { type Receiver, snapshotType, WebhookSecrets } from "../provider/Receivers.ts"
import { envelopeOf, objectOf } from "./EventBody.ts"
import {
  type EventEffect,
  type EventHandler,
  type EventOutcome,
  events,
  type EventToApply,
  type Foreign,
  handlerServices,
  ignored
} from "./Events.ts"
import { EventRecords, type EventStatus, subjectOf, type WebhookEvent } from "./EventRecords.ts"
import { makeRefusedDeliveries } from "./RefusedDeliveries.ts"
import { type SignatureError, verify } from "./WebhookSignature.ts"

/** The most events that are applied in one transaction. More would keep its connection, and its locks, for too long. */
const maxTogether = 32

/** More deliveries than this at once are a rush. */
const rushThreshold = 8
/**
 * How long no event is applied after a transaction in a rush. The provider waits for each answer, and applying takes
 * the processor and the disk from it; what waits meanwhile is applied together.
 */
const pauseInRush = "100 millis"

const fetchTimeout = "10 seconds"
/** Other nodes skip a leased event this long. Then they retry it: the node may have died. */
const leaseMs = minuteMs

/** A failing event is a dead letter after this many attempts: about two hours. */
export const maxAttempts = 30
/** The same if only the provider is unavailable: about two days. */
const maxAttemptsUnavailable = 600
/** Attempts for an event whose session is not in our tables yet: about two minutes. */
const maxAttemptsLater = 7
const backoff = (attempts: number): number => Math.min(2 ** attempts, 300) * 1000

/** The failure as a line for `webhook list`; in the database's own words if it failed. */
const failureText = (cause: Cause.Cause<unknown>): string => {
  const fault = withoutValues(Cause.squash(cause))
  const root = SqlError.isSqlError(fault) ? fault.reason.cause : fault
  return redactAddresses(root instanceof Error ? `${root.name}: ${root.message}` : Cause.pretty(cause), 500)
}

/** Span attributes: the event's id and type, if they have the provider's form. Anything else may be personal data. */
const spanAttributes = ({ event_id, type }: Pick<WebhookEvent, "event_id" | "type">): Record<string, string> => ({
  ...(/^evt_\w{1,250}$/.test(event_id) ? { event_id } : {}),
  ...(/^(v\d\.)?[a-z_.]{1,100}$/.test(type) ? { event_type: type } : {})
})

/** What tells the handler of an event. */
type Envelope = Pick<WebhookEvent, "receiver" | "type" | "account" | "livemode">

/**
 * Builds the handlers of `Events.ts`; returns a lookup of an event's handler, or the reason why its envelope isn't
 * ours.
 */
const makeHandlerOf = Effect.gen(function* () {
  const { provider } = yield* AppConfig
  const livemode = provider.kind === "stripe" && provider.livemode
  const handlers = new Map<string, { readonly receiver: Receiver; readonly handler: EventHandler }>()
  for (const [type, { handler, receiver }] of Object.entries(events))
    handlers.set(type, { receiver, handler: yield* handler })

  return (event: Envelope): EventHandler | Foreign => {
    const { account, receiver, type } = event
    const found = handlers.get(snapshotType(type))
    if (found?.receiver !== receiver) return { foreign: `events of type ${type} are not used here` }
    if (event.livemode !== livemode)
      return { foreign: `livemode is ${event.livemode}, this service runs with ${livemode}` }
    if (receiver === "connected" && account === null)
      return { foreign: "an event of connected accounts without an account" }
    if (receiver === "platform" && account !== null)
      return { foreign: `an event of the platform with account ${account}` }
    return found.handler
  }
})

/** Tells a rush of deliveries, and has what applies events pause in it, one fiber after the other. */
const makeRush = () => {
  let running = 0
  // Deliveries are stored together, so `running` drops now and then even in a rush. The peak since the last pause
  // counts.
  let peak = 0
  return {
    count: <A, E, R>(delivery: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        peak = Math.max(peak, ++running)
        return Effect.ensuring(
          delivery,
          Effect.sync(() => running--)
        )
      }),
    pause: Semaphore.makeUnsafe(1).withPermit(
      Effect.suspend(() => {
        const rush = running > 0 && peak > rushThreshold
        peak = running
        return rush ? Effect.sleep(pauseInRush) : Effect.void
      })
    )
  }
}

export class WebhookInbox extends Context.Service<
  WebhookInbox,
  {
    /**
     * Verifies a delivery and stores its event. `duplicate`: it was already stored. A failure stores nothing, except
     * that an event may still be stored whose time was over.
     */
    readonly receive: (
      receiver: Receiver,
      payload: Uint8Array,
      signatures: ReadonlyArray<string>
    ) => Effect.Effect<{ readonly duplicate: boolean }, SignatureError | SqlError.SqlError | Cause.TimeoutError>
    /** Applies due events, at most `limit`; returns how many it tried. */
    readonly applyDue: (limit?: number) => Effect.Effect<number, SqlError.SqlError>
    /** The same for events that can be applied as stored. */
    readonly applyStored: (limit?: number) => Effect.Effect<number, SqlError.SqlError>
    /** The same for events whose object has to be fetched from the provider first. */
    readonly applyFetched: (limit?: number) => Effect.Effect<number, SqlError.SqlError>
    /** Waits until this node has stored an event that can be applied as stored. */
    readonly stored: Effect.Effect<void>
    /** Waits until this node has stored an event whose object has to be fetched. */
    readonly storedToFetch: Effect.Effect<void>
    /** Queues an event to be applied again, whatever its outcome; false if there is no such event. */
    readonly retry: (event_id: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/events/WebhookInbox") {
  static readonly layer = Layer.effect(
    WebhookInbox,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* WebhookSecrets
      const records = yield* EventRecords
      const refusals = yield* makeRefusedDeliveries
      const health = yield* ProviderHealth
      const handlerOf = yield* makeHandlerOf
      const deliveries = makeRush()
      const wake = yield* Queue.sliding<void>(8)
      const wakeFetching = yield* Queue.sliding<void>(8)

      /** A refused delivery is counted; a valid signature of it says how late our clock is. */
      const refusedOne = (receiver: Receiver, error: SignatureError, now: number) =>
        Effect.andThen(
          error._tag === "SignatureStale"
            ? health.observeSigned(Math.floor(now / 1000) + error.seconds_ahead)
            : Effect.void,
          refusals.refused(receiver, error)
        )

      const receive = Effect.fnUntraced(function* (
        receiver: Receiver,
        payload: Uint8Array,
        signatures: ReadonlyArray<string>
      ) {
        const now = yield* Clock.currentTimeMillis
        const { event, signed_at, text, thin } = yield* verify({
          payload,
          signatures,
          secrets: secrets[receiver],
          now
        }).pipe(Effect.tapError((error) => refusedOne(receiver, error, now)))
        const { account = null, api_version, id: event_id, livemode, type } = event
        // The request's own span: another for each delivery would say no more.
        yield* Effect.annotateCurrentSpan(spanAttributes({ event_id, type }))
        const handler = handlerOf({ receiver, type, account, livemode })
        // Most events of an account aren't ours. Their text shows it, so the insert is their only statement. A thin
        // event doesn't tell whose its object is: `fetch` finds out.
        const known = "foreign" in handler ? handler : thin ? {} : handler.identify(event.data.object)
        const foreign = "foreign" in known
        const fetched = !foreign && (api_version !== Stripe.API_VERSION || known.fetch === true)
        const stored = yield* deliveries.count(
          records.store({
            event_id,
            receiver,
            type,
            account,
            livemode,
            api_version,
            payload: foreign || known.envelopeOnly === true ? envelopeOf(event) : text,
            status: foreign ? "ignored" : "received",
            outcome: foreign ? known.foreign : null,
            payment_session_id: foreign ? null : (known.payment_session_id ?? null),
            fetch: fetched,
            received_at: new Date(now)
          })
        )
        yield* failpoint("event stored, not answered")
        yield* health.observeSigned(signed_at)
        yield* refusals.accepted(receiver)
        if (stored && !foreign) Queue.offerUnsafe(fetched ? wakeFetching : wake, undefined)
        return { duplicate: !stored }
      })

      /** A stored event and its handler, or an outcome if it has none. */
      const prepare = (
        event: WebhookEvent
      ): { readonly handler: EventHandler; readonly event: EventToApply; readonly created: number } | EventOutcome => {
        const handler = handlerOf(event)
        if ("foreign" in handler) return ignored(handler.foreign)
        const { created, object } = objectOf(event.payload)
        if (object === undefined) return ignored("the event holds no object")
        return { handler, created, event: { account: event.account ?? "", object, subject: subjectOf(event) } }
      }

      /** The effect of an event's own copy of its object. */
      const effectOf = (event: WebhookEvent): EventEffect => {
        const ready = prepare(event)
        if (!("handler" in ready)) return Effect.succeed(ready)
        const apply = ready.handler.apply?.(ready.event) ?? Effect.succeed(ignored("the object has to be fetched"))
        // Another node may have received it, or this process before it was started again.
        return Effect.andThen(health.observeEvent(ready.created), apply)
      }

      const fetchObject = (event: WebhookEvent): ReturnType<EventHandler["fetch"]> => {
        const ready = prepare(event)
        return "handler" in ready ? ready.handler.fetch(ready.event) : Effect.succeed(Effect.succeed(ready))
      }

      /** Stores an event's outcome, in the transaction of its effect. */
      const mark = Effect.fnUntraced(function* (
        event: WebhookEvent,
        { attempts: limit = maxAttemptsLater, fallback = "ignored", names, status, subject, text }: EventOutcome
      ) {
        const now = yield* Clock.currentTimeMillis
        const attempts = event.attempts + 1
        if (status === "later" && attempts < limit) return yield* records.postpone(event, text, now + backoff(attempts))
        const final: Exclude<EventStatus, "received"> = status === "later" ? fallback : status
        if (final === "rejected") {
          const { event_id, type } = event
          yield* Effect.logWarning("A provider event was rejected", { event_id, type, outcome: text, ...subject })
        }
        return yield* records.finish(event, { status: final, text, subject, names }, now)
      })

      /** After a failed attempt was rolled back: schedules a retry, or makes the event a dead letter. */
      const recordFailure = Effect.fnUntraced(function* (event: WebhookEvent, outcome: string, limit: number) {
        const now = yield* Clock.currentTimeMillis
        const { event_id, type, payment_session_id, booking_id } = event
        const attempts = event.attempts + 1
        const about = { event_id, type, attempts, outcome, payment_session_id, booking_id }
        const write = (text: string) =>
          attempts < limit
            ? records.postpone(event, text, now + backoff(attempts))
            : records.deadLetter(event, text, now)
        // The database may reject the text itself. That must not keep the event at the head of its queue.
        yield* Effect.catchIf(
          write(outcome),
          (error) => !error.isRetryable,
          () => write("it could not be applied; the log says why")
        )
        yield* attempts < limit
          ? Effect.logWarning("A provider event could not be applied; it will be tried again", about)
          : Effect.logError("A provider event was set aside after many tries", about)
      })

      /** Applies an event and stores its outcome. Its span and the delivery's share the event's id. */
      const applyAndMark = Effect.fn("WebhookInbox.apply")(function* (event: WebhookEvent, effect: EventEffect) {
        yield* Effect.annotateCurrentSpan(spanAttributes(event))
        const outcome = yield* effect
        yield* failpoint("event applied, not marked")
        yield* mark(event, outcome)
        yield* failpoint("event marked, not committed")
      })

      /** Handles the result of the transaction that applies an event. */
      const afterTry = Effect.fnUntraced(function* (event: WebhookEvent, result: Exit.Exit<void, SqlError.SqlError>) {
        if (Exit.isSuccess(result)) return
        if (Cause.hasInterruptsOnly(result.cause)) return yield* Effect.interrupt
        yield* recordFailure(event, failureText(result.cause), maxAttempts)
      })

      /**
       * Claims events and applies them in one transaction, and if that fails, each alone; returns how many it tried.
       * What they ask of the database at about the same time is one statement (`statementOfFibers`). Events of a
       * booking keep their order.
       */
      const applyClaimed = Effect.fnUntraced(function* (
        claim: (now: Instant) => Effect.Effect<ReadonlyArray<WebhookEvent>, SqlError.SqlError>
      ): Effect.fn.Return<number, SqlError.SqlError> {
        const now = yield* Clock.currentTimeMillis
        let claimed: ReadonlyArray<WebhookEvent> = []
        const result = yield* Effect.gen(function* () {
          claimed = yield* claim(now)
          const byBooking = Array.groupBy(claimed, ({ booking_id, event_id }) => booking_id ?? event_id)
          yield* Effect.forEach(
            Object.values(byBooking),
            Effect.forEach((event) => applyAndMark(event, effectOf(event)), { discard: true }),
            { concurrency: "unbounded", discard: true }
          )
        }).pipe(sql.withTransaction, Effect.exit)
        const [only, ...others] = claimed
        if (only === undefined) return yield* Effect.as(result, 0)
        if (others.length === 0) return yield* Effect.as(afterTry(only, result), 1)
        if (Exit.isSuccess(result)) return claimed.length
        if (Cause.hasInterruptsOnly(result.cause)) return yield* Effect.interrupt
        let tried = 0
        for (const { event_id } of claimed) {
          yield* Effect.andThen(deliveries.pause, Effect.yieldNow)
          tried += yield* applyClaimed((later) => records.claim({ event_id }, later))
        }
        return tried
      })

      /**
       * Applies the next events that can be applied as stored. Events of known sessions go first. After each claim of
       * theirs the others have their turn, so that they don't starve.
       */
      let othersTurn = false
      const applyNext = (limit: number) =>
        applyClaimed(
          Effect.fnUntraced(function* (now: Instant) {
            const known = records.claim({ most: Math.min(limit, maxTogether) }, now)
            const [first, second] = othersTurn ? [records.claimOther(now), known] : [known, records.claimOther(now)]
            othersTurn = !othersTurn
            const claimed = yield* first
            return claimed.length > 0 ? claimed : yield* second
          })
        )

      /**
       * Fetches the object of the next event that needs it, outside any transaction, and applies it; returns how many
       * it tried.
       */
      const fetchNext = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const leased = yield* records.lease(now, now + leaseMs)
        if (Option.isNone(leased)) return 0
        const event = leased.value
        const fetched = yield* fetchObject(event).pipe(
          Effect.timeout(fetchTimeout),
          Effect.withSpan("WebhookInbox.fetch", { attributes: spanAttributes(event) }),
          Effect.exit
        )
        if (Exit.isFailure(fetched)) {
          const { cause } = fetched
          if (Cause.hasInterruptsOnly(cause)) return yield* Effect.interrupt
          const failure = Option.getOrUndefined(Cause.findErrorOption(cause))?._tag
          const unavailable = failure === "ProviderUnavailable" || failure === "TimeoutError"
          // Anything else is a fault here, not the provider's.
          const provider = failure !== undefined && failure !== "SqlError"
          const outcome = `${provider ? "the provider does not answer for it: " : ""}${failureText(cause)}`
          yield* recordFailure(event, outcome, unavailable ? maxAttemptsUnavailable : maxAttempts)
          return 1
        }
        const result = yield* Effect.gen(function* () {
          // Meanwhile the event may have arrived at our own API release, and been applied.
          if (yield* records.lockWaiting(event.event_id)) yield* applyAndMark(event, fetched.value)
        }).pipe(sql.withTransaction, Effect.exit)
        yield* afterTry(event, result)
        return 1
      })

      /** Repeats `next` until it finds no event, or has tried `limit`. */
      const repeat = (next: (limit: number) => Effect.Effect<number, SqlError.SqlError>) =>
        Effect.fnUntraced(function* (limit = 10_000) {
          // Between two transactions others may use the connection: there may be only one.
          for (let tried = 0; ; yield* Effect.andThen(deliveries.pause, Effect.yieldNow)) {
            const found = tried < limit ? yield* next(limit - tried) : 0
            if (found === 0) return tried
            tried += found
          }
        })
      const applyStored = repeat(applyNext)
      const applyFetched = repeat(() => fetchNext)

      const retry = Effect.fn("WebhookInbox.retry")(function* (event_id: string) {
        const found = yield* records.retry(event_id, yield* Clock.currentTimeMillis)
        if (found) for (const queue of [wake, wakeFetching]) Queue.offerUnsafe(queue, undefined)
        return found
      })

      return WebhookInbox.of({
        receive,
        applyDue: Effect.fn("WebhookInbox.applyDue")(function* (limit = 10_000) {
          const tried = yield* applyStored(limit)
          return tried + (yield* applyFetched(limit - tried))
        }),
        applyStored,
        applyFetched,
        stored: Queue.take(wake),
        storedToFetch: Queue.take(wakeFetching),
        retry
      })
    })
  ).pipe(Layer.provide([EventRecords.layer, handlerServices, ProviderHealth.layer, WebhookSecrets.layer]))

  /**
   * Applies events as soon as this node stores them, and polls every second for events of other nodes and for retries.
   * It runs one fiber on the embedded database, which has only one connection, and four on a server. As many fibers of
   * their own fetch objects, so that a slow provider does not delay other events.
   */
  static readonly worker = Layer.effectDiscard(
    Effect.gen(function* () {
      const inbox = yield* WebhookInbox
      const { database } = yield* AppConfig
      const fibers = database.kind === "embedded" ? 1 : 4
      const loop = (apply: Effect.Effect<number, SqlError.SqlError>, pause: Effect.Effect<void>) =>
        apply.pipe(
          Effect.tapCause((cause) => Effect.logWarning("Provider events can't be applied now", cause)),
          Effect.ignoreCause,
          Effect.andThen(pause),
          Effect.forever
        )
      for (let fiber = 0; fiber < fibers; fiber++) {
        const pause = Effect.sleep(fiber === 0 ? "1 second" : "30 seconds")
        yield* Effect.forkScoped(loop(inbox.applyStored(), Effect.race(inbox.stored, pause)))
        yield* Effect.forkScoped(loop(inbox.applyFetched(), Effect.race(inbox.storedToFetch, pause)))
      }
    })
  )
}
