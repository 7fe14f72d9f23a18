/** That the person's role does not allow an action (`staff/Rights.ts`). */
import type { HttpServerResponse } from "effect/http"
import { html } from "../../kernel/Html.ts"
import { messages } from "../../i18n/Languages.ts"
import { actions, buttonLink } from "../Parts.ts"
import { deskAddress, type DeskOpened } from "./DeskAction.ts"
import { deskPage } from "./DeskFrame.ts"

export const notAllowedPage = ({ booking, desk }: DeskOpened): HttpServerResponse.HttpServerResponse => {
  const { desk: text } = messages[desk.language]
  return deskPage(desk, {
    title: text.managersTitle,
    status: 403,
    head: html`<h1>${text.managersTitle}</h1>`,
    body: html`<p class="lead">${text.managersOnly}</p>
${actions(buttonLink(deskAddress(booking.shown.booking.booking_id), text.toBooking, true))}`
  })
}
