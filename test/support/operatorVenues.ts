/** An operator with playrooms in two time zones and extras, and the bookings that its pages show. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import type { BookingRow } from "../../src/domain/booking/Booking.ts"
import type { AddOn, Package } from "../../src/domain/catalogue/Package.ts"
import type { Playroom, Venue } from "../../src/domain/catalogue/Playroom.ts"
import { principal } from "./BookingWorld.ts"
import { actAtProvider, deliverAndApply, openSession } from "./PaymentWorld.ts"
import { sessionEvent } from "./providerEvents.ts"
import { packages } from "./paymentVenues.ts"
import { testId, venueWith } from "./venues.ts"

const operator: Venue["operator"] = {
  operator_id: testId.operator(7),
  name: "Bounce & Co",
  connected_account_id: "acct_7",
  application_fee_percent: 0
}

const bubbles: AddOn = {
  add_on_id: testId.addOn(70),
  name: "Bubble machine",
  unit: "per_item",
  unit_amount: 1500,
  max_quantity: 4,
  stock: 4
}
const cake: AddOn = {
  add_on_id: testId.addOn(71),
  name: "Cake",
  unit: "per_child",
  unit_amount: 300,
  max_quantity: 1
}

const room = (n: number, playroom: Partial<Playroom>): Venue => {
  const times = { schedule: { times: ["10:00", "12:30", "15:00"] } }
  const own = (pkg: Package, k: number): Package => ({ ...pkg, ...times, package_id: testId.package(n * 10 + k) })
  return {
    ...venueWith(
      { playroom_id: testId.playroom(n), operator_id: operator.operator_id, ...playroom },
      [own(packages.party, 1), own(packages.depositParty, 2), own(packages.trustedParty, 3)],
      [
        { ...bubbles, add_on_id: testId.addOn(n * 10) },
        { ...cake, add_on_id: testId.addOn(n * 10 + 1) }
      ]
    ),
    operator
  }
}

export const hall = room(70, { name: "Great Hall" })
export const loft = room(71, { name: "Attic & Loft" })
export const sydney = room(72, { name: "Sydney Side", time_zone: "Australia/Sydney", country: "AU", city: "Sydney" })

/** `paid`: all is due when booking; `deposit`: a part of it; `trusted`: nothing. */
type Way = "paid" | "deposit" | "trusted"
const ways: Readonly<Record<Way, number>> = { paid: 1, deposit: 2, trusted: 3 }

/** Books a party there. Where nothing is due it is confirmed, else held. */
export const bookAt = Effect.fnUntraced(function* (
  { playroom, add_ons }: Venue,
  date: string,
  time: string,
  way: Way,
  more: {
    readonly name?: string
    readonly notes?: string
    readonly phone?: string
    readonly child_ages?: ReadonlyArray<number>
    readonly bubbles?: number
    readonly cake?: boolean
    readonly children?: number
  } = {}
) {
  const [bubbleMachine, birthdayCake] = add_ons
  const { options } = yield* BookingOptions.use((service) =>
    service.list({
      playroom_id: playroom.playroom_id,
      package_id: testId.package(Number(playroom.playroom_id.slice(-2)) * 10 + ways[way]),
      date,
      children: more.children ?? 8,
      adults: 2,
      add_ons: [
        ...(more.bubbles === undefined || bubbleMachine === undefined
          ? []
          : [{ add_on_id: bubbleMachine.add_on_id, quantity: more.bubbles }]),
        ...(more.cake === true && birthdayCake !== undefined
          ? [{ add_on_id: birthdayCake.add_on_id, quantity: 1 }]
          : [])
      ]
    })
  )
  const option =
    options.find(({ start }) => start.includes(`T${time}`)) ?? assert.fail(`no option on ${date} at ${time}`)
  const name = more.name ?? "Ana Lima"
  const { row } = yield* Bookings.use((service) =>
    service.create(principal("key_a"), {
      option_id: option.option_id,
      contact: {
        name,
        email: `${name.toLowerCase().replaceAll(/[^a-z]/g, "")}.${date}.${time.replace(":", "")}@example.com`,
        ...(more.phone === undefined ? {} : { phone: more.phone })
      },
      ...(more.notes === undefined ? {} : { notes: more.notes }),
      ...(more.child_ages === undefined ? {} : { child_ages: more.child_ages }),
      idempotency_key: `${playroom.playroom_id} ${date} ${time} ${name}`
    })
  )
  return row
})

/** Pays what is due now, or the balance, and delivers the event. */
export const payAt = Effect.fnUntraced(function* (
  booking: Pick<BookingRow, "booking_id">,
  purpose: "due_now" | "balance" = "due_now"
) {
  const said = yield* actAtProvider(yield* openSession(booking, purpose), "pay")
  yield* deliverAndApply(sessionEvent("checkout.session.completed", said, { account: operator.connected_account_id }))
})
