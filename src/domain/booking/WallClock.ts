/**
 * A visit stays at its hour by the wall. A booking is kept as instants, and in its terms its start stands by the clock
 * of its place, with the offset of that moment (`local_start`). When a law changes a clock, and this process has the
 * rules of it, the two differ for what was agreed before: then instants, places and deadlines follow the wall, at a
 * person's word. What is sold meanwhile takes places by instants, so nothing is sold twice; what has no room where the
 * wall puts it gets units that do not exist, and is dealt with as what a smaller room leaves without (`isOverbooked`).
 * Closed times and what is out of order follow the wall with them (`LocalTimes`).
 */
import { Clock, Data, Effect, Layer, Option, Schema, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { attempt, type Outcome } from "../../platform/concurrency/Outcomes.ts"
import { decodeRows, tableOf } from "../../platform/database/Rows.ts"
import { BookingId, OperatorId, PlayroomId, Reference } from "../../platform/ids/Ids.ts"
import {
  forkRecurring,
  format,
  type Instant,
  InstantFromDate,
  inUtc,
  onWall,
  shortDateTime,
  zoneReadAs,
  zoneRules
} from "../../platform/time/LocalTime.ts"
import { Occupancy } from "../availability/Occupancy.ts"
import { type Claim, parseUnits, placeOf } from "../availability/Units.ts"
import type { BookingRow } from "./Booking.ts"
import { BookingRecords } from "./BookingRecords.ts"
import { Claims } from "./Claims.ts"
import {
  areTimesOf,
  Blocked,
  blockedBy,
  keepClosurePlaces,
  LocalTimes,
  localTimesOf,
  rangeOnWall,
  renewSharing
} from "./ClosedTime.ts"

const pageSize = 2000

const ToCome = Schema.Struct({
  booking_id: BookingId,
  reference: Reference,
  operator_id: OperatorId,
  playroom_id: PlayroomId,
  playroom_name: Schema.String,
  time_zone: Schema.String,
  starts_at: InstantFromDate,
  local_start: Schema.NullOr(Schema.String)
})
type ToCome = typeof ToCome.Type
const toComeRows = decodeRows(Schema.Array(ToCome))

/** All visits to come that have places, by status and start; `playroom_ids`: only those of these rooms. */
const visitsToCome = (
  sql: SqlClient.SqlClient,
  now: Instant,
  playroom_ids?: ReadonlyArray<string>
): Stream.Stream<ToCome, SqlError.SqlError> =>
  // Each status has an index of its own.
  Stream.flatMap(Stream.fromIterable(["confirmed", "held"]), (status) =>
    Stream.paginate({ starts_at: now, booking_id: "" }, (after) =>
      Effect.map(
        toComeRows(sql`select booking_id, reference, operator_id, playroom_id, terms ->> 'playroom_name' as playroom_name,
            terms ->> 'time_zone' as time_zone, starts_at, terms ->> 'local_start' as local_start
          from booking where status = ${sql.literal(`'${status}'`)}
            and starts_at >= ${new Date(after.starts_at)}::timestamptz
            and (starts_at, booking_id) > (${new Date(after.starts_at)}::timestamptz, ${after.booking_id}::text)
            and ${playroom_ids === undefined ? sql`true` : sql`playroom_id = any(${playroom_ids}::text[])`}
          order by starts_at, booking_id limit ${pageSize}::int`),
        (page) => [page, page.length === pageSize ? Option.fromUndefinedOr(page.at(-1)) : Option.none()]
      )
    )
  )

/** A booking whose start is not when its clock shows what was agreed: where it is, and where that is. */
export interface Displaced extends ToCome {
  readonly local_start: string
  readonly to: Instant
}

/** What was agreed, for people who run the service: `2027-01-16 14:00`. */
export const shortLocal = (local_start: string): string => local_start.slice(0, 16).replace("T", " ")

/** Where the wall puts a visit, if that is another instant. What has begun by either of both stays. */
const displacedBy = (visit: ToCome, now: Instant): Displaced | undefined => {
  const { local_start, starts_at, time_zone } = visit
  if (local_start === null || Date.parse(local_start) !== starts_at || zoneReadAs(time_zone) === undefined)
    return undefined
  const to = onWall(time_zone, local_start)
  return to === starts_at || Math.min(to, starts_at) <= now ? undefined : { ...visit, local_start, to }
}

/** The bookings to come whose start is not when their clock shows what was agreed, by the rules of this process. */
export const displacedBookings = (
  now: Instant,
  playroom_ids?: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Displaced>, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    visitsToCome(sql, now, playroom_ids).pipe(
      Stream.map((visit) => displacedBy(visit, now)),
      Stream.filter((found) => found !== undefined),
      Stream.runCollect
    )
  )

const ClosedToCome = Schema.Struct({
  closure_id: Schema.String,
  operator_id: OperatorId,
  playroom_id: PlayroomId,
  playroom_name: Schema.String,
  /** Of which stock units are out of order; null: the room is closed. */
  resource_id: Schema.NullOr(Schema.String),
  of_file: Schema.Boolean,
  time_zone: Schema.String,
  start: InstantFromDate,
  end: InstantFromDate,
  local_times: Schema.NullOr(LocalTimes)
})
type ClosedToCome = typeof ClosedToCome.Type
const closedRows = decodeRows(Schema.Array(ClosedToCome))

/** All closures and spells out of order that are not over, by id; of shared stock with the room that it is shown at. */
const closedToCome = (sql: SqlClient.SqlClient, now: Instant): Stream.Stream<ClosedToCome, SqlError.SqlError> => {
  const columns = sql`c.closure_id, c.operator_id, c.made_by is null as of_file, lower(c.during) as start,
    upper(c.during) as "end", c.local_times`
  const closures = sql`select ${columns}, p.playroom_id, p.name as playroom_name, null as resource_id, p.time_zone
    from closure c join playroom p using (playroom_id)`
  const spells = sql`select ${columns}, n.*, c.resource_id from out_of_order c cross join lateral (
    select p.playroom_id, c.units || ' × ' || a.name as playroom_name, p.time_zone
      from playroom p join add_on a using (playroom_id)
      where p.operator_id = c.operator_id and c.resource_id in (a.uses, a.add_on_id)
      order by a.add_on_id is distinct from c.add_on_id, p.name collate "C", a.add_on_id limit 1) n`
  return Stream.flatMap(Stream.fromIterable([closures, spells]), (rows) =>
    Stream.paginate("", (after) =>
      Effect.map(
        closedRows(sql`${rows} where upper(c.during) > ${new Date(now)}::timestamptz and c.closure_id > ${after}
          order by c.closure_id limit ${pageSize}::int`),
        (page) => [page, Option.map(Option.fromUndefinedOr(page[pageSize - 1]), ({ closure_id }) => closure_id)]
      )
    )
  )
}

/** A closed time that is not when its clock shows what was said: where it is, and where that is. */
export interface DisplacedClosure extends Omit<ClosedToCome, "local_times"> {
  readonly local_times: LocalTimes
  readonly to: { readonly start: Instant; readonly end: Instant }
}

/** The closures, and the spells out of order, that are not when their clock shows what was said; by start. */
export const displacedClosures = (
  now: Instant
): Effect.Effect<ReadonlyArray<DisplacedClosure>, SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    closedToCome(sql, now).pipe(
      Stream.map(({ local_times, ...closed }) => {
        if (local_times === null || zoneReadAs(local_times.time_zone) === undefined) return undefined
        const to = rangeOnWall(closed, local_times, now)
        return to === undefined ? undefined : { ...closed, time_zone: local_times.time_zone, local_times, to }
      }),
      Stream.filter((found) => found !== undefined),
      Stream.runCollect,
      Effect.map((all) => all.toSorted((a, b) => a.start - b.start))
    )
  )

