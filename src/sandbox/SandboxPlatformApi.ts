/** The provider's HTTP API on the platform's own account, as far as the service calls it: endpoints, accounts, invoices. */
import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import type { SqlClient } from "effect/sql"
import { type ApiHandler, endpoint } from "./SandboxApi.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"
import { type Form, readForm, type Rule, type Rules } from "./SandboxForm.ts"
import { apiVersion } from "./SandboxObjects.ts"
import { type AccountRow, type EndpointRow, SandboxPlatform } from "./SandboxPlatform.ts"
import { missing, refuse } from "./SandboxRefusal.ts"

const seconds = (instant: number): number => Math.floor(instant / 1000)
const text: Rule = { kind: "text" }

const endpointObject = (row: EndpointRow): object => ({
  id: row.endpoint_id,
  object: "webhook_endpoint",
  api_version: row.api_version,
  application: null,
  created: seconds(row.created_at),
  description: row.description,
  enabled_events: row.enabled_events,
  livemode: false,
  metadata: row.metadata,
  status: row.disabled ? "disabled" : "enabled",
  url: row.url
})

const controller = {
  fees: { payer: "account" },
  is_controller: true,
  losses: { payments: "stripe" },
  requirement_collection: "stripe",
  stripe_dashboard: { type: "full" },
  type: "application"
}

const requirements = ["business_type", "external_account", "tos_acceptance.date", "tos_acceptance.ip"]

/** Fields that this service has no use for are left out. */
const accountObject = (row: AccountRow): object => ({
  id: row.account_id,
  object: "account",
  business_profile: {
    mcc: null,
    minority_owned_business_designation: null,
    name: row.business_name,
    specified_commercial_transactions_act_url: null,
    support_address: null,
    support_email: null,
    support_phone: null,
    support_url: null,
    url: null
  },
  business_type: null,
  capabilities: row.ready ? { card_payments: "active", transfers: "active" } : {},
  charges_enabled: row.ready,
  controller,
  country: row.country,
  created: seconds(row.created_at),
  default_currency: "gbp",
  details_submitted: row.ready,
  email: row.email,
  metadata: row.metadata,
  payouts_enabled: row.ready,
  requirements: {
    alternatives: [],
    current_deadline: null,
    currently_due: row.ready ? [] : requirements,
    disabled_reason: row.ready ? null : "requirements.past_due",
    errors: [],
    eventually_due: row.ready ? [] : requirements,
    past_due: row.ready ? [] : requirements,
    pending_verification: []
  },
  type: "standard"
})

const endpointRules: Rules = {
  url: { kind: "url", required: true },
  connect: { kind: "boolean" },
  api_version: { kind: "text", oneOf: [apiVersion] },
  "enabled_events[#]": { kind: "text", required: true },
  description: text,
  "metadata[*]": { kind: "text", maxLength: 500 }
}
// The release and the kind of an endpoint can't be changed.
const changeRules: Rules = {
  url: { kind: "url" },
  "enabled_events[#]": text,
  disabled: { kind: "boolean" },
  description: text,
  "metadata[*]": { kind: "text", maxLength: 500 }
}
const accountRules: Rules = {
  country: { kind: "text", required: true },
  email: { kind: "email" },
  "business_profile[name]": text,
  "controller[fees][payer]": { kind: "text", oneOf: ["account"] },
  "controller[losses][payments]": { kind: "text", oneOf: ["stripe"] },
  "controller[requirement_collection]": { kind: "text", oneOf: ["stripe"] },
  "controller[stripe_dashboard][type]": { kind: "text", oneOf: ["full"] },
  "metadata[*]": { kind: "text", maxLength: 500 }
}
const linkRules: Rules = {
  account: { kind: "text", required: true },
  type: { kind: "text", required: true, oneOf: ["account_onboarding"] },
  return_url: { kind: "url", required: true },
  refresh_url: { kind: "url", required: true }
}
const pageRules: Rules = { limit: { kind: "integer" }, starting_after: text }

/** `enabled_events[0]`, `[1]` …: names of events as the provider writes them, or `*`. */
const eventsOf = Effect.fnUntraced(function* (form: Form) {
  const names = Object.values(form.record("enabled_events"))
  const wrong = names.find((name) => name !== "*" && !/^[a-z0-9_]+(\.[a-z0-9_]+)+$/.test(name))
  if (wrong === undefined) return names
  return yield* refuse(`Invalid enabled_events: ${wrong} is not a valid event type.`, { param: "enabled_events" })
})

