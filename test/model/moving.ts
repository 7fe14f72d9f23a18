/** Bookings are moved, and their parties change; the model checks the answers. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { priceOption } from "../../src/domain/availability/BookingOption.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import type { PartyChange } from "../../src/domain/booking/ChangePlan.ts"
import { waivedIn } from "../../src/domain/catalogue/Pricing.ts"
import { VisitOffers } from "../../src/domain/payment/changes/VisitChanges.ts"
import { changeVisit } from "../support/Acts.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import {
  addOnsOf,
  atTheEdge,
  balanceDueAt,
  days,
  fitsBeside,
  kinds,
  partyOf,
  priceOf,
  soldAs,
  tooSoon,
  type Visit
} from "./hall.ts"
import type { Action } from "./actions.ts"
import { press, type Pressed } from "./press.ts"
import { asOf, visitsOn } from "./invariants.ts"
import { agreedOf, type Booked, dueWhen, isOpen, type Ledger, nth, type Seen, termsOf } from "./Ledger.ts"
import { backAtProvider } from "./cancelling.ts"
import { isPaidFor } from "./paying.ts"
import { returnedInRows } from "./views.ts"
import { takeSnapshot } from "./snapshot.ts"
import { Outside } from "./world.ts"

const refusals = [
  "ChangedSinceShown",
  "ChangeUnderWay",
  "BookingCancelled",
  "HoldExpired",
  "KeepsChanging",
  // It names an extra of the room in which the booking was.
  "InvalidArguments",
  "ChangeRefused",
  "OptionInvalid",
  "OperatorUnavailable",
  "PriceChanged",
  "SlotUnavailable"
]

/** The provider charges no fewer pence (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). */
export const smallestCharge = 30

/** Whether a visit has the package and the start of a booking: it only has another party. */
export const keepsStart = (from: Visit, to: Visit): boolean => from.kind === to.kind && from.start === to.start

/** Whether a visit is a booking's own with a party that has all of its places and extras already. */
const takesNoMore = (from: Visit, to: Visit): boolean =>
  keepsStart(from, to) && to.children <= from.children && to.extras.every((n, i) => n <= (from.extras[i] ?? 0))

/**
 * Who asks for a change: a family by its page, staff at the desk, each by what was shown; or the operator by command.
 */
export type By = "family" | "desk" | "command"

export const asked = (
  booking_id: string,
  by: By,
  wish: { readonly option_id: string } | { readonly party: PartyChange }
) => {
  const who = by === "family" ? ({ by } as const) : ({ by: "operator", reason: "Asked" } as const)
  const run = (how: Pressed) =>
    changeVisit(booking_id, { ...who, ...wish, ...how, ...(by === "desk" ? { done_by: "Ann" } : {}) })
  return by === "command" ? run({ preview: false }) : press(run, by === "desk" ? 2 : 1)
}

/** The option of a visit today, free or not. */
const optionOf = Effect.fnUntraced(function* (ledger: Ledger, visit: Visit) {
  const { now } = yield* Outside
  const { pkg, venue } = soldAs(visit, ledger.edition, ledger.sizes)
  const option = priceOption(venue, partyOf(visit), { pkg, start: visit.start, places_left: 0 }, now)
  const seen = { visit, edition: ledger.edition, option }
  // A later call may ask for this option again, as after a move.
  ledger.options.push(seen)
  return { seen, package_id: pkg.package_id }
})

const optionById = ({ options }: Ledger, id: string) => options.find(({ option }) => option.option_id === id)

/**
 * The option that a booking has, where the clock went on beside the change, or where two changes at once made a visit of
 * both: the start of one, and the party of the other.
 */
const atThisMoment = Effect.fnUntraced(function* (
  ledger: Ledger,
  {
    children,
    option_id,
    starts_at
  }: { readonly option_id: string; readonly children: number; readonly starts_at: number }
) {
  const unlike = (all: ReadonlyArray<Visit>) => new Map(all.map((visit) => [JSON.stringify(visit), visit])).values()
  const known = [...unlike(ledger.options.map(({ visit }) => visit))]
  for (const visit of known) yield* optionOf(ledger, visit)
  const found = optionById(ledger, option_id)
  if (found !== undefined) return found
  const starts = new Map(known.map((one) => [`${one.kind} ${one.start}`, one]))
  const parties = known.filter((one) => one.children === children)
  for (const { day, kind, start } of starts.values()) {
    if (start !== starts_at) continue
    for (const visit of unlike(parties.map((party) => ({ ...party, day, kind, start })))) {
      const before = ledger.options.length
      yield* optionOf(ledger, visit)
      if (ledger.options.at(-1)?.option.option_id === option_id) return ledger.options.at(-1)
      ledger.options.length = before
    }
  }
  return undefined
})

