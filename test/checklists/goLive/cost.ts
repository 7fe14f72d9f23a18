/**
 * What a caller sends costs little and never stops the service: case by case (A), and the tests that hold it.
 * `Checklists.test.ts` checks that each named test is there.
 */
import { type Case, checked } from "../Case.ts"

export const cost: ReadonlyArray<Case> = [
  checked(
    "A1. A list of many faulty entries costs no more than a look at its length",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are too long a list are refused by its length, and no entry of it is looked at",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are lists of faults, or thousands of unknown fields, are told in 20 issues of bounded size",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are texts longer than any that is taken are refused before a pattern is tried on them",
    "test/surfaces/mcp/arguments/Arguments.test.ts: have a bound on every list in every tool's schema, and no text that may be longer than the bound on all",
    "test/surfaces/mcp/transport/Protocol.test.ts: a body over 128 KiB is refused with 413, declared or chunked, and one just under it is read"
  ),
  checked(
    "A2. Values, entries and depth of every message have a budget, and its errors are sentences",
    "test/surfaces/mcp/transport/Protocol.test.ts: what a message is over its budget by is told in a sentence, whichever method and era it has",
    "test/surfaces/mcp/transport/Protocol.test.ts: names that a header or an envelope repeats at length are cut in the answer",
    "test/surfaces/mcp/transport/FastPath.test.ts: calls on the fast path get the same bytes as through the SDK, whichever way they are written"
  ),
  checked(
    "A3. Deep nesting is a refusal, never a 500, and no stack gets into an answer or the log",
    "test/surfaces/mcp/transport/Protocol.test.ts: what a message is over its budget by is told in a sentence, whichever method and era it has"
  ),
  checked(
    "A4. Parameters that the SDK refuses are -32602 and one sentence",
    "test/surfaces/mcp/transport/Protocol.test.ts: what the SDK's validators refuse is -32602 and one sentence, under the request's id"
  ),
  checked(
    "A5. Batches only where the version has them, at most 20 messages, each with its own token and arguments",
    "test/surfaces/mcp/transport/JsonRpc.test.ts: batches are refused where the version has none, when empty or too long, and around initialize",
    "test/surfaces/mcp/transport/JsonRpc.test.ts: each message of a batch takes a token of its own, whether it reaches a tool or not",
    "test/surfaces/mcp/transport/JsonRpc.test.ts: a body that holds no message takes a token too",
    "test/surfaces/mcp/transport/JsonRpc.test.ts: two calls of a batch under one id each get the answer to their own arguments",
    "test/surfaces/mcp/transport/JsonRpc.test.ts: the answer to a batch has a bound: what comes after it is sent back unserved, each under its id"
  ),
  checked(
    "A6. Unread answers, unfinished bodies and connections have bounds in bytes, time and number",
    "test/surfaces/http/Connections.test.ts: whose answer nobody reads is ended when its time is up, however little it holds",
    "test/surfaces/http/Connections.test.ts: that asks on and on without reading is ended at what one may hold, long before its time",
    "test/surfaces/http/Connections.test.ts: is ended when all together hold too much: those that hold the most go first",
    "test/surfaces/http/Connections.test.ts: that sends a body bit by bit counts with what has come of it",
    "test/surfaces/http/Connections.test.ts: that reads, asks and is answered is left alone"
  ),
  checked(
    "A7. an option id of a year that no calendar here has is malformed, and no search for alternatives is without a bound",
    "test/domain/availability/OptionId.test.ts: knows what is none: other texts, padding, too short, too long, and loose bits at the end",
    "test/domain/availability/Decision.test.ts: is sold only where it is offered, whichever byte before the check is edited, and to what",
    "test/domain/availability/Openings.test.ts: end, whatever start and dates they are asked for"
  ),
  checked(
    "A8. forged search cursors are invalid arguments, whatever they hold",
    "test/domain/search/PlayroomSearch.test.ts: refuses forged cursors whose digest is right, whatever they hold, in every ranking"
  ),
  checked(
    "A8. forged cursors of options are invalid arguments, whatever they hold",
    "test/domain/availability/BookingOptions.test.ts: refuse a cursor whose digest is right and whose position can't be theirs, whatever it holds"
  ),
  checked(
    "A9. a search that finds nothing does not scan the catalogue: an index rules out what no package could offer, a bound on work what is sold out",
    "test/domain/search/SearchAmongThousands.test.ts: never reads the whole table for a page",
    "test/domain/search/SearchAmongThousands.test.ts: answers in one look what no package could ever offer, with no page to follow, and says why with a bounded number of others",
    "test/domain/search/SearchAndOptions.test.ts: finds the playrooms that have an option which fits on one of its days, and no other, and tells which option and its price",
    "test/domain/search/SearchFacts.test.ts: holds every start of every package on every day, on clock changes and beside overrides too",
    "test/domain/search/SearchFacts.test.ts: bounds the price of every party at every start from below, in all and by the child",
    "test/domain/search/SearchAndBookings.test.ts: looks at so many sold-out playrooms a call and no more, and says where to go on"
  ),
  checked(
    "A10. options of the largest catalogue that an import accepts: closed days are passed over, work goes in slices and has a bound",
    "test/domain/availability/Openings.test.ts: passes over what is closed for three years without looking at its starts",
    "test/domain/availability/Openings.test.ts: finds the day on which years of works end",
    "test/domain/availability/Openings.test.ts: ends at its bounds where all is sold, and says so",
    "test/domain/availability/Openings.test.ts: lets others go ahead again and again",
    "test/domain/availability/Openings.test.ts: are its starts asked one by one, and its reasons come to theirs, closed days too"
  ),
  checked(
    "A11. what waits for the database or the provider answers within seconds, with the code that says so",
    "test/surfaces/http/DatabaseAway.test.ts: while the table of events is locked receivers ask for the event again with 503, and take it when it is free",
    "test/surfaces/http/DatabaseAway.test.ts: a server ends statements that take too long, and waits for locks before that, but for migrations",
    "test/journeys/RushOfOneRoom.test.ts: a lock that somebody keeps on one playroom is that playroom's: its callers are told in time to try again, and nobody else waits",
    "test/platform/concurrency/KeyedSemaphore.test.ts: who waits behind a failure that is theirs, too, fails at once with the same; who comes later tries",
    "test/platform/database/Transactions.test.ts: leave connections to others: beyond their number they wait, and fail after a while as if for a lock",
    "test/platform/database/Transactions.test.ts: fails as a lost connection does, and is no defect: the next one is served, and nothing is half done",
    "test/platform/database/Transactions.test.ts: fails with its own failure where it has one, which its caller can handle, and dies of its own defect",
    "test/surfaces/mcp/tools/ToolCalls.test.ts: a call that takes too long is interrupted and answers service_unavailable, which may be repeated",
    "test/domain/payment/provider/StripeGatewayFailures.test.ts: which a person waits for, gives a silent provider eight seconds in all",
    "test/domain/payment/checkout/CheckoutAgain.test.ts: sends the same bytes under the same key after a call without an answer, and finds the page it made"
  )
]
