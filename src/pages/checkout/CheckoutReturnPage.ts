/**
 * `/checkout/return`: the page after checkout. With a valid token it shows the state of the booking and its payment,
 * after asking the provider, and links to the booking's page. Without one it shows no booking.
 */
import type { HttpServerResponse } from "effect/http"
import { findBookingPath } from "../../access/LinkTokens.ts"
import { html, type Html } from "../../kernel/Html.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { momentIn, moneyIn } from "../../i18n/Localized.ts"
import type { PayerView, ReturnTokens } from "./CheckoutReturn.ts"
import { askVenue } from "../AskVenue.ts"
import { deadline, deadlineScript } from "../Deadline.ts"
import { page } from "../Layout.ts"
import { howBack } from "../family/MoneyFacts.ts"
import { pictureOf, whenAndWhere } from "../family/Visit.ts"
import { actions, buttonLink, facts, hero, isolated, links, section } from "../Parts.ts"

/** The result of the payment look-up. `unavailable`: the look-up failed for now. */
export type PaymentLookup =
  | { readonly payment: "known"; readonly tokens: ReturnTokens; readonly view: PayerView }
  | { readonly payment: "unavailable"; readonly tokens: ReturnTokens }
  | { readonly payment: "unknown" }

/** The other query parameters. Anyone can write them, so they never make a payment look made. */
interface Query {
  readonly outcome: string | undefined
  /** How often the page has reloaded itself. */
  readonly look: string | undefined
}

/** Limit and interval of automatic reloads. After that only the person reloads. */
const maxReloads = 6
const reloadSeconds = 5

/** The page's own address; `look` counts the reloads. */
const reloadAddress = ({ booking, payment }: ReturnTokens, look: number): string =>
  `/checkout/return?${new URLSearchParams({ outcome: "success", token: booking, payment, look: String(look) })}`

/** The page's texts (not HTML). */
interface Message {
  readonly title: string
  readonly lead: string
  readonly more?: string
}

/** The outstanding amount; empty if there is none. */
const stillDue = ({ currency, outstanding }: PayerView, language: Language): ReadonlyArray<string> =>
  outstanding === 0 ? [] : [messages[language].checkoutReturn.stillDue(moneyIn(language, outstanding, currency))]

const goesBackStill = ({ amount, failed = 0 }: PayerView["refund"]): boolean => amount + failed > 0

/** The options of a person who has not paid. */
const stillToPay = (view: PayerView, language: Language): string => {
  const { balance, held_until, page_url, payable, url } = view
  const text = messages[language].checkoutReturn
  const pay = url === undefined && page_url !== undefined && payable ? [text.payOnBookingPage] : []
  if (balance) return [text.bookingStays, ...stillDue(view, language), ...pay].join(" ")
  return held_until === undefined ? "" : [text.placesKept, ...pay].join(" ")
}

/** `waiting`: the query says that the person paid, but the provider knows of no payment yet. */
const messageFor = (view: PayerView, waiting: boolean, language: Language): Message => {
  const text = messages[language].checkoutReturn
  const amount = moneyIn(language, view.amount, view.currency)
  const notNeeded = (refunded: string): Message => ({
    title: text.notNeeded.title,
    lead: text.notNeeded.lead(amount),
    more: [refunded, ...stillDue(view, language)].join(" ")
  })
  const unpaid = (message: Message): Message => ({ ...message, more: stillToPay(view, language) })
  switch (view.status) {
    case "confirmed":
      return view.balance
        ? {
            title: text.balancePaid.title,
            lead: text.balancePaid.lead(amount),
            more:
              view.outstanding === 0
                ? text.nothingLeft
                : text.changedSince(moneyIn(language, view.outstanding, view.currency))
          }
        : view.outstanding === 0 || view.amount === 0
          ? text.confirmed
          : { title: text.confirmed.title, lead: text.balancePaid.lead(amount) }
    case "not_needed_going_back":
      return notNeeded(howBack(view.refund, view.currency, language))
    case "not_needed_paid_back":
      return notNeeded(text.notNeeded.wentBack)
    case "nothing_due":
      return { ...text.nothingDue, more: text.bookingStays }
    case "on_its_way":
      return { ...text.onItsWay, lead: text.onItsWay.lead(amount) }
    case "open":
      if (waiting) return text.waiting
      return unpaid(view.declined === true ? text.failed : text.notPaid)
    case "failed":
      return unpaid(text.failed)
    case "closed":
      return unpaid(text.closed)
    case "ended":
      return text.ended
    case "going_back":
      return { ...text.goingBack, more: howBack(view.refund, view.currency, language) }
    case "paid_back":
      return text.paidBack
    case "under_review":
      return { ...text.underReview, lead: text.underReview.lead(amount) }
    case "sent_back":
      return {
        title: text.sentBack.title,
        lead: text.sentBack.lead(amount),
        more: goesBackStill(view.refund) ? howBack(view.refund, view.currency, language) : text.sentBack.wentBack
      }
    case "asks_venue":
      return text.asksVenue
    case "cancelled":
      return text.cancelled
  }
}

