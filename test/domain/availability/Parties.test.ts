import { assert, describe, it } from "@effect/vitest"
import { addOnIssues, ageIssues, claimsFor, partyProblem } from "../../../src/domain/availability/Availability.ts"
import { minuteMs } from "../../../src/platform/time/LocalTime.ts"
import {
  at,
  party,
  bubbleMachine,
  cake,
  host,
  lunchBox,
  openPlay,
  packageWith,
  partyHall,
  saturdayParty,
  venueWith,
  wholeHall
} from "../../support/venues.ts"

const saturday = "2026-12-05"

describe("Parties", () => {
  it("are too small or too large by the package, the room, its adults, and add-ons for every child", () => {
    const fewBoxes = { ...lunchBox, stock: 10 }
    const venue = venueWith({ capacity: 20 }, [saturdayParty], [fewBoxes])
    const boxes = [{ add_on_id: fewBoxes.add_on_id, quantity: 1 }]
    const problems = [
      party(3),
      party(4),
      party(20),
      party(21),
      party(4, 31),
      party(10, 0, boxes),
      party(11, 0, boxes)
    ].map((who) => partyProblem(venue, saturdayParty, who))
    const [small, large] = ["party_too_small", "party_too_large"] as const
    assert.deepStrictEqual(problems, [small, undefined, undefined, large, large, undefined, large])
  })

  it("are too large where the price could not be paid at once", () => {
    const dear = packageWith({
      max_children: 30,
      pricing: { base: 0, included_children: 0, extra_child: 10_000_000, adult: 0, rules: [] }
    })
    assert.isUndefined(partyProblem(partyHall, dear, party(9)))
    assert.strictEqual(partyProblem(partyHall, dear, party(10)), "party_too_large")
  })

  it("claim the room and every add-on with stock once each, in order of resource id", () => {
    const start = at(saturday, "10:00")
    const boxes = { ...lunchBox, stock: 50 }
    const venue = venueWith({}, [], [boxes, host, cake, bubbleMachine])
    const choose = (...ids: ReadonlyArray<readonly [{ add_on_id: typeof cake.add_on_id }, number]>) =>
      ids.map(([{ add_on_id }, quantity]) => ({ add_on_id, quantity }))
    const who = party(7, 2, choose([bubbleMachine, 1], [boxes, 1], [cake, 2], [bubbleMachine, 1]))
    const time = { start: start - 30 * minuteMs, end: start + 165 * minuteMs, whole: false }
    assert.deepStrictEqual(claimsFor(venue, wholeHall, who, start), [
      { resource_id: boxes.add_on_id, quantity: 7, ...time },
      { resource_id: bubbleMachine.add_on_id, quantity: 2, ...time },
      { resource_id: venue.playroom.playroom_id, quantity: 30, ...time, whole: true }
    ])
    const [places] = claimsFor(venue, openPlay, party(7), start)
    assert.deepStrictEqual([places?.quantity, places?.whole], [7, false])
  })

  it("have add-ons that the playroom sells, each once, as many as it allows and has", () => {
    const issues = (...choices: ReadonlyArray<readonly [{ add_on_id: typeof cake.add_on_id }, number]>) =>
      addOnIssues(
        partyHall,
        party(
          5,
          0,
          choices.map(([{ add_on_id }, quantity]) => ({ add_on_id, quantity }))
        )
      ).map(({ path }) => path)
    assert.deepStrictEqual(issues([host, 1], [cake, 3], [lunchBox, 1], [bubbleMachine, 2]), [])
    assert.deepStrictEqual(issues([host, 2], [cake, 4], [lunchBox, 5], [bubbleMachine, 0]), [
      "add_ons[0].quantity",
      "add_ons[1].quantity",
      "add_ons[2].quantity",
      "add_ons[3].quantity"
    ])
    assert.deepStrictEqual(issues([cake, 1], [cake, 1]), ["add_ons[1].add_on_id"])
    assert.deepStrictEqual(
      addOnIssues(venueWith({}), party(1, 0, [{ add_on_id: cake.add_on_id, quantity: 1 }])).map(({ path }) => path),
      ["add_ons[0].add_on_id"]
    )
    const scarce = venueWith({}, [], [{ ...bubbleMachine, max_quantity: 5 }])
    const [issue] = addOnIssues(scarce, party(1, 0, [{ add_on_id: bubbleMachine.add_on_id, quantity: 3 }]))
    assert.strictEqual(
      issue?.message,
      `At most 2 of ${bubbleMachine.add_on_id} in one booking, or leave add_ons[0] out`
    )
  })
})

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
      // H6: nobody has to invent one; but ages that the playroom is not for are not passed over.
      assert.include(message, "ask the person for all of them, leave child_ages out, or take")
      assert.notInclude(told(3, [5, 12]).join(" "), "leave child_ages out")
      assert.deepStrictEqual(more, [])
    }
  })

  it("are those that the playroom is for: each other one is named once, however many there are", () => {
    const [message = "", ...more] = told(
      500,
      Array.from({ length: 500 }, (_, i) => i % 18)
    )
    assert.include(message, "for ages 2 to 8, not for 0, 1, 9, 10, 11, 12, 13, 14, 15, 16, 17")
    assert.notInclude(message, "search_playrooms")
    assert.notInclude(message, "leave")
    assert.deepStrictEqual(more, [])
    assert.lengthOf(told(2, [1, 9, 5]), 2)
  })
})
