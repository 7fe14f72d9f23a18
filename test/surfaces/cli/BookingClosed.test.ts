import { assert, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { BookingRecords } from "../../../src/domain/booking/BookingRecords.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { Failpoint } from "../../../src/platform/concurrency/Failpoint.ts"
import { previewAsFamily, cancelAsFamily } from "../../support/Acts.ts"
import { importVenue, setClock } from "../../support/BookingWorld.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import {
  bookOption,
  confirmedOn,
  hall,
  movable,
  moveBooking,
  optionOn,
  otherHall,
  rowOf
} from "../../support/moveWorld.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  cancelBooking,
  deleteBookings,
  deliverAndApply,
  expectedState,
  historyOf,
  now,
  openSession,
  payBooking,
  refundsOf,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { sessionEvent } from "../../support/providerEvents.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"
import { bubbleMachine, testId } from "../../support/venues.ts"

type Closure = { readonly from: string; readonly to: string; readonly reason: string }
const content = (closures: ReadonlyArray<Closure>, { add_ons, operator, packages, playroom }: Venue = hall) => ({
  version: 1,
  operators: [operator],
  playrooms: [{ ...playroom, packages, add_ons, closures }]
})
const close = (...closures: ReadonlyArray<Closure>) =>
  CatalogueFile.use((file) => file.importFile(content(closures), { force: true }))
const december = { from: "2026-12-07", to: "2026-12-20", reason: "New floor" }

const begin = Effect.gen(function* () {
  yield* setClock(now)
  yield* deleteBookings
  yield* importVenue(hall, otherHall)
})

const room = hall.playroom.playroom_id
const closed = (...args: ReadonlyArray<string>) => playroom("booking", "closed", "--playroom", room, ...args)
/** The code in the last line of a plan. */
const shownIn = (out: string): string => /--as-shown (\S+),/.exec(out)?.[1] ?? assert.fail(`no code: ${out}`)
/** Plans, and does what the plan says. */
const planAndDo = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const plan = yield* closed(...args, "--preview")
    return yield* closed(...args, "--as-shown", shownIn(plan.out))
  })
/** Imports the hall with another capacity and stock. */
const sized = (capacity: number, stock: number, force = true) => {
  const { add_ons, packages, playroom } = hall
  const smaller: Venue = {
    ...hall,
    playroom: { ...playroom, capacity },
    packages: packages.map((one) => ({ ...one, max_children: Math.min(one.max_children, capacity) })),
    add_ons: add_ons.map((one) => ({ ...one, stock, max_quantity: Math.min(one.max_quantity, stock) }))
  }
  return CatalogueFile.use((file) => file.importFile(content([], smaller), { force }))
}
const isInside = (booking: Pick<BookingRow, "reference">) =>
  Effect.map(closed(), ({ out }) => out.includes(booking.reference))
const cancelled = (paid: number) =>
  paid === 0 ? expectedState("cancelled", "unpaid") : expectedState("cancelled", "refunded", paid, paid)

