-- What the sandbox signs its events with where the settings give no secrets: random, made once, shared by all nodes.
create table sandbox_webhook_secret (
  receiver text primary key check (receiver in ('platform', 'connected')),
  secret text not null
);
