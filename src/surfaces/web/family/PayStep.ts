/**
 * Payment from the family's page and from the pay page: the amount due now, or the balance; and what the provider's
 * page says in the reader's language.
 */
import { type PageAnswer, buttonForm, isolated, section } from "../frame/Layout.ts"
import type { Messages } from "../../../words/en/Messages.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { Effect } from "effect"
import type { Scope } from "../../../platform/access/ApiKeys.ts"
import { togetherName } from "../../../platform/access/LinkTokens.ts"
import { html } from "../../../platform/text/Html.ts"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { payableWith } from "../../../domain/booking/Lifecycle.ts"
import { bookedTermsFacts } from "../../../domain/booking/BookingViews.ts"
import { versionToken } from "../../../domain/booking/VersionToken.ts"
import { nextActor, standingOf } from "../../../domain/booking/Standing.ts"
import { dateTimeIn, moneyIn, partyIn } from "../../../words/Localized.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { Checkout, payOutcome } from "../../../domain/payment/checkout/Checkout.ts"
import { CurrentPayer, type Payer } from "../../../domain/payment/checkout/SessionRequest.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { type BookingStep, type LinkRequest, type OpenedBooking, shownIn } from "./BookingStep.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"

/**
 * `changed`: nothing can be paid online now. `stale`: the booking is not as the button showed it. `operator`: the venue
 * can't take payments. `provider`: the payment provider is unavailable.
 */
export type PayFault = keyof Messages["booking"]["faults"]

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
    ...(party.over ? [] : [(party.grows_only ? text.growsBy : text.headcountBy)(when(party.until))]),
    ...(party.over && party.headcount ? [text.headcountFinal] : [])
  ].join(" ")
  return sentences.length > maxTerms ? undefined : sentences
}

const visitIn = ({ starts_at, terms }: BookingRow, language: Language): string =>
  `${terms.playroom_name}, ${dateTimeIn(language, terms.time_zone, starts_at)}`

/** The payer who reads our page in `language`. What is said in British English is the service's own already. */
const payerOf = (booking: BookingRow, summary: Parameters<typeof bookedTermsFacts>[1], language: Language): Payer => {
  if (language === "en") return { locale: language }
  const terms = termsText(booking, summary, language)
  const { adults, children } = booking
  return {
    locale: language,
    description: `${booking.terms.package_name}, ${visitIn(booking, language)}: ${partyIn(language, { children, adults })}`,
    ...(terms === undefined ? {} : { terms })
  }
}

/** The same for several bookings, whose terms stand on the pages of each. */
const payerOfSeveral = (rows: ReadonlyArray<BookingRow>, language: Language): Payer =>
  language === "en"
    ? { locale: language }
    : { locale: language, description: rows.map((row) => visitIn(row, language)).join("; ") }

/** What can be paid online now. */
const payable = ({
  booking,
  summary
}: OpenedBooking): { readonly purpose: "due_now" | "balance"; readonly amount: number } | undefined => {
  const standing = standingOf(booking, summary)
  if (nextActor(standing) !== "payer") return undefined
  if ("balance" in standing) return { purpose: "balance", amount: standing.balance.amount }
  return "amount" in standing ? { purpose: "due_now", amount: standing.amount } : undefined
}

/** The step's name in forms. */
export const payName = "pay"

const scopes: ReadonlySet<Scope> = new Set(["payments:write"])

/** What the page says if no payment page could be made. */
const payFaults = (fault: (what: PayFault) => () => PageAnswer) => ({
  BookingNotFound: fault("changed"),
  BookingCancelled: fault("changed"),
  HoldExpired: fault("changed"),
  NothingDue: fault("changed"),
  IdempotencyConflict: fault("changed"),
  InvalidArguments: fault("changed"),
  OperatorUnavailable: fault("operator"),
  ProviderUnavailable: fault("provider")
})

