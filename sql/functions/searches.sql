-- How texts are made comparable for searches. Importing a playroom spends most of its time here, so functions that call
-- none of ours are plpgsql, which leaves at the first look where there is nothing to do. Where their results
-- change, rows that are there keep the earlier ones until they are written again.

-- A text in small letters, without accents, and with spaces for punctuation. `unaccent` is only STABLE because
-- dictionaries can be edited. This one is the extension's own, so the function may be IMMUTABLE. Each fold names its
-- collation, as `folded` does: the database's own, which the service checks at its start.
create or replace function search_fold(value text) returns text language sql immutable strict parallel safe
return btrim(regexp_replace(lower(unaccent('unaccent'::regdictionary, value) collate "default"),
  '[-_/\\.,:;!?&()\[\]{}"''@#*+|<>=~^`\s]+', ' ', 'g'));

create or replace function search_fold(value text[])
  returns text[] language plpgsql immutable strict parallel safe as $$
declare
  item text;
  folded text[] := '{}';
begin
  foreach item in array value loop
    folded := array_append(folded, search_fold(item));
  end loop;
  return folded;
end
$$;

create or replace function search_text(value text[]) returns text language sql immutable strict parallel safe
return array_to_string(value, ' ');

-- A list of texts in `playroom.details`; empty where there is none.
create or replace function search_list(details jsonb, field text) returns text[]
language plpgsql immutable strict parallel safe as $$
begin
  if jsonb_typeof(details -> field) is distinct from 'array' then
    return '{}';
  end if;
  return array(select jsonb_array_elements_text(details -> field));
end
$$;

-- Each two neighbours of a folded text as one word ("Fun-House", "funhouse").
create or replace function search_joined(value text) returns text
language plpgsql immutable strict parallel safe as $$
declare
  words text[] := string_to_array(value, ' ');
  joined text[] := '{}';
begin
  for i in 2..cardinality(words) loop
    joined := array_append(joined, words[i - 1] || words[i]);
  end loop;
  return array_to_string(joined, ' ');
end
$$;

-- Each two neighbouring letters in scripts without spaces between words: Chinese, Japanese, Korean, Thai, Lao, Khmer,
-- Burmese. `domain/search/SearchWords.ts` has the same ranges. A text in ASCII has none.
create or replace function search_bigrams(value text) returns text[]
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) = length(value)
    or value !~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2}'
  then
    return '{}';
  end if;
  return array(
    select distinct substr(run[1], i, 2) from regexp_matches(value,
      '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}', 'g')
        as run,
      generate_series(1, length(run[1]) - 1) as i);
end
$$;

