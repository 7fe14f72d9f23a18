/**
 * `checkout.session.*` events of connected accounts: what they say of a payment session of ours. The shapes are the provider's
 * (https://docs.stripe.com/api/checkout/sessions/object); only the fields that matter are read.
 */
import { Effect, Option, Schema, Struct } from "effect"
import type { SqlError } from "effect/sql"
import { PaymentSessionId } from "../../kernel/Ids.ts"
import type { ProviderSession } from "../provider/PaymentGateway.ts"
import type { EventName } from "../provider/Receivers.ts"
import { type Fact, factOf, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { fromProviderAmount } from "../provider/ProviderAmount.ts"
import { ProviderId, ProviderWord } from "../provider/ProviderText.ts"
import type { Outcome } from "../settlement/Settlement.ts"
import {
  type EventHandler,
  type EventKind,
  type EventOutcome,
  type EventServices,
  type EventToApply,
  ignored,
  type Thread
} from "./EventHandler.ts"

/** The fact that an event of this type states. `completed` alone leaves it to the session's own payment status. */
const facts = {
  "checkout.session.completed": (session) => factOf({ ...session, status: "complete" }),
  "checkout.session.async_payment_succeeded": () => "paid",
  "checkout.session.async_payment_failed": () => "failed",
  "checkout.session.expired": () => "expired"
} satisfies { readonly [Name in EventName]?: (session: ProviderSession) => Fact }
const factsOfType: Readonly<Record<string, (session: ProviderSession) => Fact>> = facts

const NullableWord = Schema.NullOr(ProviderWord)

const CheckoutSession = Schema.Struct({
  id: ProviderId,
  status: Schema.optionalKey(NullableWord),
  payment_status: ProviderWord,
  amount_total: Schema.NullOr(Schema.Finite),
  currency: NullableWord,
  payment_intent: Schema.optionalKey(Schema.NullOr(Schema.Union([ProviderId, Schema.Struct({ id: ProviderId })]))),
  expires_at: Schema.Int,
  livemode: Schema.Boolean
})
const decode = Schema.decodeUnknownOption(CheckoutSession)

// Read of every release's objects, so each alone: another release may have changed what the others look like.
const Named = Schema.decodeUnknownOption(Schema.Struct({ id: ProviderId }))
const Reference = Schema.decodeUnknownOption(Schema.Struct({ client_reference_id: PaymentSessionId }))
const Metadata = Schema.decodeUnknownOption(
  Schema.Struct({ metadata: Schema.Struct({ payment_session_id: PaymentSessionId }) })
)

/** The payment session of ours that an object names. The reference goes first: the operator can't change it. */
const ownId = (object: unknown): PaymentSessionId | undefined =>
  Option.getOrUndefined(
    Option.orElse(
      Option.map(Reference(object), ({ client_reference_id }) => client_reference_id),
      () => Option.map(Metadata(object), ({ metadata }) => metadata.payment_session_id)
    )
  )

/** The event's object as the gateway would answer it; none where it is no checkout session. */
const readCheckoutSession = (object: unknown): Option.Option<ProviderSession> =>
  Option.map(decode(object), (found) => {
    const intent = typeof found.payment_intent === "string" ? found.payment_intent : found.payment_intent?.id
    const own = ownId(object)
    const currency = (found.currency ?? "").toUpperCase()
    return {
      id: found.id,
      status: found.status ?? "complete",
      payment_status: found.payment_status,
      amount_total: currency === "" ? -1 : fromProviderAmount(found.amount_total ?? -1, currency),
      currency,
      expires_at: found.expires_at,
      livemode: found.livemode,
      ...(intent === undefined ? {} : { payment_intent_id: intent }),
      ...(own === undefined ? {} : { payment_session_id: own })
    }
  })

const told = ({ booking_id, payment_session_id }: Thread, { status, text }: Outcome): EventOutcome => ({
  status,
  text: `${payment_session_id} of ${booking_id}: ${text}`,
  thread: { payment_session_id, booking_id }
})

const handler = ({ gateway, operators, sessions, settlement }: EventServices): EventHandler => {
  /** The session that the event is of, or what becomes of an event of none. */
  const find = Effect.fnUntraced(function* (
    { account, object, thread }: EventToApply,
    provider_session_id: string
  ): Effect.fn.Return<Thread | EventOutcome, SqlError.SqlError> {
    if (thread !== undefined) return thread
    const own = ownId(object)
    let found: Option.Option<PaymentSessionRow> = yield* sessions.findByProviderId(provider_session_id)
    if (Option.isNone(found) && own !== undefined) found = yield* sessions.find(own)
    if (Option.isSome(found) && found.value.account === account) return found.value
    const operator = yield* operators.byConnectedAccount(account)
    if (Option.isNone(operator)) return ignored(`account ${account} is not of an operator of ours`)
    if (Option.isNone(found)) {
      return own === undefined
        ? ignored(`session ${provider_session_id} is not ours`)
        : { status: "later", text: `payment session ${own} is not known (yet)` }
    }
    const why = `an event of account ${account}, the session is of ${found.value.account}`
    return told(found.value, yield* settlement.flag(found.value, why))
  })

  const settle = Effect.fnUntraced(function* (thread: Thread, fact: Fact, said: ProviderSession) {
    return told(thread, yield* settlement.apply(thread, fact, said))
  })

  const apply = Effect.fn("CheckoutSession.apply")(function* (
    event: EventToApply
  ): Effect.fn.Return<EventOutcome, SqlError.SqlError> {
    const read = readCheckoutSession(event.object)
    const fact = factsOfType[event.type]
    if (Option.isNone(read) || fact === undefined)
      return ignored("the object is no checkout session that we understand")
    const found = yield* find(event, read.value.id)
    return "booking_id" in found ? yield* settle(found, fact(read.value), read.value) : found
  })

  const ask = Effect.fn("CheckoutSession.ask")(function* (event: EventToApply) {
    const named = Named(event.object)
    if (Option.isNone(named)) return Effect.succeed(ignored("the event names no checkout session"))
    const found = yield* find(event, named.value.id)
    // Nothing is asked about sessions that are not ours.
    if (!("booking_id" in found)) return Effect.succeed(found)
    const said = yield* gateway.getSession(event.account, named.value.id)
    // What the provider has now stands, whatever the event was sent for.
    return settle(found, factOf(said), said)
  })

  return {
    addressee: (object) => {
      const names = ownId(object)
      return names === undefined ? { foreign: "the session names no payment session of ours" } : { names }
    },
    apply,
    ask
  }
}

/** `checkout.session.*` */
export const checkoutSessionEvents: EventKind = { receiver: "connected", types: Struct.keys(facts), handler }
