/** Every penny is accounted for: case by case (E), and the tests that hold it. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "../support/checklistCase.ts"

export const money: ReadonlyArray<Case> = [
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
