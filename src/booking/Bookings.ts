/** Making and finding bookings. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { AppConfig } from "../AppConfig.ts"
import type { Principal } from "../access/ApiKey.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { sells } from "../catalogue/Operator.ts"
import { OperatorUnavailable } from "../catalogue/Playroom.ts"
import { newId, newReference, normalizeReference } from "../kernel/Ids.ts"
import { type Instant, minuteMs } from "../kernel/LocalTime.ts"
import { bookable, partyProblem } from "./Availability.ts"
import { BookingNotFound, type BookingRow, type HistoryEntry, IdempotencyConflict, TooManyHolds } from "./Booking.ts"
import { OptionInvalid, PriceChanged, SlotUnavailable } from "./BookingOption.ts"
import { BookingOptions } from "./BookingOptions.ts"
import { BookingRecords, type Change } from "./BookingRecords.ts"
import { bookingOf, type BookingRequest, type Resolved } from "./BookingRequest.ts"
import { claimAttempts, Claims } from "./Claims.ts"
import { isDoubleSale, Occupancy } from "./Occupancy.ts"
import { margin, offer } from "./Offers.ts"
import { digestOf, resolveAddOns, unpack } from "./OptionId.ts"
import { quote } from "./Pricing.ts"
import { makeTurns } from "./Turns.ts"

const sha256 = (value: unknown): Uint8Array => createHash("sha256").update(JSON.stringify(value)).digest()

/** Without an idempotency key: the same key, option and e-mail are the same booking for as long as it is alive. */
const retryKeyOf = (principal: Principal, request: BookingRequest): string =>
  Buffer.from(sha256([principal.key_id, request.option_id, request.contact.email.toLowerCase()])).toString("base64url")

/** More holds than all nodes together have in the making at one moment. */
const mostInFlight = 64
/** Bookings of one playroom in the making at a time, in this process: the next wait without a connection. */
const mostAtOnePlayroom = 4

/** A row that the same call made already, perhaps a moment ago in another transaction. */
class AlreadyThere {
  readonly _tag = "AlreadyThere"
}
/** No unit free. */
class PlacesTaken {
  readonly _tag = "PlacesTaken"
}
/** Another's insert won the race for a unit that was free when read. */
class LostRace {
  readonly _tag = "LostRace"
}

export type CreateError =
  | OptionInvalid
  | PriceChanged
  | SlotUnavailable
  | OperatorUnavailable
  | IdempotencyConflict
  | TooManyHolds
  | SqlError.SqlError

export class Bookings extends Context.Service<
  Bookings,
  {
    /** Holds the places of an option (or confirms at once where nothing is due now). The same call again answers the same booking. */
    readonly create: (principal: Principal, request: BookingRequest) => Effect.Effect<BookingRow, CreateError>
    /** A booking that this key made (with the `admin` scope: any), by id or reference. */
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
  }
