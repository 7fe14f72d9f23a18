/** The catalogue as a file: import, export, and the demo of a new database. */
import { Context, Effect, Layer, Schema, Array, Clock, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { localDateOf } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { slugsById, identify, type IdentifiedPlayroom, storeSlugs } from "./CatalogueIds.ts"
import {
  BookingsInTheWay,
  type Imported,
  type ImportOptions,
  ImportUnfinished,
  type DemoRemoved,
  forgetDemoRemoval,
  mayLoadDemo,
  removeDemo,
  demoPlayrooms,
  isFirstOwnCatalogue,
  lockDemo,
  importSummary,
  DryRun,
  livingOn,
  offSaleIds,
  type IndexedPlayroom,
  mergeResults,
  type BatchResult
} from "./Imported.ts"
import { storedStock, finishStock, withStock, writeStock } from "./SharedStock.ts"
import { Claims } from "../booking/Claims.ts"
import { AddOnId } from "../../platform/ids/Ids.ts"
import { CatalogueInvalid, CatalogueJson, closureTexts } from "./CatalogueSchema.ts"
import { mergeWords, type SearchFacts, searchFactsOf, writeDerived, writeVisits } from "../search/SearchFacts.ts"
import { parseCatalogue } from "./ParseCatalogue.ts"
import { operatorColumn, OperatorRow, venueColumns, venueOf, VenueRow } from "../catalogue/Catalogue.ts"
import { Closure } from "../catalogue/Playroom.ts"
import { keepCalendars } from "../calendars/CalendarFeeds.ts"
import { runSequentially, doneOf } from "../../platform/concurrency/Outcomes.ts"
import { endsAhead } from "../../platform/money/Tender.ts"
import { batchSize, changesOf, operatorChanges, readStored, rowDiffers, withKept } from "./CatalogueChanges.ts"
import { applyPlaces, keepOutOfOrder, lockPlaces, planPlaces } from "./CataloguePlaces.ts"
import { ownerRows, ownershipIssues, rowTexts, upserts } from "./CatalogueUpserts.ts"
import demo from "./demo.json" with { type: "json" }

// Writes a catalogue file that was read and checked: in one transaction, or in several with `inSteps`.

// Any number will do if all nodes use the same one: imports wait for each other.
const importLock = 7_245_302
// Playrooms per step: others wait for a step's end on the embedded database, a tenth of a second at most.
const stepSize = 50

const withIndexes = (playrooms: ReadonlyArray<IdentifiedPlayroom>): ReadonlyArray<IndexedPlayroom> =>
  playrooms.map((playroom, index) => ({ playroom, index }))

/**
 * For the transaction: a batch finds its rows by their keys. Plans that were made for the first batches, when the
 * tables were empty, read whole tables in each later batch. Plans are kept, since each row has a dozen foreign keys to
 * check, and to plan such a check takes longer than to do it. Without keys a plan seems so dear that a server would
 * compile it, which takes longer than to run it.
 */
const byKeys = (sql: SqlClient.SqlClient) =>
  sql`select ${sql.literal(
    ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"]
      .map((way) => `set_config('${way}', 'off', true)`)
      .join()
  )}, set_config('max_parallel_workers_per_gather', '0', true)`

const factsOf = (playroom: IdentifiedPlayroom, now: number): SearchFacts =>
  searchFactsOf({ playroom, packages: playroom.packages, add_ons: playroom.add_ons }, now)

const knownRows = decodeRows(Schema.Array(Schema.Struct({ playroom_id: Schema.String })))

/** The indexes of changed and of new playrooms. `read` runs what reads a batch. */
const findDiffering = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  playrooms: ReadonlyArray<IdentifiedPlayroom>,
  read: <A, E>(stored: Effect.Effect<A, E>) => Effect.Effect<A, E | SqlError.SqlError> = (stored) => stored
) {
  const ids = playrooms.map(({ playroom_id }) => playroom_id)
  const rows = yield* knownRows(sql`select playroom_id from playroom where playroom_id = any(${ids}::text[])`)
  const known = new Set(rows.map(({ playroom_id }) => playroom_id))
  const differing = new Set<number>()
  const fresh = new Set(ids.flatMap((id, index) => (known.has(id) ? [] : [index])))
  for (const batch of Array.chunksOf(
    withIndexes(playrooms).filter(({ index }) => !fresh.has(index)),
    batchSize
  )) {
    const stored = yield* read(
      readStored(
        sql,
        batch.map(({ playroom }) => playroom)
      )
    )
    for (const { index, playroom } of batch)
      if (changesOf(playroom, stored.get(playroom.playroom_id)).length > 0) differing.add(index)
  }
  return { differing, fresh }
})

