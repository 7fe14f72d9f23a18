/**
 * Asks the provider about a payment that someone waits for: the payer who comes back, the assistant who looks. So a payment is known
 * within seconds also where its event was lost; without anyone who looks, reconciliation finds it.
 *
 * Bounded: a session is asked about once in a few seconds, whoever looks and on whichever node (claimed in the database), and nobody
 * waits longer than `waitFor`. An answer that comes later is applied all the same, and seen by the next look.
 */
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { type Instant, secondMs } from "../../kernel/LocalTime.ts"
import { graceMs, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { ProviderSessions } from "../settlement/ProviderSessions.ts"

/** How long a look waits for the provider. */
const waitFor = "2 seconds"
/** An open page may be paid any moment; what the provider calls processing takes minutes or days. */
const openAgainMs = 5 * secondMs
const processingAgainMs = 30 * secondMs

/**
 * How long a session is left alone after it was asked about; undefined where asking is of no use. Past the hold's end it is
 * reconciliation's, which closes the page and frees the places: looks must not keep it from that.
 */
const againAfter = (session: PaymentSessionRow, booking: BookingRow, now: Instant): number | undefined => {
  if (session.provider_session_id === null || session.flagged !== null) return undefined
  if (session.status === "processing") return processingAgainMs
  const holdOver = booking.status === "held" && (booking.hold_expires_at ?? now) <= now
  return session.status === "open" && !holdOver && now < session.expires_at + graceMs ? openAgainMs : undefined
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

      const askOne = Effect.fnUntraced(function* (session: PaymentSessionRow, again: number, now: Instant) {
        if (!(yield* sessions.claimOne(session.payment_session_id, now - again, now))) return false
        const asked = providerSessions.ask(session).pipe(
          Effect.as(true),
          // What the caller is told is what we know; whoever runs the service learns of it from reconciliation and `doctor`.
          Effect.catch((error) =>
            Effect.as(
              Effect.logInfo("A payment that someone looked at could not be asked about", {
                payment_session_id: session.payment_session_id,
                error
              }),
              false
            )
          )
        )
        // Not interrupted with the look: a slow provider is no outage, and its answer is worth having.
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
            const again = againAfter(session, booking, now)
            return again === undefined ? Effect.succeed(false) : askOne(session, again, now)
          },
          { concurrency: "unbounded" }
        )
        return answers.includes(true)
      })

      return PaymentInquiry.of({ ask })
    })
  )
}
