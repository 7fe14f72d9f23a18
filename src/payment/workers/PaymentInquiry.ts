/**
 * Asks the provider about a payment while someone waits for it: a payer who comes back from the payment page, an assistant that reads
 * the booking. So a payment is known within seconds also where its event was lost. Where nobody reads, reconciliation finds it.
 *
 * A session is asked about once in a few seconds at most, over all readers and nodes (it is claimed in the database). Nobody waits
 * longer than `waitFor`; an answer that comes later is settled all the same, and the next reader sees it.
 */
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { type Instant, secondMs } from "../../kernel/LocalTime.ts"
import { graceMs, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { ProviderSessions } from "../settlement/ProviderSessions.ts"

/** How long a reader waits for the provider. */
const waitFor = "2 seconds"
/** An open page may be paid any moment; what the provider calls processing takes minutes or days. */
const openEveryMs = 5 * secondMs
const processingEveryMs = 30 * secondMs

/**
 * How long a session is left alone after it was asked about; undefined where asking is of no use. After the hold's end reconciliation
 * claims the session, closes the page and frees the places: readers must not keep it from that.
 */
const askEveryMs = (session: PaymentSessionRow, booking: BookingRow, now: Instant): number | undefined => {
  if (session.provider_session_id === null || session.flagged !== null) return undefined
  if (session.status === "processing") return processingEveryMs
  const holdOver = booking.status === "held" && (booking.hold_expires_at ?? now) <= now
  return session.status === "open" && !holdOver && now < session.expires_at + graceMs ? openEveryMs : undefined
}

export class PaymentInquiry extends Context.Service<
  PaymentInquiry,
  {
    /**
     * Asks about those of a booking's sessions that may have been paid meanwhile, outside any transaction. True: the provider
     * answered, so that booking and sessions are to be read anew.
     */
    readonly ask: (
      booking: BookingRow,
      sessions: ReadonlyArray<PaymentSessionRow>
    ) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/PaymentInquiry") {
  static readonly layer = Layer.effect(
    PaymentInquiry,
    Effect.gen(function* () {
      const sessions = yield* PaymentSessions
      const providerSessions = yield* ProviderSessions
      const scope = yield* Effect.scope

      const askOne = Effect.fnUntraced(function* (session: PaymentSessionRow, everyMs: number, now: Instant) {
        if (!(yield* sessions.claimOne(session.payment_session_id, now - everyMs, now))) return false
        const asked = providerSessions.ask(session).pipe(
          Effect.as(true),
          // The reader gets what we know. Who runs the service hears of it from reconciliation and `playroom doctor`.
          Effect.catch((error) =>
            Effect.as(
              Effect.logInfo("The provider could not be asked about a payment that someone waits for", {
                payment_session_id: session.payment_session_id,
                error
              }),
              false
            )
          )
        )
        // It goes on when the reader stops waiting: a slow answer is still useful.
        const fiber = yield* Effect.forkIn(asked, scope)
        return yield* Fiber.join(fiber).pipe(
          Effect.timeoutOrElse({ duration: waitFor, orElse: () => Effect.succeed(false) })
        )
      })

      const ask = Effect.fn("PaymentInquiry.ask")(function* (
        booking: BookingRow,
        all: ReadonlyArray<PaymentSessionRow>
      ) {
        const now = yield* Clock.currentTimeMillis
        const answers = yield* Effect.forEach(
          all,
          (session) => {
            const everyMs = askEveryMs(session, booking, now)
            return everyMs === undefined ? Effect.succeed(false) : askOne(session, everyMs, now)
          },
          { concurrency: "unbounded" }
        )
        return answers.includes(true)
      })

      return PaymentInquiry.of({ ask })
    })
  )
}
