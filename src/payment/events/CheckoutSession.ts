/**
 * `checkout.session.*` events of connected accounts: what they say of a payment session of ours. The shapes are the provider's
 * (https://docs.stripe.com/api/checkout/sessions/object); only the fields that matter are read.
 */
import { Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Operators } from "../../catalogue/Operators.ts"
import { PaymentSessionId } from "../../kernel/Ids.ts"
import type { ProviderSession } from "../PaymentGateway.ts"
import { type Fact, factOf } from "../PaymentSession.ts"
import type { PaymentSessions } from "../PaymentSessions.ts"
import { fromProviderAmount } from "../ProviderAmount.ts"
import type { Outcome, Settlement } from "../Settlement.ts"

/** The fact that an event of this type states. `completed` alone leaves it to the session's own payment status. */
const factsOfType: Readonly<Record<string, (session: ProviderSession) => Fact>> = {
  "checkout.session.completed": (session) => factOf({ ...session, status: "complete" }),
  "checkout.session.async_payment_succeeded": () => "paid",
  "checkout.session.async_payment_failed": () => "failed",
  "checkout.session.expired": () => "expired"
}

export const checkoutSessionEvents: ReadonlyArray<string> = Object.keys(factsOfType)

const NullableString = Schema.NullOr(Schema.String)

const CheckoutSession = Schema.Struct({
  id: Schema.NonEmptyString,
  status: Schema.optionalKey(NullableString),
  payment_status: Schema.String,
  amount_total: Schema.NullOr(Schema.Finite),
  currency: NullableString,
  payment_intent: Schema.optionalKey(
    Schema.NullOr(Schema.Union([Schema.String, Schema.Struct({ id: Schema.String })]))
  ),
  expires_at: Schema.Int,
  livemode: Schema.Boolean,
  client_reference_id: Schema.optionalKey(NullableString),
  metadata: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String)))
})

const decode = Schema.decodeUnknownOption(CheckoutSession)
const isOurId = Schema.is(PaymentSessionId)

/** The event's object as the gateway would answer it; none where it is no checkout session. */
export const readCheckoutSession = (object: unknown): Option.Option<ProviderSession> =>
  Option.map(decode(object), (found) => {
    const intent = typeof found.payment_intent === "string" ? found.payment_intent : found.payment_intent?.id
    const own = found.metadata?.["payment_session_id"] ?? found.client_reference_id
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
      ...(typeof own === "string" ? { payment_session_id: own } : {})
    }
  })

/** `later`: our own row may not be committed yet; the event is tried again. */
export type EventOutcome = Outcome | { readonly status: "later"; readonly text: string }

const ignored = (text: string): EventOutcome => ({ status: "ignored", text })

/** Applies a `checkout.session.*` event of `account`. Its envelope has been checked by the inbox. */
export const applyCheckoutSession = Effect.fn("applyCheckoutSession")(function* (
  services: {
    readonly sessions: PaymentSessions["Service"]
    readonly operators: Operators["Service"]
    readonly settlement: Settlement["Service"]
  },
  event: { readonly type: string; readonly account: string; readonly object: unknown }
): Effect.fn.Return<EventOutcome, SqlError.SqlError> {
  const read = readCheckoutSession(event.object)
  if (Option.isNone(read)) return ignored("the object is no checkout session that we understand")
  const said = read.value
  const own = said.payment_session_id
  let found = yield* services.sessions.findByProviderId(said.id)
  if (Option.isNone(found) && isOurId(own)) found = yield* services.sessions.find(own)
  const operator = yield* services.operators.byConnectedAccount(event.account)
  if (Option.isNone(found)) {
    if (Option.isNone(operator)) return ignored(`account ${event.account} is not of an operator of ours`)
    return isOurId(own)
      ? { status: "later", text: `payment session ${own} is not known (yet)` }
      : ignored(`session ${said.id} is not ours`)
  }
  const session = found.value
  if (session.account !== event.account) {
    if (Option.isNone(operator)) return ignored(`account ${event.account} is not of an operator of ours`)
    return yield* services.settlement.flag(
      session,
      `an event of account ${event.account}, the session is of ${session.account}`
    )
  }
  const fact = factsOfType[event.type]
  if (fact === undefined) return ignored(`events of type ${event.type} are not used`)
  return yield* services.settlement.apply(session.payment_session_id, fact(said), said)
})
