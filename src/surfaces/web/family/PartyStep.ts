/**
 * The family changes its party: a form, a page that states the exact changes with the money, and a second form that
 * names the state that it showed.
 */

import { Clock, Effect, Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { ageIssues, agesOutside } from "../../../domain/availability/Availability.ts"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { isErased } from "../../../domain/booking/BookingRecords.ts"
import { Contact, noEmail } from "../../../platform/text/Contact.ts"
import { BookingLinks } from "../../../domain/booking/BookingLinks.ts"
import { VersionToken } from "../../../domain/booking/VersionToken.ts"
import {
  areDetailsOpen,
  type ChangedBooking,
  type ChangeProblem,
  type ChangeRefused,
  changeRefusal,
  isOwnCurrency,
  isSameParty,
  type PartyChange,
  partyOf
} from "../../../domain/booking/ChangePlan.ts"
import type { AddOn } from "../../../domain/catalogue/Package.ts"
import type { Playroom } from "../../../domain/catalogue/Playroom.ts"
import { partyChangeUntil } from "../../../domain/catalogue/VisitTerms.ts"
import { BookingChanges, type How, type Told } from "../../../domain/payment/changes/BookingChanges.ts"
import { changeParty, type VisitChangeError, VisitOffers } from "../../../domain/payment/changes/VisitChanges.ts"
import { boundedText } from "../../../platform/errors/InvalidArguments.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, momentIn, partyIn, moneyIn } from "../../../words/Localized.ts"
import { page, actions, buttonLink, type Fact, facts, isolated, paragraphs, hiddenInputs } from "../frame/Layout.ts"
import { askVenue, linkProblemPage } from "../frame/LinkProblems.ts"
import {
  type BookingStep,
  type OpenedBooking,
  stepAddress,
  underWayPage,
  toBooking,
  type LinkRequest,
  alertOf,
  moneyOfChange,
  termsAfter
} from "./BookingStep.ts"

// The form of a party, for its family and for staff: what it shows, what was entered, and what is wrong with it.

/** The step's name in addresses and forms. */
export const partyName = "party"

/** What the form holds, as it was typed. `extras`: quantities by add-on. */
export interface PartyInput {
  readonly children: string
  readonly adults: string
  readonly ages: string
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly notes: string
  readonly extras: ReadonlyMap<string, string>
}

/** A sentence for each field that is wrong, by its name. */
export type PartyFormErrors = Readonly<Record<string, string>>

/** What the form offers: without `party`, only the details, and with `over` only whom it is for. */
export interface PartyOffer {
  /** Whether staff read it. */
  readonly for_staff?: true
  readonly over?: boolean
  readonly currency: string
  /** Which the room takes. */
  readonly ages: Pick<Playroom, "age_max" | "age_min">
  /** Whether the price goes by the ages: then they are of the party. */
  readonly by_age: boolean
  readonly party?: {
    readonly least_children?: number | undefined
    readonly most_children?: number | undefined
    readonly most_adults?: number | undefined
    /** Below which a family's party may not go by its terms. */
    readonly grows_from?: Pick<BookingRow, "adults" | "children">
    readonly add_ons: ReadonlyArray<AddOn>
  }
}

/** Whether the form has the ages. */
const hasAges = ({ by_age, over, party }: PartyOffer): boolean => over !== true && (!by_age || party !== undefined)

/** The words of the form that differ for its readers. */
const formWords = ({ for_staff }: PartyOffer, language: Language) => {
  const { booking, desk, operator, party } = messages[language]
  return for_staff === undefined
    ? { notes: booking.notes, errors: party.errors }
    : { notes: operator.notes, errors: { ...party.errors, ...desk.partyErrors } }
}

/** The name of an add-on's field. */
const extraName = (add_on_id: string) => `extra_${add_on_id}`

/** The form as the booking stands. */
export const inputOf = ({ adults, child_ages, children, notes, terms, ...contact }: BookingRow): PartyInput => ({
  children: String(children),
  adults: String(adults),
  ages: child_ages.join(", "),
  name: contact.contact_name,
  email: contact.contact_email,
  phone: contact.contact_phone ?? "",
  notes: notes ?? "",
  extras: new Map(terms.add_ons.map(({ add_on_id, quantity }) => [add_on_id, String(quantity)]))
})

const SubmittedForm = Schema.Struct({
  do: Schema.optionalKey(Schema.Literals(["check", "edit", "confirm"])),
  shown: Schema.optionalKey(VersionToken)
})
const decodeSubmitted = Schema.decodeUnknownEffect(SubmittedForm)

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
    name: (form.get("name") ?? before.name).normalize("NFC").slice(0, maxText).trim(),
    email: field("email", before.email).trim(),
    phone: field("phone", before.phone).trim(),
    notes: (form.get("notes") ?? before.notes).slice(0, maxText).replaceAll("\r\n", "\n").trim(),
    extras: party === undefined ? before.extras : new Map(extras)
  }
}

