/** The invariants of the stored data: of places, of bookings and of payments, as one query over a page of rows each. */

import type { SqlClient, Statement } from "effect/sql"
import { isOverbooked } from "../../domain/booking/ClosedTime.ts"
import { attendanceWindow } from "../../domain/booking/Lifecycle.ts"
import { type EventName, thinType } from "../../domain/payment/provider/Receivers.ts"
import { statusesWithPayer } from "../../domain/payment/refunds/Disputes.ts"
import { paidBackElsewhere, settledByDashboard } from "../../domain/payment/refunds/Refund.ts"
import { type Instant, dayMs } from "../../platform/time/LocalTime.ts"

/** The tables whose rows are of a booking each, with their primary keys: they are looked at booking by booking. */
export const ofBooking = {
  booking: ["booking_id"],
  dispute: ["dispute_id"],
  payment_session: ["payment_session_id"],
  refund: ["refund_id"]
} as const

/** The tables that are walked by themselves: they do not grow with the past, or only those rows of them are read. */
export const byItself = {
  add_on: { keys: ["add_on_id"], where: "true" },
  closure: { keys: ["closure_id"], where: "true" },
  // Kept for two days.
  idempotency: { keys: ["key_id", "operation", "idempotency_key"], where: "true" },
  playroom: { keys: ["playroom_id"], where: "true" },
  webhook_event: { keys: ["event_id"], where: "status = 'received'" }
} as const

/** What holds of every row of a table, at every commit. */
export interface Invariant {
  /** What is wrong if it does not hold: a code of the troubleshooting table. */
  readonly what: string
  readonly table: keyof typeof ofBooking | keyof typeof byItself
  /**
   * A query for the faults of a page's rows: `id` and `detail`, both text. `page` has the primary keys of the rows. It
   * reads what the page names by indexes, so that its cost follows the page.
   */
  readonly faults: (sql: SqlClient.SqlClient, now: Instant) => Statement.Fragment
  /** What to do about it. */
  readonly fix: (id: string) => string
}

/** What to do about a booking that only a person can put right. */
const compareBooking = (booking_id: string): string =>
  `no path of the service leaves it so: see playroom booking show ${booking_id}, find out what wrote to the database beside the service, and put it right`

