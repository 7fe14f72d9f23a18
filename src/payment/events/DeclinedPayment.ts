/**
 * Events of payments that were declined. A decline leaves the checkout session open, so the session has no event of it:
 * the payment has (https://docs.stripe.com/api/events/types). The event is only a notice. The session is fetched with its
 * payment, and tells the last try (`SessionFacts.ts`).
 */
import { Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Operators } from "../../catalogue/Operators.ts"
import { PaymentSessionId } from "../../kernel/Ids.ts"
import { type GatewayError, PaymentGateway } from "../provider/PaymentGateway.ts"
import { ProviderId } from "../provider/ProviderSchema.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { Settlement } from "../settlement/Settlement.ts"
import { type EventEffect, type EventHandler, type EventToApply, ignored, outcomeAbout } from "./EventHandler.ts"

const Payment = Schema.decodeUnknownOption(Schema.Struct({ id: ProviderId }))
const Metadata = Schema.decodeUnknownOption(
  Schema.Struct({ metadata: Schema.Struct({ payment_session_id: PaymentSessionId }) })
)
const ownId = (object: unknown): PaymentSessionId | undefined =>
  Option.getOrUndefined(Metadata(object))?.metadata.payment_session_id
const isOwnId = Schema.is(PaymentSessionId)

/** Attempts for an event whose session is unknown: half a minute. A lost notice is learnt by the next reader. */
const maxAttemptsUnknown = 5

/** The handler. */
export const declinedPayment = Effect.gen(function* () {
  const gateway = yield* PaymentGateway
  const operators = yield* Operators
  const sessions = yield* PaymentSessions
  const settlement = yield* Settlement

  /** Our session that the payment names. A thin event has no metadata: its payment is asked. */
  const named = Effect.fnUntraced(function* ({ account, object, subject }: EventToApply) {
    const known = subject?.payment_session_id ?? ownId(object)
    if (known !== undefined) return known
    const payment = Option.getOrUndefined(Payment(object))
    if (payment === undefined || !(yield* operators.isKnownAccount(account))) return undefined
    const told = yield* gateway.sessionNamedBy(account, payment.id)
    return isOwnId(told) ? told : undefined
  })

  const fetch = Effect.fn("DeclinedPayment.fetch")(function* (
    event: EventToApply
  ): Effect.fn.Return<EventEffect, GatewayError | SqlError.SqlError> {
    const { account } = event
    const own = yield* named(event)
    if (own === undefined) return Effect.succeed(ignored("the payment is not of a session of ours"))
    const session = Option.filter(yield* sessions.find(own), (found) => found.account === account)
    const provider_session_id = Option.getOrUndefined(session)?.provider_session_id ?? undefined
    if (Option.isNone(session) || provider_session_id === undefined) {
      const text = `payment session ${own} is not known (yet)`
      return Effect.succeed({ status: "later" as const, text, attempts: maxAttemptsUnknown })
    }
    const answer = yield* gateway.getSession(account, provider_session_id)
    const subject = { booking_id: session.value.booking_id, payment_session_id: own }
    return Effect.map(settlement.settle(subject, answer), (outcome) => outcomeAbout(subject, outcome))
  })

  const identify: EventHandler["identify"] = (object) => {
    const payment_session_id = ownId(object)
    return payment_session_id === undefined
      ? { foreign: "the payment names no payment session of ours" }
      : { payment_session_id }
  }
  return { identify, apply: "fetched", fetch, envelopeOnly: true } satisfies EventHandler
})
