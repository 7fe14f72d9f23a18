/**
 * Claiming places for bookings, by the same predicate that shows options. A new booking is decided by a read without locks, then checked
 * and written in one call of the database. Where another booking was faster, this is done again under the locks of holds and resources.
 */
import { Clock, Context, Data, Effect, Layer, Option, type Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AppConfig } from "../config/AppConfig.ts"
import type { Principal } from "../access/ApiKey.ts"
import { Catalogue, type Reading } from "../catalogue/Catalogue.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { type BookingRow, type LiveBooking, TooManyHolds } from "./Booking.ts"
import { type Claim } from "../availability/Units.ts"
import { BookingRecords, type Holder, type HoldLimits } from "./BookingRecords.ts"
import { refuseTooMany } from "./GuestLimits.ts"
import { type Agreed, type Refusal, Unbookable } from "../availability/Decision.ts"
import { hasLapsed } from "./Lifecycle.ts"
import { type ClaimableCalendar, isDoubleSale, Occupancy, placesFor } from "../availability/Occupancy.ts"
import type { RequestIdentity } from "./BookingRequest.ts"

/** The same request has its booking already, perhaps since a moment ago. */
export class AlreadyThere extends Data.TaggedError("AlreadyThere") {
  override get message(): string {
    return "The same booking is there already, or its reference is taken."
  }
}
/** The catalogue changed after it was read, so the booking has to be decided again. */
export class CatalogueChanged extends Data.TaggedError("CatalogueChanged") {
  override get message(): string {
    return "The catalogue changed after it was read."
  }
}
/**
 * Another booking took a unit that was free when it was read, the wait for the locks was longer than the decision is valid, or holds that
 * have lapsed are still there: these are to be released before the next attempt.
 */
export class LostRace extends Data.TaggedError("LostRace")<{ readonly lapsed: ReadonlyArray<string> }> {
  override get message(): string {
    return "Another booking took the places, or the wait for them was too long."
  }
}

/** A booking to be made. */
export interface NewBooking {
  readonly playroom_id: string
  readonly claims: ReadonlyArray<Claim>
  readonly holder: Holder
  readonly principal: Principal
  readonly identity: RequestIdentity
  /** The version of the catalogue that `units` and `decide` use. */
  readonly reading: Reading
  /** How many units each resource of the claims has. */
  readonly units: (resource_id: string) => number
  /** The row to write, and until when it may be written; or why it may not. Called with the calendar and the clock of that moment. */
  readonly decide: (
    calendar: ClaimableCalendar,
    now: Instant
  ) => Result.Result<{ readonly row: BookingRow; readonly until: Instant }, Refusal>
}

/** Another visit that a booking is to have. */
export interface NewVisit {
  readonly claims: ReadonlyArray<Claim>
  /** The version of the catalogue that `units` and `decide` use. */
  readonly reading: Reading
  /** How many units each resource of the claims has. */
  readonly units: (resource_id: string) => number
  /** Whether the booking may have it, with the calendar and the clock of that moment; its own places do not count as taken. */
  readonly decide: (calendar: ClaimableCalendar, now: Instant) => Result.Result<Agreed, Refusal>
}

/** A booking that was made, and the other live bookings of the same person. */
export interface MadeBooking {
  readonly row: BookingRow
  /** At most `mostOthers`, the latest first. */
  readonly others: ReadonlyArray<LiveBooking>
}

/** The claims of a booking, and claims on its add-ons that had no stock when it was made: they may have stock now. */
const claimsNow = ({ playroom_id, terms: { add_ons_used, claims } }: BookingRow): ReadonlyArray<Claim> => {
  const room = claims.find(({ resource_id }) => resource_id === playroom_id)
  if (room === undefined) return claims
  const others = add_ons_used.filter(({ add_on_id }) => claims.every(({ resource_id }) => resource_id !== add_on_id))
  return [
    ...claims,
    ...others.map(({ add_on_id, quantity }) => ({ ...room, resource_id: add_on_id, quantity, whole: false }))
  ]
}

const orLostRace = (error: SqlError.SqlError) => Effect.fail(isDoubleSale(error) ? new LostRace({ lapsed: [] }) : error)
const orAlreadyThere = (error: SqlError.SqlError) =>
  Effect.fail(error.reason._tag === "UniqueViolation" ? new AlreadyThere() : error)

/** How many times places are tried for under the locks, where they were free when read. */
const claimAttempts = 4
/** More holds than all nodes together make at one moment. */
const mostInFlight = 64

