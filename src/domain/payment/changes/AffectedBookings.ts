/**
 * Bookings affected by a closure, or by less stock than they have: each is kept, with a letter of the venue's own words
 * or without, cancelled with all that was paid for it going back, or moved; extras of which there are too few are given
 * back or swapped for others. The one runner of these acts, for the desk and for the command: both plan first, and then
 * do what the plan said.
 *
 * The closure is made before, so no more of them come in. Each is a cancellation or a move of its own, like any other.
 * What is done is no longer affected, or has changed since the plan, as who was written to: so whoever was cut off goes
 * on with the others.
 */
import { Effect, Option, Schema, Stream } from "effect"
import type { SqlError } from "effect/sql"
import type { PlannedPlaces } from "../../availability/CalendarRows.ts"
import { type Place, takenBy, type Taken } from "../../availability/Units.ts"
import { type AffectedBooking, type AffectedQuery, BookingList, whyAffected } from "../../booking/BookingList.ts"
import { type ChangedBooking, ChangeRefused } from "../../booking/ChangePlan.ts"
import { LetterOutbox } from "../../booking/LetterOutbox.ts"
import type { AddOnChoice } from "../../catalogue/Pricing.ts"
import type { AddOnId } from "../../../platform/ids/Ids.ts"
import { attempt } from "../../../platform/concurrency/Outcomes.ts"
import { Money, money } from "../../../platform/money/Money.ts"
import { type Actor, BookingChanges } from "./BookingChanges.ts"
import { cancel } from "./Cancellations.ts"
import { NotWrittenTo, writeToFamily } from "./Presses.ts"
import { changeParty, moveVisit, type VisitChangeError } from "./VisitChanges.ts"

/** A wish that does something. */
export type AffectedDeed =
  | { readonly action: "cancel" }
  | { readonly action: "move"; readonly option_id: string }
  /** Takes the extras of which there are too few out: their price goes back, or is no longer due. */
  | { readonly action: "give_back" }
  /** Puts another extra in their place. One that costs more is refused, unless the family `pays` the difference. */
  | { readonly action: "swap"; readonly add_on_id: AddOnId; readonly pays?: boolean }
  /** It stays as it is, and its family gets these words by letter. */
  | { readonly action: "write"; readonly words: string }
/** What happens with an affected booking. */
export type AffectedWish = AffectedDeed | { readonly action: "keep" }

/** What a deed does, or did. `change`: of a move, or of the extras. */
export interface AffectedEffect {
  readonly refund: Money
  readonly change?: ChangedBooking
  /** The family was written to. */
  readonly written?: true
}

/** Whether it is extras of which there are too few, so that they can be given back or swapped. */
export const lacksExtras = ({ overbooked }: Pick<AffectedBooking, "overbooked">): boolean =>
  overbooked?.add_ons !== undefined && overbooked.add_ons.lacking.length > 0

/** The add-ons that a booking has after its extras were given back or swapped. */
const addOnsAfter = (
  { overbooked }: AffectedBooking,
  deed: Extract<AffectedDeed, { readonly action: "give_back" | "swap" }>
): ReadonlyArray<AddOnChoice> => {
  const { lacking = [], rest = [] } = overbooked?.add_ons ?? {}
  return deed.action === "give_back"
    ? rest
    : [...rest, { add_on_id: deed.add_on_id, quantity: Math.max(1, ...lacking.map(({ quantity }) => quantity)) }]
}

/** Some other change of the booking is newer than the plan. Nothing was done. */
export class ChangedSincePlan extends Schema.TaggedError<ChangedSincePlan>()("ChangedSincePlan", {
  booking_id: Schema.String
}) {
  override get message(): string {
    return "It has changed since the plan was shown, and was left as it is: --preview shows it."
  }
}

/** It could move there if other bookings of the same plan did not take the room, or an extra, at that time. */
class SlotConflict extends Schema.TaggedError<SlotConflict>()("SlotConflict", { booking_id: Schema.String }) {
  override get message(): string {
    return "Other bookings of this plan take the room, or an extra, at that time: name another time."
  }
}

/** The other extra costs more. What the venue lacks costs a family nothing, unless a person says so. */
class CostsMore extends Schema.TaggedError<CostsMore>()("CostsMore", {
  booking_id: Schema.String,
  difference: Money
}) {
  override get message(): string {
    return `That extra costs ${this.difference.display} more: choose another, or say that the family pays the difference.`
  }
}

type ActError = VisitChangeError | CostsMore | NotWrittenTo

/** Why something of a plan can't be done. */
export type AffectedRefusal = Exclude<ActError, SqlError.SqlError> | SlotConflict

/** A booking of a plan, and what would happen with it; `refused`: why that can't be done. */
export interface PlannedBooking {
  readonly booking: AffectedBooking
  readonly wish: AffectedWish
  readonly would?: AffectedEffect
  readonly refused?: AffectedRefusal
}

/** Affected bookings, in the order in which they are resolved. */
type Bookings = Stream.Stream<AffectedBooking, SqlError.SqlError>
type WishOf = (booking: AffectedBooking) => AffectedWish

const pageSize = 100

/**
 * `of`: a venue's, by start. `plan`: what the wishes would do, each decided as if what is planned before it were done.
 * Who books or changes meanwhile is only known when it is done: what does not fit then is left, and named. `resolve`:
 * does it, each booking that has not changed since the plan (`through` of `VersionToken.ts`); one that was cancelled,
 * moved or released meanwhile has nothing done. What is kept comes out of neither.
 */
