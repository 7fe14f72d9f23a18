/**
 * A venue closes a time itself, at its desk or by command, and reopens it. Nothing more is sold then from that moment
 * on; what is booked keeps its places, and is named. An import leaves these closures alone, as a person leaves those of
 * the file.
 */
import { Clock, Effect, Schema, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { lockingInOrder } from "../availability/Occupancy.ts"
import { Catalogue, type ClosuresOf } from "../catalogue/Catalogue.ts"
import { newId, OperatorId, PlayroomId } from "../../platform/ids/Ids.ts"
import { Playroom } from "../catalogue/Playroom.ts"
import { dayMs, dayRange, type Instant, InstantFromDate, localDateOf } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { BookingList, type AffectedBooking, maxAffectedShown } from "./BookingList.ts"
import { Claims } from "./Claims.ts"
import {
  closedOver,
  closesTheDay,
  isOverbooked,
  outOfOrder,
  isPartOfADay,
  keepClosurePlaces,
  localTimesOf,
  renewSharing,
  type PlannedClosure,
  plannedRows,
  closedRange,
  type ClosedTimes
} from "./ClosedTime.ts"
import { closingToken } from "./VersionToken.ts"

/** So many playrooms are closed at once. */
const maxPlayrooms = 200
/** So many closures that are not over a playroom may have from its venue. Whoever looks for a free time reads them. */
const maxUpcoming = 200
/** The maximum number of closures on one page of the desk. */
export const maxClosuresShown = 100
/** After this, what the venue closed is forgotten. The operator's history keeps that it was closed. */
const keptMs = 400 * dayMs
const ever = Date.parse("9999-12-31T00:00:00Z")

/** What is to be closed: one playroom, or all of an operator's; or what stock of an add-on is out of order. */
export interface ClosingWish {
  readonly operator_id?: string
  readonly playroom_id?: string
  readonly add_on_id?: string
  /** How many of it are out of order; absent: all. */
  readonly units?: number
  readonly times: ClosedTimes
  readonly reason: string
}

/** A playroom, or so many of an add-on's stock under its name, with the time that is to be closed, or was. */
export interface ClosedRoom extends PlannedClosure {
  readonly operator_id: OperatorId
  readonly playroom_id: PlayroomId
  readonly playroom_name: string
  readonly time_zone: string
}

/** What closing does. */
export interface ClosingPlan {
  readonly rooms: ReadonlyArray<ClosedRoom>
  /** What is booked then, by start: the first `maxAffectedShown` of `inside_in_all`. */
  readonly inside: ReadonlyArray<AffectedBooking>
  readonly inside_in_all: number
  /** The code of what this says. */
  readonly shown: string
}

const why = {
  no_playroom: "There is no such playroom.",
  no_stock:
    "There is no such add-on with stock, or it has fewer: give an add-on that can break its `stock` in the catalogue file.",
  too_many_playrooms: `More than ${maxPlayrooms} playrooms can't be closed at once: name one.`,
  over: "That time is over.",
  no_time: "The clocks skip that time: nothing would be closed.",
  too_many: `A playroom can have ${maxUpcoming} closures of the venue ahead: reopen some, or close the days in the catalogue file.`
} as const
const ClosingProblem = Schema.Literals(["no_playroom", "no_stock", "too_many_playrooms", "over", "no_time", "too_many"])
type ClosingProblem = typeof ClosingProblem.Type

/** Nothing was closed, and why. */
class ClosingRefused extends Schema.TaggedError<ClosingRefused>()("ClosingRefused", { reason: ClosingProblem }) {
  override get message(): string {
    return why[this.reason]
  }
}

/** What is booked then is not what was shown. Nothing was closed. */
class ClosingChanged extends Schema.TaggedError<ClosingChanged>()("ClosingChanged", {}) {
  override readonly message = "Nothing was closed: what is booked then has changed since it was shown."
}

/** There is no such closure of the venue. `of_file`: the catalogue file closes that time. */
class ClosureNotFound extends Schema.TaggedError<ClosureNotFound>()("ClosureNotFound", {
  closure_id: Schema.String,
  of_file: Schema.Boolean
}) {
  override get message(): string {
    return this.of_file
      ? `The catalogue file closes ${this.closure_id}: take it out of the file, and import that.`
      : `There is no closure ${this.closure_id}. It may have been lifted already.`
  }
}

const hourFields = ["opening_hours", "overrides"] as const
const rooms = decodeRows(
  Schema.Array(
    Schema.Struct({
      operator_id: OperatorId,
      playroom_id: PlayroomId,
      playroom_name: Schema.String,
      time_zone: Schema.String
    })
  )
)
const stocks = decodeRows(
  Schema.Array(
    Schema.Struct({
      operator_id: OperatorId,
      playroom_id: PlayroomId,
      playroom_name: Schema.String,
      time_zone: Schema.String,
      resource_id: Schema.String,
      units: Schema.Int
    })
  )
)
const hoursRows = decodeRows(
  Schema.Array(
    Schema.Struct({ playroom_id: PlayroomId, hours: Schema.Struct(Struct.pick(Playroom.fields, hourFields)) })
  )
)
const inAll = decodeRows(Schema.Array(Schema.Struct({ number: Schema.Int, digest: Schema.String })))
const lapsedRows = decodeRows(Schema.Array(Schema.Struct({ booking_id: Schema.String })))
const states = decodeRows(
  Schema.Array(Schema.Struct({ playroom_id: Schema.String, is_closed: Schema.Boolean, upcoming: Schema.Int }))
)
const lifted = decodeRows(
  Schema.Array(
    Schema.Struct({
      operator_id: OperatorId,
      playroom_id: PlayroomId,
      start: InstantFromDate,
      end: InstantFromDate,
      reason: Schema.String
    })
  )
)

/** An interval of ISO 8601. */
const interval = ({ end, start }: Pick<ClosedRoom, "end" | "start">): string =>
  [start, end].map((at) => new Date(at).toISOString().replace(".000Z", "Z")).join("/")

const stockIn = (planned: ReadonlyArray<ClosedRoom>): ReadonlyArray<string> =>
  planned.flatMap(({ stock }) => stock?.resource_id ?? [])

/** Closes playrooms for a time, puts stock out of order, and ends both. */
export const makeVenueClosures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const catalogue = yield* Catalogue
  const claims = yield* Claims
  const list = yield* BookingList
  const at = (instant: Instant) => sql`${new Date(instant)}::timestamptz`

  /** The name of the stock of the add-on `a`, with its room `p` unless rooms share it. */
  const stockName = sql`a.name || case when a.uses is null then ' · ' || p.name else '' end`

  const ofStock = Effect.fnUntraced(function* ({ add_on_id = "", operator_id, units }: ClosingWish) {
    const theirs = operator_id === undefined ? sql`true` : sql`r.operator_id = ${operator_id}`
    const found = yield* stocks(sql`select r.operator_id, p.playroom_id, ${stockName} as playroom_name, p.time_zone,
        r.resource_id, r.units
      from add_on a join playroom p using (playroom_id) join resource r on r.resource_id = coalesce(a.uses, a.add_on_id)
      where a.add_on_id = ${add_on_id} and ${theirs}`)
    return found.flatMap(({ resource_id, units: all, ...named }) =>
      units !== undefined && (units > all || units < 1)
        ? []
        : [
            {
              ...named,
              playroom_name: `${units ?? all} × ${named.playroom_name}`,
              stock: { resource_id, units: units ?? all }
            }
          ]
    )
  })

  /** What is closed or out of order and not over, by the file too, by playroom and start; at most `limit`. */
  const upcoming = Effect.fn("VenueClosures.upcoming")(function* (of: ClosuresOf, limit: number) {
    return yield* catalogue.closuresOf(of, yield* Clock.currentTimeMillis, ever, limit)
  })

  const roomsOf = Effect.fnUntraced(function* (wish: ClosingWish) {
    const { add_on_id, operator_id, playroom_id, reason, times } = wish
    const which = sql.and([
      ...(operator_id === undefined ? [] : [sql`operator_id = ${operator_id}`]),
      ...(playroom_id === undefined ? [] : [sql`playroom_id = ${playroom_id}`])
    ])
    const stock = add_on_id === undefined ? [] : yield* ofStock(wish)
    if (add_on_id !== undefined && stock.length === 0) return yield* new ClosingRefused({ reason: "no_stock" })
    const found =
      add_on_id !== undefined || (operator_id === undefined && playroom_id === undefined)
        ? stock
        : yield* rooms(sql`select operator_id, playroom_id, name as playroom_name, time_zone from playroom
            where ${which} order by name collate "C", playroom_id limit ${maxPlayrooms + 1}::int`)
    if (found.length === 0) return yield* new ClosingRefused({ reason: "no_playroom" })
    if (found.length > maxPlayrooms) return yield* new ClosingRefused({ reason: "too_many_playrooms" })
    const now = yield* Clock.currentTimeMillis
    const closed = found.map((room): ClosedRoom => ({ ...room, ...closedRange(room.time_zone, times), reason }))
    if (closed.some(({ end, start }) => start >= end)) return yield* new ClosingRefused({ reason: "no_time" })
    if (closed.some(({ end }) => end <= now)) return yield* new ClosingRefused({ reason: "over" })
    return closed
  })

  const planFor = Effect.fnUntraced(function* (planned: ReadonlyArray<ClosedRoom>) {
    const now = yield* Clock.currentTimeMillis
    const inside = yield* list.affected({ planned, limit: maxAffectedShown })
    const [all = { number: 0, digest: "" }] = yield* inAll(sql`
      select count(*)::int as number, coalesce(md5(string_agg(i.booking_id, ',' order by i.booking_id)), '') as digest from (
        select distinct b.booking_id from (
          select o.booking_id, o.during from ${plannedRows(sql, planned)} c join occupancy o on ${closedOver(sql)}
          union all select o.booking_id, o.during from resource r join occupancy o on o.resource_id = r.resource_id
            join booking b on b.booking_id = o.booking_id
          where r.resource_id = any(${stockIn(planned)}::text[]) and upper(o.during) > ${at(now)}
            and ${isOverbooked(sql, now, outOfOrder(sql, planned))}) o
          join booking b on b.booking_id = o.booking_id
        where upper(o.during) > ${at(now)} and not has_lapsed(b, ${at(now)})) i`)
    const shown = closingToken({
      booked: all.digest,
      rooms: planned.map(({ end, playroom_id, reason, start, stock }) => ({
        playroom_id,
        start,
        end,
        reason,
        ...(stock === undefined ? {} : { stock })
      }))
    })
    return { rooms: planned, inside, inside_in_all: all.number, shown } satisfies ClosingPlan
  })

  /** What closing would do; changes nothing. */
  const plan = Effect.fn("VenueClosures.plan")((wish: ClosingWish) => Effect.flatMap(roomsOf(wish), planFor))

  /** Whether this, with what is closed then already, closes nearly all opening hours of a day of one of these rooms. */
  const closesDays = Effect.fn("VenueClosures.closesDays")(function* (planned: ReadonlyArray<ClosedRoom>) {
    const ids = planned.map(({ playroom_id }) => playroom_id)
    const open = yield* hoursRows(sql`select playroom_id, details as hours from playroom
      where playroom_id = any(${ids}::text[])`)
    const hoursOf = new Map(open.map(({ hours, playroom_id }) => [playroom_id, hours]))
    for (const room of planned) {
      // Nobody is turned away from the room.
      if (room.stock !== undefined) continue
      const hours = hoursOf.get(room.playroom_id)
      const day = dayRange(room.time_zone, localDateOf(room.time_zone, room.start))
      const known = yield* catalogue.closuresOf(room, day.start, day.end, maxUpcoming)
      const others = known.filter(({ resource_id }) => resource_id === null)
      if (!isPartOfADay(room.time_zone, room)) return true
      if (hours !== undefined && closesTheDay(room.time_zone, hours, [room, ...others])) return true
    }
    return false
  })

  /** Gives back places of holds whose time is up. The caller has locked the resources. */
  const releaseLapsed = Effect.fnUntraced(function* (planned: ReadonlyArray<ClosedRoom>, now: Instant) {
    const found = yield* lapsedRows(sql`select distinct b.booking_id from ${plannedRows(sql, planned)} c
      join occupancy o on ${closedOver(sql)} join booking b on b.booking_id = o.booking_id
      where has_lapsed(b, ${at(now)})`)
    yield* claims.releaseUnlocked(
      found.map(({ booking_id }) => booking_id),
      now
    )
  })

  const plannedStock = (wanted: ReadonlyArray<ClosedRoom>) =>
    sql`(select x.playroom_id, x.resource_id, x.units, tstzrange(x.start, x."end") as during from jsonb_to_recordset(${JSON.stringify(
      wanted.flatMap(({ end, playroom_id, start, stock }) =>
        stock === undefined
          ? []
          : [{ ...stock, playroom_id, start: new Date(start).toISOString(), end: new Date(end).toISOString() }]
      )
    )}::jsonb) as x (playroom_id text, resource_id text, units int, start timestamptz, "end" timestamptz))`

  /** Lines of the operators' history. */
  const record = (
    event: "closed" | "reopened",
    closed: ReadonlyArray<Omit<ClosedRoom, "stock"> & { readonly stock?: unknown }>,
    { now, who }: { readonly now: Instant; readonly who: string }
  ) => {
    const lines = closed.map(({ reason, stock, ...room }) => ({
      ...room,
      reason: stock === undefined ? reason : `${room.playroom_name}: ${reason}`,
      time: interval(room)
    }))
    const was = event === "reopened" ? sql`x.time, null` : sql`null, x.time`
    return sql`insert into operator_history (operator_id, at, event, who, reason, was, became, playroom_id)
      select x.operator_id, ${at(now)}, ${event}, ${who}, x.reason, ${was}, x.playroom_id
      from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as x (operator_id text, playroom_id text, reason text, time text)`
  }

  const write = Effect.fnUntraced(function* (planned: ReadonlyArray<ClosedRoom>, who: string, now: Instant) {
    const ids = planned.flatMap(({ playroom_id, stock }) => (stock === undefined ? [playroom_id] : []))
    const over = sql`select closure_id from closure where playroom_id = any(${ids}::text[]) and made_by is not null
      and lower(during) < ${at(now - keptMs)} and upper(during) < ${at(now - keptMs)}`
    yield* sql`delete from occupancy where closure_id in (${over})`
    yield* sql`delete from closure where closure_id in (${over})`
    yield* sql`delete from out_of_order s using resource r where r.resource_id = any(${stockIn(planned)}::text[])
      and s.operator_id = r.operator_id and s.made_by is not null and upper(s.during) < ${at(now - keptMs)}`
    const named = yield* Effect.forEach(planned, (room) =>
      Effect.map(Effect.provideService(newId.closure, SecureRandom.SecureRandom, random), (closure_id) => ({
        ...room,
        closure_id,
        local_times: localTimesOf(room.time_zone, room),
        start: new Date(room.start).toISOString(),
        end: new Date(room.end).toISOString()
      }))
    )
    yield* sql`insert into closure (closure_id, operator_id, playroom_id, during, local_times, reason, created_at, made_by)
      select c.closure_id, c.operator_id, c.playroom_id, tstzrange(c.start, c."end"), c.local_times, c.reason, ${at(now)}, ${who}
      from jsonb_to_recordset(${JSON.stringify(named.filter(({ stock }) => stock === undefined))}::jsonb) as c (closure_id text, operator_id text, playroom_id text,
        start timestamptz, "end" timestamptz, local_times jsonb, reason text)`
    yield* sql`insert into out_of_order (closure_id, operator_id, resource_id, units, during, local_times, reason, made_by, created_at)
      select c.closure_id, c.operator_id, c.stock ->> 'resource_id', (c.stock ->> 'units')::int,
        tstzrange(c.start, c."end"), c.local_times, c.reason, ${who}, ${at(now)}
      from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as c (closure_id text, operator_id text, stock jsonb,
        start timestamptz, "end" timestamptz, local_times jsonb, reason text) where c.stock is not null`
    yield* keepClosurePlaces(sql, ids, now)
    yield* renewSharing(sql, stockIn(planned))
    yield* record("closed", planned, { now, who })
    return named.map(({ closure_id }) => closure_id)
  })

  /**
   * Closes, all or nothing; what is closed just so already is left. With `shown`, it does what that plan said, or
   * nothing. `made`: the ids of new closures.
   */
  const close = Effect.fn("VenueClosures.close")(function* (
    wish: ClosingWish,
    { shown, who }: { readonly who: string; readonly shown?: string }
  ) {
    const wanted = yield* roomsOf(wish)
    const ids = wanted.map(({ playroom_id, stock }) => stock?.resource_id ?? playroom_id)
    // Bookings lock these rows too, in this order. Whoever comes second finds what the first has written.
    yield* sql`select from resource where resource_id = any(${ids}::text[]) ${sql.literal(lockingInOrder)}`
    const now = yield* Clock.currentTimeMillis
    const known = yield* states(sql`select c.playroom_id,
          exists (select from closure m where m.playroom_id = c.playroom_id and m.made_by is not null and m.during = c.during) as is_closed,
          (select count(*)::int from closure m where m.playroom_id = c.playroom_id and m.made_by is not null
            and upper(m.during) > ${at(now)}) as upcoming
        from ${plannedRows(sql, wanted)} c
        union all select p.playroom_id, bool_or(s.during = p.during and s.units = p.units) is true,
          (count(*) filter (where upper(s.during) > ${at(now)}))::int
        from ${plannedStock(wanted)} p left join out_of_order s on s.resource_id = p.resource_id and s.made_by is not null
        group by p.playroom_id`)
    const closed = new Set(known.filter(({ is_closed }) => is_closed).map(({ playroom_id }) => playroom_id))
    const fresh = wanted.filter(({ playroom_id }) => !closed.has(playroom_id))
    const full = known.some(({ is_closed, upcoming }) => !is_closed && upcoming >= maxUpcoming)
    if (full) return yield* new ClosingRefused({ reason: "too_many" })
    const found = yield* planFor(wanted)
    if (fresh.length === 0) return { ...found, made: [] }
    if (shown !== undefined && shown !== found.shown) return yield* new ClosingChanged()
    yield* releaseLapsed(fresh, now)
    return { ...found, made: yield* write(fresh, who, now) }
  }, sql.withTransaction)

  /** Puts stock in order again, from now on: who books by what was read before decides anew. */
  const repair = Effect.fnUntraced(function* (
    { closure_id, operator_id }: { readonly closure_id: string; readonly operator_id?: string },
    who: string
  ) {
    const of = { closure_id, ...(operator_id === undefined ? {} : { operator_id }) }
    const [found] = yield* upcoming(of, 1)
    if (found === undefined || found.resource_id === null)
      return yield* new ClosureNotFound({ closure_id, of_file: false })
    if (found.made_by === null) return yield* new ClosureNotFound({ closure_id, of_file: true })
    yield* sql`select from resource where resource_id = ${found.resource_id} for update`
    const gone = yield* sql`delete from out_of_order where closure_id = ${closure_id} returning closure_id`
    if (gone.length === 0) return yield* new ClosureNotFound({ closure_id, of_file: false })
    yield* renewSharing(sql, [found.resource_id])
    yield* record("reopened", [{ ...found, stock: found.resource_id }], { now: yield* Clock.currentTimeMillis, who })
    return found satisfies ClosedRoom
  })

  /** Reopens what the venue closed, or puts stock in order again. `operator_id`: only if it is this operator's. */
  const lift = Effect.fn("VenueClosures.lift")(function* (
    { closure_id, operator_id }: { readonly closure_id: string; readonly operator_id?: string },
    who: string
  ) {
    const theirs = operator_id === undefined ? sql`true` : sql`c.operator_id = ${operator_id}`
    const [found] = yield* sql<{ readonly playroom_id: string; readonly made_by: string | null }>`
      select c.playroom_id, c.made_by from closure c where c.closure_id = ${closure_id} and ${theirs}`
    if (found === undefined)
      return yield* repair(operator_id === undefined ? { closure_id } : { closure_id, operator_id }, who)
    if (found.made_by === null) return yield* new ClosureNotFound({ closure_id, of_file: true })
    yield* sql`select from resource where resource_id = ${found.playroom_id} for update`
    const now = yield* Clock.currentTimeMillis
    yield* sql`delete from occupancy where closure_id = ${closure_id}`
    const [gone] = yield* lifted(sql`delete from closure where closure_id = ${closure_id}
      returning operator_id, playroom_id, lower(during) as start, upper(during) as "end", reason`)
    if (gone === undefined) return yield* new ClosureNotFound({ closure_id, of_file: false })
    const [named] = yield* rooms(sql`select operator_id, playroom_id, name as playroom_name, time_zone from playroom
      where playroom_id = ${gone.playroom_id}`)
    const room: ClosedRoom = { playroom_name: "", time_zone: "UTC", ...named, ...gone }
    yield* keepClosurePlaces(sql, [gone.playroom_id], now)
    yield* record("reopened", [room], { now, who })
    return room
  }, sql.withTransaction)

  /** An operator's playrooms, listed or not, by name: those that can be closed. */
  const roomsOfOperator = Effect.fn("VenueClosures.rooms")((operator_id: string) =>
    Effect.map(
      rooms(sql`select operator_id, playroom_id, name as playroom_name, time_zone from playroom
        where operator_id = ${operator_id} order by name collate "C", playroom_id limit ${maxPlayrooms}::int`),
      (found) => found.map(({ playroom_id, playroom_name }) => ({ playroom_id, name: playroom_name }))
    )
  )

  /** An operator's add-ons with stock, by name, with how many there are; one of each stock that rooms share. */
  const stockOfOperator = Effect.fn("VenueClosures.stock")(
    (operator_id: string) =>
      sql<{ readonly add_on_id: string; readonly name: string; readonly units: number }>`
      select add_on_id, name, units from (
        select distinct on (r.resource_id) a.add_on_id, ${stockName} as name, r.units
        from add_on a join playroom p using (playroom_id) join resource r on r.resource_id = coalesce(a.uses, a.add_on_id)
        where r.operator_id = ${operator_id} and a.on_sale order by r.resource_id, p.name collate "C", a.add_on_id) s
      order by name collate "C", add_on_id limit ${maxPlayrooms}::int`
  )

  return { rooms: roomsOfOperator, stock: stockOfOperator, plan, closesDays, close, lift, upcoming }
})
