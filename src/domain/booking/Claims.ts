/**
 * Claims places for bookings, by the same predicate that shows options. A new booking is decided by a read without
 * locks, then checked and written in one database call. If another booking was faster, it is decided again under the
 * locks on holds and resources.
 */
import { Clock, Context, Data, Effect, Layer, Option, Result, Schema, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, SqlError } from "effect/sql"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { Catalogue, type Reading } from "../catalogue/Catalogue.ts"
import type { Playroom, Venue } from "../catalogue/Playroom.ts"
import { savepoint, locking } from "../../platform/database/Transactions.ts"
import { type Instant, localDateOf, InstantFromDate } from "../../platform/time/LocalTime.ts"
import { AlreadyBooked, BookingRow, IdempotencyConflict, TooManyHolds } from "./Booking.ts"
import {
  checkChange,
  guestLimits,
  guestVisit,
  LiveOther,
  othersAround,
  othersOf,
  type VisitStart,
  maxFailedLookups
} from "./OtherBookings.ts"
import { type Claim, countedPlaces, haveRoom, type Place, placesFor, type UnitsOf } from "../availability/Units.ts"
import { BookingRecords, countBookingEvents } from "./BookingRecords.ts"
import { CodeProblem } from "../availability/BookingOption.ts"
import { type Approval, type Refusal, Unbookable } from "../availability/Decision.ts"
import type { NoneBecause } from "../availability/Availability.ts"
import { LetterOutbox } from "./LetterOutbox.ts"
import { hasLapsed, asOf } from "./Lifecycle.ts"
import type { ClaimableCalendar, PlannedPlaces } from "../availability/CalendarRows.ts"
import { isDoubleSale, Occupancy, type StockNeeded, LockResources } from "../availability/Occupancy.ts"
import { createHash } from "node:crypto"
import type { Principal } from "../../platform/access/ApiKeys.ts"
import { BookingId, newId, OrderId } from "../../platform/ids/Ids.ts"
import { decodeRows, encodeRow } from "../../platform/database/Rows.ts"
import { type BookingRequest, HostLanguage, type OrderRequest } from "./BookingRequest.ts"

// What the database decides about a call of `create_booking` (`make_booking` and `earlier_booking` in `sql/`): whether
// an earlier call made its booking, and whether the limits and the places allow a new one.

/** A call of `create_booking`, or one option of a call for several. */
export interface BookingCall {
  readonly principal: Principal
  readonly request: BookingRequest
  /** The whole call for several options: a retry with its idempotency key must be the same. */
  readonly whole?: Omit<OrderRequest, "idempotency_key">
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
        Schema.Struct({ outcome: Schema.Literal("code_refused"), why: CodeProblem }),
        Schema.Struct({ outcome: Schema.Literal("catalogue_changed") }),
        Schema.Struct({
          outcome: Schema.Literal("lost_race"),
          lapsed: Schema.Array(Schema.String),
          waited_for: Schema.optionalKey(Schema.Boolean)
        })
      ])
    })
  ])
)
const encodeNew = encodeRow(
  Schema.Struct({
    ...BookingRow.fields,
    updated_at: InstantFromDate,
    language: Schema.optionalKey(Schema.String),
    order_id: Schema.optionalKey(OrderId)
  })
)

