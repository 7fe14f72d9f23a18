/** The result of an import or a dry run, and its errors. */
import { Data, Effect, Schema, Clock } from "effect"
import { type Instant, shortDateTime } from "../../platform/time/LocalTime.ts"
import type { Outcome } from "../../platform/concurrency/Outcomes.ts"
import { CatalogueChange } from "./CatalogueChanges.ts"
import { type IdentifiedPlayroom, NamedBySlug, type IdentifiedCatalogue } from "./CatalogueIds.ts"
import { BookingInTheWay } from "./CataloguePlaces.ts"
import type { CatalogueJson } from "./CatalogueSchema.ts"
import type { SqlClient } from "effect/sql"
import { lockingInOrder } from "../availability/Occupancy.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import demo from "./demo.json" with { type: "json" }

// The demo of a new database. The first catalogue of an owner's own removes it; its bookings stay.

const operators = new Set(demo.operators.map(({ operator_id }) => operator_id))
/** Its playrooms, by id. */
export const demoPlayrooms: ReadonlyArray<string> = demo.playrooms.map(({ playroom_id }) => playroom_id)

/** The number of demo playrooms removed, and of those only unlisted because they have bookings. */
export const DemoRemoved = Schema.Struct({ removed: Schema.Int, unlisted: Schema.Int })
export type DemoRemoved = typeof DemoRemoved.Type

const idRows = decodeRows(Schema.Array(Schema.Struct({ id: Schema.String })))

/** Whether a start may load the demo: the database is empty, and nobody removed the demo. */
export const mayLoadDemo = (sql: SqlClient.SqlClient) =>
  Effect.map(sql`select 1 from operator union all select 1 from demo_removal limit 1`, (some) => some.length === 0)

/** Lets starts load the demo again. */
export const forgetDemoRemoval = (sql: SqlClient.SqlClient) => sql`delete from demo_removal`

/** Whether this is the first import of an operator outside the demo. Call it before the import writes operators. */
export const isFirstOwnCatalogue = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  catalogue: IdentifiedCatalogue
) {
  if (catalogue.operators.every(({ operator_id }) => operators.has(operator_id))) return false
  const others = yield* sql`select 1 from operator where not operator_id = any(${[...operators]}::text[]) limit 1`
  return others.length === 0
})

/** Locks what can be booked of the demo, all with one statement: from here on nobody can book there. */
export const lockDemo = (sql: SqlClient.SqlClient) =>
  sql`select 1 from resource where playroom_id = any(${demoPlayrooms}::text[]) ${sql.literal(lockingInOrder)}`

/**
 * Removes the demo's playrooms and operators in the caller's transaction, except those in `kept`. A playroom with
 * bookings is unlisted: it sells nothing more, and its bookings stay unchanged.
 */
