-- What visits a package can offer at all: what search asks, so that a query which no package could ever answer costs a look into
-- an index and not into the catalogue. Derived from the rows of playroom and package by the service (SearchFacts.ts); it may say
-- too much, and never too little. Closures and bookings are not in it.
create table search_visit (
  package_id text collate "C" not null references package,
  -- Names the row among those of its package: a digest of the rest.
  visit text collate "C" not null,
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  mode text not null,
  -- Days on which these visits start: 0 is Monday.
  weekdays int4multirange not null,
  dates daterange not null,
  -- Minutes of the clock since the day's midnight.
  last_start int not null,
  first_end int not null,
  duration_minutes int not null,
  children int4range not null,
  ages int4range not null,
  currency text not null,
  -- Bounds below of a party's price, in minor units: of the whole, and of it divided by the children.
  least_total int not null,
  least_per_child int not null,
  lead_minutes int not null,
  advance_days int not null,
  primary key (package_id, visit)
);
--> next
-- Packages of before: all times of all days, until the service has derived what is so.
insert into search_visit
select k.package_id, 'underived', k.operator_id, k.playroom_id, k.mode, '{[0,7)}', '(,)', 1440, 0, k.duration_minutes,
  int4range(k.min_children, k.max_children, '[]'), int4range(p.age_min, p.age_max, '[]'), p.currency, 0, 0, 0,
  (p.details ->> 'max_advance_days')::int
from package k join playroom p using (playroom_id) where k.on_sale;
--> next
create index search_visit_playroom on search_visit (playroom_id);
--> next
create index search_visit_offered on search_visit using gist (weekdays, last_start, children, duration_minutes, mode, first_end,
  currency, least_per_child, least_total, ages, dates, advance_days);
--> next
-- Before version 18, no column with a default is added to a table whose rows a function takes; it is made again below.
drop function search_words_of(playroom);
--> next
alter table playroom
  -- Until when `from_price` is the lowest price that can be booked; rules of a season come and go.
  add column from_price_until timestamptz not null default '-infinity',
  -- When to derive this playroom's prices and visits anew, whatever an import does.
  add column derived_until timestamptz not null default '-infinity';
--> next
create function search_words_of(playroom playroom) returns text[] language sql immutable parallel safe
return tsvector_to_array(to_tsvector('simple'::regconfig, search_fold(
  playroom.name || ' ' || playroom.city || ' ' || playroom.address || ' ' || search_text(playroom.amenities) || ' ' || playroom.summary || ' ' ||
  playroom.description)));
--> next
create index playroom_derived on playroom (derived_until);
--> next
-- The lowest price at which this package can be booked, as long as its playroom's `from_price_until` says.
alter table package add column price_from int check (price_from >= 0);
