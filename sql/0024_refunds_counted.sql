-- Refunds never exceed what is owed, whoever made the first one; disputes count; what waits for money is tried again.
create table dispute (
  -- The provider's own.
  dispute_id text collate "C" primary key,
  operator_id text collate "C" not null references operator,
  booking_id text collate "C" not null references booking,
  payment_session_id text collate "C" not null references payment_session,
  -- The provider's word, which may be newer than we know.
  status text not null,
  amount int not null check (amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  reason text not null,
  -- Until when the operator may answer.
  due_by timestamptz,
  -- The status in which a person has dealt with it.
  seen_status text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
--> next
create index dispute_booking on dispute (booking_id);
--> next
create index dispute_unseen on dispute (created_at) where seen_status is distinct from status;
--> next
-- All that may go back of the booking's own payments, by its terms or a person's word, this refund and those before it included.
alter table refund add column owed int check (owed >= 0);
--> next
alter table refund add column waits_for text check (waits_for in ('balance', 'dispute'));
--> next
alter table refund add column waits_since timestamptz;
--> next
-- Not sent before.
alter table refund add column retry_at timestamptz;
--> next
-- When the provider was last asked to make it; null where it said no.
alter table refund add column sent_at timestamptz;
--> next
create index refund_waiting on refund (created_at) where status = 'requested' and waits_for is not null;
--> next
update refund r set owed = (
  select sum(o.amount) from refund o
  where o.booking_id = r.booking_id
    and (o.cause = 'cancellation' or (o.cause = 'dashboard' and o.status <> 'failed' and o.created_at <= r.created_at))
    and not exists (select 1 from refund d where d.payment_session_id = o.payment_session_id
      and d.cause in ('duplicate_payment', 'late_payment')))
  where r.cause = 'cancellation';
--> next
alter table refund drop constraint refund_cause_check;
--> next
alter table refund add constraint refund_cause_check
  check (cause in ('late_payment', 'cancellation', 'duplicate_payment', 'dashboard', 'dispute'));
--> next
drop index refund_once;
--> next
create unique index refund_once on refund (payment_session_id, cause) where cause not in ('dashboard', 'dispute');
--> next
-- Looks ended two months after the payment, whenever the visit was: those to come, or just over, are looked at again.
update payment_session s set look_again_at = now() from booking b
  where b.booking_id = s.booking_id and s.status = 'paid' and s.look_again_at is null and b.ends_at > now() - interval '120 days';
--> next
create table sandbox_dispute (
  dispute_id text collate "C" primary key,
  seq bigint generated always as identity,
  session_id text collate "C" not null references sandbox_session,
  account text not null,
  status text not null,
  amount int not null check (amount > 0),
  created_at timestamptz not null
);
--> next
create index sandbox_dispute_session on sandbox_dispute (session_id, seq);
