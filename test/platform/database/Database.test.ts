import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { execFile, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { migrate, readMigrations, statementsOf } from "../../../src/platform/database/Migrations.ts"
import { serverClient } from "../../../src/platform/database/Database.ts"
import { joinEmbedded, ownEmbedded } from "../../../src/platform/database/EmbeddedPostgres.ts"
import { clusterFolder, socketPath } from "../../../src/platform/database/DataDirectory.ts"
import { analyze, vacuum } from "../../../src/platform/database/Maintenance.ts"
import { inject } from "vitest"
import { copiedDatabase, serverUrl, TestDatabase } from "../../support/TestDatabase.ts"

const reactivity = Reactivity.layer
const sql = new URL("../../../sql/", import.meta.url)

/** A data directory with a database in it: making a new one would take seconds, and many on a busy machine. */
const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "playroom-data-"))
    cpSync(inject("embeddedTemplate"), join(folder, clusterFolder), { recursive: true })
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

describe.skipIf(serverUrl === undefined)("statements on a server", () => {
  it.live("run beside each other, each on a connection of its own, and a quick one is not behind slow ones", () =>
    Effect.gen(function* () {
      const sql = yield* serverClient(yield* copiedDatabase(serverUrl ?? ""))
      const slow = sql<{ pid: number }>`select pg_backend_pid() as pid from pg_sleep(2)`
      const running = yield* Effect.forkScoped(Effect.all([slow, slow, slow], { concurrency: "unbounded" }))
      yield* Effect.sleep("500 millis")
      const [quick] = yield* sql<{ pid: number; slow: number }>`select pg_backend_pid() as pid,
        (select count(*)::int from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep') as slow`
      assert.strictEqual(quick?.slow, 3)
      const pids = (yield* Fiber.join(running)).map(([row]) => row?.pid)
      assert.strictEqual(new Set([...pids, quick?.pid]).size, 4)
    }).pipe(Effect.scoped, Effect.provide(reactivity))
  )
})

