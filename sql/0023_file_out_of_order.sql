-- Units of stock that are out of order as the catalogue file says: `add_on_id` is the add-on by which the file names it.
-- The next import replaces these rows. `made_by` is null then, as of closures of the file.
alter table out_of_order add add_on_id text collate "C" references add_on on delete cascade;
alter table out_of_order alter made_by drop not null;
create index out_of_order_add_on on out_of_order (add_on_id) where add_on_id is not null;
