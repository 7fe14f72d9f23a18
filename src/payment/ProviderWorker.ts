/** Does the provider tasks. Every step may be repeated: after a crash, by another node, or by reconciliation. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import {
  type AccountUnavailable,
  PaymentGateway,
  type ProviderRefund,
  type ProviderRefused,
  type ProviderSession,
  type ProviderUnavailable
} from "./PaymentGateway.ts"
import { FailedRefunds, type SentAgain } from "./FailedRefunds.ts"
import { faultPoint } from "./FaultPoint.ts"
import { factOf, keyLifeMs, type PaymentSessionRow, type RefundRow } from "./PaymentSession.ts"
import { PaymentSessions } from "./PaymentSessions.ts"
import { type ProviderTask, ProviderTasks } from "./ProviderTasks.ts"
import { settledByDashboard } from "./RefundRecords.ts"
import { Refunds } from "./Refunds.ts"
import { type Outcome, Settlement } from "./Settlement.ts"

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
    /** Asks the provider what became of a refund that was pending. */
    readonly askRefund: (refund: RefundRow) => Effect.Effect<void, Retryable>
    /** Takes note of refunds that the operator made at the provider; answers how much is new, in minor units. */
    readonly noticeRefunds: (session: PaymentSessionRow) => Effect.Effect<number, Retryable>
    /** Sends a refund again that failed for good, unless the operator has made it at the provider meanwhile. */
    readonly resendRefund: (refund: RefundRow) => Effect.Effect<SentAgain, Retryable>
  }
>()("playroom/payment/ProviderWorker") {
  static readonly layer = Layer.effect(
    ProviderWorker,
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const sessions = yield* PaymentSessions
      const settlement = yield* Settlement
      const refunds = yield* Refunds
      const failedRefunds = yield* FailedRefunds

      const apply = (session: PaymentSessionRow, said: ProviderSession) =>
        Effect.asSome(settlement.apply(session, factOf(said), said))

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

      const listRefunds = (
        session: PaymentSessionRow
      ): Effect.Effect<ReadonlyArray<ProviderRefund>, ProviderUnavailable | AccountUnavailable> =>
        session.payment_intent_id === null
          ? Effect.succeed([])
          : gateway
              .listRefunds(session.account, session.payment_intent_id)
              .pipe(Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], () => Effect.succeed([])))

      const isAlive = ({ status }: ProviderRefund): boolean => status !== "failed" && status !== "canceled"

      const noticeRefunds = Effect.fn("ProviderWorker.noticeRefunds")(function* (session: PaymentSessionRow) {
        if (session.payment_intent_id === null) return 0
        return yield* refunds.notice(session, yield* listRefunds(session))
      })

      /** The refund, where the provider has it already: after its key is forgotten, sending it again would be a second refund. */
      const sentBefore = Effect.fnUntraced(function* (refund: RefundRow) {
        const now = yield* Clock.currentTimeMillis
        if (now - refund.created_at < keyLifeMs && refund.request.idempotency_key === refund.refund_id) {
          return Option.none<ProviderRefund>()
        }
        const answers = yield* gateway.listRefunds(refund.request.account, refund.request.payment_intent_id)
        return Option.fromNullishOr(answers.find((answer) => answer.refund_id === refund.refund_id && isAlive(answer)))
      })

      const sendRefund = Effect.fnUntraced(function* (refund: RefundRow): Effect.fn.Return<void, Retryable> {
        const send = Effect.gen(function* () {
          const before = yield* sentBefore(refund)
          const answer = Option.isSome(before) ? before.value : yield* gateway.createRefund(refund.request)
          yield* faultPoint("refund made at the provider, answer not stored")
          yield* refunds.settle(refund.refund_id, answer)
        })
        yield* send.pipe(
          Effect.catchTag("ProviderRefused", (refused) => refusedRefund(refund, refused)),
          Effect.catchTag("ProviderKeyReused", () =>
            refunds.fail(refund.refund_id, "the idempotency key was used with other parameters")
          )
        )
      })

      /** The operator may have been faster: then what is left of the payment goes back, or nothing is owed any more. */
      const refusedRefund = Effect.fnUntraced(function* (
        refund: RefundRow,
        refused: ProviderRefused
      ): Effect.fn.Return<void, Retryable> {
        const session = yield* sessions.find(refund.payment_session_id)
        const answers = Option.isSome(session) ? yield* listRefunds(session.value) : []
        // Another node sent it meanwhile, perhaps lowered.
        const sent = answers.find((answer) => answer.refund_id === refund.refund_id && isAlive(answer))
        if (sent !== undefined) return yield* refunds.settle(refund.refund_id, sent)
        if (Option.isSome(session)) yield* refunds.notice(session.value, answers)
        const given = answers.filter(isAlive).reduce((sum, { amount }) => sum + amount, 0)
        const left = Option.isSome(session) ? session.value.amount - given : refund.amount
        if (given === 0 || left >= refund.amount) {
          return yield* refunds.fail(refund.refund_id, `${refused.code}: ${refused.message}`)
        }
        if (left <= 0) return yield* refunds.fail(refund.refund_id, settledByDashboard)
        const lowered = yield* refunds.lower(refund.refund_id, left)
        if (Option.isSome(lowered) && lowered.value.status === "requested") yield* sendRefund(lowered.value)
      })

      const askRefund = Effect.fn("ProviderWorker.askRefund")(function* (refund: RefundRow) {
        if (refund.provider_refund_id === null) return
        yield* gateway.getRefund(refund.request.account, refund.provider_refund_id).pipe(
          Effect.flatMap((answer) => refunds.settle(refund.refund_id, answer)),
          Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], (error) =>
            Effect.logWarning("The provider does not answer for a refund", {
              refund_id: refund.refund_id,
              reason: error.message
            })
          )
        )
      })

      const run = Effect.fn("ProviderWorker.run")(function* (task: ProviderTask) {
        if (task._tag === "refund") {
          const refund = yield* refunds.find(task.refund_id)
          if (Option.isNone(refund) || refund.value.status !== "requested") return
          yield* faultPoint("refund decided, provider not asked")
          yield* sendRefund(refund.value)
          yield* faultPoint("refund settled, task not done")
          return
        }
        const session = yield* sessions.find(task.payment_session_id)
        if (Option.isSome(session) && session.value.status === "open") yield* expireSession(session.value)
      })

      const resendRefund = Effect.fn("ProviderWorker.resendRefund")(function* (refund: RefundRow) {
        const session = yield* sessions.find(refund.payment_session_id)
        if (Option.isSome(session)) yield* noticeRefunds(session.value)
        return yield* failedRefunds.again(refund.refund_id)
      })

      return ProviderWorker.of({ run, expireSession, askSession, askRefund, noticeRefunds, resendRefund })
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
