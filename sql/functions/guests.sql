-- Limits on what anybody may take without paying or signing up: sign-ins of guests, registrations of clients, places of
-- unpaid and free bookings, and look-ups that find nothing. Each is bounded for a sender as a part of what there
-- is, and for nobody by what others took.
--
-- A sender is a network: an IPv4 address, or a /48 of IPv6, in which each /64 has a share of the share. A host is none:
-- anybody can claim to come through it.

-- Whether a sender with `has` may take more. `own` of them are the sender's, whatever others have. Beyond these, the
-- sender may have a third of what the others leave of `available`. `would_have`: what the sender would have then.
--
-- So k senders never have more than (1 - (2/3)^k) of what is available, besides their own; and a newcomer is never
-- refused for what others have.
create or replace function within_share(
  has bigint, own bigint, would_have numeric, available numeric, others_have numeric)
  returns boolean
language sql immutable parallel safe
return has < own or would_have * 3 <= available - others_have;

-- Admits a sign-in or a registration, or refuses it: `per` says whether the /64 or IPv4 address (`address`) or the /48
-- (`network`) has had its share, and `retry_after_seconds` when the next is free. Null: admitted.
--
-- own, available: per hour, see `within_share`. Counts of one sender are serialized; those beyond its own are, for all.
create or replace function admit(of_kind text, of_address text, own int, available int, at timestamptz) returns jsonb
language plpgsql volatile as $$
declare
  of_network text := network_of(of_address);
  since timestamptz := at - interval '1 hour';
  here record;
  beyond_here int;
  beyond_others int := 0;
  per text;
  oldest timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('admission ' || of_kind || ' ' || of_network, 0));
  delete from admission a where a.kind = of_kind and network_of(a.address) = of_network and a.at <= since;
  select count(*) as network, count(*) filter (where a.address = of_address) as address,
      count(*) filter (where a.beyond_own) as beyond
    into here from admission a where a.kind = of_kind and network_of(a.address) = of_network;
  beyond_here := greatest(0, here.network - own);
  if here.network >= own then
    perform pg_advisory_xact_lock(hashtextextended('admission ' || of_kind, 0));
    select count(*) - here.beyond into beyond_others from admission a
      where a.kind = of_kind and a.beyond_own and a.at > since;
    per := case
      when not within_share(here.network, own, beyond_here + 1, available, beyond_others) then
        case when of_network = of_address then 'address' else 'network' end
      when of_network <> of_address and not within_share(here.address, own, greatest(0, here.address - own) + 1,
        greatest(0, available - beyond_others) / 3, beyond_here - greatest(0, here.address - own)) then 'address'
    end;
    if per is not null then
      select min(a.at) into oldest from admission a where a.kind = of_kind and network_of(a.address) = of_network
        and (per = 'network' or a.address = of_address);
      return jsonb_build_object('per', per, 'retry_after_seconds',
        greatest(1, ceil(extract(epoch from oldest - since)))::int);
    end if;
  end if;
  insert into admission (kind, address, at, beyond_own) values (of_kind, of_address, at, here.network >= own);
  return null;
end $$;

-- The limit that a guest's next booking would exceed, as a result of `make_booking`; null: none. A guest may have some
-- unpaid bookings (`guest`) and some free ones (`guest_free`) ahead; a person gets a free one only with few on that
-- day of the playroom (`guest_day`). The guest's network may have a share of the playroom's day: all units while it
-- is open.
--
-- guest: `address`, `email`; `free`: whether the booking costs nothing; `room`: its place in the playroom, as in
-- `make_booking`; `day`: the visit's day, `from` and `to`, and for how many minutes the playroom is open then. Without
-- `room` the guest's own limit is all.
--
-- The caller has locked the playroom, so the shares need no lock. The guest's own bookings may be anywhere.
create or replace function guest_limit(of_key text, guest jsonb, of_playroom text, limits jsonb, at timestamptz)
  returns jsonb
language plpgsql volatile as $$
declare
  of_address text := guest ->> 'address';
  of_network text := network_of(of_address);
  -- What the addresses of a /48 begin with.
  in_network text := case when of_network <> of_address then replace(of_network, ':/48', '') end;
  of_email text := folded(guest ->> 'email');
  own constant int := (limits ->> 'guest_network_own')::int;
  is_free constant boolean := coalesce((guest ->> 'free')::boolean, false);
  day tstzrange;
  available numeric;
  wanted numeric;
  has record;
  per text;
