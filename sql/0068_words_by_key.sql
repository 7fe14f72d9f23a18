-- An import costs the database less. A word that is known was looked for in the index for misspelt words, which can also say
-- what is equal, at many times the cost of the primary key: a plan made while the table is small takes either for the same.
-- Only the key's index answers "between". The function says what it said before.
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

-- Each import ends with statistics, and no plan asks about what is in these.
alter table playroom alter column details set statistics 0, alter column prices_told set statistics 0;
alter table package alter column terms set statistics 0;
