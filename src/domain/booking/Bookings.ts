/** Creating and finding bookings. */
import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { type Principal, waitingPrincipal } from "../../platform/access/ApiKeys.ts"
import { Catalogue, type Reading } from "../catalogue/Catalogue.ts"
import { answerIssues, unaskedIssues } from "../catalogue/Questions.ts"
import { atCounter, packageOf, type OperatorUnavailable, type Venue } from "../catalogue/Playroom.ts"
import { type ArgumentIssue, InvalidArguments } from "../../platform/errors/InvalidArguments.ts"
import { type BookingId, newId, newReference, normalizeReference } from "../../platform/ids/Ids.ts"
import { forkRecurring, type Instant, minuteMs, whenInWords } from "../../platform/time/LocalTime.ts"
import { attemptOrLog } from "../../platform/concurrency/Outcomes.ts"
import { makeSharedReads } from "../../platform/concurrency/SharedReads.ts"
import {
  ageIssues,
  agesOutside,
  claimsFor,
  isTaken,
  type NoneBecause,
  otherAges,
  unitsOf
} from "../availability/Availability.ts"
import {
  type AlreadyBooked,
  BookingNotFound,
  type BookingRow,
  type IdempotencyConflict,
  KeepsChanging,
  notFoundBy,
  TooManyHolds,
  type TooManyLookups
} from "./Booking.ts"
import { OptionInvalid, type PriceChanged, priceOption } from "../availability/BookingOption.ts"
import { type BookingOptionPage, type NotBooked, SlotUnavailable } from "../availability/OptionPage.ts"
import { BookingOptions } from "../availability/BookingOptions.ts"
import { BookingRecords } from "./BookingRecords.ts"
import {
  type BookingCall,
  bookingCalls,
  type CreatedBooking,
  CatalogueChanged,
  Claims,
  LostRace,
  type NewBooking,
  type OrderedVisit
} from "./Claims.ts"
import { askForEmail, bookingOf, type BookingRequest, HostLanguage, type OrderRequest } from "./BookingRequest.ts"
import { type Exception, settingAside } from "../availability/Exceptions.ts"
import {
  decide,
  ofAges,
  type Refusal,
  Unbookable,
  type VisitReading,
  type VisitRequest,
  readVisits,
  waitAddress,
  waitingHold
} from "../availability/Decision.ts"
import { asOf } from "./Lifecycle.ts"
import { unpack } from "../availability/OptionId.ts"
import { besidesThose, type LiveOther, otherBookings, withSamePlayroom, lookUpReference } from "./OtherBookings.ts"
import { keysOf, PlayroomSemaphore, makeSharedRefusals } from "./PlayroomSemaphore.ts"
import { leaveList, type WaitedVisit, type Waiting, WaitingList } from "./WaitingList.ts"
import { LetterOutbox } from "./LetterOutbox.ts"

/** The start of a visit, for `Claims.ts`. */
const startOf = ({ start, venue }: VisitRequest) => ({ starts_at: start, time_zone: venue.playroom.time_zone })

/** Whose bookings a caller sees. */
const seenBy = ({ guest, key_id, operator_id, scopes }: Principal) => ({
  ...(scopes.has("admin") ? {} : { key_id }),
  ...(operator_id === undefined ? {} : { operator_id }),
  guest: guest !== undefined
})

/** What a look-up by the reference alone lacks. */
const emailWanted: ArgumentIssue = { path: "contact_email", message: `Expected with reference: ${askForEmail}` }

/**
 * The visit with the children's ages, or what is wrong with these and with the answers to the venue's questions. Those
 * that are needed first are, unless the venue itself books, or what was paid for is made again (`made`).
 */
const checkedVisit = (
  visit: VisitRequest,
  { principal: { by_venue }, request: { answers, child_ages }, whole }: BookingCall,
  { named }: MadeWith = {}
): Result.Result<VisitRequest, InvalidArguments> => {
  const { party, pkg, venue } = visit
  const issues = [
    ...ageIssues(venue.playroom, party.children, child_ages, by_venue === true ? "" : otherAges),
    // Of several, each has the answers to what it asks itself.
    ...(whole === undefined ? unaskedIssues([pkg], answers) : []),
    ...answerIssues(pkg, by_venue !== true && named === undefined, answers)
  ]
  const asked = agesOutside(venue.playroom, child_ages).length > 0 ? ({ asks_venue: true } as const) : {}
  return issues.length === 0 ? ofAges(visit, child_ages) : Result.fail(new InvalidArguments({ issues, ...asked }))
}

