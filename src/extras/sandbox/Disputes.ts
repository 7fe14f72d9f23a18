/** The sandbox's disputes: a payer wants the money back from the bank. */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type Stripe from "stripe"
import { dayMs, InstantFromDate } from "../../platform/time/LocalTime.ts"
import { columnsOf, decodeRows } from "../../platform/database/Rows.ts"
import { invalid, missing, one, readForm, refuse } from "./Form.ts"
import { bookDispute } from "./Balance.ts"
import { Events } from "./Events.ts"
import { chargeId, eventObject, newId, seconds, SessionRow } from "./Objects.ts"
import { sessionOfIntent } from "./Payments.ts"

/** A dispute, with its payment's id and currency. */
const DisputeRow = Schema.Struct({
  dispute_id: Schema.String,
  account: Schema.String,
  payment_intent_id: Schema.String,
  currency: Schema.String,
  status: Schema.String,
  amount: Schema.Int,
  created_at: InstantFromDate
})
type DisputeRow = typeof DisputeRow.Type

const unanswered = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null
} satisfies Stripe.Dispute.Evidence

/** The client's own type holds it to the provider's shape. */
export const disputeObject = (row: DisputeRow): Stripe.Dispute => ({
  id: row.dispute_id,
  object: "dispute",
  amount: row.amount,
  balance_transactions: [],
  charge: chargeId(row.payment_intent_id),
  created: seconds(row.created_at),
  currency: row.currency,
  enhanced_eligibility_types: [],
  evidence: unanswered,
  evidence_details: {
    due_by: seconds(row.created_at + 7 * dayMs),
    enhanced_eligibility: {},
    has_evidence: false,
    past_due: false,
    submission_count: 0,
    submission_method: "not_submitted"
  },
  intended_submission_method: null,
  is_charge_refundable: row.status.startsWith("warning_"),
  livemode: false,
  metadata: {},
  payment_intent: row.payment_intent_id,
  reason: "fraudulent",
  status: row.status
})

const statuses = [
  "warning_needs_response",
  "warning_under_review",
  "warning_closed",
  "needs_response",
  "under_review",
  "won",
  "lost",
  "prevented",
  "appeal_needs_response",
  "appeal_under_review"
] as const
/** While the bank has still to decide, nothing is refunded. */
const undecided = new Set(["needs_response", "under_review", "appeal_needs_response", "appeal_under_review"])
/** The payer has the money. */
const withPayer = new Set(["lost", "prevented", "appeal_needs_response", "appeal_under_review"])

const sessions = decodeRows(Schema.Array(SessionRow))
const disputes = decodeRows(Schema.Array(DisputeRow))

/** Disputes by a condition, newest first. */
const find = Effect.fnUntraced(function* (which: (sql: SqlClient.SqlClient) => Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  return yield* disputes(sql`select ${sql.literal(columnsOf(DisputeRow))}
    from sandbox.dispute d join (select session_id, payment_intent_id, currency from sandbox.session) s using (session_id)
    where ${which(sql)} order by d.seq desc`)
})

const ofPayment = (payment_intent: string | null) => find((sql) => sql`s.payment_intent_id = ${payment_intent}`)

/** The disputes of a payment, newest first, as the provider lists them. */
export const listDisputes = Effect.fn("Sandbox.listDisputes")(function* (account: string, payment_intent: string) {
  yield* sessionOfIntent(account, payment_intent, "as it is")
  return yield* ofPayment(payment_intent)
})

/** An account's disputes that were opened at `since` or later, newest first. */
export const listDisputesSince = Effect.fn("Sandbox.listDisputesSince")((account: string, since: Date) =>
  find((sql) => sql`d.account = ${account} and d.created_at >= ${since}`)
)

/** Disputes by their ids. */
export const disputesNamed = (ids: ReadonlyArray<string>) =>
  ids.length === 0 ? Effect.succeed([]) : find((sql) => sql`d.dispute_id in ${sql.in(ids)}`)

/** Another account's dispute does not exist for the caller. */
export const getDispute = Effect.fn("Sandbox.getDispute")((account: string, id: string) =>
  one(
    "dispute",
    id,
    find((sql) => sql`d.dispute_id = ${id} and d.account = ${account}`)
  )
)

const deliveries = decodeRows(
  Schema.Array(
    Schema.Struct({
      event_id: Schema.String,
      dispute_id: Schema.String,
      type: Schema.String,
      created_at: InstantFromDate
    })
  )
)

/**
 * The events about an account's disputes of `since` or later, newest first, whatever became of their delivery. The
 * provider keeps a copy of the object as it was; this one shows it as it is.
 */
