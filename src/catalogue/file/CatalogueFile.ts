/** The catalogue as a file: import, export, and the demo that a new database starts with. */
import { Clock, Context, Effect, Layer, Result, Schema, SchemaIssue } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { localDateOf } from "../../kernel/LocalTime.ts"
import { decodeRows } from "../../kernel/Rows.ts"
import { catalogueIssues, playroomIssues } from "./CatalogueChecks.ts"
import { ownerRows, ownershipIssues } from "./CatalogueOwners.ts"
import { applyPlaces, BookingInTheWay, LapsedHolds, planPlaces } from "./CataloguePlaces.ts"
import { CatalogueInvalid, CatalogueJson, closureTexts, FilePlayroom, type Issue, pathOf } from "./CatalogueSchema.ts"
import { Changes, upserts } from "./CatalogueUpserts.ts"
import demo from "./demo.json" with { type: "json" }
import { writeFacts } from "../SearchFactRows.ts"
import { searchFactsOf } from "../SearchFacts.ts"
import { ClosureRow, operatorColumn, operatorOf, OperatorRow, VenueRow, venueColumns, venueOf } from "../VenueRows.ts"

/** What an import did. Playrooms and operators that the file does not name stay as they are; the playrooms are listed. */
export const Imported = Schema.Struct({
  operators: Changes,
  playrooms: Changes,
  packages: Changes,
  add_ons: Changes,
  closures: Schema.Struct({ added: Schema.Int, changed: Schema.Int, removed: Schema.Int }),
  /** Ids that went off sale because the file no longer has them. */
  off_sale: Schema.Array(Schema.String),
  playrooms_not_in_file: Schema.Array(Schema.String),
  /** Bookings that the import was forced past; they keep their places. */
  overridden: Schema.Array(BookingInTheWay)
})
export type Imported = typeof Imported.Type

/**
 * Bookings stand in the way of closures, smaller capacities or less stock than they have; nothing was changed. Forced, the import leaves
 * them their places.
 */
export class BookingsInTheWay extends Schema.TaggedError<BookingsInTheWay>()("BookingsInTheWay", {
  bookings: Schema.Array(BookingInTheWay)
}) {
  override get message(): string {
    const lines = this.bookings.map(
      ({ reference, status, starts_at, why }) =>
        `- ${reference} (${status}, ${new Date(starts_at).toISOString()}): ${why}`
    )
    return `The catalogue file was not imported: bookings are in the way.\n${lines.join("\n")}`
  }
}

type ImportFault = CatalogueInvalid | BookingsInTheWay | SqlError.SqlError

const encodeJson = Schema.encodeEffect(CatalogueJson)
const standard = SchemaIssue.makeFormatterStandardSchemaV1()

/** Decodes a part of the file that stands at `at`; what is wrong with it is written into `issues`. */
const decodeAt = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (json: unknown, at: ReadonlyArray<PropertyKey>, issues: Array<Issue>): ReadonlyArray<A> => {
    const decodedJson = decode(json)
    if (Result.isSuccess(decodedJson)) return [decodedJson.success]
    const found = standard(decodedJson.failure.issue).issues.map(({ path, message }) => ({
      path: pathOf([...at, ...(path ?? []).map((step) => (typeof step === "object" ? step.key : step))]),
      message
    }))
    issues.push(...found)
    return []
  }
}
const playroomsIn = (json: unknown): ReadonlyArray<unknown> =>
  typeof json === "object" && json !== null && "playrooms" in json && Array.isArray(json.playrooms)
    ? json.playrooms
    : []
const decodeFrame = decodeAt(Schema.Struct({ ...CatalogueJson.fields, playrooms: Schema.Array(Schema.Unknown) }))
const decodePlayroom = decodeAt(FilePlayroom)

/** After so many playrooms other fibers run: a large file must not block the service that reads it. */
const readAtOnce = 25

