-- Payments that take long: since when they are processing, and since when the provider does not answer for them.
alter table payment_session
  add column processing_since timestamptz,
  add column silent_since timestamptz;
--> next
update payment_session set processing_since = updated_at where status = 'processing';
