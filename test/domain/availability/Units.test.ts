import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  freeUnits,
  pickUnits,
  reassignUnits,
  type Taken,
  type UnitRange
} from "../../../src/domain/availability/Units.ts"
import { dayMs, hourMs, minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { runs } from "../../support/runs.ts"
import { overlap, unitsIn, withoutDoubles } from "../../support/venues.ts"

const id = "playroom_1"
const day = Date.parse("2026-12-05T00:00:00Z")
const row = (units: ReadonlyArray<UnitRange>, start: number, end: number): Taken => ({
  resource_id: id,
  units,
  start,
  end
})

const range = (total: number) =>
  fc
    .tuple(fc.nat(total - 1), fc.integer({ min: 1, max: 6 }))
    .map(([from, count]): UnitRange => [from, Math.min(total, from + count)])

/** Up to 80 rows within three days, one in eight of them months long, and a span to ask about. */
const question = fc.integer({ min: 1, max: 30 }).chain((total) =>
  fc.record({
    total: fc.constant(total),
    taken: fc.array(
      fc
        .record({
          start: fc.nat(3 * 96).map((quarters) => day + quarters * 15 * minuteMs),
          length: fc.oneof(
            { weight: 7, arbitrary: fc.integer({ min: 1, max: 20 }).map((quarters) => quarters * 15 * minuteMs) },
            { weight: 1, arbitrary: fc.integer({ min: 6, max: 90 }).map((days) => days * dayMs) }
          ),
          before: fc.oneof(
            { weight: 7, arbitrary: fc.constant(0) },
            { weight: 1, arbitrary: fc.nat(80).map((days) => days * dayMs) }
          ),
          units: fc.array(range(total), { minLength: 1, maxLength: 2 })
        })
        .map(({ start, length, before, units }) => row(units, start - before, start - before + length)),
      { maxLength: 80, size: "max" }
    ),
    start: fc.nat(3 * 96).map((quarters) => day + quarters * 15 * minuteMs),
    length: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 30 }).map((quarters) => quarters * 15 * minuteMs) },
      { weight: 1, arbitrary: fc.integer({ min: 5, max: 20 }).map((days) => days * dayMs) }
    )
  })
)

/** At each quarter of an hour, how many are taken: all times of the questions are on these. */
const free = (total: number, taken: ReadonlyArray<Taken>, start: number, end: number): number => {
  let least = total
  for (let at = start; at < end; at += 15 * minuteMs) {
    const now = taken.filter((row) => row.start <= at && at < row.end)
    least = Math.min(least, total - now.flatMap(({ units }) => unitsIn(units)).length)
  }
  return Math.max(0, least)
}

