import { assert, it } from "@effect/vitest"
import { Line } from "../../src/kernel/Line.ts"

it("a line keeps the order in which things came, whoever leaves, and whoever joins another", () => {
  const [one, other] = [new Line<string>(), new Line<string>()]
  const [a, b, c, d] = [..."abcd"].map((name) => one.add(name))
  assert.deepStrictEqual([...one], [..."abcd"])
  b?.join(other)
  a?.join(other)
  assert.deepStrictEqual([[...one].join(""), [...other].join("")], ["cd", "ba"])
  assert.strictEqual(a?.line, other)
  // The last, the first, and to the end of its own.
  d?.leave()
  d?.leave()
  b?.join(other)
  assert.deepStrictEqual([[...one].join(""), [...other].join("")], ["c", "ab"])
  c?.leave()
  assert.isUndefined(one.first)
  assert.isUndefined(one.last)
  d?.join(one)
  assert.deepStrictEqual([...one], ["d"])
  assert.isUndefined(c?.line)
})
