/**
 * The visits that a booking may change to: other starts and rooms for its party, and another party at its own start.
 */

import { Clock, Effect, Option, Struct } from "effect"
import { InvalidArguments } from "../../platform/errors/InvalidArguments.ts"
import type { PlayroomId } from "../../platform/ids/Ids.ts"
import { instantOf, type LocalDate, localDateOf, minutesOf } from "../../platform/time/LocalTime.ts"
import { addOnIssues, addOnsUsed, unitsOf, ageIssues, partyProblem } from "../availability/Availability.ts"
import { OptionInvalid, type PricedOption, priceOption } from "../availability/BookingOption.ts"
import { BookingOptions } from "../availability/BookingOptions.ts"
import { type VisitRequest, readVisits } from "../availability/Decision.ts"
import { type Exception, exceptionsOf, partyExceptions, settingAside } from "../availability/Exceptions.ts"
import { Occupancy } from "../availability/Occupancy.ts"
import { unpack } from "../availability/OptionId.ts"
import { type Claim, freeUnits } from "../availability/Units.ts"
import { Catalogue, type Reading, type NamedAddOn } from "../catalogue/Catalogue.ts"
import { keepingCode } from "../catalogue/Codes.ts"
import { stockOf, type AddOn, type Package } from "../catalogue/Package.ts"
import { packageOf, type Venue, withAnyAccount } from "../catalogue/Playroom.ts"
import type { Party, AddOnChoice } from "../catalogue/Pricing.ts"
import type { BookingRow } from "./Booking.ts"
import type { Extra } from "./BookingRequest.ts"
import {
  asSold,
  type ChangedBooking,
  type ChangeKind,
  changeRefusal,
  type FurtherChildren,
  furtherChildren,
  isOwnCurrency,
  keepingVisit,
  type PartyChange,
  type PartyLimits,
  partyOf,
  type RoomPackage,
  soldWith
} from "./ChangePlan.ts"

// The rooms of a booking's operator that it may move to: the packages that take its party, and its extras as they are
// sold there. An extra of another room is another add-on. It is the same extra if name and unit are the same.

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

/** The extras that a booking would lose with a party at a venue. */
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

/** A venue of its operator for a booking that there is already: it is paid in whatever way, and keeps its code. */
const forBooking =
  ({ terms }: BookingRow) =>
  (venue: Venue): Venue =>
    keepingCode(withAnyAccount(venue), terms.code)

/**
 * `packages`: what the rooms of its operator, or the one that is named, sell to a booking's party. `soldAt`: a package
 * of its operator with its venue, and the booking's party there; none if it is not sold, or another operator's. `lost`:
 * which extras that a booking would lose. `equalRooms`: where it would be the same visit in another room.
 */
const otherRooms = Effect.gen(function* () {
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
    return all.map(forBooking(booking)).flatMap((venue) => {
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
    const venue = forBooking(booking)(found.value.venue)
    const pkg = venue.packages.find((one) => one.package_id === package_id)
    const party: Party = { ...partyOf(booking), add_ons: soldAt(yield* extrasOf(booking), venue) }
    return pkg === undefined ? Option.none() : Option.some({ venue, pkg, party })
  })

  const lost = (booking: BookingRow, venue: Venue, party: Party) =>
    Effect.map(extrasOf(booking), (own) => lostAt(own, venue, party))

  return { equalRooms, lost, packages, soldThere }
})

/**
 * A visit that a booking is to change to, as read from the catalogue, and the id of its option. `without`: the extras
 * of the booking that a move does not take along.
 */
export interface WantedVisit extends Pick<ChangedBooking, "exceptions" | "without"> {
  readonly visit: VisitRequest
  readonly reading: Reading
  readonly option_id: string
}

/** An available start near a booking's own, in its own room or an equal one. */
export interface AlternativeStart {
  readonly option: PricedOption
  readonly playroom_id: PlayroomId
  readonly playroom_name: string
  readonly time_zone: string
}

