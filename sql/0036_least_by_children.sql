-- The order by price reads playrooms by a lower bound of what a party pays, whatever its size: `least_by_children` has the
-- lowest price of parties from so many children on, up to the next size (search/LeastPrices.ts has the same sizes:
-- 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20). A node of the previous release does not write it, and leaves `told_until` behind: then, and
-- where it is null, `from_price` is the bound.
alter table playroom add column least_by_children int[];
create index playroom_least_unknown on playroom (playroom_id) where least_by_children is null;
create index playroom_least_1 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[1] end, from_price)), playroom_id) where listed;
create index playroom_least_2 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[2] end, from_price)), playroom_id) where listed;
create index playroom_least_3 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[3] end, from_price)), playroom_id) where listed;
create index playroom_least_4 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[4] end, from_price)), playroom_id) where listed;
create index playroom_least_5 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[5] end, from_price)), playroom_id) where listed;
create index playroom_least_6 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[6] end, from_price)), playroom_id) where listed;
create index playroom_least_7 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[7] end, from_price)), playroom_id) where listed;
create index playroom_least_8 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[8] end, from_price)), playroom_id) where listed;
create index playroom_least_10 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[9] end, from_price)), playroom_id) where listed;
create index playroom_least_12 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[10] end, from_price)), playroom_id) where listed;
create index playroom_least_15 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[11] end, from_price)), playroom_id) where listed;
create index playroom_least_20 on playroom
  (currency, (coalesce(case when told_until = derived_until then least_by_children[12] end, from_price)), playroom_id) where listed;
