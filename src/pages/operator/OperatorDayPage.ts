/** `/o/{token}`: an operator's day, for phones and for printing. */
import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../../kernel/Html.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import type { OperatorDay } from "./OperatorDays.ts"
import { copyable, page } from "../Layout.ts"
import { buttonLink } from "../Parts.ts"
import { dateText, dayParts } from "./DayParts.ts"

/** The feed's address in the page's language, since calendar clients send none. */
const calendarPart = (language: Language, feed: string): Html => {
  const text = messages[language].operator
  return html`<section class="noprint">
<h2>${text.calendar}</h2>
<p>${text.calendarLead}</p>
${copyable(feed)}
<div class="actions">${buttonLink(feed.replace(/^https?:/, "webcal:"), text.subscribe, true)}</div>
<p class="soft">${text.secret}</p>
</section>`
}

/** The page. `feed` is the address of the operator's calendar. */
export const operatorDayPage = (
  day: OperatorDay,
  language: Language,
  feed: string
): HttpServerResponse.HttpServerResponse => {
  const { body, head } = dayParts(day, { language, zone: day.time_zone })
  return page(
    `${dateText(language, day.date)}: ${day.operator.name}`,
    html`${head}
${body}
${calendarPart(language, feed)}`,
    { language, broad: true, headers: { vary: "accept-language" } }
  )
}
