/**
 * Before the suite: one migrated, empty database that every test file copies. Setting one up costs seconds, a copy a
 * fraction of one. Embedded by default; on a PostgreSQL server where TEST_DATABASE_URL names one. And for processes of
 * the service: their program, and an embedded database that has the demo already.
 */
import { PGlite } from "@electric-sql/pglite"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { setFlagsFromString } from "node:v8"
import type { TestProject } from "vitest/node"
import { clusterFolder } from "../../src/platform/database/DataDirectory.ts"
import { embeddedClient, embeddedOptions, spareCluster } from "../../src/platform/database/EmbeddedPostgres.ts"
import { migrate, readAllMigrations } from "../../src/platform/database/Migrations.ts"
import { ProviderTasks } from "../../src/domain/payment/provider/ProviderTasks.ts"
import { bundles, fingerprint as sourcesFingerprint, root } from "../../src/ops/process/Bundle.ts"
import { compiled, keptFolder, shortLived } from "./nodeProcesses.ts"
import { optimisedName } from "./optimisedPostgres.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** A directory (embedded), or a database's name (server). */
    templateDatabase: string
    /** A directory, whatever the suite runs on: for tests of the embedded database itself. */
    embeddedTemplate: string
    /** A file: the program of embedded databases as machine code. */
    optimisedPostgres: string
    /** A directory: the embedded one with the demo catalogue. */
    demoTemplate: string
    /** What processes of tests run as `playroom`. */
    serviceProgram: string
  }
}

const fingerprint = (): string =>
  createHash("sha256")
    .update(
      readAllMigrations()
        .map(({ name, checksum }) => `${name} ${checksum}`)
        .join()
    )
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .update(readFileSync(new URL("../../package-lock.json", import.meta.url)))
    .digest("hex")
    .slice(0, 12)

/**
 * The tables that a start makes: the migrations', and the queue's own. A new cluster has the sandbox's, too, and a
 * server has not.
 */
const makeTables = Effect.andThen(migrate, Effect.scoped(Layer.build(ProviderTasks.layer)))

const embeddedTemplate = async (): Promise<string> => {
  const folder = join(keptFolder(), `template-${fingerprint()}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.${process.pid}`
  rmSync(unfinished, { recursive: true, force: true })
  // As first starts do; making a cluster takes seconds.
  const spare = spareCluster()
  if (existsSync(join(spare, "PG_VERSION"))) cpSync(spare, unfinished, { recursive: true })
  else
    await promisify(execFile)(process.execPath, [join(root, "src/platform/database/initialiseCluster.ts"), unfinished])
  // What runs once isn't worth optimising.
  setFlagsFromString("--wasm-tiering-budget=130000000")
  const backend = await PGlite.create(embeddedOptions(unfinished))
  await Effect.runPromise(Effect.scoped(Effect.provide(makeTables, PgClient.layerFrom(embeddedClient(backend)))))
  await backend.close()
  if (existsSync(folder)) rmSync(unfinished, { recursive: true, force: true })
  else renameSync(unfinished, folder)
  return folder
}

/** The embedded PostgreSQL as machine code, for processes with these options. */
const optimised = async (options: ReadonlyArray<string>): Promise<string> => {
  const file = join(keptFolder(), `postgres-${optimisedName(options)}`)
  const making = [...options, join(root, "test/support/optimisedPostgres.ts"), file]
  // What can't be made is done without.
  if (!existsSync(file)) await promisify(execFile)(process.execPath, making).catch(() => undefined)
  return file
}

const program = join(root, "src/main.ts")
const makeBundle = (): Promise<unknown> =>
  promisify(execFile)(process.execPath, [join(root, "src/ops/process/makeBundle.ts")])

/** Processes of tests run the bundle, as those of users do; with TEST_SOURCES=1 they run the sources. */
const prepareProgram = async (): Promise<void> => {
  if (process.env["TEST_SOURCES"]) rmSync(join(bundles, "latest"), { force: true })
  else await makeBundle()
}

/**
 * Importing the demo takes half of a service's first start. What can be booked goes by the day, so there is one for
 * each.
 */
const demoTemplate = async (template: string): Promise<string> => {
  const today = new Date().toISOString().slice(0, 10)
  const folder = join(keptFolder(), `demo-${today}-${fingerprint()}-${sourcesFingerprint()}`)
  if (existsSync(folder)) return join(folder, clusterFolder)
  const unfinished = `${folder}.${process.pid}`
  cpSync(template, join(unfinished, clusterFolder), { recursive: true })
  const env = {
    PATH: process.env["PATH"],
    DATA_DIR: unfinished,
    API_KEY: "template-key-0123456789abcdef0123456789",
    NODE_COMPILE_CACHE: compiled
  }
  await promisify(execFile)(process.execPath, [...shortLived, program, "catalogue", "demo"], { env })
  if (existsSync(folder)) rmSync(unfinished, { recursive: true, force: true })
  else renameSync(unfinished, folder)
  return join(folder, clusterFolder)
}

const serverTemplate = async (url: string): Promise<string> => {
  const name = `playroom_template_${fingerprint()}`
  const server = (database: string) =>
    PgClient.layer({
      url: Redacted.make(Object.assign(new URL(url), { pathname: `/${database}` }).href),
      maxConnections: 1
    })
  const make = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* sql`select 1 from pg_database where datname = ${name}`
    if (found.length > 0) return
    const unfinished = `${name}_${process.pid}`
    yield* sql.unsafe(`create database ${unfinished}`)
    yield* Effect.provide(makeTables, server(unfinished))
    yield* sql.unsafe(`alter database ${unfinished} rename to ${name}`)
  })
  await Effect.runPromise(Effect.provide(make, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
  return name
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env["TEST_DATABASE_URL"]
  const whole = project.vite.config.mode !== "quick"
  const [embedded, postgres] = await Promise.all([
    embeddedTemplate(),
    optimised(project.config.execArgv),
    whole ? prepareProgram() : undefined
  ])
  project.provide("optimisedPostgres", postgres)
  project.provide("embeddedTemplate", embedded)
  project.provide("templateDatabase", url === undefined || url === "" ? embedded : await serverTemplate(url))
  if (whole) {
    project.provide("serviceProgram", program)
    project.provide("demoTemplate", await demoTemplate(embedded))
  }
  return async () => {
    if (process.env["TEST_SOURCES"]) await makeBundle()
  }
}
