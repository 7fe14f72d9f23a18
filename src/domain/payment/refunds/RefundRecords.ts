/**
 * The `refund` table. `Refunds.ts` changes a refund together with its booking. A row is made, changed and counted at the
 * provider's time, as payments are (`sessionChange` in `Settlement.ts`); when it is sent, and again, goes by our clock.
 */
import { Clock, Context, Effect, Layer, Metric, Option, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { SecureRandom } from "effect/crypto"
import { type BookingId, newId, type RefundId } from "../../../platform/ids/Ids.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { columnsOf, decodeRows } from "../../../platform/database/Rows.ts"
import type { RefundRequest } from "../provider/PaymentGateway.ts"
import { ProviderHealth } from "../provider/ProviderHealth.ts"
import { firstRefundCheckMs, type PaymentSessionRow, type WayWithoutProvider } from "../sessions/PaymentSession.ts"
import { type RefundCause, RefundRow, requestOf, settledByDashboard, type WaitsFor } from "./Refund.ts"

const decisions = decodeRows(Schema.Array(Schema.Struct({ refund_owed: Schema.NullOr(Schema.Int) })))

type Rows = Effect.Effect<ReadonlyArray<RefundRow>, SqlError.SqlError>
type MaybeRefund = Effect.Effect<Option.Option<RefundRow>, SqlError.SqlError>

const refunds = Metric.counter("refunds_total", {
  description: "Refunds by what became of them: requested, succeeded, failed",
  incremental: true
})

interface NewRefund {
  readonly refund_id: RefundId
  readonly session: PaymentSessionRow
  readonly cause: RefundCause
  readonly status: RefundRow["status"]
  readonly amount: number
  /** Absent: the payment's. */
  readonly currency?: string
  readonly provider_refund_id?: string
  readonly failure?: string
  /** The limit of all refunds of the booking's own payments; absent: the payment is the limit. */
  readonly owed?: number
  /** The venue gives it back by hand. */
  readonly at_venue?: true
  /** 0: the refund that was decided first. Each cause has one refund of a payment per turn. */
  readonly turn?: number
  readonly request: RefundRequest
}

/** A refund that this service did not make; `provider_refund_id` is the provider's id of the refund or dispute. */
interface ForeignRefund {
  readonly cause: "dashboard" | "dispute"
  readonly status: RefundRow["status"]
  readonly amount: number
  /** Absent: the payment's. */
  readonly currency?: string
  readonly provider_refund_id: string
}

interface Waiting {
  readonly waits_for: WaitsFor
  readonly since: Instant
  readonly retry_at: Instant
  readonly failure: string
  readonly idempotency_key: string
}

interface RefundChange {
  readonly status: RefundRow["status"]
  /** The provider's amount of it. */
  readonly amount?: number
  readonly provider_refund_id?: string
  readonly failure?: string
  /** The money went back in another way: clears the id of the provider's refund. */
  readonly elsewhere?: true
  /** How the venue gave it back. */
  readonly way?: WayWithoutProvider
}

/** Refunds that failed and were not made in another way: money still owed. */
export const failedRefunds = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`refund where status = 'failed' and failure is distinct from ${settledByDashboard}`

/** Refunds that the venue has still to give back by hand. */
const venueRefunds = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`refund where status = 'requested' and waits_for = 'venue'`

/** When a refund that the venue gives back is sent to the provider. */
const never = new Date(Date.UTC(9999, 0))

export class RefundRecords extends Context.Service<
  RefundRecords,
  {
    readonly find: (refund_id: RefundId) => MaybeRefund
    /** Locks the row; inside a transaction that holds the booking's lock already. */
    readonly lock: (refund_id: RefundId) => MaybeRefund
    /** Like `lock`, by the provider's id. */
    readonly lockByProviderId: (provider_refund_id: string) => MaybeRefund
    /**
     * A booking's refunds, oldest first. One in another currency than its payment is left out: a person has to account
     * for it (`Refunds.reconcile`).
     */
    readonly ofBooking: (booking: { readonly booking_id: BookingId }) => Rows
    /** None if the payment already has a refund for this cause and turn. */
    readonly insert: (refund: NewRefund) => MaybeRefund
    /** None if the provider's refund or dispute is stored already. */
    readonly insertForeign: (session: PaymentSessionRow, refund: ForeignRefund) => MaybeRefund
    readonly update: (refund_id: RefundId, change: RefundChange) => Effect.Effect<void, SqlError.SqlError>
    /** Marks the refund as being sent. A lower `amount` gets its own idempotency key. The caller has the lock. */
    readonly markSending: (refund_id: RefundId, amount: number) => Effect.Effect<RefundRow, SqlError.SqlError>
    /** Gives the refund's next attempt a new idempotency key: the provider stored a failure under the old one. */
    readonly renewKey: (refund_id: RefundId) => Effect.Effect<void, SqlError.SqlError>
    /** The provider refused it: no call is under way. */
    readonly clearSent: (refund_id: RefundId) => Effect.Effect<void, SqlError.SqlError>
    /** Postpones a refund. It is sent later under the given idempotency key. */
    readonly wait: (refund_id: RefundId, waiting: Waiting) => Effect.Effect<void, SqlError.SqlError>
    /** Makes refunds of the session's booking that wait for a dispute due now. */
    readonly retryNow: (session: PaymentSessionRow) => Effect.Effect<void, SqlError.SqlError>
    /** Makes a waiting refund due now; false if it does not wait. */
    readonly retryOneNow: (refund_id: RefundId) => Effect.Effect<boolean, SqlError.SqlError>
    /** Refunds that wait for the operator's balance or the end of a dispute. */
    readonly waiting: Rows
    /** The `venueRefunds`, oldest first. */
    readonly atVenue: Rows
    /** Sets a failed refund to `requested` again, under the given idempotency key. */
    readonly requestAgain: (refund_id: RefundId, idempotency_key: string) => Effect.Effect<void, SqlError.SqlError>
    /** Deletes a refund that did not happen after all: the dispute that it stands for is lost no more. */
    readonly remove: (refund_id: RefundId) => Effect.Effect<void, SqlError.SqlError>
    /** Sets the refunded amount of a payment (minor units), and schedules a refund check. */
    readonly setRefunded: (session: PaymentSessionRow, refunded: number) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Stores what a decision owes of a booking's own payments in all, in minor units. It never lowers what an earlier
     * decision owes.
     */
    readonly decide: (booking_id: BookingId, owed: number) => Effect.Effect<void, SqlError.SqlError>
    /** What was decided; null: nothing. */
    readonly decided: (booking_id: BookingId) => Effect.Effect<number | null, SqlError.SqlError>
    /** Raises the limit of a booking's unsent refunds after a later decision that refunds more. */
    readonly raiseOwed: (booking_id: BookingId, owed: number) => Effect.Effect<void, SqlError.SqlError>
    /** Settles failed refunds of a session that later dashboard refunds or lost disputes have covered. */
    readonly settleCovered: (session: PaymentSessionRow) => Effect.Effect<void, SqlError.SqlError>
    /** Claims up to `limit` refunds in `status` unchanged since `since`. Only one node gets each. */
    readonly claim: (status: "requested" | "pending", since: Instant, limit: number) => Rows
    /**
     * An operator's refunds that the provider made for this service, with ids between `after` and `until`, by id.
     */
    readonly madeOf: (operator_id: string, after: string, until: string, limit: number) => Rows
    /** The `failedRefunds`, oldest first; with `operator_id`, of this operator. */
    readonly failed: (operator_id?: string) => Rows
    /** Pending refunds created by then, oldest first. */
    readonly pendingSince: (by: Instant) => Rows
    /** Unsent refunds created by then without a known reason to wait; usually the account can't be reached. */
    readonly unsentSince: (by: Instant) => Rows
  }
>()("playroom/payment/refunds/RefundRecords") {
  static readonly layer = Layer.effect(
    RefundRecords,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { providerNow } = yield* ProviderHealth
      const rows = decodeRows(Schema.Array(RefundRow))
      const columns = sql.literal(columnsOf(RefundRow))
      const first = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>): MaybeRefund =>
        Effect.map(rows(query), (found) => Option.fromNullishOr(found[0]))

      const random = yield* SecureRandom.SecureRandom

      /**
       * Counts a refund once the caller's transaction, if any, has committed. Ignores pending ones: they are checked
       * many times.
       */
      const count = (status: RefundRow["status"]) =>
        status === "pending"
          ? Effect.void
          : sql.afterCommit(Metric.update(Metric.withAttributes(refunds, { status }), 1))

      const insert = Effect.fnUntraced(function* (refund: NewRefund) {
        const now = new Date(yield* providerNow)
        const { session } = refund
        return yield* first(sql`
          insert into refund (refund_id, operator_id, booking_id, payment_session_id, cause, status, amount, currency,
            provider_refund_id, request, failure, owed, turn, waits_for, waits_since, retry_at, created_at, updated_at)
          values (${refund.refund_id}, ${session.operator_id}, ${session.booking_id}, ${session.payment_session_id},
            ${refund.cause}, ${refund.status}, ${refund.amount}::int,
            ${refund.currency ?? session.currency},
            ${refund.provider_refund_id ?? null}, ${JSON.stringify(refund.request)}::jsonb, ${refund.failure ?? null},
            ${refund.owed ?? null}::int, ${refund.turn ?? 0}::int,
            ${refund.at_venue ? "venue" : null}, ${refund.at_venue ? now : null}, ${refund.at_venue ? never : null}, ${now}, ${now})
          on conflict do nothing returning ${columns}`).pipe(
          Effect.tap((made) => (Option.isSome(made) ? count(refund.status) : Effect.void))
        )
      })

      const insertForeign = Effect.fnUntraced(function* (session: PaymentSessionRow, refund: ForeignRefund) {
        const refund_id = yield* Effect.provideService(newId.refund, SecureRandom.SecureRandom, random)
        return yield* insert({ ...refund, refund_id, session, request: requestOf(session, refund_id, refund.amount) })
      })

      const update = (refund_id: RefundId, change: RefundChange) =>
        Effect.flatMap(providerNow, (now) =>
          Effect.asVoid(sql`update refund set status = ${change.status},
            amount = coalesce(${change.amount ?? null}::int, amount),
            request = request || jsonb_build_object('amount', coalesce(${change.amount ?? null}::int, amount)),
            waits_for = null, waits_since = null, retry_at = null,
            provider_refund_id = case when ${change.elsewhere === true} then null
              else coalesce(${change.provider_refund_id ?? null}::text, provider_refund_id) end,
            failure = ${change.failure ?? null}, way = ${change.way ?? null}, updated_at = ${new Date(now)} where refund_id = ${refund_id}`)
        ).pipe(Effect.tap(() => count(change.status)))

      return RefundRecords.of({
        find: (refund_id) => first(sql`select ${columns} from refund where refund_id = ${refund_id}`),
        lock: (refund_id) => first(sql`select ${columns} from refund where refund_id = ${refund_id} for update`),
        lockByProviderId: (id) => first(sql`select ${columns} from refund where provider_refund_id = ${id} for update`),
        ofBooking: ({ booking_id }) =>
          rows(sql`select ${columns} from refund where booking_id = ${booking_id} and currency = (
              select s.currency from payment_session s where s.payment_session_id = refund.payment_session_id)
            order by created_at, refund_id`),
        insert,
        insertForeign,
        update,
        markSending: Effect.fn("RefundRecords.markSending")(function* (refund_id: RefundId, amount: number) {
          const now = new Date(yield* Clock.currentTimeMillis)
          const at = new Date(yield* providerNow)
          const sent = yield* first(sql`update refund set amount = ${amount}::int, sent_at = ${now}, updated_at = ${at},
              request = case when amount = ${amount}::int then request
                else request || jsonb_build_object('amount', ${amount}::int,
                  'idempotency_key', (request ->> 'idempotency_key') || ${`_${amount}`}::text) end
            where refund_id = ${refund_id} returning ${columns}`)
          return yield* Effect.orDie(Effect.fromOption(sent))
        }),
        renewKey: (refund_id) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.asVoid(sql`update refund set
              request = request || ${JSON.stringify({ idempotency_key: `${refund_id}_${now}` })}::jsonb
              where refund_id = ${refund_id} and status = 'requested'`)
          ),
        raiseOwed: (booking_id, owed) =>
          Effect.asVoid(sql`update refund set owed = ${owed}::int
            where booking_id = ${booking_id} and status = 'requested' and owed < ${owed}::int`),
        clearSent: (refund_id) => Effect.asVoid(sql`update refund set sent_at = null where refund_id = ${refund_id}`),
        wait: (refund_id, { failure, idempotency_key, retry_at, since, waits_for }) =>
          Effect.flatMap(providerNow, (now) =>
            Effect.asVoid(sql`update refund set status = 'requested', provider_refund_id = null, sent_at = null,
              waits_for = ${waits_for}, waits_since = ${new Date(since)}, retry_at = ${new Date(retry_at)},
              failure = ${failure},
              updated_at = ${new Date(now)}, request = request || ${JSON.stringify({ idempotency_key })}::jsonb
              where refund_id = ${refund_id}`)
          ),
        retryNow: ({ booking_id }) =>
          Effect.asVoid(
            sql`update refund set retry_at = null where booking_id = ${booking_id} and waits_for = 'dispute'`
          ),
        retryOneNow: (refund_id) =>
          Effect.map(
            sql`update refund set retry_at = null
              where refund_id = ${refund_id} and status = 'requested' and waits_for in ('balance', 'dispute') returning refund_id`,
            (found) => found.length > 0
          ),
        waiting: Effect.suspend(() =>
          rows(sql`select ${columns} from refund
            where status = 'requested' and waits_for in ('balance', 'dispute') order by created_at`)
        ),
        atVenue: Effect.suspend(() => rows(sql`select ${columns} from ${venueRefunds(sql)} order by created_at`)),
        requestAgain: Effect.fn("RefundRecords.requestAgain")(function* (refund_id: RefundId, idempotency_key: string) {
          const now = new Date(yield* providerNow)
          yield* sql`update refund set status = 'requested', failure = null, provider_refund_id = null,
              updated_at = ${now}, sent_at = null, waits_for = null, waits_since = null, retry_at = null,
              request = request || ${JSON.stringify({ idempotency_key })}::jsonb
            where refund_id = ${refund_id} and status = 'failed'`
        }),
        // It counts no longer first, so that its line of the accounts stays, with its opposite (`refund_reversal`).
        remove: (refund_id) =>
          Effect.flatMap(providerNow, (now) =>
            sql`update refund set status = 'failed', updated_at = ${new Date(now)} where refund_id = ${refund_id}`.pipe(
              Effect.andThen(Effect.asVoid(sql`delete from refund where refund_id = ${refund_id}`))
            )
          ),
        setRefunded: ({ payment_session_id }, refunded) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.asVoid(sql`update payment_session set refunded = ${refunded}::int,
              refund_check_at = least(refund_check_at, ${new Date(now + firstRefundCheckMs)}), updated_at = ${new Date(now)}
              where payment_session_id = ${payment_session_id}`)
          ),
        decide: (booking_id, owed) =>
          Effect.asVoid(sql`update booking set refund_owed = greatest(refund_owed, ${owed}::int)
            where booking_id = ${booking_id}`),
        decided: (booking_id) =>
          Effect.map(
            decisions(sql`select coalesce(b.refund_owed,
                (select max(owed) from refund where booking_id = b.booking_id)) as refund_owed
              from booking b where b.booking_id = ${booking_id}`),
            ([found]) => found?.refund_owed ?? null
          ),
        // By the booking, which has the index.
        settleCovered: ({ booking_id, payment_session_id }) =>
          // What came back covers each amount once: also those that failed later, or at the same time, are taken from
          // it.
          Effect.asVoid(sql`update refund owed set failure = ${settledByDashboard}
            where booking_id = ${booking_id} and payment_session_id = ${payment_session_id} and status = 'failed'
              and (select sum(other.amount) from refund other
                where other.booking_id = owed.booking_id and other.payment_session_id = owed.payment_session_id and other.status = 'failed'
                  and (other.updated_at, other.refund_id) >= (owed.updated_at, owed.refund_id)) <= (select coalesce(sum(made.amount), 0) from refund made
                where made.booking_id = owed.booking_id and made.payment_session_id = owed.payment_session_id and made.currency = owed.currency and made.cause in ('dashboard', 'dispute')
                  and made.status = 'succeeded' and made.created_at >= owed.updated_at)`),
        claim: Effect.fn("RefundRecords.claim")(function* (
          status: "requested" | "pending",
          since: Instant,
          limit: number
        ) {
          const now = yield* Clock.currentTimeMillis
          const at = yield* providerNow
          return yield* rows(sql`
            update refund set updated_at = ${new Date(at)} where refund_id in (
              select refund_id from refund where status in ('requested', 'pending') and status = ${status}
                and updated_at <= ${new Date(since + at - now)} and (retry_at is null or retry_at <= ${new Date(now)})
              order by created_at limit ${limit}::int for update skip locked)
            returning ${columns}`)
        }),
        madeOf: (operator_id, after, until, limit) =>
          rows(sql`select ${columns} from refund where operator_id = ${operator_id} and status = 'succeeded'
            and refund_id > ${after} and refund_id < ${until} and cause not in ('dashboard', 'dispute')
            and provider_refund_id is not null order by refund_id limit ${limit}::int`),
        pendingSince: (by) =>
          rows(sql`select ${columns} from refund
            where status = 'pending' and created_at <= ${new Date(by)} order by created_at`),
        unsentSince: (by) =>
          rows(sql`select ${columns} from refund
            where status = 'requested' and waits_for is null and created_at <= ${new Date(by)} order by created_at`),
        failed: (operator_id) =>
          rows(sql`select ${columns} from ${failedRefunds(sql)}
            and ${operator_id === undefined ? sql`true` : sql`operator_id = ${operator_id}`} order by created_at`)
      })
    })
  ).pipe(Layer.provide(ProviderHealth.layer))
}
