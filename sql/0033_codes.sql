-- Codes for a lower price (domain/catalogue/Codes.ts): who has one, and who has booked at an operator before.
create index if not exists booking_by_code on booking (operator_id, (terms -> 'code' ->> 'code'))
  where status in ('held', 'confirmed') and terms -> 'code' ->> 'code' is not null;
create index if not exists booking_by_person on booking (operator_id, folded(contact_email))
  where status in ('held', 'confirmed');
-- The digits by which a telephone number is compared, however it is written.
create function telling_digits(phone text) returns text language sql immutable parallel safe
return right(regexp_replace(phone, '[^0-9]', '', 'g'), 8);
create index if not exists booking_by_phone on booking (operator_id, telling_digits(contact_phone))
  where status in ('held', 'confirmed') and contact_phone is not null;
-- Functions: 394633cc207857fb
