-- One wish, one booking: the rules stand here, once. Nodes of the release before call `make_booking` with seven
-- arguments, `add_guest_booking`, and `lower` of an e-mail address: these go with the release after this one.

-- A name or an e-mail address as it is compared: in one Unicode form, ignoring case and spaces. The collation is named,
-- or a caller with an id beside it (collation "C") would lower ASCII letters alone.
create function folded(spelling text) returns text language sql immutable parallel safe as
  $$ select lower(btrim(regexp_replace(normalize(spelling, NFKC), '\s+', ' ', 'g')) collate "default") $$;

-- Replaces booking_live_by_email, which the release before reads.
create index booking_held_by_email on booking (folded(contact_email), hold_expires_at) where status = 'held';

-- The arguments of the call, name and e-mail folded: a SHA-256. `fingerprint` is the caller's own spelling of them.
alter table idempotency add column folded bytea check (length(folded) = 32);

create or replace function lock_holds_of_email(email text) returns void language sql volatile as
  $$ select pg_advisory_xact_lock(hashtextextended('email ' || folded(email), 7245301)) $$;

create or replace function other_bookings(
  of_retry_key text, of_key text, of_email text, except_booking text, at timestamptz, most int)
returns jsonb language plpgsql stable as $$
begin
  return (select coalesce(jsonb_agg(jsonb_build_object(
        'booking_id', booking_id, 'reference', reference, 'status', status,
        'starts_at', (extract(epoch from starts_at) * 1000)::bigint, 'time_zone', time_zone)
      order by created_at desc, booking_id), '[]')
    from (
      select * from (
        (select booking_id, reference, status, starts_at, terms ->> 'time_zone' as time_zone, created_at from booking o
          where o.retry_key = of_retry_key and o.status in ('held', 'confirmed')
            and (o.status = 'confirmed' or hold_runs(o, at)) and o.booking_id <> except_booking
          order by o.created_at desc limit most)
        union
        (select booking_id, reference, status, starts_at, terms ->> 'time_zone', created_at from booking o
          where folded(o.contact_email) = folded(of_email) and hold_runs(o, at) and o.key_id = of_key
            and o.booking_id <> except_booking
          order by o.created_at desc limit most)) either
      order by created_at desc, booking_id limit most) latest);
end $$;

-- The SHA-256 of a text, in the letters of base64url.
create function digest_of(input text) returns text language sql immutable parallel safe as
  $$ select rtrim(translate(encode(sha256(convert_to(input, 'UTF8')), 'base64'), '+/', '-_'), '=') $$;

-- `booking.retry_key`: a digest of API key, option and e-mail address.
create function retry_key_of(of_key text, option_id text, email text) returns text language sql stable parallel safe as
  $$ select digest_of('[' || to_json(of_key) || ',' || to_json(option_id) || ',' || to_json(folded(email)) || ']') $$;

-- Whether two calls of `create_booking` ask for one booking: the same name and, if another one is wanted, the same
-- call. Both have the same `retry_key`. `wanted_another`: the `another` of the new call.
create function is_same_wish(b booking, name text, wanted_another text) returns boolean
language sql immutable parallel safe as
  $$ select folded(b.contact_name) = folded(name) and (wanted_another is null or b.another is not distinct from wanted_another) $$;

-- The result of an earlier call with this idempotency key, if any. `same`: its arguments were the same, in the caller's
-- own spelling or as they are compared.
create function earlier_result(of_key text, of_operation text, of_idempotency_key text, of_fingerprint bytea, of_folded bytea)
returns table (result_id text, same boolean) language sql stable as
  $$ select i.result_id, i.fingerprint = of_fingerprint or coalesce(i.folded = of_folded, false) from idempotency i
    where i.key_id = of_key and i.operation = of_operation and i.idempotency_key = of_idempotency_key $$;

-- A call of `create_booking`: `key_id`, `arguments`, and if it has an `idempotency_key`, that with the `fingerprint`
-- (hexadecimal). These are what it is compared by.
create type booking_call as (
  key_id text, idempotency_key text, fingerprint bytea, folded bytea, retry_key text, contact_name text, contact_email text, another text);

