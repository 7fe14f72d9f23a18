-- By which release of the tz database the clocks of a running node go. Each writes it every minute, and takes it away
-- when it ends: visits follow a changed clock when all nodes have its rules (domain/booking/WallClock.ts).
create table node_zone_rules (
  node uuid primary key,
  release text not null,
  seen_at timestamptz not null
);
