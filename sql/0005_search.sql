-- Search: what a query is compared with, folded once when a playroom is written, and the indexes that keep a page's
-- cost independent of the catalogue's size.
--
-- Lower case, no accents, punctuation as spaces. `unaccent` is only STABLE because dictionaries can be edited. This one
-- is the extension's own, so the wrapper may be IMMUTABLE, which generated columns and indexes need.
create function search_fold(value text) returns text language sql immutable strict parallel safe
return btrim(regexp_replace(
  translate(lower(unaccent('unaccent'::regdictionary, value)), '-_/\.,:;!?&()[]{}"''@#*+|<>=~^`', repeat(' ', 30)),
  '\s+', ' ', 'g'));

create function search_fold(value text[]) returns text[] language sql immutable strict parallel safe
return array(select search_fold(item) from unnest(value) as item);

create function search_text(value text[]) returns text language sql immutable strict parallel safe
return array_to_string(value, ' ');

-- A list of texts in a playroom's details.
create function search_list(details jsonb, field text) returns text[] language sql immutable strict parallel safe
return array(select jsonb_array_elements_text(
  case jsonb_typeof(details -> field) when 'array' then details -> field else '[]'::jsonb end));

-- Each two neighbours of a folded text as one word ("Fun-House", "funhouse").
create function search_joined(value text) returns text language sql immutable strict parallel safe
return coalesce((select string_agg(word || next, ' ') from (
  select word, lead(word) over (order by n) as next
  from unnest(string_to_array(value, ' ')) with ordinality as w (word, n)
) pair where next is not null), '');

-- Each two neighbouring letters in scripts without spaces between words: Chinese, Japanese, Korean, Thai, Lao, Khmer,
-- Burmese. `search/SearchWords.ts` has the same ranges.
create function search_bigrams(value text) returns text[] language sql immutable strict parallel safe
return array(
  select distinct substr(run[1], i, 2) from regexp_matches(value,
    '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}', 'g')
      as run,
    generate_series(1, length(run[1]) - 1) as i);

