import { assert, describe, it } from "@effect/vitest"
import { WaitingConnections } from "../../src/api/WaitingConnections.ts"
import { surplusConnections } from "../../src/kernel/OpenFiles.ts"

/** Enters connections named after their address and number; answers those that went for them. */
const enter = (waiting: WaitingConnections<string>, address: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => waiting.enter(`${address} ${from + n}`, address)).filter(
    (ended) => ended !== undefined
  )
const all = (waiting: WaitingConnections<string>) => {
  const taken: Array<string> = []
  for (let one = waiting.take(); one !== undefined; one = waiting.take()) taken.push(one)
  return taken
}

describe("connections that wait for a worker", () => {
  it("are taken in the order in which they came, and each once", () => {
    const waiting = new WaitingConnections<string>(100, [])
    enter(waiting, "192.0.2.1", 2)
    enter(waiting, "192.0.2.2", 1)
    assert.strictEqual(waiting.take(), "192.0.2.1 0")
    enter(waiting, "192.0.2.1", 1, 2)
    assert.deepStrictEqual(all(waiting), ["192.0.2.1 1", "192.0.2.2 0", "192.0.2.1 2"])
    assert.strictEqual(waiting.size, 0)
  })

  it("make place for a newcomer at the cost of whoever has the most, however many come", () => {
    const limit = 100
    const most = limit + surplusConnections(limit)
    const waiting = new WaitingConnections<string>(limit, [], () => 0)
    const ended = enter(waiting, "192.0.2.9", 10_000)
    assert.strictEqual(waiting.size, most)
    assert.lengthOf(ended, 10_000 - most)
    for (let n = 1; n <= 20; n++) assert.deepStrictEqual(enter(waiting, `198.51.100.${n}`, 1), [`192.0.2.9 ${n - 1}`])
    // The flood goes on, and costs itself.
    assert.isTrue(enter(waiting, "192.0.2.9", 1000, 10_000).every((one) => one.startsWith("192.0.2.9 ")))
    const left = all(waiting)
    assert.lengthOf(
      left.filter((one) => one.startsWith("198.51.100.")),
      20
    )
  })

  it("of many addresses with few each are bounded, too; those of trusted proxies go last", () => {
    const limit = 100
    let now = 0
    const waiting = new WaitingConnections<string>(limit, ["10.0.0.0/8"], () => (now += 3))
    enter(waiting, "10.0.0.1", 40)
    for (let n = 0; n < 2000; n++) enter(waiting, `198.51.${n % 100}.${Math.floor(n / 100)}`, 1)
    assert.isAtMost(waiting.size, limit + surplusConnections(limit))
    assert.lengthOf(
      all(waiting).filter((one) => one.startsWith("10.0.0.1 ")),
      40
    )
  })

  it("that were taken leave their place to others", () => {
    const waiting = new WaitingConnections<string>(10, [])
    for (let n = 0; n < 1000; n++) {
      assert.deepStrictEqual(enter(waiting, "192.0.2.1", 5, 5 * n), [])
      for (let i = 0; i < 5; i++) waiting.take()
    }
    assert.strictEqual(waiting.size, 0)
  })
})
