/** The provider's HTTP API, as far as the service calls it: on connected accounts, and on the platform's own. */
import { Clock, Effect } from "effect"
import { HttpRouter } from "effect/http"
import { payoutsHandler, transactionsHandler } from "./BalanceObjects.ts"
import { destinationRoutes } from "./Platform.ts"
import { disputeEvents, disputeObject, getDispute, listDisputes, listDisputesSince } from "./Disputes.ts"
import {
  type ApiHandler,
  endpoint,
  type State,
  unknownEndpoint,
  listRules,
  pageOf,
  pageRules,
  sinceOf
} from "./Endpoint.ts"
import type { Faults } from "./Faults.ts"
import { type Form, invalid, readForm, type Refusal, refuse, type Rule, type Rules } from "./Form.ts"
import {
  apiVersion,
  type Expanded,
  intentObject,
  refundObject,
  seconds,
  sessionObject,
  accountObject,
  endpointObject
} from "./Objects.ts"
import {
  createSession,
  expireSession,
  listSessions,
  sessionOfAccount,
  sessionOfIntent,
  readNewSession
} from "./Payments.ts"
import * as Platform from "./Platform.ts"
import {
  createRefund,
  getCharge,
  getRefund,
  listRefunds,
  listRefundsSince,
  readNewRefund,
  settlePendingRefunds
} from "./Refunds.ts"

const text: Rule = { kind: "text" }
const metadataRules: Rules = { "metadata[*]": { kind: "text", maxLength: 500 } }
const endpointRules: Rules = {
  url: { kind: "url", required: true },
  connect: { kind: "boolean" },
  api_version: { kind: "text", oneOf: [apiVersion] },
  "enabled_events[#]": { kind: "text", required: true },
  description: text,
  ...metadataRules
}
// The release and the kind of an endpoint can't be changed.
const changeRules: Rules = {
  url: { kind: "url" },
  "enabled_events[#]": text,
  disabled: { kind: "boolean" },
  description: text,
  ...metadataRules
}
const accountRules: Rules = {
  country: { kind: "text", required: true },
  email: { kind: "email" },
  "business_profile[name]": text,
  "controller[fees][payer]": { kind: "text", oneOf: ["account"] },
  "controller[losses][payments]": { kind: "text", oneOf: ["stripe"] },
  "controller[requirement_collection]": { kind: "text", oneOf: ["stripe"] },
  "controller[stripe_dashboard][type]": { kind: "text", oneOf: ["full"] },
  ...metadataRules
}
const linkRules: Rules = {
  account: { kind: "text", required: true },
  type: { kind: "text", required: true, oneOf: ["account_onboarding"] },
  return_url: { kind: "url", required: true },
  refresh_url: { kind: "url", required: true }
}

/** `enabled_events[0]`, `[1]` …: names of events as the provider writes them, or `*`. */
const eventsOf = (form: Form): Effect.Effect<ReadonlyArray<string>, Refusal> => {
  const names = Object.values(form.record("enabled_events"))
  const wrong = names.find((name) => name !== "*" && !/^[a-z0-9_]+(\.[a-z0-9_]+)+$/.test(name))
  return wrong === undefined
    ? Effect.succeed(names)
    : Effect.fail(invalid(`Invalid enabled_events: ${wrong} is not a valid event type.`, { param: "enabled_events" }))
}

type Route = readonly ["GET" | "POST", `/v${1 | 2}/${string}`, ApiHandler]

