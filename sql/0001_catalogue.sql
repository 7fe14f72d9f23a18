-- The catalogue: operators, playrooms, packages, add-ons, closures, and the resources that bookings use up. What search
-- adds to a playroom is in 0005_search.
create extension if not exists btree_gist;
create extension if not exists pg_trgm;
create extension if not exists unaccent;

create table operator (
  operator_id text collate "C" primary key check (operator_id like 'operator\_%'),
  name text not null check (name <> ''),
  support_email text,
  connected_account_id text unique check (connected_account_id <> ''),
  billing_customer_id text unique check (billing_customer_id <> ''),
  application_fee_percent numeric(6, 3) not null default 0 check (application_fee_percent between 0 and 100),
  paid_through timestamptz,
  -- When a person last set `paid_through`. Invoices paid earlier do not change it.
  paid_through_set_at timestamptz,
  -- When the provider was last asked what this operator has paid.
  subscription_checked_at timestamptz,
  suspended_at timestamptz,
  -- How often the links to the operator's pages were renewed. Each renewal ends the earlier ones. Null: never.
  link_counter int check (link_counter > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index operator_subscription on operator ((coalesce(paid_through, created_at)))
  where billing_customer_id is not null;

-- Changes of operators: what, by whom and why.
create table operator_history (
  seq bigint generated always as identity primary key,
  operator_id text collate "C" not null references operator,
  at timestamptz not null,
  event text not null check (event in ('paid_through', 'suspended', 'resumed', 'connected')),
  who text not null,
  -- Why: a person's words, or the invoice.
  reason text,
  was text,
  became text
);
create index operator_history_operator on operator_history (operator_id, seq);

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
  -- Derived by the service (search/SearchFacts.ts): the lowest price that can be booked, whom it is for, and until when
  -- that is so, since rules of a season come and go. After `derived_until` prices and visits are derived again.
  from_price int not null check (from_price >= 0),
  from_price_for text,
  from_price_until timestamptz not null default '-infinity',
  derived_until timestamptz not null default '-infinity',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index playroom_operator on playroom (operator_id);
create index playroom_derived on playroom (derived_until);

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
  -- The whole package as sold: schedule, pricing, payment, cancellation (catalogue/Package.ts).
  terms jsonb not null check (jsonb_typeof(terms) = 'object'),
  -- Derived with the playroom's `from_price`: this package's lowest price, and what one more child adds to it.
  price_from int check (price_from >= 0),
  further_child int check (further_child >= 0)
);
create index package_playroom on package (playroom_id);

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
  stock int check (stock >= 1)
);
create index add_on_playroom on add_on (playroom_id);

-- Anything with a limited number of units: a playroom (capacity), an add-on with stock. A claim on a resource locks its
-- row.
create table resource (
  resource_id text collate "C" primary key,
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  units int not null check (units >= 1)
);
create index resource_playroom on resource (playroom_id);

create table closure (
  closure_id text collate "C" primary key check (closure_id like 'closure\_%'),
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  during tstzrange not null check (not isempty(during) and lower(during) is not null and upper(during) is not null),
  reason text not null,
  created_at timestamptz not null
);
create index closure_playroom on closure using gist (playroom_id, during);
create index closure_operator on closure using gist (operator_id, during);

-- The short names that a catalogue file may use instead of ids. An operator's parent is '', a playroom's is its
-- operator, and that of everything else is its playroom. A table of its own: a slug changes nothing that is sold, so it
-- must not change `catalogue_version`.
create table slug (
  id text collate "C" primary key,
  operator_id text collate "C" not null references operator on delete cascade,
  kind text not null check (kind in ('operator', 'playroom', 'package', 'add_on', 'closure')),
  parent_id text collate "C" not null,
  slug text collate "C" not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  unique (parent_id, kind, slug)
);
create index slug_operator on slug (operator_id);

-- A row records that a person removed the demo, so it is never loaded again.
create table demo_removal (
  only_one boolean primary key default true check (only_one),
  removed_at timestamptz not null
);

-- A playroom's version changes whenever a row is written that prices, hours, places or the right to sell come from,
-- whoever writes it. (`xmin` is the transaction that wrote a row:
-- https://www.postgresql.org/docs/current/ddl-system-columns.html) It is plpgsql, which keeps its plan for the session,
-- because every booking asks for it twice.
create function catalogue_version(of_playroom text) returns text language plpgsql stable as $$
begin
  return (select concat_ws(' ', p.xmin, o.xmin,
      (select string_agg(k.xmin::text, ',' order by k.package_id) from package k where k.playroom_id = p.playroom_id),
      (select string_agg(a.xmin::text, ',' order by a.add_on_id) from add_on a where a.playroom_id = p.playroom_id))
    from playroom p join operator o on o.operator_id = p.operator_id
    where p.playroom_id = of_playroom);
end $$;
