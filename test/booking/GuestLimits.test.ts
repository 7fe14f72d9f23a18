import { assert, layer } from "@effect/vitest"
import { Clock, Effect, type Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Principal } from "../../src/access/ApiKey.ts"
import { BookingOptions } from "../../src/availability/BookingOptions.ts"
import { type CreateError, Bookings } from "../../src/booking/Bookings.ts"
import { forgetSettled, guestLimits } from "../../src/booking/GuestLimits.ts"
import type { Package } from "../../src/catalogue/Package.ts"
import { addDays } from "../../src/kernel/LocalTime.ts"
import { principal } from "../support/BookingWorld.ts"
import { deleteBookings, paymentWorld } from "../support/PaymentWorld.ts"
import { packages, venue } from "../support/paymentVenues.ts"

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

/** Unpaid bookings of other guests: copies of the existing booking, without places. */
const others = Effect.fnUntraced(function* ({
  host,
  many,
  playroom_id = null
}: {
  readonly host?: string
  readonly many: number
  readonly playroom_id?: string | null
}) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`with made as (
      insert into booking select (jsonb_populate_record(null::booking, to_jsonb(b) || jsonb_build_object(
        'booking_id', 'booking_other' || n, 'reference', 'AAAA-A' || lpad(n::text, 3, '0'), 'key_id', 'key_other',
        'contact_name', 'Other ' || n, 'retry_key', null))).*
      from (select * from booking limit 1) b, generate_series(1, ${many}) n
      returning booking_id)
    insert into guest_booking (booking_id, key_id, address, host, playroom_id)
    select booking_id, 'key_other', booking_id, coalesce(${host ?? null}, booking_id), coalesce(${playroom_id}, booking_id) from made`
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

  it.effect("shares a limit with all from the same address, and another with all of the same host", () =>
    Effect.gen(function* () {
      yield* fresh
      const made: Array<string> = []
      for (let n = 0; n < 4; n++) {
        const who = yield* guest("192.0.2.1")
        made.push(outcome(yield* book(who)), outcome(yield* book(who)))
      }
      assert.deepStrictEqual(made, [
        ...Array.from({ length: guestLimits.guest_address }, () => "booked"),
        "guest_address",
        "guest_address"
      ])
      assert.strictEqual(outcome(yield* book(yield* guest("192.0.2.2"))), "booked")
      yield* others({ many: guestLimits.guest_host, host: "crowd.example" })
      assert.strictEqual(outcome(yield* book(yield* guest("192.0.2.3", "crowd.example"))), "guest_host")
      assert.strictEqual(outcome(yield* book(yield* guest("192.0.2.3", "other.example"))), "booked")
    })
  )

  it.effect("can't fill a playroom together with guests of other addresses and other hosts", () =>
    Effect.gen(function* () {
      yield* fresh
      yield* book(yield* guest("192.0.2.1", "first.example"))
      yield* others({ many: guestLimits.guest_playroom - 1, playroom_id: venue.playroom.playroom_id })
      const late = yield* guest("192.0.2.2", "last.example")
      assert.strictEqual(outcome(yield* book(late)), "guest_playroom")
      assert.strictEqual(outcome(yield* book(principal("key_a"))), "booked")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set status = 'cancelled', hold_expires_at = null where key_id = 'key_other'`
      assert.strictEqual(outcome(yield* book(late)), "booked")
      assert.strictEqual((yield* sql`select 1 from guest_booking`).length, 2)
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
