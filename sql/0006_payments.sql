-- Payment sessions, refunds, disputes, and the inbox of the provider's events. Amounts are in minor units.

-- An attempt to pay a booking on the provider's page, or a payment taken at the venue.
create table payment_session (
  payment_session_id text collate "C" primary key check (payment_session_id like 'payment\_%'),
  operator_id text collate "C" not null references operator,
  booking_id text collate "C" not null references booking,
  purpose text not null check (purpose in ('due_now', 'balance')),
  status text not null check (status in ('creating', 'open', 'processing', 'paid', 'failed', 'expired')),
  -- How it was paid: on the provider's page (`link`), or at the venue, and who took it there.
  way text not null default 'link' check (way in ('link', 'cash', 'card', 'transfer')),
  taken_by text,
  -- When a payment at the venue was undone, because it was recorded by mistake, and by whom. It stays in the books, with
  -- its opposite.
  undone_at timestamptz,
  undone_by text,
  account text not null,
  amount int not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  application_fee int not null default 0 check (application_fee between 0 and amount),
  provider_session_id text unique,
  payment_intent_id text,
  url text,
  -- The parameters of the provider call, kept so that a retry under the same key sends the same bytes.
  request jsonb,
  refunded int not null default 0 check (refunded between 0 and amount),
  -- What a payer paid in a currency of their own: {"amount": minor units, "currency": ISO 4217}. Shown, and never counted.
  presented jsonb,
  -- The payer's last unsuccessful try: when, how it ended, the provider's id of the charge, and how many tries there were
  -- (`StoredAttempt`).
  failed_attempt jsonb,
  -- What the provider has of a session whose money is not what was asked for, until a person decides.
  misfit jsonb,
  -- What was asked for, if a person accepted another amount or currency: that is then the session's.
  asked int,
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
  constraint payment_session_recorded_check check (case when way = 'link'
    then undone_at is null and request is not null
      and (status in ('creating', 'expired', 'failed') or (provider_session_id is not null and url is not null))
    else (status = 'paid' or status = 'failed' and undone_at is not null)
      and paid_at is not null and provider_session_id is null and payment_intent_id is null end)
);
create unique index payment_session_live on payment_session (booking_id, purpose)
  where status in ('creating', 'open', 'processing');
create index payment_session_booking on payment_session (booking_id);
-- Events of refunds and disputes name the provider's payment.
create index payment_session_payment on payment_session (payment_intent_id) where payment_intent_id is not null;

-- What is due, and what needs a person.
create index payment_session_due on payment_session (expires_at) where status in ('creating', 'open', 'processing');
create index payment_session_creating on payment_session (created_at) where status = 'creating';
create index payment_session_processing on payment_session (updated_at) where status = 'processing';
create index payment_session_refund_check on payment_session (refund_check_at) where refund_check_at is not null;
create index payment_session_flagged on payment_session (created_at) where flagged is not null;
create index payment_session_misfit on payment_session (operator_id) where misfit is not null;

-- Accounts of a month, of all operators and of one, in the order of time; and for the audit in the order of ids.
create index payment_session_by_time on payment_session (paid_at, payment_session_id) where status = 'paid';
create index payment_session_by_undoing on payment_session (undone_at, payment_session_id) where undone_at is not null;
create index payment_session_of_operator on payment_session (operator_id, paid_at, payment_session_id)
  where status = 'paid';
create index payment_session_paid on payment_session (operator_id, payment_session_id) where status = 'paid';

-- Money that goes back, or went back, of one payment.
create table refund (
  refund_id text collate "C" primary key check (refund_id like 'refund\_%'),
  operator_id text collate "C" not null references operator,
  booking_id text collate "C" not null references booking,
  payment_session_id text collate "C" not null references payment_session,
  cause text not null check (cause in ('late_payment', 'cancellation', 'duplicate_payment', 'dashboard', 'dispute', 'move',
    'goodwill', 'misfit')),
  -- 0: the refund that was decided first. Higher: what was owed again after the provider had corrected what went back.
  turn int not null default 0,
  status text not null check (status in ('requested', 'pending', 'succeeded', 'failed')),
  amount int not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Limit on the sum of the booking's refunds, with this one, by its terms or a person's decision.
  owed int check (owed >= 0),
  provider_refund_id text unique,
  request jsonb not null,
  failure text,
  -- `venue`: until the venue has given it back; then `way` says how.
  waits_for text check (waits_for in ('balance', 'dispute', 'venue')),
  waits_since timestamptz,
  way text check (way in ('cash', 'card', 'transfer')),
  -- Not sent before.
  retry_at timestamptz,
  -- When the provider was last asked to make it. Null: it said no.
  sent_at timestamptz,
  -- When it succeeded, written by a trigger. Later changes leave it; a refund that failed after all and succeeds again has
  -- a new one.
  succeeded_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- A payment is refunded at most once per cause and turn. Moves, operators and disputes may refund parts several times:
-- other checks prevent duplicates of those.
create unique index refund_once_a_turn on refund (payment_session_id, cause, turn)
  where cause not in ('dashboard', 'dispute', 'move');
create index refund_booking on refund (booking_id);
create index refund_unsettled on refund (created_at) where status in ('requested', 'pending');
create index refund_waiting on refund (created_at) where status = 'requested' and waits_for is not null;
create index refund_failed on refund (created_at) where status = 'failed';

-- Accounts of a month, of all operators and of one, in the order of time; and for the audit in the order of ids.
create index refund_by_success on refund (succeeded_at, refund_id) where status = 'succeeded';
create index refund_of_operator on refund (operator_id, succeeded_at, refund_id) where status = 'succeeded';
create index refund_succeeded on refund (operator_id, refund_id) where status = 'succeeded';

-- A payer's dispute of a payment, as the provider has it.
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
  -- When it was first lost.
  lost_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index dispute_booking on dispute (booking_id);
create index dispute_operator on dispute (operator_id, dispute_id);
create index dispute_unseen on dispute (created_at) where seen_status is distinct from status;

-- An event of the provider, as it came.
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

-- Deliveries that a receiver refused since it last took one.
create table refused_delivery (
  receiver text not null,
  reason text not null,
  count int not null,
  -- The last one's signature, as seconds ahead of our clock. Null: it was not ours to read.
  seconds_ahead int,
  since timestamptz not null,
  last_at timestamptz not null,
  primary key (receiver, reason)
);

-- A kind of failure that the payment provider has now. Removed when a call succeeds again.
create table provider_failure (
  kind text primary key,
  operation text not null,
  reason text not null,
  since timestamptz not null,
  last_at timestamptz not null,
  -- When the provider last answered after it: a failure that nobody saw since is over, though no further call is made.
  answered_at timestamptz
);

-- A machine of ours whose clock differs from the payment provider's. Removed when it does no more.
create table clock_offset (
  host text primary key,
  -- What has to be added to its time to get the provider's.
  offset_ms bigint not null,
  since timestamptz not null,
  last_at timestamptz not null
);