/** The file's content, decoded and checked as far as it can be without the database. */
export const parseCatalogue = Effect.fn("CatalogueFile.parse")(function* (
  json: unknown
): Effect.fn.Return<CatalogueJson, CatalogueInvalid> {
  const issues: Array<Issue> = []
  const inSlices = Effect.fnUntraced(function* <A, B>(
    all: ReadonlyArray<A>,
    each: (one: A, i: number) => ReadonlyArray<B>
  ) {
    const out: Array<B> = []
    for (const [i, one] of all.entries()) {
      if (i % readAtOnce === readAtOnce - 1) yield* Effect.yieldNow
      out.push(...each(one, i))
    }
    return out
  })
  const [frame] = decodeFrame(json, [], issues)
  const playrooms = yield* inSlices(frame?.playrooms ?? playroomsIn(json), (playroom, i) =>
    decodePlayroom(playroom, ["playrooms", i], issues)
  )
  if (frame === undefined || issues.length > 0) return yield* new CatalogueInvalid({ issues })
  const catalogue = { ...frame, playrooms }
  issues.push(...catalogueIssues(catalogue))
  issues.push(...(yield* inSlices(playrooms, (playroom, i) => playroomIssues(`playrooms[${i}]`, playroom))))
  return issues.length === 0 ? catalogue : yield* new CatalogueInvalid({ issues })
})

// Any number will do, as long as all nodes use it: imports wait for each other.
const importLock = 7_245_302
// Playrooms a statement: large enough to be quick, small enough not to stall the embedded database.
const batchSize = 100

const batches = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, i) => items.slice(i * batchSize, (i + 1) * batchSize))

const sum = (all: ReadonlyArray<Changes>): Changes =>
  all.reduce(
    (a, b) => ({ added: a.added + b.added, changed: a.changed + b.changed, unchanged: a.unchanged + b.unchanged }),
    { added: 0, changed: 0, unchanged: 0 }
  )

