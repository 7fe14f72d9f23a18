-- What a caller learns of bookings behind a key that serves many families: a reference opens a booking only together
-- with the e-mail address, and a guest's wish is compared with those of other guests. Nodes of the release before call
-- `make_booking` and `earlier_booking` with an int as the last argument: these, `other_bookings` of six arguments and the
-- index booking_held_by_email of all keys go with the release after this one.

-- Another booking of the same e-mail address on the same day, and how many of its holds there are.
create index booking_live_by_person on booking (key_id, folded(contact_email), starts_at) where status in ('held', 'confirmed');
create index booking_of_guests on booking (folded(contact_email), option_id) where by_guest and status in ('held', 'confirmed');

-- Look-ups that found nothing, in an hour from the first. `sender`: an API key's id, or a guest's id or network address.
-- `about`: what was looked for, as a digest. Unlogged: after a crash everybody begins anew.
create unlogged table failed_lookup (
  sender text collate "C" not null,
  about text collate "C" not null,
  failures int not null,
  since timestamptz not null,
  primary key (sender, about)
);
create index failed_lookup_since on failed_lookup (since);

-- When a sender may look for this again after `most` failures within an hour; null: now. Calls of one sender about one
-- thing wait for each other until the caller's transaction ends, so that concurrent ones don't all pass.
create function lookup_again_at(of_sender text, of_about text, most int, at timestamptz) returns timestamptz
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('lookup ' || of_sender || ' ' || of_about, 7245302));
  return (select f.since + interval '1 hour' from failed_lookup f
    where f.sender = of_sender and f.about = of_about and f.failures >= most and f.since > at - interval '1 hour');
end $$;

create function note_failed_lookup(of_sender text, of_about text, at timestamptz) returns void language sql volatile as
  $$ insert into failed_lookup as f (sender, about, failures, since) values (of_sender, of_about, 1, at)
    on conflict (sender, about) do update set
      failures = case when f.since > at - interval '1 hour' then f.failures + 1 else 1 end,
      since = case when f.since > at - interval '1 hour' then f.since else at end $$;

-- Finds a booking by its reference and e-mail address. A key finds those that it made; a guest also finds those of other
-- guests, and reaches them from then on (`booking_guest`). `caller`: `key_id`, the `operator_id` that the key is bound
-- to, and a guest's network address, `guest`. After `most` failures of a key with one reference within an hour, nothing
-- is looked for; of a guest also after as many with any reference, and those of the guest's network address count
-- together.
--
-- Returns `outcome`: `found`, with `booking_id`; `not_found`; or `too_many`, with `again_at` in milliseconds.
create function find_booking(of_reference text, of_email text, caller jsonb, most int, at timestamptz) returns jsonb
language plpgsql volatile as $$
declare
  of_key text := caller ->> 'key_id';
  of_operator text := caller ->> 'operator_id';
  is_guest boolean := caller ->> 'guest' is not null;
  sender text := coalesce('address ' || (caller ->> 'guest'), of_key);
  about text := digest_of('reference ' || of_reference);
  again_at timestamptz := lookup_again_at(sender, about, most, at);
  found_id text;
begin
  if is_guest then
    again_at := greatest(again_at, lookup_again_at(of_key, 'reference', most, at));
  end if;
  if again_at is not null then
    return jsonb_build_object('outcome', 'too_many', 'again_at', (extract(epoch from again_at) * 1000)::bigint);
  end if;
  select b.booking_id into found_id from booking b
    where b.reference = of_reference and folded(b.contact_email) = folded(of_email)
      and (of_operator is null or b.operator_id = of_operator)
      and (b.key_id = of_key
        or is_guest and (b.by_guest and b.erased_at is null
          or exists (select from booking_guest g where g.booking_id = b.booking_id and g.key_id = of_key)));
  if found_id is null then
    perform note_failed_lookup(sender, about, at);
    if is_guest then
      perform note_failed_lookup(of_key, 'reference', at);
    end if;
    return '{"outcome": "not_found"}';
  end if;
  if is_guest then
    insert into booking_guest (key_id, booking_id, may_change, created_at)
      select of_key, b.booking_id, false, at from booking b where b.booking_id = found_id and b.key_id <> of_key
      on conflict do nothing;
  end if;
  return jsonb_build_object('outcome', 'found', 'booking_id', found_id);
end $$;

-- The person's other live bookings under the key: holds, and those that start on the same day (`others`: its `from` and
-- `to`). At most `most` of them, latest first. Neither ids nor references: another family may share the key, and who
-- knows an e-mail address may not see a booking.
create function other_bookings(of_key text, of_email text, except_booking text, others jsonb, at timestamptz) returns jsonb
language plpgsql stable as $$
begin
  return (select coalesce(jsonb_agg(jsonb_build_object('status', status, 'playroom_name', terms ->> 'playroom_name',
        'starts_at', (extract(epoch from starts_at) * 1000)::bigint, 'time_zone', terms ->> 'time_zone')
      order by created_at desc, booking_id), '[]')
    from (
      select * from (
        (select booking_id, status, starts_at, terms, created_at from booking o
          where o.key_id = of_key and folded(o.contact_email) = folded(of_email) and o.status in ('held', 'confirmed')
            and o.starts_at >= (others ->> 'from')::timestamptz and o.starts_at < (others ->> 'to')::timestamptz
            and (o.status = 'confirmed' or hold_runs(o, at)) and o.booking_id <> except_booking
          order by o.created_at desc limit (others ->> 'most')::int)
        union
        (select booking_id, status, starts_at, terms, created_at from booking o
          where folded(o.contact_email) = folded(of_email) and hold_runs(o, at) and o.key_id = of_key
            and o.booking_id <> except_booking
          order by o.created_at desc limit (others ->> 'most')::int)) either
      order by created_at desc, booking_id limit (others ->> 'most')::int) latest);
