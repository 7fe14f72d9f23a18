-- Bookings, and the one constraint that refuses every double sale.

-- The functions of this file stand in its indexes, so they never change: what an index holds was made by them.
--
-- A name, ignoring case and spaces.
create function normalized_name(name text) returns text language sql immutable parallel safe as
  $$ select lower(regexp_replace(btrim(name), '\s+', ' ', 'g')) $$;

-- A name or an e-mail address as it is compared: in one Unicode form, ignoring case and spaces. The collation is named,
-- or a caller with an id beside it (collation "C") would lower ASCII letters alone.
create function folded(spelling text) returns text language sql immutable parallel safe as
  $$ select lower(btrim(regexp_replace(normalize(spelling, NFKC), '\s+', ' ', 'g')) collate "default") $$;

-- RFC 3339 with an offset, as terms hold it: so the result does not depend on the session's time zone.
create function instant_of(rfc3339 text) returns timestamptz language sql immutable parallel safe
  return rfc3339::timestamptz;

create table booking (
  booking_id text collate "C" primary key check (booking_id like 'booking\_%'),
  reference text collate "C" not null unique check (reference ~ '^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$'),
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  package_id text collate "C" not null references package,
  key_id text collate "C" not null,
  -- Whether a guest made it. A sign-in makes a new key, so a person has several. Written by a trigger.
  by_guest boolean,
  option_id text not null,
  status text not null check (status in ('held', 'confirmed', 'expired', 'cancelled')),
  payment_status text not null check (payment_status in ('not_required', 'unpaid', 'processing', 'deposit_paid',
    'paid', 'failed', 'refund_pending', 'refunded', 'partially_refunded')),
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  children int not null check (children >= 1),
  adults int not null check (adults >= 0),
  contact_name text not null,
  contact_email text not null,
  contact_phone text,
  child_ages int[] not null default '{}',
  notes text,
  -- The language in which the family last read its pages.
  language text,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- In minor units, as all amounts.
  total int not null check (total >= 0),
  due_now int not null check (due_now between 0 and total),
  paid int not null default 0 check (paid >= 0),
  refunded int not null default 0 check (refunded between 0 and paid),
  -- What must have gone back of the booking's own payments, by its terms or by a person's decision. Null: nothing was
  -- decided. The limits of single refunds are in `refund.owed`.
  refund_owed int check (refund_owed >= 0),
  -- The refunded amount with which a person left the booking confirmed, though all that was paid had gone back.
  kept_refunded int,
  -- A snapshot of the agreed terms (domain/booking/Booking.ts). Later catalogue edits do not change it.
  terms jsonb not null check (jsonb_typeof(terms) = 'object'),
  -- A digest of API key, option and e-mail address. See the index booking_repeated.
  retry_key text,
  -- A digest of the call that asked for another booking of the same option, e-mail address and name. Null: none did.
  another text,
  hold_expires_at timestamptz,
  -- A payment session is live: ask the provider before the hold ends.
  awaiting_provider boolean not null default false,
  -- Whether the family came, as the venue marked it.
  attendance text check (attendance in ('arrived', 'no_show')),
  -- When a person saw that the rest was not paid after the visit.
  unpaid_seen_at timestamptz,
  -- Why a person has to look: money moved and a status could not change (`playroom doctor`).
  flagged text,
  -- How often the link to the family's page was renewed. Each renewal ends the earlier links. Null: never.
  link_counter int check (link_counter > 0),
  -- When the person's data was erased (domain/booking/ErasedPerson.ts).
  erased_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((status = 'held') = (hold_expires_at is not null)),
  check (status <> 'confirmed' or payment_status in
    ('not_required', 'deposit_paid', 'paid', 'refund_pending', 'refunded', 'partially_refunded')),
  check ((payment_status = 'not_required') <= (due_now = 0))
);
create index booking_playroom on booking (playroom_id, starts_at);

-- One request, one booking. While a booking is live, every call with the same API key, option, e-mail address and name
-- gets it, with any idempotency key.
create unique index booking_repeated on booking (retry_key, normalized_name(contact_name), coalesce(another, ''))
  where retry_key is not null and status in ('held', 'confirmed');

-- Holds: those that end, those of a key, those of an e-mail address.
create index booking_held on booking (hold_expires_at) where status = 'held' and payment_status <> 'processing';
create index booking_live_by_key on booking (key_id, hold_expires_at) where status = 'held';
create index booking_held_by_email on booking (folded(contact_email), hold_expires_at) where status = 'held';

-- Other live bookings of the same person: on a day, made lately, and by other guests.
create index booking_live_by_person on booking (key_id, folded(contact_email), starts_at)
  where status in ('held', 'confirmed');
