/** `search`: one page out of 100, of 10,000 and of 100,000 playrooms, each with bookings on the days to come. */
import { Console, Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { PlayroomSearch } from "../../src/domain/search/PlayroomSearch.ts"
import type { SearchQuery } from "../../src/domain/search/SearchQuery.ts"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, serverClient } from "./support/Databases.ts"
import { type Cell, number, ratios, table, takeTurns, timed } from "./support/Figures.ts"
import { closeAll, dayAfter, multiply, seedDays, seedPlayrooms, servicesOn } from "./support/Seeds.ts"

const near = { latitude: 50.2, longitude: -3, radius_km: 50 }

/** What people ask for, by the row's name. */
const cases = (): ReadonlyArray<readonly [name: string, query: SearchQuery]> => {
  const date = dayAfter(9)
  return [
    ["everything", {}],
    ["city", { city: "London" }],
    ["date", { date }],
    [
      "date, filtered",
      { date, city: "Leeds", mode: "exclusive", children: 8, amenities: ["ball pool"], child_ages: [4, 5] }
    ],
    ["date, filtered by price", { date, mode: "shared", max_total: { amount: 2500, currency: "GBP" }, children: 4 }],
    ["date, afternoon, by price", { date, start_after: "13:00", sort: "price" }],
    ["text, common word", { query: "pirate" }],
    ["text, two words", { query: "pirate slide" }],
    ["text, rare word", { query: "rainbow 77" }],
    ["text, misspelt", { query: "dinosuar" }],
    ["text, found nowhere", { query: "helicopter" }],
    ["text and date", { query: "jungle", date }],
    ["distance", { near }],
    ["distance and date", { near, date, children: 5 }],
    ["text, wide circle", { query: "pirate slide", near: { ...near, radius_km: 500 } }],
    ["price", { sort: "price" }],
    ["price, a party of eight", { sort: "price", children: 8 }],
    ["date, a party of four, by price", { date, sort: "price", children: 4 }],
    ["month, a party of four, by price", { date, date_to: dayAfter(39), sort: "price", children: 4 }],
    ["price, up to an amount", { max_total: { amount: 600, currency: "GBP" }, sort: "price", children: 1 }]
  ]
}

/** What no playroom can answer, or what none has left. */
const fruitless = (): ReadonlyArray<readonly [name: string, query: SearchQuery]> => {
  const date = dayAfter(9)
  return [
    ["nothing: evening", { date, start_after: "18:00" }],
    ["nothing: large party, small price", { date, children: 20, max_total: { amount: 3000, currency: "GBP" } }],
    ["nothing: ten children for little", { date, children: 10, max_total: { amount: 4000, currency: "GBP" } }],
    ["nothing: length", { date, duration_minutes: 90 }],
    ["nothing: length of another mode", { date, mode: "shared", duration_minutes: 120 }],
    ["nothing: short time", { date, start_after: "10:00", end_before: "10:45" }],
    ["nothing: far ahead", { date: dayAfter(700) }],
    ["nothing: sold out", { date: soldOut }],
    ["nothing: sold out, by price", { date: soldOut, sort: "price" }],
    ["nothing: words, evening", { date, query: "jungle", start_after: "18:00" }],
    ["nothing: words, sold out", { date: soldOut, query: "jungle" }],
    ["nothing: near, evening", { date, near, start_after: "18:00" }],
    ["nothing: ages", { child_ages: [17] }],
    ["nothing: price", { max_total: { amount: 100, currency: "GBP" } }]
  ]
}
const soldOut = dayAfter(40)

const search = (query: SearchQuery) => PlayroomSearch.use((service) => service.search(query))

/** Each statement of an effect, explained as it was run, where it was run. */
const explained = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const statements: Array<readonly [sql: string, params: ReadonlyArray<unknown>]> = []
  yield* Effect.provideService(effect, Statement.CurrentTransformer, (statement) =>
    Effect.sync(() => {
      statements.push(statement.compile())
      return statement
    })
  )
  const plans: Array<string> = []
  for (const [text, params] of statements) {
    const lines = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain (analyze, buffers) ${text}`, params)
    plans.push(lines.map((line) => line["QUERY PLAN"]).join("\n"))
  }
  return plans.join("\n\n")
})

const calls = 5

/** The mean of a few calls: one alone is shorter than the pauses of a busy machine. */
const meanMs = (query: SearchQuery) =>
  Effect.gen(function* () {
    const [ms] = yield* timed(Effect.repeat(search(query), { times: calls - 1 }))
    return ms / calls
  })

const imported = 10_000

const world = Effect.fnUntraced(function* (playrooms: number, days: number) {
  const context = yield* servicesOn(serverClient(yield* scratchDatabase()))
  const [importMs] = yield* timed(
    Effect.provide(
      Effect.andThen(
        seedPlayrooms(Math.min(playrooms, imported)),
        playrooms > imported ? multiply(playrooms / imported) : Effect.void
      ),
      context
    )
  )
  const [bookMs] = yield* timed(Effect.provide(Effect.andThen(seedDays(days), closeAll(soldOut)), context))
  yield* Console.log(
    `${number(playrooms)} playrooms imported in ${number(importMs / 1000)} s, their bookings made in ${number(bookMs / 1000)} s`
  )
  return context
})

export const bench: Bench = {
  about:
    "one page of a search over 100, 10,000 and 100,000 playrooms with bookings, on a server; and of searches that find nothing",
  run: Effect.fnUntraced(function* ({ rounds, explain }) {
    const worlds = [yield* world(100, 30), yield* world(10_000, 30), yield* world(100_000, 10)] as const
    const [few, many, most] = worlds
    const rows: Array<ReadonlyArray<Cell>> = []
    const plain = ["plain few", "plain many", "plain most"] as const
    for (const [name, query] of [...cases(), ...fruitless()]) {
      const found: Array<number> = []
      for (const context of worlds) found.push((yield* Effect.provide(search(query), context)).playrooms.length)
      const taken = yield* takeTurns(Math.max(rounds, 7), [
        ["few", () => Effect.provide(meanMs(query), few)],
        ["many", () => Effect.provide(meanMs(query), many)],
        ["most", () => Effect.provide(meanMs(query), most)],
        ...worlds.map((context, i) => [plain[i] ?? "", () => Effect.provide(meanMs({}), context)] as const)
      ])
      rows.push([
        name,
        found.join("/"),
        taken("few"),
        taken("many"),
        taken("most"),
        ratios(taken("most"), taken("few")),
        ratios(taken("many"), taken("plain many")),
        ratios(taken("most"), taken("plain most"))
      ])
      if (explain) {
        const plans = yield* Effect.provide(explained(search(query)), many)
        yield* Console.log(`\n### ${name}, 10,000 playrooms\n\n${plans}`)
      }
    }
    yield* table(
      "search: ms for one page of 10, in process, on a server; ratios of the largest to the smallest, and to a plain page ({}) of the same",
      ["query", "found", "100", "10,000", "100,000", "100,000 : 100", "10,000 : plain", "100,000 : plain"],
      rows
    )
  })
}
