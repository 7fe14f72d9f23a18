-- Bookings, and the one constraint that refuses every double sale.
create table api_key (
  key_id text collate "C" primary key check (key_id like 'key\_%'),
  label text not null,
  hash bytea not null unique check (length(hash) = 32),
  scopes text[] not null check (scopes <@ array['bookings:read', 'bookings:write', 'payments:write', 'admin'] and cardinality(scopes) > 0),
  operator_id text collate "C" references operator,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
--> next
create table booking (
  booking_id text collate "C" primary key check (booking_id like 'booking\_%'),
  reference text collate "C" not null unique check (reference ~ '^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$'),
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  package_id text collate "C" not null references package,
  key_id text collate "C" not null,
  option_id text not null,
  status text not null check (status in ('held', 'confirmed', 'expired', 'cancelled')),
  payment_status text not null check (payment_status in
    ('not_required', 'unpaid', 'processing', 'deposit_paid', 'paid', 'failed', 'refund_pending', 'refunded', 'partially_refunded')),
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  children int not null check (children >= 1),
  adults int not null check (adults >= 0),
  contact_name text not null,
  contact_email text not null,
  contact_phone text,
  child_ages int[] not null default '{}',
  notes text,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  total int not null check (total >= 0),
  due_now int not null check (due_now between 0 and total),
  paid int not null default 0 check (paid >= 0),
  refunded int not null default 0 check (refunded between 0 and paid),
  -- What was agreed, as it stood when it was booked (Booking.ts, BookingTerms): later edits to the catalogue do not reach it.
  terms jsonb not null check (jsonb_typeof(terms) = 'object'),
  -- Set where the caller gave no idempotency key: same key, option and e-mail while the booking is alive is a retry.
  retry_key text,
  hold_expires_at timestamptz,
  -- A live payment session: the hold is not released on time alone, the provider is asked first.
  awaiting_provider boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((status = 'held') = (hold_expires_at is not null)),
  check (status <> 'confirmed' or payment_status in ('not_required', 'deposit_paid', 'paid', 'refund_pending', 'refunded', 'partially_refunded')),
  check ((payment_status = 'not_required') <= (due_now = 0))
);
--> next
create unique index booking_retry on booking (retry_key) where retry_key is not null and status in ('held', 'confirmed');
--> next
create index booking_held on booking (hold_expires_at) where status = 'held' and payment_status <> 'processing';
--> next
create index booking_held_by_key on booking (key_id) where status = 'held';
--> next
create index booking_held_by_email on booking (lower(contact_email)) where status = 'held';
--> next
create index booking_playroom on booking (playroom_id, starts_at);
--> next
create table booking_history (
  booking_id text collate "C" not null references booking,
  operator_id text collate "C" not null,
  seq bigint generated always as identity,
  at timestamptz not null,
  event text not null,
  from_status text, to_status text,
  from_payment_status text, to_payment_status text,
  detail text,
  primary key (booking_id, seq)
);
--> next
create table occupancy (
  resource_id text collate "C" not null references resource,
  operator_id text collate "C" not null,
  units int4multirange not null check (not isempty(units) and lower(units) >= 0),
  during tstzrange not null check (not isempty(during) and lower(during) is not null and upper(during) is not null),
  booking_id text collate "C" references booking,
  closure_id text collate "C" references closure,
  check (num_nonnulls(booking_id, closure_id) = 1),
  constraint occupancy_no_double_sale exclude using gist (resource_id with =, units with &&, during with &&)
);
--> next
create index occupancy_booking on occupancy (booking_id) where booking_id is not null;
--> next
create index occupancy_closure on occupancy (closure_id) where closure_id is not null;
--> next
-- What a call under an idempotency key did. `fingerprint` is a SHA-256 of its arguments.
create table idempotency (
  key_id text collate "C" not null,
  operation text not null check (operation in ('create_booking', 'create_payment_session')),
  idempotency_key text collate "C" not null,
  fingerprint bytea not null check (length(fingerprint) = 32),
  result_id text collate "C" not null,
  created_at timestamptz not null,
  primary key (key_id, operation, idempotency_key)
);
--> next
create index idempotency_created on idempotency (created_at);
