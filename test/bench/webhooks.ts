/**
 * `webhooks`: deliveries answered a second beside pgbench inserting the same rows, with the processor time that the
 * service, the database and the callers take of it, and the wait while the database is busy.
 */
import { Console, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, serverClient } from "./support/Databases.ts"
import { number, ratios, table, takeTurns, timed } from "./support/Figures.ts"
import { load, type Loaded, type LoadPlan } from "./support/Load.ts"
import { pgbench, pgbenchScript } from "./support/Pgbench.ts"
import { startService } from "./support/Processes.ts"
import { servicesOn } from "./support/Seeds.ts"
import { paidEvent, seedSessions } from "./support/Sessions.ts"
import { backendsOf, endedChildrenSeconds, processorSeconds, withBackends } from "./support/Usage.ts"

const connections = 32
const secret = "whsec_bench_connected"
/** Events of known sessions in a round: about as many as are answered in the seconds that the others take. */
const knownInRound = 10_000

/** The receiver's insert of one row, with a new id each time, and what else stands in rows of its kind. */
const insertEvent = (columns: string, values: string): string => `
\\set n :i + 1
\\set i :n
insert into webhook_event (event_id, receiver, type, account, livemode, api_version, payload, next_attempt_at, received_at, ${columns})
values (:prefix || :client_id || '_' || :n, 'connected', 'checkout.session.completed', 'acct_1', false, '2026-10-28', :payload, now(), now(), ${values})
on conflict (event_id) do nothing returning event_id;
`
const insertUnknown = insertEvent("status, outcome, applied_at", "'ignored', :outcome, now()")
const insertKnown = insertEvent(
  "status, queue, payment_session_id, booking_id",
  "'received', 'known', 'payment_01kc' || lpad((:n::bigint)::text, 22, '0'), 'booking_01kc' || lpad((:n::bigint)::text, 22, '0')"
)
/** Work that keeps a database busy: scattered updates that are written through. */
const busyWork = `
\\set row random(1, 100000)
begin;
update busy set n = n + 1 where id = :row;
select count(*) from busy where id between :row and :row + 2000;
commit;
`

const Count = Schema.Tuple([Schema.Struct({ n: Schema.Int })])
const Kept = Schema.Tuple([Schema.Struct({ payload: Schema.String, outcome: Schema.String })])
const Some = Schema.Tuple([Schema.Struct({ some: Schema.Boolean })])

