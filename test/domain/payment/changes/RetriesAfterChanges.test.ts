/**
 * A call of `create_booking` that is repeated after its booking was moved, or has another party: it gets that
 * booking.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { contact, principal } from "../../../support/BookingWorld.ts"
import { bookOption, moveBooking, moveWorld, optionOn, rowOf } from "../../../support/moveWorld.ts"
import { deleteBookings, payBooking } from "../../../support/PaymentWorld.ts"

layer(moveWorld)("a repeated call of create_booking", (it) => {
  for (const [what, after] of [
    ["was moved", optionOn("2026-12-14", "15:00")],
    ["was moved with another party", optionOn("2026-12-12", "10:00", { children: 6 })]
  ] as const)
    it.effect(`gets its booking, which ${what}, though another family has its first places`, () =>
      Effect.gen(function* () {
        yield* deleteBookings
        const option_id = yield* optionOn("2026-12-10")
        const call = Bookings.use((bookings) =>
          bookings.create(principal(), { option_id, contact: contact("repeater"), idempotency_key: what })
        )
        const { row } = yield* call
        yield* payBooking(row)
        yield* moveBooking(row, yield* after)
        const moved = yield* rowOf(row)
        assert.notStrictEqual(moved.option_id, option_id)
        yield* bookOption(option_id, "another")
        const again = yield* call
        assert.deepStrictEqual([again.row, again.already_existed], [moved, true])
      })
    )
})
