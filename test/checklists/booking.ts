/** What bookings must survive, case by case, and the tests that hold each. */
import { type Case, checked } from "./Case.ts"

const settlement = "test/domain/payment/settlement/Settlement.test.ts"
const overtaken = "test/domain/payment/Overtaken.test.ts"
const reconciliation = "test/domain/payment/workers/Reconciliation.test.ts"
const cancellations = "test/domain/payment/changes/Cancellations.test.ts"
const bounds = "test/domain/payment/checkout/HoldBounds.test.ts"
const outside = "test/journeys/OutsideProvider.test.ts"
const rush = "test/journeys/RestartInARush.test.ts"
const bookings = "test/domain/booking/Bookings.test.ts"
const options = "test/domain/availability/BookingOptions.test.ts"
const availability = "test/domain/availability/Availability.test.ts"
const starts = "test/domain/availability/Starts.test.ts"
const everyStart = "test/domain/availability/EveryStart.test.ts"
const parties = "test/domain/availability/Parties.test.ts"
const pricing = "test/domain/catalogue/Pricing.test.ts"
const everyPrice = "test/domain/catalogue/EveryPrice.test.ts"
const searchAndBookings = "test/domain/search/SearchAndBookings.test.ts"

export const checklist: ReadonlyArray<Case> = [
  checked(
    "1. N at once: exactly the capacity wins",
    "test/domain/booking/Races.test.ts: of 100 buyers on 20 places sells exactly 20; the others get bookable alternatives"
  ),
  checked(
    "2. overlap through set-up or clean-up only",
    `${bookings}: counts set-up and clean-up as taken`,
    `${availability}: clean-up and the next set-up may touch, but not overlap by a minute`
  ),
  checked(
    "3. party, open play, closure over each other",
    `${bookings}: refuses a party over open play and open play over a party, with bookable alternatives, nearest first`,
    "test/domain/import/ImportOverBookings.test.ts: refuses a closure over bookings, names them and changes nothing"
  ),
  checked(
    "4. limited add-ons: two lines, the last two of three",
    `${parties}: claim the room and every add-on with stock once each, in order of resource id`,
    "test/domain/availability/LastOnes.test.ts: one booking takes the last two, and then the same start has none for anybody"
  ),
  checked(
    "5. lapsed, booked by B, paid by A",
    `${settlement}: a payment after the places are gone goes back once, with the application fee`,
    `${settlement}: a payment after the hold has ended takes the places again where they are still free`,
    `${reconciliation}: keeps the places where the payer was faster, at once or with a delayed method`
  ),
  checked(
    "6. abandoned payment, same place again",
    `${overtaken}: an abandoned page confirms nothing, also where the same place is booked again`
  ),
  checked(
    "7. return page and event at once",
    `${overtaken}: the event, its copy, and being asked about all at once confirm one time`,
    "test/surfaces/web/family/AfterPaying.test.ts: leaves what the booking's standing says, whatever the address says, but while a payment is awaited"
  ),
  checked(
    "8. cancelling gives units back once",
    `${cancellations}: of ten at the same time, one cancels`,
    `${cancellations}: frees the places of a hold, and has its page closed`
  ),
  checked(
    "9. clock changes, other zones",
    `${starts}: leave out the hour that does not exist, and take the first of the hour that exists twice`,
    `${starts}: lead time is elapsed minutes over a clock change, the horizon counts the playroom's dates`,
    `${pricing}: dates and clock times of rules are the playroom's own, whatever the server's or the asker's`
  ),
  checked(
    "10. what is shown can be booked, what is hidden can't",
    `${everyStart}: can be claimed, and what is hidden for want of places cannot`,
    "test/model/BookingLife.test.ts: keeps its promises in"
  ),
  checked(
    "11. retries, lost answers, conflicts",
    `${bookings}: returns the same booking to a repeated call, by idempotency key or by option and e-mail`,
    `${bookings}: makes one booking of retries that are in flight together`
  ),
  checked(
    "12. price or policy edited meanwhile",
    `${bookings}: refuses an option whose price or policy was edited since, with the fresh option, and keeps what was agreed`
  ),
  checked(
    "13. lines sum to totals, deposit + balance = total",
    `${everyPrice}: is the sum of its lines, each its quantity times its unit, all whole and never negative`,
    `${everyPrice}: keeps to whole units and its sum in whatever order the rules stand`
  ),
  checked(
    "14. a restart in the middle of a rush",
    `${rush}: has every booking that it acknowledged, and no half of one that it did not`,
    `${rush}: answers for every booking that it makes where it is told to stop, and ends in order`,
    `${outside}: accounts for every penny through kills and a failing provider`
  ),
  checked(
    "15. hoarding",
    `${bookings}: limits the live holds of a key and of an e-mail address, even of concurrent calls`,
    `${bounds}: ends with the last of its three pages, however eagerly new ones are asked for`
  ),
  checked(
    "16. paging while bookings come and go",
    `${options}: page without repeating or losing a start while bookings come in between`,
    `${searchAndBookings}: hides what is booked out or closed, and pages neither repeat nor skip while bookings come`
  )
]
