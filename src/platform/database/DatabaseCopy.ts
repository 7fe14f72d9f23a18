/**
 * Copies all rows of a database into an empty one, of another kind or another major version of PostgreSQL: each value
 * as text, which every version reads alike. What is copied is read from the catalogue, so a new table comes along. Who
 * copies needs to own the tables, and no more: no triggers or foreign keys of the server's are switched off. All of it
 * is one transaction in the target, and one state of the source.
 */
import { Data, Effect, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { CopyFailed } from "./DataDirectory.ts"
import { migrate, migrateAll, readMigrations, migrationLock } from "./Migrations.ts"
import { decodeRows } from "./Rows.ts"
import { schemaFaults } from "./SchemaCatalog.ts"

/** What the target of a copy failed with: the database that is copied is not at fault. */
export class TargetFailed extends Data.TaggedError("TargetFailed")<{ readonly cause: unknown }> {
  override readonly message = "The target of the copy failed."
}
export const ofTarget = (cause: unknown): TargetFailed => new TargetFailed({ cause })

/** The same of the source, while both are read. */
class SourceFailed extends Data.TaggedError("SourceFailed")<{ readonly error: SqlError.SqlError }> {
  override readonly message = "The database that is copied failed."
}
/** Marks what the source fails with: what is not marked is the target's. */
const ofSource = <A, E, R>(reading: Effect.Effect<A, E | SqlError.SqlError, R>) =>
  Effect.catchIf(reading, SqlError.isSqlError, (error) => new SourceFailed({ error }))

const refuse = (why: string) => Effect.fail(new CopyFailed({ why }))

/** The schema of the sandbox provider's books, which are copied if that is asked for. */
const sandbox = "sandbox"

/**
 * What each database has of its own: how it was made, also by libraries, its nodes and health checks, where it has moved,
 * and which versions of its rows were found sound.
 */
const ofItsOwn: ReadonlySet<string> = new Set([
  "audit_mark",
  "schema_migration",
  `${sandbox}.schema_migration`,
  "schema_part",
  "write_probe",
  "node_zone_rules",
  "replica_heartbeat",
  "database_move",
  "provider_task_migrations"
])

const Table = Schema.Struct({
  /** As statements name it. */
  name: Schema.String,
  /** In the order of their names; those that the database computes are left out. */
  columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String, identity: Schema.Boolean })),
  /** The tables that its foreign keys name. */
  needs: Schema.Array(Schema.String)
})
type Table = typeof Table.Type
const tablesOf = decodeRows(Schema.Array(Table))

/** The tables of the service and of the sandbox that are copied, by name. */
export const copiedTables = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Table>, SqlError.SqlError> =>
  Effect.map(
    tablesOf(sql`with t as (
        select c.oid, case when n.nspname = ${sandbox} then ${`${sandbox}.`} else '' end || quote_ident(c.relname) as name
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p') and (n.nspname = ${sandbox}
            or n.oid = (select relnamespace from pg_class where oid = to_regclass('schema_migration')))
          and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e'))
      select name,
        (select coalesce(jsonb_agg(jsonb_build_object('name', quote_ident(a.attname),
              'type', format_type(a.atttypid, a.atttypmod), 'identity', a.attidentity <> '') order by a.attname), '[]')
          from pg_attribute a
          where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
        (select coalesce(jsonb_agg(distinct o.name), '[]') from pg_constraint k join t o on o.oid = k.confrelid
          where k.conrelid = t.oid and k.contype = 'f') as needs
      from t order by name collate "C"`),
    (tables) => tables.filter(({ name }) => !ofItsOwn.has(name))
  )

const isOfSandbox = ({ name }: Table): boolean => name.startsWith(`${sandbox}.`)

