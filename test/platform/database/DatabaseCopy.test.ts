import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { taskTable } from "../../../src/domain/payment/provider/ProviderTasks.ts"
import { rowFaults } from "../../../src/ops/audit/RowFaults.ts"
import {
  copiedTables,
  copyDatabase,
  inOrderOfKeys,
  refuseUnfitSource
} from "../../../src/platform/database/DatabaseCopy.ts"
import { closeForMove, finishMove, moveOf, reopen } from "../../../src/platform/database/DatabaseMove.ts"
import { embeddedClient } from "../../../src/platform/database/EmbeddedPostgres.ts"
import { migrateAll, Migrations } from "../../../src/platform/database/Migrations.ts"
import { schemaFaults } from "../../../src/platform/database/SchemaCatalog.ts"
import { countTransactions } from "../../../src/platform/database/Transactions.ts"
import { describe } from "../../../src/platform/telemetry/LogLines.ts"
import { ownBackend } from "../../support/EmbeddedDatabases.ts"
import { cancelBooking, deleteBookings, paidBooking, paymentWorld } from "../../support/PaymentWorld.ts"
import { copiedDatabase, everyRow, serverUrl } from "../../support/TestDatabase.ts"

/** A database to copy into: a new one of the server, or an embedded one that was made for it. */
const target = Effect.gen(function* () {
  if (serverUrl === undefined)
    return { to: countTransactions(yield* Effect.flatMap(ownBackend, embeddedClient)), made: true }
  const url = yield* copiedDatabase(serverUrl, "template0")
  const client = yield* PgClient.make({ url, multiplex: true, multiplexConcurrency: 1, maxConnections: 4 })
  return { to: countTransactions(client), made: false }
})

const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.provide(Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue()), Reactivity.layer)
  )

/** Rows of each kind of booking, and texts of each type that are hard to read. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.andThen(migrateAll, taskTable.make)
  yield* deleteBookings
  yield* paidBooking()
  const { booking } = yield* paidBooking()
  yield* cancelBooking(booking)
  yield* sql`delete from rate_limit where key like 'hard%'`
  yield* sql`insert into rate_limit (key, tokens, granted, refilled_at) values
    ('hard 1', 'NaN', '-Infinity', 0.1::float8 + 0.2::float8), ('hard 2', 1e-300, '-0', 123456789012345678)`
  yield* sql`insert into service_secret (name, secret, created_at) values ('hard', decode('00ff5c22', 'hex'), '2026-01-02 03:04:05.678901+05:30')
    on conflict do nothing`
  yield* sql`insert into connect_state (kind, id, payload, created_at, expires_at) values
    ('hard', sha256('1'), '{"b" : 1,  "b":"\\u0000 \\" \\\\ , {NULL}"}', now(), 'infinity') on conflict do nothing`
  yield* sql`update booking set notes = ${'NULL, "quoted" {} \\ ✂\n\t\u{1F388}'} where notes is null or notes = ''`
  yield* sql`update playroom set amenities = array['', 'null', 'a,b', ${'"\\'}]`
  yield* sql`insert into sandbox.letter (letter_id, booking_id, recipient, subject, body, html, created_at)
    values ('one', 'b', 'a@example.com', 's', 't', 'h', now()) on conflict do nothing`
})

const copyInto = (
  from: SqlClient.SqlClient,
  { made, to }: { readonly to: SqlClient.SqlClient; readonly made: boolean },
  more: { readonly frozen?: boolean; readonly withSandbox?: boolean } = {}
) => copyDatabase({ from, to, made, frozen: false, withSandbox: false, library: taskTable, ...more })

const ownRows =
  /^(sandbox|public)\.(audit_mark|schema_migration|schema_part|write_probe|node_zone_rules|replica_heartbeat|database_move|provider_task_migrations) /
/** All rows but those that each database has of its own, as texts. */
const rowsOf = (sql: SqlClient.SqlClient) =>
  Effect.map(Effect.provideService(everyRow, SqlClient.SqlClient, sql), (rows) =>
    rows.filter((row) => !ownRows.test(row)).sort()
  )

const Names = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))

