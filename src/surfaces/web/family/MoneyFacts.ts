/** A booking's money on the pages: what is paid, due, on its way back, and kept; and the lines of its price. */
import type { TaxPart } from "../../../domain/payment/accounts/AccountLine.ts"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { outstandingRefund, toView } from "../../../domain/booking/BookingViews.ts"
import { refundDue } from "../../../domain/catalogue/RefundSchedule.ts"
import { nextActor, type Standing } from "../../../domain/booking/Standing.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, durationIn, momentIn, moneyIn, percentIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { dayMs } from "../../../platform/time/LocalTime.ts"
import { dataTable, type Fact, isolated } from "../frame/Layout.ts"
import type { ShownBooking } from "./ShownBookings.ts"

/** What goes back, in minor units, and how: the parts of `amount`, and what did not arrive (`failed`). */
interface GoesBack {
  readonly amount: number
  readonly by_hand?: number
  readonly disputed?: number
  readonly blocked?: number
  readonly failed?: number
}

/**
 * How money goes back: by the venue what was paid there (`by_hand`), after the bank's decision what it disputes, once
 * the venue's account takes payments again what can't be sent now (`blocked`), all else by the payer's bank. What did
 * not arrive, the payer has to ask for.
 */
export const howBack = (
  { amount, blocked = 0, by_hand = 0, disputed = 0, failed = 0 }: GoesBack,
  currency: string,
  language: Language
): string => {
  const { letters, words } = messages[language]
  const money = (part: number) => moneyIn(language, part, currency)
  const by_bank = amount - by_hand - disputed - blocked
  const ways = [
    ...(by_bank > 0 && by_hand > 0 ? [words.backByBoth(money(by_bank), money(by_hand))] : []),
    ...(by_bank > 0 && by_hand === 0 ? [words.backByBank] : []),
    ...(by_bank === 0 && by_hand > 0 ? [words.backByVenue] : []),
    ...(disputed > 0 ? [words.backAfterDispute(money(disputed))] : []),
    ...(blocked > 0 ? [words.backOnceOpen(money(blocked))] : []),
    ...(failed > 0 ? [letters.refundFailed.lead(money(failed))] : [])
  ]
  return ways.reduce((said, way) => (said === "" ? way : words.followedBy(said, way)), "")
}

/** How what goes back of a booking does. */
const waysBack = (summary: ShownBooking["summary"]): GoesBack => ({
  amount: summary.refund_on_its_way,
  by_hand: summary.refund_by_hand ?? 0,
  disputed: summary.refund_disputed ?? 0,
  blocked: summary.refund_blocked ?? 0,
  failed: summary.refund_failed ?? 0
})

/** The standings whose words tell of money that is on its way back. */
const tellingOfRefunds: ReadonlySet<Standing["kind"]> = new Set([
  "confirmed_paid_back",
  "released",
  "expired_going_back",
  "cancelled_going_back"
])

/** How what is on its way back goes back; undefined if nothing is. `told`: whether the standing's words tell of it. */
export const howGoesBack = (
  { booking, summary }: Pick<ShownBooking, "booking" | "summary">,
  { kind }: Standing,
  told: boolean,
  language: Language
): string | undefined => {
  return outstandingRefund(summary) === 0 || tellingOfRefunds.has(kind) !== told
    ? undefined
    : howBack(waysBack(summary), booking.currency, language)
}

type BookedPrice = BookingRow["terms"]["price"]

/** The label of a price line. Labels that don't come from the catalogue are translated. */
const lineLabel = (
  { agreed, billed_children, kind, label, rule, tax_percent, waived }: BookedPrice["lines"][number],
  { rate_percent }: BookedPrice["tax"],
  language: Language
): string => {
  const { lines } = messages[language].booking
  const billed = billed_children === undefined ? "" : ` (${lines.billedAs(String(billed_children))})`
  const by = rule === undefined ? "" : ` (${rule})`
  switch (kind) {
    case "children":
      return lines.children + by + billed
    case "extra_children":
      return lines.extraChildren + by + billed
    case "adults":
      return lines.adults
    case "extra_adults":
      return lines.extraAdults
    case "tax":
      return lines.tax(percentIn(language, tax_percent ?? rate_percent))
    case "rule":
      if (agreed === true) return lines.agreed
      return waived === true ? lines.waived : label
    case "package":
    case "add_on":
      return label
  }
}

/** Amounts by rates of tax: of a price, or what came less what went back. */
export const taxTable = (taxes: ReadonlyArray<TaxPart>, currency: string, language: Language) => {
  const { month: text } = messages[language].desk
  const money = (amount: number) => html`<span class="amount">${moneyIn(language, amount, currency)}</span>`
  return dataTable(
    text.taxes,
    [text.rate, text.withTax, text.tax, text.withoutTax],
    taxes.map(({ amount, rate_percent, tax }) => [
      percentIn(language, rate_percent),
      money(amount),
      money(tax),
      money(amount - tax)
    ])
  )
}

