/** What a request to book means today: from its option id to the venue, the package, the party and the price. */
import { Effect } from "effect"
import type { Principal } from "../access/ApiKey.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { sells } from "../catalogue/Operator.ts"
import { OperatorUnavailable } from "../catalogue/Playroom.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { partyProblem } from "./Availability.ts"
import { OptionInvalid, PriceChanged } from "./BookingOption.ts"
import type { BookingRequest, Resolved } from "./BookingRequest.ts"
import { offer } from "./Offers.ts"
import { digestOf, resolveAddOns, unpack } from "./OptionId.ts"
import { quote } from "./Pricing.ts"

/** Resolves requests; fails where the option is of nobody's, not for this key, over, not on sale, or has changed since. */
export const resolveRequest = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  return Effect.fnUntraced(function* (principal: Principal, request: BookingRequest, now: Instant) {
    const unpacked = unpack(request.option_id)
    if (unpacked === undefined) return yield* new OptionInvalid({ reason: "malformed" })
    const venue = yield* catalogue
      .venueOfPackage(unpacked.package_id)
      .pipe(Effect.catchTag("PackageNotFound", () => Effect.fail(new OptionInvalid({ reason: "unknown" }))))
    const pkg = venue.packages.find(({ package_id }) => package_id === unpacked.package_id)
    const add_ons = resolveAddOns(venue.add_ons, unpacked.add_ons)
    const party = { children: unpacked.children, adults: unpacked.adults, add_ons: add_ons ?? [] }
    const foreign = principal.operator_id !== undefined && principal.operator_id !== venue.operator.operator_id
    if (pkg === undefined || add_ons === undefined || foreign || partyProblem(venue, pkg, party) !== undefined) {
      return yield* new OptionInvalid({ reason: "unknown" })
    }
    const { start } = unpacked
    if (start <= now) return yield* new OptionInvalid({ reason: "start_passed" })
    const { operator_id, name } = venue.operator
    if (!sells(venue.operator, now)) return yield* new OperatorUnavailable({ operator_id, operator_name: name })
    const quoted = quote(venue, pkg, party, start, now)
    if (digestOf({ pkg, add_ons, quote: quoted }) !== unpacked.digest) {
      return yield* new PriceChanged({
        option: offer(venue, party, { pkg, start, places_left: pkg.max_children }, now)
      })
    }
    const resolved: Resolved = { venue, pkg, party, start, quote: quoted }
    return resolved
  })
})
