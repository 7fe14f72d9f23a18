-- Bookings, and the one constraint that refuses every double sale.
create table booking (
  booking_id text collate "C" primary key check (booking_id like 'booking\_%'),
  reference text collate "C" not null unique check (reference ~ '^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$'),
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  package_id text collate "C" not null references package,
  key_id text collate "C" not null,
  option_id text not null,
  status text not null check (status in ('held', 'confirmed', 'expired', 'cancelled')),
  payment_status text not null check (payment_status in ('not_required', 'unpaid', 'processing', 'deposit_paid',
    'paid', 'failed', 'refund_pending', 'refunded', 'partially_refunded')),
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  children int not null check (children >= 1),
  adults int not null check (adults >= 0),
  contact_name text not null,
  contact_email text not null,
  contact_phone text,
  child_ages int[] not null default '{}',
  notes text,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  total int not null check (total >= 0),
  due_now int not null check (due_now between 0 and total),
  paid int not null default 0 check (paid >= 0),
  refunded int not null default 0 check (refunded between 0 and paid),
  -- A snapshot of the agreed terms (booking/Booking.ts). Later catalogue edits do not change it.
  terms jsonb not null check (jsonb_typeof(terms) = 'object'),
  -- A digest of API key, option and e-mail address. See the index booking_repeated.
  retry_key text,
  -- A digest of the call that asked for another booking of the same option, e-mail address and name; null: none did.
  another text,
  hold_expires_at timestamptz,
  -- A payment session is live: ask the provider before the hold ends.
  awaiting_provider boolean not null default false,
  -- Why a person has to look: money moved and a status could not change (`playroom doctor`).
  flagged text,
  -- How often the link to the family's page was renewed. Each renewal ends the earlier links. Null: never.
  link_counter int check (link_counter > 0),
  -- When the person's data was erased (booking/ErasedPerson.ts).
  erased_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((status = 'held') = (hold_expires_at is not null)),
  check (status <> 'confirmed' or payment_status in
    ('not_required', 'deposit_paid', 'paid', 'refund_pending', 'refunded', 'partially_refunded')),
  check ((payment_status = 'not_required') <= (due_now = 0))
);
create index booking_held on booking (hold_expires_at) where status = 'held' and payment_status <> 'processing';

-- For counting the live holds of a key or of an e-mail address.
create index booking_live_by_key on booking (key_id, hold_expires_at) where status = 'held';
create index booking_live_by_email on booking (lower(contact_email), hold_expires_at) where status = 'held';
create index booking_playroom on booking (playroom_id, starts_at);

-- An operator's visits of a day. Most rows are expired holds, which are not shown.
create index booking_operator_day on booking (operator_id, starts_at) where status <> 'expired';
create index booking_flagged on booking (created_at) where flagged is not null;

-- When a booking was over, for the retention of personal data.
create index booking_over on booking ((case when status = 'confirmed' then ends_at else updated_at end), booking_id)
  where erased_at is null and status <> 'held';

-- booking/Lifecycle.ts has the next three functions, too; a test compares them.
--
-- Whether a hold's time is still running. The limits on holds depend only on this.
create function hold_runs(b booking, at timestamptz) returns boolean language sql immutable parallel safe
return b.status = 'held' and b.hold_expires_at > at;

-- Whether a hold's time is over and no payment is being processed. If its payment page may still be paid, ask the
-- provider first.
create function hold_may_end(b booking, at timestamptz) returns boolean language sql immutable parallel safe
return b.status = 'held' and b.hold_expires_at <= at and b.payment_status <> 'processing';

-- Whether a hold is over and no payment can arrive. Its places count as free, even if not released yet.
create function has_lapsed(b booking, at timestamptz) returns boolean language sql immutable parallel safe
return hold_may_end(b, at) and not b.awaiting_provider;

-- A name, ignoring case and spaces.
create function normalized_name(name text) returns text language sql immutable parallel safe as
  $$ select lower(regexp_replace(btrim(name), '\s+', ' ', 'g')) $$;