/** So many alternatives are proposed of a booking's own room, and of each of so many equal rooms. */
const alternativesHere = 4
const alternativesEach = 2
const alternativeRooms = 3

/** What a family may change of its booking by itself. */
export interface OwnChanges {
  /** The other available starts of its day, in order; undefined if it may not move. */
  readonly starts?: ReadonlyArray<PricedOption>
  readonly further?: FurtherChildren
  /** Whether its party may change. */
  readonly may_grow?: true
  /** Nothing, whatever the terms say: its playroom has another currency now. */
  readonly none?: true
}

/** Whether an option is another visit than a booking's own, to which it can go. */
const isOtherVisit =
  (booking: BookingRow) =>
  ({ package_id, price, start }: PricedOption): boolean =>
    (package_id !== booking.package_id || Date.parse(start) !== booking.starts_at) &&
    isOwnCurrency(booking, price.currency)

/** The exceptions that another start can be, for a booking's own party. */
const isOfTime = (one: Exception): boolean => one === "too_soon" || one === "too_far_ahead"

/** Which rules a party and its ages break at a venue. */
export const exceptionsTo = (
  { pkg, venue }: Pick<VisitRequest, "pkg" | "venue">,
  party: Party,
  child_ages: ReadonlyArray<number> = []
): ReadonlyArray<Exception> => {
  const found = exceptionsOf({ venue, pkg, party, start: Infinity }, child_ages, 0)
  return partyExceptions.filter((one) => found.includes(one))
}

/** The party that a booking has after a change, in the order of its own add-ons. */
export const partyAfter = (booking: BookingRow, change: PartyChange): Party => {
  const { add_ons, adults, children } = change
  const party = partyOf(booking)
  const kept = booking.child_ages.length === (children ?? party.children) ? booking.child_ages : []
  const { child_ages = kept } = change
  return {
    children: children ?? party.children,
    adults: adults ?? party.adults,
    ...(child_ages.length === 0 ? {} : { child_ages }),
    add_ons: add_ons ?? party.add_ons,
    ...(party.code === undefined ? {} : { code: party.code })
  }
}

/**
 * `starts`: available starts in a range of dates, in order, of the booking's own package or another one of its
 * operator; the booking's own places count as free. None if such visits are not sold. `optionAt`: the option of one
 * start, available or not, of the same packages. `alternatives`: the available starts nearest to its own, by distance.
 * `ownChanges`: what a family may change of it by itself now. `packages`: which these are. `ofOption`
 * and `ofParty`: the visit that is asked for, available or not. `sold`: what a
 * booking was sold with. `left`: how much is left of what is too little for claims. `nearest`: starts beside one that is
 * taken.
 */
