/**
 * Executes provider tasks (`ProviderTasks.ts`). Each is idempotent: it may run again after a crash, or by
 * reconciliation.
 */
import { Effect, Layer, Option } from "effect"
import { makeThrottle } from "../../../platform/time/Elapsed.ts"
import { ProviderTask, ProviderTasks, taskId } from "../provider/ProviderTasks.ts"
import { ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"

/** A session that was paid or closed since the task was offered stays as it is. */
const expireSession = Effect.fnUntraced(function* ({
  payment_session_id
}: typeof ProviderTask.cases.expire_session.Type) {
  const session = yield* PaymentSessions.use((sessions) => sessions.find(payment_session_id))
  if (Option.isNone(session) || session.value.status !== "open") return
  yield* PaymentInquiry.use((inquiry) => inquiry.expire(session.value))
})

const sendRefund = ({ refund_id }: typeof ProviderTask.cases.refund.Type) =>
  ProviderRefunds.use((refunds) => refunds.send(refund_id))

/** One line for each kind of `ProviderTask`. */
const runByKind = ProviderTask.match({
  expire_session: expireSession,
  refund: sendRefund
})

/** Executes one task. If it fails, it is retried later. */
export const runProviderTask = Effect.fn("runProviderTask")(function* (task: ProviderTask) {
  // The span of the offer has the same attribute.
  yield* Effect.annotateCurrentSpan("task_id", taskId(task))
  return yield* runByKind(task)
})

/** Executes tasks as they arrive, two at a time, for the layer's lifetime. */
export const providerTaskWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const tasks = yield* ProviderTasks
    const warn = makeThrottle("1 minute")
    const loop = tasks
      .take((task) =>
        runProviderTask(task).pipe(
          Effect.tapCause((cause) => Effect.logWarning("A provider task failed and will be tried again", task, cause))
        )
      )
      // The queue has stored the failure of a task and will deliver it again. Its own failures are told here.
      .pipe(
        Effect.tapErrorTag("PersistedQueueError", (error) =>
          warn(Effect.logWarning("Provider tasks can't be read now", error))
        ),
        Effect.catchCause(() => Effect.sleep("200 millis")),
        Effect.forever
      )
    yield* Effect.forkScoped(loop)
    yield* Effect.forkScoped(loop)
  })
)
