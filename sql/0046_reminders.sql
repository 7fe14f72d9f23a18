-- Up to which moment (a visit's start, a balance's date) bookings were looked at for reminders.
create table reminder_cursor (
  name text primary key,
  moment timestamptz not null,
  booking_id text collate "C" not null default ''
);
create index booking_to_come on booking (starts_at, booking_id) where status = 'confirmed';