-- One request, one booking. While a booking is live, every call with the same API key, option, e-mail address and name
-- gets it, with any idempotency key.
create unique index booking_repeated on booking (retry_key, normalized_name(contact_name), coalesce(another, ''))
  where retry_key is not null and status in ('held', 'confirmed');

create table booking_history (
  booking_id text collate "C" not null references booking,
  operator_id text collate "C" not null,
  seq bigint generated always as identity,
  at timestamptz not null,
  event text not null,
  from_status text, to_status text,
  from_payment_status text, to_payment_status text,
  detail text,
  primary key (booking_id, seq)
);

-- The units of a resource that a booking or a closure takes, and when. Released units have no rows.
create table occupancy (
  resource_id text collate "C" not null references resource,
  operator_id text collate "C" not null,
  units int4multirange not null check (not isempty(units) and lower(units) >= 0),
  during tstzrange not null check (not isempty(during) and lower(during) is not null and upper(during) is not null),
  booking_id text collate "C" references booking,
  closure_id text collate "C" references closure,
  check (num_nonnulls(booking_id, closure_id) = 1),
  constraint occupancy_no_double_sale exclude using gist (resource_id with =, units with &&, during with &&)
);
create index occupancy_booking on occupancy (booking_id) where booking_id is not null;
create index occupancy_closure on occupancy (closure_id) where closure_id is not null;

-- The results of calls with an idempotency key. `fingerprint` is a SHA-256 of the arguments.
create table idempotency (
  key_id text collate "C" not null,
  operation text not null check (operation in ('create_booking', 'create_payment_session')),
  idempotency_key text collate "C" not null,
  fingerprint bytea not null check (length(fingerprint) = 32),
  result_id text collate "C" not null,
  created_at timestamptz not null,
  primary key (key_id, operation, idempotency_key)
);
create index idempotency_created on idempotency (created_at);

-- Guests' unpaid bookings. Rows that no longer count are removed by the next guest with the same address, host or
-- playroom, or by the retention.
create table guest_booking (
  booking_id text collate "C" primary key references booking on delete cascade,
  key_id text collate "C" not null,
  address text not null,
  host text not null,
  playroom_id text collate "C" not null
);
create index guest_booking_address on guest_booking (address);
create index guest_booking_host on guest_booking (host);
create index guest_booking_playroom on guest_booking (playroom_id);

-- Whether a booking takes places without any payment: a running hold, or an unpaid visit that is not over.
create function is_unpaid(b booking, at timestamptz) returns boolean language sql immutable parallel safe
return b.status = 'held' and not has_lapsed(b, at) or b.status = 'confirmed' and b.paid = 0 and b.starts_at > at;

-- Adds a guest's booking and counts the unpaid bookings of the key, and of all guests of its address, host and
-- playroom. First removes rows that no longer count, so the counts read few rows. Locks serialize guests who share one of these,
-- until the caller's transaction ends.
create function add_guest_booking(
  new_booking text, of_key text, of_address text, of_host text, of_playroom text, at timestamptz)
returns table (of_guest int, from_address int, through_host int, in_playroom int) language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('guest address ' || of_address, 0));
  perform pg_advisory_xact_lock(hashtextextended('guest host ' || of_host, 0));
  perform pg_advisory_xact_lock(hashtextextended('guest playroom ' || of_playroom, 0));
  delete from guest_booking where booking_id in (
    select g.booking_id from guest_booking g join booking b using (booking_id)
    where (g.address = of_address or g.host = of_host or g.playroom_id = of_playroom) and not is_unpaid(b, at)
    for update of g skip locked);
  insert into guest_booking (booking_id, key_id, address, host, playroom_id)
    values (new_booking, of_key, of_address, of_host, of_playroom) on conflict do nothing;
  return query
    select count(*) filter (where g.key_id = of_key)::int, count(*) filter (where g.address = of_address)::int,
      count(*) filter (where g.host = of_host)::int, count(*) filter (where g.playroom_id = of_playroom)::int
    from guest_booking g join booking b using (booking_id)
    where (g.address = of_address or g.host = of_host or g.playroom_id = of_playroom) and is_unpaid(b, at);