export const otherVisits = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  const occupancy = yield* Occupancy
  const options = yield* BookingOptions
  const visitOf = yield* readVisits
  const { equalRooms, lost, packages: roomPackages, soldThere } = yield* otherRooms

  /** The venue, package and party of a booking as it was sold, with the read of the catalogue. */
  const sold = Effect.fnUntraced(function* (booking: BookingRow) {
    const found = yield* catalogue.venueAsSold(soldWith(booking))
    const venue = asSold(booking, found)
    const pkg = yield* Effect.orDie(Effect.fromOption(packageOf(venue, booking.package_id)))
    return { venue, pkg, party: partyOf(booking), reading: found.reading }
  })

  /** The same of another package of its operator; none if that is not sold. */
  const soldAs = (booking: BookingRow, package_id: string) =>
    package_id === booking.package_id ? Effect.asSome(sold(booking)) : soldThere(booking, package_id)

  const packages = Effect.fn("otherVisits.packages")(function* (booking: BookingRow, playroom_id?: string) {
    const found: ReadonlyArray<RoomPackage> = yield* roomPackages(booking, playroom_id)
    const isOwn = (one: RoomPackage) => one.package_id === booking.package_id
    if (found.some(isOwn) || (playroom_id ?? booking.playroom_id) !== booking.playroom_id) return found
    const { pkg, venue } = yield* sold(booking)
    if (!isOwnCurrency(booking, venue.playroom.currency)) return found
    const { name: package_name, package_id } = pkg
    return [{ playroom: venue.playroom, package_id, package_name, alike: true }, ...found]
  })

  const optionAt = Effect.fn("otherVisits.optionAt")(function* (
    booking: BookingRow,
    date: LocalDate,
    time: string,
    package_id: string = booking.package_id
  ) {
    const sold = yield* soldAs(booking, package_id)
    if (Option.isNone(sold)) return yield* new OptionInvalid({ reason: "unknown" })
    const { party, pkg, venue } = sold.value
    const start = instantOf(venue.playroom.time_zone, date, minutesOf(time))
    if (start === undefined) return yield* new OptionInvalid({ reason: "unknown" })
    const now = yield* Clock.currentTimeMillis
    return priceOption(venue, party, { pkg, start, places_left: 0 }, now).option_id
  })

  const starts = Effect.fn("otherVisits.starts")(function* (
    booking: BookingRow,
    dates: { readonly from: LocalDate; readonly to: LocalDate },
    package_id: string = booking.package_id
  ) {
    const sold = yield* soldAs(booking, package_id)
    if (Option.isNone(sold)) return Option.none<ReadonlyArray<PricedOption>>()
    return Option.map(yield* options.starts(sold.value, dates, booking.booking_id), (all) =>
      all.filter(isOtherVisit(booking))
    )
  })

  const alternatives = Effect.fn("otherVisits.alternatives")(function* (booking: BookingRow) {
    const { booking_id, starts_at } = booking
    const isOther = isOtherVisit(booking)
    const own = { sold: yield* sold(booking), most: alternativesHere }
    const elsewhere = (yield* equalRooms(booking))
      .slice(0, alternativeRooms)
      .map(({ sold }) => ({ sold, most: alternativesEach }))
    const found = yield* Effect.forEach([own, ...elsewhere], ({ most, sold }) =>
      Effect.map(options.nearestOfPackage(sold, starts_at, most, booking_id), (all) =>
        all.map((option): AlternativeStart => {
          const { name, playroom_id, time_zone } = sold.venue.playroom
          return { option, playroom_id, playroom_name: name, time_zone }
        })
      )
    )
    const distance = ({ option }: AlternativeStart) => Math.abs(Date.parse(option.start) - starts_at)
    return found
      .flat()
      .filter(({ option }) => isOther(option))
      .toSorted((one, other) => distance(one) - distance(other))
  })

  const ownChanges = Effect.fn("otherVisits.ownChanges")(function* (booking: BookingRow) {
    const { booking_id, starts_at, terms } = booking
    const now = yield* Clock.currentTimeMillis
    const may = (kind: ChangeKind) => changeRefusal(booking, kind, "family", now) === undefined
    if (!may("move") && !may("party")) return {}
    const wanted = yield* sold(booking)
    const { pkg, venue } = wanted
    if (!isOwnCurrency(booking, venue.playroom.currency)) return { none: true as const }
    const day = localDateOf(terms.time_zone, starts_at)
    const free = may("move") ? yield* options.starts(wanted, { from: day, to: day }, booking_id) : Option.none()
    const further = may("party") ? furtherChildren(booking, { venue, pkg: keepingVisit(booking, pkg) }, now) : undefined
    return {
      ...(Option.isNone(free) ? {} : { starts: free.value.filter(isOtherVisit(booking)) }),
      ...(further === undefined ? {} : { further }),
      ...(may("party") ? { may_grow: true as const } : {})
    } satisfies OwnChanges
  })

  const ofParty = Effect.fnUntraced(function* (booking: BookingRow, change: PartyChange, may_set_aside: boolean) {
    const { starts_at } = booking
    const { reading, ...own } = yield* sold(booking)
    const party = partyAfter(booking, change)
    const exceptions = may_set_aside ? exceptionsTo(own, party, change.child_ages) : []
    const venue = settingAside(own.venue, exceptions)
    const pkg = keepingVisit(
      booking,
      Option.getOrElse(packageOf(venue, booking.package_id), () => own.pkg)
    )
    const issues = addOnIssues(venue, party)
    if (issues.length > 0) return yield* new InvalidArguments({ issues })
    const now = yield* Clock.currentTimeMillis
    const { option_id } = priceOption(venue, party, { pkg, start: starts_at, places_left: 0 }, now)
    const agreed = unpack(option_id)?.digest ?? ""
    return {
      visit: { venue, pkg, party, start: starts_at, agreed },
      reading,
      option_id,
      exceptions,
      without: []
    } satisfies WantedVisit
  })

  const ofOption = Effect.fnUntraced(function* (booking: BookingRow, option_id: string, may_set_aside: boolean) {
    const isOwn = unpack(option_id)?.package_id === booking.package_id
    const today = visitOf(option_id)
    const asOwn = Effect.flatMap(sold(booking), (own) => visitOf(option_id, own))
    // Options on sale have other ids where the booking has an extra that is not.
    const found = yield* isOwn ? Effect.catchTag(asOwn, ["OptionInvalid"], () => today) : today
    const { child_ages = [], code } = partyOf(booking)
    const venue = forBooking(booking)(found.visit.venue)
    const { children } = found.visit.party
    const visit = {
      ...found.visit,
      pkg: Option.getOrElse(packageOf(venue, found.visit.pkg.package_id), () => found.visit.pkg),
      // As the booking's options are priced.
      party: {
        ...Struct.omit(found.visit.party, ["code"]),
        ...(child_ages.length === children ? { child_ages } : {}),
        ...(code === undefined ? {} : { code })
      },
      venue
    }
    const now = yield* Clock.currentTimeMillis
    const exceptions = may_set_aside ? exceptionsOf(visit, [], now).filter(isOfTime) : []
    return {
      visit: { ...visit, venue: settingAside(visit.venue, exceptions) },
      reading: found.reading,
      option_id,
      exceptions,
      without: yield* lost(booking, visit.venue, visit.party)
    } satisfies WantedVisit
  })

  const nearest = ({ party, pkg, start, venue }: VisitRequest) => options.nearest(venue, pkg, party, start)

  const left = Effect.fnUntraced(function* (booking: BookingRow, claims: ReadonlyArray<Claim>, { visit }: WantedVisit) {
    const { booking_id, playroom_id } = booking
    const now = yield* Clock.currentTimeMillis
    const from = Math.min(...claims.map(({ start }) => start))
    const to = Math.max(...claims.map(({ end }) => end))
    const { taken } = yield* occupancy.calendar(playroom_id, from, to, now, booking_id)
    for (const { end, quantity, resource_id, start } of claims) {
      const free = freeUnits(unitsOf(visit.venue, resource_id), taken.get(resource_id) ?? [], start, end)
      if (free >= quantity) continue
      if (resource_id === playroom_id) return { left: free } satisfies PartyLimits
      // Of several that share it, the last one has what the others leave.
      const sharing = addOnsUsed(visit.venue, visit.party).filter(({ add_on_id }) =>
        visit.venue.add_ons.some((addOn) => addOn.add_on_id === add_on_id && stockOf(addOn) === resource_id)
      )
      const last = sharing.at(-1)
      const others = quantity - (last?.quantity ?? 0)
      return { left: Math.max(0, free - others), ...(last && { add_on_id: last.add_on_id }) } satisfies PartyLimits
    }
    return {}
  })

  return { alternatives, left, nearest, ofOption, ofParty, optionAt, ownChanges, packages, sold, starts }
})

/** What is read of the catalogue and the calendar for a change of what is booked. */
export type OtherVisits = Effect.Success<typeof otherVisits>
