-- Texts for searches at a fraction of their cost: most of an import's time went into these functions, which run for
-- each playroom. They say what they said before (test/search/SearchTexts.test.ts compares them). Those that call no
-- function of ours are plpgsql, which leaves at the first look where there is nothing to do.
create or replace function search_fold(value text) returns text language sql immutable strict parallel safe
return btrim(regexp_replace(lower(unaccent('unaccent'::regdictionary, value)),
  '[-_/\\.,:;!?&()\[\]{}"''@#*+|<>=~^`\s]+', ' ', 'g'));

create or replace function search_list(details jsonb, field text) returns text[]
language plpgsql immutable strict parallel safe as $$
begin
  if jsonb_typeof(details -> field) is distinct from 'array' then
    return '{}';
  end if;
  return array(select jsonb_array_elements_text(details -> field));
end
$$;

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

create or replace function search_bigrams(value text) returns text[]
language plpgsql immutable strict parallel safe as $$
begin
  if value !~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2}'
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

create or replace function search_spelt_out(value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if lower(value) !~ '[äöüøå]' then
    return '';
  end if;
  return (select string_agg(
      replace(replace(replace(replace(replace(word, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'ø', 'oe'), 'å', 'aa'), ' ')
    from unnest(string_to_array(lower(value), ' ')) as word where word ~ '[äöüøå]');
end
$$;

-- The words of several playrooms at once: most of them are the same. A text that is parsed may have a megabyte of
-- words, and twenty playrooms have a third of that at most.
create or replace function search_learn(playroom_ids text[]) returns void language plpgsql as $$
begin
  insert into search_word (word, stem)
  select word, coalesce((tsvector_to_array(to_tsvector('english'::regconfig, word)))[1], word)
  from (
    select distinct unnest(tsvector_to_array(to_tsvector('simple'::regconfig, texts))) as word from (
      select string_agg(search_names(p.name, p.city, p.address, p.details) || ' '
        || search_texts(p.amenities, p.summary, p.description, p.details) || ' '
        || search_joined(search_fold(p.name)), ' ') as texts
      from unnest(playroom_ids) with ordinality as learned (playroom_id, n)
      join playroom p using (playroom_id) group by n / 20) as several) as words
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
