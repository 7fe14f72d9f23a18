/** Data of the pages of bookings in closed time: which there are, where they can go, what moving or cancelling them does, and doing it. */
import { Cause, Clock, Context, Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { BookingList, type ClosedBooking, maxClosedShown } from "../../../domain/booking/BookingList.ts"
import { Bookings } from "../../../domain/booking/Bookings.ts"
import { LetterOutbox } from "../../../domain/booking/LetterOutbox.ts"
import type { AlternativeStart } from "../../../domain/booking/OtherVisits.ts"
import { planShown, readPlanShown } from "../../../domain/booking/ShownState.ts"
import { decodeCursor, encodeCursor } from "../../../platform/ids/Cursor.ts"
import { BookingId, type OperatorId } from "../../../platform/ids/Ids.ts"
import { secondMs } from "../../../platform/time/LocalTime.ts"
import { attempt } from "../../../platform/concurrency/Outcomes.ts"
import { type Actor, BookingChanges } from "../../../domain/payment/changes/BookingChanges.ts"
import {
  type ChangedSincePlan,
  type ClosedDeed,
  type ClosedEffect,
  closedPlanner,
  type ClosedRefusal,
  dealWithClosed,
  type PlannedBooking
} from "../../../domain/payment/changes/ClosedBookings.ts"
import { VisitOffers } from "../../../domain/payment/changes/VisitOffers.ts"

export interface ClosedPage {
  /** `alternatives`: free starts that it can be moved to. */
  readonly visits: ReadonlyArray<{
    readonly visit: ClosedBooking
    readonly alternatives: ReadonlyArray<AlternativeStart>
  }>
  readonly continued: boolean
  readonly next_cursor?: string
}

/** What was chosen for bookings, by id. */
export type ClosedChoices = ReadonlyMap<BookingId, ClosedDeed>

/** What the choices would do. */
export interface ClosedPlan {
  readonly planned: ReadonlyArray<PlannedBooking>
  /** For the form that does what is not refused; absent if there is nothing of that. */
  readonly shown?: string
  /** Whether families are written to. */
  readonly letters: boolean
}

/**
 * What was done. `gone`: they were in closed time no more. `left`: they have changed since the page, or failed, and were
 * left; why, if that is known. `to_do`: there was no time for some of these; the same form goes on with them.
 */
export interface ClosedDone {
  readonly done: ReadonlyArray<{ readonly visit: ClosedBooking; readonly did: ClosedEffect }>
  readonly gone: number
  readonly left: ReadonlyArray<{ readonly visit: ClosedBooking; readonly why?: ClosedRefusal | ChangedSincePlan }>
  readonly to_do: ClosedChoices
  readonly shown: string
}

/** A page has a few seconds. Each deed is done or not begun; a booking without proposals still has a link that moves it. */
const workMs = 4 * secondMs
const proposeMs = 2 * secondMs

const scopeOf = (operator_id: OperatorId) => ["closed", operator_id]
const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([Schema.Int, BookingId]))

/** The code of a plan: it stays true while the plan is carried out. */
const codeOf = (through: number, operator_id: OperatorId, choices: ClosedChoices) =>
  planShown(through, { operator_id, choices: [...choices].toSorted(([a], [b]) => (a < b ? -1 : 1)) })

