import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { execFile, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, inject } from "vitest"
import { joinEmbedded, ownEmbedded, spareCluster } from "../../../src/platform/database/EmbeddedPostgres.ts"
import { ownDataDirectory, socketPath } from "../../../src/platform/database/DataDirectory.ts"
import { readAllMigrations, readMigrations } from "../../../src/platform/database/Migrations.ts"
import { restrictDataDirectory } from "../../../src/platform/database/PrivateFiles.ts"
import { shortLived } from "../../support/nodeProcesses.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-doors-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
const owned = (dataDir: string) => Effect.provide(ownEmbedded(dataDir), Reactivity.layer)

/** Everything below a folder that others than its owner may do something with, as `mode path`. */
const openToOthers = (folder: string): ReadonlyArray<string> =>
  ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].flatMap((path) => {
    const entry = lstatSync(join(folder, path))
    const mode = entry.mode & 0o777
    const wanted = entry.isDirectory() ? 0o700 : 0o600
    return entry.isSymbolicLink() || mode === wanted ? [] : [`${mode.toString(8)} ${path}`]
  })

describe("the data directory", () => {
  it.live(
    "is closed to other users, whatever its modes were before, and so is all that the database writes in it",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* temporaryFolder, "data")
        mkdirSync(dataDir)
        cpSync(inject("embeddedTemplate"), join(dataDir, "postgres"), { recursive: true })
        writeFileSync(join(dataDir, "development-key"), "playroom_key_old\n")
        writeFileSync(join(dataDir, "left behind"), "")
        mkdirSync(join(dataDir, "postgres", "extra"))
        writeFileSync(join(dataDir, "postgres", "extra", "file"), "")
        for (const path of ["", ...readdirSync(dataDir, { recursive: true, encoding: "utf8" })]) {
          const entry = join(dataDir, path)
          chmodSync(entry, statSync(entry).isDirectory() ? 0o755 : 0o666)
        }
        assert.isAbove(openToOthers(dataDir).length, 500)
        const sql = yield* owned(dataDir)
        assert.deepStrictEqual(openToOthers(dataDir), [])
        yield* sql`create table many as select n, repeat('x', 100) as text from generate_series(1, 20000) n`
        yield* sql`create index on many (n)`
        yield* sql`vacuum (analyze) many`
        yield* sql`checkpoint`
        const command = yield* Effect.provide(joinEmbedded(socketPath(dataDir)), Reactivity.layer)
        assert.deepStrictEqual(yield* command`select count(*)::int as n from many`, [{ n: 20_000 }])
        assert.deepStrictEqual(openToOthers(dataDir), [])
      }).pipe(Effect.scoped)
  )

  it.live("has one owner after one that was killed, however many claim it at once", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++) {
        const dataDir = yield* temporaryFolder
        const path = socketPath(dataDir)
        const dies = `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`
        spawnSync(process.execPath, ["-e", dies])
        assert.isTrue(existsSync(path))
        const claims = Array.from({ length: 8 }, (_, n) =>
          Effect.sleep(n % 4).pipe(Effect.andThen(ownDataDirectory(dataDir, "service", () => {})), Effect.exit)
        )
        const made = yield* Effect.all(claims, { concurrency: 8 })
        assert.strictEqual(made.filter(Exit.isSuccess).length, 1)
        assert.isTrue(existsSync(path))
      }
    }).pipe(Effect.scoped)
  )

  it.live("has its socket in a folder of this user alone where its own path is too long", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporaryFolder, "long".repeat(25))
      const folder = dirname(socketPath(dataDir))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      assert.strictEqual(dirname(folder), tmpdir())
      assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
      yield* Effect.scoped(ownDataDirectory(dataDir, "service", () => {}))
      // As if another user had made it before: whoever listens there would be taken for the database.
      if (isRoot) chownSync(folder, nobody, nobody)
      else chmodSync(folder, 0o777)
      const refused = yield* Effect.flip(Effect.scoped(ownDataDirectory(dataDir, "command", () => {})))
      assert.include(
        refused.message,
        `its path is too long for a socket, and ${isRoot ? "" : "other users can write to "}${folder}`
      )
      assert.include(refused.message, "Set DATA_DIR to")
    }).pipe(Effect.scoped)
  )

  it.live("may lose files while it is closed: whoever uses the database comes and goes", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const names = Array.from({ length: 50 }, (_, n) => join(dataDir, `postgres ${n}`))
      for (const name of names) writeFileSync(name, "", { mode: 0o666 })
      // With the first file that is looked at, most others go.
      let first = true
      restrictDataDirectory(dataDir, (name) => {
        const gone = names.filter((other) => !other.endsWith(`/${name}`)).slice(0, 39)
        if (first) for (const other of gone) rmSync(other)
        first = false
        return true
      })
      assert.strictEqual(readdirSync(dataDir).length, 11)
      assert.deepStrictEqual(openToOthers(dataDir), [])
    }).pipe(Effect.scoped)
  )

  it.live("is made with the database in it, for its owner only", () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporaryFolder, "deep", "data")
      yield* Effect.scoped(Effect.flatMap(owned(dataDir), (sql) => sql`create table made (n int)`))
      assert.isTrue(existsSync(join(dataDir, "postgres", "PG_VERSION")))
      assert.deepStrictEqual(openToOthers(dirname(dataDir)), [])
    }).pipe(Effect.scoped)
  )

  it.live("that does not open says why in PostgreSQL's words, and what to do", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const cluster = join(dataDir, "postgres")
      const file = (path: string) => join(cluster, path)
      const damages: Readonly<Record<string, readonly [() => void, string]>> = {
        "of another PostgreSQL": [
          () => writeFileSync(file("PG_VERSION"), "17\n"),
          "The data directory was initialized by PostgreSQL version 17"
        ],
        "without its first file": [() => rmSync(file("global/pg_control")), "global/pg_control"],
        "with another first file": [
          () => writeFileSync(file("global/pg_control"), Buffer.alloc(8192, 7)),
          "PG_CONTROL_VERSION"
        ],
        "without its log": [() => rmSync(file("pg_wal"), { recursive: true }), "pg_wal"]
      }
      for (const [what, [damage, why]] of Object.entries(damages)) {
        rmSync(cluster, { recursive: true, force: true })
        cpSync(inject("embeddedTemplate"), cluster, { recursive: true })
        damage()
        const { message } = yield* Effect.flip(Effect.scoped(owned(dataDir)))
        assert.include(message, `in DATA_DIR, ${dataDir}, does not open: `, what)
        assert.include(message, why, what)
        assert.include(message, "If another release made it, start that one", what)
      }
      assert.deepStrictEqual(openToOthers(dataDir), [])
    }).pipe(Effect.scoped)
  )

  it.live("is made with today's tables in it", () =>
    Effect.gen(function* () {
      const sql = yield* owned(yield* temporaryFolder)
      const applied = yield* sql<{
        readonly name: string
      }>`select * from (select name from schema_migration order by name) service
        union all select * from (select name from sandbox.schema_migration order by name) sandbox`
      assert.deepStrictEqual(
        applied.map(({ name }) => name),
        readAllMigrations().map(({ name }) => name)
      )
    }).pipe(Effect.scoped)
  )

  it("is copied from the cluster that set-up made for today's migrations", () => {
    assert.isTrue(existsSync(join(spareCluster(), "PG_VERSION")), "npm run setup makes it")
  })

  it.live("may be made by several set-ups at once: all end well, and the first cluster is whole", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const create = Effect.callback<number>((resume) => {
        const script = fileURLToPath(new URL("../../../src/platform/database/initialiseCluster.ts", import.meta.url))
        const child = execFile(process.execPath, ["--liftoff-only", script, join(dataDir, "postgres")])
        child.once("exit", (code) => resume(Effect.succeed(code ?? 1)))
        return Effect.sync(() => child.kill())
      })
      // Another set-up's, which is at work as this one is.
      const other = join(dataDir, "postgres.new-1")
      cpSync(inject("embeddedTemplate"), other, { recursive: true })
      const itself = yield* Effect.forkChild(create)
      const unfinished = Effect.sync(() => readdirSync(dataDir).find((name) => join(dataDir, name) !== other))
      const its = yield* unfinished.pipe(
        Effect.repeat({ until: (name) => name !== undefined, schedule: Schedule.spaced("20 millis") }),
        Effect.timeout("20 seconds")
      )
      assert.match(its ?? "", /^postgres\.new-\d+$/)
      // The other one is first.
      renameSync(other, join(dataDir, "postgres"))
      const made = statSync(join(dataDir, "postgres")).ino
      assert.strictEqual(yield* Fiber.join(itself), 0)
      assert.deepStrictEqual(readdirSync(dataDir), ["postgres"])
      assert.strictEqual(statSync(join(dataDir, "postgres")).ino, made)
      const sql = yield* owned(dataDir)
      const [applied] = yield* sql`select count(*)::int as n from schema_migration where name not like 'functions/%'`
      assert.deepStrictEqual(applied, { n: readMigrations().length })
    }).pipe(Effect.scoped)
  )

  it.live("may be reached by a link, and keeps what a link in it leads to as it is", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const [linked, dataDir, stranger] = [join(folder, "linked"), join(folder, "data"), join(folder, "stranger")]
      mkdirSync(dataDir)
      chmodSync(dataDir, 0o755)
      symlinkSync(dataDir, linked)
      writeFileSync(stranger, "", { mode: 0o644 })
      symlinkSync(stranger, join(dataDir, "link"))
      yield* owned(linked)
      assert.strictEqual(statSync(stranger).mode & 0o777, 0o644)
      assert.deepStrictEqual(openToOthers(dataDir), [])
    }).pipe(Effect.scoped)
  )

  // In a process of its own: Node's `mkdir -p` would never return.
  it.skipIf(!existsSync("/proc/self"))(
    "can't be where the system takes no folder, which is said, and nothing hangs",
    () => {
      const files = fileURLToPath(new URL("../../../src/platform/database/PrivateFiles.ts", import.meta.url))
      const script = `(await import(${JSON.stringify(files)})).restrictDataDirectory("/proc/a/playroom", () => true)`
      const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
        encoding: "utf8",
        timeout: 10_000,
        killSignal: "SIGKILL"
      })
      assert.strictEqual(status, 1)
      assert.include(stderr, "ENOENT")
    }
  )

  it.live("can't be a folder that all users share, whose mode is left alone", () =>
    Effect.gen(function* () {
      const shared = join(yield* temporaryFolder, "shared")
      mkdirSync(shared)
      chmodSync(shared, 0o1777)
      const refused = yield* Effect.flip(Effect.scoped(owned(shared)))
      assert.strictEqual(refused._tag, "DataDirectoryUnusable")
      assert.include(refused.message, `DATA_DIR is ${shared}`)
      assert.strictEqual(statSync(shared).mode & 0o7777, 0o1777)
    }).pipe(Effect.scoped)
  )
})

