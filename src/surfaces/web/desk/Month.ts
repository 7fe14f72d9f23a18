/**
 * `/desk/month`: what came in, went back and was paid out in a month or a year, and the same as files for spreadsheets.
 */
import { Array, Clock, Duration, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { moneyIn } from "../../../words/Localized.ts"
import { csvHead, csvRow, xlsx, xlsxType } from "../../../platform/files/Spreadsheet.ts"
import { html } from "../../../platform/text/Html.ts"
import type { OperatorId } from "../../../platform/ids/Ids.ts"
import { dayRange, localDateOf } from "../../../platform/time/LocalTime.ts"
import {
  accountColumns,
  type AccountRow,
  accountRows,
  type AccountSums,
  type CodeSum,
  type VouchersOwed
} from "../../../domain/payment/accounts/AccountLine.ts"
import { type EachLine, makeMonthAccounts, Month, Year } from "../../../domain/payment/accounts/MonthAccounts.ts"
import { deskPaths } from "../../../domain/people/staff/StaffMember.ts"
import { taxTable } from "../family/MoneyFacts.ts"
import { actions, buttonLink, dataTable, facts, notice } from "../frame/Layout.ts"
import type { PageRequest } from "../frame/PageTable.ts"
import { deskPage, type DeskRequest, type DeskScreen } from "./DeskFrame.ts"

/** What is asked for. `provider`: a month by the provider's record, compared with our rows. */
interface MonthAsked {
  readonly period: string | undefined
  readonly provider: boolean
}
const askedIn = ({ month, provider, year }: PageRequest["query"]): MonthAsked => ({
  period: year ?? month,
  provider: year === undefined && provider === "yes"
})

/**
 * The figures of a month or a year. `compared`: how many amounts agree with the provider's record, and how many lines differ; absent
 * if it was not asked. `away`: it did not answer in time, and the figures are our own.
 */
interface Figures {
  readonly period: string
  readonly this_month: string
  readonly sums: AccountSums["sums"]
  readonly codes: ReadonlyArray<CodeSum>
  /** What is owed on vouchers at the period's end, or now. */
  readonly owed: ReadonlyArray<VouchersOwed>
  readonly compared?: { readonly amounts: number; readonly differences: number }
  readonly away: boolean
}

/** How long the provider may take; a page has a few seconds. */
const providerTimeout = Duration.seconds(5)
const isPeriod = Schema.is(Schema.Union([Month, Year]))

/** The rows of a file are in memory until it is sent, within the time of a page. */
const maxFileRows = 20_000
/** So many rows are written in one turn of this process. */
const rowsInTurn = 500

const monthFigures = Effect.gen(function* () {
  const accounts = yield* makeMonthAccounts
  const operators = yield* Operators

  const figures = Effect.fnUntraced(function* (
    operator_id: OperatorId,
    { period: wanted, provider }: MonthAsked,
    each: EachLine<never>,
    anew: Effect.Effect<void>
  ) {
    const { time_zone } = yield* Effect.catchTag(operators.page(operator_id), "OperatorNotFound", Effect.die)
    const this_month = localDateOf(time_zone ?? "UTC", yield* Clock.currentTimeMillis).slice(0, 7)
    const period = isPeriod(wanted) ? wanted : this_month
    const query = { period, operator_id }
    const first = (of: string) => dayRange(time_zone ?? "UTC", `${of}${of.includes("-") ? "" : "-01"}-01`).start
    const codes = yield* accounts.codes({ operator_id, from: first(period), until: first(periodBeside(period, 1)) })
    const owed = yield* accounts.vouchersOwed(query)
    const own = (away: boolean) =>
      Effect.map(accounts.own(query, each), ({ sums }): Figures => ({ period, this_month, sums, codes, owed, away }))
    if (!provider) return yield* own(false)
    const compared = yield* Effect.timeoutOption(accounts.compared(query, each), providerTimeout)
    if (compared._tag === "None" || compared.value.failed.length > 0) {
      yield* anew
      return yield* own(true)
    }
    const { differences, sums } = compared.value
    return {
      period,
      this_month,
      sums: sums.sums,
      codes,
      owed,
      compared: { amounts: sums.compared, differences: differences.length },
      away: false
    } satisfies Figures
  })

  return {
    /** The month asked for, or this one. */
    read: Effect.fn("MonthFigures.read")((operator_id: OperatorId, asked: MonthAsked) =>
      figures(operator_id, asked, () => Effect.void, Effect.void)
    ),
    /** The same with the rows of its lines; undefined if they are too many for a file. */
    rows: Effect.fn("MonthFigures.rows")(function* (operator_id: OperatorId, asked: MonthAsked) {
      const rows: Array<AccountRow> = []
      let isTooLong = false
      const found = yield* figures(
        operator_id,
        asked,
        (line) =>
          Effect.sync(() => {
            if (rows.length < maxFileRows) rows.push(...accountRows(line))
            else isTooLong = true
          }),
        Effect.sync(() => {
          rows.splice(0)
          isTooLong = false
        })
      )
      return { ...found, rows: isTooLong ? undefined : rows }
    })
  }
})

const monthBeside = (month: string, months: number): string => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7)
}

