/** `/b/{token}`: the family's page of a booking. */

import type { HttpServerResponse } from "effect/http"
import { outstandingRefund, toView } from "../../../domain/booking/BookingViews.ts"
import { isLiveBooking } from "../../../domain/booking/Lifecycle.ts"
import { isOver, nextActor, payBefore, type Standing, standingOf } from "../../../domain/booking/Standing.ts"
import { findBookingPath, linkPaths } from "../../../platform/access/LinkTokens.ts"
import { html, type Html, sentence } from "../../../platform/text/Html.ts"
import { dayMs } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, momentIn, moneyIn, partyIn } from "../../../words/Localized.ts"
import { deadline, deadlineScript, redirectAfterPost } from "../frame/PageTable.ts"
import {
  page,
  actions,
  buttonLink,
  facts,
  hero,
  isolated,
  links,
  notice,
  paragraphs,
  section
} from "../frame/Layout.ts"
import { askVenue } from "../frame/LinkProblems.ts"
import {
  type OpenedBooking,
  stepAddress,
  type StepParts,
  receiptName,
  type PaidQuery,
  payAddress
} from "./BookingStep.ts"
import { webCalendars, termsParagraphs, pictureOf, wayThere, whenAndWhere } from "./Visit.ts"
import { howGoesBack, moneyFacts, priceTable, howBack } from "./MoneyFacts.ts"
import type { ShownBooking, PayerReturn, ReturnTokens } from "./ShownBookings.ts"

// What the family's page and the pay page add for a payer who comes back from the provider's page, with `?paid=…` in
// the address. How the booking stands they say anyway; this is about the one payment. Query parameters never make a
// payment look made: anyone can write them.

/** Limit and interval of automatic reloads. After that only the person reloads. */
const maxReloads = 6
const reloadSeconds = 5

/** What is said of a payment, besides how its booking stands. */
export type PaidNotice =
  | "arrived"
  | "waiting"
  | "on_its_way"
  | "not_paid"
  | "closed"
  | "late"
  | "not_needed"
  | "under_review"
  | "sent_back"

/**
 * What is to be said of the payment; undefined where the standing's own words say it. Pure. `success`: the provider led
 * the payer to the address after a payment, so that a payment of which nothing is known yet is awaited.
 */
export const paidNotice = (
  { booking, returned, summary }: Pick<ShownBooking, "booking" | "returned" | "summary">,
  standing: Standing,
  success: boolean
): PaidNotice | undefined => {
  if (returned === undefined) return undefined
  const { not_counted, session } = returned
  const next = nextActor(standing)
  if (session.misfit !== null) return next === "service" ? undefined : "under_review"
  const live = booking.status === "held" || booking.status === "confirmed"
  if (not_counted !== undefined) return not_counted.cause === "misfit" ? "sent_back" : live ? "not_needed" : undefined
  if (session.status === "paid") return live && standing.kind !== "confirmed_paid_back" ? "arrived" : undefined
  if (session.status === "processing") return next === "provider" ? undefined : "on_its_way"
  if (next === "provider" || next === "service") return undefined
  if (!live) return success && session.status === "open" && summary.refund_on_its_way === 0 ? "late" : undefined
  if (booking.status === "confirmed" && session.purpose === "due_now") return undefined
  // The standing's words or a notice of the page say that the last try failed.
  if (next === "payer" && (standing.kind === "payment_failed" || summary.last_attempt !== undefined)) return undefined
  if (session.status !== "open") return "closed"
  if (success) return "waiting"
  return summary.now < session.expires_at ? "not_paid" : "closed"
}

