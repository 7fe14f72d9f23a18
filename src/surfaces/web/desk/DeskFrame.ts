/** The frame of the desk's pages: who is signed in, the search, a day to go to, and the way out; and what several of them say. */
import type { HttpServerResponse } from "effect/http"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import type { AffectedBooking } from "../../../domain/booking/BookingList.ts"
import { isErased } from "../../../domain/booking/BookingRecords.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { visitTimeIn } from "../../../words/Localized.ts"
import { deskPaths, type DeskRight, mayDo, type StaffMember } from "../../../domain/people/staff/StaffMember.ts"
import { type PageAnswer, page, actions, buttonLink, emailLink, isolated, links, phoneLink } from "../frame/Layout.ts"
import type { PageRequest, PageRow } from "../frame/PageTable.ts"
import { nameOf } from "../operator/OperatorDays.ts"
import type { Actor } from "../../../domain/payment/changes/BookingChanges.ts"

/** A request of who is signed in. */
export interface DeskRequest {
  readonly member: StaffMember
  readonly language: Language
  /** What the forms of this session carry. */
  readonly form: string
  /** The digest of the session's token. */
  readonly session: Uint8Array
}

/** Who does it, for a change of the booking. */
export const staffActor = ({ name, operator_id, role }: StaffMember): Actor => ({
  as: "staff",
  name,
  operator_id,
  role
})

/** The address of a booking at the desk, or of one of its actions. */
export const deskAddress = (booking_id: string, step?: string): string =>
  `${deskPaths.booking}${booking_id}${step === undefined ? "" : `?step=${step}`}`

/** The field that names the session whose page has the form. */
export const formField = "form"
/** The hidden fields of a form at the desk. */
export const hiddenFields = ({ form }: DeskRequest, step: string, more: Readonly<Record<string, string>> = {}) => ({
  [formField]: form,
  step,
  ...more
})

/** A screen of the desk: an address, and what who is signed in sees and does there. */
export interface DeskScreen {
  readonly path: PageRow["path"]
  /** What the person's role has to allow for any of it; absent: everybody's. */
  readonly right?: DeskRight
  /** GET. `query` and `id`: of the address. */
  readonly show: (desk: DeskRequest, query: PageRequest["query"], id: string) => PageAnswer
  /** POST of a form that a page of this session sent. */
  readonly act?: (desk: DeskRequest, form: URLSearchParams, id: string) => PageAnswer
}

/** The longest words of a search. */
export const maxSearchLength = 100

const barOf = ({ language, member }: DeskRequest): Html => {
  const text = messages[language].desk
  return html`<div class="bar noprint">
<p class="soft">${text.signedInAs(member.name)}</p>
<form method="post" action="${deskPaths.signOut}" class="quiet"><button>${text.signOut}</button></form>
</div>`
}

/** The desk's own pages. */
const pagesOf = ({ language, member }: DeskRequest): Html => {
  const { desk, operator } = messages[language]
  const all = [
    { href: deskPaths.desk, label: operator.today },
    { href: deskPaths.owed, label: desk.owed.title },
    { href: deskPaths.till, label: desk.till.title },
    ...(mayDo(member.role, "close_time") ? [{ href: deskPaths.closing, label: desk.closing.title }] : []),
    ...(mayDo(member.role, "move") ? [{ href: deskPaths.closed, label: desk.closed.title }] : []),
    ...(mayDo(member.role, "see_accounts") ? [{ href: deskPaths.month, label: desk.month.title }] : []),
    ...(mayDo(member.role, "manage_staff") ? [{ href: deskPaths.people, label: desk.people.title }] : [])
  ]
  return html`<nav aria-label="${desk.title}">${links(all.map(({ href, label }) => html`<a href="${href}">${label}</a>`))}</nav>`
}

const searchOf = (language: Language, words: string): Html => {
  const text = messages[language].desk
  return html`<form method="get" action="${deskPaths.desk}" class="search noprint" role="search">
<label><span class="unseen">${text.search}</span><input type="search" name="find" value="${words}" placeholder="${text.search}" maxlength="${maxSearchLength}"></label>
<button class="second">${text.find}</button>
</form>`
}

/**
 * A page of the desk. `words`: what its search holds; absent on pages with a form of their own, which have no search.
 */
export const deskPage = (
  request: DeskRequest,
  of: {
    readonly title: string
    readonly head: Html
    readonly body: Html
    readonly words?: string
    readonly status?: number
  }
): HttpServerResponse.HttpServerResponse =>
  page(
    `${of.title}: ${request.member.operator_name}`,
    html`${barOf(request)}
${pagesOf(request)}
${of.words === undefined ? "" : searchOf(request.language, of.words)}
${of.head}
${of.body}`,
    {
      language: request.language,
      broad: true,
      status: of.status ?? 200,
      formAction: "'self'",
      headers: { vary: "accept-language, cookie" }
    }
  )

/**
 * That the person's role does not allow it (`domain/people/staff/StaffMember.ts`). `booking_id`: the booking that it
 * leads back to; the day if there is none.
 */
export const notAllowedPage = (desk: DeskRequest, booking_id?: string): HttpServerResponse.HttpServerResponse => {
  const { desk: text } = messages[desk.language]
  const back =
    booking_id === undefined
      ? buttonLink(deskPaths.desk, text.toDay, true)
      : buttonLink(deskAddress(booking_id), text.toBooking, true)
  return deskPage(desk, {
    title: text.managersTitle,
    status: 403,
    head: html`<h1>${text.managersTitle}</h1>`,
    body: html`<p class="lead">${text.managersOnly}</p>
${actions(back)}`
  })
}

/** Whose booking it is. */
export const whoOf = (
  visit: Pick<BookingRow, "booking_id" | "contact_email" | "contact_name" | "reference">,
  language: Language
): Html =>
  html`<a href="${deskAddress(visit.booking_id)}">${isolated(nameOf(language, visit))}</a><br><span class="soft code">${visit.reference}</span>`

/** When and where a booking is. */
export const whenOf = ({ ends_at, playroom_name, starts_at, time_zone }: AffectedBooking, language: Language): Html =>
  html`${visitTimeIn(language, time_zone, starts_at, ends_at)}<br><span class="soft">${isolated(playroom_name)}</span>`

/** Whom to call. */
export const contactOf = (visit: Pick<BookingRow, "contact_email" | "contact_phone">): Html =>
  isErased(visit)
    ? html`–`
    : visit.contact_phone === null
      ? emailLink(visit.contact_email)
      : phoneLink(visit.contact_phone)
