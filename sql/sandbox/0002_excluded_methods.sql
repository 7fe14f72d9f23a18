-- Methods that a session does not offer.
alter table sandbox.session add column excluded_methods text[] not null default '{}';
