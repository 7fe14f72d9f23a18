/**
 * What a person wishes is one wish however it is spelt, and each decision about it stands once; and the tests that hold
 * it.
 */
import { type Case, checked } from "../Case.ts"

const earlier = "test/domain/booking/EarlierBookings.test.ts"

export const wishes: ReadonlyArray<Case> = [
  checked(
    "G6. One idempotency key with e-mail or name in another spelling is one wish, compared as everywhere else",
    `${earlier}: keeps its idempotency key however e-mail and name are spelt: case, spaces and Unicode form`,
    `${earlier}: in two Unicode forms at once is one booking, and one person`,
    `${earlier}: has the digest that the release before gave it, so that both find each other's bookings`
  ),
  checked(
    "G6. A text of which nothing is left once markup is taken out is told so, and not that it is empty",
    "test/domain/catalogue/OperatorTexts.test.ts: of which nothing is left are told why, and those that are empty that they are"
  ),
  checked(
    "The card words the standing of a booking, and derives none from other fields of the answer",
    "test/surfaces/mcp/card/Card.test.ts: has words for each standing of a booking, and decides none itself",
    "test/surfaces/mcp/card/CardViews.test.ts: words the standing that the answer says, whatever its other fields look like"
  ),
  checked(
    "The owner's page tells what its operator can act on: disputes, refunds that failed or wait, what went back",
    "test/surfaces/web/operator/OperatorNotices.test.ts: is what it can act on, of its own bookings, on whichever day, in each language; and nothing else",
    "test/surfaces/web/operator/OperatorNotices.test.ts: is said by the list of what needs a person: its entries for operators have a notice, the platform's none"
  )
]
