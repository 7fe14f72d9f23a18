/** The form of a party, for its family and for staff: what it shows, what was entered, and what is wrong with it. */
import { Schema } from "effect"
import { ageIssues, agesOutside } from "../../../domain/availability/Availability.ts"
import { Contact } from "../../../domain/booking/Booking.ts"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import type { PartyChange } from "../../../domain/booking/VisitChange.ts"
import { VersionToken } from "../../../domain/booking/VersionToken.ts"
import type { AddOn } from "../../../domain/catalogue/Package.ts"
import type { Playroom } from "../../../domain/catalogue/Playroom.ts"
import { messages, type Language } from "../../../words/Languages.ts"
import { moneyIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { boundedText } from "../../../platform/errors/InvalidArguments.ts"
import { actions, buttonLink, hiddenInputs } from "../frame/Parts.ts"
import { type LinkRequest, stepAddress } from "./BookingStep.ts"

/** The step's name in addresses and forms. */
export const partyName = "party"

/** What the form holds, as it was typed. `extras`: quantities by add-on. */
export interface PartyInput {
  readonly children: string
  readonly adults: string
  readonly ages: string
  readonly phone: string
  readonly notes: string
  readonly extras: ReadonlyMap<string, string>
}

/** A sentence for each field that is wrong, by its name. */
export type PartyFaults = Readonly<Record<string, string>>

/** What the form offers: without `party`, only the details. */
export interface PartyOffer {
  /** Whether staff read it. */
  readonly for_staff?: true
  readonly currency: string
  /** Which the room takes. */
  readonly ages: Pick<Playroom, "age_max" | "age_min">
  readonly party?: {
    readonly least_children?: number | undefined
    readonly most_children?: number | undefined
    readonly most_adults?: number | undefined
    readonly add_ons: ReadonlyArray<AddOn>
  }
}

/** The words of the form that differ for its readers. */
export const formWords = ({ for_staff }: PartyOffer, language: Language) => {
  const { booking, desk, operator, party } = messages[language]
  return for_staff === undefined
    ? { notes: booking.notes, errors: party.errors }
    : { notes: operator.notes, errors: { ...party.errors, ...desk.partyErrors } }
}

/** The name of an add-on's field. */
export const extraName = (add_on_id: string) => `extra_${add_on_id}`

/** The form as the booking stands. */
export const inputOf = ({ adults, child_ages, children, contact_phone, notes, terms }: BookingRow): PartyInput => ({
  children: String(children),
  adults: String(adults),
  ages: child_ages.join(", "),
  phone: contact_phone ?? "",
  notes: notes ?? "",
  extras: new Map(terms.add_ons.map(({ add_on_id, quantity }) => [add_on_id, String(quantity)]))
})

const SubmittedForm = Schema.Struct({
  do: Schema.optionalKey(Schema.Literals(["check", "edit", "confirm"])),
  shown: Schema.optionalKey(VersionToken)
})
export const decodeSubmitted = Schema.decodeUnknownEffect(SubmittedForm)

/** The longest text that is read of a field. Longer ones are cut, and refused as too long. */
const maxText = 2000

/** What was entered. What was there before counts for a field that the form did not have. */
export const inputIn = (form: URLSearchParams, before: PartyInput, { party }: PartyOffer): PartyInput => {
  const field = (name: string, otherwise: string) => (form.get(name) ?? otherwise).normalize("NFKC").slice(0, maxText)
  const extras = (party?.add_ons ?? []).map(
    ({ add_on_id }) => [add_on_id, field(extraName(add_on_id), "0").trim()] as const
  )
  return {
    children: field("children", before.children).trim(),
    adults: field("adults", before.adults).trim(),
    ages: field("ages", before.ages),
    phone: field("phone", before.phone).trim(),
    notes: (form.get("notes") ?? before.notes).slice(0, maxText).replaceAll("\r\n", "\n").trim(),
    extras: party === undefined ? before.extras : new Map(extras)
  }
}

const isPhone = Schema.is(Contact.fields.phone)
const isNote = Schema.is(boundedText(1000))
const wholeNumber = (text: string): number | undefined => (/^\d{1,4}$/.test(text) ? Number(text) : undefined)

/** The change that was entered, and what is wrong with it. */
export const wishIn = (
  input: PartyInput,
  booking: Pick<BookingRow, "adults" | "children">,
  offer: PartyOffer,
  language: Language
): { readonly wish: PartyChange; readonly faults: PartyFaults } => {
  const { ages, party } = offer
  const { errors } = formWords(offer, language)
  const faults: Record<string, string> = {}
  const number = (name: string, text: string): number => {
    const value = wholeNumber(text)
    if (value === undefined) faults[name] = errors.number
    return value ?? 0
  }
  const children = party === undefined ? booking.children : number("children", input.children)
  const adults = party === undefined ? booking.adults : number("adults", input.adults)
  const { least_children: least = 1, most_adults = 10_000, most_children: most = 10_000 } = party ?? {}
  if (faults["children"] === undefined && party !== undefined && (children < least || children > most))
    faults["children"] = errors.children(least, most)
  if (adults > most_adults) faults["adults"] = errors.adults(most_adults)
  const add_ons = (party?.add_ons ?? []).flatMap(({ add_on_id, max_quantity, stock, unit }) => {
    const quantity = number(extraName(add_on_id), input.extras.get(add_on_id) ?? "0")
    const limit = unit === "per_item" ? Math.min(max_quantity, stock ?? max_quantity) : 1
    if (quantity > limit) faults[extraName(add_on_id)] = errors.extra(limit)
    return quantity === 0 ? [] : [{ add_on_id, quantity }]
  })
  const child_ages = (input.ages.match(/\d+/g) ?? []).slice(0, 501).map(Number)
  if (ageIssues(ages, children, child_ages).length > 0 || /[^\d\s\p{P}\p{L}]/u.test(input.ages))
    faults["ages"] =
      agesOutside(ages, child_ages).length > 0 ? errors.ageRange(ages.age_min, ages.age_max) : errors.ages(children)
  if (input.phone !== "" && !isPhone(input.phone)) faults["phone"] = errors.phone
  if (!isNote(input.notes)) faults["notes"] = errors.notes
  return {
    wish: {
      ...(party === undefined ? {} : { children, adults, add_ons }),
      child_ages,
      contact_phone: input.phone === "" ? null : input.phone,
      notes: input.notes === "" ? null : input.notes
    },
    faults
  }
}

/** A label, its field, and what is wrong with it. */
export const labelled = (
  name: string,
  label: string,
  faults: PartyFaults,
  field: (described: Html) => Html,
  hint?: string
): Html => {
  const fault = faults[name]
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(fault === undefined ? [] : [`${name}-fault`])]
  const invalid = fault === undefined ? "" : html` aria-invalid="true"`
  const described = ids.length === 0 ? html`${invalid}` : html` aria-describedby="${ids.join(" ")}"${invalid}`
  return html`<div class="field"><label for="${name}">${label}</label>
${hint === undefined ? "" : html`<p id="${name}-hint" class="soft">${hint}</p>`}
${fault === undefined ? "" : html`<p id="${name}-fault" class="fault">${fault}</p>`}
${field(described)}</div>`
}