/** The call as the database compares it (`booking_call` in `sql/`), and who made it, which it does not compare. */
const callText = ({ principal: { done_by, key_id }, request, whole }: BookingCall): string => {
  const { another, idempotency_key, ...rest } = request
  const order = whole && {
    option_ids: [whole.option_id, ...(whole.more_option_ids ?? [])],
    book_rest: whole.book_rest === true
  }
  const args = { ...rest, ...(another === true ? { another } : {}), ...(order === undefined ? {} : { order }) }
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
    if (found.outcome === "none") return Result.fail(found.alike > 0)
    const before = yield* existing(found)
    if (visit !== undefined) return Result.succeed(before)
    // The day is the booking's. The database has no days: its time zones are not ours.
    const { email: contact_email, name: contact_name } = call.request.contact
    const others = yield* Effect.provideService(
      othersAround(call.principal.key_id, { ...before.row, contact_email, contact_name }),
      SqlClient.SqlClient,
      sql
    )
    return Result.succeed({ ...before, others })
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
    decided: DecidedBy,
    order_id?: OrderId
  ) {
    const language = yield* HostLanguage
    const wanted = yield* encodeNew({
      ...row,
      updated_at: row.created_at,
      ...(language === undefined ? {} : { language }),
      ...(order_id === undefined ? {} : { order_id })
    })
    const { guest } = call.principal
    const statement = sql`select make_booking(${wanted}::jsonb, ${callText(call)}::jsonb,
      ${JSON.stringify(places)}::jsonb, ${JSON.stringify({ ...holdLimits, ...guestLimits, lookups: maxFailedLookups })}::jsonb,
      ${guest === undefined ? null : JSON.stringify(guestVisit(guest, row, places, playroom))}::jsonb, ${yield* LockResources}::boolean,
      ${JSON.stringify(decided)}::jsonb, ${othersOf(row.contact_name, { starts_at: row.starts_at, time_zone: row.terms.time_zone })}::jsonb) as made`
    const [{ made }] = yield* madeOf(locking(sql, statement))
    if (made.outcome === "made") yield* countBookingEvents(sql, [row.status])
    return made
  })

  /**
   * The caller's own booking of an earlier, equal call, if there is one. What other guests booked is looked at when one
   * is made.
   */
  const earlierOwn = (call: BookingCall, visit: VisitStart | undefined) =>
    Effect.map(earlier({ ...call, principal: Struct.omit(call.principal, ["guest"]) }, visit), (found) =>
      Option.getOrUndefined(Result.getSuccess(found))
    )

  return { earlier, earlierOwn, existing, make }
})

/** The catalogue changed after it was read: decide again. */
export class CatalogueChanged extends Data.TaggedError("CatalogueChanged") {
  override readonly message = "The catalogue changed after it was read."
}
/**
 * Another booking took a unit, the decision expired while it waited for locks, or lapsed holds still have places.
 * Release the `lapsed` holds before the next attempt (`releaseLapsed`, which also waits for bookings that are being
 * cancelled).
 */
export class LostRace extends Data.TaggedError("LostRace")<{ readonly lapsed: ReadonlyArray<string> }> {
  override readonly message = "Another booking took the places, or the wait for them was too long."
}

/** A visit to claim places for. `decide` gets the current calendar and time. */
interface WantedVisit<Decided> {
  readonly claims: ReadonlyArray<Claim>
  /** The catalogue read that `units` and `decide` use. */
  readonly reading: Reading
  /** The number of units of each claimed resource. */
  readonly units: UnitsOf
  readonly decide: (
    calendar: ClaimableCalendar,
    now: Instant,
    /** Why the booking can't have its code. */
    code?: CodeProblem
  ) => Result.Result<Decided, Refusal>
}

/** A booking to make. `decide`: the row, and until when it may be written. */
export interface NewBooking extends WantedVisit<{ readonly row: BookingRow; readonly until: Instant }> {
  readonly playroom: Playroom
  readonly call: BookingCall
  /**
   * Writes what belongs to the booking, in the transaction that makes it. A booking of an earlier call has it already.
   * `LostRace`: it is not to be made any more.
   */
  readonly alongside?: ((made: BookingRow) => Effect.Effect<unknown, LostRace | SqlError.SqlError>) | undefined
}

/** One option of a call for several: what is to be made of it, or why nothing can be. */
export interface OrderedVisit<E> {
  readonly call: BookingCall
  /** The option's start, if it is known. */
  readonly visit: VisitStart | undefined
  readonly wanted: Result.Result<NewBooking, E>
}

/** What became of one option of a call for several: a booking, or why it can't be booked any more. */
export type Ordered = Result.Result<CreatedBooking, Unbookable>

/** Of some options of a call there are no bookings any more, so none was made of the others. By the call's order. */
export class SomeGone extends Data.TaggedError("SomeGone")<{
  readonly gone: ReadonlyArray<NoneBecause | undefined>
}> {
  override readonly message = "Some of the options can't be booked any more."
}

/** A new visit or party for an existing booking, in its playroom or another. Its own places count as free. */
export interface NewVisit extends WantedVisit<Pick<Approval, "quote">> {
  readonly playroom: Playroom
  readonly start: Instant
  /** Whether the limits on guests' unpaid bookings hold (`OtherBookings.ts`): a family changes it, not the operator. */
  readonly limited: boolean
  /** What a plan does before. Only `check` asks for it. */
  readonly planned?: PlannedPlaces | undefined
}