/** The data that all steps of an import share. */
interface Run {
  readonly sql: SqlClient.SqlClient
  readonly claims: Claims["Service"]
  readonly now: number
  readonly force: boolean
  readonly facts: ReadonlyMap<string, SearchFacts>
}

/** A playroom before its turn: its facts, and what may be written of it. */
interface Ready extends IndexedPlayroom {
  readonly facts: SearchFacts
  readonly texts: ReturnType<typeof rowTexts>
}

/**
 * Makes playrooms ready. Others use the thread after each: whoever calls, and the batch before, which has the next
 * statement to send.
 */
const makeReady = Effect.fnUntraced(function* ({ facts: known, now }: Run, batch: ReadonlyArray<IndexedPlayroom>) {
  const ready: Array<Ready> = []
  for (const one of batch) {
    const facts = known.get(one.playroom.playroom_id) ?? factsOf(one.playroom, now)
    ready.push({ ...one, facts, texts: rowTexts(one.playroom, facts, now) })
    yield* Effect.yieldNow
  }
  return ready
})

/** Writes some playrooms of a file. Locks and writes only those that differ from the stored ones. */
const writeBatch = Effect.fnUntraced(function* (run: Run, batch: ReadonlyArray<Ready>) {
  const { force, claims, now, sql } = run
  const stored = yield* readStored(
    sql,
    batch.map(({ playroom }) => playroom)
  )
  const changes = batch.flatMap((one) => {
    const before = stored.get(one.playroom.playroom_id)
    const lines = changesOf(one.playroom, before)
    return lines.length === 0 ? [] : [{ ...one, lines, row: rowDiffers(one.playroom, before, lines) }]
  })
  if (changes.length === 0) return mergeResults([])
  const changed = changes.map(({ playroom }) => playroom)
  const unitsBefore = yield* lockPlaces(sql, changed)
  const lines = changes.flatMap((it) => it.lines)
  const written = new Set(lines.flatMap(({ change, id }) => (change === "off_sale" ? [] : (id ?? []))))
  const partTexts = (kind: "packages" | "addOns") =>
    changes.flatMap(({ texts }) => texts[kind].flatMap(([id, text]) => (written.has(id) ? [text] : [])))
  const rows = upserts(sql, now)
  yield* rows.playrooms(changes.flatMap(({ row, texts }) => (row ? [texts.playroom] : [])))
  yield* rows.packages(partTexts("packages"))
  yield* rows.addOns(partTexts("addOns"))
  yield* rows.offSale(offSaleIds(lines))
  const shared = changed.some(({ add_ons, playroom_id }) =>
    [...add_ons, ...(stored.get(playroom_id)?.add_ons ?? [])].some(({ uses }) => typeof uses === "string")
  )
  const plan = yield* planPlaces(sql, changed, unitsBefore, shared, claims, now)
  // A new playroom's row was written with its facts.
  yield* writeDerived(sql)(changes.filter(({ playroom }) => stored.has(playroom.playroom_id)))
  yield* writeVisits(sql)(changes)
  if (plan.conflicts.length === 0 || force) yield* applyPlaces(sql, plan, now)
  const withCalendars = changed
    .filter((it) => it.calendars !== undefined || stored.get(it.playroom_id)?.details["calendars"] !== undefined)
    .map(({ playroom_id }) => playroom_id)
  if (withCalendars.length > 0) yield* keepCalendars(sql, withCalendars, now)
  return {
    changes: changes.map(({ index, lines, playroom, row }) => ({ index, lines, playroom, row })),
    conflicts: plan.conflicts,
    counted: [...plan.counted]
  }
})

