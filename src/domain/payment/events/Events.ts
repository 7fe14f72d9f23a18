/**
 * The provider events that this service handles: the contract between the inbox and a handler, the handlers, and the
 * list of types at the end. To add a type, write a handler and add a line to `events`. Then run
 * `playroom provider setup`, so that the provider's endpoints send it.
 */
import { Cache, Clock, Effect, Layer, Option, Schema, Struct } from "effect"
import type { SqlError } from "effect/sql"
import { type BookingId, PaymentSessionId } from "../../../platform/ids/Ids.ts"
import {
  type ConnectedAccount,
  type GatewayError,
  PaymentGateway,
  PaymentPart,
  type ProviderInvoice,
  type ProviderSession
} from "../provider/PaymentGateway.ts"
import { type Fact, factOf, type Outcome, Settlement } from "../settlement/Settlement.ts"
import { Operators, type SubscriptionCheck } from "../../catalogue/Operators.ts"
import { minRefundCheckIntervalMs, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { ProviderId, readInvoice, readPaymentOf, readSession } from "../provider/StripeMessages.ts"
import { bookingNamed, sessionNamed } from "./EventBody.ts"
import { maxPaidAheadMs } from "../../catalogue/Operator.ts"
import { dayMs } from "../../../platform/time/LocalTime.ts"
import { type VoucherSale, VoucherSales } from "../settlement/VoucherSales.ts"
import type { EventName, Receiver } from "../provider/Receivers.ts"

/** The payment session, and its booking, that an event is about. */
export interface EventSubject {
  readonly payment_session_id: PaymentSessionId
  readonly booking_id: BookingId
}

/**
 * The outcome of an event. `later`: our own row may not be committed yet, so the event is retried. After the last retry
 * its status is `fallback`.
 */
export type EventOutcome = {
  readonly status: Outcome["status"] | "later"
  readonly text: string
  /** `ignored` if absent. */
  readonly fallback?: "ignored" | "rejected"
  /** How many attempts a `later` gets; absent: as many as a payment is waited for. */
  readonly attempts?: number
  /** The booking that the event names, if its payment session is unknown. Only the event's envelope is kept then. */
  readonly names?: BookingId
  /** Absent if it was not found. */
  readonly subject?: EventSubject
}

/** The outcome of an event that is not ours, or that we can't read. */
export const ignored = (text: string): EventOutcome => ({ status: "ignored", text })

/** The outcome of an event about a known session. */
const outcomeAbout = ({ booking_id, payment_session_id }: EventSubject, { status, text }: Outcome): EventOutcome => ({
  status,
  text: `${payment_session_id} of ${booking_id}: ${text}`,
  subject: { payment_session_id, booking_id }
})

/**
 * The event isn't ours. It is stored as `ignored`, without a booking, and only its envelope is kept. The reason is for
 * `webhook list`.
 */
export interface Foreign {
  readonly foreign: string
}

/** The event is ours. */
export interface Identified {
  /** The payment session that it names, which may not exist. Absent: it is about none, or does not name it. */
  readonly payment_session_id?: PaymentSessionId | undefined
  /** Its copy of the object says too little, so the object is fetched. Default: false. */
  readonly fetch?: boolean
  /** Only its envelope is stored: it names all that the handler needs. Default: false. */
  readonly envelopeOnly?: boolean
}

/** An event as its handler sees it. */
export interface EventToApply {
  /** The connected account; empty for events of the platform's account. */
  readonly account: string
  /** The event's own copy of the object, as the provider had it when the event was made. */
  readonly object: unknown
  /** The session of this account that the event names, if it was known when the event was stored. */
  readonly subject: EventSubject | undefined
}

/**
 * Applies an event and returns its outcome. The caller's transaction stores the outcome too. An effect must be
 * idempotent and independent of order: it may run again after a failure, a crash, `playroom webhook retry`, or a second
 * event with the same content. It calls nothing outside the database.
 */
export type EventEffect = Effect.Effect<EventOutcome, SqlError.SqlError>

/** How events of one type are handled. */
export interface EventHandler {
  /**
   * Tells whose an event is and what has to be done with it, before it is stored. It reads only the object of a
   * snapshot event, which may be from any release of the provider's API.
   */
  readonly identify: (object: unknown) => Foreign | Identified
  /**
   * Applies the event's own copy of the object. It is of the API release that this service was written for. Absent:
   * `identify` has each object fetched.
   */
  readonly apply?: (event: EventToApply) => EventEffect
  /**
   * Fetches the current object from the provider (a `get…` of `PaymentGateway`), outside any transaction; returns the
   * effect that applies it. For events without a usable copy: a thin event, one of another API release, or one whose
   * copy was not kept.
   */
  readonly fetch: (event: EventToApply) => Effect.Effect<EventEffect, GatewayError | SqlError.SqlError>
}

// Objects of events may be of any API release. Only the fields in use are read, one by one: another release may have
// changed the others.
const Named = Schema.decodeUnknownOption(Schema.Struct({ id: ProviderId }))
const Part = Schema.decodeUnknownOption(Schema.Struct({ id: ProviderId, object: PaymentPart }))
const paymentNamed = (object: unknown): string => Option.getOrElse(readPaymentOf(object), () => "")

/**
 * Attempts for an event whose session or payment is unknown, if it is only a notice: half a minute. Operators have
 * other sales than ours, and a lost notice is learnt by the next reader or refund check.
 */
const maxAttemptsUnknown = 5

// `checkout.session.*` events of connected accounts (https://docs.stripe.com/api/checkout/sessions/object).

const isOwnId = Schema.is(PaymentSessionId)

/** The sale of a gift voucher that an event is about. */
interface OfSale {
  readonly sale: VoucherSale
}
const isSubject = (found: EventSubject | OfSale | EventOutcome): found is EventSubject | OfSale =>
  "booking_id" in found || "sale" in found

/** Facts of sessions that have no money and expect none. */
const unpaidFacts = new Set<Fact>(["open", "failed", "expired"])

/** The handler of a type of event that states `factOfEvent`. */
const handler = (factOfEvent: (session: ProviderSession) => Fact) =>
  Effect.gen(function* () {
    const gateway = yield* PaymentGateway
    const operators = yield* Operators
    const sessions = yield* PaymentSessions
    const settlement = yield* Settlement
    const sales = yield* VoucherSales

    /** The session that the event is about, or the event's outcome if there is none. */
    const find = Effect.fnUntraced(function* (
      { account, object, subject }: EventToApply,
      provider_session_id: string,
      fact: Fact
    ): Effect.fn.Return<EventSubject | OfSale | EventOutcome, SqlError.SqlError> {
      if (subject !== undefined) return subject
      const own = sessionNamed(object)
      const sale = yield* sales.named(account, { provider_session_id, payment_session_id: own })
      if (Option.isSome(sale)) return { sale: sale.value }
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

    const settle = Effect.fnUntraced(function* (subject: EventSubject | OfSale, session: ProviderSession, fact: Fact) {
      if ("sale" in subject) {
        const { payment_session_id, voucher_id } = subject.sale
        const { status, text } = yield* sales.settle(payment_session_id, session, fact)
        return { status, text: `${payment_session_id} of ${voucher_id}: ${text}` } satisfies EventOutcome
      }
      return outcomeAbout(subject, yield* settlement.settle(subject, session, fact))
    })

    const apply = Effect.fnUntraced(function* (event: EventToApply): Effect.fn.Return<EventOutcome, SqlError.SqlError> {
      const read = readSession(event.object)
      if (Option.isNone(read)) return ignored("the object is no checkout session that we understand")
      const fact = factOfEvent(read.value)
      const found = yield* find(event, read.value.id, fact)
      return isSubject(found) ? yield* settle(found, read.value, fact) : found
    })

    /**
     * Asks whose a session is that a thin event names, of an operator's account: our own row may not have the
     * provider's id yet, or be lost. Other events have told it themselves.
     */
    const whose = Effect.fnUntraced(function* (event: EventToApply, id: string, outcome: EventOutcome) {
      const told = sessionNamed(event.object) !== undefined || outcome.status !== "ignored"
      if (told || !(yield* operators.isKnownAccount(event.account))) return Effect.succeed(outcome)
      const { metadata, session } = yield* gateway.describeSession(event.account, id)
      const object = { id, client_reference_id: session.payment_session_id, metadata }
      const fact = factOf(session)
      const found = yield* find({ ...event, object }, id, fact)
      return isSubject(found) ? settle(found, session, fact) : Effect.succeed(found)
    })

    const fetch = Effect.fn("CheckoutSession.fetch")(function* (event: EventToApply) {
      const named = Named(event.object)
      if (Option.isNone(named)) return Effect.succeed(ignored("the event names no checkout session"))
      const read = readSession(event.object)
      const found = yield* find(event, named.value.id, Option.isSome(read) ? factOfEvent(read.value) : "unknown")
      // Don't ask the provider about sessions that aren't ours.
      if (!isSubject(found)) return yield* whose(event, named.value.id, found)
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
const sessionCompleted = handler((session) => factOf({ ...session, status: "complete" }))
/** A delayed payment arrived. */
const sessionPaid = handler(() => "paid")
/** A delayed payment failed. */
const sessionFailed = handler(() => "failed")
/** The page closed unpaid. */
const sessionExpired = handler(() => "expired")

/**
 * Payments that were declined. A decline leaves the checkout session open, so the session has no event of it: the
 * payment has (https://docs.stripe.com/api/events/types). The event is only a notice. The session is fetched with its
 * payment, and tells the last try (`newAttempt` in `Settlement.ts`).
 */
const declinedPayment = Effect.gen(function* () {
  const gateway = yield* PaymentGateway
  const operators = yield* Operators
  const sessions = yield* PaymentSessions
  const settlement = yield* Settlement
  const sales = yield* VoucherSales

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
    if (Option.isSome(yield* sales.named(account, { payment_session_id: own })))
      return Effect.succeed(ignored("a try to pay a voucher was declined; its page is open"))
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

/** Payments of refunds and disputes that thin events named, of which this process remembers so many. */
const maxPayments = 1000

/**
 * Events of refunds and disputes: a refund in the provider's dashboard, one that fails after it succeeded, a dispute
 * that is opened, lost or won. Each is only a notice that what went back of a payment may have changed. It makes the
 * payment's refund check due, in which the provider is asked (`workers/Reconciliation.ts`). Nothing that the event says
 * counts, except which payment it is about.
 */
const refundOrDispute = Effect.gen(function* () {
  const gateway = yield* PaymentGateway
  const operators = yield* Operators
  const sessions = yield* PaymentSessions
  const sales = yield* VoucherSales
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
    if (yield* sales.checkSoon(account, { payment_intent_id: payment, payment_session_id: own }))
      return { status: "applied", text: `payment ${payment} of a voucher: the provider is asked what went back of it` }
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

/**
 * Extends the operator's `paid_through` to the end of the latest period that a paid invoice's lines pay; never shortens
 * it. For events and for fetched invoices. A period beyond `maxPaidAheadMs` changes nothing: a person has to check it.
 */
const extendSubscription = Effect.fn("extendSubscription")(function* (
  operators: Operators["Service"],
  { customer, id, period_ends, subscription }: ProviderInvoice,
  who: string
): Effect.fn.Return<EventOutcome, SqlError.SqlError> {
  if (subscription === undefined) return ignored("the invoice is not for a subscription")
  const operator = customer === undefined ? Option.none() : yield* operators.byBillingCustomer(customer)
  if (Option.isNone(operator)) return ignored(`customer ${customer ?? "(none)"} is not an operator of ours`)
  const { operator_id } = operator.value
  const until = Math.max(...period_ends) * 1000
  if (!Number.isFinite(until)) return ignored("no line of the invoice pays a period")
  const now = yield* Clock.currentTimeMillis
  if (until > now + maxPaidAheadMs) {
    const years = Math.floor((until - now) / (365 * dayMs))
    return { status: "rejected", text: `${operator_id}: invoice ${id} pays ${years} years ahead; nothing was changed` }
  }
  const extended = yield* operators.extendPaidThrough(operator_id, until, { who, reason: `invoice ${id}` })
  const day = new Date(until).toISOString()
  const text = extended ? `paid through ${day}` : `nothing to change: paid beyond ${day} already`
  return { status: "applied", text: `${operator_id}: ${text}` }
})

/** The handler of `invoice.paid` of the platform account: an operator paid its subscription. */
const invoicePaid = Effect.gen(function* () {
  const gateway = yield* PaymentGateway
  const operators = yield* Operators

  const apply = ({ object }: EventToApply) =>
    Option.match(readInvoice(object), {
      onNone: () => Effect.succeed(ignored("the object is no invoice that we understand")),
      onSome: ({ invoice }) => extendSubscription(operators, invoice, "invoice.paid")
    })

  // An event has ten lines at most (https://docs.stripe.com/api/invoices/object, `lines`): the others are fetched.
  const identify = (object: unknown) => ({ fetch: Option.exists(readInvoice(object), ({ cut }) => cut) })

  const fetch: EventHandler["fetch"] = Effect.fn("InvoicePaid.fetch")(function* ({ object }) {
    const named = Named(object)
    if (Option.isNone(named)) return Effect.succeed(ignored("the event names no invoice"))
    const invoice = yield* gateway.getInvoice(named.value.id)
    if (invoice.status !== "paid") return Effect.succeed(ignored(`invoice ${named.value.id} is ${invoice.status}`))
    return extendSubscription(operators, invoice, "invoice.paid")
  })

  return { identify, apply, fetch } satisfies EventHandler
})

/**
 * Makes the check of a subscription: it fetches the operator's paid invoices and applies the one with the latest
 * period. A lost `invoice.paid` therefore only causes a delay.
 */
export const makeSubscriptionCheck = Effect.gen(function* () {
  const operators = yield* Operators
  const gateway = yield* PaymentGateway

  return Effect.fn("checkSubscription")(function* ({ operator, since = 0 }: SubscriptionCheck) {
    const customer = operator.billing_customer_id
    if (customer === undefined) return
    // A person may have set the paid period since; older payments don't count then.
    const invoices = (yield* gateway.paidInvoices(customer)).filter(({ paid_at = 0 }) => paid_at * 1000 >= since)
    const furthestFirst = invoices
      .filter(({ period_ends, subscription }) => subscription !== undefined && period_ends.length > 0)
      .sort((a, b) => Math.max(...b.period_ends) - Math.max(...a.period_ends))
    for (const invoice of furthestFirst) {
      const outcome = yield* extendSubscription(operators, invoice, "asked at the provider")
      if (outcome.status !== "rejected") return
      yield* Effect.logWarning("An operator's invoice is rejected", { outcome: outcome.text })
    }
  })
})

/** Why an account takes no payments, in the provider's words; undefined if it takes them. */
const whyClosed = ({ charges_enabled, currently_due, disabled_reason }: ConnectedAccount): string | undefined => {
  if (charges_enabled) return undefined
  const asks = currently_due.length === 0 ? "" : `; it asks for ${currently_due.join(", ")}`
  return `the provider takes no payments for it${disabled_reason === undefined ? "" : ` (${disabled_reason})`}${asks}`
}

/**
 * Makes the check of an operator's account: it asks the provider whether the account takes payments, and returns what
 * stores the answer. Nothing is sold that can't be paid: an operator whose account is closed is off sale at once, and
 * back by the next check or event.
 */
export const makeAccountCheck = Effect.gen(function* () {
  const gateway = yield* PaymentGateway
  const operators = yield* Operators

  return Effect.fn("checkAccount")(function* (account: string) {
    const why = yield* gateway.account(account).pipe(
      Effect.map(whyClosed),
      Effect.catchTag("AccountUnavailable", ({ reason }) => Effect.succeed(reason))
    )
    return why === undefined
      ? Effect.as(operators.openAccount(account), `account ${account} takes payments`)
      : Effect.as(operators.closeAccount(account, why), `account ${account} takes none: ${why}`)
  })
})

/**
 * The handler of events that say that an account was changed, or left us. They are notices: the account is asked for.
 */
const accountChanged = Effect.gen(function* () {
  const operators = yield* Operators
  const check = yield* makeAccountCheck

  const fetch = Effect.fn("AccountChanged.fetch")(function* ({ account }: EventToApply) {
    const known = yield* operators.byConnectedAccount(account)
    if (Option.isNone(known)) return Effect.succeed(ignored(`account ${account} is not an operator's present one`))
    return Effect.map(yield* check(account), (text): EventOutcome => ({ status: "applied", text }))
  })
  return { identify: () => ({ fetch: true, envelopeOnly: true }), fetch } satisfies EventHandler
})

/** The receiver and handler of a type of event. */
interface Registration {
  readonly receiver: Receiver
  readonly handler: Effect.Effect<EventHandler, never, unknown>
}

/**
 * By type, as the provider names it (https://docs.stripe.com/api/events/types). Thin events of these types have the
 * same names behind `v1.`, and go to the same handlers.
 */
export const events = {
  "checkout.session.completed": { receiver: "connected", handler: sessionCompleted },
  "checkout.session.async_payment_succeeded": { receiver: "connected", handler: sessionPaid },
  "checkout.session.async_payment_failed": { receiver: "connected", handler: sessionFailed },
  "checkout.session.expired": { receiver: "connected", handler: sessionExpired },
  "payment_intent.payment_failed": { receiver: "connected", handler: declinedPayment },
  "refund.created": { receiver: "connected", handler: refundOrDispute },
  "refund.updated": { receiver: "connected", handler: refundOrDispute },
  "refund.failed": { receiver: "connected", handler: refundOrDispute },
  "charge.refunded": { receiver: "connected", handler: refundOrDispute },
  "charge.refund.updated": { receiver: "connected", handler: refundOrDispute },
  "charge.dispute.created": { receiver: "connected", handler: refundOrDispute },
  "charge.dispute.updated": { receiver: "connected", handler: refundOrDispute },
  "charge.dispute.closed": { receiver: "connected", handler: refundOrDispute },
  "charge.dispute.funds_withdrawn": { receiver: "connected", handler: refundOrDispute },
  "charge.dispute.funds_reinstated": { receiver: "connected", handler: refundOrDispute },
  "account.updated": { receiver: "connected", handler: accountChanged },
  "account.application.deauthorized": { receiver: "connected", handler: accountChanged },
  "invoice.paid": { receiver: "platform", handler: invoicePaid }
} as const satisfies { readonly [Type in EventName]?: Registration }

/** The services of the handlers. */
export const handlerServices = Layer.mergeAll(
  Operators.layer,
  PaymentSessions.layer,
  Settlement.layer,
  VoucherSales.layer
)

/** The documentation of these events, by receiver. */
export const eventsInWords: Readonly<Record<Receiver, string>> = {
  platform:
    "`invoice.paid` extends an operator's subscription, as a snapshot or a thin event. Other types are stored and ignored.",
  connected:
    "`checkout.session.completed`, `.async_payment_succeeded`, `.async_payment_failed` and `.expired` move the payment session and its booking. After `payment_intent.payment_failed` the session is fetched, and its booking says that a try to pay was declined. `refund.created`, `.updated` and `.failed`, `charge.refunded`, `charge.refund.updated`, and `charge.dispute.created`, `.updated`, `.closed`, `.funds_withdrawn` and `.funds_reinstated` have the provider asked what went back of the payment. After `account.updated` and `account.application.deauthorized` the account is fetched: while it takes no payments, its operator is off sale. They may be snapshot or thin events. Other types are stored and ignored."
}

const typesFor = (receiver: Receiver): ReadonlyArray<EventName> =>
  Struct.keys(events).filter((type) => events[type].receiver === receiver)

/** The types of events that the provider's endpoints have to send, by receiver. */
export const usedEvents: Readonly<Record<Receiver, ReadonlyArray<EventName>>> = {
  platform: typesFor("platform"),
  connected: typesFor("connected")
}
