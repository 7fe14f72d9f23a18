-- A row for each process that has a read replica: it writes its own clock there every second, and by what the replica shows of it
-- knows how far the replica is behind. `beat` is a number of that process alone; no clocks are compared.
create table replica_heartbeat (
  node uuid primary key,
  beat double precision not null,
  written_at timestamptz not null default now()
);