/** The lines of the price, its sum, and its tax: with several rates, each line has its own, and each has its sum. */
export const priceTable = ({ currency, terms, total }: BookingRow, language: Language): Html => {
  const { booking: text, words } = messages[language]
  const { lines, tax } = terms.price
  const money = (amount: number) => html`<span class="amount">${moneyIn(language, amount, currency)}</span>`
  const rateOf = ({ kind, tax_percent }: (typeof lines)[number]) =>
    tax_percent === undefined || kind === "tax"
      ? ""
      : html` <span class="soft">${percentIn(language, tax_percent)}</span>`
  const taxNote = (rate_percent: number, amount: number) =>
    html`<p class="soft">${text.tax(percentIn(language, rate_percent), moneyIn(language, amount, currency), tax.included)}</p>`
  const note =
    tax.rates === undefined
      ? tax.amount === 0
        ? ""
        : taxNote(tax.rate_percent, tax.amount)
      : taxTable(
          tax.rates.map(({ gross, ...rate }) => ({ ...rate, amount: gross })),
          currency,
          language
        )
  return html`${dataTable(
    words.price,
    [text.what, text.quantity, text.amount],
    [
      ...lines.map((line) => [
        html`${isolated(lineLabel(line, tax, language))}${rateOf(line)}`,
        line.quantity,
        money(line.amount)
      ]),
      [html`<strong>${words.total}</strong>`, "", html`<strong>${money(total)}</strong>`]
    ]
  )}${note}`
}

/** What of a cancelled booking's payments is kept, and what its terms were at that moment. */
const keptFact = ({ booking, ended_at, summary }: ShownBooking, language: Language) => {
  const { currency, paid, refunded, starts_at, status, terms } = booking
  const kept = paid - refunded - outstandingRefund(summary)
  const ended = status === "cancelled" ? ended_at : terms.released_at
  if (status !== "cancelled" && terms.released_at === undefined) return undefined
  if (paid === 0 || ended === undefined) return undefined
  const text = messages[language].page
  const when = dateTimeIn(language, terms.time_zone, ended)
  const { owed } = refundDue({ ...terms, currency, paid, refunded: 0, starts_at, now: ended })
  const byTerms = owed === 0 ? text.byTermsNothing(when) : text.byTerms(when, moneyIn(language, owed, currency))
  return { amount: Math.max(0, kept), byTerms }
}

/** What is paid, due, went back, and is kept. `how`: how what goes back does; by itself as the family reads it. */
export const moneyFacts = (
  shown: ShownBooking,
  standing: Standing,
  language: Language,
  how: ReadonlyArray<string> = [howGoesBack(shown, standing, false, language) ?? ""].filter((said) => said !== "")
): ReadonlyArray<Fact> => {
  const { booking, summary } = shown
  const { kind } = standing
  const { booking: text, page, words } = messages[language]
  const { balance: left, due_now, paid, refunded } = toView(booking, summary)
  // Nobody is asked for it while a person decides about money that came for it.
  const balance = nextActor(standing) === "service" ? undefined : left
  const { refund_blocked = 0, refund_disputed = 0, refund_failed = 0, refund_on_its_way } = summary
  const money = (amount: number) => moneyIn(language, amount, booking.currency)
  const by = (moment: number) => {
    const left = moment - summary.now
    return [
      text.by(momentIn(language, booking.terms.time_zone, moment)),
      ...(left < dayMs ? [] : [messages[language].deadlines.left(durationIn(language, left))])
    ]
  }
  const fact = (
    term: string,
    amount: { readonly amount: number } | undefined,
    more: ReadonlyArray<string>
  ): ReadonlyArray<Fact> =>
    amount === undefined || amount.amount === 0
      ? []
      : [
          {
            term,
            is: html`<strong>${money(amount.amount)}</strong>${more.map((line) => html`<br><span class="soft">${line}</span>`)}`
          }
        ]
  const presented = (summary.presented ?? []).map((one) =>
    words.presented(moneyIn(language, one.amount, one.currency), money(one.paid))
  )
  const kept = keptFact(shown, language)
  const toPay = kind === "to_pay" || kind === "payment_failed" || kind === "not_payable"
  return [
    ...fact(words.paid, paid, presented),
    ...fact(words.refunded, refunded, kept === undefined || kept.amount > 0 ? [] : [kept.byTerms]),
    ...(refund_blocked + refund_disputed + refund_failed === 0
      ? fact(words.refunding, { amount: refund_on_its_way }, how)
      : fact(words.comesBack, { amount: outstandingRefund(summary) }, how)),
    ...fact(page.kept, kept, kept === undefined ? [] : [kept.byTerms]),
    ...(toPay ? fact(words.dueNow, due_now, []) : []),
    ...fact(
      words.balance,
      balance?.amount,
      balance === undefined
        ? []
        : booking.terms.balance_at_venue === true
          ? [text.atVenue]
          : by(Date.parse(balance.due_at))
    )
  ]
}
