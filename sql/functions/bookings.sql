-- Bookings: where a hold stands, and making a booking with its places in one call.
--
-- What a booking calls is plpgsql, unless it becomes a part of the statement that calls it: a function of SQL is planned
-- anew in each transaction, which took two fifths of the database's time for a booking.

-- domain/booking/Lifecycle.ts has the next three functions, too; a test compares them.
--
-- Whether a hold's time is still running. The limits on holds depend only on this.
create or replace function hold_runs(b booking, at timestamptz) returns boolean language sql immutable parallel safe
return b.status = 'held' and b.hold_expires_at > at;

-- Whether a hold's time is over and no payment is being processed. If its payment page may still be paid, ask the
-- provider first.
create or replace function hold_may_end(b booking, at timestamptz) returns boolean language sql immutable parallel safe
return b.status = 'held' and b.hold_expires_at <= at and b.payment_status <> 'processing';

-- Whether a hold is over and no payment can arrive. Its places count as free, even if not released yet.
create or replace function has_lapsed(b booking, at timestamptz) returns boolean language sql immutable parallel safe
return hold_may_end(b, at) and not b.awaiting_provider;

-- Whether a booking takes places without any payment: a running hold, or an unpaid visit that is not over.
create or replace function is_unpaid(b booking, at timestamptz) returns boolean language sql immutable parallel safe
return b.status = 'held' and not has_lapsed(b, at) or b.status = 'confirmed' and b.paid = 0 and b.starts_at > at;

-- A digest that can stand in an address.
create or replace function digest_of(input text) returns text language plpgsql immutable parallel safe as $$
begin
  return rtrim(translate(encode(sha256(convert_to(input, 'UTF8')), 'base64'), '+/', '-_'), '=');
end $$;

-- `booking.retry_key`: a digest of API key, option and e-mail address. Null without an address: a walk-in is nobody that
-- another call could repeat.
create or replace function retry_key_of(of_key text, option_id text, email text)
  returns text language sql stable parallel safe as
  $$ select case when email <> '' then
      digest_of('[' || to_json(of_key) || ',' || to_json(option_id) || ',' || to_json(folded(email)) || ']') end $$;

-- A digest of a name and an e-mail address, as they are compared (`former_contact`).
create or replace function contact_digest(name text, email text)
  returns text language sql stable parallel safe as
  $$ select digest_of('[' || to_json(folded(name)) || ',' || to_json(folded(email)) || ']') $$;

-- A call of `create_booking` as it is compared (`booking_call`).
create or replace function booking_call_of(call jsonb) returns booking_call language plpgsql stable as $$
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

-- Whether two calls of `create_booking` ask for one booking: the same name and, if another one is wanted, the same
-- call. Both have the same `retry_key`. `wanted_another`: the `another` of the new call.
create or replace function is_same_wish(b booking, name text, wanted_another text) returns boolean
language sql immutable parallel safe as
  $$ select folded(b.contact_name) = folded(name) and
    (wanted_another is null or b.another is not distinct from wanted_another) $$;

-- The result of an earlier call with this idempotency key, if any. `same`: its arguments were the same, in the caller's
-- own spelling or as they are compared.
create or replace function earlier_result(of_key text, of_operation text, of_idempotency_key text,
  of_fingerprint bytea, of_folded bytea)
returns table (result_id text, same boolean) language sql stable as
  $$ select i.result_id, i.fingerprint = of_fingerprint or coalesce(i.folded = of_folded, false) from idempotency i
    where i.key_id = of_key and i.operation = of_operation and i.idempotency_key = of_idempotency_key $$;

-- Stores the booking that an idempotency key stands for, unless another call with this key was faster.
create or replace function remember_booking(c booking_call, of_booking text, at timestamptz)
  returns void language sql volatile as
  $$ insert into idempotency (key_id, operation, idempotency_key, fingerprint, folded, result_id, created_at)
    select c.key_id, 'create_booking', c.idempotency_key, c.fingerprint, c.folded, of_booking, at
    where c.idempotency_key is not null on conflict do nothing $$;

-- Serialises the holds of an e-mail address, or of a key, until the transaction ends. Those without an address are of
-- different people.
create or replace function lock_holds_of_email(email text) returns void language plpgsql volatile as $$
begin
  if email <> '' then
    perform pg_advisory_xact_lock(hashtextextended('email ' || folded(email), 7245301));
  end if;
end $$;

create or replace function lock_holds_of_key(key_id text) returns void language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('key ' || key_id, 7245301));
end $$;

