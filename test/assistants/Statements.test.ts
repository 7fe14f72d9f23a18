import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../support/Assistant.ts"
import { newKey } from "../support/ToolWorld.ts"
import { textAt } from "./hasty/Reading.ts"
import { statementsOf } from "./hasty/Statements.ts"
import { readVenues } from "./hasty/Truth.ts"
import { emptyTally, verdictsInto } from "./hasty/Verdicts.ts"
import { type Answer, assistantWorld, begin, firstMoment, listening, say } from "./hasty/World.ts"

const contact = { name: "Ana", email: "ana@example.com" }

/** The same value with another one at a path. */
const changed = (value: unknown, [key, ...rest]: ReadonlyArray<string | number>, to: unknown): unknown => {
  if (key === undefined) return to
  if (Array.isArray(value)) return value.map((one, i) => (i === key ? changed(one, rest, to) : one))
  return { ...Object(value), [key]: changed(at(value, key), rest, to) }
}

/** Kinds of false statements that the checks see in an answer. */
const falseIn = Effect.fn("falseIn")(function* (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  result: unknown
) {
  const tally = emptyTally()
  const answer: Answer = { kind: "result", result: Object(result) }
  yield* statementsOf([contact.name], yield* readVenues, verdictsInto(tally)).check(tool, input, answer)
  return tally.falsehoods.map((line) => line.slice(0, line.indexOf(":", line.indexOf(":") + 1)))
})

