/** Every penny is accounted for: case by case (E), and the tests that hold it. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "../support/checklistCase.ts"

export const money: ReadonlyArray<Case> = [
  checked(
    "E6. what waits too long is named, settled by a command, and has an end",
    "test/payment/LongPayments.test.ts: is named an hour after its account stopped answering, and no more once it answers",
    "test/payment/LongPayments.test.ts: keeps its places for 21 days and not longer, and is flagged then",
    "test/payment/LongPayments.test.ts: that is given up has its end also where what the provider says never fits",
    "test/payment/LongPayments.test.ts: that arrives after all is taken as late",
    "test/payment/LongPayments.test.ts: ends when a person says that nothing was paid, and only while it is named",
    "test/cli/Doctor.test.ts: names a payment without a result with since when and until when, and settles it",
    "test/cli/Doctor.test.ts: names a page that nobody makes and a refund without a result, and settles them"
  ),
  checked(
    "E8. a paid family sees it in seconds although the event was lost",
    "test/payment/PayerReturn.test.ts: finds a paid booking confirmed although its event was lost",
    "test/payment/PayerReturn.test.ts: is told what is true in every state",
    "test/payment/PayerReturn.test.ts: is shown nothing, and nobody is asked, with a token that was made up or is too old",
    "test/payment/PayerReturn.test.ts: is asked about once in five seconds, however many look on however many nodes",
    "test/payment/PayerReturn.test.ts: is answered with what is known after two seconds, and the provider's later word counts",
    "test/payment/PayerReturn.test.ts: does not keep a hold alive by being looked at",
    "test/mcp/PaidMeanwhile.test.ts: finds in seconds that a page was paid whose event was lost, and asks for nobody who may not see it",
    "test/access/LinkTokens.test.ts: opens nothing else: no other booking, no renewed link, and not with any character changed",
    "test/http/Pages.test.ts: looks again by itself a few times while a payment is awaited, and then only where it is asked to"
  )
]
