/** The schema that the migrations make, and `src/database/schema.json`, which must say the same. */
import { assert, layer } from "@effect/vitest"
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { writeFileSync } from "node:fs"
import expected from "../../src/database/schema.json" with { type: "json" }
import { schemaFaults, schemaNow } from "../../src/database/SchemaCatalog.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

class RolledBack<A> extends Data.TaggedError("RolledBack")<{ readonly found: A }> {}

/** The faults after some statements, which are rolled back. */
const after = (...statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          for (const statement of statements) yield* sql.unsafe(statement)
          const found = yield* schemaFaults
          return yield* new RolledBack({ found: found.map(({ name, what }) => `${what}: ${name}`) })
        })
      )
      .pipe(Effect.catchTag("RolledBack", ({ found }) => Effect.succeed(found)))
  )

const overlap = "occupancy_no_double_sale"

layer(TestDatabase.layer)("the schema", (it) => {
  it.effect("is written down as the migrations make it: SCHEMA=write npx vitest run this file, after a migration", () =>
    Effect.gen(function* () {
      const parts = Object.fromEntries((yield* schemaNow).map(({ definition, name }) => [name, definition]))
      if (process.env["SCHEMA"] === "write")
        writeFileSync("src/database/schema.json", `${JSON.stringify(parts, undefined, 2)}\n`)
      else assert.deepStrictEqual(parts, expected)
    })
  )

  it.effect("is looked at part by part: what is gone, weaker, invalid or switched off is named", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* after(), [])
      assert.deepStrictEqual(yield* after("create index mine on booking (notes)", "create table notes (n int)"), [])
      const drop = `alter table occupancy drop constraint ${overlap}`
      assert.deepStrictEqual(yield* after(drop), [
        `missing: constraint occupancy.${overlap}`,
        `missing: index ${overlap}`
      ])
      const weaker = `alter table occupancy add constraint ${overlap} exclude using gist (resource_id with =, during with &&) where (closure_id is null)`
      assert.deepStrictEqual(yield* after(drop, weaker), [
        `differs: constraint occupancy.${overlap}`,
        `differs: index ${overlap}`
      ])
      assert.deepStrictEqual(
        yield* after(
          "alter table booking drop constraint booking_total_check",
          "alter table booking add constraint booking_total_check check (total >= 0) not valid"
        ),
        ["broken: constraint booking.booking_total_check"]
      )
      assert.deepStrictEqual(yield* after("drop index booking_repeated"), ["missing: index booking_repeated"])
      assert.deepStrictEqual(yield* after("alter table booking disable trigger booking_by_guest"), [
        "broken: trigger booking.booking_by_guest"
      ])
      assert.include(
        yield* after("alter table occupancy disable trigger all"),
        "broken: constraint occupancy.occupancy_booking_id_fkey"
      )
      assert.deepStrictEqual(
        yield* after(
          "create or replace function lookup_again_at(of_sender text, of_about text, most int, at timestamptz) returns timestamptz language plpgsql volatile as $$ begin return null; end $$"
        ),
        ["differs: function lookup_again_at(text, text, integer, timestamp with time zone)"]
      )
      assert.deepStrictEqual(
        yield* after(
          "create or replace function hold_runs(b booking, at timestamptz) returns boolean language sql immutable parallel safe return true"
        ),
        ["differs: function hold_runs(booking, timestamp with time zone)"]
      )
      assert.deepStrictEqual(yield* after("alter table booking alter column total drop not null"), [
        "differs: column booking.total"
      ])
    })
  )

  it.effect("of another release is not judged", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* after(
          "insert into schema_migration (name, checksum) values ('9999_later', '')",
          "drop index booking_repeated"
        ),
        []
      )
    })
  )
})