describe("Units of a resource", () => {
  it("free are as many as no row takes at any moment; those that are free all the time are picked, the lowest first", () => {
    fc.assert(
      fc.property(question, ({ total, taken: any, start, length }) => {
        const end = start + length
        const taken = withoutDoubles(any)
        const count = free(total, taken, start, end)
        assert.strictEqual(freeUnits(total, taken, start, end), count)
        for (const needed of [1, count, count + 1])
          assert.strictEqual(freeUnits(total, taken, start, end, needed) >= needed, count >= needed)
        const used = new Set(taken.filter((row) => overlap(row, { start, end })).flatMap(({ units }) => unitsIn(units)))
        const always = Array.from({ length: total }, (_, unit) => unit).filter((unit) => !used.has(unit))
        for (const quantity of [0, 1, always.length, always.length + 1]) {
          const picked = pickUnits(total, taken, quantity, start, end)
          if (quantity > always.length) assert.isUndefined(picked)
          else assert.deepStrictEqual(picked && unitsIn(picked), always.slice(0, quantity))
        }
      }),
      { numRuns: runs(750) }
    )
  })

  let reassignedRuns = 0
  it("where enough are free at each moment, later rows get other units, and no unit is taken twice", () => {
    fc.assert(
      // The total may have been larger once.
      fc.property(question, fc.nat(2), fc.nat(3), ({ total: before, taken: any, start, length }, fewer, spare) => {
        const end = start + length
        const total = Math.max(1, before - fewer)
        const taken = withoutDoubles(any)
        const quantity = free(total, taken, start, end) - spare
        if (quantity < 1) return
        const found = reassignUnits(total, taken, quantity, start, end) ?? assert.fail("there is room")
        const { moved, until, units } = found
        if (moved.size > 0) reassignedRuns++
        assert.lengthOf(unitsIn(units), quantity)
        assert.isTrue(unitsIn(units).every((unit) => unit < total))
        for (const [one, now] of moved) {
          assert.isAbove(one.start, start)
          assert.isAtMost(one.end, until)
          const [had, has] = [unitsIn(one.units), unitsIn(now)]
          assert.lengthOf(has, had.length)
          assert.isTrue(has.every((unit) => unit < total || had.includes(unit)))
        }
        const after = [row(units, start, end), ...taken.map((one) => ({ ...one, units: moved.get(one) ?? one.units }))]
        assert.deepStrictEqual(
          withoutDoubles(after).map(({ units }) => unitsIn(units).length),
          after.map(({ units }) => unitsIn(units).length)
        )
        // No other rows matter.
        const seen = taken.filter((one) => overlap(one, { start, end: until }))
        const again = reassignUnits(total, seen, quantity, start, end)
        assert.deepStrictEqual(again && { ...again, moved: [...again.moved] }, { ...found, moved: [...moved] })
        // Who is free all the time is asked first.
        if (pickUnits(total, taken, quantity, start, end) !== undefined) assert.strictEqual(moved.size, 0)
        if (total === before) assert.isUndefined(reassignUnits(total, taken, quantity + spare + 1, start, end))
      }),
      { numRuns: runs(750) }
    )
    assert.isAbove(reassignedRuns, 0)
  })

  it("picked ones may be apart: 3 of {[0,4),[6,9)} and {[9,10)} are 4, 5 and 10", () => {
    const taken = [
      row(
        [
          [0, 4],
          [6, 9]
        ],
        day,
        day + hourMs
      ),
      row([[9, 10]], day + hourMs, day + 2 * hourMs)
    ]
    assert.deepStrictEqual(pickUnits(12, taken, 3, day, day + 2 * hourMs), [
      [4, 6],
      [10, 11]
    ])
  })

  it("spans are half-open: what ends when another starts leaves it free", () => {
    const taken = [row([[0, 5]], day, day + hourMs)]
    assert.strictEqual(freeUnits(5, taken, day + hourMs, day + 2 * hourMs), 5)
    assert.strictEqual(freeUnits(5, taken, day - hourMs, day), 5)
    assert.strictEqual(freeUnits(5, taken, day + hourMs - 1, day + 2 * hourMs), 0)
  })

  it("taken ones beyond a total that was lowered count: 20 places, 5 of the former 25 taken, leave 15", () => {
    const taken = [row([[20, 25]], day, day + hourMs)]
    assert.strictEqual(freeUnits(20, taken, day, day + hourMs), 15)
    assert.deepStrictEqual(pickUnits(20, taken, 15, day, day + hourMs), [[0, 15]])
    assert.isUndefined(pickUnits(20, taken, 20, day, day + hourMs))
    assert.strictEqual(freeUnits(3, taken, day, day + hourMs), 0)
  })

  it("one row is found from every day that it touches", () => {
    const others = Array.from({ length: 50 }, (_, i) =>
      row([[1, 2]], day + (i + 20) * dayMs, day + (i + 20) * dayMs + hourMs)
    )
    const taken = [...others, row([[0, 1]], day + 23 * hourMs, day + 25 * hourMs)]
    assert.strictEqual(freeUnits(2, taken, day + 24 * hourMs, day + 24.5 * hourMs), 1)
    assert.strictEqual(freeUnits(2, taken, day + 22 * hourMs, day + 23.5 * hourMs), 1)
    assert.strictEqual(freeUnits(2, taken, day + 25 * hourMs, day + 26 * hourMs), 2)
  })
})
