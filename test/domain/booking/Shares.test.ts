import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, type Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Principal } from "../../../src/platform/access/ApiKeys.ts"
import { bucketOf, siteOf } from "../../../src/platform/access/ClientAddress.ts"
import { type CreateError, Bookings } from "../../../src/domain/booking/Bookings.ts"
import { guestLimits } from "../../../src/domain/booking/OtherBookings.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { takeShare } from "../../../src/domain/oauth/Grants.ts"
import { bookingServices, principal, setClock } from "../../support/BookingWorld.ts"
import { fresh, optionsOn } from "../../support/freshVenues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { packageWith, venueWith } from "../../support/venues.ts"

const world = bookingServices({ maxHoldsPerKey: 1000, maxHoldsPerEmail: 1000 }).pipe(
  Layer.provideMerge(TestDatabase.layer)
)
const start = setClock("2026-11-20T09:00:00Z")

const times = ["09:00", "11:00", "13:00", "15:00"]
const sold = { duration_minutes: 120, schedule: { times }, max_children: 20 }
const free = { pricing: { base: 0, included_children: 0, extra_child: 0, adult: 0, rules: [] } }
/** 40 places from 9 to 17 o'clock; open play, the same for nothing, and the whole room. */
const hall = venueWith(
  { capacity: 40, opening_hours: venueWith({}).playroom.opening_hours.map((day) => ({ ...day, closes: "17:00" })) },
  [
    packageWith({ ...sold, name: "Play" }),
    packageWith({ ...sold, ...free, name: "Free play" }),
    packageWith({ ...sold, name: "Party", mode: "exclusive" })
  ]
)
const dayOfHall = 40 * 8 * 60
const family = 2 * 120

let guests = 0
/** A guest who signed in from this address. */
const guest = (address: string): Principal => ({
  ...principal(`key_guest_${++guests}`),
  guest: { address: bucketOf(address), host: "host.example" }
})

/** The option ids of one package's starts on a day. */
const startsOf = Effect.fnUntraced(function* (venue: Venue, name: string, date = "2026-12-05") {
  const package_id = venue.packages.find((pkg) => pkg.name === name)?.package_id ?? assert.fail("no package")
  const { options } = yield* optionsOn(venue, { package_id, date, children: 2 })
  return options.map(({ option_id }) => option_id)
})

const outcome = (result: Result.Result<unknown, CreateError>): string =>
  result._tag === "Success"
    ? "booked"
    : result.failure._tag === "TooManyHolds"
      ? result.failure.per
      : result.failure._tag

let people = 0
const book = (who: Principal, option_id: string | undefined, email = `ada${++people}@example.com`) =>
  Effect.map(
    Effect.result(
      Bookings.use(({ create }) =>
        create(who, { option_id: option_id ?? assert.fail("no start"), contact: { name: `Ada ${++people}`, email } })
      )
    ),
    outcome
  )

/** Books for new guests, one for each address in turn, until `enough` are refused running. */
const flood = Effect.fnUntraced(function* (
  address: (n: number) => string,
  starts: ReadonlyArray<string>,
  enough = starts.length
) {
  const seen: Array<string> = []
  for (let n = 0, refused = 0; refused < enough && n < 400; n++) {
    const one = yield* book(guest(address(n)), starts[n % starts.length])
    seen.push(one)
    refused = one === "booked" ? 0 : refused + 1
  }
  return { booked: seen.filter((one) => one === "booked").length, last: seen.at(-1) }
})

const byte = (n: number) => n.toString(16).padStart(2, "0")
const ipv6 = (bytes: ReadonlyArray<number>): string =>
  Array.from({ length: 8 }, (_, i) => byte(bytes[2 * i] ?? 0) + byte(bytes[2 * i + 1] ?? 0)).join(":")

