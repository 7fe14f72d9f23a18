-- What the provider has of a session whose money is not what was asked for, until a person decides about it.
alter table payment_session add column misfit jsonb;
-- What was asked for, if a person has decided about another amount or currency: that is then the session's.
alter table payment_session add column asked int;
create index payment_session_misfit on payment_session (operator_id) where misfit is not null;

-- Such money may be sent back: it never counts for the booking.
alter table refund drop constraint refund_cause_check;
alter table refund add constraint refund_cause_check
  check (cause in ('late_payment', 'cancellation', 'duplicate_payment', 'dashboard', 'dispute', 'move', 'goodwill', 'misfit'));
