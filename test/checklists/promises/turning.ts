/**
 * What the provider says can turn again: case by case, and the tests that hold it. `Checklists.test.ts` checks that
 * each is there.
 */
import { type Case, checked } from "../Case.ts"

const turn = "test/domain/payment/refunds/FactsThatTurn.test.ts"

const notice = "test/domain/payment/events/RefundOrDispute.test.ts"
const back = "test/domain/payment/refunds/PaidBack.test.ts"
const page = "test/surfaces/web/family/BookingPage.test.ts"

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
    `${turn}: on its way when a cancellation counted it has the rest sent if it is smaller`,
    `${turn}: by hand that failed and was corrected then is sent again as it was corrected`,
    `${turn}: that was corrected and then failed is sent again as it was corrected`,
    `${turn}: made in the dashboard and corrected changes what a cancellation gives`,
    `${turn}: that was sent again, and of which the first then succeeds, is told to a person: it went back twice`,
    `${turn}: of the payment that a dispute had covered is sent when that dispute is won, and the other payment's is not sent twice`
  ),
  checked(
    "D1. the sandbox and the model play every status",
    "test/extras/sandbox/Disputes.test.ts: has every status of the provider's, turns from any to any, and sends the events of it",
    "test/extras/sandbox/Disputes.test.ts: says something else of a refund: every status of the provider's, another amount, and sends the event",
    "test/model/BookingLife.test.ts: keeps its promises"
  ),
  checked(
    "D9. a refund by hand of a balance whose event has not come is counted by a move",
    "test/domain/payment/changes/VisitChanges.test.ts: counts a refund by hand of a balance whose event has not come: the payment is found first"
  ),
  checked(
    "D7. a confirmed booking that was paid back is one standing, and a person is asked",
    `${back}: has a standing of its own on every surface, asks nobody to pay again, and asks a person`,
    `${back}: stands as paid once a person said that the visit takes place, until more is corrected`,
    `${back}: is cancelled without a second refund`,
    `${back}: is no such booking once a refund has failed after all`,
    `${page}: never says that everything is paid beside what was paid back`
  ),
  checked(
    "events of refunds and disputes are applied at once: a notice, of which nothing is believed, at a bounded cost",
    `${notice}: has a dispute in the books as it is opened, lost, appealed, won and corrected, without waiting`,
    `${notice}: has a refund by hand in the books, its correction, and its failure after it succeeded`,
    `${notice}: has our own refund settled when the provider has decided, and again when it failed after all`,
    `${notice}: that failed at the operator's hand while it was on its way is sent again as it was corrected`,
    `${notice}: leaves the same books in whatever order, and however often`,
    `${notice}: is believed in nothing but the payment: the provider is asked, and its word counts`,
    `${notice}: is not ours if account, livemode, receiver or payment aren't: nobody is asked`,
    `${notice}: keeps nothing of what it says of people`,
    `${notice}: with anything in its fields ends with an outcome, and the ones behind it go on`,
    `${notice}: that was ignored finds its payment when a person has it applied again`,
    `${notice}: of another release of the provider's API is understood by its payment alone`,
    `${notice}: that is thin has its object's payment asked for, once for each object; unknown ones are ignored`,
    `${notice}: costs one question, though hundreds come at once, and one a minute if they go on`,
    `${notice}: on two nodes at once is applied once, and the provider is asked once`,
    `${notice}: that comes before its payment is known is applied when it is`,
    `${notice}: of a charge names our session: its payment is found by asking, though its own event is lost`,
    `${notice}: is not lost if the provider is away when it is asked, nor if the node dies before it is`,
    `${notice}: that comes while the provider is being asked has it asked again`,
    `${notice}: however long after the visit has the provider asked, and then the checks end again`,
    "test/domain/payment/checkout/CheckoutOverSandbox.test.ts: refunds by hand, disputes and what turns of them are in the books as soon as the sandbox's events come",
    "test/domain/payment/checkout/CheckoutOverSandbox.test.ts: our own refund that is on its way is settled by the sandbox's event"
  ),
  checked(
    "D5. families of an operator that was reopened have as long to pay the balance as usual",
    "test/domain/payment/changes/UnpaidBalances.test.ts: of an operator that was reopened has as long to be paid: the places are not released at once"
  ),
  checked(
    "a node goes on while a newer release adds a column: no statement takes the columns as they come",
    "test/Architecture.test.ts: name the columns of every result: a node goes on while a newer release adds one"
  )
]
