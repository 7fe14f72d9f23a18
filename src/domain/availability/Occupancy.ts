/**
 * Which units of a resource are occupied, and when. The database's exclusion constraint refuses every double sale, by
 * any writer. This service picks free units, so that the constraint rarely has to refuse.
 */
import { Clock, Context, Data, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { InstantFromDate } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { type CalendarReads, calendarReads } from "./CalendarRows.ts"
import {
  type Place,
  parseUnits,
  placeOf,
  type UnitsOf,
  unitsText,
  wantedOf,
  type Claim,
  reassignUnits
} from "./Units.ts"
import { codeOf } from "../../platform/errors/InvalidArguments.ts"

/**
 * How resources are locked, by everyone: stock that rooms share first, then room by room with the stock of its own, so
 * that nobody waits for another in a circle. Rows of `occupancy` are written only under the lock on their resource. In
 * `sql/`, `release_places` has the same order; `make_booking` locks one room and its stock, `keep_closure_places` rooms
 * alone, by ids, which is the same for these.
 *
 * One exception: while `release_places` waits for a room, an import may count more stock for these bookings, and
 * locking that after the room would break the order. These rows go without it, which sells nothing twice: whoever has
 * the stock's lock sees its units taken a moment longer, or is about to give the booking other units (`makeRoom`), and
 * then one waits for the other's row.
 */
export const lockingInOrder = "order by playroom_id nulls first, resource_id for update"

/** Whether claiming locks the resource rows first. Only tests set it to false, to show why the lock is needed. */
export const LockResources = Context.Reference<boolean>("playroom/availability/LockResources", {
  defaultValue: () => true
})

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
  override readonly message = "Holds that have lapsed still have places that are needed."
}

/** Added to units that change places, so that none is taken twice meanwhile: beyond all that any resource has. */
const unitOffset = 1_000_000_000

/** Units of a resource that a booking needs for its add-ons. */
export const StockNeeded = Schema.Struct({ resource_id: Schema.String, quantity: Schema.Int })
export type StockNeeded = typeof StockNeeded.Type

export class Occupancy extends Context.Service<
  Occupancy,
  CalendarReads & {
    /** The units of stock that a booking needs by today's catalogue, in the order of resource ids. */
    readonly stockNeeded: (booking_id: string) => Effect.Effect<ReadonlyArray<StockNeeded>, SqlError.SqlError>
    /**
     * Locks resources until the caller's transaction ends, with those of which these bookings have places. Succeeds
     * with the number of units of each.
     */
    readonly lock: (
      resource_ids: ReadonlyArray<string>,
      booking_ids?: ReadonlyArray<string>
    ) => Effect.Effect<UnitsOf, SqlError.SqlError>
    /**
     * Locks the resources of which a booking has places, as far as nobody else has locked them; for callers that have
     * locked others. Succeeds with whether all are locked.
     */
    readonly tryLock: (booking_id: string) => Effect.Effect<boolean, SqlError.SqlError>
    /**
     * Units for claims for which there is room, after `lock`: where none are free all the time, others get other units.
     */
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
     * Releases all places of these bookings, under the locks on their resources. What another calendar of the playroom
     * is busy with goes to it when the transaction ends (`occupancy_given_back` in `sql/`).
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

      const { calendar, calendarReading, calendars } = calendarReads(sql)

      const stockRows = decodeRows(Schema.Array(StockNeeded))
      const stockNeeded = Effect.fn("Occupancy.stockNeeded")((booking_id: string) =>
        stockRows(sql`select n.resource_id, n.quantity from booking b cross join lateral stock_needed(b) n
          where b.booking_id = ${booking_id} order by n.resource_id`)
      )

      const resources = decodeRows(Schema.Array(Schema.Struct({ resource_id: Schema.String, units: Schema.Int })))
      const ofBookings = (booking_ids: ReadonlyArray<string>) =>
        sql`resource_id in (select resource_id from occupancy where booking_id = any(${booking_ids}::text[]))`
      const lock = Effect.fn("Occupancy.lock")(function* (
        resource_ids: ReadonlyArray<string>,
        booking_ids: ReadonlyArray<string> = []
      ) {
        const locking = yield* LockResources
        // This is a separate statement: in READ COMMITTED a statement's snapshot is older than the lock it waited for.
        const rows = yield* resources(sql`
          select resource_id, units from resource where resource_id = any(${resource_ids}::text[])
          ${booking_ids.length === 0 ? sql`` : sql`or ${ofBookings(booking_ids)}`} ${sql.literal(locking ? lockingInOrder : "")}`)
        const units = new Map(rows.map((row) => [row.resource_id, row.units]))
        return (resource_id: string) => units.get(resource_id) ?? 0
      })

      const tryLock = (booking_id: string) =>
        Effect.map(
          sql<{ readonly all: boolean }>`
            with locked as (select from resource where ${ofBookings([booking_id])} for update skip locked)
            select (select count(*) from locked) = (select count(*) from resource where ${ofBookings([booking_id])}) as all`,
          ([found]) => found?.all ?? false
        )

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
            between: unitsText(before.map(([from, to]) => [from + unitOffset, to + unitOffset] as const)),
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
        tryLock,
        makeRoom,
        take,
        release,
        giveToCalendars
      })
    })
  )
}

/** Whether the database refused a double sale, by an `exclusion_violation`. */
export const isDoubleSale = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "ConstraintError" && codeOf(reason.cause) === "23P01"
