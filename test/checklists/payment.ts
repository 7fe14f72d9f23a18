/** What payments must survive, case by case, and the tests that hold each. */
import { type Case, checked } from "./Case.ts"

const signature = "test/domain/payment/events/WebhookSignature.test.ts"
const inbox = "test/domain/payment/events/WebhookInbox.test.ts"
const router = "test/domain/payment/events/Events.test.ts"
const receivers = "test/surfaces/http/Receivers.test.ts"
const events = "test/journeys/Webhooks.test.ts"
const settlement = "test/domain/payment/settlement/Settlement.test.ts"
const overtaken = "test/domain/payment/Overtaken.test.ts"
const order = "test/domain/payment/events/EventOrder.test.ts"
const reconciliation = "test/domain/payment/workers/Reconciliation.test.ts"
const refundReconciliation = "test/domain/payment/refunds/RefundReconciliation.test.ts"
const payments = "test/domain/payment/checkout/Checkout.test.ts"
const askedAgain = "test/domain/payment/checkout/CheckoutAgain.test.ts"
const gateway = "test/domain/payment/provider/StripeGateway.test.ts"
const gatewayFailures = "test/domain/payment/provider/StripeGatewayFailures.test.ts"
const wire = "test/domain/payment/provider/RequestsToProvider.test.ts"
const sandboxApi = "test/extras/sandbox/Api.test.ts"
const cancellations = "test/domain/payment/changes/Cancellations.test.ts"
const again = "test/domain/payment/refunds/RefundsAgain.test.ts"
const bounds = "test/domain/payment/checkout/HoldBounds.test.ts"
const nodes = "test/domain/payment/Nodes.test.ts"
const crash = "test/domain/payment/Crash.test.ts"
const outside = "test/journeys/OutsideProvider.test.ts"

const died = "ends as if nothing had happened, wherever the process died"