export class Claims extends Context.Service<
  Claims,
  {
    /** Writes a new booking and takes its places, or neither. */
    readonly make: (
      wanted: NewBooking
    ) => Effect.Effect<MadeBooking, AlreadyThere | CatalogueChanged | Refusal | TooManyHolds | SqlError.SqlError>
    /** Ends those of the named holds that have lapsed; it waits for transactions that have locked them. */
    readonly releaseLapsed: (booking_ids: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
    /** The same, but holds that another transaction has locked are skipped; for callers that keep locks on resources. */
    readonly releaseUnlocked: (
      booking_ids: ReadonlyArray<string>,
      now: Instant
    ) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Takes a booking's places again, in the caller's transaction, for a payment that arrived after they were released; false where they
     * are gone.
     */
    readonly retake: (booking: BookingRow) => Effect.Effect<boolean, SqlError.SqlError>
    /** Whether a booking could have another visit's places instead of its own; from a read without locks. */
    readonly check: (booking: BookingRow, wanted: NewVisit) => Effect.Effect<Agreed, Refusal | SqlError.SqlError>
    /**
     * Gives a booking's places back and takes those of another visit, in the caller's transaction, which has locked the booking and is
     * rolled back where this fails. The constraint's refusal is an `SqlError` (`isDoubleSale`).
     */
    readonly exchange: (
      booking: BookingRow,
      wanted: NewVisit
    ) => Effect.Effect<Agreed, CatalogueChanged | LostRace | Refusal | SqlError.SqlError>
  }
>()("playroom/booking/Claims") {
  static readonly layer = Layer.effect(
    Claims,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { maxHoldsPerEmail, maxHoldsPerKey } = yield* AppConfig
      const catalogue = yield* Catalogue
      const occupancy = yield* Occupancy
      const records = yield* BookingRecords
      const limits: HoldLimits = { key: maxHoldsPerKey, email: maxHoldsPerEmail, in_flight: mostInFlight }

      const release = (lock: typeof records.lock, now: Instant) =>
        Effect.fnUntraced(function* (booking_id: string) {
          const row = Option.getOrUndefined(yield* lock(booking_id))
          if (row !== undefined && hasLapsed(row, now)) {
            yield* records.change(row, { transition: "hold_lapsed", event: "hold_expired" })
          }
        }, sql.withTransaction)
      const inOrder = (booking_ids: ReadonlyArray<string>) => [...new Set(booking_ids)].sort()

      // One transaction for each, so that nobody waits for a hold while keeping another.
      const releaseLapsed = (booking_ids: ReadonlyArray<string>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.forEach(inOrder(booking_ids), release(records.lock, now), { discard: true })
        )
      /** Under the locks on resources, for which others wait while they keep a hold: holds that are locked are skipped. */
      const releaseUnlocked = (booking_ids: ReadonlyArray<string>, now: Instant) =>
        Effect.forEach(inOrder(booking_ids), release(records.lockIfFree, now), { discard: true })

      /** Before another attempt: what is locked is waited for, so that places count as free as soon as they are. */
      const releaseOf = ({ lapsed }: LostRace) => releaseLapsed(lapsed)

      const calendarAround = (playroom_id: string, claims: ReadonlyArray<Claim>, now: Instant, except?: string) => {
        const from = Math.min(...claims.map(({ start }) => start))
        const to = Math.max(...claims.map(({ end }) => end))
        return occupancy.calendar(playroom_id, from, to, now, except)
      }

      /** The calendar around claims, once the lapsed holds that it shows are released; under the locks on their resources. */
      const calendarOf = Effect.fnUntraced(function* (
        playroom_id: string,
        claims: ReadonlyArray<Claim>,
        except?: string
      ) {
        const now = yield* Clock.currentTimeMillis
        const calendar = yield* calendarAround(playroom_id, claims, now, except)
        if (calendar.lapsed.length === 0) return calendar
        yield* releaseUnlocked(calendar.lapsed, now)
        const released = yield* calendarAround(playroom_id, claims, now, except)
        return released.lapsed.length === 0 ? released : yield* new LostRace(released)
      })

      const lockResources = (claims: ReadonlyArray<Claim>) =>
        occupancy.lock(claims.map(({ resource_id }) => resource_id))

      const write = Effect.fnUntraced(function* (
        { claims, decide, identity, reading, units }: NewBooking,
        calendar: ClaimableCalendar
      ) {
        const { row, until } = yield* Effect.fromResult(decide(calendar, yield* Clock.currentTimeMillis))
        const places = placesFor(claims, units, calendar)
        if (places === undefined) return yield* new Unbookable({ because: "fully_booked" })
        const made = yield* records.make(row, identity, places, limits, { ...reading, until })
        switch (made.outcome) {
          case "made":
            return { row, others: made.others }
          case "catalogue_changed":
            return yield* new CatalogueChanged()
          case "already_there":
            return yield* new AlreadyThere()
          case "key_full":
            return yield* new TooManyHolds({ per: "key", limit: limits.key })
          case "email_full":
            return yield* new TooManyHolds({ per: "email", limit: limits.email })
          case "places_taken":
          case "too_late":
            return yield* new LostRace({ lapsed: [] })
        }
      })

      // Holds are locked first, as everywhere else, so that two calls never wait for each other's locks.
      const writeUnderLocks = Effect.fnUntraced(function* (wanted: NewBooking) {
        const { playroom_id, claims, holder } = wanted
        yield* records.lockHolds(holder)
        const units = yield* lockResources(claims)
        return yield* write({ ...wanted, units }, yield* calendarOf(playroom_id, claims))
      }, sql.withTransaction)

      const writeAtOnce = Effect.fnUntraced(function* (wanted: NewBooking) {
        const { playroom_id, claims } = wanted
        const calendar = yield* calendarAround(playroom_id, claims, yield* Clock.currentTimeMillis)
        return calendar.lapsed.length === 0 ? yield* write(wanted, calendar) : yield* new LostRace(calendar)
      })

      /** A guest's booking, if it is not one too many: what is written is taken back otherwise. */
      const guestWithin =
        <E>(write: (wanted: NewBooking) => Effect.Effect<MadeBooking, E | SqlError.SqlError>) =>
        (wanted: NewBooking) =>
          wanted.principal.guest === undefined
            ? write(wanted)
            : Effect.tap(write(wanted), ({ row }) => refuseTooMany(wanted.principal, row)).pipe(
                Effect.provideService(SqlClient.SqlClient, sql),
                sql.withTransaction
              )
      const atOnce = guestWithin(writeAtOnce)
      const underLocks = guestWithin(writeUnderLocks)

      const make = Effect.fn("Claims.make")((wanted: NewBooking) =>
        Effect.catchTag(atOnce(wanted), "SqlError", orLostRace).pipe(
          Effect.tapErrorTag("LostRace", releaseOf),
          Effect.catchTag("LostRace", () =>
            underLocks(wanted).pipe(
              Effect.catchTag("SqlError", orLostRace),
              Effect.tapErrorTag("LostRace", releaseOf),
              Effect.retry({ times: claimAttempts - 1, while: (error) => error._tag === "LostRace" })
            )
          ),
          Effect.catchTags({
            LostRace: () => Effect.fail(new Unbookable({ because: "fully_booked" })),
            SqlError: orAlreadyThere
          })
        )
      )

      const retake = Effect.fn("Claims.retake")((booking: BookingRow) => {
        const all = claimsNow(booking)
        const take = Effect.gen(function* () {
          const units = yield* lockResources(all)
          // An add-on whose stock has been removed is no resource any more.
          const claims = all.filter(({ resource_id }) => resource_id === booking.playroom_id || units(resource_id) > 0)
          const calendar = yield* calendarOf(booking.playroom_id, claims)
          const closed = claims.some((wanted) =>
            calendar.closures.some(({ start, end }) => start < wanted.end && end > wanted.start)
          )
          const places = closed ? undefined : placesFor(claims, units, calendar)
          if (places !== undefined) yield* occupancy.take(booking, places)
          return places !== undefined
        })
        // A savepoint: what the database refuses must not spoil the caller's transaction.
        return Effect.catchTag(sql.withTransaction(take), "SqlError", orLostRace).pipe(
          Effect.tapErrorTag("LostRace", releaseOf),
          Effect.retry({ times: claimAttempts - 1, while: (error) => error._tag === "LostRace" }),
          Effect.catchTag("LostRace", () => Effect.succeed(false))
        )
      })

      /** The decision on another visit, and its places. */
      const placesOf = Effect.fnUntraced(function* ({ claims, decide, units }: NewVisit, calendar: ClaimableCalendar) {
        const agreed = yield* Effect.fromResult(decide(calendar, yield* Clock.currentTimeMillis))
        const places = placesFor(claims, units, calendar)
        return places === undefined ? yield* new Unbookable({ because: "fully_booked" }) : { agreed, places }
      })

      const check = Effect.fn("Claims.check")(function* ({ booking_id, playroom_id }: BookingRow, wanted: NewVisit) {
        const now = yield* Clock.currentTimeMillis
        const calendar = yield* calendarAround(playroom_id, wanted.claims, now, booking_id)
        return (yield* placesOf(wanted, calendar)).agreed
      })

      const exchange = Effect.fn("Claims.exchange")(function* (booking: BookingRow, wanted: NewVisit) {
        const { booking_id, playroom_id, terms } = booking
        yield* lockResources([...terms.claims, ...wanted.claims])
        // An import holds these locks while it writes a playroom, so nothing of it can change from here on.
        if ((yield* catalogue.version(playroom_id)) !== wanted.reading.version) return yield* new CatalogueChanged()
        const calendar = yield* calendarOf(playroom_id, wanted.claims, booking_id)
        const { agreed, places } = yield* placesOf(wanted, calendar)
        yield* occupancy.release(booking_id)
        yield* occupancy.take(booking, places)
        return agreed
      })

      return Claims.of({ make, releaseLapsed, releaseUnlocked, retake, check, exchange })
    })
  ).pipe(Layer.provide([BookingRecords.layer, Catalogue.layer, Occupancy.layer]))
}
