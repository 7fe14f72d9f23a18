/** Connections that Node's cluster has sent to a worker which has not said yet that it has them. */
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
 * A worker that is killed never answers for such a connection, and Node keeps it open, unanswered, for ever. What this returns is
 * called when the worker has ended, and says in its place that it closed its listener and did not take the connection: so another
 * worker gets it. Nothing of it has been read yet. Where there is no other worker, it is ended. With a Node that says other words
 * nothing happens.
 */
export const watchHandoffs = (worker: Worker): (() => void) => {
  const { process } = worker
  /** By number, the listener that each connection came to. */
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
