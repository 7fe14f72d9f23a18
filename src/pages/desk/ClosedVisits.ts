/** Data of the pages of bookings in closed time: which there are, what cancelling them gives back, and doing it. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { BookingList, type ClosedBooking, maxClosedShown } from "../../booking/BookingList.ts"
import { planShown, readPlanShown } from "../../booking/ShownState.ts"
import { decodeCursor, encodeCursor } from "../../kernel/Cursor.ts"
import { BookingId, type OperatorId } from "../../kernel/Ids.ts"
import { secondMs } from "../../kernel/LocalTime.ts"
import type { Money } from "../../kernel/Money.ts"
import { attempt } from "../../kernel/Outcomes.ts"
import { Cancellations } from "../../payment/changes/Cancellations.ts"
import { dealWithClosed, planClosed } from "../../payment/changes/ClosedBookings.ts"
import { VisitChanges } from "../../payment/changes/VisitChanges.ts"

export interface ClosedPage {
  readonly visits: ReadonlyArray<ClosedBooking>
  readonly continued: boolean
  readonly next_cursor?: string
}

/** What cancelling these gives back. `refused`: it can't be done now. */
export interface ClosedPlan {
  readonly planned: ReadonlyArray<{ readonly visit: ClosedBooking; readonly refund?: Money; readonly refused?: true }>
  /** For the form that does it; absent if nothing was chosen, or all of it is in closed time no more. */
  readonly shown?: string
}

/**
 * What was done. `cancelled`: with what goes back. `gone`: they were in closed time no more. `left`: they have changed
 * since the page, or failed, and were left. `to_do`: there was no time for these; the same form goes on with them.
 */
export interface ClosedDone {
  readonly cancelled: ReadonlyArray<{ readonly visit: ClosedBooking; readonly refund: Money }>
  readonly gone: number
  readonly left: ReadonlyArray<ClosedBooking>
  readonly to_do: ReadonlyArray<string>
  readonly shown: string
}

/** A page has a few seconds; each cancellation is done or not begun. */
const workMs = 4 * secondMs
const cancel = { action: "cancel" } as const

const scopeOf = (operator_id: OperatorId) => ["closed", operator_id]
const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([Schema.Int, BookingId]))
const isId = Schema.is(BookingId)

/** The code of a plan: it stays true while the plan is carried out. */
const codeOf = (through: number, operator_id: OperatorId, chosen: ReadonlyArray<string>) =>
  planShown(through, { operator_id, cancel: [...new Set(chosen)].toSorted() })

export class ClosedVisits extends Context.Service<
  ClosedVisits,
  {
    /** The operator's bookings in closed time, by start. */
    readonly page: (operator_id: OperatorId, cursor: string | undefined) => Effect.Effect<ClosedPage, SqlError.SqlError>
    /** What cancelling the chosen ones would do; those that are not this operator's, or not in closed time, are left out. */
    readonly plan: (
      operator_id: OperatorId,
      chosen: ReadonlyArray<string>
    ) => Effect.Effect<ClosedPlan, SqlError.SqlError>
    /** Cancels them as the plan said, each by itself. Cut off, the same call goes on with the others. */
    readonly cancel: (
      operator_id: OperatorId,
      chosen: ReadonlyArray<string>,
      how: { readonly shown: string; readonly done_by: string }
    ) => Effect.Effect<ClosedDone | undefined, SqlError.SqlError>
  }
>()("playroom/pages/desk/ClosedVisits") {
  static readonly layer = Layer.effect(
    ClosedVisits,
    Effect.gen(function* () {
      const list = yield* BookingList
      const services = yield* Effect.context<BookingList | Cancellations | VisitChanges>()

      const inClosedTime = (operator_id: OperatorId, chosen: ReadonlyArray<string>) =>
        Effect.map(
          Effect.forEach([...new Set(chosen)].filter(isId), (booking_id) =>
            list.inClosedTime({ operator_id, booking_id, limit: 1 })
          ),
          (found) => found.flat()
        )

      const page: ClosedVisits["Service"]["page"] = Effect.fn("ClosedVisits.page")(function* (operator_id, cursor) {
        const scope = scopeOf(operator_id)
        const after =
          cursor === undefined ? undefined : Option.getOrUndefined(decodePosition(decodeCursor(scope, cursor)))
        const rows = yield* list.inClosedTime({
          operator_id,
          limit: maxClosedShown + 1,
          ...(after === undefined ? {} : { after: { starts_at: after[0], booking_id: after[1] } })
        })
        const visits = rows.slice(0, maxClosedShown)
        const last = rows.length > maxClosedShown ? visits.at(-1) : undefined
        return {
          visits,
          continued: after !== undefined,
          ...(last === undefined ? {} : { next_cursor: encodeCursor(scope, [last.starts_at, last.booking_id]) })
        }
      })

      const plan: ClosedVisits["Service"]["plan"] = Effect.fn("ClosedVisits.plan")(function* (operator_id, chosen) {
        const visits = yield* inClosedTime(operator_id, chosen)
        const planned = yield* Effect.forEach(visits, (visit) =>
          planClosed(visit, cancel).pipe(
            Effect.map(({ refund }) => ({ visit, refund })),
            Effect.catch((error) =>
              error._tag === "SqlError" ? Effect.fail(error) : Effect.succeed({ visit, refused: true as const })
            ),
            Effect.provide(services)
          )
        )
        return visits.length === 0
          ? { planned }
          : {
              planned,
              shown: codeOf(
                Math.max(...visits.map(({ changed }) => changed)),
                operator_id,
                visits.map(({ booking_id }) => booking_id)
              )
            }
      })

      const carryOut: ClosedVisits["Service"]["cancel"] = Effect.fn("ClosedVisits.cancel")(function* (
        operator_id,
        chosen,
        { done_by, shown }
      ) {
        const through = readPlanShown(shown)?.through
        if (through === undefined || codeOf(through, operator_id, chosen) !== shown) return undefined
        const until = (yield* Clock.currentTimeMillis) + workMs
        const visits = yield* inClosedTime(operator_id, chosen)
        const cancelled: Array<{ visit: ClosedBooking; refund: Money }> = []
        const left: Array<ClosedBooking> = []
        let gone = new Set(chosen).size - visits.length
        let done = 0
        for (const visit of visits) {
          if ((yield* Clock.currentTimeMillis) >= until) break
          done += 1
          const one = yield* attempt(visit, Effect.provide(dealWithClosed(visit, cancel, through, done_by), services))
          if (one.outcome !== "done") left.push(visit)
          else if (one.value === undefined) gone += 1
          else cancelled.push({ visit, refund: one.value.refund })
        }
        return { cancelled, gone, left, to_do: done === visits.length ? [] : chosen, shown }
      })

      return ClosedVisits.of({ page, plan, cancel: carryOut })
    })
  ).pipe(Layer.provide([BookingList.layer, Cancellations.layer, VisitChanges.layer]))
}
