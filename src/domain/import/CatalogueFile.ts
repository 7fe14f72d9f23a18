/** The catalogue as a file: import, export, and the demo of a new database. */
import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { localDateOf } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { slugsById } from "./CatalogueIds.ts"
import { importCatalogue } from "./CatalogueImport.ts"
import type { BookingsInTheWay, Imported, ImportOptions, ImportUnfinished } from "./Imported.ts"
import { storedStock } from "./SharedStock.ts"
import { Claims } from "../booking/Claims.ts"
import { type CatalogueInvalid, CatalogueJson, closureTexts } from "./CatalogueSchema.ts"
import { mergeWords } from "../search/SearchFactRows.ts"
import { type DemoRemoved, forgetDemoRemoval, mayLoadDemo, removeDemo } from "./Demo.ts"
import { parseCatalogue } from "./ParseCatalogue.ts"
import demo from "./demo.json" with { type: "json" }
import { operatorColumn, OperatorRow, venueColumns, venueOf, VenueRow } from "../catalogue/Catalogue.ts"
import { Closure } from "../catalogue/Playroom.ts"

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
      const closureRows = decodeRows(Schema.Array(Schema.Struct({ ...Closure.fields, playroom_id: Schema.String })))

      const exportFile = Effect.gen(function* () {
        const rows = yield* exportRows(
          sql`select ${venueColumns(sql)}, p.listed from playroom p join operator o using (operator_id) order by p.playroom_id`
        )
        const closures =
          yield* closureRows(sql`select playroom_id, closure_id, lower(during) as start, upper(during) as "end", reason
          from closure where made_by is null order by playroom_id, lower(during)`)
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
              closures: (closuresOf.get(playroom.playroom_id) ?? []).map(({ closure_id, reason, ...range }) => ({
                ...named(closure_id, { closure_id, reason }),
                ...closureTexts(playroom.time_zone, range, (instant) => localDateOf(playroom.time_zone, instant))
              }))
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
