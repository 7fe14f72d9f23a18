-- Letters to families.

-- A letter. Its row is written in the transaction that decides it, and it is sent outside of it.
create table letter (
  letter_id text collate "C" primary key default 'letter_' || replace(gen_random_uuid()::text, '-', ''),
  seq bigint generated always as identity,
  booking_id text collate "C" not null references booking on delete cascade,
  operator_id text collate "C" not null,
  kind text not null check (kind in ('confirmed', 'changed', 'ended', 'balance_due', 'visit', 'refund_failed', 'link')),
  -- Of a reminder: what it reminds of, so that no other letter of this kind does.
  reminds_of text,
  -- Of a change: the visit as it was before.
  before jsonb,
  -- sent: the mail server has taken it. dropped: it was true no more. dead: given up, for a person.
  status text not null default 'pending' check (status in ('pending', 'sent', 'dropped', 'dead')),
  attempts int not null default 0 check (attempts >= 0),
  -- Of a pending letter; while a node sends it, when another one takes it over.
  next_attempt_at timestamptz,
  -- Why it is not sent (yet), without anybody's words.
  outcome text,
  decided_at timestamptz not null,
  -- When sending was last begun, and a digest of the address, for a day: how many letters that address had.
  tried_at timestamptz,
  sent_to bytea,
  sent_at timestamptz,
  unique (booking_id, kind, reminds_of),
  check ((status = 'pending') = (next_attempt_at is not null)),
  check ((status = 'sent') = (sent_at is not null))
);
create index letter_due on letter (next_attempt_at, seq) where status = 'pending';
create index letter_dead on letter (decided_at) where status = 'dead';
create index letter_sent_to on letter (sent_to, tried_at) where sent_to is not null;
create index letter_over on letter (decided_at) where status in ('sent', 'dropped');

-- An address, as a digest, to which no more reminders are sent.
create table reminder_stop (
  address bytea primary key,
  stopped_at timestamptz not null
);

-- Up to which moment (a visit's start, a balance's date) bookings were looked at for a kind of reminder.
create table reminder_cursor (
  name text primary key,
  moment timestamptz not null,
  booking_id text collate "C" not null default ''
);