/** The booking that was paid: what, by its reference; what of it is paid, and what is left until when. */
const card = (view: PayerView, language: Language): Html => {
  const { booking: text, page: more, words } = messages[language]
  const { amount, currency, outstanding, outstanding_at_venue, outstanding_by, time_zone } = view
  const money = (minor: number) => html`<strong>${moneyIn(language, minor, currency)}</strong>`
  const left =
    view.status !== "confirmed" || outstanding === 0 || outstanding_by === undefined
      ? []
      : [
          {
            term: words.balance,
            is: html`${money(outstanding)}<br><span class="soft">${outstanding_at_venue === true ? text.atVenue : text.by(momentIn(language, time_zone, outstanding_by))}</span>`
          }
        ]
  return facts([
    { term: words.reference, is: html`<span class="reference">${view.reference}</span>` },
    { term: text.what, is: isolated(view.package_name) },
    ...(view.status === "confirmed" && amount > 0 ? [{ term: more.paidNow, is: money(amount) }] : []),
    ...left
  ])
}

const paragraph = (text: string | undefined): Html | undefined =>
  text === undefined || text === "" ? undefined : html`<p>${text}</p>\n`

/** What the person paid in a currency of their own. */
const presentedIn = ({ currency, presented }: PayerView, language: Language): string | undefined =>
  presented === undefined
    ? undefined
    : messages[language].words.presented(
        moneyIn(language, presented.amount, presented.currency),
        moneyIn(language, presented.paid, currency)
      )

const lookAgain = (tokens: ReturnTokens, language: Language): Html =>
  html`<p><a href="${reloadAddress(tokens, maxReloads)}">${messages[language].words.lookAgain}</a></p>`

const bookingPage = (
  tokens: ReturnTokens,
  view: PayerView,
  query: Query,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language].checkoutReturn
  const waiting = view.status === "open" && view.declined !== true && query.outcome === "success"
  const { lead, more, title } = messageFor(view, waiting, language)
  const looks = /^\d$/.test(query.look ?? "") ? Number(query.look) : query.look === undefined ? 0 : maxReloads
  const reloads = waiting && looks < maxReloads
  // A payment that is under way is not begun again.
  const payAt = waiting || view.status === "on_its_way" ? undefined : (view.url ?? view.pay_url)
  const { held_until, now, time_zone } = view
  const picture = pictureOf(view)
  const unpaid = view.status === "open" || view.status === "failed" || view.status === "closed"
  const end =
    waiting || !unpaid || held_until === undefined
      ? undefined
      : deadline({ moment: held_until, now, zone: time_zone }, language)
  const links = [
    ...(payAt === undefined ? [] : [buttonLink(payAt, text.payAgain)]),
    ...(view.page_url === undefined ? [] : [buttonLink(view.page_url, text.bookingPage, payAt !== undefined)]),
    ...(view.page_url === undefined || view.status !== "confirmed"
      ? []
      : [buttonLink(`${view.page_url}.ics`, messages[language].booking.calendar, true)])
  ]
  return page(
    title,
    html`${hero({ picture, title, below: whenAndWhere({ ...view, terms: view }, language), lead })}
${end}
${card(view, language)}
${paragraph(presentedIn(view, language))}${paragraph(more)}${reloads ? paragraph(text.looksByItself) : ""}${waiting || view.status === "on_its_way" ? lookAgain(tokens, language) : ""}
${actions(...links)}
${view.page_withheld === undefined ? "" : paragraph(view.page_withheld === "renewed" ? text.linkRenewed : text.linkGiven)}<p>${text.closing}</p>
${section(messages[language].booking.questions, [askVenue(view.operator, language)])}`,
    {
      language,
      script: end && deadlineScript,
      pictureFrom: picture?.origin,
      headers: {
        vary: "accept-language",
        ...(reloads ? { refresh: `${reloadSeconds}; url=${reloadAddress(tokens, looks + 1)}` } : {})
      }
    }
  )
}

/** The page. It shows only our own rows and nothing from the query. */
export const checkoutReturn = (
  found: PaymentLookup,
  query: Query,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const text = messages[language].checkoutReturn
  if (found.payment === "known") return bookingPage(found.tokens, found.view, query, language)
  if (found.payment === "unavailable") {
    return page(
      text.unavailable.title,
      html`<h1>${text.unavailable.title}</h1>
<p class="lead">${text.unavailable.lead}</p>
${lookAgain(found.tokens, language)}
<p>${text.closing}</p>`,
      { language, status: 503, headers: { vary: "accept-language", "retry-after": "5" } }
    )
  }
  return page(
    text.unknown.title,
    html`<h1>${text.unknown.title}</h1>
<p class="lead">${text.unknown.lead}</p>
<p>${text.unknown.more}</p>
${links([html`<a href="${findBookingPath}">${messages[language].findBooking.title}</a>`])}
<p>${text.closing}</p>`,
    { language, headers: { vary: "accept-language" } }
  )
}
