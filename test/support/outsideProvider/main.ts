/**
 * The process of the outside provider: `node main.ts SEED HOME`. It writes its port and its clock into files in HOME, where the service's
 * `preload.ts` reads them. Tests control it with `POST /control/NAME`, see `controls`.
 */
import { writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { join } from "node:path"
import { chanceFrom } from "../../fuzz/Chance.ts"
import { Api } from "./Api.ts"
import { type ProviderChange, ProviderState } from "./ProviderState.ts"
import { Deliveries, type Targets } from "./Deliveries.ts"
import { type Answer, IdempotencyKeys } from "./IdempotencyKeys.ts"
import { disputeObject, invoiceObject, refundObject, sessionObject } from "./Objects.ts"

const [, , seed = "1", home = "."] = process.argv
const chance = chanceFrom(Number(seed))
let ahead = 0
const now = (): number => Date.now() + ahead
const writeClock = (): void => writeFileSync(join(home, "clock"), String(ahead))

const deliveries = new Deliveries(chance, now)
const pageOf = ({ id }: { readonly id: string }): string => `https://checkout.stripe.com/c/pay/${id}`
/** An event's object, as it is when the event is made. */
const objectOf = ({ object }: ProviderChange): object => {
  const named = object as { session?: string; refund?: string; dispute?: string; invoice?: string }
  const session = state.sessions.get(named.session ?? "")
  const refund = state.refunds.get(named.refund ?? "")
  const dispute = state.disputes.get(named.dispute ?? "")
  const invoice = state.invoices.get(named.invoice ?? "")
  if (session !== undefined) return sessionObject(session, pageOf(session))
  if (refund !== undefined) return refundObject(refund)
  if (dispute !== undefined) return disputeObject(dispute)
  return invoice === undefined ? {} : invoiceObject(invoice)
}
const state: ProviderState = new ProviderState(now, (change) => {
  // An account that has withdrawn our access sends us no events.
  if (change.account === undefined || !state.closed.has(change.account)) deliveries.send(change, objectOf(change))
})
const api = new Api(state, pageOf)
const keys = new IdempotencyKeys(now)

/** What goes wrong with a call. `saved`: a server error that stays under the idempotency key, before or after the provider acted. */
const faults = ["cut before", "cut after", "slow", "saved before", "saved after", "busy", "html"] as const
type Fault = (typeof faults)[number]
const injected: Record<Fault, number> = {
  "cut before": 0,
  "cut after": 0,
  slow: 0,
  "saved before": 0,
  "saved after": 0,
  busy: 0,
  html: 0
}
let faultsOnceIn = 0
let calls = 0
let replayed = 0

const serverError: Answer = {
  status: 500,
  body: { error: { type: "api_error", message: "An unknown error occurred." } }
}

const send = (response: ServerResponse, { body, status }: Answer, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { "content-type": "application/json", "request-id": `req_${calls}`, ...headers })
  response.end(JSON.stringify(body))
}

const provide = async (request: IncomingMessage, response: ServerResponse, body: string): Promise<void> => {
  calls++
  const url = new URL(request.url ?? "/", "http://provider")
  const method = request.method ?? "GET"
  const fault = faultsOnceIn > 0 && chance.once(faultsOnceIn) ? chance.one(faults) : undefined
  if (fault !== undefined) injected[fault]++
  if (fault === "cut before") return void request.socket.destroy()
  if (fault === "slow") await new Promise((done) => setTimeout(done, 200 + chance.below(2000)))
  if (fault === "html") {
    response.writeHead(502, { "content-type": "text/html" })
    return void response.end("<html><h1>Bad gateway</h1></html>")
  }
  if (fault === "busy") {
    const error = { type: "invalid_request_error", code: "rate_limit", message: "Request rate limit exceeded." }
    return send(response, { status: 429, body: { error } }, { "retry-after": "1" })
  }
  if (!/^Bearer [sr]k_test_\w+$/.test(request.headers.authorization ?? "")) {
    const error = { type: "invalid_request_error", message: "Invalid API Key provided" }
    return send(response, { status: 401, body: { error } })
  }
  const account = String(request.headers["stripe-account"] ?? "")
  const call = {
    method,
    path: url.pathname,
    account,
    parameters: method === "POST" ? new URLSearchParams(body) : url.searchParams
  }
  const header = request.headers["idempotency-key"]
  if (method !== "POST" || header === undefined) {
    const answer = fault === "saved before" || fault === "saved after" ? serverError : api.answer(call)
    return fault === "cut after" ? void request.socket.destroy() : send(response, answer)
  }
  const key = `${account} ${String(header)}`
  const asked = `${url.pathname} ${body}`
  const recalled = keys.recall(key, asked)
  if (recalled.is === "other") {
    const error = {
      type: "idempotency_error",
      message: "Keys for idempotent requests can only be used with the same parameters they were first used with."
    }
    return send(response, { status: 400, body: { error } })
  }
  if (recalled.is === "busy") {
    const error = { type: "idempotency_error", code: "idempotency_key_in_use", message: "There is another request." }
    return send(response, { status: 409, body: { error } })
  }
  if (recalled.is === "known") {
    replayed++
    return send(response, recalled.answer, { "idempotent-replayed": "true" })
  }
  keys.begin(key, asked)
  const done = fault === "saved before" ? serverError : api.answer(call)
  const answer = fault === "saved after" ? serverError : done
  // What is refused before anything was begun is not kept.
  if (answer.status === 403) keys.drop(key)
  else keys.end(key, asked, answer)
  return fault === "cut after" ? void request.socket.destroy() : send(response, answer)
}

