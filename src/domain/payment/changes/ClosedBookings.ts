/**
 * Bookings in closed time, and those that have more than there is: each is kept, cancelled with all that was paid for it going
 * back, or moved. An import closes or shrinks first, so none comes in meanwhile. Then each is a cancellation or a move of its own, as any other. What is done is no longer in closed time, so whoever was cut off goes on with the others.
 */
import { Effect, Schema } from "effect"
import type { PlannedPlaces } from "../../availability/CalendarRows.ts"
import { takenBy } from "../../availability/Places.ts"
import type { Taken } from "../../availability/Units.ts"
import type { SqlError } from "effect/sql"
import { BookingList, type ClosedBooking, type ClosedQuery, closedWhy } from "../../booking/BookingList.ts"
import type { ChangedBooking } from "../../booking/VisitChange.ts"
import type { Money } from "../../../platform/money/Money.ts"
import { type Actor, BookingChanges } from "./BookingChanges.ts"
import { cancel } from "./Cancellations.ts"
import { moveVisit } from "./VisitChanges.ts"

/** What happens with a booking in closed time. */
export type ClosedWish =
  | { readonly action: "keep" }
  | { readonly action: "cancel" }
  | { readonly action: "move"; readonly option_id: string }

/** What a wish does, or did. `change`: of a move. */
export interface ClosedEffect {
  readonly refund: Money
  readonly change?: ChangedBooking
}

/** Some other change of the booking is newer than the plan. Nothing was done. */
export class ChangedSincePlan extends Schema.TaggedError<ChangedSincePlan>()("ChangedSincePlan", {
  booking_id: Schema.String
}) {
  override get message(): string {
    return "It has changed since the plan was shown, and was left as it is: --preview shows it."
  }
}

const pageSize = 100

/** Runs `work` for each booking in closed time, by start, reading a page at a time. */
export const forEachClosed = Effect.fnUntraced(function* <E, R>(
  scope: Pick<ClosedQuery, "operator_id" | "playroom_id">,
  work: (booking: ClosedBooking) => Effect.Effect<void, E, R>
) {
  const list = yield* BookingList
  let page: ReadonlyArray<ClosedBooking> = []
  do {
    const after = page.at(-1)
    page = yield* list.inClosedTime({ ...scope, ...(after === undefined ? {} : { after }), limit: pageSize })
    yield* Effect.forEach(page, work, { discard: true })
  } while (page.length === pageSize)
})

/** A wish that does something. */
export type ClosedDeed = Exclude<ClosedWish, { readonly action: "keep" }>

/**
 * Does what was wished, or says what that would do. `shown`: the state that a preview showed. `planned`: what a plan does
 * before.
 */
const apply = Effect.fnUntraced(function* (
  booking: Pick<ClosedBooking, "booking_id" | "closed_because" | "overbooked">,
  wish: ClosedDeed,
  who: Actor,
  { planned, shown }: { readonly shown?: string; readonly planned?: PlannedPlaces } = {}
) {
  const { run } = yield* BookingChanges
  const { booking_id, overbooked } = booking
  const how = {
    who,
    preview: shown === undefined,
    // A plan for many asks the provider nothing. The cancellation or the move does.
    ask: false,
    ...(shown === undefined ? {} : { shown })
  }
  const reason = overbooked === null ? `closed: ${closedWhy(booking)}` : closedWhy(booking)
  if (wish.action === "cancel") {
    const done = yield* run(cancel, booking_id, { refund: "full", reason }, how).pipe(
      Effect.catchTag(["RefundTooLarge", "VisitBegun"], Effect.die)
    )
    return { refund: done.refund, shown: done.shown }
  }
  const { option_id } = wish
  const {
    not_asked: _,
    places,
    shown: after,
    ...change
  } = yield* run(
    moveVisit,
    booking_id,
    { option_id, reason },
    { ...how, ...(planned === undefined ? {} : { planned }) }
  )
  return { refund: change.refund, shown: after, change, places }
})

/** It could move there if other bookings of the same plan did not take the room, or an extra, at that time. */
class WantedTwice extends Schema.TaggedError<WantedTwice>()("WantedTwice", { booking_id: Schema.String }) {
  override get message(): string {
    return "Other bookings of this plan take the room, or an extra, at that time: name another time."
  }
}

/** Why something of a plan can't be done. */
export type ClosedRefusal = Exclude<Effect.Error<ReturnType<typeof apply>>, SqlError.SqlError> | WantedTwice

/** A booking of a plan, and what would happen with it; `refused`: why that can't be done. */
export interface PlannedBooking {
  readonly booking: ClosedBooking
  readonly wish: ClosedWish
  readonly would?: ClosedEffect
  readonly refused?: ClosedRefusal
}

/**
 * Plans for one booking after the other: each is decided as if what the plan does with those before it were done. Who books
 * or changes meanwhile is only known once it is done: what does not fit then is left, and named.
 */
export const closedPlanner = (who: Actor) => {
  const left = new Set<string>()
  const taken = new Map<string, Array<Taken>>()
  const plan = Effect.fnUntraced(function* (booking: ClosedBooking, wish: ClosedDeed) {
    const { places = [], ...would } = yield* apply(booking, wish, who, { planned: { left, taken } }).pipe(
      Effect.catchTag("SlotUnavailable", (refused) =>
        taken.size === 0
          ? Effect.fail(refused)
          : Effect.andThen(
              apply(booking, wish, who, { planned: { left, taken: new Map() } }),
              Effect.fail(new WantedTwice(booking))
            )
      )
    )
    left.add(booking.booking_id)
    for (const place of places) {
      const others = taken.get(place.resource_id)
      if (others === undefined) taken.set(place.resource_id, [takenBy(place)])
      else others.push(takenBy(place))
    }
    return would
  })
  return (booking: ClosedBooking, wish: ClosedWish): Effect.Effect<PlannedBooking, SqlError.SqlError, BookingChanges> =>
    wish.action === "keep"
      ? Effect.succeed({ booking, wish })
      : plan(booking, wish).pipe(
          Effect.map((would): PlannedBooking => ({ booking, wish, would })),
          Effect.catch((error) =>
            error._tag === "SqlError"
              ? Effect.fail(error)
              : Effect.succeed<PlannedBooking>({ booking, wish, refused: error })
          )
        )
}

/**
 * Does what was wished, if the booking has not changed since the plan. `undefined`: it is no longer in closed time,
 * because it was cancelled, moved or released meanwhile. `who`: who does it.
 */
export const dealWithClosed = Effect.fn("dealWithClosed")(
  function* ({ booking_id }: Pick<ClosedBooking, "booking_id">, wish: ClosedDeed, through: number, who: Actor) {
    const list = yield* BookingList
    const read = Effect.map(list.inClosedTime({ booking_id, limit: 1 }), ([found]) => found)
    const before = yield* read
    if (before === undefined) return undefined
    const { shown } = yield* apply(before, wish, who)
    // What changes after this is not as `shown`.
    const booking = yield* read
    if (booking === undefined) return undefined
    if (booking.changed > through) return yield* new ChangedSincePlan({ booking_id })
    const { change, refund } = yield* apply(booking, wish, who, { shown })
    return { refund, ...(change === undefined ? {} : { change }) } satisfies ClosedEffect
  },
  Effect.catchTag(["BookingCancelled", "HoldExpired", "BookingNotFound"], () => Effect.succeed(undefined))
)