layer(assistantWorld)("the checks of what is said", (it) => {
  it.effect("see each false statement about a search, an option, a day without any, and a booking", () =>
    Effect.gen(function* () {
      yield* begin(firstMoment)
      const url = yield* listening
      const key = yield* newKey()
      const clapham = (yield* readVenues).find(({ playroom }) => playroom.name === "Sunny Side Clapham")
      const asked = { playroom_id: clapham?.playroom.playroom_id, date: "2026-12-12", children: 10 }
      const got = Effect.fnUntraced(function* (tool: string, input: object) {
        const answer = yield* say(url, key, tool, input)
        return answer.kind === "result" ? answer.result : assert.fail(JSON.stringify(answer))
      })

      const options = yield* got("get_booking_options", asked)
      const price = at(options, "options", 0, "price")
      assert.deepStrictEqual(
        (yield* falseIn("get_booking_options", asked, options)).filter((kind) => kind !== "option: places left"),
        []
      )
      for (const [path, to, kind] of [
        [["options", 0, "price", "total"], Number(at(price, "total")) + 1, "option: total"],
        [["options", 0, "price", "due_now"], 1, "option: due now"],
        [["options", 0, "start"], "2026-12-12T10:30:00+00:00", "option: can be booked"],
        [["options", 0, "places_left"], 24, "option: places left"],
        [["options", 0, "back_if_cancelled"], { refund: 1 }, "option: what comes back"],
        [["options", 0, "price", "lines"], [{ amount: 1 }], "option: sum of its lines"]
      ] as const)
        assert.include(yield* falseIn("get_booking_options", asked, changed(options, path, to)), kind)

      const christmas = { ...asked, date: "2026-12-25" }
      const none = yield* got("get_booking_options", christmas)
      assert.deepStrictEqual(yield* falseIn("get_booking_options", christmas, none), [])
      for (const why of ["fully_booked", "too_soon", "too_far_ahead", "party_too_large", "in_the_past"])
        assert.include(
          yield* falseIn("get_booking_options", christmas, changed(none, ["none_because"], why)),
          "no options: why"
        )
      assert.include(
        yield* falseIn("get_booking_options", christmas, changed(none, ["next_available_date"], "2026-12-27")),
        "no options: next date"
      )

      const day = { city: "London", mode: "shared", children: 2, date: "2026-11-24" }
      const search = yield* got("search_playrooms", day)
      assert.deepStrictEqual(yield* falseIn("search_playrooms", day, search), [])
      for (const [path, to, kind] of [
        [["playrooms", 0, "next_start"], "2026-11-24T03:00:00+00:00", "search: next start can be booked"],
        [["playrooms", 0, "next_start"], "2026-11-26T09:30:00+00:00", "search: day of the next start"],
        [["playrooms", 0, "price_for_party", "amount"], 1, "search: price at next start"]
      ] as const)
        assert.include(yield* falseIn("search_playrooms", day, changed(search, path, to)), kind)

      const long = { city: "Berlin", mode: "shared", children: 2, duration_minutes: 45 }
      const nothing = yield* got("search_playrooms", long)
      assert.deepStrictEqual(yield* falseIn("search_playrooms", long, nothing), [])
      assert.include(
        yield* falseIn("search_playrooms", long, changed(nothing, ["none_because", 0, "excluded"], 7)),
        "empty search: how many excluded"
      )

      const made = yield* got("create_booking", { option_id: textAt(options, "options", 0, "option_id"), contact })
      const truth = yield* falseIn("create_booking", {}, made)
      for (const [path, to, kind] of [
        [["booking", "status"], "confirmed", "booking: status"],
        [["booking", "payment_status"], "paid", "booking: payment_status"],
        [["booking", "price", "total"], 1, "booking: total"],
        [["booking", "paid"], { amount: 10_000 }, "booking: paid"],
        [["booking", "outstanding"], { amount: 12_000 }, "booking: outstanding"],
        [["booking", "due_now"], { amount: 0 }, "booking: due now"],
        [["booking", "refund_if_cancelled_now"], { amount: 10_000 }, "booking: refund if cancelled now"],
        [["booking", "balance"], { amount: { amount: 1 } }, "booking: balance"],
        [["booking", "hold_expires_at"], "2026-11-20T00:16:00+00:00", "booking: end of the hold"],
        [["booking", "terms", "text"], "all back until 30 days before, then nothing", "terms: no step that has passed"],
        [
          ["booking", "terms", "refunds"],
          [{ until: "2026-11-30T10:00:00+00:00", refund: { amount: 10_000 } }],
          "terms: refund of a step"
        ],
        [["next_step"], "Pay £1.23 now.", "sentence: amounts"],
        [["next_step"], "It is for Sun 12 Dec 2026, 10:00–12:00.", "sentence: weekday of a date"],
        [["next_step"], "It is for Sat 12 Dec 2026, 11:00–13:00.", "sentence: when the visit is"],
        [
          ["next_step"],
          "It is for places in open play, beside other families, 10 children.",
          "sentence: places in open play"
        ],
        [["next_step"], "It is for the whole room, 12 children.", "sentence: children"],
        [["next_step"], "The booking is confirmed.", "sentence: The booking is confirmed"],
        [["next_step"], "Nothing more is to be paid.", "sentence: Nothing more is to be paid"],
        [["next_step"], "The places are held until 2026-11-20T00:30:00+00:00.", "sentence: a deadline"],
        [
          ["next_step"],
          "It can move to these starts of that day: 10:30. Nothing more is to be paid.",
          "sentence: another start is free"
        ],
        [
          ["next_step"],
          "It can move to these starts of that day: 10:30, and 7 more. Nothing more is to be paid.",
          "sentence: how many other starts"
        ],
        [
          ["next_step"],
          "Each further child, up to 12 in all, costs £1.23 more. Nothing more is to be paid.",
          "sentence: what further children cost"
        ],
        [
          ["booking", "terms", "text"],
          "If cancelled once all £220.00 is paid: until 2026-12-04 10:00: £120.00 back; afterwards: nothing.",
          "sentence: what comes back until then"
        ],
        [["booking", "terms", "text"], "Nothing that is paid is refunded.", "sentence: nothing is refunded"],
        [["booking", "when"], "Sat 12 Dec 2026, 11:00–13:00", "in words: when"],
        [["booking", "due_now", "display"], "£10.00", "in words: amount"],
        [
          ["other_bookings"],
          [{ status: "confirmed", start: "2026-12-12T15:00:00+00:00" }],
          "sentence: another booking of the person"
        ],
        [["booking", "booking_id"], "booking_01h40000000000000000000000", "booking: exists"]
      ] as const) {
        const seen = yield* falseIn("create_booking", {}, changed(made, path, to))
        assert.isTrue(
          (seen.includes(kind) && !truth.includes(kind)) || kind.startsWith("terms"),
          `${kind}: ${seen.join()}`
        )
        assert.include(seen, kind)
      }
    }).pipe(Effect.scoped)
  )
})
