/**
 * The real gateway over a server that gives fixed answers, for tests of the adapter alone: what it sends, and what it
 * makes of every answer and failure. The server stores nothing and knows no rules, so it is no fake provider.
 */
import { Effect, Layer, Redacted } from "effect"
import {
  type CheckoutRequest,
  type GatewayError,
  PaymentGateway,
  type RefundRequest
} from "../../src/domain/payment/provider/PaymentGateway.ts"
import { PlatformGateway } from "../../src/domain/payment/provider/PlatformGateway.ts"
import { type Answer, type RecordingServer, recordingServer } from "./RecordingServer.ts"
import { ProviderHealth } from "../../src/domain/payment/provider/ProviderHealth.ts"
import { StripeGateway, type StripeOptions } from "../../src/domain/payment/provider/StripeGateway.ts"

/** The page, as the provider answers it. */
export const session = {
  id: "cs_test_1",
  object: "checkout.session",
  status: "open",
  payment_status: "unpaid",
  amount_total: 24_000,
  currency: "gbp",
  url: "https://checkout.example.com/c/pay/cs_test_1",
  payment_intent: null,
  expires_at: 1_795_190_400,
  livemode: false,
  metadata: { payment_session_id: "payment_01h4", booking_id: "booking_01h4" }
}

/** A page of the operator's own that saves a card, as the provider answers it. */
export const ownPage = {
  ...session,
  id: "cs_setup",
  mode: "setup",
  status: "complete",
  payment_status: "no_payment_required",
  amount_total: null,
  currency: null,
  url: null,
  metadata: { order: "7" }
}

/** The refund of half of it, as the provider answers it. */
export const refund = {
  id: "re_1",
  object: "refund",
  status: "succeeded",
  amount: 12_000,
  currency: "gbp",
  created: 1_795_000_000,
  metadata: { refund_id: "refund_01h4" }
}
/** A dispute of it, as the provider answers it. */
export const dispute = {
  id: "dp_1",
  object: "dispute",
  status: "needs_response",
  amount: 24_000,
  currency: "gbp",
  created: 1_795_000_000,
  reason: "product_not_received",
  evidence_details: { due_by: 1_796_000_000, has_evidence: false, past_due: false, submission_count: 0 }
}
/** An event about it, as the provider lists it. */
export const disputeEvent = {
  id: "evt_1",
  object: "event",
  type: "charge.dispute.created",
  created: 1_795_000_000,
  data: { object: dispute }
}
const intent = { id: "pi_1", object: "payment_intent", currency: "gbp" }

/** The server's answers: as it should, and with an error of the provider. */
export const okAnswer = (body: unknown): Answer => ({ status: 200, body })
export const errorAnswer = (status: number, error: object, headers: Record<string, string> = {}): Answer => ({
  status,
  body: { error },
  headers
})

type Gateway = PaymentGateway["Service"]
/** A gateway whose provider is a recording server. */
export const withStripeGateway = <A, E, R>(
  use: (gateway: Gateway, server: RecordingServer) => Effect.Effect<A, E, R>,
  options: { readonly timeout?: number; readonly maxNetworkRetries?: number } = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* recordingServer
      const layer = stripeGatewayAt(server.port, { maxNetworkRetries: 0, ...options })
      return yield* PaymentGateway.use((gateway) => use(gateway, server)).pipe(Effect.provide(Layer.fresh(layer)))
    })
  )

/** Every call of the port that is made on an operator's account, by name. */
export const gatewayCalls: ReadonlyArray<readonly [string, (gateway: Gateway) => Effect.Effect<unknown, unknown>]> = [
  ["createSession", (gateway) => gateway.createSession(checkoutRequest())],
  ["getSession", (gateway) => gateway.getSession(account, "cs_test_1")],
  ["expireSession", (gateway) => gateway.expireSession(account, "cs_test_1", "payment_01h4:expire")],
  ["createRefund", (gateway) => gateway.createRefund(refundRequest(), "GBP")],
  ["getRefund", (gateway) => gateway.getRefund(account, "re_1")],
  ["listRefunds", (gateway) => gateway.listRefunds(account, "pi_1")],
  ["listDisputes", (gateway) => gateway.listDisputes(account, "pi_1")],
  ["disputesPage", (gateway) => gateway.disputesPage(account)],
  ["disputesToldSince", (gateway) => gateway.disputesToldSince(account, 90)],
  ["paymentOf", (gateway) => gateway.paymentOf(account, "dispute", "dp_1")],
  ["paymentOf", (gateway) => gateway.paymentOf(account, "charge", "ch_1")],
  ["paymentOf", (gateway) => gateway.paymentOf(account, "refund", "re_1")],
  ["balanceTransactions", (gateway) => gateway.balanceTransactions(account, { since: 90, before: 100 })],
  ["payouts", (gateway) => gateway.payouts(account, { since: 90, before: 100 })],
  ["transactionsOfPayout", (gateway) => gateway.transactionsOfPayout(account, "po_1")]
]

