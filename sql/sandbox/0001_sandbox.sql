-- The sandbox provider's own state: what the real provider would keep. Nothing outside src/extras/sandbox reads it.
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
  -- The language of the payment page, as it was asked for.
  locale text,
  customer_email text,
  receipt_email text,
  client_reference_id text,
  metadata jsonb not null,
  intent_metadata jsonb not null,
  success_url text not null,
  cancel_url text,
  -- Whether the page may offer other currencies, and what its payer paid in one: {"amount", "currency"}.
  adaptive_pricing boolean not null default true,
  presented jsonb,
  payment_intent_id text unique,
  -- How often the payer's card was declined on this page, and when last. A declined try makes a payment of an open session.
  declined int not null default 0,
  declined_at timestamptz,
  -- A delayed payment: when it becomes known, and what it then is.
  settles_at timestamptz,
  settles_as text check (settles_as in ('paid', 'failed')),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  constraint session_check1 check (payment_status <> 'paid' or status = 'complete')
);
create index session_open on sandbox.session (expires_at) where status = 'open';
create index session_settling on sandbox.session (settles_at) where settles_at is not null;

create table sandbox.refund (
  refund_id text collate "C" primary key,
  seq bigint generated always as identity,
  session_id text collate "C" not null references sandbox.session,
  account text not null,
  status text not null check (status in ('pending', 'requires_action', 'succeeded', 'failed', 'canceled')),
  -- A person gave it that status, which it keeps.
  turned boolean not null default false,
  amount int not null check (amount > 0),
  -- Whether the platform's fee goes back in proportion.
  with_fee boolean not null default false,
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

-- A change of an account's balance. What leaves is negative.
create table sandbox.balance_transaction (
  transaction_id text collate "C" primary key,
  seq bigint generated always as identity,
  account text not null,
  type text not null,
  category text not null,
  amount int not null,
  -- The provider's fee, and the platform's; negative if given back.
  fee int not null,
  application_fee int not null,
  currency text not null,
  -- The charge, refund, dispute or payout.
  source_id text not null,
  payout_id text collate "C",
  created_at timestamptz not null,
  available_on timestamptz not null
);
create index balance_account on sandbox.balance_transaction (account, created_at);
create index balance_source on sandbox.balance_transaction (source_id);
create index balance_payout on sandbox.balance_transaction (payout_id);

-- What was paid out of a balance to its bank. Negative: the account's owner paid it in by hand.
create table sandbox.payout (
  payout_id text collate "C" primary key,
  account text not null,
  amount int not null check (amount <> 0),
  currency text not null,
  automatic boolean not null default true,
  -- When the bank sent it back.
  failed_at timestamptz,
  created_at timestamptz not null
);
create index payout_account on sandbox.payout (account, created_at);

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
  -- Made as an event destination, so that it gets thin events.
  thin boolean not null default false,
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

-- A letter that a mail server would have sent. Nobody gets it; the sandbox's page shows it.
create table sandbox.letter (
  letter_id text collate "C" primary key,
  seq bigint generated always as identity unique,
  booking_id text collate "C" not null,
  recipient text not null,
  subject text not null,
  body text not null,
  html text not null,
  entry_name text,
  entry text,
  stop_url text,
  created_at timestamptz not null,
  check ((entry is null) = (entry_name is null))
);
create index letter_booking on sandbox.letter (booking_id);
