-- An import costs a playroom less: what searches compare is computed once for each row that is written, where generated
-- columns computed it eight times. Statements of earlier releases write these columns by the same trigger.
alter table playroom
  alter column city_key drop expression,
  alter column amenity_keys drop expression,
  alter column names_vector drop expression,
  alter column search_vector drop expression;

create function search_playroom() returns trigger language plpgsql as $$
declare
  names text := search_names(new.name, new.city, new.address, new.details);
  texts text := names || ' ' || search_texts(new.amenities, new.summary, new.description, new.details);
  joined text := ' ' || search_joined(search_fold(new.name));
begin
  new.city_key := search_fold(new.city);
  new.amenity_keys := search_fold(new.amenities || search_list(new.details, 'accessibility_features'));
  new.names_vector := to_tsvector('english'::regconfig, names || joined) || array_to_tsvector(search_bigrams(names));
  new.search_vector := to_tsvector('english'::regconfig, texts || joined) || array_to_tsvector(search_bigrams(texts));
  return new;
end
$$;

create trigger playroom_searched
  before insert or update of name, city, address, amenities, summary, description, details on playroom
  for each row execute function search_playroom();

-- The texts of several playrooms are folded at once, and each city's names once, however many playrooms are in it. A
-- text that is parsed may have a megabyte of words, and twenty playrooms have a third of that at most.
create or replace function search_learn(playroom_ids text[]) returns void language plpgsql as $$
begin
  insert into search_word (word, stem)
  select word, coalesce((tsvector_to_array(to_tsvector('english'::regconfig, word)))[1], word)
  from (
    select distinct unnest(tsvector_to_array(to_tsvector('simple'::regconfig,
      search_fold(texts || ' ' || lists || ' ' || search_spelt_out(texts)) || ' ' || joined))) as word
    from (
      select string_agg(p.name || ' ' || p.city || ' ' || p.address || ' ' || search_text(p.amenities) || ' ' || p.summary
          || ' ' || p.description, ' ') as texts,
        string_agg(search_text(search_list(p.details, 'city_aliases')) || ' '
          || search_text(search_list(p.details, 'accessibility_features')), ' ') as lists,
        string_agg(search_joined(search_fold(p.name)), ' ') as joined
      from unnest(playroom_ids) with ordinality as learned (playroom_id, n)
      join playroom p using (playroom_id) group by n / 20) as several) as words
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

-- With longer signatures fewer branches seem to have a word's letters: a third of the work for each new word.
create index search_word_alike on search_word using gist (word gist_trgm_ops(siglen = 64));
drop index search_word_near;

-- New rows wait in a list that is merged at once, at a third of the log that inserting each word into its page takes.
-- Each search reads the list, so it is short, and whoever writes many rows has it merged at the end
-- (search/SearchFactRows.ts).
alter index playroom_names set (fastupdate = on, gin_pending_list_limit = 128);
alter index playroom_search set (fastupdate = on, gin_pending_list_limit = 128);
alter index playroom_amenities set (fastupdate = on, gin_pending_list_limit = 128);
