import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventLimits, SenderQueues, type Turn, turnLimits } from "../../../src/surfaces/http/ConnectionShares.ts"

const limits = {
  ...turnLimits,
  // However long the machine stalls.
  longest: 60_000,
  perRun: 2,
  perSender: 2,
  perSite: 4,
  waitingPerSender: 3,
  waitingPerSite: 5
}

/** Takes turns and notes, by name, what began and what was refused. */
const recorded = (turns: SenderQueues) => {
  const begun: Array<string> = []
  const refused: Array<string> = []
  const take = (key: string, site: string, name: string): Turn =>
    turns.take(
      { key, site, isOver: key === "over" },
      () => begun.push(name),
      () => refused.push(name)
    )
  return { begun, refused, take }
}

/** Some runs of the event loop. */
const runs = (count: number) =>
  Effect.promise(async () => {
    for (let n = 0; n < count; n++) await new Promise((done) => setImmediate(done))
  })

describe("turns", () => {
  it.live(
    "a sender has a share of work at once, then of places to wait; what is beyond is refused; others begin at once",
    () =>
      Effect.gen(function* () {
        const turns = new SenderQueues(limits)
        const { begun, refused, take } = recorded(turns)
        const flood = [1, 2, 3, 4, 5].map((n) => take("a", "a", `a${n}`))
        take("b", "b", "b1")
        // One in each run of the event loop, so that what others sent is read in between.
        assert.deepStrictEqual(begun, ["a1", "b1"])
        assert.deepStrictEqual(refused, ["a5"])
        yield* runs(3)
        assert.deepStrictEqual(begun, ["a1", "b1", "a2"])
        // One that leaves while it waits does not begin.
        flood[2]?.end()
        flood[0]?.end()
        flood[0]?.end()
        yield* runs(2)
        assert.deepStrictEqual(begun, ["a1", "b1", "a2", "a4"])
        for (const turn of flood) turn.end()
        yield* runs(2)
        assert.strictEqual(turns.size, 1)
      })
  )

  it.live("a sender uses the share of a site while nobody else has requests, and its own as soon as somebody has", () =>
    Effect.gen(function* () {
      const { begun, take } = recorded(new SenderQueues({ ...limits, waitingPerSender: 10, waitingPerSite: 10 }))
      const flood = [1, 2, 3, 4, 5, 6, 7].map((n) => take("a", "a", `a${n}`))
      yield* runs(6)
      assert.deepStrictEqual(begun, ["a1", "a2", "a3", "a4"])
      take("b", "b", "b1")
      for (const turn of flood.slice(0, 2)) turn.end()
      yield* runs(6)
      assert.deepStrictEqual(begun, ["a1", "a2", "a3", "a4", "b1"])
      flood[2]?.end()
      yield* runs(6)
      assert.deepStrictEqual(begun.slice(5), ["a5"])
    })
  )

  it.live("deliveries of a sender begin at once, within its share, and each that ends lets one more begin", () =>
    Effect.gen(function* () {
      const turns = new SenderQueues({ ...limits, perRun: eventLimits.perRun, waitingPerSender: 9, waitingPerSite: 9 })
      const { begun, take } = recorded(turns)
      const burst = [1, 2, 3, 4, 5, 6, 7].map((n) => take("a", "a", `a${n}`))
      assert.deepStrictEqual(begun, ["a1", "a2", "a3", "a4"])
      for (const turn of burst.slice(0, 3)) turn.end()
      yield* runs(1)
      assert.deepStrictEqual(begun.slice(4), ["a5", "a6", "a7"])
      for (const turn of burst) turn.end()
      const over = [1, 2, 3].map((n) => take("over", "over", `over${n}`))
      while (!begun.includes("over1")) yield* runs(1)
      assert.notInclude(begun, "over2", "told to wait: one by one")
      for (const turn of over) turn.end()
    })
  )

  it.live("the /64s of one /48 take turns within a share of their own", () =>
    Effect.gen(function* () {
      const { begun, refused, take } = recorded(new SenderQueues(limits))
      const working = ["a", "b"].flatMap((key) => [take(key, "site", `${key}1`), take(key, "site", `${key}2`)])
      yield* runs(3)
      assert.deepStrictEqual(begun, ["a1", "b1", "a2", "b2"])
      for (const name of ["a3", "a4", "c1", "c2", "d1", "d2"]) take(name.slice(0, 1), "site", name)
      assert.deepStrictEqual(refused, ["d2"])
      for (const turn of working) turn.end()
      yield* runs(4)
      assert.deepStrictEqual(begun.slice(4), ["a3", "c1", "d1", "a4"])
    })
  )

  it.live(
    "a request that takes long holds up nobody, one that waits long is told so, and nothing is kept of either",
    () =>
      Effect.gen(function* () {
        const turns = new SenderQueues({
          ...limits,
          waitingPerSender: 9,
          waitingPerSite: 9,
          longest: 20,
          longestWait: 60_000
        })
        const { begun, take } = recorded(turns)
        const all = [1, 2, 3, 4, 5, 6].map((n) => take("a", "a", `a${n}`))
        while (begun.length < 6) yield* Effect.sleep("5 millis")
        for (const turn of all) turn.end()
        yield* runs(2)
        assert.strictEqual(turns.size, 0)
        const impatient = new SenderQueues({ ...limits, longestWait: 500 })
        const later = recorded(impatient)
        const held = [1, 2, 3, 4].map((n) => later.take("a", "a", `a${n}`))
        while (later.begun.length < 4) yield* runs(1)
        held.push(later.take("a", "a", "a5"))
        while (later.refused.length === 0) yield* Effect.sleep("5 millis")
        assert.deepStrictEqual(later.refused, ["a5"])
        for (const turn of held) turn.end()
        yield* runs(2)
        assert.strictEqual(impatient.size, 0)
      })
  )

  it.live("a sender that was told to wait and goes on begins one request now and then, however many it has", () =>
    Effect.gen(function* () {
      const flooded = Effect.gen(function* () {
        const turns = recorded(new SenderQueues({ ...limits, longestWait: 60_000 }))
        const before = performance.now()
        const flood = [1, 2, 3].map((n) => turns.take("over", "over", `over${n}`))
        yield* runs(5)
        const stalled = performance.now() - before > 20
        if (stalled) for (const turn of flood) turn.end()
        return { ...turns, flood, stalled }
      })
      // One is let in every 25 ms: on a machine that stalled for so long nothing is known of the moments before.
      const { begun, flood, take } = yield* Effect.repeat(flooded, { until: ({ stalled }) => !stalled })
      assert.deepStrictEqual(begun, [])
      take("b", "b", "b1")
      assert.deepStrictEqual(begun, ["b1"])
      while (begun.length < 2) yield* Effect.sleep("1 millis")
      assert.deepStrictEqual(begun, ["b1", "over1"])
      flood[0]?.end()
      yield* runs(5)
      while (begun.length < 4) yield* Effect.sleep("5 millis")
      assert.deepStrictEqual(begun, ["b1", "over1", "over2", "over3"])
    })
  )
})
