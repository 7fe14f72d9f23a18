/**
 * Payers' disputes of payments at the provider. An open dispute holds back refunds; the payer has the money of a lost
 * one.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { BookingId, PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { InstantFromDate } from "../../../platform/time/LocalTime.ts"
import { display } from "../../../platform/money/Money.ts"
import { columnsOf, decodeRows } from "../../../platform/database/Rows.ts"
import type { ProviderDispute } from "../provider/PaymentGateway.ts"
import { maxRefundCheckIntervalMs, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { RefundRecords } from "./RefundRecords.ts"
import { Refunds } from "./Refunds.ts"

/** A row of the `dispute` table. `amount` is in minor units of `currency`, which may differ from the payment's. */
export const DisputeRow = Schema.Struct({
  dispute_id: Schema.String,
  operator_id: Schema.String,
  booking_id: BookingId,
  payment_session_id: PaymentSessionId,
  status: Schema.String,
  amount: Schema.Int,
  currency: Schema.String,
  reason: Schema.String,
  due_by: Schema.NullOr(InstantFromDate),
  seen_status: Schema.NullOr(Schema.String),
  /** When it was first lost; null: never. */
  lost_at: Schema.NullOr(InstantFromDate),
  created_at: InstantFromDate
})
export type DisputeRow = typeof DisputeRow.Type

/**
 * What a status of https://docs.stripe.com/api/disputes/object means for the money. `inquiry`: the payer's bank asks,
 * holds no money, and accepts a refund as the answer. `open`: the bank holds the money. `lost`: the payer has it.
 * `appealed`: the payer has it, and the operator may still win. `closed`: the operator has it. None is final: a lost
 * dispute may be won on appeal, and a closed one may be opened again.
 */
export type DisputeState = "inquiry" | "open" | "appealed" | "lost" | "closed"
const states: Readonly<Record<string, DisputeState>> = {
  warning_needs_response: "inquiry",
  warning_under_review: "inquiry",
  warning_closed: "closed",
  needs_response: "open",
  under_review: "open",
  won: "closed",
  lost: "lost",
  appeal_needs_response: "appealed",
  appeal_under_review: "appealed",
  // The payer's bank settled it before it became a dispute, and paid the payer.
  prevented: "lost"
}
/** The state of a dispute's status. An unknown status counts as `open`. */
export const disputeState = (status: string): DisputeState => states[status] ?? "open"

/** Whether the payer has the money of a dispute. */
const isWithPayer = (status: string): boolean => ["appealed", "lost"].includes(disputeState(status))

/** The statuses of such disputes. */
export const statusesWithPayer: ReadonlyArray<string> = Object.keys(states).filter(isWithPayer)

/** Whether the payer's bank has still to decide. Until then the provider makes no refund of the payment. */
export const isUndecided = ({ status }: Pick<DisputeRow, "status">): boolean =>
  ["appealed", "open"].includes(disputeState(status))

/** Whether the bank has still to say something. */
export const isUnderWay = (status: string): boolean => isUndecided({ status }) || disputeState(status) === "inquiry"

/** Whether the bank or a person has still to deal with a dispute. */
export const isUnsettledDispute = ({ lost_at, seen_status, status }: DisputeRow): boolean =>
  isUnderWay(status) || (lost_at !== null && seen_status !== status)

/** Whether what is stored of a dispute is what the provider says of it. */
export const isStored = (row: DisputeRow | undefined, { amount, currency, status }: ProviderDispute): boolean =>
  row?.status === status && row.amount === amount && row.currency === currency

/** How much the payer's bank has taken from the operator's account for a dispute, in minor units of its currency. */
export const withdrawnBy = ({ amount, status }: Pick<DisputeRow, "amount" | "status">): number =>
  ["closed", "inquiry"].includes(disputeState(status)) ? 0 : amount

/** How much of a payment its open disputes hold, in minor units: all of it if a dispute is in another currency. */
export const underDispute = (session: PaymentSessionRow, disputes: ReadonlyArray<DisputeRow>): number =>
  disputes
    .filter((one) => one.payment_session_id === session.payment_session_id && disputeState(one.status) === "open")
    .reduce((sum, dispute) => sum + amountOf(session, dispute), 0)

const amountOf = (session: PaymentSessionRow, dispute: { readonly amount: number; readonly currency: string }) =>
  dispute.currency === session.currency ? dispute.amount : session.amount

type Rows = Effect.Effect<ReadonlyArray<DisputeRow>, SqlError.SqlError>

