/** A booking's terms in a language, from the same facts as the tools' `terms.text`. */
import type { BookingRow } from "../../booking/Booking.ts"
import { bookedTermsFacts } from "../../booking/BookingViews.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { dateTimeIn, moneyIn } from "../../i18n/Localized.ts"
import { html, type Html } from "../../kernel/Html.ts"
import type { Instant } from "../../kernel/LocalTime.ts"

/** The current terms of a booking; empty if it is over. */
export const termsParagraphs = (
  booking: BookingRow,
  summary: Parameters<typeof bookedTermsFacts>[1],
  language: Language
): ReadonlyArray<Html> => {
  const facts = bookedTermsFacts(booking, summary)
  if (facts === undefined) return []
  const text = messages[language].terms
  const money = (amount: number) => moneyIn(language, amount, booking.currency)
  const when = (instant: Instant) => dateTimeIn(language, booking.terms.time_zone, instant)
  const line = (text: string) => html`<p>${text}</p>`
  const openings = { paid: text.ofPaid, due_now: text.ofDueNow, all: text.ofAll }
  const refunds = facts.refunds
    .filter(({ deadlines }) => deadlines.length > 0)
    .map(({ deadlines, of, sum }) => {
      const items = [
        ...deadlines.map(({ refund, until }) => text.until(when(until), refund === 0 ? undefined : money(refund))),
        text.afterwards
      ]
      return html`${line(openings[of](money(sum)))}<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`
    })
  const { deposit, final_headcount: headcount, free_reschedule_until: moving, given_back } = facts
  const released = facts.released_if_unpaid_at
  const amounts = [
    ...(deposit === undefined || deposit.amount === 0 ? [] : [line(text.deposit(money(deposit.amount), deposit.kept))]),
    ...(given_back === 0 ? [] : [line(text.wentBack(money(given_back)))]),
    ...(refunds.length > 0 ? refunds : [line(given_back === 0 ? text.nothingBack : text.nothingMoreBack)])
  ]
  const dated = moving !== undefined || headcount?.over === false || released !== undefined || refunds.length > 0
  return [
    ...(facts.nothing_to_pay ? [line(text.nothingToPay)] : amounts),
    ...(released === undefined ? [] : [line(text.releasedAt(when(released)))]),
    ...(moving === undefined ? [] : [line(text.moveUntil(when(moving)))]),
    ...(headcount === undefined
      ? []
      : [line(headcount.over ? text.headcountFinal : text.headcountBy(when(headcount.by)))]),
    ...(dated ? [html`<p class="soft">${messages[language].deadlines.local}</p>`] : [])
  ]
}