interface ControlArguments {
  readonly session?: string
  readonly account?: string
  readonly customer?: string
  readonly as?: string
  readonly ms?: number
  readonly amount?: number
  readonly end?: number
  readonly calls?: number
  readonly events?: number
  readonly now?: boolean
  readonly targets?: Targets
}

const intentOf = (id: string | undefined): string => state.sessions.get(id ?? "")?.payment_intent ?? ""

/** What tests can have the provider do, by name. */
const controls: Readonly<Record<string, (said: ControlArguments) => unknown>> = {
  targets: ({ targets }) => (deliveries.targets = targets),
  pay: ({ as, session = "" }) => state.pay(session, as === "later"),
  decidePayment: ({ as, session = "" }) => state.decidePayment(session, as === "failed" ? "failed" : "succeeded"),
  /** A refund that a person makes in the dashboard; answers its amount, 0 where it can't be. */
  refund: ({ amount, session = "" }) => {
    const payment = state.sessions.get(session)
    if (payment?.payment_status !== "paid") return 0
    const intent = intentOf(session)
    const left = payment.amount - state.returned(intent)
    const part = Math.min(left, amount ?? left)
    if (part <= 0 || state.disputesOf(intent).some(({ status }) => status !== "won")) return 0
    return state.refund(payment.account, intent, { amount: part, by: "dashboard", fee: false, metadata: {} }).amount
  },
  dispute: ({ session = "" }) => state.dispute(session)?.id ?? null,
  decideDisputes: ({ as }) => {
    for (const dispute of state.disputes.values())
      if (dispute.status === "needs_response") dispute.status = as === "lost" ? "lost" : "won"
  },
  invoice: ({ customer = "", end = 0 }) => state.invoice(customer, end).id,
  access: ({ account = "", now: open }) => (open === true ? state.closed.delete(account) : state.closed.add(account)),
  poor: ({ account = "", now: poor }) => (poor === true ? state.poor.add(account) : state.poor.delete(account)),
  slowRefunds: ({ now: slow }) => {
    state.slow = slow === true
    if (!state.slow) state.settleRefunds()
  },
  faults: ({ calls: ofCalls = 0, events = 0 }) => {
    faultsOnceIn = ofCalls
    deliveries.faultsOnceIn = events
  },
  turn: ({ ms = 0 }) => {
    ahead += ms
    writeClock()
    state.lapse()
  },
  flush: () => deliveries.flush(),
  waiting: () => deliveries.waiting,
  record: () => ({
    now: now(),
    sessions: [...state.sessions.values()],
    refunds: [...state.refunds.values()],
    disputes: [...state.disputes.values()],
    invoices: [...state.invoices.values()],
    calls,
    replayed,
    faults: injected,
    events: deliveries.done
  })
}

const control = (response: ServerResponse, name: string, body: string): void => {
  const run = controls[name]
  if (run === undefined) return send(response, { status: 404, body: { name } })
  return send(response, { status: 200, body: run(JSON.parse(body === "" ? "{}" : body)) ?? null })
}

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString("utf8")
    const [, first, name = ""] = (request.url ?? "").split("/")
    if (first === "control") return control(response, name, body)
    provide(request, response, body).catch((cause: unknown) => {
      console.error(cause)
      request.socket.destroy()
    })
  })
})
writeClock()
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) writeFileSync(join(home, "port"), String(address.port))
  console.log("ready")
})
// It ends with the test that started it.
process.stdin.on("end", () => process.exit(0)).resume()
