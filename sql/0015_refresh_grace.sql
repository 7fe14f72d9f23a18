-- What the successor of a used refresh token is derived from, together with that token, which the table does not hold.
-- Random, and removed soon after it has served. Null: used by a node that does not know it, and never given again.
alter table connect_state add column successor_salt bytea check (length(successor_salt) = 32);
create index connect_state_successor on connect_state (consumed_at) where successor_salt is not null;
