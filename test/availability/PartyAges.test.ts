import { assert, describe, it } from "@effect/vitest"
import { ageIssues } from "../../src/availability/Availability.ts"

const room = { age_min: 2, age_max: 8 }
const told = (children: number, ages?: ReadonlyArray<number>) =>
  ageIssues(room, children, ages).map(({ message }) => message)

describe("the ages of a party's children", () => {
  it("may be left out, and may lie on both bounds", () => {
    assert.deepStrictEqual(told(3), [])
    assert.deepStrictEqual(told(3, []), [])
    assert.deepStrictEqual(told(3, [2, 8, 5]), [])
  })

  it("are as many as the children, or the message says how many that are", () => {
    for (const ages of [[5, 5], [5, 5, 5, 5], [5]]) {
      const [message = "", ...more] = told(3, ages)
      assert.include(message, `each of the 3 children of the option, not ${ages.length}`)
      assert.include(message, "leave child_ages out")
      assert.deepStrictEqual(more, [])
    }
  })

  it("are those that the playroom is for: each other one is named once, however many there are", () => {
    const [message = "", ...more] = told(
      500,
      Array.from({ length: 500 }, (_, i) => i % 18)
    )
    assert.include(message, "for ages 2 to 8, not for 0, 1, 9, 10, 11, 12, 13, 14, 15, 16, 17:")
    assert.include(message, "leave child_ages out")
    assert.deepStrictEqual(more, [])
    assert.lengthOf(told(2, [1, 9, 5]), 2)
  })
})
