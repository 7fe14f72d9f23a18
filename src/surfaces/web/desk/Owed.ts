/** `/desk/owed`: who owes what at an operator. */
import { Clock, Effect, Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { DueBookings, type DuePosition, maxOwing } from "../../../domain/booking/DueBookings.ts"
import { type Balance, nextDueAt, type StandingKind, standingOf } from "../../../domain/booking/Standing.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, moneyIn, pluralIn } from "../../../words/Localized.ts"
import { decodeCursor, encodeCursor, type OperatorId } from "../../../platform/ids/Ids.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { sumsByCurrency } from "../../../platform/money/Money.ts"
import { PaymentSummaries } from "../../../domain/payment/PaymentSummaries.ts"
import { deskPaths } from "../../../domain/people/staff/StaffMember.ts"
import { actions, buttonLink, dataTable, facts, isolated } from "../frame/Layout.ts"
import { contactOf, deskPage, type DeskRequest, type DeskScreen, whoOf } from "./DeskFrame.ts"

/** A booking that owes its balance. */
interface OwedBooking {
  readonly booking: BookingRow
  readonly kind: StandingKind
  readonly balance: Balance
}

interface OwedPage {
  readonly owed: ReadonlyArray<OwedBooking>
  /** Whether earlier pages exist. */
  readonly continued: boolean
  readonly next_cursor?: string
}

const scopeOf = (operator_id: OperatorId) => ["owed", operator_id]
const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([Schema.Int, Schema.String]))

const positionIn = (scope: unknown, cursor: string | undefined): DuePosition | undefined =>
  cursor === undefined
    ? undefined
    : Option.match(decodePosition(decodeCursor(scope, cursor)), {
        onNone: () => undefined,
        onSome: ([due_at, booking_id]) => ({ due_at, booking_id })
      })

/** The operator's bookings with an unpaid balance. */
const owedBookings = Effect.gen(function* () {
  const due = yield* DueBookings
  const summaries = yield* PaymentSummaries

  /** The operator's bookings with an unpaid balance, by when it is due. A cursor that is not ours: from the start. */
  return Effect.fn("OwedBookings.page")(function* (operator_id: OperatorId, cursor: string | undefined) {
    const now = yield* Clock.currentTimeMillis
    const scope = scopeOf(operator_id)
    const after = positionIn(scope, cursor)
    const rows = yield* due.owing(operator_id, { limit: maxOwing + 1, ...(after === undefined ? {} : { after }) })
    const shown = rows.slice(0, maxOwing)
    const owed = yield* Effect.forEach(
      shown,
      (booking) =>
        Effect.map(summaries.balancePaid(booking), (balance_paid): ReadonlyArray<OwedBooking> => {
          const facts = { now, balance_paid, balance_online: false, refund_on_its_way: 0 }
          const standing = standingOf(booking, facts)
          return "balance" in standing && standing.balance !== undefined
            ? [{ booking, kind: standing.kind, balance: standing.balance }]
            : []
        }),
      { concurrency: 4 }
    )
    const last = rows.length > maxOwing ? shown.at(-1) : undefined
    return {
      owed: owed.flat(),
      continued: after !== undefined,
      ...(last === undefined
        ? {}
        : {
            next_cursor: encodeCursor(scope, [
              nextDueAt(last, { balance_paid: false }) ?? last.starts_at,
              last.booking_id
            ])
          })
    }
  })
})

/** What a clerk has to know beside the date: whether it has passed, and where it is paid. */
const remark = ({ balance, booking, kind }: OwedBooking, language: Language): string => {
  const { marks, owed } = messages[language].desk
  if (booking.attendance === "no_show") return marks.no_show
  if (kind === "over") return owed.over
  if (balance.payment === "processing") return owed.processing
  return balance.at_venue ? owed.atVenue : balance.overdue ? owed.overdue : ""
}

const rowOf = (one: OwedBooking, language: Language): ReadonlyArray<Html> => {
  const { balance, booking, kind } = one
  const { currency, starts_at, terms } = booking
  const when = (at: number) => dateTimeIn(language, terms.time_zone, at)
  const note = remark(one, language)
  const late = balance.overdue || kind === "over" || kind === "did_not_come"
  return [
    whoOf(booking, language),
    contactOf(booking),
    html`${when(starts_at)}<br><span class="soft">${isolated(terms.playroom_name)}</span>`,
    html`<strong>${moneyIn(language, balance.amount, currency)}</strong>`,
    html`${when(balance.due_at)}${note === "" ? "" : html`<br>${late ? html`<b class="due">${note}</b>` : html`<span class="soft">${note}</span>`}`}`
  ]
}

/** The sums by currency, if the page has all. */
const sumsOf = ({ continued, next_cursor, owed }: OwedPage, language: Language): Html | undefined => {
  if (continued || next_cursor !== undefined || owed.length < 2) return undefined
  const sums = sumsByCurrency(owed.map(({ balance, booking }) => ({ ...balance, currency: booking.currency })))
  return facts(
    sums.map(({ amount, currency }) => ({
      term: messages[language].desk.owed.sum,
      is: html`<strong>${moneyIn(language, amount, currency)}</strong>`
    }))
  )
}

const owedPage = (request: DeskRequest, page: OwedPage): HttpServerResponse.HttpServerResponse => {
  const { language } = request
  const { desk, words } = messages[language]
  const { owed } = desk
  const whole = !page.continued && page.next_cursor === undefined
  const lead = page.owed.length === 0 ? owed.none : whole ? pluralIn(language, page.owed.length, owed.lead) : ""
  return deskPage(request, {
    title: owed.title,
    words: "",
    head: html`<header>
<h1>${owed.title}</h1>
${lead === "" ? "" : html`<p class="lead">${lead}</p>`}
</header>`,
    body: html`${
      page.owed.length === 0
        ? ""
        : dataTable(
            desk.visits,
            [owed.who, desk.contact, words.visit, owed.amount, owed.due],
            page.owed.map((one) => rowOf(one, language))
          )
    }
${sumsOf(page, language)}
${actions(
  page.next_cursor === undefined
    ? undefined
    : buttonLink(`${deskPaths.owed}?cursor=${encodeURIComponent(page.next_cursor)}`, desk.moreBookings),
  page.continued ? buttonLink(deskPaths.owed, owed.fromStart, true) : undefined
)}`
  })
}

/** The screen. */
export const owed = Effect.map(owedBookings, (read): DeskScreen => ({
  path: deskPaths.owed,
  show: (desk, { cursor }) => Effect.map(read(desk.member.operator_id, cursor), (found) => owedPage(desk, found))
}))
