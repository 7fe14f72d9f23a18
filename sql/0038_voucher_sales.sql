-- Gift vouchers that are bought on a page and paid at the provider (domain/payment/settlement/VoucherSales.ts). A
-- release that does not sell them reads none of these tables, and `link` in `voucher.way` only of vouchers that were
-- sold so. Amounts are minor units.
alter table operator add column vouchers jsonb;

-- A sale: the payment of one voucher, which is in `voucher` from the moment at which this is paid.
create table voucher_sale (
  voucher_id text collate "C" primary key check (voucher_id like 'voucher\_%'),
  payment_session_id text collate "C" not null unique check (payment_session_id like 'payment\_%'),
  operator_id text collate "C" not null references operator,
  -- Of the voucher that it will be.
  code_digest bytea not null,
  status text not null check (status in ('creating', 'open', 'processing', 'paid', 'failed', 'expired')),
  account text not null,
  amount int not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  application_fee int not null check (application_fee between 0 and amount),
  time_zone text not null,
  -- How long the voucher is valid. Null: it does not end.
  valid_months int check (valid_months > 0),
  provider_session_id text unique,
  payment_intent_id text,
  url text,
  -- The parameters of the provider call, kept so that a retry under the same key sends the same bytes.
  request jsonb not null,
  buyer_name text,
  buyer_email text,
  -- What stands on the voucher: for whom it is, and a line of greeting.
  recipient text,
  greeting text,
  language text not null,
  -- The network address from which it was asked for.
  sender text,
  -- What a person has to see; null if nothing, or if somebody has.
  flagged text,
  expires_at timestamptz not null,
  paid_at timestamptz,
  asked_at timestamptz,
  -- When the provider is asked next: how it stands, or what of it went back. Null: never.
  next_at timestamptz,
  -- The buyer's letter: when it is tried next, how often it was, and why it was not sent.
  letter_at timestamptz,
  letter_tries int not null default 0,
  letter_outcome text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index voucher_sale_next on voucher_sale (next_at) where next_at is not null;
create index voucher_sale_letter on voucher_sale (letter_at) where letter_at is not null;
create index voucher_sale_payment on voucher_sale (payment_intent_id) where payment_intent_id is not null;
create index voucher_sale_unpaid on voucher_sale (created_at) where status not in ('paid');
create index voucher_sale_sender on voucher_sale (created_at) where sender is not null;
create index voucher_sale_flagged on voucher_sale (created_at) where flagged is not null;
create index voucher_sale_of_operator on voucher_sale (operator_id, payment_session_id) where status = 'paid';

-- What of a sale's payment goes or went back: a row counted once stays as it is. If it did not go back after all, it has
-- `reversed_at`, and if it does so again, another row.
create table voucher_refund (
  refund_id text collate "C" primary key check (refund_id like 'refund\_%'),
  voucher_id text collate "C" not null references voucher_sale,
  operator_id text collate "C" not null references operator,
  cause text not null check (cause in ('undone', 'dashboard', 'dispute')),
  status text not null check (status in ('requested', 'pending', 'succeeded', 'failed')),
  amount int not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Of the refund, or of the dispute.
  provider_refund_id text,
  -- The provider's own word for how a dispute stands.
  provider_status text,
  -- Each has another idempotency key.
  attempt int not null default 0,
  failure text,
  -- A person has dealt with its failure.
  seen_at timestamptz,
  succeeded_at timestamptz,
  reversed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index voucher_refund_voucher on voucher_refund (voucher_id);
create index voucher_refund_by_success on voucher_refund (succeeded_at, refund_id) where succeeded_at is not null;
create index voucher_refund_by_reversal on voucher_refund (reversed_at, refund_id) where reversed_at is not null;
create index voucher_refund_of_provider on voucher_refund (provider_refund_id) where provider_refund_id is not null;

alter table voucher drop constraint voucher_way_check;
alter table voucher add constraint voucher_way_check check (way in ('cash', 'card', 'transfer', 'link'));
