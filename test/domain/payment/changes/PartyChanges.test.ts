/** Another party at the booking's own start: places, prices, deadlines and details. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { toView } from "../../../../src/domain/booking/BookingViews.ts"
import type { PartyChange } from "../../../../src/domain/booking/ChangePlan.ts"
import type { Package } from "../../../../src/domain/catalogue/Package.ts"
import { hourMs } from "../../../../src/platform/time/LocalTime.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { cancelAsOperator, changeVisit, type VisitChange } from "../../../support/Acts.ts"
import { importPastBookings, importVenue, setClock } from "../../../support/BookingWorld.ts"
import { bookOption, optionOn as optionOf, placesOf, rowOf } from "../../../support/moveWorld.ts"
import {
  deleteBookings,
  emptyPaymentWorld,
  now,
  openSession,
  payBooking,
  refundsOf,
  runProviderTasks,
  setClockBefore
} from "../../../support/PaymentWorld.ts"
import { bubbleMachine, packageWith, testId, venueWith } from "../../../support/venues.ts"

/** £100 for four children, £15 for each more, £2 an adult; the deposit of £50 is kept. */
const party = packageWith({
  package_id: testId.package(961),
  name: "Party",
  mode: "exclusive",
  duration_minutes: 120,
  setup_minutes: 15,
  cleanup_minutes: 15,
  min_children: 2,
  max_children: 20,
  max_adults: 12,
  pricing: { base: 10_000, included_children: 4, extra_child: 1500, adult: 200, rules: [] },
  schedule: { times: ["10:00", "15:00"] },
  payment: { kind: "deposit", deposit: { amount: 5000 }, balance_due_hours_before: 24, refundable: false },
  cancellation: [{ hours_before: 72, refund_percent: 100 }],
  final_headcount_hours_before: 48
})
/** £7.50 a child, and nothing is said of the headcount. */
const play = packageWith({
  package_id: testId.package(962),
  name: "Play",
  max_children: 20,
  schedule: { times: ["10:00", "11:00"] }
})
const cup = { ...bubbleMachine, add_on_id: testId.addOn(962), name: "Cup", unit_amount: 20, max_quantity: 50 }
const { stock: _, ...cups } = { stock: 0, ...cup }
const playroom_id = testId.playroom(96)
const hall = venueWith({ playroom_id, name: "Party Hall", capacity: 20 }, [party, play], [bubbleMachine, cups])
const withPackages = (...packages: ReadonlyArray<Package>) => importVenue({ ...hall, packages })

const world = Layer.effectDiscard(Effect.andThen(setClock(now), importVenue(hall))).pipe(
  Layer.provideMerge(emptyPaymentWorld())
)

const begin = Effect.all([deleteBookings, setClock(now), importVenue(hall)], { discard: true })
const optionOn = (date: string, more: Parameters<typeof optionOf>[2] = {}) =>
  optionOf(date, "10:00", { pkg: party, playroom_id, ...more })
const confirmed = Effect.fnUntraced(function* (more: Parameters<typeof optionOf>[2] = {}, all = false) {
  const booking = yield* bookOption(yield* optionOn("2026-12-12", more))
  yield* payBooking(booking)
  if (all) yield* payBooking(booking, "balance")
  return yield* rowOf(booking)
})
type Booking = Parameters<typeof rowOf>[0]
const change = ({ booking_id }: Booking, wish: PartyChange, more: Partial<VisitChange> = {}) =>
  changeVisit(booking_id, { preview: false, by: "family", ...more, party: wish })
const reasonOf = (booking: Booking, wish: PartyChange, more: Partial<VisitChange> = {}) =>
  Effect.map(Effect.flip(change(booking, wish, more)), (error) => ("reason" in error ? error.reason : error._tag))
const moneyOf = Effect.fnUntraced(function* (booking: Booking) {
  const row = yield* rowOf(booking)
  const view = toView(row, yield* PaymentSummaries.use((all) => all.read(row)))
  return [row.total, row.paid, row.refunded, view.outstanding.amount, row.payment_status]
})

