/** The catalogue as a file: import, export, and the demo of a new database. */
import { Context, Data, Effect, Layer, Schema, Array, Clock, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { monotonicMs } from "../../platform/time/Elapsed.ts"
import { localDateOf } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { slugsById, identify, type IdentifiedCatalogue, type IdentifiedPlayroom, storeSlugs } from "./CatalogueIds.ts"
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
  type ImportStep,
  type IndexedPlayroom,
  mergeResults,
  type BatchResult
} from "./Imported.ts"
import { storedStock, finishStock, lockStock, withStock, writeStock } from "./SharedStock.ts"
import { Claims } from "../booking/Claims.ts"
import { AddOnId } from "../../platform/ids/Ids.ts"
import { CatalogueInvalid, CatalogueJson, closureTexts, type Issue } from "./CatalogueSchema.ts"
import { mergeWords, type SearchFacts, searchFactsOf, writeDerived, writeVisits } from "../search/SearchFacts.ts"
import { parseCatalogue } from "./ParseCatalogue.ts"
import { operatorColumn, OperatorRow, venueColumns, venueOf, VenueRow } from "../catalogue/Catalogue.ts"
import { Closure } from "../catalogue/Playroom.ts"
import { keepCalendars } from "../calendars/CalendarFeeds.ts"
import { attempt, doneOf, type Outcome } from "../../platform/concurrency/Outcomes.ts"
import { endsAhead } from "../../platform/money/Tender.ts"
import {
  batchSize,
  type CatalogueChange,
  changesOf,
  operatorChanges,
  readStored,
  rowDiffers,
  type StoredPlayroom,
  withKept
} from "./CatalogueChanges.ts"
import { applyPlaces, type BookingInTheWay, keepOutOfOrder, lockPlaces, planPlaces } from "./CataloguePlaces.ts"
import { accountIssues, idRows, ownershipIssues, upserts } from "./CatalogueUpserts.ts"
import demo from "./demo.json" with { type: "json" }

// Writes a catalogue file that was read and checked: in one transaction, or in several with `inSteps`.

// Any number will do if all nodes use the same one: imports wait for each other.
const importLock = 7_245_302
/**
 * How many playrooms a step of an import writes on the embedded database, where all others wait for its end: so many at
 * first, then as many as take about `stepMs`.
 */
const steps = { first: 16, least: 16, most: 50 }
const stepMs = 20

/** How many playrooms the next step writes, after one of `size` took `ms`. */
const nextStep = (size: number, ms: number): number =>
  Math.min(steps.most, 2 * size, Math.max(steps.least, Math.round((size * stepMs) / Math.max(ms, 1))))

/**
 * Works on a list step by step, until `work` answers nothing instead of how long it held the database. Succeeds with how
 * many it took.
 */
const stepwise = Effect.fnUntraced(function* <A, E, R>(
  all: ReadonlyArray<A>,
  work: (step: ReadonlyArray<A>, from: number) => Effect.Effect<number | undefined, E, R>
) {
  let from = 0
  for (let size: number = steps.first; from < all.length;) {
    const step = all.slice(from, from + size)
    const ms = yield* work(step, from)
    from += step.length
    if (ms === undefined) break
    size = nextStep(size, ms)
  }
  return from
})

/** How long an effect takes, in milliseconds, and its result. */
const timed = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const since = yield* monotonicMs
  const result = yield* work
  return { result, ms: (yield* monotonicMs) - since }
})

const withIndexes = (playrooms: ReadonlyArray<IdentifiedPlayroom>): ReadonlyArray<IndexedPlayroom> =>
  playrooms.map((playroom, index) => ({ playroom, index }))

/**
 * For the transaction: a batch finds its rows by their keys. Plans that were made for the first batches, when the
 * tables were empty or small, read whole tables in each later batch. Plans are kept, since each row has a dozen foreign
 * keys to check, and to plan such a check takes longer than to do it. Without keys a plan seems so dear that a server
 * would compile it, which takes longer than to run it.
 */
