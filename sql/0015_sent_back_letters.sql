-- A letter tells the family of money that was not what was asked for and goes back.
alter table letter drop constraint letter_kind_check;
alter table letter add constraint letter_kind_check
  check (kind in ('confirmed', 'changed', 'ended', 'balance_due', 'visit', 'refund_failed', 'sent_back', 'link'));
