/**
 * What the outside provider stores: checkout sessions, payments, refunds, disputes and invoices, by the provider's documentation
 * (https://docs.stripe.com/api). It shares no code with the project's sandbox, so that a wrong reading of the documentation shows.
 */
import { randomBytes } from "node:crypto"

export interface Session {
  readonly id: string
  readonly account: string
  readonly amount: number
  readonly currency: string
  readonly fee: number
  readonly created: number
  readonly expires_at: number
  readonly client_reference_id: string | null
  readonly customer_email: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly success_url: string
  readonly cancel_url: string | null
  status: "open" | "complete" | "expired"
  payment_status: "unpaid" | "paid"
  /** Of a complete session. */
  payment_intent: string | null
  /** Of a delayed payment. */
  intent_status: "processing" | "succeeded" | "requires_payment_method"
}

export interface Refund {
  readonly id: string
  readonly account: string
  readonly payment_intent: string
  readonly amount: number
  readonly currency: string
  readonly created: number
  readonly metadata: Readonly<Record<string, string>>
  readonly by: "service" | "dashboard"
  /** Whether the fee went back with it. */
  readonly fee: boolean
  /** What each payment of the booking had returned (refunds, lost disputes) when the service last asked before this refund. */
  readonly known: Readonly<Record<string, number>>
  status: "pending" | "succeeded" | "failed"
  failure_reason: string | null
}

export interface Dispute {
  readonly id: string
  readonly account: string
  readonly payment_intent: string
  readonly amount: number
  readonly currency: string
  readonly created: number
  status: "needs_response" | "won" | "lost"
}

export interface Invoice {
  readonly id: string
  readonly customer: string
  readonly subscription: string
  readonly paid_at: number
  readonly period_end: number
}

/** A refusal, in the words of the provider's API. */
export class Refusal extends Error {
  readonly status: number
  readonly type: string
  readonly code: string | undefined
  readonly param: string | undefined
  constructor(
    status: number,
    message: string,
    {
      code,
      param,
      type = "invalid_request_error"
    }: { readonly code?: string; readonly param?: string; readonly type?: string } = {}
  ) {
    super(message)
    this.status = status
    this.type = type
    this.code = code
    this.param = param
  }
}

export interface ProviderChange {
  readonly type: string
  readonly account: string | undefined
  readonly object: object
}

const newId = (prefix: string): string => `${prefix}${randomBytes(12).toString("hex")}`
/** The service's question about a payment counts for a refund that follows within this time: a whole call with its retries. */
const lookValidMs = 30_000

export class ProviderState {
  readonly sessions = new Map<string, Session>()
  readonly refunds = new Map<string, Refund>()
  readonly disputes = new Map<string, Dispute>()
  readonly invoices = new Map<string, Invoice>()
  /** Accounts that have withdrawn our access. */
  readonly closed = new Set<string>()
  /** Accounts with an empty balance. */
  readonly poor = new Set<string>()
  /** Refunds stay `pending` until they are settled. */
  slow = false
  readonly #looks = new Map<string, { readonly at: number; readonly gone: number }>()
  readonly #now: () => number
  readonly #notify: (change: ProviderChange) => void

  constructor(now: () => number, notify: (change: ProviderChange) => void) {
    this.#now = now
    this.#notify = notify
  }

  seconds(): number {
    return Math.floor(this.#now() / 1000)
  }

  createSession(
    asked: Omit<Session, "id" | "created" | "status" | "payment_status" | "payment_intent" | "intent_status">
  ): Session {
    const created = this.seconds()
    const ahead = asked.expires_at - created
    if (ahead < 30 * 60 || ahead > 24 * 3600) {
      throw new Refusal(
        400,
        "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.",
        {
          param: "expires_at"
        }
      )
    }
    const session: Session = {
      ...asked,
      id: newId("cs_test_"),
      created,
      status: "open",
      payment_status: "unpaid",
      payment_intent: null,
      intent_status: "processing"
    }
    this.sessions.set(session.id, session)
    return session
  }

  /** The session of this account, as it is now: it may have expired. */
  session(account: string, id: string): Session {
    this.lapse()
    const found = this.sessions.get(id)
    if (found === undefined || found.account !== account)
      throw new Refusal(404, `No such checkout.session: '${id}'`, { code: "resource_missing", param: "session" })
    return found
  }

  /** Expires the open sessions whose time is up. */
  lapse(): void {
    for (const session of this.sessions.values())
      if (session.status === "open" && session.expires_at <= this.seconds()) this.#close(session)
  }

  #close(session: Session): void {
    session.status = "expired"
    this.#notifySession("expired", session)
  }

