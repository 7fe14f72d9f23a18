/** Making and finding bookings. */
import { Clock, Context, Effect, Layer, type Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlError } from "effect/sql"
import { AppConfig } from "../AppConfig.ts"
import type { Principal } from "../access/ApiKey.ts"
import { Catalogue, type Reading } from "../catalogue/Catalogue.ts"
import type { OperatorUnavailable } from "../catalogue/Playroom.ts"
import { InvalidArguments } from "../kernel/InvalidArguments.ts"
import { newId, newReference, normalizeReference } from "../kernel/Ids.ts"
import { makeKeyedSemaphore } from "../kernel/KeyedSemaphore.ts"
import { type Instant, minuteMs } from "../kernel/LocalTime.ts"
import { claimsFor, unitsOf } from "./Availability.ts"
import {
  BookingNotFound,
  type BookingRow,
  type HistoryEntry,
  type IdempotencyConflict,
  KeepsChanging,
  type TooManyHolds
} from "./Booking.ts"
import { type OptionInvalid, type PriceChanged, SlotUnavailable } from "./BookingOption.ts"
import { BookingOptions } from "./BookingOptions.ts"
import { BookingRecords, type Change } from "./BookingRecords.ts"
import { bookingOf, type BookingRequest } from "./BookingRequest.ts"
import { type AlreadyThere, CatalogueChanged, Claims } from "./Claims.ts"
import { decide, type Refusal, type Wish } from "./Decision.ts"
import { asOf } from "./Lifecycle.ts"
import { ageIssues } from "./PartyAges.ts"
import { rememberedCalls } from "./RememberedCalls.ts"
import { resolveRequest } from "./ResolveRequest.ts"
import { type CallMemory, memoryOf, type Wished } from "./Wishes.ts"

/**
 * How many bookings of one playroom this process writes at the same time; the next ones wait without a connection. A rush on one start
 * would otherwise hold every connection of the pool while it waits for one lock, and every other booking would wait with it.
 */
const mostAtOnePlayroom = 4

/** How often a booking is tried for anew after its ground moved: each time, an import or another call came between. */
const mostAttempts = 8

export type CreateError =
  | OptionInvalid
  | PriceChanged
  | SlotUnavailable
  | OperatorUnavailable
  | IdempotencyConflict
  | TooManyHolds
  | InvalidArguments
  | KeepsChanging
  | SqlError.SqlError

export class Bookings extends Context.Service<
  Bookings,
  {
    /**
     * Holds the places of an option (or confirms at once where nothing is due now). The same call again, or the same wish while its
     * booking is alive, answers the same booking.
     */
    readonly create: (principal: Principal, request: BookingRequest) => Effect.Effect<Wished, CreateError>
    /**
     * A booking that this key made, by id or reference; with the `admin` scope any, or any of the one operator that the key is
     * bound to. A hold whose time is up has expired.
     */
    readonly find: (
      principal: Principal,
      by: { readonly booking_id: string } | { readonly reference: string }
    ) => Effect.Effect<BookingRow, BookingNotFound | SqlError.SqlError>
    /** A booking as operators see it. */
    readonly get: (id_or_reference: string) => Effect.Effect<BookingRow, BookingNotFound | SqlError.SqlError>
    readonly history: (booking: BookingRow) => Effect.Effect<ReadonlyArray<HistoryEntry>, SqlError.SqlError>
    /** The row, locked to the end of the caller's transaction. */
    readonly lock: (booking_id: string) => Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>
    /** Applies a change in the caller's transaction; see `Change`. */
    readonly change: (row: BookingRow, change: Change) => Effect.Effect<BookingRow, SqlError.SqlError>
    /** Takes the booking's places again in the caller's transaction; false where they are gone. */
    readonly retake: (row: BookingRow) => Effect.Effect<boolean, SqlError.SqlError>
    /** Holds whose time is up, oldest first. */
    readonly lapsed: (now: Instant, limit: number) => Effect.Effect<ReadonlyArray<BookingRow>, SqlError.SqlError>
    readonly flagged: BookingRecords["Service"]["flagged"]
    readonly flaggedWhy: BookingRecords["Service"]["flaggedWhy"]
    readonly accountedFor: BookingRecords["Service"]["accountedFor"]
  }
