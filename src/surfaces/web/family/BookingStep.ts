/** A step that the family can take on its page: a page of its own and a form. */

import { Effect, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { amountsToPay } from "../../../domain/booking/Standing.ts"
import { VersionToken } from "../../../domain/booking/VersionToken.ts"
import type { ChangedBooking } from "../../../domain/booking/ChangePlan.ts"
import { linkPaths, payTogetherQuery, togetherName } from "../../../platform/access/LinkTokens.ts"
import type { Money } from "../../../platform/money/Money.ts"
import { type Html, html } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn, moneyIn, dateTimeIn } from "../../../words/Localized.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"
import {
  type PageAnswer,
  page,
  type Fact,
  actions,
  buttonLink,
  dataTable,
  facts,
  isolated,
  section
} from "../frame/Layout.ts"
import { askVenue } from "../frame/LinkProblems.ts"
import { priceTable, howBack } from "./MoneyFacts.ts"
import type { Ledger, LedgerLine } from "../../../domain/payment/refunds/BookingLedger.ts"
import type { ShownBooking, Receipt, ShownBookings } from "./ShownBookings.ts"
import { whenOf, termsParagraphs } from "./Visit.ts"

/**
 * Where a payer came back from: the id of the payment (`""`: unknown), how its page was left (`success` or `cancel`),
 * and how often the page has reloaded itself.
 */
export interface PaidQuery {
  readonly paid?: string
  readonly outcome?: string
  readonly look?: string
}

/** A request for a booking's page: its token, the reader's language, and the query. */
export interface LinkRequest {
  readonly token: string
  readonly language: Language
  readonly query: {
    readonly step?: string
    readonly month?: string
    readonly date?: string
    readonly option?: string
    readonly grant?: string
  } & PaidQuery
}

/** A booking opened by a link, with the request. */
export interface OpenedBooking extends ShownBooking {
  readonly asked: LinkRequest
}

/** The parts that a step adds to the booking's page while it is available. */
export interface StepParts {
  /** The main action: a button above the facts. */
  readonly main?: Html
  /** What the family should do soon, above all else. */
  readonly notice?: Html
  /** A link to the step, at the end of the page. */
  readonly action?: Html
  /** What else there is to pay, in a section of its own: not shown while a payment is awaited. */
  readonly payments?: Html
  /** A section of its own, after the terms. */
  readonly section?: Html
  /** Rows in the booking's facts. */
  readonly facts?: ReadonlyArray<Fact>
}

/** A step. `FamilyRoutes.ts` registers it by name. */
export interface BookingStep {
  readonly parts?: (opened: OpenedBooking) => Effect.Effect<StepParts, SqlError.SqlError>
  /** `GET /b/{token}?step=NAME` changes nothing. If absent, the booking's page is shown. */
  readonly show?: (opened: OpenedBooking) => PageAnswer
  /** `POST /b/{token}` with `step=NAME` in its form. If absent, there is no form. */
  readonly act?: (opened: OpenedBooking, form: URLSearchParams) => PageAnswer
}

/** The address of a booking's page, or of one of its steps, on this service. */
export const stepAddress = ({ token }: Pick<LinkRequest, "token">, step?: string): string =>
  `${linkPaths.booking}${token}${step === undefined ? "" : `?step=${step}`}`

/** The address of the page where a booking, or all that was booked together, can be paid and nothing else. */
export const payAddress = ({ query: { step }, token }: Pick<LinkRequest, "query" | "token">): string =>
  `${linkPaths.pay}${token}${step === togetherName ? payTogetherQuery : ""}`

// What the family's forms have in common: they name the state that they showed (`domain/booking/VersionToken.ts`).

const decode = Schema.decodeUnknownEffect(
  Schema.Struct({
    shown: VersionToken,
    option: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(80)))
  })
)

/** The fields of a submitted form. */
export const shownIn = (form: URLSearchParams) => decode(Object.fromEntries(form))

/** Leads to the booking's page. */
export const toBooking = ({ asked }: Pick<OpenedBooking, "asked">) =>
  Effect.succeed(redirectAfterPost(stepAddress(asked)))

/** Another change of the booking is under way. */
export const underWayPage = ({ asked }: OpenedBooking): HttpServerResponse.HttpServerResponse => {
  const { language } = asked
  const { booking: text, words } = messages[language]
  return page(
    text.underWayTitle,
    html`<h1>${text.underWayTitle}</h1>
<p class="lead">${text.underWay}</p>
${actions(buttonLink(stepAddress(asked), words.toBooking, true))}`,
    { language, status: 409, headers: { vary: "accept-language" } }
  )
}

