/** The sandbox's refunds, with the provider's rules. */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { columnsOf, decodeRows } from "../../platform/database/Rows.ts"
import { bookRefund } from "./Balance.ts"
import { disputeTotals } from "./Disputes.ts"
import { invalid, one, readForm, type Refusal, refuse, type Rules } from "./Form.ts"
import { Events } from "./Events.ts"
import { chargeId, chargeObject, newId, refundObject, RefundStatus, SandboxRefund, type SessionRow } from "./Objects.ts"
import { sessionOfIntent, amountText } from "./Payments.ts"

/** The time that a pending refund takes. */
const pendingRefundMs = 2_000

const refundRules: Rules = {
  payment_intent: { kind: "text", required: true },
  amount: { kind: "integer" },
  reason: { kind: "text", oneOf: ["duplicate", "fraudulent", "requested_by_customer"] },
  refund_application_fee: { kind: "boolean" },
  "metadata[*]": { kind: "text", maxLength: 500 }
}

interface NewRefund {
  readonly payment_intent: string
  /** Undefined: the whole rest. */
  readonly amount: number | undefined
  readonly reason: string | undefined
  readonly refund_application_fee: boolean
  readonly metadata: Record<string, string>
}

/** The parameters of `POST /v1/refunds`. */
export const readNewRefund = (encoded: string): Effect.Effect<NewRefund, Refusal> =>
  Effect.map(readForm(encoded, refundRules), (form) => ({
    payment_intent: form.required("payment_intent"),
    amount: form.integer("amount"),
    reason: form.text("reason"),
    refund_application_fee: form.boolean("refund_application_fee"),
    metadata: form.record("metadata")
  }))

/** Why a refund is refused; undefined if it is allowed. */
export const refundFault = (
  request: NewRefund,
  payment: {
    readonly paid: boolean
    readonly currency: string
    readonly application_fee: number
    /** The rest after refunds and lost disputes. */
    readonly left: number
    /** An undecided dispute exists. */
    readonly disputed: boolean
  }
): Refusal | undefined => {
  const { amount, payment_intent } = request
  const charge = chargeId(payment_intent)
  if (!payment.paid)
    return refuse(`This PaymentIntent (${payment_intent}) does not have a successful charge to refund.`)
  if (payment.disputed) {
    return refuse(`Charge ${charge} has been charged back; cannot issue a refund.`, { code: "charge_disputed" })
  }
  if (payment.left <= 0)
    return refuse(`Charge ${charge} has already been refunded.`, { code: "charge_already_refunded" })
  if (amount !== undefined && amount < 1) {
    return invalid("This value must be greater than or equal to 1.", {
      code: "parameter_invalid_integer",
      param: "amount"
    })
  }
  if (amount !== undefined && amount > payment.left) {
    return refuse(
      `Refund amount (${amountText(amount, payment.currency)}) is greater than unrefunded amount on charge (${amountText(payment.left, payment.currency)})`,
      { param: "amount" }
    )
  }
  if (request.refund_application_fee && payment.application_fee === 0) {
    return refuse(`Attempting to refund_application_fee on charge ${charge}, but it has no application fee`, {
      param: "refund_application_fee"
    })
  }
  return undefined
}

const refunds = decodeRows(Schema.Array(SandboxRefund))
const ids = decodeRows(Schema.Array(Schema.Struct({ refund_id: Schema.String })))
const sums = decodeRows(Schema.Tuple([Schema.Struct({ refunded: Schema.Int })]))

/** What went back of a session's payment by refunds. */
const refundedOf = (sql: SqlClient.SqlClient, { session_id }: Pick<SessionRow, "session_id">) =>
  sums(sql`select coalesce(sum(amount), 0)::int as refunded from sandbox.refund
    where session_id = ${session_id} and status not in ('failed', 'canceled')`)

/** Refunds by a condition, newest first. */
const find = Effect.fnUntraced(function* (which: (sql: SqlClient.SqlClient) => Statement.Fragment) {
  const sql = yield* SqlClient.SqlClient
  return yield* refunds(sql`select ${sql.literal(columnsOf(SandboxRefund))}
    from sandbox.refund r join (select session_id, payment_intent_id, currency from sandbox.session) s using (session_id)
    where ${which(sql)} order by r.seq desc`)
})

const emit = (type: string, refund: SandboxRefund, object: object = refundObject(refund)) =>
  Events.use((events) => events.emit({ receiver: "connected", type, account: refund.account, object }))

const settleDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const settled = yield* ids(sql`update sandbox.refund set status = 'succeeded'
    where status = 'pending' and not turned and created_at <= ${new Date(now - pendingRefundMs)} returning refund_id`)
  for (const { refund_id } of settled)
    for (const refund of yield* find((sql) => sql`r.refund_id = ${refund_id}`)) yield* emit("refund.updated", refund)
})

