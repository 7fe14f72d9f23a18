/**
 * A payment provider in memory, behind the gateway's port. It keeps sessions, payments, refunds and idempotency keys as the provider
 * does, enforces the rules that matter to the services, and does what a test tells it: fail, be away, act and not answer.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import {
  AccountUnavailable,
  type CheckoutRequest,
  type GatewayError,
  PaymentGateway,
  type ProviderDispute,
  type ProviderInvoice,
  ProviderKeyReused,
  type ProviderRefund,
  ProviderRefused,
  type ProviderSession,
  ProviderUnavailable,
  type RefundRequest
} from "../../src/payment/provider/PaymentGateway.ts"

export type Operation = keyof PaymentGateway["Service"]

/** What befalls the next call of an operation. `unanswered`: the provider acts, and its answer is lost; `slow`: it acts and answers after five seconds. */
/** `failing_kept`: a server error that the provider keeps under the key; `acted_kept`: and it acted before. */
/** `…_refused`: the provider refuses that part of the request, or our key. */
export type Fault =
  | "key_refused"
  | "amount_refused"
  | "success_url_refused"
  | "away"
  | "unanswered"
  | "refused"
  | "charged_back"
  | "account_closed"
  | "key_reused"
  | "slow"
  | "failing_kept"
  | "acted_kept"

/** What a person does on the page, or time does to it. */
export type PageAction = "pay" | "pay_later" | "free" | "late_success" | "late_failure" | "expire"

type Kept<A> = { -readonly [K in keyof A]: A[K] } & { readonly account: string }

export class ScriptedGateway extends Context.Service<
  ScriptedGateway,
  {
    readonly sessions: Map<string, Kept<ProviderSession>>
    readonly refunds: Map<string, Kept<ProviderRefund> & { readonly payment_intent_id: string }>
    /** Of the platform's own account. */
    readonly invoices: Map<string, ProviderInvoice>
    readonly calls: Array<{ readonly operation: Operation; readonly key?: string; readonly body?: unknown }>
    readonly disputes: Map<string, Kept<ProviderDispute> & { readonly payment_intent_id: string }>
    /** While set, the operator's balance is too small for refunds. */
    readonly poor: { now: boolean }
    /** Befalls the next call of that operation only. */
    readonly injectFault: (operation: Operation, trouble: Fault) => void
    /** While set, every call fails; `account_closed`: those for an account. */
    readonly away: { now: boolean; as: "away" | "account_closed" }
    /** The status that new refunds start in. */
    readonly refundsStart: { as: "succeeded" | "pending" }
    /** Idempotency keys are forgotten, as after a day. */
    readonly forgetIdempotencyKeys: () => void
    readonly act: (session_id: string, deed: PageAction) => ProviderSession
    /** The operator refunds in the dashboard. */
    readonly refundInDashboard: (session_id: string, amount: number) => ProviderRefund
    /** The payer disputes a payment, in whole or in part; `decide` ends it, or moves it on. */
    readonly openDispute: (session_id: string, amount?: number, status?: string) => ProviderDispute
    readonly setDisputeStatus: (dispute_id: string, status: string) => void
    /** What the payer of a session paid, and has back (by refunds and lost disputes), in minor units. */
    readonly paidAndRefunded: (session_id: string) => { readonly paid: number; readonly refunded: number }
  }
>()("test/ScriptedGateway") {}

/** What each deed makes of a session that is in the state for it; nothing otherwise. */
const pageActions: Record<PageAction, (session: Kept<ProviderSession>, intent: string) => void> = {
  pay: (session, intent) => {
    if (session.status === "open")
      Object.assign(session, { status: "complete", payment_status: "paid", payment_intent_id: intent })
  },
  pay_later: (session, intent) => {
    if (session.status === "open") Object.assign(session, { status: "complete", payment_intent_id: intent })
  },
  free: (session) => {
    if (session.status === "open")
      Object.assign(session, { status: "complete", payment_status: "no_payment_required", amount_total: 0 })
  },
  late_success: (session) => {
    if (session.status === "complete" && session.payment_failed !== true) session.payment_status = "paid"
  },
  late_failure: (session) => {
    if (session.status === "complete" && session.payment_status === "unpaid") session.payment_failed = true
  },
  expire: (session) => {
    if (session.status === "open") session.status = "expired"
  }
}

