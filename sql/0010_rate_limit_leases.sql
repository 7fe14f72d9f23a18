-- Nodes take tokens ahead for callers that call often, so that not every call asks the database.
alter table rate_limit
  -- How many tokens the last attempt was given.
  add column granted double precision not null default 0,
  -- Tokens that were given ahead and may not be used yet, and until when that counts (milliseconds since 1970). The bucket fills
  -- only so far that with them it is full.
  add column leased double precision not null default 0,
  add column leased_until double precision not null default 0,
  -- How often leases were forgotten because their time was up: what is left of those can't be given back.
  add column lease_round integer not null default 0,
  -- Only nodes of the version before read it.
  alter column remaining set default 0;