const readName = Schema.decodeOption(Contact.fields.name)
const readEmail = Schema.decodeOption(Contact.fields.email)
const readPhone = Schema.decodeUnknownOption(Contact.fields.phone)
const isNote = Schema.is(boundedText(1000))
const wholeNumber = (text: string): number | undefined => (/^\d{1,4}$/.test(text) ? Number(text) : undefined)

/** The change that was entered, and what is wrong with it. */
export const wishIn = (
  input: PartyInput,
  booking: Pick<BookingRow, "adults" | "children"> & Partial<Pick<BookingRow, "contact_email" | "contact_name">>,
  offer: PartyOffer,
  language: Language
): { readonly wish: PartyChange; readonly faults: PartyFormErrors } => {
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
  const { growsOnly } = messages[language].party
  if (faults["children"] === undefined && children < (party?.grows_from?.children ?? 0)) faults["children"] = growsOnly
  if (faults["adults"] === undefined && adults < (party?.grows_from?.adults ?? 0)) faults["adults"] = growsOnly
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
  const phone = readPhone(input.phone)
  if (input.phone !== "" && Option.isNone(phone)) faults["phone"] = errors.phone
  // What is stored and stays may be of an earlier release.
  const name = input.name === booking.contact_name ? Option.some(input.name) : readName(input.name)
  if (Option.isNone(name)) faults["name"] = errors.name
  const email = input.email === booking.contact_email ? Option.some(input.email) : readEmail(input.email)
  if (Option.isNone(email)) faults["email"] = errors.email
  if (!isNote(input.notes)) faults["notes"] = errors.notes
  return {
    wish: {
      ...(party === undefined ? {} : { children, adults, add_ons }),
      ...(hasAges(offer) ? { child_ages } : {}),
      ...(offer.over === true ? {} : { notes: input.notes === "" ? null : input.notes }),
      contact_name: Option.getOrElse(name, () => input.name),
      contact_email: Option.getOrElse(email, () => input.email),
      contact_phone: Option.getOrNull(phone) ?? null
    },
    faults
  }
}

