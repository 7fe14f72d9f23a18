/** The receipt of a booking, to read and to print: who sells, the lines, the tax, what was paid and went back when. */
import { Effect } from "effect"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { amountsToPay } from "../../../domain/booking/Standing.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn, moneyIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { page } from "../frame/Layout.ts"
import { actions, buttonLink, dataTable, facts, isolated } from "../frame/Parts.ts"
import { type BookingStep, stepAddress } from "./BookingStep.ts"
import { priceTable } from "./MoneyFacts.ts"
import type { MovedMoney, Receipt, ShownBookings } from "./ShownBookings.ts"
import { whenOf } from "./Visit.ts"

/** The step's name in addresses. */
export const receiptName = "receipt"

/** The payments and refunds, each with its day at the venue. */
export const moneyTable = (
  { currency, terms }: BookingRow,
  moved: ReadonlyArray<MovedMoney>,
  language: Language
): Html => {
  const { booking, receipt: text } = messages[language]
  if (moved.length === 0) return html`<p>${text.nonePaid}</p>`
  const what = { payment: text.payment, refund: text.refund, refund_on_its_way: text.refundOpen }
  const rows = moved.map((one) => [
    dateIn(language, terms.time_zone, one.at),
    one.way === undefined ? what[one.what] : text.paidBy[one.way],
    html`<span class="amount">${moneyIn(language, one.what === "payment" ? one.amount : -one.amount, currency)}</span>`
  ])
  return dataTable(text.payments, [text.date, booking.what, booking.amount], rows)
}

/** Who sells: by law, and as families know it. */
const sellerOf = ({ legal_name, name }: Receipt["seller"]): Html =>
  legal_name === undefined || legal_name === name ? isolated(name) : html`${isolated(legal_name)}<br>${isolated(name)}`

export const receiptStep = ({ receipt: read }: Pick<ShownBookings["Service"], "receipt">): BookingStep => ({
  show: ({ asked, booking, summary }) =>
    Effect.map(read(booking), ({ moved, seller }) => {
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
${moneyTable(booking, moved, language)}
${outstanding === 0 ? "" : facts([{ term: receipt.left, is: html`<strong>${left}</strong>` }])}
<p class="soft noprint">${receipt.printed} ${receipt.notInvoice}</p>
${actions(buttonLink(stepAddress(asked), words.toBooking, true))}`,
        { language, headers: { vary: "accept-language" } }
      )
    })
})