/** An option by the catalogue of one version: the same answers for all who want it. */
const optionAt = (option_id: string, version: string) => `${option_id} ${version}`

/** The tags of a `Refusal`. */
const refusals = [
  "Unbookable",
  "OptionInvalid",
  "OperatorUnavailable",
  "PriceChanged"
] as const satisfies ReadonlyArray<Refusal["_tag"]>

const isSome = (rows: ReadonlyArray<unknown>): boolean => rows.length > 0

/** Attempts to book. In between, the catalogue changed or another call was faster. */
const maxAttempts = 8

export type CreateError =
  | OptionInvalid
  | PriceChanged
  | SlotUnavailable
  | OperatorUnavailable
  | AlreadyBooked
  | IdempotencyConflict
  | TooManyHolds
  | InvalidArguments
  | KeepsChanging
  | SqlError.SqlError

/**
 * What a new booking is made with. `named`: the id and reference of a lost booking to recreate. `at_counter`: nothing
 * is paid by link for it now, so the operator's account need not take payments, and the visit may have begun.
 * `exceptions`: the rules that the venue sets aside for it.
 */
interface MadeWith extends Pick<NewBooking, "alongside"> {
  readonly named?: Pick<BookingRow, "booking_id" | "reference">
  readonly at_counter?: boolean
  readonly exceptions?: ReadonlyArray<Exception>
  /** Until when its places are held; absent: as long as any hold. */
  readonly hold_until?: Instant
}

/** Whether it is refused because others have the places. */
const isOfOthers = (refusal: Refusal): boolean => refusal._tag === "Unbookable" && isTaken(refusal.because)

/** So much longer the bookings of one call are held for each further one: until it is paid, too. */
const minutesForPage = 5

/** What a call for several options became: one booking at least, in the order of the call. */
export interface CreatedOrder {
  readonly made: readonly [CreatedBooking, ...ReadonlyArray<CreatedBooking>]
  readonly not_booked: ReadonlyArray<NotBooked>
  /** Other live bookings of the same person, as of one booking. */
  readonly others: ReadonlyArray<LiveOther>
}

/** One option of a call for several: its argument, and the call for it alone. */
interface Wish {
  readonly argument: string
  readonly call: BookingCall & { readonly whole: Omit<OrderRequest, "idempotency_key"> }
}

/**
 * The calls for each option of a call for several. Each has an idempotency key of its own, which no caller sends:
 * theirs have no space at the end.
 */
const wishesOf = (principal: Principal, { idempotency_key, ...whole }: OrderRequest): ReadonlyArray<Wish> => {
  const { book_rest: _, more_option_ids = [], ...request } = whole
  return [whole.option_id, ...more_option_ids].map((option_id, i) => ({
    argument: i === 0 ? "option_id" : `more_option_ids[${i - 1}]`,
    call: {
      principal,
      request: {
        ...request,
        option_id,
        ...(idempotency_key === undefined
          ? {}
          : { idempotency_key: i === 0 ? idempotency_key : `${idempotency_key} ${i} ` })
      },
      whole
    }
  }))
}

/** The options that are asked for twice. */
const repeatedIssues = (wishes: ReadonlyArray<Wish>): ReadonlyArray<ArgumentIssue> => {
  const ids = wishes.map(({ call }) => call.request.option_id)
  return wishes.flatMap(({ argument }, i) =>
    ids.indexOf(ids[i] ?? "") === i ? [] : [{ path: argument, message: "Expected each option once" }]
  )
}

/** An option of a call for several, whose visit may be known. */
interface Asked {
  readonly argument: string
  /** The visit that is asked for, with the children's ages if they are right. */
  readonly asked?: VisitReading
  readonly call: BookingCall
}

/** Those that are of another business, or priced in another currency, than the first. */
const mixedIssues = (options: ReadonlyArray<Asked>): ReadonlyArray<ArgumentIssue> => {
  const of = ({ asked }: Asked) =>
    asked && `${asked.visit.venue.operator.operator_id} ${asked.visit.venue.playroom.currency}`
  const first = options.map(of).find((one) => one !== undefined)
  const message = "Expected options of one business, priced in one currency: book this one by a call of its own"
  return options
    .filter((one) => of(one) !== undefined && of(one) !== first)
    .map(({ argument }) => ({ path: argument, message }))
}

