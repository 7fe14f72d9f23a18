/**
 * The provider behind the gateway's port, inside the test's process and in memory: it is fast, and does exactly what a
 * test says. It stores sessions, payments, refunds and idempotency keys, and fails on demand. When a payment can be
 * refunded is the sandbox's own rule.
 *
 * What the service sends over HTTP is tested elsewhere: `StripeGateway` against a server with fixed answers
 * (`stripeAnswers.ts`), and with the product's own sandbox (`SandboxWorld.ts`).
 */

import { assert } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Result } from "effect"
import {
  AccountUnavailable,
  type CheckoutRequest,
  type GatewayError,
  type ListedSession,
  PaymentGateway,
  type ProviderDispute,
  type ProviderInvoice,
  ProviderKeyReused,
  type ProviderRefund,
  ProviderRefused,
  type ProviderSession,
  ProviderUnavailable,
  type RefundRequest
} from "../../src/domain/payment/provider/PaymentGateway.ts"
import { statusOf } from "../../src/domain/payment/refunds/Refund.ts"
import { refundFault } from "../../src/extras/sandbox/Refunds.ts"

// What can go wrong with a call of the scripted gateway, and what the service is answered then.

/**
 * What goes wrong with the next call of an operation. `away`: the call does not reach the provider; `unanswered`: the
 * provider acts, and its answer is lost; `slow`: it answers after five seconds. `failing_kept`: a server error that the
 * provider keeps under the idempotency key; `acted_kept`: the same, after it has acted. `refused`, `…_refused`: the
 * provider refuses the call, a part of it, or our API key. `charged_back`: a refund of a disputed payment.
 */
export type Fault =
  | "key_refused"
  | "amount_refused"
  | "success_url_refused"
  | "expires_at_refused"
  | "currency_refused"
  | "payment_method_refused"
  | "fee_refused"
  | "away"
  | "unanswered"
  | "refused"
  | "charged_back"
  | "account_closed"
  | "key_reused"
  | "slow"
  | "failing_kept"
  | "acted_kept"

/** What the service is answered where a fault has no answer of its own. */
const noAnswer = (operation: string): GatewayError =>
  new ProviderUnavailable({ operation, reason: "the test has no answer" })

/** A refusal, with the provider's own code. */
export const refused = (operation: string, code: string, message: string, parameter?: string): GatewayError =>
  new ProviderRefused({ operation, code, message, ...(parameter === undefined ? {} : { parameter }) })

/** The answer to a call that goes wrong. */
export const errors: Readonly<Record<Fault, (operation: string, account: string) => GatewayError>> = {
  away: noAnswer,
  unanswered: noAnswer,
  slow: noAnswer,
  failing_kept: noAnswer,
  acted_kept: noAnswer,
  refused: (operation) => refused(operation, "test_refused", "refused by the test"),
  amount_refused: (operation) =>
    refused(operation, "amount_too_small", "The Checkout Session's total amount due must add up to at least £0.30 gbp"),
  success_url_refused: (operation) => refused(operation, "url_invalid", "Not a valid URL", "success_url"),
  expires_at_refused: (operation) =>
    refused(
      operation,
      "parameter_invalid",
      "must be at least 30 minutes from Checkout Session creation.",
      "expires_at"
    ),
  currency_refused: (operation) =>
    refused(operation, "invalid_request_error", "Invalid currency", "line_items[0][price_data][currency]"),
  payment_method_refused: (operation) =>
    refused(operation, "invalid_request_error", "No valid payment method types", "payment_method_types"),
  fee_refused: (operation) =>
    refused(operation, "parameter_invalid_integer", "Too large", "payment_intent_data[application_fee_amount]"),
  charged_back: (operation) => refused(operation, "charge_disputed", "has been charged back"),
  key_refused: (operation) =>
    new ProviderUnavailable({ operation, kind: "key_refused", reason: "the provider does not accept our API key" }),
  account_closed: (_, account) => new AccountUnavailable({ account, reason: "closed by the test" }),
  key_reused: (operation) => new ProviderKeyReused({ operation })
}

// What the scripted gateway lists of an account: the sessions with what the service wrote into them, refunds, disputes.

type Of<A> = A & { readonly account: string }
type Lists = "describeSession" | "listSessions" | "listRefundsSince" | "disputesPage" | "disputesToldSince"

/** So few that there are pages. */
const disputesOfPage = 2

/** A session's request, and when it came, in seconds. */
export interface Asked {
  readonly request: CheckoutRequest
  readonly created: number
}

/** When something changed of a dispute, in milliseconds. */
interface DisputeNews {
  readonly id: string
  readonly at: number
}

