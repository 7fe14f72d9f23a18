/**
 * The inbox of provider events: verified, stored, answered, and only then applied. The insert is the claim, so an event id has one
 * winner however often it is delivered; applying is a second transaction, which a crash or an error leaves to the next try.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Queue, Result, Schema, Semaphore } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { Stripe } from "stripe"
import { AppConfig } from "../../AppConfig.ts"
import { minuteMs } from "../../kernel/LocalTime.ts"
import {
  type Envelope,
  EventRecords,
  envelopeOf,
  type EventStatus,
  subjectOf,
  type WebhookEvent
} from "./EventRecords.ts"
import { events } from "./Events.ts"
import { makeEventStore } from "./EventStore.ts"
import type { Receiver } from "../provider/Receivers.ts"
import {
  type EventEffect,
  type EventHandler,
  type EventOutcome,
  type EventToApply,
  type Foreign,
  ignored
} from "./EventHandler.ts"
import { faultPoint } from "../../FaultPoint.ts"
import { redactAddresses } from "../provider/ProviderSchema.ts"
import { WebhookSecrets } from "../provider/WebhookSecrets.ts"
import { type SignatureError, verify } from "./WebhookSignature.ts"

/** Tries before an event that fails is set aside: about two hours. */
export const maxAttempts = 30
/** The same while it is only the provider that is away: about two days. */
const maxAttemptsAway = 600
/** Tries for an event of a session that is not in our tables yet: about two minutes. */
const maxLater = 7
/** So many deliveries under way are a rush, in which this node's answers go first: the provider waits for those. */
const rushOfDeliveries = 8
/** Most rushes are over by then; in one that lasts, events are applied sooner again. */
const shortRushMs = 5000
const pauseInRush = { short: "500 millis", long: "50 millis" } as const
/** Events of known sessions go first; one in so many turns belongs to the others, so that these do not wait for ever. */
const turnsOfKnown = 8
/** The provider has this long to answer for an object; a node that asked and died has the event for `leaseMs`. */
const askWithin = "10 seconds"
const leaseMs = minuteMs
const backoff = (attempts: number): number => Math.min(2 ** attempts, 300) * 1000

/** What went wrong, in a line for the operator's list; the database's own words where it was the database. */
const faultOf = (cause: Cause.Cause<unknown>): string => {
  const fault = Cause.squash(cause)
  const root = SqlError.isSqlError(fault) ? fault.reason.cause : fault
  return redactAddresses(root instanceof Error ? `${root.name}: ${root.message}` : Cause.pretty(cause), 500)
}

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

