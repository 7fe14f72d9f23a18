import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Operators } from "../../src/domain/catalogue/Operators.ts"
import type { Package } from "../../src/domain/catalogue/Package.ts"
import { PaymentSessionView } from "../../src/domain/booking/Booking.ts"
import { BookingView } from "../../src/domain/booking/BookingViews.ts"
import { cancelAsOperator } from "../support/Acts.ts"
import { setClock } from "../support/BookingWorld.ts"
import { ask, bookFor, createCall, optionFor, payCall, payFor, playroom_id, type Run } from "../support/Assistant.ts"
import { actAndDeliver, deleteBookings, now, runProviderTasks, sessionRow } from "../support/PaymentWorld.ts"
import { callTool, freePackage, importCatalogue, newKey, toolWorld, venue } from "../support/ToolWorld.ts"

// With the venue's rule of 10 % on top: £132; £220 with a deposit of £50; £220 with nothing due when booking.
const [party = freePackage, deposit = freePackage, trusted = freePackage] = venue.packages
const support_email = "hello@example.com"

let runs = 0
/** A caller and a wish of its own, on a clean world; the booking starts on 2026-12-05 at 10:00. */
const fresh = Effect.gen(function* () {
  runs++
  yield* deleteBookings
  yield* importCatalogue({ operator: { ...venue.operator, support_email } })
  yield* Operators.use((operators) => operators.resume(venue.operator.operator_id))
  yield* setClock(now)
  const run: Run = {
    who: { key: yield* newKey(), address: `198.51.100.${runs}` },
    known: {
      playroom_id,
      date: "2026-12-05",
      children: 8,
      contact: { name: "Ana Lima", email: `ana${runs}@example.com` }
    },
    bound: false
  }
  return run
})

const Got = Schema.decodeUnknownSync(Schema.Struct({ booking: BookingView, next_step: Schema.String }))
const Paying = Schema.decodeUnknownSync(
  Schema.Struct({ payment_session: PaymentSessionView, next_step: Schema.String })
)

const see = (run: Run, booking_id: string) => Effect.map(ask("get_booking", { booking_id }, run.who), Got)
const openPage = (run: Run, booking_id: string, more: Readonly<Record<string, unknown>> = {}) =>
  Effect.map(ask("create_payment_session", { booking_id, ...more }, run.who), Paying)
const actOnPage = Effect.fnUntraced(function* (
  { payment_session }: ReturnType<typeof Paying>,
  what: Parameters<typeof actAndDeliver>[1]
) {
  yield* actAndDeliver(yield* sessionRow(payment_session.payment_session_id), what)
})
const held = Effect.fnUntraced(function* (pkg: Package) {
  const run = yield* fresh
  return { run, booking_id: yield* bookFor(run, pkg) }
})
const paid = Effect.fnUntraced(function* (pkg: Package) {
  const made = yield* held(pkg)
  yield* payFor(made.run, made.booking_id)
  return made
})

/** What is told of the money, in words. */
const moneyOf = ({ booking }: ReturnType<typeof Got>) => ({
  paid: booking.paid.display,
  outstanding: booking.outstanding.display,
  due_now: booking.due_now.display,
  balance: booking.balance?.amount.display,
  back: booking.refund_if_cancelled_now?.display
})

/** All instants in an answer that lie ahead of a moment and before another. */
const deadlinesIn = (answer: unknown, before: string) =>
  new Set(
    [...JSON.stringify(answer).matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d/g)]
      .map(([instant]) => Date.parse(instant))
      .filter((instant) => instant > Date.parse(now) && instant < Date.parse(before))
  )

