import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { decide, type VisitRequest } from "../../../src/domain/availability/Decision.ts"
import { digestOf, pack, resolveAddOns, unpack } from "../../../src/domain/availability/OptionId.ts"
import { quote } from "../../../src/domain/catalogue/Pricing.ts"
import { startsOn } from "../../../src/domain/availability/Starts.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { dayMs, localDateOf, weekdays } from "../../../src/platform/time/LocalTime.ts"
import { bookingServices, contact, importVenue, principal, setClock } from "../../support/BookingWorld.ts"
import { checked, contentOf } from "../../support/slips.ts"
import { book, firstOption, fresh, optionsOn, ownName } from "../../support/freshVenues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { bubbleMachine, cake, host, lunchBox, openPlay, partyHall, softPlay, venueWith } from "../../support/venues.ts"
import { runs } from "../../support/runs.ts"

const generous = { maxHoldsPerKey: 100_000, maxHoldsPerEmail: 100_000 }
const world = bookingServices(generous).pipe(Layer.provideMerge(TestDatabase.layer))

const dayOfVisit = "2026-12-05"
const withExtras = venueWith({ capacity: 25 }, [openPlay], [host, cake, lunchBox, bubbleMachine])

/** The id of the same option with other add-ons, as if the venue sold them so. */
const withAddOns = (venue: Venue, option_id: string, quantities: Readonly<Record<string, number>>) => {
  const unpacked = unpack(option_id) ?? assert.fail("not unpacked")
  const add_ons = venue.add_ons.flatMap(({ add_on_id, name }) => {
    const quantity = quantities[name]
    return quantity === undefined ? [] : [{ add_on_id, quantity }]
  })
  return pack({ ...unpacked, add_ons }, venue.add_ons)
}

