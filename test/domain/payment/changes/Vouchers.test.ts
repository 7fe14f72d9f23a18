/** Gift vouchers: what is left of one is spent once, wherever, and what goes back is on it again. */
import { assert, describe, it as plain, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import type { AccountLine } from "../../../../src/domain/payment/accounts/AccountLine.ts"
import { makeMonthAccounts } from "../../../../src/domain/payment/accounts/MonthAccounts.ts"
import { type Actor, BookingChanges } from "../../../../src/domain/payment/changes/BookingChanges.ts"
import { giveBackByHand } from "../../../../src/domain/payment/changes/Presses.ts"
import { payByVoucher } from "../../../../src/domain/payment/changes/VenuePayments.ts"
import { inGroups, readCode, Vouchers } from "../../../../src/domain/payment/sessions/Vouchers.ts"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { newId } from "../../../../src/platform/ids/Ids.ts"
import { dayMs } from "../../../../src/platform/time/LocalTime.ts"
import { cancelAsOperator, sellVoucher, undoRecorded } from "../../../support/Acts.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { commandWorld, playroom } from "../../../support/CommandLine.ts"
import {
  actAndDeliver,
  bookingState,
  callCount,
  createBooking,
  expectedState,
  now,
  openSession,
  paidBooking,
  runProviderTasks,
  sessionRow,
  startAnew
} from "../../../support/PaymentWorld.ts"
import { otherVenue, packages, venue } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

const { operator_id } = venue.operator
const family: Actor = { as: "family" }
const operator: Actor = { as: "operator", name: "Ann" }

const pay = (
  { booking_id }: Pick<BookingRow, "booking_id">,
  code: string,
  { rest = "later", who = family }: { readonly rest?: "later" | "cash"; readonly who?: Actor } = {}
) => BookingChanges.use(({ run }) => run(payByVoucher, booking_id, { code, rest }, { preview: false, who }))
const refusal = (booking: Pick<BookingRow, "booking_id">, code: string) =>
  Effect.map(Effect.flip(pay(booking, code)), (error) => (error._tag === "VoucherRefused" ? error.reason : error._tag))
const voucherOf = (code: string) => Vouchers.use((vouchers) => Effect.map(vouchers.byCode(code), Option.getOrThrow))
const leftOf = (code: string) => Effect.map(voucherOf(code), ({ left }) => left)
const sound = Effect.gen(function* () {
  assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
})
const refundsOf = (booking: BookingRow) =>
  BookingChanges.use((changes) => Effect.map(changes.situation(booking), ({ refunds }) => refunds))
const monthOf = Effect.fnUntraced(function* (period: string) {
  const lines: Array<AccountLine> = []
  const { own } = yield* makeMonthAccounts
  const { sums } = yield* own({ period, operator_id }, (line) => Effect.sync(() => lines.push(line)))
  return { lines, sums: Object.fromEntries(sums.flatMap((one) => one.sums).map(({ amount, name }) => [name, amount])) }
})

describe("the code of a voucher", () => {
  plain(
    "tells every wrong letter, and every two that changed places; dashes, case and look-alikes do not matter",
    () => {
      const codes = ["0123456789ABCDE", "ZZZZZZZZZZZZZZZ", "K7M29QXD01VWTSR"].map(
        (letters) =>
          Array.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ", (last) => letters + last).find((code) =>
            Option.isSome(readCode(code))
          ) ?? assert.fail("no check letter")
      )
      for (const code of codes) {
        for (let at = 0; at < code.length; at++) {
          for (const letter of "0123456789ABCDEFGHJKMNPQRSTVWXYZ") {
            const other = code.slice(0, at) + letter + code.slice(at + 1)
            assert.strictEqual(Option.isSome(readCode(other)), other === code, other)
          }
          for (let to = at + 1; to < code.length; to++) {
            const letters = [...code]
            ;[letters[at], letters[to]] = [letters[to] ?? "", letters[at] ?? ""]
            const other = letters.join("")
            assert.strictEqual(Option.isSome(readCode(other)), other === code, other)
          }
        }
        assert.deepStrictEqual(
          readCode(` ${inGroups(code).toLowerCase().replaceAll("0", "o").replaceAll("1", "l")}`),
          Option.some(code)
        )
        assert.isTrue(Option.isNone(readCode(code.slice(1))))
        assert.isTrue(Option.isNone(readCode(`${code}0`)))
      }
    }
  )
})

