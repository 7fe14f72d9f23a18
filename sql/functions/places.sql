-- Places: the rows of `occupancy` that bookings give back, and those of stock, closures and other calendars.
-- Bookings take theirs in `make_booking` and domain/availability/Occupancy.ts.

-- Gives back the places of bookings under the locks on their resources, as places are taken: who has locked a resource
-- then waits for none of its rows, and who gives places back to a calendar at the end of its transaction has locked the
-- room before.
create or replace function release_places(of_bookings text[]) returns void language plpgsql as $$
begin
  perform from resource
    where resource_id in (select o.resource_id from occupancy o where o.booking_id = any (of_bookings))
    order by playroom_id nulls first, resource_id for update;
  -- By a statement of its own: an import that had the locks may have counted stock for these bookings.
  delete from occupancy where booking_id = any (of_bookings);
end $$;

-- The units of stock that a booking needs by today's catalogue: of each resource, for all of its add-ons that take
-- from it.
create or replace function stock_needed(b booking)
  returns table (resource_id text, quantity int) language sql stable as $$
  select r.resource_id, sum((used ->> 'quantity')::int)::int
  from jsonb_array_elements(b.terms -> 'add_ons_used') used
  join add_on a on a.add_on_id = used ->> 'add_on_id'
  join resource r on r.resource_id = coalesce(a.uses, a.add_on_id)
  group by r.resource_id
$$;

-- Makes the occupancy of stock by live bookings of these playrooms what the catalogue says: for add-ons that got stock
-- after they were booked, or take from another one. Nothing is refused: units beyond the stock show which bookings
-- conflict. Bookings are taken by start, and each gets the lowest free units, so the units used never exceed the peak
-- demand. The caller has locked the resources. Returns the resources that got rows.
create or replace function count_stock(playrooms text[], at timestamptz)
  returns setof text language plpgsql volatile as $$
declare
  wanted record;
  part int4range;
  picked int4multirange;
  missing int;
begin
  delete from occupancy o using booking b, resource r
    where b.playroom_id = any (playrooms) and b.starts_at > at - interval '48 hours' and o.booking_id = b.booking_id
      and r.resource_id = o.resource_id and r.resource_id is distinct from r.playroom_id and upper(o.during) > at
      and (select sum(upper(u) - lower(u)) from unnest(o.units) u) is distinct from
        (select n.quantity from stock_needed(b) n where n.resource_id = o.resource_id);
  for wanted in
    select b.booking_id, b.operator_id, n.resource_id, room.during, n.quantity
    -- No visit is longer than two days, with set-up and clean-up.
    from booking b
    cross join lateral stock_needed(b) n
    join occupancy room on room.booking_id = b.booking_id and room.resource_id = b.playroom_id
    where b.playroom_id = any (playrooms) and b.starts_at > at - interval '48 hours' and b.status in ('held', 'confirmed')
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

-- Makes the places of the closures of playrooms what bookings leave, by one statement of each kind for all rooms.
-- They are planned anew each time, since an import fills tables that were empty at its first batch.
create or replace function keep_closure_places(of_playrooms text[], at timestamptz) returns void language plpgsql
  set plan_cache_mode = force_custom_plan set jit = off as $$
declare
  ids text[];
  spans tstzrange[];
  free int4multirange[];
