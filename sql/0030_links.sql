-- How often the links to the pages of a booking, or of an operator, were renewed, which ends the earlier ones. Null: never.
alter table booking add column link_counter int check (link_counter > 0);
--> next
alter table operator add column link_counter int check (link_counter > 0);
