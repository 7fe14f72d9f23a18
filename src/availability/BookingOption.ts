/** One bookable offer: package × start × party × add-ons, priced now. */
import { Schema } from "effect"
import { CancellationTier, Mode } from "../catalogue/Package.ts"
import { AddOnChoice, Price } from "../catalogue/Price.ts"
import { TermsView } from "../catalogue/Terms.ts"
import { PackageId } from "../kernel/Ids.ts"

/** ≤ 80 characters: `option_` and url-safe base 64 of what `OptionId.ts` packs. No secret, no authority. */
export const OptionId = Schema.String.check(
  Schema.isPattern(/^option_[A-Za-z0-9_-]{1,73}$/, {
    message: "Expected an option id like option_…; get_booking_options gives it"
  })
)

export const BookingOption = Schema.Struct({
  option_id: OptionId.annotate({ description: "For create_booking." }),
  package_id: PackageId.annotate({ description: "The package." }),
  package_name: Schema.String.annotate({ description: "Its name." }),
  mode: Mode.annotate({ description: "Room, or places in it." }),
  start: Schema.String.annotate({ description: "RFC 3339." }),
  end: Schema.String.annotate({ description: "RFC 3339." }),
  children: Schema.Int.annotate({ description: "Children." }),
  adults: Schema.Int.annotate({ description: "Adults." }),
  add_ons: Schema.Array(AddOnChoice).annotate({ description: "Add-ons in the price." }),
  places_left: Schema.optionalKey(Schema.Int.annotate({ description: "Children that still fit; shared only." })),
  price: Price.annotate({ description: "Of the whole booking." }),
  cancellation: Schema.Array(CancellationTier).annotate({ description: "Refund tiers; none fits: no refund." }),
  terms: TermsView.annotate({ description: "Deposit and deadlines." })
})
export type BookingOption = typeof BookingOption.Type

/** Why a start can't be booked. */
export const NoneBecause = Schema.Literals([
  "closed",
  "fully_booked",
  "too_soon",
  "too_far_ahead",
  "party_too_large",
  "party_too_small"
])
export type NoneBecause = typeof NoneBecause.Type

/**
 * Not an option that this caller may book: `malformed`: the id was never issued; `unknown`: the package is not on sale (any more);
 * `add_ons`: they are not sold like that (any more); `other_operator`: the key books for another operator; `start_passed`.
 */
export class OptionInvalid extends Schema.TaggedError<OptionInvalid>()("OptionInvalid", {
  reason: Schema.Literals(["malformed", "unknown", "add_ons", "other_operator", "start_passed"])
}) {
  override get message(): string {
    return `That is no option that can be booked: ${this.reason}.`
  }
}

/** Total or terms differ from what the option's digest says; `option` is what they are now, and can be booked. */
export class PriceChanged extends Schema.TaggedError<PriceChanged>()("PriceChanged", { option: BookingOption }) {
  override get message(): string {
    return "The total or the terms differ from what the option said."
  }
}

/** The option can't be booked (any more), and why; up to five nearest options that can. */
export class SlotUnavailable extends Schema.TaggedError<SlotUnavailable>()("SlotUnavailable", {
  reason: NoneBecause,
  alternatives: Schema.Array(BookingOption),
  /** References of live bookings of the same option and e-mail address, in another name or before one more was asked for. */
  others: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `The option can't be booked: ${this.reason}.`
  }
}
