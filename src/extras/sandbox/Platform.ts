/**
 * The platform's own account: webhook endpoints, connected accounts, paid invoices. The sandbox always delivers to its
 * own service, whatever an endpoint's address, and signs with the first secret of that service's settings. Whether it
 * sends snapshot or thin events follows the endpoints (`Events.ts`).
 */

import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { columnsOf, decodeRows } from "../../platform/database/Rows.ts"
import { type Instant, minuteMs } from "../../platform/time/LocalTime.ts"
import type { ApiHandler } from "./Endpoint.ts"
import { Events } from "./Events.ts"
import { invalid, one, refuse, readForm, type Refusal } from "./Form.ts"
import { newId, AccountRow, EndpointRow, invoiceObject, Metadata } from "./Objects.ts"

/** The provider's limit (https://docs.stripe.com/webhooks#register-webhook). */
const maxEndpoints = 16
const linkMs = 5 * minuteMs

const endpoints = decodeRows(Schema.Array(EndpointRow))
const accounts = decodeRows(Schema.Array(AccountRow))
const endpointColumns = columnsOf(EndpointRow)
const accountColumns = columnsOf(AccountRow)
const invoices = decodeRows(
  Schema.Array(Schema.Struct({ invoice_id: Schema.String, invoice: Schema.Record(Schema.String, Schema.Unknown) }))
)

type NewEndpoint = Omit<EndpointRow, "endpoint_id" | "disabled" | "created_at">

/** Returns the endpoint with its secret, this once. The caller is in a transaction. */
export const createEndpoint = Effect.fn("Sandbox.createEndpoint")(function* (made: NewEndpoint) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const there = yield* sql`select 1 from sandbox.endpoint`
  if (there.length >= maxEndpoints)
    return yield* refuse(`You have reached the maximum of ${maxEndpoints} webhook endpoints.`)
  const id = yield* newId(made.thin ? "ed_test_" : "we_", 24)
  const rows = endpoints(sql`insert into sandbox.endpoint
      (endpoint_id, url, connect, api_version, enabled_events, description, metadata, thin, created_at)
    values (${id}, ${made.url}, ${made.connect}, ${made.api_version}, ${JSON.stringify(made.enabled_events)}::jsonb,
      ${made.description}, ${JSON.stringify(made.metadata)}::jsonb, ${made.thin}, ${new Date(now)}) returning ${sql.literal(endpointColumns)}`)
  return { endpoint: yield* one("webhook endpoint", id, rows), secret: yield* newId("whsec_", 32) }
})

export const changeEndpoint = Effect.fn("Sandbox.changeEndpoint")(function* (
  id: string,
  changes: Pick<EndpointRow, "metadata"> & Partial<Pick<EndpointRow, "url" | "enabled_events" | "disabled">>
) {
  const sql = yield* SqlClient.SqlClient
  const events = changes.enabled_events === undefined ? null : JSON.stringify(changes.enabled_events)
  const rows = endpoints(sql`update sandbox.endpoint set url = coalesce(${changes.url ?? null}::text, url),
      enabled_events = coalesce(${events}::jsonb, enabled_events),
      disabled = coalesce(${changes.disabled ?? null}::boolean, disabled),
      metadata = metadata || ${JSON.stringify(changes.metadata)}::jsonb
    where endpoint_id = ${id} returning ${sql.literal(endpointColumns)}`)
  return yield* one("webhook endpoint", id, rows)
})

/** Newest first, as the provider lists them. */
export const listEndpoints = Effect.fnUntraced(function* (thin: boolean) {
  const sql = yield* SqlClient.SqlClient
  return yield* endpoints(
    sql`select ${sql.literal(endpointColumns)} from sandbox.endpoint where thin = ${thin} order by seq desc`
  )
})

