-- For the audit: an operator's payments and refunds since a time, as ids sort by their time.
create index payment_session_paid on payment_session (operator_id, payment_session_id) where status = 'paid';
create index refund_succeeded on refund (operator_id, refund_id) where status = 'succeeded';