type Platform = PlatformGateway["Service"]
/** A call by what it sends: `at` finds the request that the table of answers is about, among those that it makes. */
export interface TypicalCall {
  readonly call: string
  readonly lists: boolean
  readonly at: RegExp
  readonly run: (gateways: {
    readonly payment: Gateway
    readonly platform: Platform
  }) => Effect.Effect<unknown, GatewayError>
}

const one = (at: RegExp, run: TypicalCall["run"]): Omit<TypicalCall, "call"> => ({ at, run, lists: false })
const list = (at: RegExp, run: TypicalCall["run"]): Omit<TypicalCall, "call"> => ({ at, run, lists: true })
const stretch = { since: 90, before: 100 }
const newEndpoint = { receiver: "platform", url: "https://book.example.com/hooks", enabled_events: [] } as const
const addresses = { return_url: "https://book.example.com/a", refresh_url: "https://book.example.com/b" }
const sessions = /^\/v1\/checkout\/sessions/
const destinations = /^\/v2\/core\/event_destinations/

/** Each request of each call of both ports. The compiler asks for a new call. */
const requestsOf: Readonly<Record<keyof Gateway | keyof Platform, ReadonlyArray<Omit<TypicalCall, "call">>>> = {
  createSession: [one(sessions, ({ payment }) => payment.createSession(checkoutRequest()))],
  getSession: [one(sessions, ({ payment }) => payment.getSession(account, "cs_test_1"))],
  expireSession: [one(/\/expire$/, ({ payment }) => payment.expireSession(account, "cs_test_1", "k"))],
  describeSession: [one(sessions, ({ payment }) => payment.describeSession(account, "cs_test_1"))],
  listSessions: [list(sessions, ({ payment }) => payment.listSessions(account, 90))],
  createRefund: [
    one(/^\/v1\/payment_intents/, ({ payment }) => payment.createRefund(refundRequest(), "GBP")),
    one(/^\/v1\/refunds/, ({ payment }) => payment.createRefund(refundRequest(), "GBP"))
  ],
  getRefund: [one(/^\/v1\/refunds/, ({ payment }) => payment.getRefund(account, "re_1"))],
  listRefunds: [list(/^\/v1\/refunds/, ({ payment }) => payment.listRefunds(account, "pi_1"))],
  listRefundsSince: [list(/^\/v1\/refunds/, ({ payment }) => payment.listRefundsSince(account, 90))],
  listDisputes: [list(/^\/v1\/disputes/, ({ payment }) => payment.listDisputes(account, "pi_1"))],
  disputesPage: [list(/^\/v1\/disputes/, ({ payment }) => payment.disputesPage(account))],
  disputesToldSince: [list(/^\/v1\/events/, ({ payment }) => payment.disputesToldSince(account, 90))],
  paymentOf: [
    one(/^\/v1\/disputes/, ({ payment }) => payment.paymentOf(account, "dispute", "dp_1")),
    one(/^\/v1\/charges/, ({ payment }) => payment.paymentOf(account, "charge", "ch_1")),
    one(/^\/v1\/refunds/, ({ payment }) => payment.paymentOf(account, "refund", "re_1"))
  ],
  sessionNamedBy: [one(/^\/v1\/payment_intents/, ({ payment }) => payment.sessionNamedBy(account, "pi_1"))],
  balanceTransactions: [
    list(/^\/v1\/balance_transactions/, ({ payment }) => payment.balanceTransactions(account, stretch))
  ],
  payouts: [list(/^\/v1\/payouts/, ({ payment }) => payment.payouts(account, stretch))],
  transactionsOfPayout: [
    list(/^\/v1\/balance_transactions/, ({ payment }) => payment.transactionsOfPayout(account, "po_1"))
  ],
  getInvoice: [
    one(/^\/v1\/invoices\/in_1$/, ({ payment }) => payment.getInvoice("in_1")),
    list(/^\/v1\/invoices\/in_1\/lines/, ({ payment }) => payment.getInvoice("in_1"))
  ],
  paidInvoices: [
    list(/^\/v1\/invoices\?/, ({ payment }) => payment.paidInvoices("cus_2")),
    list(/^\/v1\/invoices\/in_1\/lines/, ({ payment }) => payment.paidInvoices("cus_2"))
  ],
  endpoints: [
    list(/^\/v1\/webhook_endpoints/, ({ platform }) => platform.endpoints),
    list(destinations, ({ platform }) => platform.endpoints)
  ],
  createEndpoint: [
    one(/^\/v1\/webhook_endpoints/, ({ platform }) => platform.createEndpoint({ ...newEndpoint, payload: "snapshot" })),
    one(destinations, ({ platform }) => platform.createEndpoint({ ...newEndpoint, payload: "thin" }))
  ],
  changeEndpoint: [
    one(/^\/v1\/webhook_endpoints/, ({ platform }) =>
      platform.changeEndpoint({ id: "we_1", payload: "snapshot" }, { enabled: true })
    ),
    one(/\/ed_1$/, ({ platform }) =>
      platform.changeEndpoint({ id: "ed_1", payload: "thin" }, { enabled_events: [], enabled: true })
    ),
    one(/\/ed_1\/enable$/, ({ platform }) =>
      platform.changeEndpoint({ id: "ed_1", payload: "thin" }, { enabled_events: [], enabled: true })
    )
  ],
  account: [one(/^\/v1\/accounts/, ({ payment }) => payment.account("acct_1"))],
  createAccount: [
    one(/^\/v1\/accounts/, ({ platform }) =>
      platform.createAccount({
        operator_id: "operator_1",
        name: "A",
        email: undefined,
        country: "GB",
        idempotency_key: "k"
      })
    )
  ],
  onboardingLink: [one(/^\/v1\/account_links/, ({ platform }) => platform.onboardingLink("acct_1", addresses))]
}

