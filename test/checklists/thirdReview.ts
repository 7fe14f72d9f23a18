/**
 * What a third review tried and what did not hold, case by case, and the tests that hold it now: books that never
 * change behind an accountant, one rule for every door, a venue after its first day, assistants in a hurry.
 * `Checklists.test.ts` checks that each test is there.
 */
import { type Case, checked } from "./Case.ts"

const answers = "test/domain/payment/provider/StripeAnswers.test.ts"
const unreadable = "test/domain/payment/provider/UnreadableAnswers.test.ts"
const gateway = "test/domain/payment/provider/StripeGateway.test.ts"
const refusals = "test/domain/payment/Refusals.test.ts"
const clock = "test/domain/payment/provider/ProviderClock.test.ts"
const inbox = "test/domain/payment/events/WebhookInbox.test.ts"
const misfits = "test/domain/payment/settlement/Misfits.test.ts"
const settlement = "test/domain/payment/settlement/Settlement.test.ts"
const decide = "test/surfaces/cli/PaymentDecide.test.ts"
const subscriptions = "test/domain/payment/workers/Subscriptions.test.ts"
const visits = "test/domain/payment/changes/VisitChanges.test.ts"
const cancellations = "test/domain/payment/changes/Cancellations.test.ts"
const invitation = "test/surfaces/web/family/Invitation.test.ts"
const comparison = "test/domain/payment/recovery/AccountComparison.test.ts"
const waysBack = "test/surfaces/web/family/WaysBack.test.ts"
const taxes = "test/domain/payment/Taxes.test.ts"
const acts = "test/surfaces/web/desk/Actions.test.ts"
const change = "test/surfaces/cli/BookingChange.test.ts"

