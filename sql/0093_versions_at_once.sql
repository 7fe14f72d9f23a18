-- The versions of several playrooms in one statement, which the planner looks into: a function called for each costs twice as much.
create function catalogue_versions(of_playrooms text[]) returns table (playroom_id text, version text) language sql stable as $$
  select p.playroom_id, concat_ws(' ', extract(epoch from pg_postmaster_start_time()), p.xmin, o.xmin,
    (select string_agg(k.xmin::text, ',' order by k.package_id) from package k where k.playroom_id = p.playroom_id),
    (select string_agg(a.xmin::text, ',' order by a.add_on_id) from add_on a where a.playroom_id = p.playroom_id))
  from playroom p join operator o on o.operator_id = p.operator_id
  where p.playroom_id = any ((select of_playrooms)::text[])
$$;

create or replace function catalogue_version(of_playroom text) returns text language plpgsql stable as $$
begin
  return (select v.version from catalogue_versions(array[of_playroom]) v);
end $$;
