-- The sandbox's side of what the platform does with its own account: webhook endpoints, connected accounts, invoices.
create table sandbox_endpoint (
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
--> next
create table sandbox_account (
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
--> next
create table sandbox_invoice (
  invoice_id text collate "C" primary key,
  seq bigint generated always as identity,
  customer text not null,
  invoice jsonb not null,
  created_at timestamptz not null
);
--> next
create index sandbox_invoice_customer on sandbox_invoice (customer, seq);