/** What is told of those that are gone. `whys`: why each is, if it is. */
const notBookedOf = (
  options: ReadonlyArray<Asked>,
  whys: ReadonlyArray<NoneBecause | undefined>
): ReadonlyArray<NotBooked> =>
  options.flatMap(({ asked, call }, i) => {
    const why = whys[i]
    if (why === undefined || asked === undefined) return []
    const { pkg, start, venue } = asked.visit
    const when = whenInWords(venue.playroom.time_zone, start, start + pkg.duration_minutes * minuteMs)
    return [{ option_id: call.request.option_id, when, why }]
  })

/** A booking with the venue by which this call decided it. */
const withVenue = (created: CreatedBooking, venue: Venue | undefined): CreatedBooking =>
  created.already_existed || venue === undefined ? created : { ...created, venue }

/** A booking that the caller may read and pay. */
interface FoundBooking {
  readonly row: BookingRow
  /** Whether the caller may have the address of the family's page, where it is changed and cancelled. */
  readonly may_change: boolean
}

export class Bookings extends Context.Service<
  Bookings,
  {
    /**
     * Holds the places of an option, or confirms at once if nothing is due now. A retry returns the same booking. So
     * does a call for the same option, e-mail address and name while that booking is live.
     */
    readonly create: (
      principal: Principal,
      request: BookingRequest,
      made?: MadeWith
    ) => Effect.Effect<CreatedBooking, CreateError>
    /**
     * The same for several options in one transaction: each becomes a booking, or none does; with `book_rest` those
     * that can be booked do. They know each other (`together`). A retry makes no second set of them.
     */
    readonly createOrder: (principal: Principal, request: OrderRequest) => Effect.Effect<CreatedOrder, CreateError>
    /** The other bookings that the caller made together with this one, by their starts. */
    readonly together: (
      principal: Principal,
      booking: BookingRow
    ) => Effect.Effect<ReadonlyArray<BookingRow>, SqlError.SqlError>
    /**
     * The booking that `create` would make now, without earlier ones: written nowhere, its id and reference not kept.
     */
    readonly preview: (
      principal: Principal,
      request: BookingRequest,
      made?: Pick<MadeWith, "at_counter" | "exceptions">
    ) => Effect.Effect<BookingRow, CreateError>
    /** The visit of an option that others have booked out, if a family can wait for it now; else whether it is free. */
    readonly waitedFor: (
      option_id: string,
      child_ages: ReadonlyArray<number>
    ) => Effect.Effect<WaitedVisit | "free" | "none", SqlError.SqlError>
    /**
     * Holds places that came back for a family that waits, at today's price, and writes the letter about it; it is then
     * on the list no more. `taken`: its places are not free. `not_now`: something else is in the way.
     */
    readonly offer: (waiting: Waiting) => Effect.Effect<"held" | "taken" | "not_now", SqlError.SqlError>
    /**
     * A booking that this key made, or that the guest reaches (`BookingLinks.ts`). With the `admin` scope: any booking,
     * or any of the operator that the key is bound to. A lapsed hold is returned as expired.
     */
    readonly find: (
      principal: Principal,
      booking_id: string
    ) => Effect.Effect<FoundBooking, BookingNotFound | SqlError.SqlError>
    /**
     * The same by its reference and e-mail address, as typed. A guest also finds what another guest booked, and reaches
     * it from then on. A reference alone is `InvalidArguments`, except with the `admin` scope.
     */
    readonly lookUp: (
      principal: Principal,
      by: { readonly reference: string; readonly contact_email?: string | undefined }
    ) => Effect.Effect<FoundBooking, BookingNotFound | InvalidArguments | TooManyLookups | SqlError.SqlError>
    /** The other live bookings of the same person under the caller's key (`OtherBookings.ts`). */
    readonly others: (
      principal: Principal,
      booking: BookingRow
    ) => Effect.Effect<ReadonlyArray<LiveOther>, SqlError.SqlError>
    /** Any booking, as stored; for operators. */
    readonly get: (id_or_reference: string) => Effect.Effect<BookingRow, BookingNotFound | SqlError.SqlError>
    /** Any booking by id, locked until the caller's transaction ends. */
    readonly lock: (booking_id: BookingId) => Effect.Effect<BookingRow, BookingNotFound | SqlError.SqlError>
  }
