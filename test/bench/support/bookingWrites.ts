/**
 * What a booking writes, for pgbench: the writes of `make_booking` one by one, with the resource's lock and the
 * calendar, in one transaction, with values that arithmetic fills in. The same starts as `Parties.ts`.
 */
import { hours, playrooms } from "./Parties.ts"

const prelude = `
\\set i :i + 1
\\set at (:from + :client_id * :each + :i - 1)
\\set p :at % ${playrooms} + 1
\\set slot :at / ${playrooms}
\\set start :midnight + (:slot / ${hours.length}) * 86400 + (9 + 3 * (:slot % ${hours.length})) * 3600
`
const playroomId = `'playroom_01kb' || lpad((:p::bigint)::text, 22, '0')`
const operatorId = `'operator_01kb' || lpad(((:p::bigint - 1) % 10 + 1)::text, 22, '0')`
const packageId = `'package_01kb' || lpad((:p::bigint * 2 + 1)::text, 22, '0')`
const bookingId = `'booking_01kc' || lpad((:at::bigint)::text, 22, '0')`
const starts = `to_timestamp(:start::bigint)`
const span = `tstzrange(${starts} - interval '15 minutes', ${starts} + interval '135 minutes')`

const insertBooking = `
with made as (
  insert into booking (booking_id, reference, operator_id, playroom_id, package_id, key_id, option_id, status, payment_status, starts_at,
    ends_at, children, adults, contact_name, contact_email, contact_phone, child_ages, notes, currency, total, due_now, paid,
    refunded, terms, hold_expires_at, awaiting_provider, created_at, retry_key, updated_at)
  values (${bookingId}, lpad((:at::bigint / 10000)::text, 4, '0') || '-' || lpad((:at::bigint % 10000)::text, 4, '0'),
    ${operatorId}, ${playroomId}, ${packageId}, 'key_bench_' || (:at::bigint % 1000)::text, :option::text, 'held', 'unpaid', ${starts},
    ${starts} + interval '2 hours', 8, 2, 'Ana Lima', 'ana' || (:at::bigint)::text || '@example.com', null, '{}', null, 'GBP', 15000, 15000, 0,
    0, :terms::jsonb, now() + interval '15 minutes', false, now(), null, now())
  returning booking_id),
told as (
  insert into booking_history (booking_id, operator_id, at, event, to_status, to_payment_status)
  select booking_id, ${operatorId}, now(), 'held', 'held', 'unpaid' from made)
insert into idempotency (key_id, operation, idempotency_key, fingerprint, result_id, created_at)
select 'key_bench_' || (:at::bigint % 1000)::text, 'create_booking', 'bench-' || (:at::bigint)::text, sha256((:at::bigint)::text::bytea), booking_id, now() from made;
`
const lockResource = `
select resource_id, units from resource where resource_id = any(array[${playroomId}]) order by resource_id for update;
`
const readCalendar = `
select r.playroom_id, 'taken' as kind, o.resource_id as id, o.units::text as units, lower(o.during) as starts, upper(o.during) as ends,
  '' as reason, case when b.status = 'held' and b.hold_expires_at <= now() and b.payment_status <> 'processing'
    and not b.awaiting_provider then b.booking_id end as lapsed_booking
from resource r join occupancy o on o.resource_id = r.resource_id and o.during && ${span}
left join booking b on b.booking_id = o.booking_id
where r.playroom_id = any(array[${playroomId}])
union all
select playroom_id, 'closure', closure_id, '{}', lower(during), upper(during), reason, null
from closure where playroom_id = any(array[${playroomId}]) and during && ${span};
`
const insertOccupancy = `
insert into occupancy (resource_id, operator_id, units, during, booking_id)
select r.resource_id, r.operator_id, int4multirange(int4range(0, r.units)), ${span}, ${bookingId}
from resource r where r.resource_id = ${playroomId};
`
/**
 * Variables: `i` = 0, `each` transactions a client, `from` the first number, `midnight` of the first day, `option`,
 * `terms`.
 */
export const bookingWrites = `${prelude}begin;${insertBooking}${lockResource}${readCalendar}${insertOccupancy}commit;`
