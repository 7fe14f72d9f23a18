/** The judge of the histories must see what must not be, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { chanceFrom } from "../fuzz/Chance.ts"
import { type Book, type Event, judgeHistory, type Move, type See } from "./History.ts"
import { faultKinds, scriptOf, topologies } from "./Script.ts"

const minute = 60_000
const shown = (booking_id: string, status = "held", slot = "room") => ({
  booking_id,
  status,
  slot,
  lapses: 15 * minute
})
const book = (wish: string, began: number, changes: Partial<Book> = {}): Book => ({
  kind: "book",
  wish,
  slot: "room",
  size: 1,
  began,
  ended: began + 10,
  answer: shown(`b-${wish}`, "held", changes.slot),
  ...changes
})
const see = (wish: string, began: number, status: string, changes: Partial<See> = {}, slot = "room"): See => ({
  kind: "see",
  booking_id: `b-${wish}`,
  began,
  ended: began + 10,
  answer: shown(`b-${wish}`, status, slot),
  ...changes
})
const seeIn = (slot: string, wish: string, began: number) => see(wish, began, "confirmed", {}, slot)
const move = (wish: string, began: number, changes: Partial<Move> = {}): Move => ({
  kind: "move",
  booking_id: `b-${wish}`,
  slot: "hall",
  size: 1,
  began,
  ended: began + 10,
  answer: "moved",
  ...changes
})
const inHall = { slot: "hall" }
const full = { answer: { refused: "slot_unavailable" } }
const silent = { ended: undefined, answer: undefined }
const judged = (events: ReadonlyArray<Event>, capacity = 1): string => {
  const slots = new Map([
    ["room", capacity],
    ["hall", capacity],
    ["attic", capacity]
  ])
  const { undecided, violations } = judgeHistory({ slots, events })
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
  "a move: another has the old place, and nobody the new one": [
    [book("a", 0), move("a", 20), book("b", 40), book("c", 40, { ...inHall, ...full }), seeIn("hall", "a", 60)]
  ],
  "a move at the same time as those who want both places": [
    [book("a", 0), move("a", 20, { ended: 100 }), book("b", 30), book("c", 50, { ...inHall, ...full })]
  ],
  "a move that comes too late": [
    [book("a", 0), book("b", 0, inHall), move("a", 20, full), book("c", 40, full), seeIn("room", "a", 60)]
  ],
  "a move there and back": [[book("a", 0), move("a", 20), move("a", 40, { slot: "room" }), seeIn("room", "a", 60)]],
  "a move without an answer that was made": [
    [book("a", 0), move("a", 20, silent), book("b", 40), book("c", 40, { ...inHall, ...full }), seeIn("hall", "a", 60)]
  ],
  "a move without an answer that was not made": [
    [book("a", 0), move("a", 20, silent), book("b", 40, full), book("c", 40, inHall), seeIn("room", "a", 60)]
  ],
  "a move without an answer that is made later, and then answered": [
    [book("a", 0), move("a", 20, silent), seeIn("room", "a", 40), book("b", 60), move("a", 80), seeIn("hall", "a", 100)]
  ],
  "parties that move to where places are left": [
    [
      book("a", 0, { size: 3 }),
      book("b", 20, { ...inHall, size: 5 }),
      move("a", 40, { size: 3 }),
      book("c", 60, { size: 8 })
    ],
    8
  ],
  "a refusal of a move that says nothing of places": [
    [book("a", 0), move("a", 20, { answer: { refused: "refund_pending" } }), seeIn("room", "a", 40)]
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
  "an old place that is still taken after an acknowledged move": [
    [book("a", 0), move("a", 20), book("b", 40, full)],
    /room of 1, hall of 1: no order of these calls explains/
  ],
  "a booking that is seen at its old place after an acknowledged move": [
    [book("a", 0), move("a", 20), seeIn("room", "a", 40)],
    /no order of these calls explains/
  ],
  "a new place that another gets after an acknowledged move": [
    [book("a", 0), move("a", 20), book("b", 40, inHall)],
    /no order of these calls explains/
  ],
  "two holders of one place by a move": [[book("a", 0), book("b", 0, inHall), move("a", 20)], /✗ a is moved to hall/],
  "two holders of one place by two moves": [
    [book("a", 0), book("b", 0, { slot: "attic" }), move("a", 20), move("b", 25)],
    /no order of these calls explains/
  ],
  "a move half done: the old place is another's, and the new one too": [
    [book("a", 0), move("a", 20, silent), book("b", 40), book("c", 60, inHall)],
    /no order of these calls explains/
  ],
  "a move half done: both places are taken": [
    [
      book("a", 0),
      move("a", 20, silent),
      book("b", 40, full),
      book("c", 60, { ...inHall, ...full }),
      book("d", 80, full)
    ],
    /no order of these calls explains/
  ],
  "a move that took effect before it was asked": [
    [book("a", 0), book("b", 20), move("a", 40), seeIn("hall", "a", 60)],
    /no order of these calls explains/
  ],
  "a move that was refused, and made": [
    [book("a", 0), move("a", 20, full), seeIn("hall", "a", 40)],
    /no order of these calls explains/
  ],
  "a move that is told to come too late where nobody has the place": [
    [book("a", 0), move("a", 20, full)],
    /✗ a is told that it can't move to hall/
  ],
  "a place that is kept though its booking moved away and was cancelled": [
    [book("a", 0), move("a", 20), { kind: "cancel", booking_id: "b-a", began: 40, ended: 50 }, book("b", 60, full)],
    /no order of these calls explains/
  ],
  "an acknowledged booking that its move does not know": [
    [book("a", 0), move("a", 20, { answer: { refused: "booking_not_found" } })],
    /b-a was acknowledged at 10, and is unknown at 20/
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

/**
 * Two slots that keep their promises, asked by many at once: each call takes effect somewhere between its beginning and
 * its end.
 */
