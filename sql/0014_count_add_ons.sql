-- Gives live bookings of these playrooms places at their add-ons that have stock and that they were booked without, as that was
-- given later. Nothing is refused here: units beyond the stock show which bookings are in the way. Bookings that begin earlier come
-- first, each takes the lowest units that are free, so that no unit is needed beyond the most that are had at once.
-- The caller holds the locks on the playrooms' resources. Answers the resources that got rows.
create function count_add_ons(playrooms text[], at timestamptz) returns setof text language plpgsql volatile as $$
declare
  wanted record;
  part int4range;
  picked int4multirange;
  missing int;
begin
  for wanted in
    select b.booking_id, b.operator_id, r.resource_id, room.during, coalesce(
        (select (used ->> 'quantity')::int from jsonb_array_elements(b.terms -> 'add_ons_used') used
          where used ->> 'add_on_id' = r.resource_id),
        -- Bookings of the first release do not say how many they use: as many as their add-on's unit means.
        case a.unit when 'per_booking' then 1 when 'per_child' then b.children else (chosen ->> 'quantity')::int end) as quantity
    from resource r
    join add_on a on a.add_on_id = r.resource_id
    -- No visit is longer than two days, with set-up and clean-up.
    join booking b on b.playroom_id = r.playroom_id and b.starts_at > at - interval '2 days' and b.status in ('held', 'confirmed')
    cross join lateral jsonb_array_elements(b.terms -> 'add_ons') chosen
    join occupancy room on room.booking_id = b.booking_id and room.resource_id = b.playroom_id
    where r.playroom_id = any (playrooms) and chosen ->> 'add_on_id' = r.resource_id and upper(room.during) > at
      and not (b.status = 'held' and b.hold_expires_at <= at and b.payment_status <> 'processing' and not b.awaiting_provider)
      and not exists (select from occupancy o where o.booking_id = b.booking_id and o.resource_id = r.resource_id)
    order by r.resource_id, lower(room.during), b.created_at, b.booking_id
  loop
    picked := '{}';
    missing := wanted.quantity;
    for part in
      select free from unnest(int4multirange(int4range(0, 2000000000)) - coalesce((
        select range_agg(taken) from occupancy o, lateral unnest(o.units) as taken
        where o.resource_id = wanted.resource_id and o.during && wanted.during), '{}'::int4multirange)) as free
      order by lower(free)
    loop
      exit when missing <= 0;
      picked := picked + int4multirange(int4range(lower(part), least(upper(part), lower(part) + missing)));
      missing := missing - (upper(part) - lower(part));
    end loop;
    insert into occupancy (resource_id, operator_id, units, during, booking_id)
      values (wanted.resource_id, wanted.operator_id, picked, wanted.during, wanted.booking_id);
    return next wanted.resource_id;
  end loop;
end $$;
