/** What a finding is, and what an entry of the list in `ActionItems.ts` consists of. */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { attempt, type Outcome } from "../../platform/concurrency/Outcomes.ts"
import { describeCause } from "../../platform/telemetry/LogLines.ts"

/** So many rows of a kind are listed. */
export const limit = 1000

/** A moment, as findings say it. */
export const at = (instant: Instant): string => new Date(instant).toISOString()

/** One thing that needs a person. */
export interface Finding {
  /** A code of the troubleshooting table. */
  readonly what: string
  readonly id: string
  readonly detail: string
  /** What to do about it. */
  readonly fix: string
}

/** Rows that a gauge (`Gauges.ts`) counts, with the gauge's label. */
interface Counted {
  readonly gauge:
    | "webhook_events"
    | "refunds_unsettled"
    | "provider_tasks_dead"
    | "letters_dead"
    | "balances_overdue"
    | "calendars_failing"
    | "clocks_off"
    | "deliveries_refused"
  readonly status?: "rejected" | "dead" | "failed"
  /** A table and a condition. */
  readonly rows: (sql: SqlClient.SqlClient, now: Instant) => Statement.Fragment
}

/** An entry of the list. `of` describes a row; undefined if the row needs nobody. */
export const kind = <const Code extends string, Row, E, R>(entry: {
  readonly codes: ReadonlyArray<Code>
  /** `operator_id`: only its rows are wanted. */
  readonly rows: (now: Instant, operator_id?: string) => Effect.Effect<ReadonlyArray<Row>, E, R>
  readonly of: (row: Row, now: Instant) => (Finding & { readonly what: NoInfer<Code> }) | undefined
  readonly counted?: Counted
}) => ({
  codes: entry.codes,
  counted: entry.counted,
  find: (now: Instant) =>
    attempt(
      entry.codes.join(", "),
      Effect.map(entry.rows(now), (rows): ReadonlyArray<Finding> =>
        rows.map((row) => entry.of(row, now)).filter((finding) => finding !== undefined)
      )
    )
})

/** A notice of money of a booking. Amounts are minor units. */
export interface MoneyNotice {
  readonly kind:
    | "paid_back"
    | "balance_overdue"
    | "unpaid_after_visit"
    | "refund_failed"
    | "refund_waits_for_money"
    | "refund_waits_for_dispute"
    | "refund_at_venue"
    | "disputed"
    | "dispute_lost"
    | "dispute_won"
  readonly booking_id: string
  readonly amount: number
  readonly currency: string
}

/** A notice of another calendar of a playroom. */
export type CalendarNotice = { readonly calendar: string; readonly playroom_name: string } & (
  | { readonly kind: "calendar_not_read"; readonly since: Instant }
  | { readonly kind: "calendar_event_not_read" }
  | { readonly kind: "booking_when_calendar_is_busy"; readonly booking_id: string }
)

/** A notice that the operator's account at the provider takes no payments. */
export interface AccountNotice {
  readonly kind: "account_closed"
  readonly since: Instant
}

/** What an operator is told on its own page of a finding that it can act on. */
export type OperatorNotice = MoneyNotice | CalendarNotice | AccountNotice

/** An entry that is for the operator, too: `notice` says of a row what its operator is told; undefined: nothing. */
export const kindForOperator = <const Code extends string, Row extends { readonly operator_id: string }, E, R>(
  entry: Parameters<typeof kind<Code, Row, E, R>>[0] & {
    readonly notice: (row: Row, now: Instant) => OperatorNotice | undefined
  }
) => ({
  ...kind(entry),
  notices: (operator_id: string, now: Instant) =>
    Effect.map(entry.rows(now, operator_id), (rows): ReadonlyArray<OperatorNotice> =>
      rows.filter((row) => row.operator_id === operator_id).flatMap((row) => entry.notice(row, now) ?? [])
    )
})

/** The code of kinds of findings that could not be looked for. */
export const notChecked = "not checked"

/** What can't be looked at is a finding, too: the kinds that it hides, by the reason. */
export const unchecked = (outcomes: ReadonlyArray<Outcome<string>>): ReadonlyArray<Finding> => {
  const failed = outcomes.flatMap((one) =>
    one.outcome === "failed" ? [{ kinds: one.item, reason: describeCause(one.cause) }] : []
  )
  return [...Map.groupBy(failed, ({ reason }) => reason)].map(([detail, kinds]) => ({
    what: notChecked,
    id: kinds.map((one) => one.kinds).join(", "),
    detail,
    fix: "mend that, and run playroom doctor again: until then nobody knows whether there is any of these"
  }))
}
