/**
 * The answer of `get_booking_options`: options, and once for all of them the fields they share. `NoOptions.ts` explains
 * an empty page.
 */
import { Schema, Struct } from "effect"
import { lessByAge } from "../catalogue/ChildPrices.ts"
import { Mode, type Package } from "../catalogue/Package.ts"
import { contactOf, VenueContact } from "../catalogue/Operator.ts"
import { ToBring, type Venue } from "../catalogue/Playroom.ts"
import { askedBefore, questionText } from "../catalogue/Questions.ts"
import { packageTerms, TermsView } from "../catalogue/Terms.ts"
import { PackageId, PlayroomId } from "../../platform/ids/Ids.ts"
import { AddOnChoice, type Party, ShownPrice } from "../catalogue/Pricing.ts"
import { NoneBecause } from "./Availability.ts"
import { BookingOption, type PricedOption } from "./BookingOption.ts"
import { NoOptions } from "./NoOptions.ts"

const { currency, tax, balance_due_at: _, ...untaxed } = ShownPrice.fields
/** The page has the rate, and whether it is included; a price's text has them where prices differ. */
const { amount, display } = tax.fields
const amounts = { ...untaxed, tax: Schema.Struct({ amount, display }).annotate({ description: "Part of total." }) }
const { lines, display_due_now, tax: priceTax, ...shownAmounts } = amounts

/** A package with the fields that its options on the page share. */
const OfferedPackage = Schema.Struct({
  package_id: PackageId.annotate({ description: "Package." }),
  name: Schema.String.annotate({ description: "Its name." }),
  mode: Mode.annotate({ description: "Room or places." }),
  duration_minutes: Schema.Int.annotate({ description: "Length." }),
  prices: Schema.Array(Schema.Struct(amounts)).annotate({
    description: "In full."
  }),
  balance_due_hours_before: Schema.optionalKey(Schema.Int.annotate({ description: "Of balance_due." })),
  terms: TermsView.annotate({ description: "Deadlines." }),
  asks: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "slug: question." }))
})

/** An option without the fields of its page and its package. */
const ListedOption = Schema.Struct({
  option_id: BookingOption.fields.option_id,
  package_id: BookingOption.fields.package_id,
  mode: Schema.String.annotate({ description: "Its package's." }),
  when: BookingOption.fields.when,
  start: BookingOption.fields.start,
  end: BookingOption.fields.end,
  places_left: BookingOption.fields.places_left,
  price: Schema.Struct({
    ...shownAmounts,
    display_due_now: Schema.optionalKey(display_due_now),
    lines: Schema.optionalKey(lines),
    tax: Schema.optionalKey(priceTax)
  }).annotate({
    description: "Else in prices."
  }),
  back_if_cancelled: BookingOption.fields.back_if_cancelled
})

/** The result of `get_booking_options`. */
export const BookingOptionPage = Schema.Struct({
  ask: Schema.optionalKey(Schema.String.annotate({ description: "First." })),
  playroom_id: PlayroomId.annotate({ description: "Playroom." }),
  time_zone: Schema.String.annotate({ description: "IANA." }),
  currency,
  tax: Schema.optionalKey(
    Schema.Struct({ rate_percent: tax.fields.rate_percent, included: tax.fields.included }).annotate({
      description: "Tax."
    })
  ),
  children: BookingOption.fields.children,
  adults: BookingOption.fields.adults,
  add_ons: Schema.optionalKey(Schema.Array(AddOnChoice).annotate({ description: "In the prices." })),
  bring: Schema.optionalKey(ToBring),
  packages: Schema.Array(OfferedPackage).annotate({ description: "Of the options." }),
  options: Schema.Array(ListedOption).annotate({ description: "By start." }),
  next_cursor: Schema.optionalKey(Schema.String.annotate({ description: "More starts." })),
  held_by_you: Schema.optionalKey(Schema.Boolean.annotate({ description: "By this key." })),
  ...NoOptions.fields,
  contact: Schema.optionalKey(VenueContact.annotate({ description: "Whom to ask." }))
})
export type BookingOptionPage = typeof BookingOptionPage.Type
type Offered = BookingOptionPage["packages"][number]
type Prices = Offered["prices"]
type Listed = BookingOptionPage["options"][number]

/** An option of a call for several that can't be booked any more. */
export const NotBooked = Schema.Struct({
  option_id: Schema.String.annotate({ description: "Option." }),
  when: BookingOption.fields.when,
  why: Schema.String.annotate({ description: "Reason." })
})
export type NotBooked = typeof NotBooked.Type

