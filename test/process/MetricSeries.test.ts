import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric, Schema } from "effect"
import * as fc from "fast-check"
import { addUp, makeTotals, ownSeries, prometheusText, Series } from "../../src/process/MetricSeries.ts"

const counter = (count: number, attributes?: Record<string, string>): Series => ({
  id: "calls_total",
  type: "Counter",
  description: "Calls",
  attributes,
  count
})
const gauge = (id: string, value: number): Series => ({
  id,
  type: "Gauge",
  description: undefined,
  attributes: undefined,
  value
})
const histogram = (within: number, all: number, sum: number): Series => ({
  id: "seconds",
  type: "Histogram",
  description: undefined,
  attributes: { route: "/mcp" },
  buckets: [
    [0.1, within],
    [1, all]
  ],
  count: all,
  min: 0.01,
  max: 0.9,
  sum
})
const valueOf = (series: ReadonlyArray<Series>, id: string) => {
  const found = series.find((one) => one.id === id)
  return found?.type === "Counter" ? found.count : found?.type === "Gauge" ? found.value : undefined
}

describe("metrics of several workers", () => {
  it("are told without those that can't be added up, which are warned of once", () => {
    const warnings: Array<string> = []
    const note = ({ message }: Error) => void warnings.push(message)
    process.on("warning", note)
    Effect.runSync(
      Effect.andThen(
        Metric.update(Metric.frequency("words_of_a_library"), "word"),
        Effect.andThen(
          Metric.update(Metric.counter("counted_beside_it"), 1),
          Metric.update(
            Metric.summary("seconds_of_a_library", { maxAge: "1 minute", maxSize: 10, quantiles: [0.5] }),
            1
          )
        )
      )
    )
    const told = () => ownSeries().map(({ id }) => id)
    told()
    assert.include(told(), "counted_beside_it")
    assert.notInclude(told(), "words_of_a_library")
    assert.notInclude(told(), "seconds_of_a_library")
    return new Promise<void>((done) => setImmediate(done)).then(() => {
      process.off("warning", note)
      const about = warnings.filter((text) => text.includes("of_a_library"))
      assert.match(about.toSorted()[1] ?? "", /words_of_a_library is left out: those of the kind Frequency/)
      assert.lengthOf(about, 2)
    })
  })

  it("are added up by name and labels, whatever the order of the labels", () => {
    const one = [counter(2, { tool: "a", outcome: "ok" }), counter(5, { tool: "b", outcome: "ok" })]
    const other = [counter(3, { outcome: "ok", tool: "a" }), histogram(1, 2, 0.5)]
    const text = prometheusText(addUp([one, other, [histogram(3, 4, 1.5)]]))
    assert.include(text, 'playroom_calls_total{tool="a",outcome="ok"} 5\n')
    assert.include(text, 'playroom_calls_total{tool="b",outcome="ok"} 5\n')
    assert.include(text, 'playroom_seconds_bucket{route="/mcp",le="0.1"} 4\n')
    assert.include(text, 'playroom_seconds_bucket{route="/mcp",le="1"} 6\n')
    assert.include(text, 'playroom_seconds_bucket{route="/mcp",le="+Inf"} 6\n')
    assert.include(text, 'playroom_seconds_sum{route="/mcp"} 2\n')
    assert.strictEqual(text.match(/# TYPE playroom_calls_total counter/g)?.length, 1)
  })

  it("have one value for what all read from the database, the sum of their transactions, and the worst of what each knows", () => {
    const of = (holds: number, transactions: number, up: number, late: number) => [
      gauge("holds_live", holds),
      gauge("database_transactions", transactions),
      gauge("database_up", up),
      gauge("event_loop_delay_seconds", late)
    ]
    const all = addUp([of(7, 2, 1, 0.1), of(Number.NaN, 3, 0, 0.4)])
    assert.deepStrictEqual(
      ["holds_live", "database_transactions", "database_up", "event_loop_delay_seconds"].map((id) => valueOf(all, id)),
      [7, 5, 0, 0.4]
    )
    assert.isNaN(valueOf(addUp([[gauge("holds_live", Number.NaN)], [gauge("holds_live", Number.NaN)]]), "holds_live"))
  })

  it("keep what workers counted that have ended, and forget their gauges", () => {
    const totals = makeTotals()
    totals.tell(1, [counter(4), gauge("holds_live", 9)])
    totals.tell(2, [counter(1), gauge("holds_live", 3)])
    assert.deepStrictEqual(
      [
        valueOf(totals.read(new Set([1, 2]), []), "calls_total"),
        valueOf(totals.read(new Set([1, 2]), []), "holds_live")
      ],
      [5, 9]
    )
    // A worker that does not answer: what it counted stands, and its gauges are old.
    assert.strictEqual(valueOf(totals.read(new Set([2]), []), "holds_live"), 3)
    totals.end(1)
    totals.end(1)
    assert.deepStrictEqual(
      [valueOf(totals.read(new Set([2]), []), "calls_total"), valueOf(totals.read(new Set([2]), []), "holds_live")],
      [5, 3]
    )
  })

  it("never go back, however workers come, count, end, and are replaced", () => {
    const happening = fc.oneof(
      fc.record({ worker: fc.nat(5), counts: fc.nat(20) }),
      fc.record({ worker: fc.nat(5), ends: fc.constant(true) })
    )
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
        const totals = makeTotals()
        const alive = new Map<number, { id: number; count: number }>()
        let ids = 0
        let counted = 0
        let shown = 0
        for (const what of happenings) {
          const one = alive.get(what.worker) ?? { id: ++ids, count: 0 }
          if ("counts" in what) {
            one.count += what.counts
            counted += what.counts
            alive.set(what.worker, one)
            totals.tell(one.id, [counter(one.count)])
          } else {
            totals.end(one.id)
            alive.delete(what.worker)
          }
          const now = valueOf(totals.read(new Set(), []), "calls_total") ?? 0
          assert.isAtLeast(now, shown)
          shown = now
        }
        assert.strictEqual(shown, counted)
      })
    )
  })

  it.effect("are told as they stand in this process, buckets of histograms and unreadable gauges included", () =>
    Effect.gen(function* () {
      const labelled = { attributes: { of: "SeriesTest" } }
      yield* Metric.update(Metric.counter("test_total", labelled), 3)
      yield* Metric.update(Metric.gauge("test_unread", labelled), Number.NaN)
      const seconds = Metric.histogram("test_seconds", { ...labelled, boundaries: [1, 2] })
      for (const value of [0.5, 1.5, 7]) yield* Metric.update(seconds, value)
      const own = ownSeries().filter(({ attributes }) => attributes?.["of"] === "SeriesTest")
      const text = prometheusText(Schema.decodeUnknownSync(Schema.Array(Series))(structuredClone(own)))
      for (const line of [
        'test_total{of="SeriesTest"} 3',
        'test_unread{of="SeriesTest"} NaN',
        'test_seconds_bucket{of="SeriesTest",le="1"} 1',
        'test_seconds_bucket{of="SeriesTest",le="2"} 2',
        'test_seconds_bucket{of="SeriesTest",le="+Inf"} 3',
        'test_seconds_sum{of="SeriesTest"} 9'
      ])
        assert.include(text, `playroom_${line}\n`)
    })
  )
})
