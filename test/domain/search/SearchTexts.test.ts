/**
 * The functions by which texts are made comparable for searches, against plain ones that are slow (`plainTexts.sql`).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { statementsOf } from "../../../src/platform/database/Migrations.ts"
import { readWords } from "../../../src/domain/search/SearchWords.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { runs } from "../../support/runs.ts"

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

const plain = statementsOf(readFileSync(new URL("plainTexts.sql", import.meta.url), "utf8"))
/** Makes the plain functions. */
const makePlain = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.forEach(plain, (statement) => sql.unsafe(statement), { discard: true })
)

layer(TestDatabase.layer)("the texts of searches", (it) => {
  it.effect("are what plain functions make of them, for any text", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* makePlain
      const texts = fc.sample(text, runs(500))
      const lists = [null, "x", 1, {}, [], ["a", "b-ö"], [1, null, ["x"]]].map((field) => JSON.stringify({ field }))
      const differing = yield* sql`
        select value from unnest(${texts}::text[]) as value
        where (search_fold(value), search_joined(value), search_joined(search_fold(value)), search_bigrams(value),
            search_spelt_out(value), search_fold(array[value, value]))
          is distinct from (plain_fold(value), plain_joined(value), plain_joined(plain_fold(value)),
            plain_bigrams(value), plain_spelt_out(value), plain_fold(array[value, value]))`
      assert.deepStrictEqual(differing, [])
      const others = yield* sql`select details from unnest(${lists}::text[]) as details
        where search_list(details::jsonb, 'field') is distinct from plain_list(details::jsonb, 'field')
          or search_list(details::jsonb, 'none') is distinct from plain_list(details::jsonb, 'none')`
      assert.deepStrictEqual(others, [])
    })
  )

  const texts = Effect.map(SqlClient.SqlClient, (sql) => {
    const some = fc.array(text, { maxLength: 3 })
    const details = fc.record(
      { city_aliases: some, accessibility_features: some, other: fc.constant("x") },
      { requiredKeys: [] }
    )
    const rows = fc
      .sample(fc.tuple(text, text, text, text, fc.constantFrom("Cork", "Köln"), some, details), 30)
      .map(([name, summary, description, address, city, amenities, details], i) => ({
        playroom_id: `playroom_${String(i).padStart(2, "0")}`,
        name: `${name} .`,
        city: i % 3 === 0 ? `${city} ${name}` : city,
        summary,
        description,
        address,
        amenities,
        details
      }))
    const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (playroom_id text, name text, summary text,
      description text, address text, city text, amenities text[], details jsonb)`
    return { sql, given }
  })
  const insert = Effect.gen(function* () {
    const { given, sql } = yield* texts
    yield* sql`truncate operator, search_word, city_name cascade`
    yield* sql`insert into operator (operator_id, name, created_at, updated_at) values ('operator_1', 'One', now(), now())`
    yield* sql`insert into playroom (playroom_id, operator_id, name, summary, description, address, city, country, latitude, longitude,
        time_zone, currency, capacity, age_min, age_max, amenities, modes, details, from_price, created_at, updated_at)
      select playroom_id, 'operator_1', name, summary, description, address, city, 'IE', 1, 1, 'Europe/Dublin', 'EUR', 10, 0, 9, amenities,
        '{shared}', details, 0, now(), now() from ${given}`
    return sql
  })

  it.effect("stand in a playroom's row as they stood when they were generated, and again when it is changed", () =>
    Effect.gen(function* () {
      const sql = yield* insert
      yield* makePlain
      const differing = sql`
        select playroom_id from playroom, plain_names(name, city, address, details) as names,
          plain_texts(amenities, summary, description, details) as texts,
          plain_joined(plain_fold(name)) as joined
        where (city_key, amenity_keys, names_vector, search_vector) is distinct from (
          plain_fold(city), plain_fold(amenities || plain_list(details, 'accessibility_features')),
          to_tsvector('english', names || ' ' || joined) || array_to_tsvector(plain_bigrams(names)),
          to_tsvector('english', names || ' ' || texts || ' ' || joined) || array_to_tsvector(plain_bigrams(names || ' ' || texts)))`
      assert.deepStrictEqual(yield* differing, [])
      const { given } = yield* texts
      yield* sql`update playroom p set name = x.name from ${given} where p.playroom_id = x.playroom_id`
      assert.deepStrictEqual(yield* differing, [])
      for (const column of ["city", "address", "amenities", "summary", "description", "details"])
        yield* sql`update playroom p set ${sql(column)} = x.${sql(column)} from ${given} where p.playroom_id = x.playroom_id`
      assert.deepStrictEqual(yield* differing, [])
    })
  )

  it.effect("are learnt from several playrooms at once as from each alone", () =>
    Effect.gen(function* () {
      const sql = yield* insert
      yield* makePlain
      const words = yield* sql`select word from search_word order by word`
      const alone = yield* sql`select distinct word from playroom p, unnest(plain_words_of(p)) as word
        where length(word) between 2 and 40 order by word`
      assert.isAbove(words.length, 20)
      assert.deepStrictEqual(words, alone)
      const cities = yield* sql`select name, city_key, city from city_name order by name, city_key`
      const each = yield* sql`select distinct on (asked, city_key) asked as name, city_key, city
        from playroom p, unnest(city_names_of(p.city, p.details)) as asked order by asked, city_key, playroom_id`
      assert.isAbove(cities.length, 10)
      assert.deepStrictEqual(cities, each)
    })
  )

  it.effect("are found for a misspelt word though many are more like it but for their first letter", () =>
    Effect.gen(function* () {
      const sql = yield* insert
      yield* sql`insert into search_word (word, stem) values ('dinosaur', 'dinosaur')`
      yield* sql`insert into search_word (word, stem) select before || chr(n) || 'inosuar', before || n
        from generate_series(ascii('a'), ascii('z')) n cross join unnest(array['', 'x']) before where chr(n) <> 'd'`
      const { words } = yield* readWords(sql)("dinosuar")
      assert.deepStrictEqual(
        words.map(({ shown }) => shown),
        ["dinosuar (read as dinosaur)"]
      )
    })
  )

  it.effect("are found among the known words by their key, and not in the index for misspelt words", () =>
    Effect.gen(function* () {
      const sql = yield* insert
      const scans = Effect.map(
        sql<{ readonly key: number; readonly alike: number }>`
          select pg_stat_get_xact_numscans('search_word_pkey'::regclass)::int as key,
            pg_stat_get_xact_numscans('search_word_alike'::regclass)::int as alike`,
        ([row]) => row
      )
      const during = Effect.fnUntraced(function* <E, R>(work: Effect.Effect<unknown, E, R>) {
        // As many as a catalogue has: among few words either index costs the same.
        yield* sql`insert into search_word (word, stem) select 'w' || md5(n::text), 'w' || n from generate_series(1, 20000) n
          on conflict do nothing`
        yield* sql`analyze search_word`
        const before = yield* scans
        yield* work
        const after = yield* scans
        assert.strictEqual(after?.alike, before?.alike)
        assert.isAbove(after?.key ?? 0, before?.key ?? 0)
      }, sql.withTransaction)
      yield* during(sql`select search_learn(array['playroom_01', 'playroom_02'])`)
      yield* during(readWords(sql)("cork koeln"))
    })
  )
})
