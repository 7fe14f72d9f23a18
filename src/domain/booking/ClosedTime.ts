/**
 * SQL for the bookings that can't take place as things stand: those in closed time, and those that have more than there
 * is. The venue, or an import that is forced, closes around bookings or leaves less than they have, and they keep their
 * places. A closure is over a booking if it overlaps the places of its room, with the time to set up and to clean.
 */

import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import {
  type Instant,
  ClockTime,
  ClosingTime,
  addDays,
  dayRange,
  daysBetween,
  format,
  instantAt,
  lastInstantAt,
  LocalDate,
  localDateOf,
  minutesOf,
  onWall,
  startOfDay
} from "../../platform/time/LocalTime.ts"
import { openingOn } from "../availability/Starts.ts"
import { Line } from "../catalogue/Operator.ts"

// When a venue closes, as its people say it: whole days, or from one clock time to another. Pure.

/** The longest time of one closure: a longer one is a typing error. */
const maxDays = 731

/** Why somewhere is closed. Families and assistants read it. */
export const ClosingReason = Line(80)

/**
 * Local to each playroom. Without `starts` and `ends`: whole days, both included. With them: from that time of the
 * first day to that time of the last.
 */
export const ClosedTimes = Schema.Struct({
  from: LocalDate,
  to: LocalDate,
  starts: Schema.optionalKey(ClockTime),
  ends: Schema.optionalKey(ClosingTime)
}).check(
  Schema.makeFilter(({ ends, from, starts, to }) => {
    if (from > to) return { path: ["to"], issue: `Expected a day that is not before ${from}` }
    if (daysBetween(from, to) >= maxDays) return { path: ["to"], issue: `Expected at most ${maxDays} days in all` }
    if ((starts === undefined) !== (ends === undefined))
      return { path: [starts === undefined ? "starts" : "ends"], issue: "Expected both times, or none" }
    return starts !== undefined && ends !== undefined && from === to && starts >= ends
      ? { path: ["ends"], issue: `Expected a time after ${starts}` }
      : undefined
  })
)
export type ClosedTimes = typeof ClosedTimes.Type

/**
 * These times in a zone; the end is excluded. A time that a clock change skips is the moment of the change. Of one that
 * occurs twice, a closure begins at the first and ends at the last.
 */
export const closedRange = (
  zone: string,
  { ends, from, starts, to }: ClosedTimes
): { readonly start: Instant; readonly end: Instant } =>
  starts === undefined || ends === undefined
    ? { start: startOfDay(zone, from), end: startOfDay(zone, addDays(to, 1)) }
    : { start: instantAt(zone, from, minutesOf(starts)), end: lastInstantAt(zone, to, minutesOf(ends)) }

/** A time; the end is excluded. */
interface Range {
  readonly start: Instant
  readonly end: Instant
}

/** A closed time by the clock of its place, each end with the offset of that moment. */
export const LocalTimes = Schema.Struct({ time_zone: Schema.String, start: Schema.String, end: Schema.String })
export type LocalTimes = typeof LocalTimes.Type

const isStartOfDay = (zone: string, at: Instant): boolean => startOfDay(zone, localDateOf(zone, at)) === at

/** A day whose midnight is skipped begins later by its clock, and is a whole day all the same. */
const told = (zone: string, at: Instant): string =>
  isStartOfDay(zone, at) ? `${localDateOf(zone, at)}T00:00:00${format(zone, at - 1).slice(-6)}` : format(zone, at)

/**
 * What is written down of a closed time, so that it stays by the wall when a law changes the clock. Null of what the
 * catalogue file says as instants: the file has them, and the next import would write them again.
 */
export const localTimesOf = (time_zone: string, { end, start }: Range, of_file = false): LocalTimes | null =>
  of_file && !(isStartOfDay(time_zone, start) && isStartOfDay(time_zone, end))
    ? null
    : { time_zone, start: told(time_zone, start), end: told(time_zone, end) }

/** Whether these are the local times of that range: a release that did not know them may have changed it. */
export const areTimesOf = (local: LocalTimes | null, { end, start }: Range): local is LocalTimes =>
  local !== null && Date.parse(local.start) === start && Date.parse(local.end) === end

