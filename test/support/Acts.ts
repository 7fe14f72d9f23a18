/**
 * Acts on bookings, as tests write them: whose act it is, and what is not named, goes without saying. They run
 * `BookingChanges.run`, as every surface does.
 */
import { Effect, Option } from "effect"
import type { Attendance, BookingRow } from "../../src/domain/booking/Booking.ts"
import { Claims } from "../../src/domain/booking/Claims.ts"
import type { PartyChange } from "../../src/domain/booking/ChangePlan.ts"
import { type BookingId, newId, OperatorId, type PaymentSessionId } from "../../src/platform/ids/Ids.ts"
import type { Instant } from "../../src/platform/time/LocalTime.ts"
import { type Actor, BookingChanges, type How } from "../../src/domain/payment/changes/BookingChanges.ts"
import { byTheFamily, cancel } from "../../src/domain/payment/changes/Cancellations.ts"
import { goodwill, type RefundChoice } from "../../src/domain/payment/changes/RefundDecision.ts"
import { undoPayment, payAtVenue } from "../../src/domain/payment/changes/VenuePayments.ts"
import { markAttendance } from "../../src/domain/payment/changes/Presses.ts"
import { changeParty, moveVisit } from "../../src/domain/payment/changes/VisitChanges.ts"
import { PaymentSessions } from "../../src/domain/payment/sessions/PaymentSessions.ts"
import { Vouchers } from "../../src/domain/payment/sessions/Vouchers.ts"
import type { OfflinePaymentMethod } from "../../src/domain/payment/sessions/PaymentSession.ts"
export type { Cancellation } from "../../src/domain/payment/changes/Cancellations.ts"

/** Whether a booking has its places again after a late payment, in the caller's transaction. */
export const placesAgain = (booking: BookingRow) =>
  Claims.use(({ retake }) => Effect.map(retake([booking]), (ids) => ids.has(booking.booking_id)))

/** How the operator does it, and under what name. */
interface ByOperator extends Omit<How, "who"> {
  readonly done_by?: string
}

const howOf = ({ ask, done_by, preview, shown }: ByOperator): How => {
  const who: Actor = { as: "operator", ...(done_by === undefined ? {} : { name: done_by }) }
  return { preview, who, ...(ask === undefined ? {} : { ask }), ...(shown === undefined ? {} : { shown }) }
}

const asFamily = (id: BookingId, how: Omit<How, "who">) =>
  BookingChanges.use(({ run }) => run(cancel, id, byTheFamily, { ...how, who: { as: "family" } }))
export const previewAsFamily = (id: BookingId) => asFamily(id, { preview: true })
export const cancelAsFamily = (id: BookingId, shown: string) => asFamily(id, { preview: false, shown })

/** By the terms, if no other refund is named. */
export const cancelAsOperator = (
  id: string,
  { reason = "", refund = "terms", ...how }: ByOperator & { readonly refund?: RefundChoice; readonly reason?: string }
) => BookingChanges.use(({ run }) => run(cancel, id, { refund, reason }, howOf(how)))

export const giveGoodwill = (
  id: string,
  { amount, reason, ...how }: ByOperator & { readonly amount: number; readonly reason: string }
) => BookingChanges.use(({ run }) => run(goodwill, id, { amount, reason }, howOf(how)))

export const markBooking = (
  id: string,
  { done_by, ...mark }: { readonly mark: Attendance; readonly undo: boolean; readonly done_by?: string }
) =>
  BookingChanges.use(({ run }) =>
    run(markAttendance, id, mark, howOf({ preview: false, ...(done_by === undefined ? {} : { done_by }) }))
  )

export interface VenuePayment {
  readonly amount: number
  readonly way: OfflinePaymentMethod
  readonly done_by?: string
}

/** Sells a voucher (in pence, paid in cash) and answers its code. `expires_at`: when it ends. */
export const sellVoucher = Effect.fnUntraced(function* (
  operator_id: string,
  amount: number,
  more: { readonly currency?: string; readonly expires_at?: Instant; readonly sold_by?: string } = {}
) {
  const vouchers = yield* Vouchers
  const voucher_id = yield* newId.voucher
  const sold = yield* vouchers.sell({
    voucher_id,
    operator_id: OperatorId.make(operator_id),
    amount,
    currency: "GBP",
    way: "cash",
    time_zone: "Europe/London",
    ...more
  })
  return yield* vouchers.code(Option.getOrThrow(sold).voucher_id)
})

export const recordPayment = (id: string, { amount, way, ...who }: VenuePayment, how: Omit<How, "who">) =>
  BookingChanges.use(({ run }) => run(payAtVenue, id, { amount, way }, howOf({ ...how, ...who })))

/** Undoes a payment, whose booking is looked up. */
export const undoRecorded = Effect.fnUntraced(function* (id: PaymentSessionId, how: ByOperator) {
  const found = Option.getOrThrow(yield* PaymentSessions.use((sessions) => sessions.find(id)))
  return yield* BookingChanges.use(({ run }) => run(undoPayment, found.booking_id, { payment: id }, howOf(how)))
})

/** A change of what is booked: who asks for it, and how. */
export type VisitChange = Omit<How, "who"> & {
  readonly by: "family" | "operator"
  readonly reason?: string
  readonly done_by?: string
  readonly exception?: boolean
} & ({ readonly option_id: string } | { readonly party: PartyChange })

/** Changes what is booked, or previews it. */
export const changeVisit = (id: string, { by, done_by, exception = false, reason = "", ...change }: VisitChange) =>
  BookingChanges.use(({ run }) => {
    const who: Actor = by === "family" ? { as: by } : { as: by, ...(done_by === undefined ? {} : { name: done_by }) }
    if ("party" in change) {
      const { party, ...how } = change
      return run(changeParty, id, { party, reason, exception }, { ...how, who })
    }
    const { option_id, ...how } = change
    return run(moveVisit, id, { option_id, reason, exception }, { ...how, who })
  })
