/** Party options by number, and the callers that book them. */
import { Effect } from "effect"
import { offer } from "../../../src/domain/availability/BookingOption.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { instantOf } from "../../../src/platform/time/LocalTime.ts"
import { principal } from "../../support/BookingWorld.ts"
import { idOf } from "../../support/catalogues.ts"
import { dayAfter } from "./Seeds.ts"

/** How many generated playrooms the bookings go to. */
export const playrooms = 500
/** Parties of two hours with a quarter of an hour around them: three a day and playroom. */
export const hours = [9, 12, 15]

export interface PartyOption {
  readonly option_id: string
  readonly start: number
}

const optionOf =
  (venues: ReadonlyArray<Venue>, now: number) =>
  (n: number): PartyOption => {
    const venue = venues[n % venues.length]
    const pkg = venue?.packages.find(({ mode }) => mode === "exclusive")
    if (venue === undefined || pkg === undefined) throw new Error("The generated playrooms are not there")
    const slot = Math.floor(n / venues.length)
    const date = dayAfter(2 + Math.floor(slot / hours.length))
    const start = instantOf(venue.playroom.time_zone, date, (hours[slot % hours.length] ?? 0) * 60) ?? 0
    const party = { children: 8, adults: 2, add_ons: [] }
    return { start, option_id: offer(venue, party, { pkg, start, places_left: 1 }, now).option_id }
  }

/**
 * The n-th option is always the same start; no two get in each other's way, and neighbours are in different playrooms.
 */
export const partyOptions = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  const found = yield* catalogue.venues(Array.from({ length: playrooms }, (_, i) => idOf("playroom", i + 1)))
  const venues = [...found.values()].sort((a, b) => (a.playroom.playroom_id < b.playroom.playroom_id ? -1 : 1))
  return optionOf(venues, Date.now())
})

/** The n-th buyer: an e-mail of its own, and one of a thousand keys, so that none holds more than keys usually may. */
export const buyer = (n: number) => ({
  principal: principal(`key_bench_${n % 1000}`),
  contact: { name: "Ana Lima", email: `ana${n}@example.com` }
})
