/** Does the provider tasks. Every step may be repeated: after a crash, by another node, or by reconciliation. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import {
  type AccountUnavailable,
  PaymentGateway,
  type ProviderSession,
  type ProviderUnavailable
} from "../provider/PaymentGateway.ts"
import { faultPoint } from "../../FaultPoint.ts"
import { factOf, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { type ProviderTask, ProviderTasks } from "../provider/ProviderTasks.ts"
import { ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { type Outcome, Settlement } from "../settlement/Settlement.ts"

/** Trying again may help: the provider is away, or the operator's account is. */
type Retryable = ProviderUnavailable | AccountUnavailable | SqlError.SqlError

export class ProviderWorker extends Context.Service<
  ProviderWorker,
  {
    /** Does one task; failing means that it should be tried again later. */
    readonly run: (task: ProviderTask) => Effect.Effect<void, Retryable>
    /** Closes the session's page at the provider and applies what the provider then says; none: nothing is known of it there. */
    readonly expireSession: (session: PaymentSessionRow) => Effect.Effect<Option.Option<Outcome>, Retryable>
    /** Asks the provider what became of a session, and applies it. */
    readonly askSession: (session: PaymentSessionRow) => Effect.Effect<Option.Option<Outcome>, Retryable>
  }
>()("playroom/payment/ProviderWorker") {
  static readonly layer = Layer.effect(
    ProviderWorker,
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const sessions = yield* PaymentSessions
      const settlement = yield* Settlement
      const refunds = yield* ProviderRefunds

      const apply = (session: PaymentSessionRow, said: ProviderSession) =>
        Effect.asSome(settlement.settle(session, factOf(said), said))

      const lost = (session: PaymentSessionRow) => (error: { readonly message: string }) =>
        Effect.as(
          Effect.logWarning("The provider does not answer for a payment session", {
            payment_session_id: session.payment_session_id,
            reason: error.message
          }),
          Option.none<Outcome>()
        )

      const expireSession = Effect.fn("ProviderWorker.expireSession")(function* (session: PaymentSessionRow) {
        if (session.provider_session_id === null) return Option.none<Outcome>()
        yield* faultPoint("close decided, provider not asked")
        return yield* gateway
          .expireSession(session.account, session.provider_session_id, `expire_${session.payment_session_id}`)
          .pipe(
            Effect.tap(() => faultPoint("session closed at the provider, answer not applied")),
            Effect.flatMap((said) => apply(session, said)),
            Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], lost(session))
          )
      })

      const askSession = Effect.fn("ProviderWorker.askSession")(function* (session: PaymentSessionRow) {
        if (session.provider_session_id === null) return Option.none<Outcome>()
        const silent = (is: boolean) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => sessions.noteSilence(session, is, now))
        return yield* gateway.getSession(session.account, session.provider_session_id).pipe(
          Effect.tap(() => silent(false)),
          Effect.tapError((error) => (error._tag === "ProviderUnavailable" ? Effect.void : silent(true))),
          Effect.flatMap((said) => apply(session, said)),
          Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], lost(session))
        )
      })

      const run = Effect.fn("ProviderWorker.run")(function* (task: ProviderTask) {
        if (task._tag === "refund") return yield* refunds.send(task.refund_id)
        const session = yield* sessions.find(task.payment_session_id)
        if (Option.isSome(session) && session.value.status === "open") yield* expireSession(session.value)
      })

      return ProviderWorker.of({ run, expireSession, askSession })
    })
  )

  /** Runs tasks as they come, `fibers` at a time, for as long as the layer lives. */
  static readonly workers = (fibers = 2) =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const tasks = yield* ProviderTasks
        const worker = yield* ProviderWorker
        const loop = tasks
          .take((task) =>
            worker
              .run(task)
              .pipe(
                Effect.tapCause((cause) =>
                  Effect.logWarning("A provider task failed and will be tried again", task, cause)
                )
              )
          )
          // The queue has noted the failure and will hand the task out again.
          .pipe(
            Effect.catchCause(() => Effect.sleep("200 millis")),
            Effect.forever
          )
        for (let fiber = 0; fiber < fibers; fiber++) yield* Effect.forkScoped(loop)
      })
    )
}