>()("playroom/booking/Bookings") {
  /** Open: `Catalogue` too, which a test replaces. */
  static readonly layerNoDeps = Layer.effect(
    Bookings,
    Effect.gen(function* () {
      const settings = yield* AppConfig
      const catalogue = yield* Catalogue
      const options = yield* BookingOptions
      const records = yield* BookingRecords
      const claims = yield* Claims
      const calls = yield* bookingCalls
      const sql = yield* SqlClient.SqlClient
      const onSql = Effect.provideService(SqlClient.SqlClient, sql)
      const readVisit = yield* readVisits
      // In a rush everybody reads the same, so who comes while it is read shares the next read.
      const shareVisit = makeSharedReads<VisitReading, Effect.Error<ReturnType<typeof readVisit>>>()
      const shareNearest = makeSharedReads<BookingOptionPage | undefined, CatalogueChanged | SqlError.SqlError>()
      const refusedTogether = yield* makeSharedRefusals
      const letters = yield* LetterOutbox
      const random = yield* SecureRandom.SecureRandom
      const { withPermits } = yield* PlayroomSemaphore

      /** The visit of an option id by today's catalogue. `decide` says whether it can be booked. */
      const resolve = Effect.fnUntraced(function* (
        principal: Principal,
        request: BookingRequest,
        { at_counter = false, exceptions = [] }: MadeWith = {}
      ) {
        const resolved = yield* shareVisit(request.option_id, readVisit(request.option_id))
        const { operator_id } = resolved.visit.venue.operator
        if (principal.operator_id !== undefined && principal.operator_id !== operator_id) {
          return yield* new OptionInvalid({ reason: "other_operator" })
        }
        if (!at_counter && exceptions.length === 0) return resolved
        const { reading, visit } = resolved
        const venue = settingAside(visit.venue, exceptions)
        const pkg = Option.getOrElse(packageOf(venue, visit.pkg.package_id), () => visit.pkg)
        const own = { ...visit, pkg, venue }
        return { reading, visit: at_counter ? atCounter(own) : own }
      })

      /** What is to be written for a visit, and how it is decided. */
      const wanted = Effect.fnUntraced(function* (
        call: BookingCall,
        visit: VisitRequest,
        reading: Reading,
        { alongside, hold_until, named }: MadeWith = {}
      ): Effect.fn.Return<NewBooking> {
        const { venue, pkg, party, start } = visit
        const made = {
          booking_id:
            named?.booking_id ?? (yield* Effect.provideService(newId.booking, SecureRandom.SecureRandom, random)),
          reference:
            named?.reference ?? (yield* Effect.provideService(newReference, SecureRandom.SecureRandom, random)),
          key_id: call.principal.key_id
        }
        return {
          call,
          alongside,
          playroom: venue.playroom,
          claims: claimsFor(venue, pkg, party, start),
          reading,
          units: (resource_id) => unitsOf(venue, resource_id),
          decide: (calendar, now, code) =>
            Result.map(decide(visit, calendar, now, code), ({ quote, until }) => {
              const hold_expires_at = hold_until ?? now + settings.holdMinutes * minuteMs
              const row = bookingOf(call.request, { ...visit, quote }, { ...made, now, hold_expires_at })
              return { row, until: Math.min(until, hold_expires_at) }
            })
        }
      })

      const make = (...of: Parameters<typeof wanted>) => Effect.flatMap(wanted(...of), claims.make)

      /** Repeats what another call or an import came between. */
      const again = <A>(
        attempt: Effect.Effect<A, CreateError | LostRace | CatalogueChanged>
      ): Effect.Effect<A, CreateError> => {
        const changed = () => Effect.fail(new KeepsChanging())
        return attempt.pipe(
          Effect.retry({
            times: maxAttempts - 1,
            while: ({ _tag }) => _tag === "LostRace" || _tag === "CatalogueChanged"
          }),
          Effect.catchTags({ LostRace: changed, CatalogueChanged: changed })
        )
      }

      /**
       * Fails with a refusal and its alternatives, or with `CatalogueChanged` if the catalogue changed since it was
       * read.
       */
      const refuse = Effect.fnUntraced(function* (
        refusal: Refusal,
        { child_ages, option_id }: BookingRequest,
        visit: VisitRequest,
        { version }: Reading,
        booked_before: boolean
      ) {
        const { venue, pkg, party, start } = visit
        const unchanged = Effect.filterOrFail(
          catalogue.version(venue.playroom.playroom_id),
          (now) => now === version,
          () => new CatalogueChanged()
        )
        if (refusal._tag !== "Unbookable") return yield* Effect.andThen(unchanged, Effect.fail(refusal))
        const found = Effect.all([unchanged, options.nearest(venue, pkg, party, start)], { concurrency: 2 })
        const nearest = yield* shareNearest(
          optionAt(option_id, version),
          Effect.map(found, ([, page]) => page)
        )
        const waits =
          isTaken(refusal.because) && waitingHold(settings, visit, yield* Clock.currentTimeMillis) !== undefined
        const waiting = waits ? { waiting_list: waitAddress(settings, option_id, child_ages) } : {}
        return yield* new SlotUnavailable({ reason: refusal.because, nearest, booked_before, ...waiting })
      })

      const create = Effect.fn("Bookings.create")(function* (
        principal: Principal,
        request: BookingRequest,
        made?: MadeWith
      ) {
        const call: BookingCall = { principal, request }
        // A retry gets its booking, whatever has happened to the option since. Retries are rare, so look for an earlier
        // booking only if no new one can be made.
        const orEarlier = <E>(
          visit: VisitRequest | undefined,
          otherwise: (booked_before: boolean) => Effect.Effect<never, E>
        ) =>
          Effect.flatMap(calls.earlier(call, visit && startOf(visit)), (before) =>
            Result.isSuccess(before) ? Effect.succeed(before.success) : otherwise(before.failure)
          )
        const attempt = Effect.gen(function* () {
          const resolved = yield* Effect.result(resolve(principal, request, made))
          if (Result.isFailure(resolved)) {
            const { failure } = resolved
            const found = orEarlier(undefined, () => Effect.fail(failure))
            // Of both faults the slip in the id is told: it explains why the arguments differ.
            return yield* failure._tag === "OptionInvalid" && failure.reason === "malformed"
              ? Effect.catchTag(found, "IdempotencyConflict", () => Effect.fail(failure))
              : found
          }
          const { reading } = resolved.success
          const aged = checkedVisit(resolved.success.visit, call, made)
          if (Result.isFailure(aged)) return yield* orEarlier(resolved.success.visit, () => Effect.fail(aged.failure))
          const visit = aged.success
          const orRefuse = (refusal: Refusal) =>
            orEarlier(visit, (booked_before) => refuse(refusal, request, visit, reading, booked_before))
          return yield* refusedTogether(
            `${optionAt(request.option_id, reading.version)}${made?.at_counter === true ? " at the counter" : ""} ${made?.exceptions?.join() ?? ""}`,
            (work) => withPermits(keysOf(visit), work),
            make(call, visit, reading, made)
          ).pipe(
            Effect.map((created): CreatedBooking =>
              created.already_existed ? created : { ...created, venue: visit.venue }
            ),
            // This call may be a retry, and the first one may have taken the places.
            Effect.catchTag(refusals, orRefuse)
          )
        })
        const created = yield* again(attempt)
        const others = yield* onSql(withSamePlayroom(principal.key_id, created.row, created.others))
        return { ...created, others }
      })

      /**
       * An option of a call for several (`many`), by today's catalogue; `asked`: its visit, if it is one. Each of them is
       * paid on a page of its own, so all are held longer than one would be.
       */
      const ordered = Effect.fnUntraced(function* (
        { argument, call }: Wish,
        many: number
      ): Effect.fn.Return<
        OrderedVisit<OptionInvalid | OperatorUnavailable | InvalidArguments> & Asked,
        SqlError.SqlError
      > {
        const { principal, request } = call
        const resolved = yield* Effect.result(resolve(principal, request))
        if (Result.isFailure(resolved)) {
          const { failure } = resolved
          if (failure._tag === "SqlError") return yield* failure
          const told =
            failure._tag === "OptionInvalid" ? new OptionInvalid({ reason: failure.reason, argument }) : failure
          return { argument, call, visit: undefined, wanted: Result.fail(told) }
        }
        const { reading, visit } = resolved.success
        const aged = checkedVisit(visit, call)
        const longer = (many - 1) * minutesForPage
        const hold_until = (yield* Clock.currentTimeMillis) + (settings.holdMinutes + longer) * minuteMs
        const asked = { visit: Result.getOrElse(aged, () => visit), reading }
        const wanting = yield* Effect.result(
          Effect.flatMap(Effect.fromResult(aged), (one) => wanted(call, one, reading, { hold_until }))
        )
        return { argument, call, asked, visit: startOf(visit), wanted: wanting }
      })

      /** Refuses an order of which some options are gone, with the alternatives to the first of them. */
      const refuseOrder = Effect.fnUntraced(function* (
        options: ReadonlyArray<Asked>,
        gone: ReadonlyArray<NoneBecause | undefined>
      ) {
        const first = gone.findIndex((why) => why !== undefined)
        const [{ asked, call } = { asked: undefined }, because] = [options[first], gone[first]]
        if (asked === undefined || because === undefined) return yield* new KeepsChanging()
        const not_booked = notBookedOf(options, gone)
        const unbookable = new Unbookable({ because })
        return yield* Effect.catchTag(
          refuse(unbookable, call.request, asked.visit, asked.reading, false),
          "SlotUnavailable",
          ({ booked_before, nearest, reason, waiting_list }) =>
            Effect.fail(
              new SlotUnavailable({
                booked_before,
                nearest,
                reason,
                not_booked,
                ...(waiting_list === undefined ? {} : { waiting_list })
              })
            )
        )
      })

      const createOrder: Bookings["Service"]["createOrder"] = Effect.fn("Bookings.createOrder")(
        function* (principal, request) {
          const wishes = wishesOf(principal, request)
          const repeated = repeatedIssues(wishes)
          if (repeated.length > 0) return yield* new InvalidArguments({ issues: repeated })
          const attempt = Effect.gen(function* () {
            const options = yield* Effect.forEach(wishes, (wish) => ordered(wish, wishes.length), { concurrency: 4 })
            const mixed = mixedIssues(options)
            if (mixed.length > 0) return yield* new InvalidArguments({ issues: mixed })
            const known = options.flatMap(({ asked }) => asked?.visit.pkg ?? [])
            const unasked = known.length < options.length ? [] : unaskedIssues(known, request.answers)
            if (unasked.length > 0) return yield* new InvalidArguments({ issues: unasked })
            const all = yield* withPermits(
              options.flatMap(({ asked }) => (asked === undefined ? [] : keysOf(asked.visit))),
              claims.makeOrder(options, request.book_rest === true)
            ).pipe(
              Effect.catchTag("SomeGone", ({ gone }) => refuseOrder(options, gone)),
              Effect.catchTag("TooManyHolds", ({ limit, per }) =>
                Effect.fail(
                  new TooManyHolds({ per, ...(limit === undefined ? {} : { limit }), at_once: options.length })
                )
              )
            )
            const [first, ...rest] = all.flatMap((one, i) =>
              Result.isFailure(one) ? [] : [withVenue(one.success, options[i]?.asked?.visit.venue)]
            )
            if (first === undefined) return yield* new KeepsChanging()
            const whys = all.map((one) => (Result.isFailure(one) ? one.failure.because : undefined))
            return { made: [first, ...rest] as const, not_booked: notBookedOf(options, whys) }
          })
          const { made, not_booked } = yield* again(attempt)
          const [first] = made
          const others = yield* onSql(withSamePlayroom(principal.key_id, first.row, first.others))
          return {
            made,
            not_booked,
            others: besidesThose(
              others,
              made.map(({ row }) => row)
            )
          }
        }
      )

      const together: Bookings["Service"]["together"] = Effect.fn("Bookings.together")(function* (
        { key_id, scopes },
        booking
      ) {
        const found = yield* records.bookedTogether(booking, scopes.has("admin") ? undefined : key_id)
        const now = yield* Clock.currentTimeMillis
        return found.map((row) => asOf(row, now))
      })

      const preview: Bookings["Service"]["preview"] = Effect.fn("Bookings.preview")((principal, request, made) =>
        again(
          Effect.gen(function* () {
            const resolved = yield* resolve(principal, request, made)
            const { reading } = resolved
            const visit = yield* Effect.fromResult(checkedVisit(resolved.visit, { principal, request }))
            const orRefuse = (refusal: Refusal) => refuse(refusal, request, visit, reading, false)
            return yield* Effect.flatMap(wanted({ principal, request }, visit, reading), claims.preview).pipe(
              Effect.catchTag(refusals, orRefuse)
            )
          })
        )
      )

      /** The visit that a family waits for, by today's catalogue and at today's price, and until when it would be held. */
      const waited = Effect.fnUntraced(function* (
        option_id: string,
        child_ages: ReadonlyArray<number>
      ): Effect.fn.Return<
        Option.Option<VisitReading & { readonly option_id: string; readonly hold_until: Instant }>,
        SqlError.SqlError
      > {
        const resolved = yield* Effect.result(readVisit(option_id))
        if (Result.isFailure(resolved))
          return resolved.failure._tag === "OptionInvalid" ? Option.none() : yield* resolved.failure
        const { reading, visit: asked } = resolved.success
        const aged = ofAges(asked, child_ages.length === 0 ? undefined : child_ages)
        if (Result.isFailure(aged)) return Option.none()
        const { party, pkg, start, venue } = aged.success
        const now = yield* Clock.currentTimeMillis
        const hold_until = waitingHold(settings, aged.success, now)
        if (hold_until === undefined) return Option.none()
        const today = priceOption(venue, party, { pkg, start, places_left: 0 }, now)
        const agreed = unpack(today.option_id)?.digest ?? asked.agreed
        return Option.some({
          reading,
          visit: { ...aged.success, agreed },
          option_id: today.option_id,
          hold_until
        })
      })

      /** What an entry would book. The entry is known by its id: it never gets two bookings. */
      const requestOf = (
        { child_ages, contact_email: email, contact_name: name, waiting_id }: Waiting,
        option_id: string
      ): BookingRequest => ({
        option_id,
        contact: { name, email },
        ...(child_ages.length === 0 ? {} : { child_ages }),
        idempotency_key: waiting_id
      })

      const lookedFor = Effect.fnUntraced(function* (option_id: string, child_ages: ReadonlyArray<number>) {
        const found = yield* waited(option_id, child_ages)
        if (Option.isNone(found)) return "none"
        const { option_id: today, reading, visit } = found.value
        const contact = { name: "", email: "" }
        const call = { principal: waitingPrincipal(visit.venue.playroom.playroom_id), request: { option_id, contact } }
        return yield* Effect.flatMap(wanted(call, visit, reading), claims.preview).pipe(
          Effect.as("free" as const),
          Effect.catchTag(refusals, (refusal) =>
            Effect.succeed(isOfOthers(refusal) ? { option_id: today, visit } : ("none" as const))
          )
        )
      })
      const waitedFor: Bookings["Service"]["waitedFor"] = Effect.fn("Bookings.waitedFor")((option_id, child_ages) =>
        Effect.catchIf(again(lookedFor(option_id, child_ages)), (error) => error._tag !== "SqlError", Effect.die)
      )

      const offer: Bookings["Service"]["offer"] = Effect.fn("Bookings.offer")(function* (waiting) {
        const { child_ages, language, playroom_id, waiting_id } = waiting
        const leave = Effect.provideService(leaveList(waiting_id), SqlClient.SqlClient, sql)
        const alongside = Effect.fnUntraced(function* (booking: BookingRow) {
          // Who has left the list meanwhile, or was erased, gets nothing.
          if (!(yield* leave)) return yield* new LostRace({ lapsed: [] })
          yield* letters.write({ booking, kind: "places_back" })
        })
        const attempt = Effect.fnUntraced(function* (wanted: string) {
          const waits = isSome(yield* sql`select 1 from waiting where waiting_id = ${waiting_id}`)
          const found = waits ? yield* waited(wanted, child_ages) : Option.none()
          if (Option.isNone(found)) return "not_now" as const
          const { hold_until, option_id, reading, visit } = found.value
          const call = { principal: waitingPrincipal(playroom_id), request: requestOf(waiting, option_id) }
          const { already_existed } = yield* withPermits(
            keysOf(visit),
            make(call, visit, reading, { alongside, hold_until })
          )
          // The family has this visit already, by an earlier entry.
          if (already_existed) yield* leave
          return "held" as const
        })
        return yield* attempt(waiting.option_id).pipe(
          // A code that the family can't have any more: the places are held at the price without it.
          Effect.catchTag("PriceChanged", ({ option }) => attempt(option.option_id)),
          Effect.catchTag(refusals, (refusal) =>
            Effect.succeed(isOfOthers(refusal) ? ("taken" as const) : ("not_now" as const))
          ),
          again,
          Effect.catchIf(
            (error) => error._tag !== "SqlError",
            () => Effect.succeed("not_now" as const)
          ),
          Effect.provideService(HostLanguage, language)
        )
      })

      const orNotFound = (found: Option.Option<BookingRow>) =>
        Effect.mapError(Effect.fromOption(found), () => new BookingNotFound())

      const find = Effect.fn("Bookings.find")(function* (principal: Principal, booking_id: string) {
        const found = yield* records.seen({ booking_id }, seenBy(principal))
        if (Option.isNone(found)) return yield* notFoundBy(principal)
        const { may_change, row } = found.value
        return { row: asOf(row, yield* Clock.currentTimeMillis), may_change } satisfies FoundBooking
      })

      const lookUp = Effect.fn("Bookings.lookUp")(function* (
        principal: Principal,
        { contact_email, reference: typed }: { readonly reference: string; readonly contact_email?: string | undefined }
      ) {
        const reference = normalizeReference(typed)
        const now = yield* Clock.currentTimeMillis
        if (principal.scopes.has("admin")) {
          const found = yield* records.seen({ reference, contact_email }, seenBy(principal))
          if (Option.isNone(found)) return yield* notFoundBy(principal)
          return { row: asOf(found.value.row, now), may_change: true } satisfies FoundBooking
        }
        if (contact_email === undefined) return yield* new InvalidArguments({ issues: [emailWanted] })
        const booking_id = yield* onSql(lookUpReference(principal, reference, contact_email, now))
        return yield* find(principal, booking_id)
      })

      const get = (text: string) =>
        Effect.flatMap(
          text.startsWith("booking_") ? records.byId(text) : records.byReference(normalizeReference(text)),
          orNotFound
        )

      const lock = (booking_id: BookingId) => Effect.flatMap(records.lock(booking_id), orNotFound)

      const others: Bookings["Service"]["others"] = ({ key_id }, booking) => onSql(otherBookings(key_id, booking))

      return Bookings.of({ create, createOrder, together, preview, waitedFor, offer, find, lookUp, others, get, lock })
    })
  ).pipe(Layer.provide(PlayroomSemaphore.layer))

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([BookingOptions.layer, BookingRecords.layer, Catalogue.layer, Claims.layer, LetterOutbox.layer])
  )
}

