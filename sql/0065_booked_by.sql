-- As before; the first line of a booking's history also says who at the venue made it, if the call does (`done_by`).
create or replace function make_booking(
  wanted jsonb, call jsonb, places jsonb, limits jsonb, guest jsonb, guarded boolean, decided jsonb, others jsonb)
returns jsonb language plpgsql volatile as $$
declare
  b booking := jsonb_populate_record(null::booking, wanted);
  c booking_call := booking_call_of(call);
  before jsonb;
  is_known boolean;
  held int := 0;
begin
  b.retry_key := c.retry_key;
  b.another := c.another;
  perform lock_holds_of_email(b.contact_email);
  before := earlier_booking(c, b.created_at, others);
  if before ->> 'outcome' <> 'none' then
    return before;
  end if;
  if before -> 'lapsed' <> '[]' then
    return jsonb_build_object('outcome', 'lost_race', 'lapsed', before -> 'lapsed');
  end if;
  is_known := (before -> 'is_known')::boolean;

  if b.status = 'held' then
    select count(*) into held from booking o where o.key_id = b.key_id and hold_runs(o, b.created_at);
    -- Lock the key only near its limit, so its buyers rarely wait for each other.
    if held + (limits ->> 'in_flight')::int > (limits ->> 'key')::int then
      perform lock_holds_of_key(b.key_id);
      select count(*) into held from booking o where o.key_id = b.key_id and hold_runs(o, b.created_at);
    end if;
    if held >= (limits ->> 'key')::int then
      return jsonb_build_object('outcome', 'too_many', 'per', 'key', 'limit', limits -> 'key');
    end if;
    -- Under this key only: what others hold for the address is nobody's to know, and in nobody's way.
    -- Found by the address, as a key may have many more holds: so its index is kept out of it.
    if is_known then
      select count(*) into held from booking o
        where folded(o.contact_email) = folded(b.contact_email) and hold_runs(o, b.created_at) and o.key_id || '' = b.key_id;
      if held >= (limits ->> 'email')::int then
        return jsonb_build_object('outcome', 'too_many', 'per', 'email', 'limit', limits -> 'email');
      end if;
    end if;
  end if;

  if guarded then
    perform from resource r
      where r.resource_id = any (array(select p ->> 'resource_id' from jsonb_array_elements(places) p))
      order by r.resource_id for update;
    -- Imports take these locks, so the playroom can't change from here on.
    if catalogue_version(b.playroom_id) is distinct from decided ->> 'version' then
      return '{"outcome": "catalogue_changed"}';
    end if;
    -- The clocks may differ, so the database's clock measures the time since the read. (The wait may have begun before
    -- this statement, in the connection's queue.)
    if (decided ->> 'at')::float8
        + floor(extract(epoch from clock_timestamp()) * 1000 - (decided ->> 'database_at')::float8)
        > (decided ->> 'until')::float8 then
      return '{"outcome": "lost_race", "lapsed": []}';
    end if;
    if exists (
      select from jsonb_to_recordset(places)
        p(resource_id text, units int4multirange, starts timestamptz, ends timestamptz, "of" int)
      left join resource r on r.resource_id = p.resource_id
      where r.units is distinct from p."of"
        or exists (select from occupancy o
          where o.resource_id = p.resource_id and o.units && p.units and o.during && tstzrange(p.starts, p.ends))) then
      return '{"outcome": "lost_race", "lapsed": []}';
    end if;
  end if;

  if guest is not null then
    before := wish_of_another_guest(c, b.option_id, others, b.created_at);
    -- Told last: who only guesses at the wishes of others makes bookings, and these are limited.
    if before ->> 'outcome' = 'already_booked' or before is null then
      before := coalesce(guest_limit(b.key_id, guest, b.playroom_id, limits, b.created_at), before);
    end if;
    if before is not null then
      return before;
    end if;
  end if;
  others := case when is_known then other_bookings(b.key_id, b.contact_email, b.booking_id, others, b.created_at) else '[]' end;
  insert into booking select b.*;
  insert into booking_history (booking_id, operator_id, at, event, to_status, to_payment_status, done_by)
    values (b.booking_id, b.operator_id, b.created_at, b.status, b.status, b.payment_status, call ->> 'done_by');
  if c.idempotency_key is not null then
    insert into idempotency (key_id, operation, idempotency_key, fingerprint, folded, result_id, created_at)
      values (c.key_id, 'create_booking', c.idempotency_key, c.fingerprint, c.folded, b.booking_id, b.created_at);
  end if;
  if guest is not null then
    insert into guest_booking (booking_id, key_id, address, host, playroom_id)
      values (b.booking_id, b.key_id, guest ->> 'address', guest ->> 'host', b.playroom_id);
  end if;
  insert into occupancy (resource_id, operator_id, units, during, booking_id)
    select p.resource_id, b.operator_id, p.units, tstzrange(p.starts, p.ends), b.booking_id
    from jsonb_to_recordset(places) p(resource_id text, units int4multirange, starts timestamptz, ends timestamptz);
  return jsonb_build_object('outcome', 'made', 'others', others);
end $$;
