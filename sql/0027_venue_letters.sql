-- A letter in the venue's own words: to those whose extra is out of order, or who are booked in closed time.
alter table letter add column words text;
alter table letter drop constraint letter_kind_check;
alter table letter add constraint letter_kind_check
  check (kind in ('confirmed', 'changed', 'ended', 'balance_due', 'visit', 'refund_failed', 'sent_back', 'link',
    'booked', 'readdressed', 'from_venue'));