export const affectedBookings = Effect.gen(function* () {
  const list = yield* BookingList
  const { run } = yield* BookingChanges
  const { on: letters } = yield* LetterOutbox

  const of = (scope: Pick<AffectedQuery, "operator_id" | "playroom_id">): Bookings =>
    Stream.paginate(undefined, (after: AffectedQuery["after"] | undefined) =>
      Effect.map(list.affected({ ...scope, ...(after === undefined ? {} : { after }), limit: pageSize }), (page) => [
        page,
        page.length === pageSize ? Option.fromUndefinedOr(page.at(-1)) : Option.none()
      ])
    )

  /** Does a deed, or says what it would do. `shown`: the state that a preview showed. */
  const act = Effect.fnUntraced(function* (
    booking: AffectedBooking,
    deed: AffectedDeed,
    who: Actor,
    { planned, shown }: { readonly shown?: string; readonly planned?: PlannedPlaces } = {}
  ): Effect.fn.Return<
    { readonly did: AffectedEffect; readonly shown: string; readonly places: ReadonlyArray<Place> },
    ActError
  > {
    const { booking_id, overbooked } = booking
    const how = {
      who,
      preview: shown === undefined,
      // A plan for many asks the provider nothing. The cancellation or the move does.
      ask: false,
      ...(shown === undefined ? {} : { shown })
    }
    const reason = overbooked === null ? `closed: ${whyAffected(booking)}` : whyAffected(booking)
    if (deed.action === "cancel") {
      const done = yield* run(cancel, booking_id, { refund: "full", reason }, how).pipe(
        // Neither is possible for the whole refund by the venue.
        Effect.catchTag(["RefundTooLarge", "VisitBegun"], Effect.die)
      )
      return { did: { refund: done.refund }, shown: done.shown, places: [] }
    }
    if (deed.action === "write") {
      if (!letters) return yield* new NotWrittenTo({ booking_id })
      const { booking: row, shown: after } = yield* run(writeToFamily, booking_id, deed, how)
      return { did: { refund: money(0, row.currency), written: true }, shown: after, places: [] }
    }
    const within = { ...how, ...(planned === undefined ? {} : { planned }) }
    if (deed.action !== "move" && !lacksExtras(booking))
      return yield* new ChangeRefused({ booking_id, reason: "same_visit" })
    const found = yield* deed.action === "move"
      ? run(moveVisit, booking_id, { option_id: deed.option_id, reason }, within)
      : run(changeParty, booking_id, { party: { add_ons: addOnsAfter(booking, deed) }, reason }, within)
    const { not_asked: _, places = [], shown: after, ...change } = found
    const { booking: row, difference } = change
    if (deed.action === "swap" && deed.pays !== true && how.preview && difference > 0)
      return yield* new CostsMore({ booking_id, difference: money(difference, row.currency) })
    return { did: { refund: change.refund, change }, shown: after, places }
  })

  const plan = (bookings: Bookings, wishOf: WishOf, who: Actor): Stream.Stream<PlannedBooking, SqlError.SqlError> =>
    Stream.suspend(() => {
      const left = new Set<string>()
      const taken = new Map<string, Array<Taken>>()
      const planned = Effect.fnUntraced(function* (booking: AffectedBooking, deed: AffectedDeed) {
        const { did, places } = yield* act(booking, deed, who, { planned: { left, taken } }).pipe(
          Effect.catchTag("SlotUnavailable", (refused) =>
            taken.size === 0
              ? Effect.fail(refused)
              : Effect.andThen(
                  act(booking, deed, who, { planned: { left, taken: new Map() } }),
                  Effect.fail(new SlotConflict(booking))
                )
          )
        )
        left.add(booking.booking_id)
        for (const place of places) {
          const others = taken.get(place.resource_id)
          if (others === undefined) taken.set(place.resource_id, [takenBy(place)])
          else others.push(takenBy(place))
        }
        return did
      })
      return Stream.mapEffect(bookings, (booking): Effect.Effect<PlannedBooking, SqlError.SqlError> => {
        const wish = wishOf(booking)
        if (wish.action === "keep") return Effect.succeed({ booking, wish })
        return planned(booking, wish).pipe(
          Effect.map((would): PlannedBooking => ({ booking, wish, would })),
          Effect.catch((error) =>
            error._tag === "SqlError"
              ? Effect.fail(error)
              : Effect.succeed<PlannedBooking>({ booking, wish, refused: error })
          )
        )
      })
    })

  /** `undefined`: it is affected no more. */
  const resolveOne = Effect.fn("AffectedBookings.resolve")(
    function* ({ booking_id }: AffectedBooking, deed: AffectedDeed, through: number, who: Actor) {
      const read = Effect.map(list.affected({ booking_id, limit: 1 }), ([found]) => found)
      const before = yield* read
      if (before === undefined) return undefined
      const { shown } = yield* act(before, deed, who)
      // What changes after this is not as `shown`.
      const booking = yield* read
      if (booking === undefined) return undefined
      if (booking.changed > through) return yield* new ChangedSincePlan({ booking_id })
      const { did } = yield* act(booking, deed, who, { shown })
      return did
    },
    Effect.catchTag(["BookingCancelled", "HoldExpired", "BookingNotFound"], () => Effect.succeed(undefined))
  )

  const resolve = (
    bookings: Bookings,
    wishOf: WishOf,
    { through, who }: { readonly through: number; readonly who: Actor }
  ) =>
    bookings.pipe(
      Stream.flatMap((booking) => {
        const wish = wishOf(booking)
        return wish.action === "keep"
          ? Stream.empty
          : Stream.fromEffect(attempt(booking, resolveOne(booking, wish, through, who)))
      })
    )

  return { of, plan, resolve }
})
