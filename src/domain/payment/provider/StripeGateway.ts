/**
 * The payment gateway over the provider's official client, at the API version that the client pins. The sandbox uses
 * the same code, with another host and port. Names of parameters are the provider's.
 *
 * Every payment call names the operator's connected account (direct charges: the money is the operator's, the
 * application fee is ours). Writes carry the caller's idempotency key, so that all retries, by the client, by us, or
 * after a crash, act once (https://docs.stripe.com/api/idempotent_requests; keys live 24 hours).
 */
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Stripe } from "stripe"
import { fromProviderAmount, toProviderAmount, toProviderFee } from "../../../platform/money/Charge.ts"
import {
  type BalanceSource,
  type BalanceTransaction,
  type CheckoutRequest,
  type GatewayError,
  PaymentGateway,
  type PaymentPart,
  type ProviderInvoice,
  type ProviderPayout,
  ProviderRefused,
  type ProviderSession,
  type RefundRequest,
  type Stretch
} from "./PaymentGateway.ts"
import {
  type CutInvoice,
  ProviderCode,
  ProviderId,
  readAccount,
  readAsked,
  readCurrency,
  readDispute,
  readEventObject,
  readInvoice,
  readListedDispute,
  readListedRefund,
  readListedSession,
  readObject,
  readPaymentOf,
  readPeriodEnds,
  readRefund,
  readSession,
  readSessionNamed
} from "./StripeMessages.ts"
import {
  contradiction,
  failureOf,
  forCaller,
  judgingHttpClient,
  type Lists,
  makeOutageBreaker,
  stripeLists,
  unreadableAnswer
} from "./StripeCalls.ts"
import { ProviderHealth } from "./ProviderHealth.ts"
import { PlatformGateway } from "./PlatformGateway.ts"
import { platformGateway } from "./StripePlatform.ts"

/** What a payment or a refund is of, in its metadata. */
const subjectOf = ({
  booking_id,
  order_id,
  voucher_id
}: Pick<CheckoutRequest, "booking_id" | "order_id" | "voucher_id">) => ({
  ...(booking_id === undefined ? {} : { booking_id }),
  ...(voucher_id === undefined ? {} : { voucher_id }),
  ...(order_id === undefined ? {} : { order_id })
})

/**
 * Methods by which money arrives after days (https://docs.stripe.com/payments/payment-methods/payment-method-support):
 * for so long nobody holds the places of several bookings.
 */
const delayedMethods: Stripe.Checkout.SessionCreateParams["excluded_payment_method_types"] = [
  "acss_debit",
  "au_becs_debit",
  "bacs_debit",
  "boleto",
  "customer_balance",
  "konbini",
  "multibanco",
  "nz_bank_account",
  "oxxo",
  "sepa_debit",
  "us_bank_account"
]

/** The parameters for creating a session. The same request always gives the same bytes. */
const sessionParameters = (
  request: CheckoutRequest
): Effect.Effect<Stripe.Checkout.SessionCreateParams, ProviderRefused> => {
  const amount = toProviderAmount(request.amount, request.currency)
  if (amount === undefined) {
    return Effect.fail(
      new ProviderRefused({
        operation: "createSession",
        code: "amount_not_expressible",
        message: `The provider can't take ${request.amount} minor units of ${request.currency}.`
      })
    )
  }
  const fee = toProviderFee(request.application_fee, request.currency)
  const metadata = {
    payment_session_id: request.payment_session_id,
    ...subjectOf(request),
    reference: request.reference,
    purpose: request.purpose,
    ...(request.option_id === undefined ? {} : { option_id: request.option_id }),
    ...(request.key_id === undefined ? {} : { key_id: request.key_id })
  }
  return Effect.succeed({
    mode: "payment",
    client_reference_id: request.payment_session_id,
    ...(request.customer_email === undefined ? {} : { customer_email: request.customer_email }),
    expires_at: request.expires_at,
    success_url: request.success_url,
    cancel_url: request.cancel_url,
    ...(request.adaptive_pricing === undefined ? {} : { adaptive_pricing: { enabled: request.adaptive_pricing } }),
    ...(request.locale === undefined ? {} : { locale: request.locale }),
    ...(request.order_id === undefined ? {} : { excluded_payment_method_types: delayedMethods }),
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: request.currency.toLowerCase(),
          unit_amount: amount,
          // The provider limits a product's name to 250 characters. Our names are shorter, and only shown.
          product_data: { name: request.description.slice(0, 250) }
        }
      }
    ],
    ...(request.terms === undefined ? {} : { custom_text: { submit: { message: request.terms } } }),
    metadata,
    payment_intent_data: {
      description: `${request.description} (${request.reference})`.slice(0, 1000),
      ...(request.customer_email === undefined ? {} : { receipt_email: request.customer_email }),
      metadata,
      ...(fee === 0 ? {} : { application_fee_amount: fee })
    }
  })
}

/** How many seconds from the time that was asked a page may end. The provider takes the time as it is. */
const maxEndDiffers = 60

/**
 * What of a new page is not as it was asked, in words; undefined if all is. `livemode`: whether our key is for real
 * money.
 */
