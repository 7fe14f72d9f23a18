/**
 * Events of refunds and disputes: a refund in the provider's dashboard, one that fails after it succeeded, a dispute
 * that is opened, lost or won. Each is only a notice that what went back of a payment may have changed. It makes the
 * payment's refund check due, in which the provider is asked (`workers/Reconciliation.ts`). Nothing that the event says
 * counts, except which payment it is about.
 */
import { Cache, Clock, Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Operators } from "../../catalogue/Operators.ts"
import { type GatewayError, PaymentGateway, PaymentPart } from "../provider/PaymentGateway.ts"
import { ProviderId } from "../provider/ProviderSchema.ts"
import { readPaymentOf } from "../provider/StripeMessages.ts"
import { minRefundCheckIntervalMs, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { sessionNamed } from "./EventBody.ts"
import { type EventHandler, type EventOutcome, type EventToApply, ignored } from "./EventHandler.ts"

// Read one by one, from objects of any API release.
const Part = Schema.decodeUnknownOption(Schema.Struct({ id: ProviderId, object: PaymentPart }))
const paymentNamed = (object: unknown): string => Option.getOrElse(readPaymentOf(object), () => "")

const maxPayments = 1000
/**
 * Attempts for an event whose payment is unknown: half a minute. Operators refund other sales than ours, and a lost
 * notice only delays the check.
 */
const maxAttemptsUnknown = 5

/** The handler of all these types. */
export const refundOrDispute = Effect.gen(function* () {
  const gateway = yield* PaymentGateway
  const operators = yield* Operators
  const sessions = yield* PaymentSessions
  /** The payment of each object that thin events named: it never changes. */
  const payments = yield* Cache.makeWith(
    (of: { readonly account: string; readonly kind: PaymentPart; readonly id: string }) =>
      gateway.paymentOf(of.account, of.kind, of.id),
    { capacity: maxPayments, timeToLive: ({ _tag }) => (_tag === "Success" ? "1 day" : 0) }
  )

  const notice = Effect.fnUntraced(function* (session: PaymentSessionRow, now: number) {
    const { booking_id, checked_at, payment_session_id } = session
    // However many events come, the provider is asked once in a while.
    const at = Math.max(now, (checked_at ?? 0) + minRefundCheckIntervalMs)
    yield* sessions.checkRefundsBy(payment_session_id, at)
    return {
      status: "applied",
      text: `${payment_session_id} of ${booking_id}: the provider is asked what went back of it`,
      subject: { payment_session_id, booking_id }
    } satisfies EventOutcome
  })

  /** `payment`: the provider's id of the payment, if it is known; "" otherwise. */
  const applyTo = Effect.fn("RefundOrDispute.apply")(function* (
    { account, object, subject }: EventToApply,
    payment: string
  ): Effect.fn.Return<EventOutcome, SqlError.SqlError> {
    const own = subject?.payment_session_id ?? sessionNamed(object)
    const ofPayment = payment === "" ? [] : yield* sessions.ofPayments([payment])
    const named = own === undefined ? Option.none() : yield* sessions.find(own)
    const found = [...ofPayment, ...Option.toArray(named)].find((session) => session.account === account)
    if (found !== undefined) return yield* notice(found, yield* Clock.currentTimeMillis)
    if (!(yield* operators.isKnownAccount(account))) return ignored(`account ${account} is not of an operator of ours`)
    if (payment === "") return ignored("the object names no payment")
    return { status: "later", text: `payment ${payment} is not known (yet)`, attempts: maxAttemptsUnknown }
  })

  const apply = (event: EventToApply) => applyTo(event, paymentNamed(event.object))

  const fetch = Effect.fn("RefundOrDispute.fetch")(function* (
    event: EventToApply
  ): Effect.fn.Return<Effect.Effect<EventOutcome, SqlError.SqlError>, GatewayError | SqlError.SqlError> {
    const { account, object } = event
    const named = paymentNamed(object)
    const part = Part(object)
    if (named !== "" || Option.isNone(part)) return applyTo(event, named)
    // The payment may be on an account that its operator has left.
    if (!(yield* operators.isKnownAccount(account))) return applyTo(event, "")
    return yield* Cache.get(payments, { account, kind: part.value.object, id: part.value.id }).pipe(
      Effect.map((payment) => applyTo(event, payment)),
      Effect.catchTag("ProviderRefused", ({ message }) =>
        Effect.succeed(Effect.succeed(ignored(`the provider does not say which payment it is of: ${message}`)))
      )
    )
  })

  const identify: EventHandler["identify"] = (object) => {
    const payment_session_id = sessionNamed(object)
    return payment_session_id === undefined && paymentNamed(object) === ""
      ? { foreign: "the object names no payment" }
      : { payment_session_id, envelopeOnly: true }
  }
  return { identify, apply, fetch } satisfies EventHandler
})
