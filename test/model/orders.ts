/**
 * Bookings that one call makes together, and the page that pays them all: the model knows which were asked for, what
 * the page asks for each, and that what no booking takes goes back to the payer.
 */
import { assert } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { Checkout } from "../../src/domain/payment/checkout/Checkout.ts"
import { OrderParts } from "../../src/domain/payment/settlement/OrderPayments.ts"
import { VoucherSales } from "../../src/domain/payment/settlement/VoucherSales.ts"
import { BookingId, VoucherId } from "../../src/platform/ids/Ids.ts"
import { decodeRows } from "../../src/platform/database/Rows.ts"
import { type PageAction, ScriptedGateway } from "../support/ScriptedGateway.ts"
import type { VisitRequest } from "./actions.ts"
import { listOptions, noteMade, requestOf, whoIs } from "./booking.ts"
import { noteDue } from "./desk.ts"
import { isPaid } from "./invariants.ts"
import { agreedOf, last, type Ledger, nth, type OrderPage, putIntoTill, type Seen } from "./Ledger.ts"
import { payerActs, unsettled } from "./paying.ts"
import { contactOf } from "./repeatedRequests.ts"
import type { Snapshot } from "./snapshot.ts"

/** What is done with several at once. Numbers are indexes modulo the list's length, as in `actions.ts`. */
export type OrderAct =
  | { readonly do: "order"; readonly wishes: ReadonlyArray<VisitRequest>; readonly rest: boolean }
  | { readonly do: "orderPage"; readonly booking: number }
  | { readonly do: "orderPayer"; readonly page: number; readonly pageAction: PageAction; readonly twice: boolean }

/** Books an option of each wish by one call, whoever wants the first: all or none, or with `rest` those that are free. */
export const order = Effect.fnUntraced(function* (
  ledger: Ledger,
  { rest, wishes }: Extract<OrderAct, { readonly do: "order" }>,
  alone: boolean
) {
  const [first] = wishes
  if (first === undefined) return
  const who = { as: "plain", key: first.key, email: first.email, idem: undefined } as const
  const wanted: Array<Seen> = []
  for (const wish of wishes) {
    // The ages are of all bookings of a call.
    const its = { ...wish, children: first.children, ages: first.ages, code: undefined }
    const seen = nth(yield* listOptions(ledger, its, alone), wish.slot)
    if (seen !== undefined && wanted.every((one) => one.option.option_id !== seen.option.option_id)) wanted.push(seen)
  }
  const [one, ...others] = wanted
  if (one === undefined || others.length === 0) return
  const requests = [one, ...others].map((seen) => requestOf(seen, who))
  const [request = requestOf(one, who)] = requests
  const made = yield* Effect.result(
    Bookings.use((bookings) =>
      bookings.createOrder(whoIs(request.key), {
        option_id: one.option.option_id,
        more_option_ids: others.map(({ option }) => option.option_id),
        contact: contactOf(request),
        ...(one.visit.ages === undefined ? {} : { child_ages: one.visit.ages }),
        ...(rest ? { book_rest: true } : {})
      })
    )
  )
  if (Result.isFailure(made)) {
    const { outage } = yield* ScriptedGateway
    assert.include(
      [
        "OptionInvalid",
        "PriceChanged",
        "SlotUnavailable",
        "KeepsChanging",
        ...(outage === "account_closed" ? ["OperatorUnavailable"] : [])
      ],
      made.failure._tag
    )
    return
  }
  const booked = made.success.made
  if (!rest) assert.lengthOf(booked, requests.length, "all or none")
  for (const { already_existed, row } of booked) {
    const its = requests.find(({ seen }) => seen.option.option_id === row.option_id)
    // It may have moved since an earlier call made it.
    if (its === undefined) assert.isTrue(already_existed, "a booking of nothing that was asked for")
    noteMade(ledger, its ?? request, row, already_existed)
  }
})

const saleRows = decodeRows(
  Schema.Array(
    Schema.Struct({ voucher_id: VoucherId, provider_session_id: Schema.NullOr(Schema.String), parts: OrderParts })
  )
)