create index booking_made_by_name on booking (key_id, folded(contact_email), folded(contact_name), created_at)
  where status in ('held', 'confirmed');
create index booking_of_guests on booking (folded(contact_email), option_id)
  where by_guest and status in ('held', 'confirmed');

-- An operator's visits of a day. Most rows are expired holds, which are not shown.
create index booking_operator_day on booking (operator_id, starts_at) where status <> 'expired';

-- Visits to come, for reminders.
create index booking_to_come on booking (starts_at, booking_id) where status = 'confirmed';

-- Balances: by when each is due, for reminders; at an operator, for the desk; after the visit, for a person.
create index booking_balance_due on booking (instant_of(terms -> 'price' ->> 'balance_due_at'))
  where status = 'confirmed' and total > due_now and payment_status <> 'paid';
create index booking_unpaid on booking
  (operator_id, coalesce(instant_of(terms -> 'price' ->> 'balance_due_at'), starts_at), booking_id)
  where status = 'confirmed' and total > due_now and payment_status <> 'paid';
create index booking_unpaid_over on booking (ends_at)
  where status = 'confirmed' and total > due_now and payment_status <> 'paid' and unpaid_seen_at is null;

-- What needs a person.
create index booking_flagged on booking (created_at) where flagged is not null;
create index booking_paid_back on booking (starts_at) where status = 'confirmed' and paid > 0 and refunded >= paid;

-- When a booking was over, for the retention of personal data.
create index booking_over on booking ((case when status = 'confirmed' then ends_at else updated_at end), booking_id)
  where erased_at is null and status <> 'held';

-- A change of a booking.
create table booking_history (
  booking_id text collate "C" not null references booking,
  operator_id text collate "C" not null,
  seq bigint generated always as identity,
  at timestamptz not null,
  event text not null,
  from_status text, to_status text,
  from_payment_status text, to_payment_status text,
  -- What it says, as a sentence in English, and in parts that a page can say in the reader's language.
  detail text,
  facts jsonb,
  -- Who at the venue did it.
  done_by text,
  primary key (booking_id, seq)
);

-- The units of a resource that a booking, a closure or another calendar takes, and when. Released units have no rows.
create table occupancy (
  resource_id text collate "C" not null references resource,
  operator_id text collate "C" not null,
  units int4multirange not null check (not isempty(units) and lower(units) >= 0),
  during tstzrange not null check (not isempty(during) and lower(during) is not null and upper(during) is not null),
  booking_id text collate "C" references booking,
  closure_id text collate "C" references closure,
  other_calendar boolean not null default false,
  constraint occupancy_of_one_check check (num_nonnulls(booking_id, closure_id) + other_calendar::int = 1),
  constraint occupancy_no_double_sale exclude using gist (resource_id with =, units with &&, during with &&)
);
create index occupancy_booking on occupancy (booking_id) where booking_id is not null;
create index occupancy_closure on occupancy (closure_id) where closure_id is not null;
create index occupancy_other_calendar on occupancy (resource_id) where other_calendar;

-- The result of a call with an idempotency key.
create table idempotency (
  key_id text collate "C" not null,
  operation text not null check (operation in ('create_booking', 'create_payment_session')),
  idempotency_key text collate "C" not null,
  -- SHA-256 of the arguments: in the caller's own spelling, and with name and e-mail address as they are compared.
  fingerprint bytea not null check (length(fingerprint) = 32),
  folded bytea check (length(folded) = 32),
  result_id text collate "C" not null,
  created_at timestamptz not null,
  primary key (key_id, operation, idempotency_key)
);
create index idempotency_created on idempotency (created_at);

-- What a call of `create_booking` is compared by: `key_id`, its `arguments`, and with an `idempotency_key` its
-- `fingerprint` (hexadecimal).
create type booking_call as (
  key_id text, idempotency_key text, fingerprint bytea, folded bytea, retry_key text, contact_name text,
  contact_email text, another text);

-- A guest's booking that is not paid yet. The retention removes those that no longer count.
create table guest_booking (
  booking_id text collate "C" primary key references booking on delete cascade,
  key_id text collate "C" not null,
  address text not null,
  host text not null,
  playroom_id text collate "C" not null
);
create index guest_booking_key on guest_booking (key_id);

-- A guest who reaches a booking that another guest made.
create table booking_guest (
  key_id text collate "C" not null references api_key on delete cascade,
  booking_id text collate "C" not null references booking on delete cascade,
  -- True: the guest had the link of the booking's page, and has the rights of the guest who made it. False: the guest
  -- knew reference and e-mail address, and may read and pay.
  may_change boolean not null,
  created_at timestamptz not null,
  primary key (key_id, booking_id)
);
create index booking_guest_booking on booking_guest (booking_id);