/** Pending refunds (made by a fault) succeed after a moment, with the event. */
export const settlePendingRefunds = SqlClient.SqlClient.use((sql) => sql.withTransaction(settleDue))

/** A charge and what went back of it, whose id is the payment's. Another account's does not exist for the caller. */
export const getCharge = Effect.fn("Sandbox.getCharge")(function* (account: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  const intent = id.replace(/^ch_/, "pi_")
  const session = yield* sessionOfIntent(account, intent, "as it is")
  const [{ refunded }] = yield* refundedOf(sql, session)
  return chargeObject(session, intent, refunded)
})

/** Creates a refund, and its events. The caller is in a transaction. */
export const createRefund = Effect.fn("Sandbox.createRefund")(function* (
  account: string,
  request: NewRefund,
  status: SandboxRefund["status"] = "succeeded"
) {
  const sql = yield* SqlClient.SqlClient
  const session = yield* sessionOfIntent(account, request.payment_intent, "locked")
  const [{ refunded }] = yield* refundedOf(sql, session)
  const disputed = yield* disputeTotals(session)
  const left = session.amount - refunded - disputed.lost
  const paid = session.payment_status === "paid"
  const fault = refundFault(request, { ...session, paid, left, disputed: disputed.open })
  if (fault !== undefined) return yield* fault
  const id = yield* newId("re_", 24)
  yield* sql`insert into sandbox.refund (refund_id, session_id, account, status, amount, reason, metadata, with_fee, created_at)
    values (${id}, ${session.session_id}, ${account}, ${status}, ${request.amount ?? left},
      ${request.reason ?? null}, ${JSON.stringify(request.metadata)}::jsonb,
      ${request.refund_application_fee}, ${new Date(yield* Clock.currentTimeMillis)})`
  const refund = yield* getRefund(account, id)
  yield* bookRefund(refund, false)
  if (!counts(refund)) yield* bookRefund(refund, true)
  yield* emit("refund.created", refund)
  if (status === "failed") yield* emit("refund.failed", refund)
  else yield* emit("charge.refunded", refund, yield* getCharge(account, chargeId(request.payment_intent)))
  return refund
})

/** The money left the balance. */
const counts = ({ status }: SandboxRefund): boolean => status !== "failed" && status !== "canceled"

const turnRules = {
  refund: { kind: "text", required: true },
  status: { kind: "text", oneOf: RefundStatus.literals },
  amount: { kind: "integer" }
} as const

/**
 * Gives a refund of any account another status or amount, whatever it has, and sends the event. The form has `refund`,
 * and `status` or `amount`. The caller is in a transaction.
 */
export const turnRefund = Effect.fn("Sandbox.turnRefund")(function* (encoded: string) {
  const sql = yield* SqlClient.SqlClient
  const form = yield* readForm(encoded, turnRules)
  const id = form.required("refund")
  const status = form.text("status")
  const amount = form.integer("amount")
  if (amount !== undefined && amount < 1)
    return yield* invalid("This value must be greater than or equal to 1.", { param: "amount" })
  const named = one(
    "refund",
    id,
    find(() => sql`r.refund_id = ${id}`)
  )
  const before = yield* named
  yield* sql`update sandbox.refund set turned = true, status = coalesce(${status ?? null}::text, status),
    amount = coalesce(${amount ?? null}::int, amount) where refund_id = ${id}`
  const refund = yield* named
  const other = refund.amount !== before.amount
  if (counts(before) && (other || !counts(refund))) yield* bookRefund(before, true)
  if (counts(refund) && (other || !counts(before))) yield* bookRefund(refund, false)
  yield* emit(refund.status === "failed" ? "refund.failed" : "refund.updated", refund)
  return refund
})

export const getRefund = Effect.fn("Sandbox.getRefund")((account: string, id: string) =>
  one(
    "refund",
    id,
    find((sql) => sql`r.refund_id = ${id} and r.account = ${account}`)
  )
)

/** Refunds by their ids. */
export const refundsNamed = (ids: ReadonlyArray<string>) =>
  ids.length === 0 ? Effect.succeed([]) : find((sql) => sql`r.refund_id in ${sql.in(ids)}`)

/** The refunds of a payment, newest first, as the provider lists them. */
export const listRefunds = Effect.fn("Sandbox.listRefunds")(function* (account: string, payment_intent: string) {
  yield* sessionOfIntent(account, payment_intent, "as it is")
  return yield* find((sql) => sql`s.payment_intent_id = ${payment_intent}`)
})

/** An account's refunds that were made at `since` or later, newest first. */
export const listRefundsSince = Effect.fn("Sandbox.listRefundsSince")((account: string, since: Date) =>
  find((sql) => sql`r.account = ${account} and r.created_at >= ${since}`)
)
