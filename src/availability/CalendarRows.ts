/** What is closed and taken in playrooms, read in one statement and by playroom. */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Reading } from "../catalogue/Catalogue.ts"
import { ClosureId } from "../kernel/Ids.ts"
import { type Instant, InstantFromDate } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import type { Calendar } from "./Availability.ts"
import { parseUnits } from "./Places.ts"
import type { Taken } from "./Units.ts"

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

/** A calendar, and when and of which version of the catalogue it was read. */
interface CalendarReading {
  readonly calendar: ClaimableCalendar
  readonly reading: Reading
}

/** What a plan does before one of its bookings is decided: these leave their places, and these units are taken by resource. */
export interface PlannedPlaces {
  readonly left: ReadonlySet<string>
  readonly taken: ReadonlyMap<string, ReadonlyArray<Taken>>
}

/** How calendars are read; a part of `Occupancy`. */
export interface CalendarReads {
  /**
   * Closures and occupied units of playrooms between two instants, by playroom, with the stock that they share with
   * others. Places of holds that lapsed by `now` are free, except while another calendar is busy, to which they go.
   */
  readonly calendars: (
    playroom_ids: ReadonlyArray<string>,
    from: Instant,
    to: Instant,
    now: Instant
  ) => Effect.Effect<ReadonlyMap<string, ClaimableCalendar>, SqlError.SqlError>
  /**
   * The same for one playroom. If a booking is to be rescheduled, its own places are left out. `planned`: as it will be after
   * a plan has done that.
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

const emptyCalendar: ClaimableCalendar = { closures: [], taken: new Map(), lapsed: [] }

const bookedRows = decodeRows(Schema.Array(Schema.Struct({ booking_id: Schema.String })))

/** The resources of playrooms, with the stock that they share with others. */
const resourcesOf = (sql: SqlClient.SqlClient, here: Statement.Fragment) =>
  sql`(select playroom_id, resource_id from resource where playroom_id ${here}
        union all
        select distinct playroom_id, uses from add_on where playroom_id ${here} and uses is not null)`

const rowsOf = (
  sql: SqlClient.SqlClient,
  playroom_ids: ReadonlyArray<string>,
  from: Instant,
  to: Instant,
  now: Instant,
  {
    except,
    left = [],
    more = sql``
  }: {
    readonly except?: string | undefined
    readonly left?: ReadonlyArray<string> | undefined
    readonly more?: Statement.Fragment
  } = {}
) => {
  const [only, ...further] = playroom_ids
  const range = sql`tstzrange(${new Date(from)}, ${new Date(to)})`
  // Compare one playroom with `=`. Values of several stand in subqueries, so that a plan for any is no worse than one for
  // these: it is kept, and the statement is not planned each time.
  const [here, during] =
    only !== undefined && further.length === 0
      ? [sql`= ${only}`, range]
      : [sql`= any((select ${playroom_ids}::text[])::text[])`, sql`(select ${range})`]
  // What a plan gives back is free as what a lapsed hold has.
  const leaves = left.length === 0 ? sql`` : sql`or b.booking_id = any(${left}::text[])`
  const others = except === undefined ? sql`` : sql`and o.booking_id is distinct from ${except}`
  return takenRows(sql`
    with found as (
      select r.playroom_id, o.resource_id, o.units, o.during,
        case when has_lapsed(b, ${new Date(now)}) ${leaves} then b.booking_id end as lapsed_booking
      from ${resourcesOf(sql, here)} r
      join occupancy o on o.resource_id = r.resource_id and o.during && ${during} ${others}
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
    select playroom_id, 'closure', closure_id, '{}', lower(during), upper(during), reason, null
    from closure where playroom_id ${here} and during && ${during} ${more}`)
}

const byPlayroomOf = (
  playroom_ids: ReadonlyArray<string>,
  rows: Effect.Success<ReturnType<typeof rowsOf>>
): ReadonlyMap<string, ClaimableCalendar> => {
  const byPlayroom = new Map<
    string,
    { closures: Array<Calendar["closures"][number]>; taken: Map<string, Array<Taken>>; lapsed: Array<string> }
  >(playroom_ids.map((id) => [id, { closures: [], taken: new Map(), lapsed: [] }]))
  for (const row of rows) {
    const calendar = byPlayroom.get(row.playroom_id)
    if (calendar === undefined) continue
    if (row.lapsed_booking !== null) {
      calendar.lapsed.push(row.lapsed_booking)
      continue
    }
    if (row.kind === "closure") {
      calendar.closures.push({
        closure_id: ClosureId.make(row.id),
        start: row.starts,
        end: row.ends,
        reason: row.reason
      })
      continue
    }
    const taken = { resource_id: row.id, units: parseUnits(row.units), start: row.starts, end: row.ends }
    const known = calendar.taken.get(row.id)
    if (known === undefined) calendar.taken.set(row.id, [taken])
    else known.push(taken)
  }
  return byPlayroom
}

/** Reads calendars by a client. */
export const calendarReads = (sql: SqlClient.SqlClient): CalendarReads => {
  const calendars: CalendarReads["calendars"] = Effect.fn("Occupancy.calendars")((playroom_ids, from, to, now) =>
    Effect.map(rowsOf(sql, playroom_ids, from, to, now), (rows) => byPlayroomOf(playroom_ids, rows))
  )

  const calendarReading: CalendarReads["calendarReading"] = Effect.fn("Occupancy.calendarReading")(
    function* (playroom_id, from, to, now) {
      const read = sql`union all select ${playroom_id}, 'read', coalesce(catalogue_version(${playroom_id}), ''), '{}',
        clock_timestamp(), clock_timestamp(), '', null`
      const rows = yield* rowsOf(sql, [playroom_id], from, to, now, { more: read })
      const { id: version = "", starts: database_at = now } = rows.find(({ kind }) => kind === "read") ?? {}
      const places = rows.filter(({ kind }) => kind !== "read")
      return {
        calendar: byPlayroomOf([playroom_id], places).get(playroom_id) ?? emptyCalendar,
        reading: { version, at: yield* Clock.currentTimeMillis, database_at }
      }
    }
  )

  const calendar: CalendarReads["calendar"] = Effect.fn("Occupancy.calendar")(
    function* (playroom_id, from, to, now, except, planned) {
      // A plan may have thousands before: only those that have places there are named.
      const there =
        planned === undefined || planned.left.size === 0
          ? []
          : yield* bookedRows(sql`select distinct o.booking_id from ${resourcesOf(sql, sql`= ${playroom_id}`)} r
            join occupancy o on o.resource_id = r.resource_id and o.during && tstzrange(${new Date(from)}, ${new Date(to)})
            where o.booking_id is not null`)
      const left = there.flatMap(({ booking_id }) => (planned?.left.has(booking_id) === true ? [booking_id] : []))
      const rows = yield* rowsOf(sql, [playroom_id], from, to, now, { except, left })
      const found = byPlayroomOf([playroom_id], rows).get(playroom_id) ?? emptyCalendar
      if (planned === undefined) return found
      const taken = new Map(found.taken)
      for (const [id, more] of planned.taken) taken.set(id, [...(taken.get(id) ?? []), ...more])
      return { ...found, taken }
    }
  )

  return { calendars, calendar, calendarReading }
}
