/**
 * When a payment is checked for what went back of it: which checks are due, and when the next one is. What makes a check
 * due sooner stands in `PaymentSessions.ts`.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { dayMs, type Instant, minuteMs } from "../../../platform/time/LocalTime.ts"
import { columnsOf, decodeRows } from "../../../platform/database/Rows.ts"
import { firstRefundCheckMs, maxRefundCheckIntervalMs, PaymentSessionRow } from "./PaymentSession.ts"

/** The delay of another check if the provider did not answer, or the node died. */
const refundCheckRetryMs = 10 * minuteMs
/**
 * Refund checks go on for this long after the last change and after the visit: payers can dispute a payment for about
 * 120 days. While a dispute is undecided, they do not end.
 */
const refundChecksForMs = 60 * dayMs
export const refundWindowMs = 120 * dayMs

const rows = decodeRows(Schema.Array(PaymentSessionRow))
const columns = columnsOf(PaymentSessionRow)

/** Claims up to `limit` sessions with a due refund check. It is due again soon, unless `finishRefundCheck` runs. */
export const claimForRefundCheck = Effect.fn("claimForRefundCheck")(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* rows(sql`
    update payment_session set checked_at = ${new Date(now)}, refund_check_at = ${new Date(now + refundCheckRetryMs)}
    where payment_session_id in (
      select payment_session_id from payment_session where refund_check_at <= ${new Date(now)}
      order by refund_check_at limit ${limit}::int for update skip locked)
    returning ${sql.literal(columns)}`)
})

/**
 * Schedules the check after one that was claimed at `claimed`, unless another has become due meanwhile. `open`: a
 * dispute is undecided, so the checks go on. Otherwise the last one is at the end of the window.
 */
export const finishRefundCheck = Effect.fn("finishRefundCheck")(function* (
  id: PaymentSessionId,
  claimed: Instant,
  open: boolean
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    with due as (
      select s.payment_session_id as id, least(${new Date(claimed + maxRefundCheckIntervalMs)}::timestamptz, greatest(
          ${new Date(claimed + firstRefundCheckMs)}::timestamptz, ${new Date(claimed)}::timestamptz + (${new Date(claimed)}::timestamptz - s.updated_at))) as next,
        case when ${open}::boolean then 'infinity' else
          greatest(b.ends_at + ${`${refundWindowMs} milliseconds`}::interval, s.updated_at + ${`${refundChecksForMs} milliseconds`}::interval) end as until
      from payment_session s join booking b on b.booking_id = s.booking_id
      where s.payment_session_id = ${id} and s.status = 'paid')
    update payment_session s set refund_check_at = (select least(next, until) from due where until > ${new Date(claimed)})
    where s.payment_session_id = ${id} and s.refund_check_at = ${new Date(claimed + refundCheckRetryMs)}`
})