export const bench: Bench = {
  about: "receivers' throughput over HTTP beside pgbench doing the same inserts; the wait while the database is busy",
  run: Effect.fnUntraced(function* ({ rounds, seconds }) {
    const [ours, theirs] = [yield* scratchDatabase(), yield* scratchDatabase()]
    const context = yield* servicesOn(serverClient(ours, 2))
    const known = knownInRound * rounds
    const price = yield* Effect.provide(seedSessions(known), context)
    const service = yield* startService({
      DATABASE_URL: ours,
      PAYMENT_PROVIDER: "sandbox",
      PAYMENT_CONNECT_WEBHOOK_SECRETS: secret
    })
    const sql = yield* Effect.provide(SqlClient.SqlClient, context)
    const waiting = Effect.flatMap(
      sql`select exists (select from webhook_event where status = 'received' and attempts = 0) as some`,
      (rows) => Effect.map(Effect.orDie(Schema.decodeUnknownEffect(Some)(rows)), ([{ some }]) => some)
    )
    /** Waits until everything that was stored is applied too. */
    const drained = Effect.gen(function* () {
      while (yield* waiting) yield* Effect.sleep("20 millis")
    })
    const nameOf = (url: string) => new URL(url).pathname.slice(1)
    const used = () => ({
      service: processorSeconds(service.pid),
      database: backendsOf(nameOf(ours)).reduce((sum, pid) => sum + processorSeconds(pid), 0)
    })
    let numbered = 1_000_000
    const deliver = (plan: Partial<LoadPlan>) =>
      load(
        {
          url: `${service.baseUrl}/api/PaymentWebhook/HandleConnected`,
          connections,
          headers: { "Content-Type": "application/json; charset=utf-8" },
          bodies: [paidEvent(false, price)],
          secret,
          expect: `"received":true`,
          firstNumber: (numbered += 1_000_000),
          ...plan
        },
        "counted"
      )

    const payload = paidEvent(false, price)
    /**
     * The same rows by pgbench, and processor time in microseconds each: of the database, and of pgbench as the caller.
     */
    const inserting = Effect.fnUntraced(function* (script: string, variables: Readonly<Record<string, string>>) {
      const before = endedChildrenSeconds()
      const run = pgbench({ url: theirs, script, clients: 16, seconds, variables: { i: 0, ...variables } })
      const [perSecond = Number.NaN, database] = yield* withBackends(nameOf(theirs), run)
      const each = (used: number) => (used / (perSecond * seconds)) * 1e6
      return { perSecond, database: each(database), callers: each(endedChildrenSeconds() - before) }
    })
    /**
     * What answering takes, and answering and applying, from the first delivery on; processor time in microseconds
     * each.
     */
    const taking = Effect.fnUntraced(function* (plan: Partial<LoadPlan>) {
      const before = used()
      const [ms, [got, between]] = yield* timed(
        Effect.tap(
          Effect.map(deliver(plan), (loaded) => [loaded, used()] as const),
          () => drained
        )
      )
      const after = used()
      const each = (spent: number) => (spent / got.answers) * 1e6
      return {
        answered: got.perSecond,
        applied: got.answers / (ms / 1000),
        p99: got.p99,
        refused: got.refused,
        service: each(between.service - before.service),
        database: each(between.database - before.database),
        callers: each(got.processorSeconds),
        serviceInAll: each(after.service - before.service),
        databaseInAll: each(after.database - before.database)
      }
    })
    const knownOnes = (round: number) =>
      taking({ bodies: [paidEvent(true, price)], firstNumber: 1 + round * knownInRound, requests: knownInRound })

    yield* Effect.andThen(deliver({ seconds: 1 }), drained)
    const [kept] = yield* Effect.orDie(
      Effect.flatMap(
        sql`select payload, outcome from webhook_event where status = 'ignored' limit 1`,
        Schema.decodeUnknownEffect(Kept)
      )
    )
    const scripts = { unknown: yield* pgbenchScript(insertUnknown), known: yield* pgbenchScript(insertKnown) }
    type Taken = Effect.Success<ReturnType<typeof taking>>
    type Inserted = Effect.Success<ReturnType<typeof inserting>>
    const unknowns: Array<Taken> = []
    const knowns: Array<Taken> = []
    const unknownInserts: Array<Inserted> = []
    const knownInserts: Array<Inserted> = []
    for (let round = 0; round < rounds; round++) {
      unknowns.push(yield* taking({ seconds }))
      unknownInserts.push(yield* inserting(scripts.unknown, { prefix: `evt_unknown_${round}_`, ...kept }))
      knowns.push(yield* knownOnes(round))
      knownInserts.push(yield* inserting(scripts.known, { prefix: `evt_known_${round}_`, payload }))
    }
    const rows = (name: string, taken: ReadonlyArray<Taken>, inserted: ReadonlyArray<Inserted>) => {
      const answered = taken.map((one) => one.answered)
      const yardstick = inserted.map(({ perSecond }) => perSecond)
      return [
        [
          name,
          answered,
          ratios(answered, yardstick),
          taken.map(({ p99 }) => p99),
          taken.map(({ service }) => service),
          taken.map(({ database }) => database),
          taken.map(({ callers }) => callers),
          taken.map(({ applied }) => applied),
          taken.map(({ serviceInAll }) => serviceInAll),
          taken.map(({ databaseInAll }) => databaseInAll),
          taken.map(({ refused }) => refused)
        ],
        [
          "  pgbench, their inserts alone",
          yardstick,
          1,
          "",
          "",
          inserted.map(({ database }) => database),
          inserted.map(({ callers }) => callers),
          "",
          "",
          "",
          ""
        ]
      ]
    }
    yield* table(
      `webhooks: signed events of ${number(payload.length)} characters over ${connections} connections, a service process on a server; processor µs each`,
      [
        "",
        "answered/s",
        "ratio to pgbench",
        "p99 ms",
        "service µs",
        "database µs",
        "callers µs",
        "answered and applied/s",
        "service µs in all",
        "database µs in all",
        "refused"
      ],
      [
        ...rows("of unknown sessions", unknowns, unknownInserts),
        ...rows("of known sessions, paid", knowns, knownInserts)
      ]
    )
    const [paid] = yield* Effect.orDie(
      Effect.flatMap(sql`select count(*)::int as n from booking where status = 'confirmed'`, (rows) =>
        Schema.decodeUnknownEffect(Count)(rows)
      )
    )
    yield* Console.log(`(${number(paid.n)} of ${number(known)} bookings are confirmed by then)`)

    // A database of its own on the same server: what is busy is the machine's disk and processors, not our tables.
    const other = yield* scratchDatabase()
    const busy = yield* servicesOn(serverClient(other, 1))
    yield* Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.andThen(
          sql`create table busy (id int primary key, n int not null)`,
          sql`insert into busy select n, 0 from generate_series(1, 100000) n`
        )
      ),
      busy
    )
    const busyScript = yield* pgbenchScript(busyWork)
    const steady = deliver({ rate: 50, seconds: seconds * 2 })
    const beside = Effect.gen(function* () {
      yield* Effect.forkScoped(pgbench({ url: other, script: busyScript, clients: 8, seconds: seconds * 2 + 1 }))
      yield* Effect.sleep("500 millis")
      return yield* steady
    }).pipe(Effect.scoped)
    const taken = yield* takeTurns<string, Loaded, unknown, never>(rounds, [
      ["nothing else", () => steady],
      ["8 clients of pgbench", () => beside]
    ])
    yield* table(
      "webhooks: 50 deliveries a second, ms from when each was due",
      ["beside", "half", "p99", "longest", "refused"],
      ["nothing else", "8 clients of pgbench"].map((name) => [
        name,
        taken(name).map(({ p50 }) => p50),
        taken(name).map(({ p99 }) => p99),
        taken(name).map(({ max }) => max),
        taken(name).map(({ refused }) => refused)
      ])
    )
  })
}
