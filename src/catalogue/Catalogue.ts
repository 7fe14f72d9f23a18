/** Reads the catalogue: playrooms with what is on sale in them. Each read is one query. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { PlayroomId } from "../kernel/Ids.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { type PlayroomText, cacheByPlayroom } from "./RowCache.ts"
import { type Closure, PackageNotFound, PlayroomNotFound, type PlayroomView, type Venue } from "./Playroom.ts"
import { ClosureRow, closureColumn, priceColumns, VenueRow, venueColumns, venueOf, ViewRow } from "./VenueRows.ts"
import { viewOf } from "./Views.ts"

/** The version of a playroom that was read, and when (milliseconds): by this process's clock after the read, and by the database's. */
export interface Reading {
  readonly version: string
  readonly at: Instant
  readonly database_at: number
}

/** A closure, and the playroom that is closed. */
export const PlayroomClosure = Schema.Struct({
  ...ClosureRow.fields,
  playroom_id: PlayroomId,
  playroom_name: Schema.String,
  time_zone: Schema.String
})
export type PlayroomClosure = typeof PlayroomClosure.Type

export class Catalogue extends Context.Service<
  Catalogue,
  {
    /**
     * A listed playroom, its operator, and its packages and add-ons on sale; also of an operator that may not sell (`sells` in
     * `Operator.ts`).
     */
    readonly venue: (playroom_id: string) => Effect.Effect<Venue, PlayroomNotFound | SqlError.SqlError>
    /** The same for several, by playroom id; unknown and unlisted ones are absent. */
    readonly venues: (
      playroom_ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Venue>, SqlError.SqlError>
    /** The venue that a package is on sale in. */
    readonly venueOfPackage: (
      package_id: string
    ) => Effect.Effect<{ readonly venue: Venue; readonly reading: Reading }, PackageNotFound | SqlError.SqlError>
    /** The version of a playroom, its operator, its packages and its add-ons: it changes with each of them. */
    readonly version: (playroom_id: string) => Effect.Effect<string | undefined, SqlError.SqlError>
    /** What `get_playroom` shows, with the next ten closures as far as bookings go. */
    readonly view: (playroom_id: string) => Effect.Effect<PlayroomView, PlayroomNotFound | SqlError.SqlError>
    /** Closures that touch [from, to), in order of start. */
    readonly closures: (
      playroom_id: string,
      from: Instant,
      to: Instant
    ) => Effect.Effect<ReadonlyArray<Closure>, SqlError.SqlError>
    /** Closures of all playrooms of an operator that touch [from, to), by playroom and start; at most `limit`. */
    readonly closuresOfOperator: (
      operator_id: string,
      from: Instant,
      to: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<PlayroomClosure>, SqlError.SqlError>
  }
>()("playroom/catalogue/Catalogue") {
  static readonly layer = Layer.effect(
    Catalogue,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = venueColumns(sql)
      const decodeVenue = Schema.decodeEffect(Schema.fromJsonString(VenueRow))
      const venueFrom = cacheByPlayroom((text) => Effect.map(Effect.orDie(decodeVenue(text)), venueOf))
      const decodeView = Schema.decodeEffect(Schema.fromJsonString(ViewRow))
      const viewFrom = cacheByPlayroom((text) =>
        Effect.map(Effect.orDie(decodeView(text)), (view) => viewOf(venueOf(view), view.closures, view))
      )
      /** Rows of listed playrooms as texts. */
      const texts = (selected: Statement.Fragment, which: Statement.Fragment) =>
        sql<PlayroomText>`select playroom_id, to_json(v)::text as text from (select ${selected}
          from playroom p join operator o using (operator_id) where ${which} and p.listed) v`
      const closureRows = decodeRows(Schema.Array(ClosureRow))
      const playroomClosures = decodeRows(Schema.Array(PlayroomClosure))

      const venues = Effect.fn("Catalogue.venues")(function* (playroom_ids: ReadonlyArray<string>) {
        const rows = yield* texts(columns, sql`p.playroom_id = any(${playroom_ids}::text[])`)
        const found = yield* Effect.forEach(rows, venueFrom)
        return new Map<string, Venue>(found.map((venue) => [venue.playroom.playroom_id, venue]))
      })

      const venue = Effect.fn("Catalogue.venue")(function* (playroom_id: string) {
        const [row] = yield* texts(columns, sql`p.playroom_id = ${playroom_id}`)
        if (row === undefined) return yield* new PlayroomNotFound({ playroom_id })
        return yield* venueFrom(row)
      })

      const venueOfPackage = Effect.fn("Catalogue.venueOfPackage")(function* (package_id: string) {
        // The version stands beside the text, which stays the one that `venue` has.
        const [row] = yield* sql<PlayroomText & Omit<Reading, "at">>`
          select playroom_id, to_json(v)::text as text, catalogue_version(playroom_id) as version,
            extract(epoch from clock_timestamp())::float8 * 1000 as database_at from (select ${columns}
          from playroom p join operator o using (operator_id)
          where p.playroom_id = (select playroom_id from package where package_id = ${package_id} and on_sale) and p.listed) v`
        if (row === undefined) return yield* new PackageNotFound({ package_id })
        const { database_at, version } = row
        const reading: Reading = { version, at: yield* Clock.currentTimeMillis, database_at }
        return { venue: yield* venueFrom(row), reading }
      })

      const version = Effect.fn("Catalogue.version")(function* (playroom_id: string) {
        const [row] = yield* sql<{
          readonly version: string | null
        }>`select catalogue_version(${playroom_id}) as version`
        return row?.version ?? undefined
      })

      const view = Effect.fn("Catalogue.view")(function* (playroom_id: string) {
        const now = yield* Clock.currentTimeMillis
        const [row] = yield* texts(
          sql`${columns}, ${closureColumn(sql, now)}, ${priceColumns(sql, now)}`,
          sql`p.playroom_id = ${playroom_id}`
        )
        if (row === undefined) return yield* new PlayroomNotFound({ playroom_id })
        return yield* viewFrom(row)
      })

      const closures = Effect.fn("Catalogue.closures")((playroom_id: string, from: Instant, to: Instant) =>
        closureRows(sql`select closure_id, lower(during) as start, upper(during) as "end", reason from closure
          where playroom_id = ${playroom_id} and during && tstzrange(${new Date(from)}::timestamptz, ${new Date(to)}::timestamptz)
          order by lower(during)`)
      )

      const closuresOfOperator = Effect.fn("Catalogue.closuresOfOperator")(
        (operator_id: string, from: Instant, to: Instant, limit: number) =>
          playroomClosures(sql`select c.closure_id, lower(c.during) as start, upper(c.during) as "end", c.reason, c.playroom_id,
              p.name as playroom_name, p.time_zone
            from closure c join playroom p on p.playroom_id = c.playroom_id
            where c.operator_id = ${operator_id} and c.during && tstzrange(${new Date(from)}::timestamptz, ${new Date(to)}::timestamptz)
            order by p.name collate "C", c.playroom_id, lower(c.during) limit ${limit}::int`)
      )

      return Catalogue.of({ venue, venues, venueOfPackage, version, view, closures, closuresOfOperator })
    })
  )
}
