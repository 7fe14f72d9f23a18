/** The writing of a catalogue file that was read and checked: all of it in one transaction, or nothing, but for `inSteps`. */
import { Clock, Effect, Struct } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type SearchFacts, searchFactsOf } from "../search/SearchFacts.ts"
import { writeFacts } from "../search/SearchFactRows.ts"
import type { CatalogueChange } from "./CatalogueChanges.ts"
import { ownerRows, ownershipIssues } from "./CatalogueOwners.ts"
import { applyPlaces, type LapsedHolds, planPlaces } from "./CataloguePlaces.ts"
import { type IdentifiedPlayroom, identify, keepSlugs } from "./CatalogueIds.ts"
import { CatalogueInvalid, type CatalogueJson } from "./CatalogueSchema.ts"
import { demoPlayrooms, isFirstOfOnesOwn, removeDemo } from "./Demo.ts"
import {
  among,
  BookingsInTheWay,
  DryRun,
  type Imported,
  type ImportOptions,
  ImportUnfinished,
  nothing,
  type Numbered,
  plannedAdding,
  together,
  withoutNewIds,
  type Written
} from "./Imported.ts"
import { withKept } from "./KeptParts.ts"
import { upserts } from "./CatalogueUpserts.ts"
import { changesOf, operatorChanges, readStored } from "./StoredCatalogue.ts"

// Any number will do, as long as all nodes use it: imports wait for each other.
const importLock = 7_245_302
// Playrooms a statement: large enough to be quick, small enough not to stall the embedded database.
const batchSize = 100

const batches = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, i) => items.slice(i * batchSize, (i + 1) * batchSize))

const numbered = (playrooms: ReadonlyArray<IdentifiedPlayroom>): ReadonlyArray<Numbered> =>
  playrooms.map((playroom, index) => ({ playroom, index }))

const storedOf = (sql: SqlClient.SqlClient, all: ReadonlyArray<Numbered>) =>
  readStored(
    sql,
    all.map(({ playroom }) => playroom.playroom_id)
  )

const factsOf = (playroom: IdentifiedPlayroom, now: number): SearchFacts =>
  searchFactsOf({ playroom, packages: playroom.packages, add_ons: playroom.add_ons }, now)

/**
 * The places of playrooms that differ from what is stored and of those that are new, and the facts of the former. Without a
 * transaction: others use the database meanwhile. What another import changes until ours has the lock, it changes after ours.
 */
const findDiffering = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  playrooms: ReadonlyArray<IdentifiedPlayroom>,
  now: number
) {
  const differing = new Set<number>()
  const fresh = new Set<number>()
  const facts = new Map<string, SearchFacts>()
  for (const batch of batches(numbered(playrooms))) {
    const stored = yield* storedOf(sql, batch)
    for (const { index, playroom } of batch) {
      const before = stored.get(playroom.playroom_id)
      if (before === undefined) fresh.add(index)
      else if (changesOf(playroom, before).length > 0) {
        differing.add(index)
        facts.set(playroom.playroom_id, factsOf(playroom, now))
      }
    }
  }
  return { differing, fresh, facts }
})

/** What one import has to know in all its steps. */
interface Run {
  readonly sql: SqlClient.SqlClient
  readonly lapsedHolds: LapsedHolds["Service"]
  readonly now: number
  readonly force: boolean
  readonly facts: ReadonlyMap<string, SearchFacts>
}

/** Whether the row of a playroom that is stored has to be written, and not only those of its packages and add-ons. */
const rowDiffers = (changes: ReadonlyArray<CatalogueChange>): boolean =>
  changes.some(
    ({ change, fields, kind }) =>
      kind === "playroom" ||
      (kind === "package" &&
        (change !== "changed" || fields.some(({ field }) => field === "mode" || field === "on_sale")))
  )

/** Writes some playrooms of a file: only those that differ from what is stored, which alone are locked. */
const writeBatch = Effect.fnUntraced(function* (run: Run, batch: ReadonlyArray<Numbered>) {
  const { facts, force, lapsedHolds, now, sql } = run
  const stored = yield* storedOf(sql, batch)
  const differing = batch
    .map((it) => ({ ...it, changes: changesOf(it.playroom, stored.get(it.playroom.playroom_id)) }))
    .filter(({ changes }) => changes.length > 0)
  if (differing.length === 0) return nothing
  const changed = differing.map(({ playroom }) => playroom)
  const plan = yield* planPlaces(sql, changed, lapsedHolds, now)
  const derived = differing.map(({ changes, playroom }) => ({
    changes,
    playroom,
    facts: facts.get(playroom.playroom_id) ?? factsOf(playroom, now)
  }))
  const rows = upserts(sql, now)
  const written = {
    playrooms: yield* rows.playrooms(derived.filter(({ changes }) => rowDiffers(changes))),
    packages: yield* rows.packages(changed),
    add_ons: yield* rows.addOns(changed)
  }
  const { packages, addOns } = yield* rows.offSale(changed)
  yield* writeFacts(sql)(derived)
  if (plan.inTheWay.length === 0 || force) yield* applyPlaces(sql, plan, now)
  const done: Written = {
    ...written,
    closures: { added: plan.added.length, changed: plan.changed.length, removed: plan.removed.length },
    changes: differing.map(({ changes, index }) => ({ index, changes })),
    off_sale: [...packages, ...addOns].map(({ id }) => id),
    inTheWay: plan.inTheWay
  }
  return done
})

