/**
 * One payment for several bookings that were made together: each is paid once, whatever is lost, told twice or cut off;
 * and what a booking does not take goes back to the payer.
 */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { Claims } from "../../../../src/domain/booking/Claims.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { makeMonthAccounts } from "../../../../src/domain/payment/accounts/MonthAccounts.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import { Checkout } from "../../../../src/domain/payment/checkout/Checkout.ts"
import { AccountComparison } from "../../../../src/domain/payment/recovery/AccountComparison.ts"
import { VoucherSales } from "../../../../src/domain/payment/settlement/VoucherSales.ts"
import { Vouchers } from "../../../../src/domain/payment/sessions/Vouchers.ts"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { Failpoint, type FailpointName } from "../../../../src/platform/concurrency/Failpoint.ts"
import { dayMs } from "../../../../src/platform/time/LocalTime.ts"
import { contact, importVenue, principal } from "../../../support/BookingWorld.ts"
import { packageWith, playroomWith, testId } from "../../../support/venues.ts"
import { commandWorld, playroom } from "../../../support/CommandLine.ts"
import {
  actAndDeliver,
  actAtProvider,
  cancelBooking,
  createSession,
  deliverAndApply,
  now,
  reconcile,
  runProviderTasks,
  sessionRow,
  startAnew
} from "../../../support/PaymentWorld.ts"
import { account, packages, venue } from "../../../support/paymentVenues.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"

const { operator_id } = venue.operator
const dates = ["2027-02-06", "2027-02-13", "2027-02-20"]
const fee = 5

const optionOn = (date: string) =>
  Effect.map(
    BookingOptions.use((options) =>
      options.list({ ...venue.playroom, package_id: packages.party.package_id, date, children: 8 })
    ),
    ({ options: [first] }) => first?.option_id ?? assert.fail(`nothing on ${date}`)
  )

let parties = 0
/** Three parties by one call, each due as a whole. */
const begin = Effect.gen(function* () {
  const provider = yield* startAnew
  const sql = yield* SqlClient.SqlClient
  yield* sql`update operator set application_fee_percent = ${fee} where operator_id = ${operator_id}`
  provider.disputes.clear()
  const [option_id = "", ...more_option_ids] = yield* Effect.forEach(dates, optionOn)
  const who = contact(`order-${parties++}`)
  const { made } = yield* Bookings.use((bookings) =>
    bookings.createOrder(principal(), { option_id, more_option_ids, contact: who })
  )
  const [one, two, three] = made.map(({ row }) => row)
  if (one === undefined || two === undefined || three === undefined) return assert.fail("three were asked for")
  return { provider, one, two, three, all: [one, two, three] as const }
})

const askFor = Effect.fnUntraced(function* ({ booking_id }: BookingRow) {
  const page = yield* Checkout.use((payments) => payments.createForOrder(principal(), { booking_id }))
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ id: string | null }>`
    select provider_session_id as id from voucher_sale where payment_session_id = ${page.payment_session_id}
    union all select provider_session_id from payment_session where payment_session_id = ${page.payment_session_id}`
  return { ...page, provider_session_id: found?.id ?? null }
})
/** The page of one booking. */
const sessionAlone = ({ booking_id }: BookingRow) =>
  Effect.flatMap(createSession(booking_id), ({ payment_session_id }) => sessionRow(payment_session_id))
const statusOf = (order: { readonly all: ReadonlyArray<BookingRow> }) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ at: string; status: string; payment: string; paid: number; refunded: number }>`
      select status || ' ' || payment_status || ' ' || (paid - refunded)::text as at from booking
      where booking_id = any(${order.all.map(({ booking_id }) => booking_id)}::text[]) order by starts_at`
    return rows.map(({ at }) => at)
  })
const saleOf = ({ payment_session_id }: { readonly payment_session_id: string }) =>
  Effect.gen(function* () {
    const [sale] = yield* VoucherSales.use(({ paidOf }) => paidOf(operator_id, "", "z", 1000)).pipe(
      Effect.map((all) => all.filter((one) => one.payment_session_id === payment_session_id))
    )
    return sale ?? assert.fail("it is not paid")
  })