end $$;

-- The live booking of another guest with the option, e-mail address and name of a guest's call, as a result of
-- `make_booking`; null: none, or another one is wanted. `already_booked` tells no more than that there is one. A guest
-- who joined the booking gets it, as if it were the guest's own: `already_there`.
create function wish_of_another_guest(c booking_call, of_option text, others jsonb, at timestamptz) returns jsonb
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
    where o.by_guest and o.status in ('held', 'confirmed') and folded(o.contact_email) = folded(c.contact_email)
      and o.option_id = of_option and o.key_id <> c.key_id and not has_lapsed(o, at) and is_same_wish(o, c.contact_name, null)
    order by joined desc, o.created_at limit 1;
  return case
    when theirs.booking_id is null then null
    when theirs.joined then jsonb_build_object('outcome', 'already_there', 'booking_id', theirs.booking_id,
      'others', other_bookings(c.key_id, c.contact_email, theirs.booking_id, others, at))
    else '{"outcome": "already_booked"}' end;
end $$;

-- The booking that an equal, earlier call made. A call with the same idempotency key gets its booking, live or not. A
-- call with the same API key, option, e-mail address and name gets its booking while that is live.
--
-- Returns `outcome`: `already_there`, with `booking_id` and `others`; `conflict`: the idempotency key was used with
-- other arguments; or `none`, with `alike`: how many live bookings have the same option and e-mail address.
-- `lapsed`: such bookings that must be released before the same can be booked again.
create function earlier_booking(c booking_call, at timestamptz, others jsonb) returns jsonb
language plpgsql volatile as $$
declare
  found_id text;
  is_same boolean;
  alike int;
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
      select count(*) filter (where not has_lapsed(o, at)),
          coalesce(jsonb_agg(o.booking_id) filter (where has_lapsed(o, at)), '[]')
        into alike, lapsed from (
          select * from booking where retry_key = c.retry_key and status in ('held', 'confirmed')
          order by created_at, booking_id limit (others ->> 'most')::int) o;
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
    'others', other_bookings(c.key_id, c.contact_email, found_id, others, at));
end $$;

-- The same for a call that can't make a booking. `guest`: null, or the guest's network address: then also `already_booked`
-- (see `wish_of_another_guest`). Such a look costs a guest nothing, so after `most` that found none within an hour
-- nobody at that address is told of one; what else is answered stays the same.
create function earlier_booking(call jsonb, at timestamptz, others jsonb, guest text, most int) returns jsonb
language plpgsql volatile as $$
declare
  c booking_call := booking_call_of(call);
  sender text := 'address ' || guest;
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
  if lookup_again_at(sender, 'wish', most, at) is not null then
    return before;
  end if;
  if theirs is null then
    perform note_failed_lookup(sender, 'wish', at);
  end if;
  return coalesce(theirs, before);
end $$;

-- Writes a booking with its places in one call. The caller decided by a read without locks; this checks the decision
-- under locks. Each statement of a function has a new snapshot, so a read after a lock sees all earlier commits.
--
-- wanted: a row of `booking`, without `retry_key` and `another`. call: see `booking_call`.
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
-- `earlier_booking`); `already_booked` (see `wish_of_another_guest`); `too_many`, with the `limit` and what it is `per`;
-- `catalogue_changed`; or `lost_race`: places were taken, `until` passed during the wait for locks, or `lapsed` holds
-- must be released first.
create function make_booking(
  wanted jsonb, call jsonb, places jsonb, limits jsonb, guest jsonb, guarded boolean, decided jsonb, others jsonb)
returns jsonb language plpgsql volatile as $$
declare
  b booking := jsonb_populate_record(null::booking, wanted);
  c booking_call := booking_call_of(call);
  before jsonb;
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
    select count(*) into held from booking o
      where folded(o.contact_email) = folded(b.contact_email) and hold_runs(o, b.created_at) and o.key_id || '' = b.key_id;
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
    before := wish_of_another_guest(c, b.option_id, others, b.created_at);
    -- Told last: who only guesses at the wishes of others makes bookings, and these are limited.
    if before ->> 'outcome' = 'already_booked' or before is null then
      before := coalesce(guest_limit(b.key_id, guest, b.playroom_id, limits, b.created_at), before);
    end if;
    if before is not null then
      return before;
    end if;
  end if;
  -- Most people have no other booking, so most calls skip this query.
  others := case
    when held > 0 or exists (select from booking o
        where o.key_id = b.key_id and folded(o.contact_email) = folded(b.contact_email) and o.status in ('held', 'confirmed')
          and o.starts_at >= (others ->> 'from')::timestamptz and o.starts_at < (others ->> 'to')::timestamptz)
      then other_bookings(b.key_id, b.contact_email, b.booking_id, others, b.created_at)
    else '[]' end;
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