layer(world)("another party at the same start", (it) => {
  it.effect("costs the difference: more joins the balance, less comes off it, and then goes back in full", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ children: 8 })
      assert.deepStrictEqual(yield* moneyOf(booking), [16_000, 5000, 0, 11_000, "deposit_paid"])
      const more = yield* change(booking, { children: 10, adults: 3 })
      assert.deepStrictEqual(
        [more.kind, more.difference, more.balance.amount, more.refund.amount],
        ["party", 3600, 14_600, 0]
      )
      assert.deepStrictEqual(yield* moneyOf(booking), [19_600, 5000, 0, 14_600, "deposit_paid"])
      const less = yield* change(booking, { children: 4, adults: 0 })
      assert.deepStrictEqual([less.difference, less.balance.amount, less.refund.amount], [-9600, 5000, 0])
      yield* payBooking(booking, "balance")
      assert.deepStrictEqual(yield* moneyOf(booking), [10_000, 10_000, 0, 0, "paid"])
      const grown = yield* change(booking, { children: 9 })
      assert.deepStrictEqual([grown.difference, grown.balance.amount], [7500, 7500])
      yield* payBooking(booking, "balance")
      const back = yield* change(booking, { children: 6 })
      assert.deepStrictEqual([back.difference, back.balance.amount, back.refund.amount], [-4500, 0, 4500])
      yield* runProviderTasks
      assert.deepStrictEqual(yield* moneyOf(booking), [13_000, 17_500, 4500, 0, "partially_refunded"])
      assert.deepStrictEqual(yield* refundsOf(booking), [{ cause: "move", status: "succeeded", amount: 4500 }])
    })
  )

  it.effect("prices nothing anew that was agreed: today's prices only say the difference", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ children: 8 }, true)
      yield* withPackages({ ...party, pricing: { ...party.pricing, base: 30_000, extra_child: 2000 } }, play)
      const { booking: after, difference } = yield* change(booking, { children: 10 })
      assert.deepStrictEqual([difference, after.total], [4000, 20_000])
      const { lines } = after.terms.price
      assert.deepInclude(lines.at(-1), { label: "As agreed before", amount: -22_000, agreed: true })
      assert.strictEqual(
        lines.reduce((sum, { amount }) => sum + amount, 0),
        20_000
      )
      // Back again: it costs what it cost.
      assert.strictEqual((yield* change(booking, { children: 8 })).booking.total, 16_000)
      // Without a price for what leaves, nothing comes back, and never more than all.
      yield* withPackages({ ...party, pricing: { ...party.pricing, base: 100, extra_child: 9000 } }, play)
      assert.strictEqual((yield* change(booking, { children: 2 })).booking.total, 0)
      yield* runProviderTasks
      assert.strictEqual((yield* rowOf(booking)).terms.credit, 20_000)
      // What was beyond all that was agreed counts on the way back: that costs what it cost, and no more.
      const grown = yield* change(booking, { children: 8 })
      assert.deepStrictEqual([grown.booking.total, grown.balance.amount], [16_000, 16_000])
      assert.notProperty((yield* rowOf(booking)).terms, "credit")
    })
  )

  it.effect("has its own places and extras beside those of others, no more", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ pkg: play, children: 8, machines: 1 })
      const other = yield* bookOption(yield* optionOn("2026-12-12", { pkg: play, children: 5 }))
      const machines = (quantity: number) => ({ add_ons: [{ add_on_id: bubbleMachine.add_on_id, quantity }] })
      const error = yield* Effect.flip(change(booking, { children: 16 }))
      assert.deepInclude(error, { _tag: "ChangeRefused", reason: "no_room", limits: { left: 15 } })
      assert.include(error.message, "at most 15 children")
      yield* change(booking, { children: 15, ...machines(2) })
      assert.deepStrictEqual(
        (yield* placesOf(booking)).map(({ resource_id, units }) => [resource_id, units.match(/\d+/g)?.length]).length,
        2
      )
      assert.strictEqual(yield* reasonOf(other, { children: 6 }), "not_confirmed")
      yield* payBooking(other)
      assert.strictEqual(yield* reasonOf(other, { children: 6 }), "no_room")
      const short = yield* Effect.flip(change(other, machines(1)))
      assert.deepInclude(short, { reason: "no_room", limits: { left: 0, add_on_id: bubbleMachine.add_on_id } })
      yield* change(booking, { children: 2, add_ons: [] })
      yield* change(other, { children: 18, ...machines(1) })
      assert.deepStrictEqual([(yield* rowOf(other)).children, (yield* rowOf(other)).total], [18, 18 * 750 + 1200])
    })
  )

  it.effect("becomes smaller in a room that is too small for all who have booked by now, and has no more of it", () =>
    Effect.gen(function* () {
      yield* begin
      const other = yield* confirmed({ pkg: play, children: 8, machines: 1 })
      const booking = yield* confirmed({ pkg: play, children: 8, machines: 1 })
      const small = venueWith(
        { ...hall.playroom, capacity: 10 },
        [party, play].map((pkg) => ({ ...pkg, max_children: 10 })),
        [{ ...bubbleMachine, stock: 1, max_quantity: 1 }, cups]
      )
      yield* importPastBookings(small)
      assert.strictEqual(yield* reasonOf(booking, { children: 9 }), "no_room")
      yield* change(booking, { children: 7, add_ons: [] })
      assert.strictEqual((yield* rowOf(booking)).children, 7)
      assert.strictEqual((yield* placesOf(booking)).length, 1)
      assert.strictEqual(yield* reasonOf(other, { children: 9 }), "no_room")
    })
  )

  it.effect("keeps to the package's sizes and the add-ons' maximum, and says them", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ children: 8 })
      const error = yield* Effect.flip(change(booking, { children: 21 }))
      assert.include(error.message, "It takes 2 to 20 children, up to 12 adults.")
      assert.strictEqual(yield* reasonOf(booking, { children: 1 }), "party_size")
      assert.strictEqual(yield* reasonOf(booking, { adults: 13 }), "party_size")
      for (const [add_ons, says] of [
        [[{ add_on_id: bubbleMachine.add_on_id, quantity: 3 }], "At most 2"],
        [[{ add_on_id: testId.addOn(9), quantity: 1 }], "no such add-on"]
      ] as const) {
        const refused = yield* Effect.flip(change(booking, { add_ons }))
        assert.strictEqual(refused._tag, "InvalidArguments")
        assert.include(refused.message, says)
      }
      assert.deepStrictEqual(yield* rowOf(booking), booking)
    })
  )

  it.effect(
    "D5: grows by the family, and becomes smaller by the operator alone, with a reason, if its terms say so",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* withPackages({ ...party, party_may_shrink: false }, play)
        const booking = yield* confirmed({ children: 8 })
        assert.strictEqual((yield* change(booking, { children: 9, adults: 2 })).free, true)
        const fewer = yield* Effect.flip(change(booking, { children: 8 }))
        assert.include(fewer.message, "the party may grow, but not become smaller")
        for (const wish of [{ children: 8 }, { children: 10, adults: 1 }, { children: 2, adults: 0 }])
          assert.strictEqual(yield* reasonOf(booking, wish), "only_grows", JSON.stringify(wish))
        // Its terms are those that it was booked with, and extras are no guests.
        yield* withPackages(party, play)
        const machines = { add_ons: [{ add_on_id: bubbleMachine.add_on_id, quantity: 1 }] }
        yield* change(booking, machines)
        yield* change(booking, { add_ons: [] })
        assert.strictEqual(yield* reasonOf(booking, { children: 8 }), "only_grows")
        assert.strictEqual(yield* reasonOf(booking, { children: 8 }, { by: "operator" }), "reason_needed")
        const done = yield* change(booking, { children: 8 }, { by: "operator", reason: "Chickenpox" })
        assert.deepStrictEqual([done.free, done.booking.children, done.difference], [false, 8, -1500])
        assert.strictEqual((yield* rowOf(booking)).terms.party_may_shrink, false)
        // What was booked without it stays so.
        const other = yield* bookOption(yield* optionOn("2026-12-13", { children: 8 }))
        yield* payBooking(other)
        yield* withPackages({ ...party, party_may_shrink: false }, play)
        assert.strictEqual((yield* change(other, { children: 7 })).free, true)
      })
  )

  it.effect("D5: the deposit is never given back, and all is due from seven days before, if its terms say so", () =>
    Effect.gen(function* () {
      yield* begin
      const week = 7 * 24
      yield* withPackages(
        {
          ...party,
          payment: {
            kind: "deposit",
            deposit: { amount: 10_000 },
            refundable: false,
            balance_due_hours_before: week,
            release_unpaid_after_hours: 24
          },
          cancellation: [{ hours_before: week, refund_percent: 100 }]
        },
        play
      )
      const booked = yield* bookOption(yield* optionOn("2026-12-12", { children: 8 }))
      const { balance_due, balance_due_at } = booked.terms.price
      assert.deepStrictEqual([booked.due_now, balance_due], [10_000, 6000])
      assert.strictEqual(Date.parse(balance_due_at ?? ""), booked.starts_at - week * hourMs)
      yield* payBooking(booked)
      yield* payBooking(booked, "balance")
      const owed = (hours: number) =>
        Effect.andThen(
          setClockBefore(booked, hours),
          Effect.map(cancelAsOperator(booked.booking_id, { preview: true }), ({ refund }) => refund.amount)
        )
      assert.deepStrictEqual(yield* Effect.all([owed(week + 1), owed(week), owed(week - 1)]), [6000, 6000, 0])
      // Whoever books within the week pays all at once, and nothing of it comes back.
      yield* setClock(now)
      const late = yield* bookOption(yield* optionOn("2026-11-26", { children: 8 }))
      assert.deepStrictEqual([late.due_now, late.total], [16_000, 16_000])
      assert.notProperty(late.terms.price, "balance_due")
      yield* payBooking(late)
      const { refund } = yield* cancelAsOperator(late.booking_id, { preview: true })
      assert.strictEqual(refund.amount, 0)
    })
  )

  it.effect("is the family's until the final headcount, and then the operator's with a reason", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ children: 8 })
      yield* setClockBefore(booking, 48)
      assert.strictEqual((yield* change(booking, { children: 9 })).free, true)
      yield* setClock(new Date(booking.starts_at - 48 * hourMs + 1).toISOString())
      assert.strictEqual(yield* reasonOf(booking, { children: 10 }), "headcount_final")
      assert.strictEqual(yield* reasonOf(booking, { children: 10 }, { by: "operator" }), "reason_needed")
      const done = yield* change(booking, { children: 10 }, { by: "operator", reason: "Cousins came" })
      assert.strictEqual(done.free, false)
      const history = yield* BookingRecords.use((records) => records.history(booking))
      assert.deepInclude(history.at(-1), {
        event: "changed",
        detail:
          "9 children and 0 adults → 10 children and 0 adults, £175.00 → £190.00; by the operator; Cousins came; £15.00 more is to be paid"
      })
      yield* setClockBefore(booking, 0)
      assert.strictEqual(yield* reasonOf(booking, { children: 9 }, { by: "operator", reason: "Late" }), "begun")
    })
  )

  it.effect("says in its history what is owed after it, also once deposit and balance are paid", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ children: 8 }, true)
      const lastLine = Effect.map(
        BookingRecords.use((records) => records.history(booking)),
        (history) => history.at(-1)?.detail ?? ""
      )
      assert.strictEqual((yield* change(booking, { children: 10 })).balance.amount, 3000)
      assert.include(yield* lastLine, "£160.00 → £190.00; by the family on its page; £30.00 more is to be paid")
      yield* change(booking, { children: 8 })
      assert.notInclude(yield* lastLine, "is to be paid")
    })
  )

  it.effect("without a final headcount changes until the visit begins, whatever notice a new booking needs", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ pkg: play, children: 2 })
      yield* setClock(new Date(booking.starts_at - 1000).toISOString())
      assert.strictEqual((yield* change(booking, { children: 3 })).booking.children, 3)
      yield* setClockBefore(booking, 0)
      assert.strictEqual(yield* reasonOf(booking, { children: 2 }), "begun")
    })
  )

  it.effect("puts no unpaid balance off, and gives time to pay a new one", () =>
    Effect.gen(function* () {
      yield* begin
      const dueOf = ({ terms }: BookingRow) => terms.price.balance_due_at
      const booking = yield* confirmed({ children: 8 })
      const due = dueOf(booking)
      assert.strictEqual(dueOf((yield* change(booking, { children: 9 })).booking), due)
      yield* setClockBefore(booking, 12)
      const late = yield* change(booking, { children: 10 }, { by: "operator", reason: "Asked" })
      assert.strictEqual(dueOf(late.booking), due)
      yield* payBooking(booking, "balance")
      const anew = yield* change(booking, { children: 11 }, { by: "operator", reason: "Asked" })
      assert.strictEqual(Date.parse(dueOf(anew.booking) ?? ""), booking.starts_at)
    })
  )

  it.effect("waives what is too little to be charged, but not many times over", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ pkg: play, children: 8 })
      const withCups = (quantity: number) => change(booking, { add_ons: [{ add_on_id: cups.add_on_id, quantity }] })
      const one = yield* withCups(1)
      assert.deepStrictEqual([one.difference, one.balance.amount, one.waived.amount], [0, 0, 20])
      const two = yield* withCups(2)
      assert.deepStrictEqual([two.difference, two.balance.amount, two.waived.amount], [40, 40, 0])
      const none = yield* change(booking, { add_ons: [] })
      assert.deepStrictEqual([none.booking.total, none.balance.amount, none.waived.amount], [6000, 0, 0])
      assert.deepStrictEqual(yield* refundsOf(booking), [])
    })
  )

  it.effect("V1: has its own time and mode, whatever its package has today", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ children: 8, machines: 1 })
      yield* withPackages({ ...party, duration_minutes: 90 }, play)
      assert.strictEqual((yield* change(booking, { children: 9 })).booking.ends_at, booking.ends_at)
      yield* withPackages({ ...party, mode: "shared" }, play)
      assert.strictEqual((yield* change(booking, { children: 10 })).booking.terms.mode, "exclusive")
      // Hours that changed since do not matter.
      yield* withPackages({ ...party, schedule: { times: ["11:00"] }, cleanup_minutes: 120 }, play)
      assert.strictEqual((yield* change(booking, { children: 9 })).booking.children, 9)
      const [{ ends, starts } = { ends: "", starts: "" }] = yield* placesOf(booking)
      assert.deepStrictEqual([starts, ends], ["2026-12-12T09:45:00.000Z", "2026-12-12T12:15:00.000Z"])
    })
  )
})