/** Each table after those that its foreign keys name; undefined if they name each other. */
export const inOrderOfKeys = (tables: ReadonlyArray<Table>): ReadonlyArray<Table> | undefined => {
  const ordered: Array<Table> = []
  const done = new Set<string>()
  while (ordered.length < tables.length) {
    const free = tables.filter(({ name, needs }) => !done.has(name) && needs.every((other) => done.has(other)))
    if (free.length === 0) return undefined
    ordered.push(...free)
    for (const { name } of free) done.add(name)
  }
  return ordered
}

/**
 * Values are the same text on both sides, and nothing of it is cut off. Some settings are unknown to older servers.
 */
const settings = {
  DateStyle: "ISO",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "1",
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0",
  transaction_timeout: "0"
}
const set = (sql: SqlClient.SqlClient) =>
  sql`select set_config(s.name, given.value, true) from jsonb_each_text(${JSON.stringify(settings)}::jsonb) as given (name, value)
    join pg_settings s on s.name = given.name`

const sameColumns = (one: Table, other: Table): boolean => JSON.stringify(one.columns) === JSON.stringify(other.columns)

const Digest = Schema.Struct({ rows: Schema.Int, digest: Schema.String })
const digestsOf = decodeRows(Schema.Tuple([Digest]))

/** How many rows a table has, and a digest of them in whatever order: the sums of each row's. */
const digestOf = (sql: SqlClient.SqlClient, { columns, name }: Table) =>
  Effect.map(
    digestsOf(
      sql.unsafe(`select count(*)::int as rows, concat(sum(('x' || left(hash, 16))::bit(64)::bigint), ' ',
        sum(('x' || substr(hash, 17, 16))::bit(64)::bigint)) as digest from (
        select encode(sha256(convert_to(row(${columns.map((column) => `${column.name}::text`).join(", ")})::text, 'UTF8')), 'hex')
          as hash from ${name}) hashes`)
    ),
    ([found]) => found
  )

/** A table, and how many rows it has on both sides. */
interface Copied {
  readonly table: string
  readonly rows: number
}

/** Compares both sides row by row. Fails with the tables that differ. */
const compare = Effect.fnUntraced(function* (
  from: SqlClient.SqlClient,
  to: SqlClient.SqlClient,
  tables: ReadonlyArray<Table>
) {
  const copied: Array<Copied> = []
  const differing: Array<string> = []
  for (const table of tables) {
    const [there, here] = yield* Effect.all([digestOf(to, table), ofSource(digestOf(from, table))], { concurrency: 2 })
    if (there.digest === here.digest && there.rows === here.rows) copied.push({ table: table.name, rows: here.rows })
    else differing.push(`${table.name} (${here.rows} rows here, ${there.rows} there)`)
  }
  if (differing.length > 0)
    return yield* refuse(`these tables are not the same on both sides: ${differing.join(", ")}.`)
  return copied
})

/** Characters of a statement's values, about: more rows are read at once while they stay below. */
const mostAtOnce = 1_000_000
const mostRows = 4096

const textOf = decodeRows(Schema.Array(Schema.Array(Schema.NullOr(Schema.String))))

/** Texts as the database writes an array of them: the driver needs to know what an array of nulls is of. */
const arrayOf = (texts: ReadonlyArray<string | null>): string =>
  `{${texts.map((text) => (text === null ? "NULL" : `"${text.replace(/["\\]/g, "\\$&")}"`)).join(",")}}`