/** The option can't be booked, or no longer. Has the reason and the nearest bookable options, if there are some. */
export class SlotUnavailable extends Schema.TaggedError<SlotUnavailable>()("SlotUnavailable", {
  reason: NoneBecause,
  nearest: Schema.UndefinedOr(BookingOptionPage),
  /** A live booking of the key has the same option and e-mail address, under another name or from an earlier call. */
  booked_before: Schema.Boolean,
  /** Where a family puts itself on the waiting list of the option; absent: there is none. */
  waiting_list: Schema.optionalKey(Schema.String),
  /** Of a call for several options: all that can't be booked, of which `nearest` is about the first. */
  not_booked: Schema.optionalKey(Schema.Array(NotBooked))
}) {
  get alternatives(): BookingOptionPage["options"] {
    return this.nearest?.options ?? []
  }
  override get message(): string {
    return this.nearest?.free_without === undefined
      ? `The option can't be booked: ${this.reason}.`
      : "The option can't be booked: the room is free, but its extras are taken elsewhere or out of order then."
  }
}

/** The options of a page in full, or why there are none. */
export interface OptionsFound extends NoOptions {
  readonly venue: Venue
  readonly party: Party
  readonly options: ReadonlyArray<PricedOption>
  /** What is to be said of the code that was given. */
  readonly code_said?: string
  readonly held_by_you?: true
  readonly next_cursor?: string
}

/** Said with the terms of a package if one of its options gives nothing back for which the terms alone promise some. */
const nothingBack = " Nothing that is due now comes back for an option without back_if_cancelled."

const lost = ({ back_if_cancelled, non_refundable, price }: PricedOption): boolean =>
  back_if_cancelled === undefined && price.due_now > non_refundable

/** The terms of a package, and what they no longer give for some of its options. */
const offeredTerms = (pkg: Package, options: ReadonlyArray<PricedOption>, currency: string): TermsView => {
  const terms = packageTerms(pkg, currency)
  return pkg.cancellation.length > 0 && options.some(lost) ? { ...terms, text: terms.text + nothingBack } : terms
}

/** The tax that all options of a page have; undefined if their rates differ. */
const taxOfAll = ([first, ...others]: ReadonlyArray<PricedOption>): BookingOptionPage["tax"] =>
  first !== undefined && others.every(({ price }) => price.tax.rate_percent === first.price.tax.rate_percent)
    ? Struct.pick(first.price.tax, ["rate_percent", "included"])
    : undefined

/** The tax of a price without the page's fields. What the page has not is in the text. */
const taxOf = (tax: ShownPrice["tax"], ofAll: BookingOptionPage["tax"]): Prices[number]["tax"] => {
  const { included, rate_percent, ...shown } = tax
  if (ofAll !== undefined) return shown
  return { ...shown, display: `${shown.display ?? ""} (${rate_percent} %, ${included ? "included" : "on top"})` }
}

/** A price without the page's fields, and without the balance's date, which the package has. */
const amountsOf =
  (ofAll: BookingOptionPage["tax"]) =>
  (price: ShownPrice): Prices[number] => {
    const { currency: _, tax, balance_due_at: __, ...amounts } = price
    return { ...amounts, tax: taxOf(tax, ofAll) }
  }

/**
 * The number of prices listed with a package. Each has its own `briefOf`, so that the brief price identifies one of
 * them.
 */
const maxListedPrices = 4

/** The brief price of an option: the total and the amount due now. */
const briefOf = ({ total, due_now, display_total, display_due_now }: Prices[number]) => ({
  total,
  due_now,
  display_total,
  ...(due_now === total ? {} : { display_due_now })
})

const pricesOf = (options: ReadonlyArray<PricedOption>, ofAll: BookingOptionPage["tax"]): Prices => {
  const prices = new Map<string, Prices[number]>()
  for (const { price } of options) {
    if (prices.size === maxListedPrices) break
    const brief = JSON.stringify(briefOf(price))
    if (!prices.has(brief)) prices.set(brief, amountsOf(ofAll)(price))
  }
  return [...prices.values()]
}