create function booking_call_of(call jsonb) returns booking_call language plpgsql stable as $$
declare
  arguments jsonb := call -> 'arguments';
  contact jsonb := arguments -> 'contact';
  compared jsonb := jsonb_set(arguments, '{contact}', contact || jsonb_build_object(
    'name', folded(contact ->> 'name'), 'email', folded(contact ->> 'email')));
  c booking_call;
begin
  c.key_id := call ->> 'key_id';
  c.idempotency_key := call ->> 'idempotency_key';
  c.fingerprint := decode(call ->> 'fingerprint', 'hex');
  c.folded := sha256(convert_to(compared::text, 'UTF8'));
  c.retry_key := retry_key_of(c.key_id, arguments ->> 'option_id', contact ->> 'email');
  c.contact_name := contact ->> 'name';
  c.contact_email := contact ->> 'email';
  if (arguments ->> 'another')::boolean then
    c.another := digest_of(coalesce(to_json(c.idempotency_key)::text, 'null'));
  end if;
  return c;
end $$;

-- Stores the booking that an idempotency key stands for, unless another call with this key was faster.
create function remember_booking(c booking_call, of_booking text, at timestamptz) returns void language sql volatile as
  $$ insert into idempotency (key_id, operation, idempotency_key, fingerprint, folded, result_id, created_at)
    select c.key_id, 'create_booking', c.idempotency_key, c.fingerprint, c.folded, of_booking, at
    where c.idempotency_key is not null on conflict do nothing $$;

-- The booking that an equal, earlier call made. A call with the same idempotency key gets its booking, live or not. A
-- call with the same API key, option, e-mail address and name gets its booking while that is live.
--
-- Returns `outcome`: `already_there`, with `booking_id` and `others`; `conflict`: the idempotency key was used with
-- other arguments; or `none`, with `alike`: the references of live bookings of the same option and e-mail address.
-- `lapsed`: such bookings that must be released before the same can be booked again.
create function earlier_booking(c booking_call, at timestamptz, max_others int) returns jsonb
language plpgsql volatile as $$
declare
  found_id text;
  is_same boolean;
  alike jsonb;
  lapsed jsonb;
begin
  select e.result_id, e.same into found_id, is_same
    from earlier_result(c.key_id, 'create_booking', c.idempotency_key, c.fingerprint, c.folded) e;
  if found_id is null then
    select o.booking_id into found_id from booking o
      where o.retry_key = c.retry_key and o.status in ('held', 'confirmed') and not has_lapsed(o, at)
        and is_same_wish(o, c.contact_name, c.another)
      order by o.created_at, o.booking_id limit 1;
    if found_id is null then
      select coalesce(jsonb_agg(o.reference order by o.created_at, o.booking_id) filter (where not has_lapsed(o, at)), '[]'),
          coalesce(jsonb_agg(o.booking_id) filter (where has_lapsed(o, at)), '[]')
        into alike, lapsed from (
          select * from booking where retry_key = c.retry_key and status in ('held', 'confirmed')
          order by created_at, booking_id limit max_others) o;
      return jsonb_build_object('outcome', 'none', 'alike', alike, 'lapsed', lapsed);
    end if;
    perform remember_booking(c, found_id, at);
    select coalesce(e.result_id, found_id), e.same into found_id, is_same
      from (select) one left join
        earlier_result(c.key_id, 'create_booking', c.idempotency_key, c.fingerprint, c.folded) e on true;
  end if;
  if not is_same then
    return '{"outcome": "conflict"}';
  end if;
  return jsonb_build_object('outcome', 'already_there', 'booking_id', found_id,
    'others', other_bookings(c.retry_key, c.key_id, c.contact_email, found_id, at, max_others));
end $$;

create function earlier_booking(call jsonb, at timestamptz, max_others int) returns jsonb language sql volatile as
  $$ select earlier_booking(booking_call_of(call), at, max_others) $$;

-- The limit that a guest's next booking would exceed, as a result of `make_booking`; null: none. Counts unpaid bookings
-- of the key, and of all guests of the address, host and playroom, after removing rows that no longer count. Locks
-- serialize guests who share one of these, until the caller's transaction ends.
create function guest_limit(of_key text, guest jsonb, of_playroom text, limits jsonb, at timestamptz) returns jsonb
language plpgsql volatile as $$
declare
  of_address text := guest ->> 'address';
  of_host text := guest ->> 'host';
  exceeded text;
