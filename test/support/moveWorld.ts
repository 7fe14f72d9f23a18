/**
 * A hall in which bookings move, and the steps of their tests. Prices: £200 on weekdays, £240 at weekends, £10 on 8
 * December, £200.20 on 22 December.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { BookingRow } from "../../src/domain/booking/Booking.ts"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import type { Package } from "../../src/domain/catalogue/Package.ts"
import type { Playroom } from "../../src/domain/catalogue/Playroom.ts"
import type { BookingChanges } from "../../src/domain/payment/changes/BookingChanges.ts"
import { paymentServices } from "../../src/domain/payment/PaymentLayers.ts"
import { changeVisit, type VisitChange } from "./Acts.ts"
import { contact, importVenue, principal, setClock } from "./BookingWorld.ts"
import { actAtProvider, deliverAndApply, emptyPaymentWorld, now, openSession, payBooking } from "./PaymentWorld.ts"
import { sessionEvent } from "./providerEvents.ts"
import { bubbleMachine, packageWith, testId, venueWith } from "./venues.ts"

const party = packageWith({
  package_id: testId.package(921),
  name: "Party",
  mode: "exclusive",
  duration_minutes: 120,
  setup_minutes: 15,
  cleanup_minutes: 15,
  max_children: 12,
  pricing: {
    base: 20_000,
    included_children: 12,
    extra_child: 0,
    adult: 0,
    rules: [
      { label: "Weekend", weekdays: ["saturday", "sunday"], change: { amount: 4000 } },
      { label: "Try us", date_from: "2026-12-08", date_to: "2026-12-08", change: { amount: -19_000 } },
      { label: "A little more", date_from: "2026-12-22", date_to: "2026-12-22", change: { amount: 20 } }
    ]
  },
  schedule: { times: ["10:00", "11:00", "15:00"] },
  cancellation: [
    { hours_before: 14 * 24, refund_percent: 100 },
    { hours_before: 24, refund_percent: 50 }
  ],
  final_headcount_hours_before: 48,
  free_reschedule_hours_before: 7 * 24
})
const depositParty: Package = {
  ...party,
  package_id: testId.package(922),
  payment: { kind: "deposit", deposit: { amount: 5000 }, balance_due_hours_before: 24, refundable: false }
}
const trustedParty: Package = {
  ...party,
  package_id: testId.package(923),
  payment: { kind: "deposit", deposit: { amount: 0 }, balance_due_hours_before: 24, refundable: true }
}
/** Its rest is paid at the venue. */
const venueParty: Package = {
  ...party,
  package_id: testId.package(986),
  payment: {
    kind: "deposit",
    deposit: { amount: 5000 },
    balance_due_hours_before: 0,
    balance: "at_venue",
    refundable: false
  }
}
/** Its terms give no free move. */
const { free_reschedule_hours_before: _, ...withoutMoves } = party
const fixedParty: Package = { ...withoutMoves, package_id: testId.package(924) }
const play = packageWith({
  package_id: testId.package(925),
  name: "Play",
  max_children: 12,
  schedule: { times: ["10:00", "15:00"] },
  free_reschedule_hours_before: 24
})

export const movable = { party, depositParty, trustedParty, fixedParty, play, venueParty }
export const hall = venueWith(
  { playroom_id: testId.playroom(92), name: "Move Hall", capacity: 12 },
  Object.values(movable),
  [bubbleMachine]
)
/** The same terms in another playroom. */
export const otherHall = venueWith({ playroom_id: testId.playroom(93), name: "Other Hall", capacity: 12 }, [
  { ...party, package_id: testId.package(931) }
])

/** The payment services with the two halls. */
export const moveWorld = Layer.effectDiscard(Effect.andThen(setClock(now), importVenue(hall, otherHall))).pipe(
  Layer.provideMerge(emptyPaymentWorld())
)

/** The id of an option, which must be free. */
export const optionOn = Effect.fnUntraced(function* (
  date: string,
  time = "10:00",
  more: {
    readonly pkg?: Package
    readonly children?: number
    readonly machines?: number
    readonly playroom_id?: Playroom["playroom_id"]
  } = {}
) {
  const { children = 8, machines = 0, pkg = party, playroom_id = hall.playroom.playroom_id } = more
  const { options } = yield* BookingOptions.use((service) =>
    service.list({
      playroom_id,
      package_id: pkg.package_id,
      date,
      children,
      ...(machines === 0 ? {} : { add_ons: [{ add_on_id: bubbleMachine.add_on_id, quantity: machines }] })
    })
  )
  const found = options.find(({ start }) => start.slice(11, 16) === time)
  return found?.option_id ?? assert.fail(`no option on ${date} at ${time}`)
})

