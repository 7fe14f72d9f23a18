/** Amounts of money in arguments and flags, in a booking's currency. */
import type { BookingRow } from "../../domain/booking/Booking.ts"
import { downToStep, isOnStep, stepText } from "../../platform/money/Charge.ts"
import { display, exponentOf, parseAmount } from "../../platform/money/Money.ts"

/** Why a text is no amount that can be charged or refunded. `takes`: what the argument takes besides one. */
export const amountWrong = (text: string, { currency }: Pick<BookingRow, "currency">, takes: string): string => {
  const amount = parseAmount(text, currency)
  if (amount !== undefined && amount > 0 && !isOnStep(amount, currency))
    return `The provider refunds ${currency} in steps of ${stepText(currency)}: ${display(downToStep(amount, currency), currency)}, for example, and not ${display(amount, currency)}.`
  const digits = exponentOf(currency)
  const example = (45).toFixed(digits)
  return `${takes} an amount in ${currency} with ${digits === 0 ? "no decimals" : `at most ${digits} decimals`}, like ${example}; not "${text}".`
}
