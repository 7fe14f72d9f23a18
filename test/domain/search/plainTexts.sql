-- The functions of sql/functions/searches.sql as one would write them first: each a plain expression, and slow.

-- Lower case, no accents, punctuation as spaces.
create or replace function plain_fold(value text) returns text language sql immutable strict parallel safe
return btrim(regexp_replace(
  translate(lower(unaccent('unaccent'::regdictionary, value)), '-_/\.,:;!?&()[]{}"''@#*+|<>=~^`', repeat(' ', 30)),
  '\s+', ' ', 'g'));

create or replace function plain_fold(value text[]) returns text[] language sql immutable strict parallel safe
return array(select plain_fold(item) from unnest(value) as item);

create or replace function plain_text(value text[]) returns text language sql immutable strict parallel safe
return array_to_string(value, ' ');

-- A list of texts in a playroom's details.
create or replace function plain_list(details jsonb, field text) returns text[] language sql immutable strict parallel safe
return array(select jsonb_array_elements_text(
  case jsonb_typeof(details -> field) when 'array' then details -> field else '[]'::jsonb end));

-- Each two neighbours of a folded text as one word ("Fun-House", "funhouse").
create or replace function plain_joined(value text) returns text language sql immutable strict parallel safe
return coalesce((select string_agg(word || next, ' ') from (
  select word, lead(word) over (order by n) as next
  from unnest(string_to_array(value, ' ')) with ordinality as w (word, n)
) pair where next is not null), '');

-- Each two neighbouring letters in scripts without spaces between words: Chinese, Japanese, Korean, Thai, Lao, Khmer,
-- Burmese. `domain/search/SearchWords.ts` has the same ranges.
create or replace function plain_bigrams(value text) returns text[] language sql immutable strict parallel safe
return array(
  select distinct substr(run[1], i, 2) from regexp_matches(value,
    '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}', 'g')
      as run,
    generate_series(1, length(run[1]) - 1) as i);

-- The words of a text with umlauts spelled as two letters ("Muenchen", "Goeteborg").
create or replace function plain_spelt_out(value text) returns text language sql immutable strict parallel safe
return coalesce((select string_agg(
    replace(replace(replace(replace(replace(word, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'ø', 'oe'), 'å', 'aa'), ' ')
  from unnest(string_to_array(lower(value), ' ')) as word where word ~ '[äöüøå]'), '');

-- A playroom's name and location, in all spellings.
create or replace function plain_names(name text, city text, address text, details jsonb) returns text
language sql immutable parallel safe
return plain_fold(name || ' ' || city || ' ' || address || ' '
  || plain_text(plain_list(details, 'city_aliases')) || ' '
  || plain_spelt_out(name || ' ' || city || ' ' || address));

-- Its other texts.
create or replace function plain_texts(amenities text[], summary text, description text, details jsonb) returns text
language sql immutable parallel safe
return plain_fold(plain_text(amenities) || ' ' || plain_text(plain_list(details, 'accessibility_features')) || ' '
  || summary || ' ' || description || ' '
  || plain_spelt_out(plain_text(amenities) || ' ' || summary || ' ' || description));

create or replace function plain_words_of(playroom playroom) returns text[] language sql immutable parallel safe
return tsvector_to_array(to_tsvector('simple'::regconfig,
  plain_names(playroom.name, playroom.city, playroom.address, playroom.details) || ' '
  || plain_texts(playroom.amenities, playroom.summary, playroom.description, playroom.details) || ' '
  || plain_joined(plain_fold(playroom.name))));
