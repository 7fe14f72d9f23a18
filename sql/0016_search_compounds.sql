-- Words that are written in one or in two ("Fun-House", "funhouse"), and scripts that put no spaces between words.
--
-- Each two neighbours of a folded text as one word.
create function search_joined(value text) returns text language sql immutable strict parallel safe
return coalesce((select string_agg(word || next, ' ') from (
  select word, lead(word) over (order by n) as next from unnest(string_to_array(value, ' ')) with ordinality as w (word, n)
) pair where next is not null), '');
--> next
-- Each two neighbouring letters where words have no bounds: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese.
-- `catalogue/SearchWords.ts` has the same ranges.
create function search_bigrams(value text) returns text[] language sql immutable strict parallel safe
return array(
  select distinct substr(run[1], i, 2) from regexp_matches(value,
    '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}', 'g') as run,
    generate_series(1, length(run[1]) - 1) as i);
--> next
-- A table whose rows a function takes can't be rewritten; it is made again below.
drop function search_words_of(playroom);
--> next
alter table playroom drop column names_vector, drop column search_vector;
--> next
alter table playroom
  add column names_vector tsvector not null generated always as (
    to_tsvector('english'::regconfig, search_fold(name || ' ' || city || ' ' || address) || ' ' || search_joined(search_fold(name)))
    || array_to_tsvector(search_bigrams(search_fold(name || ' ' || city || ' ' || address)))) stored,
  add column search_vector tsvector not null generated always as (
    to_tsvector('english'::regconfig, search_fold(
      name || ' ' || city || ' ' || address || ' ' || search_text(amenities) || ' ' || summary || ' ' || description)
      || ' ' || search_joined(search_fold(name)))
    || array_to_tsvector(search_bigrams(search_fold(
      name || ' ' || city || ' ' || address || ' ' || search_text(amenities) || ' ' || summary || ' ' || description)))) stored;
--> next
create index playroom_names on playroom using gin (names_vector) with (fastupdate = off);
--> next
create index playroom_search on playroom using gin (search_vector) with (fastupdate = off);
--> next
create function search_words_of(playroom playroom) returns text[] language sql immutable parallel safe
return tsvector_to_array(to_tsvector('simple'::regconfig, search_fold(
  playroom.name || ' ' || playroom.city || ' ' || playroom.address || ' ' || search_text(playroom.amenities) || ' ' || playroom.summary || ' ' ||
  playroom.description) || ' ' || search_joined(search_fold(playroom.name))));
--> next
insert into search_word (word, stem)
select word, coalesce((tsvector_to_array(to_tsvector('english'::regconfig, word)))[1], word)
from (select distinct unnest(search_words_of(playroom)) as word from playroom) as words
where length(word) between 2 and 40
order by word
on conflict do nothing;
