/**
 * The card's texts in the person's language, with money, dates and the terms of a booking. `Card.ts` puts all languages
 * into the page.
 */
import type { Messages } from "../../../../words/en/Messages.ts"
import type { Plural } from "../../../../words/Message.ts"
import type { PageWord } from "../../../../words/Message.ts"
import { type Money, type Offer, listAt, numberAt, textAt, valueAt } from "./answers.ts"

/** Here, sentences with values are templates with placeholders. */
type Gapped<T> = { readonly [Name in keyof T]: T[Name] extends (...values: never) => string ? string : T[Name] }
type Texts = Pick<Messages, "locale"> &
  Omit<Gapped<Messages["words"]>, PageWord> &
  Gapped<Messages["card"]> & { readonly refundTable: Gapped<Messages["refundTable"]> } & {
    readonly terms: Omit<Gapped<Messages["terms"]>, "headcountFinal" | "wentBack"> & { readonly depositKept: string }
  }
export type Language = { readonly locale: string; readonly texts: Texts }

const languages: { readonly en: Texts; readonly [language: string]: Texts | undefined } = JSON.parse(
  document.querySelector("#texts")?.textContent ?? ""
)

/**
 * The texts for a person's locale, and the locale for dates: English if the card lacks the language. A region without
 * texts of its own counts as its language. `wanted`: BCP 47, like "de-AT".
 */
export const textsFor = (wanted: string): Language => {
  try {
    const [locale = ""] = Intl.getCanonicalLocales(wanted)
    const language = [locale, new Intl.Locale(locale).language].find((tag) => Object.hasOwn(languages, tag))
    const texts = language === undefined ? undefined : languages[language]
    if (texts !== undefined) return { locale: locale === language ? texts.locale : locale, texts }
  } catch {
    // Not a locale.
  }
  return { locale: languages.en.locale, texts: languages.en }
}

/** Fills a template's placeholders. */
export const filledIn = (text: string, ...values: ReadonlyArray<string | number>): string =>
  text.replace(/\{(\d)\}/g, (_, index) => String(values[index] ?? ""))

/** A number of something, like "8 children". */
export const countText = ({ locale }: Language, n: number, forms: Plural): string =>
  (forms[new Intl.PluralRules(locale).select(n)] ?? forms.other).replace("#", String(n))

/** "" if the table does not have the code. */
export const textOf = (table: Texts["reasons"] | Texts["errors"], code: string): string =>
  Object.entries(table).find(([key]) => key === code)?.[1] ?? ""

/** The decimals of currencies that have not two. The browser's own differ for some (HUF, IDR). */
const unusualDecimals: Readonly<Record<string, number>> = JSON.parse(
  document.querySelector("#decimals")?.textContent ?? "{}"
)

export const moneyAt = (of: unknown, ...path: ReadonlyArray<string>): Money => ({
  amount: numberAt(of, ...path, "amount"),
  currency: textAt(of, ...path, "currency"),
  display: textAt(of, ...path, "display")
})

/** Like "£240.00", "240,00 £". */
export const moneyText = (locale: string, { amount, currency, display }: Money): string => {
  const digits = (Object.hasOwn(unusualDecimals, currency) ? unusualDecimals[currency] : undefined) ?? 2
  try {
    const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    return new Intl.NumberFormat(locale, { style: "currency", currency, ...options }).format(amount / 10 ** digits)
  } catch {
    // Not a currency.
    return display
  }
}

export const moneyUnlessNone = (locale: string, money: Money): string =>
  money.amount === 0 ? "" : moneyText(locale, money)

/**
 * The clock time of an RFC 3339 instant with an offset, or of a date, as if it were UTC: formatted as UTC it is what
 * clocks at the playroom show, whatever the zone of the person.
 */
const wallClock = (at: string): Date => new Date(`${at.slice(0, 10)}T${at.slice(11, 16) || "12:00"}:00Z`)

const format = (locale: string, at: string, options: Intl.DateTimeFormatOptions): string => {
  const date = wallClock(at)
  return Number.isNaN(date.getTime())
    ? at
    : new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).format(date)
}

/** Like "Sat 5 Dec", of an RFC 3339 instant or a date. */
export const shortDay = (locale: string, at: string): string =>
  format(locale, at, { weekday: "short", day: "numeric", month: "short" })

const moment: Intl.DateTimeFormatOptions = {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "numeric",
  minute: "2-digit"
}

/** Like "Sat 5 Dec, 14:00". */
export const momentText = (locale: string, at: string): string => format(locale, at, moment)