layer(TestDatabase.layer)("the database", (it) => {
  it.effect("refuses two occupancies of one unit at overlapping times, and takes the next unit and the next time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const now = new Date(0)
      yield* sql`insert into operator (operator_id, name, created_at, updated_at) values ('operator_1', 'A', ${now}, ${now})`
      yield* sql`insert into playroom (playroom_id, operator_id, name, summary, description, address, city, country, latitude, longitude, time_zone, currency,
        capacity, age_min, age_max, amenities, from_price, modes, details, created_at, updated_at)
        values ('playroom_1', 'operator_1', 'A', '', '', '', 'X', 'GB', 0, 0, 'Europe/London', 'GBP', 5, 0, 9, '{}', 0, '{shared}', '{}', ${now}, ${now})`
      yield* sql`insert into resource (resource_id, operator_id, playroom_id, units) values ('playroom_1', 'operator_1', 'playroom_1', 5)`
      yield* sql`insert into closure (closure_id, operator_id, playroom_id, during, reason, created_at) values ('closure_1', 'operator_1', 'playroom_1', '[2026-01-01, 2026-01-02)', '', ${now})`
      const take = (units: string, during: string) =>
        sql`insert into occupancy (resource_id, operator_id, units, during, closure_id)
          values ('playroom_1', 'operator_1', ${units}::text::int4multirange, ${during}::text::tstzrange, 'closure_1')`
      yield* take("{[0,2)}", "[2026-01-01 10:00Z, 2026-01-01 11:00Z)")
      const refused = yield* Effect.flip(take("{[1,3)}", "[2026-01-01 10:59Z, 2026-01-01 12:00Z)"))
      assert.strictEqual(refused.reason._tag, "ConstraintError")
      yield* take("{[2,3)}", "[2026-01-01 10:59Z, 2026-01-01 12:00Z)")
      yield* take("{[1,2)}", "[2026-01-01 11:00Z, 2026-01-01 12:00Z)")
    })
  )

  it.effect("is migrated once however often and by however many nodes at once it is asked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.all([migrate, migrate, migrate], { concurrency: 3 })
      const [row] = yield* sql<{ n: number }>`select count(*)::int as n from schema_migration`
      assert.isAbove(row?.n ?? 0, 3)
    })
  )

  it("has migrations of different numbers, so that their order never depends on the rest of their names", () => {
    const numbers = readMigrations().map(({ name }) => name.slice(0, 4))
    assert.deepStrictEqual(numbers, [...new Set(numbers)])
    assert.isTrue(numbers.every((number) => /^\d{4}$/.test(number)))
  })

  it("has the same migrations in a checkout with the line ends of Windows", () => {
    const folder = mkdtempSync(join(tmpdir(), "playroom-migrations-"))
    const written = readdirSync(sql).find((name) => name.endsWith(".sql")) ?? ""
    writeFileSync(join(folder, written), readFileSync(new URL(written, sql), "utf8").replaceAll("\n", "\r\n"))
    const there = readMigrations({ name: "public", folder: pathToFileURL(`${folder}/`) })
    rmSync(folder, { recursive: true })
    assert.deepStrictEqual(there, readMigrations().slice(0, 1))
  })

  it("has migrations whose statements are told apart, also where a function's body holds several", () => {
    const body = "create function f() returns void language plpgsql as $$\nbegin\n  perform 1;\n\n  perform 2;\nend $$;"
    const table = "-- Why; and how.\ncreate table t (\n  -- One; two.\n  n text default ';' check (n <> '$')\n);"
    assert.deepStrictEqual(statementsOf(`${table}\ncreate index i on t (n);\n\n${body}\n`), [
      table,
      "create index i on t (n);",
      body
    ])
  })

  it.effect.skipIf(serverUrl !== undefined)("is analysed by a small sample: everybody waits for it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table sampled as select n from generate_series(1, 20000) n`
      yield* sql`analyze sampled`
      const [row] = yield* sql<{ bounds: number }>`select cardinality(histogram_bounds::text::text[]) as bounds
        from pg_stats where tablename = 'sampled'`
      yield* sql`drop table sampled`
      assert.strictEqual(row?.bounds, 11, "a sample of 3,000 rows has ten parts")
    })
  )

  it.effect("is analysed table by table, as far as it has changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table grown (n int)`
      const afterRows = (count: number) =>
        Effect.andThen(sql`insert into grown select generate_series(1, ${count}::int)`, analyze)
      yield* afterRows(0)
      assert.notInclude(yield* afterRows(50), "grown")
      assert.include(yield* afterRows(1), "grown")
      assert.notInclude(yield* analyze, "grown")
      assert.notInclude(yield* afterRows(55), "grown")
      assert.include(yield* afterRows(1), "grown")
      yield* sql`drop table grown`
    })
  )

  it.effect("does not grow by the probes of /readyz: what they leave behind is used again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const size = Effect.map(
        sql<{ bytes: number }>`select pg_relation_size('pg_class')::int as bytes`,
        ([row]) => row?.bytes ?? 0
      )
      const probe = Effect.repeat(sql`select probe_write()`, { times: 250 })
      yield* Effect.andThen(probe, vacuum)
      const before = yield* size
      for (let round = 0; round < 2; round++) yield* Effect.andThen(probe, vacuum)
      assert.isAtMost(yield* size, before)
    })
  )

  it.effect(
    "gets the functions of this release where others stand, and leaves them where it knows not all migrations",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const alter = Effect.andThen(
          sql.unsafe("create or replace function digest_of(input text) returns text language sql return 'altered'"),
          sql`update schema_migration set checksum = 'other' where name = 'functions/bookings'`
        )
        const digest = Effect.map(sql<{ digest: string }>`select digest_of('a') as digest`, ([row]) => row?.digest)
        const right = yield* digest
        yield* Effect.andThen(alter, migrate)
        assert.strictEqual(yield* digest, right)
        yield* Effect.andThen(alter, sql`insert into schema_migration (name, checksum) values ('9999_later', 'any')`)
        const fault = yield* Effect.flip(migrate)
        assert.include(fault.message, "9999_later is applied but unknown to this version")
        assert.strictEqual(yield* digest, "altered")
        yield* sql`delete from schema_migration where name = '9999_later'`
        yield* migrate
        assert.strictEqual(yield* digest, right)
      })
  )

  it.effect("goes on without a file of functions that is no more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into schema_migration (name, checksum) values ('functions/gone', 'any')`
      yield* migrate
    })
  )

  it.effect("refuses tables whose migration was edited afterwards, by name", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update schema_migration set checksum = 'other' where name = '0001_operators'`
      const fault = yield* Effect.flip(migrate)
      assert.strictEqual(fault._tag, "MigrationMismatch")
      assert.include(fault.message, "0001_operators was edited")
    })
  )

  it.effect("refuses tables from before the first release that lack some, and says what to start before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from schema_migration`
      yield* sql`insert into schema_migration (name, checksum) values ('0001_catalogue', 'any'), ('0098_later', 'any')`
      const fault = yield* Effect.flip(migrate)
      assert.strictEqual(fault._tag, "MadeBeforeFirstRelease")
      assert.include(fault.message, "its last migration is 0098_later")
      assert.match(fault.message, /Start commit \w{8} once with it/)
    })
  )
})

