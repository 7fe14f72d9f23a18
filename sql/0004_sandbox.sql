-- The sandbox provider's own state: what the real provider would keep. Nothing outside src/payment/sandbox reads it.
-- Amounts are in the provider's minor units, currencies in lower case, as on its wire.
create table sandbox_session (
  session_id text collate "C" primary key,
  account text not null,
  status text not null check (status in ('open', 'complete', 'expired')),
  payment_status text not null check (payment_status in ('paid', 'unpaid')),
  amount int not null check (amount > 0),
  currency text not null,
  application_fee int not null,
  product_name text not null,
  description text,
  customer_email text,
  receipt_email text,
  client_reference_id text,
  metadata jsonb not null,
  intent_metadata jsonb not null,
  success_url text not null,
  cancel_url text,
  payment_intent_id text unique,
  -- How often the payer's card was declined on this page.
  declined int not null default 0,
  -- A delayed payment: when it becomes known, and what it then is.
  settles_at timestamptz,
  settles_as text check (settles_as in ('paid', 'failed')),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  check ((status = 'complete') = (payment_intent_id is not null)),
  check (payment_status <> 'paid' or status = 'complete')
);
--> next
create index sandbox_session_open on sandbox_session (expires_at) where status = 'open';
--> next
create index sandbox_session_settling on sandbox_session (settles_at) where settles_at is not null;
--> next
create table sandbox_refund (
  refund_id text collate "C" primary key,
  seq bigint generated always as identity,
  session_id text collate "C" not null references sandbox_session,
  account text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  amount int not null check (amount > 0),
  reason text,
  metadata jsonb not null,
  created_at timestamptz not null
);
--> next
create index sandbox_refund_session on sandbox_refund (session_id, seq);
--> next
create table sandbox_idempotency (
  account text not null,
  idempotency_key text not null,
  request_hash text not null,
  -- Null only inside the transaction that acts.
  status int,
  body text,
  created_at timestamptz not null,
  primary key (account, idempotency_key)
);
--> next
create index sandbox_idempotency_created on sandbox_idempotency (created_at);
--> next
create table sandbox_delivery (
  event_id text collate "C" primary key,
  seq bigint generated always as identity,
  receiver text not null check (receiver in ('platform', 'connected')),
  type text not null,
  body text not null,
  attempts int not null default 0,
  -- Null once delivered, dropped, or given up.
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  last_answer text,
  created_at timestamptz not null
);
--> next
create index sandbox_delivery_due on sandbox_delivery (next_attempt_at, seq) where next_attempt_at is not null;
