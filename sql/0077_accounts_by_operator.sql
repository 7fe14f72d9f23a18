-- A month's payments and refunds of one operator, in the order of time: each operator's accounts read those of all operators.
create index payment_session_of_operator on payment_session (operator_id, paid_at, payment_session_id) where status = 'paid';
create index refund_of_operator on refund (operator_id, succeeded_at, refund_id) where status = 'succeeded';
-- Since 0062 nothing reads by it.
drop index refund_by_time;