/** Notes what a booking is after a change. `paid`: by then; `dueBefore`: when its balance stays due, if it does. */
export const noteMoved = Effect.fnUntraced(function* (
  ledger: Ledger,
  booked: Booked,
  { paid, refund, total }: { readonly paid: number; readonly total: number; readonly refund: number },
  {
    by,
    dueBefore,
    from,
    terms,
    visit
  }: {
    readonly from: Visit
    readonly visit: Visit
    readonly terms: Visit
    readonly by: By
    readonly dueBefore: number | undefined
  }
) {
  const world = yield* Outside
  // Of concurrent changes, the last one done may not be answered last.
  const now = yield* Bookings.use((bookings) => bookings.get(booked.booking_id))
  const found =
    optionById(ledger, now.option_id) ?? (yield* atThisMoment(ledger, now)) ?? assert.fail("an unknown option")
  const where = asOf(booked, found, now)
  booked.request = { ...booked.request, seen: where }
  booked.agreed = {
    total: now.total,
    due_now: now.due_now,
    balanceDueAt:
      now.due_now === now.total ? undefined : (dueBefore ?? balanceDueAt(where.visit, world.now, ledger.edition)),
    settled: new Set(now.terms.settled_sessions)
  }
  booked.credit = now.terms.credit ?? 0
  const isParty = keepsStart(from, visit)
  const countedFrom = booked.moved?.terms.start ?? terms.start
  booked.moved = {
    owed: Math.max(booked.moved?.owed ?? 0, paid - total + booked.goodwill),
    back: (booked.moved?.back ?? 0) + refund,
    most: Math.max(booked.moved?.most ?? 0, paid - (booked.moved?.back ?? 0)),
    terms: { ...terms, start: isParty || by !== "family" ? countedFrom : Math.min(countedFrom, visit.start) }
  }
  // A mark was of the visit at the former start.
  if (visit.start !== from.start) booked.mark = null
})

/** Changes a booking to a visit, and checks and records the result. `sold`: whether its option can be booked today. */
const change = Effect.fnUntraced(function* (
  ledger: Ledger,
  booked: Booked,
  { option, visit }: Seen,
  by: By,
  wish: { readonly option_id: string } | { readonly party: PartyChange },
  alone: boolean
) {
  const world = yield* Outside
  const provider = yield* ScriptedGateway
  const before = ledger.last
  const { booking_id } = booked
  const row = before.bookings.find((one) => one.booking_id === booking_id)
  const from = booked.request.seen.visit
  const agreed = agreedOf(booked)
  const terms = termsOf(booked)
  const settled = isPaidFor(ledger, provider, booked, "balance") ? agreed.total : agreed.due_now
  const price = priceOf(visit, world.now, ledger.edition)
  const isParty = keepsStart(from, visit)
  const waivedBefore = row === undefined ? 0 : waivedIn(row.price)
  // Another party costs the difference of today's prices; a move is priced anew.
  const difference = price.total - priceOf(from, world.now, ledger.edition).total
  const asChanged = agreed.total + waivedBefore - booked.credit + difference
  const asPriced = isParty ? Math.max(0, asChanged) : price.total
  const credit = isParty ? Math.max(0, -asChanged) : 0
  // What is too little to be charged is waived, until it comes to enough.
  const more = asPriced - settled
  const total = more > 0 && more < smallestCharge ? settled : asPriced
  // What is unpaid stays due when it was, as does what was to be paid later.
  const dueBefore = agreed.due_now < agreed.total ? dueWhen(booked) : undefined
  const keepsDue = isParty && dueBefore !== undefined && (settled < agreed.total || dueBefore > world.now)
  const done = yield* Effect.result(asked(booking_id, by, wish))
  if (Result.isFailure(done)) {
    const { _tag } = done.failure
    assert.include(refusals, _tag)
    if (!alone || row === undefined || atTheEdge(visit, world.now)) return
    assert.notInclude(["ChangeUnderWay", "InvalidArguments", "KeepsChanging"], _tag, "nothing ran at once")
    // The change itself may have found that a refund is on its way again, or failed.
    const { refunds } = yield* takeSnapshot
    const money = [...before.refunds, ...refunds].some(
      (refund) => refund.booking_id === booking_id && refund.status !== "succeeded"
    )
    const pages = before.sessions.some(
      (session) =>
        session.booking_id === booking_id &&
        session.purpose === "balance" &&
        ["creating", "open", "processing"].includes(session.status)
    )
    const others = visitsOn(ledger, before, world.now, booked)
    const free =
      takesNoMore(from, visit) ||
      (isOpen(ledger, visit) && (isParty || !tooSoon(visit, world.now)) && fitsBeside(others, visit, ledger.sizes))
    const same = isParty || (price.total === option.price.total && price.due === option.price.due_now)
    const stands = row.status === "confirmed" && from.start > world.now
    const elsewhere = JSON.stringify({ ...from, ...visit }) !== JSON.stringify(from)
    // A payment that was found before the change, or a refund, is not what a family was shown.
    const asShown = _tag !== "ChangedSinceShown"
    assert.isFalse(
      stands && asShown && !money && !pages && free && same && elsewhere && provider.outage === undefined,
      `not changed, though it could be: ${_tag} ${"reason" in done.failure ? done.failure.reason : ""}`
    )
    return
  }
  const { booking, from: was, refund } = done.success
  const moved = { paid: was.paid, total: booking.total, refund: refund.amount }
  yield* noteMoved(ledger, booked, moved, { from, visit, terms, by, dueBefore: keepsDue ? dueBefore : undefined })
  if (!alone) return
  assert.isTrue(takesNoMore(from, visit) || isOpen(ledger, visit), "a change into closed time")
  assert.strictEqual(booking.total, total, "the price is the new visit's, or differs by the parties' prices")
  assert.strictEqual(booked.credit, credit, "what counts at the next change")
  assert.strictEqual(booking.due_now, Math.min(settled, total), "what was paid before counts")
  const back =
    provider.outage === undefined
      ? backAtProvider(ledger, provider, before, booking_id, yield* takeSnapshot)
      : returnedInRows(before, booking_id)
  // A refund for goodwill is lowered if a person gives the rest of the payment back in the dashboard meanwhile.
  const given = before.refunds.filter((one) => one.booking_id === booking_id && one.cause === "goodwill")
  const goodwill = Math.min(
    booked.goodwill,
    given.reduce((sum, { amount }) => sum + amount, 0)
  )
  assert.strictEqual(
    refund.amount,
    Math.max(0, Math.min(was.paid - back, was.paid - Math.max(0, back - goodwill) - total)),
    "what was paid too much goes back"
  )
})

