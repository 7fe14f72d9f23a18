/** The booking services on a database of their own, with venues of the test's choice. */
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { AppConfig, type Settings } from "../../src/platform/config/AppConfig.ts"
import type { Principal, Scope } from "../../src/platform/access/ApiKeys.ts"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { BookingRecords } from "../../src/domain/booking/BookingRecords.ts"
import { DueBookings } from "../../src/domain/booking/DueBookings.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { BookingList } from "../../src/domain/booking/BookingList.ts"
import { LetterOutbox } from "../../src/domain/booking/LetterOutbox.ts"
import { WaitingList } from "../../src/domain/booking/WaitingList.ts"
import { Claims } from "../../src/domain/booking/Claims.ts"
import { Occupancy } from "../../src/domain/availability/Occupancy.ts"
import { Catalogue } from "../../src/domain/catalogue/Catalogue.ts"
import { CalendarFeeds } from "../../src/domain/calendars/CalendarFeeds.ts"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import { Operators } from "../../src/domain/catalogue/Operators.ts"
import { Staff } from "../../src/domain/people/staff/Staff.ts"
import type { Venue } from "../../src/domain/catalogue/Playroom.ts"
import { testSettings } from "./testSettings.ts"

/** Puts a venue into the database, by the same way that operators do. */
const importVenues = Effect.fn("importVenues")(function* (venues: ReadonlyArray<Venue>, force: boolean) {
  const file = yield* CatalogueFile
  const operators = new Map(venues.map(({ operator }) => [operator.operator_id, operator]))
  yield* file.importFile(
    {
      version: 1,
      operators: [...operators.values()],
      playrooms: venues.map(({ playroom, packages, add_ons }) => ({ ...playroom, packages, add_ons }))
    },
    { force }
  )
})

export const importVenue = (...venues: ReadonlyArray<Venue>) => importVenues(venues, false)

/** The same, though bookings are in the way. */
export const importPastBookings = (...venues: ReadonlyArray<Venue>) => importVenues(venues, true)

const allScopes: ReadonlyArray<Scope> = ["bookings:read", "bookings:write", "payments:write"]

/** A caller; `key_a` and `key_b` are two different ones. */
export const principal = (key_id = "key_a", scopes: ReadonlyArray<Scope> = allScopes): Principal => ({
  key_id,
  scopes: new Set(scopes)
})

/** Sets the test's clock to an instant, RFC 3339. */
export const setClock = (instant: string) => TestClock.setTime(Date.parse(instant))

/** A buyer's contact. */
export const contact = (name = "ana") => ({ name: "Ana Lima", email: `${name}@example.com` })

/** Importing where nobody books. */
export const importOnly = CatalogueFile.layerNoDeps.pipe(
  Layer.provide(Layer.mock(Claims, { releaseUnlocked: () => Effect.void })),
  Layer.provide(SecureRandom.layerWebCrypto)
)

/** Everything up to `Bookings`, on whatever `SqlClient` is below. */
export const bookingServices = (settings: Partial<Settings> = {}) =>
  Layer.mergeAll(
    Bookings.layer,
    BookingRecords.layer,
    DueBookings.layer,
    Claims.layer,
    WaitingList.layer,
    LetterOutbox.layer,
    BookingOptions.layer,
    Occupancy.layer,
    Catalogue.layer,
    CatalogueFile.layer,
    CalendarFeeds.layer,
    Operators.layer,
    BookingList.layer,
    Staff.layer
  ).pipe(
    Layer.provideMerge(Layer.succeed(AppConfig, testSettings(settings))),
    Layer.provideMerge(SecureRandom.layerWebCrypto)
  )