// The receipt of a booking, to read and to print: who sells, the lines, the tax, what was paid and went back when.

/** The step's name in addresses. */
export const receiptName = "receipt"

/** The payments and refunds, each with its day at the venue and the decision behind it, and what is kept of them. */
export const moneyTable = ({ currency, terms }: BookingRow, { kept, lines }: Ledger, language: Language): Html => {
  const { booking, receipt: text, words } = messages[language]
  if (lines.length === 0) return html`<p>${text.nonePaid}</p>`
  const what = {
    payment: text.payment,
    refund: text.refund,
    refund_on_its_way: text.refundOpen,
    refund_not_sent: text.refundWaits
  }
  const why = ({ cause }: LedgerLine) =>
    cause === undefined ? "" : html`<br><span class="soft">${text.causes[cause]}</span>`
  const rows = lines.map((one) => [
    dateIn(language, terms.time_zone, one.at),
    html`${one.way === undefined ? what[one.what] : text.paidBy[one.way]}${why(one)}`,
    html`<span class="amount">${moneyIn(language, one.what === "payment" ? one.amount : -one.amount, one.currency)}</span>`
  ])
  const sum = [
    html`<strong>${words.total}</strong>`,
    "",
    html`<strong><span class="amount">${moneyIn(language, kept, currency)}</span></strong>`
  ]
  return dataTable(text.payments, [text.date, booking.what, booking.amount], lines.length === 1 ? rows : [...rows, sum])
}

/** Who sells: by law, and as families know it. */
const sellerOf = ({ legal_name, name }: Receipt["seller"]): Html =>
  legal_name === undefined || legal_name === name ? isolated(name) : html`${isolated(legal_name)}<br>${isolated(name)}`

export const receiptStep = ({ receipt: read }: Pick<ShownBookings["Service"], "receipt">): BookingStep => ({
  show: ({ asked, booking, summary }) =>
    Effect.map(read(booking), ({ ledger, seller }) => {
      const { language } = asked
      const { receipt, words } = messages[language]
      const { outstanding } = amountsToPay(booking, summary)
      const left = moneyIn(language, outstanding, booking.currency)
      return page(
        `${receipt.title}: ${booking.reference}`,
        html`<h1>${receipt.title}</h1>
${facts([
  { term: receipt.from, is: sellerOf(seller) },
  ...(seller.tax_number === undefined ? [] : [{ term: receipt.taxNumber, is: isolated(seller.tax_number) }]),
  { term: receipt.forWhom, is: isolated(booking.contact_name) },
  { term: words.reference, is: html`<span class="reference">${booking.reference}</span>` },
  { term: receipt.bookedOn, is: dateIn(language, booking.terms.time_zone, booking.created_at) },
  {
    term: words.visit,
    is: html`${isolated(booking.terms.package_name)}<br>${isolated(booking.terms.playroom_name)}<br>${isolated(booking.terms.address)}`
  },
  { term: words.when, is: whenOf(booking, language) }
])}
${priceTable(booking, language)}
${moneyTable(booking, ledger, language)}
${outstanding === 0 ? "" : facts([{ term: receipt.left, is: html`<strong>${left}</strong>` }])}
<p class="soft noprint">${receipt.printed} ${receipt.notInvoice}</p>
${actions(buttonLink(stepAddress(asked), words.toBooking, true))}`,
        { language, headers: { vary: "accept-language" } }
      )
    })
})

// What the pages for moving a booking and for changing its party have in common.

/** A sentence that is read out at once; nothing without one. */
export const alertOf = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p role="alert">${text}</p>\n`

/** That it can't be changed here now, why, and whom to ask. */
export const refusalPage = (
  { asked, summary }: OpenedBooking,
  title: string,
  why: string
): HttpServerResponse.HttpServerResponse => {
  const { language } = asked
  return page(
    title,
    html`<h1>${title}</h1>
