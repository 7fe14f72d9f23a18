/** The catalogue as a file: import, export, and the demo of a new database. */
import { Context, Data, Effect, Layer, Schema, Array, Clock, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { monotonicMs } from "../../platform/time/Elapsed.ts"
import { localDateOf } from "../../platform/time/LocalTime.ts"
import { byKeys, decodeRows } from "../../platform/database/Rows.ts"
import {
  type FileSlug,
  forgetClosureSlugs,
  identifyOperators,
  identifyPlayrooms,
  type IdentifiedCatalogue,
  type IdentifiedPlayroom,
  type Reading,
  type Renamed,
  renamedIn,
  slugsById,
  storeSlugs
} from "./CatalogueIds.ts"
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
import { storedStock, finishStock, lockStock, withStock, withStockOf, writeStock } from "./SharedStock.ts"
import { Claims } from "../booking/Claims.ts"
import { AddOnId, OperatorId } from "../../platform/ids/Ids.ts"
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
/** Ids that one statement reads. */
const idsAtOnce = 1000

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

/** Playrooms of the file beside those that are stored. */
interface Beside {
  readonly batch: ReadonlyArray<IndexedPlayroom>
  readonly versions: ReadonlyMap<string, string>
  readonly stored: ReadonlyMap<string, StoredPlayroom>
}

const readBeside = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, batch: ReadonlyArray<IndexedPlayroom>) {
  // The versions first: what changes in between is then seen as a change.
  const versions = yield* versionsOf(sql, batch)
  const known = batch.flatMap(({ playroom }) => (versions.has(playroom.playroom_id) ? [playroom] : []))
  const stored = known.length === 0 ? new Map<string, StoredPlayroom>() : yield* readStored(sql, known)
  const beside: Beside = { batch, versions, stored }
  return beside
})

/** Those that differ. */
const differingOf = ({ batch, stored, versions }: Beside): ReadonlyArray<Differing> =>
  batch.flatMap((one) => {
    const { playroom_id } = one.playroom
    return compared(one, stored.get(playroom_id), versions.get(playroom_id)) ?? []
  })

/** Those of some playrooms that differ. */
const differingAmong = (sql: SqlClient.SqlClient, batch: ReadonlyArray<IndexedPlayroom>) =>
  Effect.map(readBeside(sql, batch), differingOf)

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
  readonly content: CatalogueJson
  readonly renamed: Renamed
  readonly reading: Reading
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
 * Playrooms of the file as they are written now: with the ids that another import has given since, and with what they
 * keep as it is stored by now.
 */
const asOfNow = Effect.fnUntraced(function* (
  { content, reading, renamed, sql }: Run,
  before: ReadonlyArray<IndexedPlayroom>
) {
  const { issues, playrooms, slugs } = yield* identifyPlayrooms(
    sql,
    reading,
    renamed,
    before.flatMap(({ index, playroom }) => {
      const file = content.playrooms[index]
      return file === undefined ? [] : [{ index, file, owner: playroom.operator_id, before: playroom }]
    })
  )
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  const named = before.flatMap(({ index }, i) => {
    const playroom = playrooms[i]
    return playroom === undefined ? [] : [{ index, playroom }]
  })
  const kept = yield* keptIn({ content, reading, sql }, named)
  return { slugs, playrooms: kept.map((playroom, i) => withStockOf(playroom, before[i]?.playroom ?? playroom)) }
})

/** Playrooms with the stored parts that the file keeps. */
const keptIn = Effect.fnUntraced(function* (
  { content: { keep }, reading, sql }: Pick<Run, "content" | "reading" | "sql">,
  rooms: ReadonlyArray<IndexedPlayroom>
) {
  if (keep === undefined || keep.length === 0) return rooms.map(({ playroom }) => playroom)
  const { issues, playrooms } = yield* withKept(sql, reading, rooms, keep)
  return issues.length > 0 ? yield* new CatalogueInvalid({ issues }) : playrooms
})