export const typicalCalls: ReadonlyArray<TypicalCall> = Object.entries(requestsOf).flatMap(([call, requests]) =>
  requests.map((request) => ({ call, ...request }))
)

/** An invoice, as the provider answers it: it has more lines than it comes with. */
export const invoice = {
  id: "in_1",
  object: "invoice",
  status: "paid",
  customer: "cus_2",
  parent: { type: "subscription_details", subscription_details: { subscription: "sub_1" } },
  status_transitions: { paid_at: 1_795_000_000 },
  lines: { object: "list", data: [], has_more: true }
}
/** A line that pays a subscription until then, as the provider answers it. */
export const invoiceLine = (id: string, end: number, changes: object = {}) => ({
  id,
  object: "line_item",
  amount: 4900,
  parent: { type: "subscription_item_details", subscription_item_details: { proration: false } },
  period: { start: 0, end },
  ...changes
})
/** The lines of an invoice that pays a subscription until then, as the provider answers them. */
export const invoiceLines = (...ends: ReadonlyArray<number>) => ({
  object: "list",
  data: ends.map((end, i) => invoiceLine(`il_${i}`, end)),
  has_more: false
})
const endpoint = {
  id: "we_1",
  object: "webhook_endpoint",
  url: newEndpoint.url,
  api_version: null,
  enabled_events: [],
  status: "enabled",
  created: 1_795_000_000,
  livemode: false,
  secret: "whsec_1"
}
const eventDestination = {
  id: "ed_1",
  object: "v2.core.event_destination",
  type: "webhook_endpoint",
  event_payload: "thin",
  enabled_events: [],
  status: "enabled",
  created: "2026-11-20T00:00:00.000Z",
  livemode: false,
  webhook_endpoint: { url: newEndpoint.url, signing_secret: "whsec_2" }
}
const connected = {
  id: "acct_1",
  object: "account",
  charges_enabled: true,
  payouts_enabled: true,
  details_submitted: true
}

/** The answer to each request of the typical calls, as it should be. */
export const typicalAnswer = ({ method, path }: { readonly method: string; readonly path: string }): Answer => {
  const listOf = (...data: ReadonlyArray<unknown>) => okAnswer({ object: "list", data, has_more: false })
  if (path.startsWith("/v1/invoices/in_1/lines")) return listOf(invoiceLine("il_1", 1_800_000_000))
  if (path.startsWith("/v1/invoices?")) return listOf(invoice)
  if (path.startsWith("/v1/invoices")) return okAnswer(invoice)
  if (path.startsWith("/v1/checkout/sessions?")) return listOf({ ...session, created: 1_795_000_000 })
  if (path.startsWith("/v1/checkout/sessions/")) return okAnswer({ ...session, created: 1_795_000_000 })
  if (path.startsWith("/v1/webhook_endpoints")) return method === "GET" ? listOf(endpoint) : okAnswer(endpoint)
  if (destinations.test(path))
    return okAnswer(method === "GET" ? { data: [eventDestination], next_page_url: null } : eventDestination)
  if (path.startsWith("/v1/accounts")) return okAnswer(connected)
  if (path.startsWith("/v1/account_links"))
    return okAnswer({ object: "account_link", url: "https://connect.example.com/x", expires_at: 1_795_000_300 })
  return answerOf({ method, path })
}

