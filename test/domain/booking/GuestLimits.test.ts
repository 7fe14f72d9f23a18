import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Principal } from "../../../src/platform/access/ApiKeys.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { type CreateError, Bookings } from "../../../src/domain/booking/Bookings.ts"
import { forgetSettled, guestLimits } from "../../../src/domain/booking/OtherBookings.ts"
import type { Package } from "../../../src/domain/catalogue/Package.ts"
import { addDays } from "../../../src/platform/time/LocalTime.ts"
import { principal } from "../../support/BookingWorld.ts"
import { deleteBookings, paymentWorld } from "../../support/PaymentWorld.ts"
import { packages, venue } from "../../support/paymentVenues.ts"

let guests = 0
/** A guest who signed in. */
const guest = (address: string, host = "host.example") =>
  Effect.sync((): Principal => ({ ...principal(`key_guest_${++guests}`), guest: { address, host } }))

let days = 0
const optionIds = new Map<number, string>()

/** Books the next free day; with `day`, the option of that day, even if it was booked before. */
const book = Effect.fnUntraced(function* (who: Principal, pkg: Package = packages.party, day = days++) {
  const options = yield* BookingOptions
  const { options: found } = yield* options.list({
    playroom_id: venue.playroom.playroom_id,
    package_id: pkg.package_id,
    date: addDays("2026-12-01", day),
    children: 8
  })
  const option_id = found[0]?.option_id ?? optionIds.get(day) ?? assert.fail(`no option on day ${day}`)
  optionIds.set(day, option_id)
  return yield* Effect.result(
    Bookings.use(({ create }) => create(who, { option_id, contact: { name: "Ada", email: `ada${day}@example.com` } }))
  )
})

const outcome = (result: Result.Result<unknown, CreateError>): string =>
  result._tag === "Success"
    ? "booked"
    : result.failure._tag === "TooManyHolds"
      ? result.failure.per
      : result.failure._tag

layer(paymentWorld())("a guest", (it) => {
  const fresh = Effect.gen(function* () {
    yield* deleteBookings
    days = 0
  })

  it.effect("holds two unpaid bookings at most, and gets an earlier one again all the same", () =>
    Effect.gen(function* () {
      yield* fresh
      const who = yield* guest("192.0.2.1")
      const made = [yield* book(who), yield* book(who), yield* book(who)]
      assert.deepStrictEqual(made.map(outcome), ["booked", "booked", "guest"])
      const again = yield* book(who, packages.party, 0)
      assert.strictEqual(outcome(again), "booked")
      assert.isTrue(again._tag === "Success" && again.success.already_existed)
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual((yield* sql`select 1 from booking`).length, 2)
      assert.strictEqual((yield* sql`select 1 from occupancy where booking_id is not null`).length, 2)
      yield* sql`update booking set status = 'confirmed', payment_status = 'paid', paid = 12000, hold_expires_at = null where starts_at < '2026-12-02'`
      assert.strictEqual(outcome(yield* book(who)), "booked")
    })
  )

  it.effect("can't fill a playroom with what costs nothing when booking either", () =>
    Effect.gen(function* () {
      yield* fresh
      const who = yield* guest("192.0.2.1")
      const made = yield* Effect.forEach([1, 2, 3], () => book(who, packages.trustedParty))
      assert.deepStrictEqual(made.map(outcome), ["booked", "booked", "guest"])
    })
  )

  it.effect("is not refused for what other guests of the same address, host or playroom hold on other days", () =>
    Effect.gen(function* () {
      yield* fresh
      for (let n = 0; n < 18; n++) {
        assert.strictEqual(outcome(yield* book(yield* guest("192.0.2.1"))), "booked", `guest ${n}`)
      }
      assert.strictEqual(outcome(yield* book(principal("key_a"))), "booked")
    })
  )

  it.effect("is counted until the hold has lapsed, and while a payer of it may still be paying", () =>
    Effect.gen(function* () {
      yield* fresh
      const who = yield* guest("192.0.2.1")
      yield* book(who)
      yield* book(who)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set hold_expires_at = '2026-01-01', awaiting_provider = true`
      assert.strictEqual(outcome(yield* book(who)), "guest")
      yield* sql`update booking set awaiting_provider = false`
      assert.strictEqual(outcome(yield* book(who)), "booked")
    })
  )

  it.effect("leaves nothing behind once the bookings are paid, lapsed or over", () =>
    Effect.gen(function* () {
      yield* fresh
      yield* book(yield* guest("192.0.2.1"))
      yield* book(yield* guest("192.0.2.2"))
      const sql = yield* SqlClient.SqlClient
      const now = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* forgetSettled(now, 10), 0)
      yield* sql`update booking set hold_expires_at = '2026-01-01'`
      assert.deepStrictEqual([yield* forgetSettled(now, 1), yield* forgetSettled(now, 10)], [1, 1])
    })
  )

  it.effect("is counted together with others who book at the same moment", () =>
    Effect.gen(function* () {
      yield* fresh
      const who = yield* guest("192.0.2.1")
      const made = yield* Effect.forEach([0, 1, 2, 3, 4], (day) => book(who, packages.party, day), {
        concurrency: "unbounded"
      })
      assert.strictEqual(made.map(outcome).filter((one) => one === "booked").length, guestLimits.guest)
    })
  )

  it.effect("is the only one who is limited so: a key books on", () =>
    Effect.gen(function* () {
      yield* fresh
      const made = yield* Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7], (day) =>
        book(principal("key_b"), packages.party, day)
      )
      assert.isTrue(made.every(({ _tag }) => _tag === "Success"))
    })
  )
})
