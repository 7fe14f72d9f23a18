/** A room or hall that children play in: the domain's own shape, and the shapes that the tools publish. */
import { Option, Schema, Struct } from "effect"
import { AddOnId, ClosureId, OperatorId, PackageId, PlayroomId } from "../../platform/ids/Ids.ts"
import {
  ClockTime,
  ClosingTime,
  LocalDate,
  StoredTimeZone,
  Weekday,
  InstantFromDate
} from "../../platform/time/LocalTime.ts"
import { Currency, Money } from "../../platform/money/Money.ts"
import { type Operator, VenueContact } from "./Operator.ts"
import { type AddOn, Mode, type Package } from "./Package.ts"
import { CancellationTier } from "./RefundSchedule.ts"
import { TaxRates } from "./Tax.ts"
import { TermsView } from "./Terms.ts"

/**
 * One opening interval on a weekday; a day may have several. If it closes at or before it opens, it runs into the next
 * day (18:00 to 02:00; 06:00 to 06:00 is 24 hours) and belongs to the day on which it opens. Intervals that adjoin are
 * one.
 */
export const OpeningHours = Schema.Struct({
  weekday: Weekday.annotate({ description: "Day." }).annotateKey({ meaning: "The day on which they begin." }),
  opens: ClockTime.annotate({ description: "HH:MM." }).annotateKey({ meaning: "HH:MM." }),
  closes: ClosingTime.annotate({ description: "If not after opens, next day." }).annotateKey({
    meaning: "HH:MM up to 24:00. At or before `opens`: on the next day."
  })
})

/**
 * Replaces the opening hours of one `date`, or of all dates `from` one `to` another, both included. Without intervals
 * they are closed, except for an interval from the day before that runs past midnight. A single date goes before a
 * range that it lies in; ranges do not overlap.
 */
export const DateOverride = Schema.Struct({
  date: Schema.optionalKey(LocalDate).annotateKey({ meaning: "One day, YYYY-MM-DD." }),
  from: Schema.optionalKey(LocalDate).annotateKey({
    meaning: "Instead of `date`: the first of several days, like all of the summer holidays."
  }),
  to: Schema.optionalKey(LocalDate).annotateKey({
    meaning: "With `from`: the last of them, which is included; at most 366 days."
  }),
  intervals: Schema.Array(Schema.Struct({ opens: ClockTime, closes: ClosingTime }))
})
type DateOverride = typeof DateOverride.Type

/** The first and the last date of an override; undefined if it names none. */
export const overriddenDates = ({
  date,
  from = date,
  to = date
}: Pick<DateOverride, "date" | "from" | "to">): readonly [first: LocalDate, last: LocalDate] | undefined =>
  from === undefined || to === undefined ? undefined : [from, to]

const Photo = Schema.Struct({
  url: Schema.String.annotate({ description: "URL." }),
  alt: Schema.String.annotate({ description: "Content." })
})

/** Tax, `included` in the prices or added on top. */
const TaxTerms = Schema.Struct({
  rate_percent: TaxRates.fields.rate_percent,
  included: Schema.Boolean.annotateKey({ meaning: "`true`: prices include it. `false`: it is added to them." }),
  changes: TaxRates.fields.changes
})

/** The finest grid of starts, in minutes. */
export const finestGrid = 5

/** The longest booking horizon, in days. */
export const maxAdvanceDays = 1095

/** Accessibility features that a playroom has or is known to lack: a fixed vocabulary that search can filter by. */
export const AccessibilityFeature = Schema.Literals([
  "step_free_access",
  "ramp_on_request",
  "lift",
  "accessible_toilet",
  "changing_places_toilet",
  "accessible_parking",
  "hearing_loop",
  "quiet_hours",
  "sensory_room"
])
export type AccessibilityFeature = typeof AccessibilityFeature.Type

/**
 * Another calendar of the playroom (.ics): what is busy there is not sold here. Its address is a secret of the venue.
 */
const OtherCalendar = Schema.Struct({
  /** For the venue's people. */
  name: Schema.String,
  url: Schema.String,
  /** Titles of entries that don't count. */
  ignore: Schema.optionalKey(Schema.Array(Schema.String))
})

