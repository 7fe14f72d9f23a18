/**
 * The rooms of a booking's operator that it may move to: the packages that take its party, and its extras as they are
 * sold there. An extra of another room is another add-on. It is the same extra if name and unit are the same.
 */
import { Effect, Option } from "effect"
import { ageIssues, partyProblem } from "../availability/Availability.ts"
import { Catalogue, type NamedAddOn } from "../catalogue/Catalogue.ts"
import type { AddOn, Package } from "../catalogue/Package.ts"
import type { Venue } from "../catalogue/Playroom.ts"
import type { AddOnChoice, Party } from "../catalogue/Price.ts"
import type { BookingRow } from "./Booking.ts"
import type { Extra } from "./Extras.ts"
import { isOwnCurrency, partyOf, type RoomPackage } from "./VisitChange.ts"

/** At most so many rooms are offered, those of the booking's own city first. */
const maxRooms = 40

/** An extra of a booking. */
interface OwnExtra extends NamedAddOn {
  readonly quantity: number
}

/** A package with its venue, and the booking's party there. */
interface SoldPackage extends RoomPackage {
  readonly sold: { readonly venue: Venue; readonly pkg: Package; readonly party: Party }
}

const folded = (name: string): string => name.trim().toLowerCase()
const isSame = (own: NamedAddOn, there: Pick<AddOn, "name" | "unit"> | undefined): boolean =>
  there !== undefined && own.unit === there.unit && folded(own.name) === folded(there.name)

/** The extras that a venue sells in that quantity. */
const soldAt = (own: ReadonlyArray<OwnExtra>, { add_ons }: Pick<Venue, "add_ons">): ReadonlyArray<AddOnChoice> =>
  own.flatMap((extra) => {
    const there = add_ons.find((one) => isSame(extra, one))
    const { quantity } = extra
    return there === undefined || quantity > Math.min(there.max_quantity, there.stock ?? quantity)
      ? []
      : [{ add_on_id: there.add_on_id, quantity }]
  })

/** The extras that a booking would have no more with a party at a venue. */
const lostAt = (
  own: ReadonlyArray<OwnExtra>,
  { add_ons }: Pick<Venue, "add_ons">,
  party: Party
): ReadonlyArray<Extra> =>
  own.flatMap((extra) => {
    const kept = party.add_ons.find(({ add_on_id }) =>
      isSame(
        extra,
        add_ons.find((one) => one.add_on_id === add_on_id)
      )
    )
    const quantity = extra.quantity - (kept?.quantity ?? 0)
    return quantity > 0 ? [{ name: extra.name, quantity }] : []
  })

/**
 * `packages`: what the rooms of its operator, or the one that is named, sell to a booking's party. `soldAt`: a package of
 * its operator with its venue, and the booking's party there; none if it is not sold, or another operator's. `lost`: which
 * extras a booking would not have any more. `equalRooms`: where it would be the same visit in another room.
 */
export const otherRooms = Effect.gen(function* () {
  const catalogue = yield* Catalogue

  const extrasOf = Effect.fnUntraced(function* ({ terms: { add_ons } }: BookingRow) {
    if (add_ons.length === 0) return []
    const named = yield* catalogue.addOns(add_ons.map(({ add_on_id }) => add_on_id))
    return add_ons.map(({ add_on_id, quantity }): OwnExtra => {
      const { name, unit } = named.find((one) => one.add_on_id === add_on_id) ?? { name: add_on_id, unit: "per_item" }
      return { add_on_id, name, unit, quantity }
    })
  })

  const takes = (booking: BookingRow, venue: Venue, pkg: Package, party: Party): boolean =>
    isOwnCurrency(booking, venue.playroom.currency) &&
    partyProblem(venue, pkg, party) === undefined &&
    ageIssues(venue.playroom, party.children, booking.child_ages).length === 0

  const packages = Effect.fn("otherRooms.packages")(function* (booking: BookingRow, playroom_id?: string) {
    const all = yield* catalogue.ofSameOperator(booking.playroom_id, maxRooms, playroom_id)
    const own = yield* extrasOf(booking)
    return all.flatMap((venue) => {
      const party = { ...partyOf(booking), add_ons: soldAt(own, venue) }
      return venue.packages.flatMap((pkg): ReadonlyArray<SoldPackage> =>
        takes(booking, venue, pkg, party)
          ? [
              {
                playroom: venue.playroom,
                package_id: pkg.package_id,
                package_name: pkg.name,
                alike: pkg.mode === booking.terms.mode && folded(pkg.name) === folded(booking.terms.package_name),
                sold: { venue, pkg, party }
              }
            ]
          : []
      )
    })
  })

  /** The packages like a booking's own in other rooms of its city, with all of its extras. */
  const equalRooms = Effect.fn("otherRooms.equalRooms")(function* (booking: BookingRow) {
    const found = yield* packages(booking)
    const city = found.find(({ playroom }) => playroom.playroom_id === booking.playroom_id)?.playroom.city
    const own = yield* extrasOf(booking)
    return found.filter(
      ({ alike, playroom, sold: { party, venue } }) =>
        alike &&
        playroom.playroom_id !== booking.playroom_id &&
        (city === undefined || playroom.city === city) &&
        lostAt(own, venue, party).length === 0
    )
  })

  const soldThere = Effect.fnUntraced(function* (booking: BookingRow, package_id: string) {
    const found = yield* catalogue.venueOfPackage(package_id).pipe(
      Effect.asSome,
      Effect.catchTag("PackageNotFound", () => Effect.succeedNone)
    )
    if (Option.isNone(found) || found.value.venue.operator.operator_id !== booking.operator_id) return Option.none()
    const { venue } = found.value
    const pkg = venue.packages.find((one) => one.package_id === package_id)
    const party: Party = { ...partyOf(booking), add_ons: soldAt(yield* extrasOf(booking), venue) }
    return pkg === undefined ? Option.none() : Option.some({ venue, pkg, party })
  })

  const lost = (booking: BookingRow, venue: Venue, party: Party) =>
    Effect.map(extrasOf(booking), (own) => lostAt(own, venue, party))

  return { equalRooms, lost, packages, soldThere }
})
