import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { RefundRecords } from "../../../src/domain/payment/refunds/RefundRecords.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import { cancelBooking, deleteBookings, paidBooking } from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"

const record = (...args: ReadonlyArray<string>) => playroom("payment", "record", ...args)

layer(commandWorld)("playroom payment record", (it) => {
  it.effect("takes all that is owed at once, and a part once: as its preview shows it", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking } = yield* paidBooking(packages.depositParty)
      const part = [booking.reference, "60.00", "--way", "cash", "--by", "Ann"]
      assert.include((yield* record(...part)).failure ?? "", "£60.00 is a part: £90.00 would be left")
      const preview = yield* record(...part, "--preview", "--json")
      const shown = String(member(parsed(preview.out), "shown"))
      assert.include(
        (yield* record(...part, "--as-shown", shown)).out,
        "Payment in cash: £60.00\nStill to be paid after that: £90.00\n"
      )
      assert.include((yield* record(...part, "--as-shown", shown)).failure ?? "", "has changed since it was shown")
      const rest = [booking.reference, "90.00", "--way", "card"]
      assert.include(
        (yield* record(...rest)).out,
        "Payment by card at the venue: £90.00\nStill to be paid after that: £0.00\n"
      )
      assert.include((yield* record(...rest)).failure ?? "", "Nothing is owed")
      const { out } = yield* playroom("booking", "show", booking.reference)
      for (const text of [
        "in cash, taken by Ann",
        "by card at the venue",
        "£60.00 in cash; £90.00 is still to be paid"
      ])
        assert.include(out, text)
    })
  )

  it.effect("leads from the doctor to the record of what went back by hand", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking } = yield* paidBooking(packages.refundableParty)
      yield* record(booking.reference, "150.00", "--way", "transfer")
      yield* cancelBooking(booking)
      const [refund] = yield* RefundRecords.use((refunds) => refunds.atVenue)
      const id = refund?.refund_id ?? assert.fail("nothing is to be given back by hand")
      assert.include((yield* playroom("doctor")).out, `playroom payment returned ${id} --way cash`)
      assert.include(
        (yield* playroom("payment", "returned", id, "--way", "transfer", "--by", "Ben")).out,
        "£150.00 was given back by transfer"
      )
      assert.include((yield* playroom("payment", "returned", id, "--way", "cash")).failure ?? "", "is not to be given")
      assert.notInclude((yield* playroom("doctor")).out, id)
      const { out } = yield* playroom("booking", "show", booking.reference)
      assert.match(out, /Ben.*£150.00 was given back by transfer/)
    })
  )
})