/** A label, its field, and what is wrong with it. */
export const labelled = (
  name: string,
  label: Html | string,
  faults: PartyFormErrors,
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
  faults: PartyFormErrors,
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
export const sizeFields = (input: PartyInput, offer: PartyOffer, faults: PartyFormErrors, language: Language): Html => {
  const { booking: facts, party: text } = messages[language]
  const { party } = offer
  const { grows_from: from, least_children = 1, most_adults = 9999, most_children = 9999 } = party ?? {}
  const least = Math.max(least_children, from?.children ?? 0)
  const numbers =
    party === undefined
      ? ""
      : html`${labelled("children", facts.lines.children, faults, numberField("children", input.children, least, most_children))}
${labelled("adults", facts.lines.adults, faults, numberField("adults", input.adults, from?.adults ?? 0, most_adults))}`
  const extras =
    party === undefined || party.add_ons.length === 0
      ? ""
      : html`<fieldset><legend>${text.extras}</legend>
${party.add_ons.map((addOn) => extraField(addOn, input, offer, faults, language))}</fieldset>`
  const ages = labelled(
    "ages",
    text.ages,
    faults,
    (described) =>
      html`<input id="ages" name="ages" type="text" inputmode="text" autocomplete="off" maxlength="2000" value="${input.ages}"${described}>`,
    offer.by_age ? text.agesPriced : text.agesHint
  )
  return html`${numbers}
${hasAges(offer) ? ages : ""}
${extras}`
}

/** The fields of whom it is for. `hint`: what the e-mail address is for. */
export const contactFields = (
  input: PartyInput,
  offer: PartyOffer,
  faults: PartyFormErrors,
  language: Language,
  hint: string
): Html => {
  const { party: text, words } = messages[language]
  // A browser would fill in the contact of whoever is at the desk.
  const filled = (as: string) => (offer.for_staff === undefined ? as : "off")
  return html`${labelled(
    "name",
    text.name,
    faults,
    (described) =>
      html`<input id="name" name="name" type="text" autocomplete="${filled("name")}" maxlength="200" required value="${input.name}"${described}>`
  )}
${labelled(
  "phone",
  text.phone,
  faults,
  (described) =>
    html`<input id="phone" name="phone" type="tel" autocomplete="${filled("tel")}" maxlength="40" value="${input.phone}"${described}>`
)}
${labelled(
  "email",
  words.email,
  faults,
  (described) =>
    html`<input id="email" name="email" type="email" autocomplete="${filled("email")}" maxlength="254"${offer.for_staff === undefined ? html` required` : ""} value="${input.email}"${described}>`,
  hint
)}`
}

/** The field of the wishes. */
export const notesField = (
  { notes }: PartyInput,
  offer: PartyOffer,
  faults: PartyFormErrors,
  language: Language
): Html =>
  labelled(
    "notes",
    formWords(offer, language).notes,
    faults,
    (described) => html`<textarea id="notes" name="notes" rows="4" maxlength="1000"${described}>
${notes}</textarea>`
  )

/** The form's fields. */
export const partyFields = (...of: Parameters<typeof sizeFields>): Html => {
  const [, { over }, , language] = of
  return html`${over === true ? "" : sizeFields(...of)}
${contactFields(...of, messages[language].party.emailHint)}
${over === true ? "" : notesField(...of)}`
}

/** The form. */
const partyForm = (asked: LinkRequest, input: PartyInput, offer: PartyOffer, faults: PartyFormErrors): Html => {
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
  name: input.name,
  email: input.email,
  phone: input.phone,
  notes: input.notes,
  ...Object.fromEntries(Array.from(input.extras, ([id, quantity]) => [extraName(id), quantity]))
})

type Response = HttpServerResponse.HttpServerResponse

const headers = { vary: "accept-language" }

/** What the form offers, and why the party itself can't be changed. */
interface Offered extends PartyOffer {
  readonly refusal?: ChangeProblem
}

/** Why the party can't be changed, in words. */
const whyNot = ({ asked, booking }: OpenedBooking, refusal: ChangeProblem): string | undefined => {
  const { move, party: text } = messages[asked.language]
  const { starts_at, terms } = booking
  switch (refusal) {
    case "headcount_final":
      return text.headcountFinal(dateTimeIn(asked.language, terms.time_zone, partyChangeUntil(starts_at, terms)))
    case "payment_open":
    case "payment_processing":
      return move.payment
    case "refund_pending":
      return move.refund
    case "not_confirmed":
      return undefined
    default:
      return text.notSold
  }
}