// Places: who has them, where and when, and that nothing is taken twice.

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
        format('agreed: %s units from %s to %s; taken: %s', case when (c ->> 'whole')::boolean then 'all'
          else c ->> 'quantity' end,
          to_timestamp((c ->> 'start')::float8 / 1000), to_timestamp((c ->> 'end')::float8 / 1000), o.told) as detail
      from page join booking b using (booking_id)
      join resource r on r.resource_id = b.playroom_id
      cross join lateral jsonb_array_elements(b.terms -> 'claims') c
      cross join lateral (
        select string_agg(format('%s from %s to %s', x.units, lower(x.during), upper(x.during)), ', ') as told,
          count(*) as n, min(extract(epoch from lower(x.during))) * 1000 as starts,
            max(extract(epoch from upper(x.during))) * 1000 as ends,
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
        (select string_agg(format('%s of %s', o.units, o.resource_id), ', ') from occupancy o
          where o.booking_id = b.booking_id)) as detail
      from page join booking b using (booking_id)
      where b.status in ('expired', 'cancelled')
        and exists (select from occupancy o where o.booking_id = b.booking_id)`,
    fix: compareBooking
  },
  {
    what: "places sold twice",
    table: "booking",
    faults: (sql) => sql`select o.booking_id as id,
        format('units %s of %s from %s are also those of %s', o.units * x.units, o.resource_id,
          lower(o.during * x.during),
          coalesce(x.booking_id, x.closure_id)) as detail
      from page join occupancy o using (booking_id)
      join occupancy x on x.resource_id = o.resource_id and x.units && o.units and x.during && o.during
        and x.ctid <> o.ctid
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
      from page join booking b using (booking_id) join occupancy o using (booking_id)
        join resource r on r.resource_id = o.resource_id
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
        and not exists (select from closure d where d.playroom_id = c.playroom_id and d.closure_id <> c.closure_id
          and d.during && c.during)
        and not exists (select from booking b where b.playroom_id = c.playroom_id
          and b.starts_at > lower(c.during) - interval '48 hours' and b.starts_at < upper(c.during) + interval '48 hours')`,
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

// Bookings: their states, prices and histories, and the calls that made them.

/** Holds end within minutes, if a node is running. */
const maxLapsedMs = dayMs

export const bookingInvariants: ReadonlyArray<Invariant> = [
  {
    what: "price differs",
    table: "booking",
    faults: (sql) => sql`select b.booking_id as id,
        format('total %s, due now %s; by its terms %s and %s, with lines of %s', b.total, b.due_now, price ->> 'total',
          price ->> 'due_now', lines.sum) as detail
      from page join booking b using (booking_id)
      cross join lateral (select b.terms -> 'price' as price) t
      cross join lateral (select sum((line ->> 'amount')::int) from jsonb_array_elements(price -> 'lines') line) lines
      where b.total is distinct from (price ->> 'total')::int or b.due_now is distinct from (price ->> 'due_now')::int
        or b.total is distinct from lines.sum or b.currency is distinct from price ->> 'currency'
        or b.total <> b.due_now + coalesce((price ->> 'balance_due')::int, 0)`,
    fix: compareBooking
  },
  {
    what: "party differs",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s children; %s ages, places for %s; add-ons chosen: %s, counted: %s', b.children,
        cardinality(b.child_ages), coalesce(room.places, 'none'), coalesce(chosen.ids, 'none'),
          coalesce(used.ids, 'none')) as detail
      from page join booking b using (booking_id)
      cross join lateral (select max(c ->> 'quantity') as places from jsonb_array_elements(b.terms -> 'claims') c
        where c ->> 'resource_id' = b.playroom_id) room
      cross join lateral (select string_agg(distinct a ->> 'add_on_id', ', ') as ids
        from jsonb_array_elements(b.terms -> 'add_ons') a) chosen
      cross join lateral (select string_agg(distinct a ->> 'add_on_id', ', ') as ids
        from jsonb_array_elements(b.terms -> 'add_ons_used') a) used
      where cardinality(b.child_ages) not in (0, b.children) or chosen.ids is distinct from used.ids
        or b.terms ->> 'mode' = 'shared' and room.places is distinct from b.children::text`,
    fix: (id) => `ask the family who comes; playroom booking change ${id} gives the booking that party`
  },
  {
    what: "confirmed, not paid",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s was due, and no payment of it is stored', b.due_now) as detail
      from page join booking b using (booking_id)
      where b.status = 'confirmed' and b.due_now > 0 and not exists (select from payment_session s
        where s.booking_id = b.booking_id and s.status = 'paid'
          and (s.purpose = 'due_now' or coalesce(b.terms -> 'settled_sessions', '[]') @> to_jsonb(s.payment_session_id))
          and not exists (select from refund r where r.booking_id = s.booking_id
            and r.payment_session_id = s.payment_session_id
              and r.cause in ('duplicate_payment', 'late_payment', 'misfit')))`,
    fix: (id) =>
      `look for the payment at the provider: playroom payment reconcile finds it; where nothing was paid, playroom booking cancel ${id}`
  },
  {
    what: "held, though paid",
    table: "booking",
    faults: (sql) => sql`select b.booking_id as id, format('%s is paid', s.payment_session_id) as detail
      from page join booking b using (booking_id) join payment_session s using (booking_id)
      where b.status = 'held' and s.status = 'paid' and s.purpose = 'due_now'
        and not exists (select from refund r where r.booking_id = s.booking_id
          and r.payment_session_id = s.payment_session_id
            and r.cause in ('duplicate_payment', 'late_payment', 'misfit'))`,
    fix: compareBooking
  },
  {
    what: "hold never ended",
    table: "booking",
    faults: (sql, now) => sql`select b.booking_id as id, format('its time was over at %s', b.hold_expires_at) as detail
      from page join booking b using (booking_id) where hold_may_end(b, ${new Date(now - maxLapsedMs)}::timestamptz)`,
    fix: () => "see whether a node is running, and what it logs of reconciliation"
  },
  {
    what: "processing without a payment",
    table: "booking",
    faults: (sql) => sql`select b.booking_id as id, 'a payment is said to be processing, and none is' as detail
      from page join booking b using (booking_id)
      where b.status = 'held' and b.payment_status = 'processing' and not exists (select from payment_session s
        where s.booking_id = b.booking_id and (s.status = 'processing' or s.misfit is not null)
          and s.purpose = 'due_now')`,
    fix: (id) => `it keeps its places for ever: playroom booking cancel ${id} releases them`
  },
  {
    what: "history differs",
    table: "booking",
    faults: (sql) => sql`select b.booking_id as id, coalesce(broken.detail, 'it has no history') as detail
      from page join booking b using (booking_id)
      cross join lateral (
        select count(*) as n, min(format('%s at %s: %s %s → %s %s, after %s %s; now %s %s', event, at, from_status, from_payment_status,
            to_status, to_payment_status, was, was_payment, b.status, b.payment_status)) filter (
          where from_status is distinct from was or from_payment_status is distinct from was_payment
            or next is null and (to_status is distinct from b.status
              or to_payment_status is distinct from b.payment_status)) as detail
        from (select h.*, lag(to_status) over w as was, lag(to_payment_status) over w as was_payment,
          lead(seq) over w as next
          from booking_history h where h.booking_id = b.booking_id window w as (order by seq)) h) broken
      where broken.n = 0 or broken.detail is not null`,
    fix: compareBooking
  },
  {
    what: "mark differs",
    table: "booking",
    // A move to another start takes a mark away without a line of its own.
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('the mark is %s; the latest line of one is %s at %s, and the visit %s to %s',
        coalesce(b.attendance, 'none'), coalesce(line.event, 'missing'), line.at, b.starts_at, b.ends_at) as detail
      from page join booking b using (booking_id)
      left join lateral (select h.event, h.at, h.seq from booking_history h
        where h.booking_id = b.booking_id and h.event in ('arrived', 'no_show', 'arrived_undone', 'no_show_undone')
        order by h.seq desc limit 1) line on true
      where case
        when b.attendance is null then line.event in ('arrived', 'no_show')
          and not exists (select from booking_history m
          where m.booking_id = b.booking_id and m.event = 'moved' and m.seq > line.seq)
        else line.event is distinct from b.attendance
          or line.at >= b.ends_at + ${attendanceWindow.lateMs}::float8 * interval '1 millisecond'
          or line.at < b.starts_at - ${attendanceWindow.earlyMs}::float8 * interval '1 millisecond'
          or b.attendance = 'no_show' and line.at < b.starts_at end`,
    fix: (id) =>
      `ask the venue whether the family came; playroom booking arrived ${id} marks it, with --undo first if it is marked`
  },
  {
    what: "booking of another operator",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('it is of %s; its playroom %s is of %s, and its package is of %s',
        b.operator_id, b.playroom_id, coalesce(p.operator_id, 'none'), coalesce(k.playroom_id, 'none')) as detail
      from page join booking b using (booking_id)
      left join playroom p on p.playroom_id = b.playroom_id left join package k on k.package_id = b.package_id
      where p.operator_id is distinct from b.operator_id or k.playroom_id is distinct from b.playroom_id`,
    fix: compareBooking
  },
  {
    what: "one wish booked twice",
    table: "booking",
    // As the index booking_repeated says it.
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s is the same option for the same name and e-mail address', o.reference) as detail
      from page join booking b using (booking_id)
      join booking o on o.retry_key = b.retry_key and normalized_name(o.contact_name) = normalized_name(b.contact_name)
        and coalesce(o.another, '') = coalesce(b.another, '')
      where b.status in ('held', 'confirmed') and o.status in ('held', 'confirmed') and o.booking_id < b.booking_id`,
    fix: (id) => `ask the family whether it wants both; if not, playroom booking cancel ${id}`
  },
  {
    what: "idempotency key without a result",
    table: "idempotency",
    faults: (
      sql
    ) => sql`select i.key_id || ' ' || i.idempotency_key as id, format('%s gave %s, which is not stored', i.operation, i.result_id) as detail
      from page join idempotency i using (key_id, operation, idempotency_key)
      where case i.operation
        when 'create_booking' then not exists (select from booking b where b.booking_id = i.result_id)
        else not exists (select from payment_session s where s.payment_session_id = i.result_id) end`,
    fix: () =>
      "rows are lost that callers were told of: compare with the provider (playroom payment reconcile), and with the latest backup"
  }
]

