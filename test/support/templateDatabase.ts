/**
 * Before the suite: one migrated, empty database that every test file copies. Setting one up costs seconds, a copy a fraction
 * of one. Embedded by default; on a PostgreSQL server where TEST_DATABASE_URL names one.
 */
import { PGlite } from "@electric-sql/pglite"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { embeddedClient, embeddedOptions } from "../../src/database/EmbeddedPostgres.ts"
import { migrate, readMigrations } from "../../src/database/Migrations.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** A directory (embedded), or a database's name (server). */
    templateDatabase: string
    /** A directory, whatever the suite runs on: for tests of the embedded database itself. */
    embeddedTemplate: string
  }
}

const fingerprint = (): string =>
  createHash("sha256")
    .update(
      readMigrations()
        .map(({ name, checksum }) => `${name} ${checksum}`)
        .join()
    )
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .digest("hex")
    .slice(0, 12)

/** PostgreSQL's own templates are half of a cluster's files, and nobody makes a database in a copy of this one. */
const withoutTemplates = async (backend: PGlite): Promise<void> => {
  await backend.exec("update pg_database set datistemplate = false")
  for (const name of ["template0", "template1"]) await backend.exec(`drop database ${name}`)
  await backend.exec("checkpoint")
}

const embeddedTemplate = async (): Promise<string> => {
  const folder = join(tmpdir(), `playroom-test-template-${process.getuid?.() ?? 0}-${fingerprint()}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.${process.pid}`
  rmSync(unfinished, { recursive: true, force: true })
  const backend = await PGlite.create(embeddedOptions(unfinished))
  await Effect.runPromise(Effect.scoped(Effect.provide(migrate, PgClient.layerFrom(embeddedClient(backend)))))
  await withoutTemplates(backend)
  await backend.close()
  if (existsSync(folder)) rmSync(unfinished, { recursive: true, force: true })
  else renameSync(unfinished, folder)
  return folder
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
    yield* Effect.provide(migrate, server(unfinished))
    yield* sql.unsafe(`alter database ${unfinished} rename to ${name}`)
  })
  await Effect.runPromise(Effect.provide(make, PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
  return name
}

export default async function setup(project: TestProject): Promise<void> {
  const url = process.env["TEST_DATABASE_URL"]
  const embedded = await embeddedTemplate()
  project.provide("embeddedTemplate", embedded)
  project.provide("templateDatabase", url === undefined || url === "" ? embedded : await serverTemplate(url))
}
