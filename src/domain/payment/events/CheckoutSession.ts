/**
 * `checkout.session.*` events of connected accounts, and events of payments that were declined: their effect on our
 * payment sessions. The shapes are the provider's (https://docs.stripe.com/api/checkout/sessions/object). Only the
 * fields in use are read.
 */
import { Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Operators } from "../../catalogue/Operators.ts"
import { PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { type GatewayError, PaymentGateway, type ProviderSession } from "../provider/PaymentGateway.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { ProviderId } from "../provider/ProviderSchema.ts"
import { readSession } from "../provider/StripeMessages.ts"
import { type Fact, factOf } from "../settlement/SessionFacts.ts"
import { Settlement } from "../settlement/Settlement.ts"
import { bookingNamed, sessionNamed } from "./EventBody.ts"
import {
  type EventEffect,
  type EventHandler,
  type EventOutcome,
  type EventSubject,
  type EventToApply,
  ignored,
  outcomeAbout
} from "./EventHandler.ts"

// These are read one by one from objects of any API release: another release may have changed the other fields.
const Named = Schema.decodeUnknownOption(Schema.Struct({ id: ProviderId }))
const isOwnId = Schema.is(PaymentSessionId)

/** Facts of sessions that have no money and expect none. */
const unpaidFacts = new Set<Fact>(["open", "failed", "expired"])

/** The handler of a type of event that states `factOfEvent`. */
const handler = (factOfEvent: (session: ProviderSession) => Fact) =>
  Effect.gen(function* () {
    const gateway = yield* PaymentGateway
    const operators = yield* Operators
    const sessions = yield* PaymentSessions
    const settlement = yield* Settlement

    /** The session that the event is about, or the event's outcome if there is none. */
    const find = Effect.fnUntraced(function* (
      { account, object, subject }: EventToApply,
      provider_session_id: string,
      fact: Fact
    ): Effect.fn.Return<EventSubject | EventOutcome, SqlError.SqlError> {
      if (subject !== undefined) return subject
      const own = sessionNamed(object)
      let found: Option.Option<PaymentSessionRow> = yield* sessions.findByProviderId(provider_session_id)
      if (Option.isNone(found) && own !== undefined) found = yield* sessions.find(own)
      if (Option.isSome(found) && found.value.account === account) return found.value
      if (!(yield* operators.isKnownAccount(account)))
        return ignored(`account ${account} is not of an operator of ours`)
      if (Option.isNone(found)) {
        if (own === undefined) return ignored(`session ${provider_session_id} is not ours`)
        const text = `payment session ${own} is not known (yet)`
        const booking = bookingNamed(object)
        if (unpaidFacts.has(fact) || booking === undefined) return { status: "later", text }
        // After a restored backup, there may be money without a booking.
        return { status: "later", text, fallback: "rejected", names: booking }
      }
      const why = `an event of account ${account}, the session is of ${found.value.account}`
      return outcomeAbout(found.value, yield* settlement.flag(found.value, why))
    })

    const settle = Effect.fnUntraced(function* (subject: EventSubject, session: ProviderSession, fact: Fact) {
      return outcomeAbout(subject, yield* settlement.settle(subject, session, fact))
    })

    const apply = Effect.fnUntraced(function* (event: EventToApply): Effect.fn.Return<EventOutcome, SqlError.SqlError> {
      const read = readSession(event.object)
      if (Option.isNone(read)) return ignored("the object is no checkout session that we understand")
      const fact = factOfEvent(read.value)
      const found = yield* find(event, read.value.id, fact)
      return "booking_id" in found ? yield* settle(found, read.value, fact) : found
    })

    /**
     * Asks whose a session is that a thin event names, of an operator's account: our own row may not have the provider's
     * id yet, or be lost. Other events have told it themselves.
     */
    const whose = Effect.fnUntraced(function* (event: EventToApply, id: string, outcome: EventOutcome) {
      const told = sessionNamed(event.object) !== undefined || outcome.status !== "ignored"
      if (told || !(yield* operators.isKnownAccount(event.account))) return Effect.succeed(outcome)
      const { metadata, session } = yield* gateway.describeSession(event.account, id)
      const object = { id, client_reference_id: session.payment_session_id, metadata }
      const fact = factOf(session)
      const found = yield* find({ ...event, object }, id, fact)
      return "booking_id" in found ? settle(found, session, fact) : Effect.succeed(found)
    })

    const fetch = Effect.fn("CheckoutSession.fetch")(function* (event: EventToApply) {
      const named = Named(event.object)
      if (Option.isNone(named)) return Effect.succeed(ignored("the event names no checkout session"))
      const read = readSession(event.object)
      const found = yield* find(event, named.value.id, Option.isSome(read) ? factOfEvent(read.value) : "unknown")
      // Don't ask the provider about sessions that aren't ours.
      if (!("booking_id" in found)) return yield* whose(event, named.value.id, found)
      const session = yield* gateway.getSession(event.account, named.value.id)
      // The provider's current state counts, whatever the event said.
      return settle(found, session, factOf(session))
    })

    const identify: EventHandler["identify"] = (object) => {
      const payment_session_id = sessionNamed(object)
      return payment_session_id === undefined
        ? { foreign: "the session names no payment session of ours" }
        : { payment_session_id }
    }
    return { identify, apply, fetch } satisfies EventHandler
  })

/** The payer finished the page. The session's payment status says whether it is paid. */
export const sessionCompleted = handler((session) => factOf({ ...session, status: "complete" }))
/** A delayed payment arrived. */
export const sessionPaid = handler(() => "paid")
/** A delayed payment failed. */
export const sessionFailed = handler(() => "failed")
/** The page closed unpaid. */
export const sessionExpired = handler(() => "expired")

/** Attempts for an event whose session is unknown: half a minute. A lost notice is learnt by the next reader. */
const maxAttemptsUnknown = 5

/**
 * Payments that were declined. A decline leaves the checkout session open, so the session has no event of it: the
 * payment has (https://docs.stripe.com/api/events/types). The event is only a notice. The session is fetched with its
 * payment, and tells the last try (`SessionFacts.ts`).
 */
export const declinedPayment = Effect.gen(function* () {
  const gateway = yield* PaymentGateway
  const operators = yield* Operators
  const sessions = yield* PaymentSessions
  const settlement = yield* Settlement

  /** Our session that the payment names. A thin event has no metadata: its payment is asked. */
  const named = Effect.fnUntraced(function* ({ account, object, subject }: EventToApply) {
    const known = subject?.payment_session_id ?? sessionNamed(object)
    if (known !== undefined) return known
    const payment = Option.getOrUndefined(Named(object))
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
    const payment_session_id = sessionNamed(object)
    return payment_session_id === undefined
      ? { foreign: "the payment names no payment session of ours" }
      : { payment_session_id, fetch: true, envelopeOnly: true }
  }
  return { identify, fetch } satisfies EventHandler
})