export const checklist: ReadonlyArray<Case> = [
  checked("signature missing or empty", `${signature}: calls a missing, empty or blank header missing`),
  checked("signature by another secret", `${signature}: refuses a body signed with another secret`),
  checked("body serialised again", `${signature}: refuses a body that was parsed and serialised again`),
  checked(
    "v1 empty or not ASCII; v0 only",
    `${signature}: refuses empty, short, non-ASCII and upper-case v1 values, and v0 alone, without falling over`
  ),
  checked(
    "two v1, rotation: old, new, both",
    `${signature}: accepts either secret while rotating, and only the new one after`,
    "test/domain/payment/provider/WebhookSecrets.test.ts: are those of the settings where some are given, each receiver's on its own"
  ),
  checked(
    "signature header repeated",
    `${signature}: reads a header that came twice, as two values or joined into one, in either order`,
    `${receivers}: take both header names, and repeated headers`
  ),
  checked(
    "signed over 300 s ago, or in the future",
    `${signature}: accepts 300 s to either side of the given clock, and calls more than that stale`
  ),
  checked("signed non-JSON, null, array", `${signature}: calls a signed body that is no event malformed`),
  checked(
    "byte-order mark, invalid UTF-8",
    `${signature}: refuses a byte-order mark put before a signed body, and does not read one that was signed`,
    `${signature}: refuses invalid UTF-8, also where it decodes to the very text that was signed`
  ),
  checked("any Content-Type", `${receivers}: pass on the body byte for byte, whatever its type says`),
  checked(
    "refusals are 400 with a code, nothing stored",
    `${receivers}: refuse with 400 and a code, or ask for a retry with 503`,
    `${inbox}: stores nothing of what it can't verify, and neither receiver takes the other's signature`
  ),
  checked(
    "a blank secret refuses to start",
    "test/platform/config/AppConfig.test.ts: refuse a blank secret wherever one is set"
  ),
  checked(
    "each receiver has its own secret",
    `${events}: are taken by the receiver whose secret signed them, under both header names, and by no other`
  ),
  checked("every sample event of the provider", `${signature}: reads every sample event of the provider`),

  checked(
    "the same event twice, ten at once, an hour later",
    `${inbox}: stores a delivery once however often it comes, and applies it once`,
    "test/domain/payment/events/EventRecords.test.ts: writes many that come at once in a few statements, and each once"
  ),
  checked(
    "a poison event",
    `${inbox}: sets a poison event aside after its tries, without holding up the others, and applies it when told to`
  ),
  checked(
    "database away: 503, then taken",
    "test/surfaces/http/DatabaseAway.test.ts: an event that comes while the database is away is asked for again with 503, and taken when it is back"
  ),
  checked(
    "crash after the insert, after the effect",
    `${crash}: ${died}`,
    `${crash}: had died at every point that there is`
  ),
  checked(
    "1 MiB and one byte; other methods",
    `${receivers}: take 1 MiB, and not one byte more, with a length or without`,
    "test/surfaces/http/Surface.test.ts: answers a wrong method with 405 and what is allowed"
  ),
  checked(
    "one round trip before the answer",
    `${inbox}: answers after one statement, and what is not ours by its envelope costs no other`
  ),

  checked(
    "a flood of events does not starve the rest",
    `${inbox}: lets other statements in between transactions, however many events wait`
  ),
  checked(
    "type, account, livemode, version, session not ours",
    `${router}: keeps, and does not apply, what is not addressed to this service`
  ),
  checked(
    "account not the booking's operator's",
    `${router}: rejects and flags an amount, a currency, an account or a session id that is not what was asked for`
  ),
  checked(
    "what is not ours is seen in webhook list",
    `${events}: extend a subscription, and what is not ours is kept and seen by operators`
  ),

  checked(
    "completed: paid, unpaid, nothing to pay",
    `${settlement}: a delayed payment keeps the hold until it succeeds`,
    `${settlement}: a page on which nothing had to be paid confirms the booking, and no money is counted`
  ),
  checked("late success before completed", `${order}: money and places end as they would in the best order`),
  checked(
    "late failure",
    `${settlement}: a delayed payment that fails gives the hold a fresh time, and a new session may be made`
  ),
  checked("expired after paid", `${settlement}: a page that closed after it was paid changes nothing`),
  checked(
    "expired of a superseded session",
    `${overtaken}: the late event of an older page's end leaves the booking with its newer page`
  ),
  checked("two event ids for one session", `${nodes}: apply each of a hundred events once`),
  checked(
    "event before our own commit",
    `${router}: waits for a session of ours that is not committed yet, and gives up on one that never comes`,
    `${router}: finds a session whose creation was not answered by our own id in the event`
  ),
  checked(
    "amount or currency differs",
    `${router}: rejects and flags an amount, a currency, an account or a session id that is not what was asked for`
  ),
  checked("unknown status values", `${router}: keeps, and does not apply, what is not addressed to this service`),
  checked("any order, number and delay", `${order}: money and places end as they would in the best order`),

  checked(
    "paid late, places free",
    `${settlement}: a payment after the hold has ended takes the places again where they are still free`
  ),
  checked(
    "paid late, places gone",
    `${settlement}: a payment after the places are gone goes back once, with the application fee`
  ),
  checked(
    "our expire loses to the payer",
    `${reconciliation}: keeps the places where the payer was faster, at once or with a delayed method`
  ),
  checked(
    "expire of what is expired or paid",
    `${gateway}: answers what a session is now where it could no longer be expired`
  ),
  checked(
    "hold shorter than the shortest session",
    `${payments}: opens a page for what is due now and lets the hold live as long as the page and five minutes`
  ),
  checked("expires_at at both bounds", `${sandboxApi}: refuses what the provider refuses, in its words`),
  checked(
    "holds do not live for ever",
    `${bounds}: ends with the last of its three pages, however eagerly new ones are asked for`,
    `${bounds}: never outlives the start of its visit, with a page or without`
  ),

  checked(
    "create times out: same key, same bytes",
    `${askedAgain}: sends the same bytes under the same key after a call without an answer, and finds the page it made`
  ),
  checked(
    "key reused with other parameters",
    `${sandboxApi}: replays a key with the same parameters, and refuses it with others; each account has its own keys`,
    `${gatewayFailures}: names what the provider refuses`
  ),
  checked(
    "key older than a day",
    `${refundReconciliation}: finds a refund that was made before the provider forgot its key, instead of making another`
  ),
  checked(
    "HTML 502, 429, cut after acting",
    `${gatewayFailures}: turns a 502 page, a cut connection and a silent provider into "unavailable"`,
    `${gatewayFailures}: names what the provider refuses`,
    `${sandboxApi}: fails as it is told, before acting and after`
  ),
  checked(
    "requests fit the schema, name account and key",
    `${wire}: is valid by its schema, names account and key, and is the same bytes when it is sent again`
  ),
  checked(
    "metadata on session and payment intent",
    `${gateway}: sends a session for one payment: the amount, our ids on session and payment, the fee, the addresses`
  ),

  checked(
    "refund full, partial, tiered",
    `${cancellations}: keeps a deposit that is not refundable, and takes the refund from the balance first`,
    `${cancellations}: spreads a refund over the payments: all of it where there is enough, and never more than is left of one`,
    `${cancellations}: previews what the pure rule says`
  ),
  checked("refund twice", `${cancellations}: of ten at the same time, one cancels`),
  checked(
    "crash between provider and commit",
    `${crash}: ${died}`,
    `${outside}: accounts for every penny through kills and a failing provider`
  ),
  checked(
    "failed refund, at once or later",
    `${refundReconciliation}: says what is owed where the provider refuses a refund`,
    `${again}: after it had succeeded is found, is owed again, and reaches the payer when sent again`
  ),
  checked(
    "dashboard refund",
    `${refundReconciliation}: notices refunds made in the provider's dashboard, once, and refunds no more than what is left`,
    `${again}: goes on until the visit and its refund window are over, at least weekly, and then ends`
  ),
  checked("several nodes", `${nodes}: ask the provider about each row once, and each change is made once`),

  checked(
    "invoices: subscription or none, older, lines, old shape, customer, account",
    `${router}: extends an operator's subscription by the latest period of its invoices, and never takes back`
  )
]