/** Begins a transaction of an import. Other imports wait for its end. */
const lockImports = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  // An import may take long, also where the role's statements have a time limit.
  yield* sql`set local statement_timeout = 0`
  yield* sql`select pg_advisory_xact_lock(${importLock})`
})

/** The file with its ids; a fault where it names what belongs to another. Other imports wait for the end of the transaction. */
const identified = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, content: CatalogueJson) {
  yield* lockImports(sql)
  const found = yield* identify(sql, content)
  if (found.issues.length > 0) return yield* new CatalogueInvalid({ issues: found.issues })
  const issues = yield* ownershipIssues(sql, found.catalogue)
  if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
  if (content.keep === undefined || content.keep.length === 0) return found
  const kept = yield* withKept(sql, found.catalogue.playrooms, content.keep)
  if (kept.issues.length > 0) return yield* new CatalogueInvalid({ issues: kept.issues })
  return { ...found, catalogue: { ...found.catalogue, playrooms: kept.playrooms } }
})

/** Writes a catalogue, or says what writing it would do. */
export const importCatalogue = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  lapsedHolds: LapsedHolds["Service"],
  content: CatalogueJson,
  { dryRun = false, force = false, inSteps = false, keepDemo = false, progress }: ImportOptions
) {
  const now = yield* Clock.currentTimeMillis
  const total = content.playrooms.length
  const preview = yield* sql.withTransaction(identified(sql, content))
  const { differing, facts, fresh } = yield* findDiffering(sql, preview.catalogue.playrooms, now)
  const run: Run = { sql, lapsedHolds, now, force, facts }
  const leavesNew = dryRun || (inSteps && fresh.size > batchSize)
  let done = total - differing.size - fresh.size
  const tell = (more: number) =>
    Effect.suspend(() => {
      done += more
      return progress === undefined ? Effect.void : progress(done, total)
    })

  const atOnce = Effect.gen(function* () {
    const file = yield* identified(sql, content)
    const { catalogue } = file
    const stepsAside = !keepDemo && (yield* isFirstOfOnesOwn(sql, catalogue))
    const operatorLines = yield* operatorChanges(sql, catalogue.operators)
    const operators = yield* upserts(sql, now).operators(catalogue.operators)
    const all = numbered(catalogue.playrooms)
    const later = leavesNew ? all.filter(({ index }) => fresh.has(index)) : []
    const first = all.filter(({ index }) => differing.has(index) || (!leavesNew && fresh.has(index)))
    const written = together(
      yield* Effect.forEach(batches(first), (batch) => Effect.tap(writeBatch(run, batch), () => tell(batch.length)))
    )
    // Fails after all batches, so that every booking in the way is named; the transaction is rolled back.
    if (written.inTheWay.length > 0 && !force && !dryRun)
      return yield* new BookingsInTheWay({ bookings: written.inTheWay })
    yield* keepSlugs(sql, file)
    const demo = stepsAside ? yield* removeDemo(sql, catalogue) : { removed: 0, unlisted: 0 }
    const others = yield* ownerRows(sql`select playroom_id as id, operator_id as owner from playroom
      where not playroom_id = any(${[
        ...catalogue.playrooms.map(({ playroom_id }) => playroom_id),
        ...(stepsAside ? demoPlayrooms : [])
      ]}::text[]) order by 1`)
    const imported = (all: Written): Imported => ({
      operators,
      playrooms: among(total, all.playrooms),
      packages: among(
        catalogue.playrooms.reduce((count, { packages }) => count + packages.length, 0),
        all.packages
      ),
      add_ons: among(
        catalogue.playrooms.reduce((count, { add_ons }) => count + add_ons.length, 0),
        all.add_ons
      ),
      closures: all.closures,
      changes: [
        ...operatorLines,
        ...all.changes.toSorted((a, b) => a.index - b.index).flatMap(({ changes }) => changes)
      ],
      off_sale: all.off_sale,
      playrooms_not_in_file: others.map(({ id }) => id),
      demo,
      slugs: file.slugs.map((it) => Struct.omit(it, ["parent_id"])),
      overridden: force ? all.inTheWay : [],
      in_the_way: force ? [] : all.inTheWay
    })
    if (!dryRun) return { written, later, imported }
    const adding = plannedAdding(
      later.map(({ index, playroom }) => ({ index, changes: changesOf(playroom, undefined) }))
    )
    return yield* new DryRun({ imported: withoutNewIds(imported(together([written, adding]))) })
  })

  const { imported, later, written } = yield* sql.withTransaction(atOnce)
  const steps: Array<Written> = []
  for (const batch of batches(later)) {
    const ready = new Map(batch.map(({ playroom }) => [playroom.playroom_id, factsOf(playroom, now)] as const))
    const step = Effect.gen(function* () {
      yield* lockImports(sql)
      const it = yield* writeBatch({ ...run, facts: ready }, batch)
      return it.inTheWay.length > 0 && !force ? yield* new BookingsInTheWay({ bookings: it.inTheWay }) : it
    })
    const unfinished = (cause: SqlError.SqlError) =>
      new ImportUnfinished({ added: steps.length * batchSize, of: later.length, cause })
    steps.push(
      yield* sql.withTransaction(step).pipe(Effect.catchTag("SqlError", (cause) => Effect.fail(unfinished(cause))))
    )
    yield* tell(batch.length)
  }
  return imported(together([written, ...steps]))
})
