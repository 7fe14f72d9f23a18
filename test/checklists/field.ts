/** What people met elsewhere, and what holds it here. `Checklists.test.ts` checks that each named test is there. */
import { type Case, checked } from "./Case.ts"

const busy = "test/domain/calendars/BusyTimes.test.ts"
const rules = "test/domain/calendars/Recurrence.test.ts"
const written = "test/surfaces/mcp/arguments/Arguments.test.ts"
const closed = "test/domain/payment/ClosedAccounts.test.ts"
const corrected = "test/domain/payment/changes/CorrectedContacts.test.ts"
const wall = "test/domain/booking/WallClock.test.ts"
const zones = "test/platform/time/ZoneSources.test.ts"
const tables = "test/domain/import/CsvCatalogue.test.ts"
const currencies = "test/domain/import/CurrenciesByDate.test.ts"
const signIn = "test/surfaces/web/desk/SignIn.test.ts"
const delivery = "test/surfaces/letters/Delivery.test.ts"
const plugin = "test/surfaces/mcp/tools/ReviewDocuments.test.ts"

export const field: ReadonlyArray<Case> = [
  checked(
    "A1. an end of a series with hyphens is its end; one that can't be read is named, and the series goes on",
    `${busy}: A1, A3: goes on without an end that can't be read, and that is named with its line`,
    `${rules}: are read of %s, which has one meaning`
  ),
  checked(
    "A2. eight digits are a day, whatever is said of their kind; blanks, missing seconds and an empty end are read",
    `${busy}: A2, X4: is read of times with more marks than the standard has, or fewer, that have one meaning`
  ),
  checked(
    "A3. a rule that ends in a semicolon is that rule",
    `${busy}: A1, A3: goes on without an end that can't be read, and that is named with its line`,
    `${rules}: are read of %s, which has one meaning`
  ),
  checked(
    "A4. Microsoft's names of UTC and of a zone of its own are those, also of days that are left out",
    `${busy}: A4, A6: is told by the names of Windows, and by the offsets that Windows shows before them`
  ),
  checked(
    "A5. a zone's name is the same with quotes and without",
    `${busy}: A5, X1: is told by the zone rules of the file for a name without a region, and by the runtime's for one with it`
  ),
  checked(
    "A6. Windows' names of zones are known by CLDR, and an offset before a name in any language",
    `${busy}: A4, A6: is told by the names of Windows, and by the offsets that Windows shows before them`
  ),
  checked(
    "A7. a calendar's own zone is that of its times without one, and an offset in a value counts",
    `${busy}: A7: is told by the calendar's own zone (X-WR-TIMEZONE) for times without one, and never for whole days`,
    `${busy}: A2, X4: is read of times with more marks than the standard has, or fewer, that have one meaning`
  ),
  checked(
    "A8. what Outlook shows as free closes nothing",
    `${busy}: A8: is not when Outlook shows it as free, unless the standard's own line says that it is busy`
  ),
  checked(
    "A9. what the venue told us to ignore by its title closes nothing, and is no finding",
    "test/domain/calendars/CalendarWorker.test.ts: are not busy with entries whose titles the venue ignores, in any case and however they are escaped"
  ),
  checked(
    "A. what is not understood is named with its line, and closes all that it might mean",
    `${busy}: is never shorter than what can't be read of an event might mean`,
    `${busy}: is known of an event that is not understood whole as far as it goes, and the event is named`,
    `${rules}: are all that %s may mean, which is named`
  ),
  checked(
    "B1. null as text is absent where no free text is meant",
    `${written}: B1: that are the text null count as absent where no free text is meant, and nowhere else`
  ),
  checked(
    "B2. an object or a list as JSON text is read, and one item is a list of one",
    `${written}: B2: that are objects and lists as JSON text are read, and one item is a list of one`
  ),
  checked(
    "B3. an optional member that is null is absent",
    "test/surfaces/mcp/transport/Protocol.test.ts: B3: an optional member that is null is absent, at every level of a message"
  ),
  checked(
    "B4. a registration is taken with what we have",
    "test/domain/oauth/Registration.test.ts: B4: is taken with what this server has, whatever it left empty or wished beside"
  ),
  checked(
    "B5. programs on the desktop are answered, or told which setting lets them in",
    "test/surfaces/mcp/transport/Guards.test.ts: B5: a public https service answers programs on the desktop, and a refusal names its setting"
  ),
  checked(
    "B6. people sign in under each host name",
    "test/surfaces/mcp/transport/ConnectAccess.test.ts: B6: names the resource by the host that was asked, and takes tokens for it"
  ),
  checked(
    "B7. directories get what they refuse a listing without",
    `${plugin}: have a title and all four hints on every tool: a tool that writes and does not say what it destroys is rejected`,
    `${plugin}: keeps the lengths of names, descriptions and addresses`,
    `${plugin}: has at most three starter prompts, of one short line each, all different`,
    `${plugin}: has exactly five positive cases, those of the guide, and exactly three negative ones`,
    `${plugin}: has all that a submission is refused without: icons, four addresses, a video, release notes`
  ),
  checked(
    "C1. what a mail server says of the sender holds all letters, is one finding, and they go out later",
    "test/surfaces/letters/SmtpTransport.test.ts: C1, X14: that a server refuses for good are told from those that it takes later",
    `${delivery}: C1: that are refused alike for three addresses in a row wait for whoever sends, those before too, and go out later`,
    "test/surfaces/letters/RealServers.test.ts: wait while it does not relay, are one finding, and go out once it does"
  ),
  checked(
    "C2. characters that nobody sees are in no address, and alone no name",
    "test/platform/text/Contact.test.ts: C2: has a letter that is seen",
    "test/platform/text/Contact.test.ts: C2: loses what nobody sees, and is written in plain letters if it was typed wide"
  ),
  checked(
    "C3. telephone numbers are kept as people write them, and what nobody could call is refused",
    "test/platform/text/Contact.test.ts: C3: is kept as people write it",
    "test/platform/text/Contact.test.ts: that nobody could call is refused"
  ),
  checked(
    "C4. the entry of a cancelled visit takes it out of calendars",
    `${delivery}: C4: enter the visit in calendars by their entry, and take it away once it is cancelled (RFC 5546)`
  ),
  checked(
    "C5. staff and the family correct name and address; letters go anew, the history says who, the old finds nothing",
    "test/surfaces/web/desk/Actions.test.ts: C5: corrects name and e-mail address by any role; the history says from what to what",
    "test/surfaces/web/family/PartyPages.test.ts: C5: corrects name and e-mail address, by the same rule as everywhere, and goes on under a new link",
    `${corrected}: C5: letters go to the new address, and the former one is told once, without who has it now`,
    `${corrected}: C5: the former address finds nothing more, by reference or by a link, and the new one does`,
    `${corrected}: C5: the history says who changed what from what to what, and is erased with the person`
  ),
  checked(
    "D1. an account that takes no payments is off sale and told at once, and comes back by itself",
    `${closed}: takes its operator off sale as soon as a page is refused, and back by the next check that finds it open`,
    `${closed}: is known by the provider's event, which says no more than that: it closes and opens`,
    `${closed}: that was disconnected is so by its event, a thin one too, until it is connected again`
  ),
  checked(
    "D2. a visit stays at its hour when a law changes the clock, what can't stay is named, and zone data that disagree are told",
    `${wall}: a visit at 14:00 stays at 14:00, with its places, deadlines, reminders and calendars`,
    `${wall}: what was sold by the new clock keeps its places, and what has none where the wall puts it is named`,
    `${wall}: a visit that its hour puts into closed time is named with the reason, and the closure keeps the rest`,
    `${wall}: a family is reminded once, of the hour that was agreed`,
    "test/journeys/ChangedClock.test.ts: a visit booked for 14:00 is at 14:00 when a law has changed the clock, and all nodes know of it",
    "test/domain/catalogue/TimeZones.test.ts: D2: whose clock is another in the database is named, with both clocks and the release that runs",
    `${zones}: a server's that differ from those in use are a finding: of just the zones in use that differ within two years`
  ),
  checked(
    "D3. a price goes by each child's age, in tools, words and an oracle",
    "test/domain/catalogue/ChildPrices.test.ts: is that of an oracle that takes one child after the other, for any rules, ages and dates",
    "test/surfaces/mcp/tools/AgePrices.test.ts: is booked as it was told, with the same ages in any order",
    "test/domain/search/AgePrices.test.ts: tells what the party pays at its ages, and the highest price without them"
  ),
  checked(
    "D4. packages and add-ons have rates of their own, and receipts and months both, to the cent",
    "test/domain/payment/Taxes.test.ts: D4: of a birthday at 21 % and food at 10 % is kept by rates with all that comes and goes, to the cent",
    "test/domain/payment/TaxBooks.test.ts: D4: are those of their prices, to the cent, with deposits, changes and refunds, in every currency",
    `${tables}: D4: has rates of tax of playrooms, packages and add-ons, and the days from which others hold`
  ),
  checked(
    "D5. deposits that never come back, and parties that only grow, are terms that can be written",
    "test/domain/payment/changes/PartyChanges.test.ts: D5: grows by the family, and becomes smaller by the operator alone, with a reason, if its terms say so",
    "test/domain/payment/changes/PartyChanges.test.ts: D5: the deposit is never given back, and all is due from seven days before, if its terms say so",
    "test/surfaces/web/family/PartyPages.test.ts: D5: says where the party may only grow, before and after, in every language, and takes no fewer"
  ),
  checked(
    "D6. a currency is good while it is tender, by data that others keep",
    `${currencies}: is refused once it is no longer tender, with since when and what to write instead`,
    `${currencies}: may be Caribbean guilders, which can be charged and shown`,
    "test/platform/money/EndedCurrencies.test.ts: are as CLDR has them (UPDATE_DOCS=1 writes them)"
  ),
  checked(
    "E1. files from spreadsheets are read as they are, or one cell is told",
    `${tables}: V6, E1: finds the header below titles and empty rows, at the separator that a file names`,
    `${tables}: E1: tells each fault by file, line and column`,
    "test/domain/import/CellText.test.ts: are weekdays of six languages, but none that two languages read differently",
    "test/domain/import/CellText.test.ts: are times and truths"
  ),
  checked(
    "E2. each failure of a passkey says which it is, and who lost a device is in again within minutes",
    `${signIn}: says why it refuses a passkey: another address, too late, no PIN, copied, none; and to who proves nothing only that`,
    `${signIn}: says why a new passkey was refused, and keeps the invitation open; it names the passkeys so far`,
    "test/surfaces/web/desk/People.test.ts: are in again within minutes after a loss: the old passkey and sessions end at once, the name stays"
  ),
  checked(
    "E3. each time to move to says day, time and price by itself",
    "test/surfaces/web/family/MovePages.test.ts: E3: offers times that each say day, time and price by themselves"
  )
]