/** Money. */
export const books: ReadonlyArray<Case> = [
  checked(
    "M1. a fault of ours is told as ours, to callers and to who runs the service",
    `${refusals}: is told by whose fault it is: only what is the operator's is told as the operator's`,
    `${refusals}: for an address of the caller's is an argument to change; for our own, a fault of ours`,
    `${refusals}: is read from the parameter that it names, else from its code`
  ),
  checked(
    "M1. a wrong clock costs nobody a page or a payment, and is a finding; so are deliveries that are refused",
    `${refusals}: for its end is counted from the provider's own clock, as soon as an answer has told that`,
    `${settlement}: a payment and its refund are of the provider's time, in its month, on a machine whose clock is twenty minutes behind`,
    `${clock}: is told by the doctor and counted where it is off, in either direction, until it is right again`,
    `${clock}: is off by a signature from its future, and by none that was long under way`,
    `${inbox}: are told after five in a row, with the receiver, since when and why, until one is taken`,
    `${inbox}: without a valid signature may be anybody's: they are told so, and are stored seldom`
  ),
  checked(
    "M2. money that is not what was asked for has a standing, and a person decides",
    `${misfits}: is told as it is (M2): nobody is asked to pay again, the places are kept, and a person is told`,
    `${misfits}: for the balance of a visit that is over, or whose places were released, is told as it is, and asked for no more`,
    `${misfits}: is decided once, by whoever comes first, beside its own event and a cancellation`,
    `${misfits}: taken, counts with what was paid: a penny too little is waived, and said`,
    `${misfits}: taken, leaves what is missing to be paid as usual, and gives back what is too much`,
    `${misfits}: taken with a penny waived, is of the rates of tax of what the booking costs then`,
    `${misfits}: sent back, goes back once, and the booking asks for its money again, or ends as usual`,
    `${misfits}: can be decided about, however little it is: less than the platform's fee, too`,
    `${misfits}: is told to the family by a letter: what goes back, why, and what it is asked for now`,
    `${misfits}: in another currency is told in that, and is no part of the booking's sums`,
    `${decide}: is led to by the doctor, decides once, and says who did`,
    `${decide}: leaves books in which the audit finds no fault: waiting, taken or sent back, too little or too much`
  ),
  checked(
    "M3. a list that the provider cuts is read to its end, or said to be cut",
    `${gateway}: reads all lines of an invoice, since it comes with ten of them, alone or in the list of a customer`,
    `${gateway}: reads webhook endpoints of all pages, of both kinds`,
    `${gateway}: reads no list that leads back to what was read, and none without an end`,
    `${subscriptions}: is extended by lines that an event left out, which are asked for, and by no downgrade or one-off item`
  ),
  checked(
    "M4. a subscription is paid through what its own lines pay",
    `${gateway}: reads of an invoice when the periods end that its lines of a subscription pay, and no others`,
    `${subscriptions}: is not extended beyond reason by an event, which a person is told of`
  ),
  checked(
    "M5. goodwill stands outside the price, in every direction, and that is said",
    `${visits}: leaves goodwill outside the price (M5): a cheaper visit gives its difference back, in either order`,
    `${visits}: leaves goodwill outside the price of a smaller party (M5), and says what went back before`,
    `${cancellations}: stands outside the terms (M5): a cancellation at `,
    `${cancellations}: that failed to go back stays owed, beside what is given or cancelled later`,
    `${change}: changes the party at its own start, exactly as the preview said`
  ),
  checked(
    "M5. a booking's ledger has what came and went, by which decision, and what is kept: on the receipt and at the desk",
    `${invitation}: has the decision behind each refund, and what is kept in all (M5)`,
    `${invitation}: has the seller, the lines, the tax, each payment and refund with its day, and what is left`,
    `${acts}: lets a manager alone give an amount back or refund otherwise than by the terms`
  ),
  checked(
    "M6. events are heard, and books compared, by the account that the payment was made on",
    "test/domain/payment/events/ThinEvents.test.ts: of a refund or a dispute is heard of an account that its operator has left, and of none that nobody had",
    `${comparison}: gives a payment on an account that its operator has left since to its booking (M6)`,
    `${comparison}: reconcile asks the account that a payment was made on, though its operator has left it (M6)`,
    "test/ops/audit/ProviderBooks.test.ts: are those of the account that a payment was made on, though its operator has left it (M6)"
  ),
  checked(
    "M7. a page that is not what was asked for is handed to nobody, and an error with 200 is the provider's",
    `${answers}: and what differs is told`,
    `${answers}: is what has an error and another status than one`,
    `${unreadable}: that is a page of another payment, for other money, is handed to nobody: the next call has another made`
  ),
  checked(
    "M7. money that a closed account keeps back is not said to be on its way",
    `${waysBack}: is not said to be on its way while the venue's account is closed (M7), and goes back once it is open`,
    `${waysBack}: is told so before it is decided, once the account is known to be closed (M7)`
  ),
  checked(
    "M8. a payment keeps its rates of tax; rates hold from a date on; a correction is a line of its own day",
    `${taxes}: M8: €50 that were paid at 21 % stay so in their month, whatever rate is imported and the party becomes`,
    `${taxes}: D4: of visits from a day on is that day's, and a move over it is corrected on the day of the move`,
    `${taxes}: D4: of a birthday at 21 % and food at 10 % is kept by rates with all that comes and goes, to the cent`,
    `${taxes}: is rounded, and shared out by rates, by the database as by the service, in every currency`,
    "test/domain/payment/TaxBooks.test.ts: D4: are those of their prices, to the cent, with deposits, changes and refunds, in every currency",
    "test/domain/catalogue/Pricing.test.ts: is another for visits from the midnight of a day on, whenever they are booked",
    "test/surfaces/web/family/BookingPage.test.ts: D4: says the tax of each line and sums by rate where there are several"
  )
]

const bundle = "test/ops/process/Bundle.test.ts"
const doorsOf = "test/ops/process/Doors.test.ts"
const turns = "test/domain/calendars/CalendarTurns.test.ts"
const sheet = "test/platform/files/Spreadsheet.test.ts"
const contact = "test/platform/text/Contact.test.ts"
const odd = "test/surfaces/web/desk/OddRequests.test.ts"
const find = "test/surfaces/web/family/FindBooking.test.ts"
const sessions = "test/platform/database/BackendSessions.test.ts"

