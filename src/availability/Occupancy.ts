/**
 * Which units of a resource are occupied, and when. The database's exclusion constraint refuses every double sale, by
 * any writer. This service picks free units, so that the constraint rarely has to refuse.
 */
import { Clock, Context, Data, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import type { Reading } from "../catalogue/Catalogue.ts"
import { ClosureId } from "../kernel/Ids.ts"
import { type Instant, InstantFromDate } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { type Calendar } from "./Availability.ts"
import { type Place, parseUnits, placeOf, type UnitsOf, unitsText, wantedOf } from "./Places.ts"
import { type Claim, reassignUnits, type Taken } from "./Units.ts"

/**
 * How resources are locked, by everyone: stock that rooms share first, then room by room with the stock of its own, so that nobody
 * waits for another in a circle. Rows of `occupancy` are written only under the lock on their resource. In `sql/`, `release_places` has
 * the same order; `make_booking` locks one room and its stock, `keep_closure_places` rooms alone, by ids, which is the same for these.
 */
export const lockingInOrder = "order by playroom_id nulls first, resource_id for update"

/** Whether claiming locks the resource rows first. Only tests set it to false, to show why the lock is needed. */
export const LockResources = Context.Reference<boolean>("playroom/availability/LockResources", {
  defaultValue: () => true
})

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
  readonly left: ReadonlyArray<string>
  readonly taken: ReadonlyMap<string, ReadonlyArray<Taken>>
}

const emptyCalendar: ClaimableCalendar = { closures: [], taken: new Map(), lapsed: [] }

const unitRows = decodeRows(
  Schema.Array(
    Schema.Struct({
      booking_id: Schema.NullOr(Schema.String),
      units: Schema.String,
      during: Schema.String,
      start: InstantFromDate,
      end: InstantFromDate
    })
  )
)

/** These holds have lapsed, and still have places that would get other units. None: the places changed meanwhile. */
export class HoldsInTheWay extends Data.TaggedError("HoldsInTheWay")<{ readonly booking_ids: ReadonlyArray<string> }> {
  override get message(): string {
    return "Holds that have lapsed still have places that are needed."
  }
}

/** Beyond all units that any resource has had. */
const aside = 1_000_000_000

/** Units of a resource that a booking needs for its add-ons. */
export const StockNeeded = Schema.Struct({ resource_id: Schema.String, quantity: Schema.Int })
export type StockNeeded = typeof StockNeeded.Type

