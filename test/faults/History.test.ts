/** The judge of the histories must see what must not be, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { chanceFrom } from "../fuzz/Chance.ts"
import { type Book, type Event, judgeHistory, type See } from "./History.ts"

const minute = 60_000
const shown = (booking_id: string, status = "held") => ({ booking_id, status, lapses: 15 * minute })
const book = (wish: string, began: number, changes: Partial<Book> = {}): Book => ({
  kind: "book",
  wish,
  slot: "room",
  size: 1,
  began,
  ended: began + 10,
  answer: shown(`b-${wish}`),
  ...changes
})
const see = (wish: string, began: number, status: string, changes: Partial<See> = {}): See => ({
  kind: "see",
  booking_id: `b-${wish}`,
  began,
  ended: began + 10,
  answer: shown(`b-${wish}`, status),
  ...changes
})
const full = { answer: { refused: "slot_unavailable" } }
const silent = { ended: undefined, answer: undefined }
const judged = (events: ReadonlyArray<Event>, capacity = 1): string => {
  const { undecided, violations } = judgeHistory({ slots: new Map([["room", capacity]]), events })
  assert.deepStrictEqual(undecided, [])
  return violations.join("\n")
}

const fine: Readonly<Record<string, readonly [ReadonlyArray<Event>, number?]>> = {
  "a booking that is made, seen, paid and cancelled": [
    [
      book("a", 0),
      see("a", 20, "held"),
      see("a", 40, "confirmed"),
      { kind: "cancel", booking_id: "b-a", began: 60, ended: 70 },
      see("a", 80, "cancelled"),
      book("b", 100)
    ]
  ],
  "one of two at once that is told that the places are taken": [[book("a", 0), book("b", 5, full)]],
  "a call without an answer that took effect": [[book("a", 0, silent), book("b", 20, full), book("a", 40)]],
  "a call without an answer that took no effect": [[book("a", 0, silent), book("b", 20), book("a", 40, full)]],
  "a call without an answer that takes effect later": [[book("a", 0, silent), book("b", 20), book("b", 40)], 2],
  "the same call again, with the same booking": [[book("a", 0), book("a", 20)]],
  "a hold that lapses, and its places with another": [
    [book("a", 0), book("b", 16 * minute), see("a", 17 * minute, "expired")]
  ],
  "a hold that lapses because the clock steps": [
    [book("a", 0), { kind: "clock", at: 50, ahead: 16 * minute }, book("b", 60), see("a", 80, "expired")]
  ],
  "a hold that is paid late, and confirmed all the same": [
    [book("a", 0), see("a", 16 * minute, "expired"), see("a", 17 * minute, "confirmed")]
  ],
  "parties that share what there is": [
    [book("a", 0, { size: 3 }), book("b", 5, { size: 4 }), book("c", 20, { size: 2, ...full })],
    8
  ],
  "a cancellation without an answer": [
    [book("a", 0), { kind: "cancel", booking_id: "b-a", began: 20, ended: undefined }, book("b", 40)]
  ],
  "a refusal that says nothing of places": [[book("a", 0, { answer: { refused: "rate_limited" } }), book("b", 20)]]
}

const wrong: Readonly<Record<string, readonly [ReadonlyArray<Event>, RegExp, number?]>> = {
  "an acknowledged booking that is unseen later": [
    [book("a", 0), see("a", 20, "", { answer: { refused: "booking_not_found" } })],
    /b-a was acknowledged at 10, and is unknown at 20/
  ],
  "two holders of one place at one moment": [[book("a", 0), book("b", 20)], /no order of these calls explains/],
  "two holders who were told at the same time": [[book("a", 0), book("b", 5)], /no order of these calls explains/],
  "two holders of a place whose hold may not have lapsed yet": [
    [book("a", 0), { kind: "clock", at: 50, ahead: 14 * minute }, book("b", 60), see("a", 80, "expired")],
    /no order of these calls explains/
  ],
  "more parties than there are places": [
    [book("a", 0, { size: 3 }), book("b", 20, { size: 4 }), book("c", 40, { size: 2 })],
    /no order of these calls explains/,
    8
  ],
  "places that are told as taken, and that nobody has": [[book("a", 0, full)], /no order of these calls explains/],
  "an acknowledged booking whose places another has later": [
    [book("a", 0), see("a", 20, "confirmed"), book("b", 40, silent), book("b", 60), see("a", 80, "confirmed")],
    /no order of these calls explains/
  ],
  "places that stay taken after a cancellation": [
    [book("a", 0), { kind: "cancel", booking_id: "b-a", began: 20, ended: 30 }, book("b", 40, full)],
    /no order of these calls explains/
  ],
  "a status that goes back": [
    [book("a", 0), see("a", 20, "confirmed"), see("a", 40, "held")],
    /b-a was confirmed at 30, and is held at 40/
  ],
  "a cancelled booking that stands again": [
    [
      book("a", 0),
      { kind: "cancel", booking_id: "b-a", began: 20, ended: 30 },
      see("a", 40, "cancelled"),
      see("a", 60, "confirmed")
    ],
    /b-a was cancelled at 50, and is confirmed at 60/
  ],
  "an idempotency key that gives two bookings": [
    [book("a", 0), book("a", 20, { answer: shown("b-other") })],
    /the key a has several: b-a, b-other/,
    2
  ],
  "a booking of two keys": [
    [book("a", 0), book("c", 20, { answer: shown("b-a") })],
    /the booking b-a has several: a, c/,
    2
  ]
}

/** A slot that keeps its promises, asked by many at once: each call takes effect somewhere between its beginning and its end. */
const soundHistory = (seed: number, capacity: number): ReadonlyArray<Event> => {
  const chance = chanceFrom(seed)
  const calls = Array.from({ length: 30 }, (_, i) => {
    const began = chance.below(400)
    const at = began + chance.below(60)
    return { wish: `w${chance.below(10)}`, looks: i % 3 === 2, began, at, ended: at + chance.below(60) }
  }).sort((a, b) => a.at - b.at)
  const made = new Map<string, number>()
  return calls.flatMap(({ began, ended, looks, wish }): ReadonlyArray<Event> => {
    if (looks) return made.has(wish) ? [see(wish, began, "held", { ended })] : []
    const size = 1 + (Number(wish.slice(1)) % 3)
    const room = [...made.values()].reduce((sum, one) => sum + one, 0) + size <= capacity
    if (room || made.has(wish)) made.set(wish, size)
    // Who gets no answer does not know which it was.
    if (chance.once(4)) return [book(wish, began, { size, ...silent })]
    return [book(wish, began, { size, ended, ...(made.has(wish) ? {} : full) })]
  })
}

