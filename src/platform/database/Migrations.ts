/**
 * Brings a database to the schema of this release at startup, in one transaction, under an advisory lock. The numbered
 * files of `sql/` change tables: each is applied once, in their order, and never edited after its release. The files of
 * `sql/functions/` have functions with their triggers as they are now: each is applied again when its text is another
 * than the one applied last.
 */

import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { refuseMoved } from "./DatabaseMove.ts"
import { recordSchema } from "./SchemaCatalog.ts"

// The connection of the checks whether the database can be used. It is their own, so they wait behind nobody's
// statements: a busy service is ready, too.

/** Undefined where the checks use the `SqlClient` of all. */
export const ProbeConnection = Context.Reference<SqlClient.SqlClient | undefined>("playroom/database/ProbeConnection", {
  defaultValue: () => undefined
})

/** The client that checks use. */
export const probeClient = Effect.flatMap(ProbeConnection, (own) =>
  own === undefined ? SqlClient.SqlClient : Effect.succeed(own)
)

/** A database schema, and the folder of its migrations. */
interface MigratedSchema {
  readonly name: string
  readonly folder: URL
}

/** The service's own tables. */
const service: MigratedSchema = { name: "public", folder: new URL("../../../sql/", import.meta.url) }

/** The folder in each of these, whose files are applied again when they change. */
const functions = "functions"

/**
 * All that a release has: the service's own tables, and a schema for each folder beside their migrations, by its name.
 */
const schemas = (): ReadonlyArray<MigratedSchema> => [
  service,
  ...readdirSync(service.folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() && entry.name !== functions ? [entry.name] : []))
    .sort()
    .map((name) => ({ name, folder: new URL(`${name}/`, service.folder) }))
]

/**
 * Commits before the first release made the same tables by other migrations. Where all of these were applied, the files
 * up to `upTo` count as applied instead. `digest` is the SHA-256 of their names and checksums.
 */
const replaced = new Map([
  ["public", { upTo: "0009_health", digest: "3a8d78ab5df0afcc7354f1605232fbd36a4256dc901f2054756d7dd195643a03" }],
  ["sandbox", { upTo: "0001_sandbox", digest: "009e2e4350af35dd579db56e8b4f253600a1b384afcd56b89ea3fe4103d2a197" }]
])

/**
 * The checksum of a migration that was replaced. Its row stays: nodes of those commits look for it to tell that they
 * are ready.
 */
const isReplaced = "replaced"

/** A statement ends with `;` at the end of a line, outside function bodies. */
const statement = /(?:\$\$[\s\S]*?\$\$|[\s\S])+?;$/gm
/** Whoever makes the schema has this lock. The number is arbitrary, but equal on all nodes. */
export const migrationLock = 7_245_301

interface Migration {
  readonly name: string
  readonly checksum: string
  readonly statements: ReadonlyArray<string>
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** The statements of a file: the driver runs one per call. */
export const statementsOf = (text: string): ReadonlyArray<string> =>
  (text.match(statement) ?? []).map((one) => one.trim())

/** The SQL files of a folder, in the order of their names, which begin with `prefix`. */
const readFiles = (folder: URL, prefix = ""): ReadonlyArray<Migration> =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      // A checkout may have the line ends of Windows, and the database was perhaps made by one that has not.
      const text = readFileSync(new URL(file, folder), "utf8").replaceAll("\r\n", "\n")
      return {
        name: `${prefix}${file.slice(0, -".sql".length)}`,
        checksum: sha256(text),
        statements: statementsOf(text)
      }
    })

/** The numbered files, in order. */
export const readMigrations = ({ folder }: MigratedSchema = service): ReadonlyArray<Migration> => readFiles(folder)

/** The files of functions, in order. Their names begin with `functions/`. */
const readFunctions = ({ folder }: MigratedSchema = service): ReadonlyArray<Migration> =>
  readFiles(new URL(`${functions}/`, folder), `${functions}/`)

/** All files of all schemas. */
export const readAllMigrations = (): ReadonlyArray<Migration> =>
  schemas().flatMap((schema) => [...readMigrations(schema), ...readFunctions(schema)])

/** An applied migration was edited or is unknown, so the tables are not what this version expects. */
class MigrationMismatch extends Schema.TaggedError<MigrationMismatch>()("MigrationMismatch", {
  name: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `Migration ${this.name} ${this.why}. Run the version that made this database, or add a new migration instead of editing one.`
  }
}

/** The database is from before the first release, and not of the last commit before it. */
class MadeBeforeFirstRelease extends Schema.TaggedError<MadeBeforeFirstRelease>()("MadeBeforeFirstRelease", {
  last: Schema.String
}) {
  override get message(): string {
    return (
      `This database was made before the first release (its last migration is ${this.last}), and this version cannot read it. ` +
      "Start commit a9a997dd once with it, which applies what is missing, and then this version."
    )
  }
}

