import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createConnection } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { asOwner, clusterFolder, path, runWell } from "../../../.ci/support.mjs"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { commandDatabaseLayer, databaseLayer, serverClient } from "../../../src/platform/database/Database.ts"
import { migrate } from "../../../src/platform/database/Migrations.ts"
import { describe as told } from "../../../src/platform/telemetry/LogLines.ts"
import { hasPrograms } from "../../faults/Cluster.ts"
import { freePort } from "../../support/freePort.ts"
import { copiedDatabase, serverUrl } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/testSettings.ts"

/** PgBouncer's version as `[major, minor]`; undefined where it is not installed. */
const version = (): readonly [number, number] | undefined => {
  try {
    const text = execFileSync("pgbouncer", ["--version"], { encoding: "utf8" })
    const [, major, minor] = /(\d+)\.(\d+)/.exec(text) ?? []
    return [Number(major), Number(minor)]
  } catch {
    return undefined
  }
}

const accepts = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = createConnection(port, "127.0.0.1")
    socket.once("connect", () =>
      resume(
        Effect.as(
          Effect.sync(() => socket.destroy()),
          true
        )
      )
    )
    socket.once("error", () => resume(Effect.succeed(false)))
  })

/** PgBouncer in front of the tests' server, with these settings; answers the address through it. */
const pooler = Effect.fnUntraced(function* (server: string, settings: Readonly<Record<string, string>>) {
  const port = yield* freePort
  const { hostname, password, pathname, port: serverPort, username } = new URL(server)
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-pooler-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true }))
  )
  const secret = password === "" ? "" : ` password='${decodeURIComponent(password)}'`
  const lines = Object.entries({
    listen_addr: "127.0.0.1",
    listen_port: String(port),
    unix_socket_dir: "",
    auth_type: "any",
    ignore_startup_parameters: "statement_timeout,extra_float_digits",
    ...settings
  }).map(([name, value]) => `${name} = ${value}`)
  const file = join(folder, "pgbouncer.ini")
  writeFileSync(
    file,
    `[databases]\n* = host=${hostname} port=${serverPort || "5432"} user=${username}${secret}\n[pgbouncer]\n${lines.join("\n")}\n`
  )
  // It refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  chmodSync(folder, 0o755)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn("pgbouncer", [file], { stdio: "ignore", ...nobody })),
    (process) => Effect.sync(() => process.kill("SIGKILL"))
  )
  while (!(yield* accepts(port))) {
    if (child.exitCode !== null) return assert.fail(`pgbouncer ended with ${child.exitCode}`)
    yield* Effect.sleep("20 millis")
  }
  return `postgres://${username}@127.0.0.1:${port}${pathname}`
})

/** How a service, or a command, starts on an address; then runs a statement. */
const startOn = (url: string, layer: typeof databaseLayer | typeof commandDatabaseLayer) =>
  Effect.exit(
    SqlClient.SqlClient.use((sql) => sql.withTransaction(sql`select 1`)).pipe(
      Effect.provide(
        layer.pipe(
          Layer.provide(
            Layer.succeed(AppConfig, testSettings({ database: { kind: "server", url: Redacted.make(url) } }))
          ),
          Layer.provide(Reactivity.layer)
        )
      )
    )
  )

const installed = version()
const why =
  serverUrl === undefined
    ? "needs TEST_DATABASE_URL"
    : installed === undefined
      ? "pgbouncer is not installed"
      : undefined

describe("a connection pooler", () => {
  const title =
    "that loses prepared statements is refused at start, with what to do; session pooling is not, nor is none"
  if (why !== undefined || serverUrl === undefined || installed === undefined) {
    it.skip(`${title} (SKIPPED: ${why})`, () => {})
    return
  }
  const server = serverUrl
  const [major, minor] = installed
  const keeps = major > 1 || minor >= 21
  it.live(title, () =>
    Effect.gen(function* () {
      const losing = yield* pooler(server, {
        pool_mode: "transaction",
        ...(keeps ? { max_prepared_statements: "0" } : {})
      })
      for (const layer of [databaseLayer, commandDatabaseLayer]) {
        const refused = yield* startOn(losing, layer)
        const text = Exit.isFailure(refused)
          ? told(refused.cause.reasons.map((reason) => ("error" in reason ? reason.error : reason))[0])
          : "started"
        assert.include(text, "pool_mode = session")
        assert.include(text, "1.21")
      }
      const good = [server, yield* pooler(server, { pool_mode: "session" })]
      if (keeps) good.push(yield* pooler(server, { pool_mode: "transaction", max_prepared_statements: "200" }))
      for (const url of good) {
        for (const layer of [databaseLayer, commandDatabaseLayer]) {
          assert.isTrue(Exit.isSuccess(yield* startOn(url, layer)), url)
        }
      }
    }).pipe(Effect.scoped)
  )
})

