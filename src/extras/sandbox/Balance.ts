/**
 * An account's balance: what changed it, written with what caused the change, and the payouts: automatic ones are made
 * when they are asked for. Fees follow a simple schedule; the provider's own depends on the card and the country.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { dayMs, InstantFromDate } from "../../platform/time/LocalTime.ts"
import { exponentOf } from "../../platform/money/Money.ts"
import { feeGivenBack } from "../../platform/money/Charge.ts"
import { columnsOf, decodeRows } from "../../platform/database/Rows.ts"
import { invalid, one, readForm, refuse } from "./Form.ts"
import { chargeId, newId, type SandboxRefund, type SessionRow } from "./Objects.ts"

export const BalanceRow = Schema.Struct({
  transaction_id: Schema.String,
  account: Schema.String,
  type: Schema.String,
  category: Schema.String,
  amount: Schema.Int,
  fee: Schema.Int,
  application_fee: Schema.Int,
  currency: Schema.String,
  source_id: Schema.String,
  payout_id: Schema.NullOr(Schema.String),
  created_at: InstantFromDate,
  available_on: InstantFromDate
})
export type BalanceRow = typeof BalanceRow.Type

export const PayoutRow = Schema.Struct({
  payout_id: Schema.String,
  account: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  automatic: Schema.Boolean,
  failed_at: Schema.NullOr(InstantFromDate),
  created_at: InstantFromDate
})
export type PayoutRow = typeof PayoutRow.Type

const rows = decodeRows(Schema.Array(BalanceRow))
const payouts = decodeRows(Schema.Array(PayoutRow))
const columns = columnsOf(BalanceRow)

/** After a payment, its money can be paid out. */
const settlesAfterMs = 2 * dayMs
const disputeFee = 1500

/** 1.5 %, and 20 where the currency has decimals. */
const processingFee = (amount: number, currency: string): number =>
  Math.round((amount * 15) / 1000) + (exponentOf(currency.toUpperCase()) === 0 ? 0 : 20)

type Change = Pick<BalanceRow, "account" | "type" | "category" | "amount" | "currency" | "source_id"> &
  Partial<Pick<BalanceRow, "fee" | "application_fee" | "payout_id">> & {
    readonly at?: number
    readonly available?: number
  }

const book = Effect.fnUntraced(function* (change: Change) {
  const sql = yield* SqlClient.SqlClient
  const at = change.at ?? (yield* Clock.currentTimeMillis)
  yield* sql`insert into sandbox.balance_transaction (transaction_id, account, type, category, amount, fee,
      application_fee, currency, source_id, payout_id, created_at, available_on)
    values (${yield* newId("txn_", 24)}, ${change.account}, ${change.type}, ${change.category}, ${change.amount}::int,
      ${change.fee ?? 0}::int, ${change.application_fee ?? 0}::int, ${change.currency}, ${change.source_id},
      ${change.payout_id ?? null}, ${new Date(at)}, ${new Date(change.available ?? at)})`
})

/** Books a payment that came in. The caller is in a transaction, as for all that follow. */
export const bookCharge = Effect.fnUntraced(function* (session: SessionRow) {
  if (session.payment_intent_id === null) return
  const at = yield* Clock.currentTimeMillis
  yield* book({
    account: session.account,
    type: "charge",
    category: "charge",
    amount: session.amount,
    fee: processingFee(session.amount, session.currency),
    application_fee: session.application_fee,
    currency: session.currency,
    source_id: chargeId(session.payment_intent_id),
    at,
    available: at + settlesAfterMs
  })
})

const feeStates = decodeRows(
  Schema.Tuple([
    Schema.Struct({ paid: Schema.Int, application_fee: Schema.Int, refunded: Schema.Int, given_back: Schema.Int })
  ])
)

/**
 * Books a refund, or that it failed after all (`failed`). The processing fee stays with the provider. Of the platform's
 * fee, all refunds of a payment have together what is in proportion to their sum.
 */