layer(paymentWorld())("a copy of a database", (it) => {
  it.effect("has each table of the schema, after those that its keys name, but what each database has of its own", () =>
    Effect.gen(function* () {
      yield* fill
      const sql = yield* SqlClient.SqlClient
      const all = Names(
        yield* sql`select case when table_schema = 'public' then '' else table_schema || '.' end || table_name as name
          from information_schema.tables where table_schema in ('public', 'sandbox')`
      )
      const copied = yield* copiedTables(sql)
      const names = new Set(copied.map(({ name }) => name))
      assert.deepStrictEqual(all.flatMap(({ name }) => (names.has(name) ? [] : [name])).sort(), [
        "audit_mark",
        "database_move",
        "node_zone_rules",
        "provider_task_migrations",
        "replica_heartbeat",
        "sandbox.schema_migration",
        "schema_migration",
        "schema_part",
        "write_probe"
      ])
      const order = (inOrderOfKeys(copied) ?? assert.fail("keys go round in a circle")).map(({ name }) => name)
      assert.strictEqual(new Set(order).size, copied.length)
      for (const { name, needs } of copied)
        for (const other of needs) assert.isBelow(order.indexOf(other), order.indexOf(name), `${name} needs ${other}`)
    })
  )

  it.effect("has every value as it was, counts on from there, and is sound", () =>
    Effect.gen(function* () {
      yield* fill
      const from = yield* SqlClient.SqlClient
      yield* inRealTime(
        Effect.gen(function* () {
          const { made, to } = yield* target
          const { others, tables } = yield* copyInto(from, { made, to }, { withSandbox: true })
          assert.deepStrictEqual(others, [])
          const rows = yield* rowsOf(from)
          assert.isAbove(rows.length, 50)
          assert.strictEqual(
            tables.reduce((sum, table) => sum + table.rows, 0),
            rows.length
          )
          // Settings of the two sessions are the same, so texts are.
          assert.deepStrictEqual(yield* rowsOf(to), rows)
          const next = (sql: SqlClient.SqlClient) =>
            sql`select nextval(pg_get_serial_sequence('booking_history', 'seq'))::text as next`
          assert.deepStrictEqual(yield* next(to), yield* next(from))
          assert.deepStrictEqual(yield* Effect.provideService(schemaFaults, SqlClient.SqlClient, to), [])
          const { found } = yield* Effect.provideService(rowFaults({ full: true }), SqlClient.SqlClient, to)
          assert.deepStrictEqual(found, [])
        })
      )
    })
  )

  it.effect("leaves the sandbox's books behind unless they are asked for", () =>
    Effect.gen(function* () {
      yield* fill
      const from = yield* SqlClient.SqlClient
      yield* inRealTime(
        Effect.gen(function* () {
          const copied = yield* copyInto(from, yield* target)
          assert.isFalse(copied.tables.some(({ table }) => table.startsWith("sandbox.")))
          assert.deepStrictEqual(copied.others, [])
        })
      )
    })
  )

  it.effect("is whole or not there: what one table refuses takes back all", () =>
    Effect.gen(function* () {
      yield* fill
      const from = yield* SqlClient.SqlClient
      const [refund] =
        yield* from`select conname as name from pg_constraint where conrelid = 'service_secret'::regclass limit 0`
      assert.isUndefined(refund)
      // A row that the migrations' tables do not take.
      yield* from`alter table rate_limit alter column granted drop not null`
      yield* from`insert into rate_limit (key, tokens, granted, refilled_at) values ('hard 3', 0, null, 0)`
      yield* inRealTime(
        Effect.gen(function* () {
          const { made, to } = yield* target
          const error = yield* Effect.flip(copyInto(from, { made, to }))
          assert.strictEqual(error._tag, "TargetFailed")
          const left = made
            ? yield* to`select from operator`
            : yield* to`select from pg_class where relnamespace = 'public'::regnamespace`
          assert.deepStrictEqual(left, [])
          yield* from`delete from rate_limit where granted is null`
          yield* from`alter table rate_limit alter column granted set not null`
          assert.isAbove((yield* copyInto(from, { made, to })).tables.length, 40)
        })
      )
    })
  )

  it.effect("says which of the two databases failed", () =>
    Effect.gen(function* () {
      yield* fill
      const from = yield* SqlClient.SqlClient
      yield* inRealTime(
        Effect.gen(function* () {
          const there = yield* target
          const failing = (client: SqlClient.SqlClient, what: string) =>
            new Proxy(client, {
              get: (all, name) =>
                name === "unsafe"
                  ? (text: string, values?: ReadonlyArray<unknown>) =>
                      client.unsafe(text.startsWith(what) ? "select 1 / 0" : text, values)
                  : Reflect.get(all, name)
            })
          const ofSource = yield* Effect.flip(copyInto(failing(from, "fetch"), there))
          assert.strictEqual(ofSource._tag, "SqlError")
          const ofTarget = yield* Effect.flip(copyInto(from, { ...there, to: failing(there.to, "alter table") }))
          assert.match(describe(ofTarget), /^The target of the copy: The database refused or could not be reached: /)
          assert.isAbove((yield* copyInto(from, there)).tables.length, 40)
        })
      )
    })
  )

  it.effect("is refused where there is something already, unless that is this very copy of what changes no more", () =>
    Effect.gen(function* () {
      yield* fill
      const from = yield* SqlClient.SqlClient
      yield* inRealTime(
        Effect.gen(function* () {
          const { made, to } = yield* target
          const first = yield* copyInto(from, { made, to })
          const there = { to, made: false }
          assert.include(String(yield* Effect.flip(copyInto(from, there))), "the target is not empty: it has ")
          const again = yield* copyInto(from, there, { frozen: true })
          assert.sameDeepMembers([...again.tables], [...first.tables])
          // One letter of one row.
          yield* to`update booking set notes = notes || '.' where booking_id = (select min(booking_id) from booking)`
          assert.include(String(yield* Effect.flip(copyInto(from, there, { frozen: true }))), "the target is not empty")
        })
      )
    })
  )

  it.effect("is not made of a database with other tables than this release's, or without operators", () =>
    Effect.gen(function* () {
      yield* fill
      const from = yield* SqlClient.SqlClient
      yield* refuseUnfitSource(from)
      const refused = Effect.fnUntraced(function* (change: Effect.Effect<unknown, SqlError.SqlError>, says: string) {
        const undone = from.withTransaction(
          Effect.andThen(change, Effect.flatMap(Effect.flip(refuseUnfitSource(from)), Effect.fail))
        )
        assert.include(String(yield* Effect.flip(undone)), says)
      })
      yield* refused(from`delete from schema_migration where name like '0028%'`, "of an older release")
      yield* refused(
        from`insert into schema_migration (name, checksum) values ('0999_later', 'x')`,
        "of a newer release"
      )
      yield* refused(from`truncate operator cascade`, "has no operators")
    })
  )
})