// Payments: what came in for a booking, and that pages, events and bookings say the same of it. Amounts are minor
// units.

/** Refunds and disputes: what went back, that all of it that is owed does, and no more. Amounts are minor units. */

const compareRefund = (refund_id: string): string =>
  `compare ${refund_id} with the provider's dashboard; no path of the service leaves it so`

/** What went back of a payment, `s`. A refund in another currency does not count. */
const back = (sql: SqlClient.SqlClient) => sql`(select coalesce(sum(r.amount), 0) from refund r
  where r.booking_id = s.booking_id and r.payment_session_id = s.payment_session_id and r.status = 'succeeded'
    and r.currency = s.currency)`

/** What went back of it, is on its way, or failed and is still owed. */
const leaving = (sql: SqlClient.SqlClient) => sql`(select coalesce(sum(r.amount), 0) from refund r
  where r.booking_id = s.booking_id and r.payment_session_id = s.payment_session_id and r.currency = s.currency
    and (r.status <> 'failed' or r.failure is distinct from ${settledByDashboard}))`

/** What a decision owes of a booking, `b`; null: nothing was decided. */
const owed = (sql: SqlClient.SqlClient) =>
  sql`coalesce(b.refund_owed, (select max(r.owed) from refund r where r.booking_id = b.booking_id))`

