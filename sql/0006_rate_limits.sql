-- Rate limits that several nodes share: one token bucket for each address and key. Unlogged: after a crash all start full.
create unlogged table rate_limit (
  key text collate "C" primary key,
  tokens double precision not null,
  -- What the last attempt left; negative: it was refused and took nothing.
  remaining double precision not null,
  -- Milliseconds since 1970 at which the running refill interval started.
  refilled_at double precision not null
);
--> next
create index rate_limit_refilled on rate_limit (refilled_at);
