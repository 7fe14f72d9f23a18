/**
 * Payment sessions at the provider: asks what became of one, or closes its page, and settles what the provider answers. Every call
 * may be repeated: after a crash, by another node, or by reconciliation. Nothing here may be called inside a transaction.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { PaymentGateway, type ProviderSession, type RetryableError } from "../provider/PaymentGateway.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { Settlement } from "./Settlement.ts"

type Retryable = RetryableError | SqlError.SqlError

export class ProviderSessions extends Context.Service<
  ProviderSessions,
  {
    /** Closes the session's page at the provider, and settles what the session is then: paid, where the payer was faster. */
    readonly expire: (session: PaymentSessionRow) => Effect.Effect<void, Retryable>
    /** Asks the provider what became of a session, and settles it. */
    readonly ask: (session: PaymentSessionRow) => Effect.Effect<void, Retryable>
  }
>()("playroom/payment/ProviderSessions") {
  static readonly layer = Layer.effect(
    ProviderSessions,
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const sessions = yield* PaymentSessions
      const settlement = yield* Settlement

      const settle = (session: PaymentSessionRow, answer: ProviderSession) =>
        Effect.asVoid(settlement.settle(session, answer))

      /** The provider does not know the session, or will not say: trying again is no use. */
      const logRefusal =
        ({ payment_session_id }: PaymentSessionRow) =>
        ({ message }: { readonly message: string }) =>
          Effect.logWarning("The provider does not answer for a payment session", {
            payment_session_id,
            reason: message
          })

      const expire = Effect.fn("ProviderSessions.expire")(function* (session: PaymentSessionRow) {
        if (session.provider_session_id === null) return
        yield* faultPoint("close decided, provider not asked")
        yield* gateway
          .expireSession(session.account, session.provider_session_id, `expire_${session.payment_session_id}`)
          .pipe(
            Effect.tap(() => faultPoint("session closed at the provider, answer not applied")),
            Effect.flatMap((answer) => settle(session, answer)),
            Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], logRefusal(session))
          )
      })

      const ask = Effect.fn("ProviderSessions.ask")(function* (session: PaymentSessionRow) {
        if (session.provider_session_id === null) return
        const noteSilence = (silent: boolean) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => sessions.noteSilence(session, silent, now))
        yield* gateway.getSession(session.account, session.provider_session_id).pipe(
          Effect.tap(() => noteSilence(false)),
          Effect.tapError((error) => (error._tag === "ProviderUnavailable" ? Effect.void : noteSilence(true))),
          Effect.flatMap((answer) => settle(session, answer)),
          Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], logRefusal(session))
        )
      })

      return ProviderSessions.of({ expire, ask })
    })
  )
}
