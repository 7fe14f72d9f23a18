-- The last audit by a running service, of the whole cluster: whoever sets `started_at` runs it.
create table audit_run (
  only_one boolean primary key default true check (only_one),
  started_at timestamptz not null,
  -- When the last complete one ended, and how many faults it found.
  finished_at timestamptz,
  faults int check (faults >= 0),
  check ((finished_at is null) = (faults is null))
);
