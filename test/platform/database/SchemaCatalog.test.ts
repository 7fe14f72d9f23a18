/** What was changed by hand in the schema, against what migrations recorded of it. */
import { assert, layer } from "@effect/vitest"
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { recordSchema, schemaFaults } from "../../../src/platform/database/SchemaCatalog.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

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

  it.effect("is judged by what later migrations made of it, and what they left is judged as before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const later = recordSchema(
        Effect.forEach(
          [
            "create table later (n int)",
            "drop index booking_held",
            "alter table booking alter column notes set not null"
          ],
          (statement) => sql.unsafe(statement),
          { discard: true }
        )
      )
      yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`create table mine (n int)`
            yield* sql`drop index booking_repeated`
            yield* later
            yield* sql`drop table mine`
            yield* sql`alter table later drop column n`
            const found = yield* schemaFaults
            return yield* new RolledBack({ found: found.map(({ name, what }) => `${what}: ${name}`) })
          })
        )
        .pipe(
          Effect.catchTag("RolledBack", ({ found }) =>
            Effect.sync(() =>
              assert.deepStrictEqual(found, ["missing: column later.n", "missing: index booking_repeated"])
            )
          )
        )
    })
  )
})
