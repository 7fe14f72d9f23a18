/**
 * Compares our books of the last days, and all disputes, with the provider's, while the service runs. What the provider
 * has and we lack is `AccountComparison`'s to say, as after a restored backup; here the reverse is added: what we say
 * that the provider has. It changes nothing.
 */
import { Clock, Effect } from "effect"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import type { Operator } from "../../catalogue/Operator.ts"
import { Operators } from "../../catalogue/Operators.ts"
import { idsFrom, type OperatorId } from "../../../platform/ids/Ids.ts"
import { dayMs, hourMs, type Instant } from "../../../platform/time/LocalTime.ts"
import { display } from "../../../platform/money/Money.ts"
import type { Outcome } from "../../../platform/concurrency/Outcomes.ts"
import type { ListedRefund, ListedSession } from "../provider/PaymentGateway.ts"
import { Disputes } from "../refunds/Disputes.ts"
import type { RefundRow } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { VoucherSales } from "../settlement/VoucherSales.ts"
import { factOf, mismatch } from "../settlement/Settlement.ts"
import { AccountComparison, type DifferenceKind } from "./AccountComparison.ts"

/**
 * How far back payments and refunds are compared; disputes all are, as each may turn. Older payments are asked about
 * one by one (`Reconciliation.ts`).
 */
const comparedMs = 3 * dayMs
/** News are applied within seconds, and asked for within minutes. Younger ones are left to that. */
const settlingMs = 2 * hourMs
/** Rows per statement. */
const pageSize = 100

/**
 * `unknown_here`: the provider has a payment or a refund that we lack, or have in an older state. `unpaid_there`,
 * `not_refunded_there`: the reverse. The same of disputes: `dispute_unknown_here`, `dispute_differs`,
 * `not_disputed_there`.
 */
type ProviderFaultKind =
  | "unknown_here"
  | "unpaid_there"
  | "not_refunded_there"
  | "dispute_unknown_here"
  | "dispute_differs"
  | "not_disputed_there"

export interface ProviderFault {
  readonly kind: ProviderFaultKind
  /** The provider's id of the session or the dispute, or our id of the session or the refund. */
  readonly id: string
  readonly account: string
  /** Since when payments and refunds were compared. */
  readonly since: Instant
  readonly detail: string
}

interface ProviderAudited {
  readonly faults: ReadonlyArray<ProviderFault>
  readonly failed: ReadonlyArray<Outcome<string>>
}
const nothing: ProviderAudited = { faults: [], failed: [] }

/** Why the provider's session is not what our paid row says; undefined if it is. */
const unpaidThere = (
  row: PaymentSessionRow,
  said: ListedSession["session"] | undefined,
  livemode: boolean
): string | undefined => {
  if (said === undefined) return `the provider has no page ${row.provider_session_id ?? ""}`
  const fact = factOf(said)
  if (fact !== "paid" && fact !== "free")
    return `the provider says that ${said.id} is ${said.status}, ${said.payment_status}`
  return mismatch(row, fact, said, livemode)
}

const notRefundedThere = (row: RefundRow, said: ListedRefund["refund"] | undefined): string | undefined => {
  if (said === undefined) return `the provider has no refund ${row.provider_refund_id ?? ""}, or it failed`
  return said.amount === row.amount && said.currency === row.currency
    ? undefined
    : `the provider says ${display(said.amount, said.currency)}, not ${display(row.amount, row.currency)}`
}

const kindOf = (kind: DifferenceKind): ProviderFaultKind => {
  if (kind === "disputed") return "dispute_unknown_here"
  return kind === "dispute_changed" ? "dispute_differs" : "unknown_here"
}

/**
 * The differences of an operator's books from those of its accounts, those that it has left too, and the payments that
 * could not be compared. None of an account that is closed to us.
 */