/** What the page says of a payment: in place of its heading, and as a notice; and how it looks again. */
export interface AfterPaying {
  readonly lead?: { readonly heading: string; readonly lead: string }
  /** While it is `waiting`, nothing is to be paid. */
  readonly kind: PaidNotice | undefined
  readonly notice: Html | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** The page's own address while it looks again; `look` counts. */
const lookAddress = (address: string, { outcome = "", paid = "" }: PaidQuery, look: number): string =>
  `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams({ paid, outcome, look: String(look) })}`

/** The texts about the payment. */
const said = (
  kind: PaidNotice | undefined,
  { booking, returned }: ShownBooking,
  language: Language
): ReadonlyArray<string> => {
  if (kind === undefined || returned === undefined) return []
  const { afterPaying: text, cancel } = messages[language]
  const { not_counted, session } = returned
  const { amount, currency } = session.misfit ?? session
  const money = moneyIn(language, amount, currency)
  const back = not_counted === undefined || not_counted.sent ? text.wentBack : howBack(not_counted, currency, language)
  switch (kind) {
    case "arrived":
      return [text.arrived(money)]
    case "waiting":
      return []
    case "on_its_way":
      return [text.onItsWay(money)]
    case "not_paid":
      return [text.notPaid]
    case "closed":
      return [text.closed]
    case "late":
      return [booking.status === "cancelled" ? cancel.stillArrives : text.late]
    case "not_needed":
      return [text.notNeeded(money), back]
    case "under_review":
      return [text.underReview(money)]
    case "sent_back":
      return not_counted?.sent === true ? [] : [back]
  }
}

/** What the page at this address adds for a payer who comes back to it. */
export const afterPaying = (
  shown: ShownBooking,
  standing: Standing,
  { language, query }: { readonly language: Language; readonly query: PaidQuery },
  address: string
): AfterPaying => {
  const { returned } = shown
  if (query.paid === undefined || returned === undefined) return { kind: undefined, notice: undefined, headers: {} }
  const { afterPaying: text, words } = messages[language]
  const kind = paidNotice(shown, standing, query.outcome === "success")
  const { look = "0" } = query
  const looks = /^\d$/.test(look) ? Number(look) : maxReloads
  const undecided = kind === "waiting" || kind === "on_its_way" || returned.session.status === "processing"
  const reloads = undecided && looks < maxReloads
  const lines = [...said(kind, shown, language), ...(reloads ? [text.looksByItself] : []), text.closing]
  const again = undecided
    ? html`<p><a href="${lookAddress(address, query, maxReloads)}">${words.lookAgain}</a></p>`
    : undefined
  return {
    kind,
    notice: notice(html`${lines.map((line) => html`<p>${line}</p>`)}${again}`),
    headers: reloads ? { refresh: `${reloadSeconds}; url=${lookAddress(address, query, looks + 1)}` } : {},
    ...(kind === "waiting" ? { lead: { heading: text.waiting.title, lead: text.waiting.lead } } : {})
  }
}

/** That the last try to pay a balance failed. The words of an unpaid hold say it themselves (`payment_failed`). */
const lastTry = ({ summary }: ShownBooking, standing: Standing, language: Language): Html => {
  return summary.last_attempt !== undefined && nextActor(standing) === "payer" && "balance" in standing
    ? notice(html`<p>${messages[language].afterPaying.failed}</p>`)
    : html``
}

/** How long a hold can still be paid; undefined if it is none. */
const payDeadline = ({ booking, summary }: ShownBooking, standing: Standing, language: Language): Html | undefined => {
  const moment = payBefore(standing)
  return moment === undefined
    ? undefined
    : deadline({ moment, now: summary.now, zone: booking.terms.time_zone }, language)
}

/** Sentences as one text. */
export const joined = (parts: ReadonlyArray<string>, language: Language): string =>
  parts.reduce((before, next) => (before === "" ? next : messages[language].words.followedBy(before, next)), "")

/** What became of money that was not what was asked for and was sent back; empty if none was. */
export const sentBackSaid = ({ sent_back = [] }: ShownBooking["summary"], language: Language): string => {
  const { booking: text, letters, words } = messages[language]
  return joined(
    sent_back.flatMap(({ amount, currency, state }) => {
      const shown = moneyIn(language, amount, currency)
      if (state === "failed") return [letters.refundFailed.lead(shown)]
      return [text.sentBack(shown, state === "went_back"), ...(state === "blocked" ? [words.backOnceOpen(shown)] : [])]
    }),
    language
  )
}

/** How the booking stands, in words, without what was sent back. */
export const standingSaid = (
  { booking, summary }: Pick<ShownBooking, "booking" | "summary">,
  standing: Standing,
  language: Language
): { readonly heading: string; readonly lead: string } => {
  const view = toView(booking, summary)
  const money = (amount: number) => (amount === 0 ? "" : moneyIn(language, amount, booking.currency))
  const of = (one: { readonly amount: number; readonly currency: string } | undefined) =>
    one === undefined ? "" : moneyIn(language, one.amount, one.currency)
  const until = booking.terms.balance_at_venue === true ? undefined : view.balance?.due_at
  const { standings } = messages[language]
  const { heading, lead } = standings[standing.kind]
  const how = howGoesBack({ booking, summary }, standing, true, language)
  // After the visit, too, what has come for the balance, or is on its way, is not asked for again.
  const payment = isOver(standing) && "balance" in standing ? standing.balance?.payment : undefined
  const inQuestion = isOver(standing) && nextActor(standing) === "service"
  const comes = inQuestion
    ? standings.confirmed_under_review
    : payment === "processing"
      ? standings.balance_processing
      : undefined
  const facts = {
    amount: money(view.due_now.amount || (view.balance?.amount.amount ?? 0)),
    until: until === undefined ? "" : momentIn(language, booking.terms.time_zone, Date.parse(until)),
    paid: money(booking.paid),
    comes_back: money(outstandingRefund(summary)),
    paid_back: money(booking.refunded),
    in_question: of(summary.under_review),
    sent_back: of(summary.sent_back?.at(-1)),
    online: summary.balance_online
  }
  const said = comes === undefined ? [lead(facts)] : [lead({ ...facts, amount: "" }), comes.lead(facts)]
  return { heading, lead: joined([...said, ...(how === undefined ? [] : [how])], language) }
}

/** How the booking stands, in words. */
export const leadOf = (
  shown: Omit<ShownBooking, "playroom">,
  standing: Standing,
  language: Language
): { readonly heading: string; readonly lead: string } => {
  const { heading, lead } = standingSaid(shown, standing, language)
  const sent = standing.kind.endsWith("under_review") ? "" : sentBackSaid(shown.summary, language)
  return { heading, lead: joined([lead, ...(sent === "" ? [] : [sent])], language) }
}

/** How long before a balance is due paying it becomes the page's main action. */
const pressingMs = 7 * dayMs

const isPressing = (standing: Standing, now: number): boolean =>
  !("balance" in standing) || standing.balance === undefined || standing.balance.due_at - now < pressingMs

/** What stands out of the ordinary. */
const notices = (opened: OpenedBooking, standing: Standing, ahead: boolean): ReadonlyArray<Html> => {
  const { asked, booking, summary, unclear } = opened
  const { language } = asked
  const { booking: text, page } = messages[language]
  const { moved_from, moved_from_room, playroom_name, time_zone } = booking.terms
  return [
    ...(summary.disputed === true ? [notice(html`<p>${text.disputed}</p>`)] : []),
    lastTry(opened, standing, language),
    ...(unclear ? [notice(html`<p>${text.unclear}</p>`)] : []),
    ...(ahead && booking.status === "confirmed" && summary.suspended === true
      ? [notice(html`<p>${page.suspended}</p>`)]
      : []),
    ...(ahead && moved_from !== undefined && moved_from !== booking.starts_at
      ? [notice(html`<p>${page.moved(dateTimeIn(language, time_zone, moved_from))}</p>`)]
      : []),
    ...(ahead && moved_from_room !== undefined && moved_from_room !== playroom_name
      ? [notice(html`<p>${page.otherRoom(playroom_name, moved_from_room)}</p>`)]
      : [])
  ]
}

/** For a booking that ended without a visit: how to book again. */
const bookAgain = ({ asked, summary }: OpenedBooking): Html => {
  const { page } = messages[asked.language]
  return html`<section><h2>${page.bookAgain}</h2>
<p>${page.bookAgainHow}</p>
${actions(buttonLink("/", page.assistants))}
${askVenue(summary.operator, asked.language)}</section>`
}

/**
 * The page. `parts` come from the available steps. `formsLeadTo` is the allowed form target. `fault` says why a step
 * failed.
 */
export const bookingPage = (
  opened: OpenedBooking,
  parts: ReadonlyArray<StepParts>,
  formsLeadTo: string,
  fault?: string
): HttpServerResponse.HttpServerResponse => {
  const { asked, booking, playroom, summary } = opened
  const { language } = asked
  const { terms } = booking
  const { booking: text, page: more, receipt, words } = messages[language]
  const standing = standingOf(booking, summary)
  const paid = afterPaying(opened, standing, asked, stepAddress(asked))
  const { heading, lead } = paid.lead ?? leadOf(opened, standing, language)
  const picture = pictureOf(playroom)
  const alive = isLiveBooking(booking)
  const ahead = alive && summary.now < booking.ends_at
  const waiting = alive && nextActor(standing) === "provider"
  // A payment that is awaited is not begun again.
  const main = paid.kind === "waiting" ? undefined : parts.find((part) => part.main !== undefined)?.main
  const pressing = isPressing(standing, summary.now)
  const end = paid.kind === "waiting" ? undefined : payDeadline(opened, standing, language)
  const payTo = html`<p class="soft noprint">${sentence(more.payTo, isolated(summary.operator.name))}</p>`
  const changes = parts.flatMap(({ action }) => (action === undefined ? [] : [action]))
  const calendarAddress = `${stepAddress(asked)}.ics`
  const calendar = isOver(standing)
    ? undefined
    : buttonLink(calendarAddress, ahead ? text.calendar : text.calendarUpdate, !ahead || main !== undefined)
  return page(
    `${heading}: ${terms.playroom_name}`,
    html`${hero({ picture, title: heading, below: whenAndWhere(booking, language), lead })}
${fault === undefined ? "" : html`<p role="alert">${fault}</p>`}
${paid.notice}
${notices(opened, standing, ahead)}
${parts.map((part) => part.notice)}
${end}
${pressing && main !== undefined ? html`${actions(main)}${payTo}` : ""}
${actions(waiting && paid.notice === undefined ? buttonLink(stepAddress(asked), words.lookAgain) : undefined, calendar)}
${ahead ? links([...(booking.status === "confirmed" ? webCalendars(booking, `${terms.package_name}, ${terms.playroom_name}`, language) : []), ...wayThere(playroom, language)]) : ""}
${alive ? "" : bookAgain(opened)}
${facts([
  { term: words.reference, is: html`<span class="reference">${booking.reference}</span>` },
  { term: text.what, is: isolated(terms.package_name) },
  ...(ahead && summary.bring !== undefined ? [{ term: words.bring, is: isolated(summary.bring) }] : []),
  { term: text.who, is: partyIn(language, booking) },
  { term: text.bookedBy, is: isolated(booking.contact_name) },
  ...parts.flatMap(({ facts = [] }) => facts),
  ...(booking.notes === null ? [] : [{ term: text.notes, is: paragraphs(booking.notes) }]),
  ...moneyFacts(opened, standing, language)
])}
${pressing || main === undefined ? "" : html`<div class="quiet">${actions(main)}${payTo}</div>`}
${alive ? priceTable(booking, language) : ""}
${booking.paid === 0 ? "" : links([html`<a href="${stepAddress(asked, receiptName)}">${receipt.title}</a>`])}
${section(text.terms, ahead ? termsParagraphs(booking, summary, language) : [])}
${changes.length === 0 ? "" : actions(...changes)}
${paid.kind === "waiting" ? undefined : parts.map((part) => part.payments)}
${parts.map((part) => part.section)}
${section(text.rules, ahead ? paragraphs(playroom.house_rules) : [])}
${alive ? section(text.questions, [askVenue(summary.operator, language)]) : ""}
<footer class="noprint"><p>${text.secret}</p></footer>`,
    {
      language,
      status: fault === undefined ? 200 : 409,
      headers: { vary: "accept-language", ...paid.headers },
      formAction: formsLeadTo,
      pictureFrom: picture?.origin,
      script: end && deadlineScript
    }
  )
}

// `/checkout/return`: the address that the provider leads payers to. Its two tokens
// (`domain/payment/checkout/SessionRequest.ts`) open the page at which the payer began, and neither is the token of
// that page, so that the provider never learns it. Whoever may not see that page reads here how the payment stands, and
// nothing about people.

/**
 * `/p/{token}`: the page where a booking can be paid, and nothing else can be done or read: who gets what for what, on
 * which terms, and one button, which leads on to the provider's page. Whoever has its address may pay, so it says no
 * more than a payment page does: no name, no notes, and no way to the family's page.
 */

/**
 * The page. `main`: the button that leads to the payment, if something can be paid now; of all that was booked together,
 * if `several`. `payments`: what else is to be paid of that. `formsLeadTo` is the allowed form target. `fault` says why
 * the payment could not be opened.
 */
export const payPage = (
  opened: OpenedBooking,
  { main, payments, several }: Pick<StepParts, "main" | "payments"> & { readonly several: boolean },
  formsLeadTo: string,
  fault?: string
): HttpServerResponse.HttpServerResponse => {
  const { asked, booking, summary } = opened
  const { language } = asked
  const { terms } = booking
  const { booking: text, payPage: own, words } = messages[language]
  const standing = standingOf(booking, summary)
  const paid = afterPaying(opened, standing, asked, payAddress(asked))
  const button = paid.kind === "waiting" ? undefined : main
  const { heading, lead } = paid.lead ?? leadOf(opened, standing, language)
  const title = button === undefined ? heading : own.title
  const picture = pictureOf(opened.playroom)
  const waiting = nextActor(standing) === "provider" && paid.notice === undefined
  const end = paid.kind === "waiting" ? undefined : payDeadline(opened, standing, language)
  return page(
    `${title}: ${terms.playroom_name}`,
    html`${hero({ picture, title, below: whenAndWhere(booking, language), lead: several ? "" : lead })}
${fault === undefined ? "" : html`<p role="alert">${fault}</p>`}
${paid.notice}
${end}
${facts([
  ...(button === undefined ? [] : [{ term: own.payee, is: isolated(summary.operator.name) }]),
  { term: text.what, is: isolated(terms.package_name) },
  { term: text.who, is: partyIn(language, { children: booking.children, adults: booking.adults }) },
  ...moneyFacts(opened, standing, language),
  { term: words.reference, is: html`<span class="reference">${booking.reference}</span>` }
])}
${paid.kind === "waiting" ? undefined : payments}
${section(text.terms, button === undefined ? [] : termsParagraphs(booking, summary, language))}
${actions(button, waiting ? buttonLink(payAddress(asked), words.lookAgain) : undefined)}
${button === undefined ? "" : html`<p class="soft">${text.payNote} ${booking.status === "held" ? own.thenConfirmed : own.thenPaid}</p>`}
${section(text.questions, [askVenue(summary.operator, language)])}`,
    {
      language,
      status: fault === undefined ? 200 : 409,
      headers: { vary: "accept-language", ...paid.headers },
      formAction: formsLeadTo,
      pictureFrom: picture?.origin,
      script: end && deadlineScript
    }
  )
}

/** How the page was left (`success` or `cancel`), and how often this page has reloaded itself. */
type ReturnQuery = Pick<PaidQuery, "look" | "outcome">

/**
 * For a payer who may not see the address of a page of the booking: how the payment stands, and nothing about people.
 */
const generalPage = (
  { shown, withheld }: Extract<PayerReturn, { readonly shown: ShownBooking }>,
  { booking, payment }: ReturnTokens,
  query: ReturnQuery,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { afterPaying: text, words } = messages[language]
  const standing = standingOf(shown.booking, shown.summary)
  const address = `/checkout/return?${new URLSearchParams({ token: booking, payment })}`
  const paid = afterPaying(shown, standing, { language, query: { ...query, paid: "" } }, address)
  const { heading, lead } = paid.lead ?? leadOf(shown, standing, language)
  const end = paid.kind === "waiting" ? undefined : payDeadline(shown, standing, language)
  const payAt = paid.kind === "not_paid" && nextActor(standing) === "payer" ? shown.returned?.session.url : undefined
  return page(
    heading,
    html`<h1>${heading}</h1>
<p class="lead">${lead}</p>
${end}
${paid.notice}
${facts([{ term: words.reference, is: html`<span class="reference">${shown.booking.reference}</span>` }])}
${actions(payAt ? buttonLink(payAt, text.payAgain) : undefined)}
<p>${withheld === "renewed" ? text.linkRenewed : text.linkGiven}</p>
${section(messages[language].booking.questions, [askVenue(shown.summary.operator, language)])}`,
    { language, script: end && deadlineScript, headers: { vary: "accept-language", ...paid.headers } }
  )
}

/** Where the payer goes; `unavailable`: it can't be read now. */
export type PaymentLookup = PayerReturn | "unknown" | "unavailable"

/** The answer at `/checkout/return`. */
export const payerReturned = (
  found: PaymentLookup,
  tokens: ReturnTokens,
  query: ReturnQuery,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { outcome } = query
  const { afterPaying: text, findBooking, words } = messages[language]
  const headers = { vary: "accept-language" }
  if (found === "unavailable") {
    const again = new URLSearchParams({
      ...(outcome === undefined ? {} : { outcome }),
      token: tokens.booking,
      payment: tokens.payment
    })
    return page(
      text.unavailable.title,
      html`<h1>${text.unavailable.title}</h1>
<p class="lead">${text.unavailable.lead}</p>
<p><a href="/checkout/return?${again.toString()}">${words.lookAgain}</a></p>
<p>${text.closing}</p>`,
      { language, status: 503, headers: { ...headers, "retry-after": "5" } }
    )
  }
  if (found === "unknown") {
    return page(
      text.unknown.title,
      html`<h1>${text.unknown.title}</h1>
<p class="lead">${text.unknown.lead}</p>
<p>${text.unknown.more}</p>
${links([html`<a href="${findBookingPath}">${findBooking.title}</a>`])}
<p>${text.closing}</p>`,
      { language, headers }
    )
  }
  if ("page" in found) {
    const landing = { paid: found.payment ?? "", ...(outcome === "success" || outcome === "cancel" ? { outcome } : {}) }
    return redirectAfterPost(`${linkPaths[found.page]}${found.token}?${new URLSearchParams(landing)}`)
  }
  return generalPage(found, tokens, query, language)
}
