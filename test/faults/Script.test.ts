import { assert, describe, it } from "@effect/vitest"
import { faultKinds, scriptOf, topologies } from "./Script.ts"

describe("the script of a run of faults", () => {
  it("is the same for the same seed, with its e-mail addresses and keys, and another for another", () => {
    assert.deepStrictEqual(scriptOf(7, 2, 4), scriptOf(7, 2, 4))
    assert.notDeepEqual(scriptOf(7, 2, 4).phases, scriptOf(8, 2, 4).phases)
  })

  it("has each fault, each kind of service and each way to move within a few runs, and no family's name twice", () => {
    const scripts = Array.from({ length: 30 }, (_, run) => scriptOf(1, run, 4))
    const phases = scripts.flatMap((script) => script.phases)
    assert.sameMembers([...new Set(phases.map(({ kind }) => kind))], [...faultKinds])
    assert.sameMembers([...new Set(scripts.map(({ topology }) => topology))], [...topologies])
    const movers = phases.flatMap(({ families }) => families.filter(({ moves, pays }) => pays && moves !== "no"))
    assert.sameMembers([...new Set(movers.map(({ moves }) => moves))], ["there", "there and back"])
    assert.sameMembers([...new Set(movers.map(({ byCommand }) => byCommand))], [true, false])
    assert.sameMembers([...new Set(movers.map(({ cancelled }) => cancelled))], [true, false])
    const names = phases.flatMap(({ families }) => families.map(({ name }) => name))
    assert.strictEqual(new Set(names).size, names.length)
  })
})
