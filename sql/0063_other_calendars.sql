-- Other calendars of a playroom: times that are busy there are taken here. The catalogue names them (`details`), imports keep the rows.
create table calendar_feed (
  feed_id bigint generated always as identity primary key,
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom on delete cascade,
  name text not null,
  url text not null,
  -- When it is asked next. The node that asks sets it ahead, so that no other asks meanwhile.
  ask_at timestamptz not null,
  -- What its host said of the version that was read last.
  etag text,
  last_modified text,
  -- A digest of that version, and up to when its events were read.
  digest bytea,
  read_until timestamptz,
  -- When it was last read, or was the same.
  answered_at timestamptz,
  failing_since timestamptz,
  failure text,
  -- Events of which a time may be busy that is not known: [{"at", "why"}]. No texts of the calendar.
  unread jsonb not null default '[]',
  check ((failing_since is null) = (failure is null)),
  unique (playroom_id, url)
);
create index calendar_feed_due on calendar_feed (ask_at);
create index calendar_feed_failing on calendar_feed (failing_since) where failing_since is not null;
create index calendar_feed_unread on calendar_feed (feed_id) where unread <> '[]';

-- When other calendars are busy, from the moment on at which they were read last. Rows of a calendar don't overlap.
create table calendar_busy (
  feed_id bigint not null references calendar_feed on delete cascade,
  operator_id text collate "C" not null,
  playroom_id text collate "C" not null,
  during tstzrange not null check (not isempty(during) and lower(during) is not null and upper(during) is not null),
  primary key (feed_id, during)
);
create index calendar_busy_playroom on calendar_busy using gist (playroom_id, during);

-- Places may be taken by other calendars, too.
alter table occupancy add column other_calendar boolean not null default false;
alter table occupancy drop constraint occupancy_check;
alter table occupancy add constraint occupancy_of_one_check check (num_nonnulls(booking_id, closure_id) + other_calendar::int = 1);
create index occupancy_other_calendar on occupancy (resource_id) where other_calendar;

-- Takes the places of a playroom that are free when another calendar is busy, and gives back those that no calendar needs.
-- What bookings and closures have, they keep. Returns how many rows it wrote.
create function keep_calendar_places(of_playroom text, at timestamptz) returns int language plpgsql as $$
declare
  spans tstzrange[];
  free int4multirange[];
  gone int;
  added int;
begin
  perform from resource where resource_id = of_playroom for update;
  with busy as (
    select unnest(range_agg(b.during)) as during from calendar_busy b where b.playroom_id = of_playroom and upper(b.during) > at
  ), edges as (
    select b.during, e.edge from busy b cross join lateral (
      select lower(b.during) as edge
      union select upper(b.during)
      union select x.edge from occupancy o cross join lateral unnest(array[lower(o.during), upper(o.during)]) as x (edge)
        where o.resource_id = of_playroom and not o.other_calendar and o.during && b.during and b.during @> x.edge) e
  ), parts as (
    select e.edge as starts, lead(e.edge) over (partition by e.during order by e.edge) as ends from edges e
  ), wanted as (
    select tstzrange(p.starts, p.ends) as during, int4multirange(int4range(0, r.units)) - coalesce((
        select range_agg(taken) from occupancy o cross join lateral unnest(o.units) as taken
        where o.resource_id = of_playroom and not o.other_calendar and o.during && tstzrange(p.starts, p.ends)), '{}') as units
    from parts p join resource r on r.resource_id = of_playroom where p.ends is not null
  )
  select coalesce(array_agg(w.during), '{}'), coalesce(array_agg(w.units), '{}') into spans, free from wanted w where not isempty(w.units);

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

-- Makes the rows of the calendars those that the playrooms name, and has them read anew at once: the zone or the horizon may be another.
-- Of those that are named no more, nothing stays.
create function keep_calendar_feeds(of_playrooms text[], at timestamptz) returns void language plpgsql as $$
begin
  delete from calendar_feed f using playroom p where p.playroom_id = f.playroom_id and f.playroom_id = any (of_playrooms)
    and not exists (select from jsonb_array_elements(p.details -> 'calendars') c where c ->> 'url' = f.url);
  insert into calendar_feed as f (operator_id, playroom_id, name, url, ask_at)
    select p.operator_id, p.playroom_id, c ->> 'name', c ->> 'url', at
    from playroom p cross join lateral jsonb_array_elements(p.details -> 'calendars') c
    where p.playroom_id = any (of_playrooms)
    on conflict (playroom_id, url) do update set name = excluded.name, ask_at = at, read_until = null;
  perform keep_calendar_places(p, at) from unnest(of_playrooms) p;
end $$;