const otherThanAsked = (asked: CheckoutRequest, made: ProviderSession, livemode: boolean): string | undefined => {
  if (made.payment_session_id !== asked.payment_session_id) {
    return `asked for ${asked.payment_session_id}, it is for ${made.payment_session_id ?? "nothing of ours"}`
  }
  if (made.amount_total !== asked.amount || made.currency !== asked.currency) {
    return `asked for ${asked.amount} ${asked.currency}, it takes ${made.amount_total} ${made.currency}`
  }
  if (made.livemode !== livemode) return `our key's livemode is ${livemode}, its own is ${made.livemode}`
  if (made.status !== "open" || made.url === undefined) return `a new page is ${made.status}, or has no address`
  if (Math.abs(made.expires_at - asked.expires_at) > maxEndDiffers) {
    return `asked for a page until ${asked.expires_at}, it ends at ${made.expires_at} (seconds since 1970)`
  }
  return undefined
}

/** The parameters of a refund; `amount` in the provider's minor units. */
const refundParameters = (request: RefundRequest, amount: number): Stripe.RefundCreateParams => ({
  payment_intent: request.payment_intent_id,
  amount,
  // The provider refuses this for payments without a fee.
  ...(request.refund_application_fee ? { refund_application_fee: true } : {}),
  metadata: { refund_id: request.refund_id, ...subjectOf(request) }
})

// Calls about an account's balance (https://docs.stripe.com/api/balance_transactions,
// https://docs.stripe.com/api/payouts).

const Transaction = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    object: Schema.Literal("balance_transaction"),
    created: Schema.Int,
    reporting_category: ProviderCode,
    amount: Schema.Int,
    currency: ProviderCode,
    fee: Schema.Int,
    fee_details: Schema.Array(Schema.Struct({ amount: Schema.Int, type: ProviderCode })),
    net: Schema.Int,
    source: Schema.optionalKey(Schema.Unknown)
  })
)

const Source = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    object: ProviderCode,
    amount: Schema.optionalKey(Schema.Int),
    currency: Schema.optionalKey(ProviderCode),
    status: Schema.optionalKey(Schema.NullOr(ProviderCode)),
    metadata: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String)))
  })
)

/** Reads an expanded source; none of an object without an amount, like one that was not expanded. */
const readSource = (answer: unknown): Option.Option<BalanceSource> =>
  Option.flatMap(Source(answer), ({ amount, currency, id, metadata, object, status }) => {
    if (amount === undefined || currency === undefined) return Option.none()
    const own = metadata?.[object === "refund" ? "refund_id" : "payment_session_id"]
    return Option.some({
      id,
      payment_intent_id: Option.getOrElse(readPaymentOf(answer), () => ""),
      amount: fromProviderAmount(amount, currency),
      currency: currency.toUpperCase(),
      ...(typeof status === "string" ? { status } : {}),
      ...(own === undefined ? {} : object === "refund" ? { refund_id: own } : { payment_session_id: own })
    })
  })

/** Reads a change of the balance. The provider's part is what the details do not name as the platform's. */
const readTransaction = (answer: unknown): Option.Option<BalanceTransaction> =>
  Option.map(Transaction(answer), (found) => {
    const inOurs = (amount: number) => fromProviderAmount(amount, found.currency)
    const platform = found.fee_details
      .filter(({ type }) => type === "application_fee")
      .reduce((sum, { amount }) => sum + amount, 0)
    const source = Option.getOrUndefined(readSource(found.source))
    return {
      id: found.id,
      created: found.created,
      category: found.reporting_category,
      amount: inOurs(found.amount),
      currency: found.currency.toUpperCase(),
      provider_fee: inOurs(found.fee - platform),
      platform_fee: inOurs(platform),
      net: inOurs(found.net),
      ...(source === undefined ? {} : { source })
    }
  })

const Payout = Schema.decodeUnknownOption(
  Schema.Struct({
    id: ProviderId,
    object: Schema.Literal("payout"),
    created: Schema.Int,
    automatic: Schema.Boolean,
    reconciliation_status: Schema.optionalKey(ProviderCode)
  })
)

const readPayout = (answer: unknown): Option.Option<ProviderPayout> =>
  Option.map(Payout(answer), ({ automatic, created, id, reconciliation_status }) => ({
    id,
    created,
    itemised: automatic && reconciliation_status !== "not_applicable" && reconciliation_status !== "in_progress"
  }))

const createdIn = ({ before, since }: Stretch) => ({ gte: since, lt: before })

/** The calls of the port that read an account's balance. */
const balanceCalls = (
  stripe: Stripe,
  listAll: Lists["listAll"]
): Pick<PaymentGateway["Service"], "balanceTransactions" | "payouts" | "transactionsOfPayout"> => ({
  balanceTransactions: Effect.fn("PaymentGateway.balanceTransactions")((account: string, stretch: Stretch) =>
    listAll("balanceTransactions", account, readTransaction, (page) =>
      stripe.balanceTransactions.list(
        { ...page, created: createdIn(stretch), expand: ["data.source"] },
        { stripeAccount: account }
      )
    )
  ),

  payouts: Effect.fn("PaymentGateway.payouts")((account: string, stretch: Stretch) =>
    listAll("payouts", account, readPayout, (page) =>
      stripe.payouts.list({ ...page, created: createdIn(stretch) }, { stripeAccount: account })
    )
  ),

  transactionsOfPayout: Effect.fn("PaymentGateway.transactionsOfPayout")((account: string, payout: string) =>
    listAll("transactionsOfPayout", account, readObject("balance_transaction"), (page) =>
      stripe.balanceTransactions.list({ ...page, payout }, { stripeAccount: account })
    )
  )
})

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

    account: Effect.fn("PaymentGateway.account")((id: string) =>
      call(
        "getAccount",
        id,
        () => stripe.accounts.retrieve(id),
        readAsked("account", id, readAccount),
        interactiveCallTimeoutMs
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
