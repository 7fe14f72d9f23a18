/** Claiming places: in one transaction, under the resources' locks, by the same predicate that showed them. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Instant } from "../kernel/LocalTime.ts"
import type { BookingRow, Claim } from "./Booking.ts"
import { BookingRecords } from "./BookingRecords.ts"
import { type ClaimableCalendar, isDoubleSale, Occupancy } from "./Occupancy.ts"

/** Another's insert won the race for a unit that was free when read. */
class LostRace {
  readonly _tag = "LostRace"
}

/** Whether a hold's time is up and no money may be on its way. */
const hasLapsed = (row: BookingRow, now: Instant): boolean =>
  row.status === "held" &&
  !row.awaiting_provider &&
  row.payment_status !== "processing" &&
  (row.hold_expires_at ?? now) <= now

/** How often places that were free when read are tried for. */
export const claimAttempts = 4
const noneLapses = 0

export class Claims extends Context.Service<
  Claims,
  {
    /**
     * Takes the places of `claims` for a booking, in the caller's transaction. False where they are taken, or `free` (asked
     * with the calendar under the lock) says that they can't be booked. A refusal by the database stays an error
     * (`isDoubleSale`) and ends the transaction: try it again as a whole.
     */
    readonly claim: (
      booking: Pick<BookingRow, "booking_id" | "operator_id" | "playroom_id">,
      claims: ReadonlyArray<Claim>,
      free: (calendar: ClaimableCalendar) => boolean
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** Ends those of the named holds whose time is up, in the caller's transaction; those that another one is at work on stay. */
    readonly releaseLapsed: (booking_ids: ReadonlyArray<string>, now: Instant) => Effect.Effect<void, SqlError.SqlError>
    /** Takes a booking's own places again, in the caller's transaction: for money that came after they were given back. */
    readonly retake: (booking: BookingRow) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/booking/Claims") {
  static readonly layer = Layer.effect(
    Claims,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const occupancy = yield* Occupancy
      const records = yield* BookingRecords

      const releaseLapsed = Effect.fnUntraced(function* (booking_ids: ReadonlyArray<string>, now: Instant) {
        for (const booking_id of [...new Set(booking_ids)].sort()) {
          const row = Option.getOrUndefined(yield* records.lockIfFree(booking_id))
          if (row !== undefined && hasLapsed(row, now)) {
            yield* records.change(row, { status: "hold_lapsed", event: "hold_expired" })
          }
        }
      })

      const claim = Effect.fn("Claims.claim")(function* (
        booking: Pick<BookingRow, "booking_id" | "operator_id" | "playroom_id">,
        claims: ReadonlyArray<Claim>,
        free: (calendar: ClaimableCalendar) => boolean
      ) {
        const now = yield* Clock.currentTimeMillis
        const from = Math.min(...claims.map(({ start }) => start))
        const to = Math.max(...claims.map(({ end }) => end))
        const resources = yield* occupancy.lock(claims.map(({ resource_id }) => resource_id))
        let calendar = yield* occupancy.calendar(booking.playroom_id, from, to, now)
        if (calendar.lapsed.length > 0) {
          yield* releaseLapsed(calendar.lapsed, now)
          calendar = yield* occupancy.calendar(booking.playroom_id, from, to, noneLapses)
        }
        return free(calendar) && (yield* occupancy.take(booking, claims, resources, calendar))
      })

      const retake = Effect.fn("Claims.retake")((booking: BookingRow) => {
        const { claims } = booking.terms
        const free = ({ closures }: ClaimableCalendar) =>
          claims.every((wanted) => closures.every(({ start, end }) => end <= wanted.start || start >= wanted.end))
        // A savepoint: what the database refuses must not spoil the caller's transaction.
        return sql.withTransaction(claim(booking, claims, free)).pipe(
          Effect.catchIf(isDoubleSale, () => Effect.fail(new LostRace())),
          Effect.retry({ times: claimAttempts - 1, while: (error) => error._tag === "LostRace" }),
          Effect.catchTag("LostRace", () => Effect.succeed(false))
        )
      })

      return Claims.of({ claim, releaseLapsed, retake })
    })
  )
}