export const createAccount = Effect.fn("Sandbox.createAccount")(function* (
  made: Pick<AccountRow, "country" | "email" | "business_name" | "metadata">
) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const id = yield* newId("acct_", 16)
  const rows = accounts(sql`insert into sandbox.account
      (account_id, country, email, business_name, metadata, created_at)
    values (${id}, ${made.country}, ${made.email}, ${made.business_name},
      ${JSON.stringify(made.metadata)}::jsonb, ${new Date(now)}) returning ${sql.literal(accountColumns)}`)
  return yield* one("account", id, rows)
})

/** Unknown accounts count as ready: a catalogue may name any. */
export const getAccount = Effect.fn("Sandbox.getAccount")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* accounts(
    sql`select ${sql.literal(accountColumns)} from sandbox.account where account_id = ${id}`
  )
  const unknownAccount: AccountRow = {
    account_id: id,
    country: "GB",
    email: null,
    business_name: null,
    metadata: {},
    ready: true,
    return_url: null,
    refresh_url: null,
    link_expires_at: null,
    created_at: yield* Clock.currentTimeMillis
  }
  return found ?? unknownAccount
})

/** Refuses payments on an account that can't take any yet. The call may be retried later under its key. */
export const mustTakePayments = Effect.fnUntraced(function* (account: string) {
  const { ready } = yield* getAccount(account)
  if (!ready) {
    return yield* invalid(
      "Your account cannot currently make charges. Please finish setting up the account before creating payments."
    )
  }
  return undefined
})

/** Creates the account's onboarding link; returns when it was created and when it expires. */
export const createLink = Effect.fn("Sandbox.createLink")(function* (
  id: string,
  { refresh_url, return_url }: Record<"return_url" | "refresh_url", string>
) {
  const sql = yield* SqlClient.SqlClient
  const created: Instant = yield* Clock.currentTimeMillis
  const expires: Instant = created + linkMs
  const rows = accounts(sql`update sandbox.account set return_url = ${return_url}, refresh_url = ${refresh_url},
    link_expires_at = ${new Date(expires)} where account_id = ${id} returning ${sql.literal(accountColumns)}`)
  yield* one("account", id, rows)
  return { created, expires }
})

/** The owner has answered all questions. */
export const finishOnboarding = Effect.fn("Sandbox.finishOnboarding")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = accounts(sql`update sandbox.account set ready = true, link_expires_at = null
    where account_id = ${id} returning ${sql.literal(accountColumns)}`)
  return yield* one("account", id, rows)
})

/** Creates a paid invoice for a period that starts now, and its event. The caller is in a transaction. */
export const payInvoice = Effect.fn("Sandbox.payInvoice")(function* (paid: {
  readonly customer: string
  readonly periodMs: number
  readonly oneOff: boolean
}) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const id = yield* newId("in_", 24)
  const invoice = invoiceObject({
    id,
    customer: paid.customer,
    subscription: paid.oneOff ? undefined : yield* newId("sub_", 24),
    periodStart: now,
    periodEnd: now + paid.periodMs,
    created: now
  })
  yield* sql`insert into sandbox.invoice (invoice_id, customer, invoice, created_at)
    values (${id}, ${paid.customer}, ${JSON.stringify(invoice)}::jsonb, ${new Date(now)})`
  yield* Events.use(({ emit }) => emit({ receiver: "platform", type: "invoice.paid", object: invoice }))
  return invoice
})

export const getInvoice = Effect.fn("Sandbox.getInvoice")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = invoices(sql`select invoice_id, invoice from sandbox.invoice where invoice_id = ${id}`)
  return (yield* one("invoice", id, rows)).invoice
})

/** The customer's paid invoices, newest first. */
export const listInvoices = Effect.fn("Sandbox.listInvoices")(function* (customer: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* invoices(
    sql`select invoice_id, invoice from sandbox.invoice where customer = ${customer} order by seq desc`
  )
})

// Event destinations (`/v2/core/event_destinations`): webhook endpoints that get thin events. Their API speaks JSON.

const Include = Schema.optionalKey(
  Schema.Array(Schema.Literals(["webhook_endpoint.url", "webhook_endpoint.signing_secret"]))
)
const EventTypes = Schema.NonEmptyArray(Schema.String.check(Schema.isPattern(/^v[12](\.[a-z0-9_[\]]+)+$/)))

