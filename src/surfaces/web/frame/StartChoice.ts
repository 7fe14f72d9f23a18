/** The choice of a free start without a script: the days of a month, then the times of a day. */
import type { PricedOption } from "../../../domain/availability/BookingOption.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn, monthIn, pluralIn, shortDateIn, timesIn, visitTimeIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { addDays, startOfDay, isLocalDate, type LocalDate } from "../../../platform/time/LocalTime.ts"
import { choices } from "./Layout.ts"

/** What is chosen: a month (`2027-02`) or a day (`2027-02-06`) on its way to an option. */
export type StartStep = { readonly month: string } | { readonly date: LocalDate } | { readonly option: string }

/** For whom, and where the links lead. */
export interface StartView {
  readonly language: Language
  readonly time_zone: string
  readonly href: (step: StartStep) => string
  /** That nothing is free in a month, or on a day. */
  readonly none: (when: string) => string
}

/** The first day of a month, and the first of the next one. */
const monthOf = (date: LocalDate): { readonly first: LocalDate; readonly next: LocalDate } => {
  const first = `${date.slice(0, 7)}-01`
  return { first, next: `${addDays(first, 31).slice(0, 7)}-01` }
}

/** The days on which something can be booked. */
export interface BookableDays {
  readonly earliest: LocalDate
  readonly last: LocalDate
}

/** The month that was asked for, or else that of a day, as far as something can be booked in it. */
export const chosenMonth = (
  month: string,
  { earliest, last }: BookableDays,
  otherwise: LocalDate
): ReturnType<typeof monthOf> => {
  const asked = `${month}-01`
  const wanted = isLocalDate(asked) ? asked : otherwise
  return monthOf(wanted < earliest ? earliest : wanted > last ? last : wanted)
}

/** At most so many months can be chosen at once: those around the month that is shown, from the one before. */
const maxMonths = 14

/** The days of a month that have options, with links to the other months of the days that can be booked. */
export const daysOfMonth = (
  { href, language, none, time_zone }: StartView,
  first: LocalDate,
  bounds: BookableDays,
  options: ReadonlyArray<PricedOption>
): Html => {
  const { move: text } = messages[language]
  const monthName = (date: LocalDate) => monthIn(language, time_zone, startOfDay(time_zone, date))
  const list = Array.from(
    Map.groupBy(options, ({ start }) => start.slice(0, 10)),
    ([date, found]) => ({
      href: href({ date }),
      label: shortDateIn(language, time_zone, startOfDay(time_zone, date)),
      remark: pluralIn(language, found.length, text.times)
    })
  )
  const months: Array<LocalDate> = []
  const before = monthOf(addDays(first, -1)).first
  const earliest = monthOf(bounds.earliest).first
  for (
    let month = before < earliest ? earliest : before;
    month <= bounds.last && months.length < maxMonths;
    month = monthOf(month).next
  )
    months.push(month)
  const nav = months
    .filter((month) => month !== first)
    .map((month) => html`<li><a href="${href({ month: month.slice(0, 7) })}">${monthName(month)}</a></li>`)
  return html`<h2>${monthName(first)}</h2>
${list.length === 0 ? html`<p>${none(monthName(first))}</p>` : choices(list)}
${nav.length === 0 ? "" : html`<nav aria-label="${text.months}"><ul>${nav}</ul></nav>`}`
}

/** The times of a day, each with a remark. */
export const timesOfDay = (
  { href, language, none, time_zone }: StartView,
  date: LocalDate,
  options: ReadonlyArray<PricedOption>,
  remark: (option: PricedOption) => string
): Html => {
  const day = dateIn(language, time_zone, startOfDay(time_zone, date))
  const list = options.map((option) => {
    const [start, end] = [Date.parse(option.start), Date.parse(option.end)]
    const its = remark(option)
    return {
      href: href({ option: option.option_id }),
      label: timesIn(language, time_zone, start, end),
      remark: its,
      spoken: `${visitTimeIn(language, time_zone, start, end)} ${its}`.trim()
    }
  })
  return html`<h2>${day}</h2>
${list.length === 0 ? html`<p>${none(day)}</p>` : choices(list)}`
}
