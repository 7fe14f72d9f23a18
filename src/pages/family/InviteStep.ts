/** The family's page offers the invitation for its guests, while the visit is confirmed and ahead. */
import { Effect } from "effect"
import { BookingLinks } from "../../booking/BookingLinks.ts"
import { messages } from "../../i18n/Languages.ts"
import { html } from "../../kernel/Html.ts"
import { copyable } from "../Layout.ts"
import { links } from "../Parts.ts"
import type { BookingStep } from "./BookingStep.ts"

/** The step's name. */
export const inviteName = "invite"

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
