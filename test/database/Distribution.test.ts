/**
 * What the tables need before operators can be spread over several servers, as `docs/sizing.md` lists it. The rules are those of
 * Citus: https://docs.citusdata.com
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { TestDatabase } from "../support/TestDatabase.ts"

const page = readFileSync(new URL("../../docs/sizing.md", import.meta.url), "utf8")

const namesIn = (text: string): ReadonlyArray<string> => [...text.matchAll(/`([a-z_]+)`/g)].map(([, name = ""]) => name)
/** The tables of the row that begins so. */
const tablesOf = (kind: string): ReadonlyArray<string> =>
  namesIn(
    page
      .split("\n")
      .find((line) => line.startsWith(`| ${kind} |`))
      ?.split("|")[2] ?? ""
  )
/** The names that the list after this line begins with. */
const listed = (line: string): ReadonlyArray<string> =>
  (page.split(`\n${line}\n\n`)[1]?.split("\n\n")[0] ?? "")
    .split("\n")
    .filter((item) => item.startsWith("| `"))
    .flatMap((item) => namesIn(item.split("|")[1] ?? ""))

const Names = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))
const Columns = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String, kept: Schema.Boolean })))
const Indexes = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({ name: Schema.String, on: Schema.String, columns: Schema.Array(Schema.NullOr(Schema.String)) })
  )
)
const ForeignKeys = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({ name: Schema.String, from: Schema.String, to: Schema.String, columns: Schema.Array(Schema.String) })
  )
)

const distributed = tablesOf("distributed")
const reference = tablesOf("reference")
const local = tablesOf("local")

layer(TestDatabase.layer)("the tables, for operators on several servers", (it) => {
  it.effect("are each in one row of docs/sizing.md", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = Names(
        yield* sql`select relname::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`
      ).map(({ name }) => name)
      assert.sameMembers([...distributed, ...reference, ...local], tables)
    })
  )

  it.effect("have the faults that docs/sizing.md lists, and no others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const withOperator = Columns(
        yield* sql`select attrelid::regclass::text as name, attnotnull as kept from pg_attribute
          where attname = 'operator_id' and not attisdropped and attrelid::regclass::text = any(${distributed})`
      )
      const without = distributed.filter((table) => !withOperator.some(({ kept, name }) => kept && name === table))

      // A unique or exclusion constraint holds within one server only if it compares the operator, too.
      const indexes = Indexes(
        yield* sql`select indexrelid::regclass::text as name, indrelid::regclass::text as on,
            array(select a.attname::text from unnest(indkey::int2[]) k left join pg_attribute a on a.attrelid = indrelid and a.attnum = k) as columns
          from pg_index where (indisunique or indisexclusion) and indrelid::regclass::text = any(${distributed})`
      )
      const narrow = indexes.filter(({ columns }) => !columns.includes("operator_id")).map(({ name }) => name)

      // Rows of one operator may point at each other and at reference tables; other ways cross servers.
      const kindOf = (table: string) =>
        distributed.includes(table) ? "distributed" : reference.includes(table) ? "reference" : "local"
      const foreignKeys = ForeignKeys(
        yield* sql`select conname::text as name, conrelid::regclass::text as from, confrelid::regclass::text as to,
            array(select a.attname::text from unnest(conkey) k join pg_attribute a on a.attrelid = conrelid and a.attnum = k) as columns
          from pg_constraint where contype = 'f'`
      )
      const crossing = foreignKeys
        .filter(({ columns, from, to }) =>
          kindOf(from) === "distributed" && kindOf(to) === "distributed"
            ? !columns.includes("operator_id")
            : kindOf(to) !== "reference" && kindOf(from) !== kindOf(to)
        )
        .map(({ name }) => name)

      const triggers = Names(
        yield* sql`select tgname::text as name from pg_trigger where not tgisinternal and tgrelid::regclass::text = any(${distributed})`
      ).map(({ name }) => name)

      // A function runs on an operator's server only if it is told the operator by an argument of its own.
      const functions = Names(
        yield* sql`select distinct proname::text as name from pg_proc
          where pronamespace = 'public'::regnamespace and prokind = 'f' and provolatile <> 'i'
            and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.deptype = 'e')
            and prosrc ~ ${`\\m(${distributed.join("|")})\\M`} and not coalesce(proargnames, '{}') && array['operator_id', 'of_operator']`
      ).map(({ name }) => name)

      assert.isAbove(indexes.length, 10)
      assert.isAbove(foreignKeys.length, 20)
      assert.sameMembers([...listed("Tables without an `operator_id` that is never null:")], without)
      assert.sameMembers([...listed("Unique and exclusion constraints that do not compare `operator_id`:")], narrow)
      assert.sameMembers([...listed("Foreign keys that do not carry `operator_id`, or cross kinds:")], crossing)
      assert.sameMembers([...listed("Triggers and functions:")], [...triggers, ...functions])
    })
  )
})
