/** Scratch databases: made, migrated, and dropped with the scope. */
import { PGlite } from "@electric-sql/pglite"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { serverClient as driver } from "../../../src/platform/database/Database.ts"
import { embeddedClient, embeddedOptions } from "../../../src/platform/database/EmbeddedPostgres.ts"
import { migrate } from "../../../src/platform/database/Migrations.ts"

/** The server that benches run on. Its user must be allowed to create databases. */
export const serverUrl = process.env["TEST_DATABASE_URL"] || "postgres://postgres@127.0.0.1:5432/postgres"

const named = (name: string): string => Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href

/** The service's own driver. */
export const serverClient = (url: string, maxConnections?: number) => driver(Redacted.make(url), maxConnections)

let made = 0

/** An empty migrated database on the server, or a copy of one that nobody is connected to; answers its address. */
export const scratchDatabase = Effect.fnUntraced(function* (template?: string) {
  const admin = yield* serverClient(serverUrl, 1)
  const name = `playroom_bench_${process.pid}_${++made}`
  const from = template === undefined ? "" : ` template ${new URL(template).pathname.slice(1)}`
  yield* Effect.acquireRelease(admin.unsafe(`create database ${name}${from}`), () =>
    Effect.orDie(admin.unsafe(`drop database if exists ${name} with (force)`))
  )
  const url = named(name)
  if (template === undefined)
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* Effect.provide(migrate, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
      })
    )
  return url
})

/** A new folder under the system's temporary one, removed with the scope. */
export const scratchFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-bench-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A new cluster, by a process of its own, as the service makes it. */
const initialise = (folder: string) =>
  Effect.callback<void>((resume) => {
    const script = fileURLToPath(new URL("../../../src/platform/database/initialiseCluster.ts", import.meta.url))
    execFile(process.execPath, [script, folder], (error) => resume(error === null ? Effect.void : Effect.die(error)))
  })

/** The embedded database, empty and migrated, in this process. */
export const scratchEmbedded = Effect.gen(function* () {
  const folder = join(yield* scratchFolder, "postgres")
  yield* initialise(folder)
  const backend = yield* Effect.acquireRelease(
    Effect.promise(() => PGlite.create(embeddedOptions(folder))),
    (database) => Effect.promise(() => database.close())
  )
  return yield* embeddedClient(backend)
})
