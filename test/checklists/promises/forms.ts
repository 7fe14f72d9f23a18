/** What was shown is what happens: forms, previews, options and terms, case by case, and the tests that hold each. */
import { type Case, checked } from "../Case.ts"

const stale = "test/surfaces/web/family/StaleForms.test.ts"
const familyCancels = "test/domain/payment/changes/FamilyCancellation.test.ts"

export const forms: ReadonlyArray<Case> = [
  checked(
    "1. a form of before another move undoes nothing",
    `${stale}: a move form that was opened before another move moves nothing, and shows the page with today's facts`
  ),
  checked(
    "2. cancelling names the state that it showed",
    `${stale}: a cancel form that was opened before a move cancels nothing, even if the same amount would come back`,
    `${familyCancels}: cancels nothing where a deadline has passed since it looked`
  ),
  checked(
    "3. the amount on a button is the amount charged",
    `${stale}: a button that names an amount charges that amount or nothing`
  ),
  checked(
    "4. a command does what its preview said",
    "test/surfaces/cli/BookingMove.test.ts: does what the preview said, or says what has changed since, moves nothing and exits non-zero",
    "test/surfaces/cli/BookingCancel.test.ts: refunds what the preview said, or says what has changed since, cancels nothing and exits non-zero"
  ),
  checked("5. the refusal of a stale form, in words", `${stale}: says that something has changed in each language`),
  checked(
    "6. many presses at once cost one lock",
    `${stale}: of forty presses on one form at once, one takes locks, and all are answered with its outcome`,
    "test/domain/booking/BookingMutex.test.ts: whoever waits too long for a change under way learns just that; other bookings do not wait",
    "test/domain/booking/BookingMutex.test.ts: a change that has begun is not cut off, however long it takes"
  ),
  checked(
    "7. an option's id holds everything that the option tells",
    "test/domain/availability/ChangedMeanwhile.test.ts: is refused where the playroom's time zone is another one than when the option was given",
    "test/domain/availability/OptionDigest.test.ts: changes with each field of the catalogue that an option shows, and with no other",
    "test/domain/availability/OptionDigest.test.ts: of a moved clock, another price and other terms names which of them has changed"
  ),
  checked(
    "8. a balance that was not paid in time is silent nowhere",
    "test/ops/attention/OverdueBalances.test.ts: is named by doctor, counted by the metrics, and marked in every form of the list, until it is paid",
    "test/ops/attention/OverdueBalances.test.ts: is named until the visit begins; then the venue asks for it"
  ),
  checked(
    "9. what happens with an unpaid balance is told before, and done",
    "test/domain/payment/changes/UnpaidBalances.test.ts: releases the places as the terms said, and gives back of the deposit what the schedule says",
    "test/domain/payment/changes/UnpaidBalances.test.ts: keeps the places if the package says nothing of it, and if the balance is paid",
    "test/domain/payment/changes/UnpaidBalances.test.ts: keeps the places while the balance can't be paid online: it is paid at the playroom",
    "test/domain/payment/changes/UnpaidBalances.test.ts: asks the provider about an open page first: closed, it releases; paid or under way, it keeps",
    "test/domain/payment/changes/UnpaidBalances.test.ts: paid after the release: the booking is confirmed again if its places are free, else the money goes back",
    "test/domain/payment/changes/UnpaidBalances.test.ts: races with a payment, a move and another node: one of them wins, and places and money fit"
  )
]