const numberField = (name: string, value: string, least: number, most: number) => (described: Html) =>
  html`<input id="${name}" name="${name}" type="number" inputmode="numeric" min="${least}" max="${most}" required value="${value}"${described}>`

const extraField = (
  addOn: AddOn,
  { extras }: PartyInput,
  { currency }: PartyOffer,
  faults: PartyFaults,
  language: Language
): Html => {
  const text = messages[language].party
  const { add_on_id, max_quantity, name, stock, unit, unit_amount } = addOn
  const price = moneyIn(language, unit_amount, currency)
  const id = extraName(add_on_id)
  const quantity = extras.get(add_on_id) ?? "0"
  const label = `${name} (${unit === "per_item" ? text.each(price) : unit === "per_child" ? text.perChild(price) : price})`
  if (unit === "per_item")
    return labelled(id, label, faults, numberField(id, quantity, 0, Math.min(max_quantity, stock ?? max_quantity)))
  const checked = quantity === "0" ? "" : html` checked`
  const fault = faults[id]
  return html`<div class="field"><label class="check"><input type="checkbox" name="${id}" value="1"${checked}> ${label}</label>
${fault === undefined ? "" : html`<p class="fault">${fault}</p>`}</div>`
}

/** The fields of the party's size, ages and extras. */
export const sizeFields = (input: PartyInput, offer: PartyOffer, faults: PartyFaults, language: Language): Html => {
  const { booking: facts, party: text } = messages[language]
  const { party } = offer
  const { least_children = 1, most_adults = 9999, most_children = 9999 } = party ?? {}
  const numbers =
    party === undefined
      ? ""
      : html`${labelled("children", facts.lines.children, faults, numberField("children", input.children, least_children, most_children))}
${labelled("adults", facts.lines.adults, faults, numberField("adults", input.adults, 0, most_adults))}`
  const extras =
    party === undefined || party.add_ons.length === 0
      ? ""
      : html`<fieldset><legend>${text.extras}</legend>
${party.add_ons.map((addOn) => extraField(addOn, input, offer, faults, language))}</fieldset>`
  return html`${numbers}
${labelled(
  "ages",
  text.ages,
  faults,
  (described) =>
    html`<input id="ages" name="ages" type="text" inputmode="text" autocomplete="off" maxlength="2000" value="${input.ages}"${described}>`,
  text.agesHint
)}
${extras}`
}

