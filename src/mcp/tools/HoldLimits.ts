/** What a caller is told when a limit on unpaid bookings is reached. */
import type { TooManyHolds } from "../../booking/Booking.ts"

const shareFix =
  "Nothing was booked. If this person has an unpaid booking on that day, have it paid (create_payment_session). Otherwise offer another day or playroom, or repeat this call in 15 minutes: holds end by themselves. The person can also connect again over another network (mobile data instead of Wi-Fi, say)."

/**
 * Whose limit on unpaid bookings is reached, and what this caller can do now. An API key may serve many people, so the
 * texts name nobody's booking, and say only of a guest that the bookings are this person's.
 */
export const tooManyHolds: Readonly<
  Record<
    TooManyHolds["per"],
    { readonly message: (limit: number | undefined) => string; readonly fix: string; readonly retryable: boolean }
  >
> = {
  key: {
    message: (limit) => `There are ${limit} unpaid holds under this API key already, as many as one key may have.`,
    fix: "Nothing was booked. The key may serve other people, too. If this conversation made a hold, have that paid (create_payment_session); otherwise repeat this call in five minutes: holds end by themselves.",
    retryable: true
  },
  email: {
    message: (limit) =>
      `There are ${limit} unpaid holds for this e-mail address already, as many as one address may have.`,
    fix: "Nothing was booked. If this conversation made one of them, call create_payment_session for it and have it paid. Otherwise ask the person whether the e-mail address is right, and repeat this call in five minutes: holds end by themselves.",
    retryable: true
  },
  guest: {
    message: (limit) =>
      `This person has ${limit} bookings already of which nothing is paid, as many as a guest may have.`,
    fix: "Nothing was booked. Ask the person which of them to keep: call create_payment_session for that one, or let the person cancel one on its page (page_url). Or repeat this call once a hold has ended (hold_expires_at).",
    retryable: true
  },
  guest_free: {
    message: (limit) => `This person has ${limit} free bookings ahead already, as many as a guest may have.`,
    fix: "Nothing was booked. The person can cancel one that is not needed on its page (page_url); or repeat this call after one of the visits.",
    retryable: false
  },
  guest_day: {
    message: (limit) =>
      `This person has ${limit} bookings without a payment at this playroom on that day already, as many as one person may have.`,
    fix: "Nothing was booked. Offer another day, or let the person move or cancel one of them on its page (page_url).",
    retryable: false
  },
  guest_address: {
    message: () =>
      "Guests who signed in over the same internet connection have its share of this playroom on that day already, in bookings without a payment. Guests elsewhere are not affected.",
    fix: shareFix,
    retryable: true
  },
  guest_network: {
    message: () =>
      "Guests who signed in over the same network (an IPv6 /48) have its share of this playroom on that day already, in bookings without a payment. Guests elsewhere are not affected.",
    fix: shareFix,
    retryable: true
  }
}
