/** Requests options and books them, and checks the answers by the model. `alone`: nothing runs concurrently. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { venuePrincipal, waitingPrincipal } from "../../src/platform/access/ApiKeys.ts"
import type { BookingRow } from "../../src/domain/booking/Booking.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { BookingId } from "../../src/platform/ids/Ids.ts"
import { venueBookings } from "../../src/domain/payment/changes/VenueBookings.ts"
import { PaymentSessions } from "../../src/domain/payment/sessions/PaymentSessions.ts"
import { Checkout } from "../../src/domain/payment/checkout/Checkout.ts"
import { principal } from "../support/BookingWorld.ts"
import type { VisitRequest } from "./actions.ts"
import {
  addOnsOf,
  atTheEdge,
  code,
  days,
  fitsBeside,
  freeBeside,
  isCodeLeft,
  kinds,
  operator_id,
  placesOf,
  priceOf,
  roomOf,
  taxesOf,
  tooSoon,
  type Visit
} from "./hall.ts"
import { isLapsed, mayGoToOthers, usersOf, visitsOn } from "./invariants.ts"
import { agreedOf, type Booked, isOpen, type Ledger, putIntoTill, type Request, type Seen } from "./Ledger.ts"
import { answersTo, argsOf, contactOf } from "./repeatedRequests.ts"
import { Outside } from "./world.ts"

const keyName = (key: number) => `key_${"abc"[key] ?? "a"}`

/** The key of bookings that staff make. */
export const venueKey = "venue"

/** Whether the key stands for a waiting list: its name is the room's. */
export const isOfWaitingList = (key: string): boolean => key.startsWith("playroom_")

/** Who calls by a key: staff at the desk, a waiting list, or a family's assistant. */
export const whoIs = (key: string) =>
  key === venueKey ? venuePrincipal(operator_id, "Ann") : isOfWaitingList(key) ? waitingPrincipal(key) : principal(key)

/** The options of a requested visit, checked for the expected price and places. */
export const listOptions = Effect.fnUntraced(function* (ledger: Ledger, wish: VisitRequest, alone: boolean) {
  const world = yield* Outside
  const it = kinds[wish.kind] ?? assert.fail("no such kind")
  const before = ledger.last
  const { playroom_id } = roomOf(wish.kind)
  const { children, day, extras, kind } = wish
  const ages = wish.ages?.slice(0, children)
  const isLeft = isCodeLeft(kind, ledger.edition, usersOf(ledger, before, world.now).length)
  const visitAt = (start: number): Visit => ({ kind, day, start, children, extras, ages, code: undefined })
  const add_ons = addOnsOf(kind, extras)
  const { options } = yield* BookingOptions.use((service) =>
    service.list({
      playroom_id,
      package_id: it.package_id,
      date: days[day] ?? "",
      children,
      ...(ages === undefined ? {} : { child_ages: ages }),
      ...(wish.code === undefined ? {} : { code: wish.code }),
      ...(add_ons.length === 0 ? {} : { add_ons })
    })
  )
  const seen = options.map((option): Seen => {
    const less = option.price.lines.some(({ label }) => label.includes(code.code))
    if (alone) assert.strictEqual(less, isLeft && wish.code === code.code, "whether the code is left")
    const visit = { ...visitAt(Date.parse(option.start)), ...(less ? { code: code.code } : {}) }
    return { visit, edition: ledger.edition, option }
  })
  for (const { option, visit } of seen) {
    const { price } = option
    assert.strictEqual(
      price.lines.reduce((sum, { amount }) => sum + amount, 0),
      price.total
    )
    assert.strictEqual(price.due_now + (price.balance_due ?? 0), price.total)
    if (!alone) continue
    const { due, total } = priceOf(visit, world.now, ledger.edition)
    assert.deepStrictEqual([price.total, price.due_now], [total, due])
    const tax = taxesOf(visit, ledger.edition).reduce((sum, one) => sum + one.tax, 0)
    assert.strictEqual(price.tax.amount, tax, "the tax in a price, or on top of it")
    const [room] = placesOf(visit, ledger.sizes)
    if (it.exclusive || room === undefined) continue
    const free = freeBeside(visitsOn(ledger, before, world.now), room, ledger.sizes)
    assert.strictEqual(option.places_left, free, "places left")
  }
  if (alone) {
    const all = it.times.map((time) => Date.parse(`${days[day] ?? ""}T${time}:00Z`))
    const bookable = all.filter((start) => {
      const visit = visitAt(start)
      const others = visitsOn(ledger, before, world.now)
      return isOpen(ledger, visit) && !tooSoon(visit, world.now) && fitsBeside(others, visit, ledger.sizes)
    })
    assert.deepStrictEqual(
      seen.map(({ visit }) => visit.start),
      bookable,
      "what is shown is what can be had"
    )
  }
  ledger.options.push(...seen)
  return seen
})