describe("the judge of the histories", () => {
  it("decides however many calls had no answer", () => {
    const tries = (wish: string) => Array.from({ length: 100 }, (_, i) => book(wish, i, silent))
    const wishes = ["a", "b", "c", "d", "e", "f"]
    const events = [...wishes.flatMap(tries), book("a", 200), book("b", 200, full), book("c", 300, full)]
    assert.strictEqual(judged(events), "")
    assert.match(judged([...events, book("d", 400)]), /no order/)
  })

  for (const [name, [events, capacity]] of Object.entries(fine))
    it(`lets ${name} pass`, () => assert.strictEqual(judged(events, capacity), ""))
  for (const [name, [events, told, capacity]] of Object.entries(wrong))
    it(`sees ${name}`, () => assert.match(judged(events, capacity), told))

  it("lets whatever many callers at once see of a sound slot pass, and sees one place too many", () => {
    let oversold = 0
    for (let seed = 1; seed <= 30; seed++) {
      const capacity = 1 + (seed % 5)
      const events = soundHistory(seed, capacity)
      assert.strictEqual(judged(events, capacity), "", `seed ${seed}`)
      const wishes = new Set(
        events.flatMap((event) =>
          event.kind === "book" && event.answer !== undefined && "booking_id" in event.answer ? [event.wish] : []
        )
      )
      if (wishes.size === 0) continue
      oversold++
      const size = capacity
      assert.match(judged([...events, book("late", 1000, { size })], capacity), /no order/, `seed ${seed}`)
    }
    assert.isAbove(oversold, 15)
  })
})
