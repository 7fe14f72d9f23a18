/** What an import asks of those who know bookings, which the catalogue does not: `booking/ReleaseForImport.ts` answers. */
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingId } from "../kernel/Ids.ts"
import type { Instant } from "../kernel/LocalTime.ts"

export class LapsedHolds extends Context.Service<
  LapsedHolds,
  {
    /**
     * Gives back the places of those of the named bookings that are holds whose time was up at `now` and that no money is on its
     * way for; the others stay. In the caller's transaction, under the lock on their resources.
     */
    readonly release: (booking_ids: ReadonlyArray<BookingId>, now: Instant) => Effect.Effect<void, SqlError.SqlError>
  }
>()("playroom/catalogue/LapsedHolds") {}
