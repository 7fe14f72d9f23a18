/** What an option id means today. Whether that can be booked is for `Decision.ts`. */
import { Effect } from "effect"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { OptionInvalid } from "./BookingOption.ts"
import type { VisitRequest } from "./Decision.ts"
import { resolveAddOns, unpack } from "./OptionId.ts"

/** Finds the visit of an option id, and the version of the catalogue that it was read from. */
export const visitsOfOptions = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  return Effect.fnUntraced(function* (option_id: string) {
    const unpacked = unpack(option_id)
    if (unpacked === undefined) return yield* new OptionInvalid({ reason: "malformed" })
    const { venue, reading } = yield* catalogue
      .venueOfPackage(unpacked.package_id)
      .pipe(Effect.catchTag("PackageNotFound", () => Effect.fail(new OptionInvalid({ reason: "unknown" }))))
    const pkg = venue.packages.find(({ package_id }) => package_id === unpacked.package_id)
    const add_ons = resolveAddOns(venue.add_ons, unpacked.add_ons)
    if (pkg === undefined || add_ons === undefined) return yield* new OptionInvalid({ reason: "unknown" })
    const { start, children, adults, digest } = unpacked
    const visit: VisitRequest = { venue, pkg, party: { children, adults, add_ons }, start, agreed: digest }
    return { visit, reading }
  })
})
