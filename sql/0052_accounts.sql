-- For the accounts of a month: what was paid and what went back, in the order of time.
create index payment_session_by_time on payment_session (paid_at, payment_session_id) where status = 'paid';
create index refund_by_time on refund (updated_at, refund_id) where status = 'succeeded';
