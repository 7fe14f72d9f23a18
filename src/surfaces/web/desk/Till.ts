/** `/desk/till`: a day's end: what was taken and given back at the venue, by way and by who did it. */
import { Clock, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import type { OwnLine } from "../../../domain/payment/accounts/AccountLine.ts"
import { makeAccounts } from "../../../domain/payment/accounts/Accounts.ts"
import { WayWithoutProvider } from "../../../domain/payment/sessions/PaymentSession.ts"
import { deskPaths } from "../../../domain/people/staff/StaffMember.ts"
import type { OperatorId } from "../../../platform/ids/Ids.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { addDays, dayRange, isLocalDate, type LocalDate, localDateOf } from "../../../platform/time/LocalTime.ts"
import { messages } from "../../../words/Languages.ts"
import { moneyIn } from "../../../words/Localized.ts"
import { actions, buttonLink, dataTable, facts, isolated } from "../frame/Layout.ts"
import { dateText } from "../operator/OperatorDays.ts"
import { deskPage, type DeskRequest, type DeskScreen } from "./DeskFrame.ts"

/** Lines of one reading. */
const pageSize = 1000

interface TillDay {
  readonly date: LocalDate
  readonly today: LocalDate
  /** What was taken, positive, and what was given back or undone, negative, oldest first. */
  readonly lines: ReadonlyArray<OwnLine>
}

const sum = (lines: ReadonlyArray<OwnLine>): number => lines.reduce((all, { amount }) => all + amount, 0)

/** The sums of one currency. */
const tillPart = ({ language }: DeskRequest, currency: string, lines: ReadonlyArray<OwnLine>): Html => {
  const { desk, receipt } = messages[language]
  const { till } = desk
  const ways = WayWithoutProvider.literals
  const money = (some: ReadonlyArray<OwnLine>) => moneyIn(language, sum(some), currency)
  const by = (way: OwnLine["way"]) => lines.filter((line) => line.way === way)
  const names = [...new Set(lines.map((line) => line.by))].toSorted((a, b) => (a ?? "").localeCompare(b ?? ""))
  return html`${facts([{ term: till.drawer, is: html`<strong>${money(by("cash"))}</strong><br><span class="soft">${till.drawerMeans}</span>` }])}
${dataTable(
  till.byWay,
  [till.way, till.taken, till.back, till.sum],
  ways.map((way) => [
    receipt.paidBy[way],
    money(by(way).filter(({ amount }) => amount > 0)),
    money(by(way).filter(({ amount }) => amount < 0)),
    html`<strong>${money(by(way))}</strong>`
  ])
)}
${dataTable(
  till.byPerson,
  [till.who, ...ways.map((way) => receipt.paidBy[way])],
  names.map((name) => [
    name === null ? "–" : isolated(name),
    ...ways.map((way) => money(by(way).filter((line) => line.by === name)))
  ])
)}`
}

const tillPage = (desk: DeskRequest, { date, lines, today }: TillDay): HttpServerResponse.HttpServerResponse => {
  const { language } = desk
  const { desk: text } = messages[language]
  const { till } = text
  const beside = (days: number) => {
    const day = addDays(date, days)
    return buttonLink(`${deskPaths.till}?day=${day}`, dateText(language, day), true)
  }
  const currencies = [...new Set(lines.map(({ currency }) => currency))].toSorted()
  return deskPage(desk, {
    title: till.title,
    head: html`<h1>${till.title}</h1>
<p class="lead">${lines.length === 0 ? till.none(dateText(language, date)) : dateText(language, date)}</p>`,
    body: html`${currencies.map((currency) =>
      tillPart(
        desk,
        currency,
        lines.filter((line) => line.currency === currency)
      )
    )}
${actions(beside(-1), date < today ? beside(1) : undefined, buttonLink(deskPaths.vouchers, text.voucher.title, true), buttonLink(deskPaths.desk, text.toDay, true))}`
  })
}

/** The screen. */
export const till = Effect.gen(function* () {
  const accounts = yield* makeAccounts
  const operators = yield* Operators

  const read = Effect.fn("Till.read")(function* (operator_id: OperatorId, day: string | undefined) {
    const { time_zone: zone } = yield* Effect.catchTag(operators.page(operator_id), "OperatorNotFound", Effect.die)
    const time_zone = zone ?? "UTC"
    const today = localDateOf(time_zone, yield* Clock.currentTimeMillis)
    const date = isLocalDate(day) ? day : today
    const { end, start } = dayRange(time_zone, date)
    const lines: Array<OwnLine> = []
    for (let after: OwnLine | undefined; ;) {
      const query = { operator_id, at_venue: true, from: start, until: end, limit: pageSize } as const
      const page: ReadonlyArray<OwnLine> = yield* accounts.lines(after === undefined ? query : { ...query, after })
      lines.push(
        ...page.filter(({ cause, kind, way }) => kind !== "correction" && way !== "other" && cause !== "expired")
      )
      after = page.at(-1)
      if (page.length < pageSize) return { date, today, lines } satisfies TillDay
    }
  })

  return {
    path: deskPaths.till,
    right: "take_payment",
    show: (desk, { day }) => Effect.map(read(desk.member.operator_id, day), (found) => tillPage(desk, found))
  } satisfies DeskScreen
})
