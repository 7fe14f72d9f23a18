-- Stock that the rooms of an operator share is a resource of the operator: without a playroom, with the name that the catalogue file
-- gives it. Its id begins with @ (`@OPERATOR_ID/SLUG`), which sorts before the ids of add-ons and playrooms: who locks several resources in
-- the order of their ids locks shared stock first, and an import locks all that it needs of it before any room.
alter table resource alter column playroom_id drop not null;
alter table resource add column slug text collate "C" check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$');
alter table resource add constraint resource_of_room_or_operator check ((playroom_id is null) = (slug is not null));
create unique index resource_shared on resource (operator_id, slug) where slug is not null;

-- Which shared stock an add-on takes units of, instead of one of its own; `stock` is then how many units that has, so that a change of it
-- changes the version of each room that sells from it. `rules`: its prices at some times (catalogue/Package.ts).
alter table add_on add column uses text collate "C" references resource;
alter table add_on add column rules jsonb not null default '[]' check (jsonb_typeof(rules) = 'array');
create index add_on_uses on add_on (playroom_id, uses) where uses is not null;

-- The units of stock that a booking needs by today's catalogue: of each resource, for all of its add-ons that take from it.
create function stock_needed(b booking) returns table (resource_id text, quantity int) language sql stable as $$
  select r.resource_id, sum((used ->> 'quantity')::int)::int
  from jsonb_array_elements(b.terms -> 'add_ons_used') used
  join add_on a on a.add_on_id = used ->> 'add_on_id'
  join resource r on r.resource_id = coalesce(a.uses, a.add_on_id)
  group by r.resource_id
$$;

-- Makes the occupancy of stock by live bookings of these playrooms what the catalogue says: for add-ons that got stock after they were
-- booked, or take from another one. Nothing is refused: units beyond the stock show which bookings conflict. Bookings are taken by
-- start, and each gets the lowest free units, so the units used never exceed the peak demand. The caller has locked the resources.
-- Returns the resources that got rows.
create function count_stock(playrooms text[], at timestamptz) returns setof text language plpgsql volatile as $$
declare
  wanted record;
  part int4range;
  picked int4multirange;
  missing int;
begin
  delete from occupancy o using booking b, resource r
    where b.playroom_id = any (playrooms) and b.starts_at > at - interval '2 days' and o.booking_id = b.booking_id
      and r.resource_id = o.resource_id and r.resource_id is distinct from r.playroom_id and upper(o.during) > at
      and (select sum(upper(u) - lower(u)) from unnest(o.units) u) is distinct from
        (select n.quantity from stock_needed(b) n where n.resource_id = o.resource_id);
  for wanted in
    select b.booking_id, b.operator_id, n.resource_id, room.during, n.quantity
    -- No visit is longer than two days, with set-up and clean-up.
    from booking b
    cross join lateral stock_needed(b) n
    join occupancy room on room.booking_id = b.booking_id and room.resource_id = b.playroom_id
    where b.playroom_id = any (playrooms) and b.starts_at > at - interval '2 days' and b.status in ('held', 'confirmed')
      and upper(room.during) > at and not has_lapsed(b, at)
      and not exists (select from occupancy o where o.booking_id = b.booking_id and o.resource_id = n.resource_id)
    order by n.resource_id, lower(room.during), b.created_at, b.booking_id
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
