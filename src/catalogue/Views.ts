/** What the tools show of a playroom. Pure. */
import { format } from "../kernel/LocalTime.ts"
import { money } from "../kernel/Money.ts"
import { priceFrom } from "./FromPrice.ts"
import type { Operator } from "./Operator.ts"
import { packageTerms } from "./Terms.ts"
import type { Closure, Playroom, PlayroomSummary, PlayroomView, Venue } from "./Playroom.ts"

type Summarized = Pick<
  Playroom,
  | "playroom_id"
  | "name"
  | "summary"
  | "address"
  | "city"
  | "country"
  | "latitude"
  | "longitude"
  | "time_zone"
  | "capacity"
  | "age_min"
  | "age_max"
  | "amenities"
  | "currency"
>

/** `from_price` is in minor units; undefined where it is not known at the moment. */
export const summaryOf = (
  playroom: Summarized,
  operator: Pick<Operator, "name">,
  more: {
    readonly from_price: number | undefined
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
  capacity: playroom.capacity,
  age_min: playroom.age_min,
  age_max: playroom.age_max,
  amenities: playroom.amenities,
  ...(more.from_price === undefined ? {} : { from_price: money(more.from_price, playroom.currency) }),
  ...(more.photo_url === undefined ? {} : { photo_url: more.photo_url })
})

/**
 * What a view that is too long for an answer leaves out, one after the other: what an assistant misses least. The first picture
 * is still there as `photo_url`.
 */
export const shortened: ReadonlyArray<(view: PlayroomView) => PlayroomView> = [
  (view) => ({ ...view, photos: view.photos.slice(0, 1) }),
  (view) => ({ ...view, photos: [], upcoming_closures: view.upcoming_closures.slice(0, 3) }),
  (view) => ({ ...view, description: `${view.description.slice(0, 599).toWellFormed()}…` })
]

/** `closures` in order of start. Of a package whose lowest price is not known at the moment, the price before rules is shown. */
export const viewOf = (
  { playroom, operator, packages, add_ons }: Venue,
  closures: ReadonlyArray<Closure>,
  prices: {
    readonly from_price: number | null
    readonly price_from: Readonly<Record<string, number | null>> | null
  }
): PlayroomView => ({
  ...summaryOf(playroom, operator, { from_price: prices.from_price ?? undefined, photo_url: playroom.photos[0]?.url }),
  description: playroom.description,
  photos: playroom.photos,
  house_rules: playroom.house_rules,
  accessibility: playroom.accessibility,
  opening_hours: playroom.opening_hours,
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
    price_from: money(prices.price_from?.[pkg.package_id] ?? priceFrom(pkg, playroom.tax), playroom.currency),
    payment: pkg.payment.kind,
    cancellation: pkg.cancellation,
    terms: packageTerms(pkg, playroom.currency)
  })),
  add_ons: add_ons.map(({ add_on_id, name, unit, unit_amount, max_quantity }) => ({
    add_on_id,
    name,
    unit,
    price: money(unit_amount, playroom.currency),
    max_quantity
  })),
  lead_time_minutes: playroom.lead_time_minutes,
  max_advance_days: playroom.max_advance_days
})
