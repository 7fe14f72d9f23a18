/**
 * What letters say: a booking's standing in words, as its page says it. One markup, from which the plain text follows.
 */
import type { OperatorContact } from "../../domain/booking/BookingViews.ts"
import type { Extra } from "../../domain/booking/BookingRequest.ts"
import { extrasText } from "../../domain/booking/ChangePlan.ts"
import { type LetterKind, placeOf, type VisitBefore } from "../../domain/booking/LetterOutbox.ts"
import type { Voucher } from "../../domain/payment/sessions/Vouchers.ts"
import { payBefore, type Standing, standingOf } from "../../domain/booking/Standing.ts"
import { html, type Html, htmlPage, type HtmlPart, textOf } from "../../platform/text/Html.ts"
import { type Language, languageOfTag, messages } from "../../words/Languages.ts"
import { dateIn, dateTimeIn, momentIn, moneyIn, partyIn, pluralIn, visitTimeIn } from "../../words/Localized.ts"
import { askVenue } from "../web/frame/LinkProblems.ts"
import { joined, leadOf, sentBackSaid, standingSaid } from "../web/family/BookingPage.ts"
import { moneyFacts } from "../web/family/MoneyFacts.ts"
import { openCount, questionsName } from "../web/family/QuestionsStep.ts"
import { whenOf, termsParagraphs, calendarFileOf } from "../web/family/Visit.ts"
import type { CalendarBooking, ShownBooking } from "../web/family/ShownBookings.ts"
import { facts, isolated } from "../web/frame/Layout.ts"
import type { Letter } from "./LetterDelivery.ts"

/** The language that most people of a country read (CLDR), with the country. */
const languageOfCountry = (country: string): string =>
  `${new Intl.Locale(`und-${country}`).maximize().language}-${country}`

/**
 * The language of a booking's letters: the one that was learnt of the family (`BookingRequest.ts`), else its venue's;
 * English, if we have no messages in that.
 */
export const letterLanguage = (learnt: string | null, country: string | undefined): Language =>
  languageOfTag(learnt ?? (country === undefined ? "en" : languageOfCountry(country))) ?? "en"

const style = `
:root{color-scheme:light dark}
body{margin:0;padding:1.5rem;background:#fbf9f6;color:#22201d;font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif}
.letter{max-width:36rem;margin:0 auto;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
.above{color:#b8442e;font-weight:700;margin:0 0 .25rem}
h2{font-size:1.1rem;margin:1.5rem 0 .25rem}
.lead{font-size:1.1rem;margin:0 0 1rem}
.soft,footer{color:#6a645c}
footer{margin-top:2rem;padding-top:1rem;border-top:1px solid #e6e0d8;font-size:.875rem}
a{color:#b8442e}
a.button{display:inline-block;background:#b8442e;color:#fff;font-weight:700;text-decoration:none;padding:.7rem 1.25rem;border-radius:.5rem}
dl{margin:1.5rem 0;padding:0}
dl>div{padding:.6rem 0;border-bottom:1px solid #e6e0d8}
dt{color:#6a645c;font-size:.875rem}
dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.9rem}
caption{text-align:left;font-weight:700;padding:0 0 .35rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .75rem .45rem 0;border-bottom:1px solid #e6e0d8;overflow-wrap:anywhere}
tbody th{font-weight:400}
.narrow{display:none}
.reference{font:700 1.1rem/1.3 ui-monospace,Menlo,Consolas,monospace;letter-spacing:.05em}
@media (prefers-color-scheme:dark){body{background:#191715;color:#eee9e2}.soft,footer,dt{color:#a8a096}a,.above{color:#ff9d80}a.button{background:#ff9d80;color:#191715}footer,dl>div,th,td{border-color:#38332d}}
`

/** What a letter is about. */
interface LetterSubject {
  readonly kind: LetterKind
  readonly before: VisitBefore | null
  /** What the booking has now. */
  readonly extras: ReadonlyArray<Extra>
  /** What the venue writes. */
  readonly words: string | null
  readonly shown: ShownBooking
  readonly entry: CalendarBooking
  readonly language: Language
  /** Whom it is from. */
  readonly from: string
  /** What failed to go back, in minor units of each currency. */
  readonly refund_failed: ReadonlyArray<{ readonly amount: number; readonly currency: string }>
  /** Where reminders are stopped; only reminders say it. */
  readonly stop_url: string
}

/** The letters that can be stopped. */
export const isReminder = (kind: LetterKind): boolean => kind === "balance_due" || kind === "visit"