/** The content of the `details` column. */
export const PlayroomDetails = Schema.Struct({
  photos: Schema.Array(Photo),
  house_rules: Schema.String,
  /** What each family must bring or sign. */
  bring: Schema.optionalKey(Schema.String),
  accessibility: Schema.String,
  /** Features it has, and features it is known to lack. A feature in neither list is unknown. */
  accessibility_features: Schema.optionalKey(Schema.Array(AccessibilityFeature)),
  accessibility_lacks: Schema.optionalKey(Schema.Array(AccessibilityFeature)),
  /** The city in other languages and spellings, for search. */
  city_aliases: Schema.optionalKey(Schema.Array(Schema.String)),
  opening_hours: Schema.Array(OpeningHours),
  /** When it is kept quiet each week, within the opening hours. */
  quiet_hours: Schema.optionalKey(Schema.Array(OpeningHours)),
  overrides: Schema.Array(DateOverride),
  calendars: Schema.optionalKey(Schema.Array(OtherCalendar)),
  grid_minutes: Schema.Int.check(Schema.isBetween({ minimum: finestGrid, maximum: 1440 })).annotateKey({
    meaning: "Visits start every so many minutes from opening on, where a package has no `times`."
  }),
  lead_time_minutes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 525_600 })).annotateKey({
    meaning: "So long before the start booking ends."
  }),
  max_advance_days: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxAdvanceDays })).annotateKey({
    meaning: "So many days ahead booking begins."
  }),
  waiting_list_minutes: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 2880 }))
  ).annotateKey({
    meaning:
      "Places that come back are held so long for the first family on the waiting list, which is told by letter. Left out: there is no waiting list."
  }),
  tax: TaxTerms.annotateKey({
    meaning: "The tax on everything that is sold, where a package or an add-on has no rate of its own."
  })
})

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What a playroom's row has columns of its own for; its `details` have the rest. */
export const PlayroomColumns = Schema.Struct({
  playroom_id: PlayroomId,
  operator_id: OperatorId,
  name: Schema.NonEmptyString,
  summary: Schema.String,
  description: Schema.String,
  address: Schema.String,
  city: Schema.NonEmptyString,
  country: Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/)),
  latitude: Schema.Finite,
  longitude: Schema.Finite,
  time_zone: StoredTimeZone,
  currency: Currency.annotateKey({
    meaning: "Three capital letters (ISO 4217): GBP, EUR, JPY. All its amounts are in it."
  }),
  capacity: Schema.Int,
  age_min: Count,
  age_max: Count,
  amenities: Schema.Array(Schema.String)
})

export const Playroom = Schema.Struct({ ...PlayroomColumns.fields, ...PlayroomDetails.fields })
export type Playroom = typeof Playroom.Type

/** A closure, end excluded. */
export const Closure = Schema.Struct({
  closure_id: ClosureId,
  start: InstantFromDate,
  end: InstantFromDate,
  reason: Schema.String
})
export type Closure = typeof Closure.Type

/** Everything that pricing and availability need of one playroom at present: what is on sale, and its operator. */
export interface Venue {
  readonly playroom: Playroom
  readonly operator: Operator
  readonly packages: ReadonlyArray<Package>
  readonly add_ons: ReadonlyArray<AddOn>
}

/** A package on sale at a venue. */
export const packageOf = (venue: Venue, package_id: string): Option.Option<Package> =>
  Option.fromUndefinedOr(venue.packages.find((pkg) => pkg.package_id === package_id))

/** The price for the party of a search. */
export const PriceForParty = Schema.Struct({
  ...Money.fields,
  for: Schema.String.annotate({ description: "Whom, when." }),
  per_child: Schema.optionalKey(Schema.String.annotate({ description: "Per child." })),
  package_name: Schema.String.annotate({ description: "Package." }),
  mode: Mode.annotate({ description: "Room or places." })
})
export type PriceForParty = typeof PriceForParty.Type

/** A playroom in a list of search results. */
export const PlayroomSummary = Schema.Struct({
  playroom_id: PlayroomId.annotate({ description: "Id." }),
  name: Schema.String.annotate({ description: "Name." }),
  summary: Schema.String.annotate({ description: "Short." }),
  operator_name: Schema.String.annotate({ description: "Operator." }),
  address: Schema.String.annotate({ description: "Street." }),
  city: Schema.String.annotate({ description: "City." }),
  country: Schema.String.annotate({ description: "Like GB." }),
  latitude: Schema.Finite.annotate({ description: "Degrees." }),
  longitude: Schema.Finite.annotate({ description: "Degrees." }),
  distance_km: Schema.optionalKey(Schema.Finite.annotate({ description: "From `near`." })),
  time_zone: Schema.String.annotate({ description: "IANA." }),
  max_children: Schema.Int.annotate({ description: "Not adults." }),
  age_min: Schema.Int.annotate({ description: "Years." }),
  age_max: Schema.Int.annotate({ description: "Years." }),
  amenities: Schema.Array(Schema.String).annotate({ description: "It has." }),
  accessibility_features: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Like lift." })),
  accessibility_lacks: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Rest unknown." })),
  from_price: Schema.optionalKey(Money.annotate({ description: "Smallest party's." })),
  from_price_for: Schema.optionalKey(Schema.String.annotate({ description: "Whom, when." })),
  price_for_party: Schema.optionalKey(PriceForParty.annotate({ description: "Lowest, or at next_start." })),
  photo_url: Schema.optionalKey(Schema.String.annotate({ description: "Picture." })),
  next_start: Schema.optionalKey(Schema.String.annotate({ description: "First start." })),
  when: Schema.optionalKey(Schema.String.annotate({ description: "Repeat it." })),
  matched: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Of query, where." })),
  unmatched: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Not here: say so." }))
})
export type PlayroomSummary = typeof PlayroomSummary.Type

/** What families must bring or sign, as the tools show it. */
export const ToBring = Schema.String.annotate({ description: "To bring." })

