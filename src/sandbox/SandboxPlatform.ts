/**
 * What the sandbox keeps for the platform's own account: webhook endpoints, connected accounts, paid invoices. The sandbox delivers to
 * the service that it belongs to, and signs with the first secret of that service's settings, whatever endpoints there are.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { type Instant, InstantFromDate, minuteMs } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { randomId } from "./SandboxIds.ts"
import { invoiceObject } from "./SandboxInvoice.ts"
import { missing, refuse, type SandboxRefusal } from "./SandboxRefusal.ts"

const Metadata = Schema.Record(Schema.String, Schema.String)

export const EndpointRow = Schema.Struct({
  endpoint_id: Schema.String,
  url: Schema.String,
  connect: Schema.Boolean,
  api_version: Schema.NullOr(Schema.String),
  enabled_events: Schema.Array(Schema.String),
  description: Schema.NullOr(Schema.String),
  metadata: Metadata,
  disabled: Schema.Boolean,
  created_at: InstantFromDate
})
export type EndpointRow = typeof EndpointRow.Type
export type NewEndpoint = Omit<EndpointRow, "endpoint_id" | "disabled" | "created_at">

export const AccountRow = Schema.Struct({
  account_id: Schema.String,
  country: Schema.String,
  email: Schema.NullOr(Schema.String),
  business_name: Schema.NullOr(Schema.String),
  metadata: Metadata,
  ready: Schema.Boolean,
  return_url: Schema.NullOr(Schema.String),
  refresh_url: Schema.NullOr(Schema.String),
  link_expires_at: Schema.NullOr(InstantFromDate),
  created_at: InstantFromDate
})
export type AccountRow = typeof AccountRow.Type

const InvoiceRow = Schema.Struct({ invoice_id: Schema.String, invoice: Schema.Record(Schema.String, Schema.Unknown) })
type InvoiceRow = typeof InvoiceRow.Type

/** As many endpoints as the provider allows (https://docs.stripe.com/webhooks#register-webhook). */
const mostEndpoints = 16
const linkMs = 5 * minuteMs

type Found<A> = Effect.Effect<A, SqlError.SqlError | SandboxRefusal>

export class SandboxPlatform extends Context.Service<
  SandboxPlatform,
  {
    /** With its secret, which is told this once. */
    readonly createEndpoint: (
      endpoint: NewEndpoint
    ) => Found<{ readonly endpoint: EndpointRow; readonly secret: string }>
    readonly changeEndpoint: (
      id: string,
      changes: {
        readonly url?: string
        readonly enabled_events?: ReadonlyArray<string>
        readonly disabled?: boolean
        readonly metadata: Record<string, string>
      }
    ) => Found<EndpointRow>
    /** Newest first, as the provider lists them. */
    readonly endpoints: Found<ReadonlyArray<EndpointRow>>
    readonly createAccount: (
      account: Pick<AccountRow, "country" | "email" | "business_name" | "metadata">
    ) => Found<AccountRow>
    /** Accounts that were not made here count as ready: a catalogue may name any. */
    readonly account: (id: string) => Found<AccountRow>
    readonly link: (
      id: string,
      addresses: Pick<AccountRow, "return_url" | "refresh_url">
    ) => Found<{ readonly created: Instant; readonly expires: Instant }>
    /** The owner has answered all questions. */
    readonly finish: (id: string) => Found<AccountRow>
    /** An invoice that was paid now, for a period of so many milliseconds from now on. */
    readonly payInvoice: (invoice: {
      readonly customer: string
      readonly periodMs: number
      readonly oneOff: boolean
    }) => Effect.Effect<object, SqlError.SqlError>
    readonly invoice: (id: string) => Found<object>
    /** The customer's paid invoices, newest first. */
    readonly invoices: (customer: string) => Effect.Effect<ReadonlyArray<InvoiceRow>, SqlError.SqlError>
  }
