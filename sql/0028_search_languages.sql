-- Cities by their names in other languages, umlauts written as two letters, and what a playroom is known to have for people with
-- disabilities: all of it is in a playroom's details, whence the columns that search asks are derived.
--
-- A list of texts in a playroom's details.
create function search_list(details jsonb, field text) returns text[] language sql immutable strict parallel safe
return array(select jsonb_array_elements_text(case jsonb_typeof(details -> field) when 'array' then details -> field else '[]'::jsonb end));
--> next
-- Those words of a text that have letters which are often written as two ("Muenchen", "Goeteborg"), so written.
create function search_spelt_out(value text) returns text language sql immutable strict parallel safe
return coalesce((select string_agg(replace(replace(replace(replace(replace(word, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'ø', 'oe'), 'å', 'aa'), ' ')
  from unnest(string_to_array(lower(value), ' ')) as word where word ~ '[äöüøå]'), '');
--> next
-- A table whose rows a function takes can't be rewritten; it is made again below.
drop function search_words_of(playroom);
--> next
alter table playroom drop column names_vector, drop column search_vector, drop column amenity_keys;
--> next
-- What it is called and where it is, in all the ways that it is written.
create function search_names(name text, city text, address text, details jsonb) returns text language sql immutable parallel safe
return search_fold(name || ' ' || city || ' ' || address || ' ' || search_text(search_list(details, 'city_aliases')) || ' '
  || search_spelt_out(name || ' ' || city || ' ' || address));
--> next
-- What else it says.
create function search_texts(amenities text[], summary text, description text, details jsonb) returns text language sql immutable parallel safe
return search_fold(search_text(amenities) || ' ' || search_text(search_list(details, 'accessibility_features')) || ' ' || summary || ' '
  || description || ' ' || search_spelt_out(search_text(amenities) || ' ' || summary || ' ' || description));
--> next
alter table playroom
  add column amenity_keys text[] not null generated always as (
    search_fold(amenities || search_list(details, 'accessibility_features'))) stored,
  add column names_vector tsvector not null generated always as (
    to_tsvector('english'::regconfig, search_names(name, city, address, details) || ' ' || search_joined(search_fold(name)))
    || array_to_tsvector(search_bigrams(search_names(name, city, address, details)))) stored,
  add column search_vector tsvector not null generated always as (
    to_tsvector('english'::regconfig, search_names(name, city, address, details) || ' '
      || search_texts(amenities, summary, description, details) || ' ' || search_joined(search_fold(name)))
    || array_to_tsvector(search_bigrams(search_names(name, city, address, details) || ' '
      || search_texts(amenities, summary, description, details)))) stored;
--> next
create index playroom_names on playroom using gin (names_vector) with (fastupdate = off);
--> next
create index playroom_search on playroom using gin (search_vector) with (fastupdate = off);
--> next
create index playroom_amenities on playroom using gin (amenity_keys) with (fastupdate = off);
--> next
create function search_words_of(playroom playroom) returns text[] language sql immutable parallel safe
return tsvector_to_array(to_tsvector('simple'::regconfig,
  search_names(playroom.name, playroom.city, playroom.address, playroom.details) || ' '
  || search_texts(playroom.amenities, playroom.summary, playroom.description, playroom.details) || ' '
  || search_joined(search_fold(playroom.name))));
--> next
drop trigger playroom_words on playroom;
--> next
create trigger playroom_words after insert or update of name, city, address, amenities, summary, description, details on playroom
  for each row execute function search_learn();
--> next
insert into search_word (word, stem)
select word, coalesce((tsvector_to_array(to_tsvector('english'::regconfig, word)))[1], word)
from (select distinct unnest(search_words_of(playroom)) as word from playroom) as words
where length(word) between 2 and 40
order by word
on conflict do nothing;
--> next
-- Every name that a city goes by, folded, and the city as its playrooms write it. Names are not removed with their playroom.
create table city_name (
  name text collate "C" not null,
  city_key text collate "C" not null,
  city text not null,
  primary key (name, city_key)
);
--> next
create index city_name_city on city_name (city_key);
--> next
create index city_name_near on city_name using gist (name gist_trgm_ops);
--> next
create function city_names_of(city text, details jsonb) returns text[] language sql immutable parallel safe
return array(select distinct one from unnest(search_fold(array[city, search_spelt_out(city)] || search_list(details, 'city_aliases'))
  || search_fold(array(select search_spelt_out(alias) from unnest(search_list(details, 'city_aliases')) as alias))) as one where one <> '');
--> next
create function city_learn() returns trigger language plpgsql as $$
begin
  insert into city_name (name, city_key, city)
  select asked, new.city_key, new.city from unnest(city_names_of(new.city, new.details)) as asked
  where not exists (select from city_name known where known.name = asked and known.city_key = new.city_key)
  order by asked
  on conflict do nothing;
  return null;
end
$$;
--> next
create trigger playroom_city after insert or update of city, details on playroom for each row execute function city_learn();
--> next
insert into city_name (name, city_key, city)
select distinct on (asked, city_key) asked, city_key, city from playroom, unnest(city_names_of(city, details)) as asked
order by asked, city_key, playroom_id;