/** The calls of the port that list. `asked` has the request of each session; refunds are listed whatever the time. */
const scriptedLists = (of: {
  readonly sessions: () => Iterable<Of<ProviderSession>>
  readonly refunds: () => Iterable<Of<ProviderRefund> & { readonly payment_intent_id: string }>
  readonly disputes: () => Iterable<Of<ProviderDispute> & { readonly payment_intent_id: string }>
  readonly news: ReadonlyArray<DisputeNews>
  readonly asked: ReadonlyMap<string, Asked>
  readonly find: (account: string, id: string) => Effect.Effect<Of<ProviderSession>, GatewayError>
  readonly call: <A>(
    operation: Lists,
    account: string,
    run: Effect.Effect<A, GatewayError>
  ) => Effect.Effect<A, GatewayError>
}): Pick<PaymentGateway["Service"], Lists> => {
  const listed = (session: Of<ProviderSession>): ReadonlyArray<ListedSession> => {
    const asked = of.asked.get(session.id)
    if (asked === undefined) return []
    const {
      booking_id,
      description,
      key_id,
      option_id,
      payment_session_id,
      purpose,
      reference,
      success_url,
      voucher_id,
      order_id
    } = asked.request
    return [
      {
        session,
        created: asked.created,
        success_url,
        description: `${description} (${reference})`,
        payer_name: "Ana Lima",
        ...(asked.request.customer_email === undefined ? {} : { payer_email: asked.request.customer_email }),
        application_fee: asked.request.application_fee,
        metadata: {
          payment_session_id,
          ...(booking_id === undefined ? {} : { booking_id }),
          ...(voucher_id === undefined ? {} : { voucher_id }),
          ...(order_id === undefined ? {} : { order_id }),
          reference,
          purpose,
          ...(option_id === undefined ? {} : { option_id }),
          ...(key_id === undefined ? {} : { key_id })
        }
      }
    ]
  }
  return {
    describeSession: (account, id) =>
      of.call(
        "describeSession",
        account,
        Effect.flatMap(of.find(account, id), (session) => {
          const [found] = listed(session)
          return found === undefined ? Effect.die(new Error(`nobody asked for ${id}`)) : Effect.succeed(found)
        })
      ),
    listSessions: (account, since) =>
      of.call(
        "listSessions",
        account,
        Effect.sync(() =>
          [...of.sessions()]
            .filter((session) => session.account === account)
            .flatMap(listed)
            .filter(({ created }) => created >= since)
        )
      ),
    listRefundsSince: (account) =>
      of.call(
        "listRefundsSince",
        account,
        Effect.sync(() =>
          [...of.refunds()]
            .filter((refund) => refund.account === account)
            .map(({ payment_intent_id, ...refund }) => ({ refund, payment_intent_id, created: 0 }))
        )
      ),
    disputesPage: (account, after) =>
      of.call(
        "disputesPage",
        account,
        Effect.sync(() => {
          const all = [...of.disputes()].filter((dispute) => dispute.account === account).toReversed()
          const start = all.findIndex(({ id }) => id === after) + 1
          const page = all.slice(start, start + disputesOfPage)
          const disputes = page.map(({ payment_intent_id, ...dispute }) => ({ dispute, payment_intent_id }))
          return { disputes, next: all.length > start + disputesOfPage ? page.at(-1)?.id : undefined }
        })
      ),
    disputesToldSince: (account, since) =>
      of.call(
        "disputesToldSince",
        account,
        Effect.sync(() => of.news.filter(({ at }) => at >= since * 1000).map(({ id }) => id))
      )
  }
}

export type Operation = keyof PaymentGateway["Service"]

/** What a person does on the payment page, or what time does to it. */
export type PageAction = "pay" | "pay_later" | "free" | "late_success" | "late_failure" | "expire"

type Stored<A> = { -readonly [K in keyof A]: A[K] } & { readonly account: string }

/** A session of the provider: by its id there, or by our row about it. */
type SessionRef = string | { readonly provider_session_id: string | null }

/** The provider's id of a session. */
export const providerId = (session: SessionRef): string =>
  typeof session === "string"
    ? session
    : (session.provider_session_id ?? assert.fail("the provider has not answered for this session"))

interface Call {
  readonly operation: Operation
  readonly key?: string
  readonly body?: unknown
}

