-- The catalogue's versions, and the accounts of operators.

-- The versions of playrooms, in one statement which the planner looks into: a function called for each costs twice as
-- much. A playroom's version changes whenever a row is written that prices, hours, places or the right to sell come
-- from, whoever writes it, and with each start of the server. (`xmin` is the transaction that wrote a row:
-- https://www.postgresql.org/docs/current/ddl-system-columns.html)
create or replace function catalogue_versions(of_playrooms text[])
  returns table (playroom_id text, version text) language sql stable as $$
  select p.playroom_id, concat_ws(' ', extract(epoch from pg_postmaster_start_time()), p.xmin, o.xmin,
    (select string_agg(k.xmin::text, ',' order by k.package_id) from package k where k.playroom_id = p.playroom_id),
    (select string_agg(a.xmin::text, ',' order by a.add_on_id) from add_on a where a.playroom_id = p.playroom_id))
  from playroom p join operator o on o.operator_id = p.operator_id
  where p.playroom_id = any ((select of_playrooms)::text[])
$$;

-- The version of one playroom. It is plpgsql, which keeps its plan for the session, because every booking asks for it.
create or replace function catalogue_version(of_playroom text) returns text language plpgsql stable as $$
begin
  return (select v.version from catalogue_versions(array[of_playroom]) v);
end $$;

-- Keeps each account that an operator has or had.
create or replace function keep_operator_account() returns trigger language plpgsql as $$
begin
  insert into operator_account (account, operator_id)
    values (new.connected_account_id, new.operator_id) on conflict do nothing;
  return null;
end $$;

create or replace trigger operator_account_kept after insert or update of connected_account_id on operator
  for each row when (new.connected_account_id is not null) execute function keep_operator_account();
