-- Confirmed bookings whose balance is not paid, by the time at which it is due.

-- RFC 3339 with an offset, as terms hold it: so the result does not depend on the session's time zone.
create function instant_of(rfc3339 text) returns timestamptz language sql immutable parallel safe
  return rfc3339::timestamptz;

create index booking_balance_due on booking (instant_of(terms -> 'price' ->> 'balance_due_at'))
  where status = 'confirmed' and total > due_now and payment_status <> 'paid';
