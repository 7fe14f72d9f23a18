import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { BackendSessions } from "../../../src/platform/database/BackendSessions.ts"
import { embeddedClient } from "../../../src/platform/database/EmbeddedPostgres.ts"
import { LoopSlice } from "../../../src/platform/concurrency/LoopSlice.ts"
import { ownBackend } from "../../support/EmbeddedDatabases.ts"

/** Embedded also where the suite runs on a server. */
const embedded = PgClient.layerFrom(
  // A turn without any time.
  Effect.flatMap(ownBackend, (backend) => embeddedClient(backend, new LoopSlice(undefined, 0)))
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

/** A message of the protocol: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const message = (type: string, text: string): Buffer => {
  const bytes = Buffer.from(`${type}----${text}\0`)
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}
const syncNow = Buffer.from([0x53, 0, 0, 0, 4])

/**
 * A service's client, and who comes by the socket. One backend serves all cases: what one of them left, the next would
 * find.
 */
class Shared extends Context.Service<Shared, Effect.Success<typeof shared>>()("test/SharedBackend") {
  static readonly layer = Layer.effect(
    Shared,
    Effect.suspend(() => shared)
  )
}

const shared = Effect.gen(function* () {
  const sessions = new BackendSessions(yield* ownBackend)
  const service = yield* Effect.provide(
    PgClient.make({
      username: "postgres",
      database: "postgres",
      stream: () => sessions.open(),
      minConnections: 1,
      maxConnections: 1,
      multiplex: true
    }),
    Reactivity.layer
  )
  const guest = Effect.promise(async () => {
    const session = sessions.openForGuest()
    session.on("error", () => {})
    /** Writes, and waits for an answer that ends with `ReadyForQuery`. */
    const ask = async (bytes: Buffer): Promise<string> => {
      let answer = Buffer.alloc(0)
      session.write(bytes)
      while (answer.at(-6) !== 0x5a) answer = Buffer.concat([answer, (await once(session, "data"))[0]])
      return answer.toString("utf8")
    }
    const start = Buffer.from("----\0\x03\0\0user\0postgres\0database\0postgres\0\0", "latin1")
    start.writeInt32BE(start.length)
    await ask(start)
    return {
      ask: (bytes: Buffer) => Effect.promise(() => ask(bytes)),
      say: (sql: string) => Effect.promise(() => ask(message("Q", sql))),
      vanish: Effect.sync(() => session.destroy())
    }
  })
  return { service, guest }
})

/** What PostgreSQL keeps for a session, each as text; empty lists in a new one. */
const sessionState = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<Record<string, unknown>>`select
      current_user || ' ' || session_user as users,
      current_setting('search_path') as path,
      coalesce(current_setting('mine.own', true), '') as own,
      (select coalesce(string_agg(name, ','), '') from pg_settings where source = 'session') as settings,
      (select coalesce(string_agg(name, ','), '') from pg_prepared_statements where name not like 'effect%') as prepared,
      (select coalesce(string_agg(name, ','), '') from pg_cursors where name <> '') as cursors,
      (select coalesce(string_agg(relname, ','), '') from pg_class where relpersistence = 't') as temporary,
      (select coalesce(string_agg(name, ','), '') from pg_listening_channels() name) as channels,
      (select count(*)::int from pg_locks where locktype = 'advisory') as locks`,
    ([row]) => row
  )

/** What a session can leave, by what its statement is. */
const left: Readonly<Record<string, string>> = {
  "a search path": "set search_path = ''",
  "a search path, as pg_dump sets it": "select pg_catalog.set_config('search_path', '', false)",
  "a limit of statements": "set statement_timeout = '1ms'",
  "read-only transactions": "set session characteristics as transaction read only",
  "another isolation": "set default_transaction_isolation = 'serializable'",
  "another zone": "set time zone 'Asia/Tokyo'",
  "a setting of its own": "set mine.own = 'yes'",
  "another encoding": "set client_encoding = 'LATIN1'",
  "another role": "create role passenger; set role passenger",
  "another user": "create role traveller; set session authorization traveller",
  "a prepared statement": "prepare asked as select 1",
  "no prepared statements": "deallocate all",
  "nothing at all": "discard all",
  "a temporary table that hides another": "create temp table playroom (n int)",
  "a cursor": "declare later cursor with hold for select 1",
  "a channel": "listen news",
  "an advisory lock": "select pg_advisory_lock(1)",
  "a sequence": "create sequence counted; select nextval('counted')"
}

