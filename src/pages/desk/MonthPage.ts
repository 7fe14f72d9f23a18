/** `/desk/month`: what came in, went back and was paid out in a month. */
import { HttpServerResponse } from "effect/http"
import { html } from "../../kernel/Html.ts"
import { messages } from "../../i18n/Languages.ts"
import { moneyIn } from "../../i18n/Localized.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import { actions, buttonLink, facts, notice } from "../Parts.ts"
import { deskPage, type DeskRequest } from "./DeskFrame.ts"
import type { Figures } from "./MonthFigures.ts"

const monthBeside = (month: string, months: number): string => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7)
}

const addressOf = (path: string, month: string, provider: boolean): string =>
  `${path}?month=${month}${provider ? "&provider=yes" : ""}`

export const monthPage = (request: DeskRequest, found: Figures): HttpServerResponse.HttpServerResponse => {
  const { language } = request
  const { month: text } = messages[language].desk
  const { away, compared, month, sums, this_month } = found
  const name = new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" }).format(
    Date.parse(`${month}-15T12:00:00Z`)
  )
  const agreement =
    compared === undefined
      ? ""
      : compared.differences === 0
        ? html`<p>${text.agrees}</p>`
        : notice(html`<p><strong>${text.differs(compared.differences)}</strong></p>`)
  return deskPage(request, {
    title: text.title,
    head: html`<header>
<h1>${text.title}</h1>
<p class="lead">${name}</p>
</header>
${away ? html`<p role="alert">${text.away}</p>` : ""}`,
    body: html`<form class="search noprint" method="get" action="${deskPaths.month}">
<label>${text.month}<input name="month" type="month" required pattern="20[0-9]{2}-[0-9]{2}" placeholder="2027-01" value="${month}"></label>
<button class="second">${text.show}</button>
</form>
${actions(
  buttonLink(addressOf(deskPaths.month, monthBeside(month, -1), false), text.before, true),
  month >= this_month
    ? undefined
    : buttonLink(addressOf(deskPaths.month, monthBeside(month, 1), false), text.after, true)
)}
${agreement}
${
  sums.length === 0
    ? html`<p class="lead">${text.nothing}</p>`
    : sums.map(
        ({ currency, sums: all }) => html`<h2>${currency}</h2>
${facts(all.map(({ amount, name }) => ({ term: text.sums[name], is: html`<strong>${moneyIn(language, amount, currency)}</strong>` })))}`
      )
}
<p class="soft">${compared === undefined ? text.own : text.provider}</p>
${actions(
  buttonLink(addressOf(deskPaths.monthFile, month, compared !== undefined), text.download),
  compared === undefined ? buttonLink(addressOf(deskPaths.month, month, true), text.compare, true) : undefined
)}`
  })
}

/** The file for spreadsheets; they take it for UTF-8 by the mark at its beginning. */
export const monthFile = ({ csv, month }: Figures & { readonly csv: string }): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(`\uFEFF${csv}`, {
    contentType: "text/csv; charset=utf-8",
    headers: {
      "cache-control": "no-store",
      "content-disposition": `attachment; filename="${month}.csv"`,
      "x-content-type-options": "nosniff"
    }
  })
