import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Audit } from "../../../src/ops/audit/Audit.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import {
  bookingState,
  cancelBooking,
  deleteBookings,
  expectedState,
  paidBooking,
  refundsOf,
  runProviderTasks,
  setClockBefore
} from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"

const refund = (...args: ReadonlyArray<string>) => playroom("booking", "refund", ...args)

/** Gives an amount back as its preview shows it. */
const giveBack = Effect.fnUntraced(function* (reference: string, amount: string) {
  const asked = [reference, amount, "--reason", "The bubble machine broke"]
  const preview = yield* refund(...asked, "--preview", "--json")
  const shown = String(member(parsed(preview.out), "shown"))
  return { again: refund(...asked, "--as-shown", shown), done: yield* refund(...asked, "--as-shown", shown) }
})

const audited = Effect.map(
  Audit.use(({ rows }) => rows),
  (found) => found.map(({ detail, what }) => `${what}: ${detail}`)
)

layer(commandWorld)("playroom booking refund", (it) => {
  it.effect("gives an amount back of a booking that stands, once, and never more than is left", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      const { again, done } = yield* giveBack(booking.reference, "20.00")
      assert.include(
        done.out,
        "done. A running node does what is to be done at the provider.\nWhat comes back: £20.00\nThe booking itself stays as it is."
      )
      assert.include((yield* again).failure ?? "", "has changed since it was shown")
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 2000 })
      assert.deepStrictEqual(
        yield* bookingState(booking),
        expectedState("confirmed", "partially_refunded", 12_000, 2000)
      )
      assert.deepStrictEqual(yield* audited, [])
      const much = yield* refund(booking.reference, "100.01", "--reason", "x", "--preview")
      assert.include(much.failure ?? "", "Only £100.00 is left")
      // A second one, and a cancellation, beside whose terms both stay (M5).
      assert.include((yield* giveBack(booking.reference, "10.00")).done.out, "What comes back: £10.00\n")
      yield* runProviderTasks
      assert.deepStrictEqual(yield* refundsOf(booking), [
        { cause: "goodwill", status: "succeeded", amount: 2000 },
        { cause: "goodwill", status: "succeeded", amount: 1000 }
      ])
      yield* setClockBefore(booking, 30)
      assert.strictEqual((yield* cancelBooking(booking)).refund.amount, 6000)
      yield* runProviderTasks
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 12_000, refunded: 9000 })
      assert.deepStrictEqual(yield* audited, [])
    })
  )

  it.effect("names what was paid at the venue, which goes back by hand, and needs a reason and a preview", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking } = yield* paidBooking(packages.depositParty)
      yield* playroom("payment", "record", booking.reference, "150.00", "--way", "cash")
      assert.include((yield* refund(booking.reference, "20.00", "--reason", "x")).failure ?? "", "see --preview first")
      assert.include(
        (yield* refund(booking.reference, "20.00", "--reason", " ", "--preview")).failure ?? "",
        "--reason"
      )
      const { done } = yield* giveBack(booking.reference, "160.00")
      assert.include(done.out, "£150.00 of it was not paid online")
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("confirmed", "refund_pending", 20_000, 1000))
      assert.include((yield* playroom("doctor")).out, "refund to give back by hand")
      assert.deepStrictEqual(yield* audited, [])
    })
  )
})
