import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { RefundRecords } from "../../../src/domain/payment/refunds/RefundRecords.ts"
import { commandWorld, csvRows, playroom } from "../../support/CommandLine.ts"
import {
  cancelBooking,
  createBooking,
  deleteBookings,
  now,
  paidBooking,
  payBooking,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { readXlsx } from "hucre/xlsx"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { packages } from "../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"

/** The lines of a month: what its columns say, by name. */
const linesOf = Effect.fnUntraced(function* (month: string, ...more: ReadonlyArray<string>) {
  const { out } = yield* playroom("accounts", "--month", month, "--offline", ...more)
  return csvRows(out)
})

const short = (lines: ReadonlyArray<Readonly<Record<string, string>>>) =>
  lines.map(({ amount, cause, kind, way }) => [kind, way, amount, cause].join(" ").trim())

layer(commandWorld)("playroom accounts --offline", (it) => {
  it.effect(
    "has each payment and refund of the month once, and they sum up to what the provider has and the venue took",
    () =>
      Effect.gen(function* () {
        yield* deleteBookings
        const provider = yield* ScriptedGateway
        const { booking, session } = yield* paidBooking(packages.refundableParty)
        const month = now.slice(0, 7)
        yield* playroom("payment", "record", booking.reference, "150.00", "--way", "cash")
        const { session: other } = yield* paidBooking()
        yield* TestClock.adjust("1 minute")
        yield* cancelBooking(booking)
        yield* runProviderTasks
        const [refund] = yield* RefundRecords.use((refunds) => refunds.atVenue)
        yield* TestClock.adjust("1 minute")
        yield* playroom("payment", "returned", refund?.refund_id ?? "", "--way", "transfer")
        const lines = yield* linesOf(month)
        assert.sameMembers(short(lines), [
          "payment link 50.00",
          "payment cash 150.00",
          "payment link 120.00",
          "refund link -50.00 cancellation",
          "refund transfer -150.00 cancellation"
        ])
        const atProvider = [session, other].map((one) => provider.paidAndRefunded(one))
        const net = atProvider.reduce((sum, { paid, refunded }) => sum + paid - refunded, 0)
        const ours = lines.filter(({ way }) => way === "link").reduce((sum, { amount }) => sum + Number(amount), 0)
        assert.strictEqual(Math.round(ours * 100), net)
        const folder = mkdtempSync(join(tmpdir(), "accounts-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
        const file = join(folder, "month.xlsx")
        assert.include(
          (yield* playroom("accounts", "--month", month, "--offline", "--xlsx", file)).complaints,
          `Wrote ${file}: ${lines.length} rows.`
        )
        const { sheets } = yield* Effect.promise(() => readXlsx(readFileSync(file)))
        assert.strictEqual(sheets[0]?.name, month)
        const amounts = sheets[0]?.rows.slice(1).map(([date, , , , amount]) => [date, amount])
        assert.deepStrictEqual(
          amounts,
          lines.map(({ amount, date = "" }) => [new Date(date), Number(amount)])
        )
        const deposit = lines.find(({ amount }) => amount === "50.00")
        assert.deepInclude(deposit, {
          reference: booking.reference,
          currency: "GBP",
          provider_id: session.payment_intent_id ?? ""
        })
        assert.deepStrictEqual(yield* linesOf("2020-01"), [])
        assert.deepStrictEqual(yield* linesOf(month, "--operator", "operator_01h40000000000000000000002"), [])
      })
  )

  it.effect("takes a month, and says what one looks like", () =>
    Effect.gen(function* () {
      assert.include((yield* playroom("accounts", "--month", "2027-13")).complaints, "like 2027-01")
      // Without it, the provider is asked; here it is away.
      const { failure } = yield* playroom("accounts", "--month", now.slice(0, 7))
      assert.match(failure ?? "", /^Failed: Play Ltd, acct_1: /m)
      assert.include(failure ?? "", "--offline: that prints what this database has")
    })
  )

  it.effect("booking list --csv says when was paid last, and what went back", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const booking = yield* createBooking()
      yield* payBooking(booking)
      provider.balanceTooSmall = false
      const { out } = yield* playroom("booking", "list", "--csv")
      const [row] = csvRows(out)
      assert.deepStrictEqual([row?.["paid"], row?.["refunded"], row?.["outstanding"]], ["120.00", "0.00", "0.00"])
      assert.match(row?.["last_paid_at"] ?? "", /^2026-\d\d-\d\d \d\d:\d\d$/)
    })
  )
})
