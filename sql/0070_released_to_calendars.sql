-- The same places as before, in one pass over all edges: a calendar of many times took minutes, with the room locked.
-- At any moment what bookings and closures have of the room is disjoint, so it can be added up and taken off.
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
      select unnest(range_agg(b.during)) as during from calendar_busy b where b.playroom_id = of_playroom and upper(b.during) > at
    ), own as (
      select o.during, o.units from occupancy o where o.resource_id = of_playroom and not o.other_calendar
        and o.during && (select range_merge(range_agg(b.during)) from busy b)
    ), edges as (
      select lower(b.during) as edge, 1 as begins, '{}'::int4multirange as comes, '{}'::int4multirange as goes from busy b
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
    and not exists (select from unnest(spans, free) as w (during, units) where w.during = o.during and w.units = o.units);
  get diagnostics gone = row_count;
  insert into occupancy (resource_id, operator_id, units, during, other_calendar)
    select r.resource_id, r.operator_id, w.units, w.during, true
    from unnest(spans, free) as w (during, units) join resource r on r.resource_id = of_playroom
    where not exists (select from occupancy o where o.resource_id = of_playroom and o.other_calendar
      and o.during = w.during and o.units = w.units);
  get diagnostics added = row_count;
  return gone + added;
end $$;

-- Places that a booking gives back while another calendar of the playroom is busy go to that calendar in the same transaction: before,
-- they were for sale until its next look. At the transaction's end, since a change of a booking gives back its places and takes them again.
create function give_places_to_calendars() returns trigger language plpgsql as $$
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

create constraint trigger occupancy_given_back after delete on occupancy deferrable initially deferred
  for each row when (old.booking_id is not null) execute function give_places_to_calendars();
