/**
 * Only what the venue sells is sold: case by case (B), and the tests that hold it. `Checklists.test.ts` checks that
 * each named test is there.
 */
import { type Case, checked } from "../Case.ts"

export const sales: ReadonlyArray<Case> = [
  checked(
    "B1. what an option id says passes the same checks as arguments",
    "test/domain/availability/Decision.test.ts: is sold only where it is offered, whichever byte before the check is edited, and to what",
    "test/domain/availability/Decision.test.ts: holds no more of an add-on than one booking may have, nor several of one that is sold once a booking",
    "test/domain/availability/Decision.test.ts: is agreed to whatever the order in which its add-ons were asked for"
  ),
  checked(
    "B2. stock that an add-on gets later counts what live bookings have of it, and names those in the way",
    "test/domain/import/ImportOverBookings.test.ts: counts what live bookings have of an add-on when it gets stock, and names those who have too much",
    "test/domain/import/ImportOverBookings.test.ts: gives a hold that is paid late its add-ons only while they last, also where stock was given meanwhile"
  ),
  checked(
    "B3. search finds the playroom whose only fitting visit ends at 24:00",
    "test/domain/search/PlayroomSearch.test.ts: finds the playroom whose only fitting visit ends at midnight"
  ),
  checked(
    "B3. options up to 24:00 have the visit that ends at midnight, in search too",
    "test/domain/availability/BookingOptions.test.ts: up to 24:00 have the visit that ends at midnight, and none that goes on after it",
    "test/domain/availability/BookingOptions.test.ts: are refused where they should end before they start, by the same words as a search"
  ),
  checked(
    "B4. a booking is decided again where the catalogue, the operator or the clock moved on while it waited",
    "test/domain/availability/ChangedMeanwhile.test.ts: is decided anew: price, terms, hours, party and horizon are those of the moment it is written",
    "test/domain/availability/ChangedMeanwhile.test.ts: is decided anew where its operator was suspended, and goes on where only what does not matter was written",
    "test/domain/availability/ChangedMeanwhile.test.ts: get nothing at the old price, nor on a closed day, however many of them wait",
    "test/domain/availability/ChangedMeanwhile.test.ts: are decided by the clock after the wait: what came too near meanwhile is not sold",
    "test/domain/availability/Decision.test.ts: holds until the instant that it names, and no longer"
  ),
  checked(
    "B5. a changed price is offered only where the start can be booked, with the places that are left",
    "test/domain/availability/Decision.test.ts: is not offered at a new price where it is closed or taken, and says so instead",
    "test/domain/availability/Decision.test.ts: of an operator that sells nothing says that first, whatever else has changed"
  ),
  checked(
    "B6. what can't be booked any more says which of the reasons it is",
    "test/domain/availability/Decision.test.ts: is refused with the reason, and with alternatives that can be booked",
    "test/surfaces/mcp/tools/ToolErrors.test.ts: an option that can't be booked is told with its reason, in a sentence of its own for each"
  ),
  checked(
    "B7. from_price and price_from are the lowest prices that can be booked now",
    "test/domain/search/SearchFacts.test.ts: names as the lowest price the least that any start from today to the horizon costs",
    "test/domain/search/SearchFacts.test.ts: counts a rule only while a start that it holds at can be booked, without another import",
    "test/domain/search/SearchFacts.test.ts: is left out rather than told wrongly between the day that changes it and the look that notices"
  ),
  checked(
    "B8. a page whose options were sold meanwhile says why it is empty and when there are some",
    "test/domain/availability/BookingOptions.test.ts: that were sold since the page before leave an empty page, which says why and what comes next"
  ),
  checked(
    "B9. hours go on past midnight, adjoin, and go round the clock, on clock-change nights too",
    "test/domain/availability/Starts.test.ts: go on past midnight where hours close at or before they open, each start on its own date",
    "test/domain/availability/Starts.test.ts: lie in what adjoins as in one interval, over midnight too, and keep each interval's own grid",
    "test/domain/availability/Starts.test.ts: keep the tail of the night before on a day with hours of its own, and lose it to none but a closure",
    "test/domain/availability/Starts.test.ts: of a schedule whose until is at or before its from go on past midnight; from alone ends with the day",
    "test/domain/availability/Starts.test.ts: count elapsed minutes over midnight on nights when the clocks change",
    "test/domain/availability/Starts.test.ts: are those that watching the clock all day finds, in every zone, over every clock change",
    "test/domain/import/CatalogueChecks.test.ts: has packages that go on past midnight, on the weekday of their start, and over what adjoins",
    "test/domain/availability/Oracle.test.ts: are what an oracle finds that watches the clock and counts minutes, units and pence one by one",
    "test/domain/import/CatalogueChecks.test.ts: whose Sunday runs into Monday's hours"
  ),
  checked(
    "B10. a percentage with more than three decimals is refused at import, wherever a catalogue has one",
    "test/domain/import/CatalogueChecks.test.ts: with a tax rate of four decimals",
    "test/domain/import/CatalogueChecks.test.ts: with a price rule of four decimals",
    "test/domain/import/CatalogueChecks.test.ts: with a deposit of four decimals",
    "test/domain/import/CatalogueChecks.test.ts: with a refund of four decimals",
    "test/domain/import/CatalogueChecks.test.ts: with a fee of four decimals",
    "test/platform/money/Money.test.ts: counts percentages of three decimals exactly, and tells the others"
  ),
  checked(
    "B10. a lapsed hold is told as expired from the second of its end on",
    "test/domain/booking/Bookings.test.ts: shows a lapsed hold as expired, in a look-up and to a repeated call"
  ),
  checked(
    "B10. words written in one or in two are found either way, and parts of names in scripts without spaces",
    "test/domain/search/PlayroomSearch.test.ts: finds words that are written in one or in two, and parts of what has no spaces"
  ),
  checked(
    "B11. deposit, headcount and rescheduling are told wherever the cancellation terms are, in words that match the refund",
    "test/domain/booking/Terms.test.ts: what the text claims is what a cancellation refunds, at any moment and at every limit",
    "test/domain/booking/Terms.test.ts: an option's digest changes with whatever its terms tell",
    "test/domain/payment/TermsTold.test.ts: are worded alike by the playroom, the option, the booking and the payment page",
    "test/domain/payment/TermsTold.test.ts: claim exactly what a cancellation then refunds, with ${name}",
    "test/extras/sandbox/Sandbox.test.ts: shows a page that says what is paid to whom, escapes what it shows, and works without scripts",
    "test/domain/payment/provider/StripeGateway.test.ts: sends only what the provider's schema allows",
    "test/domain/catalogue/Catalogue.test.ts: fits its largest playroom into an answer that carries it twice"
  )
]
