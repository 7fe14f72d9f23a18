-- As before, but those of the visit's day come before other holds, so that no hold of another day displaces them; and
-- without `from` and `to` the day is that of `except_booking`.
create or replace function other_bookings(of_key text, of_email text, except_booking text, others jsonb, at timestamptz) returns jsonb
language plpgsql stable as $$
declare
  day_from timestamptz := (others ->> 'from')::timestamptz;
  day_to timestamptz := (others ->> 'to')::timestamptz;
begin
  if day_from is null then
    select d.local_day at time zone d.zone, (d.local_day + interval '1 day') at time zone d.zone into day_from, day_to
      from (select date_trunc('day', starts_at at time zone (terms ->> 'time_zone')) as local_day, terms ->> 'time_zone' as zone
        from booking where booking_id = except_booking) d;
  end if;
  return (select coalesce(jsonb_agg(jsonb_build_object('status', status, 'playroom_name', terms ->> 'playroom_name',
        'starts_at', (extract(epoch from starts_at) * 1000)::bigint, 'time_zone', terms ->> 'time_zone')
      order by that_day desc, created_at desc, booking_id), '[]')
    from (
      select *, coalesce(starts_at >= day_from and starts_at < day_to, false) as that_day from (
        (select booking_id, status, starts_at, terms, created_at from booking o
          where o.key_id = of_key and folded(o.contact_email) = folded(of_email) and o.status in ('held', 'confirmed')
            and o.starts_at >= day_from and o.starts_at < day_to
            and (o.status = 'confirmed' or hold_runs(o, at)) and o.booking_id <> except_booking
          order by o.created_at desc limit (others ->> 'most')::int)
        union
        (select booking_id, status, starts_at, terms, created_at from booking o
          where folded(o.contact_email) = folded(of_email) and hold_runs(o, at) and o.key_id = of_key
            and o.booking_id <> except_booking
          order by o.created_at desc limit (others ->> 'most')::int)) either
      order by that_day desc, created_at desc, booking_id limit (others ->> 'most')::int) latest);
end $$;