>()("playroom/sandbox/SandboxPlatform") {
  static readonly layer = Layer.effect(
    SandboxPlatform,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const newId = (prefix: string, length: number) =>
        Effect.provideService(randomId(prefix, length), SecureRandom.SecureRandom, random)
      const endpointRows = decodeRows(Schema.Array(EndpointRow))
      const accountRows = decodeRows(Schema.Array(AccountRow))
      const invoiceRows = decodeRows(Schema.Array(InvoiceRow))
      const one = <A, E>(kind: string, id: string, rows: Effect.Effect<ReadonlyArray<A>, E>) =>
        Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(missing(kind, id)) : Effect.succeed(row)))

      const createEndpoint = Effect.fn("SandboxPlatform.createEndpoint")(function* (made: NewEndpoint) {
        const now = yield* Clock.currentTimeMillis
        const there = yield* sql`select 1 from sandbox_endpoint`
        if (there.length >= mostEndpoints)
          return yield* refuse(`You have reached the maximum of ${mostEndpoints} webhook endpoints.`)
        const id = yield* newId("we_", 24)
        const secret = yield* newId("whsec_", 32)
        const endpoint = yield* one(
          "webhook endpoint",
          id,
          endpointRows(sql`insert into sandbox_endpoint (endpoint_id, url, connect, api_version, enabled_events, description, metadata, created_at)
            values (${id}, ${made.url}, ${made.connect}, ${made.api_version}, ${JSON.stringify(made.enabled_events)}::jsonb,
              ${made.description}, ${JSON.stringify(made.metadata)}::jsonb, ${new Date(now)}) returning *`)
        )
        return { endpoint, secret }
      })

      const createAccount = Effect.fn("SandboxPlatform.createAccount")(function* (
        account: Pick<AccountRow, "country" | "email" | "business_name" | "metadata">
      ) {
        const now = yield* Clock.currentTimeMillis
        const id = yield* newId("acct_", 16)
        return yield* one(
          "account",
          id,
          accountRows(sql`insert into sandbox_account (account_id, country, email, business_name, metadata, created_at)
            values (${id}, ${account.country}, ${account.email}, ${account.business_name},
              ${JSON.stringify(account.metadata)}::jsonb, ${new Date(now)}) returning *`)
        )
      })

      const account = Effect.fn("SandboxPlatform.account")(function* (id: string) {
        const [found] = yield* accountRows(sql`select * from sandbox_account where account_id = ${id}`)
        const elsewhere: AccountRow = {
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
        return found ?? elsewhere
      })

      return SandboxPlatform.of({
        createEndpoint: (made) => sql.withTransaction(createEndpoint(made)),
        changeEndpoint: Effect.fn("SandboxPlatform.changeEndpoint")((id: string, changes) =>
          one(
            "webhook endpoint",
            id,
            endpointRows(sql`update sandbox_endpoint set url = coalesce(${changes.url ?? null}::text, url),
              enabled_events = coalesce(${changes.enabled_events === undefined ? null : JSON.stringify(changes.enabled_events)}::jsonb, enabled_events),
              disabled = coalesce(${changes.disabled ?? null}::boolean, disabled),
              metadata = metadata || ${JSON.stringify(changes.metadata)}::jsonb
              where endpoint_id = ${id} returning *`)
          )
        ),
        endpoints: Effect.suspend(() => endpointRows(sql`select * from sandbox_endpoint order by seq desc`)),
        createAccount,
        account,
        link: Effect.fn("SandboxPlatform.link")(function* (
          id: string,
          { refresh_url, return_url }: Pick<AccountRow, "return_url" | "refresh_url">
        ) {
          const created = yield* Clock.currentTimeMillis
          const expires = created + linkMs
          yield* one(
            "account",
            id,
            accountRows(sql`update sandbox_account set return_url = ${return_url}, refresh_url = ${refresh_url},
              link_expires_at = ${new Date(expires)} where account_id = ${id} returning *`)
          )
          return { created, expires }
        }),
        finish: Effect.fn("SandboxPlatform.finish")((id: string) =>
          one(
            "account",
            id,
            accountRows(
              sql`update sandbox_account set ready = true, link_expires_at = null where account_id = ${id} returning *`
            )
          )
        ),
        payInvoice: Effect.fn("SandboxPlatform.payInvoice")(function* ({ customer, oneOff, periodMs }) {
          const now = yield* Clock.currentTimeMillis
          const invoice_id = yield* newId("in_", 24)
          const invoice = invoiceObject({
            id: invoice_id,
            customer,
            subscription: oneOff ? undefined : yield* newId("sub_", 24),
            periodStart: now,
            periodEnd: now + periodMs,
            created: now
          })
          yield* sql`insert into sandbox_invoice (invoice_id, customer, invoice, created_at)
            values (${invoice_id}, ${customer}, ${JSON.stringify(invoice)}::jsonb, ${new Date(now)})`
          return invoice
        }),
        invoice: Effect.fn("SandboxPlatform.invoice")((id: string) =>
          Effect.map(
            one(
              "invoice",
              id,
              invoiceRows(sql`select invoice_id, invoice from sandbox_invoice where invoice_id = ${id}`)
            ),
            ({ invoice }) => invoice
          )
        ),
        invoices: Effect.fn("SandboxPlatform.invoices")((customer: string) =>
          invoiceRows(
            sql`select invoice_id, invoice from sandbox_invoice where customer = ${customer} order by seq desc`
          )
        )
      })
    })
  )
}

/** Refuses a payment on an account that can't take any yet. */
export const mustTakePayments = Effect.fnUntraced(function* (account: string) {
  const { ready } = yield* SandboxPlatform.use((platform) => platform.account(account))
  if (!ready) {
    return yield* refuse(
      "Your account cannot currently make charges. Please finish setting up the account before creating payments."
    )
  }
  return undefined
})
