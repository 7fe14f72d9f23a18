/**
 * Payments that do not end. The provider calls a payment processing until the payer's bank has decided; until then the places are
 * kept. Where the operator's account was disconnected no answer ever comes, so a person gives the payment up, or it ends after
 * `processingForMs`. Money that arrives later is handled as any late payment.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { dayMs, hourMs, type Instant } from "../../kernel/LocalTime.ts"
import type { PaymentSessionRow } from "./PaymentSession.ts"
import { PaymentSessions } from "./PaymentSessions.ts"
import { SessionCreation } from "./SessionCreation.ts"

/**
 * How long a payment may be processing. The slowest way to pay is a direct debit, of which the provider knows after up to 14 business
 * days (https://docs.stripe.com/payments/sepa-debit), about 20 days.
 */
export const processingForMs = 21 * dayMs
/** A payment that is processing for so long is named to a person, whether the provider answers or not. */
const processingSuspiciousMs = 16 * dayMs
/** An account that does not answer for so long needs a person. */
const silentMs = hourMs
/** A session that is `creating` for so long is not being worked on by any node. */
const creatingMs = hourMs

/** A session that waits for too long, and since when. */
export interface StuckPayment {
  readonly session: PaymentSessionRow
  readonly since: Instant
  /** When the places are released without a person; undefined where the session keeps no places. */
  readonly ends_at: Instant | undefined
}

export class StuckPayments extends Context.Service<
  StuckPayments,
  {
    /** What needs a person, oldest first: sessions creating, and payments processing, for too long or without an answer. */
    readonly list: Effect.Effect<ReadonlyArray<StuckPayment>, SqlError.SqlError>
    /** Gives up at most `limit` payments that have been processing for `processingForMs`, and flags them; answers how many. */
    readonly giveUpOverdue: (limit: number) => Effect.Effect<number, SqlError.SqlError>
    /** Gives up one of `list`, of which a person says that it was not paid; false where it is not among them. */
    readonly giveUp: (id: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/StuckPayments") {
  static readonly layer = Layer.effect(
    StuckPayments,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* BookingRecords
      const sessions = yield* PaymentSessions
      const creation = yield* SessionCreation

      const list = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const rows = yield* sessions.stuck({
          created_by: now - creatingMs,
          silent_since: now - silentMs,
          processing_since: now - processingSuspiciousMs
        })
        return rows.map((session): StuckPayment => {
          const since = session.processing_since ?? session.created_at
          const ends = session.status === "processing" && session.purpose === "due_now"
          return { session, since, ends_at: ends ? since + processingForMs : undefined }
        })
      })

      /** Locks the booking first, then the session, as everywhere; false where the provider's answer came first. */
      const end = Effect.fnUntraced(function* (
        { booking_id, payment_session_id }: PaymentSessionRow,
        { detail, flagged }: { readonly detail: string; readonly flagged?: string }
      ) {
        const now = yield* Clock.currentTimeMillis
        const booking = yield* bookings.lock(booking_id)
        const session = yield* sessions.lock(payment_session_id)
        if (Option.isNone(booking) || Option.isNone(session) || session.value.status !== "processing") return false
        yield* sessions.change(
          payment_session_id,
          { status: "failed", ...(flagged === undefined ? {} : { flagged }) },
          now
        )
        const due = session.value.purpose === "due_now"
        yield* bookings.change(booking.value, {
          ...(due ? { payment: "payment_failed" } : {}),
          ...(due && booking.value.status === "held" ? { transition: "hold_lapsed", awaiting_provider: false } : {}),
          note: true,
          event: due ? "payment_given_up" : "balance_payment_given_up",
          detail
        })
        return true
      }, sql.withTransaction)

      const days = Math.round(processingForMs / dayMs)
      const giveUpOverdue = Effect.fn("StuckPayments.giveUpOverdue")(function* (limit: number) {
        const now = yield* Clock.currentTimeMillis
        let ended = 0
        for (const session of yield* sessions.processingSince(now - processingForMs, limit)) {
          const flagged = `given up after ${days} days of processing; see whether the provider has the money`
          const done = yield* end(session, { detail: `the provider gave no result in ${days} days`, flagged })
          if (!done) continue
          ended++
          yield* Effect.logError("A payment was given up after processing for too long", {
            payment_session_id: session.payment_session_id,
            booking_id: session.booking_id,
            account: session.account
          })
        }
        return ended
      })

      const giveUp = Effect.fn("StuckPayments.giveUp")(function* (id: string) {
        const found = (yield* list).find(({ session }) => session.payment_session_id === id)
        if (found === undefined) return false
        if (found.session.status === "processing") return yield* end(found.session, { detail: "a person settled it" })
        return (yield* creation.abandon(found.session)).status === "failed"
      })

      return StuckPayments.of({ list, giveUpOverdue, giveUp })
    })
  )
}
