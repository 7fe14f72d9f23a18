-- Whether a session's page may offer other currencies, and what its payer paid in one: {"amount", "currency"}.
alter table sandbox.session add column adaptive_pricing boolean not null default true;
alter table sandbox.session add column presented jsonb;