const formPage = (
  opened: OpenedBooking,
  offered: Offered,
  input: PartyInput,
  faults: PartyFormErrors = {},
  alert?: string
): Response => {
  const { asked, booking, summary } = opened
  const { language } = asked
  const { party: text } = messages[language]
  const { refusal } = offered
  const until = momentIn(language, booking.terms.time_zone, partyChangeUntil(booking.starts_at, booking.terms))
  const isOver = offered.over === true
  const title = isOver ? text.correct : refusal === undefined ? text.change : text.changeDetails
  const why = isOver || refusal === undefined ? undefined : whyNot(opened, refusal)
  const wrong = Object.keys(faults).length > 0
  const alerted = wrong ? text.errors.lead : alert
  return page(
    title,
    html`<h1>${title}</h1>
${alertOf(alerted)}${why === undefined ? "" : html`<p>${why}</p>`}
<p class="lead">${isOver ? text.contactOnly : refusal === undefined ? text.lead(until) : text.detailsOnly}</p>
${offered.party?.grows_from === undefined ? "" : html`<p>${text.growsOnly}</p>`}
${partyForm(asked, input, offered, faults)}
${askVenue(summary.operator, language)}`,
    { language, formAction: "'self'", status: alerted === undefined ? 200 : 409, headers }
  )
}

/** What it was, and what it will be. */
const fromTo = (term: string, from: string, to: Html | string, language: Language): Fact => {
  const text = messages[language].party
  const before = text.before(from === "" ? text.none : from)
  return { term, is: html`<strong>${to === "" ? text.none : to}</strong><br><span class="soft">${before}</span>` }
}

/** The changes, but for the money. */
export const changesOf = (
  { booking, from }: ChangedBooking,
  offer: PartyOffer,
  language: Language
): ReadonlyArray<Fact> => {
  const { party } = offer
  const { booking: words, party: text } = messages[language]
  const who = ({ adults, children }: BookingRow) => partyIn(language, { adults, children })
  const nameOf = (id: string) => party?.add_ons.find(({ add_on_id }) => add_on_id === id)?.name ?? id
  const extras = ({ terms }: BookingRow) =>
    terms.add_ons.map(({ add_on_id, quantity }) => `${quantity} × ${nameOf(add_on_id)}`).join(", ")
  const ages = ({ child_ages }: BookingRow) => child_ages.join(", ")
  const bare = (row: BookingRow) => ({ ...partyOf(row), children: 0, adults: 0 })
  return [
    ...(who(from) === who(booking) ? [] : [fromTo(words.who, who(from), who(booking), language)]),
    ...(isSameParty(bare(from), bare(booking))
      ? []
      : [fromTo(text.extras, extras(from), isolatedOr(extras(booking)), language)]),
    ...(ages(from) === ages(booking) ? [] : [fromTo(text.ages, ages(from), ages(booking), language)]),
    ...(from.contact_name === booking.contact_name
      ? []
      : [fromTo(text.name, from.contact_name, isolated(booking.contact_name), language)]),
    ...(from.contact_email === booking.contact_email
      ? []
      : [fromTo(messages[language].words.email, from.contact_email, booking.contact_email, language)]),
    ...(from.contact_phone === booking.contact_phone
      ? []
      : [fromTo(text.phone, from.contact_phone ?? "", booking.contact_phone ?? "", language)]),
    ...(from.notes === booking.notes
      ? []
      : [
          {
            term: formWords(offer, language).notes,
            is: html`${booking.notes === null ? text.none : paragraphs(booking.notes)}`
          }
        ])
  ]
}

const isolatedOr = (text: string): Html | string => (text === "" ? text : isolated(text))

