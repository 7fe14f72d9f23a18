/**
 * A script that creates a new cluster in the folder of its argument, with the tables that all migrations make, also
 * those of the sandbox, which most first starts need. The folder appears only when the cluster is complete. Of several
 * that create it at once, each writes apart, and the first one's stays.
 */
import { PGlite } from "@electric-sql/pglite"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { embeddedClient, embeddedOptions } from "./EmbeddedPostgres.ts"
import { migrateAll } from "./Migrations.ts"

const folder = process.argv[2]
if (folder === undefined) throw new Error("Usage: node initialiseCluster.ts FOLDER")
process.umask(0o077)
const unfinished = `${folder}.new-${process.pid}`
rmSync(unfinished, { recursive: true, force: true })
mkdirSync(dirname(folder), { recursive: true })
const database = await PGlite.create(embeddedOptions(unfinished))
await Effect.runPromise(Effect.scoped(Effect.provide(migrateAll, PgClient.layerFrom(embeddedClient(database)))))
// PostgreSQL's own templates are half of a cluster's files, and nobody makes a database in this one.
await database.exec("update pg_database set datistemplate = false")
for (const name of ["template0", "template1"]) await database.exec(`drop database ${name}`)
await database.exec("checkpoint")
await database.close()
try {
  renameSync(unfinished, folder)
} catch (error) {
  rmSync(unfinished, { recursive: true, force: true })
  if (!existsSync(join(folder, "PG_VERSION"))) throw error
}