const byKeys = (sql: SqlClient.SqlClient) =>
  sql`select ${sql.literal(
    ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "enable_material", "jit"]
      .map((way) => `set_config('${way}', 'off', true)`)
      .join()
  )}, set_config('max_parallel_workers_per_gather', '0', true)`

/** A playroom that is not stored as the file has it. */
interface Differing extends IndexedPlayroom {
  readonly lines: ReadonlyArray<CatalogueChange>
  /** Whether its own row differs. */
  readonly row: boolean
  /** Whether it is new. */
  readonly fresh: boolean
  /** Whether its add-ons take from shared stock, or did. */
  readonly shared: boolean
  /** Whether it has calendars, or had. */
  readonly calendars: boolean
  /** By which it is known whether the stored one is still what it was compared with. Undefined: a new one. */
  readonly version: string | undefined
}

const takesShared = (addOns: ReadonlyArray<{ readonly uses?: string | null }>): boolean =>
  addOns.some(({ uses }) => typeof uses === "string")

/** Compares a playroom of the file with the stored one; undefined if they are the same. */
const compared = (
  { index, playroom }: IndexedPlayroom,
  stored: StoredPlayroom | undefined,
  version: string | undefined
): Differing | undefined => {
  const lines = changesOf(playroom, stored)
  return lines.length === 0
    ? undefined
    : {
        index,
        playroom,
        lines,
        row: rowDiffers(playroom, stored, lines),
        fresh: stored === undefined,
        shared: takesShared(playroom.add_ons) || takesShared(stored?.add_ons ?? []),
        calendars: playroom.calendars !== undefined || stored?.details["calendars"] !== undefined,
        version
      }
}

const versionRows = decodeRows(Schema.Array(Schema.Struct({ playroom_id: Schema.String, version: Schema.String })))

/** The versions of stored playrooms. They change with each row of theirs that imports compare, but for closures. */
const versionsOf = (sql: SqlClient.SqlClient, batch: ReadonlyArray<IndexedPlayroom>) =>
  Effect.map(
    versionRows(
      sql`select playroom_id, version from catalogue_versions(${batch.map(({ playroom }) => playroom.playroom_id)}::text[])`
    ),
    (rows) => new Map(rows.map(({ playroom_id, version }) => [playroom_id, version]))
  )

/** Those of some playrooms that differ. */
const differingAmong = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, batch: ReadonlyArray<IndexedPlayroom>) {
  // The versions first: what changes in between is then seen as a change.
  const versions = yield* versionsOf(sql, batch)
  const known = batch.filter(({ playroom }) => versions.has(playroom.playroom_id))
  const stored =
    known.length === 0
      ? new Map<string, StoredPlayroom>()
      : yield* readStored(
          sql,
          known.map(({ playroom }) => playroom)
        )
  return batch.flatMap((one) => {
    const { playroom_id } = one.playroom
    return compared(one, stored.get(playroom_id), versions.get(playroom_id)) ?? []
  })
})

/** Whether a field of a changed part that has units is another. */
const changesUnits = ({ change, fields, kind }: CatalogueChange): boolean =>
  change === "changed" && kind === "add_on" && fields.some(({ field }) => field === "stock" || field === "uses")

/** Whether bookings may be in the way of the changes of a playroom. None is in the way of prices, hours and texts. */
const mayBeRefused = ({ fresh, lines }: Differing): boolean =>
  !fresh &&
  lines.some(
    (line) =>
      (line.kind === "closure" && line.change !== "removed") ||
      (line.kind === "playroom" && line.fields.some(({ field }) => field === "capacity")) ||
      (line.kind === "add_on" && (line.change === "added" || changesUnits(line)))
  )

/** Whether a playroom takes otherwise from stock that rooms share. It changes together with that stock. */
const changesSharedUnits = ({ fresh, lines, shared }: Differing): boolean =>
  shared && !fresh && lines.some((line) => line.kind === "add_on" && (line.change === "added" || changesUnits(line)))

/** The data that all steps of an import share. */
interface Run {
  readonly sql: SqlClient.SqlClient
  readonly claims: Claims["Service"]
  readonly now: number
  readonly force: boolean
}

/** A playroom before its turn, with its search facts. */
interface Ready extends Differing {
  readonly facts: SearchFacts
}