let buyers = 0
/** Books an option, and answers the row. */
export const bookOption = (option_id: string, name = `mover${++buyers}`) =>
  Effect.map(
    Bookings.use((bookings) => bookings.create(principal(), { option_id, contact: contact(name) })),
    ({ row }) => row
  )

/** A booking of an option on a date, made at `now` and paid. */
export const confirmedOn = Effect.fnUntraced(function* (date: string, time = "10:00", pkg: Package = party) {
  yield* setClock(now)
  const booking = yield* bookOption(yield* optionOn(date, time, { pkg }))
  if (booking.status === "held") yield* payBooking(booking)
  return yield* rowOf(booking)
})

/**
 * The payer pays on a page of which the service has heard that it closed; the event about the payment is still to come.
 */
export const paidOnClosedPage = Effect.fnUntraced(function* (booking: BookingRow) {
  const page = yield* openSession(booking, "balance")
  const said = yield* actAtProvider(page, "pay")
  yield* deliverAndApply(sessionEvent("checkout.session.expired", { ...said, payment_status: "unpaid" }))
  return { page, arrives: deliverAndApply(sessionEvent("checkout.session.completed", said)) }
})

/** The booking as it is now. */
export const rowOf = ({ booking_id }: Pick<BookingRow, "booking_id">) =>
  Bookings.use((bookings) => bookings.get(booking_id))

/** Moves a booking as its operator, at a person's word. */
export const moveBooking = (
  { booking_id }: Pick<BookingRow, "booking_id">,
  option_id: string,
  more: Partial<VisitChange> = {}
) => changeVisit(booking_id, { option_id, preview: false, by: "operator", reason: "They asked", ...more })

/** Where the places of a booking are: resource, units, from and to. */
export const placesOf = Effect.fnUntraced(function* ({ booking_id }: Pick<BookingRow, "booking_id">) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{
    readonly resource_id: string
    readonly units: string
    readonly starts: Date
    readonly ends: Date
  }>`
    select resource_id, units::text, lower(during) as starts, upper(during) as ends from occupancy
    where booking_id = ${booking_id} order by resource_id`
  return rows.map(({ ends, resource_id, starts, units }) => ({
    resource_id,
    units,
    starts: new Date(starts).toISOString(),
    ends: new Date(ends).toISOString()
  }))
})

/** Each booking that stands has the places of its visit and its party, and no unit is taken twice. */
export const placesAreRight = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wrong = yield* sql`select b.booking_id, b.children, b.terms -> 'claims' as claims, taken.rows from booking b
    cross join lateral (select coalesce(jsonb_object_agg(o.resource_id,
        (select sum(upper(u) - lower(u)) from unnest(o.units) u)), '{}') as rows
      from occupancy o where o.booking_id = b.booking_id and lower(o.during) <= b.starts_at and upper(o.during) >= b.ends_at) taken
    where taken.rows <> case when b.status in ('held', 'confirmed') then
      (select jsonb_object_agg(c ->> 'resource_id', c -> 'quantity') from jsonb_array_elements(b.terms -> 'claims') c) else '{}' end
      or b.terms ->> 'mode' = 'shared' and b.status in ('held', 'confirmed') and (taken.rows ->> b.playroom_id)::int <> b.children`
  const twice = yield* sql`select a.booking_id from occupancy a join occupancy b
    on a.resource_id = b.resource_id and a.units && b.units and a.during && b.during and a.ctid < b.ctid`
  assert.deepStrictEqual([wrong, twice], [[], []])
})

/** Another node: services of its own, which know nothing of what is under way in this process. */
export const elsewhere = Effect.provide(Layer.fresh(paymentServices))

/** Does something on another node, and something else here just before its first `times` transactions that write. */
export const overtakenBy = Effect.fnUntraced(function* <A, B, E, F, R>(
  one: Effect.Effect<A, E, BookingChanges>,
  meanwhile: Effect.Effect<B, F, R>,
  times = 1
) {
  const sql = yield* SqlClient.SqlClient
  const here = yield* Effect.context<R>()
  let left = 0
  const withTransaction: typeof sql.withTransaction = (work) =>
    Effect.flatMap(SqlClient.BeginTransaction, (begin) => {
      if (begin !== undefined || left === 0) return sql.withTransaction(work)
      left -= 1
      return Effect.andThen(Effect.orDie(Effect.provideContext(meanwhile, here)), sql.withTransaction(work))
    })
  const overtaken = new Proxy(sql, {
    get: (all, name) => (name === "withTransaction" ? withTransaction : Reflect.get(all, name))
  })
  const node = yield* Layer.build(
    Layer.fresh(paymentServices).pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, overtaken)))
  )
  left = times
  return yield* Effect.provideContext(one, node)
}, Effect.scoped)