layer(paymentWorld())("a database that moves", (it) => {
  it.effect("takes no writes from anybody, says so, and can be used again", () =>
    Effect.gen(function* () {
      yield* fill
      const sql = yield* SqlClient.SqlClient
      const tables = (yield* copiedTables(sql)).map(({ name }) => name)
      let mine = 0
      const close = closeForMove(sql, tables, "postgres://db.example.com/playroom", () => mine++)
      yield* close
      yield* close
      assert.strictEqual(mine, 1, "the second finds it closed")
      const writes = [
        sql`update booking set notes = ''`,
        sql`delete from booking where false`,
        sql`insert into api_key select * from api_key`,
        sql`truncate provider_task`,
        sql`update sandbox.session set description = ''`
      ]
      for (const write of writes)
        assert.include(String((yield* Effect.flip(write)).reason.cause), "the rows of this database move")
      assert.isAbove((yield* sql`select from booking`).length, 0)
      assert.deepStrictEqual(yield* sql`select probe_write() as said`, [{ said: "moved" }])
      const start = Effect.scoped(Layer.build(Layer.fresh(Migrations.layer)))
      assert.include(String(yield* Effect.flip(start)), "on its way to postgres://db.example.com/playroom since ")
      yield* finishMove(sql)
      assert.include(String(yield* Effect.flip(start)), "moved to postgres://db.example.com/playroom at ")
      assert.isTrue(yield* reopen(sql))
      assert.isFalse(yield* reopen(sql))
      assert.isUndefined(yield* moveOf(sql))
      yield* sql`update booking set notes = ''`
      yield* start
      assert.deepStrictEqual(yield* schemaFaults, [])
    })
  )

  it.effect.skipIf(serverUrl === undefined)("has all that was committed, and nothing of what was not", () =>
    Effect.gen(function* () {
      yield* fill
      const sql = yield* SqlClient.SqlClient
      const tables = (yield* copiedTables(sql)).map(({ name }) => name)
      const write = (n: number) =>
        sql`insert into service_secret (name, secret, created_at) values (${`n${n}`}, '', now())`
      let written = 0
      // One transaction after the other, each of which writes the first table that is closed and one of the last.
      const writing = Effect.forever(
        sql
          .withTransaction(
            Effect.gen(function* () {
              yield* write(written + 1)
              yield* sql`update admission set address = address`
              yield* sql`update slug set slug = slug`
            })
          )
          .pipe(Effect.tap(() => Effect.sync(() => void written++)))
      )
      const writer = yield* Effect.forkChild(Effect.exit(writing))
      yield* inRealTime(Effect.repeat(Effect.sleep("5 millis"), { until: () => written > 20 }))
      yield* inRealTime(closeForMove(sql, tables, "elsewhere", () => undefined))
      const [found] = yield* sql<{ n: number }>`select count(*)::int as n from service_secret where name ~ '^n[0-9]'`
      assert.include(String(yield* Effect.flatMap(Fiber.join(writer), Effect.flip)), "SqlError")
      assert.strictEqual(found?.n, written)
      yield* reopen(sql)
    })
  )
})