describe("the embedded database", () => {
  it.live("keeps what was committed, and refuses a second owner until the first is gone", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const first = yield* Scope.make()
      const sql = yield* Scope.provide(ownEmbedded(folder).pipe(Effect.provide(reactivity)), first)
      yield* sql`create table kept (n int)`
      yield* sql`insert into kept values (7)`
      const refused = yield* Effect.flip(Effect.scoped(Effect.provide(ownEmbedded(folder), reactivity)))
      assert.strictEqual(refused._tag, "DataDirectoryInUse")
      assert.include(refused.message, "DATA_DIR")
      yield* Scope.close(first, Exit.void)
      const rows = yield* Effect.scoped(
        Effect.flatMap(Effect.provide(ownEmbedded(folder), reactivity), (again) => again`select n from kept`)
      )
      assert.deepStrictEqual(rows, [{ n: 7 }])
    }).pipe(Effect.scoped)
  )

  it.live("is waited for where a command has it for a moment, by a service that starts and by another command", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      // Left behind by a service that was killed.
      writeFileSync(join(folder, ".s.PGSQL.5432.owner"), "service")
      const command = yield* Scope.make()
      const sql = yield* Scope.provide(ownEmbedded(folder, "command").pipe(Effect.provide(reactivity)), command)
      yield* sql`create table done (n int)`
      const starting = (as: "service" | "command") =>
        Effect.forkChild(
          Effect.scoped(
            Effect.flatMap(Effect.provide(ownEmbedded(folder, as), reactivity), (own) => own`select n from done`)
          )
        )
      const waiting = [yield* starting("service"), yield* starting("command")]
      yield* Effect.sleep("1 second")
      for (const fiber of waiting) assert.isUndefined(fiber.pollUnsafe())
      yield* sql`insert into done values (1)`
      yield* Scope.close(command, Exit.void)
      const [service] = waiting
      if (service !== undefined) assert.deepStrictEqual(yield* Fiber.join(service), [{ n: 1 }])
    }).pipe(Effect.scoped)
  )

  it.live("is not waited for where a service keeps it", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.provide(ownEmbedded(folder, "service"), reactivity)
      const refused = (as: "service" | "command") =>
        Effect.scoped(Effect.provide(ownEmbedded(folder, as), reactivity)).pipe(Effect.flip, Effect.timed)
      // It would wait fifteen seconds for a command.
      const [forService] = yield* refused("service")
      assert.isBelow(Duration.toMillis(forService), 10_000)
      // On a clock that stands still nobody waits: this would never end.
      const [, told] = yield* Effect.provide(refused("command"), TestClock.layer())
      assert.strictEqual(told._tag, "DataDirectoryInUse")
    }).pipe(Effect.scoped)
  )

  it.live("lets a command use a running service's database between its transactions, not inside them", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const service = yield* Effect.provide(ownEmbedded(folder), reactivity)
      const command = yield* Effect.provide(joinEmbedded(socketPath(folder)), reactivity)
      yield* service`create table seen (n int)`
      // Connected, so that its next statement is on its way at once.
      yield* command`select 1`
      const asking = yield* service.withTransaction(
        Effect.gen(function* () {
          yield* service`insert into seen values (1)`
          const asking = yield* Effect.forkDetach(command`select n from seen order by n`, { startImmediately: true })
          // Each goes to the backend and back, which leaves the command's statement time to come, and to be answered.
          for (let trip = 0; trip < 50; trip++) yield* service`select ${trip}::int`
          assert.isUndefined(asking.pollUnsafe())
          yield* service`insert into seen values (2)`
          return asking
        })
      )
      assert.deepStrictEqual(yield* Fiber.join(asking), [{ n: 1 }, { n: 2 }])
      const rolledBack = yield* Effect.exit(
        command.withTransaction(Effect.andThen(command`insert into seen values (3)`, Effect.fail("no")))
      )
      assert.isTrue(Exit.isFailure(rolledBack))
      assert.deepStrictEqual(yield* service`select n from seen order by n`, [{ n: 1 }, { n: 2 }])
    }).pipe(Effect.scoped)
  )

  it.live("closes while a command is in the middle of a transaction, and keeps nothing of that", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const service = yield* Scope.make()
      const sql = yield* Scope.provide(ownEmbedded(folder).pipe(Effect.provide(reactivity)), service)
      yield* sql`create table seen (n int)`
      const command = yield* Effect.provide(joinEmbedded(socketPath(folder)), reactivity)
      const inside = yield* Deferred.make<void>()
      const cut = yield* Effect.forkChild(
        command.withTransaction(
          Effect.gen(function* () {
            yield* command`insert into seen values (1)`
            yield* Deferred.succeed(inside, undefined)
            return yield* Effect.never
          })
        )
      )
      yield* Deferred.await(inside)
      yield* Effect.timeout(Scope.close(service, Exit.void), "10 seconds")
      yield* Fiber.interrupt(cut)
      const rows = yield* Effect.scoped(
        Effect.flatMap(Effect.provide(ownEmbedded(folder), reactivity), (again) => again`select n from seen`)
      )
      assert.deepStrictEqual(rows, [])
    }).pipe(Effect.scoped)
  )

  const psql = ["psql", "pg_dump"].every((one) => spawnSync(one, ["--version"]).status === 0)
  if (!psql) console.log("SKIPPED: psql and pg_dump are not installed")
  it.live.skipIf(!psql)("answers psql on its socket, where psql is installed", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      yield* Effect.provide(ownEmbedded(folder), reactivity)
      const answer = yield* Effect.callback<string>((resume) => {
        execFile("psql", ["-h", folder, "-U", "postgres", "-Atc", "select 6 * 7"], (_error, stdout) =>
          resume(Effect.succeed(stdout.trim()))
        )
      })
      assert.strictEqual(answer, "42")
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!psql)("a service goes on beside pg_dump and psql, where they are installed", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const service = yield* Effect.provide(ownEmbedded(folder), reactivity)
      yield* service`create table seen (n int)`
      const run = (program: string, ...args: ReadonlyArray<string>) =>
        Effect.callback<string>((resume) => {
          execFile(program, ["-h", folder, "-U", "postgres", ...args], { timeout: 20_000 }, (_error, stdout, stderr) =>
            resume(Effect.succeed(`${stdout}${stderr}`))
          )
        })
      const counting = Effect.forever(
        Effect.andThen(service.withTransaction(service`insert into seen values (1)`), Effect.sleep("1 millis"))
      )
      const during = yield* Effect.forkChild(counting)
      const said = [
        // It may say that the server is newer than it is.
        yield* run("pg_dump", "--inserts", "-t", "seen"),
        yield* run("psql", "-Atc", "select set_config('search_path', '', false)", "-c", "select 'as ' || 'asked'"),
        yield* run("psql", "-Atc", "create temp table seen (n int)", "-c", "\\copy public.seen from /dev/null")
      ]
      assert.isUndefined(during.pollUnsafe(), said.join("\n"))
      assert.include(said[1], "as asked")
      assert.match(said[2] ?? "", /use INSERT/)
      assert.isAbove((yield* service`select n from seen`).length, 3)
    }).pipe(Effect.scoped)
  )
})