export class ScriptedGateway extends Context.Service<
  ScriptedGateway,
  {
    readonly sessions: Map<string, Stored<ProviderSession>>
    readonly sessionOf: (session: SessionRef) => Stored<ProviderSession>
    readonly refunds: Map<string, Stored<ProviderRefund> & { readonly payment_intent_id: string }>
    /** Of the platform's own account. */
    readonly invoices: Map<string, ProviderInvoice>
    /** What the provider asks of an account that takes no payments. */
    readonly accountsAsked: Map<string, ReadonlyArray<string>>
    /** Every call so far, with its idempotency key and request where it has them. */
    readonly calls: Array<Call>
    /** The calls of one operation so far. */
    readonly callsOf: (operation: Operation) => ReadonlyArray<Call>
    readonly disputes: Map<string, Stored<ProviderDispute> & { readonly payment_intent_id: string }>
    /** While true, the operator's balance is too small for refunds. */
    balanceTooSmall: boolean
    /** While set, every call fails; `account_closed`: every call for a connected account. */
    outage: "away" | "account_closed" | undefined
    /** The status of refunds that are made from now on. */
    newRefundStatus: "succeeded" | "pending"
    /** Makes the next call of that operation go wrong; several are used up one after the other. */
    readonly injectFault: (operation: Operation, fault: Fault) => void
    /** Forgets all idempotency keys, as the provider does after a day. */
    readonly forgetIdempotencyKeys: () => void
    /**
     * Acts on a session's page; nothing happens where its state does not allow it. Answers the session as it then is.
     * Sends no event.
     */
    readonly act: (session: SessionRef, action: PageAction) => ProviderSession
    /** The payer's card is declined on an open page, `at` a time (milliseconds). Answers the payment's id. */
    readonly decline: (session: SessionRef, at: number) => string
    /** Refunds in the dashboard, by the operator's hand. */
    readonly refundInDashboard: (session: SessionRef, amount: number) => ProviderRefund
    /** What the provider says of a refund from now on. */
    readonly setRefundStatus: (refund_id: string, status: string, failure_reason?: string) => void
    /** The payer disputes a payment, in whole or in part. */
    readonly openDispute: (session: SessionRef, amount?: number, status?: string) => ProviderDispute
    /** Moves a dispute on, or ends it. */
    readonly setDisputeStatus: (dispute_id: string, status: string) => void
    /** What was paid on a session and what went back (refunds, lost disputes), in minor units. */
    readonly paidAndRefunded: (session: SessionRef) => { readonly paid: number; readonly refunded: number }
  }
>()("test/ScriptedGateway") {}

