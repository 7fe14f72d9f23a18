/** `webhooks`: deliveries answered a second beside pgbench inserting the same rows, and the wait while the database is busy. */
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
import { backendsOf, processorSeconds } from "./support/Usage.ts"

const connections = 32
const secret = "whsec_bench_connected"
/** Events of known sessions in a round: about as many as are answered in the seconds that the others take. */
const knownInRound = 10_000

/** The receiver's insert, with a new id each time. */
const insertEvent = `
\\set n :i + 1
\\set i :n
insert into webhook_event (event_id, receiver, type, account, livemode, api_version, payload, status, next_attempt_at, received_at)
values (:prefix || :client_id || '_' || :n, 'connected', 'checkout.session.completed', 'acct_1', false, '2026-10-28', :payload, 'received', now(), now())
on conflict (event_id) do nothing returning event_id;
`
/** Work that keeps a database busy: scattered updates that are written through. */
const busyWork = `
\\set row random(1, 100000)
begin;
update busy set n = n + 1 where id = :row;
select count(*) from busy where id between :row and :row + 2000;
commit;
`

const Count = Schema.Tuple([Schema.Struct({ n: Schema.Int })])
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
    const used = () => ({
      service: processorSeconds(service.pid),
      database: backendsOf(new URL(ours).pathname.slice(1)).reduce((sum, pid) => sum + processorSeconds(pid), 0)
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

    const script = yield* pgbenchScript(insertEvent)
    const payload = paidEvent(false, price)
    const inserts = (round: number) =>
      pgbench({ url: theirs, script, clients: 16, seconds, variables: { i: 0, prefix: `evt_${round}_`, payload } })
    /** What answering and applying them takes, from the first delivery on; processor time in microseconds each. */
    const taking = Effect.fnUntraced(function* (plan: Partial<LoadPlan>) {
      const before = used()
      const [ms, got] = yield* timed(Effect.tap(deliver(plan), () => drained))
      const after = used()
      const each = (of: "service" | "database") => ((after[of] - before[of]) / got.answers) * 1e6
      return {
        answered: got.perSecond,
        applied: got.answers / (ms / 1000),
        p99: got.p99,
        refused: got.refused,
        service: each("service"),
        database: each("database")
      }
    })
    const knownOnes = (round: number) =>
      taking({ bodies: [paidEvent(true, price)], firstNumber: 1 + round * knownInRound, requests: knownInRound })

    yield* Effect.andThen(deliver({ seconds: 1 }), drained)
    const unknowns: Array<Effect.Success<ReturnType<typeof taking>>> = []
    const knowns: typeof unknowns = []
    const yardstick: Array<number> = []
    for (let round = 0; round < rounds; round++) {
      unknowns.push(yield* taking({ seconds }))
      yardstick.push((yield* inserts(round)) ?? Number.NaN)
      knowns.push(yield* knownOnes(round))
    }
    const row = (name: string, samples: typeof unknowns) => {
      const answered = samples.map((one) => one.answered)
      return [
        name,
        answered,
        ratios(answered, yardstick),
        samples.map(({ p99 }) => p99),
        samples.map(({ applied }) => applied),
        samples.map(({ service }) => service),
        samples.map(({ database }) => database),
        samples.map(({ refused }) => refused)
      ]
    }
    yield* table(
      `webhooks: signed events of ${number(payload.length)} characters over ${connections} connections, a service process on a server`,
      [
        "",
        "answered/s",
        "ratio to pgbench",
        "p99 ms",
        "answered and applied/s",
        "processor µs each",
        "the database's",
        "refused"
      ],
      [
        row("of unknown sessions", unknowns),
        row("of known sessions, paid", knowns),
        ["pgbench, the inserts alone", yardstick, 1, "", "", "", "", ""]
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