/** A gateway whose provider is a recording server; both ports. */
export const withStripeGateways = <A, E, R>(
  use: (
    gateways: { readonly payment: Gateway; readonly platform: Platform },
    server: RecordingServer
  ) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* recordingServer
      const layer = stripeGatewayAt(server.port, { maxNetworkRetries: 0 })
      return yield* Effect.all({ payment: PaymentGateway, platform: PlatformGateway }).pipe(
        Effect.flatMap((gateways) => use(gateways, server)),
        Effect.provide(Layer.fresh(layer))
      )
    })
  )

/** Lets the server answer each of them. */
export const answerEveryCall = (server: RecordingServer) => server.answer(answerOf)

const answerOf = ({ method, path }: { readonly method: string; readonly path: string }): Answer => {
  if (path.startsWith("/v1/payment_intents/")) return okAnswer(intent)
  if (path.startsWith("/v1/refunds?"))
    return okAnswer({ object: "list", data: [refund], has_more: false, url: "/v1/refunds" })
  if (path.startsWith("/v1/disputes?"))
    return okAnswer({ object: "list", data: [dispute], has_more: false, url: "/v1/disputes" })
  if (path.startsWith("/v1/events?"))
    return okAnswer({ object: "list", data: [disputeEvent], has_more: false, url: "/v1/events" })
  if (path.startsWith("/v1/balance_transactions?") || path.startsWith("/v1/payouts?"))
    return okAnswer({ object: "list", data: [], has_more: false, url: "/v1/payouts" })
  if (path.startsWith("/v1/disputes/")) return okAnswer(dispute)
  if (path.startsWith("/v1/charges/")) return okAnswer({ id: "ch_1", object: "charge", payment_intent: "pi_1" })
  if (path.startsWith("/v1/refunds")) return okAnswer(refund)
  return path.startsWith("/v1/checkout/sessions")
    ? okAnswer(session)
    : errorAnswer(404, { message: `${method} ${path}` })
}

// The real gateway with the official client, pointed at a server on this machine, and requests to send through it.

/** The gateway whose provider listens on a port of this machine; how its calls end is written to `ProviderHealth`. */
export const watchedGatewayAt = (port: number, options: Partial<StripeOptions> = {}) =>
  StripeGateway.layer({
    secretKey: Redacted.make("sk_test_123"),
    host: "127.0.0.1",
    port,
    protocol: "http",
    timeout: 2_000,
    ...options
  })

/** The same; how calls end is written nowhere. */
export const stripeGatewayAt = (port: number, options: Partial<StripeOptions> = {}) =>
  watchedGatewayAt(port, options).pipe(Layer.provide(ProviderHealth.layerWithoutDatabase))

/** The connected account that is paid. */
export const account = "acct_1PgafTB7WZ01zgkW"

/** Asks for a checkout session of £240. */
export const checkoutRequest = (changes: Partial<CheckoutRequest> = {}): CheckoutRequest => ({
  account,
  idempotency_key: "payment_01h4:create",
  payment_session_id: "payment_01h4",
  booking_id: "booking_01h4",
  reference: "K7M2-9QXD",
  purpose: "due_now",
  amount: 24_000,
  currency: "GBP",
  application_fee: 1_200,
  description: "Pirate party at Jolly Rogers, Saturday 5 December 2026 14:00",
  terms: "£50.00 deposit, not refunded. Of the rest: all back until 14 days before, then nothing.",
  customer_email: "sam+party@example.com",
  success_url: "https://example.com/return?session={CHECKOUT_SESSION_ID}&a=b",
  cancel_url: "https://example.com/cancel",
  expires_at: 1_795_190_400,
  ...changes
})

/** Asks for a refund of half of it, with the platform's fee in proportion. */
export const refundRequest = (changes: Partial<RefundRequest> = {}): RefundRequest => ({
  account,
  idempotency_key: "refund_01h4:create",
  refund_id: "refund_01h4",
  booking_id: "booking_01h4",
  payment_intent_id: "pi_1",
  amount: 12_000,
  refund_application_fee: true,
  ...changes
})