-- The person's other live bookings under the key: those that start on a day (`others`: its `from` and `to`; absent: of no
-- day), and those of the same `name` that were made within 24 hours. At most `most` of them, latest first. Of bookings under other
-- names only that there are holds. Neither ids nor references: another family may share the key, and who knows an
-- e-mail address may not see a booking.
create or replace function other_bookings(of_key text, of_email text, except_booking text, others jsonb, at timestamptz)
  returns jsonb
language plpgsql stable as $$
declare
  day_from timestamptz := (others ->> 'from')::timestamptz;
  day_to timestamptz := (others ->> 'to')::timestamptz;
  -- With their collation named, or a caller whose key has "C" (as booking.key_id) could use no index of addresses.
  of_person text collate "default" := folded(of_email);
  of_name text collate "default" := folded(others ->> 'name');
  most int := (others ->> 'most')::int;
begin
  return (select coalesce(jsonb_agg(jsonb_build_object('status', status, 'playroom_name', terms ->> 'playroom_name',
        'starts_at', (extract(epoch from starts_at) * 1000)::bigint, 'time_zone', terms ->> 'time_zone')
      order by that_day desc, created_at desc, booking_id) filter (where of_this_name), '[]')
      || case when coalesce(bool_and(of_this_name), true) then '[]' else '[{"other_name": true}]'::jsonb end
    from (
      select *, coalesce(starts_at >= day_from and starts_at < day_to, false) as that_day from (
        (select booking_id, status, starts_at, terms, created_at, folded(o.contact_name) = of_name as of_this_name
          from booking o
          where o.key_id = of_key and folded(o.contact_email) = of_person and o.status in ('held', 'confirmed')
            and o.starts_at >= day_from and o.starts_at < day_to
            and (o.status = 'confirmed' or hold_runs(o, at)) and o.booking_id <> except_booking
          order by of_this_name desc, o.created_at desc limit most)
        union
        (select booking_id, status, starts_at, terms, created_at, true from booking o
          where o.key_id = of_key and folded(o.contact_email) = of_person and folded(o.contact_name) = of_name
            and o.status in ('held', 'confirmed') and o.created_at > at - interval '24 hours'
            and (hold_runs(o, at) or o.status = 'confirmed' and o.starts_at > at) and o.booking_id <> except_booking
          order by o.created_at desc limit most)
        union
        (select booking_id, status, starts_at, terms, created_at, false from booking o
          where folded(o.contact_email) = of_person and hold_runs(o, at) and o.key_id || '' = of_key
            and folded(o.contact_name) <> of_name and o.created_at > at - interval '24 hours'
              and o.booking_id <> except_booking
          order by o.created_at desc limit most)) either
      order by of_this_name desc, that_day desc, created_at desc, booking_id limit most) latest);
end $$;

-- The live booking of a wish whose name or e-mail address was corrected since. Whoever looks for the wish by its
-- contact looks here afterwards: a correction that is committed in between is found in one of both.
create or replace function corrected_booking(c booking_call, at timestamptz) returns text
language plpgsql stable as $$
begin
  return (select o.booking_id from former_contact f join booking o on o.booking_id = f.booking_id
    where f.contact = contact_digest(c.contact_name, c.contact_email) and o.key_id = c.key_id
      and retry_key_of(o.key_id, o.option_id, c.contact_email) = c.retry_key
      and o.status in ('held', 'confirmed') and not has_lapsed(o, at)
      and (c.another is null or o.another is not distinct from c.another)
    order by o.created_at, o.booking_id limit 1);
end $$;

-- The booking that an equal, earlier call made. A call with the same idempotency key gets its booking, live or not. A
-- call with the same API key, option, e-mail address and name gets its booking while that is live, also if name or
-- address were corrected since.
--
-- Returns `outcome`: `already_there`, with `booking_id` and `others`; `conflict`: the idempotency key was used with
-- other arguments; or `none`, with `alike`: how many live bookings have the same option and e-mail address; `lapsed`:
-- such bookings that must be released before the same can be booked again; `is_known`: whether the person has any live
-- booking under the key. Who has none needs no further look: that saves most calls four queries.
create or replace function earlier_booking(c booking_call, at timestamptz, others jsonb) returns jsonb
language plpgsql volatile as $$
declare
  found_id text;
  is_same boolean;
  is_known boolean;
  alike int;
  lapsed jsonb;
  -- With its collation named, see `other_bookings`.
  of_person text collate "default" := folded(c.contact_email);
