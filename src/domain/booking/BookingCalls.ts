/**
 * What the database decides about a call of `create_booking` (`make_booking` and `earlier_booking` in `sql/`): whether
 * an earlier call made its booking, and whether the limits and the places allow a new one.
 */
import { Clock, Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import type { Principal } from "../../platform/access/ApiKeys.ts"
import { LockResources } from "../availability/Occupancy.ts"
import type { Place } from "../availability/Units.ts"
import type { Reading } from "../catalogue/Catalogue.ts"
import type { Playroom, Venue } from "../catalogue/Playroom.ts"
import { locking } from "../../platform/database/Transactions.ts"
import { BookingId } from "../../platform/ids/Ids.ts"
import { type Instant, InstantFromDate } from "../../platform/time/LocalTime.ts"
import { decodeRows, encodeRow } from "../../platform/database/Rows.ts"
import { AlreadyBooked, BookingRow, IdempotencyConflict, TooManyHolds } from "./Booking.ts"
import { BookingRecords, countBookingEvents } from "./BookingRecords.ts"
import { type BookingRequest, HostLanguage } from "./BookingRequest.ts"
import { guestLimits, guestVisit, LiveOther, othersOf, type VisitStart, maxFailedLookups } from "./OtherBookings.ts"
import { asOf } from "./Lifecycle.ts"

/** A call of `create_booking`. */
export interface BookingCall {
  readonly principal: Principal
  readonly request: BookingRequest
}

/** The result of a call: its booking, and the other live bookings of the same person (`OtherBookings.ts`). */
export interface CreatedBooking {
  readonly row: BookingRow
  /** An earlier call made the booking. */
  readonly already_existed: boolean
  /** The venue by which the booking was decided; absent if this call made none. */
  readonly venue?: Venue
  readonly others: ReadonlyArray<LiveOther>
}

/** Maximum live holds of a key and of an e-mail address. `in_flight`: an upper bound on holds being made at once. */
interface HoldLimits {
  readonly key: number
  readonly email: number
  readonly in_flight: number
}

/** The catalogue read behind a decision, and until when the decision is valid. */
interface DecidedBy extends Reading {
  readonly until: Instant
}

const others = Schema.Array(LiveOther)
const AlreadyBookedByGuest = Schema.Struct({ outcome: Schema.Literal("already_booked") })
const AlreadyThere = Schema.Struct({ outcome: Schema.Literal("already_there"), booking_id: BookingId, others })
const Conflict = Schema.Struct({ outcome: Schema.Literal("conflict") })

const earlierOf = decodeRows(
  Schema.Tuple([
    Schema.Struct({
      earlier: Schema.Union([
        AlreadyThere,
        AlreadyBookedByGuest,
        Conflict,
        Schema.Struct({ outcome: Schema.Literal("none"), alike: Schema.Int })
      ])
    })
  ])
)
const madeOf = decodeRows(
  Schema.Tuple([
    Schema.Struct({
      made: Schema.Union([
        AlreadyThere,
        AlreadyBookedByGuest,
        Conflict,
        Schema.Struct({ outcome: Schema.Literal("made"), others }),
        Schema.Struct({
          outcome: Schema.Literal("too_many"),
          per: TooManyHolds.fields.per,
          limit: TooManyHolds.fields.limit
        }),
        Schema.Struct({ outcome: Schema.Literal("catalogue_changed") }),
        Schema.Struct({ outcome: Schema.Literal("lost_race"), lapsed: Schema.Array(Schema.String) })
      ])
    })
  ])
)
const encodeNew = encodeRow(
  Schema.Struct({ ...BookingRow.fields, updated_at: InstantFromDate, language: Schema.optionalKey(Schema.String) })
)

/** The call as the database compares it (`booking_call` in `sql/`), and who made it, which it does not compare. */
const callText = ({ principal: { done_by, key_id }, request }: BookingCall): string => {
  const { another, idempotency_key, ...rest } = request
  const args = another === true ? { ...rest, another } : rest
  const fingerprint = createHash("sha256").update(JSON.stringify(args)).digest("hex")
  return JSON.stringify({ key_id, arguments: args, done_by, ...(idempotency_key && { idempotency_key, fingerprint }) })
}

/** The calls of the two functions, in the caller's transaction if there is one. */
export const bookingCalls = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = yield* BookingRecords

  /** The result of a call whose booking was there already. */
  const existing = Effect.fnUntraced(function* ({ booking_id, others }: typeof AlreadyThere.Type) {
    const row = yield* Effect.orDie(Effect.fromOption(yield* records.byId(booking_id)))
    const created: CreatedBooking = {
      row: asOf(row, yield* Clock.currentTimeMillis),
      already_existed: true,
      others
    }
    return created
  })

  /**
   * The booking of an earlier, equal call that can't make one now; the call's idempotency key is stored for it. The
   * failure: whether another live booking has the same option and e-mail address. `visit`: of the option, if it is
   * known.
   */
  const earlier = Effect.fn("BookingCalls.earlier")(function* (call: BookingCall, visit: VisitStart | undefined) {
    const now = new Date(yield* Clock.currentTimeMillis)
    const [{ earlier: found }] = yield* earlierOf(sql`select earlier_booking(${callText(call)}::jsonb,
      ${now}::timestamptz, ${othersOf(call.request.contact.name, visit)}::jsonb, ${call.principal.guest?.address ?? null}::text, ${maxFailedLookups}::int) as earlier`)
    if (found.outcome === "conflict") return yield* new IdempotencyConflict()
    if (found.outcome === "already_booked") return yield* new AlreadyBooked()
    const before: Result.Result<CreatedBooking, boolean> =
      found.outcome === "none" ? Result.fail(found.alike > 0) : Result.succeed(yield* existing(found))
    return before
  })

  /**
   * Inserts a booking with its places, first history line and idempotency key, checked under locks. Returns the
   * outcome; only `made` writes anything.
   */
  const make = Effect.fn("BookingCalls.make")(function* (
    call: BookingCall,
    row: BookingRow,
    places: ReadonlyArray<Place>,
    playroom: Playroom,
    holdLimits: HoldLimits,
    decided: DecidedBy
  ) {
    const language = yield* HostLanguage
    const wanted = yield* encodeNew({
      ...row,
      updated_at: row.created_at,
      ...(language === undefined ? {} : { language })
    })
    const { guest } = call.principal
    const statement = sql`select make_booking(${wanted}::jsonb, ${callText(call)}::jsonb,
      ${JSON.stringify(places)}::jsonb, ${JSON.stringify({ ...holdLimits, ...guestLimits })}::jsonb,
      ${guest === undefined ? null : JSON.stringify(guestVisit(guest, row, places, playroom))}::jsonb, ${yield* LockResources}::boolean,
      ${JSON.stringify(decided)}::jsonb, ${othersOf(row.contact_name, { starts_at: row.starts_at, time_zone: row.terms.time_zone })}::jsonb) as made`
    const [{ made }] = yield* madeOf(locking(sql, statement))
    if (made.outcome === "made") yield* countBookingEvents(sql, [row.status])
    return made
  })

  return { earlier, existing, make }
})