begin
  perform pg_advisory_xact_lock(hashtextextended('guest ' || of_key, 0));
  per := case when is_free then 'guest_free' else 'guest' end;
  if (select count(*) from guest_booking g join booking b using (booking_id)
      where g.key_id = of_key and is_unpaid(b, at) and (b.total = 0) = is_free) >= (limits ->> per)::int then
    return jsonb_build_object('outcome', 'too_many', 'per', per, 'limit', (limits ->> per)::int);
  end if;
  if guest -> 'room' is null then
    return null;
  end if;

  day := tstzrange((guest -> 'day' ->> 'from')::timestamptz, (guest -> 'day' ->> 'to')::timestamptz);
  available := (guest -> 'day' ->> 'open_minutes')::numeric * (guest -> 'room' ->> 'of')::numeric;
  -- Units times minutes. Written out twice: a function of it would be started anew for each row of the day.
  wanted := (select sum(upper(u) - lower(u)) from unnest((guest -> 'room' ->> 'units')::int4multirange) u)
    * extract(epoch from least((guest -> 'room' ->> 'ends')::timestamptz, upper(day))
      - (guest -> 'room' ->> 'starts')::timestamptz) / 60;
  select coalesce(sum(amount), 0) as all_taken,
      count(*) filter (where of_this_network) as network,
      coalesce(sum(amount) filter (where of_this_network), 0) as of_network,
      count(*) filter (where of_this_address) as address,
      coalesce(sum(amount) filter (where of_this_address), 0) as of_address,
      count(*) filter (where of_this_person) as person
    into has from (
      select (select sum(upper(u) - lower(u)) from unnest(o.units) u)
          * extract(epoch from least(upper(o.during), upper(day))
            - greatest(lower(o.during), lower(day))) / 60 as amount,
        of_this_network, of_this_network and g.address = of_address as of_this_address,
        case when g.key_id = of_key then is_unpaid(b, at)
          when is_free and of_this_network then folded(b.contact_email) = of_email end as of_this_person
      from occupancy o
        left join booking b on b.booking_id = o.booking_id
        left join guest_booking g on g.booking_id = o.booking_id
        cross join lateral (select (g.address = of_address or starts_with(g.address, in_network)) and is_unpaid(b, at)
          as of_this_network) state
      where o.resource_id = of_playroom and o.during && day and not coalesce(has_lapsed(b, at), false)) taken;
  if has.person >= (limits ->> 'guest_day')::int then
    return jsonb_build_object('outcome', 'too_many', 'per', 'guest_day', 'limit', (limits ->> 'guest_day')::int);
  end if;
  per := case
    when not within_share(has.network, own, has.of_network + wanted, available, has.all_taken - has.of_network) then
      case when of_network = of_address then 'guest_address' else 'guest_network' end
    when of_network <> of_address and not within_share(has.address, own, has.of_address + wanted,
      greatest(0, available - (has.all_taken - has.of_network)) / 3,
        has.of_network - has.of_address) then 'guest_address'
  end;
  return case when per is not null then jsonb_build_object('outcome', 'too_many', 'per', per) end;
end $$;

-- When a sender may look for this again after `most` failures within an hour; null: now. Calls of one sender about one
-- thing wait for each other until the caller's transaction ends, so that concurrent ones don't all pass.
create or replace function lookup_again_at(of_sender text, of_about text, most int, at timestamptz) returns timestamptz
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('lookup ' || of_sender || ' ' || of_about, 7245302));
  return (select f.since + interval '1 hour' from failed_lookup f
    where f.sender = of_sender and f.about = of_about and f.failures >= most and f.since > at - interval '1 hour');
end $$;

create or replace function note_failed_lookup(of_sender text, of_about text, at timestamptz)
  returns void language sql volatile as
  $$ insert into failed_lookup as f (sender, about, failures, since) values (of_sender, of_about, 1, at)
    on conflict (sender, about) do update set
      failures = case when f.since > at - interval '1 hour' then f.failures + 1 else 1 end,
      since = case when f.since > at - interval '1 hour' then f.since else at end $$;

-- The same for a guest's address and its network. A /48 has three times what each of its 65,536 /64s has.
create or replace function guest_lookup_again_at(of_address text, of_about text, most int, at timestamptz)
  returns timestamptz
language plpgsql volatile as $$
declare
  of_network text := network_of(of_address);
  again_at timestamptz;
begin
  -- The network first: in one order, so that no two calls wait for each other.
  if of_network <> of_address then
    again_at := lookup_again_at('address ' || of_network, of_about, 3 * most, at);
  end if;
  return greatest(again_at, lookup_again_at('address ' || of_address, of_about, most, at));
end $$;

create or replace function note_failed_guest_lookup(of_address text, of_about text, at timestamptz)
  returns void language sql volatile as
  $$ select note_failed_lookup('address ' || sender, of_about, at)
    from (select of_address as sender union select network_of(of_address)) senders order by sender desc $$;

-- Finds a booking by its reference and e-mail address. A key finds those that it made; a guest also finds those of
-- other guests, and reaches them from then on (`booking_guest`). `caller`: `key_id`, the `operator_id` that the key
-- is bound to, and a guest's network address, `guest`. After `most` failures of a key with one reference within an
-- hour, nothing is looked for; of a guest also after as many with any reference, and those of the guest's network
-- count together.
--
-- Returns `outcome`: `found`, with `booking_id`; `not_found`; or `too_many`, with `again_at` in milliseconds.
create or replace function find_booking(of_reference text, of_email text, caller jsonb, most int, at timestamptz)
  returns jsonb
language plpgsql volatile as $$
declare
  of_key text := caller ->> 'key_id';
  of_operator text := caller ->> 'operator_id';
  of_address text := caller ->> 'guest';
  is_guest boolean := of_address is not null;
  about text := digest_of('reference ' || of_reference);
  again_at timestamptz;
  found_id text;
begin
  again_at := case when is_guest
    then greatest(guest_lookup_again_at(of_address, about, most, at), lookup_again_at(of_key, 'reference', most, at))
    else lookup_again_at(of_key, about, most, at) end;
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
    if is_guest then
      perform note_failed_guest_lookup(of_address, about, at);
      perform note_failed_lookup(of_key, 'reference', at);
    else
      perform note_failed_lookup(of_key, about, at);
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

-- How addresses are compared with those that had letters.
create or replace function address_digest(address text) returns bytea language sql immutable parallel safe
  return sha256(convert_to(folded(address), 'UTF8'));

-- Marks bookings of guests.
create or replace function set_by_guest() returns trigger language plpgsql as $$
begin
  new.by_guest := exists (select from connect_grant g where g.key_id = new.key_id and g.sign_in = 'guest');
  return new;
end $$;

create or replace trigger booking_by_guest before insert on booking for each row
  when (new.by_guest is null) execute function set_by_guest();
