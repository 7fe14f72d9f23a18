/** A bookable option: package, start, party and add-ons, with the current price. */
import { Schema } from "effect"
import { BackIfCancelled, backIfCancelled, type VisitMoney, visitTerms } from "../catalogue/VisitTerms.ts"
import { pricedAges } from "../catalogue/ChildPrices.ts"
import { isBalanceAtVenue, Mode, type Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import { AddOnChoice, codeIn, type Party, ShownPrice, shownPrice, quote, type Quote } from "../catalogue/Pricing.ts"
import { TermsView } from "../catalogue/Terms.ts"
import { PackageId } from "../../platform/ids/Ids.ts"
import { format, type Instant, minuteMs, whenInWords } from "../../platform/time/LocalTime.ts"
import type { Opening } from "./Openings.ts"
import { digestOf, pack } from "./OptionId.ts"

/**
 * At most 80 characters: `option_` and URL-safe base 64 of the bytes that `OptionId.ts` packs, with a check of them. It
 * is no secret and grants no rights. What a caller sends as one is any text (`OptionIdAsSent`).
 */
export const OptionId = Schema.String.check(
  Schema.isPattern(/^option_[A-Za-z0-9_-]{1,73}$/, {
    message: "Expected an option id like option_…; get_booking_options gives it"
  })
)

/** What a caller sends as an option's id. A slip in any of its letters, the first ones too, is `OptionInvalid`. */
export const OptionIdAsSent = Schema.String

/** When a visit is, in words (`whenInWords`). */
export const WhenInWords = Schema.String.annotate({ description: "Repeat it." })

export const BookingOption = Schema.Struct({
  option_id: OptionId.annotate({ description: "For create_booking." }),
  package_id: PackageId.annotate({ description: "Package." }),
  package_name: Schema.String.annotate({ description: "Its name." }),
  mode: Mode.annotate({ description: "Room or places." }),
  when: WhenInWords,
  start: Schema.String.annotate({ description: "RFC 3339." }),
  end: Schema.String.annotate({ description: "RFC 3339." }),
  children: Schema.Int.annotate({ description: "Children." }),
  adults: Schema.Int.annotate({ description: "Adults." }),
  add_ons: Schema.Array(AddOnChoice).annotate({ description: "Add-ons in the price." }),
  places_left: Schema.optionalKey(Schema.Int.annotate({ description: "Free; shared only." })),
  price: ShownPrice.annotate({ description: "Of the whole booking." }),
  back_if_cancelled: Schema.optionalKey(BackIfCancelled),
  terms: TermsView.annotate({ description: "Deadlines." })
})
export type BookingOption = typeof BookingOption.Type

/**
 * This caller can't book the option. `malformed`: the id was not copied exactly. `unknown`: the package is not on sale,
 * or no longer. `add_ons`: they are not sold like that, or no longer. `other_operator`: the key books for another
 * operator.
 * `start_passed`: the start is over.
 */
export class OptionInvalid extends Schema.TaggedError<OptionInvalid>()("OptionInvalid", {
  reason: Schema.Literals(["malformed", "unknown", "add_ons", "other_operator", "start_passed"]),
  /** Which argument of a call for several options it was, like `more_option_ids[2]`. */
  argument: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `That is no option that can be booked: ${this.reason}.`
  }
}

/** Why a code no longer makes its option cheaper: the catalogue has it no more, or not so; or what the booking is. */
export const CodeProblem = Schema.Literals(["gone", "used_up", "not_first"])
export type CodeProblem = typeof CodeProblem.Type

/**
 * The price, the time or the terms differ from the option's digest. `option` has the current ones and can be booked.
 * `changed` names the parts that differ, where the digest tells. `code`: the option's code is why.
 */
export class PriceChanged extends Schema.TaggedError<PriceChanged>()("PriceChanged", {
  option: BookingOption,
  changed: Schema.Array(Schema.Literals(["price", "time", "terms"])),
  code: Schema.optionalKey(CodeProblem)
}) {
  /** What has changed, in words: "the price and the terms". */
  get what(): string {
    const [last = "price, time or terms", ...before] = this.changed.toReversed()
    return `the ${before.length === 0 ? last : `${before.toReversed().join(", ")} and ${last}`}`
  }
  override get message(): string {
    return `Since the option was given, ${this.what} of it have changed.`
  }
}

/** A visit's terms and its money before any payment. */
const visitOf = (
  pkg: Package,
  { deposit, non_refundable, price }: Quote,
  start: Instant,
  time_zone: string
): VisitMoney => ({
  ...pkg,
  ...price,
  price,
  ...(pkg.payment.kind === "full" ? {} : { release_unpaid_after_hours: pkg.payment.release_unpaid_after_hours }),
  balance_at_venue: isBalanceAtVenue(pkg),
  deposit,
  non_refundable,
  outstanding: price.total,
  paid: 0,
  given_back: 0,
  left: 0,
  starts_at: start,
  time_zone
})

/**
 * An option without its terms, which are longer than everything else. `non_refundable` is the part of a payment that is
 * never refunded, in minor units.
 */
export interface PricedOption extends Omit<BookingOption, "terms"> {
  readonly non_refundable: number
}

const withoutTerms = (
  venue: Venue,
  party: Party,
  { pkg, start, places_left }: Opening,
  quoted: Quote,
  now: Instant
): PricedOption => {
  const zone = venue.playroom.time_zone
  const named = {
    package_id: pkg.package_id,
    start,
    children: party.children,
    adults: party.adults,
    ages: pricedAges(pkg, party),
    code: codeIn(quoted.price)?.code,
    add_ons: party.add_ons,
    digest: digestOf({ pkg, start, time_zone: zone, add_ons: party.add_ons, quote: quoted })
  }
  const back_if_cancelled = backIfCancelled(visitOf(pkg, quoted, start, zone), now)
  return {
    option_id: pack(named, venue.add_ons),
    package_id: pkg.package_id,
    package_name: pkg.name,
    mode: pkg.mode,
    when: whenInWords(zone, start, start + pkg.duration_minutes * minuteMs),
    start: format(zone, start),
    end: format(zone, start + pkg.duration_minutes * minuteMs),
    children: party.children,
    adults: party.adults,
    add_ons: party.add_ons,
    ...(pkg.mode === "shared" ? { places_left } : {}),
    price: shownPrice(quoted.price),
    ...(back_if_cancelled === undefined ? {} : { back_if_cancelled }),
    non_refundable: quoted.non_refundable
  }
}

/** The option of an opening in a list, priced at `now`. */
export const priceOption = (venue: Venue, party: Party, opening: Opening, now: Instant): PricedOption =>
  withoutTerms(venue, party, opening, quote(venue, opening.pkg, party, opening.start, now), now)

/** The option of an opening, priced at `now`, with its terms. */
export const offer = (venue: Venue, party: Party, opening: Opening, now: Instant): BookingOption => {
  const { pkg, start } = opening
  const quoted = quote(venue, pkg, party, start, now)
  const { non_refundable: _, ...option } = withoutTerms(venue, party, opening, quoted, now)
  return { ...option, terms: visitTerms(visitOf(pkg, quoted, start, venue.playroom.time_zone), now) }
}