/** The claims of a booking on its room, and on the stock that its add-ons take from by today's catalogue. */
const claimsNow = (
  { playroom_id, terms: { claims } }: BookingRow,
  needed: ReadonlyArray<StockNeeded>
): ReadonlyArray<Claim> => {
  const room = claims.find(({ resource_id }) => resource_id === playroom_id)
  return room === undefined ? claims : [room, ...needed.map((stock) => ({ ...room, ...stock, whole: false }))]
}

const isSameClaims = (some: ReadonlyArray<Claim>, others: ReadonlyArray<Claim>): boolean =>
  some.length === others.length &&
  some.every(
    ({ quantity, resource_id }, i) => others[i]?.resource_id === resource_id && others[i].quantity === quantity
  )

/** Of one attempt: what another call did meanwhile is a lost race. Other errors stay. */
const lostIn = <E>(error: E | SqlError.SqlError): E | SqlError.SqlError | LostRace =>
  error instanceof SqlError.SqlError && (isDoubleSale(error) || error.reason._tag === "UniqueViolation")
    ? new LostRace({ lapsed: [] })
    : error

/** Turns a refused double sale into a lost race. Other errors stay. */
const orLostRace = (error: SqlError.SqlError) => Effect.fail(isDoubleSale(error) ? new LostRace({ lapsed: [] }) : error)

/** Attempts to exchange places, and to take them again after a late payment, for each booking of it. */
const maxExchanges = 9
const maxRetakes = 4
/** An upper bound on holds that all nodes make at once: of four nodes, ten each (`Database.ts`). */
const maxInFlight = 40

