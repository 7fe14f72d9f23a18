/**
 * The payment gateway over the provider's official client, at the API version that the client pins. The sandbox uses
 * the same code, with another host and port.
 *
 * Every payment call names the operator's connected account (direct charges: the money is the operator's, the
 * application fee is ours). Writes carry the caller's idempotency key, so that all retries, by the client, by us, or
 * after a crash, act once (https://docs.stripe.com/api/idempotent_requests; keys live 24 hours).
 */
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Stripe } from "stripe"
import {
  type CheckoutRequest,
  type GatewayError,
  PaymentGateway,
  type PaymentPart,
  type ProviderInvoice,
  ProviderRefused,
  type ProviderSession,
  type RefundRequest
} from "./PaymentGateway.ts"
import { makeOutageBreaker } from "./OutageBreaker.ts"
import { ProviderHealth } from "./ProviderHealth.ts"
import { PlatformGateway } from "./PlatformGateway.ts"
import { toProviderAmount } from "../../../platform/money/Charge.ts"
import { balanceCalls } from "./StripeBalance.ts"
import { forCaller, judgingHttpClient } from "./StripeAnswers.ts"
import { contradiction, failureOf, unreadableAnswer } from "./StripeErrors.ts"
import { stripeLists } from "./StripeLists.ts"
import { platformGateway } from "./StripePlatform.ts"
import {
  type CutInvoice,
  readAsked,
  readCurrency,
  readSessionNamed,
  readDispute,
  readEventObject,
  readInvoice,
  readListedDispute,
  readListedRefund,
  readListedSession,
  readPaymentOf,
  readPeriodEnds,
  readRefund,
  readSession
} from "./StripeMessages.ts"
import { otherThanAsked, refundParameters, sessionParameters } from "./StripeParameters.ts"

export interface StripeOptions {
  readonly secretKey: Redacted.Redacted
  /** The API's host; the provider's own by default. */
  readonly host?: string
  readonly port?: number
  readonly protocol?: "http" | "https"
  /** Timeout of one attempt, in milliseconds (default 8,000). */
  readonly timeout?: number
  /** Retries by the client, with its own backoff (default 2). */
  readonly maxNetworkRetries?: number
}

const attemptTimeoutMs = 8_000
/**
 * Timeout of calls that a person waits for, including the client's retries. After it, the caller (with the same
 * idempotency key) or reconciliation asks again.
 */
const interactiveTimeoutMs = 8_000

const byAge = <A extends { readonly created: number }>(oldestFirst: ReadonlyArray<A>) =>
  oldestFirst.toSorted((a, b) => a.created - b.created)