/** The playrooms that were written. */
const playroomsOf = (results: ReadonlyArray<BatchResult>): ReadonlyArray<IdentifiedPlayroom> =>
  results.flatMap(({ changes }) => changes.map(({ playroom }) => playroom))

/** Begins a transaction of an import. Other imports wait for its end. */
const lockImports = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  // An import may take long, even if the role has timeouts.
  yield* sql`set local statement_timeout = 0`
  yield* sql`set local lock_timeout = 0`
  yield* byKeys(sql)
  yield* sql`select pg_advisory_xact_lock(${importLock})`
})

/**
 * The file with its ids. Fails if it names things of another owner. Other imports wait for the end of the transaction.
 */
const identified = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, content: CatalogueJson) {
  yield* lockImports(sql)
  const found = yield* identify(sql, content)
  if (found.issues.length > 0) return yield* new CatalogueInvalid({ issues: found.issues })
  const foreign = yield* ownershipIssues(sql, found.catalogue)
  if (foreign.length > 0) return yield* new CatalogueInvalid({ issues: foreign })
  const { playrooms } = found.catalogue
  const kept = content.keep?.length ? yield* withKept(sql, playrooms, content.keep) : { playrooms, issues: [] }
  if (kept.issues.length > 0) return yield* new CatalogueInvalid({ issues: kept.issues })
  const { catalogue, issues } = yield* withStock(sql, { ...found.catalogue, playrooms: kept.playrooms })
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  return { ...found, catalogue }
})

/**
 * The same before the transaction of a database that serves nobody meanwhile, with the search facts of the changed
 * ones. Each batch has a transaction of its own, so others use the database. If another import changes something before
 * this one has the lock, this import overwrites it.
 */
const foundBefore = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, content: CatalogueJson, now: number) {
  const { playrooms } = (yield* sql.withTransaction(identified(sql, content))).catalogue
  const found = yield* findDiffering(sql, playrooms, (stored) =>
    sql.withTransaction(Effect.andThen(byKeys(sql), stored))
  )
  const changed = playrooms.filter((_, index) => found.differing.has(index))
  return { ...found, facts: new Map(changed.map((it) => [String(it.playroom_id), factsOf(it, now)])) }
})

