/**
 * Asks the provider about a payment session, or closes its page, and settles the answer. Every call may be repeated:
 * after a crash, by another node, or by reconciliation. Nothing here may be called inside a transaction.
 *
 * For readers (a payer who returns from the payment page, an assistant that reads the booking), a session is asked
 * about at most once in a few seconds. A claim in the database holds this limit over all nodes. A reader waits at most
 * `readerTimeout`. A later answer is still settled, and the next reader sees it.
 */
import { Clock, Context, Effect, Fiber, Layer, type Scope } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { holdRuns } from "../../booking/Lifecycle.ts"
import { failpoint } from "../../../platform/concurrency/Failpoint.ts"
import type { PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { type Instant, secondMs } from "../../../platform/time/LocalTime.ts"
import { outsideTransaction } from "../../../platform/concurrency/SharedReads.ts"
import { PaymentGateway, type RetryableError } from "../provider/PaymentGateway.ts"
import { graceMs, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { Settlement } from "./Settlement.ts"

/** How long a reader waits for the provider. */
const readerTimeout = "2 seconds"
/** An open page may be paid at any moment; processing takes minutes or days. */
const openIntervalMs = 5 * secondMs
const processingIntervalMs = 30 * secondMs

/**
 * The minimum interval between two inquiries about a session; undefined if asking is useless. After the hold's end
 * readers must not claim the session: reconciliation claims it, closes the page and frees the places.
 */
const askIntervalMs = (session: PaymentSessionRow, booking: BookingRow, now: Instant): number | undefined => {
  // A payment that does not fit may still fail.
  if (session.provider_session_id === null || (session.flagged !== null && session.misfit?.paid !== false))
    return undefined
  if (session.status === "processing") return processingIntervalMs
  const holdOver = booking.status === "held" && !holdRuns(booking, now)
  return session.status === "open" && !holdOver && now < session.expires_at + graceMs ? openIntervalMs : undefined
}

type Retryable = RetryableError | SqlError.SqlError

/**
 * Asks the provider about a payment while a reader waits: true if it answered within `readerTimeout`. The call goes on
 * in `scope` after the reader stops waiting: a slow answer is still useful. A reader whose question fails gets our own
 * rows; the failure is logged, and reconciliation and `playroom doctor` report it.
 */
export const askWhileReaderWaits = Effect.fnUntraced(function* <E>(
  { scope, sql }: { readonly scope: Scope.Scope; readonly sql: SqlClient.SqlClient },
  payment_session_id: PaymentSessionId,
  ask: Effect.Effect<void, E>
) {
  const asked = ask.pipe(
    Effect.as(true),
    Effect.catch((error) =>
      Effect.as(
        Effect.logInfo("The provider could not be asked about a payment that someone waits for", {
          payment_session_id,
          error
        }),
        false
      )
    )
  )
  const fiber = yield* Effect.forkIn(outsideTransaction(sql)(asked), scope)
  return yield* Fiber.join(fiber).pipe(
    Effect.timeoutOrElse({ duration: readerTimeout, orElse: () => Effect.succeed(false) })
  )
})

export class PaymentInquiry extends Context.Service<
  PaymentInquiry,
  {
    /** Closes the session's page at the provider, and settles the result: paid, if the payer was faster. */
    readonly expire: (session: PaymentSessionRow) => Effect.Effect<void, Retryable>
    /** Asks the provider for a session's state, and settles it. */
    readonly ask: (session: PaymentSessionRow) => Effect.Effect<void, Retryable>
    /**
     * Asks, while someone waits, about a booking's sessions that may have been paid. True: the provider answered; read
     * the booking and its sessions again.
     */
    readonly askForReader: (
      booking: BookingRow,
      sessions: ReadonlyArray<PaymentSessionRow>
    ) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/settlement/PaymentInquiry") {
  static readonly layer = Layer.effect(
    PaymentInquiry,
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const sessions = yield* PaymentSessions
      const settlement = yield* Settlement
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Effect.scope

      /** The provider does not know the session, or refuses to answer: a retry is useless. */
      const logRefusal =
        ({ payment_session_id }: PaymentSessionRow) =>
        ({ message }: { readonly message: string }) =>
          Effect.logWarning("The provider does not answer for a payment session", {
            payment_session_id,
            reason: message
          })

      const expire = Effect.fn("PaymentInquiry.expire")(function* (session: PaymentSessionRow) {
        if (session.provider_session_id === null) return
        yield* failpoint("close decided, provider not asked")
        yield* gateway
          .expireSession(session.account, session.provider_session_id, `expire_${session.payment_session_id}`)
          .pipe(
            Effect.tap(() => failpoint("session closed at the provider, answer not applied")),
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

      const askOne = Effect.fnUntraced(function* (session: PaymentSessionRow, intervalMs: number, now: Instant) {
        if (!(yield* sessions.claimOne(session.payment_session_id, now - intervalMs, now))) return false
        return yield* askWhileReaderWaits({ scope, sql }, session.payment_session_id, ask(session))
      })

      const askForReader = Effect.fn("PaymentInquiry.askForReader")(function* (
        booking: BookingRow,
        all: ReadonlyArray<PaymentSessionRow>
      ) {
        const now = yield* Clock.currentTimeMillis
        const answers = yield* Effect.forEach(
          all,
          (session) => {
            const intervalMs = askIntervalMs(session, booking, now)
            return intervalMs === undefined ? Effect.succeed(false) : askOne(session, intervalMs, now)
          },
          { concurrency: "unbounded" }
        )
        return answers.includes(true)
      })

      return PaymentInquiry.of({ ask, askForReader, expire })
    })
  ).pipe(Layer.provide([PaymentSessions.layer, Settlement.layer]))
}