/** The possible answers of a call: error tags, ids of existing bookings, or "new". */
const expectedAnswers = Effect.fnUntraced(function* (ledger: Ledger, request: Request) {
  const world = yield* Outside
  const now = ledger.last
  const { idempotency_key, key, seen } = request
  if (idempotency_key !== undefined) {
    const known = ledger.bookingKeys.get(`${key} ${idempotency_key}`)
    if (known !== undefined) return [known.args === argsOf(request) ? known.booking_id : "IdempotencyConflict"]
  }
  const alive = answersTo(ledger, request, ({ booking_id }) => {
    const row = now.bookings.find((found) => found.booking_id === booking_id)
    return (
      row !== undefined && (row.status === "confirmed" || (row.status === "held" && !isLapsed(now, row, world.now)))
    )
  })
  if (alive.length > 0) return alive.map(({ booking_id }) => booking_id)
  const { option, visit } = seen
  if (visit.start <= world.now) return ["OptionInvalid"]
  const others = visitsOn(ledger, now, world.now)
  const free = isOpen(ledger, visit) && !tooSoon(visit, world.now) && fitsBeside(others, visit, ledger.sizes)
  if (!free) return ["SlotUnavailable"]
  const isLeft = isCodeLeft(visit.kind, ledger.edition, usersOf(ledger, now, world.now).length)
  const price = priceOf(isLeft ? visit : { ...visit, code: undefined }, world.now, ledger.edition)
  const answer = price.total === option.price.total && price.due === option.price.due_now ? "new" : "PriceChanged"
  const waitedFor = key !== venueKey && mayGoToOthers(ledger, now, visit, world.now)
  return waitedFor ? [answer, "SlotUnavailable"] : [answer]
})

/** What was paid when staff made the booking: they are told no number of it. */
const notePaidThere = Effect.fnUntraced(function* (ledger: Ledger, booking_id: string) {
  const all = yield* PaymentSessions.use((sessions) => sessions.ofBooking(BookingId.make(booking_id)))
  const booking = ledger.bookings.find((one) => one.booking_id === booking_id) ?? assert.fail("no such booking")
  const noted = new Set(ledger.till.map(({ payment_session_id }) => payment_session_id))
  const found = all.find(({ payment_session_id, way }) => way !== "link" && !noted.has(payment_session_id))
  if (found === undefined) return
  const { amount, payment_session_id, purpose } = found
  putIntoTill(ledger, { payment_session_id, booking, purpose, amount })
  const { due_now, total } = agreedOf(booking)
  if (purpose === "due_now" && amount !== due_now)
    booking.agreed = { total, due_now: amount, settled: new Set([payment_session_id]), balanceDueAt: undefined }
})

/** Notes a booking that a call answered with. */
export const noteMade = (
  ledger: Ledger,
  request: Request,
  { booking_id, reference }: Pick<BookingRow, "booking_id" | "reference">,
  already_existed: boolean
): void => {
  const there = ledger.bookings.find((booked) => booked.booking_id === booking_id)
  // Of concurrent calls, the one that made it may be answered last.
  if (there !== undefined && !already_existed) there.request = request
  if (there !== undefined) return
  ledger.bookings.push({
    booking_id,
    reference,
    request,
    origin: request.seen,
    contacts: [contactOf(request)],
    agreed: undefined,
    credit: 0,
    moved: undefined,
    given: undefined,
    goodwill: 0,
    mark: null,
    cancelled: undefined,
    confirmed: undefined,
    released: undefined,
    excused: false,
    wasOver: false
  })
}

