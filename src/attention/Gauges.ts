/**
 * The gauges of the state in the database, read when the metrics are scraped: with bounded counts, a time limit, and one reading at a
 * time. What could not be read is NaN, never an old value.
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Option, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { BookingRecords } from "../booking/BookingRecords.ts"
import { transactionsOf } from "../database/Transactions.ts"
import { readQueueDepths } from "./QueueDepths.ts"
import { UnavailableKind } from "../payment/provider/PaymentGateway.ts"
import { ProviderHealth } from "../payment/provider/ProviderHealth.ts"

/** The most that a reading takes; a scraper gives up after seconds, too. */
const lookWithin = Duration.seconds(2)

const gauge = (name: string, description: string) => Metric.gauge(name, { description })

const up = gauge("database_up", "1 where the database answered in time when the metrics were read, else 0")
const answer = gauge(
  "database_answer_seconds",
  "How long the database took to answer, the wait for a connection included"
)
const transactions = gauge("database_transactions", "Transactions of this node: open, and waiting for a connection")
const holds = gauge("holds_live", "Bookings held and not paid yet, of all nodes; counted to 10000")
const events = gauge("webhook_events", "Provider events by status: waiting, rejected, dead; counted to 10000")
const oldest = gauge("webhook_oldest_event_seconds", "How long the oldest event has waited to be applied")
const refunds = gauge("refunds_unsettled", "Refunds by status: waiting, failed; counted to 10000")
const dead = gauge("provider_tasks_dead", "Calls to the provider that were given up; counted to 10000")
const failing = gauge(
  "provider_failing_seconds",
  "For how long the payment provider has failed in this way; 0: it does not"
)

const labelled = (metric: Metric.Gauge<number>, name: string, value: string) =>
  Metric.withAttributes(metric, { [name]: value })

/** Each gauge that the database is asked for, and what it is now. */
type Reading = ReadonlyArray<readonly [Metric.Gauge<number>, number]>

const readings = {
  holds,
  waiting: labelled(events, "status", "waiting"),
  rejected: labelled(events, "status", "rejected"),
  dead: labelled(events, "status", "dead"),
  oldest,
  refundsWaiting: labelled(refunds, "status", "waiting"),
  refundsFailed: labelled(refunds, "status", "failed"),
  tasks: dead,
  answer
}
const failingBy = UnavailableKind.literals.map((kind) => ({ kind, metric: labelled(failing, "kind", kind) }))
const all = [...Object.values(readings), ...failingBy.map(({ metric }) => metric)]

const open = labelled(transactions, "state", "open")
const waiting = labelled(transactions, "state", "waiting")

export class Gauges extends Context.Service<
  Gauges,
  {
    /** Reads everything anew; never fails, and takes two seconds at most. */
    readonly refresh: Effect.Effect<void>
  }
>()("playroom/Gauges") {
  static readonly layer = Layer.effect(
    Gauges,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const records = yield* BookingRecords
      const health = yield* ProviderHealth
      const turn = yield* Semaphore.make(1)

      const read = Effect.gen(function* () {
        const started = yield* Clock.currentTimeMillis
        yield* sql`select 1`
        const answered = yield* Clock.currentTimeMillis
        const held = yield* records.liveHolds
        const depths = yield* readQueueDepths(sql)
        const failures = new Map((yield* health.failures).map(({ kind, since }) => [kind, since]))
        const since = (instant: number | null | undefined) =>
          instant === null || instant === undefined ? 0 : Math.max(0, answered - instant) / 1000
        const found: Reading = [
          [readings.answer, (answered - started) / 1000],
          [readings.holds, held],
          [readings.waiting, depths.events_waiting],
          [readings.rejected, depths.events_rejected],
          [readings.dead, depths.events_dead],
          [readings.oldest, since(depths.oldest_event)],
          [readings.refundsWaiting, depths.refunds_waiting],
          [readings.refundsFailed, depths.refunds_failed],
          [readings.tasks, depths.tasks_dead],
          ...failingBy.map(({ kind, metric }) => [metric, since(failures.get(kind))] as const)
        ]
        return found
      })

      const refresh = Effect.gen(function* () {
        const use = transactionsOf(sql)
        yield* Metric.update(open, use.open)
        yield* Metric.update(waiting, use.waiting)
        const found = yield* Effect.option(Effect.timeout(read, lookWithin))
        yield* Metric.update(up, Option.isSome(found) ? 1 : 0)
        const now: Reading = Option.getOrElse(found, () => all.map((metric) => [metric, Number.NaN] as const))
        for (const [metric, value] of now) yield* Metric.update(metric, value)
      })

      // A second scrape at the same time reports the values of the reading that is under way, or of the one before.
      return Gauges.of({ refresh: Effect.asVoid(turn.withPermitsIfAvailable(1)(refresh)) })
    })
  )
}