const leftOf = (page: { readonly payment_session_id: string }) =>
  Effect.gen(function* () {
    const { voucher_id } = yield* saleOf(page)
    const found = yield* Vouchers.use((vouchers) => vouchers.find(voucher_id))
    return found._tag === "Some"
      ? { spent: found.value.spent, back: found.value.back, left: found.value.left }
      : undefined
  })
/** Everything that is due now is done: refunds, and what the provider is asked. */
const settleAll = Effect.gen(function* () {
  for (let round = 0; round < 3; round++) {
    yield* runProviderTasks
    yield* VoucherSales.use(({ runDue }) => runDue)
  }
})
const sound = Effect.gen(function* () {
  assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
})
const sumDue = (...rows: ReadonlyArray<BookingRow>) => rows.reduce((sum, { due_now }) => sum + due_now, 0)
const paidBy = (row: BookingRow) => `confirmed paid ${row.due_now}`

const dyingAt = (at: FailpointName) => (name: FailpointName) =>
  name === at ? Effect.die(new Error(`killed: ${name}`)) : Effect.void
const killed = <A, E, R>(at: FailpointName, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Effect.provideService(work, Failpoint, dyingAt(at)))
    assert.isTrue(Exit.isFailure(exit) && Cause.pretty(exit.cause).includes(`killed: ${at}`), at)
  })

