/**
 * The one way in which a booking is changed by a person, or by the clock: it is cancelled, an amount goes back, a
 * payment is recorded. A change says what it does, by pure functions of the booking with its payments (`decide`), and
 * how it is written (`apply`). All else stands here, once. Locks are taken in this order, and no other, by every
 * change:
 *
 * 1. The booking's turn in this process (`BookingMutex`), so that a second press waits without a connection.
 * 2. No lock. Whoever did not see the booking as it is, or may not do it, is told so from our own rows, before the
 *    provider is asked. What goes back is not decided by these: the provider may know more.
 * 3. No lock. If money goes back, the provider is asked for what went back before, and it is counted.
 * 4. A permit of the playroom, then a transaction with the booking's row, then with those of its payments. Then 2
 *    again, as things stand by now, and all is decided; the change is written with its history, its letters and what is
 *    to be done at the provider.
 *
 * A preview is 2, 3 and 2 again, without any lock.
 */
import { Cache, Clock, Context, Data, Effect, Layer, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingNotFound, type BookingRow } from "../../booking/Booking.ts"
import type { Change } from "../../booking/BookingChange.ts"
import { BookingMutex, type ChangeUnderWay } from "../../booking/BookingMutex.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { asOf } from "../../booking/Lifecycle.ts"
import { PlayroomSemaphore } from "../../booking/PlayroomSemaphore.ts"
import { type ChangedSinceShown, requireAsShown, stateShown } from "../../booking/ShownState.ts"
import { onDatedClock, onSteadyClock } from "../../kernel/Elapsed.ts"
import { faultPoint, type FaultPointName } from "../../kernel/FaultPoint.ts"
import { type BookingId, newId, type PaymentSessionId, type RefundId } from "../../kernel/Ids.ts"
import { type Money, money } from "../../kernel/Money.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { Disputes } from "../refunds/Disputes.ts"
import { providerTimeout, ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"
import type { PaymentSessionRow, Purpose, VenueWay } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"
import { type DeskRight, mayDo } from "../../staff/Rights.ts"
import type { StaffMember } from "../../staff/StaffMember.ts"
import type { DecidedRefund } from "./RefundDecision.ts"
import type { Situation } from "./Situation.ts"

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

/** What is said of every change, done or previewed. A preview has the booking as it is before. */
export interface Told {
  readonly booking: BookingRow
  /** The state before, and what this does, for the form or command that does it (`ShownState.ts`). */
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
  readonly changeDue: BookingRecords["Service"]["changeDue"]
  readonly release: BookingRecords["Service"]["markReleased"]
  readonly refund: (
    booking: BookingRow,
    refund: DecidedRefund,
    cause: "cancellation" | "goodwill"
  ) => Effect.Effect<void, SqlError.SqlError>
  readonly mark: BookingRecords["Service"]["markAttendance"]
  /** Counts a refund as given back by hand: what is still owed of it. */
  readonly giveBack: (
    refund_id: RefundId,
    way: VenueWay
  ) => Effect.Effect<{ readonly booking: BookingRow; readonly amount: Money }, SqlError.SqlError>
  readonly undo: (payment_session_id: PaymentSessionId) => Effect.Effect<void, SqlError.SqlError>
  /** Stores a payment at the venue. */
  readonly take: (
    booking: BookingRow,
    payment: { readonly purpose: Purpose; readonly amount: number; readonly way: VenueWay }
  ) => Effect.Effect<PaymentSessionId, SqlError.SqlError>
}

/**
 * A change of a booking. `Wish`: what is asked for. `Decided`: what follows of that as things stand. `Done`: the
 * answer.
 * `E`: why it can't be done.
 */
export interface BookingChange<Wish, Decided, Done extends object, E> {
  /** The span's name. */
  readonly span: string
  /** What a role has to allow; none if no staff do it. */
  readonly right?: DeskRight
  /** What else it has to allow for this wish. */
  readonly needs?: (wish: Wish) => DeskRight | undefined
  /** Whether it is a family's to do, where its wish needs nothing else. */
  readonly forFamilies?: true
  /** Whether the provider is asked what went back before. */
  readonly asks: boolean
  /** Fails if there is no longer anything to do, whatever is wished: who comes too late is told that first. Pure. */
  readonly open?: (as: Situation, by: Actor["as"]) => Result.Result<unknown, E>
  /** What it does as things stand, or why that can't be done. Pure. */
  readonly decide: (as: Situation, wish: Wish) => Result.Result<Decided, E>
  /** What of that the person is told, and what must be the same when it is done. */
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
  /** Whether what is open asks for an amount that is no longer owed. */
  readonly closesPages: boolean
  readonly stopsAt?: FaultPointName
}

/** Who makes a change, and whether it is made or previewed. */
export interface How {
  readonly preview: boolean
  /** Does what the preview with this code showed, or nothing. */
  readonly shown?: string
  readonly who: Actor
  /** Whether a preview asks the provider, as it does by default. The change itself does. */
  readonly ask?: boolean
}

/** Why no change was made, whichever it was. */
export type Unchanged = BookingNotFound | ChangedSinceShown | ChangeUnderWay | NotAllowed | SqlError.SqlError

/** The same change, with other refusals: for a surface that says them in its own words. */
export const refusing = <Wish, Decided, Done extends object, E, E2>(
  { decide, open, ...change }: BookingChange<Wish, Decided, Done, E>,
  as: (error: E) => E2
): BookingChange<Wish, Decided, Done, E2> => ({
  ...change,
  ...(open === undefined ? {} : { open: (at, by) => Result.mapError(open(at, by), as) }),
  decide: (at, wish) => Result.mapError(decide(at, wish), as)
})

const isAllowed = <Wish>(
  { forFamilies, needs, right }: Pick<BookingChange<Wish, never, never, never>, "forFamilies" | "needs" | "right">,
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

export class BookingChanges extends Context.Service<
  BookingChanges,
  {
    /** Makes a change, or previews it. `booking_id` may also be a reference. */
    readonly run: <Wish, Decided, Done extends object, E>(
      change: BookingChange<Wish, Decided, Done, E>,
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
      const sessions = yield* PaymentSessions
      const refunds = yield* Refunds
      const refundRecords = yield* RefundRecords
      const disputes = yield* Disputes
      const tasks = yield* ProviderTasks
      const providerRefunds = yield* ProviderRefunds
      const inquiry = yield* PaymentInquiry
      const random = yield* SecureRandom.SecureRandom
      const { exclusively } = yield* BookingMutex
      const { withPermit } = yield* PlayroomSemaphore

      const situationOf = Effect.fnUntraced(function* (booking: BookingRow, all: ReadonlyArray<PaymentSessionRow>) {
        const now = yield* Clock.currentTimeMillis
        return {
          booking,
          sessions: all,
          refunds: yield* refundRecords.ofBooking(booking),
          disputes: yield* disputes.ofBooking(booking),
          now
        } satisfies Situation
      })

      /**
       * As it stands, without locks. For a family, the provider is asked about payments that may just have been made.
       */
      const current = Effect.fnUntraced(function* (booking_id: BookingId, by: Actor["as"]) {
        const booking = yield* bookings.get(booking_id)
        const all = yield* sessions.ofBooking(booking_id)
        if (by !== "family") return yield* situationOf(booking, all)
        const as = (yield* inquiry.askForReader(booking, all))
          ? yield* situationOf(yield* bookings.get(booking_id), yield* sessions.ofBooking(booking_id))
          : yield* situationOf(booking, all)
        return { ...as, booking: asOf(as.booking, as.now) }
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
          changeDue: records.changeDue,
          release: records.markReleased,
          mark: records.markAttendance,
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

      const run: BookingChanges["Service"]["run"] = <Wish, Decided, Done extends object, E>(
        change: BookingChange<Wish, Decided, Done, E>,
        id: string,
        wish: Wish,
        { ask = true, preview, shown: code, who }: How
      ) => {
        const by = who.as
        const timeout = by === "family" ? providerTimeout.family : providerTimeout.operator
        const shown = preview ? undefined : code
        /**
         * Whether it can be done at all, with the booking that was shown. A repeat is told that this has changed, and
         * not that nothing is owed.
         */
        const begin = Effect.fnUntraced(function* (as: Situation) {
          if (change.open !== undefined) yield* Effect.fromResult(change.open(as, by))
          yield* requireAsShown(as.booking, undefined, shown)
        })
        /** What is decided, if it is what was shown. */
        const decide = Effect.fnUntraced(function* (as: Situation) {
          yield* begin(as)
          const decided = yield* Effect.fromResult(change.decide(as, wish))
          yield* requireAsShown(as.booking, change.outcome(decided, wish), shown)
          return decided
        })
        const answer = (as: Situation, decided: Decided, not_asked: string | undefined): Done & Told => ({
          ...change.answer(as, decided, wish),
          booking: as.booking,
          shown: stateShown(as.booking, change.outcome(decided, wish)),
          ...(not_asked === undefined ? {} : { not_asked })
        })

        const previewed = Effect.fnUntraced(function* (booking_id: BookingId) {
          const first = yield* current(booking_id, by)
          if (!change.asks || !ask) return answer(first, yield* decide(first), undefined)
          yield* begin(first)
          const not_asked = yield* by === "family"
            ? onSteadyClock(Cache.get(previewChecks, booking_id))
            : providerRefunds.tryCheckBooking(booking_id, timeout)
          const second = yield* situationOf(yield* bookings.get(booking_id), yield* sessions.ofBooking(booking_id))
          return answer(second, yield* decide(second), not_asked)
        })

        const written = (booking_id: BookingId, not_asked: string | undefined) =>
          Effect.gen(function* () {
            const locked = yield* records.lockWith(booking_id, sessions.lockOfBooking(booking_id))
            if (Option.isNone(locked)) return yield* new BookingNotFound()
            const as = yield* situationOf(...locked.value)
            const decided = yield* decide(as)
            const done = yield* change.apply(as, decided, wish, writesOf(who))
            if (change.closesPages) {
              for (const { payment_session_id, status } of as.sessions)
                if (status === "open") yield* tasks.offer({ _tag: "expire_session", payment_session_id })
            }
            if (change.stopsAt !== undefined) yield* faultPoint(change.stopsAt)
            return { ...answer(as, decided, not_asked), ...done }
          }).pipe(sql.withTransaction)

        return Effect.gen(function* () {
          if (!isAllowed(change, wish, who)) return yield* new NotAllowed()
          const { booking_id, operator_id, playroom_id } = yield* bookings.get(id)
          if (who.as === "staff" && who.operator_id !== operator_id) return yield* new BookingNotFound()
          if (preview) return yield* previewed(booking_id)
          const work = Effect.gen(function* () {
            if (!change.asks) return yield* withPermit(playroom_id, written(booking_id, undefined))
            // What went back by our own rows may be too much or too little: that refuses nothing yet.
            yield* begin(yield* current(booking_id, by))
            const not_asked = yield* providerRefunds.tryCheckBooking(booking_id, timeout)
            return yield* withPermit(playroom_id, written(booking_id, not_asked))
          })
          return yield* exclusively(booking_id, work)
        }).pipe(Effect.withSpan(change.span))
      }

      return BookingChanges.of({
        run,
        situation: (booking) =>
          Effect.flatMap(sessions.ofBooking(booking.booking_id), (all) => situationOf(booking, all))
      })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Bookings.layer,
      BookingMutex.layer,
      PlayroomSemaphore.layer,
      Disputes.layer,
      PaymentInquiry.layer,
      PaymentSessions.layer,
      ProviderRefunds.layer,
      ProviderTasks.layer,
      RefundRecords.layer,
      Refunds.layer
    ])
  )
}