-- The words of a text with umlauts spelled as two letters ("Muenchen", "Goeteborg").
create function search_spelt_out(value text) returns text language sql immutable strict parallel safe
return coalesce((select string_agg(
    replace(replace(replace(replace(replace(word, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'ø', 'oe'), 'å', 'aa'), ' ')
  from unnest(string_to_array(lower(value), ' ')) as word where word ~ '[äöüøå]'), '');

-- A playroom's name and location, in all spellings.
create function search_names(name text, city text, address text, details jsonb) returns text
language sql immutable parallel safe
return search_fold(name || ' ' || city || ' ' || address || ' '
  || search_text(search_list(details, 'city_aliases')) || ' '
  || search_spelt_out(name || ' ' || city || ' ' || address));

-- Its other texts.
create function search_texts(amenities text[], summary text, description text, details jsonb) returns text
language sql immutable parallel safe
return search_fold(search_text(amenities) || ' ' || search_text(search_list(details, 'accessibility_features')) || ' '
  || summary || ' ' || description || ' '
  || search_spelt_out(search_text(amenities) || ' ' || summary || ' ' || description));

-- Two columns of words instead of weights in one: the planner's statistics ignore weights, and would assume that a word
-- is as common in names as it is in texts.
alter table playroom
  add column city_key text collate "C" not null generated always as (search_fold(city)) stored,
  add column amenity_keys text[] not null generated always as (
    search_fold(amenities || search_list(details, 'accessibility_features'))) stored,
  add column names_vector tsvector not null generated always as (
    to_tsvector('english'::regconfig, search_names(name, city, address, details) || ' '
      || search_joined(search_fold(name)))
    || array_to_tsvector(search_bigrams(search_names(name, city, address, details)))) stored,
  add column search_vector tsvector not null generated always as (
    to_tsvector('english'::regconfig, search_names(name, city, address, details) || ' '
      || search_texts(amenities, summary, description, details) || ' ' || search_joined(search_fold(name)))
    || array_to_tsvector(search_bigrams(search_names(name, city, address, details) || ' '
      || search_texts(amenities, summary, description, details)))) stored;

-- fastupdate off: every search scans the pending list until a vacuum, and the embedded database has no autovacuum.
create index playroom_names on playroom using gin (names_vector) with (fastupdate = off);
create index playroom_search on playroom using gin (search_vector) with (fastupdate = off);
create index playroom_amenities on playroom using gin (amenity_keys) with (fastupdate = off);
create index playroom_place on playroom using gist (point(longitude, latitude));
create index playroom_city on playroom (city_key, playroom_id) where listed;
create index playroom_country on playroom (country, playroom_id) where listed;
create index playroom_price on playroom (currency, from_price, playroom_id) where listed;

-- Every word that finds a playroom, so a misspelt word is looked up in the vocabulary and not in the catalogue. Words
-- stay when their playroom is removed; they then find nothing.
create table search_word (
  word text collate "C" primary key,
  stem text collate "C" not null
);
create index search_word_stem on search_word (stem);
create index search_word_near on search_word using gist (word gist_trgm_ops);

create function search_words_of(playroom playroom) returns text[] language sql immutable parallel safe
return tsvector_to_array(to_tsvector('simple'::regconfig,
  search_names(playroom.name, playroom.city, playroom.address, playroom.details) || ' '
  || search_texts(playroom.amenities, playroom.summary, playroom.description, playroom.details) || ' '
  || search_joined(search_fold(playroom.name))));

-- Every name of a city, folded, and the city as its playrooms write it. Names stay when their playroom is removed.
create table city_name (
  name text collate "C" not null,
  city_key text collate "C" not null,
  city text not null,
  primary key (name, city_key)
);
create index city_name_city on city_name (city_key);
create index city_name_near on city_name using gist (name gist_trgm_ops);

create function city_names_of(city text, details jsonb) returns text[] language sql immutable parallel safe
return array(select distinct one
  from unnest(search_fold(array[city, search_spelt_out(city)] || search_list(details, 'city_aliases'))
    || search_fold(array(select search_spelt_out(alias)
      from unnest(search_list(details, 'city_aliases')) as alias))) as one
  where one <> '');

-- Adds the words and the city's names of playrooms.
create function search_learn(playroom_ids text[]) returns void language plpgsql as $$
begin
  insert into search_word (word, stem)
  select word, coalesce((tsvector_to_array(to_tsvector('english'::regconfig, word)))[1], word)
  from (select distinct unnest(search_words_of(p)) as word from playroom p
    where p.playroom_id = any (playroom_ids)) as words
  where length(word) between 2 and 40 and not exists (select from search_word known where known.word = words.word)
  order by word
  on conflict do nothing;
  insert into city_name (name, city_key, city)
  select distinct on (asked, city_key) asked, city_key, city
  from (select p.city_key, p.city, p.playroom_id, unnest(city_names_of(p.city, p.details)) as asked
    from playroom p where p.playroom_id = any (playroom_ids)) as names
  where not exists (select from city_name known where known.name = asked and known.city_key = names.city_key)
  order by asked, city_key, playroom_id
  on conflict do nothing;
end
$$;

create function search_learn_updated() returns trigger language plpgsql as $$
begin
  perform search_learn(array[new.playroom_id]);
  return null;
end
$$;

create trigger playroom_updated
  after update of name, city, address, amenities, summary, description, details on playroom
  for each row execute function search_learn_updated();

create function search_learn_added() returns trigger language plpgsql as $$
begin
  perform search_learn((select array_agg(playroom_id) from added));
  return null;
end
$$;

-- Per statement: the playrooms of an import share most of their words.
create trigger playroom_added after insert on playroom referencing new table as added
  for each statement execute function search_learn_added();

-- The visits that a package can offer at all, so a search that no package can satisfy reads an index and not the
-- catalogue. The service derives it from the rows of playroom and package
-- (search/SearchFacts.ts). It may list too much, never too little. Closures and bookings are not in it.
create table search_visit (
  package_id text collate "C" not null references package,
  -- A digest of the other columns; unique within the package.
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