const copyRows = Effect.fnUntraced(function* (
  from: SqlClient.SqlClient,
  to: SqlClient.SqlClient,
  { columns, name }: Table
) {
  // The driver remembers a statement with its columns, so each table has a name of its own for it.
  const cursor = `copied_${name.replaceAll(/\W/g, "_")}`
  const names = columns.map((column) => column.name)
  yield* to.unsafe(`delete from ${name}`)
  // Of before: what was copied is equal to what is there, and no trigger has anything to add.
  yield* to.unsafe(`alter table ${name} disable trigger user`)
  yield* ofSource(
    from.unsafe(
      `declare ${cursor} no scroll cursor for select ${names.map((one) => `${one}::text`).join(", ")} from ${name}`
    )
  )
  const insert = `insert into ${name} (${names.join(", ")}) overriding system value
    select ${columns.map(({ type }, at) => `c${at}::${type}`).join(", ")}
    from unnest(${columns.map((_, at) => `$${at + 1}::text::text[]`).join(", ")}) as v (${columns.map((_, at) => `c${at}`).join(", ")})`
  let most = 64
  for (;;) {
    const rows = yield* ofSource(textOf(from.unsafe(`fetch ${most} from ${cursor}`).values))
    if (rows.length === 0) break
    yield* to.unsafe(
      insert,
      names.map((_, at) => arrayOf(rows.map((row) => row[at] ?? null)))
    )
    const characters = rows.reduce((sum, row) => sum + row.reduce((all, value) => all + (value?.length ?? 4), 0), 0)
    if (characters > mostAtOnce) most = Math.max(1, most / 4)
    else if (characters < mostAtOnce / 4 && rows.length === most) most = Math.min(mostRows, most * 4)
  }
  yield* ofSource(from.unsafe(`close ${cursor}`))
  yield* to.unsafe(`alter table ${name} enable trigger user`)
  for (const { identity, name: column } of columns) if (identity) yield* continueCounting(from, to, name, column)
})

const sequenceOf = decodeRows(Schema.Tuple([Schema.Struct({ name: Schema.String })]))
const countOf = decodeRows(Schema.Tuple([Schema.Struct({ last: Schema.String, called: Schema.Boolean })]))

/** The next number of a column is the one that it would have been. */
const continueCounting = Effect.fnUntraced(function* (
  from: SqlClient.SqlClient,
  to: SqlClient.SqlClient,
  table: string,
  column: string
) {
  const sequence = (sql: SqlClient.SqlClient) =>
    Effect.map(sequenceOf(sql`select pg_get_serial_sequence(${table}, ${column}) as name`), ([{ name }]) => name)
  const [{ called, last }] = yield* ofSource(
    Effect.flatMap(sequence(from), (name) =>
      countOf(from.unsafe(`select last_value::text as last, is_called as called from ${name}`))
    )
  )
  yield* to`select setval(${yield* sequence(to)}::regclass, ${last}::text::bigint, ${called}::boolean)`
})

const Relations = Schema.Array(Schema.Struct({ name: Schema.String }))
const relationsOf = decodeRows(Relations)

/** What a database has already, where the service's tables are to be. */
const relationsIn = (sql: SqlClient.SqlClient) =>
  relationsOf(sql`select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in (current_schema(), ${sandbox}) and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname limit 3`)

const Applied = Schema.Array(Schema.Struct({ name: Schema.String }))
const appliedOf = decodeRows(Applied)
const standbyOf = decodeRows(Schema.Tuple([Schema.Struct({ standby: Schema.Boolean, tables: Schema.Boolean })]))

const notUsed = "has no operators. Is DATABASE_URL, or DATA_DIR, the one that you mean?"

/** Fails unless the source can be read here, and has just the tables of this release. */
export const refuseUnfitSource = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [{ standby, tables }] = yield* standbyOf(
    sql`select pg_is_in_recovery() as standby, to_regclass('schema_migration') is not null as tables`
  )
  if (standby) return yield* refuse("this is a replica. Name its primary.")
  if (!tables) return yield* refuse(`this database ${notUsed}`)
  const applied = yield* appliedOf(
    sql`select name from schema_migration where name like '0%' and checksum <> 'replaced' order by name`
  )
  const release = readMigrations().map(({ name }) => name)
  const known = new Set(applied.map(({ name }) => name))
  const missing = release.find((name) => !known.has(name))
  const last = applied.at(-1)?.name ?? ""
  const [newest = ""] = release.slice(-1)
  if (missing !== undefined)
    return yield* refuse(`this database is of an older release (${missing} is missing). Start this release on it once.`)
  if (last > newest) return yield* refuse(`this database is of a newer release (${last}). Copy it by that.`)
  // A mistyped DATA_DIR is a new database.
  const [operator] = yield* sql`select from operator limit 1`
  if (operator === undefined) return yield* refuse(`this database ${notUsed}`)
  return undefined
})

