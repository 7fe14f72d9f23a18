import { assert, describe, it } from "@effect/vitest"
import { Effect, Struct } from "effect"
import * as fc from "fast-check"
import { PlayroomId } from "../../../src/platform/ids/Ids.ts"
import {
  type PriceOf,
  type PricePosition,
  decodePosition,
  encodePosition,
  priceOrdered,
  type PriceKey,
  type PriceReads,
  type PriceRow
} from "../../../src/domain/search/PriceOrder.ts"
import { idOf } from "../../support/catalogues.ts"
import { runs } from "../../support/runs.ts"

/** A playroom with its bounds and its exact price for a party; undefined if it does not fit. */
interface Room extends Omit<PriceRow, "place" | "fits" | "any_free"> {
  readonly total: number | undefined
  readonly matches: boolean
}

const compare = ([c, n, id]: PriceKey, [d, m, other]: PriceKey): number =>
  c === d ? n - m || (id === other ? 0 : id < other ? -1 : 1) : c < d ? -1 : 1
const leastKey = ({ currency, least, playroom_id }: Room): PriceKey => [currency, least, playroom_id]
const boundKey = ({ bound, currency, playroom_id }: Room): PriceKey => [currency, bound, playroom_id]

/** Rooms as the database would read them. */
const readsOf = (rooms: ReadonlyArray<Room>): PriceReads => {
  const take = (
    sorted: ReadonlyArray<Room>,
    fits: (room: Room) => boolean,
    size: number
  ): Effect.Effect<ReadonlyArray<PriceRow>> =>
    Effect.succeed(
      sorted
        .slice(0, size)
        .map((room, i) => ({
          ...Struct.omit(room, ["matches", "total"]),
          place: i + 1,
          fits: fits(sorted[i] ?? assert.fail()),
          any_free: rooms.some(({ least }) => least === 0)
        }))
        .filter((row) => row.fits || row.place === size)
    )
  const byId = rooms.toSorted((a, b) => (a.playroom_id < b.playroom_id ? -1 : 1))
  const byLeast = rooms.toSorted((a, b) => compare(leastKey(a), leastKey(b)))
  return {
    free: (_, after = "", { size }) =>
      take(
        byId.filter(({ least, playroom_id }) => least === 0 && playroom_id > after),
        ({ bound, matches }) => matches && bound === 0,
        size
      ),
    priced: (_, { inclusive, key }, done, { size }) =>
      take(
        byLeast.filter((room) => key === undefined || compare(leastKey(room), key) >= (inclusive ? 0 : 1)),
        (room) => room.matches && (done === undefined || compare(boundKey(room), done) >= 0),
        size
      )
  }
}

const tier = { where: [], fits: [], indexed: undefined, level: 0 }

/** All pages, and whether one was only sorted by itself. */
const walk = Effect.fnUntraced(function* (rooms: ReadonlyArray<Room>, limit: number, exact: number) {
  const byId = new Map<string, Room>(rooms.map((room) => [room.playroom_id, room]))
  let priced = 0
  const priceOf: PriceOf<Room> = (rows) =>
    Effect.sync(() => {
      priced += rows.length
      return rows.flatMap((row) => {
        const room = byId.get(row.playroom_id)
        return room?.total === undefined ? [] : [{ row, amount: room.total, fitting: room }]
      })
    })
  const pages: Array<{ readonly rooms: ReadonlyArray<Room>; readonly sorted: number }> = []
  let position: PricePosition | undefined
  for (let calls = 0; ; calls++) {
    assert.isBelow(calls, rooms.length * 2 + 20)
    priced = 0
    const page = yield* priceOrdered(readsOf(rooms), tier, priceOf, position, limit, { exact, spare: 9 })
    // Free ones, exact ones, and a window.
    assert.isAtMost(priced, 2 * (exact + 12) + limit + 10)
    const shown = page.entries.slice(0, limit)
    pages.push({ rooms: shown.map(({ fitting }) => fitting), sorted: Math.min(page.sortedUntil, shown.length) })
    const end = page.after(shown.length)
    if (end === undefined) return pages
    // As a cursor carries it.
    position = decodePosition(encodePosition(end)) ?? assert.fail(JSON.stringify(encodePosition(end)))
  }
})