export class Claims extends Context.Service<
  Claims,
  {
    /**
     * Writes a new booking and takes its places, atomically, or gives the booking of an earlier, equal call. Tries it
     * without locks, then under them.
     */
    readonly make: (
      wanted: NewBooking
    ) => Effect.Effect<
      CreatedBooking,
      AlreadyBooked | CatalogueChanged | IdempotencyConflict | LostRace | Refusal | TooManyHolds | SqlError.SqlError
    >
    /**
     * The same for several options of one contact, in one transaction under all their locks: each has its booking then,
     * or none has (`SomeGone`). With `book_rest`: those that can be booked have. Bookings of earlier, equal calls stay.
     */
    readonly makeOrder: <E>(
      visits: ReadonlyArray<OrderedVisit<E>>,
      book_rest: boolean
    ) => Effect.Effect<
      ReadonlyArray<Ordered>,
      | E
      | AlreadyBooked
      | CatalogueChanged
      | IdempotencyConflict
      | LostRace
      | Exclude<Refusal, Unbookable>
      | SomeGone
      | TooManyHolds
      | SqlError.SqlError
    >
    /** The row that `make` would write now, decided by a read without locks. */
    readonly preview: (
      wanted: Omit<NewBooking, "alongside" | "call">
    ) => Effect.Effect<BookingRow, CatalogueChanged | Refusal | SqlError.SqlError>
    /** Expires the lapsed holds among these bookings. Waits for transactions that have locked them. */
    readonly releaseLapsed: (booking_ids: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
    /**
     * The same in the caller's transaction, which has locked resources: skips holds that another transaction has
     * locked, or their room.
     */
    readonly releaseUnlocked: (
      booking_ids: ReadonlyArray<string>,
      now: Instant
    ) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Takes the places of bookings again, in the caller's transaction, after a late payment. Succeeds with the ids of
     * those that have theirs; of the others they are gone.
     */
    readonly retake: (
      bookings: ReadonlyArray<BookingRow>
    ) => Effect.Effect<ReadonlySet<BookingRow["booking_id"]>, SqlError.SqlError>
    /**
     * Decides whether a booking could change to another visit, by a read without locks; with the places that it would
     * take.
     */
    readonly check: (
      booking: BookingRow,
      wanted: NewVisit
    ) => Effect.Effect<
      Pick<Approval, "quote"> & { readonly places: ReadonlyArray<Place> },
      Refusal | TooManyHolds | SqlError.SqlError
    >
    /**
     * Exchanges a booking's places for those of another visit. The caller's transaction has locked the booking and must
     * roll back if this fails. The constraint's refusal is an `SqlError` (`isDoubleSale`).
     */
    readonly exchange: (
      booking: BookingRow,
      wanted: NewVisit
    ) => Effect.Effect<
      Pick<Approval, "quote">,
      CatalogueChanged | LostRace | Refusal | TooManyHolds | SqlError.SqlError
    >
    /**
     * Does work with an `exchange` in it, again while others are faster. The lapsed holds in its way are released
     * first.
     */
    readonly racing: <A, E>(
      work: Effect.Effect<A, E | LostRace | SqlError.SqlError>
    ) => Effect.Effect<A, E | LostRace | SqlError.SqlError>
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
      const calls = yield* bookingCalls
      const letters = yield* LetterOutbox
      const limits = { key: maxHoldsPerKey, email: maxHoldsPerEmail, in_flight: maxInFlight }
      const random = yield* SecureRandom.SecureRandom
      const newOrderId = Effect.provideService(newId.order, SecureRandom.SecureRandom, random)

      const release = Effect.fnUntraced(function* (lock: typeof records.lock, booking_id: string, now: Instant) {
        const row = Option.getOrUndefined(yield* lock(booking_id))
        if (row !== undefined && hasLapsed(row, now)) {
          yield* records.change(row, { transition: "hold_lapsed", event: "hold_expired" })
        }
      })
      const inOrder = (booking_ids: ReadonlyArray<string>) => [...new Set(booking_ids)].sort()

      // One transaction per hold, so none waits for a hold while it locks another.
      const releaseLapsed = (booking_ids: ReadonlyArray<string>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.forEach(inOrder(booking_ids), (id) => sql.withTransaction(release(records.lock, id, now)), {
            discard: true
          })
        )
      // The caller has locked resources, and others may wait for those while they lock a hold, or its room: waiting
      // here could deadlock.
      const tryLock = Effect.fnUntraced(function* (booking_id: string) {
        const row = yield* records.tryLock(booking_id)
        return Option.isSome(row) && (yield* occupancy.tryLock(booking_id)) ? row : Option.none()
      })
      const releaseUnlocked = (booking_ids: ReadonlyArray<string>, now: Instant) =>
        Effect.forEach(inOrder(booking_ids), (id) => release(tryLock, id, now), { discard: true })

      /** Releases the holds in the way of the next attempt. Waits for their locks, so the places are free then. */
      const releaseOf = ({ lapsed }: LostRace) => releaseLapsed(lapsed)

      const around = (claims: ReadonlyArray<Claim>) =>
        [Math.min(...claims.map(({ start }) => start)), Math.max(...claims.map(({ end }) => end))] as const

      const calendarAround = (
        playroom_id: string,
        claims: ReadonlyArray<Claim>,
        now: Instant,
        except?: string,
        planned?: PlannedPlaces
      ) => occupancy.calendar(playroom_id, ...around(claims), now, except, planned)

      /** The calendar around claims, after releasing its lapsed holds; under the locks on their resources. */
      const calendarOf = Effect.fnUntraced(function* (
        playroom_id: string,
        claims: ReadonlyArray<Claim>,
        except?: string
      ) {
        const now = yield* Clock.currentTimeMillis
        const calendar = yield* calendarAround(playroom_id, claims, now, except)
        if (calendar.lapsed.length === 0) return calendar
        yield* releaseUnlocked(calendar.lapsed, now)
        yield* occupancy.giveToCalendars(playroom_id)
        const released = yield* calendarAround(playroom_id, claims, now, except)
        return released.lapsed.length === 0 ? released : yield* new LostRace(released)
      })

      const lockResources = (claims: ReadonlyArray<Claim>, booking_ids: ReadonlyArray<string> = []) =>
        occupancy.lock(
          claims.map(({ resource_id }) => resource_id),
          booking_ids
        )

      /** Places for claims. Only under the locks on their resources can they be made free. */
      const placesIn = Effect.fnUntraced(function* (
        claims: ReadonlyArray<Claim>,
        units: UnitsOf,
        calendar: ClaimableCalendar,
        locked: boolean
      ) {
        const free = placesFor(claims, units, calendar)
        if (free !== undefined) return free
        if (!haveRoom(claims, units, calendar)) return yield* new Unbookable({ because: "fully_booked" })
        if (!locked) return yield* new LostRace({ lapsed: [] })
        return yield* Effect.catchTag(occupancy.makeRoom(claims, units), "HoldsInTheWay", ({ booking_ids }) =>
          Effect.fail(new LostRace({ lapsed: booking_ids }))
        )
      })

      const write = Effect.fnUntraced(function* (
        { alongside, call, claims, decide, playroom, reading, units }: NewBooking,
        calendar: ClaimableCalendar,
        locked: boolean,
        order_id?: OrderId
      ): Effect.fn.Return<CreatedBooking, Effect.Error<ReturnType<Claims["Service"]["make"]>>> {
        const { row, until } = yield* Effect.fromResult(decide(calendar, yield* Clock.currentTimeMillis))
        const places = yield* placesIn(claims, units, calendar, locked)
        const making = calls.make(call, row, places, playroom, limits, { ...reading, until }, order_id)
        // A booking of which nothing is due is confirmed by this call.
        const confirmed = row.status === "confirmed" && letters.on
        const withIt = Effect.gen(function* () {
          if (confirmed) yield* letters.write({ booking: row, kind: "confirmed" })
          if (alongside !== undefined) yield* alongside(row)
        })
        const made = yield* confirmed || alongside !== undefined
          ? sql.withTransaction(Effect.tap(making, ({ outcome }) => (outcome === "made" ? withIt : Effect.void)))
          : making
        switch (made.outcome) {
          case "made":
            return { row, already_existed: false, others: made.others }
          case "already_there":
            return yield* calls.existing(made)
          case "already_booked":
            return yield* new AlreadyBooked()
          case "conflict":
            return yield* new IdempotencyConflict()
          case "too_many":
            return yield* new TooManyHolds(made)
          case "code_refused":
            // Its price without the code is another.
            return yield* Effect.andThen(
              Effect.fromResult(decide(calendar, yield* Clock.currentTimeMillis, made.why)),
              Effect.fail(new CatalogueChanged())
            )
          case "catalogue_changed":
            return yield* new CatalogueChanged()
          case "lost_race":
            return yield* made.waited_for === true ? new Unbookable({ because: "fully_booked" }) : new LostRace(made)
        }
      })

      // Lock holds first, as everywhere, so that two calls never deadlock. Where a lost booking is made anew from its
      // payment, that transaction goes on after an attempt that failed.
      const writeUnderLocks = Effect.fnUntraced(function* (wanted: NewBooking) {
        const { call, claims, playroom } = wanted
        const { principal, request } = call
        yield* records.lockHolds({ contact_email: request.contact.email, key_id: principal.key_id })
        const units = yield* lockResources(claims)
        return yield* write({ ...wanted, units }, yield* calendarOf(playroom.playroom_id, claims), true)
      }, savepoint(sql))

      // All locks are taken before the first booking is written, in the same order as for one: who holds the resources
      // of one visit must not wait for those of another. The lock on the address comes first, so no equal call is under
      // way.
      const writeOrder = Effect.fnUntraced(function* <E>(visits: ReadonlyArray<OrderedVisit<E>>, book_rest: boolean) {
        const [first] = visits
        if (first === undefined) return []
        const { principal, request } = first.call
        yield* records.lockHolds({ contact_email: request.contact.email, key_id: principal.key_id })
        const plan = yield* Effect.forEach(visits, ({ call, visit, wanted }) =>
          Effect.flatMap(
            calls.earlierOwn(call, visit),
            (before): Effect.Effect<Result.Result<CreatedBooking, NewBooking>, E> =>
              before === undefined
                ? Effect.map(Effect.fromResult(wanted), (one) => Result.fail(one))
                : Effect.succeed(Result.succeed(before))
          )
        )
        const units = yield* lockResources(plan.flatMap((one) => (Result.isFailure(one) ? one.failure.claims : [])))
        const earlier = plan.flatMap((one) => (Result.isFailure(one) ? [] : [one.success.row]))
        const order_id = (yield* records.orderOf(earlier)) ?? (yield* newOrderId)
        const become = (wanted: NewBooking) =>
          calendarOf(wanted.playroom.playroom_id, wanted.claims).pipe(
            Effect.flatMap((calendar) => write({ ...wanted, units }, calendar, true, order_id)),
            Effect.map((made): Ordered => Result.succeed(made)),
            Effect.catchTag("Unbookable", (gone) => Effect.succeed<Ordered>(Result.fail(gone)))
          )
        const all = yield* Effect.forEach(plan, (one) =>
          Result.isFailure(one) ? become(one.failure) : Effect.succeed<Ordered>(Result.succeed(one.success))
        )
        const gone = all.map((one) => (Result.isFailure(one) ? one.failure.because : undefined))
        const none = all.every(Result.isFailure)
        if (none || (!book_rest && gone.some((why) => why !== undefined))) return yield* new SomeGone({ gone })
        return all
      }, sql.withTransaction)

      const writeOptimistically = Effect.fnUntraced(function* (wanted: NewBooking) {
        const { playroom, claims } = wanted
        const now = yield* Clock.currentTimeMillis
        const { calendar, reading } = yield* occupancy.calendarReading(playroom.playroom_id, ...around(claims), now)
        if (reading.version !== wanted.reading.version) return yield* new CatalogueChanged()
        return calendar.lapsed.length === 0
          ? yield* write({ ...wanted, reading }, calendar, false)
          : yield* new LostRace(calendar)
      })

      /** One attempt. If another call was faster, the lapsed holds in its way are released. */
      const attempt = <A, E>(write: Effect.Effect<A, E | LostRace | SqlError.SqlError>) =>
        write.pipe(
          Effect.mapError(lostIn),
          Effect.tapError((error) => (error instanceof LostRace ? releaseOf(error) : Effect.void))
        )

      const racing: Claims["Service"]["racing"] = (work) =>
        Effect.retry(attempt(work), { times: maxExchanges - 1, while: (error) => error instanceof LostRace })

      const make = Effect.fn("Claims.make")((wanted: NewBooking) =>
        Effect.catchTag(attempt(writeOptimistically(wanted)), "LostRace", () => attempt(writeUnderLocks(wanted)))
      )

      const makeOrder: Claims["Service"]["makeOrder"] = (visits, book_rest) =>
        Effect.withSpan(attempt(writeOrder(visits, book_rest)), "Claims.makeOrder")

      const preview = Effect.fn("Claims.preview")(function* ({
        claims,
        decide,
        playroom,
        reading,
        units
      }: Omit<NewBooking, "alongside" | "call">) {
        const now = yield* Clock.currentTimeMillis
        const read = yield* occupancy.calendarReading(playroom.playroom_id, ...around(claims), now)
        if (read.reading.version !== reading.version) return yield* new CatalogueChanged()
        const { row } = yield* Effect.fromResult(decide(read.calendar, now))
        return haveRoom(claims, units, read.calendar) ? row : yield* new Unbookable({ because: "fully_booked" })
      })

      const retake: Claims["Service"]["retake"] = Effect.fn("Claims.retake")((late) => {
        const wanted = Effect.forEach(late, (booking) =>
          Effect.map(occupancy.stockNeeded(booking.booking_id), (needed) => claimsNow(booking, needed))
        )
        const takeOne = Effect.fnUntraced(
          function* (booking: BookingRow, claims: ReadonlyArray<Claim>, units: UnitsOf) {
            const calendar = yield* calendarOf(booking.playroom_id, claims)
            const closed = claims.some((wanted) =>
              calendar.closures.some(({ start, end }) => start < wanted.end && end > wanted.start)
            )
            // The whole room is less than it was when an import has made it smaller (`isOverbooked` in ClosedTime.ts).
            const isTooSmall = claims.some(({ resource_id, whole }) => whole && units(resource_id) < booking.children)
            if (closed || isTooSmall) return []
            yield* occupancy.take(booking, yield* placesIn(claims, units, calendar, true))
            return [booking.booking_id]
          },
          Effect.catchTag("Unbookable", () => Effect.succeed([]))
        )
        const take = (inTheWay: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            // Holds first, then the resources of all with theirs: so nobody waits for another in a circle.
            yield* Effect.forEach(inTheWay, records.lock, { discard: true })
            const all = yield* wanted
            const units = yield* lockResources(all.flat(), inTheWay)
            // An import may have given an add-on other stock before the lock. None does after it.
            const still = yield* wanted
            if (!all.every((claims, i) => isSameClaims(claims, still[i] ?? [])))
              return yield* new LostRace({ lapsed: [] })
            const taken = yield* Effect.forEach(late, (booking, i) => takeOne(booking, all[i] ?? [], units))
            return new Set(taken.flat())
          })
        const attempt = (
          inTheWay: ReadonlyArray<string>,
          left: number
        ): Effect.Effect<ReadonlySet<BookingRow["booking_id"]>, SqlError.SqlError> =>
          // What is refused does not abort the caller's transaction, and leaves no locks.
          Effect.catchTag(savepoint(sql)(take(inTheWay)), "SqlError", orLostRace).pipe(
            Effect.catchTag("LostRace", ({ lapsed }) =>
              left === 0
                ? Effect.succeed(new Set<BookingRow["booking_id"]>())
                : attempt(inOrder([...inTheWay, ...lapsed]), left - 1)
            )
          )
        return attempt([], late.length * maxRetakes - 1)
      })

      const keepLimits = Effect.fnUntraced(function* (
        booking: BookingRow,
        { claims, limited, playroom, start }: NewVisit,
        total: number,
        places: ReadonlyArray<Place>,
        own: "kept" | "released"
      ) {
        const dayOf = (instant: Instant) => localDateOf(playroom.time_zone, instant)
        const unitsIn = (all: ReadonlyArray<Claim>) =>
          all.find(({ resource_id }) => resource_id === playroom.playroom_id)?.quantity ?? 0
        // On its own day, a booking's own places must be released before they are counted, and only more places count.
        const counts =
          dayOf(start) !== dayOf(booking.starts_at) ||
          (own === "released" && unitsIn(claims) > unitsIn(booking.terms.claims))
        if (!limited || !counts) return
        const moved = { ...booking, starts_at: start, total }
        const now = yield* Clock.currentTimeMillis
        yield* Effect.provideService(checkChange(booking, moved, places, playroom, now), SqlClient.SqlClient, sql)
      })

      const check = Effect.fn("Claims.check")(function* (booking: BookingRow, wanted: NewVisit) {
        const { playroom_id } = wanted.playroom
        const now = yield* Clock.currentTimeMillis
        const { claims, decide, units } = wanted
        const calendar = yield* calendarAround(playroom_id, claims, now, booking.booking_id, wanted.planned)
        const agreed = yield* Effect.fromResult(decide(calendar, yield* Clock.currentTimeMillis))
        if (!haveRoom(claims, units, calendar)) return yield* new Unbookable({ because: "fully_booked" })
        const places = countedPlaces(claims, units)
        yield* keepLimits(booking, wanted, agreed.quote.price.total, places, "kept")
        return { ...agreed, places }
      })

      const exchange = Effect.fn("Claims.exchange")(function* (booking: BookingRow, wanted: NewVisit) {
        const { booking_id } = booking
        const { claims, decide, units } = wanted
        const { playroom_id } = wanted.playroom
        // Those of both playrooms with one statement, so that they are locked in one order.
        yield* lockResources(claims, [booking_id])
        // An import that had the locks may have given the booking other stock: to wait for that now could deadlock.
        if (!(yield* occupancy.tryLock(booking_id))) return yield* new LostRace({ lapsed: [] })
        // Imports take these locks, so the playroom can't change from here on.
        if ((yield* catalogue.version(playroom_id)) !== wanted.reading.version) return yield* new CatalogueChanged()
        const calendar = yield* calendarOf(playroom_id, claims, booking_id)
        const agreed = yield* Effect.fromResult(decide(calendar, yield* Clock.currentTimeMillis))
        yield* occupancy.release([booking_id])
        const places = yield* placesIn(claims, units, calendar, true)
        yield* keepLimits(booking, wanted, agreed.quote.price.total, places, "released")
        yield* occupancy.take(booking, places)
        return agreed
      })

      return Claims.of({ make, makeOrder, preview, releaseLapsed, releaseUnlocked, retake, check, exchange, racing })
    })
  ).pipe(Layer.provide([BookingRecords.layer, Catalogue.layer, LetterOutbox.layer, Occupancy.layer]))
}
