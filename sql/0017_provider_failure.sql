-- How the payment provider fails now, if it does: one row for each way, gone when a call succeeds again.
create table provider_failure (
  kind text primary key,
  operation text not null,
  reason text not null,
  since timestamptz not null,
  last_at timestamptz not null
);
