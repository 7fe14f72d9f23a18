/** Sound data of every kind, in which `faults.ts` plants what an audit must find. */
import { assert } from "@effect/vitest"
import { Data, Effect } from "effect"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { ProviderRefunds } from "../../../src/domain/payment/refunds/ProviderRefunds.ts"
import { contact, principal, setClock } from "../../support/BookingWorld.ts"
import {
  actAndDeliver,
  bookingState,
  bookingWithSession,
  cancelBooking,
  createBooking,
  dateOf,
  expectedState,
  now,
  openSession,
  paidBooking,
  payBooking,
  reconcileAfter,
  runProviderTasks
} from "../../support/PaymentWorld.ts"
import { otherVenue, packages, venue } from "../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"
import { bubbleMachine, openPlay, softPlay } from "../../support/venues.ts"
import type { Scene } from "./faults.ts"

const inFile = ({ add_ons, packages, playroom }: typeof venue) => ({ ...playroom, packages, add_ons })

/** Two places and a machine of the soft play centre, which is closed in the week after. */
const bookPlaces = Effect.gen(function* () {
  const { add_on_id } = bubbleMachine
  const { options } = yield* BookingOptions.use((all) =>
    all.list({
      playroom_id: softPlay.playroom.playroom_id,
      package_id: openPlay.package_id,
      date: "2026-12-07",
      children: 2,
      add_ons: [{ add_on_id, quantity: 1 }]
    })
  )
  const option_id = options[0]?.option_id ?? assert.fail("nothing is free")
  const { row } = yield* Bookings.use((bookings) =>
    bookings.create(principal("key_a"), { option_id, contact: contact("places"), idempotency_key: "places" })
  )
  yield* payBooking(row)
  return row
})

/** A booking of each kind, with what belongs to it. */
export const scene = Effect.gen(function* () {
  yield* CatalogueFile.use((file) =>
    file.importFile({
      version: 1,
      operators: [venue.operator, otherVenue.operator],
      playrooms: [
        ...[venue, otherVenue].map(inFile),
        { ...inFile(softPlay), closures: [{ from: "2026-12-14", to: "2026-12-15", reason: "Painting" }] }
      ]
    })
  )
  // Paid after its hold had ended, and another family had its places.
  yield* setClock(now)
  const late = yield* createBooking(packages.party)
  const latePage = yield* openSession(late)
  const provider = yield* ScriptedGateway
  provider.outage = "away"
  yield* reconcileAfter("1 hour")
  provider.outage = undefined
  const next = yield* createBooking(packages.party, { date: dateOf(late), key: "key_b" })
  yield* actAndDeliver(latePage, "pay")
  yield* runProviderTasks
  yield* cancelBooking(next)

  const paid = yield* paidBooking()
  const deposit = yield* paidBooking(packages.depositParty)
  yield* payBooking(deposit.booking, "balance")
  const cancelled = yield* paidBooking()
  yield* cancelBooking(cancelled.booking)
  yield* runProviderTasks
  const disputed = yield* paidBooking()
  const { id: dispute } = provider.openDispute(disputed.session, undefined, "lost")
  yield* ProviderRefunds.use((refunds) => refunds.checkPayment(disputed.session))
  yield* paidBooking(packages.refundableParty)
  yield* createBooking(packages.trustedParty)
  const places = yield* bookPlaces
  const processing = yield* bookingWithSession()
  yield* actAndDeliver(processing.session, "pay_later")
  const open = yield* bookingWithSession()
  assert.deepStrictEqual(yield* bookingState(late), expectedState("expired", "refunded", 12_000, 12_000))
  return {
    cancelled: cancelled.booking.booking_id,
    deposit: deposit.booking.booking_id,
    dispute,
    disputed: disputed.booking.booking_id,
    late: late.booking_id,
    open: open.booking.booking_id,
    paid: paid.booking.booking_id,
    places: places.booking_id,
    processing: processing.booking.booking_id
  } satisfies Scene
})

/** What was found in a transaction that is taken back. */
export class RolledBack<A> extends Data.TaggedError("RolledBack")<{ readonly found: A }> {}