/** Routes on connected accounts; `pageUrl` returns the address of a session's hosted page. */
const connectedRoutes = (pageUrl: (session_id: string) => string): ReadonlyArray<Route> => [
  [
    "POST",
    "/v1/checkout/sessions",
    Effect.fnUntraced(function* ({ account, body }) {
      yield* Platform.mustTakePayments(account)
      const session = yield* createSession(account, yield* readNewSession(body, yield* Clock.currentTimeMillis))
      return sessionObject(session, pageUrl(session.session_id))
    })
  ],
  [
    "GET",
    "/v1/checkout/sessions",
    Effect.fnUntraced(function* ({ account, query }) {
      const form = yield* readForm(query, {
        ...listRules,
        "expand[#]": { kind: "text", oneOf: ["data.payment_intent"] }
      })
      return yield* pageOf(form, yield* listSessions(account, sinceOf(form)), {
        url: "/v1/checkout/sessions",
        kind: "checkout.session",
        id: ({ session_id }) => session_id,
        show: (row) =>
          sessionObject(row, pageUrl(row.session_id), form.count("expand") > 0 ? "payment_intent" : "nothing")
      })
    })
  ],
  [
    "GET",
    "/v1/checkout/sessions/:id",
    Effect.fnUntraced(function* ({ account, id, query }) {
      const form = yield* readForm(query, {
        "expand[#]": { kind: "text", oneOf: ["payment_intent", "payment_intent.latest_charge"] }
      })
      const expand: Expanded =
        form.count("expand") === 0
          ? "nothing"
          : form.text("expand[0]") === "payment_intent"
            ? "payment_intent"
            : "payment_intent.latest_charge"
      return sessionObject(yield* sessionOfAccount(account, id), pageUrl(id), expand)
    })
  ],
  [
    "POST",
    "/v1/checkout/sessions/:id/expire",
    Effect.fnUntraced(function* ({ account, body, id }) {
      yield* readForm(body, {})
      return sessionObject(yield* expireSession(account, id), pageUrl(id))
    })
  ],
  [
    "GET",
    "/v1/payment_intents/:id",
    Effect.fnUntraced(function* ({ account, id, query }) {
      yield* readForm(query, {})
      return intentObject(yield* sessionOfIntent(account, id, "as it is"), id)
    })
  ],
  [
    "POST",
    "/v1/refunds",
    Effect.fnUntraced(function* ({ account, balanceInsufficient, body, refundStatus }) {
      if (balanceInsufficient) {
        return yield* refuse("Insufficient funds in your Stripe balance to refund this amount.", {
          code: "balance_insufficient"
        })
      }
      return refundObject(yield* createRefund(account, yield* readNewRefund(body), refundStatus))
    })
  ],
  [
    "GET",
    "/v1/refunds/:id",
    Effect.fnUntraced(function* ({ account, id, query }) {
      yield* readForm(query, {})
      yield* settlePendingRefunds
      return refundObject(yield* getRefund(account, id))
    })
  ],
  [
    "GET",
    "/v1/charges/:id",
    Effect.fnUntraced(function* ({ account, id, query }) {
      yield* readForm(query, {})
      return yield* getCharge(account, id)
    })
  ],
  [
    "GET",
    "/v1/refunds",
    Effect.fnUntraced(function* ({ account, query }) {
      const form = yield* readForm(query, { ...listRules, payment_intent: text })
      const intent = form.text("payment_intent")
      yield* settlePendingRefunds
      const all = yield* intent === undefined ? listRefundsSince(account, sinceOf(form)) : listRefunds(account, intent)
      const id = ({ refund_id }: (typeof all)[number]) => refund_id
      return yield* pageOf(form, all, { url: "/v1/refunds", kind: "refund", id, show: refundObject })
    })
  ],
  [
    "GET",
    "/v1/disputes/:id",
    Effect.fnUntraced(function* ({ account, id, query }) {
      yield* readForm(query, {})
      return disputeObject(yield* getDispute(account, id))
    })
  ],
  [
    "GET",
    "/v1/disputes",
    Effect.fnUntraced(function* ({ account, query }) {
      const form = yield* readForm(query, { ...listRules, payment_intent: text })
      const intent = form.text("payment_intent")
      const all = yield* intent === undefined
        ? listDisputesSince(account, sinceOf(form))
        : listDisputes(account, intent)
      const id = ({ dispute_id }: (typeof all)[number]) => dispute_id
      return yield* pageOf(form, all, { url: "/v1/disputes", kind: "dispute", id, show: disputeObject })
    })
  ],
  ["GET", "/v1/balance_transactions", transactionsHandler],
  ["GET", "/v1/payouts", payoutsHandler],
  [
    "GET",
    "/v1/events",
    Effect.fnUntraced(function* ({ account, query }) {
      const form = yield* readForm(query, {
        ...listRules,
        type: { kind: "text", required: true, oneOf: ["charge.dispute.*"] }
      })
      const all = yield* disputeEvents(account, sinceOf(form))
      const id = ({ event_id }: (typeof all)[number]) => event_id
      return yield* pageOf(form, all, { url: "/v1/events", kind: "event", id, show: ({ event }) => event })
    })
  ]
]

