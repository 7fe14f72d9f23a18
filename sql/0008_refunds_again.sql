-- When a paid session's refunds are looked at next: often at first and after each change, ever more rarely, then never.
alter table payment_session add column look_again_at timestamptz;
--> next
update payment_session set look_again_at = coalesce(checked_at, paid_at) where status = 'paid';
--> next
drop index payment_session_paid;
--> next
create index payment_session_look_again on payment_session (look_again_at) where look_again_at is not null;
--> next
-- A cause that nothing ever had.
alter table refund drop constraint refund_cause_check;
--> next
alter table refund add constraint refund_cause_check
  check (cause in ('late_payment', 'cancellation', 'duplicate_payment', 'dashboard'));
