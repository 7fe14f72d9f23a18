/** Gift vouchers: sold at the desk, spent in parts by families and staff; the model knows what is left of each. */
import { assert } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import * as fc from "fast-check"
import { BookingChanges } from "../../src/domain/payment/changes/BookingChanges.ts"
import { payByVoucher } from "../../src/domain/payment/changes/VenuePayments.ts"
import { PaymentSessions } from "../../src/domain/payment/sessions/PaymentSessions.ts"
import { Vouchers } from "../../src/domain/payment/sessions/Vouchers.ts"
import { BookingId } from "../../src/platform/ids/Ids.ts"
import { dayMs } from "../../src/platform/time/LocalTime.ts"
import { sellVoucher } from "../support/Acts.ts"
import { isProcessing, noteDue, overOf, owedNow, staff } from "./desk.ts"
import { operator_id } from "./hall.ts"
import { type Booked, last, type Ledger, nth, putIntoTill, type Voucher } from "./Ledger.ts"
import { press } from "./press.ts"
import type { Snapshot } from "./snapshot.ts"
import { Outside } from "./world.ts"

/** What is done with vouchers. Numbers are indexes modulo the list's length, as in `actions.ts`. */
export type VoucherAct =
  | { readonly step: "sell"; readonly amount: number; readonly days: number | undefined }
  | { readonly step: "unsell"; readonly voucher: number }
  /** `rest`: how staff let the rest be paid. A family pays it later. */
  | {
      readonly step: "spend"
      readonly voucher: number
      readonly booking: number
      readonly by: "family" | "desk"
      readonly rest: "later" | "cash"
    }

/** What was spent of a voucher, and is not on it again. */
const spentOf = ({ till }: Ledger, voucher: Voucher): number =>
  till
    .filter((taken) => taken.voucher === voucher && !taken.undone)
    .reduce((sum, { amount, onto }) => sum + amount - onto, 0)

export const leftOf = (ledger: Ledger, voucher: Voucher): number => voucher.amount - spentOf(ledger, voucher)

const isOver = ({ ends, undone }: Voucher, now: number): boolean => undone || (ends ?? Infinity) <= now

export const sell = Effect.fnUntraced(function* (
  ledger: Ledger,
  { amount, days }: Extract<VoucherAct, { readonly step: "sell" }>
) {
  const { now } = yield* Outside
  const ends = days === undefined ? undefined : now + days * dayMs
  const code = yield* sellVoucher(operator_id, amount, ends === undefined ? {} : { expires_at: ends })
  const { voucher_id } = yield* Vouchers.use((vouchers) => Effect.map(vouchers.byCode(code), Option.getOrThrow))
  ledger.vouchers.push({ voucher_id, code, amount, ends, undone: false })
})

/** Two members of staff undo a sale at once. */
export const unsell = Effect.fnUntraced(function* (ledger: Ledger, n: number, alone: boolean) {
  const { now } = yield* Outside
  const voucher = nth(ledger.vouchers, n)
  if (voucher === undefined) return
  const kept = !voucher.undone && (leftOf(ledger, voucher) < voucher.amount || isOver(voucher, now))
  const vouchers = yield* Vouchers
  const answers = yield* Effect.all(
    staff.map((by) => Effect.result(vouchers.undo(voucher.voucher_id, operator_id, by))),
    { concurrency: "unbounded" }
  )
  for (const answer of answers) {
    if (alone) assert.strictEqual(Result.isFailure(answer), kept, "whether the sale is undone")
    if (Result.isSuccess(answer)) voucher.undone = true
  }
})

/** Notes what was paid for a booking without a page, as far as that is not known. */
const noteTaken = Effect.fnUntraced(function* (ledger: Ledger, booking: Booked) {
  const all = yield* PaymentSessions.use((sessions) => sessions.ofBooking(BookingId.make(booking.booking_id)))
  return all
    .filter(({ payment_session_id, way }) => {
      return way !== "link" && ledger.till.every((one) => one.payment_session_id !== payment_session_id)
    })
    .map(({ amount, payment_session_id, purpose, voucher_id }) => {
      const voucher = ledger.vouchers.find((one) => one.voucher_id === voucher_id)
      putIntoTill(ledger, { payment_session_id, booking, purpose, amount, voucher })
      return { payment_session_id, amount, voucher }
    })
})