const checkout = fileURLToPath(new URL("../../../", import.meta.url))
const nobody = 65_534
const isRoot = process.getuid?.() === 0
/** Where processes of `nobody` keep what Node compiled: else each of them would compile all sources anew. */
const compiled = mkdtempSync(join(tmpdir(), "playroom-compiled-"))
if (isRoot) chownSync(compiled, nobody, nobody)
afterAll(() => rmSync(compiled, { recursive: true, force: true }))
const nobodys = { uid: nobody, gid: nobody, env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compiled } }

/** Whether this process may act as `nobody`, and `nobody` reach Node and this checkout. */
const actsAsNobody =
  isRoot &&
  spawnSync(process.execPath, ["-e", "fs.readFileSync(process.argv[1])", join(checkout, "src/main.ts")], nobodys)
    .status === 0

/** What `program` says that opens the embedded database in DATA_DIR, run as `nobody` in `folder`. */
const openedBy = (program: string, folder: string, dataDir: string) =>
  Effect.callback<{ readonly code: number; readonly said: string }>((resume) => {
    execFile(
      process.execPath,
      [...shortLived, program, "operator", "list"],
      { ...nobodys, cwd: folder, env: { ...nobodys.env, HOME: "/nonexistent", DATA_DIR: dataDir } },
      (error, stdout, stderr) => resume(Effect.succeed({ code: error === null ? 0 : 1, said: `${stdout}${stderr}` }))
    )
  })