/** A package in the result of `get_playroom`. */
const PackageView = Schema.Struct({
  package_id: PackageId.annotate({ description: "Id." }),
  name: Schema.String.annotate({ description: "Name." }),
  description: Schema.String.annotate({ description: "Included." }),
  mode: Mode.annotate({ description: "Room or places." }),
  duration_minutes: Schema.Int.annotate({ description: "Minutes." }),
  min_children: Schema.Int.annotate({ description: "Least." }),
  max_children: Schema.Int.annotate({ description: "Most." }),
  max_adults: Schema.optionalKey(Schema.Int.annotate({ description: "Most adults." })),
  price_from: Money.annotate({ description: "Smallest party's." }),
  price_from_for: Schema.String.annotate({ description: "Whom, when." }),
  each_further_child: Schema.optionalKey(Schema.String.annotate({ description: "Each more." })),
  payment: Schema.Literals(["full", "deposit"]).annotate({ description: "Due when booking." }),
  cancellation: Schema.Array(CancellationTier).annotate({ description: "Refund tiers." }),
  terms: TermsView.annotate({ description: "Deposit, deadlines." })
})

/** An add-on in the result of `get_playroom`. */
const AddOnView = Schema.Struct({
  add_on_id: AddOnId.annotate({ description: "Id." }),
  name: Schema.String.annotate({ description: "Name." }),
  unit: Schema.Literals(["per_booking", "per_child", "per_item"]).annotate({ description: "Priced per." }),
  price: Money.annotate({ description: "Of one unit." }),
  price_range: Schema.optionalKey(Schema.String.annotate({ description: "Range." })),
  max_quantity: Schema.Int.annotate({ description: "Most." })
})

/** A playroom in the result of `get_playroom`. */
export const PlayroomView = Schema.Struct({
  ...Struct.omit(PlayroomSummary.fields, [
    "distance_km",
    "next_start",
    "price_for_party",
    "when",
    "matched",
    "unmatched"
  ]),
  description: Schema.String.annotate({ description: "Text." }),
  photos: Schema.Array(Photo).annotate({ description: "Pictures." }),
  house_rules: Schema.String.annotate({ description: "Text." }),
  bring: Schema.optionalKey(ToBring),
  contact: Schema.optionalKey(VenueContact.annotate({ description: "Whom to ask." })),
  accessibility: Schema.String.annotate({ description: "Text." }),
  opening_hours: Schema.Array(OpeningHours).annotate({ description: "Dates may differ." }),
  quiet_hours: Schema.optionalKey(Schema.Array(OpeningHours).annotate({ description: "Quiet ones." })),
  upcoming_closures: Schema.Array(
    Schema.Struct({
      from: Schema.String.annotate({ description: "RFC 3339." }),
      to: Schema.String.annotate({ description: "RFC 3339." }),
      reason: Schema.String.annotate({ description: "Why." })
    })
  ).annotate({ description: "Ahead." }),
  packages: Schema.Array(PackageView).annotate({ description: "To book." }),
  add_ons: Schema.Array(AddOnView).annotate({ description: "Extras." }),
  lead_time_minutes: Schema.Int.annotate({ description: "Least notice." }),
  max_advance_days: Schema.Int.annotate({ description: "Days ahead." })
})
export type PlayroomView = typeof PlayroomView.Type

/** Arguments of `get_playroom`. */
export const PlayroomLookup = Schema.Struct({ playroom_id: PlayroomId })

export class PlayroomNotFound extends Schema.TaggedError<PlayroomNotFound>()("PlayroomNotFound", {
  playroom_id: Schema.String
}) {
  override get message(): string {
    return `There is no playroom ${this.playroom_id}.`
  }
}

export class PackageNotFound extends Schema.TaggedError<PackageNotFound>()("PackageNotFound", {
  package_id: Schema.String
}) {
  override get message(): string {
    return `There is no package ${this.package_id}.`
  }
}

/** A venue, whether or not its operator's account at the provider takes payments now. */
export const withAnyAccount = (venue: Venue): Venue => ({
  ...venue,
  operator: Struct.omit(venue.operator, ["account_closed"])
})

/**
 * What a venue sells at its counter: whether its account at the provider takes payments is no matter, and the package
 * is sold until the end of its visit, to who walks in.
 */
export const atCounter = <A extends { readonly venue: Venue; readonly pkg: Pick<Package, "duration_minutes"> }>(
  sold: A
): A => ({
  ...sold,
  venue: {
    ...withAnyAccount(sold.venue),
    playroom: { ...sold.venue.playroom, lead_time_minutes: -sold.pkg.duration_minutes }
  }
})

/** The operator is suspended or lapsed, can't take payments, or can't take this one. */
export class OperatorUnavailable extends Schema.TaggedError<OperatorUnavailable>()("OperatorUnavailable", {
  operator_id: OperatorId,
  /**
   * The operator sells, but the payment provider refuses this payment for its account: for its amount or another
   * reason.
   */
  payment_refused: Schema.optionalKey(Schema.Literals(["amount", "other"])),
  /** The balance of a confirmed booking can't be paid. */
  booked: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    return this.payment_refused !== undefined
      ? `The payment provider does not take this payment for ${this.operator_id}.`
      : `${this.operator_id} is suspended, lapsed, or can't take payments.`
  }
}