begin
  perform from resource where resource_id = any (of_playrooms) order by resource_id for update;
  with edges as (
    select c.closure_id, c.playroom_id, c.created_at, e.edge
    from unnest(of_playrooms) as room join closure c on c.playroom_id = room cross join lateral (
      select lower(c.during) as edge
      union select upper(c.during)
      union select x.edge from occupancy o
        cross join lateral unnest(array[lower(o.during), upper(o.during)]) as x (edge)
        where o.resource_id = c.playroom_id and o.booking_id is not null and o.during && c.during and c.during @> x.edge
      union select x.edge from closure d cross join lateral unnest(array[lower(d.during), upper(d.during)]) as x (edge)
        where d.playroom_id = c.playroom_id and d.during && c.during and c.during @> x.edge) e
  ), parts as (
    select e.closure_id, e.playroom_id, e.created_at, e.edge as starts,
      lead(e.edge) over (partition by e.closure_id order by e.edge) as ends
    from edges e
  ), wanted as (
    select p.closure_id, tstzrange(p.starts, p.ends) as during, int4multirange(int4range(0, r.units)) - coalesce((
        select range_agg(taken) from occupancy o cross join lateral unnest(o.units) as taken
        where o.resource_id = p.playroom_id and o.booking_id is not null
          and o.during && tstzrange(p.starts, p.ends)), '{}') as units
    from parts p join resource r on r.resource_id = p.playroom_id
    where p.ends is not null and not exists (select from closure d where d.playroom_id = p.playroom_id
      and d.during && tstzrange(p.starts, p.ends) and (d.created_at, d.closure_id) < (p.created_at, p.closure_id))
  )
  select coalesce(array_agg(w.closure_id), '{}'), coalesce(array_agg(w.during), '{}'),
    coalesce(array_agg(w.units), '{}')
    into ids, spans, free from wanted w where not isempty(w.units);

  delete from occupancy o using unnest(of_playrooms) as room where o.resource_id = room and o.other_calendar
    and exists (select from closure c where c.playroom_id = room and c.during && o.during);
  delete from occupancy o using unnest(of_playrooms) as room where o.resource_id = room and o.closure_id is not null
    and (o.closure_id, o.during, o.units) not in (select * from unnest(ids, spans, free));
  insert into occupancy (resource_id, operator_id, units, during, closure_id)
    select c.playroom_id, c.operator_id, w.units, w.during, w.closure_id
    from unnest(ids, spans, free) as w (closure_id, during, units) join closure c on c.closure_id = w.closure_id
    where (w.closure_id, w.during, w.units) not in (select o.closure_id, o.during, o.units
      from unnest(of_playrooms) as room join occupancy o on o.resource_id = room where o.closure_id is not null);
  perform keep_calendar_places(room, at) from unnest(of_playrooms) as room
    where exists (select from calendar_busy b where b.playroom_id = room) order by room;
end $$;

-- Makes the places of a room's other calendars what bookings and closures leave, and returns how many rows changed. One
-- pass over all edges: at any moment what bookings and closures have of the room is disjoint, so it can be added up and
-- taken off.
create or replace function keep_calendar_places(of_playroom text, at timestamptz) returns int language plpgsql
-- The lists are long where the planner expects them to be short.
set enable_nestloop = off set jit = off as $$
declare
  whole int4multirange;
  taken int4multirange := '{}';
  busy int := 0;
  since timestamptz;
  e record;
  spans tstzrange[] := '{}';
  free int4multirange[] := '{}';
  gone int;
  added int;