/** Like "Sat 5 Dec, 14:00", of milliseconds; "" if the browser does not know the IANA zone. */
const instantText = (locale: string, timeZone: string, instant: number): string => {
  try {
    return timeZone === "" ? "" : new Intl.DateTimeFormat(locale, { ...moment, timeZone }).format(instant)
  } catch {
    return ""
  }
}

/** Like "Saturday 5 December 2026". */
export const longDay = (locale: string, at: string): string =>
  format(locale, at, { weekday: "long", day: "numeric", month: "long", year: "numeric" })

/** Like "14:00–16:00". */
export const clockRange = (locale: string, start: string, end: string): string => {
  const [from, to] = [wallClock(start), wallClock(end)]
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return start
  const clock = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit", timeZone: "UTC" })
  // Past midnight, a formatter of ranges would add the days.
  return start.slice(0, 10) === end.slice(0, 10)
    ? clock.formatRange(from, to)
    : `${clock.format(from)} – ${clock.format(to)}`
}

/** The zone's short name at that time, like "GMT"; "" if the browser does not know the zone. */
export const zoneName = (locale: string, timeZone: string, at: string): string => {
  try {
    const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "short" }).formatToParts(new Date(at))
    return timeZone === "" ? "" : (parts.find(({ type }) => type === "timeZoneName")?.value ?? "")
  } catch {
    return ""
  }
}

/** Like "14:59" or "1:14:59". */
export const countdown = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const two = (value: number) => String(value).padStart(2, "0")
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(seconds % 60)}`
}

const hourMs = 3_600_000

/** A moment with the word that follows a clock time in some languages. */
const deadlineText = ({ locale, texts }: Language, at: string): string => filledIn(texts.clock, momentText(locale, at))

/** A sentence about a deadline so many hours before the start. "" if there is none, or it has passed. */
const before = (
  { locale, texts }: Language,
  sentence: string,
  { hours, start, timeZone }: { readonly start: string; readonly timeZone: string; readonly hours: unknown }
): string => {
  if (typeof hours !== "number") return ""
  const instant = Date.parse(start) - hours * hourMs
  const text = instant < Date.now() ? "" : instantText(locale, timeZone, instant)
  return text === "" ? "" : filledIn(sentence, filledIn(texts.clock, text))
}

const joined = (parts: ReadonlyArray<string>) => parts.filter((part) => part !== "").join(" ")

/** Until when a family changes its party, or adds to it only. */
const partyBy = ({ texts }: Language, terms: unknown): string =>
  valueAt(terms, "grows_only") === true ? texts.terms.growsBy : texts.terms.headcountBy

export const offerTermsText = (language: Language, { back, dueNow, start, terms }: Offer, timeZone: string): string => {
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
    before(language, partyBy(language, terms), { start, timeZone, hours: valueAt(terms, "final_headcount_hours") })
  ])
}

/**
 * What a cancellation gives back of what is paid, or due now: a heading, and rows of deadline and amount. Undefined
 * if nothing comes back, or the booking is over.
 */
export const refundRows = (
  language: Language,
  booking: unknown
): { readonly heading: string; readonly rows: ReadonlyArray<readonly [string, string]> } | undefined => {
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
      ...dated.map((one): readonly [string, string] => [
        `${until} ${deadlineText(language, textAt(one, "until"))}`,
        moneyUnlessNone(locale, moneyAt(one, "refund")) || nothing
      ]),
      [afterwards, nothing]
    ]
  }
}

/** How the money that is on its way back goes back; "" if none is. */
export const howGoesBack = ({ locale, texts }: Language, booking: unknown): string => {
  const [all, venue] = [moneyAt(booking, "refund_on_its_way"), moneyAt(booking, "refund_by_venue")]
  if (all.amount === 0) return ""
  if (venue.amount === 0) return texts.backByBank
  if (venue.amount === all.amount) return texts.backByVenue
  const bank = { ...all, amount: all.amount - venue.amount }
  return filledIn(texts.backByBoth, moneyText(locale, bank), moneyText(locale, venue))
}

/**
 * The terms of a booking as they stand; "" for one that is over. Until when it may be moved, only the family's page
 * says: after a move it is counted from the start that deadlines count from, which the answer does not have.
 */
export const bookingTermsText = (language: Language, booking: unknown): string => {
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
    before(language, partyBy(language, valueAt(booking, "terms")), {
      start,
      timeZone,
      hours: valueAt(booking, "terms", "final_headcount_hours")
    }),
    released === "" ? "" : filledIn(terms.releasedAt, deadlineText(language, released))
  ])
}
