/** What assistants were asked about booking and could not answer: line by line, and the tests that hold it. */
import { type Case, checked } from "../Case.ts"

export const booking: ReadonlyArray<Case> = [
  checked(
    "10. Ages outside those that a playroom is for, or not as many as children, are refused when booking",
    "test/surfaces/mcp/tools/WishAnswers.test.ts: of ages that are not the party's is a refusal that says what to do",
    "test/domain/booking/EarlierBookings.test.ts: is refused with ages that are not the party's, and kept with those that are"
  ),
  checked(
    "13. What is left empty counts as absent, what is plainly meant is taken, and a refusal says whom to ask or what to leave out",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are null or empty count as absent, in every optional field of every tool",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are null or empty inside a list count as absent, and under an unknown name are told like any other",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are objects of nothing but blanks count as absent, where they may",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are numbers and truth values plainly written as text are taken for what they are",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that only the person knows are to be asked for, and what the person did not give is to be left out",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are values of their own making are told the accepted ones, and the one that they mean",
    "test/surfaces/mcp/arguments/Arguments.test.ts: that are dates of another form are told the form, and what today is"
  ),
  checked(
    "14. One wish is one booking, whatever the idempotency key, unless another is asked for or the name differs",
    "test/domain/booking/EarlierBookings.test.ts: is one booking, whatever the idempotency keys, the case of the e-mail and the spaces of the name",
    "test/domain/booking/EarlierBookings.test.ts: keeps what each idempotency key stands for: the booking that it was answered with, dead or alive",
    "test/domain/booking/EarlierBookings.test.ts: is two where another is asked for: one more for each idempotency key, and the same one when repeated",
    "test/domain/booking/EarlierBookings.test.ts: under another name is a different request: it never gets the first one's booking, but is told of it",
    "test/domain/booking/EarlierBookings.test.ts: is one booking where ten calls of all kinds come at once to three nodes",
    "test/domain/booking/EarlierBookings.test.ts: is one booking where another node has not committed yet",
    "test/domain/booking/EarlierBookings.test.ts: that was asked for again after its hold had lapsed may have both booked, when the first one's money comes late",
    "test/domain/booking/EarlierBookings.test.ts: in other words is told of the live holds of its address: the last ten, and nobody else's",
    "test/surfaces/mcp/tools/WishAnswers.test.ts: of four calls for one wish names one booking, and what a later call gave otherwise",
    "test/surfaces/mcp/tools/WishAnswers.test.ts: names the person's other live bookings, which may be the same wish"
  ),
  checked(
    "15. Holding costs nothing and lapses by itself: description and answer say so, and when",
    "test/surfaces/mcp/tools/WishAnswers.test.ts: is that holding costs nothing and lapses by itself, and when"
  ),
  checked(
    "16. A booking carries the address of the family's page, where it is changed and cancelled, and next_step hands it over",
    "test/domain/booking/BookingLinks.test.ts: opens that booking, is part of its answers, and is the same each time"
  ),
  checked(
    "16. What no tool does, and a booking by e-mail, are refused with the way that works",
    "test/surfaces/mcp/transport/Protocol.test.ts: an unknown tool is told those that there are, and who does what none of them does, in both eras",
    "test/surfaces/mcp/arguments/Arguments.test.ts: of get_booking by e-mail, telephone or name are refused with the way that works"
  )
]