const Applied = Schema.Array(Schema.Struct({ name: Schema.String, checksum: Schema.String }))

/** The table of a schema's applied migrations. The search path resolves the service's own. */
const appliedTable = ({ name }: MigratedSchema): string =>
  name === service.name ? "schema_migration" : `${name}.schema_migration`

const readApplied = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, schema = service) {
  const table = sql.literal(appliedTable(schema))
  const rows = yield* sql`select name, checksum from ${table} where checksum <> ${isReplaced} order by name`
  return new Map(
    (yield* Effect.orDie(Schema.decodeUnknownEffect(Applied)(rows))).map((row) => [row.name, row.checksum])
  )
})

/** Whether the database is of before the first release: then it has all that the first files make, or is refused. */
const madeBefore = (
  { name }: MigratedSchema,
  [first]: ReadonlyArray<Migration>,
  done: ReadonlyMap<string, string>
): Effect.Effect<boolean, MadeBeforeFirstRelease> => {
  if (done.size === 0 || first === undefined || done.has(first.name)) return Effect.succeed(false)
  const rows = [...done].map((row) => row.join(" ")).sort()
  return replaced.get(name)?.digest === sha256(rows.join("\n"))
    ? Effect.succeed(true)
    : Effect.fail(new MadeBeforeFirstRelease({ last: [...done.keys()].sort().at(-1) ?? "" }))
}

const mismatch = (
  migrations: ReadonlyArray<Migration>,
  done: ReadonlyMap<string, string>
): MigrationMismatch | undefined => {
  for (const { name, checksum } of migrations) {
    const known = done.get(name)
    if (known !== undefined && known !== checksum)
      return new MigrationMismatch({ name, why: "was edited after it was applied" })
  }
  const names = new Set(migrations.map(({ name }) => name))
  const unknown = [...done.keys()].find((name) => !names.has(name) && !name.startsWith(`${functions}/`))
  return unknown === undefined
    ? undefined
    : new MigrationMismatch({ name: unknown, why: "is applied but unknown to this version" })
}

/**
 * Applies what is missing or has changed. Safe on several nodes at once: one applies it, the others wait. A node that
 * does not know an applied migration changes nothing, so it never puts earlier functions over those of a newer release:
 * each release that changes a function has a migration, too (`test/platform/database/RollingMigrations.test.ts`).
 */
export const migrateSchema = Effect.fnUntraced(function* (
  schema: MigratedSchema
): Effect.fn.Return<void, SqlError.SqlError | MigrationMismatch | MadeBeforeFirstRelease, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  const migrations = readMigrations(schema)
  const table = sql.literal(appliedTable(schema))
  const note = ({
    name,
    checksum
  }: Migration) => sql`insert into ${table} (name, checksum) values (${name}, ${checksum})
    on conflict (name) do update set checksum = excluded.checksum, applied_at = excluded.applied_at`
  const run = Effect.gen(function* () {
    // No timeout: another node may be migrating, and tables may be large.
    yield* sql`set local statement_timeout = 0`
    yield* sql`set local lock_timeout = 0`
    yield* sql`select pg_advisory_xact_lock(${migrationLock})`
    // A query looks: `create schema if not exists` asks what its connection remembers of before the lock.
    if (schema !== service) {
      const there = yield* sql`select 1 from pg_catalog.pg_namespace where nspname = ${schema.name}`
      if (there.length === 0) yield* sql`create schema ${sql.literal(schema.name)}`
    }
    yield* sql`create table if not exists ${table} (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`
    if (yield* madeBefore(schema, migrations, yield* readApplied(sql, schema))) {
      yield* sql`update ${table} set checksum = ${isReplaced}`
      const upTo = replaced.get(schema.name)?.upTo ?? ""
      yield* Effect.forEach(
        migrations.filter(({ name }) => name <= upTo),
        note
      )
    }
    const done = yield* readApplied(sql, schema)
    const fault = mismatch(migrations, done)
    if (fault !== undefined) return yield* fault
    const toApply = [
      ...migrations.filter(({ name }) => !done.has(name)),
      ...readFunctions(schema).filter(({ name, checksum }) => done.get(name) !== checksum)
    ]
    if (toApply.length === 0) return undefined
    const applying = Effect.forEach(
      toApply,
      (file) =>
        Effect.andThen(
          Effect.forEach(file.statements, (one) => sql.unsafe(one)),
          note(file)
        ),
      { discard: true }
    )
    return yield* schema === service ? recordSchema(applying) : applying
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

/** Its layer migrates the database, unless that has moved to another. Services that use the tables depend on it. */
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
      yield* refuseMoved(yield* SqlClient.SqlClient)
      yield* migrate
      return Migrations.of({ ready: migrated(yield* probeClient) })
    })
  )
}
