/**
 * What a start leaves behind is collected once, when the service rests. V8 would keep it until it needs the room: 35 MB of 150, most of
 * them for new objects. It takes about a tenth of a second of processor time, in which nobody is answered, so it waits for a pause.
 */
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** A service that was busy for no more than this part of a second rests. */
const atRest = 0.1

/** Node has no other way to ask for it than the function that this option adds to contexts made afterwards. */
const collect = (): void => {
  setFlagsFromString("--expose-gc")
  const gc: unknown = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  // Only as a last resort V8 gives the room for new objects back, too.
  if (typeof gc === "function") gc({ type: "major", execution: "sync", flavor: "last-resort" })
}

/** Waits for the first second of rest and collects. */
export const collectAtRest = Effect.gen(function* () {
  let before = performance.eventLoopUtilization()
  const busy = Effect.sync(() => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    return utilization > atRest
  })
  while (yield* Effect.delay(busy, "1 second"));
  yield* Effect.sync(collect)
})