export const closedVisits = Effect.gen(function* () {
  const list = yield* BookingList
  const bookings = yield* Bookings
  const offers = yield* VisitOffers
  const { on: letters } = yield* LetterOutbox
  // These alone: all of the context would also bring the clock of its making.
  const services = Context.pick(BookingList, BookingChanges)(yield* Effect.context<BookingList | BookingChanges>())

  /** The chosen ones that are in closed time, with what was chosen. */
  const chosenOf = (operator_id: OperatorId, choices: ClosedChoices) =>
    Effect.map(
      Effect.forEach(choices, ([booking_id, deed]) =>
        Effect.map(list.inClosedTime({ operator_id, booking_id, limit: 1 }), (found) =>
          found.map((visit) => ({ visit, deed }))
        )
      ),
      (found) => found.flat()
    )

  const alternativesOf = (booking_id: BookingId) =>
    bookings.get(booking_id).pipe(
      Effect.flatMap(offers.alternatives),
      Effect.catchTag("BookingNotFound", () => Effect.succeed([]))
    )

  /** The operator's bookings in closed time, by start. */
  const page = Effect.fn("ClosedVisits.page")(function* (
    operator_id: OperatorId,
    cursor: string | undefined
  ): Effect.fn.Return<ClosedPage, SqlError.SqlError> {
    const scope = scopeOf(operator_id)
    const after = cursor === undefined ? undefined : Option.getOrUndefined(decodePosition(decodeCursor(scope, cursor)))
    const rows = yield* list.inClosedTime({
      operator_id,
      limit: maxClosedShown + 1,
      ...(after === undefined ? {} : { after: { starts_at: after[0], booking_id: after[1] } })
    })
    const shown = rows.slice(0, maxClosedShown)
    const last = rows.length > maxClosedShown ? shown.at(-1) : undefined
    const until = (yield* Clock.currentTimeMillis) + proposeMs
    const visits = yield* Effect.forEach(shown, (visit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(now < until ? alternativesOf(visit.booking_id) : Effect.succeed([]), (alternatives) => ({
          visit,
          alternatives
        }))
      )
    )
    return {
      visits,
      continued: after !== undefined,
      ...(last === undefined ? {} : { next_cursor: encodeCursor(scope, [last.starts_at, last.booking_id]) })
    }
  })

  /** What the choices would do; bookings that are not this operator's, or not in closed time, are left out. */
  const plan = Effect.fn("ClosedVisits.plan")(function* (
    operator_id: OperatorId,
    choices: ClosedChoices,
    who: Actor
  ): Effect.fn.Return<ClosedPlan, SqlError.SqlError> {
    const through = yield* list.committedThrough
    const chosen = yield* chosenOf(operator_id, choices)
    const planFor = closedPlanner(who)
    const planned = yield* Effect.forEach(chosen, ({ deed, visit }) => Effect.provide(planFor(visit, deed), services))
    const can = new Set(planned.flatMap(({ booking, refused }) => (refused === undefined ? [booking.booking_id] : [])))
    const feasible = chosen.filter(({ visit }) => can.has(visit.booking_id))
    if (feasible.length === 0) return { planned, letters }
    const deeds = new Map(feasible.map(({ deed, visit }) => [visit.booking_id, deed]))
    return { planned, letters, shown: codeOf(through, operator_id, deeds) }
  })

  /** Does what the plan said, each booking by itself. Cut off, the same call goes on with the others. */
  const carryOut = Effect.fn("ClosedVisits.carryOut")(function* (
    operator_id: OperatorId,
    choices: ClosedChoices,
    { shown, who }: { readonly shown: string; readonly who: Actor }
  ): Effect.fn.Return<ClosedDone | undefined, SqlError.SqlError> {
    const through = readPlanShown(shown)?.through
    if (through === undefined || codeOf(through, operator_id, choices) !== shown) return undefined
    const until = (yield* Clock.currentTimeMillis) + workMs
    const chosen = yield* chosenOf(operator_id, choices)
    const done: Array<ClosedDone["done"][number]> = []
    const left: Array<ClosedDone["left"][number]> = []
    let gone = choices.size - chosen.length
    let tried = 0
    for (const { deed, visit } of chosen) {
      if ((yield* Clock.currentTimeMillis) >= until) break
      tried += 1
      const one = yield* attempt(visit, Effect.provide(dealWithClosed(visit, deed, through, who), services))
      if (one.outcome === "done") {
        if (one.value === undefined) gone += 1
        else done.push({ visit, did: one.value })
      } else {
        const why = one.outcome === "failed" ? Option.getOrUndefined(Cause.findErrorOption(one.cause)) : undefined
        left.push({ visit, ...(why === undefined || why._tag === "SqlError" ? {} : { why }) })
      }
    }
    return { done, gone, left, to_do: tried === chosen.length ? new Map() : choices, shown }
  })

  return { page, plan, carryOut }
})
