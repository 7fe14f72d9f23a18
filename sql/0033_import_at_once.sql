-- Words and cities of new playrooms are learnt once a statement: an import adds many playrooms, which share most of their words.
drop trigger playroom_words on playroom;
--> next
create trigger playroom_words after update of name, city, address, amenities, summary, description, details on playroom
  for each row execute function search_learn();
--> next
create function search_learn_added() returns trigger language plpgsql as $$
begin
  insert into search_word (word, stem)
  select word, coalesce((tsvector_to_array(to_tsvector('english'::regconfig, word)))[1], word)
  from (select distinct unnest(search_words_of(p)) as word from added join playroom p using (playroom_id)) as words
  where length(word) between 2 and 40 and not exists (select from search_word known where known.word = words.word)
  order by word
  on conflict do nothing;
  return null;
end
$$;
--> next
create trigger playroom_words_added after insert on playroom referencing new table as added
  for each statement execute function search_learn_added();
--> next
drop trigger playroom_city on playroom;
--> next
create trigger playroom_city after update of city, details on playroom for each row execute function city_learn();
--> next
create function city_learn_added() returns trigger language plpgsql as $$
begin
  insert into city_name (name, city_key, city)
  select distinct on (asked, city_key) asked, city_key, city
  from (select p.city_key, p.city, p.playroom_id, unnest(city_names_of(p.city, p.details)) as asked
    from added join playroom p using (playroom_id)) as names
  where not exists (select from city_name known where known.name = asked and known.city_key = names.city_key)
  order by asked, city_key, playroom_id
  on conflict do nothing;
  return null;
end
$$;
--> next
create trigger playroom_city_added after insert on playroom referencing new table as added
  for each statement execute function city_learn_added();
--> next
-- A row says that a person removed the demo, so that no start loads it again.
create table demo_removal (
  only_one boolean primary key default true check (only_one),
  removed_at timestamptz not null
);
