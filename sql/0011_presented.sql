-- What a payer paid in a currency of their own: {"amount": minor units, "currency": ISO 4217}. Told, and never counted.
alter table payment_session add column presented jsonb;
