/**
 * Compares the database's schema with what the migrations make, as `schema.json` has it: tables with their columns,
 * constraints, indexes, triggers and functions. It reads the system catalogue once, and takes no locks that anything
 * waits for. What else there is (a person's own index) does no harm.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"
import { readMigrations } from "./Migrations.ts"
import expected from "./schema.json" with { type: "json" }

/** A part of the schema. `definition` is a digest; `broken` says why it does nothing, though it is there. */
const Part = Schema.Struct({
  name: Schema.String,
  definition: Schema.String,
  broken: Schema.NullOr(Schema.String)
})
type Part = typeof Part.Type

const partsOf = decodeRows(Schema.Array(Part))
const namesOf = decodeRows(Schema.Array(Schema.Struct({ name: Schema.String })))

/** Servers of different versions print the same definition with other spaces and parentheses. */
const digest = (definition: string) =>
  `left(md5(replace(regexp_replace(${definition}, '[\\s()]', '', 'g'), n.nspname || '.', '')), 12)`

/** The schema that the service's tables are in, and its tables and composite types. */
const tables = `with n as (select oid, nspname from pg_namespace where oid = (select relnamespace from pg_class where oid = 'booking'::regclass)),
t as (select c.oid, c.relname, c.relkind, c.relpersistence from n join pg_class c on c.relnamespace = n.oid where c.relkind in ('r', 'c')
  and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e'))`

/** A query for each kind of part, so that each is short: `name`, `definition`, `broken`. */
const queries: ReadonlyArray<string> = [
  `select 'table ' || relname as name, relkind::text || relpersistence::text as definition, null as broken from t`,
  `select 'column ' || t.relname || '.' || a.attname,
      format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end || case when a.attgenerated = '' then '' else ' generated' end,
      null
    from t join pg_attribute a on a.attrelid = t.oid where a.attnum > 0 and not a.attisdropped`,
  `select 'constraint ' || t.relname || '.' || c.conname, ${digest("c.contype::text || pg_get_constraintdef(c.oid)")},
      case when not c.convalidated then 'is not validated'
        when exists (select from pg_trigger g where g.tgconstraint = c.oid and g.tgenabled = 'D') then 'is switched off' end
    from n cross join t join pg_constraint c on c.conrelid = t.oid where c.contype in ('c', 'f', 'p', 'u', 'x')`,
  `select 'index ' || c.relname, ${digest("pg_get_indexdef(c.oid)")},
      case when not i.indisvalid then 'is not valid' when not i.indisready then 'is not ready' end
    from n cross join t join pg_index i on i.indrelid = t.oid join pg_class c on c.oid = i.indexrelid`,
  `select 'trigger ' || t.relname || '.' || g.tgname, ${digest("pg_get_triggerdef(g.oid)")},
      case when g.tgenabled in ('D', 'R') then 'is switched off' end
    from n cross join t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal`,
  `select 'function ' || p.proname || '(' || oidvectortypes(p.proargtypes) || ')',
      ${digest("p.provolatile::text || p.proisstrict || p.prosrc || coalesce(pg_get_function_sqlbody(p.oid), '')")}, null
    from n join pg_proc p on p.pronamespace = n.oid
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`
]

/** The schema as the database has it. */
export const schemaNow = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const parts = yield* Effect.forEach(queries, (query) =>
    partsOf(
      sql.unsafe(
        `${tables} select name, definition, broken from (${query}) part (name, definition, broken) order by name`
      )
    )
  )
  return parts.flat()
})

/** A part that is not as the migrations make it. */
export interface SchemaFault {
  readonly what: "missing" | "differs" | "broken"
  readonly name: string
  readonly detail: string
}

/**
 * What is not as the migrations of this release make it. Nothing is said of a database with other migrations: that of a
 * newer release knows its own.
 */
export const schemaFaults: Effect.Effect<
  ReadonlyArray<SchemaFault>,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const applied = yield* namesOf(sql`select name from schema_migration order by name`)
  const own = readMigrations().map(({ name }) => name)
  if (applied.map(({ name }) => name).join() !== own.join()) return []
  const found = new Map((yield* schemaNow).map((part) => [part.name, part]))
  return Object.entries(expected).flatMap(([name, definition]): ReadonlyArray<SchemaFault> => {
    const part = found.get(name)
    if (part === undefined) return [{ what: "missing", name, detail: "a migration made it, and it is not there" }]
    if (part.broken !== null) return [{ what: "broken", name, detail: `it ${part.broken}` }]
    return part.definition === definition
      ? []
      : [{ what: "differs", name, detail: `it is ${part.definition}; the migrations make ${definition}` }]
  })
})
