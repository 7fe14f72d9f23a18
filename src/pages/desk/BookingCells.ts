/** What tables of bookings at the desk say of each: whose it is, when and where, and whom to call. */
import type { BookingRow } from "../../booking/Booking.ts"
import type { ClosedBooking } from "../../booking/BookingList.ts"
import { isErased } from "../../booking/ErasedPerson.ts"
import type { Language } from "../../i18n/Languages.ts"
import { visitTimeIn } from "../../i18n/Localized.ts"
import { html, type Html } from "../../kernel/Html.ts"
import { nameOf } from "../operator/DayParts.ts"
import { emailLink, isolated, phoneLink } from "../Parts.ts"
import { deskAddress } from "./DeskAction.ts"

/** Whose booking it is. */
export const whoOf = (
  visit: Pick<BookingRow, "booking_id" | "contact_email" | "contact_name" | "reference">,
  language: Language
): Html =>
  html`<a href="${deskAddress(visit.booking_id)}">${isolated(nameOf(language, visit))}</a><br><span class="soft code">${visit.reference}</span>`

/** When and where a booking is. */
export const whenOf = ({ ends_at, playroom_name, starts_at, time_zone }: ClosedBooking, language: Language): Html =>
  html`${visitTimeIn(language, time_zone, starts_at, ends_at)}<br><span class="soft">${isolated(playroom_name)}</span>`

/** Whom to call. */
export const contactOf = (visit: Pick<BookingRow, "contact_email" | "contact_phone">): Html =>
  isErased(visit)
    ? html`–`
    : visit.contact_phone === null
      ? emailLink(visit.contact_email)
      : phoneLink(visit.contact_phone)
