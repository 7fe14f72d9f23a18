import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { isErased } from "../../../../src/domain/booking/BookingRecords.ts"
import { dayMs, minuteMs } from "../../../../src/platform/time/LocalTime.ts"
import { Persons } from "../../../../src/domain/people/privacy/Persons.ts"
import { sandboxPayers } from "../../../../src/extras/sandbox/Payers.ts"
import { migrateSandbox } from "../../../../src/extras/sandbox/Sandbox.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  createBooking,
  deleteBookings,
  deliverAndApply,
  expectedState,
  now,
  openSession,
  paidBooking,
  payBooking,
  paymentWorld,
  reconcileAfter,
  refundsOf,
  sessionRow
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { packages } from "../../../support/paymentVenues.ts"

/** Lets the clock run to so many days after the visit, and erases as with `PERSONAL_DATA_DAYS=120`. */
const eraseAfter = Effect.fnUntraced(function* (booking: BookingRow, days: number) {
  const at = booking.ends_at + days * dayMs
  yield* TestClock.setTime(at)
  return yield* Persons.use((persons) => persons.eraseOver(at - 120 * dayMs))
})

const stored = (booking: BookingRow) => Bookings.use((bookings) => bookings.get(booking.booking_id))

const cleared = Effect.andThen(setClock(now), deleteBookings)

const document = ["../../../../docs/personal-data.md", "other-columns.md"]
  .map((path) => readFileSync(new URL(path, import.meta.url), "utf8"))
  .join("\n")
const Columns = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ column: Schema.String })))

/** The columns that the tables name, each as often as they do. */
const documented = [...document.matchAll(/^\| `([\w.]+)` \| ([^|]+) \|/gm)].flatMap(([, table = "", columns = ""]) =>
  [...columns.matchAll(/`(\w+)`/g)].map(([, column = ""]) => `${table}.${column}`)
)

