-- What health checks and audits keep.

-- For /readyz (`probe_write`). Always empty.
create table write_probe (n int not null);

-- A process with a read replica. It writes a counter here every second and reads it from the replica, which shows the
-- replica's lag without comparing clocks.
create table replica_heartbeat (
  node uuid primary key,
  beat double precision not null,
  written_at timestamptz not null default now()
);

-- The last audit by a running service, of the whole cluster: whoever sets `started_at` runs it.
create table audit_run (
  only_one boolean primary key default true check (only_one),
  started_at timestamptz not null,
  -- When the last complete one ended, and how many faults it found.
  finished_at timestamptz,
  faults int check (faults >= 0),
  check ((finished_at is null) = (faults is null))
);
