/**
 * The inbox of provider events. An event is verified, stored and answered, and only then applied, in a second
 * transaction. The table has each event id once, however often it is delivered. After a crash or an error, the event is
 * retried.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Queue } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Stripe } from "stripe"
import { AppConfig } from "../../config/AppConfig.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { minuteMs } from "../../kernel/LocalTime.ts"
import { ProviderHealth } from "../provider/ProviderHealth.ts"
import { type Receiver, WebhookSecrets } from "../provider/Receivers.ts"
import { makeDeliveryPriority } from "./DeliveryPriority.ts"
import { failureText, makeEventAttempts, maxAttempts, maxAttemptsUnavailable, spanAttributes } from "./EventAttempts.ts"
import { aboutNoSession } from "./EventHandler.ts"
import { envelopeOf } from "./EventEnvelope.ts"
import { EventRecords } from "./EventRecords.ts"
import { handlerServices } from "./Events.ts"
import { makeEventStore } from "./EventStore.ts"
import { RefusedDeliveries } from "./RefusedDeliveries.ts"
import { makeStoredEvents } from "./StoredEvents.ts"
import { type SignatureError, verify } from "./WebhookSignature.ts"

const fetchTimeout = "10 seconds"
/** Other nodes skip a leased event this long. Then they retry it: the node may have died. */
const leaseMs = minuteMs

export class WebhookInbox extends Context.Service<
  WebhookInbox,
  {
    /**
     * Verifies a delivery and stores its event. `duplicate`: it was already stored. A failure stores nothing, except that an
     * event may still be stored whose time was over.
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
      const refusals = yield* RefusedDeliveries
      const health = yield* ProviderHealth
      const attempts = yield* makeEventAttempts
      const store = yield* makeEventStore(sql)
      const priority = makeDeliveryPriority()
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
        const { api_version, created, id: event_id, livemode, type } = event
        // The request's own span: another for each delivery would say no more.
        yield* Effect.annotateCurrentSpan(spanAttributes({ event_id, type }))
        const { object } = event.data
        const envelope = { event_id, receiver, type, account: event.account ?? null, livemode, api_version }
        // Most events of an account aren't ours. Their text shows it, so the insert is their only statement.
        const handler = attempts.handlerOf(envelope)
        // A thin event doesn't tell whose its object is: `fetch` finds out.
        const identified = "foreign" in handler ? handler : thin ? aboutNoSession : handler.identify(object)
        const foreign = "foreign" in identified
        const fetched =
          api_version !== Stripe.API_VERSION ||
          (!("foreign" in handler) && (handler.apply === "fetched" || handler.isCut?.(object) === true))
        const envelopeOnly = "foreign" in handler || foreign || (handler.envelopeOnly === true && !thin)
        const stored = yield* priority.count(
          store({
            ...envelope,
            payload: envelopeOnly ? envelopeOf(envelope, { created, object }) : text,
            status: foreign ? "ignored" : "received",
            outcome: foreign ? identified.foreign : null,
            payment_session_id: foreign ? null : (identified.payment_session_id ?? null),
            fetch: !foreign && fetched,
            received_at: new Date(now)
          })
        )
        yield* faultPoint("event stored, not answered")
        yield* health.observeSigned(signed_at)
        yield* refusals.accepted(receiver)
        if (stored && !foreign) Queue.offerUnsafe(fetched ? wakeFetching : wake, undefined)
        return { duplicate: !stored }
      })

      /**
       * Fetches the object of the next event that needs it, outside any transaction, and applies it; returns
       * undefined if there is none.
       */
      const fetchNext = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const leased = yield* records.lease(now, now + leaseMs)
        if (Option.isNone(leased)) return undefined
        const event = leased.value
        const fetched = yield* attempts
          .fetchObject(event)
          .pipe(
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
          yield* attempts.recordFailure(event, outcome, unavailable ? maxAttemptsUnavailable : maxAttempts)
          return 1
        }
        const result = yield* Effect.gen(function* () {
          // Meanwhile the event may have arrived at our own API release, and been applied.
          if (yield* records.lockWaiting(event.event_id)) yield* attempts.applyAndMark(event, fetched.value)
        }).pipe(sql.withTransaction, Effect.exit)
        yield* attempts.afterTry(event, result)
        return 1
      })

      const between = Effect.andThen(
        priority.pause,
        // Lets others use the connection: there may be only one.
        Effect.yieldNow
      )
      const storedEvents = yield* makeStoredEvents(attempts, between)
      /** Repeats `next` until it finds no event, or has tried `limit`. */
      const repeat = (next: (most: number) => Effect.Effect<number | undefined, SqlError.SqlError>) =>
        Effect.fnUntraced(function* (limit = 10_000) {
          for (let tried = 0; ; yield* between) {
            const found = tried < limit ? yield* next(limit - tried) : undefined
            if (found === undefined) return tried
            tried += found
          }
        })
      const applyStored = repeat(storedEvents)
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
  ).pipe(
    Layer.provide([
      EventRecords.layer,
      handlerServices,
      ProviderHealth.layer,
      RefusedDeliveries.layer,
      WebhookSecrets.layer
    ])
  )

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
