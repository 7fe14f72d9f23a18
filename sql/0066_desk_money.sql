-- What is still to be paid at an operator, by when it is due; and that a person has seen that it was not paid after the visit.
alter table booking add column unpaid_seen_at timestamptz;
-- Of visits before this release nobody was asked.
update booking set unpaid_seen_at = now()
  where status = 'confirmed' and total > due_now and payment_status <> 'paid' and ends_at < now();

create index booking_unpaid on booking
  (operator_id, coalesce(instant_of(terms -> 'price' ->> 'balance_due_at'), starts_at), booking_id)
  where status = 'confirmed' and total > due_now and payment_status <> 'paid';
create index booking_unpaid_over on booking (ends_at)
  where status = 'confirmed' and total > due_now and payment_status <> 'paid' and unpaid_seen_at is null;

-- A payment at the venue that was recorded by mistake: when that was undone, and by whom. It stays in the books, with its opposite.
alter table payment_session add column undone_at timestamptz;
alter table payment_session add column undone_by text;
alter table payment_session drop constraint payment_session_recorded_check;
alter table payment_session add constraint payment_session_recorded_check check (case when way = 'link'
  then undone_at is null and request is not null and (status in ('creating', 'expired', 'failed') or (provider_session_id is not null and url is not null))
  else (status = 'paid' or status = 'failed' and undone_at is not null)
    and paid_at is not null and provider_session_id is null and payment_intent_id is null end);
create index payment_session_by_undoing on payment_session (undone_at, payment_session_id) where undone_at is not null;