layer(Shared.layer, { excludeTestServices: true })("guests of the embedded backend", (it) => {
  for (const [what, statement] of Object.entries(left))
    it.effect(`a guest leaves nothing behind for the service: ${what}`, () =>
      Effect.gen(function* () {
        const { guest, service } = yield* Shared
        const asked = (n: number) => service`select name, ${n}::int as n from playroom`
        const state = sessionState(service)
        const before = yield* state
        yield* asked(1)
        for (const ends of ["stays", "goes", "goes in a transaction", "goes after an error"] as const) {
          const one = yield* guest
          // What is made beside it is there already, in later rounds.
          yield* one.say(ends === "stays" ? statement : statement.replace(/^create (?!temp).*?; /, ""))
          if (ends === "goes in a transaction") yield* one.say("begin; lock table playroom")
          if (ends === "goes after an error") yield* one.say("begin; select 1 / 0")
          if (ends !== "stays") yield* one.vanish
          assert.deepStrictEqual(yield* state, before, ends)
          // In a transaction, a prepared statement that is not there any more would end it.
          assert.deepStrictEqual(yield* service.withTransaction(asked(2)), [], ends)
          if (ends === "stays") yield* one.vanish
        }
        assert.match(yield* (yield* guest).say("select lastval()"), /not yet defined/)
      })
    )

  it.effect("a guest finds its settings again in each of its turns", () =>
    Effect.gen(function* () {
      const { guest, service } = yield* Shared
      const [one, other] = [yield* guest, yield* guest]
      yield* one.say("set search_path = ''; set statement_timeout = '77s'; set time zone 'Asia/Tokyo'")
      yield* other.say('set search_path = pg_catalog, "it\'s"')
      const settings = "select current_setting('search_path') || '|' || current_setting('statement_timeout')"
      for (let turn = 0; turn < 3; turn++) {
        assert.deepStrictEqual(yield* service`show search_path`, [{ search_path: "public" }])
        assert.include(yield* one.say(settings), '""|77s')
        assert.include(yield* other.say(settings), `pg_catalog, "it's"|0`)
      }
    })
  )

  it.effect("a guest waits for what the service asks, but not without end", () =>
    Effect.gen(function* () {
      const { guest, service } = yield* Shared
      const one = yield* guest
      yield* one.say("select 1")
      const order: Array<string> = []
      const begun = yield* Deferred.make<void>()
      const asked = <A, E>(who: string, ask: Effect.Effect<A, E>) =>
        Effect.tap(ask, () => {
          order.push(who)
          return Deferred.succeed(begun, undefined)
        })
      yield* Effect.all(
        [
          ...Array.from({ length: 300 }, (_, n) => asked("service", service`select ${n}::int as n`)),
          asked("guest", Effect.andThen(Deferred.await(begun), one.say("select 1")))
        ],
        { concurrency: "unbounded" }
      )
      assert.isAtLeast(order.indexOf("guest"), 15)
      assert.isBelow(order.indexOf("guest"), 200)
    })
  )

  it.effect("a guest's COPY of its own data is refused, however it is sent, and the backend goes on", () =>
    Effect.gen(function* () {
      const { guest, service } = yield* Shared
      yield* service`create table copied (n int)`
      const one = yield* guest
      const refused = /the embedded database takes no COPY from a client; use INSERT/
      const copy = "copy copied from stdin"
      assert.match(yield* one.say(copy), refused)
      // What a client sends meanwhile, before it has read that, and its next query with it.
      const rest = Buffer.concat([message("d", "1\n"), message("d", "2\n"), Buffer.from([0x63, 0, 0, 0, 4])])
      assert.include(yield* one.ask(Buffer.concat([rest, message("Q", "select 'next'")])), "next")
      assert.match(yield* one.say(`select 1; ${copy}; select 2`), refused)
      const extended = Buffer.concat([
        message("P", `\0${copy}\0\0`),
        message("B", "\0\0\0\0\0\0\0"),
        message("E", "\0\0\0\0"),
        syncNow
      ])
      assert.match(yield* one.ask(extended), refused)
      yield* one.say("begin")
      assert.match(yield* one.say(copy), refused)
      yield* one.vanish
      assert.deepStrictEqual(yield* service`select n from copied`, [])
      assert.include(yield* (yield* guest).say("insert into copied values (1); copy copied to stdout"), "1\n")
    })
  )
})