const make = Effect.fnUntraced(function* (options: StripeOptions) {
  const health = yield* ProviderHealth
  const stripe = new Stripe(Redacted.value(options.secretKey), {
    typescript: true,
    // Off: it would write an id into the user's home directory.
    telemetry: false,
    timeout: options.timeout ?? attemptTimeoutMs,
    maxNetworkRetries: options.maxNetworkRetries ?? 2,
    appInfo: { name: "playroom-booking" },
    httpClient: yield* judgingHttpClient(health.observeDate),
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.protocol === undefined ? {} : { protocol: options.protocol })
  })
  const livemode = /^[a-z]+_live_/.test(Redacted.value(options.secretKey))
  const attempts = 1 + (options.maxNetworkRetries ?? 2)
  // The client's own timeout limits silence; this one also ends an answer that never completes. A timed-out call may
  // still act at the provider. Repeating it is safe: it has an idempotency key or changes nothing. The client begins no
  // further try for a caller that has gone.
  const callTimeoutMs = (options.timeout ?? attemptTimeoutMs) * attempts + 5_000
  const interactiveCallTimeoutMs = Math.min(callTimeoutMs, interactiveTimeoutMs)
  const run = yield* makeOutageBreaker(interactiveCallTimeoutMs)

  const call = <A>(
    operation: string,
    account: string,
    send: () => Promise<unknown>,
    read: (answer: unknown) => Option.Option<A>,
    timeoutMs = callTimeoutMs
  ): Effect.Effect<A, GatewayError> =>
    run(
      operation,
      timeoutMs,
      Effect.tryPromise({
        try: (signal) => forCaller(signal, send),
        catch: (thrown) => failureOf(operation, account, thrown)
      }).pipe(
        Effect.flatMap((answer) =>
          Option.match(read(answer), {
            onNone: () => Effect.fail(unreadableAnswer(operation)),
            onSome: Effect.succeed
          })
        )
      )
    ).pipe(
      Effect.tap(() => health.recordAnswer(operation)),
      Effect.tapError((error) =>
        error._tag === "ProviderUnavailable" ? health.recordFailure(error) : health.recordAnswer(operation, "refused")
      ),
      Effect.annotateSpans({ account })
    )

  const getSession = Effect.fn("PaymentGateway.getSession")((account: string, id: string) =>
    call(
      "getSession",
      account,
      () =>
        stripe.checkout.sessions.retrieve(id, { expand: ["payment_intent.latest_charge"] }, { stripeAccount: account }),
      readAsked("checkout.session", id, readSession),
      interactiveCallTimeoutMs
    )
  )

  const lists = stripeLists(call)
  const { listAll, listPage } = lists

  /** An invoice with the periods of all its lines. */
  const wholeInvoice = (
    operation: string,
    { cut, invoice }: CutInvoice
  ): Effect.Effect<ProviderInvoice, GatewayError> =>
    !cut || invoice.subscription === undefined
      ? Effect.succeed(invoice)
      : listAll(operation, "", readPeriodEnds, (page) => stripe.invoices.listLineItems(invoice.id, page)).pipe(
          Effect.map((lines) => ({ ...invoice, period_ends: lines.flat() }))
        )

  /** Whoever asks gets no page that is another than was asked: it would take other money, or in another's name. */
  const requireAsAsked = Effect.fnUntraced(function* (request: CheckoutRequest, session: ProviderSession) {
    const differs = otherThanAsked(request, session, livemode)
    if (differs === undefined) return session
    const error = contradiction("createSession", differs)
    yield* Effect.logError("The payment provider made another page than was asked", {
      payment_session_id: request.payment_session_id,
      provider_session_id: session.id,
      differs
    })
    yield* health.recordFailure(error)
    return yield* error
  })

  const gateway = PaymentGateway.of({
    createSession: Effect.fn("PaymentGateway.createSession")((request: CheckoutRequest) =>
      Effect.flatMap(sessionParameters(request), (parameters) =>
        call(
          "createSession",
          request.account,
          () =>
            stripe.checkout.sessions.create(parameters, {
              stripeAccount: request.account,
              idempotencyKey: request.idempotency_key
            }),
          readSession,
          interactiveCallTimeoutMs
        ).pipe(Effect.flatMap((session) => requireAsAsked(request, session)))
      )
    ),

    getSession,

    expireSession: Effect.fn("PaymentGateway.expireSession")((account: string, id: string, idempotency_key: string) =>
      call(
        "expireSession",
        account,
        () => stripe.checkout.sessions.expire(id, {}, { stripeAccount: account, idempotencyKey: idempotency_key }),
        readAsked("checkout.session", id, readSession)
      ).pipe(
        // The session was paid or expired already: return its present state. A replayed refusal ends here, too.
        Effect.catchTag("ProviderRefused", (refused) =>
          getSession(account, id).pipe(
            Effect.flatMap((session) => (session.status === "open" ? Effect.fail(refused) : Effect.succeed(session)))
          )
        )
      )
    ),

    getInvoice: Effect.fn("PaymentGateway.getInvoice")((id: string) =>
      call("getInvoice", "", () => stripe.invoices.retrieve(id), readAsked("invoice", id, readInvoice)).pipe(
        Effect.flatMap((found) => wholeInvoice("getInvoice", found))
      )
    ),

    paidInvoices: Effect.fn("PaymentGateway.paidInvoices")((customer: string) =>
      listAll("paidInvoices", "", readInvoice, (page) =>
        stripe.invoices.list({ ...page, customer, status: "paid" })
      ).pipe(
        Effect.flatMap((oldestFirst) => Effect.forEach(oldestFirst, (found) => wholeInvoice("paidInvoices", found)))
      )
    ),

    createRefund: Effect.fn("PaymentGateway.createRefund")(function* (request: RefundRequest, currency: string) {
      const paidIn = yield* call(
        "createRefund",
        request.account,
        () => stripe.paymentIntents.retrieve(request.payment_intent_id, {}, { stripeAccount: request.account }),
        readAsked("payment_intent", request.payment_intent_id, readCurrency)
      )
      if (paidIn !== currency) {
        return yield* new ProviderRefused({
          operation: "createRefund",
          code: "currency_differs",
          message: `The provider has the payment in ${paidIn}, and not in ${currency}.`
        })
      }
      const amount = toProviderAmount(request.amount, currency)
      if (amount === undefined) {
        return yield* new ProviderRefused({
          operation: "createRefund",
          code: "amount_not_expressible",
          message: `The provider can't refund ${request.amount} minor units of ${currency}.`
        })
      }
      const refund = yield* call(
        "createRefund",
        request.account,
        () =>
          stripe.refunds.create(refundParameters(request, amount), {
            stripeAccount: request.account,
            idempotencyKey: request.idempotency_key
          }),
        readRefund
      )
      return refund.refund
    }),

    getRefund: Effect.fn("PaymentGateway.getRefund")((account: string, id: string) =>
      call(
        "getRefund",
        account,
        () => stripe.refunds.retrieve(id, {}, { stripeAccount: account }),
        readAsked("refund", id, readRefund)
      ).pipe(Effect.map(({ refund }) => refund))
    ),

    listRefunds: Effect.fn("PaymentGateway.listRefunds")((account: string, payment_intent_id: string) =>
      listAll("listRefunds", account, readRefund, (page) =>
        stripe.refunds.list({ ...page, payment_intent: payment_intent_id }, { stripeAccount: account })
      ).pipe(Effect.map((found) => byAge(found).map(({ refund }) => refund)))
    ),

    describeSession: Effect.fn("PaymentGateway.describeSession")((account: string, id: string) =>
      call(
        "describeSession",
        account,
        () => stripe.checkout.sessions.retrieve(id, { expand: ["payment_intent"] }, { stripeAccount: account }),
        readAsked("checkout.session", id, readListedSession)
      )
    ),

    listSessions: Effect.fn("PaymentGateway.listSessions")((account: string, since: number) =>
      listAll("listSessions", account, readListedSession, (page) =>
        stripe.checkout.sessions.list(
          { ...page, created: { gte: since }, expand: ["data.payment_intent"] },
          { stripeAccount: account }
        )
      )
    ),

    listRefundsSince: Effect.fn("PaymentGateway.listRefundsSince")((account: string, since: number) =>
      listAll("listRefundsSince", account, readListedRefund, (page) =>
        stripe.refunds.list({ ...page, created: { gte: since } }, { stripeAccount: account })
      )
    ),

    paymentOf: Effect.fn("PaymentGateway.paymentOf")((account: string, kind: PaymentPart, id: string) => {
      const of = { refund: stripe.refunds, dispute: stripe.disputes, charge: stripe.charges }[kind]
      return call(
        "paymentOf",
        account,
        () => of.retrieve(id, {}, { stripeAccount: account }),
        readAsked(kind, id, readPaymentOf)
      )
    }),

    sessionNamedBy: Effect.fn("PaymentGateway.sessionNamedBy")((account: string, id: string) =>
      call(
        "sessionNamedBy",
        account,
        () => stripe.paymentIntents.retrieve(id, {}, { stripeAccount: account }),
        readAsked("payment_intent", id, readSessionNamed)
      )
    ),

    listDisputes: Effect.fn("PaymentGateway.listDisputes")((account: string, payment_intent_id: string) =>
      listAll("listDisputes", account, readDispute, (page) =>
        stripe.disputes.list({ ...page, payment_intent: payment_intent_id }, { stripeAccount: account })
      ).pipe(Effect.map((found) => byAge(found).map(({ dispute }) => dispute)))
    ),

    disputesPage: Effect.fn("PaymentGateway.disputesPage")((account: string, after?: string) =>
      listPage(
        "disputesPage",
        account,
        readListedDispute,
        (page) => stripe.disputes.list(page, { stripeAccount: account }),
        after
      ).pipe(Effect.map(({ items, next }) => ({ disputes: items, next })))
    ),

    ...balanceCalls(stripe, listAll),

    disputesToldSince: Effect.fn("PaymentGateway.disputesToldSince")((account: string, since: number) =>
      listAll("disputesToldSince", account, readEventObject, (page) =>
        stripe.events.list({ ...page, type: "charge.dispute.*", created: { gte: since } }, { stripeAccount: account })
      )
    )
  })
  return Context.make(PaymentGateway, gateway).pipe(Context.add(PlatformGateway, platformGateway(stripe, call, lists)))
})

/**
 * `PaymentGateway` and `PlatformGateway` over the provider's API, or over the sandbox at `host`, `port` and `protocol`.
 * Reports every call to `ProviderHealth`.
 */
export const StripeGateway = {
  layer: (options: StripeOptions): Layer.Layer<PaymentGateway | PlatformGateway, never, ProviderHealth> =>
    Layer.effectContext(make(options))
}
