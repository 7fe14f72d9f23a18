/**
 * Every penny is accounted for: case by case (E), and the tests that hold it. `Checklists.test.ts` checks that each
 * named test is there.
 */
import { type Case, checked } from "../Case.ts"

const notices = "test/domain/payment/events/WebhookInbox.test.ts"
const inbox = "test/domain/payment/events/WebhookInbox.test.ts"
const hostile = "test/domain/payment/events/HostileEvents.test.ts"
const subscriptions = "test/domain/payment/workers/Subscriptions.test.ts"
const setup = "test/domain/payment/setup/ProviderSetup.test.ts"
const onboarding = "test/domain/payment/setup/Onboarding.test.ts"
const counted = "test/domain/payment/refunds/RefundsCounted.test.ts"
const looking = "test/domain/payment/refunds/RefundsAgain.test.ts"

export const money: ReadonlyArray<Case> = [
  checked(
    "E1. refunds follow the terms, whoever made the first one and wherever",
    `${counted}: is asked before a preview and a cancellation, and counted`,
    `${counted}: is counted while it is on its way`,
    `${counted}: is counted over all payments of the booking`,
    `${counted}: between the decision and the sending lowers the refund, and the history says so`,
    `${counted}: after a refused refund lowers it to what the terms still owe, not to what is left of the payment`,
    `${counted}: is asked for before sending where the provider did not answer: places are freed all the same, and the person is told`,
    "test/model/BookingLife.test.ts: keeps its promises"
  ),
  checked(
    "E2. refunds made in the dashboard are looked for until the visit and its refund window are over",
    `${looking}: goes on until the visit and its refund window are over, at least weekly, and then ends`
  ),
  checked(
    "E3. an event is a notice: at another release of the API its object is asked for, and nothing stored blocks a usable delivery",
    `${notices}: at another release, whatever it looks like, has the object asked for, and that is applied`,
    `${notices}: applies what the provider has now, not what the event was sent for`,
    `${notices}: in an upgrade of the provider's endpoints, which sends both releases under one id, is applied once`,
    `${notices}: of both releases that come at one moment keeps the one that can be read`,
    `${notices}: that was ignored, at another receiver or by an older version of this service, blocks no usable delivery`,
    `${notices}: is asked for when it is retried though only its envelope was kept`,
    `${notices}: that the provider does not answer for is tried again, for days while it is away, and then named`,
    `${notices}: asks nothing about sessions and accounts that are not ours`,
    `${notices}: of an invoice at another release has the invoice asked for`
  ),
  checked(
    "E4. a lost invoice.paid is found at the provider, a person can say what is paid, and the doctor names who lapses",
    `${subscriptions}: is extended though the event of its payment was lost, before the grace ends`,
    `${subscriptions}: is found paid weeks after it lapsed, and the operator sells again`,
    `${subscriptions}: is asked about hourly near its end, daily when it is over, and not at all before`,
    `${subscriptions}: is asked about by one of several nodes`,
    `${subscriptions}: waits where the provider is away, and takes no one-off invoice, nor one that pays beyond reason`,
    `${subscriptions}: the payment is found though its event was dropped on the way`,
    `${subscriptions}: is as a person says, earlier too: only what is paid after that moves it again`,
    `${subscriptions}: is named by the doctor when it is about to lapse, has lapsed, was never paid, or is paid beyond reason`,
    `${subscriptions}: is shown: whether the operator is billed, sells or not and why, and all that was changed`
  ),
  checked(
    "E4. a line period beyond reason changes nothing, and a person is told",
    `${subscriptions}: is not extended beyond reason by an event, which a person is told of`
  ),
  checked(
    "E4. commands set up the provider's endpoints and operators' accounts",
    `${setup}: makes both endpoints at our release with the events that are used, and tells their secrets once`,
    `${setup}: puts right what was changed: events, and endpoints that are switched off`,
    `${setup}: replaces a secret without a gap: the old endpoint works until the new secret is in the settings`,
    `${setup}: makes an endpoint at our release beside one at another, and touches no other's`,
    `${setup}: takes one at our release that somebody else made, and says that its secret can't be told`,
    `${setup}: needs a public https address at the real provider, and asks it nothing before`,
    `${setup}: do for the command that makes them, and for nothing else`,
    `${onboarding}: makes an account that is off sale until it can take payments, and a link; says when all is done`,
    `${onboarding}: keeps the account on the operator, so that a catalogue that is exported and imported keeps it`,
    `${onboarding}: makes one account though its answer was lost, or two people ask at once`,
    `${onboarding}: leaves a person's suspension as it is`
  ),
  checked(
    "E5. refusals are told apart by what the buyer, the operator and we can do; what can't be charged is not sold",
    "test/domain/payment/Refusals.test.ts: for its payer's address is asked for without it, and the payer can pay",
    "test/domain/payment/Refusals.test.ts: for an address of the caller's is an argument to change; for our own, a fault of ours",
    "test/domain/payment/Refusals.test.ts: for its amount, its key or its account are told apart, and leave the hold as it is",
    "test/domain/payment/Refusals.test.ts: for too small an amount is not even sent",
    "test/domain/payment/Refusals.test.ts: is read from the parameter that it names, else from its code",
    "test/domain/payment/checkout/CheckoutOverSandbox.test.ts: a payer whose address the provider does not take gets a page all the same",
    "test/surfaces/mcp/tools/ToolErrors.test.ts: an amount that can't be charged, a key that is refused and an outage are three things to tell",
    "test/domain/import/CatalogueCharges.test.ts: is refused by name where a party could be asked for less than the provider charges",
    "test/domain/import/CatalogueCharges.test.ts: is refused just where the smallest amount of any party is too small",
    "test/journeys/LivePayments.test.ts: offers none of the demo's playrooms, which nobody could pay"
  ),
  checked(
    "E6. what waits too long is named, settled by a command, and has an end",
    "test/domain/payment/workers/StuckPayments.test.ts: is named an hour after its account stopped answering, and no more once it answers",
    "test/domain/payment/workers/StuckPayments.test.ts: keeps its places for 21 days and not longer, and is flagged then",
    "test/domain/payment/workers/StuckPayments.test.ts: that is given up has its end also where what the provider says never fits",
    "test/domain/payment/workers/StuckPayments.test.ts: that arrives after all is taken as late",
    "test/domain/payment/workers/StuckPayments.test.ts: ends when a person says that nothing was paid, and only while it is named",
    "test/surfaces/cli/Doctor.test.ts: names a payment without a result with since when and until when, and settles it",
    "test/surfaces/cli/Doctor.test.ts: names a page that nobody makes and a refund without a result, and settles them",
    "test/surfaces/cli/Doctor.test.ts: names a refund that can't be sent, and settles it, so that it is not sent after all"
  ),
  checked(
    "E7. an event that can't be written down stops nothing behind it",
    `${hostile}: in its object is settled with an outcome that can be read, and the ones behind it go on`,
    `${hostile}: in its envelope is refused as malformed`,
    `${hostile}: of an invoice is ignored: no customer, no subscription, no instant of it reaches the database`,
    `${hostile}: when its mark is refused makes way for the ones behind it, and is tried again`
  ),
  checked(
    "E8. a paid family sees it in seconds although the event was lost",
    "test/surfaces/web/family/AfterPaying.test.ts: is led to the family's page, and finds a paid booking confirmed there although its event was lost",
    "test/surfaces/web/family/AfterPaying.test.ts: is told what is true in every state",
    "test/surfaces/web/family/AfterPaying.test.ts: is shown nothing, and nobody is asked, with a token that was made up or is too old",
    "test/surfaces/web/family/AfterPaying.test.ts: is asked about once in five seconds, however many look on however many nodes",
    "test/surfaces/web/family/AfterPaying.test.ts: is answered with what is known after two seconds, and the provider's later answer still counts",
    "test/surfaces/web/family/AfterPaying.test.ts: does not keep a hold alive by being viewed",
    "test/surfaces/mcp/tools/PaidMeanwhile.test.ts: finds in seconds that a page was paid whose event was lost, and asks for nobody who may not see it",
    "test/platform/access/LinkTokens.test.ts: opens nothing else: no other booking, no renewed link, and not with any character changed",
    "test/surfaces/web/family/AfterPaying.test.ts: looks again by itself a few times while a payment is awaited, and then only where it is asked to"
  ),
  checked(
    "E9. a refund waits for the operator's balance; disputes are noticed, counted and named",
    `${counted}: is tried for days, each time under a new key, and is made once when there is money`,
    `${counted}: needs a person after a week, who sends it again`,
    `${counted}: stops refunds;`,
    `${counted}: that was lost before counts as money given back`,
    `${counted}: is found by reconciliation, and reported until a person has dealt with it, and again when it is decided`,
    "test/surfaces/cli/BookingCancel.test.ts: names a refund that waits for money, and tries it at once when told to",
    "test/surfaces/cli/BookingCancel.test.ts: names a dispute until a person has dealt with it, and booking show tells of it"
  ),
  checked(
    "E10. no person's data is in a log, nor kept of events that are not ours",
    `${hostile}: of an operator's own customers leaves their names and addresses nowhere`,
    "test/domain/payment/provider/StripeGatewayFailures.test.ts: keeps people's addresses, and what no log can hold, out of its errors, whatever the provider repeats"
  ),
  checked(
    "E11. an event costs few round trips, and ours go before others'",
    `${inbox}: applies a payment in one transaction of six statements, and no savepoint`,
    `${inbox}: lets no backlog of others delay an event of a known session, and lets the others have their turns`,
    `${inbox}: does not queue what names no session of ours: it is told by itself, and costs nothing more`
  )
]
