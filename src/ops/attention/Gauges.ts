/**
 * Gauges of the state in the database. They are read on each scrape: one read at a time, with a timeout and bounded
 * counts. If the read fails, the gauges are NaN, never stale.
 */
import { Clock, Duration, Effect, Metric, Option, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { monotonicMs } from "../../platform/time/Elapsed.ts"
import { InstantFromDate, zoneRules } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { eventsIn } from "../../domain/payment/events/EventRecords.ts"
import { DueBookings } from "../../domain/booking/DueBookings.ts"
import { transactionsOf } from "../../platform/database/Transactions.ts"
import { actionItems } from "./ActionItems.ts"
import { UnavailableKind } from "../../domain/payment/provider/PaymentGateway.ts"
import { ProviderHealth } from "../../domain/payment/provider/ProviderHealth.ts"

/** Scrapers time out after seconds, too. */
const readTimeout = Duration.seconds(2)

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
const letters = gauge("letters_dead", "Letters to families that were given up; counted to 10000")
const balances = gauge("balances_overdue", "Confirmed bookings to come whose balance is overdue; counted to 10000")
const calendars = gauge(
  "calendars_failing",
  "Other calendars of playrooms that could not be read for an hour or longer; counted to 10000"
)
const clocks = gauge("clocks_off", "Machines whose clock differs from the payment provider's by more than 30 seconds")
const refusals = gauge(
  "deliveries_refused",
  "Rows of five or more deliveries of provider events that a receiver refused, with none taken since"
)
const faults = gauge("audit_faults", "What the cluster's last complete audit found; NaN: none was made by the service")
const audited = gauge("audit_age_seconds", "How long ago it ended")
const failing = gauge(
  "provider_failing_seconds",
  "For how long the payment provider has failed in this way; 0: it does not"
)

/** Two nodes with other releases show a start at other times, once a law between them is in force. */
const rulesInUse = gauge("time_zone_rules", "1 for the release of the tz database by which this node's clocks go")

const labelled = (metric: Metric.Gauge<number>, name: string, value: string) =>
  Metric.withAttributes(metric, { [name]: value })

/** Gauges with their current values. */
type Reading = ReadonlyArray<readonly [Metric.Gauge<number>, number]>

/** Counts stop here: beyond it, the exact number no longer matters. */
const maxCount = 10_000

const byName = {
  webhook_events: events,
  refunds_unsettled: refunds,
  provider_tasks_dead: dead,
  letters_dead: letters,
  balances_overdue: balances,
  calendars_failing: calendars,
  clocks_off: clocks,
  deliveries_refused: refusals
}
/** What is counted: findings for a person, and work that is waiting. */
const counts = [
  ...actionItems.flatMap(({ counted }) => (counted === undefined ? [] : [counted])),
  {
    gauge: "webhook_events",
    status: "waiting",
    rows: (sql: SqlClient.SqlClient) => eventsIn(sql, "received")
  } as const,
  {
    gauge: "refunds_unsettled",
    status: "waiting",
    rows: (sql: SqlClient.SqlClient) => sql`refund where status in ('requested', 'pending')`
  } as const
].map(({ gauge, rows, status }) => ({
  metric: status === undefined ? byName[gauge] : labelled(byName[gauge], "status", status),
  rows
}))
const failingBy = UnavailableKind.literals.map((kind) => ({ kind, metric: labelled(failing, "kind", kind) }))
const all = [answer, holds, oldest, faults, audited, ...[...counts, ...failingBy].map(({ metric }) => metric)]

const Counts = decodeRows(
  Schema.Tuple([
    Schema.Struct({
      counts: Schema.Array(Schema.Int),
      oldest: Schema.NullOr(InstantFromDate),
      faults: Schema.NullOr(Schema.Int),
      audited: Schema.NullOr(InstantFromDate)
    })
  ])
)

const open = labelled(transactions, "state", "open")
const waiting = labelled(transactions, "state", "waiting")

/**
 * Makes the read of all gauges, which never fails and takes at most two seconds. A concurrent scrape reports the values
 * of the read in progress, or of the previous one.
 */
export const makeGauges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = yield* DueBookings
  const health = yield* ProviderHealth
  const turn = yield* Semaphore.make(1)

  const read = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const asked = yield* monotonicMs
    yield* sql`select 1`
    const answeredIn = (yield* monotonicMs) - asked
    const held = yield* records.liveHolds
    const limit = sql.literal(String(maxCount))
    const [row] = yield* Counts(
      sql`select array[${sql.csv(
        counts.map(
          ({ rows }) => sql`(select count(*)::int from (select 1 from ${rows(sql, now)} limit ${limit}) counted)`
        )
      )}] as counts, (select min(received_at) from webhook_event where status = 'received') as oldest,
        (select faults from audit_run) as faults, (select finished_at from audit_run) as audited`
    )
    const failures = new Map((yield* health.failures).map(({ kind, since }) => [kind, since]))
    const since = (instant: number | null | undefined) =>
      instant === null || instant === undefined ? 0 : Math.max(0, now - instant) / 1000
    const found: Reading = [
      [answer, answeredIn / 1000],
      [holds, held],
      [oldest, since(row.oldest)],
      [faults, row.faults ?? Number.NaN],
      [audited, row.audited === null ? Number.NaN : since(row.audited)],
      ...counts.map(({ metric }, at) => [metric, row.counts[at] ?? Number.NaN] as const),
      ...failingBy.map(({ kind, metric }) => [metric, since(failures.get(kind))] as const)
    ]
    return found
  })

  const refresh = Effect.gen(function* () {
    const use = transactionsOf(sql)
    yield* Metric.update(labelled(rulesInUse, "release", zoneRules().release), 1)
    yield* Metric.update(open, use.open)
    yield* Metric.update(waiting, use.waiting)
    const found = yield* Effect.option(Effect.timeout(read, readTimeout))
    yield* Metric.update(up, Option.isSome(found) ? 1 : 0)
    const now: Reading = Option.getOrElse(found, () => all.map((metric) => [metric, Number.NaN] as const))
    for (const [metric, value] of now) yield* Metric.update(metric, value)
  })

  return Effect.asVoid(turn.withPermitsIfAvailable(1)(refresh))
})
