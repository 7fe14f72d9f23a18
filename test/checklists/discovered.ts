/** What real libraries, tools and data do, and what holds it here. `Checklists.test.ts` checks the names. */
import { type Case, checked } from "./Case.ts"

const busy = "test/domain/calendars/BusyTimes.test.ts"
const rules = "test/domain/calendars/Recurrence.test.ts"
const zones = "test/platform/time/TimeZone.test.ts"
const stored = "test/domain/catalogue/TimeZones.test.ts"
const sources = "test/platform/time/ZoneSources.test.ts"
const files = "test/platform/time/ZoneInfo.test.ts"
const wall = "test/domain/booking/WallClock.test.ts"
const answers = "test/domain/payment/provider/StripeAnswers.test.ts"
const unreadable = "test/domain/payment/provider/UnreadableAnswers.test.ts"
const failures = "test/domain/payment/provider/StripeGatewayFailures.test.ts"
const sheet = "test/platform/files/Spreadsheet.test.ts"
const hosts = "test/domain/oauth/HostHabits.test.ts"
const start = "test/platform/database/Pooler.test.ts"
const settings = "test/platform/config/AppConfig.test.ts"
const read = "test/surfaces/mcp/transport/HostReadings.test.ts"
const list = "test/surfaces/mcp/tools/ToolList.test.ts"
const written = "test/surfaces/mcp/arguments/Arguments.test.ts"

