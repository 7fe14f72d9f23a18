-- Units of stock that are out of order for a time, as a venue says at its desk or by command: nobody can book them then.
-- What is booked keeps its units. Spells that overlap add up. It is a closed time of stock: ids are those of closures.
create table out_of_order (
  closure_id text collate "C" primary key check (closure_id like 'closure\_%'),
  operator_id text collate "C" not null references operator,
  resource_id text collate "C" not null references resource on delete cascade,
  units int not null check (units >= 1),
  during tstzrange not null check (not isempty(during) and lower(during) is not null and upper(during) is not null),
  reason text not null,
  -- Who said so.
  made_by text not null check (made_by <> ''),
  created_at timestamptz not null
);
create index out_of_order_resource on out_of_order using gist (resource_id, during);
create index out_of_order_operator on out_of_order using gist (operator_id, during);
