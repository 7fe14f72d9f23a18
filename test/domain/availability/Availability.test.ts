import { assert, describe, it } from "@effect/vitest"
import { bookable, type Calendar, noneBecause } from "../../../src/domain/availability/Availability.ts"
import { minuteMs } from "../../../src/platform/time/LocalTime.ts"
import {
  at,
  bubbleMachine,
  closureId,
  openPlay,
  party,
  partyHall,
  saturdayParty,
  sell,
  softPlay,
  venueWith,
  wholeHall
} from "../../support/venues.ts"

const now = at("2026-11-20", "09:00")
const saturday = "2026-12-05"
const empty: Calendar = { closures: [], taken: new Map() }

describe("What can be booked", () => {
  it("25 places of open play: 25 come, and the 26th does not", () => {
    const start = at(saturday, "10:00")
    const full = sell(softPlay, openPlay, party(25), start, empty)
    assert.deepStrictEqual(bookable(softPlay, openPlay, party(1), start, full, now), {
      ok: false,
      because: "fully_booked"
    })
    const nearly = sell(softPlay, openPlay, party(23), start, empty)
    assert.deepStrictEqual(bookable(softPlay, openPlay, party(1), start, nearly, now), { ok: true, places_left: 2 })
    assert.isFalse(bookable(softPlay, openPlay, party(3), start, nearly, now).ok)
    assert.deepStrictEqual(bookable(softPlay, openPlay, party(1), at(saturday, "11:00"), full, now), {
      ok: true,
      places_left: 25
    })
  })

  it("places left are those that are free, however few one booking may take, and fewer once some are sold", () => {
    const start = at(saturday, "10:00")
    const small = { ...openPlay, max_children: 6 }
    assert.deepStrictEqual(bookable(softPlay, small, party(2), start, empty, now), { ok: true, places_left: 25 })
    const sold = sell(softPlay, small, party(2), start, empty)
    assert.deepStrictEqual(bookable(softPlay, small, party(2), start, sold, now), { ok: true, places_left: 23 })
    const nearly = sell(softPlay, openPlay, party(20), start, sold)
    assert.deepStrictEqual(bookable(softPlay, small, party(2), start, nearly, now), { ok: true, places_left: 3 })
  })

  it("a party excludes open play and open play a party, set-up and clean-up included", () => {
    const start = at(saturday, "12:30")
    const withParty = sell(softPlay, saturdayParty, party(12), start, empty)
    const open = (time: string) => bookable(softPlay, openPlay, party(1), at(saturday, time), withParty, now).ok
    // Set-up from 12:15, clean-up to 14:45.
    assert.deepStrictEqual(["11:00", "11:30", "14:30", "15:00"].map(open), [true, false, false, true])
    const withPlay = sell(softPlay, openPlay, party(1), at(saturday, "11:30"), empty)
    assert.isFalse(bookable(softPlay, saturdayParty, party(12), start, withPlay, now).ok)
    assert.isTrue(bookable(softPlay, saturdayParty, party(12), at(saturday, "15:00"), withPlay, now).ok)
  })

  it("clean-up and the next set-up may touch, but not overlap by a minute", () => {
    const first = sell(partyHall, saturdayParty, party(12), at(saturday, "10:00"), empty)
    assert.isTrue(bookable(partyHall, saturdayParty, party(12), at(saturday, "12:30"), first, now).ok)
    const slower = { ...saturdayParty, setup_minutes: 16 }
    assert.isFalse(bookable(partyHall, slower, party(12), at(saturday, "12:30"), first, now).ok)
  })

  it("set-up may stick out of the opening hours, but not into a closure", () => {
    const start = at(saturday, "09:00")
    assert.isTrue(bookable(partyHall, wholeHall, party(5), start, empty, now).ok)
    const closed = (from: string, to: string): Calendar => ({
      ...empty,
      closures: [{ closure_id: closureId, start: at(saturday, from), end: at(saturday, to), reason: "Repairs" }]
    })
    const ask = (calendar: Calendar) => bookable(partyHall, wholeHall, party(5), start, calendar, now)
    assert.isTrue(ask(closed("07:00", "08:30")).ok)
    assert.deepStrictEqual(ask(closed("07:00", "08:31")), { ok: false, because: "closed" })
    assert.deepStrictEqual(ask(closed("11:44", "12:00")), { ok: false, because: "closed" })
    assert.isTrue(ask(closed("11:45", "12:00")).ok)
  })

  it("the last bubble machine goes once, and is back when the party has cleaned up", () => {
    const venue = venueWith({ capacity: 30 }, [openPlay], [bubbleMachine])
    const who = (quantity: number) => party(2, 0, [{ add_on_id: bubbleMachine.add_on_id, quantity }])
    const one = sell(venue, openPlay, who(1), at(saturday, "10:00"), empty)
    assert.isFalse(bookable(venue, openPlay, who(2), at(saturday, "10:30"), one, now).ok)
    assert.isTrue(bookable(venue, openPlay, who(1), at(saturday, "10:30"), one, now).ok)
    const both = sell(venue, openPlay, who(1), at(saturday, "10:30"), one)
    assert.isFalse(bookable(venue, openPlay, who(1), at(saturday, "10:30"), both, now).ok)
    assert.isTrue(bookable(venue, openPlay, party(2), at(saturday, "10:30"), both, now).ok)
    assert.isTrue(bookable(venue, openPlay, who(1), at(saturday, "11:00"), both, now).ok)
  })

  it("says too soon to the millisecond, too far ahead by the playroom's date, and closed for what is no start", () => {
    const ask = (date: string, time: string, now: number) =>
      bookable(partyHall, wholeHall, party(5), at(date, time), empty, now)
    const start = at(saturday, "10:00")
    assert.isTrue(ask(saturday, "10:00", start - 120 * minuteMs).ok)
    assert.deepStrictEqual(ask(saturday, "10:00", start - 120 * minuteMs + 1), { ok: false, because: "too_soon" })
    assert.isTrue(ask("2027-11-20", "15:00", now).ok)
    assert.deepStrictEqual(ask("2027-11-21", "09:00", now), { ok: false, because: "too_far_ahead" })
    assert.deepStrictEqual(ask(saturday, "10:01", now), { ok: false, because: "closed" })
    assert.deepStrictEqual(ask(saturday, "16:00", now), { ok: false, because: "closed" })
  })
})

describe("Why there is nothing", () => {
  it("is one true reason: party problems only where they are all, then taken, then the time, then closed", () => {
    assert.strictEqual(noneBecause([]), "closed")
    assert.strictEqual(noneBecause(["party_too_small", "party_too_small"]), "party_too_small")
    assert.strictEqual(noneBecause(["party_too_small", "party_too_large"]), "party_too_large")
    assert.strictEqual(noneBecause(["party_too_large", "fully_booked"]), "fully_booked")
    assert.strictEqual(noneBecause(["too_soon", "fully_booked", "closed"]), "fully_booked")
    assert.strictEqual(noneBecause(["closed", "too_soon"]), "too_soon")
    assert.strictEqual(noneBecause(["closed", "too_far_ahead"]), "too_far_ahead")
    assert.strictEqual(noneBecause(["closed", "party_too_large"]), "closed")
  })
})