/** States the exact changes. `changed`: the booking is not as the form showed it. */
const confirmPage = (
  opened: OpenedBooking,
  offered: Offered,
  input: PartyInput,
  change: ChangedBooking & Told,
  changed: boolean
): Response => {
  const { asked } = opened
  const { language } = asked
  const { party: text, words } = messages[language]
  const { booking, kind } = change
  return page(
    text.title,
    html`<h1>${text.title}</h1>
${alertOf(changed ? text.changed : undefined)}${facts([
      {
        term: words.visit,
        is: html`${isolated(booking.terms.package_name)}<br>${isolated(booking.terms.playroom_name)}<br>${dateTimeIn(language, booking.terms.time_zone, booking.starts_at)}`
      },
      ...changesOf(change, offered, language),
      ...(kind === "details"
        ? [{ term: words.price, is: text.costsNothing }]
        : moneyOfChange(opened, change, language)),
      { term: words.reference, is: booking.reference }
    ])}
${kind === "details" ? undefined : termsAfter(opened, change, language)}
<form method="post" action="${stepAddress(asked)}">${hiddenInputs({ step: partyName, ...enteredFields(input), shown: change.shown })}
${actions(
  html`<button name="do" value="confirm">${text.confirm}</button>`,
  html`<button class="second" name="do" value="edit">${text.edit}</button>`,
  buttonLink(stepAddress(asked), words.leaveAsItIs, true)
)}</form>`,
    { language, formAction: "'self'", status: changed ? 409 : 200, headers }
  )
}

/** The field that a refusal is about, with what fits there. */
const faultsOf = ({ limits = {}, reason }: ChangeRefused, children: number, language: Language): PartyFormErrors => {
  const { errors } = messages[language].party
  const { add_on_id, least_children: least = 1, left = 0, most_adults = 0, most_children: most = 0 } = limits
  if (reason === "no_room")
    return add_on_id === undefined ? { children: errors.room(left) } : { [extraName(add_on_id)]: errors.extra(left) }
  return children < least || children > most
    ? { children: errors.children(least, most) }
    : { adults: errors.adults(most_adults) }
}

