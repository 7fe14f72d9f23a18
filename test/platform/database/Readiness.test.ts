import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { execFileSync } from "node:child_process"
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { databaseLayer } from "../../../src/platform/database/Database.ts"
import { clusterFolder } from "../../../src/platform/database/DataDirectory.ts"
import { Migrations } from "../../../src/platform/database/Migrations.ts"
import { Readiness } from "../../../src/platform/database/Readiness.ts"
import { book, planRush } from "../../support/Rush.ts"
import { startService } from "../../support/Service.ts"
import { copiedDatabase, serverUrl, TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/testSettings.ts"

const state = Readiness.use((readiness) => readiness.state)

layer(Readiness.layer.pipe(Layer.provideMerge(Migrations.layer), Layer.provideMerge(TestDatabase.layer)))(
  "whether the database can be used",
  (it) => {
    it.effect("is asked at most every few seconds, leaves nothing behind, and sees a full disk and its end", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const written = Effect.map(
          sql<{ file: string; n: number }>`select pg_relation_filepath('write_probe') as file,
            (select count(*)::int from write_probe) as n`,
          ([row]) => row
        )
        const before = yield* written
        assert.strictEqual(yield* state, "ready")
        assert.deepStrictEqual(yield* written, before)
        // As PostgreSQL refuses a page that has no room on the disk.
        yield* sql`create function no_room() returns trigger language plpgsql as $$
          begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`
        yield* sql`create trigger no_room before insert on write_probe for each row execute function no_room()`
        assert.strictEqual(yield* state, "ready")
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* state, "unwritable")
        yield* sql`drop trigger no_room on write_probe`
        assert.strictEqual(yield* state, "unwritable")
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* state, "ready")
      })
    )

    it.effect("is asked again after seconds, also if the machine's clock steps back", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.adjust("1 day")
        assert.strictEqual(yield* state, "ready")
        yield* sql`alter table write_probe rename to write_probe_away`
        yield* TestClock.setTime(0)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(yield* state, "unwritable")
        yield* sql`alter table write_probe_away rename to write_probe`
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* state, "ready")
      })
    )

    it.effect("is told of a standby, and of a server that takes no writes after a failover", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.adjust("5 seconds")
        const asked = sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`set transaction read only`
            return yield* sql<{ said: string }>`select probe_write() as said`
          })
        )
        assert.deepStrictEqual(yield* asked, [{ said: "read_only" }])
      })
    )
  }
)

/** What a service has: on the server that the tests run on, or embedded in a folder of its own. */
const servicesDatabase = Effect.gen(function* () {
  if (serverUrl !== undefined) return { kind: "server" as const, url: yield* copiedDatabase(serverUrl) }
  const dataDir = mkdtempSync(join(tmpdir(), "playroom-busy-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(dataDir, { recursive: true })))
  cpSync(inject("embeddedTemplate"), join(dataDir, clusterFolder), { recursive: true })
  return { kind: "embedded" as const, dataDir }
})

it.live(
  "a database whose connections are all busy for long is ready: it is asked over a connection of its own",
  () =>
    Effect.gen(function* () {
      const database = yield* servicesDatabase
      const context = yield* Layer.build(
        Readiness.layer.pipe(
          Layer.provideMerge(Migrations.layer),
          Layer.provideMerge(databaseLayer),
          Layer.provide(Layer.succeed(AppConfig, testSettings({ database })))
        )
      )
      // Four seconds of work for all connections of a server, a minute for the embedded one.
      const statement = SqlClient.SqlClient.use((sql) => sql`select pg_sleep(0.1)`)
      const busy = Effect.all(
        Array.from({ length: 600 }, () => statement),
        { concurrency: "unbounded" }
      )
      const working = yield* Effect.forkChild(Effect.provideContext(busy, context))
      yield* Effect.sleep("300 millis")
      assert.strictEqual(yield* Effect.provideContext(state, context), "ready")
      assert.isUndefined(working.pollUnsafe())
      yield* Fiber.interrupt(working)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  120_000
)

/** A file system of so many MB of its own, for as long as the scope is open. */
const smallDisk = (megabytes: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "playroom-disk-"))
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" })
      return folder
    }),
    (folder) =>
      Effect.sync(() => {
        execFileSync("umount", ["-l", folder])
        rmSync(folder, { recursive: true })
      })
  )

/** Whether this user, on this machine, may make one. */
const mayMount = (): boolean => Exit.isSuccess(Effect.runSyncExit(Effect.scoped(smallDisk(1))))

/** Takes all the room that is left. */
const fill = (file: string): void => {
  const open = openSync(file, "w")
  for (const size of [1024 * 1024, 4096, 1]) {
    try {
      for (;;) writeSync(open, Buffer.alloc(size))
    } catch {
      // Full, as far as pieces of this size go.
    }
  }
  closeSync(open)
}

const title = "a service whose disk is full says that it is not ready, and is again when there is room"

describe("on a disk of its own", () => {
  const why = serverUrl !== undefined ? "a server's disk is not ours to fill" : mayMount() ? undefined : "no root here"
  if (why !== undefined) {
    it.skip(`${title} (SKIPPED: ${why})`, () => {})
    return
  }
  it.live(
    title,
    () =>
      Effect.gen(function* () {
        const folder = yield* smallDisk(160)
        const service = yield* startService({ DATA_DIR: join(folder, "data") })
        const ready = Effect.promise(() => fetch(`${service.baseUrl}/readyz`).then(({ status }) => status))
        const until = (status: number) =>
          Effect.gen(function* () {
            while ((yield* ready) !== status) yield* Effect.sleep("200 millis")
          })
        const { wishes } = yield* planRush(service, 0)
        const [first, ...others] = wishes
        assert.property(yield* book(service, first ?? assert.fail()), "booking")
        const ballast = join(folder, "ballast")
        fill(ballast)
        yield* until(503)
        rmSync(ballast)
        yield* until(200)
        assert.property(yield* book(service, others.at(-1) ?? assert.fail()), "booking")
      }).pipe(Effect.scoped),
    120_000
  )
})
