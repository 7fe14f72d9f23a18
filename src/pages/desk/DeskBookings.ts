/** Data of a booking's page at the desk. */
import { Effect, Option } from "effect"
import type { VenueHistoryEntry } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { isOwed, type RefundRow } from "../../payment/refunds/Refund.ts"
import { RefundRecords } from "../../payment/refunds/RefundRecords.ts"
import { UndonePayments } from "../../payment/changes/UndonePayments.ts"
import type { PaymentSessionRow } from "../../payment/sessions/PaymentSession.ts"
import type { OperatorId } from "../../kernel/Ids.ts"
import { type MovedMoney, type ShownBooking, ShownBookings } from "../family/ShownBookings.ts"

/** A booking as the desk shows it. */
export interface DeskBooking {
  readonly shown: ShownBooking
  readonly history: ReadonlyArray<VenueHistoryEntry>
  readonly money: ReadonlyArray<MovedMoney>
  /** What the venue has still to give back by hand. */
  readonly by_hand: ReadonlyArray<RefundRow>
  /** The payments at the venue that can be undone. */
  readonly undoable: ReadonlyArray<PaymentSessionRow>
}

export const deskBookings = Effect.gen(function* () {
  const records = yield* BookingRecords
  const undone = yield* UndonePayments
  const pages = yield* ShownBookings
  const refundRecords = yield* RefundRecords

  /** The booking, if it is at this operator. One elsewhere is not there, like one that does not exist. */
  return Effect.fn("DeskBookings.read")(function* (operator_id: OperatorId, booking_id: string) {
    const found = yield* records.seen({ booking_id }, { operator_id, guest: false })
    if (Option.isNone(found)) return Option.none<DeskBooking>()
    const { row } = found.value
    const [booking, history, { moved }, refunds, undoable] = yield* Effect.all(
      [
        pages.read(row.booking_id),
        records.venueHistory(row),
        pages.receipt(row),
        refundRecords.ofBooking(row),
        undone.undoable(row)
      ],
      { concurrency: 4 }
    )
    return Option.map(booking, ({ shown }): DeskBooking => ({
      shown,
      history,
      money: moved,
      undoable,
      by_hand: refunds.filter((refund) => refund.waits_for === "venue" && isOwed(refund))
    }))
  })
})