/** Where the wall puts a closed time; undefined: where it is. An end of it that is over by either clock stays. */
export const rangeOnWall = (range: Range, local: LocalTimes | null, now: Instant): Range | undefined => {
  if (!areTimesOf(local, range)) return undefined
  const to = (at: Instant, said: string) => {
    const there = onWall(local.time_zone, said)
    return Math.min(at, there) <= now ? at : there
  }
  const [start, end] = [to(range.start, local.start), to(range.end, local.end)]
  return start >= end || (start === range.start && end === range.end) ? undefined : { start, end }
}

/** Whether this is a part of one day, and not whole days. */
export const isPartOfADay = (zone: string, { end, start }: Range): boolean => {
  const day = dayRange(zone, localDateOf(zone, start))
  return end <= day.end && (start > day.start || end < day.end)
}

/** At least this part of a day's opening hours stays open, or the day counts as closed. */
const openPart = 1 / 4

/** Whether nearly all opening hours of the day on which the first of these begins are in them together. */
export const closesTheDay = (
  zone: string,
  hours: Parameters<typeof openingOn>[0],
  closed: readonly [Range, ...ReadonlyArray<Range>]
): boolean => {
  const date = localDateOf(zone, closed[0].start)
  const opens = openingOn(hours, date).map(({ first, last }) => ({
    start: instantAt(zone, date, first),
    end: instantAt(zone, date, last)
  }))
  const open = closed.reduce<ReadonlyArray<Range>>(
    (left, { end, start }) =>
      left
        .flatMap((one) => [
          { ...one, end: Math.min(one.end, start) },
          { ...one, start: Math.max(one.start, end) }
        ])
        .filter((one) => one.start < one.end),
    opens
  )
  const length = (ranges: ReadonlyArray<Range>) => ranges.reduce((sum, { end, start }) => sum + end - start, 0)
  return opens.length > 0 && length(open) < openPart * length(opens)
}

/** A closure that is not made yet. */
export interface PlannedClosure {
  readonly operator_id: string
  readonly playroom_id: string
  readonly start: Instant
  readonly end: Instant
  readonly reason: string
  /** So many units of this stock are out of order; absent: the room is closed. */
  readonly stock?: { readonly resource_id: string; readonly units: number }
}

/** The spells in which stock is out of order, with those that are planned, in the place of the table. */
export const outOfOrder = (
  sql: SqlClient.SqlClient,
  planned: ReadonlyArray<PlannedClosure> = []
): Statement.Fragment => {
  const rows = planned.flatMap(({ end, reason, start, stock }) =>
    stock === undefined
      ? []
      : [{ ...stock, reason, start: new Date(start).toISOString(), end: new Date(end).toISOString() }]
  )
  if (rows.length === 0) return sql`out_of_order`
  return sql`(select resource_id, units, during, reason from out_of_order
    union all select resource_id, units, tstzrange(start, "end"), reason
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as p (resource_id text, units int, start timestamptz, "end" timestamptz, reason text))`
}

/** Closures that are not made yet, in the place of the table. */
export const plannedRows = (sql: SqlClient.SqlClient, planned: ReadonlyArray<PlannedClosure>): Statement.Fragment => {
  const rows = planned.flatMap((one) =>
    one.stock === undefined
      ? [{ ...one, start: new Date(one.start).toISOString(), end: new Date(one.end).toISOString() }]
      : []
  )
  return sql`(select operator_id, playroom_id, tstzrange(start, "end") as during, reason
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (operator_id text, playroom_id text,
      start timestamptz, "end" timestamptz, reason text))`
}

/** Whether the spell `s` of stock out of order is over the units `o` of a booking. */
const spellOver = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`s.resource_id = o.resource_id and s.during && o.during`

/** Whether the closure `c` is over the places `o` of a booking. */
export const closedOver = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`c.playroom_id = o.resource_id and c.during && o.during`

/**
 * Whether the booking `b` has units `o` beyond those of the resource `r`, because a room or a stock is smaller now. Of
 * bookings that have too much together it is those with the highest units, until enough of them are gone. A booking of
 * the whole room has all units that there are: it is too large if its children are more; or it has as many that do not
 * exist, because a clock was changed and others had the room then (`WallClock.ts`). `now`: holds whose time is up
 * no longer have places; left out where they still have their places, and may be paid for. `spells`: units that are out
 * of order meanwhile count as gone (`outOfOrder`).
 */