end $$;

-- Locks the count of holds of an e-mail address, or of a key, until the caller's transaction ends.
create function lock_holds_of_email(email text) returns void language sql volatile as
  $$ select pg_advisory_xact_lock(hashtextextended('email ' || lower(email), 7245301)) $$;

create function lock_holds_of_key(key_id text) returns void language sql volatile as
  $$ select pg_advisory_xact_lock(hashtextextended('key ' || key_id, 7245301)) $$;

-- The other live bookings of one person under one API key: bookings of the same option under another name or marked as
-- another one, and all holds of the e-mail address. The latest `most` of them.
create function other_bookings(
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
          where lower(o.contact_email) = lower(of_email) and hold_runs(o, at) and o.key_id = of_key
            and o.booking_id <> except_booking
          order by o.created_at desc limit most)) either
      order by created_at desc, booking_id limit most) latest);
end $$;

-- Writes a booking with its places in one call. The caller decided by a read without locks; this checks the decision
-- under locks. Each statement of a function has a new snapshot, so a read after a lock sees all earlier commits.
--
-- wanted: a row of `booking`. call: null, or the call's `idempotency_key` and `fingerprint` (hexadecimal).
-- places: rows for occupancy: resource_id, units, starts, ends, and `of`, the resource's units when it was read.
-- limits: `key` and `email`, the maximum live holds of each; `in_flight`, an upper bound on holds being made at once.
-- guarded: false only in tests that show why the locks are needed.
-- decided: the `version` of the catalogue, read `at` one instant by the caller's clock and `database_at` by the
-- database's; and `until`, when time alone changes the decision (milliseconds since 1970).
-- max_others: limit on the person's other bookings in the result.
--
-- Returns `outcome`: `made`, with `others`. If nothing was written: `already_there` (an equal request made one),
-- `key_full`, `email_full`, `catalogue_changed`, `too_late` (`until` passed during the wait for locks),
-- `places_taken`.
create function make_booking(
  wanted jsonb, call jsonb, places jsonb, limits jsonb, guarded boolean, decided jsonb, max_others int)
returns jsonb language plpgsql volatile as $$
declare
  b booking := jsonb_populate_record(null::booking, wanted);
  held int := 0;
  alike int;
  there boolean;
  others jsonb := '[]';
