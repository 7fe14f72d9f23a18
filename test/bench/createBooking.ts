/**
 * `create-booking`: distinct starts a second beside pgbench doing the same writes, and a thousand buyers of one start.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import type { Bench } from "./Bench.ts"
import { rush, rushHead } from "./rush.ts"
import { bookingWrites } from "./support/bookingWrites.ts"
import { scratchDatabase, scratchEmbedded, serverClient } from "./support/Databases.ts"
import { ratios, table, takeTurns, timed } from "./support/Figures.ts"
import { buyer, partyOptions, type PartyOption, playrooms } from "./support/Parties.ts"
import { pgbench, pgbenchScript } from "./support/Pgbench.ts"
import { backendsOf, processorSeconds } from "./support/Usage.ts"
import { dayAfter, seedPlayrooms, servicesOn } from "./support/Seeds.ts"

const connections = 16
const fibers = 64
const perRound = connections * 125

interface Booked {
  readonly perSecond: number
  /** Processor time of this process for each, in milliseconds: it does not depend on what else runs. */
  readonly cpuMs: number
  /** The same of the server's processes for the database. */
  readonly databaseMs: number
}

/** Processor time of a server's processes for a database, in seconds. */
const databaseSeconds = (url: string | undefined): number =>
  url === undefined
    ? Number.NaN
    : backendsOf(new URL(url).pathname.slice(1)).reduce((sum, pid) => sum + processorSeconds(pid), 0)

/** Books `count` starts from the n-th on, many at a time. */
const book = Effect.fnUntraced(function* (
  option: (n: number) => PartyOption,
  from: number,
  count: number,
  database?: string
) {
  const bookings = yield* Bookings
  const calls = Array.from({ length: count }, (_, i) => {
    const { contact, principal } = buyer(from + i)
    const request = { option_id: option(from + i).option_id, contact, idempotency_key: `bench-${from + i}` }
    return bookings.create(principal, request)
  })
  const before = process.cpuUsage()
  const databaseBefore = databaseSeconds(database)
  const [ms] = yield* timed(Effect.all(calls, { concurrency: fibers, discard: true }))
  const { system, user } = process.cpuUsage(before)
  const booked: Booked = {
    perSecond: count / (ms / 1000),
    cpuMs: (system + user) / 1000 / count,
    databaseMs: ((databaseSeconds(database) - databaseBefore) * 1000) / count
  }
  return booked
})

const analyzed = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`analyze`)

const TermsRow = Schema.Tuple([Schema.Struct({ terms: Schema.String, option_id: Schema.String })])

const server: Bench["run"] = Effect.fnUntraced(function* ({ rounds }) {
  const template = yield* scratchDatabase()
  yield* Effect.scoped(
    Effect.flatMap(servicesOn(serverClient(template)), (context) => Effect.provide(seedPlayrooms(playrooms), context))
  )
  // Each on a database of its own: both grow at the same pace.
  const [ours, theirs] = [yield* scratchDatabase(template), yield* scratchDatabase(template)]
  const context = yield* servicesOn(serverClient(ours, connections))
  const option = yield* Effect.provide(partyOptions, context)
  yield* Effect.provide(book(option, 0, perRound), context)
  const rows = yield* Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select terms::text as terms, option_id from booking limit 1`),
    context
  )
  const [{ terms, option_id }] = yield* Effect.orDie(Schema.decodeUnknownEffect(TermsRow)(rows))
  const script = yield* pgbenchScript(bookingWrites)
  const each = perRound / connections
  const midnight = Date.parse(`${dayAfter(2)}T00:00:00Z`) / 1000
  const yardstick = (round: number) =>
    pgbench({
      url: theirs,
      script,
      clients: connections,
      transactions: each,
      variables: { i: 0, each, from: (round + 1) * perRound, midnight, option: option_id, terms }
    })
  yield* yardstick(-1)
  // As autovacuum does within a minute of a database's first rows: plans made for empty tables are made anew.
  yield* Effect.provide(analyzed, context)
  yield* Effect.scoped(Effect.flatMap(servicesOn(serverClient(theirs, 1)), (other) => Effect.provide(analyzed, other)))
  const booked: Array<Booked> = []
  const written: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    booked.push(yield* Effect.provide(book(option, (round + 1) * perRound, perRound, ours), context))
    written.push((yield* yardstick(round)) ?? Number.NaN)
  }
  const speeds = booked.map(({ perSecond }) => perSecond)
  yield* table(
    `create-booking: distinct starts a second on a server, ${perRound} a round, ${connections} connections, ${fibers} fibers`,
    ["", "bookings/s", "ratio to pgbench", "processor ms each", "of the database"],
    [
      [
        "Bookings.create",
        speeds,
        ratios(speeds, written),
        booked.map(({ cpuMs }) => cpuMs),
        booked.map(({ databaseMs }) => databaseMs)
      ],
      ["pgbench, the writes alone", written, 1, "", ""]
    ]
  )
  const row = yield* Effect.provide(rush("server", option, rounds), context)
  yield* table("create-booking: everybody wants one start, ms", rushHead, [row])
})

const embedded: Bench["run"] = Effect.fnUntraced(function* ({ rounds }) {
  const context = yield* servicesOn(scratchEmbedded)
  yield* Effect.provide(seedPlayrooms(playrooms), context)
  const option = yield* Effect.provide(partyOptions, context)
  yield* Effect.provide(book(option, 0, 200), context)
  const taken = yield* takeTurns(rounds, [
    ["embedded", (round) => Effect.provide(book(option, 200 + round * 500, 500), context)]
  ])
  yield* table(
    "create-booking: distinct starts a second on the embedded database, 500 a round",
    ["", "bookings/s", "processor ms each, with the database's"],
    [
      [
        "Bookings.create",
        taken("embedded").map(({ perSecond }) => perSecond),
        taken("embedded").map(({ cpuMs }) => cpuMs)
      ]
    ]
  )
  const row = yield* Effect.provide(rush("embedded", option, rounds), context)
  yield* table("create-booking: everybody wants one start, ms", rushHead, [row])
})

export const bench: Bench = {
  about: "bookings of distinct starts beside pgbench doing the same writes; a thousand buyers of one start",
  run: (options) => Effect.andThen(Effect.scoped(server(options)), Effect.scoped(embedded(options)))
}