const NewDestination = Schema.Struct({
  name: Schema.NonEmptyString,
  type: Schema.Literal("webhook_endpoint"),
  event_payload: Schema.Literal("thin"),
  enabled_events: EventTypes,
  events_from: Schema.optionalKey(Schema.Tuple([Schema.Literals(["@self", "@accounts"])])),
  metadata: Schema.optionalKey(Metadata),
  webhook_endpoint: Schema.Struct({ url: Schema.String.check(Schema.isPattern(/^https?:\/\//)) }),
  include: Include
})
const Changes = Schema.Struct({
  enabled_events: Schema.optionalKey(EventTypes),
  metadata: Schema.optionalKey(Metadata),
  include: Include
})

/** Reads a JSON body. Unknown and malformed parameters are refused. */
const readJson = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { onExcessProperty: "error" })
  return (body: string): Effect.Effect<A, Refusal> =>
    Effect.mapError(decode(body === "" ? "{}" : body), ({ message }) => invalid(message.replaceAll("\n", " ")))
}
const readNew = readJson(NewDestination)
const readChanges = readJson(Changes)

const destination = (row: EndpointRow, include: ReadonlyArray<string> = [], secret?: string): object => ({
  id: row.endpoint_id,
  object: "v2.core.event_destination",
  created: new Date(row.created_at).toISOString(),
  description: "",
  enabled_events: row.enabled_events,
  event_payload: "thin",
  events_from: [row.connect ? "@accounts" : "@self"],
  livemode: false,
  metadata: row.metadata,
  name: row.description ?? "",
  status: row.disabled ? "disabled" : "enabled",
  type: "webhook_endpoint",
  updated: new Date(row.created_at).toISOString(),
  webhook_endpoint: {
    ...(include.includes("webhook_endpoint.url") ? { url: row.url } : {}),
    ...(secret !== undefined && include.includes("webhook_endpoint.signing_secret") ? { signing_secret: secret } : {})
  }
})

const path = "/v2/core/event_destinations"
const switched = (disabled: boolean): ApiHandler =>
  Effect.fnUntraced(function* ({ id }) {
    return destination(yield* changeEndpoint(id, { disabled, metadata: {} }))
  })

/** The routes, on the platform's own account. */
export const destinationRoutes: ReadonlyArray<readonly ["GET" | "POST", `/v2/${string}`, ApiHandler]> = [
  [
    "POST",
    path,
    Effect.fnUntraced(function* ({ body }) {
      const wanted = yield* readNew(body)
      const made = yield* createEndpoint({
        url: wanted.webhook_endpoint.url,
        connect: wanted.events_from?.[0] === "@accounts",
        api_version: null,
        enabled_events: wanted.enabled_events,
        description: wanted.name,
        metadata: wanted.metadata ?? {},
        thin: true
      })
      return destination(made.endpoint, wanted.include, made.secret)
    })
  ],
  [
    "GET",
    path,
    Effect.fnUntraced(function* ({ query }) {
      const form = yield* readForm(query, {
        limit: { kind: "integer" },
        "include[#]": { kind: "text", oneOf: ["webhook_endpoint.url"] }
      })
      const include = form.count("include") > 0 ? ["webhook_endpoint.url"] : []
      const all = yield* listEndpoints(true)
      return { data: all.map((row) => destination(row, include)), next_page_url: null, previous_page_url: null }
    })
  ],
  [
    "POST",
    `${path}/:id`,
    Effect.fnUntraced(function* ({ body, id }) {
      const { enabled_events, include, metadata = {} } = yield* readChanges(body)
      const row = yield* changeEndpoint(id, {
        metadata,
        ...(enabled_events === undefined ? {} : { enabled_events })
      })
      return destination(row, include)
    })
  ],
  ["POST", `${path}/:id/disable`, switched(true)],
  ["POST", `${path}/:id/enable`, switched(false)]
]