interface Copy {
  readonly folder: string
  /** Where the installation keeps a new cluster; nothing is there. */
  readonly cluster: string
}
/**
 * A copy of sources and bundle that root owns and nobody else may write; its dependencies are those of this checkout,
 * `cache` excepted.
 */
class Installed extends Context.Service<Installed, Copy>()("test/Installed") {
  static readonly layer = Layer.effect(
    Installed,
    Effect.map(temporaryFolder, (folder) => {
      for (const part of ["src", "sql", "package.json", "package-lock.json", "dist"].filter((one) =>
        existsSync(join(checkout, one))
      ))
        cpSync(join(checkout, part), join(folder, part), { recursive: true })
      mkdirSync(join(folder, "node_modules"))
      for (const name of readdirSync(join(checkout, "node_modules")).filter((one) => one !== ".cache"))
        symlinkSync(join(checkout, "node_modules", name), join(folder, "node_modules", name))
      const cluster = join(folder, relative(checkout, spareCluster()))
      mkdirSync(dirname(cluster), { recursive: true })
      for (const path of [folder, join(folder, "node_modules")]) chmodSync(path, 0o555)
      return { folder, cluster }
    })
  )
}

describe.skipIf(!actsAsNobody)("installed by root and run by another user", () => {
  layer(Installed.layer, { excludeTestServices: true })((it) => {
    it.effect(
      "makes its database where the installation's new cluster can't be read, and where it can",
      () =>
        Effect.gen(function* () {
          const { cluster, folder } = yield* Installed
          const template = inject("embeddedTemplate")
          const kinds = {
            "can't be read": () => chmodSync(join(cluster, "pg_logical"), 0o700),
            "may only be read": () => {
              for (const path of readdirSync(cluster, { recursive: true, encoding: "utf8" })) {
                const entry = join(cluster, path)
                chmodSync(entry, statSync(entry).isDirectory() ? 0o555 : 0o444)
              }
            }
          }
          for (const [what, restrict] of Object.entries(kinds)) {
            cpSync(template, cluster, { recursive: true })
            writeFileSync(join(cluster, "of the installation"), "")
            restrict()
            const dataDir = join(yield* temporaryFolder, "data")
            chmodSync(dirname(dataDir), 0o755)
            mkdirSync(dataDir)
            chownSync(dataDir, nobody, nobody)
            const { code, said } = yield* openedBy(join(folder, "src/main.ts"), folder, dataDir)
            rmSync(cluster, { recursive: true })
            assert.strictEqual(code, 0, `${what}: ${said}`)
            assert.deepStrictEqual(openToOthers(dataDir), [], what)
            const copied = existsSync(join(dataDir, "postgres/of the installation"))
            assert.strictEqual(copied, what === "may only be read", what)
            assert.strictEqual(statSync(join(dataDir, "postgres/PG_VERSION")).uid, nobody)
          }
        }).pipe(Effect.scoped),
      120_000
    )

    it.effect(
      "says which folder it can't use and what to do, and calls it no bug",
      () =>
        Effect.gen(function* () {
          const { folder } = yield* Installed
          const outside = yield* temporaryFolder
          chmodSync(outside, 0o755)
          const made = join(outside, "made by root")
          mkdirSync(made)
          cpSync(inject("embeddedTemplate"), join(made, "postgres"), { recursive: true })
          const shared = join(outside, "given")
          mkdirSync(join(shared, "postgres"), { recursive: true })
          chmodSync(shared, 0o777)
          const folders = {
            missing: join(outside, "new"),
            "relative, in the checkout": ".data",
            made,
            "of root inside": shared
          }
          for (const [what, dataDir] of Object.entries(folders)) {
            const { code, said } = yield* openedBy(inject("serviceProgram"), folder, dataDir)
            assert.strictEqual(code, 1, what)
            assert.include(said, `DATA_DIR is ${resolve(folder, dataDir)},`, what)
            assert.include(said, "Set DATA_DIR to a folder that this user owns", what)
            assert.notInclude(said, "bug", what)
          }
        }).pipe(Effect.scoped),
      120_000
    )
  })
})