-- The words of a text with umlauts, spelt as two letters ("Muenchen", "Goeteborg"). A text in ASCII has none.
create or replace function search_spelt_out(value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) = length(value) or lower(value collate "default") !~ '[äöüøå]' then
    return '';
  end if;
  return (select string_agg(
      replace(replace(replace(replace(replace(word, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'ø', 'oe'), 'å', 'aa'), ' ')
    from unnest(string_to_array(lower(value collate "default"), ' ')) as word where word ~ '[äöüøå]');
end
$$;

-- A playroom's name and location, in all spellings.
create or replace function search_names(name text, city text, address text, details jsonb) returns text
language sql immutable parallel safe
return search_fold(name || ' ' || city || ' ' || address || ' '
  || search_text(search_list(details, 'city_aliases')) || ' '
  || search_spelt_out(name || ' ' || city || ' ' || address));

-- All names of a city, folded.
create or replace function city_names_of(city text, details jsonb) returns text[] language sql immutable parallel safe
return array(select distinct one
  from unnest(search_fold(array[city, search_spelt_out(city)] || search_list(details, 'city_aliases'))
    || search_fold(array(select search_spelt_out(alias)
      from unnest(search_list(details, 'city_aliases')) as alias))) as one
  where one <> '');

-- Writes what searches compare, once for each row.
create or replace function search_playroom() returns trigger language plpgsql as $$
declare
  names text := search_names(new.name, new.city, new.address, new.details);
  amenities text := search_text(new.amenities);
  said text := concat_ws(' ', new.summary, new.description, new.details ->> 'house_rules', new.details ->> 'bring',
    new.details ->> 'accessibility', search_text(new.offer_texts));
  texts text := names || ' ' || search_fold(amenities || ' '
    || search_text(search_list(new.details, 'accessibility_features'))
    || ' ' || said || ' ' || search_spelt_out(amenities || ' ' || said));
  joined text := ' ' || search_joined(search_fold(new.name));
begin
  new.city_key := search_fold(new.city);
  new.amenity_keys := search_fold(new.amenities || search_list(new.details, 'accessibility_features'));
  new.names_vector := to_tsvector('english'::regconfig, names || joined) || array_to_tsvector(search_bigrams(names));
  new.search_vector := to_tsvector('english'::regconfig, texts || joined) || array_to_tsvector(search_bigrams(texts));
  -- No word of a text has a colon, so no text can claim to meet a need.
  if cardinality(new.needs) > 0 then
    new.search_vector := new.search_vector ||
      array_to_tsvector(array(select 'need:' || need from unnest(new.needs) as need));
  end if;
  return new;
end
$$;

create or replace trigger playroom_searched
  before insert or update of name, city, address, amenities, summary, description, details, needs,
    offer_texts on playroom
  for each row execute function search_playroom();

-- Adds the words and the cities' names of playrooms to the vocabulary. Texts that playrooms share are read once for all
-- that are written together. A known word is looked for by "between", which the key's index alone answers: a plan made
-- while the table is small would take the index of similar words, at many times the cost.
create or replace function search_learn(playroom_ids text[]) returns void language plpgsql as $$
begin
  insert into search_word (word, stem)
  select word, coalesce((tsvector_to_array(to_tsvector('english'::regconfig, word)))[1], word)
  from (
    select distinct unnest(tsvector_to_array(to_tsvector('simple'::regconfig, folded))) as word
    from (
      select search_fold(text || ' ' || search_spelt_out(text)) as folded from (
        select distinct unnest(array[p.name, p.city, p.address, p.summary, p.description, p.details ->> 'house_rules',
          p.details ->> 'bring', p.details ->> 'accessibility'] || p.amenities || p.offer_texts) as text
        from playroom p where p.playroom_id = any (playroom_ids)) as texts
      union all
      select search_fold(item) from (
        select distinct unnest(search_list(p.details, 'city_aliases')
          || search_list(p.details, 'accessibility_features')) as item
        from playroom p where p.playroom_id = any (playroom_ids)) as lists
      union all
      select search_joined(search_fold(p.name)) from playroom p
        where p.playroom_id = any (playroom_ids)) as folds) as words
  where length(word) between 2 and 40
    and not exists (select from search_word known where known.word between words.word and words.word)
  order by word
  on conflict do nothing;
  insert into city_name (name, city_key, city)
  select distinct on (asked, city_key) asked, city_key, city
  from (
    select city_key, city, playroom_id,
      unnest(city_names_of(city, jsonb_build_object('city_aliases', aliases))) as asked
    from (
      select p.city_key, p.city, p.details -> 'city_aliases' as aliases, min(p.playroom_id) as playroom_id
      from playroom p where p.playroom_id = any (playroom_ids) group by 1, 2, 3) as cities) as names
  where not exists (select from city_name known where known.name = asked and known.city_key = names.city_key)
  order by asked, city_key, playroom_id
  on conflict do nothing;
end
$$;

create or replace function search_learn_updated() returns trigger language plpgsql as $$
begin
  perform search_learn(array[new.playroom_id]);
  return null;
end
$$;

create or replace trigger playroom_updated
  after update of name, city, address, amenities, summary, description, details, offer_texts on playroom
  for each row execute function search_learn_updated();

create or replace function search_learn_added() returns trigger language plpgsql as $$
begin
  perform search_learn((select array_agg(playroom_id) from added));
  return null;
end
$$;

-- Per statement: the playrooms of an import share most of their words.
create or replace trigger playroom_added after insert on playroom referencing new table as added
  for each statement execute function search_learn_added();