/** Doors. */
export const doors: ReadonlyArray<Case> = [
  checked(
    "S1. nothing that others can write is run or believed, and the doctor says which doors are open to whom",
    `${bundle}: what Node compiled is kept beside the bundle, in a folder of this user alone, and not among temporary files`,
    "test/ops/process/Bundle.test.ts: a cache ${which} is not used",
    "test/platform/database/DataDirectory.test.ts: has its socket in a folder of this user alone where its own path is too long",
    "test/platform/database/DataDirectory.test.ts: is closed to other users, whatever its modes were before, and so is all that the database writes in it",
    `${doorsOf}: are this machine's alone by default: the service, its sandbox, and the database's socket for this user`,
    `${doorsOf}: are what others reach, with the metrics apart, and no sandbox and no socket where there are none`,
    `${doorsOf}: is changed by nobody else, though all may write to /tmp; and by all who may write to it, or above it`,
    `${doorsOf}: is each program, what it keeps, its data and the file of each secret`,
    "test/surfaces/cli/Doctor.test.ts: S1: says which doors are open to whom, and counts paths that others can change"
  ),
  checked(
    "S2. nothing that an outside calendar says stops others: bounds by line, by event, and in each turn",
    "test/domain/calendars/BusyTimes.test.ts: S2: is bounded by line, by event and in all: lines about time, parts, and what lists have",
    `${turns}: keeps nobody waiting: others have their turn after little work`,
    `${turns}: keep nobody waiting`,
    "test/domain/calendars/CalendarWorker.test.ts: are stored some times in each transaction, however many there are, and all of them in the end",
    "test/platform/concurrency/LoopSlice.test.ts: is one at a time, and rests after each slice"
  ),
  checked(
    "S3. exports are XLSX with typed cells, or CSV that no spreadsheet executes, whatever it splits at",
    `${sheet}: S3: comes back as it was, but for an apostrophe before a formula, at whatever a spreadsheet splits`,
    `${sheet}: S3: has texts as they are, and none of them is a formula or a number`,
    `${sheet}: S3: has amounts as numbers with their currency's decimals, and dates and times as such`,
    "test/surfaces/cli/BookingList.test.ts: S3: is written as XLSX: amounts are numbers, times are times, and a formula stays text",
    "test/surfaces/cli/BookingList.test.ts: is told as CSV with decimal amounts and local times, and with no formula in it",
    "test/surfaces/web/desk/Month.test.ts: are the sums and the lines of the command, of this operator alone"
  ),
  checked(
    "S4. an app is sent back to https, to its own machine or to its own scheme, and the page names which",
    "test/domain/oauth/Registration.test.ts: S4: may be sent back over https, to its own machine, or to its app; nowhere else",
    "test/surfaces/web/connect/Consent.test.ts: takes no app for a host, whatever its scheme looks like"
  ),
  checked(
    "S5. a client's keys are fetched within the same limit as its document",
    "test/domain/oauth/ClientDocuments.test.ts: S5: has one share for the documents of clients and for the keys that they name"
  ),
  checked(
    "S6. one contact: a name is one line that is seen, an address takes a letter, a telephone can be called",
    `${contact}: S6: is one line, without what nobody sees`,
    `${contact}: C2: has a letter that is seen`,
    `${contact}: C2: loses what nobody sees, and is written in plain letters if it was typed wide`,
    `${contact}: C3: is kept as people write it`,
    `${contact}: that nobody could call is refused`,
    `${contact}: of staff keeps the same rule`,
    `${contact}: is read from any text, and once read is read the same again`
  ),
  checked(
    "S6. by the same rule for tools, desk, pages, commands and letters",
    "test/surfaces/mcp/arguments/Arguments.test.ts: of create_booking say what a contact is",
    `${acts}: C5: corrects name and e-mail address by any role; the history says from what to what`,
    "test/surfaces/web/family/PartyPages.test.ts: C5: corrects name and e-mail address, by the same rule as everywhere, and goes on under a new link",
    "test/surfaces/cli/BookingMake.test.ts: says what is wrong or taken, books nothing and exits non-zero",
    "test/surfaces/letters/SmtpTransport.test.ts: can add no header and no recipient, whatever stands in names and addresses"
  ),
  checked(
    "S7. odd characters in an address are no fault of ours",
    `${odd}: S7: answers any address, whatever characters its parameters have`
  ),
  checked(
    "S8. a form has the time of any request, is answered 408 and 413 as messages are, and logs no error",
    `${odd}: S8: waits for a form that is slow, as long as for any request`,
    `${find}: S8: answers a form that does not come in time with 408, as /mcp does, and logs no error`,
    `${find}: takes no form of another site, and none that is too long`
  ),
  checked(
    "S9. small doors: large ids, a /48, whole days, other hosts' names, all proxies, calendars of this machine",
    "test/surfaces/mcp/transport/JsonRpc.test.ts: S9: an id that no number here can hold is refused, and never repeated as another",
    "test/platform/access/RateLimits.test.ts: S9: a /48 of IPv6 has three shares, however many /64s it is",
    "test/surfaces/web/desk/Closing.test.ts: S9: nearly all of a day's opening hours, at once or in parts, are for managers to close",
    "test/surfaces/http/Management.test.ts: S9: answers nobody who came by another name",
    "test/extras/sandbox/Sandbox.test.ts: S9: answers nobody who came by another name",
    "test/platform/config/AppConfig.test.ts: check addresses",
    "test/platform/access/PublicAddress.test.ts: S9: is no host of a calendar if it is this machine's or a local network's",
    "test/domain/import/CatalogueChecks.test.ts: S9: with another calendar at ${url}"
  ),
  checked(
    "S10. a guest on the database's socket leaves nothing behind",
    `${sessions}: a guest leaves nothing behind for the service: `,
    `${sessions}: a guest waits for what the service asks, but not without end`,
    `${sessions}: a guest's COPY of its own data is refused, however it is sent, and the backend goes on`,
    "test/platform/database/Database.test.ts: a service goes on beside pg_dump and psql"
  )
]

