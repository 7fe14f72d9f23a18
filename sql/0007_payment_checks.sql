-- Sessions that reconciliation looks at again: payments that take long, and paid ones that may be refunded in the dashboard.
create index payment_session_processing on payment_session (updated_at) where status = 'processing';
--> next
create index payment_session_paid on payment_session (paid_at) where status = 'paid';
--> next
create index payment_session_creating on payment_session (created_at) where status = 'creating';
--> next
create index refund_booking on refund (booking_id);
--> next
create index payment_session_flagged on payment_session (created_at) where flagged is not null;
--> next
create index refund_failed on refund (created_at) where status = 'failed';
