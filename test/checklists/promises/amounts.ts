/** Amounts that can be charged, in their own currency. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "../Case.ts"

export const amounts: ReadonlyArray<Case> = [
  checked(
    "1. Every amount that is promised can be sent to the provider in its currency",
    "test/domain/payment/Amounts.test.ts: can be sent in its currency: due now, balance, refunds, and what a move costs",
    "test/domain/payment/Amounts.test.ts: is what the oracle reckons, by its own table of what can be charged",
    "test/platform/money/Charge.test.ts: is a multiple of its currency's step, from its smallest to its largest: all of these can be sent",
    "test/platform/money/Charge.test.ts: of a percentage is the nearest multiple of the step, in every currency",
    "test/domain/import/CatalogueCharges.test.ts: is refused by path where an amount is off its currency's charge step, or none can be paid in the currency",
    "test/surfaces/cli/BookingCancel.test.ts: takes no refund that the provider can't make in the currency"
  ),
  checked(
    "2. A difference that is too small to be charged is waived and said; a balance after a move can be paid in time",
    "test/domain/payment/changes/VisitChanges.test.ts: to a visit that costs too little more to be charged costs nothing more: it is waived, and said",
    "test/domain/payment/changes/VisitChanges.test.ts: leaves no balance that is overdue at once: there are two days to pay it, or until the visit",
    "test/surfaces/web/family/MovePages.test.ts: says that a difference too little to be charged is not paid, in every language"
  ),
  checked(
    "4. An amount of the provider counts only in its own currency; what the payer saw is told, and never counted",
    "test/domain/payment/Currencies.test.ts: is not counted as a refund: ¥1,400 is not £14.00; it is recorded once, and reported to a person",
    "test/domain/payment/Currencies.test.ts: does not settle a refund of ours, which is then still owed",
    "test/domain/payment/Currencies.test.ts: does not pay a booking: a payment in yen under a session in pounds is flagged",
    "test/domain/payment/Currencies.test.ts: is told by the account's comparison as a misfit, and not as money that went back",
    "test/domain/payment/Currencies.test.ts: that the payer saw is told on the pages, and never counted",
    "test/domain/payment/provider/StripeGateway.test.ts: refunds nothing of a payment that the provider has in another currency",
    "test/extras/sandbox/Sandbox.test.ts: lets a payer pay in a currency of their own where the session offers it, and tells the amount beside"
  ),
  checked(
    "3. The tax of each price is told, included or on top",
    "test/domain/availability/OptionPage.test.ts: tells each price in full, with its tax and the balance's date, whatever is told once for several"
  )
]
