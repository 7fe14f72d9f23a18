/**
 * What outsiders, real libraries and real calendars did to it: case by case, and the tests that hold it.
 * `Checklists.test.ts` checks that each is there.
 */
import { type Case, checked } from "../Case.ts"

const answers = "test/domain/payment/provider/StripeAnswers.test.ts"
const unreadable = "test/domain/payment/provider/UnreadableAnswers.test.ts"
const uncaught = "test/ops/process/Uncaught.test.ts"
const busy = "test/domain/calendars/BusyTimes.test.ts"
const closedAccounts = "test/domain/payment/ClosedAccounts.test.ts"
const turning = "test/domain/payment/refunds/FactsThatTurn.test.ts"
const hosts = "test/surfaces/mcp/transport/HostReadings.test.ts"
const list = "test/surfaces/mcp/tools/ToolList.test.ts"
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
    "a database that folds letters otherwise is refused at start",
    "test/platform/database/Pooler.test.ts: is refused at start, by commands, too, with what to do"
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
    "a month that is over never changes: what turns is a line of its own day",
    `${turning}: keeps a refund that failed after it had succeeded: its return is a line of its own day, each time`,
    `${turning}: keeps each line that was told, whatever refunds and disputes become; all lines sum to what went back`
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
  )
]
