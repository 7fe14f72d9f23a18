/** Amounts that can be charged, in their own currency. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "../Case.ts"

export const amounts: ReadonlyArray<Case> = [
  checked(
    "1. Every amount that is promised can be sent to the provider in its currency",
    "test/payment/Amounts.test.ts: can be sent in its currency: due now, balance, refunds, and what a move costs",
    "test/payment/Amounts.test.ts: is what the oracle reckons, by its own table of what can be charged",
    "test/kernel/Charge.test.ts: is a multiple of its currency's step, from its smallest to its largest: all of these can be sent",
    "test/kernel/Charge.test.ts: of a percentage is the nearest multiple of the step, in every currency",
    "test/import/CatalogueCharges.test.ts: is refused by path where an amount is off its currency's charge step, or none can be paid in the currency",
    "test/cli/BookingCancel.test.ts: takes no refund that the provider can't make in the currency"
  ),
  checked(
    "2. A difference that is too small to be charged is waived and said; a balance after a move can be paid in time",
    "test/payment/changes/Reschedules.test.ts: to a visit that costs too little more to be charged costs nothing more: it is waived, and said",
    "test/payment/changes/Reschedules.test.ts: leaves no balance that is overdue at once: there are two days to pay it, or until the visit",
    "test/pages/family/MovePages.test.ts: says that a difference too little to be charged is not paid, in every language"
  )
]
