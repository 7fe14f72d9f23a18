-- An import costs a playroom less. Most texts of a chain are the same in each of its playrooms: the words of a text are learnt
-- once for all that are written together. A text in ASCII has neither umlauts nor scripts without spaces, so it is not
-- searched for them. The functions say what they said before (test/search/SearchTexts.test.ts compares them).
create or replace function search_fold(value text[]) returns text[] language plpgsql immutable strict parallel safe as $$
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

create or replace function search_spelt_out(value text) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if octet_length(value) = length(value) or lower(value) !~ '[äöüøå]' then
    return '';
  end if;
  return (select string_agg(
      replace(replace(replace(replace(replace(word, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'ø', 'oe'), 'å', 'aa'), ' ')
    from unnest(string_to_array(lower(value), ' ')) as word where word ~ '[äöüøå]');
end
$$;

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
        select distinct unnest(search_list(p.details, 'city_aliases') || search_list(p.details, 'accessibility_features')) as item
        from playroom p where p.playroom_id = any (playroom_ids)) as lists
      union all
      select search_joined(search_fold(p.name)) from playroom p where p.playroom_id = any (playroom_ids)) as folds) as words
  where length(word) between 2 and 40 and not exists (select from search_word known where known.word = words.word)
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
