/** What the provider says can turn again: case by case, and the tests that hold it. `Checklists.test.ts` checks that each is there. */
import { type Case, checked } from "../Case.ts"

const turn = "test/payment/refunds/FactsThatTurn.test.ts"

const back = "test/payment/refunds/PaidBack.test.ts"
const page = "test/pages/family/BookingPage.test.ts"

export const turning: ReadonlyArray<Case> = [
  checked(
    "D1. no status of a dispute is final: won on appeal, prevented, lost again, of another amount",
    `${turn}: and is won on appeal returns the money: a cancellation then gives what its terms owe`,
    `${turn}: and is won after the booking was cancelled has what the terms owe sent, once`,
    `${turn}: in part, and is won after the rest was refunded, has the part sent too`,
    `${turn}: follows that person's word`,
    `${turn}: is lost again after it was won, and each time the books follow`,
    `${turn}: has its amount followed, up and down, in any order with refunds`,
    `${turn}: is asked about for as long as the bank has not decided, however long ago the visit was`,
    `${turn}: leaves the same books whatever was said before, in whatever order and how often: the last word counts`,
    `${turn}: is named by the doctor, again when it is won, and not when nobody lost anything`
  ),
  checked(
    "D1. nor is one of a refund: failed after it succeeded, the reverse, on its way again, of another amount",
    `${turn}: that failed and then succeeds is counted, and not sent a second time`,
    `${turn}: again is on its way, and then counted or owed`,
    `${turn}: whose amount is corrected has the rest that is owed sent, and no more`,
    `${turn}: that was corrected and then failed is sent again as it was corrected`,
    `${turn}: made in the dashboard and corrected changes what a cancellation gives`,
    `${turn}: that was sent again, and of which the first then succeeds, is told to a person: it went back twice`,
    `${turn}: of the payment that a dispute had covered is sent when that dispute is won, and the other payment's is not sent twice`
  ),
  checked(
    "D1. the sandbox and the model play every status",
    "test/sandbox/Disputes.test.ts: has every status of the provider's, turns from any to any, and sends the events of it",
    "test/sandbox/Disputes.test.ts: says something else of a refund: every status of the provider's, another amount, and sends the event",
    "test/model/BookingLife.test.ts: keeps its promises"
  ),
  checked(
    "D9. a refund by hand of a balance whose event has not come is counted by a move",
    "test/payment/changes/Reschedules.test.ts: counts a refund by hand of a balance whose event has not come: the payment is found first"
  ),
  checked(
    "D7. a confirmed booking that was paid back is one standing, and a person is asked",
    `${back}: has a standing of its own on every surface, asks nobody to pay again, and asks a person`,
    `${back}: stands as paid once a person said that the visit takes place, until more is corrected`,
    `${back}: is cancelled without a second refund`,
    `${back}: is no such booking once a refund has failed after all`,
    `${page}: never says that everything is paid beside what was paid back`
  )
]
