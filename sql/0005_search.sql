-- Search: what a query is compared with, folded once when a playroom is written, and the indexes that keep a page's cost
-- apart from the catalogue's size.
--
-- Lower case, no accents, punctuation as spaces. `unaccent` is only STABLE because dictionaries can be edited; this one is
-- the extension's own, so the wrapper may be IMMUTABLE, which generated columns and indexes need.
create function search_fold(value text) returns text language sql immutable strict parallel safe
return btrim(regexp_replace(
  translate(lower(unaccent('unaccent'::regdictionary, value)), '-_/\.,:;!?&()[]{}"''@#*+|<>=~^`', repeat(' ', 30)), '\s+', ' ', 'g'));
--> next
create function search_fold(value text[]) returns text[] language sql immutable strict parallel safe
return array(select search_fold(item) from unnest(value) as item);
--> next
create function search_text(value text[]) returns text language sql immutable strict parallel safe
return array_to_string(value, ' ');
--> next
alter table playroom
  add column city_key text collate "C" not null generated always as (search_fold(city)) stored,
  add column amenity_keys text[] not null generated always as (search_fold(amenities)) stored,
  -- What it is called and where it is, and everything that it says. Two columns rather than weights in one: the planner's
  -- statistics know nothing of weights, and would take a word that is rare in names for as common as it is in texts.
  add column names_vector tsvector not null generated always as (
    to_tsvector('english'::regconfig, search_fold(name || ' ' || city || ' ' || address))) stored,
  add column search_vector tsvector not null generated always as (
    to_tsvector('english'::regconfig, search_fold(
      name || ' ' || city || ' ' || address || ' ' || search_text(amenities) || ' ' || summary || ' ' || description))) stored;
--> next
-- fastupdate off: a pending list is read whole by every search until a vacuum comes, and the embedded database has none.
create index playroom_names on playroom using gin (names_vector) with (fastupdate = off);
--> next
create index playroom_search on playroom using gin (search_vector) with (fastupdate = off);
--> next
create index playroom_amenities on playroom using gin (amenity_keys) with (fastupdate = off);
--> next
create index playroom_place on playroom using gist (point(longitude, latitude));
--> next
create index playroom_city on playroom (city_key, playroom_id) where listed;
--> next
create index playroom_country on playroom (country, playroom_id) where listed;
--> next
create index playroom_price on playroom (currency, from_price, playroom_id) where listed;
--> next
-- Every word that a playroom can be found by, so that a misspelt word costs a look into the vocabulary and not into the
-- catalogue. Words are not removed with their playroom: a word that nothing has any more finds nothing.
create table search_word (
  word text collate "C" primary key,
  stem text collate "C" not null
);
--> next
create index search_word_stem on search_word (stem);
--> next
create index search_word_near on search_word using gist (word gist_trgm_ops);
--> next
create function search_words_of(playroom playroom) returns text[] language sql immutable parallel safe
return tsvector_to_array(to_tsvector('simple'::regconfig, search_fold(
  playroom.name || ' ' || playroom.city || ' ' || playroom.address || ' ' || search_text(playroom.amenities) || ' ' || playroom.summary || ' ' ||
  playroom.description)));
--> next
create function search_learn() returns trigger language plpgsql as $$
begin
  insert into search_word (word, stem)
  select word, coalesce((tsvector_to_array(to_tsvector('english'::regconfig, word)))[1], word)
  from unnest(search_words_of(new)) as word
  where length(word) between 2 and 40 and not exists (select from search_word known where known.word = word.word)
  order by word
  on conflict do nothing;
  return null;
end
$$;
--> next
create trigger playroom_words after insert or update of name, city, address, amenities, summary, description on playroom
  for each row execute function search_learn();
