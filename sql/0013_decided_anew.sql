-- A booking is written only where what it was decided by still stands, under the locks: the catalogue's rows, and the time.

-- What stands behind the options of a playroom: it changes whenever a row that prices, hours, places or the right to sell come from
-- is written, whoever writes it. (`xmin` is the transaction that wrote a row: https://www.postgresql.org/docs/current/ddl-system-columns.html)
-- In plpgsql, which keeps its plan for the session: it is asked for with every booking, twice.
create function catalogue_version(of_playroom text) returns text language plpgsql stable as $$
begin
  return (select concat_ws(' ', p.xmin, o.xmin,
      (select string_agg(k.xmin::text, ',' order by k.package_id) from package k where k.playroom_id = p.playroom_id),
      (select string_agg(a.xmin::text, ',' order by a.add_on_id) from add_on a where a.playroom_id = p.playroom_id))
    from playroom p join operator o on o.operator_id = p.operator_id
    where p.playroom_id = of_playroom);
end $$;
--> next
-- As in 0009, with `decided`: by which `version` of the catalogue, read `at` which instant here and `database_at` which there, and
-- `until` when time alone does not change the decision (milliseconds since 1970). Nodes of the release before still call the one of 0009, which has five arguments.
-- Answers also `catalogue_changed`, and `too_late`, where the locks were waited for beyond `until`: then nothing was written.
create function make_booking(wanted jsonb, call jsonb, places jsonb, limits jsonb, guarded boolean, decided jsonb)
returns text language plpgsql volatile as $$
declare
  b booking := jsonb_populate_record(null::booking, wanted);
  held int;
begin
  if b.status = 'held' then
    perform lock_holds_of_email(b.contact_email);
  end if;
  if call is not null and exists (
      select from idempotency i
      where i.key_id = b.key_id and i.operation = 'create_booking' and i.idempotency_key = call ->> 'idempotency_key')
    or b.retry_key is not null and exists (
      select from booking o where o.retry_key = b.retry_key and o.status in ('held', 'confirmed')) then
    return 'already_there';
  end if;

  if b.status = 'held' then
    select count(*) into held from booking o
      where o.status = 'held' and o.key_id = b.key_id and o.hold_expires_at > b.created_at;
    -- Buyers behind one key wait for each other only where its limit is near.
    if held + (limits ->> 'in_flight')::int > (limits ->> 'key')::int then
      perform lock_holds_of_key(b.key_id);
      select count(*) into held from booking o
        where o.status = 'held' and o.key_id = b.key_id and o.hold_expires_at > b.created_at;
    end if;
    if held >= (limits ->> 'key')::int then
      return 'key_full';
    end if;
    select count(*) into held from booking o
      where o.status = 'held' and lower(o.contact_email) = lower(b.contact_email) and o.hold_expires_at > b.created_at;
    if held >= (limits ->> 'email')::int then
      return 'email_full';
    end if;
  end if;

  if guarded then
    perform from resource r where r.resource_id = any (array(select p ->> 'resource_id' from jsonb_array_elements(places) p))
      order by r.resource_id for update;
    -- An import holds these locks while it writes a playroom, so nothing of it can change from here on.
    if catalogue_version(b.playroom_id) is distinct from decided ->> 'version' then
      return 'catalogue_changed';
    end if;
    -- The caller's clock at a moment, and how long ago that was by the database's: the two may differ, and the wait may lie before
    -- this statement began, behind others on its connection.
    if (decided ->> 'at')::float8 + floor(extract(epoch from clock_timestamp()) * 1000 - (decided ->> 'database_at')::float8)
        > (decided ->> 'until')::float8 then
      return 'too_late';
    end if;
    if exists (
      select from jsonb_to_recordset(places) p(resource_id text, units int4multirange, starts timestamptz, ends timestamptz, "of" int)
      left join resource r on r.resource_id = p.resource_id
      where r.units is distinct from p."of"
        or exists (select from occupancy o
          where o.resource_id = p.resource_id and o.units && p.units and o.during && tstzrange(p.starts, p.ends))) then
      return 'places_taken';
    end if;
  end if;

  insert into booking select b.*;
  insert into booking_history (booking_id, operator_id, at, event, to_status, to_payment_status)
    values (b.booking_id, b.operator_id, b.created_at, b.status, b.status, b.payment_status);
  if call is not null then
    insert into idempotency (key_id, operation, idempotency_key, fingerprint, result_id, created_at)
      values (b.key_id, 'create_booking', call ->> 'idempotency_key', decode(call ->> 'fingerprint', 'hex'), b.booking_id, b.created_at);
  end if;
  insert into occupancy (resource_id, operator_id, units, during, booking_id)
    select p.resource_id, b.operator_id, p.units, tstzrange(p.starts, p.ends), b.booking_id
    from jsonb_to_recordset(places) p(resource_id text, units int4multirange, starts timestamptz, ends timestamptz);
  return 'made';
end $$;
