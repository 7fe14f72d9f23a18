/**
 * Reads the catalogue: playrooms and what they sell. Of what this process has read before, only the version is read
 * again.
 */

import { Clock, Context, Effect, Exit, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { sharedStatement } from "../../platform/concurrency/SharedReads.ts"
import { decodeRows, columnsOf } from "../../platform/database/Rows.ts"
import { PlayroomId, ClosureId, OperatorId } from "../../platform/ids/Ids.ts"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { Operator } from "./Operator.ts"
import { AddOn, Package } from "./Package.ts"
import {
  PackageNotFound,
  PlayroomNotFound,
  type PlayroomView,
  type Venue,
  Closure,
  PlayroomDetails,
  PlayroomColumns
} from "./Playroom.ts"
import { PriceSummary } from "./PriceSummary.ts"
import { viewOf } from "./Views.ts"

// Venues as one row each: the playroom, its operator, and what is on sale, joined by the database.

const columnNames = Struct.keys(PlayroomColumns.fields)

const NullOr = Schema.NullOr

/** An operator alone, from `operatorColumn`. */
export const OperatorRow = Schema.Struct({ operator: Operator })

const fields = {
  ...PlayroomColumns.fields,
  details: PlayroomDetails,
  packages: Schema.Array(Package),
  add_ons: Schema.Array(AddOn),
  operator: Operator
}

export const VenueRow = Schema.Struct(fields)
type VenueRow = typeof VenueRow.Type

/** The same with closures and lowest prices, for `get_playroom`. */
const ViewRow = Schema.Struct({
  ...fields,
  /** The lowest price of all, and those of packages and add-ons; null while they are derived anew. */
  from_price: NullOr(Schema.Int),
  from_price_for: NullOr(Schema.String),
  prices_told: NullOr(PriceSummary),
  closures: Schema.Array(
    Schema.Struct({ closure_id: ClosureId, start: Schema.Finite, end: Schema.Finite, reason: Schema.String })
  )
})

/** What to select `from operator o` for an `OperatorRow`. */
export const operatorColumn = `jsonb_strip_nulls(jsonb_build_object('operator_id', o.operator_id, 'name', o.name, 'support_email', o.support_email, 'phone', o.phone,
  'legal_name', o.legal_name, 'tax_number', o.tax_number, 'vouchers', o.vouchers,
  'connected_account_id', o.connected_account_id, 'billing_customer_id', o.billing_customer_id,
  'application_fee_percent', o.application_fee_percent, 'paid_through', floor(extract(epoch from o.paid_through) * 1000),
  'suspended_at', floor(extract(epoch from o.suspended_at) * 1000),
  'account_closed', case when o.closed_account = o.connected_account_id then
    jsonb_build_object('since', floor(extract(epoch from o.account_closed_at) * 1000), 'why', o.account_closed_because)
    end)) as operator`

/** What a booking has of the catalogue. */
export interface SoldWith {
  readonly playroom_id: string
  readonly package_id: string
  readonly add_on_ids: ReadonlyArray<string>
}

/**
 * What to select `from playroom p join operator o` for a `VenueRow`: what is on sale, and what a booking was sold with.
 */
export const venueColumns = (sql: SqlClient.SqlClient, of?: SoldWith) => sql`${sql.literal(`
${columnsOf(PlayroomColumns, "p")}, p.details,
(select coalesce(json_agg(k.terms order by k.position, k.package_id), '[]') from package k
  where k.playroom_id = p.playroom_id and (k.on_sale`)}${of === undefined ? sql`` : sql` or k.package_id = ${of.package_id}`})) as packages,
${sql.literal(`(select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('add_on_id', a.add_on_id, 'name', a.name, 'unit', a.unit,
  'unit_amount', a.unit_amount, 'tax', a.tax, 'max_quantity', a.max_quantity, 'stock', a.stock, 'uses', a.uses,
  'rules', nullif(a.rules, '[]'))) order by a.position, a.add_on_id), '[]') from add_on a
  where a.playroom_id = p.playroom_id and (a.on_sale`)}${of === undefined ? sql`` : sql` or a.add_on_id = any(${of.add_on_ids}::text[])`})) as add_ons,
${sql.literal(operatorColumn)}`

/** The next ten closures that have not ended at `now`, within the booking horizon of a playroom `p`. */
const nextClosures = (sql: SqlClient.SqlClient, now: Instant) => sql`
  (select closure_id, during, reason, xmin from closure where playroom_id = p.playroom_id and during && tstzrange(${new Date(now)}::timestamptz,
      ${new Date(now)}::timestamptz + ((p.details ->> 'max_advance_days')::int + 2) * interval '24 hours')
    order by lower(during) limit 10) c`

/** These in order, for a `ViewRow`. */
export const closureColumn = (sql: SqlClient.SqlClient, now: Instant) => sql`
(select coalesce(jsonb_agg(jsonb_build_object('closure_id', c.closure_id, 'start', floor(extract(epoch from lower(c.during)) * 1000),
  'end', floor(extract(epoch from upper(c.during)) * 1000), 'reason', c.reason) order by lower(c.during)), '[]')
  from ${nextClosures(sql, now)}) as closures`

/** Whether the lowest prices of a playroom `p`, and their words, are right at `now`. */
export const pricesHold = (sql: SqlClient.SqlClient, now: Instant) =>
  sql`(p.from_price_until > ${new Date(now)}::timestamptz and p.told_until is not distinct from p.derived_until)`

/** The lowest prices valid at `now`, for a `ViewRow`. */
export const priceColumns = (sql: SqlClient.SqlClient, now: Instant) => {
  const holding = pricesHold(sql, now)
  return sql`case when ${holding} then p.from_price end as from_price, p.from_price_for,
case when ${holding} then p.prices_told end as prices_told`
}

/**
 * The version of a `ViewRow` of a playroom `p` at `now`: of the venue, the closures, and whether the lowest prices
 * hold.
 */
export const viewVersion = (
  sql: SqlClient.SqlClient,
  now: Instant
) => sql`concat_ws(' ', catalogue_version(p.playroom_id),
  (select string_agg(concat_ws(' ', c.closure_id, c.xmin), ' ' order by lower(c.during)) from ${nextClosures(sql, now)}),
  ${pricesHold(sql, now)})`

export const venueOf = (row: VenueRow): Venue => ({
  playroom: { ...Struct.pick(row, columnNames), ...row.details },
  operator: row.operator,
  packages: row.packages,
  add_ons: row.add_ons
})

// What this process has made of playrooms' rows. Every call asks the database whether they are still of the same
// version, so no value is stale, and reads and decodes only those that are not. A transaction that changes a row twice
// must not read it here in between: both have its number. Effect's `Cache` can't do this: it expires by time, not by
// content.

/** The version of what a row is made from: equal versions mean equal rows. */
export interface RowVersion {
  readonly playroom_id: string
  readonly version: string
}

/** A row as JSON text. */
interface RowText extends RowVersion {
  readonly text: string
}

/** Keeps what `make` makes of rows, for the latest `most` playrooms. Callers share it, so they must not change it. */
export const keepRows = <A, E>(make: (text: string) => Effect.Effect<A, E>, most = 500) => {
  const kept = new Map<string, { readonly version: string; readonly made: A }>()

  /** What a row of this version gave; undefined if that is not kept. */
  const known = ({ playroom_id, version }: RowVersion): A | undefined => {
    const before = kept.get(playroom_id)
    return before?.version === version ? before.made : undefined
  }

  /** What a row gives. */
  const from = (row: RowText): Effect.Effect<A, E> => {
    const { playroom_id, text, version } = row
    const before = known(row)
    if (before !== undefined) return Effect.succeed(before)
    return Effect.map(make(text), (made) => {
      kept.delete(playroom_id)
      for (const oldest of kept.keys()) {
        if (kept.size < most) break
        kept.delete(oldest)
      }
      kept.set(playroom_id, { version, made })
      return made
    })
  }

  /**
   * What the rows of playrooms give, by playroom id; those that have none are absent. `versionsOf` gets what was made
   * of them before, so that one statement can read more beside their versions.
   */
  const read = Effect.fnUntraced(function* <E2>(
    playroom_ids: ReadonlyArray<string>,
    versionsOf: (before: ReadonlyMap<string, A>) => Effect.Effect<ReadonlyArray<RowVersion>, E2>,
    rowsOf: (playroom_ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<RowText>, E2>
  ): Effect.fn.Return<ReadonlyMap<string, A>, E | E2> {
    const before = new Map(
      playroom_ids.flatMap((id) => {
        const one = kept.get(id)
        return one === undefined ? [] : [[id, one] as const]
      })
    )
    const known = new Map(Array.from(before, ([id, { made }]) => [id, made] as const))
    const unknown = playroom_ids.filter((id) => !before.has(id))
    const found = new Map<string, A>()
    const readRows = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
      if (ids.length > 0) for (const row of yield* rowsOf(ids)) found.set(row.playroom_id, yield* from(row))
    })
    const [versions] = yield* Effect.all(
      [known.size === 0 ? Effect.succeed([]) : versionsOf(known), readRows(unknown)],
      { concurrency: "unbounded" }
    )
    const now = new Map(versions.map(({ playroom_id, version }) => [playroom_id, version]))
    for (const [id, { made, version }] of before) if (now.get(id) === version) found.set(id, made)
    yield* readRows([...known.keys()].filter((id) => !found.has(id)))
    return found
  })

  return { from, known, read }
}

/**
 * The version of a playroom as read, and the time of the read in milliseconds: by this process's clock after the read,
 * and by the database's clock.
 */
export interface Reading {
  readonly version: string
  readonly at: Instant
  readonly database_at: number
}

/** A venue, and the read that it comes from. */
interface VenueReading {
  readonly venue: Venue
  readonly reading: Reading
}

/** A venue with what a booking was sold with, of which these add-ons have left the catalogue. */
export interface VenueAsSold extends VenueReading {
  readonly left: ReadonlyArray<string>
}

/** A venue, and its view for `get_playroom`. */
export interface ShownVenue {
  readonly venue: Venue
  readonly view: PlayroomView
}

const AsSoldRow = Schema.Struct({ ...fields, left: Schema.Array(Schema.String) })

/** Views that one statement reads. */
const maxViews = 32

/** So many playrooms of an operator are chosen from at its desk. */
const maxOfOperator = 200

/** A closure with its playroom, or stock that is out of order, with a playroom that has it. */
export const PlayroomClosure = Schema.Struct({
  ...Closure.fields,
  operator_id: OperatorId,
  playroom_id: PlayroomId,
  /** The playroom's; or how many are out of order of what: `2 × Bubble machine`. */
  playroom_name: Schema.String,
  time_zone: Schema.String,
  /** What is out of order; null: the playroom is closed. */
  resource_id: Schema.NullOr(Schema.String),
  /** Who at the venue closed this time; null: the catalogue file does. */
  made_by: Schema.NullOr(Schema.String)
})
export type PlayroomClosure = typeof PlayroomClosure.Type

/** Which closures; conditions are joined by "and". */
export interface ClosuresOf {
  readonly operator_id?: string
  readonly playroom_id?: string
  readonly closure_id?: string
  /** Only those after this one. */
  readonly after?: Pick<PlayroomClosure, "closure_id" | "playroom_id" | "start">
}

/** An add-on, whether or not it is still sold. */
const NamedAddOn = Schema.Struct(Struct.pick(AddOn.fields, ["add_on_id", "name", "unit"]))
export type NamedAddOn = typeof NamedAddOn.Type

const unitRows = decodeRows(Schema.Array(Schema.Struct({ resource_id: Schema.String, units: Schema.Int })))
const addOnRows = decodeRows(Schema.Array(NamedAddOn))

export class Catalogue extends Context.Service<
  Catalogue,
  {
    /**
     * A listed playroom, its operator, and its packages and add-ons on sale. Includes operators that may not sell
     * (`sells` in `Operator.ts`).
     */
    readonly venue: (playroom_id: string) => Effect.Effect<Venue, PlayroomNotFound | SqlError.SqlError>
    /**
     * The same for several, by playroom id. Unknown and unlisted ones are absent. `versionsOf` reads the versions
     * (`catalogue_versions` in `sql/`) of those that this process has read before, for a caller with more to read of
     * them.
     */
    readonly venues: (
      playroom_ids: ReadonlyArray<string>,
      versionsOf?: (before: ReadonlyMap<string, Venue>) => Effect.Effect<ReadonlyArray<RowVersion>, SqlError.SqlError>
    ) => Effect.Effect<ReadonlyMap<string, Venue>, SqlError.SqlError>
    /**
     * The listed venues of a playroom's operator: that playroom, then those of its city, each by name; at most `limit`.
     * `only`: none but this one.
     */
    readonly ofSameOperator: (
      playroom_id: string,
      limit: number,
      only?: string
    ) => Effect.Effect<ReadonlyArray<Venue>, SqlError.SqlError>
    /** Names and units of add-ons, also of those that are not sold any more. Unknown ones are absent. */
    readonly addOns: (add_on_ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<NamedAddOn>, SqlError.SqlError>
    /** The same of an operator, by name; at most `maxOfOperator`. */
    readonly venuesOfOperator: (operator_id: string) => Effect.Effect<ReadonlyArray<Venue>, SqlError.SqlError>
    /** The venue that sells a package. */
    readonly venueOfPackage: (package_id: string) => Effect.Effect<VenueReading, PackageNotFound | SqlError.SqlError>
    /**
     * The venue of a booking: with what it was sold with, on sale or not, and in a room that may be unlisted. A booking
     * refers to its package, so there is one.
     */
    readonly venueAsSold: (of: SoldWith) => Effect.Effect<VenueAsSold, SqlError.SqlError>
    /** The version of a playroom. It changes with the playroom, its operator, its packages and its add-ons. */
    readonly version: (playroom_id: string) => Effect.Effect<string | undefined, SqlError.SqlError>
    /** The view, and the venue that it was made of. */
    readonly shown: (playroom_id: string) => Effect.Effect<ShownVenue, PlayroomNotFound | SqlError.SqlError>
    /** The view for `get_playroom`, with the next ten closures within the booking horizon. */
    readonly view: (playroom_id: string) => Effect.Effect<PlayroomView, PlayroomNotFound | SqlError.SqlError>
    /** Closures that overlap [from, to), in order of start. */
    readonly closures: (
      playroom_id: string,
      from: Instant,
      to: Instant
    ) => Effect.Effect<ReadonlyArray<Closure>, SqlError.SqlError>
    /** Closures that overlap [from, to), by playroom and start; at most `limit`. */
    readonly closuresOf: (
      of: ClosuresOf,
      from: Instant,
      to: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<PlayroomClosure>, SqlError.SqlError>
    /**
     * How many units there are of each room and each stock of a playroom, or of an operator; by id, at most `limit`.
     */
    readonly unitsOf: (
      of: Pick<ClosuresOf, "operator_id" | "playroom_id">,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly resource_id: string; readonly units: number }>, SqlError.SqlError>
  }
>()("playroom/catalogue/Catalogue") {
  static readonly layer = Layer.effect(
    Catalogue,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = venueColumns(sql)
      const venueVersion = sql`catalogue_version(p.playroom_id)`
      const decodeVenue = Schema.decodeEffect(Schema.fromJsonString(VenueRow))
      const knownVenues = keepRows((text) => Effect.map(Effect.orDie(decodeVenue(text)), venueOf))
      const decodeView = Schema.decodeEffect(Schema.fromJsonString(ViewRow))
      const knownViews = keepRows((text) =>
        Effect.map(Effect.orDie(decodeView(text)), (row): ShownVenue => {
          const venue = venueOf(row)
          return { venue, view: viewOf(venue, row.closures, row) }
        })
      )
      /** Rows of playrooms as texts. Without `offset` the version would be asked for twice. */
      const textsOf = (selected: Statement.Fragment, version: Statement.Fragment, which: Statement.Fragment) =>
        sql<RowText>`select playroom_id, version, to_json(v)::text as text from (select ${selected}, ${version} as version
          from playroom p join operator o using (operator_id) where ${which} offset 0) v`
      /** Those of listed ones. */
      const texts = (selected: Statement.Fragment, version: Statement.Fragment, which: Statement.Fragment) =>
        textsOf(selected, version, sql`${which} and p.listed`)
      const ofThese = (playroom_ids: ReadonlyArray<string>) =>
        sql`p.playroom_id = any((select ${playroom_ids}::text[])::text[])`
      const versions = (version: Statement.Fragment, playroom_ids: ReadonlyArray<string>) =>
        sql<RowVersion>`select playroom_id, ${version} as version from playroom p where ${ofThese(playroom_ids)}`
      const closureRows = decodeRows(Schema.Array(Closure))
      const playroomClosures = decodeRows(Schema.Array(PlayroomClosure))

      const venueVersions = (before: ReadonlyMap<string, Venue>) =>
        sql<RowVersion>`select playroom_id, version from catalogue_versions(${[...before.keys()]}::text[])`
      const venues: Catalogue["Service"]["venues"] = Effect.fn("Catalogue.venues")(
        (playroom_ids, versionsOf = venueVersions) =>
          knownVenues.read(playroom_ids, versionsOf, (ids) => texts(columns, venueVersion, ofThese(ids)))
      )

      const venuesOfOperator = Effect.fn("Catalogue.venuesOfOperator")(function* (operator_id: string) {
        const rows = yield* texts(
          columns,
          venueVersion,
          sql`p.playroom_id in (select playroom_id from playroom where operator_id = ${operator_id} and listed
            order by name collate "C", playroom_id limit ${maxOfOperator}::int)`
        )
        const found = yield* Effect.forEach(rows, knownVenues.from)
        return found.toSorted((one, other) => (one.playroom.name < other.playroom.name ? -1 : 1))
      })

      const venue = Effect.fn("Catalogue.venue")(function* (playroom_id: string) {
        const found = (yield* venues([playroom_id])).get(playroom_id)
        return found ?? (yield* new PlayroomNotFound({ playroom_id }))
      })

      const ofSameOperator = Effect.fn("Catalogue.ofSameOperator")(function* (
        playroom_id: string,
        limit: number,
        only?: string
      ) {
        const rows = yield* sql<{ readonly playroom_id: string }>`select p.playroom_id from playroom own
          join playroom p on p.operator_id = own.operator_id and p.listed
            and p.playroom_id = coalesce(${only ?? null}::text, p.playroom_id)
          where own.playroom_id = ${playroom_id}
          order by p.playroom_id <> own.playroom_id, p.city <> own.city, p.name collate "C", p.playroom_id limit ${limit}::int`
        const ids = rows.map((row) => row.playroom_id)
        const found = yield* venues(ids)
        return ids.flatMap((id) => found.get(id) ?? [])
      })

      const addOns = Effect.fn("Catalogue.addOns")((add_on_ids: ReadonlyArray<string>) =>
        addOnRows(sql`select add_on_id, name, unit from add_on where add_on_id = any(${add_on_ids}::text[])`)
      )

      /** One row, and its read. */
      const reading = Effect.fnUntraced(function* <Row extends RowVersion>(rows: Statement.Statement<Row>) {
        const [row] = yield* sql<Row & Pick<Reading, "database_at">>`
          select *, extract(epoch from clock_timestamp())::float8 * 1000 as database_at from (${rows}) r`
        if (row === undefined) return undefined
        const { database_at, version } = row
        return { row, reading: { version, at: yield* Clock.currentTimeMillis, database_at } satisfies Reading }
      })

      const venueOfPackage = Effect.fn("Catalogue.venueOfPackage")(function* (package_id: string) {
        const which = sql`p.playroom_id = (select playroom_id from package where package_id = ${package_id} and on_sale)`
        const now = yield* reading(
          sql<RowVersion>`select p.playroom_id, ${venueVersion} as version from playroom p where ${which} and p.listed`
        )
        if (now === undefined) return yield* new PackageNotFound({ package_id })
        const known = knownVenues.known(now.row)
        if (known !== undefined) return { venue: known, reading: now.reading } satisfies VenueReading
        const found = yield* reading(texts(columns, venueVersion, which))
        if (found === undefined) return yield* new PackageNotFound({ package_id })
        return { venue: yield* knownVenues.from(found.row), reading: found.reading } satisfies VenueReading
      })

      const decodeAsSold = Schema.decodeEffect(Schema.fromJsonString(AsSoldRow))
      const venueAsSold = Effect.fn("Catalogue.venueAsSold")(function* (of: SoldWith) {
        const { add_on_ids, package_id, playroom_id } = of
        const sold = yield* venueOfPackage(package_id).pipe(
          Effect.asSome,
          Effect.catchTag("PackageNotFound", () => Effect.succeedNone)
        )
        const isSold = (id: string) =>
          Option.isSome(sold) && sold.value.venue.add_ons.some(({ add_on_id }) => add_on_id === id)
        if (Option.isSome(sold) && add_on_ids.every(isSold)) return { ...sold.value, left: [] } satisfies VenueAsSold
        const selected = sql`${venueColumns(sql, of)}, (select coalesce(json_agg(a.add_on_id), '[]') from add_on a
          where a.add_on_id = any(${add_on_ids}::text[]) and not a.on_sale) as "left"`
        const found = yield* reading(textsOf(selected, venueVersion, sql`p.playroom_id = ${playroom_id}`))
        if (found === undefined) return yield* Effect.die(new PlayroomNotFound({ playroom_id }))
        const row = yield* Effect.orDie(decodeAsSold(found.row.text))
        return { venue: venueOf(row), reading: found.reading, left: row.left } satisfies VenueAsSold
      })

      const version = Effect.fn("Catalogue.version")(function* (playroom_id: string) {
        const [row] = yield* sql<{
          readonly version: string | null
        }>`select catalogue_version(${playroom_id}) as version`
        return row?.version ?? undefined
      })

      // Composed once, with any time and any ids: they are the most frequent reads, and only their values change.
      const composed = <Row extends RowVersion>(statement: Statement.Statement<Row>) => {
        const [text, values] = statement.compile()
        return (playroom_ids: ReadonlyArray<string>, now: Instant) =>
          sql.unsafe<Row>(
            text,
            values.map((value) => (value instanceof Date ? new Date(now) : playroom_ids))
          )
      }
      const viewVersions = composed(versions(viewVersion(sql, 0), []))
      const viewTexts = composed(
        texts(sql`${columns}, ${closureColumn(sql, 0)}, ${priceColumns(sql, 0)}`, viewVersion(sql, 0), ofThese([]))
      )
      const readViews = Effect.fnUntraced(function* (playroom_ids: ReadonlyArray<string>) {
        const now = yield* Clock.currentTimeMillis
        const views = yield* knownViews.read(
          [...new Set(playroom_ids)],
          (before) => viewVersions([...before.keys()], now),
          (ids) => viewTexts(ids, now)
        )
        return playroom_ids.map((playroom_id) => {
          const view = views.get(playroom_id)
          return view === undefined ? Exit.fail(new PlayroomNotFound({ playroom_id })) : Exit.succeed(view)
        })
      })
      // A statement for each call would be most of what a call costs.
      const sharedView = sharedStatement<string, ShownVenue, PlayroomNotFound | SqlError.SqlError>(
        { name: "Catalogue.views", most: maxViews, sql },
        readViews
      )
      // `Effect.fn` takes a stack trace for each call.
      const shown = (playroom_id: string) =>
        sharedView(playroom_id).pipe(Effect.withSpan("Catalogue.view", {}, { captureStackTrace: false }))
      const view = (playroom_id: string) => Effect.map(shown(playroom_id), (one) => one.view)

      const closures = Effect.fn("Catalogue.closures")((playroom_id: string, from: Instant, to: Instant) =>
        closureRows(sql`select closure_id, lower(during) as start, upper(during) as "end", reason from closure
          where playroom_id = ${playroom_id} and during && tstzrange(${new Date(from)}::timestamptz, ${new Date(to)}::timestamptz)
          order by lower(during)`)
      )

      const closuresOf = Effect.fn("Catalogue.closuresOf")(
        ({ after, closure_id, operator_id, playroom_id }: ClosuresOf, from: Instant, to: Instant, limit: number) =>
          playroomClosures(sql`select c.closure_id, lower(c.during) as start, upper(c.during) as "end", c.reason, c.playroom_id,
              coalesce(c.stock_name, p.name) as playroom_name, p.time_zone, c.made_by, c.operator_id, c.resource_id
            from (select closure_id, operator_id, playroom_id, during, reason, made_by, null as resource_id, null as stock_name from closure
              union all select s.closure_id, s.operator_id, n.playroom_id, s.during, s.reason, s.made_by, s.resource_id, s.units || ' × ' || n.name
                from out_of_order s cross join lateral (select a.playroom_id, a.name from add_on a join playroom p using (playroom_id)
                  where coalesce(a.uses, a.add_on_id) = s.resource_id
                    and ${playroom_id === undefined ? sql`true` : sql`a.playroom_id = ${playroom_id}`}
                  order by a.add_on_id is distinct from s.add_on_id, p.name collate "C", a.add_on_id limit 1) n) c
              join playroom p on p.playroom_id = c.playroom_id
            where ${operator_id === undefined ? sql`true` : sql`c.operator_id = ${operator_id}`}
              and ${playroom_id === undefined ? sql`true` : sql`c.playroom_id = ${playroom_id}`}
              and ${closure_id === undefined ? sql`true` : sql`c.closure_id = ${closure_id}`} and c.during && tstzrange(${new Date(from)}::timestamptz, ${new Date(to)}::timestamptz)
              and ${
                after === undefined
                  ? sql`true`
                  : sql`(p.name collate "C", c.playroom_id, lower(c.during), c.closure_id) >
                ((select name from playroom where playroom_id = ${after.playroom_id}) collate "C", ${after.playroom_id}, ${new Date(after.start)}::timestamptz, ${after.closure_id})`
              }
            order by p.name collate "C", c.playroom_id, lower(c.during), c.closure_id limit ${limit}::int`)
      )

      const unitsOf = Effect.fn("Catalogue.unitsOf")(
        ({ operator_id, playroom_id }: Pick<ClosuresOf, "operator_id" | "playroom_id">, limit: number) =>
          unitRows(sql`select r.resource_id, r.units from resource r
            where ${operator_id === undefined ? sql`true` : sql`r.operator_id = ${operator_id}`}
              and ${
                playroom_id === undefined
                  ? sql`true`
                  : sql`(r.playroom_id = ${playroom_id} or r.playroom_id is null
                and r.operator_id = (select operator_id from playroom where playroom_id = ${playroom_id}))`
              }
            order by r.resource_id limit ${limit}::int`)
      )

      return Catalogue.of({
        venue,
        venues,
        ofSameOperator,
        addOns,
        venuesOfOperator,
        venueOfPackage,
        venueAsSold,
        version,
        shown,
        view,
        closures,
        closuresOf,
        unitsOf
      })
    })
  )
}
