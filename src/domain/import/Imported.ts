/** The result of an import or a dry run, and its errors. */
import { Data, type Effect, Schema } from "effect"
import { shortDateTime } from "../../platform/time/LocalTime.ts"
import type { Outcome } from "../../platform/concurrency/Outcomes.ts"
import { CatalogueChange } from "./CatalogueChanges.ts"
import { type IdentifiedPlayroom, NamedBySlug } from "./CatalogueIds.ts"
import { BookingInTheWay } from "./CataloguePlaces.ts"
import type { CatalogueJson } from "./CatalogueSchema.ts"
import { DemoRemoved } from "./Demo.ts"

/** The number of rows that an import added, changed, and left unchanged. */
const Changes = Schema.Struct({ added: Schema.Int, changed: Schema.Int, unchanged: Schema.Int })

/**
 * The result of an import or a dry run. Playrooms and operators outside the file stay unchanged; the result lists those
 * playrooms.
 */
export const Imported = Schema.Struct({
  operators: Changes,
  playrooms: Changes,
  packages: Changes,
  add_ons: Changes,
  closures: Schema.Struct({ added: Schema.Int, changed: Schema.Int, removed: Schema.Int }),
  /** All additions and changes, field by field, in the order of the file. */
  changes: Schema.Array(CatalogueChange),
  /** Ids that went off sale because the file no longer has them. */
  off_sale: Schema.Array(Schema.String),
  playrooms_not_in_file: Schema.Array(Schema.String),
  /**
   * The ids of everything with a slug in the file. A dry run leaves out new things, which get their ids from the
   * import.
   */
  slugs: Schema.Array(NamedBySlug),
  /** The removal of the demo, if this import removed it. */
  demo: DemoRemoved,
  /** Conflicting bookings that the import was forced past. They keep their places. */
  overridden: Schema.Array(BookingInTheWay),
  /** Currencies of the file with a last day to come. */
  ending: Schema.Array(
    Schema.Struct({
      currency: Schema.String,
      until: Schema.String,
      instead: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
      playrooms: Schema.Int
    })
  ),
  /** In a dry run: the conflicting bookings that would make an import fail unless it is forced. */
  in_the_way: Schema.Array(BookingInTheWay)
})
export type Imported = typeof Imported.Type

/**
 * Bookings conflict with closures, smaller capacities or less stock. Nothing was changed. A forced import leaves them
 * their places.
 */
export class BookingsInTheWay extends Schema.TaggedError<BookingsInTheWay>()("BookingsInTheWay", {
  bookings: Schema.Array(BookingInTheWay)
}) {
  override get message(): string {
    // Names nobody: a message may be logged.
    const lines = this.bookings.map(
      ({ reference, status, starts_at, time_zone, why }) =>
        `- ${reference} (${status}, ${shortDateTime(time_zone, starts_at)}): ${why}`
    )
    return `The catalogue file was not imported: bookings are in the way.\n${lines.join("\n")}`
  }
}

export interface ImportOptions {
  /** Imports despite conflicting bookings, which keep their places. */
  readonly force?: boolean
  /** Returns the result of an import without changing anything. */
  readonly dryRun?: boolean
  /** Keeps the demo, even if this is the first catalogue of an owner's own. */
  readonly keepDemo?: boolean
  /**
   * Adds new playrooms, if there are many, in batches after everything else: for a database that serves nobody during a
   * transaction. Each playroom is written whole. If the import is interrupted, the next import of the file adds the
   * others.
   */
  readonly inSteps?: boolean
  /** Called as playrooms are done. */
  readonly progress?: (done: number, of: number) => Effect.Effect<void>
}

/** Rolls a dry run back. */
export class DryRun extends Data.TaggedError("DryRun")<{ readonly imported: Imported }> {
  override readonly message = "It was a dry run: nothing was changed."
}

/** New playrooms that are added in one step: their places in the list of new ones, from 1. */
interface ImportStep {
  readonly first: number
  readonly last: number
}

/** New playrooms were added in steps, and one failed. `imported`: what was written. */
export class ImportUnfinished extends Data.TaggedError("ImportUnfinished")<{
  readonly added: number
  readonly of: number
  readonly outcomes: ReadonlyArray<Outcome<ImportStep>>
  readonly imported: Imported
}> {
  override get message(): string {
    return `The import stopped: ${this.added} of ${this.of} new playrooms were added, each with all that it has. Import the file again for the others.`
  }
}

/** A playroom and its position in the file. */
export interface IndexedPlayroom {
  readonly playroom: IdentifiedPlayroom
  readonly index: number
}

/** The writes for some playrooms, made or planned. */
export interface BatchResult {
  readonly changes: ReadonlyArray<
    IndexedPlayroom & { readonly lines: ReadonlyArray<CatalogueChange>; readonly row: boolean }
  >
  readonly conflicts: ReadonlyArray<BookingInTheWay>
  /** The stock of which bookings were counted, because their add-ons have it now. */
  readonly counted: ReadonlyArray<string>
}

export const mergeResults = (all: ReadonlyArray<BatchResult>): BatchResult => ({
  changes: all.flatMap(({ changes }) => changes),
  conflicts: all.flatMap(({ conflicts }) => conflicts),
  counted: all.flatMap(({ counted }) => counted)
})

/** The ids of packages and add-ons that go off sale. */
export const offSaleIds = (lines: ReadonlyArray<CatalogueChange>): ReadonlyArray<string> =>
  lines.flatMap(({ change, id }) => (change === "off_sale" ? (id ?? []) : []))

/** The counts and changes of an import of `content`. */
export const importSummary = (
  { operators, playrooms }: CatalogueJson,
  operatorLines: ReadonlyArray<CatalogueChange>,
  { changes }: BatchResult
) => {
  const sorted = changes.toSorted((a, b) => a.index - b.index)
  const lines = [...operatorLines, ...sorted.flatMap((it) => it.lines)]
  const count = (kind: CatalogueChange["kind"], change: CatalogueChange["change"]) =>
    lines.filter((line) => line.kind === kind && line.change === change).length
  const among = (total: number, added: number, changed: number) => ({
    added,
    changed,
    unchanged: total - added - changed
  })
  const of = (kind: CatalogueChange["kind"], total: number) =>
    among(total, count(kind, "added"), count(kind, "changed"))
  const added = count("playroom", "added")
  return {
    operators: of("operator", operators.length),
    playrooms: among(playrooms.length, added, changes.filter(({ row }) => row).length - added),
    packages: of(
      "package",
      playrooms.reduce((total, { packages }) => total + packages.length, 0)
    ),
    add_ons: of(
      "add_on",
      playrooms.reduce((total, { add_ons }) => total + add_ons.length, 0)
    ),
    closures: {
      added: count("closure", "added"),
      changed: count("closure", "changed"),
      removed: count("closure", "removed")
    },
    changes: lines,
    off_sale: offSaleIds(lines)
  }
}