const soundHistory = (seed: number, capacity: number): ReadonlyArray<Event> => {
  const chance = chanceFrom(seed)
  const calls = Array.from({ length: 40 }, (_, i) => {
    const began = chance.below(500)
    const at = began + chance.below(60)
    const does = chance.one(["book", "book", "look", "move"] as const)
    return { wish: `w${chance.below(10)}`, does: i < 5 ? "book" : does, began, at, ended: at + chance.below(60) }
  }).sort((a, b) => a.at - b.at)
  const made = new Map<string, { readonly slot: string; readonly size: number }>()
  const taken = (slot: string) => [...made.values()].reduce((sum, one) => sum + (one.slot === slot ? one.size : 0), 0)
  return calls.flatMap(({ began, does, ended, wish }): ReadonlyArray<Event> => {
    const one = made.get(wish)
    const size = 1 + (Number(wish.slice(1)) % 3)
    if (does === "look") return one === undefined ? [] : [see(wish, began, "held", { ended }, one.slot)]
    if (does === "move") {
      if (one === undefined) return []
      const slot = chance.one(["room", "hall"])
      const goes = one.slot === slot || taken(slot) + size <= capacity
      if (goes) made.set(wish, { slot, size })
      return [move(wish, began, { slot, size, ...(chance.once(4) ? silent : { ended, ...(goes ? {} : full) }) })]
    }
    const slot = Number(wish.slice(1)) < 7 ? "room" : "hall"
    if (one === undefined && taken(slot) + size <= capacity) made.set(wish, { slot, size })
    // Who gets no answer does not know which it was.
    if (chance.once(4)) return [book(wish, began, { slot, size, ...silent })]
    const now = made.get(wish)?.slot
    return [
      book(wish, began, {
        slot,
        size,
        ended,
        ...(now === undefined ? full : { answer: shown(`b-${wish}`, "held", now) })
      })
    ]
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

  it("lets whatever many callers at once see of sound slots pass, and sees one place too many", () => {
    let oversold = 0
    let moves = 0
    for (let seed = 1; seed <= 60; seed++) {
      const capacity = 1 + (seed % 5)
      const events = soundHistory(seed, capacity)
      assert.strictEqual(judged(events, capacity), "", `seed ${seed}`)
      const told = new Set(
        events.flatMap((event) =>
          event.kind === "book" && event.answer !== undefined && "booking_id" in event.answer
            ? [event.answer.booking_id]
            : []
        )
      )
      const held = events
        .filter((event) => event.kind === "see")
        .findLast(({ booking_id }) => told.has(booking_id))?.answer
      moves += events.filter((event) => event.kind === "move" && event.answer === "moved").length
      if (held === undefined || !("slot" in held)) continue
      oversold++
      const { slot } = held
      // All of the slot at once, again and again: never are all of its parties elsewhere.
      const more = book("late", 1000, { slot, size: capacity })
      const stays = see(held.booking_id.slice(2), 1100, "held", {}, slot)
      assert.match(judged([...events, more, stays], capacity), /no order/, `seed ${seed}`)
    }
    assert.isAbove(oversold, 30)
    assert.isAbove(moves, 60)
  })
})

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
