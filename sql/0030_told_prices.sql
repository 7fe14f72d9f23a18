-- The lowest prices of a playroom's packages and add-ons with their words: for whom and when they hold. They are right
-- while `told_until` is `derived_until`: a node of the previous release derives prices without these words, and sets
-- another `derived_until`. Such a playroom is derived again, and until then no lowest price of it is told.
alter table playroom add column prices_told jsonb;
alter table playroom add column told_until timestamptz;
create index playroom_untold on playroom (derived_until) where told_until is distinct from derived_until;
