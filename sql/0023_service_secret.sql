-- Secrets of the service itself: random, made once, shared by all nodes.
create table service_secret (
  name text primary key,
  secret bytea not null,
  created_at timestamptz not null
);
