/** Bookings: their states, prices and histories, and the calls that made them. */
import { attendanceWindow } from "../../domain/booking/Attendance.ts"
import { dayMs } from "../../platform/time/LocalTime.ts"
import { compareBooking, type Invariant } from "./Invariant.ts"

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
        cardinality(b.child_ages), coalesce(room.places, 'none'), coalesce(chosen.ids, 'none'), coalesce(used.ids, 'none')) as detail
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
            and r.payment_session_id = s.payment_session_id and r.cause in ('duplicate_payment', 'late_payment', 'misfit')))`,
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
          and r.payment_session_id = s.payment_session_id and r.cause in ('duplicate_payment', 'late_payment', 'misfit'))`,
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
        where s.booking_id = b.booking_id and (s.status = 'processing' or s.misfit is not null) and s.purpose = 'due_now')`,
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
            or next is null and (to_status is distinct from b.status or to_payment_status is distinct from b.payment_status)) as detail
        from (select h.*, lag(to_status) over w as was, lag(to_payment_status) over w as was_payment, lead(seq) over w as next
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
        when b.attendance is null then line.event in ('arrived', 'no_show') and not exists (select from booking_history m
          where m.booking_id = b.booking_id and m.event = 'moved' and m.seq > line.seq)
        else line.event is distinct from b.attendance or line.at >= b.ends_at + ${attendanceWindow.lateMs}::float8 * interval '1 millisecond'
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
