/** Places: who has them, where and when, and that nothing is taken twice. */
import { isOverbooked } from "../../domain/booking/ClosedTime.ts"
import { compareBooking, type Invariant } from "./Invariant.ts"

const both = (booking_id: string): string =>
  `see playroom booking show ${booking_id} and the other one; playroom booking move, or playroom booking cancel, gives one of them other places`

const closeAnew = (closure_id: string): string =>
  `close that time anew: playroom closure lift ${closure_id} and closure make, or, if the catalogue file closes it, an import without it and one with it`

export const placeInvariants: ReadonlyArray<Invariant> = [
  {
    what: "places missing",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('it is %s, and has no places in its playroom', b.status) as detail
      from page join booking b using (booking_id)
      where b.status in ('held', 'confirmed') and not exists (select from occupancy o
        where o.booking_id = b.booking_id and o.resource_id = b.playroom_id)`,
    fix: (id) =>
      `its places may be sold to others: see playroom booking show ${id}; playroom booking move to the same time takes them again, if they are free`
  },
  {
    what: "places differ",
    table: "booking",
    // A booking of the whole room follows the room's size until it is over.
    faults: (sql, now) => sql`select b.booking_id as id,
        format('agreed: %s units from %s to %s; taken: %s', case when (c ->> 'whole')::boolean then 'all' else c ->> 'quantity' end,
          to_timestamp((c ->> 'start')::float8 / 1000), to_timestamp((c ->> 'end')::float8 / 1000), o.told) as detail
      from page join booking b using (booking_id)
      join resource r on r.resource_id = b.playroom_id
      cross join lateral jsonb_array_elements(b.terms -> 'claims') c
      cross join lateral (
        select string_agg(format('%s from %s to %s', x.units, lower(x.during), upper(x.during)), ', ') as told,
          count(*) as n, min(extract(epoch from lower(x.during))) * 1000 as starts, max(extract(epoch from upper(x.during))) * 1000 as ends,
          sum((select sum(upper(u) - lower(u)) from unnest(x.units) u)) as units,
          bool_and(lower(x.during) <= b.starts_at and upper(x.during) >= b.ends_at) as around
        from occupancy x where x.booking_id = b.booking_id and x.resource_id = b.playroom_id) o
      where b.status in ('held', 'confirmed') and c ->> 'resource_id' = b.playroom_id and o.n > 0
        and (o.n > 1 or o.starts <> (c ->> 'start')::numeric or o.ends <> (c ->> 'end')::numeric or not o.around
          or case when (c ->> 'whole')::boolean then o.units <> r.units and o.ends > ${now}::float8
            else o.units <> (c ->> 'quantity')::int end)`,
    fix: compareBooking
  },
  {
    what: "places kept",
    table: "booking",
    faults: (sql) => sql`select b.booking_id as id, format('it is %s, and still has %s', b.status,
        (select string_agg(format('%s of %s', o.units, o.resource_id), ', ') from occupancy o where o.booking_id = b.booking_id)) as detail
      from page join booking b using (booking_id)
      where b.status in ('expired', 'cancelled') and exists (select from occupancy o where o.booking_id = b.booking_id)`,
    fix: compareBooking
  },
  {
    what: "places sold twice",
    table: "booking",
    faults: (sql) => sql`select o.booking_id as id,
        format('units %s of %s from %s are also those of %s', o.units * x.units, o.resource_id, lower(o.during * x.during),
          coalesce(x.booking_id, x.closure_id)) as detail
      from page join occupancy o using (booking_id)
      join occupancy x on x.resource_id = o.resource_id and x.units && o.units and x.during && o.during and x.ctid <> o.ctid
      where x.booking_id is null or x.booking_id < o.booking_id or (x.booking_id = o.booking_id and x.ctid < o.ctid)`,
    fix: both
  },
  {
    what: "places beyond capacity",
    table: "booking",
    // Of a visit that is over, the capacity may have been another.
    faults: (
      sql,
      now
    ) => sql`select o.booking_id as id, format('units %s of %s, which has %s', o.units, o.resource_id, r.units) as detail
      from page join booking b using (booking_id) join occupancy o using (booking_id) join resource r on r.resource_id = o.resource_id
      where upper(o.during) > ${new Date(now)}::timestamptz and ${isOverbooked(sql, now)}`,
    fix: (id) =>
      `if an import was forced over this booking, playroom booking closed lists it, to move or cancel it; else see playroom booking show ${id}: playroom booking move gives it places that exist`
  },
  {
    what: "places elsewhere",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('it is of %s and %s, and has places of %s and %s', b.playroom_id, b.operator_id,
        r.playroom_id, o.operator_id) as detail
      from page join booking b using (booking_id) join occupancy o using (booking_id)
      join resource r on r.resource_id = o.resource_id
      where r.playroom_id <> b.playroom_id or o.operator_id <> b.operator_id or r.operator_id <> b.operator_id`,
    fix: compareBooking
  },
  {
    what: "add-on not counted",
    table: "booking",
    // An import leaves out holds that have lapsed: who pays one late takes its add-ons anew.
    faults: (sql, now) => sql`select b.booking_id as id,
        format('%s of %s agreed, %s counted', n.quantity, n.resource_id, coalesce(o.units, 0)) as detail
      from page join booking b using (booking_id)
      cross join lateral stock_needed(b) n
      cross join lateral (select sum((select sum(upper(u) - lower(u)) from unnest(x.units) u)) as units
        from occupancy x where x.booking_id = b.booking_id and x.resource_id = n.resource_id) o
      where b.status in ('held', 'confirmed') and not has_lapsed(b, ${new Date(now)}::timestamptz)
        and b.starts_at > ${new Date(now)}::timestamptz and o.units is distinct from n.quantity`,
    fix: (id) =>
      `the add-on may be sold to others: see playroom booking show ${id}; importing the operator's catalogue file again counts it`
  },
  {
    what: "closure without places",
    table: "closure",
    // A closure leaves bookings what they have, and the closure before it.
    faults: (
      sql,
      now
    ) => sql`select c.closure_id as id, format('%s is closed from %s, and nothing is taken', c.playroom_id, lower(c.during)) as detail
      from page join closure c using (closure_id)
      where upper(c.during) > ${new Date(now)}::timestamptz
        and not exists (select from occupancy o where o.closure_id = c.closure_id)
        and not exists (select from closure d where d.playroom_id = c.playroom_id and d.closure_id <> c.closure_id and d.during && c.during)
        and not exists (select from booking b where b.playroom_id = c.playroom_id
          and b.starts_at > lower(c.during) - interval '2 days' and b.starts_at < upper(c.during) + interval '2 days')`,
    fix: closeAnew
  },
  {
    what: "closure differs",
    table: "closure",
    faults: (
      sql
    ) => sql`select c.closure_id as id, format('it is of %s from %s to %s, and takes %s from %s to %s', c.playroom_id,
        lower(c.during), upper(c.during), o.resource_id, lower(o.during), upper(o.during)) as detail
      from page join closure c using (closure_id) join occupancy o on o.closure_id = c.closure_id
      where o.resource_id <> c.playroom_id or o.operator_id <> c.operator_id or not o.during <@ c.during`,
    fix: closeAnew
  },
  {
    what: "places of no calendar",
    table: "playroom",
    faults: (
      sql,
      now
    ) => sql`select o.resource_id as id, format('other calendars take %s of it from %s to %s, and none is busy all that time',
        o.units, lower(o.during), upper(o.during)) as detail
      from page join occupancy o on o.resource_id = page.playroom_id and o.other_calendar
      where upper(o.during) > ${new Date(now)}::timestamptz and not coalesce((select range_agg(c.during) @> o.during
        from calendar_busy c where c.playroom_id = o.resource_id and c.during && o.during), false)`,
    fix: () =>
      "the next look at one of its calendars puts it right, within five minutes; without any, import the catalogue file again"
  },
  {
    what: "capacity differs",
    table: "playroom",
    faults: (
      sql
    ) => sql`select p.playroom_id as id, format('its capacity is %s, and %s units are sold', p.capacity, coalesce(r.units, 0)) as detail
      from page join playroom p using (playroom_id) left join resource r on r.resource_id = p.playroom_id
      where r.units is distinct from p.capacity or r.operator_id <> p.operator_id`,
    fix: () => "import the operator's catalogue file again"
  },
  {
    what: "stock differs",
    table: "add_on",
    faults: (
      sql
    ) => sql`select a.add_on_id as id, format('its stock is %s, and %s units are sold', coalesce(a.stock::text, 'unlimited'),
        coalesce(r.units::text, 'unlimited')) as detail
      from page join add_on a using (add_on_id) left join resource r on r.resource_id = coalesce(a.uses, a.add_on_id)
      where r.units is distinct from a.stock`,
    fix: () => "import the operator's catalogue file again"
  }
]
