/**
 * The one way in which a booking is changed by a person, or by the clock: it moves, its party changes, it is
 * cancelled, an amount goes back, a payment is recorded. A change says what it does, by pure functions of the booking
 * with its payments (`decide`), and how it is written (`apply`). All else stands here, once. Locks are taken in this
 * order, and no other, by every change:
 *
 * 1. The booking's turn in this process (`BookingMutex`), so that a second press waits without a connection.
 * 2. No lock. What is sold is read, where it is decided by that (`prepare`). Whoever did not see the booking as it is,
 *    or may not do it, is told so from our own rows, before the provider is asked. What goes back is not decided by
 *    these: the provider may know more.
 * 3. No lock. Where open pages ask for a balance that changes, they are closed at the provider. If money goes back, it
 *    is asked for what went back before, and that is counted.
 * 4. A permit of the playroom, and of all that a visit locks, then a transaction with the booking's row, with those of
 *    its payments, with its places, if it exchanges them, and with the voucher's, if it names one. Then 2 again, as
 *    things stand by now, and all is decided; the change is written with its history, its letters and what is to be done at the provider. If others
 *    were faster, 4 is done again; if what is sold has changed since it was read, 2 to 4 are.
 *
 * A preview is 2, 3 and 2 again, without any lock, and closes no page.
 */