export const bookRefund = Effect.fnUntraced(function* (refund: SandboxRefund, failed: boolean) {
  const sql = yield* SqlClient.SqlClient
  const [state] = yield* feeStates(sql`
    select s.amount as paid, s.application_fee,
      coalesce(sum(r.amount) filter (where r.with_fee and r.status not in ('failed', 'canceled')), 0)::int as refunded,
      coalesce((select -sum(t.application_fee) from sandbox.balance_transaction t
        where t.source_id in (select refund_id from sandbox.refund where session_id = s.session_id)), 0)::int as given_back
    from sandbox.session s join sandbox.refund r using (session_id)
    where s.payment_intent_id = ${refund.payment_intent_id} group by s.session_id`)
  const back = feeGivenBack(state.application_fee, Math.min(state.refunded, state.paid), state.paid) - state.given_back
  yield* book({
    account: refund.account,
    type: failed ? "refund_failure" : "refund",
    category: failed ? "refund_failure" : "refund",
    amount: failed ? refund.amount : -refund.amount,
    application_fee: back === 0 ? 0 : -back,
    currency: refund.currency,
    source_id: refund.refund_id
  })
})

/** Books that a dispute takes an amount, with the provider's fee for it; or that it comes back, without that fee. */
export const bookDispute = (
  dispute: {
    readonly dispute_id: string
    readonly account: string
    readonly currency: string
    readonly amount: number
  },
  reversed: boolean
) =>
  book({
    account: dispute.account,
    type: "adjustment",
    category: reversed ? "dispute_reversal" : "dispute",
    amount: reversed ? dispute.amount : -dispute.amount,
    fee: reversed ? 0 : disputeFee,
    currency: dispute.currency,
    source_id: dispute.dispute_id
  })

const netOf = ({ amount, application_fee, fee }: BalanceRow): number => amount - fee - application_fee

/** The first midnight (UTC) at or after an instant. */
const midnightAfter = (instant: number): number => Math.ceil(instant / dayMs) * dayMs

/**
 * Whether the bank is debited if an account's balance is negative: that of accounts whose id starts with `acct_debit`
 * (https://docs.stripe.com/api/balance-settings/object: `debit_negative_balances`). Such a payout has a negative
 * amount.
 */
const isDebited = (account: string): boolean => account.startsWith("acct_debit")

const payOutCurrency = Effect.fnUntraced(function* (due: ReadonlyArray<BalanceRow>, now: number) {
  const sql = yield* SqlClient.SqlClient
  let waiting: Array<BalanceRow> = []
  for (const [at, one] of due.entries()) {
    waiting.push(one)
    const day = midnightAfter(one.available_on)
    const next = due[at + 1]
    if (day > now || (next !== undefined && midnightAfter(next.available_on) === day)) continue
    const amount = waiting.reduce((sum, row) => sum + netOf(row), 0)
    // Less than nothing waits for what comes in, or is taken from the bank.
    if (amount === 0 || (amount < 0 && !isDebited(one.account))) continue
    const payout_id = yield* newId("po_", 24)
    yield* sql`insert into sandbox.payout (payout_id, account, amount, currency, created_at)
      values (${payout_id}, ${one.account}, ${amount}::int, ${one.currency}, ${new Date(day)})`
    yield* sql`update sandbox.balance_transaction set payout_id = ${payout_id}
      where transaction_id in ${sql.in(waiting.map(({ transaction_id }) => transaction_id))}`
    const { account, currency } = one
    const change = { account, currency, amount: -amount, source_id: payout_id, payout_id, at: day }
    yield* book({ ...change, type: "payout", category: "payout" })
    waiting = []
  }
})

/** Pays out each midnight what is available then, of an account that has no payouts by hand. */
const payOut = Effect.fnUntraced(function* (account: string) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  // A second call waits here, and finds them paid out.
  const due = yield* rows(sql`select ${sql.literal(columns)} from sandbox.balance_transaction
    where account = ${account} and payout_id is null and available_on <= ${new Date(now)}
      and not exists (select from sandbox.payout p where p.account = ${account} and not p.automatic)
    order by available_on, seq for update`)
  for (const currency of new Set(due.map((row) => row.currency)))
    yield* payOutCurrency(
      due.filter((row) => row.currency === currency),
      now
    )
})

