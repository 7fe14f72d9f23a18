import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { chanceFrom } from "../fuzz/Chance.ts"
import { objectionTo, visitIn } from "./hasty/Person.ts"
import { readVenues } from "./hasty/Truth.ts"
import { type Wish, wishFor } from "./hasty/Wishes.ts"
import { assistantWorld, begin, firstMoment } from "./hasty/World.ts"

layer(assistantWorld)("a person who reads what they are told", (it) => {
  it.effect("objects to what a sentence shows to be wrong, and to nothing that none shows", () =>
    Effect.gen(function* () {
      yield* begin(firstMoment)
      const venues = yield* readVenues
      const [clapham, hackney] = ["Sunny Side Clapham", "Hackney Commons Playroom"].map((name) =>
        venues.find(({ playroom }) => playroom.name === name)
      )
      if (clapham === undefined || hackney === undefined) return assert.fail("the demo has another London")
      const wish: Wish = {
        ...wishFor("birthday", chanceFrom(1), venues, firstMoment, "1"),
        mode: "exclusive",
        children: 12,
        city: "London",
        venue: clapham,
        weekdays: ["saturday"],
        first: "2026-12-05",
        last: "2026-12-26",
        budget: { amount: 30_000, currency: "GBP" }
      }
      const room = "the whole room, 12 children"
      for (const [told, wrong] of [
        [`It is for Sat 12 Dec 2026, 10:00–12:00: ${room}.`, undefined],
        [`It is for Sun 13 Dec 2026, 10:00–12:00: ${room}.`, "day"],
        [`It is for Sat 9 Jan 2027, 10:00–12:00: ${room}.`, "day"],
        // Nobody knows by heart which date is a Saturday.
        ["from 2026-12-13T10:00:00+00:00, Saturday party", undefined],
        ["It is for Sat 12 Dec 2026, 10:00–12:00: places in open play, beside other families, 12 children.", "mode"],
        ["It is for Sat 12 Dec 2026, 10:00–12:00: the whole room, 2 children.", "party"],
        ["Booked at Hackney Commons Playroom: K7M2-9QXD.", "place"],
        ["Sat 12 Dec 2026, 10:00–12:00, exclusive, in all £264.00", undefined],
        ["Sat 12 Dec 2026, 10:00–12:00, exclusive, in all £1,264.00", "price"],
        // A deadline is not the day of the visit, nor is another booking's.
        ["Free to move until Sun 13 Dec 2026, 10:00.", undefined],
        ["This e-mail address also has bookings at Sun 13 Dec 2026, 10:00 (held), in other_bookings.", undefined]
      ] as const)
        assert.strictEqual(objectionTo(wish, told, venues), wrong, told)
      const page = `Saturday party, ${clapham.playroom.name}, Saturday 12 December 2026, 10:00: ${room} (deposit)`
      assert.deepStrictEqual(visitIn(page, venues, true), {
        weekday: "saturday",
        date: "2026-12-12",
        minutes: 600,
        mode: "exclusive",
        children: 12,
        place: clapham
      })
    })
  )
})
