/**
 * The inbox of provider events: verified, stored, answered, and only then applied. The table has each event id once, however often
 * the event is delivered. Applying is a second transaction; after a crash or an error the event is tried again.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Queue, Result, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { Stripe } from "stripe"
import { AppConfig } from "../../config/AppConfig.ts"
import { minuteMs } from "../../kernel/LocalTime.ts"
import {
  type Envelope,
  EventRecords,
  envelopeOf,
  type EventStatus,
  subjectOf,
  type WebhookEvent
} from "./EventRecords.ts"
import { events, handlerServices } from "./Events.ts"
import { makeDeliveryPriority } from "./DeliveryPriority.ts"
import { makeEventStore } from "./EventStore.ts"
import { type Receiver, WebhookSecrets } from "../provider/Receivers.ts"
import {
  type EventEffect,
  type EventHandler,
  type EventOutcome,
  type EventToApply,
  type Foreign,
  ignored
} from "./EventHandler.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { withoutValues } from "../../telemetry/TelemetryPrivacy.ts"
import { redactAddresses } from "../provider/ProviderSchema.ts"
import { type SignatureError, verify } from "./WebhookSignature.ts"

/** Tries before an event that fails is a dead letter: about two hours. */
export const maxAttempts = 30
/** The same where only the provider is away: about two days. */
const maxAttemptsAway = 600
/** Tries for an event of a session that is not in our tables yet: about two minutes. */
const maxAttemptsLater = 7
/** Events of known sessions go first. One of so many tries begins with the others, so that these do not wait for ever. */
const triesPerOther = 8
/** How long the provider may take to answer for an object. */
const fetchWithin = "10 seconds"
/** An event that is being fetched is left alone by other nodes for this long; a node may have died with it. */
const leaseMs = minuteMs
const backoff = (attempts: number): number => Math.min(2 ** attempts, 300) * 1000

/** What went wrong, in a line for the operator's list; the database's own words where it was the database. */
const failureText = (cause: Cause.Cause<unknown>): string => {
  const fault = withoutValues(Cause.squash(cause))
  const root = SqlError.isSqlError(fault) ? fault.reason.cause : fault
  return redactAddresses(root instanceof Error ? `${root.name}: ${root.message}` : Cause.pretty(cause), 500)
}

/** What spans tell of an event: its id and type, where they have the provider's form. Whatever else stands there may be personal. */
const spanAttributes = ({ event_id, type }: Pick<Envelope, "event_id" | "type">): Record<string, string> => ({
  ...(/^evt_\w{1,250}$/.test(event_id) ? { event_id } : {}),
  ...(/^[a-z_.]{1,100}$/.test(type) ? { event_type: type } : {})
})

const decodeBody = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ object: Schema.Unknown }) }))
)

