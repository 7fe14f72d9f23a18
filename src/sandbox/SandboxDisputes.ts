/** The sandbox's disputes: a payer wants the money back from the bank. Made, moved on and decided by `POST /sandbox/dispute`. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"
import { readForm } from "./SandboxForm.ts"
import { randomId } from "./SandboxIds.ts"
import { DisputeRow, SessionRow } from "./SandboxObjects.ts"
import { SandboxPayments } from "./SandboxPayments.ts"
import { missing, refuse, type SandboxRefusal } from "./SandboxRefusal.ts"

const statuses = [
  "warning_needs_response",
  "warning_under_review",
  "warning_closed",
  "needs_response",
  "under_review",
  "won",
  "lost"
] as const

export interface NewDispute {
  readonly payment_intent: string
  /** Undefined: all of the payment. */
  readonly amount: number | undefined
  readonly status: string
}

/** The form of `POST /sandbox/dispute`: `payment_intent`, and where wanted `status` (`needs_response`) and `amount`. */
export const readNewDispute = (body: string): Effect.Effect<NewDispute, SandboxRefusal> =>
  Effect.map(
    readForm(body, {
      payment_intent: { kind: "text", required: true },
      status: { kind: "text", oneOf: statuses },
      amount: { kind: "integer" }
    }),
    (form) => ({
      payment_intent: form.required("payment_intent"),
      status: form.text("status") ?? "needs_response",
      amount: form.integer("amount")
    })
  )

/** A dispute and the payment that it is of. */
export interface DisputeOfPayment {
  readonly dispute: DisputeRow
  readonly payment: { readonly id: string; readonly currency: string }
}
type Found<A> = Effect.Effect<A, SqlError.SqlError | SandboxRefusal>

export class SandboxDisputes extends Context.Service<
  SandboxDisputes,
  {
    /** Opens a dispute of a payment; where it has one that is not decided, that one moves to the status given. */
    readonly openOrMove: (request: NewDispute) => Found<DisputeOfPayment>
    /** Newest first, as the provider lists them. */
    readonly list: (account: string, payment_intent: string) => Found<ReadonlyArray<DisputeOfPayment>>
    /** What of a payment was lost, in the provider's minor units, and whether a dispute is open. */
    readonly totals: (
      session: SessionRow
    ) => Effect.Effect<{ readonly lost: number; readonly open: boolean }, SqlError.SqlError>
  }
>()("playroom/sandbox/SandboxDisputes") {
  static readonly layer = Layer.effect(
    SandboxDisputes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const payments = yield* SandboxPayments
      const random = yield* SecureRandom.SecureRandom
      const disputes = decodeRows(Schema.Array(DisputeRow))
      const ofSession = ({ session_id }: SessionRow) =>
        disputes(sql`select * from sandbox_dispute where session_id = ${session_id} order by seq desc`)

      const sessions = decodeRows(Schema.Array(SessionRow))
      /** Locks the session of a payment, of whatever account: the dashboard sees all of them. The caller is in a transaction. */
      const lockSession = Effect.fnUntraced(function* (id: string) {
        const [row] = yield* sessions(sql`select * from sandbox_session where payment_intent_id = ${id} for update`)
        return row === undefined ? yield* missing("payment_intent", id) : row
      })

      const openOrMove = Effect.fn("SandboxDisputes.openOrMove")(function* (request: NewDispute) {
        const row = yield* lockSession(request.payment_intent)
        const payment = { id: request.payment_intent, currency: row.currency }
        if (row.payment_status !== "paid") {
          return yield* refuse(`This PaymentIntent (${payment.id}) does not have a successful charge to dispute.`)
        }
        const amount = request.amount ?? row.amount
        if (amount < 1 || amount > row.amount) {
          return yield* refuse("The amount must be between 1 and the amount of the payment.", { param: "amount" })
        }
        const undecided = (yield* ofSession(row)).find(
          ({ status }) => !["won", "lost", "warning_closed"].includes(status)
        )
        const now = new Date(yield* Clock.currentTimeMillis)
        const id = yield* Effect.provideService(randomId("dp_", 24), SecureRandom.SecureRandom, random)
        const [dispute] = yield* disputes(
          undecided === undefined
            ? sql`insert into sandbox_dispute (dispute_id, session_id, account, status, amount, created_at)
                values (${id}, ${row.session_id}, ${row.account}, ${request.status}, ${amount}, ${now}) returning *`
            : sql`update sandbox_dispute set status = ${request.status}, amount = ${request.amount ?? undecided.amount}
                where dispute_id = ${undecided.dispute_id} returning *`
        )
        return dispute === undefined ? yield* Effect.die("a statement returned nothing") : { dispute, payment }
      }, sql.withTransaction)

      return SandboxDisputes.of({
        openOrMove,

        list: Effect.fn("SandboxDisputes.list")(function* (account: string, payment_intent: string) {
          const row = yield* payments.sessionOfIntent(account, payment_intent, false)
          const payment = { id: payment_intent, currency: row.currency }
          return (yield* ofSession(row)).map((dispute): DisputeOfPayment => ({ dispute, payment }))
        }),

        totals: Effect.fnUntraced(function* (session: SessionRow) {
          const all = yield* ofSession(session)
          const lost = all.filter(({ status }) => status === "lost").reduce((sum, { amount }) => sum + amount, 0)
          const open = all.some(({ status }) => status === "needs_response" || status === "under_review")
          return { lost: Math.min(lost, session.amount), open }
        })
      })
    })
  )
}
