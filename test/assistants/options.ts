/** What assistants were asked about times and prices and could not answer: line by line, and the tests that hold it. */
import { type Case, checked } from "../support/checklistCase.ts"

export const options: ReadonlyArray<Case> = [
  checked(
    "11. Places left are told of shared packages alone, and are true",
    "test/booking/OptionPage.test.ts: says how many places are left of those that are shared, and of no others",
    "test/booking/Bookings.test.ts: holds the places of an option until the hold expires, at the price that was shown"
  ),
  checked(
    "12. What is the same for all options stands once, and eight of them are short to read",
    "test/booking/OptionPage.test.ts: tells each price in full, with the balance's date, whatever is told once for several",
    "test/booking/OptionPage.test.ts: says what still comes back once a deadline of the terms has passed, and nothing of it before",
    "test/booking/OptionPage.test.ts: a page of eight options is short to read"
  )
]