const soldWith = "test/domain/payment/changes/SoldWith.test.ts"
const order = "test/domain/booking/OutOfOrder.test.ts"
const walkIns = "test/surfaces/web/desk/WalkIns.test.ts"
const make = "test/surfaces/cli/BookingMake.test.ts"
const cells = "test/domain/import/CellText.test.ts"
const csv = "test/domain/import/CsvCatalogue.test.ts"
const desk = "test/surfaces/web/desk/NewBooking.test.ts"
const settled = "test/ops/audit/SettledBookings.test.ts"
const second = "test/journeys/SecondMonth.test.ts"
const contacts = "test/domain/payment/changes/CorrectedContacts.test.ts"

/** A venue, after its first day. */
export const secondMonth: ReadonlyArray<Case> = [
  checked(
    "V1. a booking lives by what it was sold with, and what can't be done is not promised",
    `${soldWith}: V1: its headcount changes after its package has left the file`,
    `${soldWith}: V1: an extra that has left the file can be taken off, and nothing of it added`,
    `${soldWith}: V1: a rule that has left, and limits that are smaller, refuse nothing that it has`,
    `${soldWith}: V1: an extra is taken off though the playroom is closed then, or its operator sells nothing`,
    `${soldWith}: V1: it moves at its own terms after its package, its extras or its room have left`,
    `${soldWith}: V1: what can't be done is not promised: in another currency nothing is`,
    `${soldWith}: V1: the import says how many bookings live on with what has left`,
    "test/surfaces/cli/CatalogueImportText.test.ts: V1: says how many bookings have what leaves, and that they keep it",
    `${second}: goes by commands alone, after the package has left, and the doctor finds nothing`
  ),
  checked(
    "V2. a mistyped name or e-mail address is corrected, and the former address finds nothing more",
    `${contacts}: C5: letters go to the new address, and the former one is told once, without who has it now`,
    `${contacts}: C5: a letter that waits goes to the new address, and so does one that no server took at the former`,
    `${contacts}: C5: the former address finds nothing more, by reference or by a link, and the new one does`,
    `${contacts}: C5: the history says who changed what from what to what, and is erased with the person`,
    `${contacts}: C5: is corrected after the visit and after a cancellation, too, but not once it is erased`,
    "test/surfaces/web/family/PartyPages.test.ts: C5: corrects name and e-mail address, by the same rule as everywhere, and goes on under a new link",
    `${acts}: C5: corrects name and e-mail address by any role; the history says from what to what`,
    `${change}: C5: corrects name and e-mail address at no cost, also after the visit, and says both in the history`
  ),
  checked(
    "V2. a corrected contact is one wish, whichever contact a repeated call names",
    `${contacts}: C5: a repeated call gets its booking by the former contact and by the new one, and books no second`,
    `${contacts}: C5: a guest who signed in anew is told that the wish is booked, by the former contact, too`,
    `${contacts}: C5: to the contact of a twin it is corrected all the same: both stay, and no wish is booked twice`
  ),
  checked(
    "V3. stock is out of order from–until, at the desk, by command and in the file, and who has it is named",
    `${order}: is sold in no room from–until, as many as are left, and again once it is in order`,
    `${order}: names who has it before it is said and after, and a spell may have begun already`,
    `${order}: stands in the file: from–until, as many as it says, in each room, until it says otherwise`,
    `${order}: names who has booked it when the file says so, also in another room, and changes nothing`,
    `${order}: is had by nobody who pays late, or books at the same moment`,
    `${order}: is out of order on every node at once, and in order again`,
    "test/surfaces/web/operator/ClosedTime.test.ts: says what is out of order that day, with its time and why"
  ),
  checked(
    "V3. who has it keeps it, gets its price back or another extra, or is written to, all in one go",
    `${order}: is given back with its price, or swapped for another extra; who keeps it stays named`,
    `${order}: is written of to who has it, in the venue's words, once; the booking stays`,
    `${order}: costs no family more by a swap, unless a person says that it pays; the letter tells of the extras`,
    "test/surfaces/web/desk/Closed.test.ts: V3: of an extra that broke are given its price back, or another extra, in one form",
    "test/surfaces/web/desk/Closed.test.ts: are kept and written to, in the words that the page before asks for, whoever is at the desk",
    "test/surfaces/cli/BookingClosed.test.ts: V3: gives an extra that is out of order back, or swaps it, as its preview said"
  ),
  checked(
    "V4. a search at the desk is over all time, by anything that a family says, and knows how far it looked",
    "test/domain/booking/OperatorVisits.test.ts: finds those of any time, by parts of a name, by e-mail, telephone in any form and reference",
    `${contact}: is found in any form`,
    `${acts}: C5: corrects name and e-mail address by any role; the history says from what to what`
  ),
  checked(
    "V5. who stands in the door is sold a visit that has begun in three presses, and the day ends with its sums",
    `${walkIns}: V5: sells the visit of 12:30 at 12:49 in three presses, without an e-mail address, for cash`,
    `${walkIns}: V5: two who walk in alike are two bookings, no family that booked twice, and get no letters`,
    `${walkIns}: V5: such a booking has a page, a receipt and a history, is cancelled, and its audit is clean`,
    `${walkIns}: V5: ends the day with sums by way and by who took it, and what should be in the drawer`,
    `${make}: V5: sells a visit that has begun to a walk-in at the till, paid in whole, each time anew`
  ),
  checked(
    "V6. spreadsheets come in as owners have them, with all faults at once",
    `${cells}: are amounts with their currency's sign, a decimal comma and marks of thousands`,
    `${cells}: are dates in any order, but none that two countries read differently`,
    `${cells}: are times and truths`,
    `${cells}: are weekdays of six languages, but none that two languages read differently`,
    `${csv}: V6: tells all faults of all files at once, each at its place and once`,
    `${csv}: V6, E1: finds the header below titles and empty rows, at the separator that a file names`,
    `${csv}: V6: reads a workbook: each kind from its own sheet, with dates, percentages and truths as cells`,
    "test/domain/import/LibreOffice.test.ts: , and amounts are numbers there"
  ),
  checked(
    "V7. the history says what changed and why, and a month or a year has what accountants sort by",
    `${acts}: V7: says in the history what changed from what to what, why and by whom, in the reader's language`,
    "test/surfaces/web/desk/Month.test.ts: V7: are of a month or a year, with room, package, date of visit, way and rate in the files"
  ),
  checked(
    "V8. the embedded database moves to a server with its bookings and the order of its history",
    "test/journeys/MoveToServer.test.ts: the whole embedded database moves to a server, while families book",
    "test/platform/database/DatabaseCopy.test.ts: has every value as it was, counts on from there, and is sound"
  ),
  checked(
    "V9. the family's other booking then is said, and exceptions are the venue's to make",
    `${desk}: says before it books that the family has another booking then, and names it on the day of both (V9)`,
    `${desk}: V9: makes an exception that only the venue can make, once it was told, and the history names it`,
    `${make}: V9: names what is unusual, and books it with --exception alone`
  ),
  checked(
    "V10. the shared castle elsewhere is said, and the room is offered without it",
    "test/domain/booking/SharedStock.test.ts: V10: taken in the other room is told as such, and the visit is offered without it"
  ),
  checked(
    "V11. what is printed can be typed, closed time needs a person, stock is counted at once, a telephone shows visits first",
    `${make}: prints commands that do what they say: the deposit is recorded, once, and confirms it`,
    "test/journeys/VenueWeek.test.ts: goes as docs/venue.md says, and its books agree with the provider's at the end",
    "test/surfaces/web/operator/OperatorPages.test.ts: shows a day by time: who comes, with whom, what to prepare, and what is still to be paid",
    "test/journeys/DeskInBrowser.test.ts: takes a person from the invitation to a booking: with a passkey, clean by axe, on a telephone and a large screen",
    `${desk}: holds a free start for a caller, with a link to pay that is sent to them once, and says who booked it`
  ),
  checked(
    "V12. an audit reads of what is settled no more than its version",
    `${settled}: reads no more of what is over than its versions, and finds all the same what was planted in it since`,
    `${settled}: is looked at once more after whatever wrote to it`,
    `${settled}: is blamed only by a full audit for what is wrong beneath it, and from then on by each`
  ),
  checked(
    "V1 to V9. a second month is the same by commands, on a telephone and on a large screen",
    `${second}: goes the same by commands, on a telephone and on a large screen, and the books of the three agree`
  )
]

