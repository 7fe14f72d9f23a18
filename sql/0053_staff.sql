-- The people at an operator's desk. They sign in with passkeys.
create table staff (
  staff_id text collate "C" primary key check (staff_id like 'staff\_%'),
  operator_id text collate "C" not null references operator,
  name text not null check (name <> ''),
  role text not null check (role in ('desk', 'manager')),
  created_at timestamptz not null,
  -- The digest of the secret in the invitation that is open, and when it ends.
  invitation bytea unique,
  invited_until timestamptz,
  unique (operator_id, name),
  check ((invitation is null) = (invited_until is null))
);
create table staff_passkey (
  credential_id text collate "C" primary key,
  staff_id text collate "C" not null references staff on delete cascade,
  public_key bytea not null,
  -- How often the authenticator says that it was used; 0 if it does not count.
  uses bigint not null check (uses >= 0),
  created_at timestamptz not null,
  used_at timestamptz
);
create index staff_passkey_staff on staff_passkey (staff_id);
-- Removing a person ends its sessions on every node.
create table staff_session (
  -- The digest of the cookie.
  token bytea primary key,
  staff_id text collate "C" not null references staff on delete cascade,
  used_at timestamptz not null,
  ends_at timestamptz not null
);
create index staff_session_staff on staff_session (staff_id);
create index staff_session_over on staff_session (ends_at);
-- Challenges that a passkey has answered, until they would have ended: each is answered once.
create table staff_challenge (
  challenge bytea primary key,
  ends_at timestamptz not null
);
create index staff_challenge_over on staff_challenge (ends_at);