/** Makes the call and records its result. */
export const create = Effect.fnUntraced(function* (ledger: Ledger, request: Request, notes?: string) {
  const { as, idempotency_key, key, seen } = request
  const wanted = {
    option_id: seen.option.option_id,
    contact: contactOf(request),
    ...(seen.visit.ages === undefined ? {} : { child_ages: seen.visit.ages }),
    ...(as === "another" ? { another: true } : {}),
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
    ...(notes === undefined ? {} : { notes })
  }
  const desk = yield* venueBookings
  const bookings = yield* Bookings
  const calls = bookings.create(principal(key), wanted)
  const made = yield* Effect.result(
    key === venueKey
      ? desk.make({ operator_id, who: { as: "operator", name: "Ann" }, paid: request.paid, request: wanted })
      : Effect.map(calls, ({ already_existed, row }) => ({ already_existed, booking: row, unpaid: false }))
  )
  if (Result.isFailure(made)) {
    const { now } = yield* Outside
    const { outage } = yield* ScriptedGateway
    // At the last moment, time passes in the database alone: the model's clock stands still.
    const edge = atTheEdge(seen.visit, now) ? ["KeepsChanging"] : []
    assert.include(
      [
        "OptionInvalid",
        "PriceChanged",
        "SlotUnavailable",
        "IdempotencyConflict",
        ...edge,
        ...(outage === "account_closed" ? ["OperatorUnavailable"] : [])
      ],
      made.failure._tag
    )
    return made.failure._tag
  }
  const { already_existed, booking } = made.success
  const { booking_id } = booking
  noteMade(ledger, request, booking, already_existed)
  if (request.paid !== undefined) yield* notePaidThere(ledger, booking_id)
  if (idempotency_key !== undefined) {
    const name = `${key} ${idempotency_key}`
    const known = ledger.bookingKeys.get(name)
    if (known !== undefined)
      assert.deepStrictEqual(known, { args: argsOf(request), booking_id }, "one key, one booking")
    ledger.bookingKeys.set(name, { args: argsOf(request), booking_id })
  }
  return booking_id
})

/** Makes the same call several times at once. All get the same answer. */
export const createAtOnce = Effect.fnUntraced(function* (
  ledger: Ledger,
  request: Request,
  times: number,
  alone: boolean
) {
  const expected = yield* expectedAnswers(ledger, request)
  const known = new Set(ledger.bookings.map(({ booking_id }) => booking_id))
  const answers = yield* Effect.all(
    Array.from({ length: times }, () => create(ledger, request)),
    { concurrency: "unbounded" }
  )
  const booked = new Set(answers.filter((answer) => answer.startsWith("booking_")))
  assert.isAtMost(booked.size, 1, "one call, one booking")
  const world = yield* Outside
  if (!alone || atTheEdge(request.seen.visit, world.now)) return
  assert.strictEqual(new Set(answers).size, 1, `answers: ${answers.join(", ")}`)
  const [answer = ""] = answers
  const { paid, seen } = request
  const { due_now, total } = seen.option.price
  const isNew = booked.size === 1 && !known.has(answer)
  assert.include(expected, isNew ? "new" : answer)
  if (isNew) {
    const taken = ledger.till.filter(({ booking }) => booking.booking_id === answer).map(({ amount }) => amount)
    const wanted = paid === undefined ? 0 : paid.amount === "total" ? total : due_now
    assert.deepStrictEqual(taken, wanted === 0 ? [] : [wanted], "what was paid when staff booked")
  }
})

export const requestOf = (seen: Seen, who: Pick<VisitRequest, "as" | "key" | "email" | "idem">): Request => ({
  key: keyName(who.key),
  email: `payer${who.email}`,
  seen,
  as: who.as,
  idempotency_key: who.idem === undefined ? undefined : `k${who.idem}`
})

export const another = (key: string) => (key === "key_a" ? "key_b" : "key_a")

/** Another key requests a booking and a payment page for it. Both fail as if the booking did not exist. */
export const peek = Effect.fnUntraced(function* ({ booking_id, contacts, reference, request }: Booked) {
  const contact_email = contacts.at(-1)?.email ?? ""
  const bookings = yield* Bookings
  const payments = yield* Checkout
  const who = principal(another(request.key))
  const answers = yield* Effect.all([
    Effect.flip(bookings.find(who, booking_id)),
    Effect.flip(bookings.lookUp(who, { reference, contact_email })),
    Effect.flip(payments.createSession(who, { booking_id: BookingId.make(booking_id) }))
  ])
  for (const { _tag } of answers) assert.strictEqual(_tag, "BookingNotFound")
  const own = yield* bookings.lookUp(whoIs(request.key), { reference, contact_email })
  assert.strictEqual(own.row.booking_id, booking_id)
})