/**
 * Pays an amount out by hand; from then on the account has no automatic payouts. A negative one is taken from the bank.
 * The form has `account`, `amount` and `currency`. The caller is in a transaction.
 */
export const payOutByHand = Effect.fn("Sandbox.payOutByHand")(function* (encoded: string) {
  const sql = yield* SqlClient.SqlClient
  const form = yield* readForm(encoded, {
    account: { kind: "text", required: true },
    amount: { kind: "integer", required: true },
    currency: { kind: "text", required: true, maxLength: 3 }
  })
  const [account, currency, amount] = [form.required("account"), form.required("currency"), form.integer("amount") ?? 0]
  if (amount === 0) return yield* invalid("The amount must not be 0.", { param: "amount" })
  yield* payOut(account)
  const at = new Date(yield* Clock.currentTimeMillis)
  const payout_id = yield* newId("po_", 24)
  yield* sql`insert into sandbox.payout (payout_id, account, amount, currency, automatic, created_at)
    values (${payout_id}, ${account}, ${amount}::int, ${currency}, false, ${at})`
  const change = { account, currency, amount: -amount, source_id: payout_id }
  yield* book({ ...change, type: "payout", category: "payout" })
  return yield* payoutNamed(payout_id)
})

/** The bank sends a payout of any account back. The form has `payout`. The caller is in a transaction. */
export const failPayout = Effect.fn("Sandbox.failPayout")(function* (encoded: string) {
  const sql = yield* SqlClient.SqlClient
  const form = yield* readForm(encoded, { payout: { kind: "text", required: true } })
  const { account, amount, currency, failed_at, payout_id } = yield* payoutNamed(form.required("payout"))
  if (failed_at !== null) return yield* refuse(`The payout ${payout_id} has failed already.`)
  yield* sql`update sandbox.payout set failed_at = ${new Date(yield* Clock.currentTimeMillis)} where payout_id = ${payout_id}`
  yield* book({
    account,
    currency,
    amount,
    source_id: payout_id,
    type: "payout_failure",
    category: "payout_reversal"
  })
  return yield* payoutNamed(payout_id)
})

const payoutNamed = (payout_id: string) =>
  one(
    "payout",
    payout_id,
    SqlClient.SqlClient.use((sql) =>
      payouts(sql`select ${sql.literal(columnsOf(PayoutRow))} from sandbox.payout where payout_id = ${payout_id}`)
    )
  )

/** From the first instant on, and before the second. */
export interface Created {
  readonly since: Date
  readonly before: Date
}

const afterPayouts = <A>(account: string, read: Effect.Effect<A, SqlError.SqlError, SqlClient.SqlClient>) =>
  SqlClient.SqlClient.use((sql) => Effect.andThen(sql.withTransaction(payOut(account)), read))

/** What changed an account's balance, newest first; with `payout` what that one contains, itself too. */
export const listTransactions = (account: string, { before, since }: Created, payout: string | undefined) =>
  afterPayouts(
    account,
    SqlClient.SqlClient.use((sql) =>
      rows(sql`select ${sql.literal(columns)} from sandbox.balance_transaction
        where account = ${account} and created_at >= ${since} and created_at < ${before}
          and ${payout === undefined ? sql`true` : sql`payout_id = ${payout}`}
        order by created_at desc, seq desc`)
    )
  )

/** An account's payouts, newest first. */
export const listPayouts = (account: string, { before, since }: Created) =>
  afterPayouts(
    account,
    SqlClient.SqlClient.use((sql) =>
      payouts(sql`select ${sql.literal(columnsOf(PayoutRow))} from sandbox.payout
        where account = ${account} and created_at >= ${since} and created_at < ${before}
        order by created_at desc, payout_id`)
    )
  )