/** Where a booking stands; if it can be paid, how much until when: a hold's end has a line of its own on pages alone. */
const toPay = (shown: ShownBooking, standing: Standing, language: Language): string => {
  const { currency, due_now, terms } = shown.booking
  const end = standing.kind === "not_payable" ? undefined : payBefore(standing)
  return end === undefined
    ? standingSaid(shown, standing, language).lead
    : messages[language].letters.balanceDue.lead({
        amount: moneyIn(language, due_now, currency),
        until: momentIn(language, terms.time_zone, end),
        online: true
      })
}

const opening = ({
  kind,
  language,
  refund_failed,
  shown
}: LetterSubject): { readonly heading: string; readonly lead: string; readonly more?: string } => {
  const { letters: text } = messages[language]
  const { booking, summary } = shown
  const { starts_at, terms } = booking
  const standing = standingOf(booking, summary)
  switch (kind) {
    case "confirmed":
    case "ended":
      return leadOf(shown, standing, language)
    case "changed":
      return { heading: text.changed.heading, lead: text.changed.lead, more: leadOf(shown, standing, language).lead }
    case "balance_due": {
      const { amount, until } = balanceIn(shown, language)
      return {
        heading: text.balanceDue.heading,
        lead: text.balanceDue.lead({ amount, until, online: summary.balance_online })
      }
    }
    case "booked":
      return { ...text.booked, more: toPay(shown, standing, language) }
    case "places_back":
      return { ...text.placesBack, more: `${toPay(shown, standing, language)} ${text.placesLapse}` }
    case "sent_back":
      return { heading: text.sentBack, lead: sentBackSaid(summary, language), more: toPay(shown, standing, language) }
    case "visit":
      return { heading: text.visit.heading, lead: text.visit.lead(dateTimeIn(language, terms.time_zone, starts_at)) }
    case "refund_failed":
      return {
        heading: text.refundFailed.heading,
        lead: joined(
          refund_failed.map(({ amount, currency }) => text.refundFailed.lead(moneyIn(language, amount, currency))),
          language
        )
      }
    case "link":
      return { heading: text.link.heading, lead: text.link.lead, more: text.link.unasked }
    case "from_venue":
      return { heading: text.fromVenue.heading, lead: text.fromVenue.lead }
    case "readdressed": {
      const { heading, lead, unasked } = text.readdressed
      return { heading, lead, more: unasked }
    }
  }
}

const balanceIn = ({ booking, summary }: ShownBooking, language: Language) => {
  const standing = standingOf(booking, summary)
  const balance = "balance" in standing ? standing.balance : undefined
  return {
    amount: moneyIn(language, balance?.amount ?? 0, booking.currency),
    until: balance === undefined ? "" : momentIn(language, booking.terms.time_zone, balance.due_at)
  }
}

/** What was changed: time, room, party, price, as it was and as it is. */
const changes = ({ before, extras, language, shown: { booking } }: LetterSubject): ReadonlyArray<Html> => {
  if (before === null) return []
  const { letters: text, words } = messages[language]
  const { currency, terms } = booking
  const when = (of: Pick<VisitBefore, "starts_at" | "ends_at">) =>
    visitTimeIn(language, terms.time_zone, of.starts_at, of.ends_at)
  const rows = [
    [words.when, when(before), when(booking)],
    [messages[language].booking.where, before.place ?? placeOf(terms), placeOf(terms)],
    [messages[language].booking.who, partyIn(language, before), partyIn(language, { ...booking, child_ages: [] })],
    [messages[language].operator.extras, extrasText(before.extras ?? extras), extrasText(extras)],
    [words.price, moneyIn(language, before.total, currency), moneyIn(language, booking.total, currency)]
  ].filter(([, was, is]) => was !== is)
  return rows.map(
    ([what = "", was = "", is = ""]) =>
      html`<p><strong>${what}</strong><br>${text.before}: ${isolated(was === "" ? "–" : was)}<br>${text.now}: <strong>${isolated(is === "" ? "–" : is)}</strong></p>`
  )
}

/** What is said of the calendar entry; undefined: there is none, as the booking never had places to be entered. */
const entryNote = ({ kind, language, shown: { booking } }: LetterSubject): string | undefined => {
  const { letters: text } = messages[language]
  if (kind === "confirmed") return text.entry
  if (kind === "changed") return text.newEntry
  const hadPlaces = booking.status === "cancelled" || booking.terms.released_at !== undefined
  return kind === "ended" && hadPlaces ? text.entryRemoved : undefined
}

