-- The name or the e-mail address of a booking can be corrected.

-- What a booking's contact was before, as a digest (`contact_digest`): a call of create_booking that names it still
-- gets the booking.
create table former_contact (
  booking_id text collate "C" not null references booking on delete cascade,
  contact text collate "C" not null,
  primary key (booking_id, contact)
);
create index former_contact_of on former_contact (contact);

-- A letter to the address that a booking had until it was corrected, until it is sent. Null: to the booking's.
alter table letter add column recipient text;
alter table letter drop constraint letter_kind_check;
alter table letter add constraint letter_kind_check
  check (kind in ('confirmed', 'changed', 'ended', 'balance_due', 'visit', 'refund_failed', 'sent_back', 'link',
    'readdressed'));
-- Functions: c977c9db9de5bdeb
