/** Views of a playroom for the tools. Pure. */
import { Struct } from "effect"
import { type Shorten, fitView } from "../../platform/text/ResponseBudget.ts"
import { format } from "../../platform/time/LocalTime.ts"
import { money } from "../../platform/money/Money.ts"
import { contactOf, type Operator } from "./Operator.ts"
import type { Package } from "./Package.ts"
import { coveredPartyText } from "./PriceTimes.ts"
import { listedPackage, summarizeAddOn, type PriceSummary } from "./PriceSummary.ts"
import { packageTerms } from "./Terms.ts"
import type {
  AccessibilityFeature,
  Closure,
  Playroom,
  PlayroomSummary,
  PlayroomView,
  Venue,
  PlayroomColumns
} from "./Playroom.ts"

type Summarized = Omit<typeof PlayroomColumns.Type, "description" | "operator_id">

/**
 * `from_price` is in minor units; undefined if it is unknown at the moment. `from_price_for` says for
 * whom and when it is that.
 */
export const summaryOf = (
  playroom: Summarized,
  operator: Pick<Operator, "name">,
  more: {
    readonly from_price: number | undefined
    readonly from_price_for: string | undefined
    readonly photo_url?: string | undefined
    readonly distance_km?: number | undefined
  }
): PlayroomSummary => ({
  playroom_id: playroom.playroom_id,
  name: playroom.name,
  summary: playroom.summary,
  operator_name: operator.name,
  address: playroom.address,
  city: playroom.city,
  country: playroom.country,
  latitude: playroom.latitude,
  longitude: playroom.longitude,
  ...(more.distance_km === undefined ? {} : { distance_km: Math.round(more.distance_km * 100) / 100 }),
  time_zone: playroom.time_zone,
  max_children: playroom.capacity,
  age_min: playroom.age_min,
  age_max: playroom.age_max,
  amenities: playroom.amenities,
  ...(more.from_price === undefined ? {} : { from_price: money(more.from_price, playroom.currency) }),
  ...(more.from_price === undefined || more.from_price_for === undefined
    ? {}
    : { from_price_for: more.from_price_for }),
  ...(more.photo_url === undefined ? {} : { photo_url: more.photo_url })
})

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

/** The known accessibility of a playroom. */
export const accessOf = ({
  accessibility_features,
  accessibility_lacks
}: {
  readonly accessibility_features?: ReadonlyArray<AccessibilityFeature> | null
  readonly accessibility_lacks?: ReadonlyArray<AccessibilityFeature> | null
}) => ({
  ...(accessibility_features?.length ? { accessibility_features } : {}),
  ...(accessibility_lacks?.length ? { accessibility_lacks } : {})
})

/**
 * What goes first of a view that is longer than usual: the lowest price, which its package says too, and pictures. The
 * first one is still there as `photo_url`.
 */
const dispensable: ReadonlyArray<Shorten<PlayroomView>> = [
  Struct.omit(["from_price", "from_price_for"]),
  (view) => ({ ...view, photos: view.photos.slice(0, 1) }),
  (view) => ({ ...view, photos: [] })
]

/** What goes, step by step, of a view that hosts would not accept. */
const shorter: ReadonlyArray<Shorten<PlayroomView>> = [
  (view) => ({ ...view, upcoming_closures: view.upcoming_closures.slice(0, 3) }),
  (view) => ({ ...view, description: cut(view.description, 600) }),
  (view) => ({
    ...view,
    packages: view.packages.map((pkg) => ({ ...pkg, description: cut(pkg.description, 80) })),
    house_rules: cut(view.house_rules, 450),
    accessibility: cut(view.accessibility, 400)
  })
]

/** An answer with a view that is short enough. */
export const shortAnswer = (playroom: PlayroomView): { readonly playroom: PlayroomView } => {
  const inAnswer =
    (shorten: Shorten<PlayroomView>) =>
    ({ playroom }: { readonly playroom: PlayroomView }) => ({ playroom: shorten(playroom) })
  return fitView({ playroom }, dispensable.map(inAnswer), shorter.map(inAnswer))
}

/** The lowest price of a package, for whom and when. If it is unknown at the moment, the list price. */
const lowestOf = (pkg: Package, playroom: Playroom, prices: PriceSummary | null) => {
  const told = prices?.packages[pkg.package_id] ?? listedPackage(playroom, pkg)
  return {
    price_from: money(told.price_from, playroom.currency),
    price_from_for: `${coveredPartyText(pkg)}, ${told.when}`,
    ...(told.each_further_child === undefined ? {} : { each_further_child: told.each_further_child })
  }
}

/** `closures` in order of start. If a package's lowest price is unknown at the moment, its list price is shown. */
export const viewOf = (
  { playroom, operator, packages, add_ons }: Venue,
  closures: ReadonlyArray<Closure>,
  prices: {
    readonly from_price: number | null
    readonly from_price_for: string | null
    readonly prices_told: PriceSummary | null
  }
): PlayroomView => {
  const contact = contactOf(operator)
  return {
    ...summaryOf(playroom, operator, {
      from_price: prices.from_price ?? undefined,
      from_price_for: prices.from_price_for ?? undefined,
      photo_url: playroom.photos[0]?.url
    }),
    ...accessOf(playroom),
    description: playroom.description,
    photos: playroom.photos,
    house_rules: playroom.house_rules,
    ...(playroom.bring === undefined ? {} : { bring: playroom.bring }),
    ...(contact === undefined ? {} : { contact }),
    accessibility: playroom.accessibility,
    opening_hours: playroom.opening_hours,
    ...(playroom.quiet_hours?.length ? { quiet_hours: playroom.quiet_hours } : {}),
    upcoming_closures: closures.map(({ start, end, reason }) => ({
      from: format(playroom.time_zone, start),
      to: format(playroom.time_zone, end),
      reason
    })),
    packages: packages.map((pkg) => ({
      package_id: pkg.package_id,
      name: pkg.name,
      description: pkg.description,
      mode: pkg.mode,
      duration_minutes: pkg.duration_minutes,
      min_children: pkg.min_children,
      max_children: pkg.max_children,
      ...(pkg.max_adults === undefined ? {} : { max_adults: pkg.max_adults }),
      ...lowestOf(pkg, playroom, prices.prices_told),
      payment: pkg.payment.kind,
      cancellation: pkg.cancellation,
      terms: packageTerms(pkg, playroom.currency)
    })),
    add_ons: add_ons.map((addOn) => {
      const told = prices.prices_told?.add_ons[addOn.add_on_id] ?? summarizeAddOn(playroom, addOn, [])
      return {
        add_on_id: addOn.add_on_id,
        name: addOn.name,
        unit: addOn.unit,
        price: money(told.amount, playroom.currency),
        ...(told.range === undefined ? {} : { price_range: told.range }),
        max_quantity: addOn.max_quantity
      }
    }),
    lead_time_minutes: playroom.lead_time_minutes,
    max_advance_days: playroom.max_advance_days
  }
}
