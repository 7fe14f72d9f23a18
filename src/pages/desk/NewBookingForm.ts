/** The form of a new booking at the desk: for whom it is, the party, the extras and the notes. */
import { Schema } from "effect"
import type { VisitRequest } from "../../availability/Decision.ts"
import { Contact } from "../../booking/Booking.ts"
import type { BookingRequest } from "../../booking/BookingRequest.ts"
import { limitsOf } from "../../booking/VisitChange.ts"
import type { Party } from "../../catalogue/Price.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { html, type Html } from "../../kernel/Html.ts"
import {
  inputIn,
  labelled,
  notesField,
  type PartyFaults,
  type PartyInput,
  type PartyOffer,
  phoneField,
  sizeFields,
  wishIn,
  enteredFields
} from "../family/PartyForm.ts"

/** What the form holds, as it was typed. */
export interface NewBookingInput {
  readonly name: string
  readonly email: string
  readonly party: PartyInput
}

const blank = ({ adults, children }: Party): PartyInput => ({
  children: String(children),
  adults: String(adults),
  ages: "",
  phone: "",
  notes: "",
  extras: new Map()
})

/** What may be booked of a visit's package: sizes and extras. */
const offerOf = (visit: VisitRequest): PartyOffer => ({
  for_staff: true,
  currency: visit.venue.playroom.currency,
  playroom: visit.venue.playroom,
  party: { ...limitsOf(visit), add_ons: visit.venue.add_ons }
})

/** What was entered; the visit's own party for what the form did not have. */
export const bookingInputIn = (form: URLSearchParams, visit: VisitRequest): NewBookingInput => {
  const text = (name: string) => (form.get(name) ?? "").normalize("NFC").slice(0, 300).trim()
  return { name: text("name"), email: text("email"), party: inputIn(form, blank(visit.party), offerOf(visit)) }
}

const isName = Schema.is(Contact.fields.name)
const isEmail = Schema.is(Contact.fields.email)

/** What the form asks to book, and what is wrong with it. */
export const bookingWishIn = (
  { email, name, party: input }: NewBookingInput,
  visit: VisitRequest,
  language: Language
): {
  readonly party: Party
  readonly request: Omit<BookingRequest, "idempotency_key" | "option_id">
  readonly faults: PartyFaults
} => {
  const { book } = messages[language].desk
  const { faults, wish } = wishIn(input, visit.party, offerOf(visit), language)
  const { add_ons = [], adults = 0, child_ages = [], children = 1, contact_phone, notes } = wish
  return {
    party: { children, adults, add_ons },
    request: {
      contact: { name, email, ...(contact_phone == null ? {} : { phone: contact_phone }) },
      ...(child_ages.length === 0 ? {} : { child_ages }),
      ...(notes == null ? {} : { notes })
    },
    faults: {
      ...(isName(name) ? {} : { name: book.nameWrong }),
      ...(isEmail(email) ? {} : { email: book.emailWrong }),
      ...faults
    }
  }
}

/** The form's fields. A browser would fill in name and address of whoever is at the desk, so it is told not to. */
export const bookingFields = (
  { email, name, party }: NewBookingInput,
  visit: VisitRequest,
  faults: PartyFaults,
  language: Language
): Html => {
  const { desk, words } = messages[language]
  const offer = offerOf(visit)
  return html`${labelled(
    "name",
    desk.book.name,
    faults,
    (described) =>
      html`<input id="name" name="name" type="text" autocomplete="off" maxlength="200" required value="${name}"${described}>`
  )}
${phoneField(party, offer, faults, language)}
${labelled(
  "email",
  words.email,
  faults,
  (described) =>
    html`<input id="email" name="email" type="email" autocomplete="off" maxlength="254" required value="${email}"${described}>`,
  desk.book.emailHint
)}
${sizeFields(party, offer, faults, language)}
${notesField(party, offer, faults, language)}`
}

/** The form's fields, to carry what was entered on. */
export const carriedFields = ({ email, name, party }: NewBookingInput): Readonly<Record<string, string>> => ({
  name,
  email,
  ...enteredFields(party)
})
