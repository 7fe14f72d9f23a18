/** What goes on when things break. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "../Case.ts"

const elapsed = "test/platform/time/Elapsed.test.ts"
const failing = "test/domain/payment/provider/StripeGatewayFailures.test.ts"
const repeats = "test/platform/telemetry/RepeatedFailures.test.ts"
const shared = "test/journeys/SharedSocket.test.ts"

export const faults: ReadonlyArray<Case> = [
  checked(
    "H4. a process that is stopped or hangs is noticed by its service manager, and others on its socket answer meanwhile",
    `${shared}: is told that the service is ready, and again and again that it goes on, but not while it hangs`,
    `${shared}: is served by one process while another hangs`
  ),
  checked(
    "H4. a service whose only process was killed refuses nobody, and answers once another listens",
    `${shared}: keeps those who come while none listens until the next one does`
  ),
  checked(
    "H24. what clients saw while things broke is judged: no acknowledged booking unseen, no place with two, no move half done, no status back, no key with two bookings",
    "test/faults/History.test.ts: sees ${name}",
    "test/faults/History.test.ts: lets ${name} pass",
    "test/faults/History.test.ts: lets whatever many callers at once see of sound slots pass, and sees one place too many",
    "test/faults/History.test.ts: is the same for the same seed, with its e-mail addresses and keys, and another for another",
    "test/faults/History.test.ts: has each fault, each kind of service and each way to move within a few runs, and no family's name twice"
  ),
  checked(
    "H5. a clock that steps changes no time that passes inside the process: caches, limits, readiness and the log",
    `${elapsed}: changes no time that passes inside the process`,
    `${elapsed}: keeps no result for longer, and asks not sooner; what is asked knows the date`,
    `${elapsed}: silences no line of the log, and repeats none`,
    "test/platform/access/ApiKeys.test.ts: a revoked key ends within seconds on other nodes, also if the machine's clock steps back meanwhile",
    "test/domain/oauth/Grants.test.ts: that another node has ended is over within seconds, also if the machine's clock steps back meanwhile",
    "test/platform/access/RateLimits.test.ts: in memory, a sender has its calls again within a minute, also if the machine's clock steps back",
    "test/platform/access/RateLimits.test.ts: a sender has its calls again within a minute, also if the machine's clock steps back",
    "test/platform/database/Readiness.test.ts: is asked again after seconds, also if the machine's clock steps back"
  ),
  checked(
    "H8. a provider that is well again is noticed within two seconds, by one call at a time",
    `${failing}: tries a provider again every two seconds, however long it failed, and goes on at once when it is well`,
    `${failing}: tries a provider that failed with one call at a time, which no other waits for longer than a person does`,
    `${failing}: waits no longer for a provider that failed if the machine's clock steps back`
  ),
  checked(
    "H9. a full disk, or whatever else the service stands on, is told once a minute and reason, with how many calls failed",
    `${repeats}: is told whole once, and then once a minute with how many there were, while other lines go on`,
    `${repeats}: is told by its reason, and by what it is about`,
    `${repeats}: hides no fault of the service itself, and nothing that is only told`,
    `${repeats}: is remembered for a bounded number of subjects`
  )
]
