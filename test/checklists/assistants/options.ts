/** What assistants were asked about times and prices and could not answer: line by line, and the tests that hold it. */
import { type Case, checked } from "../Case.ts"

export const options: ReadonlyArray<Case> = [
  checked(
    "8. An empty answer says which of past, outside your times, too far ahead, too large, closed or full it is, and what would do",
    "test/domain/availability/NoOptions.test.ts: says that a date is past, by the playroom's own day, and is no fault",
    "test/domain/availability/NoOptions.test.ts: says that the playroom is open, but not when asked, and when on that day",
    "test/domain/availability/NoOptions.test.ts: tells the hours of a night that began on the day before",
    "test/domain/availability/NoOptions.test.ts: says up to which date bookings are taken, also where the day is closed anyway",
    "test/domain/availability/NoOptions.test.ts: says which date and package takes the party, or whom the playroom takes at all",
    "test/domain/availability/NoOptions.test.ts: of days that are closed and days that are full says both",
    "test/domain/availability/NoOptions.test.ts: takes three bounded looks at most, and little more, for the largest catalogue"
  ),
  checked(
    "8. Starts that one's own hold takes are said to be so, to the key that holds them and to nobody else",
    "test/surfaces/mcp/tools/OwnHolds.test.ts: are told to it as a bare fact with the options of their dates, and to nobody else, while they are alive",
    "test/surfaces/mcp/tools/OwnHolds.test.ts: are not told where the keys can't be read, and answers go on without the key"
  ),
  checked(
    "11. Places left are told of shared packages alone, and are true",
    "test/domain/availability/OptionPage.test.ts: says how many places are left of those that are shared, and of no others",
    "test/domain/booking/Bookings.test.ts: holds the places of an option until the hold expires, at the price that was shown"
  ),
  checked(
    "12. What is the same for all options stands once, and a page of them is short to read",
    "test/domain/availability/OptionPage.test.ts: tells each price in full, with its tax and the balance's date, whatever is told once for several",
    "test/domain/availability/OptionPage.test.ts: says in money what comes back of the amount due now, and until when; in words where nothing does",
    "test/assistants/AnswerLengths.test.ts: are pages of at most 4,000 characters, or 12,000 if the caller names a limit, and all of them hold the same",
    "test/domain/availability/OptionPage.test.ts: pages fit into a result, one after the other, and hold each option once",
    "test/domain/availability/NoOptions.test.ts: are the only days that a question is about, its next date too",
    "test/domain/availability/NoOptions.test.ts: that no date of the range is on are refused in words"
  )
]
