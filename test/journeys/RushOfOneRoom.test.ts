import { assert, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { serverClient } from "../../src/platform/database/Database.ts"
import { Booked, callTool, Options, Playrooms, resultOf, toolErrorOf } from "../support/McpRequests.ts"
import { faults, liveRows, sure, tool, weekend, whenAdmitted, type Wish } from "../support/Rush.ts"
import { type Service, startService } from "../support/Service.ts"
import { serverUrl } from "../support/TestDatabase.ts"

const children = 8
/** How long the locks are kept. */
const lockedMs = 6_000

const optionsOf = (service: Service, playroom_id: string, week: number) =>
  Effect.map(
    tool(service, Options, "get_booking_options", { playroom_id, ...weekend(week), children, limit: 100 }),
    (answer) =>
      sure(answer)
        .options.filter(({ price }) => price.due_now > 0)
        .map(({ option_id }) => option_id)
  )

/** The two playrooms with the most starts: that of the rush, and another. */
const findRooms = Effect.fnUntraced(function* (service: Service) {
  const { playrooms } = sure(yield* tool(service, Playrooms, "search_playrooms", { limit: 50 }))
  const found = yield* Effect.forEach(playrooms, ({ playroom_id }) =>
    Effect.map(optionsOf(service, playroom_id, 0), ({ length }) => ({ playroom_id, length }))
  )
  const [rushed, other] = found.sort((a, b) => b.length - a.length)
  return { rushed: rushed ?? assert.fail(), other: other ?? assert.fail() }
})

const wishOf = (option_id: string, name: string): Wish => ({
  option_id,
  contact: { name: "Ana Lima", email: `${name}@example.com` },
  idempotency_key: name
})

/** A call, with how long it took. */
const timed = (service: Service, name: string, args: object) =>
  Effect.map(
    Effect.timed(whenAdmitted(callTool(`${service.baseUrl}/mcp`, name, args, { "x-api-key": service.apiKey }))),
    ([took, answer]) => {
      const refused = resultOf(answer).isError === true ? toolErrorOf(answer) : undefined
      return { name, took: Duration.toMillis(took), refused }
    }
  )

const median = (calls: ReadonlyArray<{ readonly took: number }>): number =>
  calls.map(({ took }) => took).sort((a, b) => a - b)[calls.length >> 1] ?? 0

const title =
  "a lock that somebody keeps on one playroom is that playroom's: its callers are told in time to try again, and nobody else waits"

it.live.skipIf(serverUrl === undefined)(
  title,
  () =>
    Effect.gen(function* () {
      // Near its limit a key counts its holds under a lock, which its callers of other playrooms wait for.
      const service = yield* startService({ MAX_HOLDS_PER_KEY: "500" })
      const sql = yield* serverClient(Redacted.make(service.env["DATABASE_URL"] ?? assert.fail()), 4)
      const { other, rushed } = yield* findRooms(service)
      const starts = yield* optionsOf(service, rushed.playroom_id, 0)
      // Half of the starts are booked, and will be paid; what is free then is what everybody wants. Starts overlap.
      const held = yield* Effect.forEach(
        starts.slice(0, 12),
        (option_id, i) => tool(service, Booked, "create_booking", wishOf(option_id, `early-${i}`)),
        { concurrency: 4 }
      )
      const bookings = held.flatMap((answer) => ("value" in answer ? [answer.value.booking] : []))
      const wanted = yield* optionsOf(service, rushed.playroom_id, 0)
      const elsewhere = yield* optionsOf(service, other.playroom_id, 1)

      const asked = { playroom_id: other.playroom_id, ...weekend(2), children }
      const look = Effect.all([
        timed(service, "search_playrooms", { query: "party", limit: 10 }),
        timed(service, "get_booking_options", asked)
      ])
      const before = (yield* Effect.forEach(Array.from({ length: 10 }), () => look)).flat()

      const free = yield* Deferred.make<void>()
      const locked = yield* Deferred.make<void>()
      const locking = yield* Effect.forkScoped(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select from resource where playroom_id = ${rushed.playroom_id} order by resource_id for update`
            yield* sql`select from booking where playroom_id = ${rushed.playroom_id} order by booking_id for update`
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(free)
          })
        )
      )
      yield* Deferred.await(locked)

      const book = (i: number) =>
        timed(service, "create_booking", wishOf(wanted[i % wanted.length] ?? assert.fail(), `late-${i}`))
      const pay = ({ booking_id }: { readonly booking_id: string }) =>
        timed(service, "create_payment_session", { booking_id })
      const rush = yield* Effect.forkScoped(
        Effect.all([...Array.from({ length: 40 }, (_, i) => book(i)), ...bookings.map(pay)], {
          concurrency: "unbounded"
        })
      )
      yield* Effect.sleep("200 millis")
      const ready = Effect.promise(() => fetch(`${service.baseUrl}/readyz`).then(({ status }) => status))
      const beside: Array<{ readonly name: string; readonly took: number; readonly refused: unknown }> = []
      const until = Date.now() + lockedMs
      for (let i = 0; Date.now() < until; i++) {
        beside.push(...(yield* look))
        const option_id = elsewhere[i]
        if (option_id !== undefined) {
          beside.push(yield* timed(service, "create_booking", wishOf(option_id, `elsewhere-${i}`)))
        }
        const [took, status] = yield* Effect.timed(ready)
        assert.strictEqual(status, 200)
        beside.push({ name: "readyz", took: Duration.toMillis(took), refused: undefined })
        yield* Effect.sleep("50 millis")
      }
      const told = yield* Fiber.join(rush)
      for (const { name, refused } of told) {
        assert.propertyVal(refused, "code", "service_unavailable", name)
        assert.deepNestedPropertyVal(refused, "details.retry_after_seconds", 5)
      }
      for (const { name, refused } of beside) {
        if (name !== "create_booking") assert.isUndefined(refused, name)
        else if (refused !== undefined) assert.propertyVal(refused, "code", "slot_unavailable")
      }
      // However busy the machine is: far less than a wait for a lock.
      assert.isBelow(median(beside), 3 * median(before) + 500)
      const made = beside.filter(({ name, refused }) => name === "create_booking" && refused === undefined)
      assert.isAbove(made.length, 0)

      yield* Deferred.succeed(free, undefined)
      yield* Fiber.join(locking)
      // The same calls again: each start has its buyers, and each hold its page to pay on.
      const again = yield* Effect.forEach(wanted, (_, i) => book(i), { concurrency: 8 })
      assert.isTrue(again.some(({ refused }) => refused === undefined))
      for (const { refused } of again)
        if (refused !== undefined) assert.propertyVal(refused, "code", "slot_unavailable")
      const judged = Effect.all({ wrong: faults, rows: liveRows })
      const { rows, wrong } = yield* Effect.provideService(judged, SqlClient.SqlClient, sql)
      assert.deepStrictEqual(wrong, [])
      const ok = again.filter(({ refused }) => refused === undefined)
      assert.strictEqual(rows.length, bookings.length + made.length + ok.length)
      for (const { refused } of yield* Effect.forEach(bookings, pay, { concurrency: 8 })) assert.isUndefined(refused)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  120_000
)