/** The period so many months, or years, from this one. */
const periodBeside = (period: string, by: number): string =>
  period.includes("-") ? monthBeside(period, by) : String(Number(period) + by)

const addressOf = (path: string, period: string, provider: boolean): string =>
  `${path}?${period.includes("-") ? "month" : "year"}=${period}${provider ? "&provider=yes" : ""}`

/** How often each code was used by bookings of the period, and what they paid less. */
const codeTable = (codes: ReadonlyArray<CodeSum>, language: Language) => {
  const { month: text } = messages[language].desk
  return dataTable(
    text.codes,
    [text.code, text.uses, text.takenOff],
    codes.map(({ amount, code, currency, uses }) => [
      code,
      uses,
      html`<span class="amount">${moneyIn(language, amount, currency)}</span>`
    ])
  )
}

const monthPage = (request: DeskRequest, found: Figures, alert?: string): HttpServerResponse.HttpServerResponse => {
  const { language } = request
  const { month: text } = messages[language].desk
  const { away, codes, compared, owed, period, sums, this_month } = found
  const ofYear = !period.includes("-")
  const { after, before, title } = ofYear ? text.ofYear : text
  const name = new Intl.DateTimeFormat(language, {
    ...(ofYear ? {} : { month: "long" }),
    year: "numeric",
    timeZone: "UTC"
  }).format(Date.parse(`${period}${ofYear ? "-06" : ""}-15T12:00:00Z`))
  const alerted = away ? text.away : alert
  const agreement =
    compared === undefined
      ? ""
      : compared.differences === 0
        ? html`<p>${text.agrees}</p>`
        : notice(html`<p><strong>${text.differs(compared.differences)}</strong></p>`)
  return deskPage(request, {
    title,
    head: html`<header>
<h1>${title}</h1>
<p class="lead">${name}</p>
</header>
${alerted === undefined ? "" : html`<p role="alert">${alerted}</p>`}`,
    body: html`<form class="search noprint" method="get" action="${deskPaths.month}">
<label>${text.month}<input name="month" type="month" required pattern="20[0-9]{2}-[0-9]{2}" placeholder="2027-01" value="${ofYear ? this_month : period}"></label>
<button class="second">${text.show}</button>
</form>
${actions(
  buttonLink(addressOf(deskPaths.month, periodBeside(period, -1), false), before, true),
  period >= this_month.slice(0, period.length)
    ? undefined
    : buttonLink(addressOf(deskPaths.month, periodBeside(period, 1), false), after, true),
  ofYear ? undefined : buttonLink(addressOf(deskPaths.month, period.slice(0, 4), false), text.ofYear.show, true)
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
${owed.length === 0 ? "" : facts(owed.map(({ amount, currency }) => ({ term: text.vouchersOwed, is: html`<strong>${moneyIn(language, amount, currency)}</strong>` })))}
${codes.length === 0 ? "" : codeTable(codes, language)}
<p class="soft">${compared === undefined ? text.own : text.provider}</p>
${actions(
  buttonLink(addressOf(deskPaths.monthXlsx, period, compared !== undefined), text.download),
  buttonLink(addressOf(deskPaths.monthCsv, period, compared !== undefined), text.downloadCsv, true),
  compared === undefined && !ofYear
    ? buttonLink(addressOf(deskPaths.month, period, true), text.compare, true)
    : undefined
)}`
  })
}

const csvOf = (rows: ReadonlyArray<AccountRow>): Effect.Effect<string> =>
  Effect.map(
    Effect.forEach(Array.chunksOf(rows, rowsInTurn), (some) =>
      Effect.map(Effect.yieldNow, () => some.map((row) => `${csvRow(accountColumns, row)}\r\n`).join(""))
    ),
    (parts) => `${csvHead(accountColumns)}\r\n${parts.join("")}`
  )

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
    write: (period: string, rows: ReadonlyArray<AccountRow>) => Effect.Effect<HttpServerResponse.HttpServerResponse>
  ): DeskScreen => ({
    path,
    right: "see_accounts",
    show: (desk, query) =>
      Effect.flatMap(figures.rows(desk.member.operator_id, askedIn(query)), (found) =>
        found.away || found.rows === undefined
          ? Effect.succeed(monthPage(desk, found, messages[desk.language].desk.month.tooMany))
          : write(found.period, found.rows)
      )
  })
  return [
    {
      path: deskPaths.month,
      right: "see_accounts",
      show: (desk, query) =>
        Effect.map(figures.read(desk.member.operator_id, askedIn(query)), (found) => monthPage(desk, found))
    },
    file(deskPaths.monthCsv, (period, rows) =>
      Effect.map(csvOf(rows), (text) => fileOf(`${period}.csv`, "text/csv; charset=utf-8", Buffer.from(text)))
    ),
    file(deskPaths.monthXlsx, (period, rows) =>
      Effect.map(xlsx(period, accountColumns, rows), (bytes) => fileOf(`${period}.xlsx`, xlsxType, bytes))
    )
  ]
})