export const makeProviderAudit = Effect.gen(function* () {
  const { provider } = yield* AppConfig
  const livemode = provider.kind === "stripe" && provider.livemode
  const comparison = yield* AccountComparison
  const operators = yield* Operators
  const sessions = yield* PaymentSessions
  const sales = yield* VoucherSales
  const refunds = yield* RefundRecords
  const disputes = yield* Disputes

  /** What is wrong with all rows of a kind, from an id on, in pages. */
  const inPages = Effect.fnUntraced(function* <Row, E>(
    from: string,
    read: (after: string, limit: number) => Effect.Effect<ReadonlyArray<Row>, E>,
    idOf: (row: Row) => string,
    detailOf: (row: Row) => string | undefined
  ) {
    const found: Array<Pick<ProviderFault, "id" | "detail">> = []
    let after: string | undefined = from
    while (after !== undefined) {
      const page: ReadonlyArray<Row> = yield* read(after, pageSize)
      for (const row of page) {
        const detail = detailOf(row)
        if (detail !== undefined) found.push({ id: idOf(row), detail })
      }
      const last = page.at(-1)
      after = last === undefined || page.length < pageSize ? undefined : idOf(last)
      yield* Effect.yieldNow
    }
    return found
  })

  const compare = Effect.fn("ProviderAudit.compare")(function* (operator_id: OperatorId, account: string) {
    const now = yield* Clock.currentTimeMillis
    const since = now - comparedMs
    const until = now - settlingMs
    const compared = yield* comparison.compare(account, { since, until, apply: false })
    const there = compared.differences.map((one): ProviderFault => ({
      kind: kindOf(one.kind),
      id: one.dispute_id ?? one.provider_session_id,
      account,
      since,
      detail: `${display(one.amount, one.currency)} of ${one.reference ?? one.booking_id}: ${one.text}`
    }))
    // Ids never sort before older ones: after the clock stepped back they are later than their rows.
    const compares = (row: { readonly created_at: Instant }) => row.created_at >= since
    const paid = new Map(compared.sessions.map(({ session }) => [session.id, session]))
    const unpaid = yield* inPages(
      idsFrom("payment", since),
      (after, limit) => sessions.paidOf(operator_id, after, idsFrom("payment", until), limit),
      ({ payment_session_id }) => payment_session_id,
      (row) =>
        compares(row) && row.account === account
          ? unpaidThere(row, paid.get(row.provider_session_id ?? ""), livemode)
          : undefined
    )
    const unsold = yield* inPages(
      idsFrom("payment", since),
      (after, limit) => sales.paidOf(operator_id, after, idsFrom("payment", until), limit),
      ({ payment_session_id }) => payment_session_id,
      (row) => {
        if (!compares(row) || row.account !== account) return undefined
        const said = paid.get(row.provider_session_id ?? "")
        return said !== undefined && factOf(said) === "paid"
          ? undefined
          : `the provider has no payment of ${row.voucher_id}`
      }
    )
    const back = new Map(compared.refunds.map(({ refund }) => [refund.id, refund]))
    const kept = yield* inPages(
      idsFrom("refund", since),
      (after, limit) => refunds.madeOf(operator_id, after, idsFrom("refund", until), limit),
      ({ refund_id }) => refund_id,
      (row) =>
        compares(row) && row.request.account === account
          ? notRefundedThere(row, back.get(row.provider_refund_id ?? ""))
          : undefined
    )
    const invented = yield* inPages(
      "",
      (after, limit) => disputes.ofAccount(operator_id, account, after, limit),
      ({ dispute_id }) => dispute_id,
      ({ amount, booking_id, created_at, currency, dispute_id, status }) =>
        compared.disputes === undefined || created_at > until || compared.disputes.has(dispute_id)
          ? undefined
          : `${status}, ${display(amount, currency)} of ${booking_id}: the provider has no such dispute`
    )
    const ours = (kind: ProviderFaultKind, found: typeof unpaid) =>
      found.map((one): ProviderFault => ({ kind, account, since, ...one }))
    return {
      faults: [
        ...there,
        ...ours("unpaid_there", unpaid),
        ...ours("unpaid_there", unsold),
        ...ours("not_refunded_there", kept),
        ...ours("not_disputed_there", invented)
      ],
      failed: compared.failed
    } satisfies ProviderAudited
  })

  return Effect.fnUntraced(function* (operator: Operator) {
    const accounts = yield* operators.accounts(operator)
    const all = yield* Effect.forEach(accounts, (account) =>
      Effect.catchTag(compare(operator.operator_id, account), "AccountUnavailable", () => Effect.succeed(nothing))
    )
    return {
      faults: all.flatMap(({ faults }) => faults),
      failed: all.flatMap(({ failed }) => failed)
    } satisfies ProviderAudited
  })
})