export const partyStep = Effect.gen(function* () {
  const { run } = yield* BookingChanges
  const offers = yield* VisitOffers
  const links = yield* BookingLinks
  const changing = (opened: OpenedBooking, party: PartyChange, how: Pick<How, "preview" | "shown">) =>
    run(changeParty, opened.booking.booking_id, { party, reason: "" }, { ...how, who: { as: "family" } })

  const offerFor = Effect.fnUntraced(function* ({ booking }: OpenedBooking) {
    const over = !areDetailsOpen(booking, yield* Clock.currentTimeMillis)
    const { add_ons, ages, by_age, limits, refusal } = yield* offers.partyOffer(booking)
    const shared = { currency: booking.currency, ages, by_age, over }
    if (refusal !== undefined) return { ...shared, refusal }
    const grows = booking.terms.party_may_shrink === false ? { grows_from: booking } : {}
    return { ...shared, party: { ...limits, ...grows, add_ons } }
  })

  /** The form again, as things stand now. */
  const again = (opened: OpenedBooking, input: PartyInput, alert?: string, faults: PartyFormErrors = {}) =>
    Effect.map(offerFor(opened), (offered) => formPage(opened, offered, input, faults, alert))

  const refusedFor = (opened: OpenedBooking, input: PartyInput, error: ChangeRefused, isPreview: boolean) => {
    const { language } = opened.asked
    const { party: text } = messages[language]
    switch (error.reason) {
      case "same_visit":
        return isPreview ? again(opened, input, text.same) : toBooking(opened)
      case "not_confirmed":
      case "begun":
        return toBooking(opened)
      case "party_size":
      case "no_room":
        return again(opened, input, undefined, faultsOf(error, Number(input.children), language))
      case "only_grows":
        return again(opened, input, text.growsOnly)
      case "closed":
        return again(opened, input, text.errors.closed)
      case "too_many_unpaid":
        return again(opened, input, text.tooMany)
      default:
        return again(opened, input, text.changed)
    }
  }

  const refused =
    (opened: OpenedBooking, input: PartyInput, changed?: () => ReturnType<typeof again>) =>
    (error: Exclude<VisitChangeError, { _tag: "SqlError" }>) => {
      const { party: text } = messages[opened.asked.language]
      switch (error._tag) {
        case "BookingNotFound":
        case "BookingCancelled":
        case "HoldExpired":
        case "NotAllowed":
          return toBooking(opened)
        case "ChangeRefused":
          return refusedFor(opened, input, error, changed === undefined)
        case "ChangeUnderWay":
          return Effect.succeed(underWayPage(opened))
        case "ChangedSinceShown":
          return changed?.() ?? again(opened, input, text.changed)
        case "InvalidArguments":
          return again(opened, input, text.errors.lead)
        case "OperatorUnavailable":
          return again(opened, input, text.notSold)
        case "KeepsChanging":
        case "OptionInvalid":
        case "PriceChanged":
        case "SlotUnavailable":
          return again(opened, input, text.changed)
      }
    }

  /** The page that states the changes, or the form with what is wrong. */
  const preview = (opened: OpenedBooking, input: PartyInput, changed: boolean): ReturnType<typeof again> =>
    Effect.gen(function* () {
      const offered = yield* offerFor(opened)
      const { faults, wish } = wishIn(input, opened.booking, offered, opened.asked.language)
      if (Object.keys(faults).length > 0) return formPage(opened, offered, input, faults)
      return yield* changing(opened, wish, { preview: true }).pipe(
        Effect.map((change) => confirmPage(opened, offered, input, change, changed)),
        Effect.catchIf((error) => error._tag !== "SqlError", refused(opened, input))
      )
    })

  /** Shows a page of the step while anything of the booking can be changed. */
  const whileOpen = (opened: OpenedBooking, work: ReturnType<typeof again>) =>
    isErased(opened.booking) ? toBooking(opened) : work

  const show: BookingStep["show"] = (opened) => whileOpen(opened, again(opened, inputOf(opened.booking)))

  const act: BookingStep["act"] = (opened, form) =>
    decodeSubmitted(Object.fromEntries(form)).pipe(
      Effect.flatMap(({ do: wanted = "check", shown }) =>
        whileOpen(
          opened,
          Effect.gen(function* () {
            const offered = yield* offerFor(opened)
            const input = inputIn(form, inputOf(opened.booking), offered)
            if (wanted === "edit") return formPage(opened, offered, input)
            const { faults, wish } = wishIn(input, opened.booking, offered, opened.asked.language)
            if (wanted === "check" || shown === undefined || Object.keys(faults).length > 0)
              return yield* preview(opened, input, false)
            return yield* changing(opened, wish, { preview: false, shown }).pipe(
              // A corrected address ends the links that were given out, this one too.
              Effect.flatMap(({ booking }) => links.token(booking)),
              Effect.flatMap((token) => toBooking({ asked: { ...opened.asked, token } })),
              Effect.catchIf(
                (error) => error._tag !== "SqlError",
                refused(opened, input, () => preview(opened, input, true))
              )
            )
          })
        )
      ),
      Effect.catchTag("SchemaError", () => Effect.succeed(linkProblemPage("unreadable", opened.asked.language)))
    )

  const parts: BookingStep["parts"] = ({ asked, booking, playroom }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      if (isErased(booking)) return {}
      const { party: text, words } = messages[asked.language]
      const address = stepAddress(asked, partyName)
      const whole =
        isOwnCurrency(booking, playroom.currency) && changeRefusal(booking, "party", "family", now) === undefined
      const email = html`${booking.contact_email === noEmail ? "–" : isolated(booking.contact_email)}<br><a class="noprint" href="${address}">${text.correct}</a>`
      return {
        facts: [{ term: words.email, is: email }],
        ...(areDetailsOpen(booking, now)
          ? { action: buttonLink(address, whole ? text.change : text.changeDetails, true) }
          : {})
      }
    })

  return { parts, show, act } satisfies BookingStep
})
