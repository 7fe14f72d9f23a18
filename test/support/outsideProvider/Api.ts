/** The calls of the provider's API that the service makes: routes, parameters and refusals. Unknown parameters are refused, as the provider does. */
import { type ProviderState, Refusal, type Session } from "./ProviderState.ts"
import type { Answer } from "./IdempotencyKeys.ts"
import { disputeObject, intentObject, invoiceObject, refundObject, sessionObject } from "./Objects.ts"

export interface Call {
  readonly method: string
  readonly path: string
  readonly account: string
  readonly parameters: URLSearchParams
}

const least: Readonly<Record<string, number>> = { gbp: 30, eur: 50, usd: 50, jpy: 50, sek: 300, aud: 50 }

const missing = (param: string): Refusal =>
  new Refusal(400, `Missing required param: ${param}.`, { code: "parameter_missing", param })

class Parameters {
  readonly #all: URLSearchParams
  constructor(all: URLSearchParams, known: RegExp) {
    this.#all = all
    for (const name of all.keys()) {
      if (!known.test(name))
        throw new Refusal(400, `Received unknown parameter: ${name}`, { code: "parameter_unknown", param: name })
    }
  }
  text(name: string): string {
    const value = this.#all.get(name)
    if (value === null || value === "") throw missing(name)
    return value
  }
  optional(name: string): string | undefined {
    return this.#all.get(name) ?? undefined
  }
  int(name: string): number {
    const text = this.text(name)
    if (!/^\d{1,12}$/.test(text))
      throw new Refusal(400, `Invalid integer: ${text}`, { code: "parameter_invalid_integer", param: name })
    return Number(text)
  }
  map(name: string): Record<string, string> {
    const made: Record<string, string> = {}
    for (const [key, value] of this.#all) {
      const found = key.startsWith(`${name}[`) ? key.slice(name.length + 1, -1) : undefined
      if (found !== undefined) made[found] = value
    }
    return made
  }
}

const sessionNames =
  /^(mode|client_reference_id|customer_email|expires_at|success_url|cancel_url|line_items\[0\]\[(quantity|price_data\]\[(currency|unit_amount|product_data\]\[name))\]|custom_text\[submit\]\[message\]|metadata\[\w{1,40}\]|payment_intent_data\[(description|receipt_email|application_fee_amount|metadata\]\[\w{1,40})\])$/
const refundNames = /^(payment_intent|amount|refund_application_fee|reason|metadata\[\w{1,40}\])$/

export class Api {
  readonly #state: ProviderState
  readonly #pageOf: (session: Session) => string

  constructor(state: ProviderState, pageOf: (session: Session) => string) {
    this.#state = state
    this.#pageOf = pageOf
  }

