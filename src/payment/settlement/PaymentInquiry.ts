/**
 * Asks the provider what became of a payment session, or closes its page, and settles the answer. Every call may be repeated: after a
 * crash, by another node, or by reconciliation. Nothing here may be called inside a transaction.
 *
 * While someone waits (a payer who comes back from the payment page, an assistant that reads the booking) a session is asked about once
 * in a few seconds at most, over all readers and nodes: it is claimed in the database. Nobody waits longer than `waitFor`. An answer
 * that comes later is settled all the same, and the next reader sees it.
 */
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { holdRuns } from "../../booking/Lifecycle.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { type Instant, secondMs } from "../../kernel/LocalTime.ts"
import { PaymentGateway, type RetryableError } from "../provider/PaymentGateway.ts"
import { graceMs, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { Settlement } from "./Settlement.ts"

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
  const holdOver = booking.status === "held" && !holdRuns(booking, now)
  return session.status === "open" && !holdOver && now < session.expires_at + graceMs ? openEveryMs : undefined
}

type Retryable = RetryableError | SqlError.SqlError

export class PaymentInquiry extends Context.Service<
  PaymentInquiry,
  {
    /** Closes the session's page at the provider, and settles what the session is then: paid, if the payer was faster. */
    readonly expire: (session: PaymentSessionRow) => Effect.Effect<void, Retryable>
    /** Asks the provider what became of a session, and settles it. */
    readonly ask: (session: PaymentSessionRow) => Effect.Effect<void, Retryable>
    /**
     * Asks, while someone waits, about those of a booking's sessions that may have been paid meanwhile. True: the provider answered,
     * so booking and sessions are to be read again.
     */
    readonly askForReader: (
      booking: BookingRow,
      sessions: ReadonlyArray<PaymentSessionRow>
    ) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/PaymentInquiry") {
  static readonly layer = Layer.effect(
    PaymentInquiry,
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const sessions = yield* PaymentSessions
      const settlement = yield* Settlement
      const scope = yield* Effect.scope

      /** The provider does not know the session, or will not say: trying again is no use. */
      const logRefusal =
        ({ payment_session_id }: PaymentSessionRow) =>
        ({ message }: { readonly message: string }) =>
          Effect.logWarning("The provider does not answer for a payment session", {
            payment_session_id,
            reason: message
          })

      const expire = Effect.fn("PaymentInquiry.expire")(function* (session: PaymentSessionRow) {
        if (session.provider_session_id === null) return
        yield* faultPoint("close decided, provider not asked")
        yield* gateway
          .expireSession(session.account, session.provider_session_id, `expire_${session.payment_session_id}`)
          .pipe(
            Effect.tap(() => faultPoint("session closed at the provider, answer not applied")),
            Effect.flatMap((answer) => settlement.settle(session, answer)),
            Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], logRefusal(session))
          )
      })

      const ask = Effect.fn("PaymentInquiry.ask")(function* (session: PaymentSessionRow) {
        if (session.provider_session_id === null) return
        const markUnresponsive = (silent: boolean) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => sessions.markUnresponsive(session, silent, now))
        yield* gateway.getSession(session.account, session.provider_session_id).pipe(
          Effect.tap(() => markUnresponsive(false)),
          Effect.tapError((error) => (error._tag === "ProviderUnavailable" ? Effect.void : markUnresponsive(true))),
          Effect.flatMap((answer) => settlement.settle(session, answer)),
          Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], logRefusal(session))
        )
      })

      const askOne = Effect.fnUntraced(function* (session: PaymentSessionRow, everyMs: number, now: Instant) {
        if (!(yield* sessions.claimOne(session.payment_session_id, now - everyMs, now))) return false
        const asked = ask(session).pipe(
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

      const askForReader = Effect.fn("PaymentInquiry.askForReader")(function* (
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

      return PaymentInquiry.of({ ask, askForReader, expire })
    })
  ).pipe(Layer.provide([PaymentSessions.layer, Settlement.layer]))
}
