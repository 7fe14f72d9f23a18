import { assert, layer } from "@effect/vitest"
import { Effect, type Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Principal } from "../../src/access/ApiKey.ts"
import { BookingOptions } from "../../src/booking/BookingOptions.ts"
import { type CreateError, Bookings } from "../../src/booking/Bookings.ts"
import { guestLimits } from "../../src/booking/GuestLimits.ts"
import type { Package } from "../../src/catalogue/Package.ts"
import { addDays } from "../../src/kernel/LocalTime.ts"
import { principal } from "../support/BookingWorld.ts"
import { deleteBookings, paymentWorld } from "../support/PaymentWorld.ts"
import { packages, venue } from "../support/paymentVenues.ts"

let guests = 0
/** A guest who signed in, as the table knows them. */
const guest = Effect.fnUntraced(function* (address: string, host = "host.example") {
  const sql = yield* SqlClient.SqlClient
  const key_id = `key_guest_${++guests}`
  yield* sql`insert into connect_grant (grant_id, sign_in, key_id, key_hash, scopes, client_id, host, address, created_at)
    values (${`grant_${guests}`}, 'guest', ${key_id}, sha256(${Buffer.from(key_id)}), array['bookings:write'], 'client', ${host}, ${address},
      '2026-11-20')`
  return { ...principal(key_id), guest: { address, host } } satisfies Principal
})

let days = 0
const optionIds = new Map<number, string>()

/** Books a day of its own; with `day`, the option of that day, also where it was booked before. */
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
    const sql = yield* SqlClient.SqlClient
    yield* sql`delete from connect_grant`
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

  it.effect("shares a limit with all from the same address, and another with all of the same host", () =>
    Effect.gen(function* () {
      yield* fresh
      const made: Array<string> = []
      for (let n = 0; n < 4; n++) {
        const who = yield* guest("192.0.2.1")
        made.push(outcome(yield* book(who)), outcome(yield* book(who)))
      }
      assert.deepStrictEqual(made, [
        ...Array.from({ length: guestLimits.perAddress }, () => "booked"),
        "guest_address",
        "guest_address"
      ])
      assert.strictEqual(outcome(yield* book(yield* guest("192.0.2.2"))), "booked")
      const sql = yield* SqlClient.SqlClient
      // As many as one host may have, by guests of as many addresses.
      yield* sql`insert into connect_grant (grant_id, sign_in, key_id, key_hash, scopes, client_id, host, address, created_at)
        select 'grant_many' || n, 'guest', 'key_a', sha256('x'), array['bookings:write'], 'client', 'crowd.example', '198.51.100.' || n, '2026-11-20'
        from generate_series(1, ${guestLimits.perHost}) n`
      assert.strictEqual(outcome(yield* book(principal("key_a"))), "booked")
      assert.strictEqual(outcome(yield* book(yield* guest("192.0.2.3", "crowd.example"))), "guest_host")
      assert.strictEqual(outcome(yield* book(yield* guest("192.0.2.3", "other.example"))), "booked")
    })
  )

  it.effect("is counted together with others who book at the same moment", () =>
    Effect.gen(function* () {
      yield* fresh
      const who = yield* guest("192.0.2.1")
      const made = yield* Effect.forEach([0, 1, 2, 3, 4], (day) => book(who, packages.party, day), {
        concurrency: "unbounded"
      })
      assert.strictEqual(made.map(outcome).filter((one) => one === "booked").length, guestLimits.perGuest)
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
