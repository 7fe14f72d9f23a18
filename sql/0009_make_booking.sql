-- A booking with its places in one call. A look without locks has decided it; here it is checked under the locks and written.
-- Each statement of a function sees what was committed before the statement began, so what is read after a lock is as new as it.

-- A key's or an address's live holds, found without a look at anybody else's however many there are.
create index booking_live_by_key on booking (key_id, hold_expires_at) where status = 'held';
--> next
create index booking_live_by_email on booking (lower(contact_email), hold_expires_at) where status = 'held';
--> next
drop index booking_held_by_key;
--> next
drop index booking_held_by_email;
--> next
-- Lets the caller's transaction be the only one that counts the holds of an e-mail address, or of a key.
create function lock_holds_of_email(email text) returns void language sql volatile as
  $$ select pg_advisory_xact_lock(hashtextextended('email ' || lower(email), 7245301)) $$;
--> next
create function lock_holds_of_key(key_id text) returns void language sql volatile as
  $$ select pg_advisory_xact_lock(hashtextextended('key ' || key_id, 7245301)) $$;
--> next
-- wanted: a row of booking. call: null, or `idempotency_key` and `fingerprint` (hexadecimal) of the call that asks.
-- places: rows of occupancy to be: resource_id, units, starts, ends, and `of`, the units that the resource was thought to have.
-- limits: `key` and `email`, the live holds that each may have, and `in_flight`, more than are in the making at one moment.
-- guarded: false only in tests that show what the lock is for.
-- Answers `made`; or `already_there` (the same call made one), `key_full`, `email_full`, `places_taken`: then nothing was written.
create function make_booking(wanted jsonb, call jsonb, places jsonb, limits jsonb, guarded boolean)
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
