import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { refreshSearchFacts } from "../../../src/domain/search/SearchFacts.ts"
import { importOnly, setClock } from "../../support/BookingWorld.ts"
import { importJson, manyPlayrooms } from "../../support/catalogues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const many = 110
const file = manyPlayrooms(many)
/** The same without ids: everything is named by slugs. */
const slugged = {
  ...file,
  operators: file.operators.map(({ operator_id: _id, ...operator }, i) => ({ ...operator, slug: `operator-${i}` })),
  playrooms: file.playrooms.map(({ playroom_id: _id, operator_id: _operator, ...playroom }, i) => ({
    ...playroom,
    slug: `room-${i}`,
    operator: `operator-${i % 10}`,
    packages: playroom.packages.map(({ package_id: _package, ...pkg }, j) => ({ ...pkg, slug: `package-${j}` }))
  }))
}

const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ playrooms: number; whole: number }>`select count(*)::int as playrooms,
    (count(*) filter (where listed and (select count(*) from package k where k.playroom_id = p.playroom_id) = 2
      and exists (select from resource r where r.playroom_id = p.playroom_id)
      and exists (select from search_visit v where v.playroom_id = p.playroom_id)))::int as whole from playroom p`
  return row
})

const emptied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate operator cascade`
})

/** How many values the longest list of a statement has. */
const longestList = (values: ReadonlyArray<unknown>): number =>
  Math.max(
    0,
    ...values.map((value) => {
      const list: unknown = typeof value === "string" && value.startsWith("[") ? JSON.parse(value) : value
      return Array.isArray(list) ? list.length : 0
    })
  )

/** What the transactions of an effect are at most: so many statements, with lists of so many values. */
const largest = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const statements = new Map<unknown, number>()
  let values = 0
  let alone = 0
  const note: Statement.Transformer = (statement, _sql, fiber) =>
    Effect.sync(() => {
      values = Math.max(values, longestList(statement.compile()[1]))
      Option.match(Context.getOption(fiber.context, sql.transactionService), {
        onNone: () => alone++,
        onSome: (of) => statements.set(of, (statements.get(of) ?? 0) + 1)
      })
      return statement
    })
  yield* Effect.provideService(work, Statement.CurrentTransformer, note)
  return { values, statements: Math.max(0, ...statements.values()), transactions: statements.size, alone }
})

layer(Layer.provideMerge(Layer.mergeAll(importOnly, Catalogue.layer), TestDatabase.layer))("a large import", (it) => {
  it.effect("in steps lets others use the database, shows whole playrooms only, and says how far it is", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const seen: Array<readonly [done: number, playrooms: number]> = []
      const done = yield* importJson(file, {
        inSteps: true,
        // On the one connection of the embedded database this would wait for a transaction's end without one.
        progress: (sofar) =>
          Effect.map(Effect.orDie(Effect.provide(rows, context)), (row) => {
            assert.strictEqual(row?.whole, row?.playrooms)
            seen.push([sofar, row?.playrooms ?? 0])
          })
      })
      assert.deepStrictEqual(seen, [
        [16, 16],
        [48, 48],
        [98, 98],
        [many, many]
      ])
      assert.deepStrictEqual(done.playrooms, { added: many, changed: 0, unchanged: 0 })
      assert.deepStrictEqual(done.packages, { added: 2 * many, changed: 0, unchanged: 0 })
      const again = yield* importJson(file, { inSteps: true })
      assert.deepStrictEqual([again.changes, again.playrooms.unchanged], [[], many])
    })
  )

  it.effect("leaves no words that each search would have to read, and nor do prices that are derived again", () =>
    Effect.gen(function* () {
      yield* emptied
      yield* importJson(manyPlayrooms(10), { inSteps: true })
      const sql = yield* SqlClient.SqlClient
      const unmerged = sql`select index, gin_clean_pending_list(index::regclass)::int as pages from unnest(array['playroom_names', 'playroom_search',
          'playroom_amenities']) as index where gin_clean_pending_list(index::regclass) > 0`
      assert.deepStrictEqual(yield* unmerged, [])
      yield* sql`update playroom set from_price = from_price + 1, derived_until = '-infinity'`
      assert.strictEqual(yield* refreshSearchFacts, 10)
      assert.deepStrictEqual(yield* unmerged, [])
      yield* sql`update playroom set from_price = from_price + 1`
      assert.lengthOf(yield* unmerged, 3)
    })
  )

  it.effect("that is ended midway is completed by the same import, with the ids that it gave", () =>
    Effect.gen(function* () {
      yield* emptied
      const reached = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        importJson(slugged, {
          inSteps: true,
          progress: (sofar) =>
            sofar < 98 ? Effect.void : Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
        })
      )
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* rows, { playrooms: 98, whole: 98 })
      const exported = yield* CatalogueFile.use((it) => it.exportFile)
      const { playrooms } = yield* importJson(slugged, { inSteps: true })
      assert.deepStrictEqual(playrooms, { added: many - 98, changed: 0, unchanged: 98 })
      assert.deepStrictEqual(yield* rows, { playrooms: many, whole: many })
      const idsOf = (content: typeof exported) => new Map(content.playrooms.map((it) => [it.slug, it.playroom_id]))
      const after = idsOf(yield* CatalogueFile.use((it) => it.exportFile))
      for (const [slug, id] of idsOf(exported)) assert.strictEqual(after.get(slug), id)
    })
  )

  it.effect("for which the disk is too small changes nothing, and in steps says how far it came", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      yield* sql`create or replace function disk_full() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`
      yield* sql.unsafe(
        `create trigger full_disk before insert on playroom for each row when (new.name like '% 105') execute function disk_full()`
      )
      const whole = yield* Effect.flip(importJson(file))
      assert.strictEqual(whole._tag, "SqlError")
      assert.deepStrictEqual(yield* rows, { playrooms: 0, whole: 0 })
      assert.strictEqual((yield* sql`select 1 from operator`).length, 0)
      const steps = yield* Effect.flip(importJson(file, { inSteps: true }))
      assert(steps._tag === "ImportUnfinished")
      assert.include(steps.message, "98 of 110 playrooms were written")
      assert.deepStrictEqual(yield* rows, { playrooms: 98, whole: 98 })
      yield* sql`drop trigger full_disk on playroom`
      assert.deepStrictEqual((yield* importJson(file)).playrooms, { added: many - 98, changed: 0, unchanged: 98 })
    })
  )

  // The statements are prepared once, and plans that were made for empty or small tables read all of them each
  // time.
  it.effect("finds the rows of a batch by their keys: none reads whole tables", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      const rowsRead = Effect.gen(function* () {
        yield* sql`select pg_stat_force_next_flush()`
        const [row] = yield* sql<{ read: number }>`
          select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relname = 'package'`
        return row?.read ?? 0
      }).pipe(Effect.orDie)
      // As much as four thousand playrooms add, at once.
      const grow =
        sql`insert into package (package_id, operator_id, playroom_id, position, on_sale, mode, duration_minutes, min_children,
          max_children, terms)
        select package_id || n, operator_id, playroom_id, n, false, mode, duration_minutes, min_children, max_children, '{}'
        from (select * from package order by package_id limit 1) one, generate_series(1, 8000) n`.pipe(Effect.orDie)
      const read: Array<number> = []
      yield* importJson(manyPlayrooms(500), {
        inSteps: true,
        progress: (done) =>
          Effect.gen(function* () {
            // As a server does by itself at some time.
            if (done === 16) yield* Effect.orDie(sql`analyze package`)
            if (done === 348) yield* grow
            if (done === 348 || done === 500) read.push(yield* rowsRead)
          })
      })
      assert.lengthOf(read, 2)
      assert.isBelow((read[1] ?? 0) - (read[0] ?? 0), 8_000)
    })
  )

  it.effect("in steps overwrites what another import wrote meanwhile, and mixes the two in no playroom", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      const context = yield* Effect.context<CatalogueFile>()
      yield* importJson(file)
      const saying = (description: string) => ({
        ...file,
        playrooms: file.playrooms.map((room) => ({
          ...room,
          packages: room.packages.map((pkg, i) => (i === 1 && description === "one" ? pkg : { ...pkg, description }))
        }))
      })
      yield* importJson(saying("one"), {
        inSteps: true,
        progress: (done) =>
          done === 48 ? Effect.asVoid(Effect.orDie(Effect.provide(importJson(saying("other")), context))) : Effect.void
      })
      // The second packages of later rooms are those of the file again, though it did not change them at first.
      const seen = yield* sql`select descriptions, count(*)::int as rooms from (
          select string_agg(terms ->> 'description', ', ' order by position) as descriptions from package group by playroom_id) rooms
        group by 1 order by 1`
      assert.deepStrictEqual(seen, [
        { descriptions: "one, An hour of play.", rooms: many - 48 },
        { descriptions: "other, other", rooms: 48 }
      ])
    })
  )

  // Each transaction blocks all others on the embedded database.
  it.effect("in steps has no transaction that grows with the file", () =>
    Effect.gen(function* () {
      yield* emptied
      const named = (count: number, closed: boolean) => {
        const { operators, playrooms, ...rest } = manyPlayrooms(count)
        return {
          ...rest,
          operators: operators.map(({ operator_id: _id, ...it }, i) => ({ ...it, slug: `operator-${i}` })),
          playrooms: playrooms.map(({ operator_id: _operator, playroom_id: _id, ...it }, i) => ({
            ...it,
            slug: `room-${i}`,
            operator: `operator-${i % 10}`,
            packages: it.packages.map(({ package_id: _package, ...pkg }, j) => ({ ...pkg, slug: `package-${j}` })),
            closures: closed ? [{ from: "2027-01-01", to: "2027-01-02", reason: "New year" }] : []
          }))
        }
      }
      for (const [json, options] of [
        [named(320, false), { dryRun: true }],
        [named(320, false), {}],
        [named(320, false), {}],
        [{ ...named(320, true), keep: ["rules"] }, {}],
        [named(320, false), {}]
      ] as const) {
        const { statements, transactions, values } = yield* largest(importJson(json, { inSteps: true, ...options }))
        assert.isAtMost(values, 200)
        assert.isAtMost(statements, 60)
        assert.isAbove(transactions, 320 / 50)
      }
      assert.deepStrictEqual(yield* rows, { playrooms: 320, whole: 320 })
      // The same without steps is one transaction.
      const { transactions } = yield* largest(importJson(named(320, true)))
      assert.isAtMost(transactions, 1)
    })
  )

  it.effect("in steps gives slugs to things that had none, and lets two rooms of different steps swap theirs", () =>
    Effect.gen(function* () {
      yield* emptied
      const called = (slugOf: (i: number) => string) => ({
        ...file,
        playrooms: file.playrooms.map((room, i) => ({ ...room, slug: slugOf(i) }))
      })
      const slugs = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const found = yield* sql<{ slug: string }>`select slug from slug where kind = 'playroom' order by id`
        return found.map(({ slug }) => slug)
      })
      yield* importJson(file, { inSteps: true })
      const names = file.playrooms.map((_, i) => `room-${i}`)
      const given = yield* importJson(
        called((i) => `room-${i}`),
        { inSteps: true }
      )
      assert.deepStrictEqual([given.changes, given.slugs.filter(({ added }) => added).length], [[], many])
      assert.deepStrictEqual(yield* slugs, names)
      // Each goes to a room of the same operator, which is of another step.
      const moved = (i: number) => `room-${(i + 50) % many}`
      const turned = yield* importJson(called(moved), { inSteps: true })
      assert.strictEqual(turned.slugs.filter(({ added }) => added).length, many)
      assert.deepStrictEqual(
        yield* slugs,
        names.map((_, i) => moved(i))
      )
      const taken = called((i) => (i === 0 ? "room-0" : moved(i)))
      const refused = yield* Effect.flip(
        importJson({ ...taken, playrooms: taken.playrooms.slice(0, 60) }, { inSteps: true })
      )
      assert.strictEqual(refused._tag, "CatalogueInvalid")
      assert.deepStrictEqual(
        yield* slugs,
        names.map((_, i) => moved(i))
      )
    })
  )

  it.effect("is the same thing twice when two run at once: one adds, the other finds it", () =>
    Effect.gen(function* () {
      yield* emptied
      const both = yield* Effect.all([importJson(slugged, { inSteps: true }), importJson(slugged)], { concurrency: 2 })
      assert.deepStrictEqual(yield* rows, { playrooms: many, whole: many })
      const added = both.reduce((all, { playrooms }) => all + playrooms.added, 0)
      assert.strictEqual(added, many)
      assert.deepStrictEqual((yield* importJson(slugged, { dryRun: true })).changes, [])
    })
  )
})