layer(Persons.layer(sandboxPayers).pipe(Layer.provideMerge(paymentWorld({ personalDataDays: 120 }))))(
  "PERSONAL_DATA_DAYS",
  (it) => {
    it.effect("erases who came so long after the visit, and not before", () =>
      Effect.gen(function* () {
        yield* cleared
        const { booking, session } = yield* paidBooking()
        assert.strictEqual(yield* eraseAfter(booking, 119), 0)
        assert.strictEqual(yield* eraseAfter(booking, 121), 1)
        const erased = yield* stored(booking)
        assert.isTrue(isErased(erased))
        assert.deepInclude(erased, {
          contact_phone: null,
          notes: null,
          child_ages: [],
          status: "confirmed",
          paid: 12_000
        })
        const { request } = yield* sessionRow(session.payment_session_id)
        assert.notProperty(request, "customer_email")
        assert.strictEqual(request?.success_url, "http://localhost:3000")
        assert.strictEqual(yield* eraseAfter(booking, 122), 0)
      })
    )

    it.effect("counts from the end of a hold that lapsed, whenever its visit was to be", () =>
      Effect.gen(function* () {
        yield* cleared
        const booking = yield* createBooking(packages.party, { date: "2027-09-01" })
        yield* reconcileAfter("1 hour")
        assert.isAbove(booking.starts_at, Date.parse(now) + 200 * dayMs)
        yield* TestClock.adjust("119 days")
        const erase = Effect.flatMap(Clock.currentTimeMillis, (at) =>
          Persons.use((persons) => persons.eraseOver(at - 120 * dayMs))
        )
        assert.strictEqual(yield* erase, 0)
        yield* TestClock.adjust("25 hours")
        assert.strictEqual(yield* erase, 1)
        assert.isTrue(isErased(yield* stored(booking)))
      })
    )

    it.effect("leaves bookings whose money is open, and does not stop at them", () =>
      Effect.gen(function* () {
        yield* cleared
        const sql = yield* SqlClient.SqlClient
        const open = yield* Effect.forEach([1, 2, 3, 4], () => paidBooking())
        const { booking: last } = yield* paidBooking()
        const [flagged, counted, disputed, waiting] = open.map(({ booking }) => booking.booking_id)
        const session = open[2]?.session.payment_session_id
        yield* sql`update booking set flagged = 'why' where booking_id = ${flagged}`
        yield* sql`update payment_session set flagged = 'why' where booking_id = ${counted}`
        yield* sql`insert into dispute (dispute_id, operator_id, booking_id, payment_session_id, status, amount, currency, reason, created_at, updated_at)
        select 'dp_1', operator_id, booking_id, ${session}, 'under_review', 1, 'GBP', 'fraudulent', created_at, created_at
        from booking where booking_id = ${disputed}`
        yield* sql`update webhook_event set status = 'dead' where booking_id = ${waiting}`
        assert.strictEqual(yield* eraseAfter(last, 130), 1)
        assert.isTrue(isErased(yield* stored(last)))
        yield* sql`update booking set flagged = null`
        yield* sql`update payment_session set flagged = null`
        yield* sql`update dispute set status = 'won'`
        yield* sql`update webhook_event set status = 'applied'`
        const left = Effect.map(
          Effect.forEach(open, ({ booking }) => stored(booking)),
          (all) => all.filter((booking) => !isErased(booking))
        )
        // A booking that something else locks at that moment is for the next run.
        for (let days = 131; days < 151 && (yield* left).length > 0; days++) {
          yield* eraseAfter(last, days)
          yield* Effect.promise(() => setImmediate())
        }
        assert.deepStrictEqual(yield* left, [])
      })
    )

    it.effect("erases the others if one booking can't be, hour after hour, and that one once it can", () =>
      Effect.gen(function* () {
        yield* cleared
        const sql = yield* SqlClient.SqlClient
        const [{ booking: bad }, { booking: good }] = [yield* paidBooking(), yield* paidBooking()]
        yield* sql`create function not_now() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`
        yield* sql.unsafe(`create trigger not_now before update on booking for each row
          when (new.booking_id = '${bad.booking_id}') execute function not_now()`)
        const last = bad.ends_at > good.ends_at ? bad : good
        assert.strictEqual(yield* eraseAfter(last, 121), 1)
        assert.isTrue(isErased(yield* stored(good)))
        assert.isFalse(isErased(yield* stored(bad)))
        yield* sql`drop trigger not_now on booking`
        assert.strictEqual(yield* eraseAfter(last, 122), 1)
        assert.isTrue(isErased(yield* stored(bad)))
      })
    )

    it.effect("erases many in small steps, each once where two nodes are at it", () =>
      Effect.gen(function* () {
        yield* cleared
        const sql = yield* SqlClient.SqlClient
        const { booking } = yield* paidBooking()
        yield* sql`insert into booking select (jsonb_populate_record(b, jsonb_build_object(
          'booking_id', 'booking_' || lpad(n::text, 26, '0'), 'reference', 'AAAA-' || lpad(n::text, 4, '0'), 'retry_key', null))).*
        from booking b, generate_series(1, 60) n`
        const at = booking.ends_at + 121 * dayMs
        yield* TestClock.setTime(at)
        const erase = Persons.use((persons) => persons.eraseOver(at - 120 * dayMs))
        const [one, other] = yield* Effect.all([erase, erase], { concurrency: "unbounded" })
        assert.strictEqual(one + other + (yield* erase), 61)
      })
    )

    it.effect(
      "leaves nothing that a payment could bring to life: late money goes back, and a page asks for no e-mail",
      () =>
        Effect.gen(function* () {
          yield* cleared
          const booking = yield* createBooking(packages.party, { date: "2027-09-02" })
          const session = yield* openSession(booking)
          yield* actAndDeliver(session, "expire")
          yield* reconcileAfter("1 hour")
          yield* TestClock.adjust("121 days")
          yield* Persons.use((persons) => persons.eraseOver(Date.parse(now) + dayMs))
          assert.isTrue(isErased(yield* stored(booking)))
          const paid = { status: "complete", payment_status: "paid", payment_intent_id: "pi_late" }
          const said = { ...(yield* actAtProvider(session, "pay")), ...paid }
          yield* deliverAndApply(sessionEvent("checkout.session.completed", said))
          assert.deepStrictEqual(yield* bookingState(booking), expectedState("expired", "refund_pending", 12_000))
          assert.deepStrictEqual(yield* refundsOf(booking), [
            { cause: "late_payment", status: "requested", amount: 12_000 }
          ])

          yield* setClock(now)
          const deposit = yield* createBooking(packages.depositParty)
          yield* payBooking(deposit)
          assert.isAbove(yield* eraseAfter(deposit, 121), 0)
          assert.notProperty((yield* openSession(deposit, "balance")).request, "customer_email")
        })
    )

    it.effect("is done by every node, ten minutes after its start and then every hour", () =>
      Effect.gen(function* () {
        yield* cleared
        const made = [(yield* paidBooking()).booking, (yield* paidBooking()).booking] as const
        // Days are taken in turn, so the second booking may be the earlier one.
        const [booking, later] = made[0].ends_at < made[1].ends_at ? made : [made[1], made[0]]
        yield* TestClock.setTime(booking.ends_at + 120 * dayMs - 5 * minuteMs)
        yield* Layer.build(Persons.worker)
        yield* Effect.promise(() => setImmediate())
        yield* TestClock.adjust("9 minutes")
        assert.isFalse(isErased(yield* stored(booking)))
        yield* TestClock.adjust("1 minute")
        while (!isErased(yield* stored(booking))) yield* Effect.promise(() => setImmediate())
        assert.isFalse(isErased(yield* stored(later)))
        while (!isErased(yield* stored(later))) yield* TestClock.adjust("1 hour")
      }).pipe(Effect.scoped)
    )

    it.effect(
      "is told of column by column: docs/personal-data.md or the list of the others names each that can hold a text",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* migrateSandbox
          // What has none of these types holds numbers, times, ranges of them, or yes and no. Ages of children are a
          // list.
          const columns = Columns(
            yield* sql`select case table_schema when 'public' then '' else table_schema || '.' end || table_name || '.' || column_name as column
        from information_schema.columns
        where table_schema in ('public', 'sandbox') and (data_type in ('text', 'json', 'jsonb', 'ARRAY', 'bytea', 'tsvector', 'xml', 'inet', 'cidr')
          or data_type like 'char%' or (data_type = 'USER-DEFINED' and udt_name <> 'tsvector')) order by 1`
          )
          assert.deepStrictEqual(
            [...documented].sort(),
            columns.map(({ column }) => column).sort(),
            "List each column once, in docs/personal-data.md if it holds personal data: have it erased or exported then"
          )
        })
    )
  }
)
