import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CurrentLoopSlice, inTurns, LoopSlice } from "../../../src/platform/concurrency/LoopSlice.ts"

/** An event loop by hand: a turn accepts at most one connection, then runs what waits for it. */
const loopByHand = () => {
  let now = 0
  let waiting: Array<() => void> = []
  const turn = new LoopSlice({ now: () => now, nextTurn: (task) => void waiting.push(task) }, 10)
  const runTurn = (connects: boolean): void => {
    now += 1
    if (connects) turn.accepted()
    const tasks = waiting
    waiting = []
    for (const task of tasks) task()
  }
  return {
    turn,
    runTurn,
    spend: (ms: number) => {
      now += ms
    },
    now: () => now
  }
}

describe("turns of the event loop", () => {
  it("that bring connections are left to them, and work goes on in the first that brings none", () => {
    const { runTurn, turn } = loopByHand()
    let ran = 0
    turn.next(() => ran++)
    for (let n = 0; n < 5; n++) {
      runTurn(true)
      assert.isTrue(turn.isOver())
    }
    assert.strictEqual(ran, 0)
    runTurn(false)
    runTurn(false)
    assert.strictEqual(ran, 1)
    assert.isFalse(turn.isOver())
  })

  it("are divided evenly between work and connections that never end", () => {
    const { now, runTurn, spend, turn } = loopByHand()
    let [worked, accepted] = [0, 0]
    const work = (): void => {
      worked += 10
      spend(10)
      turn.next(work)
    }
    turn.next(work)
    while (now() < 10_000) {
      runTurn(true)
      accepted += 1
    }
    assert.isAtLeast(worked, 4000)
    assert.isAtLeast(accepted, 4000)
  })

  it("are those of work if the last connection came a while ago", () => {
    const { runTurn, spend, turn } = loopByHand()
    runTurn(true)
    runTurn(false)
    spend(60_000)
    let ran = 0
    turn.next(() => ran++)
    runTurn(false)
    assert.strictEqual(ran, 1)
    // One that comes now has its turn again.
    turn.next(() => ran++)
    runTurn(true)
    assert.strictEqual(ran, 1)
    runTurn(false)
    runTurn(false)
    assert.strictEqual(ran, 2)
  })
})

describe("work in steps", () => {
  it.live("is one at a time, and rests after each slice", () =>
    Effect.gen(function* () {
      let now = 0
      let atWork = 0
      const seen: Array<string> = []
      const loop = {
        now: () => now,
        nextTurn: (task: () => void) => void setImmediate(task),
        afterRest: (task: () => void) => {
          seen.push("rest")
          setImmediate(task)
        }
      }
      const work = (name: string) => () =>
        (function* () {
          assert.strictEqual(++atWork, 1)
          for (let step = 1; step <= 4; step++) {
            seen.push(`${name}${step}`)
            now += 5
            yield
          }
          atWork--
        })()
      yield* Effect.all([inTurns(work("a")), inTurns(work("b"))], { concurrency: 2 }).pipe(
        Effect.provideService(CurrentLoopSlice, new LoopSlice(loop, 10))
      )
      assert.deepStrictEqual(seen.join(" ").replaceAll(/(?:^| )rest/g, " |"), "a1 a2 a3 | a4 b1 b2 b3 | b4")
    })
  )

  it.live("rests as often if much of it is short", () =>
    Effect.gen(function* () {
      let now = 0
      const seen: Array<string> = []
      const loop = {
        now: () => now,
        nextTurn: (task: () => void) => void setImmediate(task),
        afterRest: (task: () => void) => {
          seen.push("rest")
          setImmediate(task)
        }
      }
      const short = (name: number) =>
        inTurns(function* () {
          seen.push(String(name))
          now += 5
          yield
        })
      const turn = new LoopSlice(loop, 10)
      yield* Effect.forEach([1, 2, 3, 4, 5], short, { discard: true }).pipe(
        Effect.provideService(CurrentLoopSlice, turn)
      )
      assert.strictEqual(seen.join(" ").replaceAll(" rest", " |"), "1 2 | 3 4 | 5")
      // What was done a while ago counts no more.
      yield* short(6).pipe(Effect.provideService(CurrentLoopSlice, turn))
      yield* Effect.promise(() => new Promise((resume) => void setImmediate(resume)))
      now += 60_000
      seen.length = 0
      yield* short(7).pipe(Effect.provideService(CurrentLoopSlice, turn))
      assert.deepStrictEqual(seen, ["7"])
    })
  )
})