/** What each action makes of a session whose state allows it. */
const pageActions: Record<PageAction, (session: Stored<ProviderSession>, intent: string) => void> = {
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

/** The statuses of a dispute in which the payer has the money, and those in which the bank has still to decide. */
export const withPayer = ["lost", "prevented", "appeal_needs_response", "appeal_under_review"]
export const undecided = ["needs_response", "under_review", "appeal_needs_response", "appeal_under_review"]

const make = Effect.map(Clock.Clock, (clock) => {
  const sessions: ScriptedGateway["Service"]["sessions"] = new Map()
  const refunds: ScriptedGateway["Service"]["refunds"] = new Map()
  const invoices: ScriptedGateway["Service"]["invoices"] = new Map()
  const accountsAsked: ScriptedGateway["Service"]["accountsAsked"] = new Map()
  const calls: ScriptedGateway["Service"]["calls"] = []
  const disputes: ScriptedGateway["Service"]["disputes"] = new Map()
  // What was answered under an idempotency key, refusals too.
  type Answered<A> = Map<string, { readonly body: string; readonly answer: Result.Result<A, GatewayError> }>
  const sessionKeys: Answered<ProviderSession> = new Map()
  const refundKeys: Answered<ProviderRefund> = new Map()
  const faults = new Map<Operation, Array<Fault>>()
  const asked = new Map<string, Asked>()
  const news: Array<DisputeNews> = []
  const tell = (id: string) => void news.push({ id, at: clock.currentTimeMillisUnsafe() })
  let serial = 0

  /** One call: an injected fault makes it fail; an idempotency key that was used before gets the answer of then. */
  const call = <A>(
    operation: Operation,
    account: string,
    run: Effect.Effect<A, GatewayError>,
    keyed?: { readonly key: string; readonly body: unknown; readonly answered: Answered<A> }
  ): Effect.Effect<A, GatewayError> =>
    Effect.gen(function* () {
      calls.push(keyed === undefined ? { operation } : { operation, key: keyed.key, body: keyed.body })
      const { outage } = control
      const fault =
        outage === "away" || (outage !== undefined && account !== "") ? outage : faults.get(operation)?.shift()
      if (fault === "slow") yield* Effect.sleep("5 seconds")
      const acts = ["unanswered", "slow", "failing_kept", "acted_kept", undefined].includes(fault)
      if (fault !== undefined && !acts) return yield* Effect.fail(errors[fault](operation, account))
      const body = JSON.stringify(keyed?.body)
      if (keyed !== undefined && (fault === "failing_kept" || fault === "acted_kept")) {
        if (fault === "acted_kept") yield* run
        const failure = new ProviderUnavailable({ operation, reason: "the provider answered 500", kept: true })
        keyed.answered.set(`${account} ${keyed.key}`, { body, answer: Result.fail(failure) })
        return yield* Effect.fail(noAnswer(operation))
      }
      const before = keyed?.answered.get(`${account} ${keyed.key}`)
      if (before !== undefined && before.body !== body) return yield* new ProviderKeyReused({ operation })
      const answer = before === undefined ? yield* Effect.result(run) : before.answer
      keyed?.answered.set(`${account} ${keyed.key}`, { body, answer })
      return fault === "unanswered"
        ? yield* Effect.fail(errors[fault](operation, account))
        : yield* Effect.fromResult(answer)
    })

  const plain = (kept: Stored<ProviderSession>): ProviderSession => ({ ...kept })
  const missing = (operation: Operation) => refused(operation, "resource_missing", "no such object on this account")
  const findSession = (operation: Operation, account: string, id: string) =>
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
          const message = "expires_at must be between 30 minutes and 24 hours from now"
          return yield* Effect.fail(refused("createSession", "parameter_invalid", message, "expires_at"))
        }
        if (!/^[!-~]*$/.test(request.customer_email ?? "")) {
          const message = `Invalid email address: ${request.customer_email}`
          return yield* Effect.fail(refused("createSession", "email_invalid", message, "customer_email"))
        }
        if (accountsAsked.has(request.account))
          return yield* Effect.fail(errors.account_closed("createSession", request.account))
        const id = `cs_test_${++serial}`
        asked.set(id, { request, created: Math.floor(seconds) })
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
        return plain(yield* findSession("createSession", request.account, id))
      }),
      { key: request.idempotency_key, body: request, answered: sessionKeys }
    )

  /** The session of a charge, whose id is the payment's. */
  const chargeOf = (id: string) =>
    [...sessions.values()].find(({ payment_intent_id }) => payment_intent_id === id.replace(/^ch_/, "pi_"))

  const refundsOf = (payment_intent_id: string) =>
    [...refunds.values()].filter(
      (refund) => refund.payment_intent_id === payment_intent_id && statusOf(refund) !== "failed"
    )
  const disputed = (payment_intent_id: string, statuses: ReadonlyArray<string>) =>
    [...disputes.values()]
      .filter((one) => one.payment_intent_id === payment_intent_id && statuses.includes(one.status))
      .reduce((sum, { amount }) => sum + amount, 0)
  const returned = (payment_intent_id: string) =>
    refundsOf(payment_intent_id).reduce((total, { amount }) => total + amount, 0) +
    disputed(payment_intent_id, withPayer)
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
        if (session === undefined || session.account !== request.account)
          return yield* Effect.fail(missing("createRefund"))
        if (control.balanceTooSmall)
          return yield* Effect.fail(refused("createRefund", "balance_insufficient", "refused by the scripted provider"))
        const { amount, payment_intent_id: payment_intent, refund_application_fee } = request
        const fault = refundFault(
          { payment_intent, amount, refund_application_fee, reason: undefined, metadata: {} },
          {
            paid: true,
            currency: session.currency.toLowerCase(),
            application_fee: asked.get(session.id)?.request.application_fee ?? 0,
            left: session.amount_total - returned(payment_intent),
            disputed: disputed(payment_intent, undecided) > 0
          }
        )
        if (fault !== undefined)
          return yield* Effect.fail(refused("createRefund", fault.code ?? fault.type, fault.text))
        const id = `re_test_${++serial}`
        const refund: ProviderRefund = {
          id,
          status: control.newRefundStatus,
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
    account: (id) =>
      call(
        "account",
        id,
        Effect.sync(() => ({
          id,
          charges_enabled: !accountsAsked.has(id),
          payouts_enabled: true,
          details_submitted: true,
          currently_due: accountsAsked.get(id) ?? []
        }))
      ),
    createSession,
    createRefund,
    getSession: (account, id) => call("getSession", account, Effect.map(findSession("getSession", account, id), plain)),
    expireSession: (account, id, key) =>
      call(
        "expireSession",
        account,
        Effect.map(findSession("expireSession", account, id), (session) => {
          pageActions.expire(session, "")
          return plain(session)
        }),
        { key, body: id, answered: sessionKeys }
      ),
    ...scriptedLists({
      sessions: () => sessions.values(),
      refunds: () => refunds.values(),
      disputes: () => disputes.values(),
      news,
      asked,
      call,
      find: (account, id) => findSession("describeSession", account, id)
    }),
    // It keeps no books: the sandbox does.
    balanceTransactions: (account) =>
      call("balanceTransactions", account, Effect.fail(noAnswer("balanceTransactions"))),
    payouts: (account) => call("payouts", account, Effect.fail(noAnswer("payouts"))),
    transactionsOfPayout: (account) =>
      call("transactionsOfPayout", account, Effect.fail(noAnswer("transactionsOfPayout"))),
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
    paymentOf: (account, kind, id) =>
      call(
        "paymentOf",
        account,
        Effect.suspend(() => {
          const found = kind === "charge" ? chargeOf(id) : { refund: refunds, dispute: disputes }[kind].get(id)
          return found?.account === account
            ? Effect.succeed(found.payment_intent_id ?? "")
            : Effect.fail(missing("paymentOf"))
        })
      ),
    sessionNamedBy: (account, payment_intent_id) =>
      call(
        "sessionNamedBy",
        account,
        Effect.suspend(() => {
          const found = [...sessions.values()].find((one) => one.payment_intent_id === payment_intent_id)
          return found?.account === account
            ? Effect.succeed(found.payment_session_id ?? "")
            : Effect.fail(missing("sessionNamedBy"))
        })
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

  const sessionOf = (ref: SessionRef) => sessions.get(providerId(ref)) ?? assert.fail(`no session ${providerId(ref)}`)
  /** What refunds and disputes of a session's payment have from it. */
  const paymentOf = (ref: SessionRef) => {
    const { account, currency, payment_intent_id = assert.fail("nothing was paid on the session") } = sessionOf(ref)
    return { account, currency, payment_intent_id }
  }

  const control = ScriptedGateway.of({
    sessions,
    refunds,
    invoices,
    accountsAsked,
    disputes,
    calls,
    callsOf: (operation) => calls.filter((call) => call.operation === operation),
    balanceTooSmall: false,
    outage: undefined,
    newRefundStatus: "succeeded",
    injectFault: (operation, fault) => void faults.set(operation, [...(faults.get(operation) ?? []), fault]),
    forgetIdempotencyKeys: () => {
      sessionKeys.clear()
      refundKeys.clear()
    },
    sessionOf,
    act: (ref, action) => {
      const session = sessionOf(ref)
      pageActions[action](session, `pi_${session.id}`)
      return plain(session)
    },
    decline: (ref, at) => {
      const session = sessionOf(ref)
      const intent = `pi_${session.id}`
      const failed_attempt = { charge: `ch_${++serial}`, created: Math.floor(at / 1000) }
      if (session.status === "open") Object.assign(session, { payment_intent_id: intent, failed_attempt })
      return intent
    },
    refundInDashboard: (ref, amount) => {
      const { currency, ...payment } = paymentOf(ref)
      const refund = { id: `re_test_${++serial}`, status: "succeeded", amount, currency }
      refunds.set(refund.id, { ...refund, ...payment })
      return refund
    },
    setRefundStatus: (refund_id, status, failure_reason) => {
      const refund = refunds.get(refund_id) ?? assert.fail(`no refund ${refund_id}`)
      Object.assign(refund, { status, ...(failure_reason === undefined ? {} : { failure_reason }) })
    },
    openDispute: (ref, amount = sessionOf(ref).amount_total, status = "needs_response") => {
      const { currency, ...payment } = paymentOf(ref)
      const dispute: ProviderDispute = {
        id: `dp_test_${++serial}`,
        status,
        amount,
        currency,
        reason: "fraudulent",
        due_by: 1_800_000_000
      }
      disputes.set(dispute.id, { ...dispute, ...payment })
      tell(dispute.id)
      return dispute
    },
    setDisputeStatus: (dispute_id, status) => {
      const dispute = disputes.get(dispute_id) ?? assert.fail(`no dispute ${dispute_id}`)
      dispute.status = status
      tell(dispute_id)
    },
    paidAndRefunded: (ref) => {
      const session = sessions.get(providerId(ref))
      return {
        paid: session?.payment_status === "paid" ? session.amount_total : 0,
        refunded: returned(session?.payment_intent_id ?? "")
      }
    }
  })
  return Context.make(PaymentGateway, gateway).pipe(Context.add(ScriptedGateway, control))
})

/** The port, and the controls of what stands behind it. */
export const scriptedGateway: Layer.Layer<PaymentGateway | ScriptedGateway> = Layer.effectContext(make)