layer(world)("shares of a playroom's day", (it) => {
  it.effect("a network has a third of what others leave, and a newcomer from elsewhere books as before", () =>
    Effect.gen(function* () {
      yield* start
      const venue = yield* fresh(hall)
      const starts = yield* startsOf(venue, "Play")
      // A /64 has a third of its /48's third, so the flood changes it each time.
      const first = yield* flood((n) => `2001:db8:1:${n.toString(16)}::1`, starts)
      const second = yield* flood(() => "203.0.113.7", starts)
      const third = yield* flood((n) => `2001:db8:3:${n.toString(16)}::1`, starts)
      assert.deepStrictEqual([first.last, second.last, third.last], ["guest_network", "guest_address", "guest_network"])
      let left = dayOfHall
      for (const { booked } of [first, second, third]) {
        assert.strictEqual(booked, Math.floor(left / 3 / family))
        left -= booked * family
      }
      assert.isAtLeast(left, dayOfHall * (2 / 3) ** 3)
      for (const address of ["198.51.100.1", "2001:db8:4::1"]) {
        assert.strictEqual(yield* book(guest(address), starts[3]), "booked")
      }
      assert.strictEqual(yield* book(principal("key_of_a_host"), starts[3]), "booked")
    })
  )

  it.effect("a /64 of IPv6 has a third of its /48's share, so its neighbours book, too", () =>
    Effect.gen(function* () {
      yield* start
      const starts = yield* startsOf(yield* fresh(hall), "Play")
      const one = yield* flood((n) => `2001:db8:1:1::${n}`, starts)
      assert.deepStrictEqual(one, { booked: Math.floor(dayOfHall / 9 / family), last: "guest_address" })
      assert.strictEqual(yield* book(guest("2001:db8:1:2::1"), starts[0]), "booked")
    })
  )

  it.effect("a network has two bookings of a day in any case; an exclusive room's other starts stay for others", () =>
    Effect.gen(function* () {
      yield* start
      const starts = yield* startsOf(yield* fresh(hall), "Party")
      const seen = yield* Effect.forEach(starts, (option_id, n) => book(guest(`2001:db8:1:${n}::1`), option_id))
      assert.deepStrictEqual(seen, ["booked", "booked", "guest_network", "guest_network"])
      assert.strictEqual(yield* book(guest("203.0.113.1"), starts[2]), "booked")
    })
  )

  it.effect("free bookings for weeks close no venue: thirty of them, and everybody from elsewhere books", () =>
    Effect.gen(function* () {
      yield* start
      const venue = yield* fresh(hall)
      const starts = yield* startsOf(venue, "Free play")
      for (let n = 1; n <= 32; n++) {
        assert.strictEqual(yield* book(guest(`192.0.2.${n}`), starts[n % 4]), "booked", `the ${n}th`)
      }
      const flooded = yield* flood(() => "203.0.113.7", starts)
      assert.strictEqual(flooded.booked, Math.floor((dayOfHall - 32 * family) / 3 / family))
      assert.strictEqual(yield* book(guest("192.0.2.99"), starts[0]), "booked")
    })
  )

  it.effect(
    "a person has three free bookings of a day, on other days more; nobody is refused for an e-mail that others name",
    () =>
      Effect.gen(function* () {
        yield* start
        const venue = yield* fresh(hall)
        const starts = yield* startsOf(venue, "Free play")
        const mail = "bea@example.com"
        const address = "198.51.100.4"
        const seen: Array<string> = []
        for (const option_id of starts) seen.push(yield* book(guest(address), option_id, mail))
        assert.deepStrictEqual(seen, [...Array.from({ length: guestLimits.guest_day }, () => "booked"), "guest_day"])
        const [next] = yield* startsOf(venue, "Free play", "2026-12-06")
        assert.strictEqual(yield* book(guest(address), next, mail), "booked")
        assert.strictEqual(yield* book(guest("198.51.100.5"), starts[3], mail), "booked")
        // One guest, whatever the e-mail addresses.
        const who = guest("198.51.100.6")
        const day = yield* startsOf(venue, "Free play", "2026-12-07")
        const own: Array<string> = []
        for (const option_id of day) own.push(yield* book(who, option_id))
        assert.deepStrictEqual(own.slice(-2), ["booked", "guest_day"])
      })
  )

  it.effect("a family has twenty free visits ahead, two unpaid ones beside them, and no more", () =>
    Effect.gen(function* () {
      yield* start
      const venue = yield* fresh(hall)
      const who = guest("198.51.100.9")
      const seen: Array<string> = []
      for (let n = 0; n <= guestLimits.guest_free; n++) {
        const [first] = yield* startsOf(venue, "Free play", `2026-12-${String(n + 1).padStart(2, "0")}`)
        seen.push(yield* book(who, first))
      }
      assert.deepStrictEqual(seen.slice(-2), ["booked", "guest_free"])
      const [one, two, three] = yield* startsOf(venue, "Play", "2026-12-30")
      assert.deepStrictEqual(
        [yield* book(who, one), yield* book(who, two), yield* book(who, three)],
        ["booked", "booked", "guest"]
      )
    })
  )

  it.effect("sixty families of a school behind one address sign in and book one Saturday on one evening", () =>
    Effect.gen(function* () {
      yield* start
      const sql = yield* SqlClient.SqlClient
      const venue = yield* fresh(hall)
      const starts = yield* startsOf(venue, "Play")
      for (let n = 0; n < 60; n++) {
        assert.isUndefined(yield* takeShare("sign_in", "203.0.113.60"))
        assert.strictEqual(yield* book(guest("203.0.113.60"), starts[n % 4]), "booked", `family ${n + 1}`)
        // One family a minute, and each takes five minutes to pay.
        yield* sql`update booking set status = 'confirmed', payment_status = 'paid', paid = due_now, hold_expires_at = null
          where booking_id in (select booking_id from booking where status = 'held'
            and playroom_id = ${venue.playroom.playroom_id} order by created_at desc, booking_id offset 5)`
      }
    })
  )

  it.effect("a sender is an IPv4 address or a /48: bytes after it change nothing, each byte of it another sender", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const networkOf = (address: string) =>
        Effect.map(
          sql<{ network: string }>`select network_of(${bucketOf(address)}) as network`,
          ([row]) => row?.network ?? ""
        )
      const bytes = [0x20, 0x01, 0x0d, 0xb8, 0xab, 0xcd, 0x12, 0x34, 1, 2, 3, 4, 5, 6, 7, 8]
      const own = yield* networkOf(ipv6(bytes))
      assert.strictEqual(own, "2001:db8:abcd::/48")
      for (let changed = 0; changed < 16; changed++) {
        const other = yield* networkOf(ipv6(bytes.map((one, i) => (i === changed ? one ^ 0x15 : one))))
        assert.strictEqual(other === own, changed >= 6, `byte ${changed}: ${other}`)
      }
      // The database and the shares of connections mean the same network.
      for (const address of [
        ipv6(bytes),
        "::1",
        "fe80::1",
        "64:ff9b::9.9.9.9",
        "2002:c000:204::1",
        "203.0.113.9",
        "unknown"
      ]) {
        assert.strictEqual(yield* networkOf(address), siteOf(address), address)
      }
      assert.strictEqual(yield* networkOf("::1"), "0:0:0::/48")
      assert.strictEqual(yield* networkOf("203.0.113.9"), "203.0.113.9")
      assert.strictEqual(yield* networkOf("unknown"), "unknown")
    })
  )

  it.effect("nodes of the release before are limited by the guest's own limit alone", () =>
    Effect.gen(function* () {
      yield* start
      const sql = yield* SqlClient.SqlClient
      const venue = yield* fresh(hall)
      const now = new Date(yield* Clock.currentTimeMillis)
      const [one, two] = yield* startsOf(venue, "Play")
      const who = guest("198.51.100.30")
      const limit = () =>
        Effect.map(
          sql<{
            found: unknown
          }>`select guest_limit(${who.key_id}, '{"address": "198.51.100.30", "host": "host.example"}'::jsonb,
            ${venue.playroom.playroom_id}, '{"guest": 2, "guest_address": 6, "guest_host": 100, "guest_playroom": 30}'::jsonb,
            ${now}::timestamptz) as found`,
          ([row]) => row?.found
        )
      assert.isNull(yield* limit())
      yield* book(who, one)
      yield* book(who, two)
      assert.deepStrictEqual(yield* limit(), { outcome: "too_many", per: "guest", limit: 2 })
    })
  )
})
