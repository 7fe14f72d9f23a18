/** What an option id means today: the venue, the package, the party, the start and the terms agreed to. Whether that can be booked is for `Decision.ts`. */
import { Effect } from "effect"
import type { Principal } from "../access/ApiKey.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { OptionInvalid } from "./BookingOption.ts"
import type { BookingRequest } from "./BookingRequest.ts"
import type { Wish } from "./Decision.ts"
import { resolveAddOns, unpack } from "./OptionId.ts"

/** Resolves requests; fails where the option is of nobody's, not on sale, or not for this key. */
export const resolveRequest = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  return Effect.fnUntraced(function* (principal: Principal, request: BookingRequest) {
    const unpacked = unpack(request.option_id)
    if (unpacked === undefined) return yield* new OptionInvalid({ reason: "malformed" })
    const { venue, reading } = yield* catalogue
      .venueOfPackage(unpacked.package_id)
      .pipe(Effect.catchTag("PackageNotFound", () => Effect.fail(new OptionInvalid({ reason: "unknown" }))))
    if (principal.operator_id !== undefined && principal.operator_id !== venue.operator.operator_id) {
      return yield* new OptionInvalid({ reason: "other_operator" })
    }
    const pkg = venue.packages.find(({ package_id }) => package_id === unpacked.package_id)
    const add_ons = resolveAddOns(venue.add_ons, unpacked.add_ons)
    if (pkg === undefined || add_ons === undefined) return yield* new OptionInvalid({ reason: "unknown" })
    const { start, children, adults, digest } = unpacked
    const wish: Wish = { venue, pkg, party: { children, adults, add_ons }, start, agreed: digest }
    return { wish, reading }
  })
})
