/** `/desk/month`: what came in, went back and was paid out in a month, and the same as files for spreadsheets. */
import { Clock, Duration, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import { messages } from "../../../words/Languages.ts"
import { moneyIn } from "../../../words/Localized.ts"
import { csvText, xlsx, xlsxType } from "../../../platform/files/Spreadsheet.ts"
import { html } from "../../../platform/text/Html.ts"
import type { OperatorId } from "../../../platform/ids/Ids.ts"
import { localDateOf } from "../../../platform/time/LocalTime.ts"
import {
  accountColumns,
  type AccountRow,
  accountRows,
  type AccountSums
} from "../../../domain/payment/accounts/AccountLine.ts"
import { type EachLine, makeMonthAccounts, Month } from "../../../domain/payment/accounts/MonthAccounts.ts"
import { deskPaths } from "../../../domain/people/staff/StaffMember.ts"
import { taxTable } from "../family/MoneyFacts.ts"
import { actions, buttonLink, facts, notice } from "../frame/Layout.ts"
import { deskPage, type DeskRequest, type DeskScreen } from "./DeskFrame.ts"

/** What is asked for: `provider`: by the provider's record, compared with our rows. */
interface MonthAsked {
  readonly month: string | undefined
  readonly provider: boolean
}

/**
 * A month's figures. `compared`: how many amounts agree with the provider's record, and how many lines differ; absent
 * if it was not asked. `away`: it did not answer in time, and the figures are our own.
 */
interface Figures {
  readonly month: string
  readonly this_month: string
  readonly sums: AccountSums["sums"]
  readonly compared?: { readonly amounts: number; readonly differences: number }
  readonly away: boolean
}

/** How long the provider may take; a page has a few seconds. */
const providerTimeout = Duration.seconds(5)
const isMonth = Schema.is(Month)

const monthFigures = Effect.gen(function* () {
  const accounts = yield* makeMonthAccounts
  const operators = yield* Operators

  const figures = Effect.fnUntraced(function* (
    operator_id: OperatorId,
    { month: wanted, provider }: MonthAsked,
    each: EachLine<never>,
    anew: Effect.Effect<void>
  ) {
    const { time_zone } = yield* Effect.catchTag(operators.page(operator_id), "OperatorNotFound", Effect.die)
    const this_month = localDateOf(time_zone ?? "UTC", yield* Clock.currentTimeMillis).slice(0, 7)
    const month = isMonth(wanted) ? wanted : this_month
    const query = { month, operator_id }
    const own = (away: boolean) =>
      Effect.map(accounts.own(query, each), ({ sums }): Figures => ({ month, this_month, sums, away }))
    if (!provider) return yield* own(false)
    const compared = yield* Effect.timeoutOption(accounts.compared(query, each), providerTimeout)
    if (compared._tag === "None" || compared.value.failed.length > 0) {
      yield* anew
      return yield* own(true)
    }
    const { differences, sums } = compared.value
    return {
      month,
      this_month,
      sums: sums.sums,
      compared: { amounts: sums.compared, differences: differences.length },
      away: false
    } satisfies Figures
  })

  return {
    /** The month asked for, or this one. */
    read: Effect.fn("MonthFigures.read")((operator_id: OperatorId, asked: MonthAsked) =>
      figures(operator_id, asked, () => Effect.void, Effect.void)
    ),
    /** The same with the rows of its lines. */
    rows: Effect.fn("MonthFigures.rows")(function* (operator_id: OperatorId, asked: MonthAsked) {
      const rows: Array<AccountRow> = []
      const found = yield* figures(
        operator_id,
        asked,
        (line) => Effect.sync(() => void rows.push(...accountRows(line))),
        Effect.sync(() => void rows.splice(0))
      )
      return { ...found, rows }
    })
  }
})

const monthBeside = (month: string, months: number): string => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7)
}

const addressOf = (path: string, month: string, provider: boolean): string =>
  `${path}?month=${month}${provider ? "&provider=yes" : ""}`

const monthPage = (request: DeskRequest, found: Figures): HttpServerResponse.HttpServerResponse => {
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
        ({ currency, sums: all, taxes }) => html`<h2>${currency}</h2>
${facts(all.map(({ amount, name }) => ({ term: text.sums[name], is: html`<strong>${moneyIn(language, amount, currency)}</strong>` })))}
${taxes.length === 0 ? "" : taxTable(taxes, currency, language)}`
      )
}
<p class="soft">${compared === undefined ? text.own : text.provider}</p>
${actions(
  buttonLink(addressOf(deskPaths.monthXlsx, month, compared !== undefined), text.download),
  buttonLink(addressOf(deskPaths.monthCsv, month, compared !== undefined), text.downloadCsv, true),
  compared === undefined ? buttonLink(addressOf(deskPaths.month, month, true), text.compare, true) : undefined
)}`
  })
}

const fileOf = (name: string, contentType: string, bytes: Uint8Array): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.uint8Array(bytes, {
    contentType,
    headers: {
      "cache-control": "no-store",
      "content-disposition": `attachment; filename="${name}"`,
      "x-content-type-options": "nosniff"
    }
  })

/** The screen, and its files. */
export const month = Effect.map(monthFigures, (figures): ReadonlyArray<DeskScreen> => {
  const file = (
    path: DeskScreen["path"],
    write: (month: string, rows: ReadonlyArray<AccountRow>) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  ): DeskScreen => ({
    path,
    right: "see_accounts",
    show: (desk, { month, provider }) =>
      Effect.flatMap(figures.rows(desk.member.operator_id, { month, provider: provider === "yes" }), (found) =>
        found.away ? Effect.succeed(monthPage(desk, found)) : write(found.month, found.rows)
      )
  })
  return [
    {
      path: deskPaths.month,
      right: "see_accounts",
      show: (desk, { month, provider }) =>
        Effect.map(figures.read(desk.member.operator_id, { month, provider: provider === "yes" }), (found) =>
          monthPage(desk, found)
        )
    },
    file(deskPaths.monthCsv, (month, rows) =>
      Effect.succeed(
        fileOf(`${month}.csv`, "text/csv; charset=utf-8", Buffer.from(csvText(accountColumns, rows, "\r\n")))
      )
    ),
    file(deskPaths.monthXlsx, (month, rows) =>
      Effect.map(xlsx(month, accountColumns, rows), (bytes) => fileOf(`${month}.xlsx`, xlsxType, bytes))
    )
  ]
})
