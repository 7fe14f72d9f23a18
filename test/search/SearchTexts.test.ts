/** The functions by which texts are made comparable for searches, against those of the first release. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { TestDatabase } from "../support/TestDatabase.ts"

const first = readFileSync(new URL("../../sql/0005_search.sql", import.meta.url), "utf8")
/** A function of the first release under a name of its own, with what it calls. */
const before = (name: string): ReadonlyArray<string> =>
  first
    .split(/(?<=;)\n/)
    .filter((statement) => statement.includes(`create function search_${name}(`))
    .map((statement) => statement.replaceAll(/search_(?=\w+\()/g, "before_"))

const parts = [
  fc.constantFrom(
    "Fun-House",
    "Grüße",
    "GÖTEBORG Århus",
    "São Paulo",
    "遊び場",
    "子供",
    "ไทย",
    "서울",
    "Å",
    "İstanbul",
    "'n' co."
  ),
  fc.constantFrom(..."-_/\\.,:;!?&()[]{}\"'@#*+|<>=~^` \t\n\u00a0"),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" })
]
const textOf = fc.array(fc.oneof(...parts)).map((its) => its.join(" ").replaceAll("\0", "").toWellFormed())
const text = fc.oneof(
  textOf,
  fc.array(fc.oneof(...parts)).map((its) => its.join("").replaceAll("\0", "").toWellFormed())
)

layer(TestDatabase.layer)("the texts of searches", (it) => {
  it.effect("are what they were at first, for any text", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const statement of ["fold", "text", "list", "joined", "bigrams", "spelt_out", "names", "texts"].flatMap(
        before
      ))
        yield* sql.unsafe(statement)
      const texts = fc.sample(text, 500)
      const lists = [null, "x", 1, {}, [], ["a", "b-ö"], [1, null, ["x"]]].map((field) => JSON.stringify({ field }))
      const differing = yield* sql`
        select value from unnest(${texts}::text[]) as value
        where (search_fold(value), search_joined(value), search_joined(search_fold(value)), search_bigrams(value),
            search_spelt_out(value), search_fold(array[value, value]))
          is distinct from (before_fold(value), before_joined(value), before_joined(before_fold(value)),
            before_bigrams(value), before_spelt_out(value), before_fold(array[value, value]))`
      assert.deepStrictEqual(differing, [])
      const others = yield* sql`select details from unnest(${lists}::text[]) as details
        where search_list(details::jsonb, 'field') is distinct from before_list(details::jsonb, 'field')
          or search_list(details::jsonb, 'none') is distinct from before_list(details::jsonb, 'none')`
      assert.deepStrictEqual(others, [])
    })
  )

  it.effect("are learnt from several playrooms at once as from each alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into operator (operator_id, name, created_at, updated_at) values ('operator_1', 'One', now(), now())`
      const rows = fc.sample(fc.tuple(text, text, text), 50).map(([name, summary, description], i) => ({
        playroom_id: `playroom_${i}`,
        name: `${name} .`,
        summary,
        description
      }))
      yield* sql`insert into playroom (playroom_id, operator_id, name, summary, description, address, city, country, latitude, longitude,
          time_zone, currency, capacity, age_min, age_max, amenities, modes, details, from_price, created_at, updated_at)
        select playroom_id, 'operator_1', name, summary, description, '1 Main St.', 'Cork', 'IE', 1, 1, 'Europe/Dublin', 'EUR', 10, 0, 9, '{}',
          '{shared}', '{}', 0, now(), now()
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (playroom_id text, name text, summary text, description text)`
      const words = yield* sql`select word from search_word order by word`
      const alone = yield* sql`select distinct word from playroom p, unnest(search_words_of(p)) as word
        where length(word) between 2 and 40 order by word`
      assert.isAbove(words.length, 20)
      assert.deepStrictEqual(words, alone)
    })
  )
})
