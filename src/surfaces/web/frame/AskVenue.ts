/** Whom a family asks, and how. It is told to call only if there is a number. */
import type { OperatorContact } from "../../../domain/booking/BookingViews.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { emailLink, isolated, phoneLink } from "./Parts.ts"

/** Whom to ask; each way to reach the venue on a line of its own. */
export const askVenue = ({ email, name, phone }: OperatorContact, language: Language): Html => {
  const { askAtVenue, askVenue } = messages[language].words
  const ways = [...(phone === undefined ? [] : [phoneLink(phone)]), ...(email === undefined ? [] : [emailLink(email)])]
  return html`<p>${ways.length === 0 ? askAtVenue : askVenue} ${isolated(name)}${ways.map((way) => html`<br>${way}`)}</p>`
}

/** The same as text. */
export const askVenueText = ({ email, name, phone }: OperatorContact, language: Language): string => {
  const { askAtVenue, askVenue } = messages[language].words
  const ways = [phone, email].filter((way) => way !== undefined)
  return `${ways.length === 0 ? askAtVenue : askVenue} ${[name, ...ways].join(", ")}`
}