<p class="lead">${why}</p>
${askVenue(summary.operator, language)}
${actions(buttonLink(stepAddress(asked), messages[language].words.toBooking, true))}`,
    { language, status: 409, headers: { vary: "accept-language" } }
  )
}

/** What a refund by the provider would have to wait for. */
type WaitsFor = "bank" | "account" | undefined

/** The same, of a booking. `disputed`: of a payment that its bank has still to decide about. */
export const waitsFor = ({ account_closed }: OpenedBooking["summary"], disputed: boolean): WaitsFor =>
  disputed ? "bank" : account_closed === true ? "account" : undefined

/** How a refund would go back. What of it is not given back by hand may have to wait. */
export const backOf = (
  { by_hand, refund }: Pick<ChangedBooking, "by_hand" | "refund">,
  waits: WaitsFor,
  language: Language
): string => {
  const { amount, currency } = refund
  const rest = amount - by_hand.amount
  return howBack(
    {
      amount,
      by_hand: by_hand.amount,
      ...(waits === "bank" ? { disputed: rest } : waits === "account" ? { blocked: rest } : {})
    },
    currency,
    language
  )
}

/** The refund, and how it goes back; undefined if the price stays or rises. */
const refundOf = (change: ChangedBooking, waits: WaitsFor, language: Language): Html | string | undefined => {
  const { balance, difference, refund } = change
  if (refund.amount > 0)
    return html`<strong>${moneyIn(language, refund.amount, refund.currency)}</strong><br><span class="soft">${backOf(change, waits, language)}</span>`
  return difference < 0 && balance.amount === 0 ? messages[language].move.nothingBack : undefined
}

/** When or where a balance is paid; undefined if nothing says so. */
export const balanceHow = (
  { balance_at_venue, price, time_zone }: BookingRow["terms"],
  language: Language
): string | undefined => {
  const { booking: text } = messages[language]
  if (balance_at_venue === true) return text.atVenue
  const due = price.balance_due_at
  return due === undefined ? undefined : text.by(dateTimeIn(language, time_zone, Date.parse(due)))
}

/** The balance, and when or where it is paid. */
export const balanceOf = ({ balance, booking }: ChangedBooking, language: Language): Html | undefined => {
  if (balance.amount === 0) return undefined
  const how = balanceHow(booking.terms, language)
  const by = how === undefined ? "" : html`<br><span class="soft">${how}</span>`
  return html`<strong>${moneyIn(language, balance.amount, booking.currency)}</strong>${by}`
}

/** The new price, and by how much it is another. */
export const priceOf = ({ booking, difference, from }: ChangedBooking, language: Language): Html => {
  const { move: text } = messages[language]
  const money = (amount: number) => moneyIn(language, amount, booking.currency)
  if (difference === 0) return html`${text.stays(money(from.total))}`
  const by = difference > 0 ? text.more(money(difference)) : text.less(money(-difference))
  return html`${text.instead(money(booking.total), money(from.total))}<br><strong>${by}</strong>`
}

/** That what was given beside the price stays; nothing if none was, or the price does. */
export const goodwillOf = ({ difference, goodwill }: ChangedBooking, language: Language): Html | string =>
  goodwill.amount === 0 || difference === 0
    ? ""
    : html`<br><span class="soft">${messages[language].move.goodwill(moneyIn(language, goodwill.amount, goodwill.currency))}</span>`

/** What a change costs: the price, what comes back, and what is paid later. */
export const moneyOfChange = (
  { summary }: Pick<OpenedBooking, "summary">,
  change: ChangedBooking,
  language: Language
): ReadonlyArray<Fact> => {
  const { cancel, move: text, words } = messages[language]
  const { back_before, waived } = change
  const soft = (amount: Money, says: (shown: string) => string) =>
    amount.amount === 0
      ? ""
      : html`<br><span class="soft">${says(moneyIn(language, amount.amount, amount.currency))}</span>`
  const back = refundOf(change, waitsFor(summary, summary.disputed === true), language)
  const balance = balanceOf(change, language)
  return [
    {
      term: words.price,
      is: html`${priceOf(change, language)}${soft(waived, text.waived)}${soft(back_before, cancel.wentBackBefore)}${goodwillOf(change, language)}`
    },
    ...(back === undefined ? [] : [{ term: words.comesBack, is: back }]),
    ...(balance === undefined ? [] : [{ term: words.balance, is: balance }])
  ]
}

/** The terms after a change. */
export const termsAfter = (
  { summary }: OpenedBooking,
  { balance, booking, refund }: ChangedBooking,
  language: Language
): Html | undefined => {
  const after = {
    ...summary,
    given_back: summary.given_back + refund.amount,
    left: summary.left - refund.amount,
    refund_on_its_way: summary.refund_on_its_way + refund.amount,
    balance_paid: balance.amount === 0
  }
  return section(messages[language].booking.terms, termsParagraphs(booking, after, language))
}