const isReturned = (sql: SqlClient.SqlClient) => sql`exists (select from refund r where r.booking_id = s.booking_id
  and r.payment_session_id = s.payment_session_id and r.cause in ('duplicate_payment', 'late_payment', 'misfit'))`

/**
 * Amounts are rounded to what can be charged: in some currencies to whole hundreds of minor units, for each payment.
 */
const maxRounding = 100

export const refundInvariants: ReadonlyArray<Invariant> = [
  {
    what: "refunded amount differs",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s counts as refunded; its refunds are %s', b.refunded, own.back) as detail
      from page join booking b using (booking_id)
      cross join lateral (select coalesce(sum(least(s.amount, ${back(sql)})), 0) as back from payment_session s
        where s.booking_id = b.booking_id and not exists (select from refund r where r.booking_id = s.booking_id
          and r.payment_session_id = s.payment_session_id and r.cause in ('duplicate_payment', 'misfit'))) own
      where b.refunded <> least(b.paid, own.back)`,
    fix: (id) => `see playroom booking show ${id}, and compare its refunds with the provider's dashboard`
  },
  {
    what: "payment's refunds differ",
    table: "payment_session",
    faults: (
      sql
    ) => sql`select s.payment_session_id as id, format('%s counts as refunded; its refunds are %s', s.refunded, ${back(sql)}) as detail
      from page join payment_session s using (payment_session_id) where s.refunded <> least(s.amount, ${back(sql)})`,
    fix: compareRefund
  },
  {
    what: "late payment kept",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('it expired, and of %s only %s of %s goes back', s.payment_session_id, ${leaving(sql)}, s.amount) as detail
      from page join booking b using (booking_id) join payment_session s using (booking_id)
      where b.status = 'expired' and not b.terms ? 'released_at' and s.status = 'paid'
        and (s.payment_intent_id is not null or s.way <> 'link')
        and ${leaving(sql)} < s.amount`,
    fix: (id) => `give it back in the provider's dashboard; see playroom booking show ${id}`
  },
  {
    what: "refund owed, not sent",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s is owed, and %s goes back', ${owed(sql)}, own.leaving) as detail
      from page join booking b using (booking_id)
      cross join lateral (select count(*) as payments, coalesce(sum(least(s.amount, ${leaving(sql)})), 0) as leaving,
          coalesce(sum(s.amount) filter (where s.payment_intent_id is not null or s.way <> 'link'), 0) as amount
            from payment_session s
        where s.booking_id = b.booking_id and s.status = 'paid' and not ${isReturned(sql)}) own
      where own.payments > 0
        and least(coalesce(${owed(sql)}, 0), own.amount) - own.leaving >= ${maxRounding}::int * own.payments`,
    fix: (id) => `give the rest back in the provider's dashboard; see playroom booking show ${id}`
  },
  {
    what: "refunded beyond what is owed",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s is owed, and %s is given back', ${owed(sql)}, own.given) as detail
      from page join booking b using (booking_id)
      cross join lateral (select coalesce(sum(r.amount), 0) as given from refund r
        where r.booking_id = b.booking_id and r.cause in ('cancellation', 'move', 'goodwill')
          and r.status <> 'failed') own
      where own.given > ${owed(sql)}`,
    fix: (id) => `see playroom booking show ${id}, and ask the operator whether it wants the rest back`
  },
  {
    what: "refunded beyond the payment",
    table: "payment_session",
    faults: (
      sql
    ) => sql`select s.payment_session_id as id, format('%s was paid, and %s is given back', s.amount, own.given) as detail
      from page join payment_session s using (payment_session_id)
      cross join lateral (select coalesce(sum(r.amount), 0) as given from refund r
        where r.booking_id = s.booking_id and r.payment_session_id = s.payment_session_id
          and r.cause not in ('dashboard', 'dispute') and r.status <> 'failed') own
      where own.given > s.amount`,
    fix: compareRefund
  },
  {
    what: "refund without the provider's id",
    table: "refund",
    faults: (
      sql
    ) => sql`select r.refund_id as id, format('%s of %s %s, and the provider''s refund is not stored', r.status, r.amount, r.currency) as detail
      from page join refund r using (refund_id)
      where r.provider_refund_id is null
        and (r.status = 'pending' or r.status = 'succeeded' and r.failure is distinct from ${paidBackElsewhere})`,
    fix: (id) => `see in the provider's dashboard whether ${id} was made: if not, the payer has no money yet`
  },
  {
    what: "refund of an unpaid page",
    table: "refund",
    faults: (
      sql
    ) => sql`select r.refund_id as id, format('%s is %s', r.payment_session_id, coalesce(s.status, 'not stored')) as detail
      from page join refund r using (refund_id)
        left join payment_session s on s.payment_session_id = r.payment_session_id
      where s.status is distinct from 'paid'`,
    fix: compareRefund
  },
  {
    what: "refund differs",
    table: "refund",
    faults: (
      sql
    ) => sql`select r.refund_id as id, format('it is of %s and %s, its payment of %s and %s', r.booking_id, r.operator_id,
        s.booking_id, s.operator_id) as detail
      from page join refund r using (refund_id) join payment_session s on s.payment_session_id = r.payment_session_id
      where s.booking_id <> r.booking_id or s.operator_id <> r.operator_id
        or r.request ->> 'account' is distinct from s.account
        or r.currency <> s.currency and (r.cause <> 'dashboard'
          or r.request ->> 'amount' is distinct from r.amount::text)`,
    fix: compareRefund
  },
  {
    what: "dispute differs",
    table: "dispute",
    // A lost dispute counts as a refund for as long as it is lost.
    faults: (
      sql
    ) => sql`select d.dispute_id as id, format('%s of %s: %s; counted as refunded: %s', d.amount, d.booking_id, d.status,
        coalesce(r.amount::text, 'nothing')) as detail
      from page join dispute d using (dispute_id)
        left join payment_session s on s.payment_session_id = d.payment_session_id
      left join refund r on r.provider_refund_id = d.dispute_id and r.cause = 'dispute'
      where s.booking_id is distinct from d.booking_id or s.operator_id is distinct from d.operator_id
        or (r.refund_id is not null) <> (${sql.in("d.status", statusesWithPayer)} and d.amount > 0)`,
    fix: (id) => `look at ${id} in the provider's dashboard, and at the refunds of its booking`
  }
]

