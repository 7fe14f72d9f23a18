/** The terms of a time or a booking as sentences in the person's language, from the data beside the server's text. */
import { moneyAt, moneyText, moneyUnlessNone } from "./money.js"
import { filledIn } from "./texts.js"
import { instantText, momentText } from "./times.js"
import { listAt, numberAt, textAt, valueAt } from "./values.js"

/** @typedef {import("./answers.js").Offer} Offer */
/** @typedef {import("./texts.js").Language} Language */

const hourMs = 3_600_000

/**
 * A moment with the word that follows a clock time in some languages.
 *
 * @param {Language} language
 * @param {string} at RFC 3339
 * @returns {string}
 */
export const deadlineText = ({ locale, texts }, at) => filledIn(texts.clock, momentText(locale, at))

/**
 * A sentence about a deadline so many hours before the start. "" if there is none, or it has passed.
 *
 * @param {Language} language
 * @param {string} sentence
 * @param {{ readonly start: string, readonly timeZone: string, readonly hours: unknown }} of
 * @returns {string}
 */
const before = ({ locale, texts }, sentence, { hours, start, timeZone }) => {
  if (typeof hours !== "number") return ""
  const instant = Date.parse(start) - hours * hourMs
  const text = instant < Date.now() ? "" : instantText(locale, timeZone, instant)
  return text === "" ? "" : filledIn(sentence, filledIn(texts.clock, text))
}

/** @param {ReadonlyArray<string>} parts */
const joined = (parts) => parts.filter((part) => part !== "").join(" ")

/**
 * @param {Language} language
 * @param {Offer} offer
 * @param {string} timeZone
 * @returns {string}
 */
export const offerTermsText = (language, { back, dueNow, start, terms }, timeZone) => {
  const { locale, texts } = language
  const kept = valueAt(terms, "deposit", "refundable") === false
  const deposit = dueNow === undefined || valueAt(terms, "deposit") === undefined ? undefined : dueNow
  const refund =
    back === undefined
      ? ""
      : back.until === ""
        ? texts.noRefund
        : filledIn(texts.refundUntil, moneyText(locale, back.amount), deadlineText(language, back.until))
  return joined([
    deposit === undefined
      ? ""
      : filledIn(kept ? texts.terms.depositKept : texts.terms.deposit, moneyText(locale, deposit)),
    refund,
    before(language, texts.terms.moveUntil, { start, timeZone, hours: valueAt(terms, "free_reschedule_hours") }),
    before(language, texts.terms.headcountBy, { start, timeZone, hours: valueAt(terms, "final_headcount_hours") })
  ])
}

/**
 * What a cancellation gives back of what is paid, or due now: a heading, and rows of deadline and amount. Undefined if
 * nothing comes back, or the booking is over.
 *
 * @param {Language} language
 * @param {unknown} booking
 * @returns {{ readonly heading: string, readonly rows: ReadonlyArray<readonly [string, string]> } | undefined}
 */
export const refundRows = (language, booking) => {
  const { locale, texts } = language
  const { afterwards, caption, nothing, ofDueNow, ofPaid, until } = texts.refundTable
  const dated = listAt(booking, "terms", "refunds").filter((one) => textAt(one, "until") !== "")
  if (dated.length === 0 || valueAt(booking, "refund_if_cancelled_now") === undefined) return undefined
  const paid = moneyAt(booking, "paid")
  const of =
    paid.amount === 0
      ? filledIn(ofDueNow, moneyText(locale, moneyAt(booking, "due_now")))
      : filledIn(ofPaid, moneyText(locale, paid))
  return {
    heading: `${caption} (${of})`,
    rows: [
      ...dated.map(
        (one) =>
          /** @type {const} */ ([
            `${until} ${deadlineText(language, textAt(one, "until"))}`,
            moneyUnlessNone(locale, moneyAt(one, "refund")) || nothing
          ])
      ),
      [afterwards, nothing]
    ]
  }
}

/**
 * How the money that is on its way back goes back; "" if none is.
 *
 * @param {Language} language
 * @param {unknown} booking
 * @returns {string}
 */
export const howGoesBack = ({ locale, texts }, booking) => {
  const [all, venue] = [moneyAt(booking, "refund_on_its_way"), moneyAt(booking, "refund_by_venue")]
  if (all.amount === 0) return ""
  if (venue.amount === 0) return texts.backByBank
  if (venue.amount === all.amount) return texts.backByVenue
  const bank = { ...all, amount: all.amount - venue.amount }
  return filledIn(texts.backByBoth, moneyText(locale, bank), moneyText(locale, venue))
}

/**
 * The terms of a booking as they stand; "" for one that is over. Until when it may be moved, only the family's page says:
 * after a move it is counted from the start that deadlines count from, which the answer does not have.
 *
 * @param {Language} language
 * @param {unknown} booking
 * @returns {string}
 */
export const bookingTermsText = (language, booking) => {
  const { locale, texts } = language
  if (valueAt(booking, "refund_if_cancelled_now") === undefined) return ""
  const [start, timeZone] = [textAt(booking, "start"), textAt(booking, "time_zone")]
  const deposit = valueAt(booking, "terms", "deposit", "amount")
  const kept = valueAt(booking, "terms", "deposit", "refundable") === false
  const currency = textAt(booking, "price", "currency")
  const display = textAt(booking, "terms", "deposit", "display")
  const released = textAt(booking, "terms", "unpaid_balance")
  const { terms } = texts
  // The last entry says what comes back in the end: nothing.
  const refunds = listAt(booking, "terms", "refunds")
  return joined([
    numberAt(booking, "price", "total") === 0 ? terms.nothingToPay : "",
    typeof deposit === "number"
      ? filledIn(kept ? terms.depositKept : terms.deposit, moneyText(locale, { amount: deposit, currency, display }))
      : "",
    refunds.length === 1
      ? numberAt(booking, "refunded", "amount") === 0
        ? terms.nothingBack
        : terms.nothingMoreBack
      : "",
    before(language, terms.headcountBy, {
      start,
      timeZone,
      hours: valueAt(booking, "terms", "final_headcount_hours")
    }),
    released === "" ? "" : filledIn(terms.releasedAt, deadlineText(language, released))
  ])
}