begin
  select int4multirange(int4range(0, r.units)) into whole from resource r where r.resource_id = of_playroom for update;
  if not exists (select from calendar_feed f where f.playroom_id = of_playroom) then
    delete from occupancy o where o.resource_id = of_playroom and o.other_calendar;
    get diagnostics gone = row_count;
    return gone;
  end if;
  for e in
    with busy as (
      select unnest(range_agg(b.during)) as during from calendar_busy b where b.playroom_id = of_playroom
        and upper(b.during) > at
    ), own as (
      select o.during, o.units from occupancy o where o.resource_id = of_playroom and not o.other_calendar
        and o.during && (select range_merge(range_agg(b.during)) from busy b)
    ), edges as (
      select lower(b.during) as edge, 1 as begins, '{}'::int4multirange as comes, '{}'::int4multirange as goes
        from busy b
      union all select upper(b.during), -1, '{}', '{}' from busy b
      union all select lower(o.during), 0, o.units, '{}' from own o
      union all select upper(o.during), 0, '{}', o.units from own o
    )
    -- What ends goes before what begins at that moment has its units.
    select x.* from edges x order by x.edge, isempty(x.goes)
  loop
    if busy > 0 and since < e.edge and not isempty(whole - taken) then
      spans := array_append(spans, tstzrange(since, e.edge));
      free := array_append(free, whole - taken);
    end if;
    since := e.edge;
    busy := busy + e.begins;
    taken := taken - e.goes + e.comes;
  end loop;

  delete from occupancy o where o.resource_id = of_playroom and o.other_calendar
    and not exists (select from unnest(spans, free) as w (during, units) where w.during = o.during
      and w.units = o.units);
  get diagnostics gone = row_count;
  insert into occupancy (resource_id, operator_id, units, during, other_calendar)
    select r.resource_id, r.operator_id, w.units, w.during, true
    from unnest(spans, free) as w (during, units) join resource r on r.resource_id = of_playroom
    where not exists (select from occupancy o where o.resource_id = of_playroom and o.other_calendar
      and o.during = w.during and o.units = w.units);
  get diagnostics added = row_count;
  return gone + added;
end $$;

-- Makes the rows of calendars those that the playrooms name, and has them read anew at once: the zone or the
-- horizon may be another. Of those that are named no more, nothing stays.
create or replace function keep_calendar_feeds(of_playrooms text[], at timestamptz) returns void language plpgsql as $$
begin
  delete from calendar_feed f using playroom p where p.playroom_id = f.playroom_id
    and f.playroom_id = any (of_playrooms)
    and not exists (select from jsonb_array_elements(p.details -> 'calendars') c where c ->> 'url' = f.url);
  insert into calendar_feed as f (operator_id, playroom_id, name, url, ask_at)
    select p.operator_id, p.playroom_id, c ->> 'name', c ->> 'url', at
    from playroom p cross join lateral jsonb_array_elements(p.details -> 'calendars') c
    where p.playroom_id = any (of_playrooms)
    on conflict (playroom_id, url) do update set name = excluded.name, ask_at = at, read_until = null;
  perform keep_calendar_places(p, at) from unnest(of_playrooms) p;
end $$;

-- Gives places that a booking leaves to another calendar of the playroom that is busy then, at the end of the same
-- transaction: a change of a booking gives back its places and takes them again.
create or replace function give_places_to_calendars() returns trigger language plpgsql as $$
begin
  if exists (select from calendar_feed f where f.playroom_id = old.resource_id) then
    -- What is busy is asked under the lock, so that a look which is writing just now is not missed.
    perform from resource r where r.resource_id = old.resource_id for update;
    if exists (select from calendar_busy b where b.playroom_id = old.resource_id and b.during && old.during) then
      perform keep_calendar_places(old.resource_id, '-infinity');
    end if;
  end if;
  return null;
end $$;

-- A constraint trigger can't be replaced.
drop trigger if exists occupancy_given_back on occupancy;
create constraint trigger occupancy_given_back after delete on occupancy deferrable initially deferred
  for each row when (old.booking_id is not null) execute function give_places_to_calendars();

-- Places have come back: the families who wait for them in these rooms, or in all that share the stock, are looked at
-- now (domain/booking/WaitingList.ts). Rows in one order, so that two of these never wait for each other.
create or replace function look_at_waiting() returns trigger language plpgsql as $$
begin
  if exists (select from waiting) then
    update waiting w set look_at = '-infinity', came_back_at = clock_timestamp() from (
        select o.waiting_id from gone g
          join resource r on r.resource_id = g.resource_id
          join waiting o on o.operator_id = r.operator_id and o.playroom_id = coalesce(r.playroom_id, o.playroom_id)
            and o.claimed && g.during
        order by o.waiting_id for update of o) waits
      where w.waiting_id = waits.waiting_id;
  end if;
  return null;
end $$;

create or replace trigger occupancy_waited_for after delete on occupancy referencing old table as gone
  for each statement execute function look_at_waiting();