/** Events are applied within seconds, if a node is running. */
const maxEventDelayMs = dayMs

const comparePayment = (payment_session_id: string): string =>
  `compare ${payment_session_id} with the provider's dashboard; no path of the service leaves it so`

/** Whether a payment was given back as a whole, because the booking had ended or was paid already: `s` is its page. */
const returned = (
  sql: SqlClient.SqlClient,
  ...causes: ReadonlyArray<"duplicate_payment" | "late_payment" | "misfit">
) =>
  sql`exists (select from refund r where r.booking_id = s.booking_id and r.payment_session_id = s.payment_session_id
    and ${sql.in("r.cause", causes)})`

/** Whether an event `e` is of a type, as a snapshot or thin. */
const isOfType = (sql: SqlClient.SqlClient, type: EventName) => sql.in("e.type", [type, thinType(type)])

export const paymentInvariants: ReadonlyArray<Invariant> = [
  {
    what: "paid amount differs",
    table: "booking",
    // A page that the provider names no payment of may have cost nothing.
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s counts as paid; its payments are %s', b.paid, own.most) as detail
      from page join booking b using (booking_id)
      cross join lateral (
        select coalesce(sum(s.amount) filter (where s.payment_intent_id is not null or s.way <> 'link'), 0) as least,
          coalesce(sum(s.amount), 0) as most
        from payment_session s where s.booking_id = b.booking_id and s.status = 'paid'
          and not ${returned(sql, "duplicate_payment", "misfit")}) own
      where b.paid not between own.least and own.most`,
    fix: (id) => `see playroom booking show ${id}, and compare its payments with the provider's dashboard`
  },
  {
    what: "paid twice",
    table: "booking",
    faults: (
      sql
    ) => sql`select s.booking_id as id, format('%s payments for %s, and none goes back', count(*), s.purpose) as detail
      from page join booking b using (booking_id) join payment_session s using (booking_id)
      where s.status = 'paid' and (s.payment_intent_id is not null or s.way <> 'link')
        and not ${returned(sql, "duplicate_payment", "late_payment", "misfit")}
        and (s.purpose = 'due_now' or not coalesce(b.terms -> 'settled_sessions', '[]') @> to_jsonb(s.payment_session_id))
      group by s.booking_id, s.purpose having count(*) > 1`,
    fix: (id) => `see playroom booking show ${id}, and give the second payment back in the provider's dashboard`
  },
  {
    what: "payment status differs",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s, with %s paid and %s refunded', b.payment_status, b.paid, b.refunded) as detail
      from page join booking b using (booking_id)
      where case b.payment_status
        when 'not_required' then b.paid > 0 or b.refunded > 0 or b.due_now > 0
        when 'unpaid' then b.paid > 0 or b.refunded > 0
        when 'failed' then b.paid > 0 or b.refunded > 0
        when 'paid' then b.refunded > 0
        when 'deposit_paid' then b.refunded > 0 or b.due_now = b.total
        when 'refunded' then b.refunded = 0 or b.refunded < b.paid
        when 'partially_refunded' then b.refunded = 0
        when 'refund_pending' then not exists (select from refund r where r.booking_id = b.booking_id
          and (r.status in ('requested', 'pending', 'failed')))
        else false end`,
    fix: compareBooking
  },
  {
    what: "two open pages",
    table: "booking",
    faults: (sql) => sql`select s.booking_id as id, format('%s pages for %s can be paid', count(*), s.purpose) as detail
      from page join payment_session s using (booking_id)
      where s.status in ('creating', 'open', 'processing') group by s.booking_id, s.purpose having count(*) > 1`,
    fix: (id) => `see playroom booking show ${id}; whoever pays both gets one back`
  },
  {
    what: "payment differs",
    table: "payment_session",
    // What is due of a booking changes only when it is moved, a part is paid at the venue, or another amount is taken.
    faults: (sql) => sql`select s.payment_session_id as id,
        format('%s %s for %s of %s; the booking is of %s and asks for %s and %s %s', s.amount, s.currency, s.purpose,
          s.operator_id,
          coalesce(b.operator_id, 'nobody'), b.due_now, b.total - b.due_now, b.currency) as detail
      from page join payment_session s using (payment_session_id) left join booking b on b.booking_id = s.booking_id
      where b.operator_id is distinct from s.operator_id
        or b.currency is distinct from s.currency and not ${returned(sql, "misfit")}
        or s.way = 'link' and (s.request ->> 'amount' is distinct from coalesce(s.asked, s.amount)::text
          or s.request ->> 'account' is distinct from s.account
            or s.request ->> 'booking_id' is distinct from s.booking_id)
        or not b.terms ? 'settled_sessions' and s.asked is null and s.amount <> case s.purpose when 'due_now'
          then b.due_now else b.total - b.due_now end`,
    fix: comparePayment
  },
  {
    what: "voucher overspent",
    table: "payment_session",
    faults: (
      sql
    ) => sql`select s.payment_session_id as id, format('%s of %s is worth %s %s, and %s was paid with it', v.voucher_id,
        v.operator_id, v.amount, v.currency, own.spent) as detail
      from page join payment_session s using (payment_session_id) join voucher v using (voucher_id)
      cross join lateral (select sum(p.amount - coalesce((select sum(r.amount) from refund r
            where r.booking_id = p.booking_id and r.payment_session_id = p.payment_session_id
              and r.status = 'succeeded' and r.way = 'voucher'), 0)) as spent
        from payment_session p where p.voucher_id = v.voucher_id and p.status = 'paid') own
      where s.status = 'paid' and (own.spent > v.amount or v.operator_id <> s.operator_id or v.currency <> s.currency)`,
    fix: comparePayment
  },
  {
    what: "payment not recorded",
    table: "payment_session",
    faults: (
      sql
    ) => sql`select s.payment_session_id as id, 'it is paid, and when, or which page of the provider it was, is not stored' as detail
      from page join payment_session s using (payment_session_id)
      where s.status = 'paid' and (s.paid_at is null or s.way = 'link' and s.provider_session_id is null)`,
    fix: comparePayment
  },
  {
    what: "payment's tax differs",
    table: "payment_session",
    // What is of another currency than its booking has no parts: it goes back.
    faults: (
      sql
    ) => sql`select m.id, format('its parts by rate are %s, and it is %s %s', m.tax, m.amount, m.currency) as detail
      from page cross join lateral (
        select s.payment_session_id as id, s.booking_id, s.tax, s.amount, s.currency from payment_session s
        where s.payment_session_id = page.payment_session_id and s.status = 'paid'
        union all
        select r.refund_id, r.booking_id, r.tax, r.amount, r.currency from refund r
        join payment_session s using (booking_id, payment_session_id)
        where s.payment_session_id = page.payment_session_id and r.status = 'succeeded' and s.tax <> '[]') m
      join booking b on b.booking_id = m.booking_id and b.currency = m.currency
      where m.amount is distinct from (select sum((p ->> 'amount')::bigint) from jsonb_array_elements(m.tax) p)`,
    fix: comparePayment
  },
  {
    what: "tax differs",
    table: "booking",
    // What was taken before parts were kept was rounded for each payment and refund by itself.
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s %s came of a rate of %s %%, with %s of tax, and the price has %s of it',
        t.came, b.currency, t.rate, t.tax, t.price) as detail
      from page join booking b using (booking_id) cross join lateral (
        select *, bool_or(counted > price) over () and bool_or(counted < price) over () as uneven
        from taxes_of(b.booking_id, b.terms, '')) t
      where abs(t.tax - tax_inside(t.came, t.rate, b.currency)) > charge_step(b.currency) * (
          select count(*) from payment_session s left join refund r using (booking_id, payment_session_id)
          where s.booking_id = b.booking_id)
        or t.uneven and b.status = 'confirmed' and b.paid > 0`,
    fix: compareBooking
  },
  {
    what: "event without its effect",
    table: "booking",
    faults: (
      sql
    ) => sql`select e.event_id as id, format('%s was applied, and %s is %s', e.type, e.payment_session_id, s.status) as detail
      from page join webhook_event e using (booking_id)
        join payment_session s on s.payment_session_id = e.payment_session_id
      where e.status = 'applied' and case
        when ${isOfType(sql, "checkout.session.completed")} then s.status in ('creating', 'open')
        when ${isOfType(sql, "checkout.session.async_payment_succeeded")} then s.status <> 'paid' and s.misfit is null
        else false end`,
    fix: (id) => `see playroom webhook show ${id}; playroom webhook retry ${id} applies it again`
  },
  {
    what: "event never applied",
    table: "webhook_event",
    faults: (
      sql,
      now
    ) => sql`select e.event_id as id, format('%s, received at %s, after %s tries', e.type, e.received_at, e.attempts) as detail
      from page join webhook_event e using (event_id)
      where e.status = 'received' and e.received_at < ${new Date(now - maxEventDelayMs)}::timestamptz`,
    fix: (id) => `see whether a node is running, what it logs, and playroom webhook show ${id}`
  }
]
