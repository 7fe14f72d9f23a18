import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { sizeOf } from "../../../src/domain/search/SearchFacts.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

layer(TestDatabase.layer)("the lowest prices by the size of a party", (it) => {
  it.effect("have an index for each size, of its own price", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const indexes = yield* sql<{ size: number; place: number }>`
        select substring(indexname from '\\d+$')::int as size, substring(indexdef from 'least_by_children\\[(\\d+)\\]')::int as place
        from pg_indexes where schemaname = current_schema() and indexname ~ '^playroom_least_\\d+$' order by size`
      assert.isAtLeast(indexes.length, 12)
      assert.deepStrictEqual(
        indexes.map(({ place }) => place),
        indexes.map((_, i) => i + 1)
      )
      for (const { place, size } of indexes)
        assert.deepStrictEqual([sizeOf(size - 1), sizeOf(size)], [place - 1, place], `a party of ${size}`)
      assert.strictEqual(sizeOf(Infinity), indexes.length)
    })
  )
})