// Offers places that came back to the families that wait for them (`WaitingList.ts`). Every node does so.

const notOffered = "Places could not be offered to a family that waits; tried again in ten minutes"

const optionOf = ({ child_ages, option_id }: Waiting): string => `${option_id} ${child_ages.join()}`

/** Offers places of one start to those who wait for it, by turn; returns how many got some. */
const offerInTurn = Effect.fn("WaitingOffers.offerInTurn")(function* (all: ReadonlyArray<Waiting>) {
  const bookings = yield* Bookings
  // Who waits for the same as another one in vain does so, too.
  const taken = new Set<string>()
  let held = 0
  for (const waiting of all) {
    if (taken.has(optionOf(waiting))) continue
    const about = { waiting_id: waiting.waiting_id }
    const became = yield* attemptOrLog(bookings.offer(waiting), {
      failed: notOffered,
      about,
      otherwise: "not_now" as const
    })
    if (became === "taken") taken.add(optionOf(waiting))
    if (became === "held") held++
    yield* Effect.yieldNow
  }
  return held
})

/** Looks at all starts that are due; returns how many families got places. */
export const offerPlaces = Effect.gen(function* () {
  const waiting = yield* WaitingList
  let held = 0
  for (let all = yield* waiting.due; all[0] !== undefined; all = yield* waiting.due) {
    held += yield* offerInTurn(all)
    yield* waiting.looked(all[0])
  }
  return held
}).pipe(Effect.withSpan("WaitingOffers.offerPlaces"))

/** Looks every two seconds, so that whoever waits comes before whoever happens to ask just then. */
export const waitingWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { letters } = yield* AppConfig
    if (letters.kind === "off") return
    yield* forkRecurring(offerPlaces, {
      every: "2 seconds",
      failed: "Waiting lists can't be looked at now; tried again in seconds"
    })
  })
)