/** Pays with a voucher all that is left of it, or all that is owed. */
export const spend = Effect.fnUntraced(function* (
  ledger: Ledger,
  booked: Booked,
  act: Extract<VoucherAct, { readonly step: "spend" }>,
  alone: boolean
) {
  const { now } = yield* Outside
  const voucher = nth(ledger.vouchers, act.voucher)
  if (voucher === undefined) return
  const before = ledger.last
  const { code } = voucher
  const [rest, who] =
    act.by === "family"
      ? (["later", { as: "family" }] as const)
      : ([act.rest, { as: "operator", name: "Ann" }] as const)
  const { due_now, held, owed } = owedNow(before, booked)
  const amount = Math.min(leftOf(ledger, voucher), owed)
  const missing = held ? Math.max(0, due_now - amount) : 0
  const besides = rest === "later" ? 0 : held ? missing : owed - amount
  const lacks = amount === 0 || (missing > 0 && rest === "later")
  const refusal =
    overOf(before, booked, now) ??
    (isOver(voucher, now) || isProcessing(before, booked) || lacks ? "VoucherRefused" : undefined)
  const run = (how: { readonly preview: boolean; readonly shown?: string }) =>
    BookingChanges.use((changes) => changes.run(payByVoucher, booked.booking_id, { code, rest }, { ...how, who }))
  const done = yield* Effect.result(press(run, 2))
  if (Result.isFailure(done)) {
    assert.include(["BookingCancelled", "HoldExpired", "VoucherRefused", "ChangedSinceShown"], done.failure._tag)
    if (alone) assert.strictEqual(done.failure._tag, refusal, `${amount} of ${owed}`)
    return
  }
  const taken = yield* noteTaken(ledger, booked)
  if (!alone) return
  assert.isUndefined(refusal, `paid: ${amount} of ${owed}`)
  const paid = done.success
  assert.deepStrictEqual(
    [paid.amount.amount, paid.besides.amount, paid.left.amount, paid.left_of_voucher.amount, paid.confirms],
    [amount, besides, owed - amount - besides, leftOf(ledger, voucher), held]
  )
  const ofVoucher = taken.filter((one) => one.voucher !== undefined)
  const others = taken.filter((one) => one.voucher === undefined)
  assert.deepStrictEqual(
    [ofVoucher, others].map((some) => some.map((one) => one.amount)),
    [[amount], besides === 0 ? [] : [besides]]
  )
  let isHeld = held
  for (const one of [...ofVoucher, ...others]) {
    noteDue(ledger, booked, one, isHeld)
    isHeld = false
  }
})

/** Notes what went back of payments with vouchers: onto these, or by hand. */
export const noteBack = ({ till }: Ledger, { refunds }: Snapshot): void => {
  for (const taken of till) {
    if (taken.voucher === undefined) continue
    const back = refunds.filter(
      (one) => one.payment_session_id === taken.payment_session_id && one.status === "succeeded"
    )
    const sum = (all: typeof back) => all.reduce((so_far, { amount }) => so_far + amount, 0)
    taken.returned = sum(back)
    taken.onto = sum(back.filter(({ way }) => way === "voucher"))
  }
}

/** What is left of each voucher is what was neither spent nor is on it again: no less than nothing. */
export const checkVouchers = Effect.fnUntraced(function* (ledger: Ledger) {
  for (const voucher of ledger.vouchers) {
    const { amount, left, voided_at } = yield* Vouchers.use((vouchers) =>
      Effect.map(vouchers.byCode(voucher.code), Option.getOrThrow)
    )
    const expected = leftOf(ledger, voucher)
    assert.deepStrictEqual([amount, left, voided_at !== null], [voucher.amount, expected, voucher.undone], "a voucher")
    assert.isTrue(0 <= expected && (!voucher.undone || expected === amount), `${expected} of ${amount} is left`)
  }
})

const some = fc.oneof(fc.nat({ max: 5 }), fc.constant(last))
export const sells = fc.record({
  step: fc.constant("sell" as const),
  amount: fc.constantFrom(1000, 4000, 9000, 30_000),
  days: fc.constantFrom(undefined, undefined, 1, 2)
})
export const unsells = fc.record({ step: fc.constant("unsell" as const), voucher: some })
export const spends = (booking: fc.Arbitrary<number>) =>
  fc.record({
    step: fc.constant("spend" as const),
    voucher: some,
    booking,
    by: fc.constantFrom("family" as const, "desk" as const),
    rest: fc.constantFrom("later" as const, "cash" as const)
  })
