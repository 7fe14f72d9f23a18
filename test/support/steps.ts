import type { Steps } from "../../src/platform/concurrency/LoopTurn.ts"

/** What work in steps comes to, done at once. */
export const result = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
