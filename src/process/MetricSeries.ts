/**
 * Metrics as workers send them to the supervisor, and how those of several processes are merged. Counters and
 * histograms are summed. Every process reads the same gauges from the same database, so one value stands for all.
 */
import { Context, Metric, Schema } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { metricsPrefix } from "../api/Management.ts"

const labels = {
  id: Schema.String,
  description: Schema.UndefinedOr(Schema.String),
  attributes: Schema.UndefinedOr(Schema.Record(Schema.String, Schema.String))
}

/** A metric with one set of labels, and its value. */
export const Series = Schema.Union([
  Schema.Struct({ ...labels, type: Schema.Literal("Counter"), count: Schema.Number }),
  Schema.Struct({ ...labels, type: Schema.Literal("Gauge"), value: Schema.Number }),
  Schema.Struct({
    ...labels,
    type: Schema.Literal("Histogram"),
    /** Upper bounds, each with the number of values at or below it. */
    buckets: Schema.Array(Schema.Tuple([Schema.Number, Schema.Number])),
    count: Schema.Number,
    min: Schema.Number,
    max: Schema.Number,
    sum: Schema.Number
  })
])
export type Series = typeof Series.Type

/** Kinds of metrics that were warned of. */
const warned = new Set<string>()

/**
 * The current metrics of this process. Those that can't be added up, of a library for example, are left out, and warned
 * of once.
 */
export const ownSeries = (): ReadonlyArray<Series> =>
  Metric.snapshotUnsafe(Context.empty()).flatMap((snapshot): ReadonlyArray<Series> => {
    const { attributes, description, id } = snapshot
    const head = { id, description, attributes }
    switch (snapshot.type) {
      case "Counter":
        return [{ ...head, type: "Counter", count: Number(snapshot.state.count) }]
      case "Gauge":
        return [{ ...head, type: "Gauge", value: Number(snapshot.state.value) }]
      case "Histogram":
        return [{ ...head, type: "Histogram", ...snapshot.state }]
      default:
        if (!warned.has(id)) {
          warned.add(id)
          process.emitWarning(`The metric ${id} is left out: those of the kind ${snapshot.type} can't be added up`)
        }
        return []
    }
  })

const sum = (one: number, other: number): number => one + other
/** Ignores NaN, which stands for a gauge that could not be read. */
const known = (choose: (one: number, other: number) => number) => (one: number, other: number) =>
  Number.isNaN(one) ? other : Number.isNaN(other) ? one : choose(one, other)

/** How a gauge's values are merged. The default is the largest. */
const gaugeRules: Readonly<Record<string, (one: number, other: number) => number>> = {
  // Each process has its own.
  database_transactions: sum,
  // Down if any process can't reach the database.
  database_up: known(Math.min)
}
const largest = known(Math.max)

const together = (one: Series, other: Series): Series => {
  if (one.type === "Counter" && other.type === "Counter") return { ...one, count: one.count + other.count }
  if (one.type === "Gauge" && other.type === "Gauge") {
    return { ...one, value: (gaugeRules[one.id] ?? largest)(one.value, other.value) }
  }
  if (one.type === "Histogram" && other.type === "Histogram") {
    const more = new Map(other.buckets)
    return {
      ...one,
      buckets: one.buckets.map(([bound, count]) => [bound, count + (more.get(bound) ?? 0)] as const),
      count: one.count + other.count,
      min: Math.min(one.min, other.min),
      max: Math.max(one.max, other.max),
      sum: one.sum + other.sum
    }
  }
  // Two releases disagree on the type: the newer one, which comes last, wins.
  return other
}

const keyOf = ({ attributes = {}, id }: Series): string => JSON.stringify([id, Object.entries(attributes).sort()])

/** Merges the series of several processes. */
export const addUp = (all: Iterable<ReadonlyArray<Series>>): ReadonlyArray<Series> => {
  const total = new Map<string, Series>()
  for (const series of all) {
    for (const one of series) {
      const key = keyOf(one)
      const before = total.get(key)
      total.set(key, before === undefined ? one : together(before, one))
    }
  }
  return [...total.values()]
}

const isGauge = ({ type }: Series): boolean => type === "Gauge"

/** The workers' latest metrics and the totals of ended workers, so that no counter falls when a worker is replaced. */
export const makeTotals = () => {
  const latest = new Map<number, ReadonlyArray<Series>>()
  let ended: ReadonlyArray<Series> = []
  return {
    /** Stores a worker's current metrics. */
    tell: (worker: number, series: ReadonlyArray<Series>): void => void latest.set(worker, series),
    end: (worker: number): void => {
      const last = latest.get(worker)
      if (last === undefined) return
      latest.delete(worker)
      ended = addUp([ended, last.filter((one) => !isGauge(one))])
    },
    /**
     * The metrics of all workers and `own` of this process. Gauges come from `current` workers only: the others' are
     * stale.
     */
    read: (current: ReadonlySet<number>, own: ReadonlyArray<Series>): ReadonlyArray<Series> =>
      addUp([
        ended,
        ...[...latest].map(([worker, series]) =>
          current.has(worker) ? series : series.filter((one) => !isGauge(one))
        ),
        own
      ])
  }
}

const metricState = (series: Series): unknown => {
  switch (series.type) {
    case "Counter":
      return { count: series.count, incremental: true }
    case "Gauge":
      return { value: series.value }
    case "Histogram": {
      const { buckets, count, max, min, sum } = series
      return { buckets, count, max, min, sum }
    }
  }
}

/** The series in the format of Prometheus. */
export const prometheusText = (series: ReadonlyArray<Series>): string => {
  const registry: Metric.MetricRegistry = new Map(
    series.map((one) => {
      const { attributes, description, id, type } = one
      const state = metricState(one)
      const hooks = { get: () => state, modify: () => {}, update: () => {} }
      return [keyOf(one), { id, type, description, attributes, hooks }]
    })
  )
  return PrometheusMetrics.formatUnsafe(Context.make(Metric.MetricRegistry, registry), { prefix: metricsPrefix })
}
