-- What no release that may run beside this one reads or writes: what a package costs is derived as `playroom.prices_told`, and the
-- words of texts are learnt by `search_learn` alone.
alter table package drop column price_from, drop column further_child;
drop function search_words_of(playroom);
