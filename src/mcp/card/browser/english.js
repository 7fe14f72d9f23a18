/** All words of the card, in English. `translations.js` has the other languages. */

/** @typedef {(count: number) => string} Counted */

/** Why a time can't be booked, or why there are none: the codes of `none_because` and of an error's `details.reason`. */
const englishReasons = {
  closed: "The playroom is closed then.",
  fully_booked: "All places are taken then.",
  too_soon: "That is too soon: the playroom wants to know earlier.",
  too_far_ahead: "That is further ahead than the playroom takes bookings.",
  party_too_large: "The party is larger than this playroom takes.",
  party_too_small: "The party is smaller than this playroom takes.",
  in_the_past: "That day has passed.",
  outside_your_times: "There is nothing free at these times of day."
}

/** What went wrong and what to do, by the code of the tool's error. */
const englishErrors = {
  api_key_missing: "This connection can show times, but not book. Whoever set it up has to add an API key.",
  api_key_invalid: "The API key of this connection is not valid. Whoever set it up has to give it another one.",
  api_key_scope: "The API key of this connection may not do this. Whoever set it up has to give it one that may.",
  invalid_arguments: "An entry was not accepted. Check it, then try again.",
  playroom_not_found: "This playroom is not on offer any more. Ask your assistant for another one.",
  package_not_found: "This package is not on offer any more. Look at other times.",
  booking_not_found: "This connection can't see that booking. The playroom can look it up.",
  option_invalid: "This time is not on offer any more. Look at other times.",
  price_changed: "The price or the terms have changed, so nothing was booked. This is the offer now:",
  slot_unavailable: "Nothing was booked. Look at other times.",
  hold_expired: "The time to pay has run out. Look at other times.",
  booking_cancelled: "This booking is cancelled, so it can't be paid. Look at other times.",
  nothing_due: "There is nothing to pay at present. Refresh to see the booking as it is.",
  operator_unavailable: "This playroom can't take bookings or payments at present. Ask your assistant for another one.",
  idempotency_conflict: "That was asked before with other details. Ask your assistant to try again.",
  too_many_holds: "There are too many unpaid bookings already. Pay one of them, or wait until one lapses.",
  payment_provider_unavailable:
    "The payment page can't be opened at present. Nothing was charged. Try again in a few minutes.",
  service_unavailable: "The booking service does not answer at present. Try again in a minute.",
  internal_error: "Something went wrong in the booking service. Try again, or ask your assistant."
}

export const english = {
  title: "Playroom booking",
  waiting: "Waiting for the answer…",
  working: "One moment…",
  stopped: "The request was stopped.",
  chooseTime: "Choose a time",
  timesLeft: "Times",
  noTimes: "No free times",
  nextDay: (/** @type {string} */ day) => `The next free day is ${day}.`,
  children: /** @type {Counted} */ ((n) => (n === 1 ? "1 child" : `${n} children`)),
  adults: /** @type {Counted} */ ((n) => (n === 1 ? "1 adult" : `${n} adults`)),
  placesLeft: /** @type {Counted} */ ((n) => (n === 1 ? "1 place left" : `${n} places left`)),
  dueNowOf: (/** @type {string} */ amount) => `${amount} due now`,
  noRefund: "Cancelled from now on, nothing comes back.",
  partRefund: (/** @type {number} */ percent, /** @type {string} */ day) =>
    `At most ${percent}% comes back, if cancelled by ${day}.`,
  bookThis: "Book this time",
  moreTimes: "More times",
  otherTimes: "Other times",
  details: "Who is booking?",
  name: "Name",
  email: "E-mail",
  nameMissing: "Enter a name.",
  emailWrong: "Enter an e-mail address, like ana@example.com.",
  freeHold: "The places are then held for you. Without payment the booking lapses, and costs nothing.",
  book: "Book",
  back: "Back",
  pay: (/** @type {string} */ amount) => `Pay ${amount}`,
  refresh: "Refresh",
  tryAgain: "Try again",
  total: "Total",
  dueNow: "Due now",
  paid: "Paid",
  refunded: "Paid back",
  refunding: "On its way back",
  balance: "Still to pay",
  balanceBy: (/** @type {string} */ amount, /** @type {string} */ day) => `${amount} by ${day}`,
  reference: "Reference",
  held: "Held for you",
  confirmed: "Confirmed",
  expired: "Not held any more",
  cancelled: "Cancelled",
  processing: "Payment on its way",
  payment: "Payment",
  timeLeft: "Time left to pay",
  payOpened: "The payment page is open. Come back when you have paid.",
  bookingPage: "Your booking’s page",
  pageOpened: "Your booking’s page is open. What you change there shows here when you come back.",
  openYourself: "The page could not be opened from here. Open this address:",
  unchanged: "Nothing has changed yet.",
  notPassedOn: "Your assistant did not pass this on. Try again, or ask it in the chat.",
  rateLimited: /** @type {Counted} */ ((n) => `Too many requests. Try again in ${n} s.`),
  near: "These times are near:",
  reasons: englishReasons,
  errors: englishErrors
}

/** @typedef {typeof english} Texts */
