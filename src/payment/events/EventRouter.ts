/** Which provider events are ours to apply, and who applies them. One line here for each new kind of event. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Stripe } from "stripe"
import { AppConfig } from "../../AppConfig.ts"
import { Operators } from "../../catalogue/Operators.ts"
import type { PaymentSessionId } from "../../kernel/Ids.ts"
import { checkoutSessionEvents } from "./CheckoutSession.ts"
import {
  type Applying,
  type EventHandler,
  type EventKind,
  type EventOutcome,
  type EventToApply,
  ignored,
  type Thread
} from "./EventHandler.ts"
import { invoicePaidEvents } from "./InvoicePaid.ts"
import { type GatewayError, PaymentGateway } from "../provider/PaymentGateway.ts"
import type { EventName, Receiver } from "../provider/Receivers.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { Settlement } from "../settlement/Settlement.ts"

const kinds: ReadonlyArray<EventKind> = [checkoutSessionEvents, invoicePaidEvents]

const typesFor = (receiver: Receiver) =>
  kinds.filter((kind) => kind.receiver === receiver).flatMap(({ types }) => types)

/** The types of events that are used, by receiver: what the provider's endpoints have to send. */
export const usedEvents: Readonly<Record<Receiver, ReadonlyArray<EventName>>> = {
  platform: typesFor("platform"),
  connected: typesFor("connected")
}

/** What an event says of itself before its object. */
export interface Envelope {
  readonly receiver: Receiver
  readonly type: string
  readonly account: string | null
  readonly livemode: boolean | null
  readonly api_version: string | null
}

/** A stored event. */
export interface StoredEvent extends Envelope {
  readonly event_id: string
  readonly payload: string
  readonly thread: Thread | undefined
}

/** `asked`: its object is not to be read, but asked for. */
export type Addressed =
  | { readonly foreign: string }
  | { readonly names: PaymentSessionId | undefined; readonly asked: boolean }

const Body = Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ object: Schema.Unknown }) }))
const decodeBody = Schema.decodeUnknownOption(Body)

export class EventRouter extends Context.Service<
  EventRouter,
  {
    /** Why an event is not for this service, as far as it tells itself; or the payment session that it names, if any. */
    readonly addressed: (event: Envelope, object: unknown) => Addressed
    /** Applies an event as it stands, in the caller's transaction, or says why it is not ours. */
    readonly apply: (event: StoredEvent) => Applying
    /** Asks the provider for an event's object, outside any transaction; answers how that is applied. */
    readonly ask: (event: StoredEvent) => Effect.Effect<Applying, GatewayError | SqlError.SqlError>
  }
>()("playroom/payment/EventRouter") {
  static readonly layer = Layer.effect(
    EventRouter,
    Effect.gen(function* () {
      const settings = yield* AppConfig
      const operators = yield* Operators
      const sessions = yield* PaymentSessions
      const settlement = yield* Settlement
      const gateway = yield* PaymentGateway
      const livemode = settings.provider.kind === "stripe" && settings.provider.livemode
      const services = { sessions, operators, settlement, gateway }
      const handlers = kinds.map(({ handler, receiver, types }) => ({ receiver, types, handler: handler(services) }))

      const handlerOf = (event: Envelope): EventHandler | { readonly foreign: string } => {
        const { receiver, type } = event
        const found = handlers.find((one) => one.receiver === receiver && one.types.some((name) => name === type))
        if (found === undefined) return { foreign: `events of type ${type} are not used here` }
        if (event.livemode !== livemode)
          return { foreign: `livemode is ${event.livemode}, this service runs with ${livemode}` }
        if (receiver === "connected" && event.account === null)
          return { foreign: "an event of connected accounts without an account" }
        if (receiver === "platform" && event.account !== null)
          return { foreign: `an event of the platform with account ${event.account}` }
        return found.handler
      }

      const addressed = (event: Envelope, object: unknown): Addressed => {
        const handler = handlerOf(event)
        if ("foreign" in handler) return handler
        const addressee = handler.addressee(object)
        if ("foreign" in addressee) return addressee
        return { names: addressee.names, asked: event.api_version !== Stripe.API_VERSION }
      }

      const prepared = <A, E>(
        event: StoredEvent,
        run: (handler: EventHandler, event: EventToApply) => Effect.Effect<A, E>,
        without: (outcome: EventOutcome) => A
      ): Effect.Effect<A, E> => {
        const handler = handlerOf(event)
        if ("foreign" in handler) return Effect.succeed(without(ignored(handler.foreign)))
        const body = decodeBody(event.payload)
        if (Option.isNone(body)) return Effect.succeed(without(ignored("the event holds no object")))
        const { type, account, thread } = event
        return run(handler, { type, account: account ?? "", object: body.value.data.object, thread })
      }

      return EventRouter.of({
        addressed,
        apply: Effect.fn("EventRouter.apply")((event: StoredEvent) =>
          prepared(
            event,
            (handler, toApply) => handler.apply(toApply),
            (outcome) => outcome
          )
        ),
        ask: Effect.fn("EventRouter.ask")((event: StoredEvent) =>
          prepared(
            event,
            (handler, toApply) => handler.ask(toApply),
            (outcome) => Effect.succeed(outcome)
          )
        )
      })
    })
  )
}
