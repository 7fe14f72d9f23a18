-- As before, and it changes with each start of the server, so that versions of different servers are never equal: after a failover
-- or a restore, transactions have the numbers of others that were lost. Processes keep what they read by its version.
create or replace function catalogue_version(of_playroom text) returns text language plpgsql stable as $$
begin
  return (select concat_ws(' ', extract(epoch from pg_postmaster_start_time()), p.xmin, o.xmin,
      (select string_agg(k.xmin::text, ',' order by k.package_id) from package k where k.playroom_id = p.playroom_id),
      (select string_agg(a.xmin::text, ',' order by a.add_on_id) from add_on a where a.playroom_id = p.playroom_id))
    from playroom p join operator o on o.operator_id = p.operator_id
    where p.playroom_id = of_playroom);
end $$;
