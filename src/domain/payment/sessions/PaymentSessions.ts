/** The `payment_session` table. `Settlement.ts` and `SessionRequest.ts` change a session together with its booking. */
import { Context, Effect, Layer, Metric, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { BookingId, PaymentSessionId, VoucherId } from "../../../platform/ids/Ids.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { statementOfFibers } from "../../../platform/concurrency/SharedReads.ts"
import { columnsOf, decodeRows, type Row, tableOf } from "../../../platform/database/Rows.ts"
import type { CheckoutRequest, PresentedAmount } from "../provider/PaymentGateway.ts"
import {
  firstRefundCheckMs,
  maxRefundCheckIntervalMs,
  refundCheckRetryMs,
  refundChecksForMs,
  refundWindowMs,
  type Misfit,
  PaymentSessionRow,
  type Purpose,
  type SessionStatus,
  type StoredAttempt,
  unansweredMs,
  type WayWithoutProvider
} from "./PaymentSession.ts"

type MaybeSession = Effect.Effect<Option.Option<PaymentSessionRow>, SqlError.SqlError>
type Rows = Effect.Effect<ReadonlyArray<PaymentSessionRow>, SqlError.SqlError>

const payments = Metric.counter("payment_sessions_total", {
  description: "Payment sessions by the status that they came to: creating, open, processing, paid, failed, expired",
  incremental: true
})

/** Changes to a session. Absent fields stay. */
export interface SessionChange {
  readonly status?: SessionStatus
  readonly provider_session_id?: string
  readonly payment_intent_id?: string
  readonly url?: string
  readonly expires_at?: Instant
  readonly paid_at?: Instant
  /** Why its money is not accounted for. */
  readonly flagged?: string
  /** Its money is not what was asked for. A status that settles it ends this. */
  readonly misfit?: Misfit
  /** When its refunds are checked at the latest. */
  readonly refund_check_at?: Instant
  /** What the payer paid in a currency of their own. */
  readonly presented?: PresentedAmount
  /** An unsuccessful try to pay. */
  readonly failed_attempt?: StoredAttempt
}

/** A payment that was taken at the venue, or with a voucher. */
export interface TakenPayment extends Pick<
  PaymentSessionRow,
  "payment_session_id" | "booking_id" | "purpose" | "amount" | "currency"
> {
  readonly operator_id: string
  readonly way: WayWithoutProvider
  readonly voucher_id?: VoucherId
  /** A part of one payment for several bookings. */
  readonly together?: true
  readonly taken_by: string | undefined
  readonly now: Instant
}

export class PaymentSessions extends Context.Service<
  PaymentSessions,
  {
    readonly find: (id: PaymentSessionId) => MaybeSession
    readonly findByProviderId: (provider_session_id: string) => MaybeSession
    /** Locks the row; inside a transaction that holds the booking's lock already. */
    readonly lock: (id: PaymentSessionId) => MaybeSession
    /** The creating, open or processing session of a booking and purpose: at most one. */
    readonly live: (booking_id: BookingId, purpose: Purpose) => MaybeSession
    /** All sessions of a booking, oldest first. */
    readonly ofBooking: (booking_id: BookingId) => Rows
    /** Like `ofBooking`, with the rows locked. */
    readonly lockOfBooking: (booking_id: BookingId) => Rows
    /**
     * Inserts a session in status `creating`, with the request that its creation will send. With `provider_session_id`:
     * inserts a session that was found at the provider, as `expired`. The caller settles it in the same transaction.
     */
    readonly insert: (session: {
      readonly payment_session_id: PaymentSessionId
      readonly operator_id: string
      readonly booking_id: BookingId
      readonly provider_session_id?: string
      readonly request: CheckoutRequest
      readonly now: Instant
    }) => Effect.Effect<PaymentSessionRow, SqlError.SqlError>
    /** Stores a payment that was taken at the venue or with a voucher, in the caller's transaction, which settles it. */
    readonly insertTaken: (session: TakenPayment) => Effect.Effect<PaymentSessionRow, SqlError.SqlError>
    /** A payment at the venue was recorded by mistake; in the caller's transaction, which changes the booking. */
    readonly markUndone: (
      id: PaymentSessionId,
      by: string | undefined,
      now: Instant
    ) => Effect.Effect<void, SqlError.SqlError>
    /** An operator's sessions that were paid at the provider, with ids between `after` and `until`, by id. */
    readonly paidOf: (operator_id: string, after: string, until: string, limit: number) => Rows
    /** The sessions of these payments. */
    readonly ofPayments: (payment_intent_ids: ReadonlyArray<string>) => Rows
    /**
     * Replaces the request of a `creating` session, before it is sent again under the new request's idempotency key.
     */
    readonly replaceRequest: (id: PaymentSessionId, request: CheckoutRequest, now: Instant) => MaybeSession
    readonly change: (
      id: PaymentSessionId,
      change: SessionChange,
      now: Instant
    ) => Effect.Effect<PaymentSessionRow, SqlError.SqlError>
    /**
     * Claims up to `limit` sessions in `status` that are due by `due` and were not checked since `unchecked_since`, and
     * marks them as checked now. Only one node gets each session.
     */
    readonly claim: (of: {
      readonly status: "creating" | "open" | "processing"
      readonly due: Instant
      /** Due at this time or later. */
      readonly after?: Instant
      readonly unchecked_since: Instant
      readonly now: Instant
      readonly limit: number
    }) => Rows
    /** Makes the next refund check due at this time, unless it is due sooner. */
    readonly checkRefundsBy: (id: PaymentSessionId, at: Instant) => Effect.Effect<void, SqlError.SqlError>
    /** What went back, or a dispute, has changed: the checks begin anew. */
    readonly restartRefundChecks: (id: PaymentSessionId, now: Instant) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Claims up to `limit` sessions with a due refund check. It is due again soon, unless `finishRefundCheck` runs.
     */
    readonly claimForRefundCheck: (now: Instant, limit: number) => Rows
    /**
     * Schedules the check after one that was claimed at `claimed`, unless another has become due meanwhile. `open`: a
     * dispute is undecided, so the checks go on. Otherwise the last one is at the end of the window.
     */
    readonly finishRefundCheck: (
      id: PaymentSessionId,
      claimed: Instant,
      open: boolean
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Claims one session; false if it was checked since `unchecked_since`. */
    readonly claimOne: (
      id: PaymentSessionId,
      unchecked_since: Instant,
      now: Instant
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /**
     * Stores whether the provider answers for a session. The first time without an answer is kept until it answers
     * again.
     */
    readonly markUnresponsive: (
      session: Pick<PaymentSessionRow, "payment_session_id" | "unresponsive_since">,
      unresponsive: boolean,
      now: Instant
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Sessions processing since `since` or earlier, oldest first. */
    readonly processingSince: (since: Instant, limit: number) => Rows
    /**
     * Sessions that stay in creating or processing for too long, or are processing while the provider does not answer
     * for them.
     */
    readonly stuck: (of: {
      readonly created_by: Instant
      readonly unresponsive_since: Instant
      readonly processing_since: Instant
    }) => Rows
    /**
     * Sessions whose money is not accounted for: the amount, currency, account or provider session differs from the
     * request, or the payment was abandoned while it was processing.
     */
    readonly flagged: Rows
    /**
     * A person has decided about a session whose money is not what was asked for: it is paid, with what the provider
     * has, at `paid_at` by the provider's clock. In the caller's transaction.
     */
    readonly acceptMisfit: (
      id: PaymentSessionId,
      misfit: Misfit,
      now: Instant,
      paid_at: Instant
    ) => Effect.Effect<PaymentSessionRow, SqlError.SqlError>
    /** An operator's sessions whose money is not what was asked for, and about which nobody has decided. */
    readonly misfitsOf: (operator_id: string) => Rows
    /** Pages that closed at least `unansweredMs` ago and whose end the provider has not reported. */
    readonly unanswered: (now: Instant) => Rows
    /** Removes the payer's e-mail address and return addresses from the requests of a booking's finished sessions. */
    readonly forgetPayer: (booking_id: BookingId) => Effect.Effect<void, SqlError.SqlError>
    /**
     * A person has accounted for a flagged session or an unanswered page: checks of it stop. False if there is none
     * such; one whose money does not fit is decided about (`Settlement.ts`).
     */
    readonly markAccountedFor: (id: string, now: Instant) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/sessions/PaymentSessions") {
  static readonly layer = Layer.effect(
    PaymentSessions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = decodeRows(Schema.Array(PaymentSessionRow))
      const columns = sql.literal(columnsOf(PaymentSessionRow))
      const first = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>): MaybeSession =>
        Effect.map(rows(query), (found) => Option.fromNullishOr(found[0]))
      const onlyOf = (found: Rows) =>
        Effect.flatMap(found, ([row]) => Effect.orDie(Effect.fromOption(Option.fromUndefinedOr(row))))
      const date = (instant: Instant | undefined) => (instant === undefined ? undefined : new Date(instant))
      const changed = sql.literal(columnsOf(PaymentSessionRow, "s"))

      // The column by which sessions in each status are due.
      const dueBy = {
        creating: sql.literal("created_at"),
        open: sql.literal("expires_at"),
        processing: sql.literal("updated_at")
      }

      const isUnanswered = (now: Instant) => sql`status = 'open' and expires_at <= ${new Date(now - unansweredMs)}`

      /** Whether it waits for the provider, and not for a person who decides about money that has come. */
      const waits = sql`(misfit is null or not (misfit ->> 'paid')::boolean)`

      /** Counts statuses once the caller's transaction, if any, has committed. */
      const count = (statuses: ReadonlyArray<SessionStatus>) =>
        sql.afterCommit(
          Effect.forEach(statuses, (status) => Metric.update(Metric.withAttributes(payments, { status }), 1), {
            discard: true
          })
        )

      const write = statementOfFibers(
        sql,
        (values: ReadonlyArray<Row & Pick<PaymentSessionRow, "payment_session_id"> & Pick<SessionChange, "status">>) =>
          Effect.map(
            rows(sql`
          update payment_session s set
            status = coalesce(c.status, s.status),
            processing_since = case when c.status = 'processing' then c.at else s.processing_since end,
            provider_session_id = coalesce(c.provider_session_id, s.provider_session_id),
            payment_intent_id = coalesce(c.payment_intent_id, s.payment_intent_id),
            url = coalesce(c.url, s.url),
            expires_at = coalesce(c.expires_at, s.expires_at),
            paid_at = coalesce(c.paid_at, s.paid_at),
            flagged = case when c.status in ('paid', 'failed', 'expired') and s.misfit is not null then c.flagged
              else coalesce(c.flagged, s.flagged) end,
            misfit = case when c.status in ('paid', 'failed', 'expired') then null
              else coalesce(c.misfit, s.misfit) end,
            presented = coalesce(c.presented, s.presented),
            failed_attempt = coalesce(c.failed_attempt, s.failed_attempt),
            refund_check_at = least(c.refund_check_at, s.refund_check_at),
            updated_at = c.at
          from ${tableOf(sql, values, "payment_session_id text, at timestamptz, status text, provider_session_id text, payment_intent_id text, url text, expires_at timestamptz, paid_at timestamptz, flagged text, misfit jsonb, presented jsonb, failed_attempt jsonb, refund_check_at timestamptz")}
          where s.payment_session_id = c.payment_session_id returning ${changed}`),
            (found) => values.map(({ payment_session_id: id }) => found.find((row) => row.payment_session_id === id))
          ).pipe(Effect.tap(() => count(values.flatMap(({ status }) => status ?? []))))
      )
      const change: PaymentSessions["Service"]["change"] = (payment_session_id, changes, now) =>
        write({
          payment_session_id,
          at: new Date(now),
          ...changes,
          expires_at: date(changes.expires_at),
          paid_at: date(changes.paid_at),
          refund_check_at: date(changes.refund_check_at)
        }).pipe(Effect.flatMap((row) => Effect.orDie(Effect.fromOption(Option.fromUndefinedOr(row)))))

      const lockOfBooking = statementOfFibers(sql, (ids: ReadonlyArray<BookingId>) =>
        Effect.map(
          rows(sql`select ${columns} from payment_session where booking_id = any(${ids}::text[])
            order by created_at, payment_session_id for no key update`),
          (found) => ids.map((id) => found.filter(({ booking_id }) => booking_id === id))
        )
      )

      return PaymentSessions.of({
        find: (id) => first(sql`select ${columns} from payment_session where payment_session_id = ${id}`),
        findByProviderId: (id) => first(sql`select ${columns} from payment_session where provider_session_id = ${id}`),
        lock: (id) =>
          first(sql`select ${columns} from payment_session where payment_session_id = ${id} for no key update`),
        live: (booking_id, purpose) =>
          first(sql`select ${columns} from payment_session
            where booking_id = ${booking_id} and purpose = ${purpose}
              and status in ('creating', 'open', 'processing')`),
        ofBooking: (booking_id) =>
          rows(sql`select ${columns} from payment_session where booking_id = ${booking_id}
            order by created_at, payment_session_id`),
        lockOfBooking,
        insert: ({ booking_id, now, operator_id, payment_session_id, provider_session_id = null, request }) =>
          onlyOf(
            rows(sql`
            insert into payment_session (payment_session_id, operator_id, booking_id, purpose, status, account, amount,
              currency, application_fee, request, provider_session_id, expires_at, created_at, updated_at)
            values (${payment_session_id}, ${operator_id}, ${booking_id}, ${request.purpose},
              ${provider_session_id === null ? "creating" : "expired"}, ${request.account}, ${request.amount}::int,
              ${request.currency}, ${request.application_fee}::int, ${JSON.stringify(request)}::jsonb,
                ${provider_session_id},
              ${new Date(request.expires_at * 1000)}, ${new Date(now)}, ${new Date(now)})
            returning ${columns}`)
          ).pipe(Effect.tap(({ status }) => (status === "creating" ? count([status]) : Effect.void))),
        insertTaken: ({
          amount,
          booking_id,
          currency,
          now,
          operator_id,
          payment_session_id,
          purpose,
          taken_by,
          ...how
        }) =>
          onlyOf(
            rows(sql`
            insert into payment_session (payment_session_id, operator_id, booking_id, purpose, status, way,
              voucher_id, together, taken_by, account, amount, currency, expires_at, paid_at, created_at, updated_at)
            values (${payment_session_id}, ${operator_id}, ${booking_id}, ${purpose}, 'paid', ${how.way},
              ${how.voucher_id ?? null}, ${how.together ?? false}, ${taken_by ?? null}, '', ${amount}::int, ${currency}, ${new Date(now)}, ${new Date(now)}, ${new Date(now)}, ${new Date(now)})
            returning ${columns}`)
          ).pipe(Effect.tap(({ status }) => count([status]))),
        markUndone: (id, by, now) =>
          Effect.asVoid(sql`update payment_session set status = 'failed', undone_at = ${new Date(now)},
            undone_by = ${by ?? null}, updated_at = ${new Date(now)} where payment_session_id = ${id}`),
        paidOf: (operator_id, after, until, limit) =>
          rows(sql`select ${columns} from payment_session where operator_id = ${operator_id} and status = 'paid' and way = 'link'
            and payment_session_id > ${after} and payment_session_id < ${until}
              order by payment_session_id limit ${limit}::int`),
        ofPayments: (payment_intent_ids) =>
          rows(
            sql`select ${columns} from payment_session where payment_intent_id = any(${payment_intent_ids}::text[])`
          ),
        replaceRequest: (id, request, now) =>
          first(sql`
            update payment_session set request = ${JSON.stringify(request)}::jsonb, updated_at = ${new Date(now)}
            where payment_session_id = ${id} and status = 'creating' returning ${columns}`),
        change,
        claim: ({ after, due, limit, now, status, unchecked_since }) =>
          rows(sql`
            update payment_session set checked_at = ${new Date(now)} where payment_session_id in (
              select payment_session_id from payment_session
              where status = ${sql.literal(`'${status}'`)} and ${dueBy[status]} <= ${new Date(due)} and ${dueBy[status]} >= ${new Date(after ?? 0)}
                and (checked_at is null or checked_at <= ${new Date(unchecked_since)})
              order by ${dueBy[status]} limit ${limit}::int for update skip locked)
            returning ${columns}`),
        checkRefundsBy: (id, at) =>
          Effect.asVoid(
            sql`update payment_session set refund_check_at = least(refund_check_at, ${new Date(at)})
              where payment_session_id = ${id}`
          ),
        restartRefundChecks: (id, now) =>
          Effect.asVoid(
            sql`update payment_session set refund_check_at = least(refund_check_at, ${new Date(now + firstRefundCheckMs)}),
              updated_at = ${new Date(now)} where payment_session_id = ${id}`
          ),
        claimForRefundCheck: (now, limit) =>
          rows(sql`
            update payment_session set checked_at = ${new Date(now)},
              refund_check_at = ${new Date(now + refundCheckRetryMs)}
            where payment_session_id in (
              select payment_session_id from payment_session where refund_check_at <= ${new Date(now)}
              order by refund_check_at limit ${limit}::int for update skip locked)
            returning ${columns}`),
        finishRefundCheck: (id, claimed, open) =>
          Effect.asVoid(sql`
            with due as (
              select s.payment_session_id as id, least(${new Date(claimed + maxRefundCheckIntervalMs)}::timestamptz,
                greatest(
                  ${new Date(claimed + firstRefundCheckMs)}::timestamptz,
                    ${new Date(claimed)}::timestamptz + (${new Date(claimed)}::timestamptz - s.updated_at))) as next,
                case when ${open}::boolean then 'infinity' else
                  greatest(b.ends_at + ${`${refundWindowMs} milliseconds`}::interval, s.updated_at + ${`${refundChecksForMs} milliseconds`}::interval) end as until
              from payment_session s join booking b on b.booking_id = s.booking_id
              where s.payment_session_id = ${id} and s.status = 'paid')
            update payment_session s set refund_check_at = (select least(next, until) from due
              where until > ${new Date(claimed)})
            where s.payment_session_id = ${id} and s.refund_check_at = ${new Date(claimed + refundCheckRetryMs)}`),
        claimOne: (id, unchecked_since, now) =>
          Effect.map(
            sql`update payment_session set checked_at = ${new Date(now)} where payment_session_id = (
              select payment_session_id from payment_session where payment_session_id = ${id}
                and (checked_at is null or checked_at <= ${new Date(unchecked_since)}) for update skip locked)
              returning payment_session_id`,
            (found) => found.length > 0
          ),
        markUnresponsive: ({ payment_session_id, unresponsive_since }, unresponsive, now) =>
          unresponsive === (unresponsive_since !== null)
            ? Effect.void
            : Effect.asVoid(sql`update payment_session
                set unresponsive_since = ${unresponsive ? sql`coalesce(unresponsive_since, ${new Date(now)})` : sql`null`}
                where payment_session_id = ${payment_session_id}`),
        processingSince: (since, limit) =>
          rows(sql`select ${columns} from payment_session
            where status = 'processing' and processing_since <= ${new Date(since)} and ${waits}
            order by processing_since limit ${limit}::int`),
        stuck: ({ created_by, processing_since, unresponsive_since }) =>
          rows(sql`select ${columns} from payment_session
            where (status = 'creating' and created_at <= ${new Date(created_by)})
              or (status = 'processing' and ${waits}
                and (unresponsive_since <= ${new Date(unresponsive_since)}
                  or processing_since <= ${new Date(processing_since)}))
            order by created_at`),
        unanswered: (now) =>
          rows(sql`select ${columns} from payment_session
            where ${isUnanswered(now)} and flagged is null order by created_at`),
        forgetPayer: (booking_id) =>
          Effect.asVoid(sql`update payment_session set request = (request - 'customer_email') || jsonb_build_object(
              'success_url', substring(request ->> 'success_url' from '^https?://[^/?#]+'),
              'cancel_url', substring(request ->> 'cancel_url' from '^https?://[^/?#]+'))
            where booking_id = ${booking_id} and status in ('paid', 'failed', 'expired')`),
        markAccountedFor: (id, now) =>
          Effect.map(
            sql`update payment_session
              set flagged = null, status = case when status = 'open' then 'expired' else status end
              where payment_session_id = ${id}
                and (flagged is not null or (${isUnanswered(now)})) and misfit is null
              returning payment_session_id`,
            (found) => found.length > 0
          ),
        acceptMisfit: (id, { amount, currency, payment_intent_id }, now, paid_at) =>
          onlyOf(
            rows(sql`update payment_session set status = 'paid', misfit = null, flagged = null, asked = amount, amount = ${amount}::int,
              application_fee = least(application_fee, ${amount}::int),
              currency = ${currency}, payment_intent_id = coalesce(${payment_intent_id}::text, payment_intent_id),
              paid_at = ${new Date(paid_at)}, refund_check_at = ${new Date(now + firstRefundCheckMs)},
                updated_at = ${new Date(now)}
              where payment_session_id = ${id} returning ${columns}`)
          ).pipe(Effect.tap(({ status }) => count([status]))),
        misfitsOf: (operator_id) =>
          rows(sql`select ${columns} from payment_session where operator_id = ${operator_id} and misfit is not null
            order by created_at limit 1000`),
        flagged: rows(sql`select ${columns} from payment_session where flagged is not null order by created_at`)
      })
    })
  )
}
