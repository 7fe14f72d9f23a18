/** The sandbox's refunds of payments. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"
import { randomId } from "./SandboxIds.ts"
import { RefundRow, type SessionRow } from "./SandboxObjects.ts"
import { SandboxDisputes } from "./SandboxDisputes.ts"
import { SandboxPayments } from "./SandboxPayments.ts"
import { type NewRefund, refundFault } from "./SandboxRefundRules.ts"
import { missing, type SandboxRefusal } from "./SandboxRefusal.ts"

/** How long a pending refund takes. */
const arriveMs = 2_000

const Sum = Schema.Array(Schema.Struct({ refunded: Schema.Int }))
const Intent = Schema.Array(Schema.Struct({ payment_intent_id: Schema.String }))

/** A refund and the payment that it is of. */
export interface RefundOfPayment {
  readonly refund: RefundRow
  readonly payment: { readonly id: string; readonly currency: string }
}
type Found<A> = Effect.Effect<A, SqlError.SqlError | SandboxRefusal>

export class SandboxRefunds extends Context.Service<
  SandboxRefunds,
  {
    readonly create: (account: string, refund: NewRefund, status: RefundRow["status"]) => Found<RefundOfPayment>
    readonly get: (account: string, id: string) => Found<RefundOfPayment>
    /** Newest first, as the provider lists them. */
    readonly list: (account: string, payment_intent: string) => Found<ReadonlyArray<RefundOfPayment>>
    /** All of an account that were made at `since` or later, newest first. */
    readonly listSince: (account: string, since: Date) => Found<ReadonlyArray<RefundOfPayment>>
  }
>()("playroom/sandbox/SandboxRefunds") {
  static readonly layer = Layer.effect(
    SandboxRefunds,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const payments = yield* SandboxPayments
      const disputes = yield* SandboxDisputes
      const random = yield* SecureRandom.SecureRandom
      const refunds = decodeRows(Schema.Array(RefundRow))
      const refundsWithPayment = decodeRows(
        Schema.Array(Schema.Struct({ ...RefundRow.fields, payment_intent_id: Schema.String, currency: Schema.String }))
      )
      const of = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>, row: SessionRow, intent: string) =>
        Effect.map(refunds(query), (rows) =>
          rows.map((refund): RefundOfPayment => ({ refund, payment: { id: intent, currency: row.currency } }))
        )

      const create = Effect.fnUntraced(function* (account: string, request: NewRefund, status: RefundRow["status"]) {
        const row = yield* payments.sessionOfIntent(account, request.payment_intent, true)
        const [sum] = yield* Effect.orDie(
          Schema.decodeUnknownEffect(Sum)(
            yield* sql`select coalesce(sum(amount), 0)::int as refunded from sandbox_refund
              where session_id = ${row.session_id} and status <> 'failed'`
          )
        )
        const refunded = sum?.refunded ?? 0
        const disputed = yield* disputes.totals(row)
        const fault = refundFault(request, {
          id: request.payment_intent,
          paid: row.payment_status === "paid",
          amount: row.amount,
          currency: row.currency,
          application_fee: row.application_fee,
          refunded: refunded + disputed.lost,
          disputed: disputed.open
        })
        if (fault !== undefined) return yield* fault
        const now = yield* Clock.currentTimeMillis
        const id = yield* Effect.provideService(randomId("re_", 24), SecureRandom.SecureRandom, random)
        const [made] = yield* of(
          sql`insert into sandbox_refund (refund_id, session_id, account, status, amount, reason, metadata, created_at)
            values (${id}, ${row.session_id}, ${account}, ${status}, ${request.amount ?? row.amount - refunded - disputed.lost},
              ${request.reason ?? null}, ${JSON.stringify(request.metadata)}::jsonb, ${new Date(now)}) returning *`,
          row,
          request.payment_intent
        )
        return made === undefined ? yield* Effect.die("insert returned nothing") : made
      })

      // Pending refunds (a fault makes them) succeed after `arriveMs`. It is written when a refund is read.
      const arrive = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* sql`update sandbox_refund set status = 'succeeded'
          where status = 'pending' and created_at <= ${new Date(now - arriveMs)}`
      })

      return SandboxRefunds.of({
        create: Effect.fn("SandboxRefunds.create")((account: string, request: NewRefund, status: RefundRow["status"]) =>
          sql.withTransaction(create(account, request, status))
        ),

        get: Effect.fn("SandboxRefunds.get")(function* (account: string, id: string) {
          yield* arrive
          const [found] = yield* Effect.orDie(
            Schema.decodeUnknownEffect(Intent)(
              yield* sql`select s.payment_intent_id from sandbox_session s join sandbox_refund r using (session_id)
                where r.refund_id = ${id} and r.account = ${account}`
            )
          )
          if (found === undefined) return yield* missing("refund", id)
          const row = yield* payments.sessionOfIntent(account, found.payment_intent_id, false)
          const [refund] = yield* of(
            sql`select * from sandbox_refund where refund_id = ${id}`,
            row,
            found.payment_intent_id
          )
          return refund === undefined ? yield* missing("refund", id) : refund
        }),

        list: Effect.fn("SandboxRefunds.list")(function* (account: string, payment_intent: string) {
          yield* arrive
          const row = yield* payments.sessionOfIntent(account, payment_intent, false)
          return yield* of(
            sql`select * from sandbox_refund where session_id = ${row.session_id} order by seq desc`,
            row,
            payment_intent
          )
        }),

        listSince: Effect.fn("SandboxRefunds.listSince")(function* (account: string, since: Date) {
          yield* arrive
          const found = yield* refundsWithPayment(sql`select r.*, s.payment_intent_id, s.currency
            from sandbox_refund r join sandbox_session s using (session_id)
            where r.account = ${account} and r.created_at >= ${since} order by r.seq desc`)
          return found.map(({ currency, payment_intent_id, ...refund }): RefundOfPayment => ({
            refund,
            payment: { id: payment_intent_id, currency }
          }))
        })
      })
    })
  )
}