layer(toolWorld)("a booking", (it) => {
  it.effect("that is held tells what is due now, until when as a time and a duration, and how it is paid", () =>
    Effect.gen(function* () {
      const run = yield* fresh
      const { input } = createCall(run, yield* optionFor(run, deposit))
      const made = Got(yield* ask("create_booking", input, run.who))
      const { booking } = made
      const seen = yield* see(run, booking.booking_id)
      for (const answer of [made, seen]) {
        assert.deepStrictEqual(moneyOf(answer), {
          paid: "£0.00",
          outstanding: "£220.00",
          due_now: "£50.00",
          balance: "£170.00",
          back: "£0.00"
        })
        assert.strictEqual(answer.booking.hold_expires_in, "in 15 minutes")
        assert.strictEqual(
          answer.booking.balance?.how,
          "By link, once what is due now is paid: create_payment_session with purpose balance."
        )
        assert.include(
          answer.next_step,
          "until 2026-11-20T09:15:00+00:00 (in 15 minutes) for Sat 5 Dec 2026, 10:00–12:00: "
        )
        assert.include(answer.next_step, "£50.00")
        assert.deepInclude(answer.booking.operator, { email: support_email })
      }
      yield* TestClock.adjust("870 seconds")
      assert.strictEqual((yield* see(run, booking.booking_id)).booking.hold_expires_in, "in less than a minute")
    })
  )

  it.effect("whose page is open has one deadline in every answer, which is that of the page", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* held(party)
      const page = yield* openPage(run, booking_id)
      assert.strictEqual(page.payment_session.expires_in, "in 32 minutes")
      assert.include(page.next_step, "before 2026-11-20T09:32:00+00:00 (in 32 minutes)")
      assert.include(page.next_step, "The places are now held until then, whatever was said before")
      assert.deepStrictEqual([...deadlinesIn(page, "2026-11-25")], [Date.parse("2026-11-20T09:32:00Z")])
      const seen = yield* see(run, booking_id)
      assert.deepStrictEqual([...deadlinesIn(seen, "2026-11-25")], [Date.parse("2026-11-20T09:32:00Z")])
      assert.match(seen.next_step, /^Give the person the url in payment_session: they pay £132\.00 there before/)
      // The page is closed; the hold outlives it by a few minutes.
      yield* TestClock.adjust("33 minutes")
      const later = yield* see(run, booking_id)
      assert.notProperty(later.booking.payment_session, "expires_in")
      assert.match(later.next_step, /^The payment page's time is up, and .* not known yet\. .* \(in 4 minutes\): call/)
      yield* actOnPage(page, "expire")
      const closed = yield* see(run, booking_id)
      assert.match(
        closed.next_step,
        /^The payment page is closed and nothing was paid on it\. .* \(in 4 minutes\): call create_payment_session with a new idempotency_key/
      )
    })
  )

  it.effect("whose payment is being booked at this very moment is not called unpaid", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* held(party)
      yield* openPage(run, booking_id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update payment_session set status = 'paid' where booking_id = ${booking_id}`
      const seen = yield* see(run, booking_id)
      assert.strictEqual(seen.next_step, "A payment has arrived and is being booked: call get_booking in a minute.")
    })
  )

  it.effect("whose page would outlive the start of the visit is to be paid before the start", () =>
    Effect.gen(function* () {
      const run = yield* fresh
      yield* importCatalogue({ playroom: { ...venue.playroom, lead_time_minutes: 0 } })
      yield* setClock("2026-12-05T09:50:00Z")
      const booking_id = yield* bookFor(run, party)
      const page = yield* openPage(run, booking_id)
      assert.strictEqual(page.payment_session.expires_at, "2026-12-05T10:00:00+00:00")
      assert.strictEqual(page.payment_session.expires_in, "in 10 minutes")
    })
  )

  it.effect("whose payment is on its way asks for no other, and one whose payment failed says so", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* held(party)
      const page = yield* openPage(run, booking_id)
      yield* actOnPage(page, "pay_later")
      const seen = yield* see(run, booking_id)
      assert.deepInclude(moneyOf(seen), { paid: "£0.00", outstanding: "£132.00", due_now: "£0.00" })
      assert.match(seen.next_step, /^The payment is being processed, .*tell the person.* call get_booking later/)
      yield* actOnPage(page, "late_failure")
      const failed = yield* see(run, booking_id)
      assert.deepInclude(moneyOf(failed), { due_now: "£132.00" })
      assert.match(
        failed.next_step,
        /^The last try to pay failed, and nothing was charged: tell the person\..*call create_payment_session with a new idempotency_key/
      )
    })
  )

  it.effect("whose deposit is paid tells the balance, by when and how, and nothing as due that is paid", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* paid(deposit)
      const seen = yield* see(run, booking_id)
      assert.deepStrictEqual(moneyOf(seen), {
        paid: "£50.00",
        outstanding: "£170.00",
        due_now: "£0.00",
        balance: "£170.00",
        back: "£0.00"
      })
      assert.notMatch(JSON.stringify(seen.booking.price), /due/)
      assert.deepInclude(seen.booking.balance, {
        due_at: "2026-12-04T10:00:00+00:00",
        how: "By link, from now on: create_payment_session with purpose balance."
      })
      assert.match(
        seen.next_step,
        /^The booking is confirmed: tell the person the reference \S+, and when it is: Sat 5 Dec 2026, 10:00–12:00\. No tool moves, changes or cancels it: give them page_url, .*booking\.operator\. Each further child, up to 10 in all, costs nothing more\. No adults are counted: ask how many come, whom page_url adds\. The balance of £170\.00 is due by 2026-12-04T10:00:00\+00:00: call create_payment_session with purpose balance [^.]*\.$/
      )
      const twice = yield* callTool("create_payment_session", payCall(booking_id).input, run.who)
      const fix = "fault" in twice ? twice.fault.fix : ""
      assert.match(fix, /balance of £170\.00 is due, and create_payment_session with purpose balance/)
      yield* setClock("2026-12-04T10:00:00Z")
      assert.include((yield* see(run, booking_id)).next_step, "has been due since 2026-12-04T10:00:00+00:00")
      const page = yield* openPage(run, booking_id, { purpose: "balance" })
      assert.notInclude(page.next_step, "held")
      assert.match(
        (yield* see(run, booking_id)).next_step,
        /For the balance, give the person the url in payment_session: they pay £170\.00/
      )
      yield* actOnPage(page, "pay")
      const done = yield* see(run, booking_id)
      assert.deepStrictEqual(moneyOf(done), {
        paid: "£220.00",
        outstanding: "£0.00",
        due_now: "£0.00",
        balance: undefined,
        back: "£85.00"
      })
      assert.include(done.next_step, "Nothing more is to be paid.")
    })
  )

  it.effect("whose balance can't be paid by link says that it is paid at the venue", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* paid(deposit)
      yield* Operators.use((operators) => operators.suspend(venue.operator.operator_id))
      const seen = yield* see(run, booking_id)
      assert.match(seen.booking.balance?.how ?? "", /^At the venue/)
      assert.include(seen.next_step, "it is paid at the venue")
      assert.notInclude(seen.next_step, "create_payment_session")
      assert.strictEqual(
        "fault" in
          (yield* callTool("create_payment_session", payCall(booking_id, { purpose: "balance" }).input, run.who)),
        true
      )
    })
  )

  it.effect("with nothing due when booking owes all of it as the balance", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* held(trusted)
      assert.deepStrictEqual(moneyOf(yield* see(run, booking_id)), {
        paid: "£0.00",
        outstanding: "£220.00",
        due_now: "£0.00",
        balance: "£220.00",
        back: "£0.00"
      })
      const { phone: _phone, support_email: _email, ...unreached } = venue.operator
      yield* importCatalogue({ operator: unreached })
      assert.match(
        (yield* see(run, booking_id)).next_step,
        /tell the person the contact in booking\.operator, at the venue \(booking\.address\)\./
      )
      const nothing = yield* held(freePackage)
      const seen = yield* see(nothing.run, nothing.booking_id)
      assert.deepInclude(moneyOf(seen), { outstanding: "£0.00", balance: undefined })
      assert.include(seen.next_step, "Nothing more is to be paid.")
    })
  )

  it.effect("tells what would come back now, to the millisecond at which its terms change", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* paid(party)
      for (const [moment, back] of [
        ["2026-12-03T10:00:00Z", "£132.00"],
        ["2026-12-03T10:00:00.001Z", "£66.00"],
        ["2026-12-04T10:00:00Z", "£66.00"],
        ["2026-12-04T10:00:00.001Z", "£0.00"]
      ] as const) {
        yield* setClock(moment)
        assert.strictEqual((yield* see(run, booking_id)).booking.refund_if_cancelled_now?.display, back, moment)
        const { refund } = yield* cancelAsOperator(booking_id, { preview: true })
        assert.strictEqual(refund.display, back, moment)
      }
      assert.strictEqual((yield* see(run, booking_id)).booking.terms.text, "Nothing that is paid is refunded.")
    })
  )

  it.effect("that is cancelled tells what is on its way back, then what came back", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* paid(party)
      yield* setClock("2026-12-04T09:00:00Z")
      yield* cancelAsOperator(booking_id, { preview: false })
      const seen = yield* see(run, booking_id)
      assert.strictEqual(seen.booking.refund_on_its_way?.display, "£66.00")
      assert.deepInclude(moneyOf(seen), { paid: "£132.00", outstanding: "£0.00", due_now: "£0.00", back: undefined })
      assert.strictEqual(
        seen.booking.terms.text,
        "The booking is over. Of the £132.00 paid, £66.00 went back or is still to go back."
      )
      assert.match(seen.next_step, /^The booking is cancelled: tell the person\. £66\.00 is on its way back/)
      yield* runProviderTasks
      const done = yield* see(run, booking_id)
      assert.strictEqual(done.booking.refunded?.display, "£66.00")
      assert.notProperty(done.booking, "refund_on_its_way")
      assert.match(
        done.next_step,
        /^The booking is cancelled: tell the person\. £66\.00 was paid back\. To book anew, call get_booking_options/
      )
    })
  )

  it.effect("that has expired, and one whose visit is over, say what to tell the person", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* held(party)
      yield* TestClock.adjust("15 minutes")
      const lapsed = yield* see(run, booking_id)
      assert.notProperty(lapsed.booking, "hold_expires_in")
      assert.match(lapsed.next_step, /^The hold has expired, and nothing was charged: tell the person\. To book anew/)
      const visited = yield* paid(party)
      yield* setClock("2026-12-05T11:59:59Z")
      assert.match((yield* see(visited.run, visited.booking_id)).next_step, /^The booking is confirmed/)
      yield* setClock("2026-12-05T12:00:00Z")
      assert.match(
        (yield* see(visited.run, visited.booking_id)).next_step,
        /^The visit is over, and there is nothing to do\. Tell the person that questions go to the operator/
      )
    })
  )

  it.effect("without a balance says so where the balance is to be paid, and what is paid already", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* held(party)
      const call = (purpose: string) => callTool("create_payment_session", { booking_id, purpose }, run.who)
      const before = yield* call("balance")
      assert.deepInclude("fault" in before ? before.fault : {}, {
        code: "nothing_due",
        message:
          "Nothing is to be paid for that purpose: There is no balance: all of it is due when booking. Nothing is paid so far.",
        fix: "Call create_payment_session with this booking_id and without purpose to pay the £132.00 that is due now."
      })
      yield* payFor(run, booking_id)
      const after = yield* call("due_now")
      assert.include("fault" in after ? after.fault.message : "", "£132.00 is paid.")
    })
  )

  it.effect("has a text for people beside every amount, and is told in fewer than 4,000 characters", () =>
    Effect.gen(function* () {
      const { booking_id, run } = yield* paid(deposit)
      const answer = yield* ask("get_booking", { booking_id }, run.who)
      assert.isBelow(JSON.stringify(answer).length, 4000)
      const bare: Array<string> = []
      const visit = (value: unknown, path: string): void => {
        if (typeof value !== "object" || value === null) return
        if ("amount" in value && typeof value.amount === "number" && !("display" in value)) bare.push(path)
        for (const [key, inner] of Object.entries(value)) visit(inner, `${path}.${key}`)
      }
      visit(answer, "")
      assert.deepStrictEqual(bare, [])
    })
  )
})