layer(world)("the details of a booking", (it) => {
  it.effect("change at no cost, also of a hold and after the headcount, until the visit begins", () =>
    Effect.gen(function* () {
      yield* begin
      const held = yield* bookOption(yield* optionOn("2026-12-12"))
      const details = { contact_phone: "+44 20 7946 0000", notes: "No nuts", child_ages: [4, 4, 4, 4, 5, 5, 5, 5] }
      const done = yield* change(held, details)
      assert.deepStrictEqual([done.kind, done.difference, done.booking.status], ["details", 0, "held"])
      assert.deepStrictEqual(yield* rowOf(held), { ...held, ...details })
      yield* payBooking(held)
      yield* setClockBefore(held, 1)
      const { booking } = yield* change(held, { notes: null, contact_phone: null, child_ages: [] })
      assert.deepStrictEqual([booking.notes, booking.contact_phone, booking.child_ages], [null, null, []])
      const history = yield* BookingRecords.use((records) => records.history(held))
      assert.deepInclude(history.at(-1), {
        event: "changed",
        detail: "the ages that were told are removed, another telephone number, other wishes; by the family on its page"
      })
      assert.strictEqual(yield* reasonOf(held, { notes: null }), "same_visit")
      yield* setClockBefore(held, 0)
      assert.strictEqual(yield* reasonOf(held, { notes: "Late" }), "begun")
    })
  )

  it.effect("fit the party: ages for each child, of the playroom's range; those that do not fit any more go", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ children: 2 })
      for (const child_ages of [[4], [4, 15]]) {
        assert.strictEqual((yield* Effect.flip(change(booking, { child_ages })))._tag, "InvalidArguments")
        assert.strictEqual((yield* Effect.flip(change(booking, { children: 3, child_ages })))._tag, "InvalidArguments")
      }
      yield* change(booking, { child_ages: [4, 5] })
      assert.deepStrictEqual((yield* change(booking, { children: 3 })).booking.child_ages, [])
      const { booking: after } = yield* change(booking, { children: 4, child_ages: [3, 4, 5, 6], notes: "Cake" })
      assert.deepStrictEqual([after.child_ages, after.notes], [[3, 4, 5, 6], "Cake"])
    })
  )

  it.effect("are changed as they were shown, or not at all", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmed({ children: 8 })
      const wish = { notes: "Mine" }
      const { shown } = yield* change(booking, wish, { preview: true })
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      yield* change(booking, { notes: "Theirs" })
      assert.strictEqual((yield* Effect.flip(change(booking, wish, { shown })))._tag, "ChangedSinceShown")
      assert.strictEqual((yield* rowOf(booking)).notes, "Theirs")
      const nine = { children: 9 }
      const seen = yield* change(booking, nine, { preview: true })
      yield* withPackages({ ...party, pricing: { ...party.pricing, extra_child: 1600 } }, play)
      assert.strictEqual((yield* Effect.flip(change(booking, nine, { shown: seen.shown })))._tag, "ChangedSinceShown")
      yield* importVenue(hall)
      assert.strictEqual((yield* change(booking, nine, { shown: seen.shown })).difference, 1500)
      assert.strictEqual((yield* openSession(booking, "balance")).amount, 12_500)
    })
  )
})
