/**
 * Tells what was changed by hand in the database's schema: tables with their columns, constraints, indexes, triggers
 * and functions. Migrations record what they make of them in `schema_part`. This reads the system catalogue once, and
 * takes no locks that anything waits for. What else there is (a person's own index) does no harm.
 */
import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { decodeRows } from "./Rows.ts"

/** A part of the schema. `definition` is a digest; `broken` says why it does nothing, though it is there. */
const Part = Schema.Struct({
  name: Schema.String,
  definition: Schema.String,
  broken: Schema.NullOr(Schema.String)
})
type Part = typeof Part.Type

const partsOf = decodeRows(Schema.Array(Part))
const recordedOf = decodeRows(Schema.Array(Schema.Struct({ name: Schema.String, definition: Schema.String })))

/** Servers of different versions print the same definition with other spaces and parentheses. */
const digest = (definition: string) =>
  `left(md5(replace(regexp_replace(${definition}, '[\\s()]', '', 'g'), n.nspname || '.', '')), 12)`

/** The schema that the service's tables are in, and its tables and composite types. */
const tables = `with n as (select oid, nspname from pg_namespace where oid = (select relnamespace from pg_class where oid = to_regclass('schema_migration'))),
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
const schemaNow = Effect.gen(function* () {
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

/**
 * Runs migrations, and records what they make of the schema. What they leave as it is stays recorded as it was, also
 * where it was changed by hand meanwhile; a database that has no records yet gets them of all that there is.
 */
export const recordSchema = Effect.fnUntraced(function* <E, R>(migrating: Effect.Effect<void, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const before = new Map((yield* schemaNow).map(({ definition, name }) => [name, definition]))
  yield* migrating
  const after = yield* schemaNow
  const [recorded] = yield* sql`select from schema_part limit 1`
  const changed = after.filter(({ definition, name }) => recorded === undefined || before.get(name) !== definition)
  const names = new Set(after.map(({ name }) => name))
  const gone = [...before.keys()].filter((name) => !names.has(name))
  yield* sql`delete from schema_part where name = any (${gone}::text[])`
  yield* sql`insert into schema_part (name, definition)
    select * from unnest(${changed.map(({ name }) => name)}::text[], ${changed.map(({ definition }) => definition)}::text[])
    on conflict (name) do update set definition = excluded.definition`
})

/** A part that is not as the migrations made it. */
export interface SchemaFault {
  readonly what: "missing" | "differs" | "broken"
  readonly name: string
  readonly detail: string
}

/** What is not as the migrations made it. */
export const schemaFaults: Effect.Effect<
  ReadonlyArray<SchemaFault>,
  SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const recorded = yield* recordedOf(sql`select name, definition from schema_part order by name`)
  const found = new Map((yield* schemaNow).map((part) => [part.name, part]))
  return recorded.flatMap(({ definition, name }): ReadonlyArray<SchemaFault> => {
    const part = found.get(name)
    if (part === undefined) return [{ what: "missing", name, detail: "a migration made it, and it is not there" }]
    if (part.broken !== null) return [{ what: "broken", name, detail: `it ${part.broken}` }]
    return part.definition === definition
      ? []
      : [{ what: "differs", name, detail: `it is ${part.definition}; the migrations make ${definition}` }]
  })
})