/** A page of a list, newest first. */
const pageOf = Effect.fnUntraced(function* <A>(
  all: ReadonlyArray<A>,
  form: Form,
  { id, kind, url }: { readonly id: (item: A) => string; readonly kind: string; readonly url: string }
) {
  const after = form.text("starting_after")
  const start = after === undefined ? 0 : all.findIndex((item) => id(item) === after) + 1
  if (after !== undefined && start === 0) return yield* missing(kind, after)
  const limit = Math.min(100, Math.max(1, form.integer("limit") ?? 10))
  const data = all.slice(start, start + limit)
  return { data, has_more: all.length > start + limit, object: "list", url }
})

/** The routes; `linkUrl` gives the address of an account's onboarding page. */
export const platformRoutes = (linkUrl: (account: string) => string) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const platform = yield* SandboxPlatform
      const services = yield* Effect.context<SandboxFaults | SecureRandom.SecureRandom | SqlClient.SqlClient>()
      const add = (method: "GET" | "POST", path: `/${string}`, handler: ApiHandler) =>
        router.add(method, path, endpoint(handler, "platform").pipe(Effect.provide(services)))

      yield* add("POST", "/v1/webhook_endpoints", ({ body }) =>
        Effect.gen(function* () {
          const form = yield* readForm(body, endpointRules)
          const made = yield* platform.createEndpoint({
            url: form.required("url"),
            connect: form.boolean("connect"),
            api_version: form.text("api_version") ?? null,
            enabled_events: yield* eventsOf(form),
            description: form.text("description") ?? null,
            metadata: form.record("metadata")
          })
          return { ...endpointObject(made.endpoint), secret: made.secret }
        })
      )
      yield* add("GET", "/v1/webhook_endpoints", ({ query }) =>
        Effect.gen(function* () {
          const form = yield* readForm(query, pageRules)
          const all = yield* platform.endpoints
          const id = ({ endpoint_id }: EndpointRow) => endpoint_id
          const page = yield* pageOf(all, form, { id, kind: "webhook endpoint", url: "/v1/webhook_endpoints" })
          return { ...page, data: page.data.map(endpointObject) }
        })
      )
      yield* add("POST", "/v1/webhook_endpoints/:id", ({ body, id }) =>
        Effect.gen(function* () {
          const form = yield* readForm(body, changeRules)
          const url = form.text("url")
          return endpointObject(
            yield* platform.changeEndpoint(id, {
              ...(url === undefined ? {} : { url }),
              ...(form.count("enabled_events") === 0 ? {} : { enabled_events: yield* eventsOf(form) }),
              ...(form.text("disabled") === undefined ? {} : { disabled: form.boolean("disabled") }),
              metadata: form.record("metadata")
            })
          )
        })
      )

      yield* add("POST", "/v1/accounts", ({ body }) =>
        Effect.gen(function* () {
          const form = yield* readForm(body, accountRules)
          const country = form.required("country")
          if (!/^[A-Z]{2}$/.test(country))
            return yield* refuse(
              `Country '${country}' is unknown. Try using a 2-character alphanumeric country code.`,
              {
                code: "country_code_invalid",
                param: "country"
              }
            )
          return accountObject(
            yield* platform.createAccount({
              country,
              email: form.text("email") ?? null,
              business_name: form.text("business_profile[name]") ?? null,
              metadata: form.record("metadata")
            })
          )
        })
      )
      yield* add("GET", "/v1/accounts/:id", ({ id, query }) =>
        Effect.gen(function* () {
          yield* readForm(query, {})
          return accountObject(yield* platform.account(id))
        })
      )
      yield* add("POST", "/v1/account_links", ({ body }) =>
        Effect.gen(function* () {
          const form = yield* readForm(body, linkRules)
          const account = form.required("account")
          const link = yield* platform.link(account, {
            return_url: form.required("return_url"),
            refresh_url: form.required("refresh_url")
          })
          return {
            object: "account_link",
            created: seconds(link.created),
            expires_at: seconds(link.expires),
            url: linkUrl(account)
          }
        })
      )

      yield* add("GET", "/v1/invoices/:id", ({ id, query }) =>
        Effect.gen(function* () {
          yield* readForm(query, {})
          return yield* platform.invoice(id)
        })
      )
      yield* add("GET", "/v1/invoices", ({ query }) =>
        Effect.gen(function* () {
          const form = yield* readForm(query, {
            ...pageRules,
            customer: { kind: "text", required: true },
            status: { kind: "text", required: true, oneOf: ["paid"] }
          })
          const all = yield* platform.invoices(form.required("customer"))
          const id = ({ invoice_id }: { readonly invoice_id: string }) => invoice_id
          const page = yield* pageOf(all, form, { id, kind: "invoice", url: "/v1/invoices" })
          return { ...page, data: page.data.map(({ invoice }) => invoice) }
        })
      )
    })
  )
