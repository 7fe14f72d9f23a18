/** Reads the forms of our pages. */

import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { html, type Html } from "../../../platform/text/Html.ts"
import { hourMs, type Instant, localDateOf, minuteMs } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { clockIn, durationIn, momentIn } from "../../../words/Localized.ts"
import { readForm } from "../../http/Bodies.ts"
import { linkProblemPage } from "./LinkProblems.ts"

/**
 * A deadline that a person must meet: how long is left, and the moment with its zone. Only a browser knows the reader's
 * own clock: `deadlineScript` adds it where it differs, and keeps the minutes true while the page stays open.
 */

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

/**
 * Whether a page of another site sent the form. Our pages have no referrer, so browsers that only send `Origin` send
 * `null` for them. A token or a cookie grants the access; this check stops a site from submitting the form unnoticed.
 */
const isForeignForm = ({ headers }: HttpServerRequest.HttpServerRequest, baseUrl: string): boolean => {
  const { host, origin } = headers
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  return (
    origin !== undefined && origin !== "null" && origin !== new URL(baseUrl).origin && URL.parse(origin)?.host !== host
  )
}

/** After a form, so that a reload sends nothing again. */
export const leadTo = (address: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(address, { status: 303, headers: { "cache-control": "no-store" } })

/** Answers a form that one of our pages sent; any other gets the page for unreadable ones. */
export const withForm = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  { baseUrl, language }: { readonly baseUrl: string; readonly language: Language },
  answer: (form: URLSearchParams) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> => {
  const unreadable = () => Effect.succeed(linkProblemPage("unreadable", language))
  if (isForeignForm(request, baseUrl)) return unreadable()
  return Effect.matchEffect(readForm(request), { onFailure: unreadable, onSuccess: answer })
}
