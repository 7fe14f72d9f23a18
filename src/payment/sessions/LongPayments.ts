/**
 * Payments of which nothing is heard. The provider calls a payment processing until its bank has spoken; while it does, the places
 * are kept. Where the operator's account was disconnected no word ever comes, so this has an end: a person's, or `processingForMs`.
 * Money that arrives after it takes the path of late payments.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Bookings } from "../../booking/Bookings.ts"
import { dayMs, hourMs, type Instant } from "../../kernel/LocalTime.ts"
import type { PaymentSessionRow } from "./PaymentSession.ts"
import { PaymentSessions } from "./PaymentSessions.ts"
import { SessionCreation } from "./SessionCreation.ts"

/**
 * How long a payment may be processing. The slowest way to pay is a direct debit, of which the provider knows after up to 14 business
 * days (https://docs.stripe.com/payments/sepa-debit), about 20 days.
 */
export const processingForMs = 21 * dayMs
/** Processing for so long is worth a look, whether the provider answers or not. */
const processingSuspiciousMs = 16 * dayMs
/** An account that does not answer for so long needs a person. */
const silentMs = hourMs
/** A page in the making for so long: no node is at it. */
const creatingMs = hourMs

/** Sessions that wait for too long, oldest first; `since` when, in milliseconds. */
export interface LongPayment {
  readonly session: PaymentSessionRow
  readonly since: Instant
  /** When the places are released without anybody's doing; none where the session keeps no places. */
  readonly ends_at: Instant | undefined
}

export class LongPayments extends Context.Service<
  LongPayments,
  {
    /** What needs a person: pages in the making, and payments processing, for too long or without an answer. */
    readonly waiting: Effect.Effect<ReadonlyArray<LongPayment>, SqlError.SqlError>
    /** Gives up payments that have been processing for `processingForMs`, and flags them; answers how many. */
    readonly endOverdue: (limit: number) => Effect.Effect<number, SqlError.SqlError>
    /** A person says that a session which waits for too long was not paid; false where it does not wait. */
    readonly settle: (id: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/LongPayments") {
  static readonly layer = Layer.effect(
    LongPayments,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const sessions = yield* PaymentSessions
      const creation = yield* SessionCreation

      const waiting = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* sessions.waiting({
          created_by: now - creatingMs,
          silent_since: now - silentMs,
          processing_since: now - processingSuspiciousMs
        })
        return rows.map((session): LongPayment => {
          const since = session.processing_since ?? session.created_at
          const ends = session.status === "processing" && session.purpose === "due_now"
          return { session, since, ends_at: ends ? since + processingForMs : undefined }
        })
      })

      /** The booking first, then the session, as everywhere; false where the provider was faster. */
      const end = Effect.fnUntraced(function* (
        { booking_id, payment_session_id }: PaymentSessionRow,
        told: { readonly detail: string; readonly flagged?: string }
      ) {
        const now = yield* Clock.currentTimeMillis
        const booking = yield* bookings.lock(booking_id)
        const session = yield* sessions.lock(payment_session_id)
        if (Option.isNone(booking) || Option.isNone(session) || session.value.status !== "processing") return false
        const { flagged } = told
        yield* sessions.change(
          payment_session_id,
          { status: "failed", ...(flagged === undefined ? {} : { flagged }) },
          now
        )
        const due = session.value.purpose === "due_now"
        yield* bookings.change(booking.value, {
          ...(due ? { payment: "payment_failed" } : {}),
          ...(due && booking.value.status === "held" ? { status: "hold_lapsed", awaiting_provider: false } : {}),
          note: true,
          event: due ? "payment_given_up" : "balance_payment_given_up",
          detail: told.detail
        })
        return true
      }, sql.withTransaction)

      const days = Math.round(processingForMs / dayMs)
      const endOverdue = Effect.fn("LongPayments.endOverdue")(function* (limit: number) {
        const now = yield* Clock.currentTimeMillis
        let ended = 0
        for (const session of yield* sessions.processingSince(now - processingForMs, limit)) {
          const flagged = `given up after ${days} days of processing; see whether the provider has the money`
          const gone = yield* end(session, { detail: `the provider gave no result in ${days} days`, flagged })
          if (!gone) continue
          ended++
          yield* Effect.logError("A payment was given up after processing for too long", {
            payment_session_id: session.payment_session_id,
            booking_id: session.booking_id,
            account: session.account
          })
        }
        return ended
      })

      const settle = Effect.fn("LongPayments.settle")(function* (id: string) {
        const found = (yield* waiting).find(({ session }) => session.payment_session_id === id)
        if (found === undefined) return false
        if (found.session.status === "processing") return yield* end(found.session, { detail: "a person settled it" })
        return (yield* creation.abandon(found.session)).status === "failed"
      })

      return LongPayments.of({ waiting, endOverdue, settle })
    })
  )
}