/** Writes a catalogue, or returns what an import would do. */
const importCatalogue = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  claims: Claims["Service"],
  content: CatalogueJson,
  { dryRun = false, force = false, inSteps = false, keepDemo = false, progress }: ImportOptions
) {
  const now = yield* Clock.currentTimeMillis
  const total = content.playrooms.length
  const before = inSteps ? yield* foundBefore(sql, content, now) : undefined
  const run: Run = { sql, claims, now, force, facts: before?.facts ?? new Map() }
  let done = 0
  const reportProgress = (more: number) =>
    Effect.suspend(() => {
      done += more
      return progress === undefined ? Effect.void : progress(done, total)
    })

  const atOnce = Effect.gen(function* () {
    const file = yield* identified(sql, content)
    const { catalogue } = file
    const { differing, fresh } = before ?? (yield* findDiffering(sql, catalogue.playrooms))
    const defersNew = dryRun || (inSteps && fresh.size > stepSize)
    // The transaction may be repeated.
    done = total - differing.size - fresh.size
    const removesDemo = !keepDemo && (yield* isFirstOwnCatalogue(sql, catalogue))
    const operatorLines = yield* operatorChanges(sql, catalogue.operators)
    const written = new Set(operatorLines.map(({ id }) => id))
    const changedOperators = catalogue.operators.filter(({ operator_id }) => written.has(operator_id))
    yield* upserts(sql, now).operators(changedOperators)
    const playrooms = withIndexes(catalogue.playrooms)
    const later = defersNew ? playrooms.filter(({ index }) => fresh.has(index)) : []
    // Each batch locks its playrooms, so they come in the order of locks.
    const atFirst = playrooms
      .filter(({ index }) => differing.has(index) || (!defersNew && fresh.has(index)))
      .toSorted((a, b) => (a.playroom.playroom_id < b.playroom.playroom_id ? -1 : 1))
    const shared = yield* writeStock(
      sql,
      catalogue,
      atFirst.map(({ playroom }) => playroom)
    )
    // The file may have some of its rooms: they are locked with those that go. Its own first rooms are nobody's yet.
    if (removesDemo) yield* lockDemo(sql)
    const parts = Array.chunksOf(atFirst, batchSize)
    const results: Array<BatchResult> = []
    let ready = yield* makeReady(run, parts[0] ?? [])
    for (const [i, batch] of parts.entries()) {
      // A server writes a batch while this process makes the next ready.
      const [result, next] = yield* Effect.all([writeBatch(run, ready), makeReady(run, parts[i + 1] ?? [])], {
        concurrency: "unbounded"
      })
      results.push(result)
      ready = next
      yield* reportProgress(batch.length)
    }
    const counted = new Set(results.flatMap((result) => result.counted))
    const overbooked = [
      ...(yield* finishStock(sql, shared, counted, claims, now)),
      ...(yield* keepOutOfOrder(sql, playroomsOf(results), claims, now))
    ]
    const first = mergeResults([...results, { changes: [], conflicts: overbooked, counted: [] }])
    // Fails after all batches, to name every conflicting booking. The transaction is rolled back.
    if (first.conflicts.length > 0 && !force && !dryRun)
      return yield* new BookingsInTheWay({ bookings: first.conflicts })
    yield* storeSlugs(sql, file)
    const demo = removesDemo ? yield* removeDemo(sql, catalogue) : { removed: 0, unlisted: 0 }
    yield* upserts(sql, now).accounts(changedOperators)
    const others = yield* ownerRows(sql`select playroom_id as id, operator_id as owner from playroom
      where not playroom_id = any(${[
        ...catalogue.playrooms.map(({ playroom_id }) => playroom_id),
        ...(removesDemo ? demoPlayrooms : [])
      ]}::text[]) order by 1`)
    const living_on = yield* livingOn(
      sql,
      first.changes.flatMap(({ lines }) => lines),
      now
    )
    const imported = (all: BatchResult): Imported => ({
      ...importSummary(content, operatorLines, all),
      living_on,
      playrooms_not_in_file: others.map(({ id }) => id),
      demo,
      ending: endsAhead(
        content.playrooms.map(({ currency }) => currency),
        localDateOf("UTC", now)
      ),
      slugs: file.slugs.map((it) => Struct.omit(it, ["parent_id"])),
      overridden: force ? all.conflicts : [],
      in_the_way: force ? [] : all.conflicts
    })
    if (!dryRun) return { first, later, imported }
    // A new playroom has no bookings, so there are no conflicts.
    const adding = later.map((it) => ({ ...it, lines: changesOf(it.playroom, undefined), row: true }))
    const all = imported({ ...first, changes: [...first.changes, ...adding] })
    // The import will give other ids to new things than this dry run.
    return yield* new DryRun({
      imported: {
        ...all,
        changes: all.changes.map((line) => (line.change === "added" ? Struct.omit(line, ["id"]) : line)),
        slugs: all.slugs.filter(({ added }) => !added)
      }
    })
  })

  const { first, imported, later } = yield* sql.withTransaction(atOnce)
  const steps = Array.chunksOf(later, stepSize).map((batch, i) => ({
    batch,
    first: i * stepSize + 1,
    last: i * stepSize + batch.length
  }))
  const outcomes = yield* runSequentially(steps, ({ batch }) =>
    Effect.gen(function* () {
      const ready = yield* makeReady(run, batch)
      const step = Effect.gen(function* () {
        yield* lockImports(sql)
        const batch = yield* writeBatch(run, ready)
        const conflicts = yield* keepOutOfOrder(sql, playroomsOf([batch]), claims, now)
        const it = mergeResults([batch, { changes: [], conflicts, counted: [] }])
        return it.conflicts.length > 0 && !force ? yield* new BookingsInTheWay({ bookings: it.conflicts }) : it
      })
      const written = yield* sql.withTransaction(step)
      yield* reportProgress(batch.length)
      return written
    })
  )
  const added = doneOf(outcomes)
  const all = imported(mergeResults([first, ...added.map(({ value }) => value)]))
  if (added.length === steps.length) return all
  return yield* new ImportUnfinished({
    added: added.reduce((sum, { item }) => sum + item.batch.length, 0),
    of: later.length,
    outcomes: outcomes.map((one) => ({ ...one, item: { first: one.item.first, last: one.item.last } })),
    imported: all
  })
})