>()("playroom/booking/Bookings") {
  static readonly layer = Layer.effect(
    Bookings,
    Effect.gen(function* () {
      const settings = yield* AppConfig
      const catalogue = yield* Catalogue
      const resolve = yield* resolveRequest
      const options = yield* BookingOptions
      const records = yield* BookingRecords
      const claims = yield* Claims
      const calls = yield* rememberedCalls
      const random = yield* SecureRandom.SecureRandom
      const withPermitOf = yield* makeKeyedSemaphore(mostAtOnePlayroom)

      const make = Effect.fnUntraced(function* (
        principal: Principal,
        request: BookingRequest,
        wish: Wish,
        reading: Reading,
        memory: CallMemory
      ) {
        const { venue, pkg, party, start } = wish
        const made = {
          booking_id: yield* Effect.provideService(newId.booking, SecureRandom.SecureRandom, random),
          reference: yield* Effect.provideService(newReference, SecureRandom.SecureRandom, random),
          key_id: principal.key_id
        }
        return yield* claims.make({
          playroom_id: venue.playroom.playroom_id,
          claims: claimsFor(venue, pkg, party, start),
          holder: { key_id: principal.key_id, contact_email: request.contact.email.trim() },
          memory,
          reading,
          units: (resource_id) => unitsOf(venue, resource_id),
          decide: (calendar, now) =>
            Result.map(decide(wish, calendar, now), ({ quote, until }) => {
              const hold_expires_at = now + settings.holdMinutes * minuteMs
              const row = bookingOf(request, { ...wish, quote }, { ...made, now, hold_expires_at })
              return { row, until: Math.min(until, hold_expires_at) }
            })
        })
      })

      /** A refusal as the caller is told it; where the catalogue has changed since it was read, the refusal counts for nothing. */
      const told = Effect.fnUntraced(function* (
        refusal: Refusal,
        { venue, pkg, party, start }: Wish,
        { version }: Reading,
        others: ReadonlyArray<string>
      ) {
        const unchanged = Effect.filterOrFail(
          catalogue.version(venue.playroom.playroom_id),
          (now) => now === version,
          () => new CatalogueChanged()
        )
        if (refusal._tag !== "Unbookable") return yield* Effect.andThen(unchanged, Effect.fail(refusal))
        // Asked for together: in a rush most calls are refused.
        const [, alternatives] = yield* Effect.all([unchanged, options.nearest(venue, pkg, party, start)], {
          concurrency: 2
        })
        return yield* new SlotUnavailable({ reason: refusal.because, alternatives, others })
      })

      const create = Effect.fn("Bookings.create")(function* (principal: Principal, request: BookingRequest) {
        const memory = memoryOf(principal, request)
        // A repeated call is answered with what it made, whatever has become of its option since. Few calls are, so it is looked
        // for only where there is nothing to be made.
        const orElse = <E>(otherwise: (others: ReadonlyArray<string>) => Effect.Effect<never, E>) =>
          Effect.gen(function* () {
            const before = yield* calls.earlier(principal, request, memory)
            if (Result.isFailure(before)) return yield* otherwise(before.failure)
            const row = before.success
            const beside = yield* calls.beside(principal, request, memory, row.booking_id)
            return { row, already_existed: true, beside }
          })
        const orEarlier = <E>(otherwise: Effect.Effect<never, E>) => orElse(() => otherwise)
        const attempt = Effect.gen(function* () {
          const meant = yield* Effect.result(resolve(principal, request))
          if (Result.isFailure(meant)) return yield* orEarlier(Effect.fail(meant.failure))
          const { reading, wish } = meant.success
          const issues = ageIssues(wish.venue.playroom, wish.party.children, request.child_ages)
          if (issues.length > 0) return yield* orEarlier(Effect.fail(new InvalidArguments({ issues })))
          const orTold = (refusal: Refusal) => orElse((others) => told(refusal, wish, reading, others))
          return yield* withPermitOf(
            wish.venue.playroom.playroom_id,
            make(principal, request, wish, reading, memory)
          ).pipe(
            Effect.map((made): Wished => ({ ...made, already_existed: false })),
            Effect.catchTags({
              AlreadyThere: (error: AlreadyThere) => orEarlier(Effect.fail(error)),
              // The places may have gone to this very call, sent twice.
              Unbookable: orTold,
              OptionInvalid: orTold,
              OperatorUnavailable: orTold,
              PriceChanged: orTold
            })
          )
        })
        // What was there has ended meanwhile, or a reference was drawn twice; or the catalogue was changed just now.
        return yield* attempt.pipe(
          Effect.retry({
            times: mostAttempts,
            while: ({ _tag }) => _tag === "AlreadyThere" || _tag === "CatalogueChanged"
          }),
          Effect.catchTags({
            AlreadyThere: () => Effect.fail(new KeepsChanging()),
            CatalogueChanged: () => Effect.fail(new KeepsChanging())
          })
        )
      })

      const orNotFound = (found: Option.Option<BookingRow>) =>
        Effect.mapError(Effect.fromOption(found), () => new BookingNotFound())

      const find = Effect.fn("Bookings.find")(function* (
        principal: Principal,
        by: { readonly booking_id: string } | { readonly reference: string }
      ) {
        const which = "booking_id" in by ? by : { reference: normalizeReference(by.reference) }
        const { key_id, operator_id, scopes } = principal
        const whose = {
          ...(scopes.has("admin") ? {} : { key_id }),
          ...(operator_id === undefined ? {} : { operator_id })
        }
        const row = yield* Effect.flatMap(records.seen(which, whose), orNotFound)
        return asOf(row, yield* Clock.currentTimeMillis)
      })

      const get = (text: string) =>
        Effect.flatMap(
          text.startsWith("booking_") ? records.byId(text) : records.byReference(normalizeReference(text)),
          orNotFound
        )

      const { history, lock, change, lapsed, flagged, flaggedWhy, accountedFor } = records
      return Bookings.of({
        create,
        find,
        get,
        history,
        lock,
        change,
        lapsed,
        flagged,
        flaggedWhy,
        accountedFor,
        retake: claims.retake
      })
    })
  )
}