/** What a try came to: nothing was there, or an event with its outcome, or with what undid it. */
type Tried = { readonly event: WebhookEvent; readonly result: Exit.Exit<void, SqlError.SqlError> }

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
    /** The same for those that can be applied as they stand, and for those that the provider is asked about. */
    readonly applyStored: (limit?: number) => Effect.Effect<number, SqlError.SqlError>
    readonly applyAsked: (limit?: number) => Effect.Effect<number, SqlError.SqlError>
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
      const known = yield* WebhookSecrets
      const handlerOf = yield* makeHandlerOf
      const records = yield* EventRecords
      const store = makeEventStore(sql)
      let arriving = 0
      // They are stored in batches, so that for a moment there are few in every rush: the most since the last look tells.
      let mostArriving = 0
      let rushSince: number | undefined
      let turn = 0
      const news = yield* Queue.sliding<void>(8)

      const receive = Effect.fn("WebhookInbox.receive")(function* (
        receiver: Receiver,
        payload: Uint8Array,
        signatures: ReadonlyArray<string>
      ) {
        const now = yield* Clock.currentTimeMillis
        const { event, text } = yield* verify({ payload, signatures, secrets: known[receiver], now })
        const { api_version, created, id: event_id, livemode, type } = event
        const { object } = event.data
        const envelope = { event_id, receiver, type, account: event.account ?? null, livemode, api_version }
        // An account's other events are many: no more than their own text is looked at, so they cost no statement but the insert.
        const handler = handlerOf(envelope)
        const identified = "foreign" in handler ? handler : handler.identify(object)
        const foreign = "foreign" in identified
        mostArriving = Math.max(mostArriving, ++arriving)
        const stored = yield* store({
          ...envelope,
          payload: foreign ? envelopeOf(envelope, { created, object }) : text,
          status: foreign ? "ignored" : "received",
          outcome: foreign ? identified.foreign : null,
          names: foreign ? null : (identified.payment_session_id ?? null),
          asked: !foreign && api_version !== Stripe.API_VERSION,
          received_at: new Date(now)
        }).pipe(Effect.ensuring(Effect.sync(() => arriving--)))
        yield* faultPoint("event stored, not answered")
        if (stored && !foreign) Queue.offerUnsafe(news, undefined)
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
      const mark = Effect.fnUntraced(function* (event: WebhookEvent, { status, subject, text }: EventOutcome) {
        const now = yield* Clock.currentTimeMillis
        const attempts = event.attempts + 1
        if (status === "later" && attempts < maxLater)
          return yield* records.postpone(event, text, now + backoff(attempts))
        const final: Exclude<EventStatus, "received"> = status === "later" ? "ignored" : status
        if (final === "rejected") {
          const { event_id, type } = event
          yield* Effect.logWarning("A provider event was rejected", { event_id, type, outcome: text, ...subject })
        }
        return yield* records.finish(event, { status: final, outcome: text, subject, now })
      })

      /** An event could not be applied, or not marked: all of it is undone, and it makes way for those behind it. */
      const stepAside = Effect.fnUntraced(function* (event: WebhookEvent, outcome: string, most: number) {
        const now = yield* Clock.currentTimeMillis
        const { event_id, type, payment_session_id, booking_id } = event
        const attempts = event.attempts + 1
        const about = { event_id, type, attempts, outcome, payment_session_id, booking_id }
        const write = (text: string) =>
          attempts < most ? records.postpone(event, text, now + backoff(attempts)) : records.setAside(event, text, now)
        // Whatever the database has against the words, the event must not stay at the head.
        yield* Effect.catchIf(
          write(outcome),
          (error) => !error.isRetryable,
          () => write("it could not be applied; the log says why")
        )
        yield* attempts < most
          ? Effect.logWarning("A provider event could not be applied; it will be tried again", about)
          : Effect.logError("A provider event was set aside after many tries", about)
      })

      /** Applies an event and marks it, in one transaction. */
      const applyAndMark = Effect.fnUntraced(function* (event: WebhookEvent, effect: EventEffect) {
        const outcome = yield* effect
        yield* faultPoint("event applied, not marked")
        yield* mark(event, outcome)
        yield* faultPoint("event marked, not committed")
      })

      /** Goes on after a transaction: with the next event, or with what can't go on. */
      const after = Effect.fnUntraced(function* ({ event, result }: Tried) {
        if (Exit.isSuccess(result)) return
        if (Cause.hasInterruptsOnly(result.cause)) return yield* Effect.interrupt
        yield* stepAside(event, faultOf(result.cause), maxAttempts)
      })

      const applyNext = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        let claimed: WebhookEvent | undefined
        const result = yield* Effect.gen(function* () {
          const mine = turn++ % turnsOfKnown === turnsOfKnown - 1
          let next = yield* records.next(mine ? "rest" : "known", now)
          if (Option.isNone(next)) next = yield* records.next(mine ? "known" : "rest", now)
          if (Option.isNone(next)) return
          claimed = next.value
          yield* applyAndMark(claimed, applyEvent(claimed))
        }).pipe(sql.withTransaction, Effect.exit)
        if (claimed === undefined) {
          yield* result
          return false
        }
        yield* after({ event: claimed, result })
        return true
      })

      /** An event is a notice here: the provider is asked, outside any transaction, and what it answers is applied. */
      const applyNextAsked = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const leased = yield* records.lease(now, now + leaseMs)
        if (Option.isNone(leased)) return false
        const event = leased.value
        const asked = yield* fetchObject(event).pipe(Effect.timeout(askWithin), Effect.result)
        if (Result.isFailure(asked)) {
          const { failure } = asked
          const away = failure._tag === "ProviderUnavailable" || failure._tag === "TimeoutError"
          const outcome = `the provider does not answer for it: ${faultOf(Cause.fail(failure))}`
          yield* stepAside(event, outcome, away ? maxAttemptsAway : maxAttempts)
          return true
        }
        const result = yield* Effect.gen(function* () {
          // A delivery that could be read may have come meanwhile, and be applied.
          if (yield* records.lockWaiting(event.event_id)) yield* applyAndMark(event, asked.success)
        }).pipe(sql.withTransaction, Effect.exit)
        yield* after({ event, result })
        return true
      })

      // One after the other, however many fibers apply: each event costs a write to disk that the answers wait behind.
      const standBack = Semaphore.makeUnsafe(1).withPermit(
        Effect.gen(function* () {
          const rush = arriving > 0 && mostArriving > rushOfDeliveries
          mostArriving = arriving
          if (!rush) {
            rushSince = undefined
            return
          }
          const now = yield* Clock.currentTimeMillis
          rushSince ??= now
          yield* Effect.sleep(now - rushSince < shortRushMs ? pauseInRush.short : pauseInRush.long)
        })
      )

      const all = (next: Effect.Effect<boolean, SqlError.SqlError>) =>
        Effect.fnUntraced(function* (limit = 10_000) {
          let tried = 0
          while (tried < limit && (yield* next)) {
            tried++
            yield* standBack
            // Whoever waits for the connection goes first, also where there is only one.
            yield* Effect.yieldNow
          }
          return tried
        })
      const applyStored = all(applyNext)
      const applyAsked = all(applyNextAsked)

      const retry = Effect.fn("WebhookInbox.retry")(function* (event_id: string) {
        const found = yield* records.retry(event_id, yield* Clock.currentTimeMillis)
        if (found) Queue.offerUnsafe(news, undefined)
        return found
      })

      return WebhookInbox.of({
        receive,
        applyDue: Effect.fn("WebhookInbox.applyDue")(function* (limit = 10_000) {
          const tried = yield* applyStored(limit)
          return tried + (yield* applyAsked(limit - tried))
        }),
        applyStored,
        applyAsked,
        stored: Queue.take(news),
        retry
      })
    })
  ).pipe(Layer.provide(WebhookSecrets.layer))

  /**
   * Applies events as this node stores them, and looks every second for those that others stored or left. One at a time on the
   * embedded database, whose one connection it shares with all else; a quarter of a server's connections otherwise. The provider
   * is asked beside that, so that a slow answer holds up no event that can be read.
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
      yield* Effect.forkScoped(loop(inbox.applyAsked(), Effect.sleep("1 second")))
      for (let fiber = 1; fiber < fibers; fiber++)
        yield* Effect.forkScoped(loop(inbox.applyStored(), stored("30 seconds")))
    })
  )
}
