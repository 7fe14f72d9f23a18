-- A part of the schema (a table, column, constraint, index, trigger or function) as migrations made it, with a digest of
-- its definition: `playroom doctor` tells what was changed by hand since (platform/database/SchemaCatalog.ts).
create table schema_part (
  name text primary key,
  definition text not null
);

-- The triggers of searches do without it.
drop function if exists search_texts(text[], text, text, jsonb);

-- Functions: a7ff4214ff89104f
