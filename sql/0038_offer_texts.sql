-- Searches find what a playroom sells: the names and descriptions of its packages ("Kindergeburtstag", "toddler morning")
-- and the names of its add-ons, as a text each. The service derives them from what is on sale, and writes them with the
-- needs, so that an import makes a row's words once (search/SearchFactRows.ts). Null: no node of this release has looked
-- at the row yet.
alter table playroom add column offer_texts text[];
create index playroom_offers_unknown on playroom (playroom_id) where offer_texts is null;

create or replace function search_playroom() returns trigger language plpgsql as $$
declare
  names text := search_names(new.name, new.city, new.address, new.details);
  amenities text := search_text(new.amenities);
  said text := concat_ws(' ', new.summary, new.description, new.details ->> 'house_rules', new.details ->> 'bring',
    new.details ->> 'accessibility', search_text(new.offer_texts));
  texts text := names || ' ' || search_fold(amenities || ' ' || search_text(search_list(new.details, 'accessibility_features'))
    || ' ' || said || ' ' || search_spelt_out(amenities || ' ' || said));
  joined text := ' ' || search_joined(search_fold(new.name));
begin
  new.city_key := search_fold(new.city);
  new.amenity_keys := search_fold(new.amenities || search_list(new.details, 'accessibility_features'));
  new.names_vector := to_tsvector('english'::regconfig, names || joined) || array_to_tsvector(search_bigrams(names));
  new.search_vector := to_tsvector('english'::regconfig, texts || joined) || array_to_tsvector(search_bigrams(texts));
  -- No word of a text has a colon, so no text can claim to meet a need.
  if cardinality(new.needs) > 0 then
    new.search_vector := new.search_vector || array_to_tsvector(array(select 'need:' || need from unnest(new.needs) as need));
  end if;
  return new;
end
$$;

create or replace trigger playroom_searched
  before insert or update of name, city, address, amenities, summary, description, details, needs, offer_texts on playroom
  for each row execute function search_playroom();

create or replace trigger playroom_updated
  after update of name, city, address, amenities, summary, description, details, offer_texts on playroom
  for each row execute function search_learn_updated();

create or replace function search_learn(playroom_ids text[]) returns void language plpgsql as $$
begin
  insert into search_word (word, stem)
  select word, coalesce((tsvector_to_array(to_tsvector('english'::regconfig, word)))[1], word)
  from (
    select distinct unnest(tsvector_to_array(to_tsvector('simple'::regconfig,
      search_fold(texts || ' ' || lists || ' ' || search_spelt_out(texts)) || ' ' || joined))) as word
    from (
      select string_agg(concat_ws(' ', p.name, p.city, p.address, search_text(p.amenities), p.summary, p.description,
          p.details ->> 'house_rules', p.details ->> 'bring', p.details ->> 'accessibility', search_text(p.offer_texts)), ' ') as texts,
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
