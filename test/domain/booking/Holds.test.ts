import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { BookingStatus, PaymentStatus } from "../../../src/domain/booking/Booking.ts"
import { hasLapsed, holdMayEnd, holdRuns, liveStatuses } from "../../../src/domain/booking/Lifecycle.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const now = Date.parse("2026-11-20T12:00:00Z")

/** The hold's fields of a booking. Holds end around now, often to the millisecond. */
const bookings = fc
  .record({
    status: fc.constantFrom(...BookingStatus.literals),
    payment_status: fc.constantFrom(...PaymentStatus.literals),
    awaiting_provider: fc.boolean(),
    ends: fc.integer({ min: -2, max: 2 })
  })
  .map(({ ends, ...row }) => ({ ...row, hold_expires_at: row.status === "held" ? now + ends : null }))

layer(TestDatabase.layer)("a hold's end", (it) => {
  it.effect("is the same in SQL and in TypeScript (2,000 bookings)", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = fc.sample(bookings, 2000)
      const asRows = rows.map(({ hold_expires_at, ...row }) => ({
        ...row,
        hold_expires_at: hold_expires_at === null ? null : new Date(hold_expires_at).toISOString()
      }))
      const at = new Date(now)
      const found = yield* sql`
        select hold_runs(b, ${at}) is true as runs, hold_may_end(b, ${at}) is true as may_end, has_lapsed(b, ${at}) is true as lapsed
        from jsonb_array_elements(${JSON.stringify(asRows)}::jsonb) with ordinality as asked(of, n),
          jsonb_populate_record(null::booking, asked.of) b
        order by n`
      const expected = rows.map((row) => ({
        runs: holdRuns(row, now),
        may_end: holdMayEnd(row, now),
        lapsed: hasLapsed(row, now)
      }))
      for (const [i, row] of rows.entries()) assert.deepStrictEqual(found[i], expected[i], JSON.stringify(row))
      assert.strictEqual(new Set(expected.map((one) => JSON.stringify(one))).size, 4)
    })
  )
})

/** The lists of statuses of bookings in a text of SQL: all lists of two or more of them. */
const statusLists = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?:\bin \(|\bARRAY\[)([^()[\]]*)[)\]]/gi)].flatMap(([, list = ""]) => {
    const named = [...list.matchAll(/'([^']*)'/g)].map(([, name = ""]) => name)
    const all = BookingStatus.literals.filter((status) => named.includes(status))
    return named.length > 1 && all.length === named.length ? [all.join()] : []
  })

layer(TestDatabase.layer)("a live booking", (it) => {
  it.effect("is the same for the functions, indexes and constraints of the database, and for each query", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const inDatabase = yield* sql<{ readonly name: string; readonly text: string }>`
        with n as (select oid from pg_namespace where oid = (select relnamespace from pg_class where oid = 'booking'::regclass))
        select p.proname as name, p.prosrc || coalesce(pg_get_function_sqlbody(p.oid), '') as text
          from n join pg_proc p on p.pronamespace = n.oid
        union all select c.relname, pg_get_indexdef(c.oid) from n join pg_class c on c.relnamespace = n.oid where c.relkind = 'i'
        union all select c.relname, pg_get_viewdef(c.oid) from n join pg_class c on c.relnamespace = n.oid where c.relkind in ('v', 'm')
        union all select c.conname, pg_get_constraintdef(c.oid) from n join pg_constraint c on c.connamespace = n.oid
        union all select g.tgname, pg_get_triggerdef(g.oid) from pg_trigger g where not g.tgisinternal`
      const inQueries = readdirSync("src", { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => ({ name, text: readFileSync(`src/${name}`, "utf8") }))
      const live: ReadonlySet<string> = new Set(liveStatuses)
      const known = [
        BookingStatus.literals,
        BookingStatus.literals.filter((status) => live.has(status)),
        BookingStatus.literals.filter((status) => !live.has(status))
      ].map((list) => list.join())
      const of = (parts: typeof inDatabase) =>
        parts.flatMap(({ name, text }) => statusLists(text).map((list) => ({ name, list })))
      const lists = [of(inDatabase), of(inQueries)]
      assert.deepStrictEqual(
        lists.flat().filter(({ list }) => !known.includes(list)),
        []
      )
      // Each place has some that are about live bookings, so that this reads them.
      for (const some of lists) assert.isAbove(some.filter(({ list }) => list === known[1]).length, 4)
    })
  )
})
