-- Operators, the people at their desks, and what was changed about them.
create extension if not exists btree_gist;
create extension if not exists pg_trgm;
create extension if not exists unaccent;

-- A business that rents playrooms out, has its customers' money at the provider, and pays for a subscription.
create table operator (
  operator_id text collate "C" primary key check (operator_id like 'operator\_%'),
  name text not null check (name <> ''),
  support_email text,
  -- The telephone number that families call, as the operator writes it. Null: none is known.
  phone text check (phone <> ''),
  -- Who sells by law, and under which tax number, as a receipt says. Null: the receipt says `name` alone.
  legal_name text check (legal_name <> ''),
  tax_number text check (tax_number <> ''),
  connected_account_id text unique check (connected_account_id <> ''),
  billing_customer_id text unique check (billing_customer_id <> ''),
  application_fee_percent numeric(6, 3) not null default 0 check (application_fee_percent between 0 and 100),
  paid_through timestamptz,
  -- When a person last set `paid_through`. Invoices paid earlier do not change it.
  paid_through_set_at timestamptz,
  -- When the provider was last asked what this operator has paid.
  subscription_checked_at timestamptz,
  suspended_at timestamptz,
  -- How often the links to the operator's pages were renewed. Each renewal ends the earlier ones. Null: never.
  link_counter int check (link_counter > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index operator_subscription on operator ((coalesce(paid_through, created_at)))
  where billing_customer_id is not null;

-- An account at the provider that an operator has or had. Events of an account that was left still concern its payments.
-- Written by a trigger of `operator`.
create table operator_account (
  account text collate "C" not null,
  operator_id text collate "C" not null references operator on delete cascade,
  primary key (account, operator_id)
);
create index operator_account_operator on operator_account (operator_id);

-- A change of an operator: what, by whom and why.
create table operator_history (
  seq bigint generated always as identity primary key,
  operator_id text collate "C" not null references operator,
  at timestamptz not null,
  event text not null check (event in ('paid_through', 'suspended', 'resumed', 'connected', 'closed', 'reopened',
    'staff_invited', 'staff_role_changed', 'staff_removed')),
  who text not null,
  -- A person's words, or the invoice.
  reason text,
  -- Of a closed or reopened time: an interval of ISO 8601. Of staff: the person and the role.
  was text,
  became text,
  -- The playroom that was closed or reopened.
  playroom_id text collate "C"
);
create index operator_history_operator on operator_history (operator_id, seq);

-- A person at an operator's desk, who signs in with passkeys.
create table staff (
  staff_id text collate "C" primary key check (staff_id like 'staff\_%'),
  operator_id text collate "C" not null references operator,
  name text not null check (name <> ''),
  role text not null check (role in ('desk', 'manager')),
  -- The digest of the secret in the invitation that is open, and when it ends.
  invitation bytea unique,
  invited_until timestamptz,
  created_at timestamptz not null,
  unique (operator_id, name),
  check ((invitation is null) = (invited_until is null))
);

create table staff_passkey (
  credential_id text collate "C" primary key,
  staff_id text collate "C" not null references staff on delete cascade,
  public_key bytea not null,
  -- How often the authenticator says that it was used. 0: it does not count.
  uses bigint not null check (uses >= 0),
  created_at timestamptz not null,
  used_at timestamptz
);
create index staff_passkey_staff on staff_passkey (staff_id);

-- A browser at the desk. Removing a person ends their sessions on every node.
create table staff_session (
  -- The digest of the cookie.
  token bytea primary key,
  staff_id text collate "C" not null references staff on delete cascade,
  used_at timestamptz not null,
  ends_at timestamptz not null
);
create index staff_session_staff on staff_session (staff_id);
create index staff_session_over on staff_session (ends_at);

-- A challenge that a passkey has answered, kept until it ends by itself: each is answered once.
create table staff_challenge (
  challenge bytea primary key,
  ends_at timestamptz not null
);
create index staff_challenge_over on staff_challenge (ends_at);