const room = (most: number) =>
  fc.record({
    currency: fc.constantFrom("EUR", "GBP", "GBP", "GBP", "USD"),
    least: fc.oneof({ weight: 4, arbitrary: fc.nat(most) }, { weight: 1, arbitrary: fc.constant(0) }),
    looser: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(most)),
    dearer: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(2 * most) }),
    fits: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
    matches: fc.integer({ min: 0, max: 9 }).map((n) => n > 0)
  })
const roomsOf = (count: number, most: number) =>
  fc.array(room(most), { minLength: 0, maxLength: count, size: "max" }).map((all) =>
    all.map(({ currency, dearer, fits, least, looser, matches }, i): Room => ({
      playroom_id: PlayroomId.make(idOf("playroom", ((i * 7919) % 100_003) + 1)),
      currency,
      least,
      bound: least + looser,
      among_free: least === 0,
      total: fits ? least + looser + dearer : undefined,
      matches
    }))
  )

const placeOf = ({ currency, playroom_id, total = 0 }: Room): string =>
  total === 0 ? `0 ${playroom_id}` : `1 ${currency} ${String(total).padStart(9, "0")} ${playroom_id}`

const expectedOf = (rooms: ReadonlyArray<Room>): ReadonlyArray<string> =>
  rooms.flatMap((one) => (one.matches && one.total !== undefined ? [placeOf(one)] : [])).toSorted()

describe("the order by price of many playrooms", () => {
  it.effect("has each of them once, in true order while its bounds can tell, and else sorted by page and said so", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc
            .tuple(fc.constantFrom(3, 40, 250), fc.constantFrom(5, 50, 5000))
            .chain(([count, most]) => roomsOf(count, most)),
          fc.constantFrom(1, 3, 10),
          fc.constantFrom(20, 40, 120),
          (rooms, limit, exact) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const pages = yield* walk(rooms, limit, exact)
                const found = pages.flatMap((page) => page.rooms.map(placeOf))
                const expected = expectedOf(rooms)
                assert.deepStrictEqual(found.toSorted(), expected)
                const sorted = pages.every((page) => page.sorted === page.rooms.length)
                if (sorted) assert.deepStrictEqual(found, expected)
                else assert.isAbove(rooms.length, exact)
                // Until the first page that is sorted by itself, and again in the next currency.
                const until = pages.findIndex((page) => page.sorted < page.rooms.length)
                const before = pages
                  .slice(0, until === -1 ? undefined : until)
                  .flatMap((page) => page.rooms.map(placeOf))
                assert.deepStrictEqual(before, expected.slice(0, before.length))
              })
            )
        ),
        { numRuns: runs(60) }
      )
    )
  )

  it.effect("is true to the end for a thousand playrooms whose bounds are their prices but for a few", () =>
    Effect.gen(function* () {
      const rooms = Array.from({ length: 1000 }, (_, i): Room => {
        const bound = (i * 7919) % 5003
        return {
          playroom_id: PlayroomId.make(idOf("playroom", i + 1)),
          currency: "GBP",
          least: Math.ceil(bound / 4),
          among_free: bound === 0,
          bound,
          // One in twenty costs more than its bound.
          total: i % 20 === 3 ? bound + (i % 300) + 1 : bound,
          matches: true
        }
      })
      const pages = yield* walk(rooms, 10, 120)
      assert.isTrue(pages.every((page) => page.sorted === page.rooms.length))
      assert.deepStrictEqual(
        pages.flatMap((page) => page.rooms.map(placeOf)),
        expectedOf(rooms)
      )
      // Full pages but for the last.
      assert.strictEqual(pages.length, 100)
    })
  )
})
