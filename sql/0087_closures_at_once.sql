-- The places of the closures of many playrooms, by one statement of each kind for all of them: to call the function for each took
-- longer than its statements. They are planned anew each time, since an import fills tables that were empty at its first batch.
create function keep_closure_places(of_playrooms text[], at timestamptz) returns void language plpgsql
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
      union select x.edge from occupancy o cross join lateral unnest(array[lower(o.during), upper(o.during)]) as x (edge)
        where o.resource_id = c.playroom_id and o.booking_id is not null and o.during && c.during and c.during @> x.edge
      union select x.edge from closure d cross join lateral unnest(array[lower(d.during), upper(d.during)]) as x (edge)
        where d.playroom_id = c.playroom_id and d.during && c.during and c.during @> x.edge) e
  ), parts as (
    select e.closure_id, e.playroom_id, e.created_at, e.edge as starts, lead(e.edge) over (partition by e.closure_id order by e.edge) as ends
    from edges e
  ), wanted as (
    select p.closure_id, tstzrange(p.starts, p.ends) as during, int4multirange(int4range(0, r.units)) - coalesce((
        select range_agg(taken) from occupancy o cross join lateral unnest(o.units) as taken
        where o.resource_id = p.playroom_id and o.booking_id is not null and o.during && tstzrange(p.starts, p.ends)), '{}') as units
    from parts p join resource r on r.resource_id = p.playroom_id
    where p.ends is not null and not exists (select from closure d where d.playroom_id = p.playroom_id
      and d.during && tstzrange(p.starts, p.ends) and (d.created_at, d.closure_id) < (p.created_at, p.closure_id))
  )
  select coalesce(array_agg(w.closure_id), '{}'), coalesce(array_agg(w.during), '{}'), coalesce(array_agg(w.units), '{}')
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