/** `addressOf`: the address of the page with the button. `faultPage`: that page with an error message. */
export const payStep = (
  addressOf: (asked: LinkRequest) => string,
  faultPage: (opened: OpenedBooking, fault: PayFault) => PageAnswer
) =>
  Effect.map(Checkout, (payments): Required<Pick<BookingStep, "parts" | "act">> => ({
    parts: (opened) => {
      const wanted = payable(opened)
      if (wanted === undefined) return Effect.succeed({})
      const { asked, booking } = opened
      const { booking: text, words } = messages[asked.language]
      const amount = moneyIn(asked.language, wanted.amount, booking.currency)
      const label = wanted.purpose === "due_now" ? words.pay(amount) : text.payBalance(amount)
      const shown = versionToken(booking, payOutcome(wanted.purpose, wanted.amount))
      return Effect.succeed({
        main: buttonForm(addressOf(asked), { step: payName, shown }, label)
      })
    },
    act: (opened, form) => {
      const wanted = payable(opened)
      const { asked, booking } = opened
      const fault = (what: PayFault) => () => faultPage(opened, what)
      if (wanted === undefined) {
        return fault(standingOf(booking, opened.summary).kind === "not_payable" ? "operator" : "changed")()
      }
      // The link carries its key's rights.
      const principal = { key_id: booking.key_id, scopes }
      const request = { booking_id: booking.booking_id, purpose: wanted.purpose }
      return shownIn(form).pipe(
        Effect.flatMap(({ shown }) => payments.createSessionAsShown(principal, request, shown)),
        Effect.provideService(CurrentPayer, payerOf(booking, opened.summary, asked.language)),
        Effect.map(({ provider_url, status }) =>
          redirectAfterPost(status === "open" && provider_url !== "" ? provider_url : addressOf(asked))
        ),
        Effect.catchTags({
          SchemaError: () => Effect.succeed(linkProblemPage("unreadable", asked.language)),
          ChangedSinceShown: fault("stale"),
          ...payFaults(fault)
        })
      )
    }
  }))

/** Of the booking and those that were booked together with it, what one payment pays now. */
const unpaidIn = (opened: OpenedBooking): ReadonlyArray<BookingRow> => {
  const { booking, together = [] } = opened
  const own = payable(opened)?.purpose === "due_now" ? [booking] : []
  const others = together.map((one) => one.booking)
  return [...own, ...payableWith(booking, others)]
}

/**
 * The visits ahead that were booked together with this one. One that is still to be paid leads to its pay page, and all
 * of them can be paid at once. `addressOf`: the address of the page that shows them. `faultPage`: that page with an
 * error message. `alone`: the page is for paying all, and has no other button.
 */
export const togetherStep = (
  addressOf: (asked: LinkRequest) => string,
  faultPage: (opened: OpenedBooking, fault: PayFault) => PageAnswer,
  alone = false
) =>
  Effect.map(Checkout, (payments): Required<Pick<BookingStep, "parts" | "act">> => ({
    parts: (opened) => {
      const { asked, booking, together = [] } = opened
      const { language } = asked
      const { page: text, words } = messages[language]
      const unpaid = unpaidIn(opened)
      const sum = unpaid.reduce((sum, one) => sum + one.due_now, 0)
      const main =
        unpaid.length < 2
          ? undefined
          : buttonForm(
              addressOf(asked),
              { step: togetherName },
              text.payTogether(unpaid.length, moneyIn(language, sum, booking.currency))
            )
      const list = together.map(({ booking: { currency, due_now, starts_at, terms }, pay_url }) => {
        const visit = html`${dateTimeIn(language, terms.time_zone, starts_at)}, ${isolated(terms.playroom_name)}`
        return pay_url === undefined
          ? html`<li>${visit}</li>`
          : html`<li>${visit}: <a href="${pay_url}">${words.pay(moneyIn(language, due_now, currency))}</a></li>`
      })
      const others = html`<ul>${list}</ul>`
      const told = alone ? [others] : [others, ...(main ? [main] : []), html`<p>${text.eachAlone}</p>`]
      const shown = section(words.together, list.length === 0 ? [] : told)
      return Effect.succeed({
        ...(shown === undefined ? {} : { payments: shown }),
        ...(alone && main !== undefined ? { main } : {})
      })
    },
    act: (opened) => {
      const { asked, booking } = opened
      const fault = (what: PayFault) => () => faultPage(opened, what)
      return payments.createForOrder({ key_id: booking.key_id, scopes }, { booking_id: booking.booking_id }).pipe(
        Effect.provideService(CurrentPayer, payerOfSeveral(unpaidIn(opened), asked.language)),
        Effect.map(({ provider_url, status }) =>
          redirectAfterPost(status === "open" && provider_url !== "" ? provider_url : addressOf(asked))
        ),
        Effect.catchTags(payFaults(fault))
      )
    }
  }))
