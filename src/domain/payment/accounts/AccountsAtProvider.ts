/**
 * An account's month by the provider's record: each change of its balance with the booking that it is of, the
 * provider's fees and the payout that contains it. What our rows say of each is compared with it, line by line: a
 * refund that is under way here has left the balance there; one that failed has come back; an open dispute is held.
 */
import { Array, Clock, Effect, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { OperatorId } from "../../../platform/ids/Ids.ts"
import { dayMs, hourMs, InstantFromDate } from "../../../platform/time/LocalTime.ts"
import { fromProviderAmount } from "../../../platform/money/Charge.ts"
import { decodeRows } from "../../../platform/database/Rows.ts"
import {
  type AccountLine,
  type AccountQuery,
  isInPeriod,
  type PeriodQuery,
  periodRange,
  type OperatorAccount,
  type OwnLine,
  platformFee,
  platformFeeBack,
  TaxPart,
  taxesOf
} from "./AccountLine.ts"
import { type BalanceTransaction, type GatewayError, PaymentGateway, type Stretch } from "../provider/PaymentGateway.ts"
import { statusesWithPayer } from "../refunds/Disputes.ts"

// Whether our rows say the same as the provider's record.

/** Our row of a payment. */
const OwnPayment = Schema.Struct({
  payment_session_id: Schema.String,
  status: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  application_fee: Schema.Int
})
/** Our row of a refund. `before`: what earlier refunds gave back of the payment. */
const OwnRefund = Schema.Struct({
  refund_id: Schema.String,
  provider_refund_id: Schema.NullOr(Schema.String),
  status: Schema.String,
  cause: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  before: Schema.Int
})
/** Our row of a dispute. `counted`: it counts as money that went back. */
const OwnDispute = Schema.Struct({
  dispute_id: Schema.String,
  status: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  counted: Schema.Boolean
})

/** Our rows about one change of the balance. */
interface OwnRows {
  readonly payment: typeof OwnPayment.Type | undefined
  readonly refund: typeof OwnRefund.Type | undefined
  readonly dispute: typeof OwnDispute.Type | undefined
}

/**
 * `missing`: we have it, the provider does not. `unknown`: the provider has it, we do not. `amount`, `platform_fee`:
 * the amounts differ. `status`: one says that the money moved, the other that it did not. Minor units; signed.
 */
export interface Difference {
  readonly kind: "missing" | "unknown" | "amount" | "platform_fee" | "status"
  readonly provider_id: string
  readonly ours: number
  readonly theirs: number
  readonly currency: string
  readonly reference: string | null
}
type Found = Omit<Difference, "reference">

interface Compared {
  /** Our amount for the line, signed; absent if there is nothing of ours to compare. */
  readonly own?: number
  /** It is about a payment that this service did not make. */
  readonly foreign?: true
  readonly differences: ReadonlyArray<Found>
}

const nothing: Compared = { differences: [] }
const foreign: Compared = { foreign: true, differences: [] }

const failed = (status: string | undefined): boolean => status === "failed" || status === "canceled"

/** Compares one change of the balance with our rows about it. */
const compareLine = (kind: AccountLine["kind"], transaction: BalanceTransaction, own: OwnRows): Compared => {
  const { category, platform_fee, source } = transaction
  const { dispute, payment, refund } = own
  if (source === undefined || (kind !== "payment" && kind !== "refund" && kind !== "dispute")) {
    return kind === "payout" || kind === "fee" ? nothing : foreign
  }
  const sign = Math.sign(transaction.amount)
  const theirs = sign * source.amount
  const differs = (found: Found["kind"], ours: number, them = theirs): Found => ({
    kind: found,
    provider_id: kind === "payment" && source.payment_intent_id !== "" ? source.payment_intent_id : source.id,
    ours,
    theirs: them,
    currency: source.currency
  })
  const unknown: Compared = { own: 0, differences: [differs("unknown", 0)] }
  /** The fee can be compared only in the payment's own currency. */
  const feeOf = (ours: number, tolerated: number): ReadonlyArray<Found> =>
    transaction.currency !== source.currency || Math.abs(ours - platform_fee) <= tolerated
      ? []
      : [differs("platform_fee", ours, platform_fee)]
  const sameAmount = (row: { readonly amount: number; readonly currency: string }): ReadonlyArray<Found> =>
    row.amount === source.amount && row.currency === source.currency ? [] : [differs("amount", sign * row.amount)]

  if (kind === "payment") {
    if (payment === undefined) return source.payment_session_id === undefined ? foreign : unknown
    if (payment.status !== "paid") return { own: 0, differences: [differs("status", 0)] }
    const fee = category === "charge" ? feeOf(platformFee(payment.application_fee, payment.currency), 0) : []
    return { own: sign * payment.amount, differences: [...sameAmount(payment), ...fee] }
  }
  if (kind === "dispute") {
    if (dispute === undefined) return payment === undefined ? foreign : unknown
    const status = source.status ?? dispute.status
    const agrees = dispute.status === status && dispute.counted === statusesWithPayer.includes(status)
    const differences = agrees ? sameAmount(dispute) : [differs("status", sign * dispute.amount)]
    return { own: sign * dispute.amount, differences }
  }
  const ended = failed(source.status)
  if (refund === undefined) {
    if (payment === undefined) return source.refund_id === undefined ? foreign : unknown
    // It was sent again under another id, or was never counted: all in all nothing went back.
    return ended ? { own: theirs, differences: [] } : unknown
  }
  const isThis = refund.provider_refund_id === source.id
  if (ended) {
    const differences = isThis && refund.status === "succeeded" ? [differs("status", theirs)] : []
    return { own: theirs, differences }
  }
  if (!isThis && refund.provider_refund_id !== null) return unknown
  if (isThis && refund.status === "failed") return { own: 0, differences: [differs("status", 0)] }
  // The provider does not publish how it rounds a part of the fee: it may differ by its smallest unit.
  const unit = Math.max(1, fromProviderAmount(1, source.currency))
  const gives = payment !== undefined && refund.cause !== "dashboard" && category === "refund"
  const back = gives
    ? platformFeeBack({
        application_fee: payment.application_fee,
        paid: payment.amount,
        before: refund.before,
        amount: refund.amount,
        currency: payment.currency
      })
    : 0
  return {
    own: sign * refund.amount,
    differences: [...sameAmount(refund), ...(gives ? feeOf(-back, unit) : [])]
  }
}

/**
 * Whether the provider has nothing of one of our lines. What began before `since`, from where on the provider was
 * asked, is in an earlier month there.
 */
const isMissing = ({ id, made_at, provider_id, way }: OwnLine, known: ReadonlySet<string>, since: number): boolean =>
  way === "link" && made_at >= since && !known.has(provider_id ?? id)

// An account's month.

/** A line by the provider's record. `own`: our amount for it; absent if it is of no booking of ours. */
interface ComparedLine extends AccountLine {
  readonly own?: number
}

/** A stretch of time with too many transactions for one list is asked for in halves, down to this. */
const shortestMs = hourMs
/** We learn of a payment or a refund so long after it at most; who learns later finds it by its own row. */
const learntWithinMs = 3 * dayMs
/** Payouts of a month are made until so long after it; the longest interval is a month. */
const paidOutWithinMs = 35 * dayMs
/** So many payouts are asked what they contain, and so many at once. */
const maxPayouts = 400
const payoutsAtOnce = 4
/** Lines of our own that are read at once. */
const pageSize = 1000

/** What earlier refunds of the payment of `r` gave back with the platform's fee, as it was when `r` succeeded. */
export const refundedBefore = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`(select coalesce(sum(e.amount), 0)::int from refund e where e.booking_id = r.booking_id
    and e.payment_session_id = r.payment_session_id and e.provider_refund_id is not null
    and e.cause not in ('dispute', 'dashboard') and (e.created_at, e.refund_id) < (r.created_at, r.refund_id)
    and (e.status in ('succeeded', 'pending') or exists (select from refund_reversal x where x.booking_id = e.booking_id
      and x.refund_id = e.refund_id and r.succeeded_at between x.succeeded_at and x.at)))`

const inSeconds = (from: number, before: number): Stretch => ({
  since: Math.floor(from / 1000),
  before: Math.ceil(before / 1000)
})

/** https://docs.stripe.com/reports/reporting-categories */
const kinds: Readonly<Record<string, AccountLine["kind"]>> = {
  charge: "payment",
  charge_failure: "payment",
  refund: "refund",
  refund_failure: "refund",
  partial_capture_reversal: "refund",
  dispute: "dispute",
  dispute_reversal: "dispute",
  payout: "payout",
  payout_reversal: "payout",
  fee: "fee",
  tax: "fee"
}

/** The amount in the payer's currency, with the sign that it has in the balance. */
const payersAmount = ({ amount, currency, source }: BalanceTransaction) =>
  source === undefined || source.currency === currency
    ? { amount, currency }
    : { amount: Math.sign(amount) * source.amount, currency: source.currency }

const PaymentOfAccount = Schema.Struct({
  ...OwnPayment.fields,
  payment_intent_id: Schema.String,
  operator_id: OperatorId,
  operator_name: Schema.String,
  /** Null: it is of a voucher. */
  booking_id: Schema.NullOr(Schema.String),
  voucher_id: Schema.NullOr(Schema.String),
  reference: Schema.NullOr(Schema.String),
  playroom: Schema.NullOr(Schema.String),
  package: Schema.NullOr(Schema.String),
  code: Schema.NullOr(Schema.String),
  starts_at: Schema.NullOr(InstantFromDate),
  taxes: Schema.Array(TaxPart),
  time_zone: Schema.String
})

const Taxes = Schema.NullOr(Schema.Array(TaxPart))
const RefundOfAccount = Schema.Struct({ ...OwnRefund.fields, taxes: Taxes })
const ReversalOfAccount = Schema.Struct({ provider_refund_id: Schema.String, taxes: Taxes })

/** The function `atProvider` of `makeAccounts`; `ownLines`: its `lines`. */
export const makeAccountsAtProvider = Effect.fnUntraced(function* (
  ownLines: (query: AccountQuery) => Effect.Effect<ReadonlyArray<OwnLine>, SqlError.SqlError>
) {
  const sql = yield* SqlClient.SqlClient
  const gateway = yield* PaymentGateway
  const payments = decodeRows(Schema.Array(PaymentOfAccount))
  const refunds = decodeRows(Schema.Array(RefundOfAccount))
  const disputes = decodeRows(Schema.Array(OwnDispute))
  const reversals = decodeRows(Schema.Array(ReversalOfAccount))

  const transactionsOf = (
    account: string,
    from: number,
    until: number
  ): Effect.Effect<ReadonlyArray<BalanceTransaction>, GatewayError> => {
    const middle = Math.floor((from + until) / 2000) * 1000
    const halves = Effect.zipWith(
      Effect.suspend(() => transactionsOf(account, from, middle)),
      Effect.suspend(() => transactionsOf(account, middle, until)),
      (first, second) => [...first, ...second]
    )
    return Effect.catchIf(
      gateway.balanceTransactions(account, inSeconds(from, until)),
      (error) => error._tag === "ProviderRefused" && error.code === "too_many" && until - from > shortestMs,
      () => halves
    )
  }

  /** By transaction: the payout that contains it. */
  const payoutsOf = Effect.fnUntraced(function* (
    account: string,
    all: ReadonlyArray<BalanceTransaction>,
    stretch: Stretch
  ) {
    const open = new Set(all.filter(({ category }) => category !== "payout").map(({ id }) => id))
    const found = new Map<string, string>()
    if (open.size === 0) return found
    const itemised = (yield* gateway.payouts(account, stretch)).filter((one) => one.itemised).slice(0, maxPayouts)
    for (const some of Array.chunksOf(itemised, payoutsAtOnce)) {
      const contained = yield* Effect.forEach(some, ({ id }) => gateway.transactionsOfPayout(account, id), {
        concurrency: payoutsAtOnce
      })
      for (const [i, { id }] of some.entries())
        for (const one of contained[i] ?? []) if (open.delete(one)) found.set(one, id)
      if (open.size === 0) break
    }
    return found
  })

  /** Our rows about what the transactions are about, on this account. */
  const ownOf = Effect.fnUntraced(function* (account: string, all: ReadonlyArray<BalanceTransaction>) {
    const sources = all.flatMap(({ source }) => (source === undefined ? [] : [source]))
    const ids = [...new Set(sources.map(({ id }) => id))]
    const named = sources.flatMap(({ refund_id }) => (refund_id === undefined ? [] : [refund_id]))
    const intents = [...new Set(sources.map(({ payment_intent_id }) => payment_intent_id))]
    const ofPayment = new Map(
      (yield* payments(sql`select s.payment_intent_id, s.payment_session_id, s.amount, s.currency, s.application_fee, s.status,
          s.operator_id, o.name as operator_name, s.booking_id, null as voucher_id, b.reference, b.terms ->> 'time_zone' as time_zone,
          b.terms ->> 'playroom_name' as playroom, b.terms ->> 'package_name' as package,
          b.terms -> 'code' ->> 'code' as code, b.starts_at,
          coalesce(s.tax, '[]') as taxes
        from payment_session s join booking b on b.booking_id = s.booking_id join operator o on o.operator_id = s.operator_id
        where s.account = ${account} and s.payment_intent_id = any(${intents}::text[])
        union all
        select s.payment_intent_id, s.payment_session_id, coalesce(v.amount, s.amount), s.currency, s.application_fee, s.status,
          s.operator_id, o.name, null, s.voucher_id, null, s.time_zone, null, null, null, null::timestamptz, '[]'::jsonb
        from voucher_sale s join operator o on o.operator_id = s.operator_id left join voucher v on v.voucher_id = s.voucher_id
        where s.account = ${account} and s.payment_intent_id = any(${intents}::text[])`)).map((row) => [
        row.payment_intent_id,
        row
      ])
    )
    const ownRefunds =
      yield* refunds(sql`select r.refund_id, r.provider_refund_id, r.amount, r.currency, r.cause, r.status, r.tax as taxes,
        ${refundedBefore(sql)} as before
      from refund r join payment_session s on s.payment_session_id = r.payment_session_id
      where s.account = ${account} and (r.provider_refund_id = any(${ids}::text[]) or r.refund_id = any(${named}::text[]))
      union all
      select r.refund_id, r.provider_refund_id, r.amount, r.currency, r.cause, r.status, null::jsonb, 0
      from voucher_refund r join voucher_sale s on s.voucher_id = r.voucher_id
      where s.account = ${account} and r.cause <> 'dispute'
        and (r.provider_refund_id = any(${ids}::text[]) or r.refund_id = any(${named}::text[]))`)
    const ownDisputes = yield* disputes(sql`select d.dispute_id, d.status, d.amount, d.currency,
        exists (select from refund r where r.provider_refund_id = d.dispute_id and r.status = 'succeeded') as counted
      from dispute d join payment_session s on s.payment_session_id = d.payment_session_id
      where s.account = ${account} and d.dispute_id = any(${ids}::text[])
      union all
      (select distinct on (r.provider_refund_id) r.provider_refund_id, r.provider_status, r.amount, r.currency,
        r.status = 'succeeded'
      from voucher_refund r join voucher_sale s on s.voucher_id = r.voucher_id
      where s.account = ${account} and r.cause = 'dispute' and r.provider_refund_id = any(${ids}::text[])
        order by r.provider_refund_id, r.created_at desc, r.refund_id desc)`)
    // What was counted as gone back, and is not any more.
    const reversed = new Map(
      (yield* reversals(sql`select x.provider_refund_id, x.tax as taxes
        from refund_reversal x join payment_session s on s.payment_session_id = x.payment_session_id
        where s.account = ${account} and x.provider_refund_id = any(${ids}::text[]) order by x.seq desc`)).map(
        (row) => [row.provider_refund_id, row.taxes] as const
      )
    )
    const byProviderId = new Map(ownRefunds.map((row) => [row.provider_refund_id, row]))
    const byId = new Map(ownRefunds.map((row) => [row.refund_id, row]))
    const ofDispute = new Map(ownDisputes.map((row) => [row.dispute_id, row]))
    return ({ source }: BalanceTransaction) => {
      const payment = ofPayment.get(source?.payment_intent_id ?? "")
      const refund = byProviderId.get(source?.id ?? "") ?? byId.get(source?.refund_id ?? "")
      const dispute = ofDispute.get(source?.id ?? "")
      const taxes = reversed.get(source?.id ?? "") ?? refund?.taxes ?? payment?.taxes ?? []
      return { payment, refund, dispute, taxes }
    }
  })

  /** Our lines of the month, of one operator on an account, of which the provider has nothing. */
  const missingOf = Effect.fnUntraced(function* (
    which: Pick<AccountQuery, "account" | "operator_id">,
    period: string,
    known: ReadonlySet<string>,
    since: number
  ) {
    const found: Array<OwnLine> = []
    let last: OwnLine | undefined
    for (;;) {
      const page: ReadonlyArray<OwnLine> = yield* ownLines({
        ...periodRange(period),
        ...which,
        limit: pageSize,
        ...(last === undefined ? {} : { after: last })
      })
      found.push(...page.filter((line) => isInPeriod(period, line) && isMissing(line, known, since)))
      last = page.at(-1)
      if (page.length < pageSize) return found
    }
  })

  return Effect.fn("Accounts.atProvider")(function* (of: OperatorAccount, { period, operator_id }: PeriodQuery) {
    const { account } = of
    const now = yield* Clock.currentTimeMillis
    const { from, until } = periodRange(period)
    const since = from - learntWithinMs
    const all = yield* transactionsOf(account, since, Math.min(until, now + 1000))
    const own = yield* ownOf(account, all)
    const described = all.map((transaction) => {
      const found = own(transaction)
      const { category, created, id, source } = transaction
      const kind = kinds[category] ?? "other"
      const compared = compareLine(kind, transaction, found)
      const { payment, refund } = found
      const moved = payersAmount(transaction)
      const line: ComparedLine = {
        at: created * 1000,
        kind: compared.foreign ? "other" : payment?.voucher_id === null || payment === undefined ? kind : "voucher",
        way: "link",
        ...moved,
        application_fee: transaction.platform_fee,
        taxes: taxesOf(moved.amount, moved.currency, (kind === "payment" ? payment?.taxes : found.taxes) ?? []),
        cause: category === "charge" ? null : category === "refund" ? (refund?.cause ?? category) : category,
        operator_id: payment?.operator_id ?? of.operator_id,
        operator_name: payment?.operator_name ?? of.operator_name,
        booking_id: payment?.booking_id ?? null,
        reference: payment?.reference ?? null,
        playroom: payment?.playroom ?? null,
        package: payment?.package ?? null,
        code: payment?.code ?? null,
        starts_at: payment?.starts_at ?? null,
        time_zone: payment?.time_zone ?? of.time_zone,
        id: (kind === "payment" ? (payment?.voucher_id ?? payment?.payment_session_id) : refund?.refund_id) ?? null,
        provider_id: (kind === "payment" ? source?.payment_intent_id || source?.id : source?.id) ?? id,
        ...(compared.own === undefined ? {} : { own: compared.own })
      }
      return { transaction, line, differences: compared.differences }
    })
    const inMonth = described.filter(
      ({ line }) => isInPeriod(period, line) && (operator_id === undefined || line.operator_id === operator_id)
    )
    const payouts = yield* payoutsOf(
      account,
      inMonth.map(({ transaction }) => transaction),
      inSeconds(from, Math.min(until + paidOutWithinMs, now + 1000))
    )
    const lines = inMonth.map(({ line, transaction: { currency, id, net, provider_fee } }) => {
      // What comes back of a payout that failed is in the payout with which it is made again.
      const payout = payouts.get(id) ?? (line.kind === "payout" ? line.provider_id : undefined)
      const balance = { transaction_id: id, currency, provider_fee, net }
      return { ...line, balance: typeof payout === "string" ? { ...balance, payout } : balance }
    })
    const known = new Set(all.flatMap(({ source }) => (source ? [source.id, source.payment_intent_id] : [])))
    const missing = yield* Effect.forEach(of.operators, (one) =>
      missingOf({ account, operator_id: one }, period, known, since)
    )
    const differences: ReadonlyArray<Difference> = [
      ...inMonth.flatMap((one) => one.differences.map((found) => ({ ...found, reference: one.line.reference }))),
      ...missing.flat().map(({ amount, currency, id, provider_id, reference }) => ({
        kind: "missing" as const,
        provider_id: provider_id ?? id,
        ours: amount,
        theirs: 0,
        currency,
        reference
      }))
    ]
    return { lines, differences }
  })
})
