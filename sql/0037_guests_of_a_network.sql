-- Look-ups that found nothing are counted for a guest's /48, too: it holds 65,536 /64s, and each had ten tries at one
-- reference. A /64 has a third of its /48's, as everywhere (0016). And who only names an e-mail address under a shared key
-- is told of bookings under other names no more than that there is one.

-- As `lookup_again_at`, for the network of a guest's address and for the address itself.
create function guest_lookup_again_at(of_address text, of_about text, most int, at timestamptz) returns timestamptz
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

create function note_failed_guest_lookup(of_address text, of_about text, at timestamptz) returns void language sql volatile as
  $$ select note_failed_lookup('address ' || sender, of_about, at)
    from (select of_address as sender union select network_of(of_address)) senders order by sender desc $$;

-- As before, and those of a guest's /48 count together.
create or replace function find_booking(of_reference text, of_email text, caller jsonb, most int, at timestamptz) returns jsonb
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

-- As before, and those of a guest's /48 count together.
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

-- As before, but with a `name` in `others` the bookings under other names are one entry, `other_name`, at the
-- end: behind a shared key two families may have named one e-mail address that neither of them has. Those of the name
-- come first, so that no other family's displace them.
create or replace function other_bookings(of_key text, of_email text, except_booking text, others jsonb, at timestamptz) returns jsonb
language plpgsql stable as $$
declare
  day_from timestamptz := (others ->> 'from')::timestamptz;
  day_to timestamptz := (others ->> 'to')::timestamptz;
  of_name text := folded(others ->> 'name');
begin
  if day_from is null then
    select d.local_day at time zone d.zone, (d.local_day + interval '1 day') at time zone d.zone into day_from, day_to
      from (select date_trunc('day', starts_at at time zone (terms ->> 'time_zone')) as local_day, terms ->> 'time_zone' as zone
        from booking where booking_id = except_booking) d;
  end if;
  return (select coalesce(jsonb_agg(jsonb_build_object('status', status, 'playroom_name', terms ->> 'playroom_name',
        'starts_at', (extract(epoch from starts_at) * 1000)::bigint, 'time_zone', terms ->> 'time_zone')
      order by that_day desc, created_at desc, booking_id) filter (where of_this_name), '[]')
      || case when coalesce(bool_and(of_this_name), true) then '[]' else '[{"other_name": true}]'::jsonb end
    from (
      select *, coalesce(starts_at >= day_from and starts_at < day_to, false) as that_day from (
        (select booking_id, status, starts_at, terms, created_at, of_this_name from booking o
            cross join lateral (select of_name is null or folded(o.contact_name) = of_name as of_this_name) named
          where o.key_id = of_key and folded(o.contact_email) = folded(of_email) and o.status in ('held', 'confirmed')
            and o.starts_at >= day_from and o.starts_at < day_to
            and (o.status = 'confirmed' or hold_runs(o, at)) and o.booking_id <> except_booking
          order by of_this_name desc, o.created_at desc limit (others ->> 'most')::int)
        union
        (select booking_id, status, starts_at, terms, created_at, of_this_name from booking o
            cross join lateral (select of_name is null or folded(o.contact_name) = of_name as of_this_name) named
          where folded(o.contact_email) = folded(of_email) and hold_runs(o, at) and o.key_id = of_key
            and o.booking_id <> except_booking
          order by of_this_name desc, o.created_at desc limit (others ->> 'most')::int)) either
      order by of_this_name desc, that_day desc, created_at desc, booking_id limit (others ->> 'most')::int) latest);
end $$;
