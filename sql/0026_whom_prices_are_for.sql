-- Whom a lowest price is for, and what one child more adds to it: derived with the price itself (SearchFacts.ts), soon after the start.
alter table playroom add column from_price_for text;
--> next
alter table package add column further_child int check (further_child >= 0);
--> next
update playroom set derived_until = '-infinity';
