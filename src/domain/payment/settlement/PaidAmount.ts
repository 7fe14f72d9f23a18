/** A booking of which another amount was paid than was asked for. Pure. Amounts are minor units. */
import type { BookingRow } from "../../booking/Booking.ts"
import { waive } from "../../catalogue/Pricing.ts"
import { downToStep, isBelowMinimumCharge } from "../../../platform/money/Charge.ts"
import type { PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { format } from "../../../platform/time/LocalTime.ts"
import { display } from "../../../platform/money/Money.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"

/**
 * The booking after another amount than is due now was paid: what is paid is due, and the rest is the balance.
 * `settled`: the payments of what is due. `due_at` (RFC 3339): when the rest is due, if that changes.
 */
export const withDue = (
  booking: BookingRow,
  due_now: number,
  settled: ReadonlyArray<PaymentSessionId>,
  due_at?: string
): BookingRow => {
  const {
    balance_due: _,
    balance_due_at = due_at,
    ...price
  } = {
    ...booking.terms.price,
    ...(due_at === undefined ? {} : { balance_due_at: due_at })
  }
  const balance_due = booking.total - due_now
  const rest = balance_due === 0 ? {} : { balance_due, ...(balance_due_at === undefined ? {} : { balance_due_at }) }
  return {
    ...booking,
    due_now,
    terms: {
      ...booking.terms,
      price: { ...price, due_now, display_due_now: display(due_now, booking.currency), ...rest },
      settled_sessions: settled
    }
  }
}

/** What a booking makes of a payment of another amount. `excess` goes back; `left` is still to be paid. */
interface Fitted {
  readonly booking: BookingRow
  readonly excess: number
  readonly left: number
  /** What is not charged, because it is too little for the provider. */
  readonly waived: number
}

/**
 * The booking that takes a payment of which `asked` was asked for. What is missing is its balance, or is waived if it
 * is too little to be charged. What is too much goes back, as after a move to a cheaper visit. `own`: its payments so
 * far.
 */
export const fittedTo = (
  booking: BookingRow,
  { amount, payment_session_id, purpose }: Pick<PaymentSessionRow, "amount" | "payment_session_id" | "purpose">,
  asked: number,
  own: ReadonlyArray<PaymentSessionId>
): Fitted => {
  const { currency, due_now, starts_at, terms, total } = booking
  if (amount >= asked) {
    const excess = downToStep(amount - asked, currency)
    if (excess === 0) return { booking, excess, left: 0, waived: 0 }
    const { given_back_by_moves = 0, most_paid = 0 } = terms
    const moved = {
      most_paid: Math.max(most_paid, booking.paid + amount - excess - given_back_by_moves),
      given_back_by_moves: given_back_by_moves + excess
    }
    return { booking: { ...booking, terms: { ...terms, ...moved } }, excess, left: 0, waived: 0 }
  }
  const due = purpose === "due_now" ? amount : due_now + amount
  const waived = isBelowMinimumCharge(total - due, currency) ? total - due : 0
  const left = total - due - waived
  const priced = { ...booking, total: total - waived, terms: { ...terms, price: waive(terms.price, waived) } }
  const due_at = terms.price.balance_due_at ?? format(terms.time_zone, starts_at)
  return { booking: withDue(priced, due, [...own, payment_session_id], due_at), excess: 0, left, waived }
}
