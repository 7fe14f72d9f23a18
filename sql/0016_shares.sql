-- Shares of one sender. Whatever anybody may take without paying or signing up (sign-ins of guests, registrations of
-- clients, places of unpaid and free bookings) is bounded for each sender as a part of what there is, and for nobody
-- by what others took. The rule is `within_share`.
--
-- A sender is a network: an IPv4 address, or a /48 of IPv6, in which each /64 has a share of the share. A host is none:
-- anybody can claim to come through it.

-- Whether a sender with `has` may take more. `own` of them are the sender's, whatever others have. Beyond these, the
-- sender may have a third of what the others leave of `available`. `would_have`: what the sender would have then.
--
-- So k senders never have more than (1 - (2/3)^k) of what is available, besides their own; and a newcomer is never
-- refused for what others have.
create function within_share(has bigint, own bigint, would_have numeric, available numeric, others_have numeric) returns boolean
language sql immutable parallel safe
return has < own or would_have * 3 <= available - others_have;

-- The network of an address as it is stored (`bucketOf`): the /48 of a /64; an IPv4 address itself.
create function network_of(address text) returns text language sql immutable parallel safe
return regexp_replace(address, '^((?:[0-9a-f]{1,4}:){2}[0-9a-f]{1,4}):[0-9a-f]{1,4}::/64$', '\1::/48');

-- Sign-ins and registrations of the last hour. Unlogged: after a crash everybody has the whole share.
create unlogged table admission (
  kind text not null check (kind in ('sign_in', 'registration')),
  address text not null,
  at timestamptz not null,
  -- Whether it is beyond the sender's own.
  beyond_own boolean not null
);
create index admission_network on admission (kind, network_of(address), at);
create index admission_beyond on admission (kind, at) where beyond_own;
create index admission_at on admission (at);

-- Admits a sign-in or a registration, or refuses it: `per` says whether the /64 or IPv4 address (`address`) or the /48
-- (`network`) has had its share, and `retry_after_seconds` when the next is free. Null: admitted.
--
-- own, available: per hour, see `within_share`. Counts of one sender are serialized; those beyond its own are, for all.
create function admit(of_kind text, of_address text, own int, available int, at timestamptz) returns jsonb
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

create index guest_booking_key on guest_booking (key_id);
drop index guest_booking_address, guest_booking_host, guest_booking_playroom;

-- The limit that a guest's next booking would exceed, as a result of `make_booking`; null: none. A guest may have some
-- unpaid bookings (`guest`) and some free ones (`guest_free`) ahead; a person gets a free one only with few on that day of
-- the playroom (`guest_day`). The guest's network may have a share of the playroom's day: all units while it is open.
--
-- guest: `address`, `email`; `free`: whether the booking costs nothing; `room`: its place in the playroom, as in
-- `make_booking`; `day`: the visit's day, `from` and `to`, and for how many minutes the playroom is open then. Nodes of
-- the release before give the address alone: for them the guest's own limit is all.
--
-- The caller has locked the playroom, so the shares need no lock. The guest's own bookings may be anywhere.
create or replace function guest_limit(of_key text, guest jsonb, of_playroom text, limits jsonb, at timestamptz) returns jsonb
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
    * extract(epoch from least((guest -> 'room' ->> 'ends')::timestamptz, upper(day)) - (guest -> 'room' ->> 'starts')::timestamptz) / 60;
  select coalesce(sum(amount), 0) as all_taken,
      count(*) filter (where of_this_network) as network, coalesce(sum(amount) filter (where of_this_network), 0) as of_network,
      count(*) filter (where of_this_address) as address, coalesce(sum(amount) filter (where of_this_address), 0) as of_address,
      count(*) filter (where of_this_person) as person
    into has from (
      select (select sum(upper(u) - lower(u)) from unnest(o.units) u)
          * extract(epoch from least(upper(o.during), upper(day)) - greatest(lower(o.during), lower(day))) / 60 as amount,
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
      greatest(0, available - (has.all_taken - has.of_network)) / 3, has.of_network - has.of_address) then 'guest_address'
  end;
  return case when per is not null then jsonb_build_object('outcome', 'too_many', 'per', per) end;
end $$;
