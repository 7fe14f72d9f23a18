/** Changes a booking's details alone: telephone number, wishes, ages. They cost nothing and need no places. */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { changedBooking, changeOf, planDetails } from "../../booking/ChangePlan.ts"
import { CatalogueChanged } from "../../booking/Claims.ts"
import { areDetailsOpen, isSameVisit, type VisitChangeRequest } from "../../booking/VisitChange.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import { checkAges, checkAlive, checkPlan, detailsIn, refuse } from "./VisitChangeChecks.ts"
import { changingPayments, settledOf } from "./VisitChangePayments.ts"

/** The ages of a playroom that is no longer listed. */
const anyAge = { age_min: 0, age_max: 17 }

export const detailChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bookings = yield* Bookings
  const records = yield* BookingRecords
  const catalogue = yield* Catalogue
  const { paymentsOf } = yield* changingPayments

  const planOf = Effect.fnUntraced(function* (booking: BookingRow, request: VisitChangeRequest) {
    yield* checkAlive(booking)
    const now = yield* Clock.currentTimeMillis
    if (!areDetailsOpen(booking, now)) return yield* refuse(booking, "begun")
    const playroom = yield* catalogue.venue(booking.playroom_id).pipe(
      Effect.map((venue) => venue.playroom),
      Effect.catchTag("PlayroomNotFound", () => Effect.succeed(anyAge))
    )
    yield* checkAges(playroom, booking.children, request)
    const plan = planDetails(booking, settledOf(booking, yield* paymentsOf(booking)), detailsIn(request))
    yield* checkPlan(booking, plan, request)
    return plan
  })

  const perform = Effect.fnUntraced(function* (before: BookingRow, request: VisitChangeRequest) {
    const booking = yield* bookings.lock(before.booking_id)
    // The request was one for details alone because of the party before.
    if (!isSameVisit(before, booking)) return yield* new CatalogueChanged()
    const plan = yield* planOf(booking, request)
    const after = yield* records.changeVisit(plan.row, changeOf(booking, plan, request))
    return changedBooking(booking, plan, request, yield* Clock.currentTimeMillis, after)
  }, sql.withTransaction)

  return Effect.fnUntraced(function* (booking: BookingRow, request: VisitChangeRequest) {
    if (!request.preview) return yield* perform(booking, request)
    return changedBooking(booking, yield* planOf(booking, request), request, yield* Clock.currentTimeMillis)
  })
})
