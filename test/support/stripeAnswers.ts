/**
 * The real gateway over a server that gives fixed answers, for tests of the adapter alone: what it sends, and what it makes of every answer
 * and failure. The server stores nothing and knows no rules, so it is no fake provider.
 */
import { Effect, Layer } from "effect"
import { PaymentGateway } from "../../src/payment/provider/PaymentGateway.ts"
import { type Answer, type RecordingServer, recordingServer } from "./RecordingServer.ts"
import { account, checkoutRequest, refundRequest, stripeGatewayAt } from "./stripeGateway.ts"

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

/** Lets the server answer each of them. */
export const answerEveryCall = (server: RecordingServer) =>
  server.answer(({ method, path }) => {
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
  })
