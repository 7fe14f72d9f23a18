/**
 * Processes that play callers, so that making calls is not measured with what answers them. Each reads a plan and tells
 * what it found.
 */
import { Cause, Effect, Queue, Schema, Stream } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/**
 * The processor that callers have to themselves, if what answers them was bound to others
 * (`taskset -c 0 npm run bench`).
 */
const ownProcessor = process.env["CALLERS_CPU"]

/** Starts a script of this folder, which reads its plan from standard input. It is killed with the scope. */
export const startCallers = (script: string, plan: object) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const node = [process.execPath, fileURLToPath(new URL(script, import.meta.url))] as const
      const [program, ...args] = ownProcessor === undefined ? node : ["taskset", "-c", ownProcessor, ...node]
      const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] })
      child.stdin.end(JSON.stringify(plan))
      return child
    }),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        child.kill("SIGKILL")
      })
  )

/**
 * All that they tell, a line at a time, until they are done. Without a good end there are no figures: that is a defect.
 */
export const toldBy = <A>(script: string, plan: object, schema: Schema.ConstraintDecoder<A>): Stream.Stream<A> => {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(schema))
  return Stream.callback<string>((queue) =>
    Effect.map(startCallers(script, plan), (child) => {
      createInterface({ input: child.stdout }).on("line", (line) => void Queue.offerUnsafe(queue, line))
      child.once("close", (code, signal) => {
        if (code === 0) Queue.endUnsafe(queue)
        else Queue.failCauseUnsafe(queue, Cause.die(new Error(`${script} ended with ${signal ?? code}`)))
      })
    })
  ).pipe(Stream.mapEffect((line) => Effect.orDie(decode(line))))
}

/** The one thing that they tell, once they are done. */
export const foundBy = <A>(script: string, plan: object, schema: Schema.ConstraintDecoder<A>): Effect.Effect<A> =>
  Effect.orDie(Effect.flatMap(Stream.runLast(toldBy(script, plan, schema)), Effect.fromOption))
