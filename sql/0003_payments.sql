-- Payment sessions, refunds, and the inbox of provider events.
create table payment_session (
  payment_session_id text collate "C" primary key check (payment_session_id like 'payment\_%'),
  operator_id text collate "C" not null references operator,
  booking_id text collate "C" not null references booking,
  purpose text not null check (purpose in ('due_now', 'balance')),
  status text not null check (status in ('creating', 'open', 'processing', 'paid', 'failed', 'expired')),
  account text not null,
  amount int not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  application_fee int not null default 0 check (application_fee between 0 and amount),
  provider_session_id text unique,
  payment_intent_id text,
  url text,
  -- The parameters of the provider call, kept so that a retry under the same key sends the same bytes.
  request jsonb not null,
  refunded int not null default 0 check (refunded between 0 and amount),
  flagged text,
  expires_at timestamptz not null,
  paid_at timestamptz,
  checked_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (status in ('creating', 'expired', 'failed') or (provider_session_id is not null and url is not null))
);
--> next
create unique index payment_session_live on payment_session (booking_id, purpose) where status in ('creating', 'open', 'processing');
--> next
create index payment_session_due on payment_session (expires_at) where status in ('creating', 'open', 'processing');
--> next
create index payment_session_booking on payment_session (booking_id);
--> next
create table refund (
  refund_id text collate "C" primary key check (refund_id like 'refund\_%'),
  operator_id text collate "C" not null references operator,
  booking_id text collate "C" not null references booking,
  payment_session_id text collate "C" not null references payment_session,
  -- Why: at most one refund a payment and cause, so that nothing is refunded twice.
  cause text not null check (cause in ('late_payment', 'cancellation', 'superseded', 'duplicate_payment', 'dashboard')),
  status text not null check (status in ('requested', 'pending', 'succeeded', 'failed')),
  amount int not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  provider_refund_id text unique,
  request jsonb not null,
  failure text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
--> next
create unique index refund_once on refund (payment_session_id, cause) where cause <> 'dashboard';
--> next
create index refund_unsettled on refund (created_at) where status in ('requested', 'pending');
--> next
create table webhook_event (
  event_id text collate "C" primary key,
  receiver text not null check (receiver in ('platform', 'connected')),
  type text not null,
  account text,
  livemode boolean,
  api_version text,
  payload text not null,
  status text not null check (status in ('received', 'applied', 'ignored', 'rejected', 'dead')),
  outcome text,
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  received_at timestamptz not null,
  applied_at timestamptz
);
--> next
create index webhook_event_due on webhook_event (next_attempt_at) where status = 'received';
--> next
create index webhook_event_received on webhook_event (received_at);
