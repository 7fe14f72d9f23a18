/** That the person's role does not allow something (`staff/Rights.ts`). */
import type { HttpServerResponse } from "effect/http"
import { html } from "../../kernel/Html.ts"
import { messages } from "../../i18n/Languages.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import { actions, buttonLink } from "../Parts.ts"
import { deskAddress } from "./DeskAction.ts"
import { deskPage, type DeskRequest } from "./DeskFrame.ts"

/** `booking_id`: the booking that it leads back to; the day if there is none. */
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
