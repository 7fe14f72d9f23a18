-- Moving a booking to a visit that costs less gives the difference back.
alter table refund drop constraint refund_cause_check;
--> next
alter table refund add constraint refund_cause_check
  check (cause in ('late_payment', 'cancellation', 'duplicate_payment', 'dashboard', 'dispute', 'move'));
--> next
-- A booking may be moved several times, so its payments may have several refunds of this cause. Each is decided once, as the
-- transaction of its move is.
drop index refund_once;
--> next
create unique index refund_once on refund (payment_session_id, cause) where cause not in ('dashboard', 'dispute', 'move');