export const discovered: ReadonlyArray<Case> = [
  checked(
    "X1. a zone that the file describes is the file's, unless its name has a region",
    `${busy}: A5, X1: is told by the zone rules of the file for a name without a region, and by the runtime's for one with it`
  ),
  checked(
    "X2. an abbreviation that the file does not describe is unknown and named, or the playroom's where that is its clock",
    `${busy}: is told by the playroom's clock, in summer and in winter, where nobody knows the zone; and that is said`,
    `${busy}: X2: is told by GMT, EST, MST and HST where the playroom's clock is that then; else by both, and that is said`
  ),
  checked(
    "X3, X16. a playroom's zone is a name of IANA's, with those of the country offered, and a stored one is named",
    `${zones}: a zone is named by the tz database's names of places, old ones, too, and by no abbreviation`,
    `${zones}: what is no zone is answered with those of the country, or with the spelling`,
    "test/domain/import/CatalogueChecks.test.ts: with the time zone ${time_zone}, which is an abbreviation",
    `${stored}: X16: that is an abbreviation is named by the doctor, with whose clock it is and the country's zones`
  ),
  checked(
    "X4. fractions of seconds and an offset in a value lose nothing",
    `${busy}: A2, X4: is read of times with more marks than the standard has, or fewer, that have one meaning`
  ),
  checked(
    "X5. a whole day that is left out is free, however its date is written, and rules may be in small letters",
    `${busy}: X5: has no whole day that is excluded or cancelled, however its date is written`,
    `${rules}: are read of %s, which has one meaning`
  ),
  checked(
    "X6. feeds are read as their makers mean them",
    "test/domain/calendars/OtherMakers.test.ts: a week of closures by ${maker} is closed at just the times that ical.js reads",
    `${busy}: has the last day of a series of whole days, wherever the playroom is`,
    `${busy}: is read in zones that are named by their offset`
  ),
  checked(
    "X7. no answer of the provider ends the process, and whatever else does says what happened",
    `${answers}: \${call} (\${at.source}) ends in the error that says so, whatever kind of answer comes`,
    "test/ops/process/Uncaught.test.ts: and is ${how} ends a service, which says so, finishes what runs, and exits with an error",
    "test/ops/process/Uncaught.test.ts: ends a command with one line and an error"
  ),
  checked(
    "X8. a failure without an error in it is an outage, and no object that was asked for",
    `${unreadable}: to the question whose a thin dispute is leaves the event to be applied, which it is`,
    `${unreadable}: to the writes of provider setup is no step that is done`,
    `${answers}: is only what is no object, or an error that does not say what it is: whatever JSON it may be`
  ),
  checked(
    "X9. a list that has more, and no items, is no whole list",
    `${answers}: X9: is a list that has more, and nothing after which it begins`
  ),
  checked(
    "X10. currencies are those of ISO 4217, and ended ones end",
    "test/domain/import/CurrenciesByDate.test.ts: X10: may be any code that ISO 4217 has, which the runtime need not list",
    "test/domain/import/CurrenciesByDate.test.ts: is refused once it is no longer tender, with since when and what to write instead"
  ),
  checked(
    "X11. our own deadlines hold whatever the provider's client waits for, and no line of its own stands in a command's",
    `${failures}: \${name}, which a person waits for, gives a silent provider eight seconds in all`,
    `${failures}: \${name} turns a 502 page, a cut connection and a silent provider into "unavailable"`,
    "test/ops/process/StandardOutput.test.ts: X11: has no line of the provider's client for a coding assistant, which no request names either"
  ),
  checked(
    "X12. a month is a workbook whose amounts are numbers in every locale, and no reference or telephone becomes one",
    `${sheet}: S3: has texts as they are, and none of them is a formula or a number`,
    `${sheet}: S3: has amounts as numbers with their currency's decimals, and dates and times as such`,
    "test/platform/ids/Ids.test.ts: X12: a new reference is no number with an exponent to a spreadsheet"
  ),
  checked(
    "X13. times are written in one way, and amounts are read as our pages print them",
    "test/words/Localized.test.ts: X13: say the times of a visit once, with the word of the clock, and as a time by itself is said",
    "test/platform/money/Money.test.ts: X13: an amount is read as our own pages print it, in each language"
  ),
  checked(
    "X14. a server that does not relay keeps letters for later",
    "test/surfaces/letters/SmtpTransport.test.ts: C1, X14: that a server refuses for good are told from those that it takes later",
    "test/surfaces/letters/RealServers.test.ts: are delivered, and refused as its table says"
  ),
  checked(
    "X15. a token names all that was granted, an empty secret is none, and a revocation is answered in JSON",
    `${hosts}: X15: that has no secret may say so by an empty one, and hears of a revocation in JSON`,
    `${hosts}: that asks for offline_access keeps it, and may repeat the scopes that it asked for when it refreshes`
  ),
  checked(
    "X17. a database that folds letters otherwise is refused with what to do, and every fold names its collation",
    `${start}: X17: is refused at start, by commands, too, with what to do, or folds every text alike`,
    "test/Architecture.test.ts: X17, X18: fold texts in SQL by a collation that they name, and leave days and time zones to TypeScript"
  ),
  checked(
    "X18. older names of places are good, and no day is reckoned in SQL",
    `${stored}: X18: that is an older name of a place stays good`,
    "test/Architecture.test.ts: X17, X18: fold texts in SQL by a collation that they name, and leave days and time zones to TypeScript"
  ),
  checked(
    "X19. newer rules of zones are used where the system has them, and which run is told",
    `${files}: say the same as the runtime's, by the rules that files end with`,
    `${files}: are used where they are newer: for instants, words and calendars; what they lack goes by the runtime's`,
    `${sources}: Node's are those by which clocks go, in all zones, at all changes`,
    `${sources}: a system's are, too, as its own zdump reads them`,
    `${sources}: the embedded database's differ from other releases in known zones`,
    `${wall}: a visit at 14:00 stays at 14:00, with its places, deadlines, reminders and calendars`
  ),
  checked(
    "X20. a database's address is kept as it is written, or refused at start",
    `${settings}: X20: take a database's address as hosts hand it out, and give the driver what it asks for`,
    `${settings}: X20: refuse what an address asks for in vain, and show nothing of its password`,
    `${start}: is reached by its authority, through its socket too, and by no address that only looks encrypted`
  ),
  checked(
    "X21. a host that checks a refusal's text by the schema gives it to its model",
    `${list}: take the text of an error for an answer, since Gemini CLI 0.61.0 has it checked; but not for what is promised`,
    `${read}: each host on \${client} gives its model code, fix and details of every failure, of every tool`
  ),
  checked(
    "X22. what a host adds to every tool is dropped",
    `${written}: that a host adds to every tool are dropped, and no others, nor where they are no host's`
  ),
  checked(
    "X23. every client tells at once of a refused request",
    `${read}: every host tells at once of a refused request, with what to do`,
    `${read}: \${client} tells at once that there were too many requests, and how long to wait`
  ),
  checked(
    "X24. an empty list is absent, and bounds are told in words",
    `${written}: X24, X26: that are empty lists count as absent, and codes may be in lower case`,
    `${list}: X24: say in words how old, how long and how many, where a host drops the keywords`
  ),
  checked(
    "X25. every property is described by itself",
    `${list}: describe every property, whose names are of small letters and underscores`
  ),
  checked(
    "X26. codes of countries and currencies may be in small letters",
    `${written}: X24, X26: that are empty lists count as absent, and codes may be in lower case`
  ),
  checked(
    "X27. answers are short, and the list of tools fits its budget",
    "test/assistants/AnswerLengths.test.ts: are pages of at most 4,000 characters, or 12,000 if the caller names a limit, and all of them hold the same",
    `${list}: fit the budget: 9,000 characters to be read by a model, 34 KB in all`
  ),
  checked(
    "X28. a session that the server ends between two statements is a failure that passes",
    "test/platform/database/Transactions.test.ts: fail as a lost connection does, and are no defect, where the server ends their session for ${why}"
  ),
  checked(
    "X29. a text may begin with a dash, and a switch takes no word",
    "test/surfaces/cli/BookingChange.test.ts: X29: takes a note that begins with a dash",
    "test/surfaces/cli/Commands.test.ts: X29: has switches that take no word that follows them"
  ),
  checked(
    "X30. a link with what stood behind it opens",
    "test/surfaces/web/family/FamilyPage.test.ts: X30: opens by a link with what a sentence put behind it",
    "test/surfaces/web/Addresses.test.ts: X30: with a slash at the end lead to the one without, if there is one"
  )
]
