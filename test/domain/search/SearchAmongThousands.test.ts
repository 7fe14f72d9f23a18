import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { candidatesOf } from "../../../src/domain/search/SearchPages.ts"
import { priceRowsOf } from "../../../src/domain/search/PriceOrder.ts"
import { tiersOf } from "../../../src/domain/search/SearchTiers.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { PlayroomSearch } from "../../../src/domain/search/PlayroomSearch.ts"
import type { SearchQuery } from "../../../src/domain/search/SearchQuery.ts"
import { dayMs } from "../../../src/platform/time/LocalTime.ts"
import { readWords } from "../../../src/domain/search/SearchWords.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, manyPlayrooms, playroomJson } from "../../support/catalogues.ts"
import { heavySearches, pagesOf, search, searchWorld } from "../../support/searchWorld.ts"

/**
 * What no package of these playrooms offers: all are open from 9 to 17, for parties of 10 at most, for an hour or two.
 */
const date = "2026-12-05"
const fruitless: ReadonlyArray<SearchQuery> = [
  { date, start_after: "18:00" },
  { date, end_before: "09:30" },
  { date, start_after: "10:00", end_before: "10:45" },
  { date, children: 20, max_total: { amount: 100, currency: "GBP" } },
  { date, children: 10, max_total: { amount: 4000, currency: "GBP" } },
  { date, max_total: { amount: 10_000, currency: "EUR" } },
  { date, duration_minutes: 90 },
  { date, mode: "shared", duration_minutes: 120 },
  { date: "2029-01-01" },
  { date, query: "jungle", start_after: "18:00" },
  { date, near: { latitude: 51, longitude: -2, radius_km: 500 }, start_after: "18:00" },
  { date, city: "Leeds", sort: "price", duration_minutes: 90 },
  { child_ages: [17] },
  { children: 11 },
  { duration_minutes: 1440, sort: "price" }
]

type SearchPage = Effect.Success<ReturnType<typeof search>>

/** Searches of five and of all filters, and of words that nobody has. */
const { everyFilter, fiveFilters, unknownValues } = heavySearches(date)
const manyFilters: ReadonlyArray<SearchQuery> = [
  fiveFilters,
  { query: "zyxwv", date },
  { amenities: ["swimming pool"], sort: "price" },
  // Each of many playrooms, both of none.
  { amenities: ["ball pool", "cafe"] },
  unknownValues,
  everyFilter
]

/** Of a search, with those that say why it found nothing. */
const mostStatements = 30

/** A value as SQL. */
const literal = (value: unknown): string =>
  value === null
    ? "null"
    : `'${(value instanceof Date ? value.toISOString() : Array.isArray(value) ? `{${value.join()}}` : String(value)).replaceAll("'", "''")}'`

