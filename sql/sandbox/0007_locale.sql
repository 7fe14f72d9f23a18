-- The language of the payment page, as it was asked for.
alter table sandbox.session add column locale text;