export const disputeEvents = Effect.fn("Sandbox.disputeEvents")(function* (account: string, since: Date) {
  const sql = yield* SqlClient.SqlClient
  const sent = yield* deliveries(sql`
    with event as (
      select event_id, seq, type, created_at, coalesce(body::jsonb #>> '{data,object,id}', body::jsonb #>> '{related_object,id}') as dispute_id
      from sandbox.delivery where type like 'charge.dispute.%' and created_at >= ${since}
        and not body::jsonb ? 'snapshot_event')
    select event_id, dispute_id, type, e.created_at from event e join sandbox.dispute d using (dispute_id)
    where d.account = ${account} order by e.seq desc`)
  const all = new Map((yield* find((sql) => sql`d.account = ${account}`)).map((row) => [row.dispute_id, row]))
  return sent.flatMap(({ created_at: created, dispute_id, event_id, type }) => {
    const row = all.get(dispute_id)
    if (row === undefined) return []
    return [{ event_id, event: eventObject({ id: event_id, type, created, account, object: disputeObject(row) }) }]
  })
})

/** The lost amount of a payment, in the provider's minor units, and whether a dispute is open. */
export const disputeTotals = Effect.fnUntraced(function* (session: SessionRow) {
  const all = yield* ofPayment(session.payment_intent_id)
  const lost = all.filter(({ status }) => withPayer.has(status)).reduce((sum, { amount }) => sum + amount, 0)
  const open = all.some(({ status }) => undecided.has(status))
  return { lost: Math.min(lost, session.amount), open }
})

/** The account does not have the money. */
const held = (status: string): boolean => undecided.has(status) || withPayer.has(status)

/** The events of a change (https://docs.stripe.com/api/events/types). `before`: absent for a new dispute. */
const eventsOf = (before: string | undefined, { status }: DisputeRow): ReadonlyArray<string> => {
  const [had, has] = [before !== undefined && held(before), held(status)]
  const closed = !/_response$|_review$/.test(status)
  return [
    before === undefined ? "created" : "updated",
    ...(has && !had ? ["funds_withdrawn"] : []),
    ...(had && !has ? ["funds_reinstated"] : []),
    ...(closed ? ["closed"] : [])
  ].map((name) => `charge.dispute.${name}`)
}

const disputeRules = {
  payment_intent: { kind: "text", required: true },
  dispute: { kind: "text" },
  status: { kind: "text", oneOf: statuses },
  amount: { kind: "integer" }
} as const

/**
 * Opens a dispute of a payment on any account, or gives one another status or amount: the `dispute` that is named,
 * whatever it said before, or else an undecided one. Sends the events. The form has `payment_intent`, and optionally
 * `dispute`, `status` (default `needs_response`) and `amount` (default: all). The caller is in a transaction.
 */
export const openOrMoveDispute = Effect.fn("Sandbox.openOrMoveDispute")(function* (encoded: string) {
  const sql = yield* SqlClient.SqlClient
  const form = yield* readForm(encoded, disputeRules)
  const intent = form.required("payment_intent")
  const status = form.text("status") ?? "needs_response"
  const asked = form.integer("amount")
  const [row] = yield* sessions(
    sql`select ${sql.literal(columnsOf(SessionRow))} from sandbox.session where payment_intent_id = ${intent} for update`
  )
  if (row === undefined) return yield* missing("payment_intent", intent)
  if (row.payment_status !== "paid") {
    return yield* refuse(`This PaymentIntent (${intent}) does not have a successful charge to dispute.`)
  }
  const amount = asked ?? row.amount
  if (amount < 1 || amount > row.amount) {
    return yield* invalid("The amount must be between 1 and the amount of the payment.", { param: "amount" })
  }
  const named = form.text("dispute")
  const before = (yield* ofPayment(intent)).find(({ dispute_id, status }) =>
    named === undefined ? /_response$|_review$/.test(status) : dispute_id === named
  )
  if (named !== undefined && before === undefined) return yield* missing("dispute", named)
  if (before === undefined) {
    yield* sql`insert into sandbox.dispute (dispute_id, session_id, account, status, amount, created_at)
      values (${yield* newId("dp_", 24)}, ${row.session_id}, ${row.account}, ${status}, ${amount},
        ${new Date(yield* Clock.currentTimeMillis)})`
  } else {
    yield* sql`update sandbox.dispute set status = ${status}, amount = ${asked ?? before.amount}
      where dispute_id = ${before.dispute_id}`
  }
  const all = yield* ofPayment(intent)
  const dispute = before === undefined ? all[0] : all.find(({ dispute_id }) => dispute_id === before.dispute_id)
  if (dispute === undefined) return yield* missing("dispute", intent)
  const [had, has] = [before !== undefined && held(before.status), held(dispute.status)]
  const other = before?.amount !== dispute.amount
  if (before !== undefined && had && (other || !has)) yield* bookDispute(before, true)
  if (has && (other || !had)) yield* bookDispute(dispute, false)
  const { emit } = yield* Events
  for (const type of eventsOf(before?.status, dispute)) {
    yield* emit({ receiver: "connected", type, account: dispute.account, object: disputeObject(dispute) })
  }
  return dispute
})
