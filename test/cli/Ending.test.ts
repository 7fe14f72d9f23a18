import { assert, describe, it } from "@effect/vitest"
import { Cause, Exit } from "effect"
import { endingOf, unfinished } from "../../src/cli/Ending.ts"

describe("a process", () => {
  it("ends well only where its work is done, or a signal stopped it", () => {
    const interrupted = Exit.failCause(Cause.interrupt(1))
    assert.deepStrictEqual(endingOf(Exit.succeed("done"), false), { code: 0 })
    assert.deepStrictEqual(endingOf(interrupted, true), { code: 0 })
    assert.strictEqual(endingOf(interrupted, false).code, 1)
    assert.include(endingOf(interrupted, false).says, "cut off")
    assert.deepStrictEqual(endingOf(Exit.fail("told already"), true), { code: 1 })
  })

  it("whose work is left in the middle does not end as if it were done", () => {
    assert.strictEqual(unfinished(0).code, 1)
    assert.include(unfinished(0).says, "cut off")
    assert.deepStrictEqual(unfinished(130), { code: 130 })
  })
})