export const removeDemo = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  kept: IdentifiedCatalogue = { operators: [], playrooms: [] }
) {
  const now = yield* Clock.currentTimeMillis
  const named = new Set<string>(kept.playrooms.map(({ playroom_id }) => playroom_id))
  const gone = demoPlayrooms.filter((playroom_id) => !named.has(playroom_id))
  yield* sql`insert into demo_removal (removed_at) values (${new Date(now)}) on conflict (only_one) do nothing`
  yield* lockDemo(sql)
  const unlisted = yield* idRows(sql`update playroom p set listed = false, updated_at = ${new Date(now)}::timestamptz
    where p.playroom_id = any(${gone}::text[]) and p.listed and exists (select from booking b where b.playroom_id = p.playroom_id)
    returning p.playroom_id as id`)
  const removed = yield* idRows(sql`select playroom_id as id from playroom p where p.playroom_id = any(${gone}::text[])
    and not exists (select from booking b where b.playroom_id = p.playroom_id)`)
  const ids = removed.map(({ id }) => id)
  yield* sql`delete from slug where parent_id = any(${ids}::text[]) or id = any(${ids}::text[])`
  yield* sql`delete from occupancy o using resource r where o.resource_id = r.resource_id and r.playroom_id = any(${ids}::text[])`
  yield* sql`delete from closure where playroom_id = any(${ids}::text[])`
  yield* sql`delete from resource where playroom_id = any(${ids}::text[])`
  yield* sql`delete from waiting where playroom_id = any(${ids}::text[])`
  yield* sql`delete from search_visit where playroom_id = any(${ids}::text[])`
  yield* sql`delete from add_on where playroom_id = any(${ids}::text[])`
  yield* sql`delete from package where playroom_id = any(${ids}::text[])`
  yield* sql`delete from playroom where playroom_id = any(${ids}::text[])`
  const stays = new Set<string>(kept.operators.map(({ operator_id }) => operator_id))
  const idle = yield* idRows(sql`select operator_id as id from operator o
    where o.operator_id = any(${[...operators].filter((operator_id) => !stays.has(operator_id))}::text[])
      and not exists (select from playroom p where p.operator_id = o.operator_id)
      and not exists (select from api_key k where k.operator_id = o.operator_id)
      and not exists (select from voucher v where v.operator_id = o.operator_id)
      and not exists (select from voucher_sale s where s.operator_id = o.operator_id)`)
  const idleIds = idle.map(({ id }) => id)
  yield* sql`delete from operator_history where operator_id = any(${idleIds}::text[])`
  yield* sql`delete from operator where operator_id = any(${idleIds}::text[])`
  const found: DemoRemoved = { removed: ids.length, unlisted: unlisted.length }
  return found
})

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
  /** The number of bookings to come that have something of these, or a playroom that the file no longer lists. */
  living_on: Schema.Int,
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
   * For a database that serves nobody during a transaction: many playrooms are written in steps, each whole, after all
   * that they share. Whether bookings are in the way is decided before the first. If the import is interrupted, the next
   * import of the file writes the others.
   */
  readonly inSteps?: boolean
  /** Called as playrooms are done. */
  readonly progress?: (done: number, of: number) => Effect.Effect<void>
}

/** Rolls a dry run back. */
export class DryRun extends Data.TaggedError("DryRun")<{ readonly planned: () => Imported }> {
  override readonly message = "It was a dry run: nothing was changed."
}

/** Playrooms that are written in one step: their places in the list of those that differ, from 1. */
export interface ImportStep {
  readonly first: number
  readonly last: number
}

/** Playrooms were written in steps, and one failed. `imported`: what was written. */
export class ImportUnfinished extends Data.TaggedError("ImportUnfinished")<{
  readonly written: number
  readonly of: number
  readonly outcomes: ReadonlyArray<Outcome<ImportStep>>
  readonly imported: Imported
}> {
  override get message(): string {
    return `The import stopped: ${this.written} of ${this.of} playrooms were written, each with all that it has. Import the file again for the others.`
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

const countRows = decodeRows(Schema.Tuple([Schema.Struct({ bookings: Schema.Int })]))

/** The number of bookings to come that have something that leaves the catalogue by these changes. They keep it. */
export const livingOn = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  lines: ReadonlyArray<CatalogueChange>,
  now: Instant
) {
  const unlisted = lines.flatMap(({ fields, id, kind }) =>
    kind === "playroom" && fields.some(({ becomes, field }) => field === "listed" && becomes === "false")
      ? (id ?? [])
      : []
  )
  const left = [...offSaleIds(lines), ...unlisted]
  if (left.length === 0) return 0
  const [{ bookings }] = yield* countRows(sql`select count(*)::int as bookings from booking b
    where b.playroom_id in (select playroom_id from package where package_id = any(${left}::text[])
        union all select playroom_id from add_on where add_on_id = any(${left}::text[]) union all select unnest(${unlisted}::text[]))
      and b.starts_at > ${new Date(now)}::timestamptz and b.status in ('held', 'confirmed')
      and not has_lapsed(b, ${new Date(now)}::timestamptz)
      and (b.package_id = any(${left}::text[]) or b.playroom_id = any(${unlisted}::text[]) or exists (
        select from jsonb_array_elements(b.terms -> 'add_ons') a where a ->> 'add_on_id' = any(${left}::text[])))`)
  return bookings
})

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
