-- Where to the rows of this database have moved, or are on their way: meanwhile, and then, it takes no writes
-- (platform/database/DatabaseMove.ts).
create table database_move (
  only_one boolean primary key default true check (only_one),
  -- The server with the database's name, or a folder.
  target text not null,
  began_at timestamptz not null,
  -- When everything was there.
  finished_at timestamptz
);
-- Functions: a8c5e5bd3e8111c9