  #notifySession(what: string, session: Session): void {
    this.#notify({ type: `checkout.session.${what}`, account: session.account, object: { session: session.id } })
  }

  expireSession(account: string, id: string): Session {
    const session = this.session(account, id)
    if (session.status !== "open")
      throw new Refusal(
        400,
        `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`
      )
    this.#close(session)
    return session
  }

  /** A payer pays on the page; `later`: by a method that takes days. False where the page is closed. */
  pay(id: string, later: boolean): boolean {
    this.lapse()
    const session = this.sessions.get(id)
    if (session?.status !== "open") return false
    session.status = "complete"
    session.payment_intent = newId("pi_")
    session.payment_status = later ? "unpaid" : "paid"
    session.intent_status = later ? "processing" : "succeeded"
    this.#notifySession("completed", session)
    return true
  }

  /** A delayed payment succeeds or fails. */
  decidePayment(id: string, as: "succeeded" | "failed"): boolean {
    const session = this.sessions.get(id)
    if (session?.status !== "complete" || session.intent_status !== "processing") return false
    session.intent_status = as === "succeeded" ? "succeeded" : "requires_payment_method"
    session.payment_status = as === "succeeded" ? "paid" : "unpaid"
    this.#notifySession(as === "succeeded" ? "async_payment_succeeded" : "async_payment_failed", session)
    return true
  }

  payment(account: string, intent: string): Session {
    for (const session of this.sessions.values())
      if (session.payment_intent === intent && session.account === account) return session
    throw new Refusal(404, `No such payment_intent: '${intent}'`, { code: "resource_missing", param: "intent" })
  }

  refundsOf(intent: string): ReadonlyArray<Refund> {
    return [...this.refunds.values()].filter(({ payment_intent }) => payment_intent === intent)
  }

  disputesOf(intent: string): ReadonlyArray<Dispute> {
    return [...this.disputes.values()].filter(({ payment_intent }) => payment_intent === intent)
  }

  /** What a payment has returned, or is about to: refunds that have not failed, and lost disputes. */
  returned(intent: string): number {
    const back = this.refundsOf(intent).filter(({ status }) => status !== "failed")
    const lost = this.disputesOf(intent).filter(({ status }) => status === "lost")
    return [...back, ...lost].reduce((sum, { amount }) => sum + amount, 0)
  }

  /** Notes that the service asked for a payment's refunds. */
  noteLook(intent: string): void {
    this.#looks.set(intent, { at: Date.now(), gone: this.returned(intent) })
  }

  #known(intent: string): number {
    const look = this.#looks.get(intent)
    const gone = this.returned(intent)
    return look === undefined || Date.now() - look.at > lookValidMs ? gone : Math.min(look.gone, gone)
  }

  /** The payments of the same booking, this one among them. */
  #besides(payment: Session): ReadonlyArray<string> {
    const booking = payment.metadata["booking_id"]
    return [...this.sessions.values()].flatMap(({ metadata, payment_intent }) =>
      payment_intent !== null && metadata["booking_id"] === booking ? [payment_intent] : []
    )
  }

  refund(
    account: string,
    intent: string,
    asked: Pick<Refund, "by" | "fee" | "metadata"> & { readonly amount: number | undefined }
  ): Refund {
    const payment = this.payment(account, intent)
    if (payment.payment_status !== "paid")
      throw new Refusal(400, "This PaymentIntent does not have a successful charge to refund.")
    const open = this.disputesOf(intent).some(({ status }) => status !== "won")
    if (open)
      throw new Refusal(400, `Charge ${intent.replace("pi_", "ch_")} has been charged back; cannot issue a refund.`, {
        code: "charge_disputed"
      })
    const left = payment.amount - this.returned(intent)
    if (left === 0)
      throw new Refusal(400, `Charge ${intent.replace("pi_", "ch_")} has already been refunded.`, {
        code: "charge_already_refunded"
      })
    const amount = asked.amount ?? left
    if (amount > left)
      throw new Refusal(400, `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, {
        param: "amount"
      })
    if (asked.fee && payment.fee === 0)
      throw new Refusal(400, "You cannot refund the application fee of a charge that has none.", {
        param: "refund_application_fee"
      })
    if (asked.by === "service" && this.poor.has(account))
      throw new Refusal(400, "You have insufficient funds in your account for this refund.", {
        code: "balance_insufficient"
      })
    const refund: Refund = {
      id: newId("re_"),
      account,
      payment_intent: intent,
      amount,
      currency: payment.currency,
      created: this.seconds(),
      metadata: asked.metadata,
      by: asked.by,
      fee: asked.fee,
      known: Object.fromEntries(this.#besides(payment).map((one) => [one, this.#known(one)])),
      status: this.slow ? "pending" : "succeeded",
      failure_reason: null
    }
    this.refunds.set(refund.id, refund)
    this.#notify({ type: "charge.refunded", account, object: { refund: refund.id } })
    return refund
  }

  /** Pending refunds succeed. */
  settleRefunds(): void {
    for (const refund of this.refunds.values()) if (refund.status === "pending") refund.status = "succeeded"
  }

  /** The payer's bank takes the rest of a payment back, until the dispute is decided. */
  dispute(id: string): Dispute | undefined {
    const session = this.sessions.get(id)
    if (session === undefined || session.payment_intent === null || session.payment_status !== "paid") return undefined
    const intent = session.payment_intent
    const amount = session.amount - this.returned(intent)
    if (amount === 0 || this.disputesOf(intent).length > 0) return undefined
    const dispute: Dispute = {
      id: newId("du_"),
      account: session.account,
      payment_intent: intent,
      amount,
      currency: session.currency,
      created: this.seconds(),
      status: "needs_response"
    }
    this.disputes.set(dispute.id, dispute)
    this.#notify({ type: "charge.dispute.created", account: session.account, object: { dispute: dispute.id } })
    return dispute
  }

  /** An operator's subscription is paid up to an instant, in seconds. */
  invoice(customer: string, period_end: number): Invoice {
    const invoice = {
      id: newId("in_"),
      customer,
      subscription: `sub_${customer}`,
      paid_at: this.seconds(),
      period_end
    }
    this.invoices.set(invoice.id, invoice)
    this.#notify({ type: "invoice.paid", account: undefined, object: { invoice: invoice.id } })
    return invoice
  }
}