type ImportFault = CatalogueInvalid | BookingsInTheWay | ImportUnfinished | SqlError.SqlError

const encodeJson = Schema.encodeEffect(CatalogueJson)

export class CatalogueFile extends Context.Service<
  CatalogueFile,
  {
    /** Writes a file's content, all or nothing. */
    readonly importFile: (json: unknown, options?: ImportOptions) => Effect.Effect<Imported, ImportFault>
    /**
     * The catalogue as a file (JSON value): everything on sale, listed or not, with all closures but the venue's own.
     * Importing it changes nothing.
     */
    readonly exportFile: Effect.Effect<typeof CatalogueJson.Encoded, SqlError.SqlError>
    /** Imports the demo if the database has no operators and nobody removed the demo. True if it did. */
    readonly loadDemo: Effect.Effect<boolean, SqlError.SqlError>
    /** Imports the demo into any database. */
    readonly restoreDemo: Effect.Effect<Imported, SqlError.SqlError | BookingsInTheWay>
    /** Removes the demo for good: no start loads it again. Its playrooms with bookings are unlisted. */
    readonly removeDemo: Effect.Effect<DemoRemoved, SqlError.SqlError>
  }
>()("playroom/import/CatalogueFile") {
  static readonly layerNoDeps = Layer.effect(
    CatalogueFile,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const claims = yield* Claims
      const random = yield* SecureRandom.SecureRandom

      const importFile = Effect.fn("CatalogueFile.importFile")(function* (json: unknown, options: ImportOptions = {}) {
        const catalogue = yield* parseCatalogue(json)
        const imported = yield* importCatalogue(sql, claims, catalogue, options).pipe(
          Effect.provideService(SecureRandom.SecureRandom, random),
          Effect.catchTag("DryRun", ({ imported }) => Effect.succeed(imported))
        )
        if (options.dryRun === true) return imported
        yield* mergeWords(sql)
        // The embedded database has no autovacuum, and search plans need statistics. Without them it is only slower.
        yield* sql`analyze operator, playroom, package, search_word, search_visit`.pipe(
          Effect.catch((error) => Effect.logWarning("The catalogue is imported, but was not analysed", error))
        )
        return imported
      })

      const ExportRows = Schema.Array(Schema.Struct({ ...VenueRow.fields, listed: Schema.Boolean }))
      const exportRows = decodeRows(ExportRows)
      const operatorRows = decodeRows(Schema.Array(OperatorRow))
      const closureRows = decodeRows(
        Schema.Array(
          Schema.Struct({
            ...Closure.fields,
            playroom_id: Schema.String,
            add_on_id: Schema.NullOr(AddOnId),
            units: Schema.NullOr(Schema.Int)
          })
        )
      )

      const exportFile = Effect.gen(function* () {
        const rows = yield* exportRows(
          sql`select ${venueColumns(sql)}, p.listed from playroom p join operator o using (operator_id) order by p.playroom_id`
        )
        const closures =
          yield* closureRows(sql`select playroom_id, closure_id, add_on_id, units, lower(during) as start, upper(during) as "end", reason
          from (select playroom_id, closure_id, null as add_on_id, null::int as units, during, reason from closure where made_by is null
            union all select a.playroom_id, s.closure_id, s.add_on_id, s.units, s.during, s.reason
              from out_of_order s join add_on a using (add_on_id)) c
          order by playroom_id, lower(during), closure_id`)
        const closuresOf = Map.groupBy(closures, ({ playroom_id }) => playroom_id)
        const venues = rows.map((row) => ({ ...venueOf(row), listed: row.listed }))
        const operators = yield* operatorRows(
          sql`select ${sql.literal(operatorColumn)} from operator o order by o.operator_id`
        )
        const stock = yield* storedStock(
          sql,
          operators.map(({ operator }) => operator.operator_id)
        )
        const stockSlugs = new Map([...stock.values()].flat().map(({ resource_id, slug }) => [resource_id, slug]))
        const slugs = yield* slugsById(sql)
        const named = <A extends object>(id: string, part: A) => {
          const slug = slugs.get(id)
          return slug === undefined ? part : { ...part, slug }
        }
        return yield* Effect.orDie(
          encodeJson({
            version: 1,
            operators: operators.map(({ operator }) => ({
              ...named(operator.operator_id, operator),
              stock: (stock.get(operator.operator_id) ?? []).map(({ slug, units }) => ({ slug, units }))
            })),
            playrooms: venues.map(({ playroom, listed, packages, add_ons }) => ({
              ...named(playroom.playroom_id, playroom),
              listed,
              packages: packages.map((it) => named(it.package_id, it)),
              add_ons: add_ons.map(({ rules = [], stock: own, uses, ...it }) => ({
                ...named(it.add_on_id, it),
                rules,
                ...(uses === undefined ? own !== undefined && { stock: own } : { uses: stockSlugs.get(uses) ?? uses })
              })),
              closures: (closuresOf.get(playroom.playroom_id) ?? []).map(
                ({ add_on_id, closure_id, reason, units, ...range }) => ({
                  ...named(closure_id, { closure_id, reason }),
                  ...(add_on_id !== null && { add_on: slugs.get(add_on_id) ?? add_on_id }),
                  ...(units !== null && { units }),
                  ...closureTexts(playroom.time_zone, range, (instant) => localDateOf(playroom.time_zone, instant))
                })
              )
            }))
          })
        )
      }).pipe(sql.withTransaction, Effect.withSpan("CatalogueFile.exportFile"))

      const restoreDemo = Effect.andThen(forgetDemoRemoval(sql), importFile(demo)).pipe(
        Effect.catchTags({ CatalogueInvalid: Effect.die, ImportUnfinished: Effect.die }),
        Effect.withSpan("CatalogueFile.restoreDemo")
      )
      const loadDemo = Effect.gen(function* () {
        if (!(yield* mayLoadDemo(sql))) return false
        yield* Effect.catchTag(restoreDemo, "BookingsInTheWay", Effect.die)
        return true
      }).pipe(Effect.withSpan("CatalogueFile.loadDemo"))

      return CatalogueFile.of({
        importFile,
        exportFile,
        loadDemo,
        restoreDemo,
        removeDemo: removeDemo(sql).pipe(sql.withTransaction, Effect.withSpan("CatalogueFile.removeDemo"))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(Claims.layer))
}
