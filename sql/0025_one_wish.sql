-- One wish, one booking. A wish is an option, an e-mail address and a name, asked for with one API key: while its booking is alive,
-- every call that asks for it gets that booking, whatever its idempotency key.

-- Set where a further booking of the same wish was asked for: by which call.
alter table booking add column another text;
--> next
-- A name, whatever its case and its spaces.
create function wish_name(name text) returns text language sql immutable parallel safe as
  $$ select lower(regexp_replace(btrim(name), '\s+', ' ', 'g')) $$;
--> next
-- retry_key stands for key, option and e-mail. From here on every booking has one, with an idempotency key or without.
create unique index booking_wish on booking (retry_key, wish_name(contact_name), coalesce(another, ''))
  where retry_key is not null and status in ('held', 'confirmed');
--> next
drop index booking_retry;
--> next
-- What else is alive of one person under one API key, as far as a new booking may be the same wish in other words: bookings of the
-- same option in another name or asked for as another, and all holds of the e-mail address. The `most` that were made last.
create function bookings_beside(of_retry_key text, of_key text, of_email text, besides text, at timestamptz, most int)
returns jsonb language plpgsql stable as $$
begin
  return (select coalesce(jsonb_agg(jsonb_build_object('booking_id', booking_id, 'reference', reference, 'status', status,
      'starts_at', (extract(epoch from starts_at) * 1000)::bigint, 'time_zone', time_zone) order by created_at desc, booking_id), '[]')
    from (
      select * from (
        (select booking_id, reference, status, starts_at, terms ->> 'time_zone' as time_zone, created_at from booking o
          where o.retry_key = of_retry_key and o.status in ('held', 'confirmed') and (o.status = 'confirmed' or o.hold_expires_at > at)
            and o.booking_id <> besides
          order by o.created_at desc limit most)
        union
        (select booking_id, reference, status, starts_at, terms ->> 'time_zone', created_at from booking o
          where o.status = 'held' and lower(o.contact_email) = lower(of_email) and o.hold_expires_at > at and o.key_id = of_key
            and o.booking_id <> besides
          order by o.created_at desc limit most)) either
      order by created_at desc, booking_id limit most) latest);
end $$;
--> next
-- As in 0013, with the most bookings to tell of that stand beside the new one. Nodes of the release before still call the one of
-- 0013, which has six arguments.
-- Answers `outcome`, one of those of 0013, and with `made` also `beside`.
create function make_booking(wanted jsonb, call jsonb, places jsonb, limits jsonb, guarded boolean, decided jsonb, most_beside int)
returns jsonb language plpgsql volatile as $$
declare
  b booking := jsonb_populate_record(null::booking, wanted);
  held int := 0;
  alike int;
  there boolean;
  beside jsonb := '[]';
begin
  if b.status = 'held' then
    perform lock_holds_of_email(b.contact_email);
  end if;
  if call is not null and exists (
      select from idempotency i
      where i.key_id = b.key_id and i.operation = 'create_booking' and i.idempotency_key = call ->> 'idempotency_key') then
    return '{"outcome": "already_there"}';
  end if;
  select count(*), coalesce(bool_or(wish_name(o.contact_name) = wish_name(b.contact_name)
      and (b.another is null or o.another = b.another)), false)
    into alike, there
    from booking o where o.retry_key = b.retry_key and o.status in ('held', 'confirmed');
  if there then
    return '{"outcome": "already_there"}';
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
      return '{"outcome": "key_full"}';
    end if;
    select count(*) into held from booking o
      where o.status = 'held' and lower(o.contact_email) = lower(b.contact_email) and o.hold_expires_at > b.created_at;
    if held >= (limits ->> 'email')::int then
      return '{"outcome": "email_full"}';
    end if;
  end if;

  if guarded then
    perform from resource r where r.resource_id = any (array(select p ->> 'resource_id' from jsonb_array_elements(places) p))
      order by r.resource_id for update;
    -- An import holds these locks while it writes a playroom, so nothing of it can change from here on.
    if catalogue_version(b.playroom_id) is distinct from decided ->> 'version' then
      return '{"outcome": "catalogue_changed"}';
    end if;
    -- The caller's clock at a moment, and how long ago that was by the database's: the two may differ, and the wait may lie before
    -- this statement began, behind others on its connection.
    if (decided ->> 'at')::float8 + floor(extract(epoch from clock_timestamp()) * 1000 - (decided ->> 'database_at')::float8)
        > (decided ->> 'until')::float8 then
      return '{"outcome": "too_late"}';
    end if;
    if exists (
      select from jsonb_to_recordset(places) p(resource_id text, units int4multirange, starts timestamptz, ends timestamptz, "of" int)
      left join resource r on r.resource_id = p.resource_id
      where r.units is distinct from p."of"
        or exists (select from occupancy o
          where o.resource_id = p.resource_id and o.units && p.units and o.during && tstzrange(p.starts, p.ends))) then
      return '{"outcome": "places_taken"}';
    end if;
  end if;

  -- Most people have no other booking, so most calls do not look for it.
  if alike > 0 or held > 0 then
    beside := bookings_beside(b.retry_key, b.key_id, b.contact_email, b.booking_id, b.created_at, most_beside);
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
  return jsonb_build_object('outcome', 'made', 'beside', beside);
end $$;