export class Disputes extends Context.Service<
  Disputes,
  {
    /**
     * Stores the provider's disputes of a payment. A lost dispute counts as a refund for as long as it is lost: the
     * state follows from the provider's present word alone.
     */
    readonly reconcile: (
      session: PaymentSessionRow,
      answers: ReadonlyArray<ProviderDispute>
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Oldest first. */
    readonly ofBooking: (booking: { readonly booking_id: BookingId }) => Rows
    /** Those of these ids that are stored. */
    readonly known: (dispute_ids: ReadonlyArray<string>) => Rows
    /** An operator's disputes of payments on an account, with ids after `after`, by id. */
    readonly ofAccount: (operator_id: string, account: string, after: string, limit: number) => Rows
    /**
     * Disputes whose present status no person has dealt with: undecided ones, and all that were ever lost. A closed
     * one that never was lost needs nobody.
     */
    readonly unseen: Rows
    /** Marks a dispute as seen by a person, until its status changes. False: no unseen dispute has this id. */
    readonly markSeen: (dispute_id: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/refunds/Disputes") {
  static readonly layer = Layer.effect(
    Disputes,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* BookingRecords
      const records = yield* RefundRecords
      const refunds = yield* Refunds
      const sessions = yield* PaymentSessions
      const rows = decodeRows(Schema.Array(DisputeRow))
      const columns = sql.literal(columnsOf(DisputeRow))

      const ofBooking = ({ booking_id }: { readonly booking_id: BookingId }) =>
        rows(sql`select ${columns} from dispute where booking_id = ${booking_id} order by created_at, dispute_id`)

      const reconcile = Effect.fn("Disputes.reconcile")(function* (
        session: PaymentSessionRow,
        answers: ReadonlyArray<ProviderDispute>
      ) {
        for (const dispute of answers) {
          const { amount, currency, status } = dispute
          const knownRow = rows(sql`select ${columns} from dispute where dispute_id = ${dispute.id} for update`)
          const locked = yield* bookings.lockWith(session.booking_id, knownRow)
          if (Option.isNone(locked)) continue
          const [booking, [known]] = locked.value
          const now = new Date(yield* Clock.currentTimeMillis)
          const due_by = dispute.due_by === undefined ? null : new Date(dispute.due_by * 1000)
          const same = isStored(known, dispute)
          if (!same || known?.due_by !== (due_by?.getTime() ?? null)) {
            yield* sql`insert into dispute (dispute_id, operator_id, booking_id, payment_session_id, status, amount,
                currency, reason, due_by, lost_at, created_at, updated_at)
              values (${dispute.id}, ${session.operator_id}, ${session.booking_id}, ${session.payment_session_id},
                ${status}, ${amount}::int, ${currency}, ${dispute.reason}, ${due_by}::timestamptz,
                ${isWithPayer(status) ? now : null}::timestamptz, ${now}, ${now})
              on conflict (dispute_id) do update
                set status = excluded.status, amount = excluded.amount, currency = excluded.currency, due_by = excluded.due_by,
                  lost_at = coalesce(dispute.lost_at, excluded.lost_at), updated_at = excluded.updated_at`
          }
          const changed = same
            ? booking
            : yield* bookings.change(booking, {
                note: true,
                event: known === undefined ? "disputed" : "dispute_changed",
                detail: `${dispute.id} of ${display(amount, currency)}: ${status}`
              })
          // The provider may correct its word at any time, so the payment is looked at again soon.
          if (!same) yield* sessions.restartRefundChecks(session.payment_session_id, now.getTime())
          if (isUnderWay(status))
            yield* sessions.checkRefundsBy(session.payment_session_id, now.getTime() + maxRefundCheckIntervalMs)
          const given = isWithPayer(status) ? Math.min(session.amount, amountOf(session, dispute)) : 0
          yield* refunds.recordDispute(changed, session, { dispute_id: dispute.id, amount: given })
          // Refunds that waited for this dispute can be sent now.
          if (!same && !isUndecided(dispute)) yield* records.retryNow(session)
        }
      }, sql.withTransaction)

      const markSeen = Effect.fn("Disputes.markSeen")((dispute_id: string) =>
        Effect.map(
          sql`update dispute set seen_status = status
            where dispute_id = ${dispute_id} and seen_status is distinct from status returning dispute_id`,
          (found) => found.length > 0
        )
      )

      return Disputes.of({
        reconcile,
        ofBooking,
        known: (dispute_ids) =>
          rows(sql`select ${columns} from dispute where dispute_id = any(${dispute_ids}::text[])`),
        ofAccount: (operator_id, account, after, limit) =>
          rows(sql`select ${columns} from dispute where operator_id = ${operator_id} and dispute_id > ${after}
            and exists (select from payment_session s where s.payment_session_id = dispute.payment_session_id and s.account = ${account})
            order by dispute_id limit ${limit}::int`),
        unseen: Effect.suspend(() =>
          rows(sql`select ${columns} from dispute where seen_status is distinct from status
            and (status not in ('won', 'warning_closed') or lost_at is not null) order by created_at`)
        ),
        markSeen
      })
    })
  ).pipe(Layer.provide([BookingRecords.layer, PaymentSessions.layer, RefundRecords.layer, Refunds.layer]))
}
