/** What an import did, or would do; and how it can fail. */
import { Data, type Effect, Schema, Struct } from "effect"
import { CatalogueChange } from "./CatalogueChanges.ts"
import { type IdentifiedPlayroom, NamedBySlug } from "./CatalogueIds.ts"
import { BookingInTheWay } from "./CataloguePlaces.ts"
import { Changes } from "./CatalogueUpserts.ts"
import { DemoRemoved } from "./Demo.ts"

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

/** What was written of some playrooms. */
export type Written = Omit<
  Imported,
  "operators" | "changes" | "playrooms_not_in_file" | "demo" | "slugs" | "overridden" | "in_the_way"
> & {
  readonly changes: ReadonlyArray<{ readonly index: number; readonly changes: ReadonlyArray<CatalogueChange> }>
  readonly inTheWay: ReadonlyArray<BookingInTheWay>
}

const none: Changes = { added: 0, changed: 0, unchanged: 0 }
export const nothing: Written = {
  playrooms: none,
  packages: none,
  add_ons: none,
  closures: { added: 0, changed: 0, removed: 0 },
  changes: [],
  off_sale: [],
  inTheWay: []
}

const sum = (all: ReadonlyArray<Changes>): Changes =>
  all.reduce(
    (a, b) => ({ added: a.added + b.added, changed: a.changed + b.changed, unchanged: a.unchanged + b.unchanged }),
    none
  )

export const together = (all: ReadonlyArray<Written>): Written => {
  const closures = (which: "added" | "changed" | "removed") => all.reduce((count, it) => count + it.closures[which], 0)
  return {
    playrooms: sum(all.map(({ playrooms }) => playrooms)),
    packages: sum(all.map(({ packages }) => packages)),
    add_ons: sum(all.map(({ add_ons }) => add_ons)),
    closures: { added: closures("added"), changed: closures("changed"), removed: closures("removed") },
    changes: all.flatMap(({ changes }) => changes),
    off_sale: all.flatMap(({ off_sale }) => off_sale),
    inTheWay: all.flatMap(({ inTheWay }) => inTheWay)
  }
}

/** Of `total` rows some were written; the others are as they were. */
export const among = (total: number, { added, changed }: Changes): Changes => ({
  added,
  changed,
  unchanged: total - added - changed
})

/** What adding new playrooms will do, without doing it: nobody has booked there, so nothing is in the way. */
export const plannedAdding = (added: Written["changes"]): Written => {
  const count = (kind: CatalogueChange["kind"]) =>
    added.reduce((all, { changes }) => all + changes.filter((line) => line.kind === kind).length, 0)
  return {
    ...nothing,
    playrooms: { ...none, added: count("playroom") },
    packages: { ...none, added: count("package") },
    add_ons: { ...none, added: count("add_on") },
    closures: { ...nothing.closures, added: count("closure") },
    changes: added
  }
}

/** The ids that a dry run gives to what is new are not those that the import will give. */
export const withoutNewIds = (imported: Imported): Imported => ({
  ...imported,
  changes: imported.changes.map((line) => (line.change === "added" ? Struct.omit(line, ["id"]) : line)),
  slugs: imported.slugs.filter(({ added }) => !added)
})
