/** The provider's API about balances and payouts, with what each change was about. */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type Stripe from "stripe"
import { dayMs } from "../../platform/time/LocalTime.ts"
import { columnsOf, decodeRows } from "../../platform/database/Rows.ts"
import { type BalanceRow, type Created, listPayouts, listTransactions, type PayoutRow } from "./Balance.ts"
import { disputeObject, disputesNamed } from "./Disputes.ts"
import { type ApiHandler, listRules, pageOf } from "./Endpoint.ts"
import { type Form, readForm } from "./Form.ts"
import { chargeId, chargeObject, refundObject, seconds, SessionRow } from "./Objects.ts"
import { refundsNamed } from "./Refunds.ts"

/** Without a bound. */
const endOfTime = Date.UTC(9999, 0) / 1000

const createdOf = (form: Form): Created => ({
  since: new Date((form.integer("created[gte]") ?? 0) * 1000),
  before: new Date((form.integer("created[lt]") ?? endOfTime) * 1000)
})

type Transaction = Omit<Stripe.BalanceTransaction, "source"> & { readonly source: string | object }

/** The client's own type holds it to the provider's shape. */
const transactionObject = (row: BalanceRow, source: string | object, now: number): Transaction => {
  const detail = (amount: number, type: string, description: string) =>
    amount === 0 ? [] : [{ amount, application: null, currency: row.currency, description, type }]
  return {
    id: row.transaction_id,
    object: "balance_transaction",
    amount: row.amount,
    available_on: seconds(row.available_on),
    balance_type: "payments",
    created: seconds(row.created_at),
    currency: row.currency,
    description: null,
    exchange_rate: null,
    fee: row.fee + row.application_fee,
    fee_details: [
      ...detail(row.fee, "stripe_fee", row.category === "dispute" ? "Dispute fee" : "Stripe processing fees"),
      ...detail(row.application_fee, "application_fee", "application fee")
    ],
    net: row.amount - row.fee - row.application_fee,
    reporting_category: row.category,
    source,
    status: row.available_on <= now ? "available" : "pending",
    type: row.type
  }
}

/** The client's own type holds it to the provider's shape. */
export const payoutObject = (row: PayoutRow, now: number): Stripe.Payout => ({
  id: row.payout_id,
  object: "payout",
  amount: row.amount,
  application_fee: null,
  application_fee_amount: null,
  arrival_date: seconds(row.created_at + dayMs),
  automatic: row.automatic,
  balance_transaction: null,
  created: seconds(row.created_at),
  currency: row.currency,
  description: "STRIPE PAYOUT",
  destination: null,
  failure_balance_transaction: null,
  failure_code: row.failed_at === null ? null : "account_closed",
  failure_message: row.failed_at === null ? null : "The bank account has been closed",
  livemode: false,
  metadata: {},
  method: "standard",
  original_payout: null,
  payout_method: null,
  reconciliation_status: row.automatic ? "completed" : "not_applicable",
  reversed_by: null,
  source_type: "card",
  statement_descriptor: null,
  status: row.failed_at !== null ? "failed" : row.created_at + dayMs <= now ? "paid" : "in_transit",
  trace_id: null,
  type: "bank_account"
})

const charged = decodeRows(Schema.Array(Schema.Struct({ ...SessionRow.fields, refunded: Schema.Int })))

/** What changes of the balance are about, by id. */
const sourcesOf = Effect.fnUntraced(function* (page: ReadonlyArray<BalanceRow>, now: number) {
  const sql = yield* SqlClient.SqlClient
  const named = (prefix: string) => page.map(({ source_id }) => source_id).filter((id) => id.startsWith(prefix))
  const intents = named("ch_").map((id) => id.replace(/^ch_/, "pi_"))
  const sources = new Map<string, object>()
  if (intents.length > 0)
    for (const { refunded, ...row } of yield* charged(sql`
        select ${sql.literal(columnsOf(SessionRow))}, coalesce((select sum(amount) from sandbox.refund r
          where r.session_id = s.session_id and r.status not in ('failed', 'canceled')), 0)::int as refunded
        from sandbox.session s where payment_intent_id in ${sql.in(intents)}`)) {
      const intent = row.payment_intent_id ?? ""
      sources.set(chargeId(intent), chargeObject(row, intent, refunded))
    }
  for (const row of yield* refundsNamed(named("re_"))) sources.set(row.refund_id, refundObject(row))
  for (const row of yield* disputesNamed(named("dp_"))) sources.set(row.dispute_id, disputeObject(row))
  if (named("po_").length > 0)
    for (const row of yield* listPayouts(page[0]?.account ?? "", { since: new Date(0), before: new Date(now + 1) }))
      sources.set(row.payout_id, payoutObject(row, now))
  return sources
})

const stretchRules = { ...listRules, "created[lt]": { kind: "integer" } } as const

/** `GET /v1/balance_transactions` */
export const transactionsHandler: ApiHandler = Effect.fnUntraced(function* ({ account, query }) {
  const now = yield* Clock.currentTimeMillis
  const form = yield* readForm(query, {
    ...stretchRules,
    payout: { kind: "text" },
    "expand[#]": { kind: "text", oneOf: ["data.source"] }
  })
  const page = yield* pageOf(form, yield* listTransactions(account, createdOf(form), form.text("payout")), {
    url: "/v1/balance_transactions",
    kind: "balance transaction",
    id: ({ transaction_id }) => transaction_id,
    show: (row) => row
  })
  const sources = form.count("expand") > 0 ? yield* sourcesOf(page.data, now) : new Map<string, object>()
  return {
    ...page,
    data: page.data.map((row) => transactionObject(row, sources.get(row.source_id) ?? row.source_id, now))
  }
})

/** `GET /v1/payouts` */
export const payoutsHandler: ApiHandler = Effect.fnUntraced(function* ({ account, query }) {
  const now = yield* Clock.currentTimeMillis
  const form = yield* readForm(query, stretchRules)
  return yield* pageOf(form, yield* listPayouts(account, createdOf(form)), {
    url: "/v1/payouts",
    kind: "payout",
    id: ({ payout_id }) => payout_id,
    show: (row) => payoutObject(row, now)
  })
})