/** The plan of a prepared statement for any values. */
const keptPlan = (sql: SqlClient.SqlClient, statement: Statement.Fragment) =>
  sql.withTransaction(
    Effect.gen(function* () {
      const [text, params] = sql`${statement}`.compile()
      yield* sql`set local plan_cache_mode = force_generic_plan`
      yield* sql.unsafe(`prepare kept as ${text}`)
      const values = params.length === 0 ? "" : `(${params.map(literal).join(", ")})`
      const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain execute kept${values}`)
      yield* sql`deallocate kept`
      return rows.map((row) => row["QUERY PLAN"]).join("\n")
    })
  )

layer(searchWorld)("search among thousands", (it) => {
  const queries: ReadonlyArray<SearchQuery> = [
    {},
    { query: "dinosaur" },
    { query: "1817" },
    { query: "rainbw trampolin" },
    { query: "blocks 1817", city: "Leeds" },
    { query: "garden 1817", sort: "price" },
    { city: "Leeds" },
    { country: "GB", sort: "price" },
    { amenities: ["soft play", "cafe"] },
    { near: { latitude: 51, longitude: -2 } },
    { near: { latitude: 51, longitude: -2, radius_km: 400 }, sort: "distance" },
    { near: { latitude: 51, longitude: -2, radius_km: 400 }, query: "garden" },
    { near: { latitude: 51, longitude: -2, radius_km: 400 }, sort: "price" },
    {
      date: "2026-12-05",
      city: "york",
      children: 6,
      amenities: ["slide"],
      mode: "exclusive",
      start_after: "10:00",
      max_total: { amount: 30_000, currency: "GBP" }
    },
    { date: "2026-12-05", sort: "price", max_total: { amount: 30_000, currency: "GBP" } },
    ...fruitless
  ]

  it.effect(
    "never reads the whole table for a page",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        yield* CatalogueFile.use((file) => file.importFile(manyPlayrooms(2000)))
        const sql = yield* SqlClient.SqlClient
        const now = Date.parse("2026-11-20T09:00:00Z")
        for (const query of queries) {
          const words = query.query === undefined ? undefined : yield* readWords(sql)(query.query)
          const tiers = tiersOf(sql, query, words, now, [])
          const statements =
            tiers.order === "price"
              ? tiers.tiers.flatMap((tier) => priceRowsOf(sql, query, tiers).statements(tier, 100))
              : candidatesOf(sql, tiers).statements(11, 100)
          const explain = (statement: Statement.Fragment) =>
            Effect.map(sql`explain ${statement}`.unprepared, (rows) => rows.map((row) => row["QUERY PLAN"]).join("\n"))
          const plansOf = Effect.fnUntraced(function* (statement: Statement.Fragment) {
            return [yield* explain(statement), ...(tiers.keepsPlan ? [yield* keptPlan(sql, statement)] : [])]
          })
          for (const statement of statements) {
            for (const plan of yield* plansOf(statement))
              assert.notMatch(
                plan,
                /Seq Scan on (playroom|package|search_word|search_visit)|using search_visit_offered/,
                `${JSON.stringify(query)}\n${plan}`
              )
          }
          const { visits, words: having } = tiers.narrowings()
          // With so few visits, reading all of them would be as good.
          if (visits !== undefined) {
            const plan = yield* sql.withTransaction(
              Effect.andThen(sql`set local enable_seqscan = off`, explain(visits))
            )
            assert.match(plan, / Index Scan (using|on) search_visit_offered/)
          }
          for (const statement of having)
            for (const plan of yield* plansOf(statement))
              assert.match(plan, /Bitmap Index Scan on playroom_(names|search|amenities)/, plan)
        }
      }),
    120_000
  )

  it.effect("looks at the prices of few playrooms on the days asked for a page that is sorted by price", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const sql = yield* SqlClient.SqlClient
      for (const query of [
        { date, children: 4 },
        { date, start_after: "13:00" },
        { date, date_to: "2026-12-31", children: 4 }
      ]) {
        const asked: Array<ReturnType<Statement.Statement<unknown>["compile"]>> = []
        const { playrooms } = yield* search({ ...query, sort: "price" }).pipe(
          Effect.provideService(Statement.CurrentTransformer, (statement) =>
            Effect.sync(() => {
              asked.push(statement.compile())
              return statement
            })
          )
        )
        assert.isNotEmpty(playrooms)
        let looked = 0
        for (const [text, params] of asked.filter(([text]) => text.includes("least_total"))) {
          const plan = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain (analyze) ${text}`, params)
          for (const { "QUERY PLAN": line } of plan)
            if (line.includes("on search_visit")) looked += Number(/loops=(\d+)/.exec(line)?.[1] ?? 0)
        }
        assert.isAtLeast(looked, 10)
        assert.isAtMost(looked, 40, JSON.stringify(query))
      }
    })
  )

  it.effect("has the text index collect no words that many of the first playrooms have", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const sql = yield* SqlClient.SqlClient
      for (const query of ["pirate", "pirate slide"]) {
        const asked: Array<ReturnType<Statement.Statement<unknown>["compile"]>> = []
        const { playrooms } = yield* search({ query }).pipe(
          Effect.provideService(Statement.CurrentTransformer, (statement) =>
            Effect.sync(() => {
              asked.push(statement.compile())
              return statement
            })
          )
        )
        assert.isNotEmpty(playrooms)
        for (const [text, params] of asked) {
          const plan = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain (analyze) ${text}`, params)
          for (const { "QUERY PLAN": line } of plan) {
            const found = /Index Scan on playroom_(?:names|search).*actual.* rows=([\d.]+)/.exec(line)?.[1] ?? "0"
            assert.isAtMost(Number(found), 50, line)
          }
        }
      }
    })
  )

  it.effect("leaps from city to city for the list of them", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const sql = yield* SqlClient.SqlClient
      const asked: Array<ReturnType<Statement.Statement<unknown>["compile"]>> = []
      const cities = yield* PlayroomSearch.use((service) => service.cities).pipe(
        Effect.provideService(Statement.CurrentTransformer, (statement) =>
          Effect.sync(() => {
            asked.push(statement.compile())
            return statement
          })
        )
      )
      assert.isNotEmpty(cities)
      assert.deepStrictEqual(cities, cities.toSorted())
      assert.lengthOf(asked, 1)
      for (const [text, params] of asked) {
        const plan = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain (analyze) ${text}`, params)
        for (const { "QUERY PLAN": line } of plan) {
          assert.notMatch(line, /(?:Seq Scan|Bitmap Heap Scan) on playroom/, line)
          const [, read = "0", loops = "1"] = /actual.* rows=([\d.]+) loops=(\d+)/.exec(line) ?? []
          assert.isAtMost(Number(read) * Number(loops), 60 * 50, line)
        }
      }
    })
  )

  it.effect("reads few playrooms for a page of a wide circle in which most of them are", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const sql = yield* SqlClient.SqlClient
      const near = { latitude: 51, longitude: -2, radius_km: 500 }
      for (const query of [
        { near, query: "pirate slide" },
        { near, query: "jungle" },
        { near, sort: "price" as const }
      ]) {
        const asked: Array<ReturnType<Statement.Statement<unknown>["compile"]>> = []
        const page = yield* search(query).pipe(
          Effect.provideService(Statement.CurrentTransformer, (statement) =>
            Effect.sync(() => {
              asked.push(statement.compile())
              return statement
            })
          )
        )
        assert.isNotEmpty(page.playrooms)
        assert.isDefined(page.next_cursor)
        // Whether there are few in the circle is read until there are too many, and not until all were collected.
        const [count, itsParams] =
          asked.find(([text]) => text.includes("as away")) ?? assert.fail("nobody asked how many are in the circle")
        const lines = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain (analyze) ${count}`, itsParams)
        const plan = lines.map((line) => line["QUERY PLAN"]).join("\n")
        assert.match(plan, /Index Scan using playroom_place/)
        assert.notMatch(plan, /Bitmap/)
        for (const [text, params] of asked.filter(([text]) => text.includes("row_number()"))) {
          const plan = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain (analyze) ${text}`, params)
          for (const { "QUERY PLAN": line } of plan) {
            const read = /on playroom.*actual.* rows=([\d.]+) loops=1\)/.exec(line)?.[1] ?? "0"
            assert.isAtMost(Number(read), 1000, line)
          }
        }
      }
    })
  )

  it.effect("reads no further days for a page that is sorted by price, if none of them can be cheaper", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const lengths: Array<number> = []
      const query = { date, date_to: "2026-12-31", children: 4, sort: "price" } as const
      const { playrooms } = yield* search(query).pipe(
        Effect.provideService(Statement.CurrentTransformer, (statement) =>
          Effect.sync(() => {
            const [text, params] = statement.compile()
            const [, from = [], to = []] = params.filter(Schema.is(Schema.Array(Schema.String)))
            if (text.includes("from occupancy"))
              lengths.push(...from.map((first, i) => Date.parse(to[i] ?? "") - Date.parse(first)))
            return statement
          })
        )
      )
      assert.isNotEmpty(playrooms)
      assert.isNotEmpty(lengths)
      for (const length of lengths) assert.isBelow(length, 7 * dayMs)
    })
  )

  it.effect(
    "answers in one look what no package could ever offer, with no page to follow, and says why with a bounded number of others",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        for (const query of fruitless) {
          const statements: Array<string> = []
          const page = yield* Effect.provideService(search(query), Statement.CurrentTransformer, (statement) =>
            Effect.sync(() => {
              statements.push(statement.compile()[0])
              return statement
            })
          )
          const { next_cursor, none_because = [], playrooms } = page
          assert.deepStrictEqual([playrooms, next_cursor], [[], undefined], JSON.stringify(query))
          assert.isNotEmpty(none_because, JSON.stringify(query))
          assert.isAtMost(statements.length, mostStatements, JSON.stringify(query))
        }
      }),
    120_000
  )

  it.effect(
    "looks at a bounded number of playrooms for what none has, and at a bounded number of searches to say why",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const sql = yield* SqlClient.SqlClient
        for (const query of manyFilters) {
          const statements: Array<readonly [text: string, params: ReadonlyArray<unknown>]> = []
          const { none_because = [] } = yield* Effect.provideService(
            search(query),
            Statement.CurrentTransformer,
            (statement) =>
              Effect.sync(() => {
                statements.push(statement.compile())
                return statement
              })
          )
          assert.isNotEmpty(none_because, JSON.stringify(query))
          assert.isAtMost(statements.length, mostStatements, JSON.stringify(query))
          for (const [text, params] of statements) {
            const plan = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(
              `explain (analyze, timing off) ${text}`,
              params
            )
            for (const { "QUERY PLAN": line } of plan) {
              // Which rows such a read has first depends on others that read the table meanwhile.
              assert.notMatch(line, /Seq Scan on playroom/, JSON.stringify(query))
              const rows = /(?:actual rows=([\d.]+) loops=(\d+)\))|(?:Rows Removed by Filter: (\d+))/.exec(line)
              if (rows === null) continue
              const [, read = "0", loops = "1", removed = "0"] = rows
              assert.isAtMost(
                Math.max(Number(read) * Number(loops), Number(removed)),
                1500,
                `${JSON.stringify(query)} ${line}`
              )
            }
          }
        }
      }),
    120_000
  )

  it.effect(
    "says why nothing was found on the last page, if exact checks emptied those before it",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into closure (closure_id, operator_id, playroom_id, during, reason, created_at)
          select 'closure_' || substr(playroom_id, 10), operator_id, playroom_id,
            tstzrange(${date}::date - interval '1 day', ${date}::date + interval '2 days'), 'Full', now() from playroom`
        const pages: Array<SearchPage> = []
        let cursor: string | undefined
        do {
          const page = yield* search({ city: "Leeds", date, ...(cursor === undefined ? {} : { cursor }) })
          pages.push(page)
          cursor = page.next_cursor
        } while (cursor !== undefined)
        const [last = assert.fail(), ...before] = pages.toReversed()
        assert.isNotEmpty(before)
        for (const { nearest, none_because, playrooms } of before)
          assert.deepStrictEqual([playrooms, none_because, nearest], [[], undefined, undefined])
        assert.deepStrictEqual(last.playrooms, [])
        assert.include(
          (last.none_because ?? []).map(({ filter }) => filter),
          "date"
        )
        assert.deepInclude(last.nearest?.[0], { without: ["date"], city: "Leeds" })
        // A search that found something ends without reasons, though its last page may be empty.
        yield* sql`delete from closure where playroom_id = (select min(playroom_id) from playroom where city = 'Leeds')`
        const some = yield* pagesOf({ city: "Leeds", date })
        assert.strictEqual(some.flat().length, 1)
        const [first] = pages
        const { none_because } = yield* search({ city: "Leeds", date, cursor: first?.next_cursor ?? "" })
        assert.isUndefined(none_because)
        yield* sql`delete from closure`
      }),
    120_000
  )

  it.effect(
    "pages through every ranking without repeating or skipping",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const all = [
          { query: "dinosaur" },
          { city: "Leeds", sort: "price" as const },
          { near: { latitude: 51, longitude: -2, radius_km: 60 } }
        ]
        for (const query of all) {
          const once = (yield* pagesOf({ ...query, limit: 50 })).flat()
          const often = (yield* pagesOf({ ...query, limit: 7 })).flat()
          assert.deepStrictEqual(often, once)
          assert.strictEqual(new Set(once).size, once.length)
          assert.isAbove(once.length, 100)
        }
        const distances: Array<number> = []
        let cursor: string | undefined
        do {
          const page = yield* search({
            near: { latitude: 51, longitude: -2, radius_km: 60 },
            limit: 9,
            ...(cursor === undefined ? {} : { cursor })
          })
          distances.push(...page.playrooms.map(({ distance_km }) => distance_km ?? -1))
          cursor = page.next_cursor
        } while (cursor !== undefined)
        assert.deepStrictEqual(
          distances,
          distances.toSorted((a, b) => a - b)
        )
      }),
    120_000
  )

  it.effect("finds words that are in texts only, among many names without them, on the first page", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      assert.strictEqual((yield* search({ query: "pirate slide", limit: 10 })).playrooms.length, 10)
      assert.strictEqual((yield* search({ query: "playroom garden", limit: 20 })).playrooms.length, 20)
    })
  )

  it.effect("keeps a page short, whatever its limit", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const text = (length: number) => "Long words. ".repeat(100).slice(0, length - 1) + "!"
      const verbose = Array.from({ length: 50 }, (_, i) =>
        playroomJson(9000 + i, {
          name: text(80),
          summary: text(240),
          address: text(160),
          city: "Verbosity",
          amenities: Array.from({ length: 20 }, (__, n) => `${n} ${text(28)}`),
          photos: [{ url: `https://x.example/${"y".repeat(180)}`, alt: "Long" }]
        })
      )
      yield* CatalogueFile.use((file) => file.importFile(catalogueJson(verbose)))
      const page = yield* search({ city: "Verbosity", limit: 50 })
      const json = JSON.stringify(page)
      assert.isBelow(json.length + JSON.stringify(json).length, 49_000)
      const ids: Array<string> = []
      let cursor: string | undefined
      do {
        const { playrooms, next_cursor } = yield* search({
          city: "Verbosity",
          limit: 50,
          ...(cursor === undefined ? {} : { cursor })
        })
        ids.push(...playrooms.map(({ playroom_id }) => playroom_id))
        cursor = next_cursor
      } while (cursor !== undefined)
      assert.deepStrictEqual(
        ids,
        verbose.map(({ playroom_id }) => playroom_id)
      )
    })
  )
})
