/** The sandbox's disputes: a payer wants the money back from the bank. */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"
import { invalid, missing, readForm, refuse } from "./Form.ts"
import { DisputeRow, newId, SessionRow } from "./Objects.ts"
import { sessionOfIntent } from "./Payments.ts"

const statuses = [
  "warning_needs_response",
  "warning_under_review",
  "warning_closed",
  "needs_response",
  "under_review",
  "won",
  "lost"
] as const

const sessions = decodeRows(Schema.Array(SessionRow))
const disputes = decodeRows(Schema.Array(DisputeRow))

const ofPayment = Effect.fnUntraced(function* (payment_intent: string | null) {
  const sql = yield* SqlClient.SqlClient
  return yield* disputes(sql`select d.*, s.payment_intent_id, s.currency
    from sandbox.dispute d join sandbox.session s using (session_id)
    where s.payment_intent_id = ${payment_intent} order by d.seq desc`)
})

/** The disputes of a payment, newest first, as the provider lists them. */
export const listDisputes = Effect.fn("Sandbox.listDisputes")(function* (account: string, payment_intent: string) {
  yield* sessionOfIntent(account, payment_intent, "as it is")
  return yield* ofPayment(payment_intent)
})

/** The lost amount of a payment, in the provider's minor units, and whether a dispute is open. */
export const disputeTotals = Effect.fnUntraced(function* (session: SessionRow) {
  const all = yield* ofPayment(session.payment_intent_id)
  const lost = all.filter(({ status }) => status === "lost").reduce((sum, { amount }) => sum + amount, 0)
  const open = all.some(({ status }) => status === "needs_response" || status === "under_review")
  return { lost: Math.min(lost, session.amount), open }
})

const disputeRules = {
  payment_intent: { kind: "text", required: true },
  status: { kind: "text", oneOf: statuses },
  amount: { kind: "integer" }
} as const

/**
 * Opens a dispute of a payment on any account, or gives its undecided dispute another status. The form has
 * `payment_intent`, and optionally `status` (default `needs_response`) and `amount` (default: all). The caller is in a
 * transaction.
 */
export const openOrMoveDispute = Effect.fn("Sandbox.openOrMoveDispute")(function* (encoded: string) {
  const sql = yield* SqlClient.SqlClient
  const form = yield* readForm(encoded, disputeRules)
  const intent = form.required("payment_intent")
  const status = form.text("status") ?? "needs_response"
  const asked = form.integer("amount")
  const [row] = yield* sessions(sql`select * from sandbox.session where payment_intent_id = ${intent} for update`)
  if (row === undefined) return yield* missing("payment_intent", intent)
  if (row.payment_status !== "paid") {
    return yield* refuse(`This PaymentIntent (${intent}) does not have a successful charge to dispute.`)
  }
  const amount = asked ?? row.amount
  if (amount < 1 || amount > row.amount) {
    return yield* invalid("The amount must be between 1 and the amount of the payment.", { param: "amount" })
  }
  const undecided = (yield* ofPayment(intent)).find(({ status }) => !["won", "lost", "warning_closed"].includes(status))
  if (undecided === undefined) {
    yield* sql`insert into sandbox.dispute (dispute_id, session_id, account, status, amount, created_at)
      values (${yield* newId("dp_", 24)}, ${row.session_id}, ${row.account}, ${status}, ${amount},
        ${new Date(yield* Clock.currentTimeMillis)})`
  } else {
    yield* sql`update sandbox.dispute set status = ${status}, amount = ${asked ?? undecided.amount}
      where dispute_id = ${undecided.dispute_id}`
  }
  const all = yield* ofPayment(intent)
  const dispute = undecided === undefined ? all[0] : all.find(({ dispute_id }) => dispute_id === undecided.dispute_id)
  return dispute === undefined ? yield* missing("dispute", intent) : dispute
})
