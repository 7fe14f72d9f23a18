-- Payments taken at the venue, and amounts given back without a cancellation.

-- How it was paid: on the provider's page, or at the venue. Who took it there.
alter table payment_session add column way text not null default 'link' check (way in ('link', 'cash', 'card', 'transfer'));
alter table payment_session add column taken_by text;
alter table payment_session alter column request drop not null;
alter table payment_session drop constraint payment_session_check2;
alter table payment_session add constraint payment_session_recorded_check check (case when way = 'link'
  then request is not null and (status in ('creating', 'expired', 'failed') or (provider_session_id is not null and url is not null))
  else status = 'paid' and paid_at is not null and provider_session_id is null and payment_intent_id is null end);

-- A refund of such a payment waits until the venue has given it back: then how it did.
alter table refund add column way text check (way in ('cash', 'card', 'transfer'));
alter table refund drop constraint refund_waits_for_check;
alter table refund add constraint refund_waits_for_check check (waits_for in ('balance', 'dispute', 'venue'));
alter table refund drop constraint refund_cause_check;
alter table refund add constraint refund_cause_check
  check (cause in ('late_payment', 'cancellation', 'duplicate_payment', 'dashboard', 'dispute', 'move', 'goodwill'));
