/**
 * Formats numbers, dates, times and money for a language. Tools and commands always show English (`inWords`,
 * `display`).
 */
import {
  dayMs,
  format,
  hourMs,
  type Instant,
  isShownTwice,
  localDateOf,
  minuteMs,
  offsetAt,
  runtimeRules
} from "../platform/time/LocalTime.ts"
import { exponentOf } from "../platform/money/Money.ts"
import { type Language, messages } from "./Languages.ts"
import type { Plural } from "./Message.ts"

/** Limit of cached formatters: each takes tens of kilobytes, and there are hundreds of zones and currencies. */
const maxFormats = 200
const cached = <Format>(make: (locale: string, of: string) => Format) => {
  const formats = new Map<string, Format>()
  return (language: Language, of: string): Format => {
    const key = `${language} ${of}`
    let format = formats.get(key)
    if (format === undefined) {
      format = make(messages[language].locale, of)
      if (formats.size >= maxFormats) formats.clear()
      formats.set(key, format)
    }
    return format
  }
}

/** The clock of 12 hours where the locale has it, else `00:00` to `23:59`. */
const clockOf = (locale: string): Intl.DateTimeFormatOptions =>
  new Intl.DateTimeFormat(locale, { hour: "numeric" }).resolvedOptions().hourCycle === "h12"
    ? { hour: "numeric", minute: "2-digit", hourCycle: "h12" }
    : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }
const day = { weekday: "long", day: "numeric", month: "long", year: "numeric" } as const

/** Formats the clock on the wall (`onClock`): the runtime's rules of a zone may be older than ours. */
const wallFormat = (options: (locale: string) => Intl.DateTimeFormatOptions) => {
  const formats = cached((locale) => new Intl.DateTimeFormat(locale, { ...options(locale), timeZone: "UTC" }))
  return (language: Language) => formats(language, "")
}
const onClock = (zone: string, instant: Instant): number => instant + offsetAt(zone, instant)

const dateFormat = wallFormat(() => day)
const shortDateFormat = wallFormat(() => ({ weekday: "short", day: "numeric", month: "short" }))
const weekdayFormat = wallFormat(() => ({ weekday: "long" }))
const monthFormat = wallFormat(() => ({ month: "long", year: "numeric" }))
const timeFormat = wallFormat(clockOf)
const dateTimeFormat = wallFormat((locale) => ({ ...day, ...clockOf(locale) }))
const zoneFormat = cached((locale, timeZone) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "long" }))
const offsetFormat = cached(
  (locale, timeZone) => new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "shortOffset" })
)
const moneyFormat = cached((locale, currency) => {
  const digits = exponentOf(currency)
  return new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits
  })
})

const zoneNameOf = (formatter: Intl.DateTimeFormat, instant: Instant): string =>
  formatter.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? ""

/** `GMT-7`, `UTC−7`. */
const offsetIn = (language: Language, zone: string, instant: Instant): string =>
  zoneNameOf(offsetFormat(language, format(zone, instant).slice(-6)), instant)

/** The offset to add to a time that the local clock shows twice. */
const offsetSuffix = (language: Language, zone: string, instant: Instant): string =>
  isShownTwice(zone, instant) ? ` (${offsetIn(language, zone, instant)})` : ""

/** `Saturday, 5 December 2026`, `Samstag, 5. Dezember 2026`. */
export const dateIn = (language: Language, zone: string, instant: Instant): string =>
  dateFormat(language).format(onClock(zone, instant))

/** `Sat 5 Dec`, `Sa., 5. Dez.`: a date without its year. */
export const shortDateIn = (language: Language, zone: string, instant: Instant): string =>
  shortDateFormat(language).format(onClock(zone, instant))

/** `December 2026`, `Dezember 2026`. */
export const monthIn = (language: Language, zone: string, instant: Instant): string =>
  monthFormat(language).format(onClock(zone, instant))

/** `14:00`, `2:00 PM`, `14:00 Uhr`, with the offset if the local clock shows that time twice. */
export const timeIn = (language: Language, zone: string, instant: Instant): string =>
  messages[language].words.clock(timeFormat(language).format(onClock(zone, instant))) +
  offsetSuffix(language, zone, instant)

/** `14:00–16:00`, `2:00 – 4:00 PM`, `14:00–16:00 Uhr`: the times of a visit without its date. */
export const timesIn = (language: Language, zone: string, start: Instant, end: Instant): string => {
  // Over two days a formatter of ranges adds dates, and it gives no offsets.
  const oneDay = localDateOf(zone, start) === localDateOf(zone, end)
  if (!oneDay || isShownTwice(zone, start) || isShownTwice(zone, end))
    return `${timeIn(language, zone, start)} – ${timeIn(language, zone, end)}`
  const [from, to] = [onClock(zone, start), onClock(zone, end)]
  // It names the half of the day once. Elsewhere it writes 9:00 and 14時00分, and other spaces in each release.
  if (language === "en-US") return timeFormat(language).formatRange(from, to)
  const by = { fr: "\u202f–\u202f", ja: "～" }[String(language)] ?? "–"
  return messages[language].words.clock(`${timeFormat(language).format(from)}${by}${timeFormat(language).format(to)}`)
}

