/** What assistants could not tell of a booking's money and terms: line by line, and the tests that hold it. */
import { type Case, checked } from "../Case.ts"

const told = "test/assistants/MoneyTold.test.ts"
const terms = "test/domain/booking/Terms.test.ts"

export const money: ReadonlyArray<Case> = [
  checked(
    "1. A booking tells what is paid, outstanding and due now, when and how the balance is paid, and what comes next in every state",
    `${told}: that is held tells what is due now, until when as a time and a duration, and how it is paid`,
    `${told}: whose payment is on its way asks for no other, and one whose payment failed says so`,
    `${told}: whose deposit is paid tells the balance, by when and how, and nothing as due that is paid`,
    `${told}: whose balance can't be paid by link says that it is paid at the venue`,
    `${told}: with nothing due when booking owes all of it as the balance`,
    `${told}: that is cancelled tells what is on its way back, then what came back`,
    `${told}: that has expired, and one whose visit is over, say what to tell the person`,
    "test/model/BookingLife.test.ts: keeps its promises"
  ),
  checked(
    "2. Terms are told for this start and this moment: dates, amounts, of what, the last tier aloud, and what would come back now",
    `${terms}: only deadlines that can still be met, and the last one aloud`,
    `${terms}: what was paid, what of it went back before, and what is left`,
    `${terms}: the offset beside a time that the wall shows twice`,
    `${terms}: what the text claims is what a cancellation refunds, at any moment and at every limit`,
    `${terms}: an option's digest stays while its price does, whichever deadlines pass`,
    `${told}: tells what would come back now, to the millisecond at which its terms change`,
    "test/domain/payment/TermsTold.test.ts: are worded alike by the playroom, the option, the booking and the payment page",
    "test/surfaces/cli/Commands.test.ts: previews a cancellation without changing anything, then cancels, once"
  ),
  checked(
    "4. Every amount has a text for people, and deadlines are told as a duration too",
    `${told}: has a text for people beside every amount, and is told in fewer than 4,000 characters`,
    "test/platform/time/LocalTime.test.ts: says how long there is until a deadline, and never too much"
  ),
  checked(
    "5. A payment page moves the hold's end and says so, and each answer has one deadline",
    `${told}: whose page is open has one deadline in every answer, which is that of the page`,
    `${told}: whose page would outlive the start of the visit is to be paid before the start`
  ),
  checked(
    "6. Where there is no balance, asking for it says so, and what is paid",
    `${told}: without a balance says so where the balance is to be paid, and what is paid already`
  ),
  checked(
    "16. A booking names the operator's contact for changes and cancelling",
    `${told}: that is held tells what is due now, until when as a time and a duration, and how it is paid`
  )
]
