/** Shows which assistant booked for a guest, and revokes its access. The booking stays. */
import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { type GrantRow, Grants, isOnDevice } from "../../oauth/Grants.ts"
import { html, type Html, joined, sentence } from "../../kernel/Html.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { page } from "../Layout.ts"
import { actions, buttonForm, buttonLink, isolated } from "../Parts.ts"
import { type BookingStep, type LinkRequest, type OpenedBooking, stepAddress, type StepParts } from "./BookingStep.ts"

/** The step's name in addresses and forms. */
export const accessName = "access"

const onDevice = ({ host, proven }: GrantRow): boolean => !proven && isOnDevice(host)

/** The client's name as text. */
const nameOf = (grant: GrantRow, language: Language): string =>
  onDevice(grant) ? messages[language].words.ownDevice : grant.host

/** Remarks about the client: the name it claims, and whether that was confirmed. */
const remarks = (grant: GrantRow, language: Language): Html | undefined => {
  const text = messages[language].access
  const said = grant.client_name === null ? [] : [sentence(text.saidName, isolated(grant.client_name))]
  const parts = [...said, ...(grant.proven ? [] : [text.unconfirmed])]
  return parts.length === 0 ? undefined : joined(parts, " ")
}

/** The client that booked, with a link to revoke its access. */
const factOf = (grant: GrantRow, asked: LinkRequest): StepParts => {
  const { language } = asked
  const text = messages[language].access
  const more = remarks(grant, language)
  const end = grant.revoked_at === null ? html`<a href="${stepAddress(asked, accessName)}">${text.end}</a>` : text.ended
  const beside = more === undefined ? "" : html`<br><span class="soft">${more}</span>`
  return {
    fact: {
      term: text.bookedThrough,
      is: html`${isolated(nameOf(grant, language))}${beside}<br>${end}<br><span class="soft">${text.another}</span>`
    }
  }
}

const confirmPage = (grant: GrantRow, asked: LinkRequest): HttpServerResponse.HttpServerResponse => {
  const { language } = asked
  const { access: text, words } = messages[language]
  const name = nameOf(grant, language)
  const more = remarks(grant, language)
  return page(
    text.title(name),
    html`<h1>${sentence(text.title, isolated(name))}</h1>
<p class="lead">${text.lead}</p>
${more === undefined ? "" : html`<p class="soft">${more}</p>\n`}<p>${text.stays}</p>
${actions(
  buttonForm(stepAddress(asked), { step: accessName }, text.end),
  buttonLink(stepAddress(asked), words.leaveAsItIs, true)
)}`,
    { language, formAction: "'self'", headers: { vary: "accept-language" } }
  )
}

export const accessStep = Effect.gen(function* () {
  const grants = yield* Grants

  const toBooking = ({ asked }: OpenedBooking) =>
    HttpServerResponse.redirect(stepAddress(asked), { status: 303, headers: { "cache-control": "no-store" } })

  /** The grant that made the booking, unless it was revoked. */
  const live = ({ booking }: OpenedBooking) =>
    Effect.map(
      grants.ofGuest(booking.key_id),
      Option.filter(({ revoked_at }) => revoked_at === null)
    )

  return {
    parts: ({ asked, booking }) =>
      Effect.map(
        grants.ofGuest(booking.key_id),
        Option.match({ onNone: () => ({}), onSome: (grant) => factOf(grant, asked) })
      ),
    show: (opened) =>
      Effect.map(
        live(opened),
        Option.match({ onNone: () => toBooking(opened), onSome: (grant) => confirmPage(grant, opened.asked) })
      ),
    act: (opened) =>
      live(opened).pipe(
        Effect.tap(Option.match({ onNone: () => Effect.void, onSome: ({ grant_id }) => grants.revoke(grant_id) })),
        Effect.as(toBooking(opened))
      )
  } satisfies BookingStep
})