/**
 * Writes local times, and the instants that go with them, of closed times that are still as they were read.
 * `skipLocked`: for who has no lock on their resources.
 */
const writeLocalTimes = (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<Omit<DisplacedClosure, "local_times"> & Pick<ClosedToCome, "local_times">>,
  skipLocked: "skip locked" | "" = ""
) => {
  const dated = rows.map(({ closure_id, end, local_times, start, to }) => ({
    closure_id,
    local_times,
    was_start: new Date(start),
    was_end: new Date(end),
    starts: new Date(to.start),
    ends: new Date(to.end)
  }))
  const columns =
    "closure_id text, local_times jsonb, was_start timestamptz, was_end timestamptz, starts timestamptz, ends timestamptz"
  return Effect.forEach(["closure", "out_of_order"], (name) => {
    const closed = sql.literal(name)
    return sql`update ${closed} x set during = tstzrange(n.starts, n.ends), local_times = n.local_times
      from (select c.* from ${tableOf(sql, dated, columns)} join ${closed} l using (closure_id)
        where l.during = tstzrange(c.was_start, c.was_end)
        order by l.closure_id for no key update of l ${sql.literal(skipLocked)}) n
      where x.closure_id = n.closure_id and x.during = tstzrange(n.was_start, n.was_end)`
  })
}

