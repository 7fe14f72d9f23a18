import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { freeUnits, pickUnits, type Taken, type UnitRange } from "../../src/availability/Units.ts"
import { dayMs, hourMs, minuteMs } from "../../src/kernel/LocalTime.ts"
import { runs } from "../support/runs.ts"

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

/** Unit by unit, row by row. */
const free = (total: number, taken: ReadonlyArray<Taken>, start: number, end: number): ReadonlyArray<number> =>
  Array.from({ length: total }, (_, unit) => unit).filter(
    (unit) =>
      !taken.some(
        (row) => row.start < end && row.end > start && row.units.some(([from, to]) => from <= unit && unit < to)
      )
  )

const unitsOf = (ranges: ReadonlyArray<UnitRange>): ReadonlyArray<number> =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i))

describe("Units of a resource", () => {
  it("free ones are those that no row takes at any time of the span", () => {
    fc.assert(
      fc.property(question, ({ total, taken, start, length }) => {
        const expected = free(total, taken, start, start + length)
        assert.strictEqual(freeUnits(total, taken, start, start + length), expected.length)
        for (const quantity of [0, 1, expected.length, expected.length + 1]) {
          const picked = pickUnits(total, taken, quantity, start, start + length)
          if (quantity > expected.length) assert.isUndefined(picked)
          else assert.deepStrictEqual(picked && unitsOf(picked), expected.slice(0, quantity))
        }
      }),
      { numRuns: runs(750) }
    )
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
