/**
 * `locked`: one playroom's rows are locked by somebody for 40 seconds, and everybody wants that playroom: what others
 * notice.
 */
import { Clock, Console, Deferred, Effect, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { callTool, resultOf, send } from "../support/McpRequests.ts"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, serverClient } from "./support/Databases.ts"
import { quantile, table } from "./support/Figures.ts"
import { type PartyOption, partyOptions, playrooms } from "./support/Parties.ts"
import { startService } from "./support/Processes.ts"
import { startRush } from "./support/Rush.ts"
import { dayAfter, seedPlayrooms, servicesOn } from "./support/Seeds.ts"

/** Who wants the locked playroom: as many as one host's callers; some want to pay what they hold there. */
const buyers = 40
const payers = 12
const lockedMs = 40_000
const quietMs = 20_000
const pause = "50 millis"
/** Before one who was refused asks again. */
const patienceMs = 1000

const Booked = Schema.Struct({ booking: Schema.Struct({ booking_id: Schema.String }) })

const kinds = ["search", "options", "booking elsewhere", "/readyz"] as const
type Kind = (typeof kinds)[number]

interface Calls {
  readonly times: Array<number>
  failures: number
}

/** What others ask, each kind again and again, for so long. */
const watch = Effect.fnUntraced(function* (calls: Readonly<Record<Kind, Effect.Effect<boolean>>>, ms: number) {
  const until = (yield* Clock.currentTimeMillis) + ms
  return yield* Effect.forEach(
    kinds,
    (kind) =>
      Effect.gen(function* () {
        const found: Calls = { times: [], failures: 0 }
        while ((yield* Clock.currentTimeMillis) < until) {
          const began = performance.now()
          if (yield* calls[kind]) found.times.push(performance.now() - began)
          else found.failures += 1
          yield* Effect.sleep(pause)
        }
        return found
      }),
    { concurrency: "unbounded" }
  )
})

/** Locks the playroom's rows until it is interrupted. */
const lock = Effect.fnUntraced(function* (database: string, playroom_id: string, locked: Deferred.Deferred<void>) {
  const sql = yield* serverClient(database, 1)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select from resource where playroom_id = ${playroom_id} order by resource_id for update`
      yield* sql`select from booking where playroom_id = ${playroom_id} order by booking_id for update`
      yield* Deferred.succeed(locked, undefined)
      yield* Effect.never
    })
  )
}, Effect.scoped)

const measure = Effect.fnUntraced(function* (database: string, optionOf: (n: number) => PartyOption, rooms: string[]) {
  const service = yield* startService({
    DATABASE_URL: database,
    PAYMENT_PROVIDER: "sandbox",
    TRUSTED_PROXIES: "127.0.0.1",
    MAX_HOLDS_PER_KEY: "1000000"
  })
  const url = `${service.baseUrl}/mcp`
  const headersOf = (sender: string) => ({
    "x-api-key": "bench-key-0123456789abcdef0123456789",
    "x-forwarded-for": sender
  })
  const call = (sender: string, name: string, input: object) => callTool(url, name, input, headersOf(sender))
  let made = 0
  let firstFailure: string | undefined
  const bookingOf = (n: number) => ({
    option_id: optionOf(n).option_id,
    contact: { name: "Ana Lima", email: `ana${++made}@example.com` }
  })
  const book = (sender: string, n: number) => call(sender, "create_booking", bookingOf(n))
  const works = (answer: Effect.Effect<{ readonly status: number; readonly text: string }>) =>
    Effect.map(answer, ({ status, text }) => {
      const isGood = status === 200 && text.includes(`"structuredContent"`)
      if (!isGood) firstFailure ??= `${status} ${text.slice(0, 300)}`
      return isGood
    })
  const others = "192.0.2.1"
  let elsewhere = 0
  const calls = {
    search: Effect.suspend(() => works(call(others, "search_playrooms", { query: "party", limit: 10 }))),
    options: Effect.suspend(() =>
      works(
        call(others, "get_booking_options", {
          playroom_id: rooms[1 + (elsewhere % (playrooms - 1))],
          date: dayAfter(9),
          children: 8
        })
      )
    ),
    // The first of each 500 options is the locked playroom's.
    "booking elsewhere": Effect.suspend(() => {
      elsewhere += elsewhere % playrooms === playrooms - 1 ? 2 : 1
      return works(book(others, elsewhere))
    }),
    "/readyz": Effect.map(send(`${service.baseUrl}/readyz`, { method: "GET" }), ({ status }) => status === 200)
  }
  const hosts = "198.51.100.1"
  const held = yield* Effect.forEach(Array.from({ length: payers }), (_, n) => book(hosts, n * playrooms))
  const ids = held.map(
    (answer) => Schema.decodeUnknownSync(Booked)(resultOf(answer).structuredContent).booking.booking_id
  )
  yield* watch(calls, 5000)
  const before = yield* watch(calls, quietMs)
  const locked = yield* Deferred.make<void>()
  const locking = yield* Effect.forkScoped(lock(database, rooms[0] ?? "", locked))
  yield* Deferred.await(locked)
  const rush = startRush({
    url,
    headers: headersOf(hosts),
    calls: [
      ...Array.from({ length: buyers }, (_, n) => ({
        tool: "create_booking",
        arguments: bookingOf((payers + n) * playrooms)
      })),
      ...ids.map((booking_id) => ({ tool: "create_payment_session", arguments: { booking_id } }))
    ],
    pauseMs: patienceMs
  })
  const beside = yield* Effect.scoped(Effect.andThen(rush, watch(calls, lockedMs)))
  yield* Fiber.interrupt(locking)
  const after = yield* watch(calls, quietMs)
  const quiet = before.map(({ failures, times }, at) => ({
    times: [...times, ...(after[at]?.times ?? [])],
    failures: failures + (after[at]?.failures ?? 0)
  }))
  const of = (found: ReadonlyArray<Calls>, at: number, q: number) => quantile(found[at]?.times ?? [], q)
  if (firstFailure !== undefined) yield* Console.log(firstFailure)
  yield* table(
    `locked, server: one playroom of ${playrooms} for ${lockedMs / 1000} s, ${buyers + payers} callers who want it; what others ask, ms, beside and quiet (before and after)`,
    ["", "half, quiet", "beside", "ratio", "p99, quiet", "beside", "ratio", "failed, quiet", "beside"],
    kinds.map((kind, at) => [
      kind,
      ...[0.5, 0.99].flatMap((q) => [
        of(quiet, at, q),
        of(beside, at, q),
        (of(beside, at, q) / of(quiet, at, q)).toFixed(2)
      ]),
      quiet[at]?.failures ?? 0,
      beside[at]?.failures ?? 0
    ])
  )
})

export const bench: Bench = {
  about: "what others notice of one playroom whose rows are locked while everybody wants it",
  run: Effect.fnUntraced(function* () {
    const database = yield* scratchDatabase()
    const context = yield* servicesOn(serverClient(database, 2))
    const { optionOf, rooms } = yield* Effect.provide(
      Effect.gen(function* () {
        yield* seedPlayrooms(playrooms)
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{
          playroom_id: string
        }>`select playroom_id from playroom order by playroom_id collate "C"`
        return { optionOf: yield* partyOptions, rooms: rows.map(({ playroom_id }) => playroom_id) }
      }),
      context
    )
    yield* Console.log(`${playrooms} playrooms are imported`)
    yield* measure(database, optionOf, rooms)
  })
}
