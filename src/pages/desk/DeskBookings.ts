/** Data of a booking's page at the desk. */
import { Effect, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow, VenueHistoryEntry } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { isOwed, type RefundRow } from "../../payment/refunds/Refund.ts"
import { BookingChanges } from "../../payment/changes/BookingChanges.ts"
import type { Situation } from "../../payment/changes/Situation.ts"
import type { OperatorId } from "../../kernel/Ids.ts"
import { type MovedMoney, type ShownBooking, ShownBookings } from "../family/ShownBookings.ts"

/** What only the booking's page shows. */
export interface DeskView {
  readonly shown: ShownBooking
  readonly money: ReadonlyArray<MovedMoney>
}

/** A booking at the desk. */
export interface DeskBooking {
  readonly row: BookingRow
  readonly history: ReadonlyArray<VenueHistoryEntry>
  /** What the venue has still to give back by hand. */
  readonly by_hand: ReadonlyArray<RefundRow>
  /** What acts are decided by. */
  readonly as: Situation
  /** What its page shows besides, read when it is asked for: who does something needs nothing of it. */
  readonly view: Effect.Effect<DeskView, SqlError.SqlError>
}

export const deskBookings = Effect.gen(function* () {
  const records = yield* BookingRecords
  const changes = yield* BookingChanges
  const pages = yield* ShownBookings

  /** The booking, if it is at this operator. One elsewhere is not there, like one that does not exist. */
  return Effect.fn("DeskBookings.read")(function* (operator_id: OperatorId, booking_id: string) {
    const found = yield* records.seen({ booking_id }, { operator_id, guest: false })
    if (Option.isNone(found)) return Option.none<DeskBooking>()
    const { row } = found.value
    const [history, as] = yield* Effect.all([records.venueHistory(row), changes.situation(row)], { concurrency: 2 })
    return Option.some<DeskBooking>({
      row,
      history,
      as,
      by_hand: as.refunds.filter((refund) => refund.waits_for === "venue" && isOwed(refund)),
      view: Effect.all([pages.read(row.booking_id), pages.receipt(row)], { concurrency: 2 }).pipe(
        // No booking is ever removed.
        Effect.map(([read, { moved }]) => ({ shown: Option.getOrThrow(read).shown, money: moved }))
      )
    })
  })
})