/** `Saturday, 5 December 2026 at 14:00`, with the offset if the local clock shows that time twice. */
export const dateTimeIn = (language: Language, zone: string, instant: Instant): string =>
  messages[language].words.clock(dateTimeFormat(language).format(onClock(zone, instant))) +
  offsetSuffix(language, zone, instant)

/** The zone's name at that instant: `Greenwich Mean Time`, `heure normale d’Europe centrale`. */
export const zoneNameIn = (language: Language, zone: string, instant: Instant): string =>
  runtimeRules.zone(zone)?.(instant) === offsetAt(zone, instant)
    ? zoneNameOf(zoneFormat(language, zone), instant)
    : offsetIn(language, zone, instant)

/** `Saturday, 5 December 2026, 14:00–16:00`: when a visit is. */
export const visitTimeIn = (language: Language, zone: string, start: Instant, end: Instant): string =>
  localDateOf(zone, start) === localDateOf(zone, end)
    ? `${dateIn(language, zone, start)}${messages[language].words.comma}${timesIn(language, zone, start, end)}`
    : `${dateTimeIn(language, zone, start)} – ${dateTimeIn(language, zone, end)}`

/** `Saturday, 5 December 2026 at 14:00 (Greenwich Mean Time)`: for readers who may be in another zone. */
export const momentIn = (language: Language, zone: string, instant: Instant): string =>
  withZone(language, zone, instant, dateTimeIn(language, zone, instant))

/** The same without the date: `14:00 (Greenwich Mean Time)`. */
export const clockIn = (language: Language, zone: string, instant: Instant): string =>
  withZone(language, zone, instant, timeIn(language, zone, instant))

// A time that the clock shows twice has its offset already.
const withZone = (language: Language, zone: string, instant: Instant, text: string): string =>
  isShownTwice(zone, instant) ? text : `${text} (${zoneNameIn(language, zone, instant)})`

const unitFormat = cached((locale, unit) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }))

/** `14 minutes`, `26 hours`, `13 days`: rounded down, so that it is never more than there is. */
export const durationIn = (language: Language, ms: number): string => {
  if (ms < 2 * hourMs) return unitFormat(language, "minute").format(Math.floor(ms / minuteMs))
  if (ms < 2 * dayMs) return unitFormat(language, "hour").format(Math.floor(ms / hourMs))
  return unitFormat(language, "day").format(Math.floor(ms / dayMs))
}

/** `14 days`, `36 hours`, `150 minutes`: exactly, in the largest unit of which there are two or more. */
export const exactlyIn = (language: Language, minutes: number): string => {
  const [dayMinutes, hourMinutes] = [dayMs / minuteMs, hourMs / minuteMs]
  const whole = (unit: number) => minutes % unit === 0
  if (minutes >= 2 * dayMinutes && whole(dayMinutes)) return unitFormat(language, "day").format(minutes / dayMinutes)
  return minutes > 0 && whole(hourMinutes)
    ? unitFormat(language, "hour").format(minutes / hourMinutes)
    : unitFormat(language, "minute").format(minutes)
}

/** `36 months`. */
export const monthsIn = (language: Language, months: number): string => unitFormat(language, "month").format(months)

/** `Monday`, `Montag`. `day`: 0 for Monday. */
export const weekdayIn = (language: Language, day: number): string =>
  // 5 January 1970 was a Monday.
  weekdayFormat(language).format((day + 4) * dayMs)

/** `09:00–18:00`, `9:00 AM – 6:00 PM`: opening hours, in minutes of the day; an end that is no later is on the next day. */
export const hoursIn = (language: Language, opens: number, closes: number): string =>
  timesIn(language, "UTC", opens * minuteMs, (closes > opens ? closes : closes + dayMs / minuteMs) * minuteMs)

/** `4–24 children`: a number from least to most with its noun. */
export const rangeOfIn = (language: Language, least: number, most: number, forms: Plural): string =>
  least === most ? pluralIn(language, most, forms) : pluralIn(language, most, forms, `${least}–${most}`)

/** An amount in minor units: `£240.00`, `240,00 £`. */
export const moneyIn = (language: Language, amount: number, currency: string): string =>
  moneyFormat(language, currency).format(amount / 10 ** exponentOf(currency))

const listFormat = cached((locale) => new Intl.ListFormat(locale, { type: "conjunction" }))
const pluralRules = cached((locale) => new Intl.PluralRules(locale))

/** A number with its noun: `1 child`, `8 children`. `shown`: what stands in place of the number. */
export const pluralIn = (language: Language, n: number, forms: Plural, shown = String(n)): string =>
  (forms[pluralRules(language, "").select(n)] ?? forms.other).replace("#", shown)

/** The party: `8 children (aged 4 and 5), 2 adults`. */
export const partyIn = (
  language: Language,
  of: { readonly children: number; readonly child_ages?: ReadonlyArray<number>; readonly adults: number }
): string => {
  const { words } = messages[language]
  const { adults, child_ages = [], children } = of
  const ages = listFormat(language, "").format(child_ages.map(String))
  return [
    pluralIn(language, children, words.children) + (ages === "" ? "" : ` (${words.ages(ages)})`),
    ...(adults === 0 ? [] : [pluralIn(language, adults, words.adults)])
  ].join(words.comma)
}

/** A percentage with up to three decimals. */
export const percentIn = (language: Language, percent: number): string =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 3 }).format(percent / 100)