/**
 * Makes playrooms ready. Others use the thread after each: whoever calls, and the batch before, which has the next
 * statement to send.
 */
const makeReady = Effect.fnUntraced(function* ({ now }: Run, batch: ReadonlyArray<Differing>) {
  const ready: Array<Ready> = []
  for (const one of batch) {
    const { playroom } = one
    ready.push({
      ...one,
      facts: searchFactsOf({ playroom, packages: playroom.packages, add_ons: playroom.add_ons }, now)
    })
    yield* Effect.yieldNow
  }
  return ready
})

/** Locks and writes some playrooms of a file that differ. */
const writeBatch = Effect.fnUntraced(function* (run: Run, changes: ReadonlyArray<Ready>) {
  const { force, claims, now, sql } = run
  if (changes.length === 0) return mergeResults([])
  const changed = changes.map(({ playroom }) => playroom)
  const unitsBefore = yield* lockPlaces(sql, changed)
  const rows = upserts(sql, now)
  yield* rows.playrooms(changes.filter(({ row }) => row))
  yield* rows.parts(changes)
  yield* rows.offSale(offSaleIds(changes.flatMap(({ lines }) => lines)))
  const plan = yield* planPlaces(
    sql,
    changed,
    unitsBefore,
    changes.some(({ shared }) => shared),
    claims,
    now
  )
  // A new playroom's row was written with its facts.
  yield* writeDerived(sql)(changes.filter(({ fresh }) => !fresh))
  yield* writeVisits(sql)(changes)
  if (plan.conflicts.length === 0 || force) yield* applyPlaces(sql, plan, now)
  const withCalendars = changes.flatMap(({ calendars, playroom }) => (calendars ? [playroom.playroom_id] : []))
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
  yield* sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`
  yield* byKeys(sql)
  yield* sql`select pg_advisory_xact_lock(${importLock})`
})

/**
 * One step of an import, which is a transaction of its own: some playrooms, each with all that it has. What another
 * import has changed since they were compared is compared again.
 */
const writeStep = Effect.fnUntraced(function* (run: Run, ready: ReadonlyArray<Ready>) {
  const { claims, now, sql } = run
  const issues = yield* ownershipIssues(sql, [], ready)
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  const versions = yield* versionsOf(sql, ready)
  const isAsCompared = ({ playroom, version }: Ready) => versions.get(playroom.playroom_id) === version
  const again = ready.filter((one) => !isAsCompared(one))
  const changes = [
    ...ready.filter(isAsCompared),
    ...(again.length === 0 ? [] : yield* makeReady(run, yield* differingAmong(sql, again)))
  ].toSorted(byId)
  const stock = changes.some(({ shared }) => shared)
    ? yield* lockStock(
        sql,
        [],
        changes.map(({ playroom }) => playroom)
      )
    : []
  const written = yield* writeBatch(run, changes)
  const overbooked = [
    ...(yield* finishStock(sql, { removed: [], stock }, new Set(written.counted), claims, now)),
    ...(yield* keepOutOfOrder(sql, playroomsOf([written]), claims, now))
  ]
  return { ...written, conflicts: [...written.conflicts, ...overbooked] }
})

/** Each batch locks its playrooms, so they come in the order of locks. */
const byId = (one: IndexedPlayroom, other: IndexedPlayroom): number =>
  one.playroom.playroom_id < other.playroom.playroom_id ? -1 : 1

/**
 * The file with its ids, and accounts that are `foreign`. Other imports wait for the end of the transaction.
 * `before`: the same file, with the ids that its new things were given then.
 */
const identified = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  content: CatalogueJson,
  before?: IdentifiedCatalogue
) {
  yield* lockImports(sql)
  const found = yield* identify(sql, content, before)
  if (found.issues.length > 0) return yield* new CatalogueInvalid({ issues: found.issues })
  const foreign = yield* accountIssues(sql, found.catalogue.operators)
  const { playrooms } = found.catalogue
  const kept = content.keep?.length ? yield* withKept(sql, playrooms, content.keep) : { playrooms, issues: [] }
  if (kept.issues.length > 0) return yield* new CatalogueInvalid({ issues: kept.issues })
  const { catalogue, issues } = yield* withStock(sql, { ...found.catalogue, playrooms: kept.playrooms })
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  return { ...found, catalogue, foreign }
})

/**
 * What an import in steps finds out before it changes anything: what differs, and which bookings are in the way, if it
 * `tries` that. Each step has a transaction of its own, so others use the database.
 */
const foundBefore = Effect.fnUntraced(function* (run: Run, content: CatalogueJson, tries: boolean) {
  const { sql } = run
  const { catalogue, foreign } = yield* sql.withTransaction(identified(sql, content))
  const differing: Array<Differing> = []
  const issues: Array<Issue> = [...foreign]
  for (const step of Array.chunksOf(withIndexes(catalogue.playrooms), steps.most)) {
    const [faults, found] = yield* byKeys(sql).pipe(
      Effect.andThen(Effect.all([ownershipIssues(sql, catalogue.operators, step), differingAmong(sql, step)])),
      sql.withTransaction
    )
    issues.push(...faults)
    differing.push(...found)
  }
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  const conflicts: Array<BookingInTheWay> = []
  const tried = differing.filter((one) => tries && mayBeRefused(one) && !changesSharedUnits(one)).toSorted(byId)
  if (differing.length > steps.most)
    yield* stepwise(tried, (step) =>
      Effect.gen(function* () {
        const ready = yield* makeReady(run, step)
        const trial = Effect.flatMap(Effect.andThen(lockImports(sql), timed(writeStep(run, ready))), (written) =>
          Effect.fail(new TriedStep(written))
        )
        const { ms, result } = yield* Effect.catchTag(sql.withTransaction(trial), "TriedStep", Effect.succeed)
        conflicts.push(...result.conflicts)
        return ms
      })
    )
  return { catalogue, differing, conflicts }
})

/** Rolls a step back that was only tried. */
class TriedStep extends Data.TaggedError("TriedStep")<{ readonly result: BatchResult; readonly ms: number }> {
  override readonly message = "This step was only tried: nothing was changed."
}

/** Writes a catalogue, or returns what an import would do. */
const importCatalogue = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  claims: Claims["Service"],
  content: CatalogueJson,
  { dryRun = false, force = false, inSteps = false, keepDemo = false, progress }: ImportOptions
) {
  const now = yield* Clock.currentTimeMillis
  const total = content.playrooms.length
  const run: Run = { sql, claims, now, force }
  const before = inSteps ? yield* foundBefore(run, content, dryRun || !force) : undefined
  let done = 0
  const reportProgress = (more: number) =>
    Effect.suspend(() => {
      done += more
      return progress === undefined ? Effect.void : progress(done, total)
    })

  const atOnce = Effect.gen(function* () {
    const file = yield* identified(sql, content, before?.catalogue)
    const { catalogue } = file
    const found =
      before?.differing ??
      (yield* Effect.forEach(Array.chunksOf(withIndexes(catalogue.playrooms), batchSize), (batch) =>
        differingAmong(sql, batch)
      )).flat()
    // Another import may have given names to what was new before.
    const differing = found.map((one) => ({ ...one, playroom: catalogue.playrooms[one.index] ?? one.playroom }))
    const goesInSteps = inSteps && differing.length > steps.most
    const issues = [
      ...file.foreign,
      ...(goesInSteps ? [] : yield* ownershipIssues(sql, catalogue.operators, withIndexes(catalogue.playrooms)))
    ]
    if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
    // The transaction may be repeated.
    done = total - differing.length
    const removesDemo = !keepDemo && (yield* isFirstOwnCatalogue(sql, catalogue))
    const operatorLines = yield* operatorChanges(sql, catalogue.operators)
    const written = new Set(operatorLines.map(({ id }) => id))
    const changedOperators = catalogue.operators.filter(({ operator_id }) => written.has(operator_id))
    yield* upserts(sql, now).operators(changedOperators)
    const isFirst = (one: Differing): boolean => (goesInSteps ? changesSharedUnits(one) : !dryRun || mayBeRefused(one))
    const later = differing.filter((one) => !isFirst(one))
    const atFirst = differing.filter(isFirst).toSorted(byId)
    const shared = yield* writeStock(
      sql,
      catalogue,
      atFirst.map(({ playroom }) => playroom)
    )
    // The file may have some of its rooms: they are locked with those that go. Its own first rooms are nobody's yet.
    if (removesDemo) yield* lockDemo(sql)
    const parts = Array.chunksOf(atFirst, batchSize)
    const results: Array<BatchResult> = []
    // What was compared before this transaction may have changed.
    const ready = (batch: ReadonlyArray<Differing>) =>
      Effect.flatMap(before === undefined ? Effect.succeed(batch) : differingAmong(sql, batch), (these) =>
        makeReady(run, these)
      )
    let next = yield* ready(parts[0] ?? [])
    for (const [i, batch] of parts.entries()) {
      // A server writes a batch while this process makes the next ready.
      const [result, after] = yield* Effect.all([writeBatch(run, next), ready(parts[i + 1] ?? [])], {
        concurrency: "unbounded"
      })
      results.push(result)
      next = after
      yield* reportProgress(batch.length)
    }
    const counted = new Set(results.flatMap((result) => result.counted))
    const overbooked = [
      ...(yield* finishStock(sql, shared, counted, claims, now)),
      ...(yield* keepOutOfOrder(sql, playroomsOf(results), claims, now))
    ]
    const first = mergeResults([
      ...results,
      { changes: [], conflicts: [...(before?.conflicts ?? []), ...overbooked], counted: [] }
    ])
    // Fails after all batches, to name every conflicting booking. The transaction is rolled back.
    if (first.conflicts.length > 0 && !force && !dryRun)
      return yield* new BookingsInTheWay({ bookings: first.conflicts })
    yield* storeSlugs(sql, file)
    const demo = removesDemo ? yield* removeDemo(sql, catalogue) : { removed: 0, unlisted: 0 }
    yield* upserts(sql, now).accounts(changedOperators)
    const others = yield* idRows(sql`select playroom_id as id from playroom
      where not playroom_id = any(${[
        ...catalogue.playrooms.map(({ playroom_id }) => playroom_id),
        ...(removesDemo ? demoPlayrooms : [])
      ]}::text[]) order by 1`)
    const living_on = yield* livingOn(
      sql,
      differing.flatMap(({ lines }) => lines),
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
    const all = imported({ ...first, changes: [...first.changes, ...later] })
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
  const outcomes: Array<Outcome<ImportStep, BatchResult>> = []
  const taken = yield* stepwise(later, (batch, from) =>
    Effect.gen(function* () {
      const step = Effect.gen(function* () {
        const ready = yield* makeReady(run, batch)
        const written = yield* Effect.andThen(lockImports(sql), timed(writeStep(run, ready))).pipe(
          Effect.tap(({ result: { conflicts } }) =>
            conflicts.length > 0 && !force ? Effect.fail(new BookingsInTheWay({ bookings: conflicts })) : Effect.void
          ),
          sql.withTransaction
        )
        yield* reportProgress(batch.length)
        return written
      })
      const outcome = yield* attempt({ first: from + 1, last: from + batch.length }, step)
      outcomes.push(outcome.outcome === "done" ? { ...outcome, value: outcome.value.result } : outcome)
      return outcome.outcome === "done" ? outcome.value.ms : undefined
    })
  )
  if (taken < later.length) outcomes.push({ item: { first: taken + 1, last: later.length }, outcome: "not_tried" })
  const written = doneOf(outcomes)
  const all = imported(mergeResults([first, ...written.map(({ value }) => value)]))
  if (written.length === outcomes.length) return all
  return yield* new ImportUnfinished({
    written: written.reduce((sum, { item }) => sum + 1 + item.last - item.first, 0),
    of: later.length,
    outcomes,
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
        yield* Effect.forEach(
          ["operator", "playroom", "package", "search_word", "search_visit"],
          (table) => sql`analyze ${sql(table)}`
        ).pipe(Effect.catch((error) => Effect.logWarning("The catalogue is imported, but was not analysed", error)))
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
