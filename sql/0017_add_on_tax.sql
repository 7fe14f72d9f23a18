-- The tax on an add-on, with the days from which other rates hold (domain/catalogue/Tax.ts); null: the playroom's. That
-- of a package is in its terms.
alter table add_on add column tax jsonb check (jsonb_typeof(tax) = 'object');
