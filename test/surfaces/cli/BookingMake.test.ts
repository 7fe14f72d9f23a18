import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { BookingRecords } from "../../../src/domain/booking/BookingRecords.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { importVenue, setClock } from "../../support/BookingWorld.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import { hall, movable } from "../../support/moveWorld.ts"
import { deleteBookings, now } from "../../support/PaymentWorld.ts"

const make = (at: string, ...args: ReadonlyArray<string>) =>
  playroom(
    "booking",
    "make",
    movable.depositParty.package_id,
    "--at",
    at,
    "--children",
    "8",
    "--name",
    "Ida Green",
    "--email",
    "ida@example.com",
    ...args
  )

layer(commandWorld)("playroom booking make", (it) => {
  it.effect("books once what its preview said, names who did it, and so does its cancellation", () =>
    Effect.gen(function* () {
      yield* importVenue(hall)
      yield* deleteBookings
      yield* setClock(now)
      const preview = (yield* make("2026-12-12T10:00", "--preview")).out
      assert.include(preview, "Nothing was booked.")
      assert.include(preview, "is due now. The places are held until")
      const first = parsed(
        (yield* make("2026-12-12T10:00", "--by", "Sam", "--phone", "+44 20 7946 0018", "--json")).out
      )
      const booking_id = String(member(member(first, "booking"), "booking_id"))
      assert.strictEqual(member(member(first, "booking"), "status"), "held")
      const again = (yield* make("2026-12-12T10:00", "--phone", "+44 20 7946 0018")).out
      assert.include(again, "It was booked already, and is held")
      assert.include(again, String(member(first, "page_url")))
      assert.include((yield* make("2026-12-12T10:00", "--another")).failure ?? "", "The nearest that can be booked:")
      const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
      yield* playroom("booking", "cancel", booking_id, "--by", "Kim")
      const lines = yield* BookingRecords.use((records) => records.venueHistory(row))
      assert.deepStrictEqual(
        lines.map(({ done_by, event }) => [event, done_by]),
        [
          ["held", "Sam"],
          ["cancelled", "Kim"]
        ]
      )
    })
  )

  it.effect("prints commands that do what they say: the deposit is recorded, once, and confirms it", () =>
    Effect.gen(function* () {
      yield* importVenue(hall)
      yield* deleteBookings
      yield* setClock(now)
      const { out } = yield* make("2026-12-12T10:00", "--by", "Sam")
      const printed = /recorded with playroom (payment record .* --way cash)\./.exec(out)?.[1]?.split(" ") ?? []
      assert.include((yield* playroom(...printed)).out, "done")
      assert.include((yield* playroom("booking", "show", printed[2] ?? "")).out, "confirmed")
      assert.include((yield* playroom(...printed)).failure ?? "", "is a part")
    })
  )

  it.effect("V9: names what is unusual, and books it with --exception alone", () =>
    Effect.gen(function* () {
      yield* importVenue({ ...hall, playroom: { ...hall.playroom, age_min: 4 } })
      yield* deleteBookings
      yield* setClock(now)
      const ages = ["--ages", "1,5,5,5,5,5,5,5"]
      const unusual = "Unusual: an age that the playroom is not for."
      assert.include((yield* make("2026-12-12T10:00", ...ages, "--preview")).out, unusual)
      const refused = (yield* make("2026-12-12T10:00", ...ages)).failure ?? ""
      assert.include(refused, unusual)
      assert.notInclude(refused, "search_playrooms")
      const made = parsed((yield* make("2026-12-12T10:00", ...ages, "--exception", "--by", "Sam", "--json")).out)
      assert.deepStrictEqual(member(made, "exceptions"), ["ages"])
      const row = yield* Bookings.use((bookings) => bookings.get(String(member(member(made, "booking"), "booking_id"))))
      const lines = yield* BookingRecords.use((records) => records.venueHistory(row))
      assert.deepInclude(lines.at(-1), { event: "exception", done_by: "Sam" })
      assert.include(lines.at(-1)?.detail ?? "", "an age that the playroom is not for")
    })
  )

  it.effect("V5: sells a visit that has begun to a walk-in at the till, paid in whole, each time anew", () =>
    Effect.gen(function* () {
      yield* importVenue(hall)
      yield* deleteBookings
      yield* setClock("2026-12-12T10:19:00Z")
      const args = ["booking", "make", movable.depositParty.package_id, "--at", "2026-12-12T10:00", "--children", "8"]
      assert.include((yield* playroom(...args)).failure ?? "", "Unusual: later than the venue takes bookings")
      const sold = parsed((yield* playroom(...args, "--paid", "cash", "--by", "Sam", "--json")).out)
      const { booking_id, ...booking } = yield* Bookings.use((bookings) =>
        bookings.get(String(member(member(sold, "booking"), "booking_id")))
      )
      assert.deepInclude(booking, {
        status: "confirmed",
        payment_status: "paid",
        contact_email: "",
        paid: booking.total
      })
      assert.include((yield* playroom("booking", "show", booking_id)).out, "Walk-in")
      // A walk-in who comes alike is somebody else, for whom there is no room.
      assert.include((yield* playroom(...args, "--paid", "card")).failure ?? "", "can be booked")
      yield* setClock("2026-12-12T12:00:00Z")
      assert.include((yield* playroom(...args, "--paid", "card")).failure ?? "", "start")
    })
  )

  it.effect("says what is wrong or taken, books nothing and exits non-zero", () =>
    Effect.gen(function* () {
      yield* importVenue(hall)
      yield* deleteBookings
      yield* setClock(now)
      const wrong = [
        [make("2026-12-12"), "--at takes a local start"],
        [make("2026-12-12T10:00", "--ages", "40"), "--ages: Expected a whole number from 0 to 17."],
        [make("2026-12-12T10:00", "--phone", "call me"), "--phone: Expected a telephone number"],
        [make("2026-12-12T10:00", "--add-on", "cake"), "--add-on takes"],
        [make("2026-12-12T10:10"), "the room is closed, or the package has no start then"],
        [
          playroom(
            "booking",
            "make",
            "package_x",
            "--at",
            "2026-12-12T10:00",
            "--children",
            "8",
            "--name",
            "A",
            "--email",
            "a@example.com"
          ),
          "package_x"
        ],
        [
          playroom(
            "booking",
            "make",
            movable.depositParty.package_id,
            "--at",
            "2026-12-12T10:00",
            "--children",
            "8",
            "--name",
            "A",
            "--email",
            "a"
          ),
          "--email: Expected an e-mail address, like ana@example.com."
        ]
      ] as const
      for (const [tried, said] of wrong) assert.include((yield* tried).failure ?? "", said)
    })
  )
})
