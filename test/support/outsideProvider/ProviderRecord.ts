/** What was really paid and refunded, as the outside provider's rows say. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows } from "../../../src/platform/database/Rows.ts"

const Text = Schema.Record(Schema.String, Schema.String)
const Counts = Schema.Record(Schema.String, Schema.Int)

const Session = Schema.Struct({
  id: Schema.String,
  account: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  status: Schema.String,
  payment_status: Schema.String,
  payment_intent: Schema.NullOr(Schema.String),
  /** What the payer paid in a currency of their own. */
  presented: Schema.NullOr(Schema.Struct({ amount: Schema.Int, currency: Schema.String })),
  metadata: Text
})
const RefundRow = Schema.Struct({
  id: Schema.String,
  payment_intent: Schema.String,
  amount: Schema.Int,
  status: Schema.String,
  metadata: Text
})
const Refund = Schema.Struct({
  ...RefundRow.fields,
  /** `service` or `dashboard`. */
  by: Schema.String,
  /**
   * What each payment of the booking had returned (refunds, lost disputes) when the service last asked before this
   * refund.
   */
  known: Counts
})
const Dispute = Schema.Struct({
  id: Schema.String,
  payment_intent: Schema.String,
  amount: Schema.Int,
  status: Schema.String
})
/** A refund that never reaches the payer. */
export const hasFailed = ({ status }: { readonly status: string }): boolean =>
  status === "failed" || status === "canceled"
/** A dispute whose money the payer has; an appeal does not change that until it is won. */
export const isWithPayer = ({ status }: { readonly status: string }): boolean => {
  const withPayer = ["lost", "prevented", "appeal_needs_response", "appeal_under_review"]
  return withPayer.includes(status)
}

const Invoice = Schema.Struct({ id: Schema.String, customer: Schema.String, period_end: Schema.Int })

/** A change of an account's balance by a payment, in minor units; what leaves the balance is negative. */
const Movement = Schema.Struct({
  id: Schema.String,
  account: Schema.String,
  /** The provider's session. */
  session: Schema.String,
  kind: Schema.Literals(["payment", "refund", "dispute"]),
  /** Milliseconds since 1970. */
  at: Schema.Int,
  amount: Schema.Int,
  fee: Schema.Int,
  application_fee: Schema.Int
})

export const ProviderRecord = Schema.Struct({
  now: Schema.Int,
  /** By how many milliseconds the clocks of the service's nodes are ahead, by the clocks' files. */
  skews: Counts,
  sessions: Schema.Array(Session),
  refunds: Schema.Array(Refund),
  disputes: Schema.Array(Dispute),
  invoices: Schema.Array(Invoice),
  movements: Schema.Array(Movement),
  calls: Schema.Int,
  faults: Counts,
  /** What the provider corrected. */
  turns: Counts,
  events: Counts
})
export type ProviderRecord = typeof ProviderRecord.Type

const sessions = decodeRows(Schema.Array(Session))
const refunds = decodeRows(Schema.Array(RefundRow))
const disputes = decodeRows(Schema.Array(Dispute))
const invoices = decodeRows(Schema.Array(Invoice))
const movements = decodeRows(Schema.Array(Movement))
const deliveries = decodeRows(
  Schema.Tuple([Schema.Struct({ made: Schema.Int, delivered: Schema.Int, delivered_thin: Schema.Int })])
)
const ids = decodeRows(Schema.Array(Schema.Struct({ id: Schema.String })))

const ofPayment = Schema.Struct({ amount: Schema.Int, status: Schema.String })
const amounts = decodeRows(Schema.Array(ofPayment))

/** What a payment has returned, or is about to: refunds that have not failed, and lost disputes. */
export const returned = Effect.fnUntraced(function* (payment_intent: string) {
  const sql = yield* SqlClient.SqlClient
  const made =
    yield* amounts(sql`select r.amount, r.status from sandbox.refund r join sandbox.session s using (session_id)
    where s.payment_intent_id = ${payment_intent}`)
  const disputed =
    yield* amounts(sql`select d.amount, d.status from sandbox.dispute d join sandbox.session s using (session_id)
      where s.payment_intent_id = ${payment_intent}`)
  const gone = [...made.filter((one) => !hasFailed(one)), ...disputed.filter(isWithPayer)]
  return gone.reduce((sum, { amount }) => sum + amount, 0)
})

/** The payments of the same booking, this one among them. */
export const paymentsOfBooking = Effect.fnUntraced(function* (payment_intent: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* ids(sql`select other.payment_intent_id as id from sandbox.session paid
    join sandbox.session other on other.metadata->>'booking_id' = paid.metadata->>'booking_id'
    where paid.payment_intent_id = ${payment_intent} and other.payment_intent_id is not null`)
  return found.map(({ id }) => id)
})

/** The provider's refund of one of ours. */
export const refundOf = Effect.fnUntraced(function* (refund_id: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* ids(sql`select refund_id as id from sandbox.refund where metadata->>'refund_id' = ${refund_id}`)
  return found[0]?.id
})

/** The rows, oldest first. `known`: by our ids of refunds. */
export const readRecord = Effect.fnUntraced(function* (known: ReadonlyMap<string, Readonly<Record<string, number>>>) {
  const sql = yield* SqlClient.SqlClient
  const made =
    yield* refunds(sql`select r.refund_id as id, s.payment_intent_id as payment_intent, r.amount, r.status, r.metadata
    from sandbox.refund r join sandbox.session s using (session_id) order by r.seq`)
  const [events] = yield* deliveries(sql`select count(*)::int as made,
    count(*) filter (where delivered_at is not null)::int as delivered,
    count(*) filter (where delivered_at is not null and strpos(body, '"v2.core.event"') > 0)::int as delivered_thin
    from sandbox.delivery`)
  return {
    sessions: yield* sessions(sql`select session_id as id, account, amount, currency, status, payment_status,
      payment_intent_id as payment_intent, presented, metadata from sandbox.session order by created_at`),
    refunds: made.map((refund) => {
      const ours = refund.metadata["refund_id"]
      return { ...refund, by: ours === undefined ? "dashboard" : "service", known: known.get(ours ?? "") ?? {} }
    }),
    disputes: yield* disputes(sql`select d.dispute_id as id, s.payment_intent_id as payment_intent, d.amount, d.status
      from sandbox.dispute d join sandbox.session s using (session_id) order by d.seq`),
    invoices: yield* invoices(sql`select invoice_id as id, customer,
      (invoice #>> '{lines,data,0,period,end}')::int as period_end from sandbox.invoice order by seq`),
    movements: yield* movements(sql`select t.transaction_id as id, t.account, s.session_id as session,
        case when d.dispute_id is not null then 'dispute' when r.refund_id is not null then 'refund' else 'payment' end
          as kind, (extract(epoch from t.created_at) * 1000)::float8 as at, t.amount, t.fee, t.application_fee
      from sandbox.balance_transaction t
        left join sandbox.refund r on r.refund_id = t.source_id
        left join sandbox.dispute d on d.dispute_id = t.source_id
        join sandbox.session s on s.session_id = coalesce(r.session_id, d.session_id)
          or 'ch_' || substr(s.payment_intent_id, 4) = t.source_id order by t.seq`),
    events
  }
})