begin
  select e.result_id, e.same into found_id, is_same
    from earlier_result(c.key_id, 'create_booking', c.idempotency_key, c.fingerprint, c.folded) e;
  if found_id is null then
    is_known := c.contact_email <> '' and exists (
      select from booking o where o.key_id = c.key_id and folded(o.contact_email) = of_person
        and o.status in ('held', 'confirmed'));
    if is_known then
      select o.booking_id into found_id from booking o
        where o.retry_key = c.retry_key and o.status in ('held', 'confirmed') and not has_lapsed(o, at)
          and is_same_wish(o, c.contact_name, c.another)
        order by o.created_at, o.booking_id limit 1;
    end if;
    found_id := coalesce(found_id, corrected_booking(c, at));
    if found_id is null and not is_known then
      return '{"outcome": "none", "alike": 0, "lapsed": [], "is_known": false}';
    end if;
    if found_id is null then
      select count(*) filter (where not has_lapsed(o, at)),
          coalesce(jsonb_agg(o.booking_id) filter (where has_lapsed(o, at)), '[]')
        into alike, lapsed from (
          select * from booking where retry_key = c.retry_key and status in ('held', 'confirmed')
          order by created_at, booking_id limit (others ->> 'most')::int) o;
      return jsonb_build_object('outcome', 'none', 'alike', alike, 'lapsed', lapsed, 'is_known', true);
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
    'others', other_bookings(c.key_id, c.contact_email, found_id, others, at));
end $$;

-- The live booking of another guest with the option, e-mail address and name of a guest's call, now or before a
-- correction, as a result of `make_booking`; null: none, or another one is wanted. `already_booked` tells no more than that there is one. A guest
-- who joined the booking gets it, as if it were the guest's own: `already_there`.
create or replace function wish_of_another_guest(c booking_call, of_option text, others jsonb, at timestamptz)
  returns jsonb
language plpgsql stable as $$
declare
  theirs record;
begin
  if c.another is not null then
    return null;
  end if;
  select o.booking_id, exists (select from booking_guest g
      where g.key_id = c.key_id and g.booking_id = o.booking_id and g.may_change) as joined
    into theirs from booking o
    where o.by_guest and o.status in ('held', 'confirmed')
      and o.booking_id in (
        select s.booking_id from booking s
          where s.by_guest and s.status in ('held', 'confirmed') and folded(s.contact_email) = folded(c.contact_email)
            and s.option_id = of_option and is_same_wish(s, c.contact_name, null)
        union all select f.booking_id from former_contact f
          where f.contact = contact_digest(c.contact_name, c.contact_email))
      and o.option_id = of_option and o.key_id <> c.key_id and not has_lapsed(o, at)
    order by joined desc, o.created_at limit 1;
  return case
    when theirs.booking_id is null then null
    when theirs.joined then jsonb_build_object('outcome', 'already_there', 'booking_id', theirs.booking_id,
      'others', other_bookings(c.key_id, c.contact_email, theirs.booking_id, others, at))
    else '{"outcome": "already_booked"}' end;
end $$;

-- The same for a call that can't make a booking. `guest`: null, or the guest's network address: then also
-- `already_booked` (see `wish_of_another_guest`). Such a look costs a guest nothing, so after `most` that found
-- none within an hour nobody at that address or in its network is told of one; what else is answered stays the
-- same.
create or replace function earlier_booking(call jsonb, at timestamptz, others jsonb, guest text, most int) returns jsonb
language plpgsql volatile as $$
declare
  c booking_call := booking_call_of(call);
  before jsonb := earlier_booking(c, at, others);
  theirs jsonb;
begin
  if guest is null or c.another is not null or before ->> 'outcome' <> 'none' then
    return before;
  end if;
  theirs := wish_of_another_guest(c, call -> 'arguments' ->> 'option_id', others, at);
  if theirs ->> 'outcome' = 'already_there' then
    return theirs;
  end if;
  if guest_lookup_again_at(guest, 'wish', most, at) is not null then
    return before;
  end if;
  if theirs is null then
    perform note_failed_guest_lookup(guest, 'wish', at);
  end if;
  return coalesce(theirs, before);
end $$;

-- How many bookings of an operator have a code for a lower price, counted up to `most`. A booking that ended gives its
-- use back, and so does a hold that has lapsed.
create or replace function code_uses(of_operator text, of_code text, most int, at timestamptz) returns int
language sql stable parallel safe as
  $$ select count(*)::int from (select from booking o
      where o.operator_id = of_operator and o.terms -> 'code' ->> 'code' = of_code
        and o.status in ('held', 'confirmed') and not has_lapsed(o, at)
      limit most) counted $$;

-- Why a booking can't have the code of its terms: `used_up`, or `not_first`, if the person has a confirmed booking at the
-- operator, or a hold with a code. Null: it can, or has none. Whoever asks for a code of the operator waits until the
-- transaction ends, so that nobody counts past another. It is the last lock, so that it is held shortly.
--
-- That a person has booked is told to a guest by few refusals: after `most` within an hour, nobody in the guest's
-- network gets such a code.
create or replace function code_refusal(b booking, guest text, most int) returns text language plpgsql volatile as $$
declare
  code jsonb := b.terms -> 'code';
  max_uses int := (code ->> 'max_uses')::int;
  at timestamptz := b.created_at;
  of_person text collate "default" := folded(b.contact_email);
  of_phone text collate "default" := telling_digits(b.contact_phone);
  is_first boolean;
