-- Places of closures are compared within their own room: rooms that close on the same days were read for each of them. One plan
-- is made for all rooms, by their indexes even where the tables were empty then; to compile it for each room took longer than to run it.
create or replace function keep_closure_places(of_playroom text, at timestamptz) returns void language plpgsql
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  ids text[];
  spans tstzrange[];
  free int4multirange[];
begin
  perform from resource where resource_id = of_playroom for update;
  with edges as (
    select c.closure_id, c.created_at, e.edge from closure c cross join lateral (
      select lower(c.during) as edge
      union select upper(c.during)
      union select x.edge from occupancy o cross join lateral unnest(array[lower(o.during), upper(o.during)]) as x (edge)
        where o.resource_id = of_playroom and o.booking_id is not null and o.during && c.during and c.during @> x.edge
      union select x.edge from closure d cross join lateral unnest(array[lower(d.during), upper(d.during)]) as x (edge)
        where d.playroom_id = of_playroom and d.during && c.during and c.during @> x.edge) e
    where c.playroom_id = of_playroom
  ), parts as (
    select e.closure_id, e.created_at, e.edge as starts, lead(e.edge) over (partition by e.closure_id order by e.edge) as ends from edges e
  ), wanted as (
    select p.closure_id, tstzrange(p.starts, p.ends) as during, int4multirange(int4range(0, r.units)) - coalesce((
        select range_agg(taken) from occupancy o cross join lateral unnest(o.units) as taken
        where o.resource_id = of_playroom and o.booking_id is not null and o.during && tstzrange(p.starts, p.ends)), '{}') as units
    from parts p join resource r on r.resource_id = of_playroom
    where p.ends is not null and not exists (select from closure d where d.playroom_id = of_playroom
      and d.during && tstzrange(p.starts, p.ends) and (d.created_at, d.closure_id) < (p.created_at, p.closure_id))
  )
  select coalesce(array_agg(w.closure_id), '{}'), coalesce(array_agg(w.during), '{}'), coalesce(array_agg(w.units), '{}')
    into ids, spans, free from wanted w where not isempty(w.units);

  delete from occupancy o where o.resource_id = of_playroom and o.other_calendar
    and exists (select from closure c where c.playroom_id = of_playroom and c.during && o.during);
  delete from occupancy o where o.resource_id = of_playroom and o.closure_id is not null
    and not exists (select from unnest(ids, spans, free) as w (closure_id, during, units)
      where w.closure_id = o.closure_id and w.during = o.during and w.units = o.units);
  insert into occupancy (resource_id, operator_id, units, during, closure_id)
    select r.resource_id, r.operator_id, w.units, w.during, w.closure_id
    from unnest(ids, spans, free) as w (closure_id, during, units) join resource r on r.resource_id = of_playroom
    where not exists (select from occupancy o where o.resource_id = of_playroom and o.closure_id = w.closure_id and o.during = w.during and o.units = w.units);
  if exists (select from calendar_busy b where b.playroom_id = of_playroom) then
    perform keep_calendar_places(of_playroom, at);
  end if;
end $$;