// By which rules the running nodes go: each says it every minute.

const toldEvery = "1 minute"
/** A node that has said nothing for so long has ended. */
const endedAfter = "3 minutes"

const nodes = decodeRows(Schema.Array(Schema.Struct({ node: Schema.String })))
const releases = decodeRows(Schema.Array(Schema.Struct({ release: Schema.String })))

/** The releases of the tz database by which other running nodes' clocks go, if not by that of this process. */
export const otherRules = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    releases(sql`select distinct release from node_zone_rules
      where seen_at > now() - ${endedAfter}::interval and release <> ${zoneRules().release} order by release`),
    (rows) => rows.map(({ release }) => release)
  )
)

/** Says by which rules this node goes, as long as the scope is open. */
const tellRules = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [made] = yield* nodes(sql`select gen_random_uuid()::text as node`)
  const node = made?.node ?? null
  const tell = sql`with gone as (delete from node_zone_rules where seen_at < now() - ${endedAfter}::interval)
    insert into node_zone_rules (node, release, seen_at) values (${node}::uuid, ${zoneRules().release}, now())
    on conflict (node) do update set seen_at = now()`
  yield* Effect.addFinalizer(() =>
    sql`delete from node_zone_rules where node = ${node}::uuid`.pipe(Effect.timeout("1 second"), Effect.ignore)
  )
  yield* forkRecurring(tell, {
    every: toldEvery,
    failed: "The rules of time zones of this node could not be told"
  })
})

/**
 * Writes down the start by the clock of visits to come that have none: of releases that did not write it, by the rules
 * of today. Returns how many.
 */
export const fillLocalStarts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  return yield* visitsToCome(sql, now).pipe(
    Stream.filter(
      ({ local_start, starts_at, time_zone }) =>
        (local_start === null || Date.parse(local_start) !== starts_at) && zoneReadAs(time_zone) !== undefined
    ),
    Stream.grouped(500),
    Stream.mapEffect((visits) => {
      const rows = visits.map(({ booking_id, starts_at, time_zone }) => ({
        booking_id,
        starts_at: new Date(starts_at),
        local_start: format(time_zone, starts_at)
      }))
      return Effect.map(
        sql`update booking b set terms = b.terms || jsonb_build_object('local_start', n.local_start)
          from (select c.*, l.booking_id as locked from ${tableOf(sql, rows, "booking_id text, starts_at timestamptz, local_start text")}
            join booking l using (booking_id) where l.starts_at = c.starts_at
            order by l.booking_id for no key update of l skip locked) n
          where b.booking_id = n.booking_id and b.starts_at = n.starts_at returning 1 as filled`,
        (filled) => filled.length
      )
    }),
    Stream.runFold(
      () => 0,
      (sum: number, filled) => sum + filled
    )
  )
}).pipe(Effect.withSpan("WallClock.fillLocalStarts"))

/** The same of closures and spells out of order; what the catalogue file says as instants has none. */
export const fillLocalTimes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  return yield* closedToCome(sql, now).pipe(
    Stream.filter((closed) => !areTimesOf(closed.local_times, closed) && zoneReadAs(closed.time_zone) !== undefined),
    Stream.map((closed) => ({
      ...closed,
      to: closed,
      local_times: localTimesOf(closed.time_zone, closed, closed.of_file)
    })),
    Stream.filter(({ local_times }) => local_times !== null),
    Stream.grouped(500),
    Stream.runForEach((closed) => writeLocalTimes(sql, closed, "skip locked"))
  )
}).pipe(Effect.withSpan("WallClock.fillLocalTimes"))

/** Runs all for the lifetime of the layer. */
export const wallClockWorker = Layer.effectDiscard(
  Effect.andThen(
    tellRules,
    forkRecurring(Effect.andThen(fillLocalStarts, fillLocalTimes), {
      delay: "2 minutes",
      every: "1 day",
      failed: "Starts by the clock could not be written down; tried again in a day"
    })
  )
)

// Follows the wall.

/** A booking that was moved, or would be; `blocked`: why it can't take place there as things stand. */
export interface Followed extends Displaced {
  readonly blocked: typeof Blocked.Type | null
}

/** A room with something to move. */
type Room = Pick<Displaced, "operator_id" | "playroom_id" | "playroom_name">