/** The field of the telephone number. */
export const phoneField = ({ phone }: PartyInput, offer: PartyOffer, faults: PartyFaults, language: Language): Html => {
  // A browser would fill in the number of whoever is at the desk.
  const filled = offer.for_staff === undefined ? "tel" : "off"
  return labelled(
    "phone",
    messages[language].party.phone,
    faults,
    (described) =>
      html`<input id="phone" name="phone" type="tel" autocomplete="${filled}" maxlength="40" value="${phone}"${described}>`
  )
}

/** The field of the wishes. */
export const notesField = ({ notes }: PartyInput, offer: PartyOffer, faults: PartyFaults, language: Language): Html =>
  labelled(
    "notes",
    formWords(offer, language).notes,
    faults,
    (described) => html`<textarea id="notes" name="notes" rows="4" maxlength="1000"${described}>
${notes}</textarea>`
  )

/** The form's fields. */
export const partyFields = (...of: Parameters<typeof sizeFields>): Html => html`${sizeFields(...of)}
${phoneField(...of)}
${notesField(...of)}`

/** The form. */
export const partyForm = (asked: LinkRequest, input: PartyInput, offer: PartyOffer, faults: PartyFaults): Html => {
  const { language } = asked
  const { party: text, words } = messages[language]
  return html`<form class="card" method="post" action="${stepAddress(asked)}" novalidate>
${hiddenInputs({ step: partyName })}
${partyFields(input, offer, faults, language)}
${actions(html`<button name="do" value="check">${text.check}</button>`, buttonLink(stepAddress(asked), words.leaveAsItIs, true))}
</form>`
}

/** The form's fields with what was entered, for the next page to carry. */
export const enteredFields = (input: PartyInput): Readonly<Record<string, string>> => ({
  children: input.children,
  adults: input.adults,
  ages: input.ages,
  phone: input.phone,
  notes: input.notes,
  ...Object.fromEntries(Array.from(input.extras, ([id, quantity]) => [extraName(id), quantity]))
})
