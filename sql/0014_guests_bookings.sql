-- Guests who sign in again. A sign-in makes a new key, so a person has several: bookings of guests are told apart from
-- those of API keys, and a booking can be reached by other guests than the one who made it.

-- Whether a guest made the booking. Set by the trigger, as nodes of the release before don't know the column.
alter table booking add column by_guest boolean;

create function set_by_guest() returns trigger language plpgsql as $$
begin
  new.by_guest := exists (select from connect_grant g where g.key_id = new.key_id and g.sign_in = 'guest');
  return new;
end $$;

create trigger booking_by_guest before insert on booking for each row
  when (new.by_guest is null) execute function set_by_guest();

update booking b set by_guest = true from connect_grant g where g.key_id = b.key_id and g.sign_in = 'guest';

-- Guests who reach a booking that another guest made. `may_change`: the guest had the link of the booking's page, and has
-- the rights of the guest who made it; otherwise the guest knew reference and e-mail address, and may read and pay.
create table booking_guest (
  key_id text collate "C" not null references api_key on delete cascade,
  booking_id text collate "C" not null references booking on delete cascade,
  may_change boolean not null,
  created_at timestamptz not null,
  primary key (key_id, booking_id)
);
create index booking_guest_booking on booking_guest (booking_id);
