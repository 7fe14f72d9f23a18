/**
 * A deadline that a person must meet: how long is left, and the moment with its zone. Only a browser knows the reader's
 * own clock: `deadlineScript` adds it where it differs, and keeps the minutes true while the page stays open.
 */
import { type Language, messages } from "../../../words/Languages.ts"
import { clockIn, durationIn, momentIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { hourMs, type Instant, localDateOf, minuteMs } from "../../../platform/time/LocalTime.ts"

/** The text of a message with a gap, for the script. */
const gap = "{}"

/** `moment` at a venue in `zone`, as its deadline is read at `now`. */
export const deadline = (
  of: { readonly moment: Instant; readonly now: Instant; readonly zone: string },
  language: Language
): Html => {
  const { moment, now, zone } = of
  const text = messages[language].deadlines
  const leftMs = Math.max(0, moment - now)
  const left = leftMs < minuteMs ? text.lessThanAMinute : text.left(durationIn(language, leftMs))
  const today = localDateOf(zone, moment) === localDateOf(zone, now)
  const until = today ? text.untilToday(clockIn(language, zone, moment)) : text.until(momentIn(language, zone, moment))
  // Only minutes change while a page is open.
  const running =
    leftMs < 2 * hourMs
      ? html` data-left="${Math.floor(leftMs / 1000)}" data-text="${text.left(gap)}" data-less="${text.lessThanAMinute}" data-over="${text.over}"`
      : ""
  return html`<p class="deadline"><strong${running}>${left}</strong>
<time datetime="${new Date(moment).toISOString()}" data-zone="${zone}" data-locale="${messages[language].locale}" data-yours="${text.yours(gap)}">${until}</time></p>`
}

/** The page's script, if it has a `deadline`. */
export const deadlineScript = `
const opened = Date.now()
for (const one of document.querySelectorAll("[data-left]")) {
  const { left, less, over, text } = one.dataset
  const unit = new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: "minute", unitDisplay: "long" })
  const tell = () => {
    const seconds = left - (Date.now() - opened) / 1000
    one.textContent = seconds <= 0 ? over : seconds < 60 ? less : text.replace("{}", unit.format(Math.floor(seconds / 60)))
  }
  setInterval(tell, 1000)
}
for (const one of document.querySelectorAll("time[data-zone]")) {
  const { locale, yours, zone } = one.dataset
  const moment = new Date(one.dateTime)
  const day = (of) => moment.toLocaleDateString(locale, { weekday: "short", ...of })
  const clock = (of) => moment.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", ...of })
  const there = { timeZone: zone }
  const otherDay = day() !== day(there)
  if (otherDay || clock() !== clock(there))
    one.after(" " + yours.replace("{}", otherDay ? day() + " " + clock() : clock()))
}
`
