/**
 * The attempts to apply an event: what its handler does, the stored outcome, and the retries of one that failed. Events
 * that are applied as stored (`StoredEvents.ts`) and events whose object is fetched (`WebhookInbox.ts`) share them.
 */
import { Cause, Clock, Effect, Exit, Option } from "effect"
import { SqlError } from "effect/sql"
import { AppConfig } from "../../config/AppConfig.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { withoutValues } from "../../telemetry/TelemetryPrivacy.ts"
import { redactAddresses } from "../provider/ProviderSchema.ts"
import { type Receiver, snapshotType } from "../provider/Receivers.ts"
import { objectOfStored } from "./EventBody.ts"
import {
  type EventEffect,
  type EventHandler,
  type EventOutcome,
  type EventToApply,
  type Foreign,
  ignored
} from "./EventHandler.ts"
import type { Envelope } from "./EventEnvelope.ts"
import { EventRecords, type EventStatus, subjectOf, type WebhookEvent } from "./EventRecords.ts"
import { events } from "./Events.ts"

/** A failing event is a dead letter after this many attempts: about two hours. */
export const maxAttempts = 30
/** The same if only the provider is unavailable: about two days. */
export const maxAttemptsUnavailable = 600
/** Attempts for an event whose session is not in our tables yet: about two minutes. */
const maxAttemptsLater = 7
const backoff = (attempts: number): number => Math.min(2 ** attempts, 300) * 1000

/** The failure as a line for `webhook list`; in the database's own words if it failed. */
export const failureText = (cause: Cause.Cause<unknown>): string => {
  const fault = withoutValues(Cause.squash(cause))
  const root = SqlError.isSqlError(fault) ? fault.reason.cause : fault
  return redactAddresses(root instanceof Error ? `${root.name}: ${root.message}` : Cause.pretty(cause), 500)
}

/** Span attributes: the event's id and type, if they have the provider's form. Anything else may be personal data. */
export const spanAttributes = ({ event_id, type }: Pick<Envelope, "event_id" | "type">): Record<string, string> => ({
  ...(/^evt_\w{1,250}$/.test(event_id) ? { event_id } : {}),
  ...(/^(v\d\.)?[a-z_.]{1,100}$/.test(type) ? { event_type: type } : {})
})

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

/** Builds the handlers of `Events.ts`, and what applies events by them. */
export const makeEventAttempts = Effect.gen(function* () {
  const handlerOf = yield* makeHandlerOf
  const records = yield* EventRecords

  /** A stored event and its handler, or an outcome if it has none. */
  const prepare = (
    event: WebhookEvent
  ): { readonly handler: EventHandler; readonly event: EventToApply } | EventOutcome => {
    const handler = handlerOf(event)
    if ("foreign" in handler) return ignored(handler.foreign)
    const body = objectOfStored(event.payload)
    if (Option.isNone(body)) return ignored("the event holds no object")
    const { object } = body.value
    return { handler, event: { account: event.account ?? "", object, subject: subjectOf(event) } }
  }

  /** The effect of an event's own copy of its object. */
  const effectOf = (event: WebhookEvent): EventEffect => {
    const ready = prepare(event)
    if (!("handler" in ready)) return Effect.succeed(ready)
    const { apply } = ready.handler
    return apply === "fetched" ? Effect.succeed(ignored("the object has to be fetched")) : apply(ready.event)
  }

  /** What an event states, if that is all there is to apply. */
  const stated = (event: WebhookEvent) => {
    const ready = prepare(event)
    return "handler" in ready ? ready.handler.states?.(ready.event) : undefined
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
    return yield* records.finish([{ event, status: final, outcome: text, subject, names }], now)
  })

  /** After a failed attempt was rolled back: schedules a retry, or makes the event a dead letter. */
  const recordFailure = Effect.fnUntraced(function* (event: WebhookEvent, outcome: string, limit: number) {
    const now = yield* Clock.currentTimeMillis
    const { event_id, type, payment_session_id, booking_id } = event
    const attempts = event.attempts + 1
    const about = { event_id, type, attempts, outcome, payment_session_id, booking_id }
    const write = (text: string) =>
      attempts < limit ? records.postpone(event, text, now + backoff(attempts)) : records.deadLetter(event, text, now)
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
    yield* faultPoint("event applied, not marked")
    yield* mark(event, outcome)
    yield* faultPoint("event marked, not committed")
  })

  /** Handles the result of the transaction that applies an event. */
  const afterTry = Effect.fnUntraced(function* (event: WebhookEvent, result: Exit.Exit<void, SqlError.SqlError>) {
    if (Exit.isSuccess(result)) return
    if (Cause.hasInterruptsOnly(result.cause)) return yield* Effect.interrupt
    yield* recordFailure(event, failureText(result.cause), maxAttempts)
  })

  return { handlerOf, effectOf, stated, fetchObject, applyAndMark, afterTry, recordFailure }
})
export type EventAttempts = Effect.Success<typeof makeEventAttempts>
