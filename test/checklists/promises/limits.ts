/**
 * What one sender may take is a share of what there is, and no limit closes the door to others; and the tests that hold
 * it.
 */
import { type Case, checked } from "../Case.ts"

const shares = "test/domain/booking/Shares.test.ts"
const signInShares = "test/domain/oauth/SignInShares.test.ts"
const moves = "test/domain/payment/changes/GuestMoves.test.ts"
const errors = "test/surfaces/mcp/tools/ToolErrors.test.ts"

export const limits: ReadonlyArray<Case> = [
  checked(
    "A3. Three hundred guest sign-ins from two /48s close a host to nobody, who has no limit of its own",
    `${signInShares}: three hundred sign-ins from two /48s leave a newcomer, and a school of sixty families, signing in as before`,
    `${signInShares}: whatever senders take in whatever order, k of them never have more than their bound, and a newcomer is admitted`,
    `${signInShares}: a network has a third of what others leave beyond its own, a /64 a third of that`
  ),
  checked(
    "A3. Unpaid holds of one network block no playroom",
    `${shares}: a network has a third of what others leave, and a newcomer from elsewhere books as before`,
    `${shares}: a network has two bookings of a day in any case; an exclusive room's other starts stay for others`,
    `${shares}: a /64 of IPv6 has a third of its /48's share, so its neighbours book, too`,
    `${shares}: a sender is an IPv4 address or a /48: bytes after it change nothing, each byte of it another sender`
  ),
  checked(
    "A3. Free bookings for weeks close no venue; they are bounded for each person and day of the visit",
    `${shares}: free bookings for weeks close no venue: thirty of them, and everybody from elsewhere books`,
    `${shares}: a person has three free bookings of a day, on other days more; nobody is refused for an e-mail that others name`,
    `${shares}: a family has twenty free visits ahead, two unpaid ones beside them, and no more`
  ),
  checked(
    "A3. Free bookings that move to one day have the limits of new ones there",
    `${moves}: moves to no day that has as many of that person as may be booked there, and to every other one`,
    `${moves}: moves many at once to one day, and no more than may be there arrive`
  ),
  checked(
    "A3. A school behind one address is served",
    `${shares}: sixty families of a school behind one address sign in and book one Saturday on one evening`
  ),
  checked(
    "A3. Registrations have shares, too; a host's server registers for many people",
    "test/domain/oauth/Registration.test.ts: registers its own hosts when others took the rest, and is told whose limit it is and when the next is free",
    "test/domain/oauth/Registration.test.ts: renews tokens as often as a key calls, so that a host's server does so for many people"
  ),
  checked(
    "A4. Each refusal says whose limit it is and what this caller can do now",
    `${errors}: says whose limit on unpaid bookings it is, and what this caller can do, for each of them`,
    `${errors}: says whose calls were too many`,
    `${signInShares}: who is refused is told when the next is free, and is admitted then`,
    "test/domain/oauth/Grants.test.ts: from one address get their own when others took the rest, however many ask at once; a key is not counted"
  )
]