const paragraph = (text: HtmlPart | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p>${text}</p>`

/** The letters that say how many of the venue's questions are open. */
const asking: ReadonlySet<LetterKind> = new Set(["booked", "changed", "confirmed", "visit"])

const asksOf = ({ kind, language, shown }: LetterSubject): Html | undefined => {
  const count = asking.has(kind) ? openCount(shown) : 0
  const { answer, open } = messages[language].venueAsks
  const address = `${shown.summary.page_url}?step=${questionsName}`
  return count === 0 ? undefined : html`<p>${pluralIn(language, count, open)} <a href="${address}">${answer}</a></p>`
}

/** The letter, all but its id. */
export const letterContent = (of: LetterSubject): Pick<Letter, "subject" | "text" | "html" | "entry" | "language"> => {
  const { kind, language, shown } = of
  const { booking, summary } = shown
  const { terms } = booking
  const { booking: page, letters: text, words } = messages[language]
  const standing = standingOf(booking, summary)
  const { heading, lead, more } = opening(of)
  const isOurs = kind !== "readdressed"
  const alive = booking.status === "confirmed"
  const withTerms = alive && (kind === "confirmed" || kind === "changed")
  const note = entryNote(of)
  const stop = isReminder(kind) ? html` <a href="${of.stop_url}">${text.stop}</a>` : undefined
  const body = html`<p class="above">${isolated(terms.playroom_name)}</p>
<h1>${heading}</h1>
<p class="lead">${lead}</p>
${(of.words ?? "").split("\n").flatMap((line) => (line.trim() === "" ? [] : [html`<p>${isolated(line.trim())}</p>`]))}
${changes(of)}
${paragraph(more)}
${asksOf(of)}
${isOurs ? html`<p><a class="button" href="${summary.page_url}">${text.openPage}</a></p>` : undefined}
${facts([
  { term: words.reference, is: html`<span class="reference">${booking.reference}</span>` },
  ...(isOurs
    ? [
        { term: page.what, is: isolated(terms.package_name) },
        { term: words.when, is: whenOf(booking, language) },
        { term: page.where, is: html`${isolated(terms.playroom_name)}<br>${isolated(terms.address)}` },
        { term: page.who, is: partyIn(language, booking) },
        ...(alive && summary.bring !== undefined ? [{ term: words.bring, is: isolated(summary.bring) }] : []),
        ...moneyFacts(shown, standing, language)
      ]
    : [])
])}
${paragraph(note)}
${withTerms ? html`<h2>${page.terms}</h2>\n${termsParagraphs(booking, summary, language)}` : undefined}
${askVenue(summary.operator, language)}
<footer><p>${text.why(booking.reference)}${stop}</p>
${isOurs ? html`<p>${text.secret}</p>` : undefined}</footer>`
  const date = isOurs ? `, ${dateIn(language, terms.time_zone, booking.starts_at)}` : ""
  const subject = `${heading}: ${terms.playroom_name}${date}`
  return {
    subject,
    language,
    text: `${textOf(body)}\n`,
    html: htmlPage(subject, style, html`<div class="letter">\n${body}\n</div>`, language),
    ...(note === undefined ? {} : { entry: calendarFileOf(of.entry, language, { from: of.from, at: summary.now }) })
  }
}

/** The letter to who bought a voucher. `address`: of its page, which has its code. */
export const voucherLetter = (
  { amount, currency, expires_at, time_zone }: Voucher,
  { email, name, phone }: OperatorContact,
  address: string,
  language: Language
): Pick<Letter, "subject" | "text" | "html" | "language"> => {
  const { buying: text, voucher } = messages[language]
  const body = html`<p class="above">${isolated(name)}</p>
<h1>${text.subject}</h1>
<p class="lead">${text.thanks}</p>
<p><a class="button" href="${address}">${text.openVoucher}</a></p>
${facts([
  { term: voucher.worth, is: moneyIn(language, amount, currency) },
  { term: voucher.until, is: expires_at === null ? voucher.noEnd : dateIn(language, time_zone, expires_at - 1) }
])}
<p>${voucher.keep}</p>
${askVenue({ name, ...(email === undefined ? {} : { email }), ...(phone === undefined ? {} : { phone }) }, language)}
<footer><p>${text.why}</p></footer>`
  const subject = `${text.subject}: ${name}`
  return {
    subject,
    language,
    text: `${textOf(body)}\n`,
    html: htmlPage(subject, style, html`<div class="letter">\n${body}\n</div>`, language)
  }
}
