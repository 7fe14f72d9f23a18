/**
 * Who runs it sees why: case by case (F), and the tests that hold it. `Checklists.test.ts` checks that each named test
 * is there.
 */
import { type Case, checked } from "../Case.ts"

const threads = "test/domain/payment/Threads.test.ts"
const books = "test/ops/audit/ProviderBooks.test.ts"
const cancelling = "test/surfaces/cli/BookingCancel.test.ts"

export const operations: ReadonlyArray<Case> = [
  checked(
    "F1. every error says what happened, and the doctor names how the provider fails and since when",
    "test/TaggedErrors.test.ts: says what happened, whichever of them it is: a log or a command shows nothing else",
    "test/TaggedErrors.test.ts: names the reason, and is told so on the command line",
    "test/domain/payment/provider/ProviderHealth.test.ts: is named where it can't be reached, with the reason and since when, until a call succeeds",
    "test/domain/payment/provider/ProviderHealth.test.ts: is told apart from a key that it does not accept, and from an answer that makes no sense",
    "test/domain/payment/provider/ProviderHealth.test.ts: is written down seldom, however many calls fail, and other nodes' failures are over after a minute"
  ),
  checked(
    "F2. a node that is told to stop serves on, and says so, until balancers have noticed",
    "test/surfaces/http/Surface.test.ts: serves on for the drain delay while /readyz says 503, and only then closes the listener",
    "test/platform/config/AppConfig.test.ts: serve on for five seconds of a stop in production, for none elsewhere, and for as long as asked",
    "test/journeys/Draining.test.ts: a service that is asked to stop serves on for DRAIN_SECONDS with /readyz 503, and ends well",
    "test/journeys/Draining.test.ts: a second signal ends it at once, however long it would serve on"
  ),
  checked(
    "F3. a pooler that loses prepared statements is refused at start, with the reason",
    "test/platform/database/Pooler.test.ts: that loses prepared statements is refused at start, with what to do; session pooling is not, nor is none"
  ),
  checked(
    "F4. a database that can't be written to is not ready",
    "test/platform/database/Readiness.test.ts: is asked at most every few seconds, leaves nothing behind, and sees a full disk and its end",
    "test/platform/database/Readiness.test.ts: is told of a standby, and of a server that takes no writes after a failover",
    "test/platform/database/Readiness.test.ts: a database whose connections are all busy for long is ready: it is asked over a connection of its own",
    "test/platform/database/Readiness.test.ts: a service whose disk is full says that it is not ready, and is again when there is room",
    "test/surfaces/http/Surface.test.ts: is 200 while the database can be used, 503 where it can't for whatever reason, or the service stops"
  ),
  checked(
    "F5. a log line has one text and its fields; metrics tell of bookings, money, the inbox, the provider and the database",
    "test/platform/telemetry/LogLines.test.ts: has one text, and the fields beside it",
    "test/platform/telemetry/LogLines.test.ts: has a text of its cause or error where it was given none",
    "test/journeys/Telemetry.test.ts: logs lines that are one JSON object each, with one text as its message",
    "test/journeys/Telemetry.test.ts: counts what happens to bookings, payments and refunds, and tells what waits",
    "test/journeys/Telemetry.test.ts: tells each family with help and type, in names as Prometheus wants them, and each is in docs/observability",
    "test/ops/attention/Gauges.test.ts: are NaN where the database does not answer in time, and are back when it does",
    "test/ops/attention/Gauges.test.ts: count transactions that are open and that wait for a connection, savepoints with theirs"
  ),
  checked(
    "F6. paid but not confirmed has a thread: events name payment and booking, and a refused transition of money is seen",
    `${threads}: is shown whole: pages, events with what became of each, tasks, refunds, history`,
    `${threads}: names a page that is still to be closed`,
    `${threads}: has money that its status could not follow as an error in the log, and in the doctor until it is put right`,
    `${threads}: is flagged by no story that money takes of itself`,
    `${threads}: names in the doctor an event that has waited too long`
  ),
  checked(
    "F7. tests wait for what happens and not for time, and are skipped without an error",
    "test/platform/database/Database.test.ts: lets a command use a running service's database between its transactions, not inside them",
    "test/checklists/Checklists.test.ts: decides before it runs whether it is skipped: from inside an effect, that would be an error in the log"
  ),
  checked(
    "F8. a file that is not JSON is told by line and column, with what should stand there",
    "test/domain/import/JsonText.test.ts: is found at its line and column: ${what}",
    "test/domain/import/JsonText.test.ts: is found where the language's own parser finds one, and nowhere else",
    "test/surfaces/cli/Commands.test.ts: checks, imports and exports a catalogue; the export is importable and changes nothing"
  ),
  checked(
    "F8. a cancellation refunds what a person says, with the reason, as its preview shows",
    `${cancelling}: shows in the preview what went back before, and what is refunded at a person's word`,
    `${cancelling}: refuses an amount that the currency can't say, one that is more than is left, and a word without a reason`,
    "test/domain/payment/refunds/RefundsCounted.test.ts: never gives more in all than was said, though more went back meanwhile"
  ),
  checked(
    "F9. pages fit narrow and wide screens, break no name, keep to landmarks; /docs tells what the tools take and give",
    "test/journeys/Browsing.test.ts: fit the screen, break no name, keep to landmarks, and can be read in both schemes",
    "test/surfaces/web/Pages.test.ts: becomes a page that shows each operation and explains each problem code"
  ),
  checked(
    "F10. the doctor's audit finds stored data that breaks an invariant, and blames no sound data",
    "test/ops/audit/Audit.test.ts: blames no sound data, and finds each of fifty planted faults by its name",
    "test/ops/audit/Audit.test.ts: reads every page, and names so many rows of a kind that their cause can be found",
    "test/ops/audit/Audit.test.ts: is told by the doctor, which fails, and only if it is asked for",
    "test/ops/audit/AuditRuns.test.ts: is made by one node of all as often as the settings say, and told by the metrics and the log",
    "test/ops/audit/AuditRuns.test.ts: that is cut off is no complete one: the next is made in its time",
    "test/ops/audit/AuditRuns.test.ts: is not made by a service without AUDIT_HOURS",
    "test/platform/config/AppConfig.test.ts: audit the stored data only as often as AUDIT_HOURS says",
    `${books}: are not blamed for what is paid, cancelled, disputed, under way, or has just happened`,
    `${books}: name what expired here and was paid there, with the command that puts it right, and change nothing`,
    `${books}: name a refund by hand of which nobody told us`,
    `${books}: name what counts as paid here, and is not paid there, or is unknown there, or another amount`,
    `${books}: name a refund that counts here, and was never made there`,
    `${books}: that can't be asked are told, and a closed account needs nobody`,
    "test/platform/database/SchemaCatalog.test.ts: is looked at part by part: what is gone, weaker, invalid or switched off is named",
    "test/platform/database/SchemaCatalog.test.ts: is judged by what later migrations made of it, and what they left is judged as before",
    "test/model/BookingLife.test.ts: keeps its promises in ${runs} scripts of up to ${steps} steps"
  )
]
