/**
 * What outsiders, real libraries and real calendars did to it: case by case, and the tests that hold it.
 * `Checklists.test.ts` checks that each is there.
 */
import { type Case, checked } from "../Case.ts"

const answers = "test/domain/payment/provider/StripeAnswers.test.ts"
const unreadable = "test/domain/payment/provider/UnreadableAnswers.test.ts"
const gateway = "test/domain/payment/provider/StripeGateway.test.ts"
const uncaught = "test/ops/process/Uncaught.test.ts"
const busy = "test/domain/calendars/BusyTimes.test.ts"
const option = "test/domain/availability/OptionId.test.ts"
const copied = "test/surfaces/mcp/tools/CopiedIds.test.ts"
const sessions = "test/platform/database/BackendSessions.test.ts"
const refusals = "test/domain/payment/Refusals.test.ts"
const misfits = "test/domain/payment/settlement/Misfits.test.ts"
const visits = "test/domain/payment/changes/VisitChanges.test.ts"
const closedAccounts = "test/domain/payment/ClosedAccounts.test.ts"
const waysBack = "test/surfaces/web/family/WaysBack.test.ts"
const turning = "test/domain/payment/refunds/FactsThatTurn.test.ts"
const contacts = "test/domain/payment/changes/CorrectedContacts.test.ts"
const comparison = "test/domain/payment/recovery/AccountComparison.test.ts"
const cancellations = "test/domain/payment/changes/Cancellations.test.ts"
const hosts = "test/surfaces/mcp/transport/HostReadings.test.ts"
const list = "test/surfaces/mcp/tools/ToolList.test.ts"
const doors = "test/ops/process/Doors.test.ts"
const loops = "test/platform/time/Recurring.test.ts"