  /** Does a call; refusals are answers too. */
  answer(call: Call): Answer {
    try {
      if (call.account !== "" && this.#state.closed.has(call.account)) {
        throw new Refusal(
          403,
          `The provided key 'sk_test_***' does not have access to account '${call.account}' (or that account does not exist). Application access may have been revoked.`,
          { code: "account_invalid" }
        )
      }
      return { status: 200, body: this.#do(call) }
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown
      const { code, message, param, status, type } = thrown
      return { status, body: { error: { type, message, ...(code && { code }), ...(param && { param }) } } }
    }
  }

  #session(session: Session, expand = false): object {
    return sessionObject(session, this.#pageOf(session), expand)
  }

  #do({ account, method, parameters, path }: Call): object {
    const [, , kind = "", id = "", more = "", last = ""] = path.split("/")
    const route = `${method} ${kind}${kind === "checkout" ? `/${id}` : ""}`
    switch (route) {
      case "POST checkout/sessions":
        if (last === "expire") return this.#session(this.#state.expireSession(account, more))
        if (more !== "") break
        return this.#session(this.#create(account, parameters))
      case "GET checkout/sessions":
        if (more === "") {
          const asked = new Parameters(parameters, /^(created\[gte\]|limit|starting_after|expand\[0\])$/)
          const all = [...this.#state.sessions.values()].filter(sameAccount(account)).filter(madeSince(asked))
          const expand = [...parameters.values()].includes("data.payment_intent")
          return this.#page(
            path,
            asked,
            all.map((session) => ({ id: session.id, shown: this.#session(session, expand) }))
          )
        }
        return this.#session(this.#state.session(account, more), [...parameters.values()].includes("payment_intent"))
      case "GET payment_intents":
        return intentObject(this.#state.payment(account, id))
      case "POST refunds":
        if (id !== "") break
        return refundObject(this.#refund(account, parameters))
      case "GET refunds": {
        if (id === "") {
          const asked = new Parameters(parameters, /^(payment_intent|created\[gte\]|limit|starting_after)$/)
          if (asked.optional("payment_intent") === undefined) {
            const all = [...this.#state.refunds.values()].filter(sameAccount(account)).filter(madeSince(asked))
            return this.#page(
              path,
              asked,
              all.map((refund) => ({ id: refund.id, shown: refundObject(refund) }))
            )
          }
          const intent = asked.text("payment_intent")
          this.#state.noteLook(intent)
          return this.#list(path, this.#state.refundsOf(intent).filter(sameAccount(account)).map(refundObject))
        }
        const refund = this.#state.refunds.get(id)
        if (refund?.account !== account)
          throw new Refusal(404, `No such refund: '${id}'`, { code: "resource_missing", param: "id" })
        return refundObject(refund)
      }
      case "GET disputes": {
        const intent = new Parameters(parameters, /^(payment_intent|limit|starting_after)$/).text("payment_intent")
        return this.#list(path, this.#state.disputesOf(intent).filter(sameAccount(account)).map(disputeObject))
      }
      case "GET invoices": {
        if (id === "") {
          const customer = new Parameters(parameters, /^(customer|status|limit|starting_after)$/).text("customer")
          const found = [...this.#state.invoices.values()].filter((invoice) => invoice.customer === customer)
          return this.#list(path, found.map(invoiceObject))
        }
        const invoice = this.#state.invoices.get(id)
        if (invoice === undefined)
          throw new Refusal(404, `No such invoice: '${id}'`, { code: "resource_missing", param: "invoice" })
        return invoiceObject(invoice)
      }
    }
    throw new Refusal(404, `Unrecognized request URL (${method}: ${path}).`)
  }

  /** Newest first, on one page. */
  #list(url: string, items: ReadonlyArray<object>): object {
    return { object: "list", data: [...items].reverse(), has_more: false, url }
  }

  /** One page of a list, newest first; of three items where the caller asks for more, so that there are pages. */
  #page(url: string, asked: Parameters, items: ReadonlyArray<{ readonly id: string; readonly shown: object }>): object {
    const newest = [...items].reverse()
    const after = asked.optional("starting_after")
    const start = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1
    const size = Math.min(3, asked.int("limit"))
    const data = newest.slice(start, start + size).map(({ shown }) => shown)
    return { object: "list", data, has_more: newest.length > start + size, url }
  }

  #create(account: string, all: URLSearchParams): Session {
    const asked = new Parameters(all, sessionNames)
    if (asked.text("mode") !== "payment") throw new Refusal(400, "Invalid mode", { param: "mode" })
    const currency = asked.text("line_items[0][price_data][currency]")
    const amount = asked.int("line_items[0][price_data][unit_amount]") * asked.int("line_items[0][quantity]")
    asked.text("line_items[0][price_data][product_data][name]")
    if (amount < (least[currency] ?? 1)) {
      throw new Refusal(400, "The Checkout Session's total amount due must add up to at least the minimum.", {
        code: "amount_too_small"
      })
    }
    const fee = asked.optional("payment_intent_data[application_fee_amount]")
    if (fee !== undefined && (Number(fee) <= 0 || Number(fee) > amount)) {
      throw new Refusal(400, "Your application fee amount must be more than 0 and at most the amount.", {
        param: "payment_intent_data[application_fee_amount]"
      })
    }
    return this.#state.createSession({
      account,
      amount,
      currency,
      fee: Number(fee ?? 0),
      expires_at: asked.int("expires_at"),
      client_reference_id: asked.optional("client_reference_id") ?? null,
      customer_email: asked.optional("customer_email") ?? null,
      metadata: asked.map("metadata"),
      success_url: asked.text("success_url"),
      cancel_url: asked.optional("cancel_url") ?? null
    })
  }

  #refund(account: string, all: URLSearchParams) {
    const asked = new Parameters(all, refundNames)
    const amount = asked.optional("amount") === undefined ? undefined : asked.int("amount")
    if (amount === 0) throw new Refusal(400, "Invalid positive integer", { param: "amount" })
    return this.#state.refund(account, asked.text("payment_intent"), {
      amount,
      by: "service",
      fee: asked.optional("refund_application_fee") === "true",
      metadata: asked.map("metadata")
    })
  }
}

const sameAccount =
  (account: string) =>
  (row: { readonly account: string }): boolean =>
    row.account === account

const madeSince =
  (asked: Parameters) =>
  (row: { readonly created: number }): boolean =>
    row.created >= (asked.optional("created[gte]") === undefined ? 0 : asked.int("created[gte]"))