/** The handlers of `Events.ts`, with their services; answers which one an event is for, or why its envelope says that it is not ours. */
const makeHandlerOf = Effect.gen(function* () {
  const { provider } = yield* AppConfig
  const livemode = provider.kind === "stripe" && provider.livemode
  const handlers = new Map<string, { readonly receiver: Receiver; readonly handler: EventHandler }>()
  for (const [type, { handler, receiver }] of Object.entries(events))
    handlers.set(type, { receiver, handler: yield* handler })

  return (event: Envelope): EventHandler | Foreign => {
    const { account, receiver, type } = event
    const found = handlers.get(type)
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
    /** The same for those that can be applied as they are stored. */
    readonly applyStored: (limit?: number) => Effect.Effect<number, SqlError.SqlError>
    /** The same for those whose object has to be fetched from the provider first. */
    readonly applyFetched: (limit?: number) => Effect.Effect<number, SqlError.SqlError>
    /** Waits until this node has stored an event. */
    readonly stored: Effect.Effect<void>
    /** Lets an event be applied again, whatever became of it; false where there is none of that id. */
    readonly retry: (event_id: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/WebhookInbox") {
  static readonly layer = Layer.effect(
    WebhookInbox,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* WebhookSecrets
      const handlerOf = yield* makeHandlerOf
      const records = yield* EventRecords
      const store = makeEventStore(sql)
      const priority = makeDeliveryPriority()
      const wake = yield* Queue.sliding<void>(8)

      const receive = Effect.fn("WebhookInbox.receive")(function* (
        receiver: Receiver,
        payload: Uint8Array,
        signatures: ReadonlyArray<string>
      ) {
        const now = yield* Clock.currentTimeMillis
        const { event, text } = yield* verify({ payload, signatures, secrets: secrets[receiver], now })
        const { api_version, created, id: event_id, livemode, type } = event
        yield* Effect.annotateCurrentSpan(spanAttributes({ event_id, type }))
        const { object } = event.data
        const envelope = { event_id, receiver, type, account: event.account ?? null, livemode, api_version }
        // Most events of an account are not ours. Their own text shows it, so they cost no statement but the insert.
        const handler = handlerOf(envelope)
        const identified = "foreign" in handler ? handler : handler.identify(object)
        const foreign = "foreign" in identified
        const stored = yield* priority.count(
          store({
            ...envelope,
            payload: foreign ? envelopeOf(envelope, { created, object }) : text,
            status: foreign ? "ignored" : "received",
            outcome: foreign ? identified.foreign : null,
            payment_session_id: foreign ? null : (identified.payment_session_id ?? null),
            fetch: !foreign && api_version !== Stripe.API_VERSION,
            received_at: new Date(now)
          })
        )
        yield* faultPoint("event stored, not answered")
        if (stored && !foreign) Queue.offerUnsafe(wake, undefined)
        return { duplicate: !stored }
      })

      /** A stored event as its handler takes it; an outcome where no handler does. */
      const prepare = (
        event: WebhookEvent
      ): { readonly handler: EventHandler; readonly event: EventToApply } | EventOutcome => {
        const handler = handlerOf(event)
        if ("foreign" in handler) return ignored(handler.foreign)
        const body = decodeBody(event.payload)
        if (Option.isNone(body)) return ignored("the event holds no object")
        const { object } = body.value.data
        return { handler, event: { account: event.account ?? "", object, subject: subjectOf(event) } }
      }

      const applyEvent = (event: WebhookEvent): EventEffect => {
        const ready = prepare(event)
        return "handler" in ready ? ready.handler.apply(ready.event) : Effect.succeed(ready)
      }

      const fetchObject = (event: WebhookEvent): ReturnType<EventHandler["fetch"]> => {
        const ready = prepare(event)
        return "handler" in ready ? ready.handler.fetch(ready.event) : Effect.succeed(Effect.succeed(ready))
      }

      /** Writes down what became of an event, in the transaction of its effect. */
      const mark = Effect.fnUntraced(function* (
        event: WebhookEvent,
        { names, otherwise = "ignored", status, subject, text }: EventOutcome
      ) {
        const now = yield* Clock.currentTimeMillis
        const attempts = event.attempts + 1
        if (status === "later" && attempts < maxAttemptsLater)
          return yield* records.postpone(event, text, now + backoff(attempts))
        const final: Exclude<EventStatus, "received"> = status === "later" ? otherwise : status
        if (final === "rejected") {
          const { event_id, type } = event
          yield* Effect.logWarning("A provider event was rejected", { event_id, type, outcome: text, ...subject })
        }
        return yield* records.finish(event, { status: final, outcome: text, subject, names, now })
      })

      /** After a try that failed and was rolled back: has the event tried again later, or makes it a dead letter. */
      const recordFailure = Effect.fnUntraced(function* (event: WebhookEvent, outcome: string, most: number) {
        const now = yield* Clock.currentTimeMillis
        const { event_id, type, payment_session_id, booking_id } = event
        const attempts = event.attempts + 1
        const about = { event_id, type, attempts, outcome, payment_session_id, booking_id }
        const write = (text: string) =>
          attempts < most
            ? records.postpone(event, text, now + backoff(attempts))
            : records.deadLetter(event, text, now)
        // The database may refuse the text itself. The event must not stay at the head of its queue for that.
        yield* Effect.catchIf(
          write(outcome),
          (error) => !error.isRetryable,
          () => write("it could not be applied; the log says why")
        )
        yield* attempts < most
          ? Effect.logWarning("A provider event could not be applied; it will be tried again", about)
          : Effect.logError("A provider event was set aside after many tries", about)
      })

      /** Applies an event and marks it, in one transaction. Its span and that of the delivery have the event's id in common. */
      const applyAndMark = Effect.fn("WebhookInbox.apply")(function* (event: WebhookEvent, effect: EventEffect) {
        yield* Effect.annotateCurrentSpan(spanAttributes(event))
        const outcome = yield* effect
        yield* faultPoint("event applied, not marked")
        yield* mark(event, outcome)
        yield* faultPoint("event marked, not committed")
      })

      /** After the transaction that applied an event, or failed to. */
      const afterTry = Effect.fnUntraced(function* (event: WebhookEvent, result: Exit.Exit<void, SqlError.SqlError>) {
        if (Exit.isSuccess(result)) return
        if (Cause.hasInterruptsOnly(result.cause)) return yield* Effect.interrupt
        yield* recordFailure(event, failureText(result.cause), maxAttempts)
      })

      let tries = 0
      /** Applies the next event that can be applied as it is stored; false where there is none. */
      const applyNext = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        let next: WebhookEvent | undefined
        const result = yield* Effect.gen(function* () {
          const others = tries++ % triesPerOther === triesPerOther - 1
          let found = yield* records.next(others ? "rest" : "known", now)
          if (Option.isNone(found)) found = yield* records.next(others ? "known" : "rest", now)
          if (Option.isNone(found)) return
          next = found.value
          yield* applyAndMark(next, applyEvent(next))
        }).pipe(sql.withTransaction, Effect.exit)
        if (next === undefined) {
          yield* result
          return false
        }
        yield* afterTry(next, result)
        return true
      })

      /** Fetches the object of the next event that needs it, outside any transaction, and applies that; false where there is none. */
      const fetchNext = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const leased = yield* records.lease(now, now + leaseMs)
        if (Option.isNone(leased)) return false
        const event = leased.value
        const fetched = yield* fetchObject(event).pipe(
          Effect.timeout(fetchWithin),
          Effect.withSpan("WebhookInbox.fetch", { attributes: spanAttributes(event) }),
          Effect.result
        )
        if (Result.isFailure(fetched)) {
          const { failure } = fetched
          const away = failure._tag === "ProviderUnavailable" || failure._tag === "TimeoutError"
          const outcome = `the provider does not answer for it: ${failureText(Cause.fail(failure))}`
          yield* recordFailure(event, outcome, away ? maxAttemptsAway : maxAttempts)
          return true
        }
        const result = yield* Effect.gen(function* () {
          // The same event may have come meanwhile at our own release, and be applied.
          if (yield* records.lockWaiting(event.event_id)) yield* applyAndMark(event, fetched.success)
        }).pipe(sql.withTransaction, Effect.exit)
        yield* afterTry(event, result)
        return true
      })

      /** Repeats `next` until it finds no event, or `limit` times. */
      const repeat = (next: Effect.Effect<boolean, SqlError.SqlError>) =>
        Effect.fnUntraced(function* (limit = 10_000) {
          let tried = 0
          while (tried < limit && (yield* next)) {
            tried++
            yield* priority.pause
            // Others who wait for the connection go first, also where there is only one.
            yield* Effect.yieldNow
          }
          return tried
        })
      const applyStored = repeat(applyNext)
      const applyFetched = repeat(fetchNext)

      const retry = Effect.fn("WebhookInbox.retry")(function* (event_id: string) {
        const found = yield* records.retry(event_id, yield* Clock.currentTimeMillis)
        if (found) Queue.offerUnsafe(wake, undefined)
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
        retry
      })
    })
  ).pipe(Layer.provide([EventRecords.layer, handlerServices, WebhookSecrets.layer]))

  /**
   * Applies events as this node stores them, and looks every second for those that others stored or left. One at a time on the
   * embedded database, whose one connection it shares with all else; four at a time on a server. Objects are fetched beside that, so
   * that a slow answer of the provider delays no event that can be applied as it is stored.
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
      const stored = (pause: "1 second" | "30 seconds") => Effect.race(inbox.stored, Effect.sleep(pause))
      yield* Effect.forkScoped(loop(inbox.applyStored(), stored("1 second")))
      yield* Effect.forkScoped(loop(inbox.applyFetched(), Effect.sleep("1 second")))
      for (let fiber = 1; fiber < fibers; fiber++)
        yield* Effect.forkScoped(loop(inbox.applyStored(), stored("30 seconds")))
    })
  )
}