begin
  perform pg_advisory_xact_lock(hashtextextended('guest address ' || of_address, 0));
  perform pg_advisory_xact_lock(hashtextextended('guest host ' || of_host, 0));
  perform pg_advisory_xact_lock(hashtextextended('guest playroom ' || of_playroom, 0));
  delete from guest_booking where booking_id in (
    select g.booking_id from guest_booking g join booking b using (booking_id)
    where (g.address = of_address or g.host = of_host or g.playroom_id = of_playroom) and not is_unpaid(b, at)
    for update of g skip locked);
  select case
      when count(*) filter (where g.key_id = of_key) >= (limits ->> 'guest')::int then 'guest'
      when count(*) filter (where g.address = of_address) >= (limits ->> 'guest_address')::int then 'guest_address'
      when count(*) filter (where g.host = of_host) >= (limits ->> 'guest_host')::int then 'guest_host'
      when count(*) filter (where g.playroom_id = of_playroom) >= (limits ->> 'guest_playroom')::int then 'guest_playroom'
    end into exceeded
    from guest_booking g join booking b using (booking_id)
    where (g.address = of_address or g.host = of_host or g.playroom_id = of_playroom) and is_unpaid(b, at);
  return case when exceeded is not null then
    jsonb_build_object('outcome', 'too_many', 'per', exceeded, 'limit', (limits ->> exceeded)::int) end;
end $$;

-- Writes a booking with its places in one call. The caller decided by a read without locks; this checks the decision
-- under locks. Each statement of a function has a new snapshot, so a read after a lock sees all earlier commits.
--
-- wanted: a row of `booking`, without `retry_key` and `another`. call: see `booking_call`.
-- places: rows for occupancy: resource_id, units, starts, ends, and `of`, the resource's units when it was read.
-- limits: by what is counted, the maximum of live holds (`key`, `email`) and of guests' unpaid bookings (`guest`,
-- `guest_address`, `guest_host`, `guest_playroom`); `in_flight`, an upper bound on holds being made at once.
-- guest: null, or the guest's network `address` and `host`.
-- guarded: false only in tests that show why the locks are needed.
-- decided: the `version` of the catalogue, read `at` one instant by the caller's clock and `database_at` by the
-- database's; and `until`, when time alone changes the decision (milliseconds since 1970).
-- max_others: limit on the person's other bookings in the result.
--
-- Returns `outcome`: `made`, with `others`. If nothing was written: `already_there` or `conflict` (see
-- `earlier_booking`); `too_many`, with the `limit` and what it is `per`; `catalogue_changed`; or `lost_race`: places
-- were taken, `until` passed during the wait for locks, or `lapsed` holds must be released first.
create function make_booking(
  wanted jsonb, call jsonb, places jsonb, limits jsonb, guest jsonb, guarded boolean, decided jsonb, max_others int)
returns jsonb language plpgsql volatile as $$
declare
  b booking := jsonb_populate_record(null::booking, wanted);
  c booking_call := booking_call_of(call);
  before jsonb;
  full_of jsonb;
  held int := 0;
  others jsonb := '[]';
begin
  b.retry_key := c.retry_key;
  b.another := c.another;
  perform lock_holds_of_email(b.contact_email);
  before := earlier_booking(c, b.created_at, max_others);
  if before ->> 'outcome' <> 'none' then
    return before;
  end if;
  if before -> 'lapsed' <> '[]' then
    return jsonb_build_object('outcome', 'lost_race', 'lapsed', before -> 'lapsed');
  end if;

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
    select count(*) into held from booking o
      where folded(o.contact_email) = folded(b.contact_email) and hold_runs(o, b.created_at);
    if held >= (limits ->> 'email')::int then
      return jsonb_build_object('outcome', 'too_many', 'per', 'email', 'limit', limits -> 'email');
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
    full_of := guest_limit(b.key_id, guest, b.playroom_id, limits, b.created_at);
    if full_of is not null then
      return full_of;
    end if;
  end if;
  -- Most people have no other booking, so most calls skip this query.
  if before -> 'alike' <> '[]' or held > 0 then
    others := other_bookings(b.retry_key, b.key_id, b.contact_email, b.booking_id, b.created_at, max_others);
  end if;
  insert into booking select b.*;
  insert into booking_history (booking_id, operator_id, at, event, to_status, to_payment_status)
    values (b.booking_id, b.operator_id, b.created_at, b.status, b.status, b.payment_status);
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