const give = Effect.fnUntraced(function* (booking_id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from occupancy where booking_id = ${booking_id}`
  yield* sql`delete from booking_history where booking_id = ${booking_id}`
  yield* sql`delete from booking where booking_id = ${booking_id}`
})

/** The ids of what is offered to the party that an id names, on its day; none where nothing is sold like that. */
const offeredLike = Effect.fnUntraced(function* (venue: Venue, option_id: string) {
  const unpacked = unpack(option_id)
  const add_ons = unpacked && resolveAddOns(venue.add_ons, unpacked.add_ons)
  if (unpacked === undefined || add_ons === undefined) return []
  const { adults, children, start } = unpacked
  const listed = yield* Effect.result(
    BookingOptions.use((options) =>
      options.list({
        playroom_id: venue.playroom.playroom_id,
        date: localDateOf(venue.playroom.time_zone, start),
        children,
        adults,
        add_ons,
        limit: 100
      })
    )
  )
  return Result.isFailure(listed) ? [] : listed.success.options.map((option) => option.option_id)
})

layer(world)("what an option id says", (it) => {
  it.effect("is sold only where it is offered, whichever byte before the check is edited, and to what", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh(withExtras)
      const [hostId, cakeId, lunchId, machineId] = venue.add_ons.map(({ add_on_id }) => add_on_id)
      const one = (add_on_id: string | undefined, quantity = 1) =>
        venue.add_ons.flatMap((addOn) =>
          addOn.add_on_id === add_on_id ? [{ add_on_id: addOn.add_on_id, quantity }] : []
        )
      const parties = [
        [],
        [...one(hostId), ...one(cakeId, 2)],
        [...one(cakeId, 3), ...one(lunchId), ...one(machineId, 2)]
      ]
      const seen = new Map<string, number>()
      for (const add_ons of parties) {
        const { option_id } = yield* firstOption(venue, { add_ons })
        const bytes = contentOf(option_id)
        for (const [place, byte] of bytes.entries()) {
          // As it was issued it is tried once.
          for (const value of new Set([...(place === 0 ? [byte] : []), byte + 1, byte ^ 128, 7, 255])) {
            if (place > 0 && value === byte) continue
            const edited = Buffer.from(bytes)
            edited[place] = value & 255
            const id = checked(edited)
            const offered = yield* offeredLike(venue, id)
            const made = yield* Effect.result(book(id, `buyer${place}`))
            if (Result.isSuccess(made)) {
              assert.include(offered, id, `byte ${place} is ${value & 255}`)
              yield* give(made.success.booking_id)
              seen.set("made", (seen.get("made") ?? 0) + 1)
              continue
            }
            const { failure } = made
            assert.notInclude(offered, id, `byte ${place} is ${value & 255}: ${failure._tag}`)
            assert.include(["OptionInvalid", "PriceChanged", "SlotUnavailable"], failure._tag)
            if (failure._tag === "PriceChanged") assert.include(offered, failure.option.option_id)
            seen.set(failure._tag, (seen.get(failure._tag) ?? 0) + 1)
          }
        }
      }
      assert.sameMembers([...seen.keys()], ["made", "OptionInvalid", "PriceChanged", "SlotUnavailable"])
    })
  )

  it.effect(
    "holds no more of an add-on than one booking may have, nor several of one that is sold once a booking",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const venue = yield* fresh(withExtras)
        const { option_id } = yield* firstOption(venue)
        for (const quantities of [
          { Cake: 100 },
          { "Party host": 7 },
          { Cake: 4, "Party host": 1 },
          { "Bubble machine": 3 }
        ]) {
          const refused = yield* Effect.flip(book(withAddOns(venue, option_id, quantities)))
          assert.deepInclude(refused, { _tag: "OptionInvalid", reason: "add_ons" })
        }
        assert.strictEqual((yield* Effect.flip(book(withAddOns(venue, option_id, { Cake: 3 }))))._tag, "PriceChanged")
      })
  )

  it.effect("is agreed to whatever the order in which its add-ons were asked for", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh(withExtras)
      const add_ons = venue.add_ons.map(({ add_on_id }) => ({ add_on_id, quantity: 1 })).toReversed()
      const option = yield* firstOption(venue, { add_ons })
      assert.strictEqual((yield* book(option.option_id)).total, option.price.total)
    })
  )
})

const changedPlayroom = (venue: Venue, changes: Partial<Venue["playroom"]>): Venue => ({
  ...venue,
  playroom: { ...venue.playroom, ...changes }
})
const dearer = (venue: Venue): Venue => ({
  ...venue,
  packages: venue.packages.map((pkg) => ({ ...pkg, pricing: { ...pkg.pricing, extra_child: 9999 } }))
})
const openAtNoon = weekdays.map((weekday) => ({ weekday, opens: "12:00", closes: "18:00" }))
const play = venueWith({ capacity: 25 }, [openPlay])

/** What a buyer is told of the day's first option after the venue was changed. */
const toldAfter = Effect.fnUntraced(function* (change: (venue: Venue) => Venue, children = 4) {
  yield* setClock("2026-11-20T09:00:00Z")
  const venue = yield* fresh(play)
  const { option_id } = yield* firstOption(venue, { children })
  yield* importVenue(change(venue))
  return yield* Effect.flip(book(option_id))
})

layer(world)("an option that can't be booked any more", (it) => {
  it.effect("is refused with the reason, and with alternatives that can be booked", () =>
    Effect.gen(function* () {
      const closedThatDay = (venue: Venue) =>
        changedPlayroom(venue, { overrides: [{ date: dayOfVisit, intervals: [] }] })
      const taking = (min_children: number, max_children: number) => (venue: Venue) => ({
        ...venue,
        packages: venue.packages.map((pkg) => ({ ...pkg, min_children, max_children }))
      })
      const cases = [
        ["closed", closedThatDay],
        ["closed", (venue: Venue) => changedPlayroom(venue, { opening_hours: openAtNoon })],
        ["too_soon", (venue: Venue) => changedPlayroom(venue, { lead_time_minutes: 20 * 24 * 60 - 15 })],
        ["too_far_ahead", (venue: Venue) => changedPlayroom(venue, { max_advance_days: 3 })],
        ["party_too_large", taking(1, 3)],
        ["party_too_small", taking(5, 25)]
      ] as const
      for (const [reason, change] of cases) {
        const refused = yield* toldAfter(change)
        assert(refused._tag === "SlotUnavailable", `${reason}: ${refused._tag}`)
        assert.strictEqual(refused.reason, reason)
        const [alternative] = refused.alternatives
        if (alternative !== undefined) assert.strictEqual((yield* book(alternative.option_id, "ben")).status, "held")
        if (reason === "too_soon" || reason === "too_far_ahead") assert.isDefined(alternative)
      }
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh(play)
      const full = yield* firstOption(venue, { children: 25 })
      yield* book(full.option_id)
      const taken = yield* Effect.flip(book(full.option_id, "ben"))
      assert.deepInclude(taken, { _tag: "SlotUnavailable", reason: "fully_booked" })
    })
  )

  it.effect("is not offered at a new price where it is closed or taken, and says so instead", () =>
    Effect.gen(function* () {
      const closed = yield* toldAfter((venue) =>
        dearer(changedPlayroom(venue, { overrides: [{ date: dayOfVisit, intervals: [] }] }))
      )
      assert.deepInclude(closed, { _tag: "SlotUnavailable", reason: "closed" })

      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh(play)
      const four = yield* firstOption(venue)
      yield* book((yield* firstOption(venue, { children: 19 })).option_id)
      yield* importVenue(dearer(venue))
      const changed = yield* Effect.flip(book(four.option_id, "ben"))
      assert(changed._tag === "PriceChanged")
      assert.strictEqual(changed.option.places_left, 6)
      assert.strictEqual((yield* book(changed.option.option_id, "ben")).total, 4 * 9999)
      const taken = yield* Effect.flip(book(four.option_id, "cleo"))
      assert.deepInclude(taken, { _tag: "SlotUnavailable", reason: "fully_booked" })
    })
  )

  it.effect("of an operator that sells nothing says that first, whatever else has changed", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh(play)
      const { option_id } = yield* firstOption(venue)
      yield* importVenue(dearer(changedPlayroom(venue, { opening_hours: openAtNoon })))
      const sql = yield* SqlClient.SqlClient
      const { operator_id } = venue.operator
      yield* sql`update operator set suspended_at = now() where operator_id = ${operator_id}`
      const refused = yield* Effect.flip(book(option_id))
      yield* sql`update operator set suspended_at = null where operator_id = ${operator_id}`
      assert.strictEqual(refused._tag, "OperatorUnavailable")
    })
  )

  it.effect("of another operator than the key's own is refused for good, and is no option that comes back", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const venue = yield* fresh(play)
      const { option_id } = (yield* optionsOn(venue)).options[0] ?? assert.fail("no option")
      const refused = yield* Effect.flip(
        Bookings.use((bookings) =>
          bookings.create(
            { ...principal(ownName("key_f")), operator_id: "operator_other" },
            { option_id, contact: contact() }
          )
        )
      )
      assert.deepInclude(refused, { _tag: "OptionInvalid", reason: "other_operator" })
    })
  )
})

describe("the decision", () => {
  const venues = [
    partyHall,
    softPlay,
    { ...softPlay, operator: { ...softPlay.operator, billing_customer_id: "cus_1" } }
  ]
  const nothingTaken = { closures: [], taken: new Map() }

  plain("holds until the instant that it names, and no longer", () => {
    let agreed = 0
    fc.assert(
      fc.property(
        fc.constantFrom(...venues),
        fc.nat(1),
        fc.nat(40),
        fc.nat(10),
        fc.integer({ min: 0, max: 60 * dayMs }),
        fc.nat(20 * dayMs),
        (base, which, day, nth, ahead, paid) => {
          const pkg = base.packages[which] ?? openPlay
          const date = localDateOf("Europe/London", Date.parse("2026-12-01T12:00:00Z") + day * dayMs)
          const starts = startsOn(base, pkg, date)
          const start = starts[nth % Math.max(1, starts.length)]
          if (start === undefined) return
          const now = start - ahead
          const { operator } = base
          const venue: Venue =
            operator.billing_customer_id === undefined
              ? base
              : { ...base, operator: { ...operator, paid_through: now + paid - 9 * dayMs } }
          const party = { children: pkg.min_children, adults: 0, add_ons: [] }
          const { time_zone } = venue.playroom
          const terms = { pkg, start, time_zone, add_ons: [], quote: quote(venue, pkg, party, start, now) }
          const visit: VisitRequest = { venue, pkg, party, start, agreed: digestOf(terms) }
          const decision = decide(visit, nothingTaken, now)
          if (Result.isFailure(decision)) return
          agreed++
          const { until } = decision.success
          assert.isAtLeast(until, now)
          for (const later of [until, now + Math.floor((until - now) / 2)])
            assert.deepStrictEqual(decide(visit, nothingTaken, later), decision)
          assert.isTrue(Result.isFailure(decide(visit, nothingTaken, until + 1)))
        }
      ),
      { numRuns: runs(150) }
    )
    assert.isAbove(agreed, runs(25))
  })
})