const option = "test/domain/availability/OptionId.test.ts"
const copied = "test/surfaces/mcp/tools/CopiedIds.test.ts"
const empty = "test/assistants/EmptySearch.test.ts"
const wish = "test/surfaces/mcp/tools/WishAnswers.test.ts"

/** Assistants. */
export const hurry: ReadonlyArray<Case> = [
  checked(
    "H1. a slip of one letter is never another party, time or page: it is told",
    `${option}: copied wrongly is none: with one letter other, more, less or turned, alike in shape or of another case`,
    `${option}: copied wrongly in two places is none, nor are halves of two ids`,
    `${option}: of any other party, start, package or digest in the bytes before its check is none`,
    `${copied}: an option's: nothing is booked, and the call says to ask for the options again`,
    `${copied}: an option's, under an idempotency key that was used for the right one: the slip is told`,
    `${copied}: a cursor's: it is none of ours, whichever list it is of`,
    `${copied}: a playroom's, a package's, an add-on's, a booking's and a reference's: there is no such thing`,
    "test/platform/ids/Ids.test.ts: no new id or reference is one letter from another, not even of the same millisecond"
  ),
  checked(
    "H2. an empty search says what each playroom lacks, and names the one that has the words",
    `${empty}: what each playroom lacks is said, and the one that has the words is named with why it does not fit`
  ),
  checked(
    "H3. a budget is said in words, with the cheapest that fits the rest",
    `${empty}: a budget is said in words, with the least that all else costs`
  ),
  checked(
    "H4. a held booking says first until when, what was booked with how many adults, and what is due",
    `${wish}: repeats day, time, room and party before money moves, and again at payment; a confirmed one says when`
  ),
  checked(
    "H5. what notes wish for is not agreed: the answer begins with what is due",
    `${wish}: tells of what has no field here: this service can't do it, whom to ask, and that notes promise nothing`
  ),
  checked(
    "H6. adults that nobody counted are asked for, and ages that nobody told are left out",
    `${wish}: H6, H7: and options begin with what to ask: which of several starts, and how many adults`,
    "test/surfaces/mcp/arguments/Arguments.test.ts: that can be left out say so, by the name of the field that can",
    "test/domain/availability/Parties.test.ts: are as many as the children, or the message says how many that are"
  ),
  checked(
    "H7. which of several starts is asked, and a price that others may undercut is told as the least",
    `${wish}: H6, H7: and options begin with what to ask: which of several starts, and how many adults`,
    `${empty}: a day without a free start leads to one that has, also from beyond what can be booked`
  ),
  checked(
    "H8. get_booking says near its start that no tool moves it, then the other starts and each further child",
    `${wish}: is which other starts that day has and what each further child costs, after who changes it`
  ),
  checked(
    "H1 to H8. an assistant with these habits gets its person what they want, or says truly why not",
    "test/assistants/HastyAssistant.test.ts: gets the person what they want, once, or says truly why not; what it books wrongly the person had read",
    "test/assistants/HastyAssistant.test.ts: comes to the same through the client library that hosts are built on"
  )
]
