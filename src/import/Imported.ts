/** What an import did, or would do; and how it can fail. */
import { Data, type Effect, Schema } from "effect"
import { CatalogueChange } from "./CatalogueChanges.ts"
import { type IdentifiedPlayroom, NamedBySlug } from "./CatalogueIds.ts"
import { BookingInTheWay } from "./CataloguePlaces.ts"
import type { CatalogueJson } from "./CatalogueSchema.ts"
import { DemoRemoved } from "./Demo.ts"

/** How many rows an import added, changed, and found as they were. */
const Changes = Schema.Struct({ added: Schema.Int, changed: Schema.Int, unchanged: Schema.Int })

/** What an import did, or would do. Playrooms and operators that the file does not name stay as they are; the playrooms are listed. */
export const Imported = Schema.Struct({
  operators: Changes,
  playrooms: Changes,
  packages: Changes,
  add_ons: Changes,
  closures: Schema.Struct({ added: Schema.Int, changed: Schema.Int, removed: Schema.Int }),
  /** All that is added or changed, field by field, in the order of the file. */
  changes: Schema.Array(CatalogueChange),
  /** Ids that went off sale because the file no longer has them. */
  off_sale: Schema.Array(Schema.String),
  playrooms_not_in_file: Schema.Array(Schema.String),
  /** The ids of all that the file names by slugs. What is new gets its id from the import: a dry run leaves it out. */
  slugs: Schema.Array(NamedBySlug),
  /** What became of the demo, where it stepped aside. */
  demo: DemoRemoved,
  /** Bookings that the import was forced past; they keep their places. */
  overridden: Schema.Array(BookingInTheWay),
  /** Of a dry run: bookings because of which an import would be refused, unless it is forced. */
  in_the_way: Schema.Array(BookingInTheWay)
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

export interface ImportOptions {
  /** Past bookings in the way, which keep their places. */
  readonly force?: boolean
  /** Answers what an import would do, and changes nothing. */
  readonly dryRun?: boolean
  /** Leaves the demo as it is, where this is the first catalogue of one's own. */
  readonly keepDemo?: boolean
  /**
   * Adds new playrooms, where they are many, some at a time after all else: for a database that answers nobody during a transaction.
   * Each is written whole; where that is interrupted, the next import of the file adds the others.
   */
  readonly inSteps?: boolean
  /** Called as playrooms are done. */
  readonly progress?: (done: number, of: number) => Effect.Effect<void>
}

/** Rolls a dry run back. */
export class DryRun extends Data.TaggedError("DryRun")<{ readonly imported: Imported }> {
  override get message(): string {
    return "It was a dry run: nothing was changed."
  }
}

/** The database failed while new playrooms were added in steps. */
export class ImportUnfinished extends Schema.TaggedError<ImportUnfinished>()("ImportUnfinished", {
  added: Schema.Int,
  of: Schema.Int,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `The import stopped: ${this.added} of ${this.of} new playrooms were added, each with all that it has. Import the file again for the others.`
  }
}

/** A playroom and its place in the file. */
export interface Numbered {
  readonly playroom: IdentifiedPlayroom
  readonly index: number
}

/** What was written of some playrooms, or would be. */
export interface Written {
  readonly changes: ReadonlyArray<Numbered & { readonly lines: ReadonlyArray<CatalogueChange>; readonly row: boolean }>
  readonly inTheWay: ReadonlyArray<BookingInTheWay>
}

export const together = (all: ReadonlyArray<Written>): Written => ({
  changes: all.flatMap(({ changes }) => changes),
  inTheWay: all.flatMap(({ inTheWay }) => inTheWay)
})

/** The ids of packages and add-ons that go off sale. */
export const idsOff = (lines: ReadonlyArray<CatalogueChange>): ReadonlyArray<string> =>
  lines.flatMap(({ change, id }) => (change === "off_sale" ? (id ?? []) : []))

/** What an import of `content` did, or would do, by what it changes. */
export const counted = (
  { operators, playrooms }: CatalogueJson,
  operatorLines: ReadonlyArray<CatalogueChange>,
  { changes }: Written
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
    off_sale: idsOff(lines)
  }
}