/** Staff move a booking to an option from an earlier answer. */
export const move = (ledger: Ledger, booked: Booked, seen: Seen, by: By, alone: boolean) =>
  change(ledger, booked, seen, by, { option_id: seen.option.option_id }, alone)

/** An option of a list as it is for a booking, which has its own code, and ages if as many children come. */
export const forBooking = Effect.fnUntraced(function* (ledger: Ledger, { request }: Booked, seen: Seen) {
  const { ages, code } = request.seen.visit
  const visit = { ...seen.visit, ages: ages?.length === seen.visit.children ? ages : undefined, code }
  const isIts = JSON.stringify(visit) === JSON.stringify(seen.visit)
  return isIts ? seen : (yield* optionOf(ledger, visit)).seen
})

/** Staff move a booking to a time that they typed, maybe in the other room, which has extras of those names, too. */
export const moveToTime = Effect.fnUntraced(function* (
  ledger: Ledger,
  booked: Booked,
  to: { readonly kind: number; readonly day: number; readonly slot: number },
  alone: boolean
) {
  const own = booked.request.seen.visit
  const date = days[to.day] ?? ""
  const time = nth(kinds[to.kind]?.times ?? [], to.slot) ?? ""
  const start = Date.parse(`${date}T${time}:00Z`)
  const { package_id, seen } = yield* optionOf(ledger, { ...own, kind: to.kind, day: to.day, start })
  const row = yield* Bookings.use((bookings) => bookings.get(booked.booking_id))
  const option_id = yield* VisitOffers.use((offers) => offers.optionAt(row, date, time, package_id))
  if (alone) assert.strictEqual(option_id, seen.option.option_id, "the option that staff typed")
  yield* move(ledger, booked, seen, "desk", alone)
})

/** A party changes at its own start. */
export const changeParty = Effect.fnUntraced(function* (
  ledger: Ledger,
  booked: Booked,
  {
    by,
    children,
    extras,
    ...told
  }: Pick<Extract<Action, { readonly do: "party" }>, "ages" | "by" | "children" | "extras">,
  alone: boolean
) {
  const { now } = yield* Outside
  const own = booked.request.seen.visit
  const visit = { ...own, children, extras, ages: told.ages?.slice(0, children) }
  const same = takesNoMore(own, visit) && takesNoMore(visit, own)
  const isDearer = priceOf(visit, now, ledger.edition).total !== priceOf(own, now, ledger.edition).total
  // Ages alone, by which the price does not go, are none of the party.
  if (same && !isDearer && `${visit.ages}` !== `${own.ages}`) return
  const { seen } = yield* optionOf(ledger, visit)
  const party = { children, adults: 0, add_ons: addOnsOf(visit.kind, extras), child_ages: visit.ages ?? [] }
  yield* change(ledger, booked, seen, by, { party }, alone)
})
