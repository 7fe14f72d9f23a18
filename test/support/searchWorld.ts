/** Searching, as the tests of search ask. */
import { Effect, Layer } from "effect"
import { PlayroomSearch } from "../../src/domain/search/PlayroomSearch.ts"
import type { SearchQuery } from "../../src/domain/search/SearchQuery.ts"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import { bookingServices, setClock } from "./BookingWorld.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { idOf, operatorJson, packageJson, type PlayroomJson, playroomJson } from "./catalogues.ts"

/** The search on a database of its own. */
export const searchWorld = PlayroomSearch.layer.pipe(
  Layer.provideMerge(bookingServices()),
  Layer.provideMerge(TestDatabase.layer)
)

/** A page of playrooms. */
export const search = (query: SearchQuery) => PlayroomSearch.use((service) => service.search(query))
/** The names on a page of up to 50. */
export const namesOf = (query: SearchQuery) =>
  Effect.map(search({ limit: 50, ...query }), ({ playrooms }) => playrooms.map(({ name }) => name))
/** The paths of what is wrong with a query. */
export const issuesOf = (query: SearchQuery) =>
  Effect.flip(search(query)).pipe(
    Effect.map((error) => (error._tag === "InvalidArguments" ? error.issues.map(({ path }) => path) : [error._tag]))
  )
/** All pages of a search, one by one. */
export const pagesOf = Effect.fnUntraced(function* <R = never>(
  query: SearchQuery,
  between: Effect.Effect<unknown, unknown, R> | undefined = undefined
) {
  const pages: Array<ReadonlyArray<string>> = []
  let cursor: string | undefined
  do {
    const page = yield* search({ ...query, ...(cursor === undefined ? {} : { cursor }) })
    pages.push(page.playrooms.map(({ name }) => name))
    cursor = page.next_cursor
    if (between !== undefined) yield* Effect.orDie(between)
  } while (cursor !== undefined)
  return pages
})

export const party = (n: number, changes = {}) =>
  packageJson(n, {
    mode: "exclusive",
    duration_minutes: 120,
    min_children: 4,
    max_children: 15,
    schedule: { weekdays: ["saturday"], times: ["10:00", "13:00"] },
    pricing: { base: 20_000, included_children: 10, extra_child: 1000, adult: 0, rules: [] },
    ...changes
  })

/** Playrooms of all sorts, some of which are not for sale. */
export const rooms: ReadonlyArray<PlayroomJson> = [
  playroomJson(1, {
    name: "Bluebell Barn",
    city: "Leeds",
    latitude: 53.8,
    longitude: -1.55,
    amenities: ["soft play", "Café"],
    age_max: 6
  }),
  playroomJson(2, {
    name: "Trampoline Town",
    city: "London",
    latitude: 51.5,
    longitude: -0.12,
    amenities: ["trampoline"],
    age_min: 5,
    packages: [party(2)]
  }),
  playroomJson(3, {
    name: "Zoë's Spielhaus",
    city: "München",
    country: "DE",
    latitude: 48.14,
    longitude: 11.58,
    time_zone: "Europe/Berlin",
    currency: "EUR",
    amenities: ["ball pool", "café"]
  }),
  playroomJson(4, {
    name: "Harbour Hall",
    city: "London",
    latitude: 51.51,
    longitude: -0.02,
    description: "A hall with a trampoline and a pirate ship.",
    packages: [
      packageJson(4, { pricing: { base: 0, included_children: 0, extra_child: 400, adult: 0, rules: [] } }),
      party(104)
    ]
  }),
  playroomJson(5, { name: "Suspended Den", operator_id: idOf("operator", 2) }),
  playroomJson(6, { name: "Unlisted Den", listed: false }),
  playroomJson(7, { name: "Lapsed Den", operator_id: idOf("operator", 3) }),
  playroomJson(8, { name: "Unpaid Den", operator_id: idOf("operator", 4) }),
  playroomJson(9, {
    name: "Fiji Den",
    city: "Suva",
    country: "FJ",
    latitude: -18.1,
    longitude: 179.95,
    time_zone: "Pacific/Fiji",
    currency: "FJD"
  })
]
export const operators = [
  operatorJson(1),
  operatorJson(2, { suspended_at: "2026-01-01T00:00:00Z" }),
  operatorJson(3, { billing_customer_id: "cus_3", paid_through: "2026-11-13T00:00:00Z" }),
  { operator_id: idOf("operator", 4), name: "No account", application_fee_percent: 0 }
]

/** The search in the demo's catalogue, as it is on the morning of 2026-11-20. */
export const demoWorld = Layer.effectDiscard(
  Effect.andThen(
    setClock("2026-11-20T09:00:00Z"),
    CatalogueFile.use((file) => file.loadDemo)
  )
).pipe(Layer.provideMerge(searchWorld))

/** The one playroom of a name that a search finds. */
export const oneOf = (query: SearchQuery, name: string) =>
  Effect.map(search({ limit: 50, ...query }), ({ playrooms }) => {
    const found = playrooms.find((playroom) => playroom.name === name)
    if (found === undefined) throw new Error(`${name} is not found`)
    return found
  })

// Searches that find nothing and ask for much, so that explaining them costs most.

export const heavySearches = (date: string) =>
  ({
    fiveFilters: { date, city: "London", children: 11, duration_minutes: 90, amenities: ["cafe"] },
    unknownValues: {
      city: "Nowhere",
      country: "ZZ",
      amenities: ["none"],
      duration_minutes: 1435,
      max_total: { amount: 1, currency: "CHF" }
    },
    everyFilter: {
      date,
      query: "no such words",
      city: "Nowhere",
      country: "ZZ",
      children: 99,
      adults: 50,
      child_ages: [16, 17],
      duration_minutes: 1435,
      amenities: ["no one", "no two", "no three", "no four"],
      mode: "shared",
      max_total: { amount: 1, currency: "CHF" },
      start_after: "03:00",
      end_before: "04:00",
      near: { latitude: 51, longitude: -2 }
    }
  }) satisfies Record<string, SearchQuery>