export const outsiders: ReadonlyArray<Case> = [
  checked(
    "the process lives, whatever the provider answers, and an error without its own words is one by its status",
    `${answers}: ends in the error that says so, whatever kind of answer comes`,
    `${answers}: is what has an error and another status than one`,
    `${unreadable}: to the wish for a page leaves the hold as it is, and the next call gets a page`,
    `${unreadable}: to the question whose a thin dispute is leaves the event to be applied, which it is`,
    `${unreadable}: to the writes of provider setup is no step that is done`,
    `${unreadable}: to a refund in the background has it asked for again, and it goes back once`
  ),
  checked(
    "what nobody catches is said, what runs ends, and the exit code is an error",
    `${uncaught}: ends a service, which says so, finishes what runs, and exits with an error`,
    `${uncaught}: ends a command with one line and an error`
  ),
  checked(
    "a list that the provider cuts is read to its end, or said to be cut",
    `${gateway}: reads all lines of an invoice, since it comes with ten of them, alone or in the list of a customer`,
    `${gateway}: reads webhook endpoints of all pages, of both kinds`,
    `${gateway}: reads no list that leads back to what was read, and none without an end`
  ),
  checked(
    "a subscription is paid through what its own lines pay",
    `${gateway}: reads of an invoice when the periods end that its lines of a subscription pay, and no others`,
    "test/domain/payment/workers/Subscriptions.test.ts: is extended by lines that an event left out, which are asked for, and by no downgrade or one-off item"
  ),
  checked(
    "a page that is not what was asked for is handed to nobody",
    `${answers}: and what differs is told`,
    `${unreadable}: that is a page of another payment, for other money, is handed to nobody: the next call has another made`
  ),
  checked(
    "three letters are no zone: not in the catalogue, and in a calendar its own rules come first",
    "test/domain/import/CatalogueChecks.test.ts: which is an abbreviation",
    `${busy}: A5, X1: is told by the zone rules of the file for a name without a region, and by the runtime's for one with it`,
    `${busy}: X2: is told by GMT, EST, MST and HST where the playroom's clock is that then; else by both, and that is said`
  ),
  checked(
    "the end of a rule that can't be read closes more, and is named",
    `${busy}: A1, A3: goes on without an end that can't be read, and that is named with its line`,
    `${busy}: is never shorter than what can't be read of an event might mean`
  ),
  checked(
    "no file of others keeps anybody waiting",
    "test/domain/calendars/CalendarTurns.test.ts: keeps nobody waiting: others have their turn after little work",
    "test/domain/calendars/CalendarWorker.test.ts: are stored some times in each transaction, however many there are, and all of them in the end"
  ),
  checked(
    "a slip of one letter is never another party, time or page",
    `${option}: copied wrongly is none: with one letter other, more, less or turned, alike in shape or of another case`,
    `${option}: copied wrongly in two places is none, nor are halves of two ids`,
    `${copied}: an option's: nothing is booked, and the call says to ask for the options again`,
    `${copied}: a cursor's: it is none of ours, whichever list it is of`
  ),
  checked(
    "nothing that others can write is run",
    "test/ops/process/Bundle.test.ts: what Node compiled is kept beside the bundle, in a folder of this user alone, and not among temporary files",
    "test/platform/database/DataDirectory.test.ts: has its socket in a folder of this user alone where its own path is too long"
  ),
  checked(
    "a guest on the database's socket leaves nothing behind",
    `${sessions}: a guest leaves nothing behind for the service: `,
    "test/platform/database/Database.test.ts: a service goes on beside pg_dump and psql",
    "test/journeys/MoveToServer.test.ts: the whole embedded database moves to a server, while families book"
  ),
  checked(
    "a database that folds letters otherwise is refused at start",
    "test/platform/database/Pooler.test.ts: is refused at start, by commands, too, with what to do"
  ),
  checked(
    "a fault of ours is told as ours: the clock, the settings, the request",
    `${refusals}: is told by whose fault it is: only what is the operator's is told as the operator's`,
    `${refusals}: for its end is counted from the provider's own clock, as soon as an answer has told that`,
    "test/domain/payment/provider/ProviderClock.test.ts: is told by the doctor and counted where it is off, in either direction, until it is right again",
    "test/domain/payment/events/WebhookInbox.test.ts: are told after five in a row, with the receiver, since when and why, until one is taken"
  ),
  checked(
    "C5. a mistyped name or e-mail address is corrected, and the former address finds nothing more",
    `${contacts}: C5: letters go to the new address, and the former one is told once, without who has it now`,
    `${contacts}: C5: a letter that waits goes to the new address, and so does one that no server took at the former`,
    `${contacts}: C5: the former address finds nothing more, by reference or by a link, and the new one does`,
    `${contacts}: C5: the history says who changed what from what to what, and is erased with the person`,
    `${contacts}: C5: is corrected after the visit and after a cancellation, too, but not once it is erased`,
    "test/surfaces/web/family/PartyPages.test.ts: C5: corrects name and e-mail address, by the same rule as everywhere, and goes on under a new link",
    "test/surfaces/web/desk/Actions.test.ts: C5: corrects name and e-mail address by any role; the history says from what to what",
    "test/surfaces/cli/BookingChange.test.ts: C5: corrects name and e-mail address at no cost, also after the visit, and says both in the history"
  ),
  checked(
    "C5. a corrected contact is one wish, whichever contact a repeated call names",
    `${contacts}: C5: a repeated call gets its booking by the former contact and by the new one, and books no second`,
    `${contacts}: C5: a guest who signed in anew is told that the wish is booked, by the former contact, too`,
    `${contacts}: C5: to the contact of a twin it is corrected all the same: both stay, and no wish is booked twice`
  ),
  checked(
    "D1. an account that takes no payments is off sale at once, told, and back by itself",
    `${closedAccounts}: takes its operator off sale as soon as a page is refused, and back by the next check that finds it open`,
    `${closedAccounts}: is known by the provider's event, which says no more than that: it closes and opens`,
    `${closedAccounts}: that was disconnected is so by its event, a thin one too, until it is connected again`,
    `${closedAccounts}: takes nobody off sale while the provider is away: that says nothing of an account`,
    "test/surfaces/web/desk/NewBooking.test.ts: books what is paid at the counter while the operator's account takes no payments, and nothing by link (D1)"
  ),
  checked(
    "M7. money that a closed account keeps back is not said to be on its way",
    `${waysBack}: is not said to be on its way while the venue's account is closed (M7), and goes back once it is open`,
    `${waysBack}: is told so before it is decided, once the account is known to be closed (M7)`
  ),
  checked(
    "a month that is over never changes: what turns is a line of its own day",
    `${turning}: keeps a refund that failed after it had succeeded: its return is a line of its own day, each time`,
    `${turning}: keeps each line that was told, whatever refunds and disputes become; all lines sum to what went back`
  ),
  checked(
    "M6. events are heard, and books compared, by the account that the payment was made on",
    "test/domain/payment/events/ThinEvents.test.ts: of a refund or a dispute is heard of an account that its operator has left, and of none that nobody had",
    `${comparison}: gives a payment on an account that its operator has left since to its booking (M6)`,
    `${comparison}: reconcile asks the account that a payment was made on, though its operator has left it (M6)`
  ),
  checked(
    "money that is not what was asked for has a standing, and a person decides",
    `${misfits}: is told as it is (M2): nobody is asked to pay again, the places are kept, and a person is told`,
    `${misfits}: taken, leaves what is missing to be paid as usual, and gives back what is too much`,
    `${misfits}: sent back, goes back once, and the booking asks for its money again, or ends as usual`,
    `${misfits}: for the balance of a visit that is over, or whose places were released, is told as it is, and asked for no more`,
    `${misfits}: taken with a penny waived, is of the rates of tax of what the booking costs then`,
    `${misfits}: can be decided about, however little it is: less than the platform's fee, too`,
    `${misfits}: is told to the family by a letter: what goes back, why, and what it is asked for now`,
    `${misfits}: in another currency is told in that, and is no part of the booking's sums`
  ),
  checked(
    "goodwill stands outside the price, in every direction",
    `${visits}: leaves goodwill outside the price (M5): a cheaper visit gives its difference back, in either order`,
    `${visits}: leaves goodwill outside the price of a smaller party (M5), and says what went back before`,
    "test/surfaces/web/family/Invitation.test.ts: has the decision behind each refund, and what is kept in all (M5)",
    `${cancellations}: stands outside the terms (M5): a cancellation at `,
    `${cancellations}: that failed to go back stays owed, beside what is given or cancelled later`
  ),
  checked(
    "every host's model reads our refusals",
    `${hosts}: gives its model code, fix and details of every failure, of every tool`,
    `${hosts}: every host tells at once of a refused request, with what to do`,
    `${list}: take the text of an error for an answer, since Gemini CLI 0.61.0 has it checked; but not for what is promised`,
    "test/surfaces/mcp/arguments/Arguments.test.ts: that a host adds to every tool are dropped, and no others, nor where they are no host's"
  ),
  checked(
    "a rolling upgrade loses no task, and no loop dies in silence",
    "test/domain/payment/provider/ProviderTasks.test.ts: waits for a node of that release: an older one fails to run it, and it is due again later",
    `${loops}: work without an end goes on after `,
    `${loops}: work repeats without an end only by what goes on after a defect`,
    "test/domain/payment/changes/MadeWhole.test.ts: at the desk with the letter that has its link, or not at all; a repeat writes no other letter"
  ),
  checked(
    "S1. the doctor says which doors are open to whom, and which of our paths others can change",
    `${doors}: are this machine's alone by default: the service, its sandbox, and the database's socket for this user`,
    `${doors}: are what others reach, with the metrics apart, and no sandbox and no socket where there are none`,
    `${doors}: is changed by nobody else, though all may write to /tmp; and by all who may write to it, or above it`,
    `${doors}: is each program, what it keeps, its data and the file of each secret`,
    "test/surfaces/cli/Doctor.test.ts: S1: says which doors are open to whom, and counts paths that others can change"
  ),
  checked(
    "S2. nothing that an outside calendar says stops others",
    `${busy}: S2: is bounded by line, by event and in all: lines about time, parts, and what lists have`,
    "test/domain/calendars/CalendarTurns.test.ts: keep nobody waiting",
    "test/platform/concurrency/LoopSlice.test.ts: is one at a time, and rests after each slice"
  ),
  checked(
    "S9. a /48 has shares of its own, and a whole day is the manager's to close, however it is written",
    "test/platform/access/RateLimits.test.ts: S9: a /48 of IPv6 has three shares, however many /64s it is",
    "test/surfaces/web/desk/Closing.test.ts: S9: nearly all of a day's opening hours, at once or in parts, are for managers to close"
  )
]
