-- Payment sessions, refunds, disputes, and the inbox of the provider's events.
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
  processing_since timestamptz,
  -- When the provider was last asked about the session, and since when it has not answered.
  checked_at timestamptz,
  unresponsive_since timestamptz,
  -- When a paid session's refunds are checked next: with growing intervals after each change, then never.
  refund_check_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (status in ('creating', 'expired', 'failed') or (provider_session_id is not null and url is not null))
);
create unique index payment_session_live on payment_session (booking_id, purpose)
  where status in ('creating', 'open', 'processing');
create index payment_session_due on payment_session (expires_at) where status in ('creating', 'open', 'processing');
create index payment_session_booking on payment_session (booking_id);
create index payment_session_creating on payment_session (created_at) where status = 'creating';
create index payment_session_processing on payment_session (updated_at) where status = 'processing';
create index payment_session_refund_check on payment_session (refund_check_at) where refund_check_at is not null;
create index payment_session_flagged on payment_session (created_at) where flagged is not null;

create table refund (
  refund_id text collate "C" primary key check (refund_id like 'refund\_%'),
  operator_id text collate "C" not null references operator,
  booking_id text collate "C" not null references booking,
  payment_session_id text collate "C" not null references payment_session,
  cause text not null
    check (cause in ('late_payment', 'cancellation', 'duplicate_payment', 'dashboard', 'dispute', 'move')),
  status text not null check (status in ('requested', 'pending', 'succeeded', 'failed')),
  amount int not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Limit on the sum of the booking's refunds, with this one, by its terms or a person's decision.
  owed int check (owed >= 0),
  provider_refund_id text unique,
  request jsonb not null,
  failure text,
  waits_for text check (waits_for in ('balance', 'dispute')),
  waits_since timestamptz,
  -- Not sent before.
  retry_at timestamptz,
  -- When the provider was last asked to make it; null if it said no.
  sent_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- A payment is refunded at most once per cause. Moves, operators and disputes may refund parts several times; other
-- checks prevent duplicates of those.
create unique index refund_once on refund (payment_session_id, cause)
  where cause not in ('dashboard', 'dispute', 'move');
create index refund_booking on refund (booking_id);
create index refund_unsettled on refund (created_at) where status in ('requested', 'pending');
create index refund_waiting on refund (created_at) where status = 'requested' and waits_for is not null;
create index refund_failed on refund (created_at) where status = 'failed';

create table dispute (
  -- The provider's own id.
  dispute_id text collate "C" primary key,
  operator_id text collate "C" not null references operator,
  booking_id text collate "C" not null references booking,
  payment_session_id text collate "C" not null references payment_session,
  -- The provider's value, possibly one that this version does not know.
  status text not null,
  amount int not null check (amount >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  reason text not null,
  -- The operator's deadline to answer.
  due_by timestamptz,
  -- The status at which a person resolved it.
  seen_status text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index dispute_booking on dispute (booking_id);
create index dispute_unseen on dispute (created_at) where seen_status is distinct from status;

create table webhook_event (
  event_id text collate "C" primary key,
  receiver text not null check (receiver in ('platform', 'connected')),
  type text not null,
  account text,
  livemode boolean,
  api_version text,
  payload text not null,
  payment_session_id text collate "C",
  booking_id text collate "C",
  -- known: about a payment session of ours, applied first. rest: about one that we do not know (yet), and invoices.
  -- asked: the provider is asked for the object first.
  queue text not null default 'rest' check (queue in ('known', 'rest', 'asked')),
  status text not null check (status in ('received', 'applied', 'ignored', 'rejected', 'dead')),
  outcome text,
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  received_at timestamptz not null,
  applied_at timestamptz
);
create index webhook_event_due on webhook_event (queue, next_attempt_at) where status = 'received';
create index webhook_event_received on webhook_event (received_at);
create index webhook_event_booking on webhook_event (booking_id) where booking_id is not null;

-- For `playroom doctor` and metrics: only few events are set aside.
create index webhook_event_aside on webhook_event (received_at) where status in ('rejected', 'dead');

-- Current failures of the payment provider: one row per kind, removed when a call succeeds again.
create table provider_failure (
  kind text primary key,
  operation text not null,
  reason text not null,
  since timestamptz not null,
  last_at timestamptz not null
);