/** Routes on the platform's own account; `linkUrl` returns the address of an account's onboarding page. */
const platformRoutes = (linkUrl: (account: string) => string): ReadonlyArray<Route> => [
  [
    "POST",
    "/v1/webhook_endpoints",
    Effect.fnUntraced(function* ({ body }) {
      const form = yield* readForm(body, endpointRules)
      const made = yield* Platform.createEndpoint({
        url: form.required("url"),
        connect: form.boolean("connect"),
        api_version: form.text("api_version") ?? null,
        enabled_events: yield* eventsOf(form),
        description: form.text("description") ?? null,
        metadata: form.record("metadata"),
        thin: false
      })
      return { ...endpointObject(made.endpoint), secret: made.secret }
    })
  ],
  [
    "GET",
    "/v1/webhook_endpoints",
    Effect.fnUntraced(function* ({ query }) {
      const form = yield* readForm(query, pageRules)
      return yield* pageOf(form, yield* Platform.listEndpoints(false), {
        url: "/v1/webhook_endpoints",
        kind: "webhook endpoint",
        id: ({ endpoint_id }) => endpoint_id,
        show: endpointObject
      })
    })
  ],
  [
    "POST",
    "/v1/webhook_endpoints/:id",
    Effect.fnUntraced(function* ({ body, id }) {
      const form = yield* readForm(body, changeRules)
      const url = form.text("url")
      const row = yield* Platform.changeEndpoint(id, {
        ...(url === undefined ? {} : { url }),
        ...(form.count("enabled_events") === 0 ? {} : { enabled_events: yield* eventsOf(form) }),
        ...(form.text("disabled") === undefined ? {} : { disabled: form.boolean("disabled") }),
        metadata: form.record("metadata")
      })
      return endpointObject(row)
    })
  ],
  [
    "POST",
    "/v1/accounts",
    Effect.fnUntraced(function* ({ body }) {
      const form = yield* readForm(body, accountRules)
      const country = form.required("country")
      if (!/^[A-Z]{2}$/.test(country)) {
        return yield* invalid(`Country '${country}' is unknown. Try using a 2-character alphanumeric country code.`, {
          code: "country_code_invalid",
          param: "country"
        })
      }
      const row = yield* Platform.createAccount({
        country,
        email: form.text("email") ?? null,
        business_name: form.text("business_profile[name]") ?? null,
        metadata: form.record("metadata")
      })
      return accountObject(row)
    })
  ],
  [
    "GET",
    "/v1/accounts/:id",
    Effect.fnUntraced(function* ({ id, query }) {
      yield* readForm(query, {})
      return accountObject(yield* Platform.getAccount(id))
    })
  ],
  [
    "POST",
    "/v1/account_links",
    Effect.fnUntraced(function* ({ body }) {
      const form = yield* readForm(body, linkRules)
      const account = form.required("account")
      const addresses = { return_url: form.required("return_url"), refresh_url: form.required("refresh_url") }
      const { created, expires } = yield* Platform.createLink(account, addresses)
      const url = linkUrl(account)
      return { object: "account_link", created: seconds(created), expires_at: seconds(expires), url }
    })
  ],
  [
    "GET",
    "/v1/invoices/:id",
    Effect.fnUntraced(function* ({ id, query }) {
      yield* readForm(query, {})
      return yield* Platform.getInvoice(id)
    })
  ],
  [
    "GET",
    "/v1/invoices",
    Effect.fnUntraced(function* ({ query }) {
      const form = yield* readForm(query, {
        ...pageRules,
        customer: { kind: "text", required: true },
        status: { kind: "text", required: true, oneOf: ["paid"] }
      })
      return yield* pageOf(form, yield* Platform.listInvoices(form.required("customer")), {
        url: "/v1/invoices",
        kind: "invoice",
        id: ({ invoice_id }) => invoice_id,
        show: ({ invoice }) => invoice
      })
    })
  ]
]

/** The routes under `/v1` and `/v2`. `url`: where the sandbox listens, without a slash at the end. */
export const apiRoutes = (url: string) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const services = yield* Effect.context<State | Faults>()
      for (const [method, path, handler] of connectedRoutes((id) => `${url}/pay/${id}`))
        yield* router.add(method, path, endpoint(handler).pipe(Effect.provide(services)))
      const ofPlatform = [...platformRoutes((account) => `${url}/onboard/${account}`), ...destinationRoutes]
      for (const [method, path, handler] of ofPlatform)
        yield* router.add(method, path, endpoint(handler, "platform").pipe(Effect.provide(services)))
      for (const path of ["/v1/*", "/v2/*"] as const) yield* router.add("*", path, unknownEndpoint)
    })
  )