layer(commandWorld)("a voucher", (it) => {
  it.effect("pays a balance in parts, by several, and no more than is left; its pages are closed", () =>
    Effect.gen(function* () {
      yield* startAnew
      const { booking } = yield* paidBooking(packages.depositParty)
      const page = yield* openSession(booking, "balance")
      const [ten, eighty] = [yield* sellVoucher(operator_id, 10_000), yield* sellVoucher(operator_id, 8000)]
      const first = yield* pay(booking, inGroups(ten).toLowerCase())
      assert.deepInclude(first, { confirms: false })
      assert.deepStrictEqual([first.amount.amount, first.left.amount, first.left_of_voucher.amount], [10_000, 5000, 0])
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 15_000))
      yield* runProviderTasks
      assert.strictEqual((yield* sessionRow(page.payment_session_id)).status, "expired")
      assert.strictEqual(yield* refusal(booking, ten), "used_up")
      const second = yield* pay(booking, eighty)
      assert.deepStrictEqual([second.amount.amount, second.left.amount], [5000, 0])
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", 20_000))
      assert.strictEqual(yield* leftOf(eighty), 3000)
      assert.strictEqual(yield* refusal(booking, eighty), "nothing_owed")
      yield* sound
    })
  )

  it.effect("is spent once, however many ask for it at once", () =>
    Effect.gen(function* () {
      yield* startAnew
      const code = yield* sellVoucher(operator_id, 20_000)
      const booked = yield* Effect.all([1, 2, 3].map(() => paidBooking(packages.depositParty)))
      const answers = yield* Effect.forEach(booked, ({ booking }) => Effect.result(pay(booking, code)), {
        concurrency: "unbounded"
      })
      const paid = answers.flatMap((one) => (one._tag === "Success" ? [one.success.amount.amount] : []))
      assert.sameMembers(paid, [15_000, 5000])
      assert.strictEqual(yield* leftOf(code), 0)
      yield* sound
    })
  )

  it.effect("confirms a hold if it pays what is due; else staff say how the rest is paid", () =>
    Effect.gen(function* () {
      yield* startAnew
      const code = yield* sellVoucher(operator_id, 6000)
      const one = yield* createBooking(packages.depositParty)
      const { confirms, left } = yield* pay(one, code)
      assert.deepStrictEqual([confirms, left.amount], [true, 14_000])
      assert.deepStrictEqual(yield* bookingState(one), expectedState("confirmed", "deposit_paid", 6000))
      yield* sound
      const small = yield* sellVoucher(operator_id, 2000)
      const other = yield* createBooking(packages.depositParty)
      assert.strictEqual(yield* refusal(other, small), "less_than_due")
      assert.strictEqual(
        yield* Effect.map(Effect.flip(pay(other, small, { rest: "cash" })), ({ _tag }) => _tag),
        "NotAllowed"
      )
      const { besides } = yield* pay(other, small, { rest: "cash", who: operator })
      assert.strictEqual(besides.amount, 3000)
      assert.deepStrictEqual(yield* bookingState(other), expectedState("confirmed", "deposit_paid", 5000))
      assert.strictEqual(yield* leftOf(small), 0)
      yield* sound
      const party = yield* createBooking(packages.party)
      const most = yield* sellVoucher(operator_id, 2000)
      yield* pay(party, most, { rest: "cash", who: operator })
      assert.deepStrictEqual(yield* bookingState(party), expectedState("confirmed", "paid", party.total))
      yield* sound
    })
  )

  it.effect("pays though a page is open; what is paid there all the same goes back", () =>
    Effect.gen(function* () {
      yield* startAnew
      const provider = yield* ScriptedGateway
      const code = yield* sellVoucher(operator_id, 30_000)
      const booking = yield* createBooking(packages.party)
      const page = yield* openSession(booking)
      yield* pay(booking, code)
      yield* actAndDeliver(page, "pay")
      yield* runProviderTasks
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "paid", booking.total))
      assert.deepStrictEqual(provider.paidAndRefunded(page), { paid: booking.total, refunded: booking.total })
      assert.strictEqual(yield* leftOf(code), 30_000 - booking.total)
      yield* sound
    })
  )

  it.effect("has again what goes back, at once and not by the provider; onto one that has expired nothing goes", () =>
    Effect.gen(function* () {
      yield* startAnew
      const ends = Date.parse(now) + dayMs
      const [lasting, short] = [
        yield* sellVoucher(operator_id, 30_000),
        yield* sellVoucher(operator_id, 12_000, { expires_at: ends })
      ]
      const [one, other] = [yield* createBooking(packages.party), yield* createBooking(packages.party)]
      yield* pay(one, lasting)
      yield* pay(other, short)
      const before = yield* callCount("createRefund")
      yield* cancelAsOperator(one.booking_id, { preview: false, refund: { amount: 5000 } })
      yield* runProviderTasks
      assert.strictEqual(yield* callCount("createRefund"), before)
      assert.deepStrictEqual(yield* bookingState(one), {
        ...expectedState("cancelled", "partially_refunded", one.total, 5000)
      })
      const [refund] = yield* refundsOf(one)
      assert.deepInclude(refund, { status: "succeeded", way: "voucher", amount: 5000 })
      assert.strictEqual(yield* leftOf(lasting), 30_000 - one.total + 5000)
      yield* sound

      yield* setClock(new Date(ends).toISOString())
      yield* cancelAsOperator(other.booking_id, { preview: false, refund: "full" })
      yield* runProviderTasks
      const [waits] = yield* refundsOf(other)
      assert.deepInclude(waits, { status: "requested", waits_for: "venue" })
      if (waits === undefined) return assert.fail("no refund")
      const wish = { refund: waits.refund_id, way: "cash" } as const
      yield* BookingChanges.use(({ run }) =>
        run(giveBackByHand, other.booking_id, wish, { preview: false, who: operator })
      )
      assert.strictEqual(yield* leftOf(short), 12_000 - other.total)
      yield* sound
    })
  )

  it.effect("of which nothing was spent is undone once; an undone payment is on its voucher again", () =>
    Effect.gen(function* () {
      yield* startAnew
      const vouchers = yield* Vouchers
      const code = yield* sellVoucher(operator_id, 15_000)
      const { voucher_id } = yield* voucherOf(code)
      const { booking } = yield* paidBooking(packages.depositParty)
      yield* pay(booking, code)
      assert.strictEqual((yield* Effect.flip(vouchers.undo(voucher_id, operator_id, "Ann"))).reason, "spent")
      const { sessions } = yield* BookingChanges.use((changes) => changes.situation(booking))
      const paid = sessions.find((one) => one.voucher_id === voucher_id) ?? assert.fail("no payment")
      yield* undoRecorded(paid.payment_session_id, { preview: false })
      assert.strictEqual(yield* leftOf(code), 15_000)
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 5000))
      assert.isTrue(Option.isNone(yield* vouchers.undo(voucher_id, otherVenue.operator.operator_id, "Eve")))
      const first = yield* vouchers.undo(voucher_id, operator_id, "Ann")
      assert.deepStrictEqual(yield* vouchers.undo(voucher_id, operator_id, "Ben"), first)
      assert.strictEqual(yield* refusal(booking, code), "voided")
      const { lines, sums } = yield* monthOf(now.slice(0, 7))
      assert.deepInclude(sums, { voucher_sold: 0, voucher_payment: 0 })
      assert.deepStrictEqual(
        lines.filter(({ kind }) => kind === "voucher").map(({ amount, cause, way }) => [amount, cause, way]),
        [
          [15_000, null, "cash"],
          [-15_000, "undone", "cash"]
        ]
      )
      yield* sound
    })
  )

  it.effect("that can't pay says why in one word, and another venue's is not told from none", () =>
    Effect.gen(function* () {
      yield* startAnew
      const { booking } = yield* paidBooking(packages.depositParty)
      const own = yield* sellVoucher(operator_id, 1000)
      const slip = own.slice(0, 3) + (own[3] === "A" ? "B" : "A") + own.slice(4)
      assert.strictEqual(yield* refusal(booking, slip), "slip")
      assert.strictEqual(yield* refusal(booking, ""), "slip")
      const elsewhere = yield* sellVoucher(otherVenue.operator.operator_id, 1000)
      const unsold = yield* Vouchers.use((vouchers) => Effect.flatMap(newId.voucher, vouchers.code))
      assert.strictEqual(yield* refusal(booking, elsewhere), "unknown")
      assert.strictEqual(yield* refusal(booking, unsold), "unknown")
      assert.strictEqual(
        yield* refusal(booking, yield* sellVoucher(operator_id, 1000, { currency: "EUR" })),
        "other_currency"
      )
      const ends = Date.parse(now) + dayMs
      const short = yield* sellVoucher(operator_id, 1000, { expires_at: ends })
      yield* setClock(new Date(ends).toISOString())
      assert.strictEqual(yield* refusal(booking, short), "expired")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 5000))
    })
  )

  it.effect("sold again with the same id is the same; the id of another venue's sells nothing", () =>
    Effect.gen(function* () {
      yield* startAnew
      const vouchers = yield* Vouchers
      const voucher_id = yield* newId.voucher
      const one = {
        voucher_id,
        operator_id,
        amount: 500,
        currency: "GBP",
        way: "card",
        time_zone: "Europe/London"
      } as const
      const sold = yield* vouchers.sell(one)
      assert.deepStrictEqual(yield* vouchers.sell({ ...one, amount: 900 }), sold)
      const { operator_id: other } = otherVenue.operator
      assert.isTrue(Option.isNone(yield* vouchers.sell({ ...one, operator_id: other })))
      assert.lengthOf(yield* vouchers.latest(operator_id), 1)
    })
  )

  it.effect("is owed in the month of its sale, revenue when it pays, and owed no more when it expires", () =>
    Effect.gen(function* () {
      yield* startAnew
      yield* setClock(now)
      const month = now.slice(0, 7)
      const ends = Date.parse("2026-12-01T00:00:00Z") - 1
      const [lasting, short] = [
        yield* sellVoucher(operator_id, 20_000, { sold_by: "Ann" }),
        yield* sellVoucher(operator_id, 9000, { expires_at: ends })
      ]
      const { booking } = yield* paidBooking(packages.depositParty)
      yield* pay(booking, lasting)
      const another = yield* paidBooking(packages.depositParty)
      yield* pay(another.booking, short)
      yield* pay(another.booking, lasting)
      const before = yield* monthOf(month)
      assert.deepInclude(before.sums, { voucher_sold: 29_000, voucher_payment: 29_000 })
      assert.notProperty(before.sums, "voucher_expired")
      // What comes in for a voucher has no tax yet; what is paid with it has.
      for (const line of before.lines) {
        if (line.kind === "voucher") assert.deepInclude(line, { booking_id: null, reference: null, taxes: [] })
        else if (line.way === "voucher") assert.isNotEmpty(line.taxes)
      }
      yield* cancelAsOperator(booking.booking_id, { preview: false, refund: "full" })
      yield* runProviderTasks
      assert.deepInclude((yield* monthOf(month)).sums, { voucher_refund: -15_000 })
      const waste = yield* sellVoucher(operator_id, 700, { expires_at: ends })
      assert.strictEqual(yield* leftOf(waste), 700)
      yield* setClock("2026-12-20T09:00:00Z")
      const after = yield* monthOf(month)
      assert.deepInclude(after.sums, { voucher_sold: 29_700, voucher_expired: 700 })
      // What happens later changes nothing of it.
      yield* cancelAsOperator(another.booking.booking_id, { preview: false, refund: "full" })
      yield* runProviderTasks
      assert.deepStrictEqual(yield* monthOf(month), after)
      yield* sound
    })
  )

  it.effect("pays by a command that shows first what a part leaves", () =>
    Effect.gen(function* () {
      yield* startAnew
      const { booking } = yield* paidBooking(packages.depositParty)
      const code = inGroups(yield* sellVoucher(operator_id, 4000))
      const command = ["payment", "voucher", booking.reference, code, "--rest", "later"]
      const refused = yield* playroom(...command)
      assert.include(refused.failure, "£110.00 would be left")
      const preview = yield* playroom(...command, "--preview")
      assert.include(preview.out, "Payment by voucher: £40.00")
      const shown = /--as-shown (\S+?),? /.exec(`${preview.out} `)?.[1] ?? assert.fail(preview.out)
      assert.include((yield* playroom(...command, "--as-shown", shown)).out, "Left of the voucher: £0.00")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "deposit_paid", 9000))
    })
  )

  it.effect("is listed, shown by its id and by its code, and undone once by commands", () =>
    Effect.gen(function* () {
      yield* startAnew
      yield* setClock(now)
      assert.strictEqual((yield* playroom("voucher", "list", operator_id)).out, "No vouchers.")
      const ends = Date.parse(now) + dayMs
      const [whole, part] = [
        yield* sellVoucher(operator_id, 5000, { sold_by: "Ann" }),
        yield* sellVoucher(operator_id, 4000, { expires_at: ends })
      ]
      const { booking } = yield* paidBooking(packages.depositParty)
      yield* pay(booking, whole)
      const [one, other] = [yield* voucherOf(whole), yield* voucherOf(part)]
      const { out } = yield* playroom("voucher", "list", operator_id)
      assert.match(out, new RegExp(`${one.voucher_id} +£50\\.00 +£0\\.00 +cash +used up`))
      assert.match(out, new RegExp(`${other.voucher_id} +£40\\.00 +£40\\.00 +cash +2026-\\S+ +unspent`))
      const shown = yield* playroom("voucher", "show", inGroups(part).toLowerCase(), "--json")
      assert.deepInclude(JSON.parse(shown.out), { voucher_id: other.voucher_id, code: inGroups(part), left: 4000 })
      assert.include((yield* playroom("voucher", "show", one.voucher_id)).out, "Ann")
      const none = yield* playroom("voucher", "show", "K7M2")
      assert.include(none.failure, "There is no voucher K7M2")
      assert.include((yield* playroom("voucher", "undo", one.voucher_id)).failure, "something was paid with it")
      for (let times = 0; times < 2; times++)
        assert.include(
          (yield* playroom("voucher", "undo", other.voucher_id, "--by", "Bo")).out,
          "pays nothing any more"
        )
      assert.deepInclude(yield* voucherOf(part), { voided_by: "Bo" })
      yield* sound
    })
  )

  it.effect("is owed at the end of each month as long as it is neither spent, undone nor expired then", () =>
    Effect.gen(function* () {
      yield* startAnew
      yield* setClock("2026-10-31T22:30:00Z")
      const owedAt = Effect.fnUntraced(function* (period: string) {
        const { vouchersOwed } = yield* makeMonthAccounts
        return Object.fromEntries(
          (yield* vouchersOwed({ period, operator_id })).map(({ amount, currency }) => [currency, amount])
        )
      })
      // Midnight there is an hour later: it is of October.
      const [lasting] = [
        yield* sellVoucher(operator_id, 20_000),
        yield* sellVoucher(operator_id, 300, { currency: "EUR" }),
        yield* sellVoucher(operator_id, 9000, { expires_at: Date.parse("2026-12-15T00:00:00Z") })
      ]
      const waste = yield* sellVoucher(operator_id, 700)
      yield* setClock("2026-11-10T09:00:00Z")
      const { booking } = yield* paidBooking(packages.depositParty)
      yield* pay(booking, lasting ?? "")
      const { voucher_id } = yield* voucherOf(waste)
      yield* Vouchers.use((vouchers) => vouchers.undo(voucher_id, operator_id, "Ann"))
      yield* setClock("2026-12-10T09:00:00Z")
      assert.deepStrictEqual(yield* owedAt("2026-12"), { EUR: 300, GBP: 14_000 })
      yield* cancelAsOperator(booking.booking_id, { preview: false, refund: "full" })
      yield* runProviderTasks
      yield* setClock("2027-02-01T09:00:00Z")
      assert.deepStrictEqual(yield* owedAt("2026-09"), {})
      assert.deepStrictEqual(yield* owedAt("2026-10"), { EUR: 300, GBP: 29_700 })
      assert.deepStrictEqual(yield* owedAt("2026-11"), { EUR: 300, GBP: 14_000 })
      assert.deepStrictEqual(yield* owedAt("2026-12"), { EUR: 300, GBP: 20_000 })
      assert.deepStrictEqual(yield* owedAt("2026"), { EUR: 300, GBP: 20_000 })
      const { complaints } = yield* playroom("accounts", "--month", "2026-11", "--offline")
      assert.include(complaints, "GBP: owed on vouchers at the end of 2026-11, or now: £140.00.")
    })
  )
})
