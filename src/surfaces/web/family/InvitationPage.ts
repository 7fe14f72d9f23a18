/**
 * `/i/{token}`: the invitation that a family sends its guests. It says when and where, and what to bring; nothing of
 * the family and its booking, and nothing can be changed.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { linkPaths } from "../../../platform/access/LinkTokens.ts"
import { BookingLinks } from "../../../domain/booking/BookingLinks.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { calendarFile, calendarMediaType } from "../../../platform/time/CalendarFile.ts"
import { digestOfValue } from "../../../platform/ids/Ids.ts"
import { html } from "../../../platform/text/Html.ts"
import { dayMinutes } from "../../../platform/time/LocalTime.ts"
import { copyable, page, actions, buttonLink, facts, hero, isolated, links } from "../frame/Layout.ts"
import type { BookingStep } from "./BookingStep.ts"
import { webCalendars, pictureOf, wayThere, whenAndWhere } from "./Visit.ts"
import type { InvitedVisit } from "./ShownBookings.ts"

const titleOf = ({ booking }: InvitedVisit): string => booking.terms.playroom_name

export const invitationPage =
  (token: string) =>
  (visit: InvitedVisit, language: Language): HttpServerResponse.HttpServerResponse => {
    const { booking, bring, playroom } = visit
    const { booking: text, invitation, words } = messages[language]
    const picture = pictureOf(playroom)
    return page(
      `${invitation.title}: ${booking.terms.playroom_name}`,
      html`${hero({ picture, title: invitation.title, below: whenAndWhere(booking, language), lead: "" })}
${actions(buttonLink(`${linkPaths.invitation}${token}.ics`, text.calendar))}
${links([...webCalendars(booking, titleOf(visit), language), ...wayThere(playroom, language)])}
${bring === undefined ? "" : facts([{ term: words.bring, is: isolated(bring) }])}
<p class="soft">${invitation.ask}</p>`,
      { language, headers: { vary: "accept-language" }, pictureFrom: picture?.origin }
    )
  }

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

/** The family's page offers the invitation, while the visit is confirmed and ahead. */
export const inviteStep = Effect.map(BookingLinks, ({ invitation }): BookingStep => ({
  parts: ({ asked, booking, summary }) => {
    if (booking.status !== "confirmed" || booking.ends_at <= summary.now) return Effect.succeed({})
    const text = messages[asked.language].invitation
    return Effect.map(invitation(booking), (address) => ({
      section: html`<section class="noprint"><h2>${text.share}</h2>
<p>${text.shareLead}</p>
${copyable(address)}
${links([html`<a href="${new URL(address).pathname}">${text.shareOpen}</a>`])}</section>`
    }))
  }
}))
