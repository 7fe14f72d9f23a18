/**
 * Compares our books of the last days with the provider's, while the service runs. What the provider has and we lack is
 * `AccountComparison`'s to say, as after a restored backup; here the reverse is added: what we say that the provider has.
 * It changes nothing.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { Operator } from "../../catalogue/Operator.ts"
import { idsFrom } from "../../kernel/Ids.ts"
import { dayMs, hourMs, type Instant } from "../../kernel/LocalTime.ts"
import { display } from "../../kernel/Money.ts"
import type { Outcome } from "../../kernel/Outcomes.ts"
import type { GatewayError, ListedRefund, ListedSession, RetryableError } from "../provider/PaymentGateway.ts"
import type { RefundRow } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { factOf, mismatch } from "../settlement/SessionFacts.ts"
import { AccountComparison } from "./AccountComparison.ts"

/** How far back the books are compared. Older payments are asked about one by one (`Reconciliation.ts`). */
const comparedMs = 3 * dayMs
/** News are applied within seconds, and asked for within minutes. Younger ones are left to that. */
const settlingMs = 2 * hourMs
/** Rows per statement. */
const pageSize = 100

/**
 * `unknown_here`: the provider has a payment or a refund that we lack, or have in an older state. `unpaid_there`,
 * `not_refunded_there`: the reverse.
 */
export interface ProviderFault {
  readonly kind: "unknown_here" | "unpaid_there" | "not_refunded_there"
  /** The provider's id of the session, or our id of the session or the refund. */
  readonly id: string
  readonly account: string
  /** Since when the books were compared. */
  readonly since: Instant
  readonly detail: string
}

export interface ProviderAudited {
  readonly faults: ReadonlyArray<ProviderFault>
  readonly failed: ReadonlyArray<Outcome<string>>
}
const nothing: ProviderAudited = { faults: [], failed: [] }

/** Why the provider's session is not what our paid row says; undefined if it is. */
const unpaidThere = (row: PaymentSessionRow, said: ListedSession["session"] | undefined): string | undefined => {
  if (said === undefined) return `the provider has no page ${row.provider_session_id ?? ""}`
  const fact = factOf(said)
  if (fact !== "paid" && fact !== "free")
    return `the provider says that ${said.id} is ${said.status}, ${said.payment_status}`
  return mismatch(row, fact, said)
}

const notRefundedThere = (row: RefundRow, said: ListedRefund["refund"] | undefined): string | undefined => {
  if (said === undefined) return `the provider has no refund ${row.provider_refund_id ?? ""}, or it failed`
  return said.amount === row.amount && said.currency === row.currency
    ? undefined
    : `the provider says ${display(said.amount, said.currency)}, not ${display(row.amount, row.currency)}`
}

export class ProviderAudit extends Context.Service<
  ProviderAudit,
  {
    /**
     * The differences of an operator's books from those of its account, and the payments that could not be compared. None
     * if it has no account, or one that is closed to us.
     */
    readonly compare: (
      operator: Operator
    ) => Effect.Effect<ProviderAudited, GatewayError | RetryableError | SqlError.SqlError>
  }
>()("playroom/payment/recovery/ProviderAudit") {
  static readonly layer = Layer.effect(
    ProviderAudit,
    Effect.gen(function* () {
      const comparison = yield* AccountComparison
      const sessions = yield* PaymentSessions
      const refunds = yield* RefundRecords

      /** Looks at all rows between two instants, in pages. */
      const inPages = Effect.fnUntraced(function* <Row extends { readonly created_at: Instant }, E>(
        kind: "payment" | "refund",
        since: Instant,
        until: Instant,
        read: (after: string, until: string, limit: number) => Effect.Effect<ReadonlyArray<Row>, E>,
        idOf: (row: Row) => string,
        fault: (row: Row) => ProviderFault | undefined
      ) {
        const found: Array<ProviderFault> = []
        let after: string | undefined = idsFrom(kind, since)
        while (after !== undefined) {
          const page: ReadonlyArray<Row> = yield* read(after, idsFrom(kind, until), pageSize)
          // Ids never sort before older ones: after the clock stepped back they are later than their rows.
          found.push(...page.flatMap((row) => (row.created_at < since ? [] : (fault(row) ?? []))))
          const last = page.at(-1)
          after = last === undefined || page.length < pageSize ? undefined : idOf(last)
          yield* Effect.yieldNow
        }
        return found
      })

      const compare = Effect.fn("ProviderAudit.compare")(function* (operator: Operator) {
        const { connected_account_id: account, operator_id } = operator
        if (account === undefined) return nothing
        const now = yield* Clock.currentTimeMillis
        const since = now - comparedMs
        const until = now - settlingMs
        const compared = yield* comparison.compare(account, { since, until, apply: false })
        const there = compared.differences.map((one): ProviderFault => ({
          kind: "unknown_here",
          id: one.provider_session_id,
          account,
          since,
          detail: `${display(one.amount, one.currency)} of ${one.reference ?? one.booking_id}: ${one.text}`
        }))
        const paid = new Map(compared.sessions.map(({ session }) => [session.id, session]))
        const unpaid = yield* inPages(
          "payment",
          since,
          until,
          (...page) => sessions.paidOf(operator_id, ...page),
          ({ payment_session_id }) => payment_session_id,
          (row) => {
            const detail =
              row.account === account ? unpaidThere(row, paid.get(row.provider_session_id ?? "")) : undefined
            const id = row.payment_session_id
            return detail === undefined ? undefined : { kind: "unpaid_there", id, account, since, detail }
          }
        )
        const back = new Map(compared.refunds.map(({ refund }) => [refund.id, refund]))
        const kept = yield* inPages(
          "refund",
          since,
          until,
          (...page) => refunds.madeOf(operator_id, ...page),
          ({ refund_id }) => refund_id,
          (row) => {
            const mine = row.request.account === account
            const detail = mine ? notRefundedThere(row, back.get(row.provider_refund_id ?? "")) : undefined
            return detail === undefined
              ? undefined
              : { kind: "not_refunded_there", id: row.refund_id, account, since, detail }
          }
        )
        return { faults: [...there, ...unpaid, ...kept], failed: compared.failed } satisfies ProviderAudited
      })

      return ProviderAudit.of({
        compare: (operator) => Effect.catchTag(compare(operator), "AccountUnavailable", () => Effect.succeed(nothing))
      })
    })
  ).pipe(Layer.provide([AccountComparison.layer, PaymentSessions.layer, RefundRecords.layer]))
}
