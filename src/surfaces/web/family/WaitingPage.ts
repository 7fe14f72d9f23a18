/**
 * `/wait/{option}`: a family puts itself on the waiting list of an option that is booked out. `/w/{token}`: that it is on
 * it, and how it leaves. Its entry stands in `domain/booking/WaitingList.ts`.
 */
import { Effect, Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { waitAddress } from "../../../domain/availability/Decision.ts"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { Bookings } from "../../../domain/booking/Bookings.ts"
import { type WaitedVisit, type Waiting, WaitingList } from "../../../domain/booking/WaitingList.ts"
import { linkPaths, waitPath } from "../../../platform/access/LinkTokens.ts"
import { EmailAddress, PersonName } from "../../../platform/text/Contact.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { minuteMs } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { exactlyIn, partyIn } from "../../../words/Localized.ts"
import { actions, buttonForm, buttonLink, facts, isolated, page, type PageAnswer } from "../frame/Layout.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"
import { alertOf, type BookingStep } from "./BookingStep.ts"
import { labelled, type PartyFormErrors } from "./PartyStep.ts"
import { whenOf } from "./Visit.ts"

/** What was entered. */
interface Entered {
  readonly name: string
  readonly email: string
  readonly alert?: string
  readonly faults?: PartyFormErrors
}
const nothingEntered: Entered = { name: "", email: "" }

/** The longest text of a field that is shown again. */
const maxText = 300
const readContact = { name: Schema.decodeOption(PersonName(200)), email: Schema.decodeOption(EmailAddress) }

/** The ages in an address or a form; none if they are no ages. */
const agesIn = (text = ""): ReadonlyArray<number> =>
  /^\d{1,2}(-\d{1,2}){0,499}$/.test(text) ? text.split("-").map(Number) : []

const textPage = (title: string, body: Html, language: Language, status = 200): HttpServerResponse.HttpServerResponse =>
  page(title, html`<h1>${title}</h1>\n${body}`, {
    language,
    status,
    formAction: "'self'",
    headers: { vary: "accept-language" }
  })

/** The visit that is waited for. */
const visitFacts = ({ visit }: WaitedVisit, child_ages: ReadonlyArray<number>, language: Language): Html => {
  const { booking: text, words } = messages[language]
  const { party, pkg, start, venue } = visit
  const { address, name: playroom_name, time_zone } = venue.playroom
  const shown = { starts_at: start, ends_at: start + pkg.duration_minutes * minuteMs }
  return facts([
    { term: text.what, is: isolated(pkg.name) },
    { term: words.when, is: whenOf({ ...shown, terms: { address, playroom_name, time_zone } }, language) },
    { term: text.where, is: html`${isolated(playroom_name)}<br>${isolated(address)}` },
    { term: text.who, is: partyIn(language, { ...party, child_ages }) }
  ])
}

const formPage = (
  waited: WaitedVisit,
  child_ages: ReadonlyArray<number>,
  { alert, email, faults = {}, name }: Entered,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { party, waiting: text, words } = messages[language]
  const minutes = waited.visit.venue.playroom.waiting_list_minutes ?? 0
  const said = alert ?? Object.values(faults)[0]
  return textPage(
    text.title,
    html`${alertOf(said)}<p class="lead">${text.lead}</p>
${visitFacts(waited, child_ages, language)}
<p>${text.how(exactlyIn(language, minutes))}</p>
<form class="card" method="post" action="${waitPath}${waited.option_id}" novalidate>
<input type="hidden" name="ages" value="${child_ages.join("-")}">
${labelled(
  "name",
  party.name,
  faults,
  (described) =>
    html`<input id="name" name="name" type="text" autocomplete="name" maxlength="200" required value="${name}"${described}>`
)}
${labelled(
  "email",
  words.email,
  faults,
  (described) =>
    html`<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required value="${email}"${described}>`
)}
${actions(html`<button>${text.join}</button>`)}
</form>`,
    language,
    said === undefined ? 200 : 409
  )
}

/** That a family is on the list. Without the token of its entry nobody takes it off. */
const onPage = (
  token: string | undefined,
  { child_ages, contact_email }: Pick<Waiting, "child_ages" | "contact_email">,
  waited: WaitedVisit | undefined,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { waiting: text } = messages[language]
  return textPage(
    text.onTitle,
    html`<p class="lead">${text.on(contact_email)}</p>
${waited === undefined ? "" : visitFacts(waited, child_ages, language)}
${token === undefined ? "" : actions(buttonForm(`${linkPaths.waiting}${token}`, {}, text.leave, true))}`,
    language
  )
}

/** The pages. `sender`: the network address of who sends the form. */
export const waitingPages = Effect.gen(function* () {
  const bookings = yield* Bookings
  const list = yield* WaitingList

  /** Answers for a visit that can be waited for, or says why it can't. */
  const asking = (
    option_id: string,
    child_ages: ReadonlyArray<number>,
    language: Language,
    answer: (waited: WaitedVisit) => PageAnswer
  ): PageAnswer =>
    Effect.flatMap(bookings.waitedFor(option_id, child_ages), (waited) => {
      const { waiting: text } = messages[language]
      if (typeof waited === "object") return answer(waited)
      const [title, lead] = waited === "free" ? [text.freeTitle, text.free] : [text.noneTitle, text.none]
      return Effect.succeed(textPage(title, html`<p class="lead">${lead}</p>`, language, waited === "free" ? 200 : 404))
    })

  const ask = (option_id: string, ages: string | undefined, language: Language): PageAnswer =>
    asking(option_id, agesIn(ages), language, (waited) =>
      Effect.succeed(formPage(waited, agesIn(ages), nothingEntered, language))
    )

  const join = (option_id: string, form: URLSearchParams, sender: string, language: Language): PageAnswer => {
    const typed = (field: string) => (form.get(field) ?? "").replaceAll("\0", "").slice(0, maxText).trim()
    const child_ages = agesIn(form.get("ages") ?? "")
    return asking(
      option_id,
      child_ages,
      language,
      Effect.fnUntraced(function* (waited) {
        const { party, waiting: text } = messages[language]
        const entered = { name: typed("name"), email: typed("email") }
        const [name, email] = [readContact.name(entered.name), readContact.email(entered.email)]
        if (Option.isNone(name) || Option.isNone(email)) {
          const faults = {
            ...(Option.isNone(name) ? { name: party.errors.name } : {}),
            ...(Option.isNone(email) ? { email: party.errors.email } : {})
          }
          return formPage(waited, child_ages, { ...entered, faults }, language)
        }
        const who = { child_ages, contact_name: name.value, contact_email: email.value, language }
        const joined = yield* list.join(waited, who, sender)
        if (joined === "full") return formPage(waited, child_ages, { ...entered, alert: text.full }, language)
        return joined === "known"
          ? onPage(undefined, who, waited, language)
          : redirectAfterPost(`${linkPaths.waiting}${yield* list.token(joined)}`)
      })
    )
  }

  const opening = (token: string, language: Language, answer: (entry: Waiting) => PageAnswer): PageAnswer =>
    Effect.flatMap(
      list.opened(token),
      Option.match({
        onNone: () => {
          const { waiting: text } = messages[language]
          return Effect.succeed(textPage(text.offTitle, html`<p class="lead">${text.off}</p>`, language, 404))
        },
        onSome: answer
      })
    )

  const show = (token: string, language: Language): PageAnswer =>
    opening(token, language, (entry) =>
      Effect.map(bookings.waitedFor(entry.option_id, entry.child_ages), (waited) =>
        onPage(token, entry, typeof waited === "object" ? waited : undefined, language)
      )
    )

  const leave = (token: string, language: Language): PageAnswer =>
    opening(token, language, ({ waiting_id }) =>
      Effect.as(list.leave(waiting_id), redirectAfterPost(`${linkPaths.waiting}${token}`))
    )

  return { ask, join, show, leave }
})

/** The page of a booking whose hold ran out offers the list, if others have its places. */
export const waitingStep = Effect.map(Bookings, ({ waitedFor }): BookingStep => ({
  parts: ({ asked, booking }) =>
    booking.status === "expired" && booking.terms.released_at === undefined
      ? Effect.map(waitedFor(booking.option_id, booking.child_ages), (waited) =>
          typeof waited === "object" ? { section: offerOf(waited, booking, asked.language) } : {}
        )
      : Effect.succeed({})
}))

const offerOf = ({ option_id }: WaitedVisit, { child_ages }: BookingRow, language: Language): Html => {
  const { waiting: text } = messages[language]
  return html`<section class="noprint"><h2>${text.title}</h2>
<p>${text.lead}</p>
${actions(buttonLink(waitAddress({ baseUrl: "" }, option_id, child_ages), text.join))}</section>`
}
