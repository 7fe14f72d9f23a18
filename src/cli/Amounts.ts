/** Amounts of money in arguments and flags, in a booking's currency. */
import { Effect } from "effect"
import type { BookingRow } from "../booking/Booking.ts"
import { downToStep, isOnStep, stepText } from "../kernel/Charge.ts"
import { display, exponentOf, parseAmount } from "../kernel/Money.ts"
import { type CommandFailed, failed } from "./Failure.ts"

/** An amount above 0 that can be charged or refunded, in minor units. `takes`: what the argument takes besides one. */
export const readAmount = (
  text: string,
  { currency }: Pick<BookingRow, "currency">,
  takes: string
): Effect.Effect<number, CommandFailed> => {
  const amount = parseAmount(text, currency)
  if (amount !== undefined && amount > 0 && isOnStep(amount, currency)) return Effect.succeed(amount)
  if (amount !== undefined && amount > 0)
    return failed(
      `The provider refunds ${currency} in steps of ${stepText(currency)}: ${display(downToStep(amount, currency), currency)}, for example, and not ${display(amount, currency)}.`
    )
  const digits = exponentOf(currency)
  const example = (45).toFixed(digits)
  return failed(
    `${takes} an amount in ${currency} with ${digits === 0 ? "no decimals" : `at most ${digits} decimals`}, like ${example}; not "${text}".`
  )
}