/** Asks for the page that pays a booking and all others of its call. */
export const openOrderPage = Effect.fnUntraced(function* (ledger: Ledger, n: number) {
  const booking = nth(ledger.bookings, n)
  if (booking === undefined) return
  const answer = yield* Effect.result(
    Checkout.use((payments) =>
      payments.createForOrder(whoIs(booking.request.key), { booking_id: BookingId.make(booking.booking_id) })
    )
  )
  if (Result.isFailure(answer)) {
    assert.include(
      ["HoldExpired", "BookingCancelled", "NothingDue", "ProviderUnavailable", "OperatorUnavailable"],
      answer.failure._tag
    )
    return
  }
  const { amount, payment_session_id, status } = answer.success
  const sql = yield* SqlClient.SqlClient
  const [sold] = yield* saleRows(sql`select voucher_id, provider_session_id, parts from voucher_sale
    where payment_session_id = ${payment_session_id}`)
  // Only one of them is unpaid: it has a page of its own.
  if (sold === undefined) return
  const { parts, provider_session_id, voucher_id } = sold
  assert.strictEqual(status, "open")
  const asked = parts.map((part) => {
    const its = ledger.bookings.find((one) => one.booking_id === part.booking_id) ?? assert.fail("of no booking")
    assert.strictEqual(its.request.key, booking.request.key, "another's booking")
    return { booking: its, amount: part.amount }
  })
  assert.isAtLeast(asked.length, 2)
  assert.strictEqual(
    asked.reduce((sum, part) => sum + part.amount, 0),
    amount.amount
  )
  if (ledger.orders.some((page) => page.payment_session_id === payment_session_id)) return
  for (const part of asked) assert.strictEqual(part.amount, agreedOf(part.booking).due_now, "what is due now")
  ledger.orders.push({
    payment_session_id,
    provider_id: provider_session_id ?? assert.fail("a page of nobody"),
    parts: asked,
    voucher: { voucher_id, code: "", amount: amount.amount, ends: undefined, undone: false }
  })
})

export const orderPayer = Effect.fnUntraced(function* (
  { orders }: Ledger,
  { page: n, pageAction, twice }: Extract<OrderAct, { readonly do: "orderPayer" }>
) {
  const page = nth(unsettled(orders, yield* ScriptedGateway), n)
  if (page !== undefined) yield* payerActs(page.provider_id, pageAction, twice)
})

const isDone = ({ sessions }: ScriptedGateway["Service"], { provider_id }: OrderPage): boolean => {
  const session = sessions.get(provider_id)
  return session?.status === "complete" && isPaid({ session }) && session.payment_status !== "no_payment_required"
}

/** Notes the parts that were counted: each of a page that was paid, once, as was asked. */
export const noteParts = (
  ledger: Ledger,
  before: Snapshot,
  after: Snapshot,
  provider: ScriptedGateway["Service"]
): void => {
  for (const { amount, booking_id, payment_session_id, voucher_id, way } of after.sessions) {
    const page = ledger.orders.find(({ voucher }) => voucher.voucher_id === voucher_id)
    if (way !== "voucher" || page === undefined) continue
    if (ledger.till.some((one) => one.payment_session_id === payment_session_id)) continue
    assert.isTrue(isDone(provider, page), "counted as paid, and nobody has the money")
    const part = page.parts.find(({ booking }) => booking.booking_id === booking_id) ?? assert.fail("not asked for")
    assert.strictEqual(amount, part.amount, "as was asked")
    const { booking } = part
    assert.isFalse(
      ledger.till.some((one) => one.booking === booking && one.voucher === page.voucher),
      "a part is counted twice"
    )
    putIntoTill(ledger, { payment_session_id, booking, purpose: "due_now", amount, voucher: page.voucher })
    const wentBack = after.refunds.some((one) => one.payment_session_id === payment_session_id)
    const row = before.bookings.find((one) => one.booking_id === booking_id)
    if (!wentBack) noteDue(ledger, booking, { amount, payment_session_id }, row?.status !== "confirmed")
  }
}

/** At the end each part is counted, and all that no booking has went back to the payer. */
export const checkOrders = Effect.fnUntraced(function* (ledger: Ledger) {
  const provider = yield* ScriptedGateway
  for (const page of ledger.orders) {
    const { paid, refunded } = provider.paidAndRefunded(page.provider_id)
    const its = ledger.till.filter(({ voucher }) => voucher === page.voucher)
    if (!isDone(provider, page)) {
      assert.lengthOf(its, 0)
      continue
    }
    assert.strictEqual(its.length, page.parts.length, "a part of a payment is counted nowhere")
    assert.strictEqual(paid, page.voucher.amount)
    assert.strictEqual(
      refunded,
      its.reduce((sum, { onto }) => sum + onto, 0),
      "what no booking has goes back to the payer"
    )
  }
})

/** Asks for what is due of payments of several, and sends back what is left of them. */
export const runSales = VoucherSales.use(({ runDue }) => runDue)

const some = fc.oneof(fc.nat({ max: 20 }), fc.constant(last))
export const orders = (wish: fc.Arbitrary<VisitRequest>): fc.Arbitrary<OrderAct> =>
  fc.record({
    do: fc.constant("order" as const),
    wishes: fc.array(wish, { minLength: 2, maxLength: 3 }),
    rest: fc.boolean()
  })
export const orderPages: fc.Arbitrary<OrderAct> = fc.record({ do: fc.constant("orderPage" as const), booking: some })
export const orderPayers: fc.Arbitrary<OrderAct> = fc.record({
  do: fc.constant("orderPayer" as const),
  page: some,
  pageAction: fc.constantFrom<PageAction>("pay", "pay", "pay", "pay_later", "late_success", "late_failure", "expire"),
  twice: fc.boolean()
})
