/** Applies the files of `sql/` in order at startup, in one transaction, under an advisory lock. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { probeClient } from "./ProbeConnection.ts"

/** A database schema, and the folder of its migrations. */
interface MigratedSchema {
  readonly name: string
  readonly folder: URL
}

/** The service's own tables. */
const service: MigratedSchema = { name: "public", folder: new URL("../../sql/", import.meta.url) }

/** All that a release has: the service's own tables, and a schema for each folder beside their migrations, by its name. */
const schemas = (): ReadonlyArray<MigratedSchema> => [
  service,
  ...readdirSync(service.folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort()
    .map((name) => ({ name, folder: new URL(`${name}/`, service.folder) }))
]

/** A statement ends with `;` at the end of a line, outside function bodies. */
const statement = /(?:\$\$[\s\S]*?\$\$|[\s\S])+?;$/gm
// Arbitrary, but equal on all nodes.
const lockId = 7_245_301

interface Migration {
  readonly name: string
  readonly checksum: string
  readonly statements: ReadonlyArray<string>
}

/** The statements of a file: the driver runs one per call. */
export const statementsOf = (text: string): ReadonlyArray<string> =>
  (text.match(statement) ?? []).map((one) => one.trim())

/** The files, in order. */
export const readMigrations = ({ folder }: MigratedSchema = service): ReadonlyArray<Migration> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, folder), "utf8")
      return {
        name: file.slice(0, -".sql".length),
        checksum: createHash("sha256").update(text).digest("hex"),
        statements: statementsOf(text)
      }
    })

/** Those of all schemas. */
export const readAllMigrations = (): ReadonlyArray<Migration> => schemas().flatMap(readMigrations)

/** An applied migration was edited or is unknown, so the tables are not what this version expects. */
class MigrationMismatch extends Schema.TaggedError<MigrationMismatch>()("MigrationMismatch", {
  name: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `Migration ${this.name} ${this.why}. Run the version that made this database, or add a new migration instead of editing one.`
  }
}

/** The database is from before the first release. Its tables differ, and no migration converts them. */
class MadeBeforeFirstRelease extends Schema.TaggedError<MadeBeforeFirstRelease>()("MadeBeforeFirstRelease", {}) {
  override get message(): string {
    return (
      "This database was made by a version from before the first release, and this version cannot read it. " +
      "To take the catalogue along, run `playroom catalogue export > catalogue.json` with the version that made the database, " +
      "start this version with an empty database (DATABASE_URL, or DATA_DIR), and run `playroom catalogue import catalogue.json`. " +
      "Bookings and payments are not taken along."
    )
  }
}

/** Only versions before the first release had this migration. */
const beforeFirstRelease = "0002_bookings"

const Applied = Schema.Array(Schema.Struct({ name: Schema.String, checksum: Schema.String }))

/** The table of a schema's applied migrations. The search path resolves the service's own. */
const appliedTable = ({ name }: MigratedSchema): string =>
  name === service.name ? "schema_migration" : `${name}.schema_migration`

const readApplied = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, schema = service) {
  const rows = yield* sql`select name, checksum from ${sql.literal(appliedTable(schema))} order by name`
  return new Map(
    (yield* Effect.orDie(Schema.decodeUnknownEffect(Applied)(rows))).map((row) => [row.name, row.checksum])
  )
})

const mismatch = (
  migrations: ReadonlyArray<Migration>,
  done: ReadonlyMap<string, string>
): MigrationMismatch | MadeBeforeFirstRelease | undefined => {
  if (done.has(beforeFirstRelease)) return new MadeBeforeFirstRelease()
  for (const { name, checksum } of migrations) {
    const known = done.get(name)
    if (known !== undefined && known !== checksum)
      return new MigrationMismatch({ name, why: "was edited after it was applied" })
  }
  const names = new Set(migrations.map(({ name }) => name))
  const unknown = [...done.keys()].find((name) => !names.has(name))
  return unknown === undefined
    ? undefined
    : new MigrationMismatch({ name: unknown, why: "is applied but unknown to this version" })
}

/** Applies missing migrations. Safe on several nodes at once: one applies them, the others wait. */
export const migrateSchema = Effect.fnUntraced(function* (
  schema: MigratedSchema
): Effect.fn.Return<void, SqlError.SqlError | MigrationMismatch | MadeBeforeFirstRelease, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const migrations = readMigrations(schema)
  const table = sql.literal(appliedTable(schema))
  const run = Effect.gen(function* () {
    // No timeout: another node may be migrating, and tables may be large.
    yield* sql`set local statement_timeout = 0`
    yield* sql`set local lock_timeout = 0`
    yield* sql`select pg_advisory_xact_lock(${lockId})`
    if (schema !== service) yield* sql`create schema if not exists ${sql.literal(schema.name)}`
    yield* sql`create table if not exists ${table} (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`
    const done = yield* readApplied(sql, schema)
    const fault = mismatch(migrations, done)
    if (fault !== undefined) return yield* fault
    for (const { name, checksum, statements } of migrations.filter((migration) => !done.has(migration.name))) {
      for (const statement of statements) yield* sql.unsafe(statement)
      yield* sql`insert into ${table} (name, checksum) values (${name}, ${checksum})`
    }
    return undefined
  })
  yield* sql.withTransaction(run)
})

/** Migrates the service's own tables. */
export const migrate = migrateSchema(service)

/** Migrates all that this release may have in a database. */
export const migrateAll = Effect.suspend(() => Effect.forEach(schemas(), migrateSchema, { discard: true }))

/** Makes a check whether a database has every migration of this version. */
export const makeMigrated = Effect.sync(() => {
  const migrations = readMigrations()
  return (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError.SqlError> =>
    Effect.map(readApplied(sql), (done) => migrations.every(({ name }) => done.has(name)))
})

/** Its layer migrates the database. Services that use the tables depend on it. */
export class Migrations extends Context.Service<
  Migrations,
  {
    /** Whether the database answers and every migration of this version is applied. */
    readonly ready: Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/database/Migrations") {
  static readonly layer = Layer.effect(
    Migrations,
    Effect.gen(function* () {
      const migrated = yield* makeMigrated
      yield* migrate
      return Migrations.of({ ready: migrated(yield* probeClient) })
    })
  )
}