/** What was moved in a room, or would be. */
export interface FollowedRoom {
  readonly bookings: ReadonlyArray<Followed>
  readonly closures: ReadonlyArray<DisplacedClosure>
}

/** A preview has seen what it is about, and takes all back. */
class TakenBack extends Data.TaggedError("TakenBack")<{ readonly followed: FollowedRoom }> {
  override readonly message = "What a preview moved was taken back."
}

/** Units that no resource has: from here on, and each that is added begins at a multiple of the step. */
const beyond = 500_000_000
const step = 1_000_000

const placeRows = decodeRows(
  Schema.Array(
    Schema.Struct({
      booking_id: BookingId,
      operator_id: OperatorId,
      resource_id: Schema.String,
      units: Schema.String,
      starts: InstantFromDate,
      ends: InstantFromDate
    })
  )
)
const firstRows = decodeRows(Schema.Array(Schema.Struct({ first: Schema.Int })))
const lapsedRows = decodeRows(Schema.Array(Schema.Struct({ booking_id: Schema.String })))
const blockedRows = decodeRows(Schema.Array(Schema.Struct({ booking_id: BookingId, blocked: Schema.NullOr(Blocked) })))
const sharingRows = decodeRows(Schema.Array(Schema.Struct({ playroom_id: PlayroomId })))

/** A deadline that was told by the clock; one that is over stays. */
const deadlineOnWall = (zone: string, told: string, now: Instant): string =>
  Date.parse(told) <= now ? told : format(zone, onWall(zone, told))

/**
 * The row of a booking whose visit begins at `to`. By which rules an earlier start of it was agreed is not known: where
 * deadlines count from that, the later of both counts, which takes nothing from the family.
 */
const rowAt = (row: BookingRow, to: Instant, now: Instant): BookingRow => {
  const { claims, earliest_start, moved_from, price, time_zone, ...terms } = row.terms
  const by = to - row.starts_at
  return {
    ...row,
    starts_at: to,
    ends_at: row.ends_at + by,
    terms: {
      ...terms,
      time_zone,
      local_start: format(time_zone, to),
      claims: claims.map((claim) => ({ ...claim, start: claim.start + by, end: claim.end + by })),
      price:
        price.balance_due_at === undefined
          ? price
          : { ...price, balance_due_at: deadlineOnWall(time_zone, price.balance_due_at, now) },
      ...(earliest_start === undefined
        ? {}
        : { earliest_start: earliest_start === row.starts_at ? to : Math.max(earliest_start, earliest_start + by) }),
      ...(moved_from === undefined ? {} : { moved_from: moved_from + by })
    }
  }
}