export const isOverbooked = (
  sql: SqlClient.SqlClient,
  now?: Instant,
  spells?: Statement.Fragment
): Statement.Fragment => {
  const alive =
    now === undefined
      ? sql``
      : sql`and not exists (select from booking l where l.booking_id = x.booking_id and has_lapsed(l, ${new Date(now)}::timestamptz))`
  const isOut = spells === undefined ? sql`` : sql`or exists (select from ${spells} s where ${spellOver(sql)})`
  const out =
    spells === undefined
      ? sql``
      : sql`union all select e.at, 0, e.n from ${spells} s
        cross join lateral (values (greatest(lower(s.during), lower(o.during)), s.units), (upper(s.during), -s.units)) e (at, n)
      where ${spellOver(sql)}`
  return sql`((b.children > r.units or upper(o.units) > r.units ${isOut}) and case
    when o.resource_id = b.playroom_id and b.terms ->> 'mode' = 'exclusive' and lower(o.units) < r.units
      then b.children > r.units
    else exists (select from (
      select sum(e.n) over moments as units, r.units - sum(e.gone) over moments as left_then from (
        select e.at, e.n, 0 as gone
        from occupancy x cross join lateral (select sum(upper(u) - lower(u)) as n from unnest(x.units) u) s
          cross join lateral (values (greatest(lower(x.during), lower(o.during)), s.n), (upper(x.during), -s.n)) e (at, n)
        where x.resource_id = o.resource_id and x.during && o.during and x.booking_id is not null ${alive}
        ${out}) e window moments as (order by e.at, e.n + e.gone)) had
      where had.units > had.left_then and upper(o.units) > had.left_then) end)`
}

/** Why a booking can't take place as things stand. */
export const Blocked = Schema.Literals(["closed", "overbooked"])
export type Blocked = typeof Blocked.Type

/** Why the booking `b` can't take place as things stand; null if it can, or if its places were released. */
export const blockedBy = (sql: SqlClient.SqlClient, now: Instant): Statement.Fragment =>
  sql`case when exists (select from occupancy o join closure c on ${closedOver(sql)} where o.booking_id = b.booking_id) then 'closed'
    when exists (select from occupancy o join resource r on r.resource_id = o.resource_id
      where o.booking_id = b.booking_id and upper(o.during) > ${new Date(now)}::timestamptz
        and ${isOverbooked(sql, now, outOfOrder(sql))}) then 'overbooked' end`

/**
 * Gives the closures of these playrooms their places after any of them changed, in the transaction that changed it and
 * has locked the resources. The playrooms get another version, so that whoever decided before by other closures decides
 * again: places that a booking has left in closed time are free, and only the closure tells that they are not for sale.
 */
export const keepClosurePlaces = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  playroom_ids: ReadonlyArray<string>,
  now: Instant
) {
  if (playroom_ids.length === 0) return
  yield* sql`select keep_closure_places(${playroom_ids}::text[], ${new Date(now)}::timestamptz)`
  yield* renewVersions(sql, playroom_ids)
})

/** Gives playrooms another version; rows that this transaction has written have theirs already. */
const renewVersions = (sql: SqlClient.SqlClient, playroom_ids: ReadonlyArray<string>) =>
  sql`update playroom set capacity = capacity where playroom_id in (
    select playroom_id from playroom where playroom_id = any(${playroom_ids}::text[])
      and xmin <> pg_current_xact_id()::xid
    order by playroom_id for no key update)`

/**
 * Gives the playrooms whose add-ons take from this stock another version, after it was put out of order or in order
 * again, in the transaction that did so and has locked it.
 */
export const renewSharing = (sql: SqlClient.SqlClient, stock: ReadonlyArray<string>) =>
  Effect.flatMap(
    sql<{ readonly playroom_id: string }>`select distinct playroom_id from add_on
      where uses = any(${stock}::text[]) or add_on_id = any(${stock}::text[]) order by playroom_id`,
    (rows) =>
      renewVersions(
        sql,
        rows.map(({ playroom_id }) => playroom_id)
      )
  )