begin
  if max_uses is null and not coalesce((code ->> 'first_booking')::boolean, false) then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('codes ' || b.operator_id, 7245301));
  if code_uses(b.operator_id, code ->> 'code', max_uses, at) >= max_uses then
    return 'used_up';
  end if;
  if not coalesce((code ->> 'first_booking')::boolean, false) then
    return null;
  end if;
  if guest is not null and guest_lookup_again_at(guest, 'code', most, at) is not null then
    return 'not_first';
  end if;
  is_first := not exists (select from booking o
      where o.operator_id = b.operator_id and o.status in ('held', 'confirmed') and b.contact_email <> ''
        and folded(o.contact_email) = of_person
        and (o.status = 'confirmed' or o.terms ? 'code' and not has_lapsed(o, at)))
    and not exists (select from booking o
      where o.operator_id = b.operator_id and o.status in ('held', 'confirmed')
        and telling_digits(o.contact_phone) = of_phone
        and (o.status = 'confirmed' or o.terms ? 'code' and not has_lapsed(o, at)));
  if is_first then
    return null;
  end if;
  if guest is not null then
    perform note_failed_guest_lookup(guest, 'code', at);
  end if;
  return 'not_first';
end $$;

-- Writes a booking with its places in one call. The caller decided by a read without locks; this checks the decision
-- under locks. Each statement of a function has a new snapshot, so a read after a lock sees all earlier commits.
--
-- wanted: a row of `booking`, without `retry_key` and `another`. call: see `booking_call`; `done_by`: who at the venue
-- made it, if anybody did.
-- places: rows for occupancy: resource_id, units, starts, ends, and `of`, the resource's units when it was read.
-- limits: by what is counted, the maximum of live holds (`key`; `email`: of one address under the key) and of guests'
-- unpaid bookings (see `guest_limit`); `in_flight`, an upper bound on holds being made at once.
-- guest: null, or the guest (see `guest_limit`).
-- guarded: false only in tests that show why the locks are needed.
-- decided: the `version` of the catalogue, read `at` one instant by the caller's clock and `database_at` by the
-- database's; and `until`, when time alone changes the decision (milliseconds since 1970).
-- others: see `other_bookings`.
--
-- Returns `outcome`: `made`, with `others`. If nothing was written: `already_there` or `conflict` (see
-- `earlier_booking`); `already_booked` (see `wish_of_another_guest`); `too_many`, with the `limit` and what it is
-- `per`; `code_refused`, with `why` (see `code_refusal`); `catalogue_changed`; or `lost_race`: places were taken, `until` passed during the wait for locks, or `lapsed`
-- holds must be released first; `waited_for`: families who wait come first.
create or replace function make_booking(
  wanted jsonb, call jsonb, places jsonb, limits jsonb, guest jsonb, guarded boolean, decided jsonb, others jsonb)
returns jsonb language plpgsql volatile as $$
declare
  b booking := jsonb_populate_record(null::booking, wanted);
  c booking_call := booking_call_of(call);
  before jsonb;
  is_known boolean;
  held int := 0;
  why text;
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
        where folded(o.contact_email) = folded(b.contact_email) and hold_runs(o, b.created_at)
          and o.key_id || '' = b.key_id;
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

  -- Places that came back go to who waits for them first (the key is the playroom's), unless the venue itself books. A
  -- node offers them within seconds; if none does, they are anybody's.
  if b.key_id not in (b.playroom_id, b.operator_id) and exists (
    select from waiting w join jsonb_to_recordset(places) p(starts timestamptz, ends timestamptz)
        on w.claimed && tstzrange(p.starts, p.ends)
      where w.playroom_id = b.playroom_id and w.came_back_at > clock_timestamp() - interval '30 seconds') then
    return '{"outcome": "lost_race", "lapsed": [], "waited_for": true}';
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
  why := code_refusal(b, guest ->> 'address', (limits ->> 'lookups')::int);
  if why is not null then
    return jsonb_build_object('outcome', 'code_refused', 'why', why);
  end if;
  others := case when is_known then other_bookings(b.key_id, b.contact_email, b.booking_id, others, b.created_at)
    else '[]' end;
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

-- Erases the parts of a history's line together with its words.
create or replace function erase_history_facts() returns trigger language plpgsql as $$
begin
  new.facts := null;
  return new;
end $$;

create or replace trigger erase_history_facts before update of detail on booking_history
  for each row when (new.detail is null) execute function erase_history_facts();
