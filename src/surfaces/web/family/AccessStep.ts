/**
 * Shows which assistants reach a booking: the one that booked for a guest, and those that joined it by the page's link
 * or found it by reference and e-mail address. Ends the access of one. The booking stays.
 */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { type BookingGuest, BookingLinks } from "../../../domain/booking/BookingLinks.ts"
import { type GrantRow, Grants, isOnDevice } from "../../../domain/oauth/Grants.ts"
import { html, type Html, joined, sentence } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn } from "../../../words/Localized.ts"
import { page, actions, buttonForm, buttonLink, isolated } from "../frame/Layout.ts"
import {
  type BookingStep,
  type LinkRequest,
  type OpenedBooking,
  stepAddress,
  type StepParts,
  toBooking
} from "./BookingStep.ts"

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

/** A client that reaches the booking. `joined`: it did not book, and since when it reaches it. */
interface Reaching {
  readonly grant: GrantRow
  readonly joined?: BookingGuest
}

const described = ({ grant, joined }: Reaching, { asked, booking }: OpenedBooking): Html => {
  const { language } = asked
  const text = messages[language].access
  const more = remarks(grant, language)
  const since = joined && text.since(dateIn(language, booking.terms.time_zone, joined.created_at))
  const may = joined && (joined.may_change ? text.mayChange : text.mayPay)
  const address = stepAddress(asked, accessName)
  const ofJoined = `${address}&grant=${grant.grant_id}`
  const end =
    joined !== undefined
      ? html`<a href="${ofJoined}">${text.remove}</a>`
      : grant.revoked_at === null
        ? html`<a href="${address}">${text.end}</a>`
        : text.ended
  return html`${isolated(nameOf(grant, language))}${more === undefined ? "" : html`<br><span class="soft">${more}</span>`}${since === undefined ? "" : html`<br><span class="soft">${since} ${may}</span>`}<br>${end}`
}

/** The clients that reach the booking, each with a link to end that. */
const factsOf = (all: ReadonlyArray<Reaching>, opened: OpenedBooking): StepParts => {
  const text = messages[opened.asked.language].access
  const maker = all.find(({ joined }) => joined === undefined)
  const others = all.filter(({ joined }) => joined !== undefined)
  return {
    facts: [
      ...(maker === undefined
        ? []
        : [
            {
              term: text.bookedThrough,
              is: html`${described(maker, opened)}<br><span class="soft">${text.another}</span>`
            }
          ]),
      ...(others.length === 0
        ? []
        : [{ term: text.joined, is: others.map((one) => html`<p>${described(one, opened)}</p>`) }])
    ]
  }
}

const confirmPage = ({ grant, joined }: Reaching, asked: LinkRequest): HttpServerResponse.HttpServerResponse => {
  const { language } = asked
  const { access: text, words } = messages[language]
  const name = nameOf(grant, language)
  const more = remarks(grant, language)
  const title = joined === undefined ? text.title : text.removeTitle
  return page(
    title(name),
    html`<h1>${sentence(title, isolated(name))}</h1>
<p class="lead">${joined === undefined ? text.lead : text.removeLead}</p>
${more === undefined ? "" : html`<p class="soft">${more}</p>\n`}<p>${joined === undefined ? text.stays : text.again}</p>
${actions(
  buttonForm(
    stepAddress(asked),
    { step: accessName, ...(joined === undefined ? {} : { grant: grant.grant_id }) },
    joined === undefined ? text.end : text.remove
  ),
  buttonLink(stepAddress(asked), words.leaveAsItIs, true)
)}`,
    { language, formAction: "'self'", headers: { vary: "accept-language" } }
  )
}

export const accessStep = Effect.gen(function* () {
  const grants = yield* Grants
  const links = yield* BookingLinks

  /** The client that booked, ended or not, and those that joined. */
  const reaching = Effect.fnUntraced(function* ({ booking }: OpenedBooking) {
    const guests = yield* links.guestsOf(booking.booking_id)
    const found = yield* grants.ofGuests([booking.key_id, ...guests.map(({ key_id }) => key_id)])
    const grantOf = new Map(found.map((grant) => [grant.key_id, grant]))
    const maker = grantOf.get(booking.key_id)
    return [
      ...(maker === undefined ? [] : [{ grant: maker }]),
      ...guests.flatMap((joined) => {
        const grant = grantOf.get(joined.key_id)
        return grant === undefined ? [] : [{ grant, joined }]
      })
    ] satisfies ReadonlyArray<Reaching>
  })

  /** The one whose access is to end: of a grant that joined, or without one of the grant that booked. */
  const named = (opened: OpenedBooking, grant_id: string | undefined) =>
    Effect.map(reaching(opened), (all: ReadonlyArray<Reaching>) =>
      all.find(({ grant, joined }) =>
        grant_id === undefined
          ? joined === undefined && grant.revoked_at === null
          : joined !== undefined && grant.grant_id === grant_id
      )
    )

  return {
    parts: (opened) => Effect.map(reaching(opened), (all) => factsOf(all, opened)),
    show: (opened) =>
      Effect.flatMap(named(opened, opened.asked.query.grant), (one) =>
        one === undefined ? toBooking(opened) : Effect.succeed(confirmPage(one, opened.asked))
      ),
    act: (opened, form) =>
      named(opened, form.get("grant") ?? undefined).pipe(
        Effect.tap((one) =>
          one === undefined
            ? Effect.void
            : one.joined === undefined
              ? grants.revoke(one.grant.grant_id)
              : links.endReach(opened.booking.booking_id, one.grant.key_id)
        ),
        Effect.andThen(toBooking(opened))
      )
  } satisfies BookingStep
})
