-- What operators sell: playrooms, packages, add-ons, closures, and the resources that bookings use up.

create table playroom (
  playroom_id text collate "C" primary key check (playroom_id like 'playroom\_%'),
  operator_id text collate "C" not null references operator,
  name text not null check (name <> ''),
  summary text not null,
  description text not null,
  address text not null,
  city text not null,
  country text not null check (country ~ '^[A-Z]{2}$'),
  latitude double precision not null check (latitude between -90 and 90),
  longitude double precision not null check (longitude between -180 and 180),
  time_zone text not null check (time_zone <> ''),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  capacity int not null check (capacity between 1 and 10000),
  age_min int not null check (age_min >= 0),
  age_max int not null check (age_max >= age_min),
  amenities text[] not null,
  modes text[] not null check (modes <@ array['exclusive', 'shared'] and cardinality(modes) > 0),
  listed boolean not null default true,
  -- Fields that are only read together: texts, photos, opening hours, overrides.
  details jsonb not null check (jsonb_typeof(details) = 'object'),
  -- Derived by the service (domain/search/SearchFacts.ts): the lowest price that can be booked, whom it is for, and until when
  -- that is so, since rules of a season come and go. After `derived_until` prices and visits are derived again.
  from_price int not null check (from_price >= 0),
  from_price_for text,
  from_price_until timestamptz not null default '-infinity',
  derived_until timestamptz not null default '-infinity',
  -- The lowest prices of packages and add-ons in words: for whom, and when. Right while `told_until` = `derived_until`.
  prices_told jsonb,
  told_until timestamptz,
  -- Lower bounds of what a party pays, by its least number of children: 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20
  -- (search/LeastPrices.ts). Null, or after `told_until`: `from_price` is the bound.
  least_by_children int[],
  -- Which needs the playroom meets (domain/search/Needs.ts), derived from its texts. Null: not derived yet.
  needs text[],
  -- Names and descriptions of the packages on sale, and names of the add-ons, a text each. Null: not derived yet.
  offer_texts text[],
  -- What searches compare, written by a trigger. Words of names stand in a column of their own, and not as a weight: the
  -- planner's statistics ignore weights, and would take a word for as common in names as it is in texts.
  city_key text collate "C" not null,
  amenity_keys text[] not null,
  names_vector tsvector not null,
  search_vector tsvector not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- Each import ends with statistics, and no plan asks what is in these.
alter table playroom alter column details set statistics 0, alter column prices_told set statistics 0;
create index playroom_operator on playroom (operator_id);
create index playroom_derived on playroom (derived_until);
create index playroom_untold on playroom (derived_until) where told_until is distinct from derived_until;
create index playroom_needs_unknown on playroom (playroom_id) where needs is null;
create index playroom_offers_unknown on playroom (playroom_id) where offer_texts is null;
create index playroom_least_unknown on playroom (playroom_id) where least_by_children is null;

-- Searches by words. New rows wait in a list of 128 kB, which each search reads and which is merged at once: a third of
-- the log of inserting each word into its page. Whoever writes many rows merges it (domain/search/SearchFactRows.ts).
create index playroom_names on playroom using gin (names_vector)
  with (fastupdate = on, gin_pending_list_limit = 128);
create index playroom_search on playroom using gin (search_vector)
  with (fastupdate = on, gin_pending_list_limit = 128);
create index playroom_amenities on playroom using gin (amenity_keys)
  with (fastupdate = on, gin_pending_list_limit = 128);

-- Searches by place.
create index playroom_place on playroom using gist (point(longitude, latitude));
create index playroom_city on playroom (city_key, playroom_id) where listed;
create index playroom_country on playroom (country, playroom_id) where listed;

-- Searches by price: one index for each size of a party in `least_by_children`. Rooms that may be free are shown first.
create index playroom_price on playroom (currency, from_price, playroom_id) where listed;
create index playroom_free on playroom (playroom_id) where listed and from_price = 0;
create index playroom_least_1 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[1] end, from_price)), playroom_id) where listed;
create index playroom_least_2 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[2] end, from_price)), playroom_id) where listed;
create index playroom_least_3 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[3] end, from_price)), playroom_id) where listed;
create index playroom_least_4 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[4] end, from_price)), playroom_id) where listed;
create index playroom_least_5 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[5] end, from_price)), playroom_id) where listed;
create index playroom_least_6 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[6] end, from_price)), playroom_id) where listed;
create index playroom_least_7 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[7] end, from_price)), playroom_id) where listed;
create index playroom_least_8 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[8] end, from_price)), playroom_id) where listed;
create index playroom_least_10 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[9] end, from_price)), playroom_id) where listed;
create index playroom_least_12 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[10] end, from_price)), playroom_id) where listed;
create index playroom_least_15 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[11] end, from_price)), playroom_id) where listed;
create index playroom_least_20 on playroom (currency,
  (coalesce(case when told_until = derived_until then least_by_children[12] end, from_price)), playroom_id) where listed;

