/** Which provider events are ours to apply, and who applies them. One line here for each new kind of event. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Stripe } from "stripe"
import { AppConfig } from "../AppConfig.ts"
import { Operators } from "../catalogue/Operators.ts"
import { applyCheckoutSession, checkoutSessionEvents, type EventOutcome } from "./events/CheckoutSession.ts"
import { applyInvoicePaid, invoicePaidEvent } from "./events/InvoicePaid.ts"
import { PaymentSessions } from "./PaymentSessions.ts"
import { Settlement } from "./Settlement.ts"

export type Receiver = "platform" | "connected"

/** A stored event. */
export interface StoredEvent {
  readonly event_id: string
  readonly receiver: Receiver
  readonly type: string
  readonly account: string | null
  readonly livemode: boolean | null
  readonly api_version: string | null
  readonly payload: string
}

const Body = Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ object: Schema.Unknown }) }))
const decodeBody = Schema.decodeUnknownEffect(Body)

const ignored = (text: string): EventOutcome => ({ status: "ignored", text })

export class EventRouter extends Context.Service<
  EventRouter,
  {
    /** Why an event is not for this service, as far as its envelope tells; undefined where it may be. */
    readonly foreign: (event: Omit<StoredEvent, "event_id" | "payload">) => string | undefined
    /** Applies an event in the caller's transaction, or says why it is not ours. */
    readonly apply: (event: StoredEvent) => Effect.Effect<EventOutcome, SqlError.SqlError>
  }
>()("playroom/payment/EventRouter") {
  static readonly layer = Layer.effect(
    EventRouter,
    Effect.gen(function* () {
      const settings = yield* AppConfig
      const operators = yield* Operators
      const sessions = yield* PaymentSessions
      const settlement = yield* Settlement
      const livemode = settings.provider.kind === "stripe" && settings.provider.livemode

      const foreign = (event: Omit<StoredEvent, "event_id" | "payload">): string | undefined => {
        const { receiver, type } = event
        const used = receiver === "platform" ? type === invoicePaidEvent : checkoutSessionEvents.includes(type)
        if (!used) return `events of type ${type} are not used here`
        if (event.livemode !== livemode) return `livemode is ${event.livemode}, this service runs with ${livemode}`
        if (event.api_version !== Stripe.API_VERSION) {
          return `API version ${event.api_version ?? "(none)"}, this service reads ${Stripe.API_VERSION}`
        }
        if (event.receiver === "connected" && event.account === null)
          return "an event of connected accounts without an account"
        if (event.receiver === "platform" && event.account !== null)
          return `an event of the platform with account ${event.account}`
        return undefined
      }

      const object = (event: StoredEvent) =>
        Effect.map(decodeBody(event.payload), ({ data }) => Option.some(data.object)).pipe(
          Effect.catchTag("SchemaError", () => Effect.succeedNone)
        )

      const apply = Effect.fn("EventRouter.apply")(function* (
        event: StoredEvent
      ): Effect.fn.Return<EventOutcome, SqlError.SqlError> {
        const { account, type } = event
        const why = foreign(event)
        if (why !== undefined) return ignored(why)
        const found = yield* object(event)
        if (Option.isNone(found)) return ignored("the event holds no object")
        if (account === null) return yield* applyInvoicePaid(operators, found.value)
        return yield* applyCheckoutSession({ sessions, operators, settlement }, { type, account, object: found.value })
      })

      return EventRouter.of({ foreign, apply })
    })
  )
}