/** Moves bookings to where the wall puts them, or says what that would do. */
export const makeWallClock = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = yield* BookingRecords
  const occupancy = yield* Occupancy
  const claims = yield* Claims
  const at = (instant: Instant) => sql`${new Date(instant)}::timestamptz`

  /** Units that do not exist, for a claim for which there is no room. */
  const beyondAll = Effect.fnUntraced(function* (claim: Claim) {
    const { end, quantity, resource_id, start } = claim
    const [{ first } = { first: beyond }] = yield* firstRows(sql`select greatest(${beyond}::int,
        (coalesce(max(upper(o.units)), 0) / ${step}::int + 1) * ${step}::int) as first
      from occupancy o where o.resource_id = ${resource_id} and o.during && tstzrange(${at(start)}, ${at(end)})`)
    return placeOf(claim, first + quantity, [[first, first + quantity]])
  })

  /** Takes places for moved bookings again, by start: units that are free then, or such as do not exist. */
  const takePlaces = Effect.fnUntraced(function* (
    rows: ReadonlyMap<string, { readonly before: BookingRow; readonly after: BookingRow }>,
    units: (resource_id: string) => number
  ) {
    const had = yield* placeRows(sql`select booking_id, operator_id, resource_id, units::text as units,
        lower(during) as starts, upper(during) as ends
      from occupancy where booking_id = any(${[...rows.keys()]}::text[]) order by lower(during), booking_id`)
    const wanted = had.map((place) => {
      const { after, before } = rows.get(place.booking_id) ?? {}
      const by = after === undefined || before === undefined ? 0 : after.starts_at - before.starts_at
      return { ...place, starts: place.starts + by, ends: place.ends + by }
    })
    const spans = wanted.map(({ ends, resource_id, starts }) => ({
      resource_id,
      starts: new Date(starts),
      ends: new Date(ends)
    }))
    yield* occupancy.release([...rows.keys()])
    // Closures and other calendars get what bookings leave, when these have their places.
    yield* sql`delete from occupancy o using ${tableOf(sql, spans, "resource_id text, starts timestamptz, ends timestamptz")}
      where o.resource_id = c.resource_id and o.booking_id is null and o.during && tstzrange(c.starts, c.ends)`
    for (const place of wanted) {
      const { booking_id, ends: end, resource_id, starts: start } = place
      const quantity = parseUnits(place.units).reduce((sum, [from, to]) => sum + to - from, 0)
      const isRoom = rows
        .get(booking_id)
        ?.after.terms.claims.some((one) => one.resource_id === resource_id && one.whole)
      const claim = { resource_id, quantity, whole: isRoom === true, start, end }
      const found =
        quantity > units(resource_id)
          ? []
          : yield* Effect.catchTag(occupancy.makeRoom([claim], units), "HoldsInTheWay", () => Effect.succeed([]))
      yield* occupancy.take(place, found.length > 0 ? found : [yield* beyondAll(claim)])
    }
  })

  /** Reminders that were written are of the same visit, and those that the cursor has passed by this are looked at. */
  const keepReminders = Effect.fnUntraced(function* (
    moved: ReadonlyArray<{ readonly booking_id: string; readonly before: Instant; readonly after: Instant }>,
    of: "visit" | "balance"
  ) {
    if (moved.length === 0) return
    const rows = tableOf(sql, moved, "booking_id text, before bigint, after bigint")
    const name = of === "visit" ? sql`name = 'visit'` : sql`name <> 'visit'`
    yield* sql`update letter l set reminds_of = c.after || ' ' || lead.days from ${rows}
      cross join (values (1), (7)) as lead (days)
      where l.booking_id = c.booking_id and l.reminds_of = c.before || ' ' || lead.days`
    const passed = sql`(select min(to_timestamp(c.after / 1000.0)) from ${rows}
      where to_timestamp(c.after / 1000.0) <= r.moment and to_timestamp(c.before / 1000.0) > r.moment)`
    yield* sql`update reminder_cursor r set moment = ${passed}, booking_id = '' where ${name} and ${passed} is not null`
  })

  const followIn = Effect.fnUntraced(function* (
    playroom_ids: ReadonlyArray<string>,
    closures: ReadonlyArray<DisplacedClosure>
  ) {
    const now = yield* Clock.currentTimeMillis
    const seen = yield* displacedBookings(now, playroom_ids)
    const locked = yield* Effect.forEach(
      seen.map(({ booking_id }) => booking_id),
      records.lock,
      { concurrency: "unbounded" }
    )
    const found = seen.flatMap((visit, n) => {
      const before = Option.getOrUndefined(locked[n] ?? Option.none())
      // Another move was faster.
      return before === undefined ||
        before.terms.local_start !== visit.local_start ||
        before.starts_at !== visit.starts_at
        ? []
        : [{ visit, before, after: rowAt(before, visit.to, now) }]
    })
    const live = found.filter(({ before: { status } }) => status === "held" || status === "confirmed")
    const ids = live.map(({ visit }) => visit.booking_id)
    if (ids.length + closures.length === 0) return { bookings: [], closures }
    const stock = closures.flatMap(({ resource_id }) => resource_id ?? [])
    const units = yield* occupancy.lock([...playroom_ids, ...stock], ids)
    // An import that had the locks may have given a booking other stock.
    yield* occupancy.lock([], ids)
    const lapsed = yield* lapsedRows(sql`select distinct b.booking_id from occupancy o join booking b using (booking_id)
      where o.resource_id = any(${playroom_ids}::text[]) and has_lapsed(b, ${at(now)})
        and b.booking_id <> all(${ids}::text[])`)
    yield* claims.releaseUnlocked(
      lapsed.map(({ booking_id }) => booking_id),
      now
    )
    yield* writeLocalTimes(
      sql,
      closures.map((one) => ({ ...one, local_times: localTimesOf(one.time_zone, one.to) }))
    )
    yield* renewSharing(sql, stock)
    yield* takePlaces(new Map(live.map(({ after, before }) => [before.booking_id, { before, after }])), units)
    const changed = live.map(({ after }) => ({
      booking_id: after.booking_id,
      starts_at: new Date(after.starts_at),
      ends_at: new Date(after.ends_at),
      terms: after.terms
    }))
    yield* sql`update booking b set starts_at = c.starts_at, ends_at = c.ends_at, terms = c.terms
      from ${tableOf(sql, changed, "booking_id text, starts_at timestamptz, ends_at timestamptz, terms jsonb")}
      where b.booking_id = c.booking_id`
    yield* Effect.forEach(
      live,
      ({ after, before }) =>
        records.change(after, {
          note: true,
          event: "clock_followed",
          detail:
            `${shortDateTime(after.terms.time_zone, after.starts_at)} by the clock, as agreed: ` +
            `${inUtc(after.starts_at)} by tz ${zoneRules().release}, and no longer ${inUtc(before.starts_at)}`
        }),
      { concurrency: "unbounded", discard: true }
    )
    yield* keepReminders(
      live.map(({ after, before }) => ({
        booking_id: after.booking_id,
        before: before.starts_at,
        after: after.starts_at
      })),
      "visit"
    )
    yield* keepReminders(
      live.flatMap(({ after, before }) => {
        const [was, is] = [before, after].map(({ terms }) => Date.parse(terms.price.balance_due_at ?? ""))
        return was === undefined || is === undefined || Number.isNaN(was) || was === is
          ? []
          : [{ booking_id: after.booking_id, before: was, after: is }]
      }),
      "balance"
    )
    yield* keepClosurePlaces(sql, playroom_ids, now)
    // What other calendars say by the clock is read by the same rules.
    yield* sql`update calendar_feed set ask_at = ${at(now)}, read_until = null
      where playroom_id = any(${playroom_ids}::text[])`
    const states = yield* blockedRows(sql`select b.booking_id, ${blockedBy(sql, now)} as blocked from booking b
      where b.booking_id = any(${ids}::text[])`)
    const blocked = new Map(states.map((one) => [one.booking_id, one.blocked]))
    const bookings = live.map(({ visit }): Followed => ({ ...visit, blocked: blocked.get(visit.booking_id) ?? null }))
    return { bookings, closures }
  })

  /** Rooms that are moved in one transaction: those of an operator that share stock, or one room. */
  const groupsOf = Effect.fnUntraced(function* (displaced: ReadonlyArray<Room>) {
    const rooms = new Map(displaced.map((one) => [one.playroom_id, one]))
    const sharing = yield* sharingRows(sql`select distinct playroom_id from add_on
      where uses is not null and playroom_id = any(${[...rooms.keys()]}::text[])`)
    const shared = new Set(sharing.map(({ playroom_id }) => playroom_id))
    return Map.groupBy(rooms.values(), ({ operator_id, playroom_id }) =>
      shared.has(playroom_id) ? operator_id : playroom_id
    ).values()
  })

  /**
   * Moves all bookings to come, and all closed times, to where their clocks put them now, in one transaction a room; a
   * preview takes each back.
   * What was begun by either clock stays. In order of start within a room. A room that fails hides no other: the next
   * call finds its bookings again.
   */
  const follow = Effect.fn("WallClock.follow")(function* (how: { readonly preview: boolean }) {
    const now = yield* Clock.currentTimeMillis
    const of = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
      Effect.provideService(effect, SqlClient.SqlClient, sql)
    const closures = yield* of(displacedClosures(now))
    const outcomes: Array<Outcome<Room, FollowedRoom>> = []
    for (const rooms of yield* groupsOf([...(yield* of(displacedBookings(now))), ...closures])) {
      const ids = new Set<string>(rooms.map(({ playroom_id }) => playroom_id))
      const theirs = closures.filter(({ playroom_id }) => ids.has(playroom_id))
      const work = Effect.flatMap(of(followIn([...ids], theirs)), (done): Effect.Effect<FollowedRoom, TakenBack> =>
        how.preview ? Effect.fail(new TakenBack({ followed: done })) : Effect.succeed(done)
      )
      const done = Effect.catchTag(sql.withTransaction(work), "TakenBack", (back) => Effect.succeed(back.followed))
      const one = yield* attempt(rooms, done)
      outcomes.push(
        ...rooms.map((item): Outcome<Room, FollowedRoom> => {
          const isIts = ({ playroom_id }: Room) => playroom_id === item.playroom_id
          return one.outcome === "done"
            ? {
                item,
                outcome: "done",
                value: { bookings: one.value.bookings.filter(isIts), closures: one.value.closures.filter(isIts) }
              }
            : { ...one, item }
        })
      )
    }
    return outcomes
  })

  return { follow }
}).pipe(Effect.provide(Occupancy.layer))
