/** Two rooms of one operator with their own prices and extras, and a room of another operator. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Audit } from "../../src/ops/audit/Audit.ts"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { VisitOffers } from "../../src/domain/payment/changes/VisitChanges.ts"
import type { Package } from "../../src/domain/catalogue/Package.ts"
import type { Playroom } from "../../src/domain/catalogue/Playroom.ts"
import { changeVisit, type VisitChange } from "./Acts.ts"
import { importVenue, setClock } from "./BookingWorld.ts"
import { bookOption, rowOf } from "./moveWorld.ts"
import { emptyPaymentWorld, now, payBooking } from "./PaymentWorld.ts"
import { packageWith, testId, venueWith } from "./venues.ts"

const prices = { included_children: 12, extra_child: 0, adult: 0, rules: [] }
const party = packageWith({
  name: "Party",
  mode: "exclusive",
  duration_minutes: 120,
  setup_minutes: 15,
  cleanup_minutes: 15,
  max_children: 12,
  schedule: { times: ["10:00", "15:00"] },
  cancellation: [{ hours_before: 24, refund_percent: 100 }],
  free_reschedule_hours_before: 7 * 24
})
const play = packageWith({ name: "Play", max_children: 12, schedule: { times: ["10:00", "15:00"] } })
const deposit = { kind: "deposit", balance_due_hours_before: 24, refundable: true } as const

const packages = (n: number, price: { readonly party: number; readonly child: number }): ReadonlyArray<Package> => [
  { ...party, package_id: testId.package(n), pricing: { ...prices, base: price.party } },
  {
    ...party,
    package_id: testId.package(n + 1),
    name: "Deposit party",
    pricing: { ...prices, base: price.party },
    payment: { ...deposit, deposit: { amount: 5000 } }
  },
  {
    ...play,
    package_id: testId.package(n + 2),
    pricing: { ...prices, included_children: 0, base: 0, extra_child: price.child }
  },
  { ...play, package_id: testId.package(n + 3), name: "Free play", pricing: { ...prices, base: 0 } }
]

/** £200 a party, £7.50 a child. */
export const red = venueWith(
  { playroom_id: testId.playroom(41), name: "Red Room", address: "1 High Street", capacity: 12 },
  packages(410, { party: 20_000, child: 750 }),
  [
    {
      add_on_id: testId.addOn(411),
      name: "Bubble machine",
      unit: "per_item",
      unit_amount: 1200,
      max_quantity: 2,
      stock: 2
    },
    { add_on_id: testId.addOn(412), name: "Cake", unit: "per_booking", unit_amount: 3000, max_quantity: 1 },
    { add_on_id: testId.addOn(413), name: "Host", unit: "per_child", unit_amount: 300, max_quantity: 1 }
  ]
)
/** £260 a party, £7 a child; one bubble machine, and no host. */
export const blue = venueWith(
  { playroom_id: testId.playroom(42), name: "Blue Room", address: "2 High Street", capacity: 12 },
  packages(420, { party: 26_000, child: 700 }),
  [
    {
      add_on_id: testId.addOn(421),
      name: "bubble machine ",
      unit: "per_item",
      unit_amount: 1500,
      max_quantity: 1,
      stock: 1
    },
    { add_on_id: testId.addOn(422), name: "Cake", unit: "per_booking", unit_amount: 3500, max_quantity: 1 }
  ]
)
/** The same of somebody else. */
export const strange = {
  ...venueWith(
    { playroom_id: testId.playroom(43), operator_id: testId.operator(8), name: "Strange Room", capacity: 12 },
    packages(430, { party: 20_000, child: 750 })
  ),
  operator: { ...red.operator, operator_id: testId.operator(8), name: "Others Ltd", connected_account_id: "acct_8" }
}

export const roomWorld = Layer.effectDiscard(Effect.andThen(setClock(now), importVenue(red, blue, strange))).pipe(
  Layer.provideMerge(Audit.layer),
  Layer.provideMerge(emptyPaymentWorld())
)

/** A package by its name, of one of the rooms. */
export const packageOf = ({ packages }: { readonly packages: ReadonlyArray<Package> }, name = "Party"): Package =>
  packages.find((pkg) => pkg.name === name) ?? packageWith({})

/** The option of a booking's party in another room, at its own start or another one. */
export const optionIn = Effect.fnUntraced(function* (
  booking: Parameters<typeof rowOf>[0],
  room: { readonly playroom: Playroom; readonly packages: ReadonlyArray<Package> },
  at?: { readonly date: string; readonly time: string },
  name?: string
) {
  const row = yield* rowOf(booking)
  const pkg = packageOf(room, name ?? row.terms.package_name)
  const [date = "", time = ""] = new Date(row.starts_at).toISOString().slice(0, 16).split("T")
  return yield* VisitOffers.use((offers) => offers.optionAt(row, at?.date ?? date, at?.time ?? time, pkg.package_id))
})

/** Moves a booking to another room as its operator. */
export const moveTo = Effect.fnUntraced(function* (
  booking: Parameters<typeof rowOf>[0],
  room: Parameters<typeof optionIn>[1],
  more: Partial<VisitChange> = {},
  at?: Parameters<typeof optionIn>[2]
) {
  const option_id = yield* optionIn(booking, room, at)
  return yield* changeVisit(booking.booking_id, {
    option_id,
    preview: false,
    by: "operator",
    reason: "A pipe broke",
    ...more
  })
})

/** A paid party in the red room with all its extras: machines, a cake and a host. */
export const bookedInRed = Effect.fnUntraced(function* (date: string, machines = 1) {
  const { options } = yield* BookingOptions.use((service) =>
    service.list({
      playroom_id: red.playroom.playroom_id,
      package_id: packageOf(red).package_id,
      date,
      children: 8,
      add_ons: red.add_ons.map(({ add_on_id, unit }) => ({ add_on_id, quantity: unit === "per_item" ? machines : 1 }))
    })
  )
  const booking = yield* bookOption(options[0]?.option_id ?? assert.fail(`no option on ${date}`))
  yield* payBooking(booking)
  return yield* rowOf(booking)
})