describe("a database whose transactions are stricter by default", () => {
  const title = "is refused at start, by commands, too, with what to do"
  if (serverUrl === undefined) {
    it.skip(`${title} (SKIPPED: needs TEST_DATABASE_URL)`, () => {})
    return
  }
  const server = serverUrl
  it.live(title, () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* copiedDatabase(server))
      const set = (isolation: string) =>
        Effect.scoped(
          Effect.flatMap(serverClient(Redacted.make(server), 1), (sql) =>
            sql.unsafe(
              `alter database ${new URL(url).pathname.slice(1)} set default_transaction_isolation = '${isolation}'`
            )
          )
        )
      for (const layer of [databaseLayer, commandDatabaseLayer]) {
        for (const isolation of ["repeatable read", "serializable"]) {
          yield* set(isolation)
          const refused = yield* startOn(url, layer)
          const text = Exit.isFailure(refused)
            ? told(refused.cause.reasons.map((reason) => ("error" in reason ? reason.error : reason))[0])
            : "started"
          assert.include(text, `"${isolation}"`)
          assert.include(text, "default_transaction_isolation = 'read committed'")
        }
        yield* set("read committed")
        assert.isTrue(Exit.isSuccess(yield* startOn(url, layer)))
      }
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})

describe("a database in which words are compared otherwise", () => {
  const title = "X17: is refused at start, by commands, too, with what to do, or folds every text alike"
  if (serverUrl === undefined) {
    it.skip(`${title} (SKIPPED: needs TEST_DATABASE_URL)`, () => {})
    return
  }
  const server = serverUrl
  const tell = (statement: string, database = new URL(server).pathname) =>
    Effect.scoped(
      Effect.flatMap(
        serverClient(Redacted.make(Object.assign(new URL(server), { pathname: database }).href), 1),
        (sql) => sql.unsafe(statement)
      )
    )
  /**
   * What a database is made with, and what its refusal says; nothing where it is only warned of. `until18`: its text
   * search follows the server's own locale; from PostgreSQL 18 on, the database's, so that it is good.
   */
  const kinds: ReadonlyArray<{
    readonly made: string
    readonly used?: true
    readonly until18?: true
    readonly says?: RegExp
  }> = [
    { made: "locale_provider icu icu_locale 'tr' locale 'C.UTF-8'", says: /"i" for the small letter of "I"/ },
    { made: "locale_provider icu icu_locale 'az' locale 'C.UTF-8'", used: true, says: /pg_dump and pg_restore/ },
    { made: "locale 'tr_TR.UTF-8'", says: /tr_TR\.UTF-8.*"i" for the small letter of "I"/ },
    {
      made: "locale_provider icu icu_locale 'en' locale 'tr_TR.UTF-8'",
      until18: true,
      says: /"i" for the small letter of "I"/
    },
    {
      made: "locale_provider icu icu_locale 'lt' locale 'C.UTF-8'",
      says: /does not take "é" and "í" for the small letters/
    },
    { made: "locale 'C'", says: /whose locale \(C, or that of its ICU\) does not take "é" and "í"/ },
    { made: "locale_provider builtin builtin_locale 'C' locale 'C.UTF-8'", says: /does not take "é" and "í"/ },
    { made: "locale 'C'", used: true },
    { made: "locale 'C' encoding 'LATIN1'", used: true, says: /with the encoding LATIN1/ },
    {
      made: "locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'",
      until18: true,
      says: /does not take "é" and "í"/
    },
    { made: "locale_provider builtin builtin_locale 'C.UTF-8' locale 'C.UTF-8'" },
    { made: "locale_provider icu icu_locale 'und' locale 'C.UTF-8'" },
    { made: "locale_provider icu icu_locale 'en' locale 'C.UTF-8'" },
    { made: "locale 'C.UTF-8'" }
  ]
  /** Folds, and what each gives wherever the service starts; also of texts beside an id, whose collation is "C". */
  const folds: ReadonlyArray<readonly [fold: string, text: string, folded: string]> = [
    ["folded", "IRIS.BELL@EXAMPLE.COM", "iris.bell@example.com"],
    ["folded", " ÍRIS  Müller\u00a0ZOË", "íris müller zoë"],
    ["normalized_name", " ANA  IRIS", "ana iris"],
    ["search_fold", "ÉCOLE-IRIS, IZMİR", "ecole iris izmir"],
    ["search_fold", "МОСКВА", "москва"],
    ["search_spelt_out", "MÜNCHEN ØRESUND", "muenchen oeresund"]
  ]
  const letters = Effect.gen(function* () {
    yield* migrate
    const sql = yield* SqlClient.SqlClient
    for (const [fold, text, folded] of folds)
      for (const collation of ["default", "C"])
        assert.deepStrictEqual(
          yield* sql`select ${sql.literal(fold)}(${text}::text collate ${sql.literal(`"${collation}"`)}) as folded`,
          [{ folded }],
          `${fold} of ${text}, ${collation}`
        )
  })
  for (const [n, { made, says, until18, used }] of kinds.entries())
    it.live(`${title}: ${made}${used === undefined ? "" : ", in use"}`, (context) =>
      Effect.gen(function* () {
        const name = `playroom_letters_${process.pid}_${n}`
        const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
        const there = yield* Effect.acquireRelease(
          Effect.exit(
            tell(`create database ${name} template template0 ${made.replace(/^(?!.*encoding)/, "encoding 'UTF8' ")}`)
          ),
          () => Effect.orDie(tell(`drop database if exists ${name} with (force)`))
        )
        if (Exit.isFailure(there)) {
          // Not each server has each locale.
          console.log(`SKIPPED: this server makes no database with ${made}`)
          context.skip()
        }
        let good = false
        if (used) yield* tell("create table schema_migration (name text)", `/${name}`)
        for (const layer of [databaseLayer, commandDatabaseLayer]) {
          const started = yield* startOn(url, layer)
          const text = Exit.isFailure(started)
            ? told(started.cause.reasons.map((reason) => ("error" in reason ? reason.error : reason))[0])
            : "started"
          good = says === undefined || (until18 === true && text === "started")
          assert.match(text, good ? /^started$/ : (says ?? /^$/))
          if (!good) assert.include(text, "template template0 encoding 'UTF8' locale 'C.UTF-8'")
        }
        if (good && !used)
          yield* Effect.provide(letters, Layer.effect(SqlClient.SqlClient, serverClient(Redacted.make(url), 1)))
      }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
    )
})

describe("X20: a server that takes no clear text, and whose certificate is a private authority's", () => {
  const title = "is reached by its authority, through its socket too, and by no address that only looks encrypted"
  const tls = join(import.meta.dirname, "../../support/tls")
  const server = Effect.gen(function* () {
    const port = yield* freePort
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => clusterFolder("tls")),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    const data = join(folder, "data")
    const run = (...command: ReadonlyArray<string>) =>
      Effect.promise(() => runWell(asOwner(command), { cwd: folder, env: { PATH: path, HOME: folder } }))
    yield* run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
    for (const file of ["database.pem", "database.key"]) {
      copyFileSync(join(tls, file), join(folder, file))
      chmodSync(join(folder, file), 0o644)
      // The key must be its owner's alone.
      yield* run("install", "-m", "600", join(folder, file), data)
    }
    writeFileSync(join(data, "pg_hba.conf"), "local all all trust\nhostssl all all 127.0.0.1/32 trust\n")
    const ssl = "-c ssl=on -c ssl_cert_file=database.pem -c ssl_key_file=database.key"
    const options = `-p ${port} -c listen_addresses=127.0.0.1 -k ${folder} ${ssl}`
    yield* Effect.acquireRelease(
      run("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), "-o", options, "start"),
      () => run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    )
    return { folder, port }
  })
  if (!hasPrograms()) {
    it.skip(`${title} (SKIPPED: PostgreSQL's programs are not installed)`, () => {})
    return
  }
  it.live(title, () =>
    Effect.gen(function* () {
      const { folder, port } = yield* server
      const ours = `sslrootcert=${join(tls, "authority.pem")}`
      const unverified = /verify the first certificate.*sslrootcert=/
      const cases: ReadonlyArray<readonly [host: string, query: string, refused?: RegExp]> = [
        ["localhost", ours],
        ["localhost", `sslmode=require&channel_binding=require&target_session_attrs=read-write&${ours}`],
        ["localhost", `sslmode=verify-full&${ours}`],
        ["127.0.0.1", `sslmode=verify-ca&${ours}`],
        ["localhost", "sslmode=no-verify"],
        ["", `host=${folder}&sslmode=require`],
        ["127.0.0.1", `sslmode=verify-full&${ours}`, /altnames.*sslrootcert=/],
        ["localhost", `sslmode=verify-ca&sslrootcert=${join(tls, "certificate.pem")}`, unverified],
        ["localhost", "ssl=true", unverified],
        ["localhost", "sslmode=require", unverified],
        ["localhost", "sslmode=prefer", unverified],
        ["localhost", "", /no encryption|pg_hba/]
      ]
      for (const [host, query, refused = /^started$/] of cases) {
        const started = yield* startOn(`postgres://postgres:any@${host}:${port}/postgres?${query}`, databaseLayer)
        const text = Exit.isFailure(started)
          ? told(started.cause.reasons.map((reason) => ("error" in reason ? reason.error : reason))[0])
          : "started"
        assert.match(text, refused, `${host} ${query}`)
      }
      const several = `postgres://postgres@localhost:${port},localhost:${yield* freePort}/postgres?${ours}`
      assert.isTrue(Exit.isSuccess(yield* startOn(several, commandDatabaseLayer)))
    }).pipe(Effect.scoped)
  )
})
