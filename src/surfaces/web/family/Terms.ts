/** A booking's terms in a language, from the same facts as the tools' `terms.text`. */
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { type bookedTerms, bookedTermsFacts } from "../../../domain/booking/BookingViews.ts"
import type { TermsFacts } from "../../../domain/catalogue/VisitTerms.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, moneyIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { dataTable } from "../frame/Parts.ts"

/** What comes back until when: a column for each sum that is or will be paid. Undefined if nothing ever does. */
const refundTable = (
  { refunds }: TermsFacts,
  { currency, terms }: BookingRow,
  language: Language
): Html | undefined => {
  const moments = [...new Set(refunds.flatMap(({ deadlines }) => deadlines.map(({ until }) => until)))]
  if (moments.length === 0) return undefined
  const text = messages[language].refundTable
  const heads = { paid: text.ofPaid, due_now: text.ofDueNow, all: text.ofAll }
  const money = (amount = 0) =>
    amount === 0 ? text.nothing : html`<span class="amount">${moneyIn(language, amount, currency)}</span>`
  const rows = moments
    .toSorted((one, other) => one - other)
    .map((moment) => [
      // On a telephone there is no head of the column that says it.
      html`<span class="narrow">${text.until} </span>${dateTimeIn(language, terms.time_zone, moment)}`,
      ...refunds.map(({ deadlines }) => money(deadlines.find(({ until }) => moment <= until)?.refund))
    ])
  return dataTable(
    text.caption,
    [text.until, ...refunds.map(({ of, sum }) => heads[of](moneyIn(language, sum, currency)))],
    [...rows, [text.afterwards, ...refunds.map(() => text.nothing)]]
  )
}

/** The current terms of a booking; empty if it is over. */
export const termsParagraphs = (
  booking: BookingRow,
  summary: Parameters<typeof bookedTerms>[1],
  language: Language
): ReadonlyArray<Html> => {
  const facts = bookedTermsFacts(booking, summary)
  if (facts === undefined) return []
  const { deadlines, terms: text } = messages[language]
  const money = (amount: number) => moneyIn(language, amount, booking.currency)
  const when = (instant: Instant) => dateTimeIn(language, booking.terms.time_zone, instant)
  const line = (text: string) => html`<p>${text}</p>`
  const refunds = refundTable(facts, booking, language)
  const { deposit, free_reschedule_until: moving, given_back, party } = facts
  const released = facts.released_if_unpaid_at
  const wentBack = given_back - summary.refund_on_its_way
  const amounts = [
    ...(deposit === undefined || deposit.amount === 0 ? [] : [line(text.deposit(money(deposit.amount), deposit.kept))]),
    ...(wentBack > 0 ? [line(text.wentBack(money(wentBack)))] : []),
    refunds ?? line(given_back === 0 ? text.nothingBack : text.nothingMoreBack)
  ]
  const dated = moving !== undefined || !party.over || released !== undefined || refunds !== undefined
  return [
    ...(facts.nothing_to_pay ? [line(text.nothingToPay)] : amounts),
    ...(facts.rest_at_venue ? [line(text.restAtVenue)] : []),
    ...(released === undefined ? [] : [line(text.releasedAt(when(released)))]),
    ...(moving === undefined ? [] : [line(text.moveUntil(when(moving)))]),
    ...(party.over ? [] : [line(text.headcountBy(when(party.until)))]),
    ...(party.over && party.headcount ? [line(text.headcountFinal)] : []),
    ...(dated ? [html`<p class="soft">${deadlines.local}</p>`] : [])
  ]
}
