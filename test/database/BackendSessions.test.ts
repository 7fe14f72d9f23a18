import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { embeddedClient } from "../../src/database/EmbeddedPostgres.ts"
import { LoopTurn } from "../../src/kernel/LoopTurn.ts"
import { ownBackend } from "../support/EmbeddedDatabases.ts"

/** Embedded also where the suite runs on a server. */
const embedded = PgClient.layerFrom(
  // A turn without any time.
  Effect.flatMap(ownBackend, (backend) => embeddedClient(backend, new LoopTurn(undefined, 0)))
)

const heapMb = Effect.sync(() => {
  setFlagsFromString("--expose_gc")
  runInNewContext("gc")()
  return process.memoryUsage().heapUsed / 1024 / 1024
})

layer(embedded)("the embedded backend", (it) => {
  it.effect("keeps nothing of its answers", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ask = sql`select repeat('x', 1000) || n as text from generate_series(1, 100) n`
      yield* Effect.repeat(ask, { times: 20 })
      const before = yield* heapMb
      // 40 MB of answers.
      yield* Effect.repeat(ask, { times: 400 })
      assert.isBelow((yield* heapMb) - before, 10)
    })
  )

  it.effect("answers large results whole, and errors between them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const large = Effect.map(
        sql<{ text: string }>`select repeat(chr(97 + n % 26), 50000) as text from generate_series(1, 100) n`,
        (rows) => rows.map(({ text }) => text)
      )
      const expected = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(97 + ((i + 1) % 26)).repeat(50_000))
      assert.deepStrictEqual(yield* large, expected)
      const fault = yield* Effect.flip(sql`select 1 / (n - 50) from generate_series(1, 100) n`)
      assert.strictEqual(fault._tag, "SqlError")
      assert.deepStrictEqual(yield* large, expected)
    })
  )

  it.effect("lets the event loop go on between the statements that are sent together", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`select 1`
      let turns = 0
      let on = true
      const beat = (): void => {
        turns++
        if (on) setImmediate(beat)
      }
      beat()
      const statements = Array.from({ length: 100 }, (_, n) => sql`select ${n}::int as n`)
      const rows = yield* Effect.all(statements, { concurrency: "unbounded" })
      on = false
      assert.deepStrictEqual(
        rows.map(([row]) => row),
        statements.map((_, n) => ({ n }))
      )
      // The first statement of a turn begins its time, the second finds it over.
      assert.isAtLeast(turns, 50)
    })
  )
})
