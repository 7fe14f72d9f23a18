/** An import gives the rooms and the stock other sizes; the model knows which bookings have too much then. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import { catalogueFile, days, isWhole, roomOf, type Sizes, unitsOf } from "./hall.ts"
import { hasPlaces, isLapsed, numbers } from "./invariants.ts"
import type { Ledger } from "./Ledger.ts"
import type { Snapshot } from "./snapshot.ts"
import { Outside } from "./world.ts"

const number = (...all: ReadonlyArray<number>) => fc.constantFrom(...all)
/** No machine and no castle fewer than one booking may have. */
export const sizes: fc.Arbitrary<Sizes> = fc.record({
  rooms: fc.tuple(number(6, 8, 10, 12, 15), number(6, 10, 12)),
  machines: fc.tuple(number(2, 3, 4), number(2, 4)),
  castles: number(2, 3, 5)
})

/**
 * The bookings that have more than there is of some resources. Of those that have too much together, it is those with
 * the highest units; of a room that one party has, it has too much if its children are more.
 */
export const overbooked = (
  ledger: Ledger,
  snapshot: Snapshot,
  sizes: Sizes,
  now: number,
  among: ReadonlySet<string> = new Set(unitsOf(sizes).keys())
): ReadonlySet<string> => {
  const alive = new Set(
    snapshot.bookings
      .filter((row) => hasPlaces(row) && !isLapsed(snapshot, row, now))
      .map(({ booking_id }) => booking_id)
  )
  const taken = snapshot.occupancy.filter(({ booking_id }) => booking_id !== null && alive.has(booking_id))
  const found = taken.filter((one) => {
    const booked = ledger.bookings.find(({ booking_id }) => booking_id === one.booking_id) ?? assert.fail("no booking")
    const { visit } = booked.request.seen
    const units = unitsOf(sizes).get(one.resource) ?? assert.fail("no such resource")
    if (one.end <= now || !among.has(one.resource)) return false
    if (isWhole(visit) && one.resource === roomOf(visit.kind).playroom_id) return visit.children > units
    const beside = taken.filter(
      (other) => other.resource === one.resource && other.start < one.end && one.start < other.end
    )
    const moments = beside.map(({ start }) => Math.max(start, one.start))
    const most = Math.max(
      ...moments.map((moment) =>
        beside
          .filter(({ end, start }) => start <= moment && moment < end)
          .reduce((sum, other) => sum + numbers(other.units).length, 0)
      )
    )
    return most > units && numbers(one.units).some((unit) => unit >= units)
  })
  return new Set(found.flatMap(({ booking_id }) => booking_id ?? []))
}

/** The bookings with places on closed days. */
const onClosedDays = (snapshot: Snapshot, days_closed: ReadonlyArray<number>, now: number) =>
  snapshot.bookings
    .filter((row) => !isLapsed(snapshot, row, now))
    .filter(({ booking_id }) =>
      snapshot.occupancy.some(
        (one) =>
          one.booking_id === booking_id &&
          one.end > now &&
          days_closed.some((day) => days[day] === new Date(one.start).toISOString().slice(0, 10))
      )
    )
    .map(({ booking_id }) => booking_id)

/** What an import changes; `force`: also if bookings are in the way of it. */
export interface Edited {
  readonly edition?: number
  readonly closed?: ReadonlySet<number>
  readonly sizes?: Sizes
  readonly force?: boolean
}

/** Imports the file with these changes. */
export const importEdited = Effect.fnUntraced(function* (ledger: Ledger, edited: Edited, alone: boolean) {
  const world = yield* Outside
  const before = ledger.last
  const { closed = new Set(ledger.closed), edition = ledger.edition, force = false, sizes = ledger.sizes } = edited
  world.edited = true
  const imported = yield* Effect.result(
    CatalogueFile.use((file) => file.importFile(catalogueFile(edition, closed, sizes), { force }))
  )
  const were = unitsOf(ledger.sizes)
  const smaller = [...unitsOf(sizes)].filter(([id, units]) => units < (were.get(id) ?? 0)).map(([id]) => id)
  const inTheWay = new Set([
    ...onClosedDays(
      before,
      [...closed].filter((day) => !ledger.closed.has(day)),
      world.now
    ),
    ...overbooked(ledger, before, sizes, world.now, new Set(smaller))
  ])
  if (Result.isFailure(imported)) {
    assert.isFalse(force, "not imported, though it was forced")
    assert(imported.failure._tag === "BookingsInTheWay")
    const named = new Set<string>(imported.failure.bookings.map(({ booking_id }) => booking_id))
    if (alone) assert.sameMembers([...named], [...inTheWay], "what is in the way")
    return
  }
  if (alone) {
    const named = new Set<string>(imported.success.overridden.map(({ booking_id }) => booking_id))
    assert.sameMembers([...named], [...inTheWay], "what it was forced past")
  }
  ledger.edition = edition
  ledger.sizes = sizes
  ledger.closed.clear()
  for (const day of closed) ledger.closed.add(day)
  // Those that are in the way keep their places. The next check of the invariants finds which of them have too much.
  if (force) ledger.squeezed = new Set(ledger.bookings.map(({ booking_id }) => booking_id))
})
