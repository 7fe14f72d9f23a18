-- What searches read beside `playroom`. All of it is derived.

-- A word that finds a playroom, so that a misspelt word is looked up in the vocabulary and not in the catalogue. Words
-- stay when their playroom is removed; they then find nothing.
create table search_word (
  word text collate "C" primary key,
  stem text collate "C" not null
);
create index search_word_stem on search_word (stem);
-- With long signatures fewer branches seem to have a word's letters: a third of the work for each new word.
create index search_word_alike on search_word using gist (word gist_trgm_ops(siglen = 64));

-- A name of a city, folded, and the city as its playrooms write it. Names stay when their playroom is removed.
create table city_name (
  name text collate "C" not null,
  city_key text collate "C" not null,
  city text not null,
  primary key (name, city_key)
);
create index city_name_city on city_name (city_key);
create index city_name_near on city_name using gist (name gist_trgm_ops);

-- Visits that a package can offer at all, so that a search which no package can satisfy reads an index and not the
-- catalogue (domain/search/SearchFacts.ts). They may be too many, never too few. Closures and bookings do not count. The
-- playroom and the operator are those of the package: two more foreign keys took a fifth of an import's time.
create table search_visit (
  package_id text collate "C" not null references package,
  -- A digest of the other columns; unique within the package.
  visit text collate "C" not null,
  operator_id text collate "C" not null,
  playroom_id text collate "C" not null,
  mode text not null,
  -- Days on which these visits start. 0: Monday.
  weekdays int4multirange not null,
  dates daterange not null,
  -- Minutes of the clock since the day's midnight.
  last_start int not null,
  first_end int not null,
  duration_minutes int not null,
  children int4range not null,
  ages int4range not null,
  currency text not null,
  -- Lower bounds of a party's price, in minor units: in total and per child.
  least_total int not null,
  least_per_child int not null,
  lead_minutes int not null,
  advance_days int not null,
  primary key (package_id, visit)
);
create index search_visit_playroom on search_visit (playroom_id);
create index search_visit_offered on search_visit using gist (weekdays, last_start, children, duration_minutes, mode,
  first_end, currency, least_per_child, least_total, ages, dates, advance_days);
