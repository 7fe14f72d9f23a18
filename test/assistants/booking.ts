/** What assistants were asked about booking and could not answer: line by line, and the tests that hold it. */
import { type Case, checked } from "../support/checklistCase.ts"

export const booking: ReadonlyArray<Case> = [
  checked(
    "10. Ages outside those that a playroom is for, or not as many as children, are refused when booking",
    "test/booking/Wishes.test.ts: is refused with ages that are not the party's, and kept with those that are"
  ),
  checked(
    "14. One wish is one booking, whatever the idempotency key, unless another is asked for or the name differs",
    "test/booking/Wishes.test.ts: is one booking, whatever the idempotency keys, the case of the e-mail and the spaces of the name",
    "test/booking/Wishes.test.ts: keeps what each idempotency key stands for: the booking that it was answered with, dead or alive",
    "test/booking/Wishes.test.ts: is two where another is asked for: one more for each idempotency key, and the same one when repeated",
    "test/booking/Wishes.test.ts: in another name is another: it never gets the first one's booking, and is told of it",
    "test/booking/Wishes.test.ts: is one booking where ten calls of all kinds come at once to three nodes",
    "test/booking/Wishes.test.ts: in other words is told of the live holds of its address: the last five, and nobody else's"
  )
]