const offeredPackage = (
  pkg: Package,
  options: ReadonlyArray<PricedOption>,
  currency: string,
  ofAll: BookingOptionPage["tax"]
): Offered => ({
  package_id: pkg.package_id,
  name: pkg.name,
  mode: pkg.mode,
  duration_minutes: pkg.duration_minutes,
  prices: pricesOf(options, ofAll),
  ...(pkg.payment.kind === "deposit" && options.some(({ price }) => price.balance_due !== undefined)
    ? { balance_due_hours_before: pkg.payment.balance_due_hours_before }
    : {}),
  terms: offeredTerms(pkg, options, currency),
  ...(askedBefore(pkg).length === 0 ? {} : { asks: askedBefore(pkg).map(questionText) })
})

/** The most starts that are named at the head of a page. */
const maxNamedStarts = 6

/** What to ask of the ages that some of these prices go by; "" if they are told, or matter to none. */
const askAges = (packages: ReadonlyArray<Package>, currency: string, { child_ages }: Party): string => {
  const less = packages.map((pkg) => lessByAge(pkg, currency)).filter((one) => one !== "")
  return child_ages !== undefined || less.length === 0
    ? ""
    : `Ask the children's ages and call again with child_ages: the price goes by them, and here it is the highest. Less: ${[...new Set(less)].join("; ")}.`
}

/** What to ask the person before one of the options is booked: assistants take the first start, and no adults. */
const askFirst = ({ options, party, venue, held_by_you, next_cursor }: OptionsFound): string => {
  const more = next_cursor !== undefined
  const starts = options.filter(({ start }, i) => options.findIndex((one) => one.start === start) === i)
  const list = starts.slice(0, maxNamedStarts).map(({ when }) => when)
  const which =
    starts.length < 2 && !more
      ? ""
      : `Ask which start: ${list.join("; ")}${starts.length > list.length || more ? "; and more" : ""}.`
  const packages = venue.packages.filter((pkg) => options.some(({ package_id }) => package_id === pkg.package_id))
  return [
    askAges(packages, venue.playroom.currency, party),
    packages.some((pkg) => askedBefore(pkg).length > 0)
      ? "The venue asks before it is booked: ask the person what asks of the package has, and give create_booking the answers."
      : "",
    held_by_you === true ? "This key holds places on these days: starts may be missing until that lapses." : "",
    which,
    party.adults === 0 ? "No adults are counted: ask how many come." : ""
  ]
    .filter((one) => one !== "")
    .join(" ")
}

/** What whoever wants nothing else may do, where a venue has a waiting list. */
const askToWait = ({ waiting_list }: OptionsFound): string =>
  waiting_list === undefined
    ? ""
    : "Nothing is free then. If they want a start in waiting_list and no other, give them its url: on that page they join its waiting list."

const keyOf = (package_id: PackageId, price: Prices[number]): string => package_id + JSON.stringify(price)

/** The page for the answer. Fields that all options share, and a package's prices, appear once. */
export const foldedPage = (found: OptionsFound): BookingOptionPage => {
  const { venue, party, options, code_said = "", ...rest } = found
  const { bring, currency, playroom_id, time_zone } = venue.playroom
  const tax = taxOfAll(options)
  const amountsIn = amountsOf(tax)
  const contact = options.length === 0 ? contactOf(venue.operator) : undefined
  const packages = venue.packages.flatMap((pkg) => {
    const its = options.filter(({ package_id }) => package_id === pkg.package_id)
    return its.length === 0 ? [] : [offeredPackage(pkg, its, currency, tax)]
  })
  const ask = [code_said, options.length === 0 ? askToWait(found) : askFirst(found)]
    .filter((one) => one !== "")
    .join(" ")
  const said = new Set(packages.flatMap(({ package_id, prices }) => prices.map((price) => keyOf(package_id, price))))
  return {
    ...(ask === "" ? {} : { ask }),
    playroom_id,
    time_zone,
    currency,
    ...(tax === undefined ? {} : { tax }),
    children: party.children,
    adults: party.adults,
    ...(party.add_ons.length === 0 ? {} : { add_ons: party.add_ons }),
    ...(bring === undefined || options.length === 0 ? {} : { bring }),
    packages,
    options: options.map((option): Listed => {
      const { back_if_cancelled, end, mode, option_id, package_id, places_left, start, when } = option
      const price = amountsIn(option.price)
      return {
        option_id,
        package_id,
        mode,
        when,
        start,
        end,
        ...(places_left === undefined ? {} : { places_left }),
        price: said.has(keyOf(package_id, price)) ? briefOf(price) : price,
        ...(back_if_cancelled === undefined ? {} : { back_if_cancelled })
      }
    }),
    ...rest,
    ...(contact === undefined ? {} : { contact })
  }
}
