-- A letter after a booking that the venue made for a family, with the link to pay by.
alter table letter drop constraint letter_kind_check;
alter table letter add constraint letter_kind_check
  check (kind in ('confirmed', 'changed', 'ended', 'balance_due', 'visit', 'refund_failed', 'sent_back', 'link',
    'booked', 'readdressed'));