const make = Effect.sync(() => {
  const sessions: ScriptedGateway["Service"]["sessions"] = new Map()
  const refunds: ScriptedGateway["Service"]["refunds"] = new Map()
  const invoices: ScriptedGateway["Service"]["invoices"] = new Map()
  const calls: ScriptedGateway["Service"]["calls"] = []
  const disputes: ScriptedGateway["Service"]["disputes"] = new Map()
  const poor = { now: false }
  // What was answered under an idempotency key, refusals too: to session calls, and to refund calls.
  type Answered<A> = Map<string, { readonly body: string; readonly answer: Result.Result<A, GatewayError> }>
  const sessionKeys: Answered<ProviderSession> = new Map()
  const refundKeys: Answered<ProviderRefund> = new Map()
  const scripted = new Map<Operation, Array<Fault>>()
  const away: ScriptedGateway["Service"]["away"] = { now: false, as: "away" }
  const refundsStart: { as: "succeeded" | "pending" } = { as: "succeeded" }
  let serial = 0

  const troubleOf = (operation: Operation, trouble: Fault, account: string): GatewayError => {
    if (trouble === "refused")
      return new ProviderRefused({ operation, code: "test_refused", message: "refused by the test" })
    if (trouble === "amount_refused") {
      const message = "The Checkout Session's total amount due must add up to at least £0.30 gbp"
      return new ProviderRefused({ operation, code: "amount_too_small", message })
    }
    if (trouble === "success_url_refused") {
      return new ProviderRefused({
        operation,
        code: "url_invalid",
        message: "Not a valid URL",
        parameter: "success_url"
      })
    }
    if (trouble === "key_refused") {
      return new ProviderUnavailable({
        operation,
        kind: "key_refused",
        reason: "the provider does not accept our API key"
      })
    }
    if (trouble === "charged_back")
      return new ProviderRefused({ operation, code: "charge_disputed", message: "has been charged back" })
    if (trouble === "account_closed") return new AccountUnavailable({ account, reason: "closed by the test" })
    if (trouble === "key_reused") return new ProviderKeyReused({ operation })
    return new ProviderUnavailable({ operation, reason: "the test has no answer" })
  }

  /** One call: what is scripted befalls it; a key that was used before answers what it did then. */
  const call = <A>(
    operation: Operation,
    account: string,
    run: Effect.Effect<A, GatewayError>,
    keyed?: { readonly key: string; readonly body: unknown; readonly answered: Answered<A> }
  ): Effect.Effect<A, GatewayError> =>
    Effect.gen(function* () {
      calls.push(keyed === undefined ? { operation } : { operation, key: keyed.key, body: keyed.body })
      const gone = away.now && (away.as === "away" || account !== "")
      const trouble = gone ? away.as : scripted.get(operation)?.shift()
      if (trouble === "slow") yield* Effect.sleep("5 seconds")
      const acts = ["unanswered", "slow", "failing_kept", "acted_kept", undefined].includes(trouble)
      if (trouble !== undefined && !acts) return yield* Effect.fail(troubleOf(operation, trouble, account))
      const body = JSON.stringify(keyed?.body)
      if (keyed !== undefined && (trouble === "failing_kept" || trouble === "acted_kept")) {
        if (trouble === "acted_kept") yield* run
        const failure = new ProviderUnavailable({ operation, reason: "the provider answered 500", kept: true })
        keyed.answered.set(`${account} ${keyed.key}`, { body, answer: Result.fail(failure) })
        return yield* Effect.fail(troubleOf(operation, "away", account))
      }
      const before = keyed?.answered.get(`${account} ${keyed.key}`)
      if (before !== undefined && before.body !== body) return yield* new ProviderKeyReused({ operation })
      const answer = before === undefined ? yield* Effect.result(run) : before.answer
      keyed?.answered.set(`${account} ${keyed.key}`, { body, answer })
      return trouble === "unanswered"
        ? yield* Effect.fail(troubleOf(operation, trouble, account))
        : yield* Effect.fromResult(answer)
    })

  const plain = (kept: Kept<ProviderSession>): ProviderSession => ({ ...kept })
  const missing = (operation: Operation) =>
    new ProviderRefused({ operation, code: "resource_missing", message: "no such object on this account" })
  const sessionOf = (operation: Operation, account: string, id: string) =>
    Effect.suspend(() => {
      const session = sessions.get(id)
      return session === undefined || session.account !== account
        ? Effect.fail(missing(operation))
        : Effect.succeed(session)
    })

  const createSession = (request: CheckoutRequest) =>
    call(
      "createSession",
      request.account,
      Effect.gen(function* () {
        const seconds = (yield* Clock.currentTimeMillis) / 1000
        if (request.expires_at < seconds + 1800 || request.expires_at > seconds + 86_400) {
          return yield* new ProviderRefused({
            operation: "createSession",
            code: "parameter_invalid",
            message: "expires_at must be between 30 minutes and 24 hours from now",
            parameter: "expires_at"
          })
        }
        if (!/^[!-~]*$/.test(request.customer_email ?? "")) {
          const message = `Invalid email address: ${request.customer_email}`
          const parameter = "customer_email"
          return yield* new ProviderRefused({ operation: "createSession", code: "email_invalid", message, parameter })
        }
        const id = `cs_test_${++serial}`
        sessions.set(id, {
          account: request.account,
          id,
          status: "open",
          payment_status: "unpaid",
          amount_total: request.amount,
          currency: request.currency,
          url: `https://pay.example/${id}`,
          expires_at: request.expires_at,
          livemode: false,
          payment_session_id: request.payment_session_id
        })
        return plain(yield* sessionOf("createSession", request.account, id))
      }),
      { key: request.idempotency_key, body: request, answered: sessionKeys }
    )

  const back = (payment_intent_id: string) =>
    [...refunds.values()].filter(
      (refund) => refund.payment_intent_id === payment_intent_id && refund.status !== "failed"
    )
  const disputed = (payment_intent_id: string, statuses: ReadonlyArray<string>) =>
    [...disputes.values()]
      .filter((one) => one.payment_intent_id === payment_intent_id && statuses.includes(one.status))
      .reduce((sum, { amount }) => sum + amount, 0)
  const givenBack = (payment_intent_id: string) =>
    back(payment_intent_id).reduce((total, { amount }) => total + amount, 0) + disputed(payment_intent_id, ["lost"])
  const paidOn = (payment_intent_id: string) =>
    [...sessions.values()].find(
      (session) => session.payment_intent_id === payment_intent_id && session.payment_status === "paid"
    )

  const createRefund = (request: RefundRequest) =>
    call(
      "createRefund",
      request.account,
      Effect.gen(function* () {
        const session = paidOn(request.payment_intent_id)
        if (session === undefined || session.account !== request.account) return yield* missing("createRefund")
        const refuse = (code: string) =>
          new ProviderRefused({ operation: "createRefund", code, message: "refused by the scripted provider" })
        if (disputed(request.payment_intent_id, ["needs_response", "under_review"]) > 0) {
          return yield* refuse("charge_disputed")
        }
        if (poor.now) return yield* refuse("balance_insufficient")
        const given = givenBack(request.payment_intent_id)
        if (given + request.amount > session.amount_total) {
          return yield* new ProviderRefused({
            operation: "createRefund",
            code: "charge_already_refunded",
            message: "more than was paid"
          })
        }
        const id = `re_test_${++serial}`
        const refund: ProviderRefund = {
          id,
          status: refundsStart.as,
          amount: request.amount,
          currency: session.currency,
          refund_id: request.refund_id
        }
        refunds.set(id, { ...refund, account: request.account, payment_intent_id: request.payment_intent_id })
        return refund
      }),
      { key: request.idempotency_key, body: request, answered: refundKeys }
    )

  const gateway = PaymentGateway.of({
    createSession,
    createRefund,
    getSession: (account, id) => call("getSession", account, Effect.map(sessionOf("getSession", account, id), plain)),
    expireSession: (account, id, key) =>
      call(
        "expireSession",
        account,
        Effect.map(sessionOf("expireSession", account, id), (session) => {
          pageActions.expire(session, "")
          return plain(session)
        }),
        { key, body: id, answered: sessionKeys }
      ),
    getInvoice: (id) =>
      call(
        "getInvoice",
        "",
        Effect.suspend(() => {
          const invoice = invoices.get(id)
          return invoice === undefined ? Effect.fail(missing("getInvoice")) : Effect.succeed(invoice)
        })
      ),
    paidInvoices: (customer) =>
      call(
        "paidInvoices",
        "",
        Effect.sync(() => [...invoices.values()].filter((one) => one.customer === customer && one.status === "paid"))
      ),
    getRefund: (account, id) =>
      call(
        "getRefund",
        account,
        Effect.suspend(() => {
          const refund = refunds.get(id)
          return refund === undefined ? Effect.fail(missing("getRefund")) : Effect.succeed({ ...refund })
        })
      ),
    listRefunds: (account, payment_intent_id) =>
      call(
        "listRefunds",
        account,
        Effect.sync(() =>
          [...refunds.values()]
            .filter((refund) => refund.payment_intent_id === payment_intent_id)
            .map((refund) => ({ ...refund }))
        )
      ),
    listDisputes: (account, payment_intent_id) =>
      call(
        "listDisputes",
        account,
        Effect.sync(() =>
          [...disputes.values()]
            .filter((dispute) => dispute.payment_intent_id === payment_intent_id)
            .map((dispute) => ({ ...dispute }))
        )
      )
  })

  const control = ScriptedGateway.of({
    sessions,
    refunds,
    invoices,
    disputes,
    poor,
    calls,
    injectFault: (operation, trouble) => void scripted.set(operation, [...(scripted.get(operation) ?? []), trouble]),
    away,
    refundsStart,
    forgetIdempotencyKeys: () => {
      sessionKeys.clear()
      refundKeys.clear()
    },
    act: (session_id, deed) => {
      const session = sessions.get(session_id)
      if (session === undefined) throw new Error(`no session ${session_id}`)
      pageActions[deed](session, `pi_${session_id}`)
      return plain(session)
    },
    refundInDashboard: (session_id, amount) => {
      const session = sessions.get(session_id)
      const id = `re_test_${++serial}`
      const refund = { id, status: "succeeded", amount, currency: session?.currency ?? "GBP" }
      refunds.set(id, {
        ...refund,
        account: session?.account ?? "",
        payment_intent_id: session?.payment_intent_id ?? ""
      })
      return refund
    },
    openDispute: (session_id, amount, status = "needs_response") => {
      const session = sessions.get(session_id)
      const id = `dp_test_${++serial}`
      const dispute: ProviderDispute = {
        id,
        status,
        amount: amount ?? session?.amount_total ?? 0,
        currency: session?.currency ?? "GBP",
        reason: "fraudulent",
        due_by: 1_800_000_000
      }
      disputes.set(id, {
        ...dispute,
        account: session?.account ?? "",
        payment_intent_id: session?.payment_intent_id ?? ""
      })
      return dispute
    },
    setDisputeStatus: (dispute_id, status) => {
      const dispute = disputes.get(dispute_id)
      if (dispute !== undefined) dispute.status = status
    },
    paidAndRefunded: (session_id) => {
      const session = sessions.get(session_id)
      return {
        paid: session?.payment_status === "paid" ? session.amount_total : 0,
        refunded: givenBack(session?.payment_intent_id ?? "")
      }
    }
  })
  return Context.make(PaymentGateway, gateway).pipe(Context.add(ScriptedGateway, control))
})

/** The port, and the controls of what stands behind it. */
export const scriptedGateway: Layer.Layer<PaymentGateway | ScriptedGateway> = Layer.effectContext(make)
