/**
 * `/i/{token}`: the invitation that a family sends its guests. It says when and where, and what to bring; nothing of
 * the family, its booking and the other guests, and nothing of these can be changed. A guest may say that it comes.
 */
import { Clock, Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { linkPaths } from "../../../platform/access/LinkTokens.ts"
import { BookingLinks } from "../../../domain/booking/BookingLinks.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { calendarFile, calendarMediaType } from "../../../platform/time/CalendarFile.ts"
import { answeredBy, givenAnswers, openQuestions, type Question } from "../../../domain/catalogue/Questions.ts"
import { digestOfValue } from "../../../platform/ids/Ids.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { dayMinutes, type Instant } from "../../../platform/time/LocalTime.ts"
import {
  guestAllergiesIn,
  guestBounds,
  guestOf,
  type InvitedGuest,
  isGuestAllergies,
  readGuestName
} from "../../../domain/booking/InvitedGuests.ts"
import {
  copyable,
  page,
  actions,
  buttonForm,
  buttonLink,
  facts,
  hero,
  hiddenInputs,
  isolated,
  links,
  notice
} from "../frame/Layout.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"
import { alertOf, type BookingStep, type OpenedBooking, stepAddress, toBooking } from "./BookingStep.ts"
import { labelled, type PartyFormErrors } from "./PartyStep.ts"
import { faultsOf, field, nameOf, type Typed, typedIn } from "./QuestionsStep.ts"
import { webCalendars, pictureOf, wayThere, whenAndWhere } from "./Visit.ts"
import type { InvitedVisit } from "./ShownBookings.ts"

const titleOf = ({ booking }: InvitedVisit): string => booking.terms.playroom_name

/** What a guest wrote, and what is wrong with it. */
interface Reply {
  readonly name: string
  readonly allergies: string
  readonly answers: Typed
  readonly alert?: string
  readonly faults?: PartyFormErrors
}

/** The field by which a form that is sent twice is known: when it was shown. */
const shownField = "shown"
/** What a page's address says after a guest has said that it comes. */
const saidQuery = "said"

const replyForm = (
  token: string,
  questions: ReadonlyArray<Question>,
  { allergies, answers, faults = {}, name }: Reply,
  now: Instant,
  language: Language
): Html => {
  const { invitation: text, venueAsks } = messages[language]
  return html`<section><h2>${text.come}</h2>
<form class="card" method="post" action="${linkPaths.invitation}${token}" novalidate>
${hiddenInputs({ [shownField]: String(now) })}
${labelled(
  "name",
  text.childName,
  faults,
  (described) =>
    html`<input id="name" name="name" type="text" autocomplete="off" maxlength="${guestBounds.name}" required value="${name}"${described}>`
)}
${labelled(
  "allergies",
  text.allergies,
  faults,
  (described) =>
    html`<input id="allergies" name="allergies" type="text" autocomplete="off" maxlength="${guestBounds.allergies}" value="${allergies}"${described}>`,
  text.allergiesHint
)}
${questions.map((question) =>
  labelled(
    nameOf(question),
    isolated(question.text),
    faults,
    field(question, answers, {}, language),
    question.required === true ? venueAsks.needed : undefined
  )
)}
<p class="soft">${text.whoSees}</p>
${actions(html`<button>${text.send}</button>`)}
</form></section>`
}

const invitationPage = (
  token: string,
  visit: InvitedVisit,
  reply: Reply,
  said: boolean,
  now: Instant,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { booking, bring, most_guests, playroom, questions } = visit
  const { booking: text, invitation, words } = messages[language]
  const picture = pictureOf(playroom)
  const alert = Object.keys(reply.faults ?? {}).length > 0 ? invitation.wrong : reply.alert
  return page(
    `${invitation.title}: ${booking.terms.playroom_name}`,
    html`${alertOf(alert)}${said ? notice(html`<p role="status">${invitation.thanks}</p>`) : ""}${hero({ picture, title: invitation.title, below: whenAndWhere(booking, language), lead: "" })}
${actions(buttonLink(`${linkPaths.invitation}${token}.ics`, text.calendar))}
${links([...webCalendars(booking, titleOf(visit), language), ...wayThere(playroom, language)])}
${bring === undefined ? "" : facts([{ term: words.bring, is: isolated(bring) }])}
${most_guests === undefined ? "" : replyForm(token, questions, reply, now, language)}
<p class="soft">${invitation.ask}</p>`,
    {
      language,
      status: alert === undefined ? 200 : 409,
      headers: { vary: "accept-language" },
      ...(most_guests === undefined ? {} : { formAction: "'self'" }),
      pictureFrom: picture?.origin
    }
  )
}

const noReply: Reply = { name: "", allergies: "", answers: {} }
const maxText = 1000

/** The page of an invitation, and what a guest's form does. */
export const invitationPages = Effect.map(BookingLinks, ({ addGuest }) => ({
  show: (token: string, visit: InvitedVisit, said: boolean, language: Language) =>
    Effect.map(Clock.currentTimeMillis, (now) => invitationPage(token, visit, noReply, said, now, language)),

  act: Effect.fnUntraced(function* (token: string, visit: InvitedVisit, form: URLSearchParams, language: Language) {
    const { invitation: text, venueAsks } = messages[language]
    const { questions } = visit
    const now = yield* Clock.currentTimeMillis
    const typed = (field: string) => (form.get(field) ?? "").replaceAll("\0", "").slice(0, maxText).trim()
    const [typedName, allergies] = [typed("name"), guestAllergiesIn(typed("allergies"))]
    const given = typedIn(form, questions)
    const again = (more: Pick<Reply, "alert" | "faults">) =>
      invitationPage(token, visit, { name: typedName, allergies, answers: given, ...more }, false, now, language)
    const unanswered = openQuestions(questions, answeredBy(null, questions, given))
    const name = readGuestName(typedName)
    const faults = {
      ...(Option.isNone(name) ? { name: text.noName } : {}),
      ...(isGuestAllergies(allergies) ? {} : { allergies: text.tooLong }),
      ...Object.fromEntries(
        unanswered.flatMap((one) => (one.required === true ? [[nameOf(one), venueAsks.needed]] : []))
      ),
      ...faultsOf(questions, given, {}, language)
    }
    if (Option.isNone(name) || Object.keys(faults).length > 0) return again({ faults })
    const shown = Number(/^\d{1,15}$/.exec(typed(shownField))?.[0] ?? now)
    const said = {
      name: name.value,
      allergies,
      ...(questions.length === 0 ? {} : { answers: answeredBy(null, questions, given) })
    }
    const added = yield* addGuest(token, guestOf(shown, said), visit.most_guests ?? 0)
    return added
      ? redirectAfterPost(`${linkPaths.invitation}${token}?${saidQuery}=1`)
      : again({ alert: visit.most_guests === undefined ? text.begun : text.full })
  }),

  saidQuery
}))

/** Its calendar entry. The booking's id is no part of it. */
export const invitationEntry = (visit: InvitedVisit, language: Language): HttpServerResponse.HttpServerResponse => {
  const { booking, bring, changed_at, changes } = visit
  const { terms } = booking
  const { words } = messages[language]
  return HttpServerResponse.text(
    calendarFile({
      language,
      events: [
        {
          uid: `invitation_${digestOfValue(booking.booking_id, 16)}`,
          sequence: changes,
          changed_at,
          status: "confirmed",
          start: booking.starts_at,
          end: booking.ends_at,
          time_zone: terms.time_zone,
          summary: titleOf(visit),
          ...(bring === undefined ? {} : { description: `${words.bring}: ${bring}` }),
          location: `${terms.playroom_name}, ${terms.address}`,
          reminder_minutes: dayMinutes
        }
      ]
    }),
    {
      contentType: calendarMediaType,
      headers: {
        "cache-control": "no-store",
        vary: "accept-language",
        "content-disposition": `attachment; filename="invitation.ics"`
      }
    }
  )
}

/** The step's name. */
export const inviteName = "invite"

const removeField = "guest"

/** Whom the family knows, and whom it takes out. */
const guestsPart = ({ asked, booking }: OpenedBooking): Html | undefined => {
  const { guests } = booking
  if (guests === null || guests.length === 0) return undefined
  const text = messages[asked.language].invitation
  return html`<h3>${text.guests}: ${guests.length}</h3>
<ul class="plain">${guests.map(
    (guest) =>
      html`<li>${guestPart(guest)} ${buttonForm(stepAddress(asked), { step: inviteName, [removeField]: guest.guest_id }, text.remove, true)}</li>`
  )}</ul>`
}

/** A guest, with what it must not eat, and what it answered. */
export const guestPart = ({ allergies, answers, name }: InvitedGuest): Html =>
  html`<strong>${isolated(name)}</strong>${allergies === "" ? "" : html`: ${isolated(allergies)}`}${givenAnswers(answers ?? null).map(({ answer, text }) => html`<br><span class="soft">${isolated(text)}</span> ${isolated(answer)}`)}`

/** The family's page offers the invitation, while the visit is confirmed and ahead, and lists who comes. */
export const inviteStep = Effect.map(BookingLinks, ({ invitation, removeGuest }): BookingStep => ({
  parts: (opened) => {
    const { asked, booking, summary } = opened
    if (booking.status !== "confirmed" || booking.ends_at <= summary.now) return Effect.succeed({})
    const text = messages[asked.language].invitation
    return Effect.map(invitation(booking), (address) => ({
      section: html`<section class="noprint"><h2>${text.share}</h2>
<p>${text.shareLead}</p>
${copyable(address)}
${links([html`<a href="${new URL(address).pathname}">${text.shareOpen}</a>`])}
${guestsPart(opened)}</section>`
    }))
  },
  act: (opened, form) =>
    Effect.andThen(
      removeGuest(opened.booking.booking_id, (form.get(removeField) ?? "").slice(0, 40)),
      toBooking(opened)
    )
}))
