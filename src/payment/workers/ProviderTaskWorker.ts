/** Does the provider tasks (`ProviderTasks.ts`). Every one may be done again: after a crash, by another node, or by reconciliation. */
import { Effect, Layer, Option } from "effect"
import { ProviderTask, ProviderTasks, taskId } from "../provider/ProviderTasks.ts"
import { ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"

/** The task was decided earlier: what was paid or closed meanwhile stays as it is. */
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

/** Does one task, by its kind; failing means that it should be tried again later. */
export const runProviderTask = Effect.fn("runProviderTask")(function* (task: ProviderTask) {
  // The span of the offer, in the trace of what decided it, has the same.
  yield* Effect.annotateCurrentSpan("task_id", taskId(task))
  return yield* runByKind(task)
})

/** Runs tasks as they come, `fibers` at a time, for as long as the layer lives. */
export const providerTaskWorker = (fibers = 2) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const tasks = yield* ProviderTasks
      const loop = tasks
        .take((task) =>
          runProviderTask(task).pipe(
            Effect.tapCause((cause) => Effect.logWarning("A provider task failed and will be tried again", task, cause))
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