/**
 * Copies `from` into `to`, and compares both row by row. Fails, with the target as it was, if that has anything
 * already. `library` makes a table that no migration makes, if the source has it. `frozen`: nothing changes the source, so a target that has just its rows is a copy that was made before.
 * `made`: the target was made for this, and has at most empty tables.
 */
export const copyDatabase = Effect.fn("DatabaseCopy.copy")(function* (options: {
  readonly from: SqlClient.SqlClient
  readonly to: SqlClient.SqlClient
  readonly withSandbox: boolean
  readonly library: {
    readonly name: string
    readonly make: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
  }
  readonly frozen: boolean
  readonly made: boolean
}) {
  const { from, frozen, library, made, to, withSandbox } = options
  const work = Effect.gen(function* () {
    yield* set(to)
    const [{ standby }] = yield* standbyOf(to`select pg_is_in_recovery() as standby, false as tables`)
    if (standby) return yield* refuse("the target is a replica. Name its primary.")
    // Two copies at once: the second finds what the first has made.
    yield* to`select pg_advisory_xact_lock(${migrationLock})`
    const all = yield* ofSource(copiedTables(from))
    if (withSandbox && !all.some(isOfSandbox)) return yield* refuse("there are no books of a sandbox here.")
    const before = made ? [] : yield* relationsIn(to)
    const wanted = (tables: ReadonlyArray<Table>) => tables.filter((table) => withSandbox || !isOfSandbox(table))
    const here = new Map(all.map((table) => [table.name, table]))
    /** The target's tables, of which this database has each. */
    const shared = Effect.gen(function* () {
      const there = wanted(yield* copiedTables(to))
      for (const table of there) {
        const one = here.get(table.name)
        if (one === undefined)
          return yield* refuse(`this database has no table ${table.name}. See playroom doctor --audit.`)
        if (!sameColumns(one, table))
          return yield* refuse(
            `${table.name} has other columns here than this release makes. See playroom doctor --audit.`
          )
      }
      return there
    })
    const others = (tables: ReadonlyArray<Table>) => {
      const names = new Set(tables.map(({ name }) => name))
      return wanted(all).flatMap(({ name }) => (names.has(name) ? [] : [name]))
    }
    if (before.length > 0) {
      const again = frozen
        ? yield* Effect.option(Effect.flatMap(shared, (tables) => compare(from, to, tables)))
        : undefined
      if (again?._tag === "Some" && again.value.length > 0) return { tables: again.value, others: [] }
      return yield* refuse(
        `the target is not empty: it has ${before.map(({ name }) => name).join(", ")}. Make a new database (createdb -T template0 -E UTF8 --locale=C.UTF-8 …), and name that.`
      )
    }
    yield* Effect.provideService(withSandbox ? migrateAll : migrate, SqlClient.SqlClient, to)
    if (here.has(library.name)) yield* Effect.provideService(library.make, SqlClient.SqlClient, to)
    const tables = inOrderOfKeys(yield* shared)
    if (tables === undefined) return yield* Effect.die(new Error("Foreign keys of tables name each other"))
    for (const table of tables) yield* copyRows(from, to, table)
    const copied = yield* compare(from, to, tables)
    const [fault] = yield* Effect.provideService(schemaFaults, SqlClient.SqlClient, to)
    if (fault !== undefined)
      return yield* refuse(`${fault.name} of the target is not as it should be: ${fault.detail}.`)
    return { tables: copied, others: others(tables) }
  })
  return yield* from.withTransaction(
    Effect.gen(function* () {
      yield* from`set transaction isolation level repeatable read, read only`
      yield* set(from)
      return yield* to.withTransaction(work).pipe(
        Effect.catchIf(SqlError.isSqlError, ofTarget),
        Effect.catchTag("SourceFailed", ({ error }) => error)
      )
    })
  )
})