-- What is sold in a playroom: a duration, a party, a price.
create table package (
  package_id text collate "C" primary key check (package_id like 'package\_%'),
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  position int not null,
  on_sale boolean not null default true,
  mode text not null check (mode in ('exclusive', 'shared')),
  duration_minutes int not null check (duration_minutes between 1 and 1440),
  min_children int not null check (min_children >= 1),
  max_children int not null check (max_children >= min_children),
  -- The whole package as sold: schedule, pricing, payment, cancellation (domain/catalogue/Package.ts).
  terms jsonb not null check (jsonb_typeof(terms) = 'object')
);
alter table package alter column terms set statistics 0;
create index package_playroom on package (playroom_id);

-- Anything with a limited number of units: a playroom (capacity), an add-on with stock, or stock that an operator's rooms
-- share. Who takes units locks its row.
create table resource (
  -- The id of the playroom or add-on. Of shared stock: `@OPERATOR_ID/SLUG`, which sorts before those: who locks several
  -- resources by their ids locks shared stock first.
  resource_id text collate "C" primary key,
  operator_id text collate "C" not null references operator,
  -- Null: stock that rooms share, with the name that the catalogue file gives it as `slug`.
  playroom_id text collate "C" references playroom,
  slug text collate "C" check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  units int not null check (units >= 1),
  constraint resource_of_room_or_operator check ((playroom_id is null) = (slug is not null))
);
create index resource_playroom on resource (playroom_id);
create unique index resource_shared on resource (operator_id, slug) where slug is not null;

-- An extra on a booking.
create table add_on (
  add_on_id text collate "C" primary key check (add_on_id like 'addon\_%'),
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  position int not null,
  on_sale boolean not null default true,
  name text not null check (name <> ''),
  unit text not null check (unit in ('per_booking', 'per_child', 'per_item')),
  unit_amount int not null check (unit_amount >= 0),
  max_quantity int not null check (max_quantity >= 1),
  -- Units of its own resource, or of the shared one that it `uses`: a change of those then changes the version of each
  -- room that sells from it. Null: without limit.
  stock int check (stock >= 1),
  uses text collate "C" references resource,
  -- Its prices at some times (domain/catalogue/Package.ts).
  rules jsonb not null default '[]' check (jsonb_typeof(rules) = 'array')
);
create index add_on_playroom on add_on (playroom_id);
create index add_on_uses on add_on (playroom_id, uses) where uses is not null;

-- A time at which a playroom is closed.
create table closure (
  closure_id text collate "C" primary key check (closure_id like 'closure\_%'),
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  during tstzrange not null check (not isempty(during) and lower(during) is not null and upper(during) is not null),
  reason text not null,
  -- Who closed it, at the desk or by command. Null: the catalogue file did, and imports replace it.
  made_by text check (made_by <> ''),
  created_at timestamptz not null
);
create index closure_playroom on closure using gist (playroom_id, during);
create index closure_operator on closure using gist (operator_id, during);
create index closure_made on closure (playroom_id, lower(during)) where made_by is not null;

-- A short name that a catalogue file may use instead of an id. An operator's parent is '', a playroom's is its operator,
-- and that of everything else is its playroom. A slug changes nothing that is sold, so it stands in none of the tables
-- that make up `catalogue_version`.
create table slug (
  id text collate "C" primary key,
  operator_id text collate "C" not null references operator on delete cascade,
  kind text not null check (kind in ('operator', 'playroom', 'package', 'add_on', 'closure')),
  parent_id text collate "C" not null,
  slug text collate "C" not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  unique (parent_id, kind, slug)
);
create index slug_operator on slug (operator_id);

-- Its one row says that a person removed the demo, so that it is never loaded again.
create table demo_removal (
  only_one boolean primary key default true check (only_one),
  removed_at timestamptz not null
);