const idsIn = ({ add_ons, closures, packages, playroom_id }: IdentifiedPlayroom): string =>
  [
    playroom_id,
    ...packages.map(({ package_id }) => package_id),
    ...add_ons.map(({ add_on_id }) => add_on_id),
    ...closures.map(({ closure_id }) => closure_id)
  ].join()

/**
 * One step of an import, which is a transaction of its own: some playrooms, each with all that it has. What another
 * import has changed since they were compared is compared again.
 */
const writeStep = Effect.fnUntraced(function* (run: Run, before: ReadonlyArray<Ready>) {
  const { claims, now, sql } = run
  const { playrooms, slugs } = yield* asOfNow(run, before)
  const ready = before.map((one, i) => ({ ...one, playroom: playrooms[i] ?? one.playroom }))
  const issues = yield* ownershipIssues(sql, [], ready)
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  const versions = yield* versionsOf(sql, ready)
  const isAsCompared = ({ playroom, version }: Ready, i: number) =>
    versions.get(playroom.playroom_id) === version && idsIn(playroom) === idsIn(before[i]?.playroom ?? playroom)
  const again = ready.filter((one, i) => !isAsCompared(one, i))
  const changes = [
    ...ready.filter((one, i) => one.lines.length > 0 && isAsCompared(one, i)),
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
  yield* storeSlugs(sql, playrooms, slugs)
  return { ...written, conflicts: [...written.conflicts, ...overbooked], slugs }
})

/** Each batch locks its playrooms, so they come in the order of locks. */
const byId = (one: IndexedPlayroom, other: IndexedPlayroom): number =>
  one.playroom.playroom_id < other.playroom.playroom_id ? -1 : 1

/** A file with its ids and slugs, and faults of accounts that are `foreign`. */
interface Identified {
  readonly catalogue: IdentifiedCatalogue
  readonly slugs: ReadonlyArray<FileSlug>
  readonly foreign: ReadonlyArray<Issue>
}

/** The operators of the file, by those that it had `before`. */
const identifiedOperators = Effect.fnUntraced(function* (run: Run, before?: IdentifiedCatalogue["operators"]) {
  const { content, reading, renamed, sql } = run
  const { issues, operators, owners, slugs } = yield* identifyOperators(sql, reading, renamed, content, before)
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  return { operators, owners, slugs, foreign: yield* reading.together(accountIssues(sql, operators)) }
})

/** The whole file. */
const identified = Effect.fnUntraced(function* (run: Run) {
  const { content, reading, renamed, sql } = run
  const { foreign, operators, owners, slugs } = yield* identifiedOperators(run)
  const rooms = yield* identifyPlayrooms(
    sql,
    reading,
    renamed,
    content.playrooms.map((file, index) => ({ index, file, owner: owners[index] ?? "", before: undefined }))
  )
  if (rooms.issues.length > 0) return yield* new CatalogueInvalid({ issues: rooms.issues })
  const playrooms = yield* keptIn(run, withIndexes(rooms.playrooms))
  const { catalogue, issues } = yield* reading.together(withStock(sql, { operators, playrooms }))
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  const file: Identified = { catalogue, slugs: [...slugs, ...rooms.slugs], foreign }
  return file
})

/** The same again, but of its playrooms only those that are written `first`. */
const identifiedAgain = Effect.fnUntraced(function* (
  run: Run,
  { catalogue: before }: Identified,
  first: ReadonlyArray<IndexedPlayroom>
) {
  const { foreign, operators, owners, slugs } = yield* identifiedOperators(run, before.operators)
  const owned = before.playrooms.map((playroom, i) => {
    const owner = owners[i] ?? playroom.operator_id
    return owner === playroom.operator_id ? playroom : { ...playroom, operator_id: OperatorId.make(owner) }
  })
  const rooms = yield* asOfNow(
    run,
    first.map(({ index, playroom }) => ({ index, playroom: owned[index] ?? playroom }))
  )
  const written = new Map(first.map(({ index }, i) => [index, rooms.playrooms[i]]))
  const playrooms = owned.map((playroom, i) => written.get(i) ?? playroom)
  const { catalogue, issues } = yield* withStock(run.sql, { operators, playrooms })
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  const file: Identified = { catalogue, slugs: [...slugs, ...rooms.slugs], foreign }
  return file
})

/**
 * What an import in steps finds out before it changes anything: what differs, and which bookings are in the way, if it
 * `tries` that. Each step has a transaction of its own, so others use the database.
 */
const foundBefore = Effect.fnUntraced(function* (run: Run, tries: boolean) {
  const { reading, sql } = run
  const file = yield* identified(run)
  const { catalogue, foreign, slugs } = file
  const newlyNamed = new Set(slugs.flatMap(({ added, index }) => (added && index !== undefined ? [index] : [])))
  const differing: Array<Differing> = []
  const issues: Array<Issue> = [...foreign]
  for (const step of Array.chunksOf(withIndexes(catalogue.playrooms), reading.size)) {
    const [faults, beside] = yield* reading.together(
      Effect.all([ownershipIssues(sql, catalogue.operators, step), readBeside(sql, step)])
    )
    issues.push(...faults)
    const found = differingOf(beside)
    const others = new Set(found.map(({ index }) => index))
    for (const one of step)
      if (newlyNamed.has(one.index) && !others.has(one.index))
        differing.push({
          ...one,
          lines: [],
          row: false,
          fresh: false,
          shared: false,
          calendars: false,
          version: beside.versions.get(one.playroom.playroom_id)
        })
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
  return { file, differing, conflicts, livingOn: yield* livingOnIn(run, differing) }
})

/** The ids of all playrooms. */
const storedPlayrooms = Effect.fnUntraced(function* ({ sql }: Run) {
  const all: Array<string> = []
  for (;;) {
    const page = yield* idRows(sql`select playroom_id as id from playroom where playroom_id > ${all.at(-1) ?? ""}
      order by playroom_id limit ${idsAtOnce}`)
    for (const { id } of page) all.push(id)
    if (page.length < idsAtOnce) return all
  }
})

/** The number of bookings to come that have something that leaves the catalogue. */
const livingOnIn = Effect.fnUntraced(function* (
  { now, reading: { size, together }, sql }: Run,
  differing: ReadonlyArray<Differing>
) {
  let bookings = 0
  for (const some of Array.chunksOf(differing, size)) {
    const lines = some.flatMap(({ lines }) => lines)
    bookings += yield* together(livingOn(sql, lines, now))
  }
  return bookings
})

/** Deletes the slugs of closures that playrooms of the file no longer have. */
const forgottenSlugs = Effect.fnUntraced(function* (
  { reading: { size, together }, sql }: Run,
  { playrooms }: IdentifiedCatalogue,
  slugs: ReadonlyArray<FileSlug>
) {
  const slugsOf = Map.groupBy(slugs, ({ parent_id }) => parent_id)
  for (const some of Array.chunksOf(playrooms, size)) {
    const ids = some.map(({ playroom_id }) => String(playroom_id))
    yield* together(
      forgetClosureSlugs(
        sql,
        ids,
        ids.flatMap((id) => slugsOf.get(id) ?? [])
      )
    )
  }
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
  const run: Run = {
    sql,
    claims,
    now,
    force,
    content,
    renamed: renamedIn(content),
    reading: inSteps
      ? { size: steps.most, together: (read) => sql.withTransaction(Effect.andThen(byKeys(sql), read)) }
      : { size: batchSize, together: (read) => read }
  }
  // Another import may come between what is read: a fault is told if it is still there at a second look.
  const twice = { times: 1, while: (fault: CatalogueInvalid | SqlError.SqlError) => fault._tag === "CatalogueInvalid" }
  const before = inSteps ? yield* Effect.retry(foundBefore(run, dryRun || !force), twice) : undefined
  const stored = yield* storedPlayrooms(run)
  let done = 0
  const reportProgress = (more: number) =>
    Effect.suspend(() => {
      done += more
      return progress === undefined ? Effect.void : progress(done, total)
    })

  const atOnce = Effect.gen(function* () {
    yield* lockImports(sql)
    const goesInSteps = before !== undefined && before.differing.length > steps.most
    const isFirst = (one: Differing): boolean => (goesInSteps ? changesSharedUnits(one) : !dryRun || mayBeRefused(one))
    const file = yield* before === undefined
      ? identified(run)
      : identifiedAgain(run, before.file, before.differing.filter(isFirst))
    const { catalogue } = file
    const found =
      before?.differing ??
      (yield* Effect.forEach(Array.chunksOf(withIndexes(catalogue.playrooms), batchSize), (batch) =>
        differingAmong(sql, batch)
      )).flat()
    // Another import may have given names to what was new before.
    const differing = found.map((one) => ({ ...one, playroom: catalogue.playrooms[one.index] ?? one.playroom }))
    const issues = [
      ...file.foreign,
      ...(yield* ownershipIssues(
        sql,
        catalogue.operators,
        before === undefined ? withIndexes(catalogue.playrooms) : differing.filter(isFirst)
      ))
    ]
    if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
    // The transaction may be repeated.
    done = total - differing.length
    const removesDemo = !keepDemo && (yield* isFirstOwnCatalogue(sql, catalogue))
    const operatorLines = yield* operatorChanges(sql, catalogue.operators)
    const written = new Set(operatorLines.map(({ id }) => id))
    const changedOperators = catalogue.operators.filter(({ operator_id }) => written.has(operator_id))
    yield* upserts(sql, now).operators(changedOperators)
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
    yield* storeSlugs(sql, catalogue.playrooms, file.slugs)
    if (before === undefined) yield* forgottenSlugs(run, catalogue, file.slugs)
    const demo = removesDemo ? yield* removeDemo(sql, catalogue) : { removed: 0, unlisted: 0 }
    yield* upserts(sql, now).accounts(changedOperators)
    const named = new Set<string>([
      ...catalogue.playrooms.map(({ playroom_id }) => playroom_id),
      ...(removesDemo ? demoPlayrooms : [])
    ])
    const living_on = before?.livingOn ?? (yield* livingOnIn(run, differing))
    const imported = (all: BatchResult, slugs: ReadonlyArray<FileSlug>): Imported => ({
      ...importSummary(content, operatorLines, all),
      living_on,
      playrooms_not_in_file: stored.filter((id) => !named.has(id)),
      demo,
      ending: endsAhead(
        content.playrooms.map(({ currency }) => currency),
        localDateOf("UTC", now)
      ),
      slugs: slugs.map((it) => Struct.omit(it, ["parent_id", "path", "index"])),
      overridden: force ? all.conflicts : [],
      in_the_way: force ? [] : all.conflicts
    })
    if (!dryRun) return { catalogue, first, later, imported, slugs: file.slugs }
    return yield* new DryRun({
      planned: () => {
        const all = imported({ ...first, changes: [...first.changes, ...later] }, before?.file.slugs ?? file.slugs)
        return {
          ...all,
          // The import will give other ids to new things than this dry run.
          changes: all.changes.map((line) => (line.change === "added" ? Struct.omit(line, ["id"]) : line)),
          slugs: all.slugs.filter(({ added }) => !added)
        }
      }
    })
  })

  const { catalogue, first, imported, later, slugs } = yield* sql.withTransaction(atOnce)
  const outcomes: Array<Outcome<ImportStep, BatchResult & { readonly slugs: ReadonlyArray<FileSlug> }>> = []
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
  const given = new Map([...slugs, ...written.flatMap(({ value }) => value.slugs)].map((it) => [it.path, it]))
  const standing = (before?.file.slugs ?? slugs).flatMap((it) => given.get(it.path) ?? (it.added ? [] : [it]))
  const all = imported(mergeResults([first, ...written.map(({ value }) => value)]), standing)
  if (written.length === outcomes.length) {
    if (before !== undefined) yield* forgottenSlugs(run, catalogue, standing)
    return all
  }
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
          Effect.catchTag("DryRun", ({ planned }) => Effect.sync(planned))
        )
        if (options.dryRun === true || imported.changes.length === 0) return imported
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
