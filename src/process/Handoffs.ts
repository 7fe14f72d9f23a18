/** Connections that Node's cluster has sent to a worker and that the worker has not acknowledged. */
import cluster, { type Worker } from "node:cluster"
import { Schema } from "effect"

// As Node's `lib/internal/cluster` writes them.
const Sent = Schema.Struct({
  cmd: Schema.Literal("NODE_CLUSTER"),
  act: Schema.Literal("newconn"),
  key: Schema.String,
  seq: Schema.Int
})
const Answered = Schema.Struct({ cmd: Schema.Literal("NODE_CLUSTER"), ack: Schema.Int })
const isSent = Schema.is(Sent)
const isAnswered = Schema.is(Answered)

/**
 * A killed worker never acknowledges such a connection, and Node keeps it open for ever. The function returned is
 * called when the worker has ended. It reports in the worker's place that the listener is closed and the connection was
 * not accepted, so another worker gets it; nothing of it has been read yet. If no other worker is left, the connection
 * is closed. No-op on other Node versions.
 */
export const watchHandoffs = (worker: Worker): (() => void) => {
  const { process } = worker
  /** The listener of each unacknowledged connection, by sequence number. */
  const waiting = new Map<number, string>()
  const send = process.send.bind(process)
  process.send = (message: unknown, ...rest: ReadonlyArray<unknown>) => {
    if (isSent(message)) waiting.set(message.seq, message.key)
    return Reflect.apply(send, process, [message, ...rest])
  }
  process.on("internalMessage", (message: unknown) => {
    if (isAnswered(message)) waiting.delete(message.ack)
  })
  return () => {
    const others = Object.values(cluster.workers ?? {}).some((one) => one !== worker && one?.isConnected() === true)
    const answer = (message: object) => process.emit("internalMessage", { cmd: "NODE_CLUSTER", ...message }, null)
    for (const [ack, key] of waiting) {
      answer({ act: "close", key })
      answer({ ack, accepted: !others })
    }
    waiting.clear()
  }
}
