/** What is closed and taken in playrooms, read in one statement and by playroom. */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Reading, RowVersion } from "../catalogue/Catalogue.ts"
import { ClosureId } from "../../platform/ids/Ids.ts"
import { type Instant, InstantFromDate } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import type { Calendar } from "./Availability.ts"
import { parseUnits, type Taken } from "./Units.ts"

const takenRows = decodeRows(
  Schema.Array(
    Schema.Struct({
      playroom_id: Schema.String,
      kind: Schema.Literals(["taken", "closure", "read"]),
      id: Schema.String,
      units: Schema.String,
      starts: InstantFromDate,
      ends: InstantFromDate,
      reason: Schema.String,
      lapsed_booking: Schema.NullOr(Schema.String)
    })
  )
)

/**
 * A calendar without the places of lapsed holds. `lapsed`: the bookings that still have those places; release them
 * first.
 */
export interface ClaimableCalendar extends Calendar {
  readonly lapsed: ReadonlyArray<string>
}

/** A calendar with the version of its playroom, read at one moment. */
interface VersionedCalendar extends ClaimableCalendar, RowVersion {}

/** A calendar, and when and of which version of the catalogue it was read. */
interface CalendarReading {
  readonly calendar: ClaimableCalendar
  readonly reading: Reading
}

/**
 * What a plan does before one of its bookings is decided: these leave their places, and these units are taken by
 * resource.
 */
export interface PlannedPlaces {
  readonly left: ReadonlySet<string>
  readonly taken: ReadonlyMap<string, ReadonlyArray<Taken>>
}

/** How calendars are read; a part of `Occupancy`. */
export interface CalendarReads {
  /**
   * Closures and occupied units of playrooms between two instants of each, by playroom, with the stock that they share
   * with others. Places of holds that lapsed by `now` are free, except while another calendar is busy, to which they
   * go.
   */
  readonly calendars: (
    times: ReadonlyMap<string, readonly [from: Instant, to: Instant]>,
    now: Instant
  ) => Effect.Effect<ReadonlyMap<string, VersionedCalendar>, SqlError.SqlError>
  /**
   * The same for one playroom. If a booking is to be rescheduled, its own places are left out. `planned`: as it will be
   * after a plan has done that.
   */
  readonly calendar: (
    playroom_id: string,
    from: Instant,
    to: Instant,
    now: Instant,
    except?: string,
    planned?: PlannedPlaces
  ) => Effect.Effect<ClaimableCalendar, SqlError.SqlError>
  /** The same with the playroom's version, read at one moment. */
  readonly calendarReading: (
    playroom_id: string,
    from: Instant,
    to: Instant,
    now: Instant
  ) => Effect.Effect<CalendarReading, SqlError.SqlError>
}

const bookedRows = decodeRows(Schema.Array(Schema.Struct({ booking_id: Schema.String })))

/** The resources of a playroom, with the stock that it shares with others. */
const resourcesOf = (sql: SqlClient.SqlClient, playroom_id: Statement.Fragment) =>
  sql`(select resource_id from resource where playroom_id = ${playroom_id}
        union all
        select distinct uses from add_on where playroom_id = ${playroom_id} and uses is not null)`

/**
 * What is taken and closed of playrooms; `asked`: rows with their `playroom_id` and the time that is asked for,
 * `during`.
 */
const rowsOf = (
  sql: SqlClient.SqlClient,
  asked: Statement.Fragment,
  now: Instant,
  {
    except,
    left = [],
    read
  }: {
    readonly except?: string | undefined
    readonly left?: ReadonlyArray<string> | undefined
    readonly read?: Statement.Fragment
  } = {}
) => {
  const versions =
    read === undefined
      ? sql``
      : sql`
    union all
    select playroom_id, 'read', version, '{}', clock_timestamp(), clock_timestamp(), '', null from ${read} v`
  // What a plan gives back is free as what a lapsed hold has.
  const leaves = left.length === 0 ? sql`` : sql`or b.booking_id = any(${left}::text[])`
  const others = except === undefined ? sql`` : sql`and o.booking_id is distinct from ${except}`
  return takenRows(sql`
    with asked as not materialized (${asked}), found as (
      select a.playroom_id, o.resource_id, o.units, o.during,
        case when has_lapsed(b, ${new Date(now)}) ${leaves} then b.booking_id end as lapsed_booking
      from asked a cross join lateral ${resourcesOf(sql, sql`a.playroom_id`)} r
      -- offset 0: looked up for each resource and its time. The planner would read all that a resource ever had, and compare then.
      cross join lateral (select * from occupancy o
        where o.resource_id = r.resource_id and o.during && a.during ${others} offset 0) o
      left join booking b on b.booking_id = o.booking_id)
    select playroom_id, 'taken' as kind, resource_id as id, units::text as units,
      lower(during) as starts, upper(during) as ends, '' as reason, lapsed_booking
    from found
    union all
    -- When places of a lapsed hold are released, another calendar takes what it is busy with.
    select l.playroom_id, 'taken', l.resource_id, l.units::text, lower(l.during * c.during), upper(l.during * c.during), '', null
    from found l
    -- offset 0: looked up for each such hold, of which there are few. The planner expects all to be lapsed.
    cross join lateral (select c.during from calendar_busy c
      where c.playroom_id = l.resource_id and c.during && l.during offset 0) c
    where l.lapsed_booking is not null
    union all
    -- What is out of order. It is counted; the highest numbers are those that bookings have last.
    select a.playroom_id, 'taken', q.resource_id, int4multirange(int4range(greatest(0, q.units - s.units), q.units))::text,
      lower(s.during), upper(s.during), '', null
    from asked a cross join lateral ${resourcesOf(sql, sql`a.playroom_id`)} r
      join out_of_order s on s.resource_id = r.resource_id and s.during && a.during
      join resource q on q.resource_id = r.resource_id
    union all
    select c.playroom_id, 'closure', c.closure_id, '{}', lower(c.during), upper(c.during), c.reason, null
    from asked a join closure c on c.playroom_id = a.playroom_id and c.during && a.during ${versions}`)
}