layer(commandWorld)("playroom booking closed", (it) => {
  it.effect("follows an import that names who is in the way, when by the venue's clock, and how to reach them", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set contact_phone = '+44 20 7946 0123' where booking_id = ${booking.booking_id}`
      const folder = mkdtempSync(join(tmpdir(), "closing-"))
      const file = join(folder, "catalogue.json")
      writeFileSync(file, JSON.stringify(content([december])))
      const refused = yield* playroom("catalogue", "import", file)
      const line = `- 2026-12-12 10:00 ${booking.reference}, Ana Lima, +44 20 7946 0123, 8+0, £240.00 paid (confirmed): closure 2026-12-07 to 2026-12-20 of Move Hall, New floor`
      assert.include(refused.out, line)
      assert.include(refused.out, "--force")
      assert.include(refused.failure ?? "", "was not imported")
      assert.notInclude(refused.failure ?? "", "Ana Lima")
      assert.include((yield* closed()).out, "No booking is in closed time there")
      const forced = yield* playroom("catalogue", "import", file, "--force")
      assert.isUndefined(forced.failure)
      assert.include(forced.out, line)
      assert.include(forced.out, "playroom booking closed")
      const doctor = (yield* playroom("doctor")).out
      assert.include(
        doctor,
        `1 booking to come, the first ${booking.reference} in Move Hall, 2026-12-12 10:00: New floor`
      )
      assert.include(doctor, `playroom booking closed --operator ${booking.operator_id}`)
      const { out } = yield* closed()
      assert.match(
        out,
        new RegExp(
          `2026-12-12 10:00 +${booking.reference} +confirmed +Move Hall +8\\+0 +Ana Lima +\\+44 20 7946 0123 +£240\\.00 +New floor +keep`
        )
      )
      assert.include(out, "They keep their places")
      rmSync(folder, { recursive: true })
    })
  )

  it.effect("cancels all, in whatever standing, with everything that was paid, and leaves those that have ended", () =>
    Effect.gen(function* () {
      yield* begin
      const provider = yield* ScriptedGateway
      const over = yield* confirmedOn("2026-11-27")
      const paid = yield* confirmedOn("2026-12-12")
      const deposit = yield* confirmedOn("2026-12-14", "10:00", movable.depositParty)
      const trusted = yield* confirmedOn("2026-12-15", "10:00", movable.trustedParty)
      const shared = yield* confirmedOn("2026-12-16", "10:00", movable.play)
      const gone = yield* confirmedOn("2026-12-17")
      yield* cancelBooking(gone)
      yield* runProviderTasks
      const outside = yield* confirmedOn("2026-12-21")
      yield* setClock("2026-12-01T09:00:00Z")
      const lapsed = yield* bookOption(yield* optionOn("2026-12-11"))
      yield* TestClock.adjust("20 minutes")
      const held = yield* bookOption(yield* optionOn("2026-12-08", "15:00"))
      const paying = yield* bookOption(yield* optionOn("2026-12-09"))
      const page = yield* openSession(paying)
      const processing = yield* bookOption(yield* optionOn("2026-12-10"))
      yield* actAndDeliver(yield* openSession(processing), "pay_later")
      yield* close(december, { from: "2026-11-27", to: "2026-11-27", reason: "Past" })
      const inside = [held, paying, processing, paid, deposit, trusted, shared]

      const plan = yield* closed("--cancel", "all", "--preview")
      for (const booking of inside) assert.include(plan.out, booking.reference)
      for (const booking of [over, gone, outside, lapsed]) assert.notInclude(plan.out, booking.reference)
      assert.include(
        plan.out,
        "7 bookings to decide on: 7 to cancel, 0 to move, 0 to keep. £350.00 would go back. Nothing was changed."
      )
      assert.strictEqual((yield* rowOf(paid)).status, "confirmed")

      const before = yield* Effect.forEach([over, gone, outside, lapsed], bookingState)
      const done = yield* closed("--cancel", "all", "--as-shown", shownIn(plan.out))
      assert.isUndefined(done.failure)
      assert.include(done.out, "7 of 7 bookings dealt with")
      assert.include(done.out, "£350.00 goes back in all")
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(paid), cancelled(24_000))
      assert.deepStrictEqual(yield* bookingState(deposit), cancelled(5000))
      assert.deepStrictEqual(yield* bookingState(shared), cancelled(6000))
      for (const one of [held, paying, processing, trusted]) assert.strictEqual((yield* rowOf(one)).status, "cancelled")
      assert.deepStrictEqual(yield* Effect.forEach([over, gone, outside, lapsed], bookingState), before)
      // Whoever pays all the same gets it back.
      yield* Effect.exit(actAtProvider(page, "pay"))
      assert.include(["expired", "complete"], provider.sessions.get(page.provider_session_id ?? "")?.status)
      assert.include((yield* closed()).out, "No booking is in closed time there")
      const shown = (yield* playroom("booking", "show", paid.reference)).out
      assert.include(shown, "closed: New floor; £240.00 will be refunded")
    })
  )

  it.effect("deals with them one by one: keeps, moves and cancels as it is told", () =>
    Effect.gen(function* () {
      yield* begin
      const [a, b, c] = [
        yield* confirmedOn("2026-12-12"),
        yield* confirmedOn("2026-12-14"),
        yield* confirmedOn("2026-12-15")
      ]
      yield* close(december)
      const wishes = ["--move", `${a.reference}=2027-01-06T15:00`, "--keep", b.reference, "--cancel", "all"]
      const plan = yield* closed(...wishes, "--preview")
      assert.include(plan.out, "moved: 2026-12-12 10:00 → 2027-01-06 15:00, £240.00 → £200.00, £40.00 goes back")
      assert.include(plan.out, "1 to cancel, 1 to move, 1 to keep. £240.00 would go back")
      const done = yield* closed(...wishes, "--as-shown", shownIn(plan.out))
      assert.isUndefined(done.failure)
      assert.strictEqual(new Date((yield* rowOf(a)).starts_at).toISOString(), "2027-01-06T15:00:00.000Z")
      assert.strictEqual((yield* rowOf(b)).status, "confirmed")
      assert.strictEqual((yield* rowOf(c)).status, "cancelled")
      assert.isTrue(yield* isInside(b))
      // The history says who: what it names nobody for, the family did.
      const whoDid = Effect.fnUntraced(function* (booking: BookingRow, event: string) {
        const lines = yield* BookingRecords.use((records) => records.venueHistory(booking))
        return lines.find((line) => line.event === event)?.done_by ?? "nobody"
      })
      assert.match(yield* whoDid(a, "moved"), /\(command line\)$/)
      assert.match(yield* whoDid(c, "cancelled"), /\(command line\)$/)
      // The same again: nothing is left to do.
      const again = yield* closed(...wishes, "--as-shown", shownIn(plan.out))
      assert.include(again.out, `there is nothing to decide on ${a.reference} any more; nothing was done`)
      assert.include(again.out, "0 of 0 bookings dealt with")
      assert.lengthOf(yield* refundsOf(a), 1)
    })
  )

  it.effect("refuses a plan of which something can't be done, and says what; it gives no code then", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      const elsewhere = yield* confirmedOn("2026-12-28")
      yield* close(december)
      for (const [args, says] of [
        [["--move", `${booking.reference}=2026-12-13T15:00`], "1 of these can't be done"],
        [["--move", `${booking.reference}=2026-12-28T10:00`], "1 of these can't be done"],
        [["--cancel", elsewhere.reference], `There is nothing to decide on ${elsewhere.reference} there`],
        [["--cancel", "NONE-SUCH"], "There is no booking NONE-SUCH"],
        [["--cancel", booking.reference, "--keep", booking.booking_id], "named twice"],
        [["--move", booking.reference], "--move takes BOOKING=START"],
        [["--move", `${booking.reference}=tomorrow`], "1 of these can't be done"]
      ] as const) {
        const { failure, out } = yield* closed(...args, "--preview")
        assert.include(failure ?? "", says, args.join(" "))
        assert.notInclude(out, "--as-shown ")
      }
      assert.include((yield* closed("--cancel", "all")).failure ?? "", "See --preview first")
      assert.include((yield* playroom("booking", "closed")).failure ?? "", "Name the --operator or the --playroom")
      for (const code of ["x", "1-00000000", "99999999-1a2b3c4d"])
        assert.isDefined((yield* closed("--cancel", "all", "--as-shown", code)).failure)
      const other = yield* playroom(
        "booking",
        "closed",
        "--playroom",
        otherHall.playroom.playroom_id,
        "--cancel",
        "all",
        "--preview"
      )
      assert.notInclude(other.out, booking.reference)
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 24_000))
    })
  )

  it.effect("moves one to another room of the operator at its own time, and cancels the others", () =>
    Effect.gen(function* () {
      yield* begin
      const moved = yield* confirmedOn("2026-12-10")
      const gone = yield* confirmedOn("2026-12-12")
      yield* close(december)
      const room = otherHall.playroom.playroom_id
      const { out } = yield* planAndDo("--cancel", "all", "--move", `${moved.reference}=@${room}`)
      assert.include(out, "moved: Move Hall → Other Hall")
      const row = yield* rowOf(moved)
      assert.deepStrictEqual([row.playroom_id, row.starts_at, row.status], [room, moved.starts_at, "confirmed"])
      assert.strictEqual((yield* rowOf(gone)).status, "cancelled")
      assert.include((yield* closed()).out, "No booking is in closed time there")
    })
  )

  it.effect("does nothing by a code of other wishes, or after a closure has grown", () =>
    Effect.gen(function* () {
      yield* begin
      const first = yield* confirmedOn("2026-12-12")
      const second = yield* confirmedOn("2026-12-28")
      yield* close(december)
      const shown = shownIn((yield* closed("--cancel", "all", "--preview")).out)
      assert.include(
        (yield* closed("--cancel", first.reference, "--as-shown", shown)).failure ?? "",
        "Nothing was done"
      )
      yield* close({ ...december, to: "2026-12-31" })
      assert.include((yield* closed("--cancel", "all", "--as-shown", shown)).failure ?? "", "Nothing was done")
      for (const one of [first, second]) assert.strictEqual((yield* rowOf(one)).status, "confirmed")
    })
  )

  it.effect("lists who has more than there is in a smaller room or stock, until enough of them are gone", () =>
    Effect.gen(function* () {
      yield* begin
      const play = (children: number, machines = 0) =>
        Effect.flatMap(optionOn("2026-12-14", "10:00", { pkg: movable.play, children, machines }), (option_id) =>
          bookOption(option_id)
        )
      const [first, second, third] = [yield* play(4), yield* play(4), yield* play(4)]
      const party = yield* confirmedOn("2026-12-15", "10:00")
      const machines = yield* bookOption(yield* optionOn("2026-12-16", "10:00", { pkg: movable.play, machines: 2 }))
      const all = [first, second, third, party, machines]
      const listed = Effect.map(closed(), ({ out }) =>
        all.filter(({ reference }) => out.includes(reference)).map(({ reference }) => reference)
      )
      assert.deepStrictEqual(yield* listed, [])
      // Eight children of the party fit just so.
      assert.lengthOf((yield* sized(8, 2)).overridden, 1)
      assert.deepStrictEqual(yield* listed, [third.reference])
      assert.match((yield* closed()).out, new RegExp(`${third.reference} .*Move Hall: only 8 now +keep`))
      assert.lengthOf((yield* sized(8, 1)).overridden, 1)
      assert.deepStrictEqual(yield* listed, [third.reference, machines.reference])
      assert.include((yield* closed()).out, "Bubble machine: only 1 now")

      // A plan is for the rooms and the stock of its time.
      const shown = shownIn((yield* closed("--cancel", "all", "--preview")).out)
      yield* sized(6, 1)
      assert.sameMembers(
        [...(yield* listed)],
        [second, third, party, machines].map(({ reference }) => reference)
      )
      assert.include((yield* closed("--cancel", "all", "--as-shown", shown)).failure ?? "", "Nothing was done")
      yield* sized(8, 1)
      // Its places stay where they were, and it fits.
      yield* cancelBooking(first)
      assert.deepStrictEqual(yield* listed, [machines.reference])
      const { failure } = yield* planAndDo("--cancel", machines.reference)
      assert.isUndefined(failure)
      assert.deepStrictEqual(yield* listed, [])
    })
  )

  it.effect("V3: gives an extra that is out of order back, or swaps it, as its preview said", () =>
    Effect.gen(function* () {
      const lamp = { ...bubbleMachine, add_on_id: testId.addOn(970), name: "Lamp", unit_amount: 500 }
      yield* begin
      yield* importVenue({ ...hall, add_ons: [bubbleMachine, lamp] })
      const booked = yield* Effect.forEach(["2026-12-14", "2026-12-15", "2026-12-16"], (date) =>
        Effect.flatMap(optionOn(date, "10:00", { machines: 1 }), bookOption)
      )
      for (const one of booked) yield* payBooking(one)
      const [back, swap, kept] = booked.map(({ reference }) => reference)
      const days = ["--from", "2026-12-14", "--to", "2026-12-16", "--reason", "Burst seam"]
      yield* playroom("closure", "make", "--add-on", bubbleMachine.add_on_id, ...days)
      for (const { reference } of booked) assert.include((yield* closed()).out, reference)
      const { failure } = yield* planAndDo("--give-back", back ?? "", "--swap", `${swap}=${lamp.add_on_id}`)
      assert.isUndefined(failure)
      const extras = yield* Effect.forEach(booked, (one) =>
        Effect.map(rowOf(one), ({ terms }) => terms.add_ons.map(({ add_on_id }) => add_on_id))
      )
      assert.deepStrictEqual(extras, [[], [lamp.add_on_id], [bubbleMachine.add_on_id]])
      assert.include((yield* closed()).out, kept ?? "none")
      yield* importVenue(hall)
    })
  )

  it.effect("counts no hold whose time is up, where a smaller room has enough for all others, nor does an import", () =>
    Effect.gen(function* () {
      yield* begin
      const hold = yield* bookOption(yield* optionOn("2026-12-14", "10:00", { pkg: movable.play, children: 4 }))
      const paid = yield* confirmedOn("2026-12-14", "10:00", movable.play)
      assert.lengthOf((yield* sized(8, 2)).overridden, 1)
      assert.isTrue(yield* isInside(paid))
      yield* TestClock.adjust("20 minutes")
      assert.isFalse(yield* isInside(paid))
      yield* sized(12, 2)
      assert.deepStrictEqual((yield* sized(8, 2, false)).in_the_way, [])
      // Its places are free for good: a late payment has to find others.
      assert.strictEqual((yield* rowOf(hold)).status, "expired")
      assert.strictEqual((yield* rowOf(paid)).status, "confirmed")
    })
  )

  it.effect("leaves a booking that has changed since the plan, does the others, and exits non-zero", () =>
    Effect.gen(function* () {
      yield* begin
      const moved = yield* confirmedOn("2026-12-12")
      const paidMore = yield* confirmedOn("2026-12-14", "10:00", movable.depositParty)
      const gone = yield* confirmedOn("2026-12-15")
      const calm = yield* confirmedOn("2026-12-16")
      yield* close(december)
      const shown = shownIn((yield* closed("--cancel", "all", "--preview")).out)
      yield* moveBooking(moved, yield* optionOn("2026-12-29"))
      yield* payBooking(paidMore, "balance")
      yield* cancelBooking(gone)
      const { failure, out } = yield* closed("--cancel", "all", "--as-shown", shown)
      assert.include(failure ?? "", paidMore.reference)
      assert.include(failure ?? "", "It has changed since the plan was shown")
      assert.include(failure ?? "", "1 of 2 bookings dealt with, 1 failed")
      assert.include(out, `${calm.reference} (2026-12-16 10:00, Ana Lima`)
      assert.strictEqual((yield* rowOf(moved)).status, "confirmed")
      assert.strictEqual((yield* rowOf(paidMore)).status, "confirmed")
      assert.strictEqual((yield* rowOf(calm)).status, "cancelled")
      assert.isUndefined((yield* planAndDo("--cancel", "all")).failure)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(paidMore), cancelled((yield* rowOf(paidMore)).paid))
    })
  )

  it.effect("goes on after it was killed at any booking, with the same command, and does nothing twice", () =>
    Effect.gen(function* () {
      for (const n of [1, 2, 3, 4]) {
        yield* begin
        const dates = ["2026-12-12", "2026-12-14", "2026-12-15"]
        const bookings = yield* Effect.forEach(dates, (date) => confirmedOn(date))
        const mover = yield* confirmedOn("2026-12-16")
        yield* close(december)
        const wishes = ["--cancel", "all", "--move", `${mover.reference}=2027-01-06T15:00`]
        const shown = shownIn((yield* closed(...wishes, "--preview")).out)
        const died = yield* Deferred.make<void>()
        let reached = 0
        const die = () =>
          Effect.suspend(() =>
            ++reached === n ? Effect.andThen(Deferred.succeed(died, undefined), Effect.never) : Effect.void
          )
        const run = closed(...wishes, "--as-shown", shown)
        yield* Effect.raceFirst(Effect.asVoid(Effect.provideService(run, Failpoint, die)), Deferred.await(died))
        assert.strictEqual(reached, n)
        const states = yield* Effect.forEach(bookings, (one) => Effect.map(rowOf(one), ({ status }) => status))
        assert.strictEqual(states.filter((status) => status === "cancelled").length, Math.min(n - 1, 3))
        const again = yield* run
        assert.isUndefined(again.failure)
        const { out } = yield* run
        assert.include(out, "0 of 0 bookings dealt with")
        yield* runProviderTasks
        for (const booking of bookings) {
          const { total } = booking
          assert.deepStrictEqual(yield* bookingState(booking), cancelled(total))
          assert.lengthOf(yield* refundsOf(booking), 1)
          assert.strictEqual((yield* historyOf(booking)).filter((event) => event === "cancelled").length, 1)
        }
        assert.strictEqual(new Date((yield* rowOf(mover)).starts_at).toISOString(), "2027-01-06T15:00:00.000Z")
      }
    })
  )

  it.effect(
    "runs twice at once and beside families that cancel: each booking ends once, and its money goes back once",
    () =>
      Effect.gen(function* () {
        yield* begin
        const dates = Array.from({ length: 6 }, (_, i) => `2026-12-${14 + i}`)
        const bookings = yield* Effect.forEach(dates, (date) => confirmedOn(date))
        yield* close(december)
        const shown = shownIn((yield* closed("--cancel", "all", "--preview")).out)
        const byFamily = ({ booking_id }: BookingRow) =>
          Effect.flatMap(previewAsFamily(booking_id), (seen) => cancelAsFamily(booking_id, seen.shown))
        const run = closed("--cancel", "all", "--as-shown", shown)
        const [runs] = yield* Effect.all(
          [
            Effect.all([run, run], { concurrency: 2 }),
            Effect.forEach(bookings.slice(2, 5), (one) => Effect.exit(byFamily(one)), { concurrency: 3 })
          ],
          { concurrency: 2 }
        )
        const last = yield* run
        assert.include(last.out, "0 of 0 bookings dealt with", runs.map(({ failure }) => failure).join())
        yield* runProviderTasks
        for (const booking of bookings) {
          assert.strictEqual((yield* rowOf(booking)).status, "cancelled")
          assert.strictEqual((yield* historyOf(booking)).filter((event) => event === "cancelled").length, 1)
          const back = (yield* refundsOf(booking)).reduce((sum, { amount }) => sum + amount, 0)
          assert.isAtMost(back, booking.total)
          assert.strictEqual((yield* bookingState(booking)).refunded, back)
        }
      })
  )

  it.effect("gives all back of a payment that comes in while it is cancelled", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* bookOption(yield* optionOn("2026-12-14"))
      const page = yield* openSession(booking)
      yield* close(december)
      const shown = shownIn((yield* closed("--cancel", "all", "--preview")).out)
      const said = yield* actAtProvider(page, "pay")
      assert.isUndefined((yield* closed("--cancel", "all", "--as-shown", shown)).failure)
      yield* deliverAndApply(sessionEvent("checkout.session.completed", said))
      yield* runProviderTasks
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), cancelled(booking.total))
    })
  )

  it.effect("goes by the venue's days where clocks change", () =>
    Effect.gen(function* () {
      yield* begin
      const before = yield* confirmedOn("2027-03-27", "15:00")
      const on = yield* confirmedOn("2027-03-28")
      const after = yield* confirmedOn("2027-03-29")
      yield* close({ from: "2027-03-28", to: "2027-03-28", reason: "Clocks" })
      const { out } = yield* closed("--cancel", "all", "--preview")
      assert.include(out, "2027-03-28 10:00")
      assert.include(out, on.reference)
      for (const one of [before, after]) assert.notInclude(out, one.reference)
    })
  )

  it.effect("goes through many pages of bookings, and tells the same to machines", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-14", "10:00", movable.trustedParty)
      const sql = yield* SqlClient.SqlClient
      yield* close(december)
      const { booking_id } = booking
      const stem = `${booking_id.slice(0, -4)}${booking_id.at(-4) === "x" ? "y" : "x"}`
      // Copies that take no units of the room elsewhere: each has a minute of its own.
      yield* sql`insert into booking select (jsonb_populate_record(b, jsonb_build_object('booking_id', ${stem}::text || lpad(n::text, 3, '0'), 'reference',
        left(b.reference, 5) || translate(lpad(n::text, 4, '0'), '0123456789', 'ABCDEFGHJK'), 'retry_key', null, 'starts_at', b.starts_at + n * interval '1 second'))).*
        from booking b, generate_series(1, 210) n where b.booking_id = ${booking.booking_id}`
      yield* sql`insert into booking_history (booking_id, operator_id, at, event) select booking_id, operator_id, created_at, 'confirmed'
        from booking where booking_id <> ${booking.booking_id}`
      yield* sql`delete from occupancy where closure_id is not null`
      yield* sql`insert into occupancy (resource_id, operator_id, units, during, booking_id)
        select o.resource_id, o.operator_id, o.units, tstzrange('2026-12-16T00:00Z'::timestamptz + n * interval '1 minute',
          '2026-12-16T00:01Z'::timestamptz + n * interval '1 minute'), ${stem}::text || lpad(n::text, 3, '0')
        from (select * from occupancy where booking_id = ${booking.booking_id} limit 1) o, generate_series(1, 210) n`
      const asJson = parsed((yield* closed("--cancel", "all", "--preview", "--json")).out)
      const bookings = member(asJson, "bookings")
      assert(Array.isArray(bookings))
      assert.lengthOf(bookings, 211)
      const done = parsed(
        (yield* closed("--cancel", "all", "--json", "--as-shown", String(member(asJson, "shown")))).out
      )
      assert.deepStrictEqual([member(done, "done"), member(done, "failed")], [211, 0])
      assert.deepStrictEqual(member(done, "refunds"), [])
      assert.include((yield* closed()).out, "No booking is in closed time there")
    })
  )
})