begin
  if b.status = 'held' then
    perform lock_holds_of_email(b.contact_email);
  end if;
  if call is not null and exists (
      select from idempotency i
      where i.key_id = b.key_id and i.operation = 'create_booking'
        and i.idempotency_key = call ->> 'idempotency_key') then
    return '{"outcome": "already_there"}';
  end if;
  select count(*), coalesce(bool_or(normalized_name(o.contact_name) = normalized_name(b.contact_name)
      and (b.another is null or o.another = b.another)), false)
    into alike, there
    from booking o where o.retry_key = b.retry_key and o.status in ('held', 'confirmed');
  if there then
    return '{"outcome": "already_there"}';
  end if;

  if b.status = 'held' then
    select count(*) into held from booking o where o.key_id = b.key_id and hold_runs(o, b.created_at);
    -- Lock the key only near its limit, so its buyers rarely wait for each other.
    if held + (limits ->> 'in_flight')::int > (limits ->> 'key')::int then
      perform lock_holds_of_key(b.key_id);
      select count(*) into held from booking o where o.key_id = b.key_id and hold_runs(o, b.created_at);
    end if;
    if held >= (limits ->> 'key')::int then
      return '{"outcome": "key_full"}';
    end if;
    select count(*) into held from booking o
      where lower(o.contact_email) = lower(b.contact_email) and hold_runs(o, b.created_at);
    if held >= (limits ->> 'email')::int then
      return '{"outcome": "email_full"}';
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
      return '{"outcome": "too_late"}';
    end if;
    if exists (
      select from jsonb_to_recordset(places)
        p(resource_id text, units int4multirange, starts timestamptz, ends timestamptz, "of" int)
      left join resource r on r.resource_id = p.resource_id
      where r.units is distinct from p."of"
        or exists (select from occupancy o
          where o.resource_id = p.resource_id and o.units && p.units and o.during && tstzrange(p.starts, p.ends))) then
      return '{"outcome": "places_taken"}';
    end if;
  end if;

  -- Most people have no other booking, so most calls skip this query.
  if alike > 0 or held > 0 then
    others := other_bookings(b.retry_key, b.key_id, b.contact_email, b.booking_id, b.created_at, max_others);
  end if;
  insert into booking select b.*;
  insert into booking_history (booking_id, operator_id, at, event, to_status, to_payment_status)
    values (b.booking_id, b.operator_id, b.created_at, b.status, b.status, b.payment_status);
  if call is not null then
    insert into idempotency (key_id, operation, idempotency_key, fingerprint, result_id, created_at)
      values (b.key_id, 'create_booking', call ->> 'idempotency_key', decode(call ->> 'fingerprint', 'hex'),
        b.booking_id, b.created_at);
  end if;
  insert into occupancy (resource_id, operator_id, units, during, booking_id)
    select p.resource_id, b.operator_id, p.units, tstzrange(p.starts, p.ends), b.booking_id
    from jsonb_to_recordset(places) p(resource_id text, units int4multirange, starts timestamptz, ends timestamptz);
  return jsonb_build_object('outcome', 'made', 'others', others);
end $$;

-- Adds occupancy for add-ons of live bookings that got stock after they were booked. Nothing is refused: units beyond
-- the stock show which bookings conflict. Bookings are taken by start, and each gets the lowest free units, so the
-- units used never exceed the peak demand. The caller has locked the playrooms' resources. Returns the resources that
-- got rows.
create function count_add_ons(playrooms text[], at timestamptz) returns setof text language plpgsql volatile as $$
declare
  wanted record;
  part int4range;
  picked int4multirange;
  missing int;
begin
  for wanted in
    select b.booking_id, b.operator_id, r.resource_id, room.during, (used ->> 'quantity')::int as quantity
    from resource r
    -- No visit is longer than two days, with set-up and clean-up.
    join booking b on b.playroom_id = r.playroom_id and b.starts_at > at - interval '2 days'
      and b.status in ('held', 'confirmed')
    cross join lateral jsonb_array_elements(b.terms -> 'add_ons_used') used
    join occupancy room on room.booking_id = b.booking_id and room.resource_id = b.playroom_id
    where r.playroom_id = any (playrooms) and used ->> 'add_on_id' = r.resource_id and upper(room.during) > at
      and not has_lapsed(b, at)
      and not exists (select from occupancy o where o.booking_id = b.booking_id and o.resource_id = r.resource_id)
    order by r.resource_id, lower(room.during), b.created_at, b.booking_id
  loop
    picked := '{}';
    missing := wanted.quantity;
    for part in
      select free from unnest(int4multirange(int4range(0, 2000000000)) - coalesce((
        select range_agg(taken) from occupancy o, lateral unnest(o.units) as taken
        where o.resource_id = wanted.resource_id and o.during && wanted.during), '{}'::int4multirange)) as free
      order by lower(free)
    loop
      exit when missing <= 0;
      picked := picked + int4multirange(int4range(lower(part), least(upper(part), lower(part) + missing)));
      missing := missing - (upper(part) - lower(part));
    end loop;
    insert into occupancy (resource_id, operator_id, units, during, booking_id)
      values (wanted.resource_id, wanted.operator_id, picked, wanted.during, wanted.booking_id);
    return next wanted.resource_id;
  end loop;
end $$;
