-- The catalogue: operators, playrooms, packages, add-ons, and the resources that they use up.
create extension if not exists btree_gist;
--> next
create extension if not exists pg_trgm;
--> next
create extension if not exists unaccent;
--> next
create table operator (
  operator_id text collate "C" primary key check (operator_id like 'operator\_%'),
  name text not null check (name <> ''),
  support_email text,
  connected_account_id text unique check (connected_account_id <> ''),
  billing_customer_id text unique check (billing_customer_id <> ''),
  application_fee_percent numeric(6, 3) not null default 0 check (application_fee_percent between 0 and 100),
  paid_through timestamptz,
  suspended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
--> next
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
  from_price int not null check (from_price >= 0),
  modes text[] not null check (modes <@ array['exclusive', 'shared'] and cardinality(modes) > 0),
  listed boolean not null default true,
  -- What is only ever read whole: texts, photos, hours, overrides (CatalogueFile's Playroom without the columns above).
  details jsonb not null check (jsonb_typeof(details) = 'object'),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
--> next
create index playroom_operator on playroom (operator_id);
--> next
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
  -- The whole package as sold: schedule, pricing, payment, cancellation (Package.ts).
  terms jsonb not null check (jsonb_typeof(terms) = 'object')
);
--> next
create index package_playroom on package (playroom_id);
--> next
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
--> next
create index add_on_playroom on add_on (playroom_id);
--> next
-- Anything that can be used up over time: a playroom (units = capacity), an add-on with stock (units = stock). Its row is
-- the lock that claims on it take.
create table resource (
  resource_id text collate "C" primary key,
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  units int not null check (units >= 1)
);
--> next
create index resource_playroom on resource (playroom_id);
--> next
create table closure (
  closure_id text collate "C" primary key check (closure_id like 'closure\_%'),
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  during tstzrange not null check (not isempty(during) and lower(during) is not null and upper(during) is not null),
  reason text not null,
  created_at timestamptz not null
);
--> next
create index closure_playroom on closure using gist (playroom_id, during);