export class CatalogueFile extends Context.Service<
  CatalogueFile,
  {
    /** Writes a file's content, all or nothing. `force`: past bookings in the way, which keep their places. */
    readonly importFile: (json: unknown, options?: { readonly force?: boolean }) => Effect.Effect<Imported, ImportFault>
    /** The catalogue as a file (JSON value): what is on sale, listed or not, with all closures. Importing it changes nothing. */
    readonly exportFile: Effect.Effect<typeof CatalogueJson.Encoded, SqlError.SqlError>
    /** Imports the demo, only into a database without operators. True where it did. The caller holds the start-up lock. */
    readonly loadDemo: Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/catalogue/CatalogueFile") {
  static readonly layer = Layer.effect(
    CatalogueFile,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const lapsedHolds = yield* LapsedHolds

      const write = Effect.fnUntraced(function* (catalogue: CatalogueJson, force: boolean) {
        const now = yield* Clock.currentTimeMillis
        // An import may take long, also where the role's statements have a time limit.
        yield* sql`set local statement_timeout = 0`
        yield* sql`select pg_advisory_xact_lock(${importLock})`
        const issues = yield* ownershipIssues(sql, catalogue)
        if (issues.length > 0) return yield* new CatalogueInvalid({ issues })
        const rows = upserts(sql, now)
        const operators = yield* rows.operators(catalogue.operators)
        const done = yield* Effect.forEach(
          batches(catalogue.playrooms),
          Effect.fnUntraced(function* (playrooms: ReadonlyArray<FilePlayroom>) {
            const plan = yield* planPlaces(sql, playrooms, lapsedHolds, now)
            const derived = playrooms.map((playroom) => ({
              playroom,
              facts: searchFactsOf({ playroom, packages: playroom.packages, add_ons: playroom.add_ons }, now)
            }))
            const written = {
              playrooms: yield* rows.playrooms(derived),
              packages: yield* rows.packages(playrooms),
              add_ons: yield* rows.addOns(playrooms)
            }
            const { packages, addOns } = yield* rows.offSale(playrooms)
            yield* writeFacts(sql)(derived)
            if (plan.inTheWay.length === 0 || force) yield* applyPlaces(sql, plan, now)
            return { ...written, plan, off_sale: [...packages, ...addOns].map(({ id }) => id) }
          })
        )
        const overridden = done.flatMap(({ plan }) => plan.inTheWay)
        // Fails after all batches, so that every booking in the way is named; the transaction is rolled back.
        if (overridden.length > 0 && !force) return yield* new BookingsInTheWay({ bookings: overridden })
        const others = yield* ownerRows(sql`select playroom_id as id, operator_id as owner from playroom
          where not playroom_id = any(${catalogue.playrooms.map(({ playroom_id }) => playroom_id)}::text[]) order by 1`)
        const count = (pick: (plan: (typeof done)[number]["plan"]) => ReadonlyArray<unknown>) =>
          done.reduce((total, { plan }) => total + pick(plan).length, 0)
        return {
          operators,
          playrooms: sum(done.map(({ playrooms }) => playrooms)),
          packages: sum(done.map(({ packages }) => packages)),
          add_ons: sum(done.map(({ add_ons }) => add_ons)),
          closures: {
            added: count((it) => it.added),
            changed: count((it) => it.changed),
            removed: count((it) => it.removed)
          },
          off_sale: done.flatMap(({ off_sale }) => off_sale),
          playrooms_not_in_file: others.map(({ id }) => id),
          overridden
        }
      })

      const importFile = Effect.fn("CatalogueFile.importFile")(function* (
        json: unknown,
        options: { readonly force?: boolean } = {}
      ) {
        const catalogue = yield* parseCatalogue(json)
        const imported = yield* sql.withTransaction(write(catalogue, options.force ?? false))
        // The embedded database has no autovacuum, and search plans by statistics.
        yield* sql`analyze operator, playroom, package, search_word, search_visit`
        return imported
      })

      const ExportRows = Schema.Array(Schema.Struct({ ...VenueRow.fields, listed: Schema.Boolean }))
      const exportRows = decodeRows(ExportRows)
      const operatorRows = decodeRows(Schema.Array(OperatorRow))
      const closureRows = decodeRows(Schema.Array(Schema.Struct({ ...ClosureRow.fields, playroom_id: Schema.String })))

      const exportFile = Effect.gen(function* () {
        const rows = yield* exportRows(
          sql`select ${venueColumns(sql)}, p.listed from playroom p join operator o using (operator_id) order by p.playroom_id`
        )
        const closures =
          yield* closureRows(sql`select playroom_id, closure_id, lower(during) as start, upper(during) as "end", reason
          from closure order by playroom_id, lower(during)`)
        const closuresOf = Map.groupBy(closures, ({ playroom_id }) => playroom_id)
        const venues = rows.map((row) => ({ ...venueOf(row), listed: row.listed }))
        const operators = yield* operatorRows(
          sql`select ${sql.literal(operatorColumn)} from operator o order by o.operator_id`
        )
        return yield* Effect.orDie(
          encodeJson({
            version: 1,
            operators: operators.map(operatorOf),
            playrooms: venues.map(({ playroom, listed, packages, add_ons }) => ({
              ...playroom,
              listed,
              packages,
              add_ons,
              closures: (closuresOf.get(playroom.playroom_id) ?? []).map(({ closure_id, reason, ...range }) => ({
                closure_id,
                reason,
                ...closureTexts(playroom.time_zone, range, (instant) => localDateOf(playroom.time_zone, instant))
              }))
            }))
          })
        )
      }).pipe(sql.withTransaction, Effect.withSpan("CatalogueFile.exportFile"))

      const loadDemo = Effect.gen(function* () {
        const some = yield* sql`select 1 from operator limit 1`
        if (some.length > 0) return false
        yield* importFile(demo).pipe(Effect.catchTags({ CatalogueInvalid: Effect.die, BookingsInTheWay: Effect.die }))
        return true
      }).pipe(Effect.withSpan("CatalogueFile.loadDemo"))

      return CatalogueFile.of({ importFile, exportFile, loadDemo })
    })
  )
}
