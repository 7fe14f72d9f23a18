-- What the provider says of a refund or a dispute can turn again.

-- What must have gone back of the booking's own payments, by its terms or by a person's decision; null: nothing was
-- decided. The limits of single refunds are in `refund.owed`.
alter table booking add column refund_owed int check (refund_owed >= 0);

-- The refunded amount with which a person left the booking confirmed, though all that was paid had gone back.
alter table booking add column kept_refunded int;

-- When a dispute was first lost.
alter table dispute add column lost_at timestamptz;

-- 0: the refund that was decided first. Higher: what was owed again after the provider had corrected what went back.
alter table refund add column turn int not null default 0;
create unique index refund_once_a_turn on refund (payment_session_id, cause, turn)
  where cause not in ('dashboard', 'dispute', 'move');
drop index refund_once;

create index booking_paid_back on booking (starts_at) where status = 'confirmed' and paid > 0 and refunded >= paid;
