/** What an assistant repeats to a person is true, and enough to book the right thing; and the tests that hold it. */
import { type Case, checked } from "../Case.ts"

const none = "test/domain/availability/NoOptions.test.ts"
const empty = "test/assistants/EmptySearch.test.ts"
const parties = "test/domain/availability/Parties.test.ts"
const declined = "test/domain/payment/events/DeclinedPayments.test.ts"
const answers = "test/surfaces/mcp/tools/WishAnswers.test.ts"
const parents = "test/platform/access/SecondParents.test.ts"
const venues = "test/surfaces/mcp/tools/VenueContacts.test.ts"
const imports = "test/domain/import/VenueContact.test.ts"

export const truth: ReadonlyArray<Case> = [
  checked(
    "C4. Each option and each booking says when it is in words, and the next step repeats it before money moves",
    `${none}: is the only one among the options, and every option says its mode and when it is in words`,
    `${answers}: repeats day, time, room and party before money moves, and again at payment; a confirmed one says when`,
    `${answers}: names the person's other live bookings, which may be the same wish`
  ),
  checked(
    "C5. Options are asked for by mode, and each names its mode and package",
    `${none}: is the only one among the options, and every option says its mode and when it is in words`,
    `${none}: that is not sold here is refused in words, with a way on`
  ),
  checked(
    "C8. All live bookings of the e-mail address that day are told before one is booked twice, and again before it is paid",
    `${answers}: names all live bookings of the day, confirmed ones first told, and payment repeats them before money moves`,
    `${answers}: names the person's other live bookings, which may be the same wish`,
    `${answers}: tells in payment, too, nothing of what another key booked for the same e-mail address`
  ),
  checked(
    "C8. A second parent under another name is told before paying that there is a booking at this playroom that day",
    `${parents}: is told that a booking under another name is at this playroom that day, also when paying, and no more`
  ),
  checked(
    "C9. A declined try to pay is told in booking, history, next step and page; what is under way is asked for nowhere; one deadline per hold",
    `${declined}: is told in the booking, its history and what to do next, by a \${kind} event`,
    `${declined}: is found by the next reader if its event is lost`,
    `${declined}: is told with the page that is asked for again, which is the same`,
    `${declined}: of a balance leaves the booking confirmed, and its page open`,
    `${declined}: tells the latest try, however its news are ordered, and a bounded number of lines`,
    `${declined}: is not asked for again: no answer gives an address or a time to pay, also before its event has come`,
    "test/domain/booking/Standing.test.ts: gives an address only where paying makes sense now, and one deadline for a hold, in each answer and on each page",
    "test/domain/payment/checkout/CheckoutOverSandbox.test.ts: a decline at the sandbox is told by its event, and by asking if that is lost"
  ),
  checked(
    "C11. Places left are those that are free, not what one booking may take",
    "test/domain/availability/Availability.test.ts: places left are those that are free, however few one booking may take, and fewer once some are sold"
  ),
  checked(
    "C. A hasty assistant gets the person what they want, once, or says truly why not; no other family's data, no false sentence",
    "test/assistants/HastyAssistant.test.ts: gets the person what they want, once, or says truly why not; what it books wrongly the person had read",
    "test/assistants/Statements.test.ts: see each false statement about a search, an option, a day without any, and a booking",
    "test/assistants/Person.test.ts: objects to what a sentence shows to be wrong, and to nothing that none shows"
  ),
  checked(
    "C7, C15. What nobody can do here is said in the instructions and where it is tried; notes are data",
    `${answers}: tells of what has no field here: this service can't do it, whom to ask, and that notes promise nothing`
  ),
  checked(
    "C3. Reasons are those of the package or mode that was asked for",
    `${none}: gets reasons of its own: the days on which it is sold, and whom it takes`,
    "test/domain/availability/Reasons.test.ts: reasons for an empty answer are true of what was asked, and so is the next date, by an oracle"
  ),
  checked(
    "C1. A price without a date says for whom and when it holds, and what other times cost; it is true of every start then",
    "test/domain/search/PricesTold.test.ts: is exact at every start within its times, the lowest of all, and the others are within their bounds",
    "test/domain/search/PricesTold.test.ts: of any party is so, too, and of what each further child adds",
    "test/domain/search/PricesTold.test.ts: says for whom and when, of the package, of further children, and of extras with the tax that is added",
    "test/domain/search/PricesTold.test.ts: names weekdays, hours and dates, also what is left out, and a range where there are many prices",
    "test/domain/search/PricesTold.test.ts: is not told while a node of an earlier release has written it, and then told again",
    "test/assistants/PriceForParty.test.ts: no lowest price stands alone: it says whom it is for, and what each further child costs"
  ),
  checked(
    "C13. The cheapest weekday of a month is one search: by days and weekdays, with the start and its price",
    "test/domain/search/SearchAndOptions.test.ts: finds the playrooms that have an option which fits on one of its days, and no other, and tells which option and its price"
  ),
  checked(
    "C13. Sorted by price is the true order over all pages, by what the party pays: free ones first, currencies in groups, and where only pages are in order they say so",
    "test/domain/search/PriceOrder.test.ts: has all playrooms over its pages in the order of what the party pays, free ones first, one currency after the other",
    "test/domain/search/PriceOrder.test.ts: neither repeats nor skips a playroom while others book, whose prices stay",
    "test/domain/search/PriceWindows.test.ts: has each of them once, in true order while its bounds can tell, and else sorted by page and said so",
    "test/domain/search/PriceWindows.test.ts: is true to the end for a thousand playrooms whose bounds are their prices but for a few"
  ),
  checked(
    "C10. What a cancellation gives back is told in money and dates before booking, and is what it then does",
    "test/domain/payment/TermsTold.test.ts: told with an option in money are what a cancellation at any moment then gives back",
    "test/domain/payment/TermsTold.test.ts: of an option or a booking are dates and money, without tiers in percent",
    "test/domain/availability/OptionPage.test.ts: says in money what comes back of the amount due now, and until when; in words where nothing does",
    "test/domain/booking/Terms.test.ts: what the text claims is what a cancellation refunds, at any moment and at every limit"
  ),
  checked(
    "C6. Whom to ask, with the telephone if there is one, stands in the playroom, in a booking and in failures that end in a question",
    `${venues}: get_playroom tells it, and leaves out what the venue did not say`,
    `${venues}: options and a booking say what to bring, and a booking how its operator is reached`,
    `${venues}: a page without options says whom to ask, and one with options does not`,
    `${venues}: what has no field here is refused with whom to ask, wherever the call names a venue`,
    `${venues}: failures that end in a question to the venue have its contact`,
    `${venues}: no failure speaks of a contact that the venue has not given`,
    `${venues}: a booking that a key does not see tells nothing of its venue, and no id breaks the answer`,
    `${venues}: the instructions say where the contact is, and when a person may be told to call`,
    `${imports}: come back as they were imported, change nothing again, and go with the file that has them no more`
  ),
  checked(
    "C14. What families must bring or sign is told before booking and with the booking, and quiet hours have times within the opening hours",
    `${venues}: get_playroom tells it, and leaves out what the venue did not say`,
    `${venues}: options and a booking say what to bring, and a booking how its operator is reached`,
    "test/domain/import/CatalogueChecks.test.ts: may be quiet for all that it is open, past midnight and over hours that adjoin",
    `${imports}: are told as changes with what they were, quiet hours as one readable text`
  ),
  checked(
    "C12. No answer proposes to leave the children's ages out; who takes which ages is said instead",
    `${empty}: ages outside those of every playroom are said, and a party that is too large`,
    "test/surfaces/mcp/arguments/Arguments.test.ts: that can be left out say so, by the name of the field that can",
    `${parties}: are as many as the children, or the message says how many that are`,
    `${parties}: are those that the playroom is for: each other one is named once, however many there are`
  ),
  checked(
    "C17. Adults alone get no price of an invented party",
    "test/assistants/PriceForParty.test.ts: adults alone get no price of a party that nobody named, and are told that a child is needed"
  ),
  checked(
    "G3. The end of a search that found nothing says why, on whichever page that is",
    "test/domain/search/SearchAmongThousands.test.ts: says why nothing was found on the last page, if exact checks emptied those before it"
  )
]
