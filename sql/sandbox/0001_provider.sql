-- The sandbox provider's own state: what the real provider would keep. Nothing outside src/sandbox reads it.
-- Amounts are in the provider's minor units, currencies in lower case, as on its wire.
create table sandbox.session (
  session_id text collate "C" primary key,
  account text not null,
  status text not null check (status in ('open', 'complete', 'expired')),
  payment_status text not null check (payment_status in ('paid', 'unpaid')),
  amount int not null check (amount > 0),
  currency text not null,
  application_fee int not null,
  product_name text not null,
  -- What the hosted page says above its button (custom_text.submit.message).
  submit_text text,
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
create index session_open on sandbox.session (expires_at) where status = 'open';
create index session_settling on sandbox.session (settles_at) where settles_at is not null;

create table sandbox.refund (
  refund_id text collate "C" primary key,
  seq bigint generated always as identity,
  session_id text collate "C" not null references sandbox.session,
  account text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  amount int not null check (amount > 0),
  reason text,
  metadata jsonb not null,
  created_at timestamptz not null
);
create index refund_session on sandbox.refund (session_id, seq);

create table sandbox.dispute (
  dispute_id text collate "C" primary key,
  seq bigint generated always as identity,
  session_id text collate "C" not null references sandbox.session,
  account text not null,
  status text not null,
  amount int not null check (amount > 0),
  created_at timestamptz not null
);
create index dispute_session on sandbox.dispute (session_id, seq);

create table sandbox.idempotency (
  account text not null,
  idempotency_key text not null,
  request_hash text not null,
  -- Null only inside the transaction that acts.
  status int,
  body text,
  created_at timestamptz not null,
  primary key (account, idempotency_key)
);
create index idempotency_created on sandbox.idempotency (created_at);

create table sandbox.delivery (
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
create index delivery_due on sandbox.delivery (next_attempt_at, seq) where next_attempt_at is not null;

-- The platform's own account: webhook endpoints, connected accounts, invoices.
create table sandbox.endpoint (
  endpoint_id text collate "C" primary key,
  seq bigint generated always as identity,
  url text not null,
  connect boolean not null,
  api_version text,
  enabled_events jsonb not null check (jsonb_typeof(enabled_events) = 'array'),
  description text,
  metadata jsonb not null,
  disabled boolean not null default false,
  created_at timestamptz not null
);

create table sandbox.account (
  account_id text collate "C" primary key,
  country text not null,
  email text,
  business_name text,
  metadata jsonb not null,
  -- Its owner has answered all questions, so that it can take payments.
  ready boolean not null default false,
  -- The latest onboarding link.
  return_url text,
  refresh_url text,
  link_expires_at timestamptz,
  created_at timestamptz not null
);

create table sandbox.invoice (
  invoice_id text collate "C" primary key,
  seq bigint generated always as identity,
  customer text not null,
  invoice jsonb not null,
  created_at timestamptz not null
);
create index invoice_customer on sandbox.invoice (customer, seq);
