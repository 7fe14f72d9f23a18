/** The link of the family's page: to read out, to copy, and to send by letter. */
import { Effect } from "effect"
import { isErased } from "../../../domain/booking/ErasedPerson.ts"
import { linkLifetimeMs } from "../../../domain/booking/BookingLinks.ts"
import { LetterOutbox } from "../../../domain/booking/LetterOutbox.ts"
import { messages } from "../../../words/Languages.ts"
import { html } from "../../../platform/text/Html.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { whenOf } from "../family/Visit.ts"
import { nameOf } from "../operator/DayParts.ts"
import { actions, buttonForm, buttonLink, facts, isolated } from "../frame/Parts.ts"
import { type DeskAction, deskAddress, type DeskOpened, hiddenFields } from "./DeskAction.ts"
import { deskPage } from "./DeskFrame.ts"

/** The action's name in addresses and forms. */
export const familyLinkName = "link"

const isOpen = ({ booking: { row } }: DeskOpened, now: Instant): boolean =>
  now < row.ends_at + linkLifetimeMs && !isErased(row)

export const familyLinkAction = Effect.gen(function* () {
  const letters = yield* LetterOutbox

  const linkPage = Effect.fnUntraced(function* ({ booking: { row: booking, view }, desk }: DeskOpened, sent: boolean) {
    const { language } = desk
    const { desk: text, words } = messages[language]
    const { page_url } = (yield* view).shown.summary
    const { booking_id, contact_email, key_id, operator_id } = booking
    // What the venue books itself is told by letter at once: that it is confirmed, or where it is paid.
    const mailed = letters.on && key_id === operator_id
    const told = sent ? text.family.sent(contact_email) : mailed ? text.family.mailed(contact_email) : undefined
    return deskPage(desk, {
      title: text.family.title,
      head: html`<h1>${text.family.title}</h1>
${told === undefined ? "" : html`<p role="status"><strong>${told}</strong></p>`}
<p class="lead">${text.family.lead}</p>`,
      body: html`<pre tabindex="0"><code>${page_url}</code></pre>
${facts([
  { term: words.visit, is: html`${isolated(nameOf(language, booking))}<br>${isolated(booking.terms.playroom_name)}` },
  { term: words.when, is: whenOf(booking, language) },
  { term: words.reference, is: html`<span class="reference">${booking.reference}</span>` }
])}
${actions(
  letters.on
    ? buttonForm(deskAddress(booking_id), hiddenFields(desk, familyLinkName), text.family.send(contact_email), true)
    : undefined,
  buttonLink(deskAddress(booking_id), text.toBooking, true)
)}`
    })
  })

  return {
    right: "give_link",
    offer: (opened, now) =>
      isOpen(opened, now)
        ? buttonLink(
            deskAddress(opened.booking.row.booking_id, familyLinkName),
            messages[opened.desk.language].desk.family.title,
            true
          )
        : undefined,
    show: (opened) =>
      isOpen(opened, opened.booking.as.now)
        ? linkPage(opened, false)
        : Effect.succeed(linkProblemPage("nothing", opened.desk.language)),
    act: (opened) =>
      letters.on && isOpen(opened, opened.booking.as.now)
        ? Effect.andThen(letters.write({ booking: opened.booking.row, kind: "link" }), linkPage(opened, true))
        : Effect.succeed(linkProblemPage("nothing", opened.desk.language))
  } satisfies DeskAction
})
