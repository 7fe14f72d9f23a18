-- The short names that a catalogue file may use instead of ids. An operator's parent is '', a playroom's its operator, everything else's
-- its playroom. A table of its own: a slug changes nothing that is sold, so it must not change `catalogue_version`.
create table slug (
  id text collate "C" primary key,
  operator_id text collate "C" not null references operator on delete cascade,
  kind text not null check (kind in ('operator', 'playroom', 'package', 'add_on', 'closure')),
  parent_id text collate "C" not null,
  slug text collate "C" not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  unique (parent_id, kind, slug)
);
--> next
create index slug_operator on slug (operator_id);