import { Cache, Clock, Context, Data, Effect, identity, Layer, Option, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { failpoint, type FailpointName } from "../../../platform/concurrency/Failpoint.ts"
import { BookingId, newId, type PaymentSessionId, type RefundId } from "../../../platform/ids/Ids.ts"
import { type Money, money } from "../../../platform/money/Money.ts"
import { isSameAddress } from "../../../platform/text/Contact.ts"
import { onDatedClock, onSteadyClock } from "../../../platform/time/Elapsed.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { BookingOptions } from "../../availability/BookingOptions.ts"
import type { PlannedPlaces } from "../../availability/CalendarRows.ts"
import { type Approval, type Refusal, Unbookable } from "../../availability/Decision.ts"
import { Occupancy } from "../../availability/Occupancy.ts"
import type { Place } from "../../availability/Units.ts"
import { BookingNotFound, type BookingRow, TooManyHolds, BookingCancelled, HoldExpired } from "../../booking/Booking.ts"
import { BookingLinks } from "../../booking/BookingLinks.ts"
import { type Change, BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { CatalogueChanged, Claims, LostRace, type NewVisit } from "../../booking/Claims.ts"
import { LetterOutbox } from "../../booking/LetterOutbox.ts"
import { asOf } from "../../booking/Lifecycle.ts"
import { type OtherVisits, otherVisits } from "../../booking/OtherVisits.ts"
import { BookingMutex, type ChangeUnderWay, PlayroomSemaphore } from "../../booking/PlayroomSemaphore.ts"
import { type ChangedSinceShown, requireVersion, versionToken } from "../../booking/VersionToken.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import { type DeskRight, mayDo, type StaffMember } from "../../people/staff/StaffMember.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { Disputes, type DisputeRow } from "../refunds/Disputes.ts"
import { providerTimeout, ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import type { RefundRow } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"
import type { PaymentSessionRow, OfflinePaymentMethod } from "../sessions/PaymentSession.ts"
import { PaymentSessions, type TakenPayment } from "../sessions/PaymentSessions.ts"
import { type Voucher, Vouchers } from "../sessions/Vouchers.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"
import type { DecidedRefund } from "./RefundDecision.ts"

/** What a change is decided by: a booking with its payments, and what is known of refunds and disputes of them. */
export interface Situation {
  readonly booking: BookingRow
  readonly sessions: ReadonlyArray<PaymentSessionRow>
  readonly refunds: ReadonlyArray<RefundRow>
  readonly disputes: ReadonlyArray<DisputeRow>
  /** What all decisions so far owe of its own payments, in minor units; null: none owes anything. */
  readonly owed: number | null
  readonly now: Instant
  /** The voucher that a change names, with its row locked when it is made; absent if it names none that there is. */
  readonly voucher?: Voucher
}

/** Fails if the booking has ended. */
export const alive = ({
  booking: { booking_id, status }
}: Pick<Situation, "booking">): Result.Result<void, BookingCancelled | HoldExpired> => {
  if (status === "cancelled") return Result.fail(new BookingCancelled({ booking_id }))
  return status === "expired" ? Result.fail(new HoldExpired({ booking_id })) : Result.void
}

/**
 * Who makes a change. A family makes those that are open to it, is bound by the terms, and waits less long for the
 * provider. Staff make what their role allows, of their operator's bookings: any other is not there. The operator, by a
 * command or by the clock, makes any. A name is for the history.
 */
export type Actor =
  | { readonly as: "family" }
  | ({ readonly as: "staff" } & Pick<StaffMember, "name" | "operator_id" | "role">)
  | { readonly as: "operator"; readonly name?: string }

/** The name for the history; none of a family, nor where nobody is named. */
export const doneBy = (who: Actor): { readonly done_by?: string } =>
  who.as === "family" || who.name === undefined ? {} : { done_by: who.name }

/** The role does not allow it, or it is not a family's to do. */
export class NotAllowed extends Data.TaggedError("NotAllowed") {
  override get message(): string {
    return "Whoever asked may not do this."
  }
}

/** What is said of every change, done or previewed. A preview has the booking as it is before, if it moves none. */
export interface Told {
  readonly booking: BookingRow
  /** The state before, and what this does, for the form or command that does it (`VersionToken.ts`). */
  readonly shown: string
  /**
   * Why the provider could not be asked for earlier refunds: it is before the refund is sent, which may be less then.
   */
  readonly not_asked?: string
}

/** What a change writes with, in the transaction that holds the locks. All of it in the name of who does it. */
export interface Writes {
  readonly by: Actor["as"]
  readonly change: (row: BookingRow, change: Change) => Effect.Effect<BookingRow, SqlError.SqlError>
  /**
   * Stores another visit, or other details. If the e-mail address is another one, nobody reaches the booking any longer
   * by the former one, which is told so (`BookingLinks.ts`).
   */
  readonly changeVisit: (
    from: BookingRow,
    row: BookingRow,
    change: Change
  ) => Effect.Effect<BookingRow, SqlError.SqlError>
  readonly changeDue: BookingRecords["Service"]["changeDue"]
  readonly release: BookingRecords["Service"]["markReleased"]
  readonly refund: (
    booking: BookingRow,
    refund: Pick<DecidedRefund, "decided" | "known" | "owed" | "parts">,
    cause: "cancellation" | "goodwill" | "move"
  ) => Effect.Effect<void, SqlError.SqlError>
  readonly mark: BookingRecords["Service"]["markAttendance"]
  readonly answer: BookingRecords["Service"]["answer"]
  /** Stores a letter that no change of the booking calls for (`letterOf` in `LetterOutbox.ts`). */
  readonly letter: LetterOutbox["Service"]["write"]
  /** Ends the links to the booking's pages that were given out, and writes that into the history. */
  readonly renewLinks: (booking: BookingRow) => Effect.Effect<BookingRow, SqlError.SqlError>
  /** Counts a refund as given back by hand: what is still owed of it. */
  readonly giveBack: (
    refund_id: RefundId,
    way: OfflinePaymentMethod
  ) => Effect.Effect<{ readonly booking: BookingRow; readonly amount: Money }, SqlError.SqlError>
  readonly undo: (payment_session_id: PaymentSessionId) => Effect.Effect<void, SqlError.SqlError>
  /** Stores a payment at the venue, or with a voucher. */
  readonly take: (
    booking: BookingRow,
    payment: Pick<TakenPayment, "amount" | "purpose" | "voucher_id" | "way">
  ) => Effect.Effect<PaymentSessionId, SqlError.SqlError>
}

/**
 * How far a change is: it is only told, it is looked at before the provider is asked, or it is made, under the locks.
 */
export type Stage = "told" | "before" | "made"

/** Who may make a change, and what its span is named. */
interface Allowed<Wish> {
  readonly span: string
  /** What a role has to allow; none if no staff do it. */
  readonly right?: DeskRight
  /** What else it has to allow for this wish. */
  readonly needs?: (wish: Wish) => DeskRight | undefined
  /** Whether it is a family's to do, where its wish needs nothing else. */
  readonly forFamilies?: true
}

/**
 * How a change is made. `Decided`: what follows of a wish as things stand. `Done`: the answer. `E`: why it can't be
 * done.
 */
interface Parts<Wish, Decided, Done extends object, E> {
  /** Fails if there is no longer anything to do, whatever it costs: who comes too late is told that first. Pure. */
  readonly open?: (as: Situation, by: Actor["as"], stage: Stage) => Result.Result<unknown, E>
  /** What of what is decided the person is told, and what must be the same when it is done. */
  readonly outcome: (decided: Decided, wish: Wish) => Readonly<Record<string, string | number>>
  /** The same in full, for the answer. */
  readonly answer: (as: Situation, decided: Decided, wish: Wish) => Done
  /** Writes it. Returns the booking after it, and what only then is known of the answer. */
  readonly apply: (
    as: Situation,
    decided: Decided,
    wish: Wish,
    write: Writes
  ) => Effect.Effect<{ readonly booking: BookingRow } & Partial<Done>, SqlError.SqlError>
  /** Whether what is open asks for an amount that is no longer owed; `first`: for a balance, before it is decided. */
  readonly closesPages: boolean | "first"
  readonly stopsAt?: FailpointName
}

/** A change of a booking. `Wish`: what is asked for. */
export interface BookingChange<Wish, Decided, Done extends object, E>
  extends Allowed<Wish>, Parts<Wish, Decided, Done, E> {
  /** Whether the provider is asked what went back before. */
  readonly asks: boolean
  /** The code of the voucher that is a part of the situation. */
  readonly voucher?: (wish: Wish) => Option.Option<string>
  /** What it does as things stand, or why that can't be done. Pure. */
  readonly decide: (as: Situation, wish: Wish) => Result.Result<Decided, E>
}

/**
 * Places for a visit, exchanged for the booking's own. Until it is made, it is only found out whether they are free.
 */
export type Claim = (
  visit: Omit<NewVisit, "limited" | "planned">
) => Effect.Effect<
  Pick<Approval, "quote"> & { readonly places?: ReadonlyArray<Place> },
  Refusal | NotHad | SqlError.SqlError
>

/** Why places are not had: others have them, or are faster, or there may be no more for this guest. */
export type Taken = LostRace | TooManyHolds | Unbookable
/** The same; or what is sold has changed since it was read. */
type NotHad = Taken | CatalogueChanged

/** What every change has for whose wish all was read that it is decided by, beside the booking. */
interface PreparedParts<Wish, Decided, Done extends object, E> extends Parts<Wish, Decided, Done, E> {
  /** What is locked: playrooms, and stock that they share (`keysOf`). */
  readonly keys: ReadonlyArray<string>
  /** Whether the provider is asked what went back before, by what is decided without it. */
  readonly asks: (decided: Decided) => boolean
}

/** One that exchanges the booking's places. */
export interface WithPlaces<Wish, Decided, Done extends object, E> extends PreparedParts<Wish, Decided, Done, E> {
  readonly decide: (as: Situation, claim: Claim) => Effect.Effect<Decided, E | NotHad | SqlError.SqlError>
  /** Why the places are not had, with what can be had instead. Reads without locks. */
  readonly instead: (booking: BookingRow, why: Taken) => Effect.Effect<never, E | SqlError.SqlError>
}

/** One that leaves them as they are. */
export interface WithoutPlaces<Wish, Decided, Done extends object, E> extends PreparedParts<Wish, Decided, Done, E> {
  readonly decide: (as: Situation) => Effect.Effect<Decided, E | CatalogueChanged | SqlError.SqlError>
  readonly instead?: never
}

/** A change for whose wish all was read that it is decided by, beside the booking. */
type Prepared<Wish, Decided, Done extends object, E> =
  | WithPlaces<Wish, Decided, Done, E>
  | WithoutPlaces<Wish, Decided, Done, E>

/** A change that is decided by what is sold, too, and what is free. */
export interface PreparedChange<Wish, Decided, Done extends object, E> extends Allowed<Wish> {
  readonly prepare: (
    booking: BookingRow,
    wish: Wish,
    by: Actor["as"],
    visits: OtherVisits
  ) => Effect.Effect<Prepared<Wish, Decided, Done, E>, E | SqlError.SqlError>
  /** What is said if what is sold changes again and again. */
  readonly keepsChanging: E
}

/** Who makes a change, and whether it is made or previewed. */
export interface How {
  readonly preview: boolean
  /** Does what the preview with this code showed, or nothing. */
  readonly shown?: string
  readonly who: Actor
  /** Whether a preview asks the provider, as it does by default. The change itself does. */
  readonly ask?: boolean
  /** What a plan for many does before, of which this is the preview of one. */
  readonly planned?: PlannedPlaces
}

/** Why no change was made, whichever it was. */
export type Unchanged = Unmade | ChangeUnderWay | NotAllowed

type Unmade = BookingNotFound | ChangedSinceShown | SqlError.SqlError

/** The same change, with other refusals: for a surface that says them in its own words. */
export const refusing = <Wish, Decided, Done extends object, E, E2>(
  { decide, open, ...change }: BookingChange<Wish, Decided, Done, E>,
  as: (error: E) => E2
): BookingChange<Wish, Decided, Done, E2> => ({
  ...change,
  ...(open === undefined ? {} : { open: (...at) => Result.mapError(open(...at), as) }),
  decide: (at, wish) => Result.mapError(decide(at, wish), as)
})

/** A change as it is made, whether it had to be prepared or not. */
interface Steps<Wish, Decided, Done extends object, E> extends Parts<Wish, Decided, Done, E> {
  readonly keys: ReadonlyArray<string>
  readonly asks: boolean | ((decided: Decided) => boolean)
  readonly decide: (as: Situation, claim: Claim) => Effect.Effect<Decided, E | SqlError.SqlError>
}

const isAllowed = <Wish>(
  { forFamilies, needs, right }: Omit<Allowed<Wish>, "span">,
  wish: Wish,
  who: Actor
): boolean => {
  if (who.as === "operator") return true
  const more = needs?.(wish)
  if (who.as === "family") return forFamilies === true && more === undefined
  return right !== undefined && mayDo(who.role, right) && (more === undefined || mayDo(who.role, more))
}

/** Minimum time between two questions to the provider for a family's previews of a booking. */
const previewCheckInterval = "5 seconds"
const maxPreviews = 1000
/** Attempts to decide by what is sold, as that changes. */
const maxPrepared = 9

const isBookingId = Schema.is(BookingId)
const isCatalogueChanged = (error: unknown): error is CatalogueChanged => error instanceof CatalogueChanged
const isTaken = (error: unknown): error is Taken =>
  error instanceof LostRace || error instanceof TooManyHolds || error instanceof Unbookable

export class BookingChanges extends Context.Service<
  BookingChanges,
  {
    /** Makes a change, or previews it. `booking_id` may also be a reference. */
    readonly run: <Wish, Decided, Done extends object, E>(
      change: BookingChange<Wish, Decided, Done, E> | PreparedChange<Wish, Decided, Done, E>,
      booking_id: string,
      wish: Wish,
      how: How
    ) => Effect.Effect<Done & Told, E | Unchanged>
    /** What a form is made by. */
    readonly situation: (booking: BookingRow) => Effect.Effect<Situation, SqlError.SqlError>
  }
>()("playroom/payment/changes/BookingChanges") {
  static readonly layer = Layer.effect(
    BookingChanges,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* Bookings
      const records = yield* BookingRecords
      const letters = yield* LetterOutbox
      const links = yield* BookingLinks
      const sessions = yield* PaymentSessions
      const refunds = yield* Refunds
      const refundRecords = yield* RefundRecords
      const disputes = yield* Disputes
      const tasks = yield* ProviderTasks
      const providerRefunds = yield* ProviderRefunds
      const inquiry = yield* PaymentInquiry
      const random = yield* SecureRandom.SecureRandom
      const claims = yield* Claims
      const vouchers = yield* Vouchers
      const visits = yield* otherVisits
      const { exclusively } = yield* BookingMutex
      const { withPermits } = yield* PlayroomSemaphore

      const situationOf = Effect.fnUntraced(function* (booking: BookingRow, all: ReadonlyArray<PaymentSessionRow>) {
        const now = yield* Clock.currentTimeMillis
        const known = yield* refundRecords.ofBooking(booking)
        return {
          booking,
          sessions: all,
          refunds: known,
          disputes: yield* disputes.ofBooking(booking),
          // Nothing was decided where nothing goes back.
          owed: known.length === 0 ? null : yield* refundRecords.decided(booking.booking_id),
          now
        } satisfies Situation
      })

      /**
       * As it stands, without locks. For a family, the provider is asked about payments that may just have been made.
       */
      const current = Effect.fnUntraced(function* (booking: BookingRow, by: Actor["as"]) {
        const { booking_id } = booking
        const all = yield* sessions.ofBooking(booking_id)
        if (by !== "family") return yield* situationOf(booking, all)
        const as = (yield* inquiry.askForReader(booking, all))
          ? yield* situationOf(yield* bookings.get(booking_id), yield* sessions.ofBooking(booking_id))
          : yield* situationOf(booking, all)
        return { ...as, booking: asOf(as.booking, as.now) }
      })

      const withVoucher = (as: Situation, code = Option.none<string>()): Effect.Effect<Situation, SqlError.SqlError> =>
        Option.match(code, {
          onNone: () => Effect.succeed(as),
          onSome: (code) =>
            Effect.map(vouchers.lockByCode(as.booking.operator_id, code), (voucher) =>
              Option.isSome(voucher) ? { ...as, voucher: voucher.value } : as
            )
        })

      const previewChecks = yield* Cache.makeWith(
        (booking_id: BookingId) => onDatedClock(providerRefunds.tryCheckBooking(booking_id, providerTimeout.family)),
        { capacity: maxPreviews, timeToLive: ({ _tag }) => (_tag === "Success" ? previewCheckInterval : 0) }
      )

      const writesOf = (who: Actor): Writes => {
        const by = doneBy(who)
        return {
          by: who.as,
          change: (row, change) => records.change(row, { ...change, ...by }),
          changeVisit: Effect.fnUntraced(function* (from, row, change) {
            const corrected = from.contact_name !== row.contact_name || from.contact_email !== row.contact_email
            if (corrected) yield* records.lockHolds(row)
            const changed = yield* records.changeVisit(row, { ...change, ...by })
            return isSameAddress(from.contact_email, row.contact_email)
              ? changed
              : yield* links.readdress(changed, from.contact_email, by)
          }),
          changeDue: records.changeDue,
          release: records.markReleased,
          mark: records.markAttendance,
          answer: records.answer,
          letter: letters.write,
          renewLinks: (row) => links.renew(row, by),
          giveBack: Effect.fnUntraced(function* (refund_id, way) {
            // It was locked as owed.
            const refund = Option.getOrThrow(yield* refunds.markPaidBack(refund_id, way, by.done_by))
            const booking = Option.getOrThrow(yield* records.byId(refund.booking_id))
            return { booking, amount: money(refund.amount, refund.currency) }
          }),
          refund: Effect.fnUntraced(function* ({ booking_id }, { decided, known, owed, parts }, cause) {
            for (const { amount, session } of parts) yield* refunds.request(session, amount, cause, owed, known)
            yield* refundRecords.decide(booking_id, decided)
            // A refund that is on its way may be the whole rest, and grows no smaller by this decision. It shrinks if
            // the operator refunds by hand meanwhile.
            yield* refundRecords.raiseOwed(booking_id, owed)
          }),
          undo: (payment_session_id) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) => sessions.markUndone(payment_session_id, by.done_by, now)),
          take: Effect.fnUntraced(function* ({ booking_id, currency, operator_id }, payment) {
            const payment_session_id = yield* Effect.provideService(newId.payment, SecureRandom.SecureRandom, random)
            const now = yield* Clock.currentTimeMillis
            const taken = {
              ...payment,
              payment_session_id,
              operator_id,
              booking_id,
              currency,
              taken_by: by.done_by,
              now
            }
            yield* sessions.insertTaken(taken)
            return payment_session_id
          })
        }
      }

      /** Closes the pages on which a balance can be paid. What the provider can't close now stays open. */
      const closeBalancePages = Effect.fnUntraced(function* (
        { sessions: all }: Situation,
        within: (typeof providerTimeout)["family" | "operator"]
      ) {
        const open = all.filter(({ purpose, status }) => purpose === "balance" && status === "open")
        yield* Effect.forEach(open, (session) =>
          inquiry.expire(session).pipe(
            Effect.timeoutOrElse({ duration: within, orElse: () => Effect.void }),
            Effect.catchTag(["ProviderUnavailable", "AccountUnavailable"], (error) =>
              Effect.logWarning("A payment page stays open, and its booking is not changed", {
                payment_session_id: session.payment_session_id,
                reason: error.reason
              })
            )
          )
        )
        return open.length > 0
      })

      /**
       * Makes a change, or previews it. `found`: the booking as it stands before, where it is looked at. `again`: does
       * the transaction again while others are faster.
       */
      const make = <Wish, Decided, Done extends object, E>(
        steps: Steps<Wish, Decided, Done, E>,
        booking_id: BookingId,
        found: Effect.Effect<Situation, BookingNotFound | SqlError.SqlError>,
        wish: Wish,
        { ask = true, planned, preview, shown: code, who }: How,
        again: <A>(work: Effect.Effect<A, E | Unmade>) => Effect.Effect<A, E | Unmade> = identity
      ): Effect.Effect<Done & Told, E | Unmade> => {
        const by = who.as
        const timeout = by === "family" ? providerTimeout.family : providerTimeout.operator
        const shown = preview ? undefined : code
        const claimOf =
          (booking: BookingRow, stage: Stage): Claim =>
          (wanted) => {
            const visit = { ...wanted, limited: by === "family", planned }
            if (stage === "made") return claims.exchange(booking, visit)
            return Effect.map(claims.check(booking, visit), ({ places, quote }) =>
              planned === undefined ? { quote } : { quote, places }
            )
          }
        /**
         * Whether it can be done at all, with the booking that was shown. A repeat is told that this has changed, and
         * not that nothing is owed.
         */
        const begin = Effect.fnUntraced(function* (as: Situation, stage: Stage) {
          if (steps.open !== undefined) yield* Effect.fromResult(steps.open(as, by, stage))
          yield* requireVersion(as.booking, undefined, shown)
        })
        /** What is decided, if it is what was shown. */
        const decide = Effect.fnUntraced(function* (as: Situation, stage: Stage) {
          yield* begin(as, stage)
          const decided = yield* steps.decide(as, claimOf(as.booking, stage))
          yield* requireVersion(as.booking, steps.outcome(decided, wish), shown)
          return decided
        })
        /** Whether the provider is asked; with what is decided, if that says it. */
        const look = Effect.fnUntraced(function* (as: Situation, stage: Stage) {
          const { asks } = steps
          if (asks === true) return yield* Effect.as(begin(as, stage), { asks, decided: undefined })
          const decided = yield* decide(as, stage)
          return { asks: asks !== false && asks(decided), decided }
        })
        const answer = (as: Situation, decided: Decided, not_asked: string | undefined): Done & Told => ({
          booking: as.booking,
          shown: versionToken(as.booking, steps.outcome(decided, wish)),
          ...(not_asked === undefined ? {} : { not_asked }),
          ...steps.answer(as, decided, wish)
        })
        const read = Effect.gen(function* () {
          return yield* situationOf(yield* bookings.get(booking_id), yield* sessions.ofBooking(booking_id))
        })

        const previewed = Effect.gen(function* () {
          const first = yield* found
          const { asks, decided } = yield* look(first, "told")
          if (!ask || !asks) return answer(first, decided ?? (yield* decide(first, "told")), undefined)
          const not_asked = yield* by === "family"
            ? onSteadyClock(Cache.get(previewChecks, booking_id))
            : providerRefunds.tryCheckBooking(booking_id, timeout)
          const second = yield* read
          return answer(second, yield* decide(second, "told"), not_asked)
        })

        const written = (not_asked: string | undefined) =>
          Effect.gen(function* () {
            const locked = yield* records.lockWith(booking_id, sessions.lockOfBooking(booking_id))
            if (Option.isNone(locked)) return yield* new BookingNotFound()
            const as = yield* situationOf(...locked.value)
            const decided = yield* decide(as, "made")
            const done = yield* steps.apply(as, decided, wish, writesOf(who))
            if (steps.closesPages === true) {
              for (const { payment_session_id, status } of as.sessions)
                if (status === "open") yield* tasks.offer({ _tag: "expire_session", payment_session_id })
            }
            if (steps.stopsAt !== undefined) yield* failpoint(steps.stopsAt)
            return { ...answer(as, decided, not_asked), ...done }
          }).pipe(sql.withTransaction, (work) => withPermits(steps.keys, work), again)

        const made = Effect.gen(function* () {
          if (steps.asks === false) return yield* written(undefined)
          const first = yield* found
          const looked = yield* look(first, "before")
          // A page may have been paid before it was closed.
          const closed = steps.closesPages === "first" && (yield* closeBalancePages(first, timeout))
          const { asks } = closed ? yield* look(yield* read, "before") : looked
          return yield* written(asks ? yield* providerRefunds.tryCheckBooking(booking_id, timeout) : undefined)
        })

        return preview ? previewed : made
      }

      /** Reads what else a change is decided by, and makes it. */
      const prepared = <Wish, Decided, Done extends object, E>(
        change: PreparedChange<Wish, Decided, Done, E>,
        booking: BookingRow,
        wish: Wish,
        how: How
      ): Effect.Effect<Done & Told, E | CatalogueChanged | Unmade> =>
        Effect.gen(function* () {
          const found = yield* current(booking, how.who.as)
          const steps = yield* change.prepare(found.booking, wish, how.who.as, visits)
          const as = Effect.succeed(found)
          const { booking_id } = booking
          if (steps.instead === undefined)
            return yield* make<Wish, Decided, Done, E | CatalogueChanged>(steps, booking_id, as, wish, how)
          const made = make<Wish, Decided, Done, E | NotHad>(steps, booking_id, as, wish, how, claims.racing)
          return yield* Effect.catchIf(made, isTaken, (why) => steps.instead(found.booking, why))
        })

      const run: BookingChanges["Service"]["run"] = <Wish, Decided, Done extends object, E>(
        change: BookingChange<Wish, Decided, Done, E> | PreparedChange<Wish, Decided, Done, E>,
        id: string,
        wish: Wish,
        how: How
      ) =>
        Effect.gen(function* () {
          const { preview, who } = how
          if (!isAllowed(change, wish, who)) return yield* new NotAllowed()
          const own = Effect.filterOrFail(
            bookings.get(id),
            ({ operator_id }) => who.as !== "staff" || who.operator_id === operator_id,
            () => new BookingNotFound()
          )
          const once = (
            bare: BookingChange<Wish, Decided, Done, E>,
            booking: BookingRow
          ): Effect.Effect<Done & Told, E | Unmade> => {
            const steps: Steps<Wish, Decided, Done, E> = {
              ...bare,
              keys: [booking.playroom_id],
              decide: (as) =>
                Effect.flatMap(withVoucher(as, bare.voucher?.(wish)), (as) => Effect.fromResult(bare.decide(as, wish)))
            }
            return make(steps, booking.booking_id, current(booking, who.as), wish, how)
          }
          const work =
            "prepare" in change
              ? Effect.flatMap(own, (booking) => prepared(change, booking, wish, how)).pipe(
                  // What is sold has changed meanwhile, or the booking.
                  Effect.retry({ times: maxPrepared - 1, while: isCatalogueChanged }),
                  Effect.catchIf(isCatalogueChanged, () => Effect.fail(change.keepsChanging))
                )
              : Effect.flatMap(own, (booking) => once(change, booking))
          if (preview) return yield* work
          // By its id, the booking is read once, when it is its turn.
          return yield* exclusively(isBookingId(id) ? id : (yield* own).booking_id, work)
        }).pipe(Effect.withSpan(change.span))

      return BookingChanges.of({
        run,
        situation: (booking) =>
          Effect.flatMap(sessions.ofBooking(booking.booking_id), (all) => situationOf(booking, all))
      })
    })
  ).pipe(
    Layer.provide([
      BookingLinks.layer,
      BookingOptions.layer,
      BookingRecords.layer,
      Bookings.layer,
      BookingMutex.layer,
      Catalogue.layer,
      Claims.layer,
      Occupancy.layer,
      PlayroomSemaphore.layer,
      Disputes.layer,
      LetterOutbox.layer,
      PaymentInquiry.layer,
      PaymentSessions.layer,
      ProviderRefunds.layer,
      ProviderTasks.layer,
      RefundRecords.layer,
      Refunds.layer,
      Vouchers.layer
    ])
  )
}