layer(commandWorld)("one payment for several bookings", (it) => {
  it.effect("confirms each, by one page that is the same for whoever asks again, and no second time", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const { all, one, provider, three, two } = order
      const page = yield* askFor(one)
      assert.strictEqual(page.amount.amount, sumDue(...all))
      assert.strictEqual((yield* askFor(three)).url, page.url)
      assert.deepStrictEqual(
        yield* statusOf(order),
        all.map(() => "held unpaid 0")
      )
      const made = provider.calls.filter(({ operation }) => operation === "createSession").length
      assert.strictEqual(made, 1)
      yield* actAndDeliver(page, "pay")
      assert.deepStrictEqual(yield* statusOf(order), [one, two, three].map(paidBy))
      yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(page)))
      yield* settleAll
      assert.deepStrictEqual(yield* statusOf(order), [one, two, three].map(paidBy))
      assert.deepStrictEqual(yield* leftOf(page), { spent: sumDue(...all), back: 0, left: 0 })
      assert.deepStrictEqual((yield* Effect.flip(askFor(two)))._tag, "NothingDue")
      assert.strictEqual((yield* saleOf(page)).application_fee, Math.round((sumDue(...all) * fee) / 100))
      yield* sound
    })
  )

  it.effect("holds the places for as long as its page can be paid", () =>
    Effect.gen(function* () {
      const order = yield* begin
      yield* askFor(order.two)
      yield* TestClock.adjust("33 minutes")
      yield* reconcile
      assert.deepStrictEqual(
        yield* statusOf(order),
        order.all.map(() => "held unpaid 0")
      )
      yield* TestClock.adjust("10 minutes")
      yield* reconcile
      assert.deepStrictEqual(
        yield* statusOf(order),
        order.all.map(() => "expired unpaid 0")
      )
      yield* sound
    })
  )

  it.effect("is asked about though no event comes, and confirms then", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const page = yield* askFor(order.one)
      yield* actAtProvider(page, "pay")
      yield* TestClock.adjust("90 seconds")
      yield* settleAll
      assert.deepStrictEqual(yield* statusOf(order), order.all.map(paidBy))
      yield* sound
    })
  )

  it.effect("is asked before a hold ends, however long nobody did; until then nobody else gets the places", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const page = yield* askFor(order.one)
      yield* actAtProvider(page, "pay")
      // No event came, and no node ran.
      yield* TestClock.adjust("3 hours")
      const rival = { option_id: order.two.option_id, contact: contact("rival") }
      const refused = yield* Effect.flip(Bookings.use((bookings) => bookings.create(principal(), rival)))
      assert.strictEqual(refused._tag, "SlotUnavailable")
      yield* reconcile
      assert.deepStrictEqual(yield* statusOf(order), order.all.map(paidBy))
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(
        yield* sql`select 1 from booking_history where event = 'hold_expired'
          and booking_id = any(${order.all.map(({ booking_id }) => booking_id)}::text[])`,
        []
      )
      yield* sound
    })
  )

  it.effect("keeps the places though a page of one booking alone has closed", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const own = yield* sessionAlone(order.two)
      const page = yield* askFor(order.one)
      yield* actAtProvider(page, "pay")
      yield* actAndDeliver(own, "expire")
      // No event came of the other page, and no node ran.
      yield* TestClock.adjust("3 hours")
      const rival = { option_id: order.two.option_id, contact: contact("rival-of-closed") }
      const refused = yield* Effect.flip(Bookings.use((bookings) => bookings.create(principal(), rival)))
      assert.strictEqual(refused._tag, "SlotUnavailable")
      yield* reconcile
      assert.deepStrictEqual(yield* statusOf(order), order.all.map(paidBy))
      yield* sound
    })
  )

  it.effect("is asked about when somebody reads a booking of it, or asks for a page of one alone", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const page = yield* askFor(order.one)
      const own = yield* sessionAlone(order.three)
      yield* TestClock.adjust("10 seconds")
      yield* actAtProvider(page, "pay")
      const read = Effect.flatMap(
        Bookings.use((bookings) => bookings.find(principal(), order.two.booking_id)),
        ({ row }) => PaymentSummaries.use((summaries) => summaries.refresh(row))
      )
      assert.isTrue((yield* read).outdated)
      assert.deepStrictEqual(yield* statusOf(order), order.all.map(paidBy))
      assert.isFalse((yield* read).outdated)
      assert.strictEqual((yield* Effect.flip(createSession(order.one.booking_id)))._tag, "NothingDue")
      assert.strictEqual(own.status, "open")
      yield* sound
    })
  )

  it.effect("is asked about when a page of one booking alone is asked for: nobody is asked to pay twice", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const page = yield* askFor(order.one)
      yield* TestClock.adjust("10 seconds")
      yield* actAtProvider(page, "pay")
      assert.strictEqual((yield* Effect.flip(createSession(order.three.booking_id)))._tag, "NothingDue")
      assert.deepStrictEqual(yield* statusOf(order), order.all.map(paidBy))
      yield* sound
    })
  )

  it.effect("is known to the next reader, if the provider answers after the first one has gone", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const page = yield* askFor(order.one)
      yield* TestClock.adjust("10 seconds")
      yield* actAtProvider(page, "pay")
      order.provider.injectFault("getSession", "slow")
      const { row } = yield* Bookings.use((bookings) => bookings.find(principal(), order.two.booking_id))
      const read = yield* Effect.forkChild(VoucherSales.use((sales) => sales.askForReader(row)))
      // The statements of both take their time meanwhile, on a clock of their own.
      const timePasses = Effect.andThen(TestClock.adjust("200 millis"), statusOf(order))
      yield* Effect.repeat(timePasses, { times: 1000, until: () => read.pollUnsafe() !== undefined })
      assert.isFalse(yield* Fiber.join(read))
      yield* Effect.repeat(timePasses, { times: 1000, until: ([first]) => first === paidBy(order.one) })
      assert.deepStrictEqual(yield* statusOf(order), order.all.map(paidBy))
      yield* sound
    })
  )

  it.effect("gives back the part of a booking that was cancelled meanwhile, with its part of the fee", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const { one, three, two } = order
      const page = yield* askFor(one)
      yield* cancelBooking(two)
      yield* actAndDeliver(page, "pay")
      yield* settleAll
      assert.deepStrictEqual(yield* statusOf(order), [paidBy(one), "cancelled refunded 0", paidBy(three)])
      assert.deepStrictEqual(yield* leftOf(page), { spent: sumDue(one, three), back: two.due_now, left: 0 })
      yield* sound
    })
  )

  it.effect("gives back what was paid by itself meanwhile", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const { all, one, three, two } = order
      const page = yield* askFor(one)
      const alone = yield* sessionAlone(three)
      yield* actAndDeliver(alone, "pay")
      yield* actAndDeliver(page, "pay")
      yield* settleAll
      assert.deepStrictEqual(yield* statusOf(order), all.map(paidBy))
      assert.deepStrictEqual(yield* leftOf(page), { spent: sumDue(one, two), back: three.due_now, left: 0 })
      yield* sound
    })
  )

  it.effect("asks only for what is unpaid, and for one booking alone if no other is", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const { one, three, two } = order
      yield* actAndDeliver(yield* sessionAlone(one), "pay")
      assert.strictEqual((yield* askFor(one)).amount.amount, sumDue(two, three))
      yield* cancelBooking(two)
      const last = yield* askFor(one)
      assert.deepStrictEqual([last.booking_id, last.amount.amount], [three.booking_id, three.due_now])
      yield* actAndDeliver(last, "pay")
      assert.deepStrictEqual(yield* statusOf(order), [paidBy(one), "cancelled unpaid 0", paidBy(three)])
      yield* sound
    })
  )

  it.effect("takes places again that had lapsed, and gives back what is gone", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const { one, provider, three, two } = order
      const page = yield* askFor(one)
      yield* TestClock.adjust("30 minutes")
      yield* actAtProvider(page, "pay")
      provider.outage = "away"
      yield* TestClock.adjust("15 minutes")
      yield* reconcile
      provider.outage = undefined
      yield* TestClock.adjust("3 minutes")
      // Somebody else has the second day.
      const option_id = yield* optionOn(dates[1] ?? "")
      yield* Bookings.use((bookings) => bookings.create(principal(), { option_id, contact: contact("another") }))
      yield* settleAll
      assert.deepStrictEqual(yield* statusOf(order), [paidBy(one), "expired refunded 0", paidBy(three)])
      assert.deepStrictEqual(yield* leftOf(page), { spent: sumDue(one, three), back: two.due_now, left: 0 })
      yield* sound
    })
  )

  it.effect("finds the place of one whose hold has lapsed, and that nobody has released, beside one that was", () =>
    Effect.gen(function* () {
      yield* startAnew
      const hall = playroomWith({ playroom_id: testId.playroom(92) })
      yield* importVenue({ ...venue, playroom: hall, packages: [packageWith({ package_id: testId.package(986) })] })
      const listed = yield* BookingOptions.use((options) =>
        options.list({
          playroom_id: hall.playroom_id,
          package_id: testId.package(986),
          date: dates[0] ?? "",
          children: 6
        })
      )
      const [option_id = "", other = ""] = listed.options.map((one) => one.option_id)
      for (const first of [0, 1]) {
        const { made } = yield* Bookings.use((bookings) =>
          bookings.createOrder(principal(), {
            option_id,
            more_option_ids: [other],
            contact: contact(`overlapping-${first}`)
          })
        )
        const rows = made.map(({ row }) => row)
        const released = rows[first] ?? assert.fail("two were asked for")
        const page = yield* askFor(released)
        yield* actAtProvider(page, "pay")
        yield* TestClock.adjust("45 minutes")
        yield* Claims.use(({ releaseLapsed }) => releaseLapsed([released.booking_id]))
        yield* settleAll
        assert.deepStrictEqual(yield* statusOf({ all: rows }), rows.map(paidBy))
        yield* sound
      }
    })
  )

  it.effect("gives back by the terms what is cancelled later, at the provider, and nothing by hand", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const { all, one, three, two } = order
      const page = yield* askFor(one)
      yield* actAndDeliver(page, "pay")
      yield* cancelBooking(two)
      assert.isUndefined((yield* PaymentSummaries.use(({ read }) => read(two))).refund_by_hand)
      yield* settleAll
      const gone = yield* leftOf(page)
      assert.deepStrictEqual(gone, { spent: sumDue(one, three), back: two.due_now, left: 0 })
      yield* cancelBooking(one)
      yield* cancelBooking(three)
      yield* settleAll
      assert.deepStrictEqual(yield* leftOf(page), { spent: 0, back: sumDue(...all), left: 0 })
      assert.deepStrictEqual(
        yield* statusOf(order),
        all.map(() => "cancelled refunded 0")
      )
      yield* sound
    })
  )

  it.effect("is no gift voucher: nobody is offered one, and nothing is owed at the month's end", () =>
    Effect.gen(function* () {
      const order = yield* begin
      yield* actAndDeliver(yield* askFor(order.one), "pay")
      assert.isFalse(yield* Vouchers.use(({ sold }) => sold(operator_id)))
      assert.isEmpty(yield* Vouchers.use(({ latest }) => latest(operator_id)))
      const { vouchersOwed } = yield* makeMonthAccounts
      assert.deepStrictEqual(
        (yield* vouchersOwed({ period: "2026-11", operator_id })).filter(({ amount }) => amount !== 0),
        []
      )
    })
  )

  it.effect("of another amount than was asked for waits for a person, who finds the code", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const { one, provider } = order
      const page = yield* askFor(one)
      yield* actAtProvider(page, "pay")
      provider.sessionOf(page).amount_total -= 100
      yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(page)))
      yield* settleAll
      assert.deepStrictEqual(
        yield* statusOf(order),
        order.all.map(() => "held unpaid 0")
      )
      const troubles = yield* VoucherSales.use(({ troubles }) => troubles)
      assert.match(troubles.map(({ why }) => why).join(), /was asked for several bookings, and .* was paid/)
      const { voucher_id } = yield* saleOf(page)
      const shown = yield* playroom("voucher", "show", voucher_id)
      assert.match(shown.out, /code {2,}[0-9A-Z-]{19}/)
    })
  )

  it.effect("is whole after a kill at each step", () =>
    Effect.gen(function* () {
      for (const at of ["sale of a voucher written, provider not asked", "voucher's page made, not stored"] as const) {
        const order = yield* begin
        yield* killed(at, askFor(order.one))
        const page = yield* askFor(order.two)
        yield* actAndDeliver(page, "pay")
        assert.deepStrictEqual(yield* statusOf(order), order.all.map(paidBy), at)
        yield* sound
      }
      const order = yield* begin
      const page = yield* askFor(order.one)
      yield* actAtProvider(page, "pay")
      const answer = order.provider.sessionOf(page)
      yield* killed(
        "voucher's payment applied, not committed",
        VoucherSales.use((sales) => sales.settle(page.payment_session_id, answer))
      )
      assert.deepStrictEqual(
        yield* statusOf(order),
        order.all.map(() => "held unpaid 0")
      )
      yield* TestClock.adjust("2 minutes")
      yield* settleAll
      assert.deepStrictEqual(yield* statusOf(order), order.all.map(paidBy))
      yield* cancelBooking(order.three)
      yield* runProviderTasks
      yield* killed(
        "voucher's refund made, not stored",
        VoucherSales.use(({ runDue }) => runDue)
      )
      yield* TestClock.adjust("10 minutes")
      yield* settleAll
      assert.deepStrictEqual(yield* leftOf(page), {
        spent: sumDue(order.one, order.two),
        back: order.three.due_now,
        left: 0
      })
      yield* sound
    })
  )

  it.effect("has one page, however many ask at once", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const pages = yield* Effect.all(order.all.map(askFor), { concurrency: "unbounded" })
      assert.strictEqual(new Set(pages.map(({ url }) => url)).size, 1)
      const [page] = pages
      if (page === undefined) return assert.fail("no page")
      yield* actAndDeliver(page, "pay")
      assert.deepStrictEqual(yield* statusOf(order), order.all.map(paidBy))
      yield* sound
    })
  )

  it.effect("that a restored backup lacks needs a person, who finds its code", () =>
    Effect.gen(function* () {
      const order = yield* begin
      const page = yield* askFor(order.one)
      yield* actAtProvider(page, "pay")
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from voucher_sale`
      const compared = yield* AccountComparison.use((comparison) =>
        comparison.compare(account, { since: Date.parse(now) - dayMs, apply: true })
      )
      assert.deepStrictEqual(
        compared.differences.map(({ kind }) => kind),
        ["assigned"]
      )
      const troubles = yield* VoucherSales.use(({ troubles }) => troubles)
      assert.match(troubles.map(({ why }) => why).join(), /it paid several bookings/)
      assert.deepStrictEqual(
        yield* statusOf(order),
        order.all.map(() => "held unpaid 0")
      )
    })
  )

  it.effect("has three pages at most, so that nobody keeps places by asking", () =>
    Effect.gen(function* () {
      const { one } = yield* begin
      for (let pages = 0; pages < 3; pages++) {
        yield* askFor(one)
        yield* TestClock.adjust("33 minutes")
        yield* VoucherSales.use(({ runDue }) => runDue)
      }
      assert.strictEqual((yield* Effect.flip(askFor(one)))._tag, "HoldExpired")
    })
  )
})
