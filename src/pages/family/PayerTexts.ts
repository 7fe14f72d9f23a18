/** What the provider's payment page says in the reader's language: what is paid, and the terms as plain sentences. */
import type { BookingRow } from "../../booking/Booking.ts"
import { bookedTermsFacts } from "../../booking/BookingViews.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { dateTimeIn, moneyIn, partyIn } from "../../i18n/Localized.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import type { Payer } from "../../payment/checkout/Payer.ts"

/** The provider's limit for the text above its button. Longer terms stay in English, where they are shorter. */
const maxTerms = 1200

const termsText = (
  booking: BookingRow,
  summary: Parameters<typeof bookedTermsFacts>[1],
  language: Language
): string | undefined => {
  const facts = bookedTermsFacts(booking, summary)
  if (facts === undefined) return undefined
  const { refundTable: table, terms: text } = messages[language]
  const money = (amount: number) => moneyIn(language, amount, booking.currency)
  const when = (instant: Instant) => dateTimeIn(language, booking.terms.time_zone, instant)
  const heads = { paid: table.ofPaid, due_now: table.ofDueNow, all: table.ofAll }
  const { deposit, free_reschedule_until: moving, party, released_if_unpaid_at: released } = facts
  const refunds = facts.refunds
    .filter(({ deadlines }) => deadlines.length > 0)
    .map(({ deadlines, of, sum }) => {
      const steps = deadlines.map(
        ({ refund, until }) => `${table.until} ${when(until)}: ${refund === 0 ? table.nothing : money(refund)}`
      )
      return `${table.caption} (${heads[of](money(sum))}): ${[...steps, `${table.afterwards}: ${table.nothing}`].join("; ")}.`
    })
  const sentences = [
    ...(deposit === undefined || deposit.amount === 0 ? [] : [text.deposit(money(deposit.amount), deposit.kept)]),
    ...(refunds.length > 0 ? refunds : [facts.given_back === 0 ? text.nothingBack : text.nothingMoreBack]),
    ...(facts.rest_at_venue ? [text.restAtVenue] : []),
    ...(released === undefined ? [] : [text.releasedAt(when(released))]),
    ...(moving === undefined ? [] : [text.moveUntil(when(moving))]),
    ...(party.over ? [] : [text.headcountBy(when(party.until))]),
    ...(party.over && party.headcount ? [text.headcountFinal] : [])
  ].join(" ")
  return sentences.length > maxTerms ? undefined : sentences
}

/** The payer who reads our page in `language`. What is said in British English is the service's own already. */
export const payerOf = (
  booking: BookingRow,
  summary: Parameters<typeof bookedTermsFacts>[1],
  language: Language
): Payer => {
  if (language === "en") return { locale: language }
  const { package_name, playroom_name, time_zone } = booking.terms
  const terms = termsText(booking, summary, language)
  const { adults, children } = booking
  return {
    locale: language,
    description: `${package_name}, ${playroom_name}, ${dateTimeIn(language, time_zone, booking.starts_at)}: ${partyIn(language, { children, adults })}`,
    ...(terms === undefined ? {} : { terms })
  }
}