type Rows = Effect.Success<ReturnType<typeof rowsOf>>

/** What the rows of a playroom say. */
const calendarIn = (playroom_id: string, rows: Rows): VersionedCalendar => {
  const closures: Array<Calendar["closures"][number]> = []
  const taken = new Map<string, Array<Taken>>()
  const lapsed: Array<string> = []
  let version = ""
  for (const { ends: end, id, kind, lapsed_booking, reason, starts: start, units } of rows) {
    if (kind === "read") version = id
    else if (kind === "closure") closures.push({ closure_id: ClosureId.make(id), start, end, reason })
    else if (lapsed_booking !== null) lapsed.push(lapsed_booking)
    else {
      const known = taken.get(id) ?? []
      known.push({ resource_id: id, units: parseUnits(units), start, end })
      taken.set(id, known)
    }
  }
  return { playroom_id, version, closures, taken, lapsed }
}

/** Reads calendars by a client. */
export const calendarReads = (sql: SqlClient.SqlClient): CalendarReads => {
  const calendars: CalendarReads["calendars"] = Effect.fn("Occupancy.calendars")((times, now) => {
    const [ids, ranges] = [[...times.keys()], [...times.values()]]
    const at = (end: 0 | 1) => ranges.map((range) => new Date(range[end]).toISOString())
    // Lists stand in subqueries, so that a plan for any is no worse than one for these: it is kept, and the statement
    // is not planned each time.
    const asked = sql`select playroom_id, tstzrange(starts, ends) as during
      from unnest((select ${ids}::text[]), (select ${at(0)}::timestamptz[]), (select ${at(1)}::timestamptz[])) as t (playroom_id, starts, ends)`
    return Effect.map(rowsOf(sql, asked, now, { read: sql`catalogue_versions(${ids}::text[])` }), (rows) => {
      const its = Map.groupBy(rows, ({ playroom_id }) => playroom_id)
      return new Map(ids.map((id) => [id, calendarIn(id, its.get(id) ?? [])]))
    })
  })

  const ofOne = (playroom_id: string, from: Instant, to: Instant) =>
    sql`select ${playroom_id}::text as playroom_id, tstzrange(${new Date(from)}, ${new Date(to)}) as during`

  const calendarReading: CalendarReads["calendarReading"] = Effect.fn("Occupancy.calendarReading")(
    function* (playroom_id, from, to, now) {
      const read = sql`(select ${playroom_id}::text as playroom_id, coalesce(catalogue_version(${playroom_id}), '') as version)`
      const rows = yield* rowsOf(sql, ofOne(playroom_id, from, to), now, { read })
      const { starts: database_at = now } = rows.find(({ kind }) => kind === "read") ?? {}
      const calendar = calendarIn(playroom_id, rows)
      return { calendar, reading: { version: calendar.version, at: yield* Clock.currentTimeMillis, database_at } }
    }
  )

  const calendar: CalendarReads["calendar"] = Effect.fn("Occupancy.calendar")(
    function* (playroom_id, from, to, now, except, planned) {
      // A plan may have thousands before: only those that have places there are named.
      const there =
        planned === undefined || planned.left.size === 0
          ? []
          : yield* bookedRows(sql`select distinct o.booking_id from ${resourcesOf(sql, sql`${playroom_id}`)} r
            join occupancy o on o.resource_id = r.resource_id and o.during && tstzrange(${new Date(from)}, ${new Date(to)})
            where o.booking_id is not null`)
      const left = there.flatMap(({ booking_id }) => (planned?.left.has(booking_id) === true ? [booking_id] : []))
      const rows = yield* rowsOf(sql, ofOne(playroom_id, from, to), now, { except, left })
      const found = calendarIn(playroom_id, rows)
      if (planned === undefined) return found
      const taken = new Map(found.taken)
      for (const [id, more] of planned.taken) taken.set(id, [...(taken.get(id) ?? []), ...more])
      return { ...found, taken }
    }
  )

  return { calendars, calendar, calendarReading }
}