>()("playroom/booking/Bookings") {
  static readonly layer = Layer.effect(
    Bookings,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settings = yield* AppConfig
      const catalogue = yield* Catalogue
      const options = yield* BookingOptions
      const records = yield* BookingRecords
      const claims = yield* Claims
      const occupancy = yield* Occupancy
      const random = yield* SecureRandom.SecureRandom
      const atPlayroom = makeTurns(mostAtOnePlayroom)

      /** What the option id means today. */
      const resolve = Effect.fnUntraced(function* (principal: Principal, request: BookingRequest, now: Instant) {
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

      /** The booking that the same call made before, if any. */
      const earlier = Effect.fnUntraced(function* (
        principal: Principal,
        request: BookingRequest,
        fingerprint: Uint8Array,
        now: Instant
      ) {
        if (request.idempotency_key === undefined) {
          const alive = yield* records.byRetryKey(retryKeyOf(principal, request))
          if (Option.isNone(alive) || alive.value.status !== "held") return alive
          // A hold whose time is up is not alive, even where nobody has needed its places yet.
          yield* sql.withTransaction(claims.releaseLapsed([alive.value.booking_id], now))
          return yield* records.byRetryKey(retryKeyOf(principal, request))
        }
        const found = yield* records.remembered(principal.key_id, request.idempotency_key)
        if (Option.isNone(found)) return Option.none()
        if (Buffer.compare(found.value.fingerprint, fingerprint) !== 0) return yield* new IdempotencyConflict()
        return yield* records.byId(found.value.result_id)
      })

      /** Counts what this key and this e-mail hold. Buyers behind one key wait for each other only where its cap is near. */
      const withinCaps = Effect.fnUntraced(function* (principal: Principal, email: string, now: Instant) {
        const { maxHoldsPerKey, maxHoldsPerEmail } = settings
        yield* records.lockCount(`email ${email.toLowerCase()}`)
        let held = yield* records.liveHolds(principal.key_id, email, now)
        if (held.by_key + mostInFlight > maxHoldsPerKey) {
          yield* records.lockCount(`key ${principal.key_id}`)
          held = yield* records.liveHolds(principal.key_id, email, now)
        }
        if (held.by_key >= maxHoldsPerKey) return yield* new TooManyHolds({ per: "key", limit: maxHoldsPerKey })
        if (held.by_email >= maxHoldsPerEmail) return yield* new TooManyHolds({ per: "email", limit: maxHoldsPerEmail })
        return undefined
      })

      const insert = Effect.fnUntraced(function* (
        principal: Principal,
        request: BookingRequest,
        resolved: Resolved,
        fingerprint: Uint8Array,
        now: Instant
      ) {
        const { idempotency_key } = request
        const made = {
          booking_id: yield* newId.booking.pipe(Effect.provideService(SecureRandom.SecureRandom, random)),
          reference: yield* newReference.pipe(Effect.provideService(SecureRandom.SecureRandom, random)),
          key_id: principal.key_id,
          now,
          hold_expires_at: now + settings.holdMinutes * minuteMs
        }
        const row = bookingOf(request, resolved, made)
        const { venue, pkg, party, start } = resolved
        const write = Effect.gen(function* () {
          if (row.status === "held") yield* withinCaps(principal, row.contact_email, now)
          yield* records.insert(
            row,
            idempotency_key === undefined ? retryKeyOf(principal, request) : null,
            idempotency_key === undefined ? undefined : { key_id: principal.key_id, idempotency_key, fingerprint },
            row.status
          )
          const taken = yield* claims.claim(
            row,
            row.terms.claims,
            (calendar) => bookable(venue, pkg, party, start, calendar, now).ok
          )
          return taken ? row : yield* Effect.fail(new PlacesTaken())
        })
        return yield* sql.withTransaction(write).pipe(
          Effect.catchIf(
            (error) => error._tag === "SqlError" && error.reason._tag === "UniqueViolation",
            () => Effect.fail(new AlreadyThere())
          ),
          Effect.catchIf(
            (error) => error._tag === "SqlError" && isDoubleSale(error),
            () => Effect.fail(new LostRace())
          ),
          Effect.retry({ times: claimAttempts - 1, while: (error) => error._tag === "LostRace" }),
          Effect.catchTag("LostRace", () => Effect.fail(new PlacesTaken()))
        )
      })

      /** A look without a lock: in a rush nearly everybody comes too late, and needs no transaction to learn it. */
      const seemsFree = Effect.fnUntraced(function* ({ venue, pkg, party, start }: Resolved, now: Instant) {
        const [from, to] = [start - margin([pkg]), start + margin([pkg])]
        const calendar = yield* occupancy.calendar(venue.playroom.playroom_id, from, to, now)
        return bookable(venue, pkg, party, start, calendar, now).ok
      })

      const create = Effect.fn("Bookings.create")(function* (principal: Principal, request: BookingRequest) {
        const now = yield* Clock.currentTimeMillis
        const { idempotency_key: _, ...args } = request
        const fingerprint = sha256(args)
        const attempt = Effect.gen(function* () {
          // Together: most calls are no retries, and need both.
          const [before, meant] = yield* Effect.all(
            [earlier(principal, request, fingerprint, now), Effect.result(resolve(principal, request, now))],
            { concurrency: 2 }
          )
          if (Option.isSome(before)) return before.value
          const resolved = yield* Effect.fromResult(meant)
          return yield* atPlayroom(
            resolved.venue.playroom.playroom_id,
            Effect.fnUntraced(function* (others) {
              if (others && !(yield* seemsFree(resolved, now))) return yield* Effect.fail(new PlacesTaken())
              return yield* insert(principal, request, resolved, fingerprint, now)
            })
          ).pipe(
            Effect.catchTag(
              "PlacesTaken",
              Effect.fnUntraced(function* () {
                const { venue, pkg, party, start } = resolved
                // They may have gone to this very call, sent twice.
                const [again, alternatives] = yield* Effect.all(
                  [earlier(principal, request, fingerprint, now), options.nearest(venue, pkg, party, start)],
                  { concurrency: 2 }
                )
                return Option.isSome(again) ? again.value : yield* new SlotUnavailable({ alternatives })
              })
            )
          )
        })
        // Two retries in flight: the one that lost the unique index finds the other's booking. Or a reference collided.
        return yield* attempt.pipe(
          Effect.retry({ times: 3, while: (error) => error._tag === "AlreadyThere" }),
          Effect.catchTag("AlreadyThere", (error) => Effect.die(error))
        )
      })

      const orNotFound = (found: Option.Option<BookingRow>) =>
        Effect.mapError(Effect.fromOption(found), () => new BookingNotFound())

      const find = Effect.fn("Bookings.find")(function* (
        principal: Principal,
        by: { readonly booking_id: string } | { readonly reference: string }
      ) {
        const which = "booking_id" in by ? by : { reference: normalizeReference(by.reference) }
        const whose = principal.scopes.has("admin") ? undefined : principal.key_id
        return yield* Effect.flatMap(records.seen(which, whose), orNotFound)
      })

      const get = (text: string) =>
        Effect.flatMap(
          text.startsWith("booking_") ? records.byId(text) : records.byReference(normalizeReference(text)),
          orNotFound
        )

      const { history, lock, change, lapsed } = records
      return Bookings.of({ create, find, get, history, lock, change, lapsed, retake: claims.retake })
    })
  )
}
