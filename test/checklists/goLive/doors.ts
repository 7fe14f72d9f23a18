/**
 * Doors stay as narrow as they look: case by case (C), and the tests that hold it. `Checklists.test.ts` checks that
 * each named test is there.
 */
import { type Case, checked } from "../Case.ts"

export const doors: ReadonlyArray<Case> = [
  checked(
    "C1. an admin key that is bound to an operator sees and pays that operator's bookings only",
    "test/domain/booking/Bookings.test.ts: shows an admin key that is bound to an operator that operator's bookings, and nobody else's"
  ),
  checked(
    "C2. beyond this machine the sandbox is asked for by name and given secrets; without, they are random",
    "test/platform/config/AppConfig.test.ts: give the sandbox beyond this machine only when it is asked for by name and given secrets",
    "test/platform/config/AppConfig.test.ts: refuse secrets that were published, wherever the service runs",
    "test/domain/payment/provider/WebhookSecrets.test.ts: are random where none are given, and the same for every node and command on one database"
  ),
  checked(
    "C3. the data directory and all in it are closed to other users, whatever their modes were before",
    "test/platform/database/DataDirectory.test.ts: is closed to other users, whatever its modes were before, and so is all that the database writes in it",
    "test/platform/database/DataDirectory.test.ts: is made with the database in it, for its owner only",
    "test/platform/database/DataDirectory.test.ts: can't be a folder that all users share, whose mode is left alone"
  ),
  checked(
    "C4. installed by root it runs as another user, also from a checkout that nobody may write",
    "test/platform/database/DataDirectory.test.ts: makes its database where the installation's new cluster can't be read, and where it can",
    "test/platform/database/DataDirectory.test.ts: says which folder it can't use and what to do, and calls it no bug"
  ),
  checked(
    "C5. production refuses what is not meant for it, and so is every name that only looks like it",
    "test/platform/config/AppConfig.test.ts: know three environments, and refuse any other name",
    "test/platform/config/AppConfig.test.ts: need BASE_URL in production",
    "test/platform/config/AppConfig.test.ts: refuse an API_KEY that can be guessed in production and wherever others can reach the service",
    "test/platform/config/AppConfig.test.ts: name all that production lacks in one message",
    "test/platform/access/ApiKeys.test.ts: a development key is neither made nor shown in production, nor does one from before open anything"
  ),
  checked(
    "C6. live payments need https, and payers go nowhere but where the allow-list says, for every reader of an address",
    "test/platform/config/AppConfig.test.ts: refuse a live key without https, in BASE_URL and wherever payers may be sent back to",
    "test/platform/config/AppConfig.test.ts: send payers back to this machine only where the service is tried out on it",
    "test/domain/payment/checkout/ReturnUrls.test.ts: that programs read differently, or that lead elsewhere, are refused",
    "test/domain/payment/checkout/ReturnUrls.test.ts: that are taken have the same origin for a browser and for a plain reader, whatever is put into them"
  ),
  checked(
    "C7. a valid key draws on its own bucket alone; wrong keys stay limited by address",
    "test/platform/access/KeyedCallers.test.ts: a valid key has all its calls from one address, also where a neighbour there has used up the address's",
    "test/platform/access/KeyedCallers.test.ts: missing and wrong keys draw on the address, and a valid one there is not in their way",
    "test/platform/access/KeyedCallers.test.ts: keys that are unknown are looked up as often as an address has calls, however many come at once",
    "test/platform/access/KeyedCallers.test.ts: stands before keys that this node does not know, and never before one that was valid here"
  ),
  checked(
    "C8. one sender is one address, however a proxy spells it",
    "test/platform/access/ClientAddress.test.ts: are one address however a proxy or a socket spells them",
    "test/platform/access/ClientAddress.test.ts: that are none are not believed: the proxy is the sender then",
    "test/platform/access/ClientAddress.test.ts: are looked for past sixteen proxies at most, however long the header is"
  ),
  checked(
    "C9. what operators write stands in data fields, never in a sentence of ours",
    "test/surfaces/mcp/tools/HostileTexts.test.ts: never stands in what is said of add-ons, nor of packages and playrooms that are not there",
    "test/surfaces/mcp/tools/HostileTexts.test.ts: never stands in what comes after a booking, held, free, over or refused",
    "test/surfaces/mcp/tools/Loops.test.ts: comes from ${code} (${what}) to a booking or an honest end in six calls: ${caller}"
  ),
  checked(
    "C10. Accept is read with its weights, and an address has one spelling",
    "test/surfaces/mcp/transport/Accept.test.ts: an answer is an event stream only for a client that accepts these and no JSON, whatever the spelling",
    "test/surfaces/mcp/transport/Accept.test.ts: no header is taken longer to read than it is long",
    "test/surfaces/http/Surface.test.ts: knows each address in one spelling only"
  )
]