export class Occupancy extends Context.Service<
  Occupancy,
  {
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
    /** The units of stock that a booking needs by today's catalogue, in the order of resource ids. */
    readonly stockNeeded: (booking_id: string) => Effect.Effect<ReadonlyArray<StockNeeded>, SqlError.SqlError>
    /**
     * Locks resources until the caller's transaction ends, with those of which a booking has places, if one is named. Succeeds with
     * the number of units of each.
     */
    readonly lock: (
      resource_ids: ReadonlyArray<string>,
      booking_id?: string
    ) => Effect.Effect<UnitsOf, SqlError.SqlError>
    /**
     * Locks the resources of which a booking has places, as far as nobody else has locked them; for callers that have locked others.
     * Succeeds with whether all are locked.
     */
    readonly lockIfFree: (booking_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** Units for claims for which there is room, after `lock`: where none are free all the time, others get other units. */
    readonly makeRoom: (
      claims: ReadonlyArray<Claim>,
      units: UnitsOf
    ) => Effect.Effect<ReadonlyArray<Place>, HoldsInTheWay | SqlError.SqlError>
    /** Claims places in the caller's transaction, after `lock`. A double sale is an `SqlError` (`isDoubleSale`). */
    readonly take: (
      owner: { readonly booking_id: string; readonly operator_id: string },
      places: ReadonlyArray<Place>
    ) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Releases all places of these bookings, under the locks on their resources. What another calendar of the playroom is
     * busy with goes to it when the transaction ends (`occupancy_given_back` in `sql/`).
     */
    readonly release: (booking_ids: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
    /** The same at once, in a transaction that takes places of the playroom after it has released some. */
    readonly giveToCalendars: (playroom_id: string) => Effect.Effect<void, SqlError.SqlError>
  }
>()("playroom/availability/Occupancy") {
  static readonly layer = Layer.effect(
    Occupancy,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const rowsOf = (
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
            from (select playroom_id, resource_id from resource where playroom_id ${here}
              union all
              select distinct playroom_id, uses from add_on where playroom_id ${here} and uses is not null) r
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

      const calendars = Effect.fn("Occupancy.calendars")(
        (playroom_ids: ReadonlyArray<string>, from: Instant, to: Instant, now: Instant) =>
          Effect.map(rowsOf(playroom_ids, from, to, now), (rows) => byPlayroomOf(playroom_ids, rows))
      )

      const calendarReading = Effect.fn("Occupancy.calendarReading")(function* (
        playroom_id: string,
        from: Instant,
        to: Instant,
        now: Instant
      ) {
        const read = sql`union all select ${playroom_id}, 'read', coalesce(catalogue_version(${playroom_id}), ''), '{}',
            clock_timestamp(), clock_timestamp(), '', null`
        const rows = yield* rowsOf([playroom_id], from, to, now, { more: read })
        const { id: version = "", starts: database_at = now } = rows.find(({ kind }) => kind === "read") ?? {}
        const places = rows.filter(({ kind }) => kind !== "read")
        return {
          calendar: byPlayroomOf([playroom_id], places).get(playroom_id) ?? emptyCalendar,
          reading: { version, at: yield* Clock.currentTimeMillis, database_at }
        }
      })

      const calendar = Effect.fn("Occupancy.calendar")(function* (
        playroom_id: string,
        from: Instant,
        to: Instant,
        now: Instant,
        except?: string,
        planned?: PlannedPlaces
      ) {
        const rows = yield* rowsOf([playroom_id], from, to, now, { except, left: planned?.left })
        const found = byPlayroomOf([playroom_id], rows).get(playroom_id) ?? emptyCalendar
        if (planned === undefined) return found
        const taken = new Map(found.taken)
        for (const [id, more] of planned.taken) taken.set(id, [...(taken.get(id) ?? []), ...more])
        return { ...found, taken }
      })

      const stockRows = decodeRows(Schema.Array(StockNeeded))
      const stockNeeded = Effect.fn("Occupancy.stockNeeded")((booking_id: string) =>
        stockRows(sql`select n.resource_id, n.quantity from booking b cross join lateral stock_needed(b) n
          where b.booking_id = ${booking_id} order by n.resource_id`)
      )

      const resources = decodeRows(Schema.Array(Schema.Struct({ resource_id: Schema.String, units: Schema.Int })))
      const ofBooking = (booking_id: string) =>
        sql`resource_id in (select resource_id from occupancy where booking_id = ${booking_id})`
      const lock = Effect.fn("Occupancy.lock")(function* (resource_ids: ReadonlyArray<string>, booking_id?: string) {
        const locking = yield* LockResources
        // This is a separate statement: in READ COMMITTED a statement's snapshot is older than the lock it waited for.
        const rows = yield* resources(sql`
          select resource_id, units from resource where resource_id = any(${resource_ids}::text[])
          ${booking_id === undefined ? sql`` : sql`or ${ofBooking(booking_id)}`} ${sql.literal(locking ? lockingInOrder : "")}`)
        const units = new Map(rows.map((row) => [row.resource_id, row.units]))
        return (resource_id: string) => units.get(resource_id) ?? 0
      })

      const lockIfFree = Effect.fnUntraced(function* (booking_id: string) {
        const locked = yield* sql`select from resource where ${ofBooking(booking_id)} for update skip locked`
        const all = yield* sql`select from resource where ${ofBooking(booking_id)}`
        return locked.length === all.length
      })

      /** As `reassignUnits`, with all rows that it has to look at. */
      const reassigned = Effect.fnUntraced(function* (claim: Claim, units: UnitsOf) {
        const { end, resource_id, start } = claim
        let until = end
        while (true) {
          const rows = yield* unitRows(sql`
            select booking_id, units::text as units, during::text as during, lower(during) as start, upper(during) as "end"
            from occupancy where resource_id = ${resource_id} and during && tstzrange(${new Date(start)}, ${new Date(until)})`)
          const taken = rows.map((row) => ({ ...row, resource_id, units: parseUnits(row.units) }))
          const found = reassignUnits(units(resource_id), taken, wantedOf(claim, units), start, end)
          if (found === undefined || found.until <= until) return found
          // Twice as far each time: where visits follow each other without a gap, one changes after the other.
          until = Math.max(found.until, until + (until - start))
        }
      })

      const makeRoom = Effect.fn("Occupancy.makeRoom")(function* (claims: ReadonlyArray<Claim>, units: UnitsOf) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const places: Array<Place> = []
        for (const claim of claims) {
          const { resource_id } = claim
          const found = yield* reassigned(claim, units)
          if (found === undefined) return yield* new HoldsInTheWay({ booking_ids: [] })
          places.push(placeOf(claim, units(resource_id), found.units))
          if (found.moved.size === 0) continue
          const moved = Array.from(found.moved, ([{ during, units: before }, after]) => ({
            during,
            before: unitsText(before),
            between: unitsText(before.map(([from, to]) => [from + aside, to + aside] as const)),
            after: unitsText(after)
          }))
          const rows = sql`jsonb_to_recordset(${JSON.stringify(moved)}::jsonb)
            as m(during tstzrange, before int4multirange, between int4multirange, after int4multirange)`
          const lapsed = yield* sql<{ readonly booking_id: string }>`
            select b.booking_id from occupancy o join ${rows} on o.during = m.during and o.units = m.before
              join booking b on b.booking_id = o.booking_id
            where o.resource_id = ${resource_id} and has_lapsed(b, ${now})`
          if (lapsed.length > 0)
            return yield* new HoldsInTheWay({ booking_ids: lapsed.map(({ booking_id }) => booking_id) })
          // Some get what others had, and the constraint looks at one row after the other: so first all leave theirs.
          yield* sql`update occupancy o set units = m.between
            from ${rows} where o.resource_id = ${resource_id} and o.during = m.during and o.units = m.before`
          yield* sql`update occupancy o set units = m.after
            from ${rows} where o.resource_id = ${resource_id} and o.during = m.during and o.units = m.between`
        }
        return places
      })

      const take = Effect.fn("Occupancy.take")(function* (
        owner: { readonly booking_id: string; readonly operator_id: string },
        places: ReadonlyArray<Place>
      ) {
        yield* sql`
          insert into occupancy (resource_id, operator_id, units, during, booking_id)
          select p.resource_id, ${owner.operator_id}, p.units, tstzrange(p.starts, p.ends), ${owner.booking_id}
          from jsonb_to_recordset(${JSON.stringify(places)}::jsonb)
            as p(resource_id text, units int4multirange, starts timestamptz, ends timestamptz)`
      })

      const release = (booking_ids: ReadonlyArray<string>) =>
        Effect.asVoid(sql`select release_places(${booking_ids}::text[])`)

      const giveToCalendars = (playroom_id: string) =>
        Effect.asVoid(sql`select keep_calendar_places(${playroom_id}, '-infinity')`)

      return Occupancy.of({
        calendars,
        calendar,
        calendarReading,
        stockNeeded,
        lock,
        lockIfFree,
        makeRoom,
        take,
        release,
        giveToCalendars
      })
    })
  )
}

/** Whether the database refused a double sale, by an `exclusion_violation`. */
export const isDoubleSale = ({ reason }: SqlError.SqlError): boolean => {
  if (reason._tag !== "ConstraintError") return false
  const { cause } = reason
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === "23P01"
}
