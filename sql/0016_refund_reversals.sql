-- What was counted as gone back and did not after all: a refund that failed after it had succeeded, a lost dispute that
-- was won, an amount that the provider corrected. The line stays in the accounts of its day (`succeeded_at`), and its
-- opposite is of the day on which that was known (`at`). Amounts are minor units; `tax` as in `refund`.
create table refund_reversal (
  operator_id text collate "C" not null references operator,
  booking_id text collate "C" not null references booking on delete cascade,
  seq bigint generated always as identity,
  payment_session_id text collate "C" not null references payment_session on delete cascade,
  refund_id text collate "C" not null,
  at timestamptz not null,
  succeeded_at timestamptz not null,
  -- When the refund's row was made.
  created_at timestamptz not null,
  cause text not null,
  amount int not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  provider_refund_id text,
  way text check (way in ('cash', 'card', 'transfer')),
  tax jsonb,
  primary key (booking_id, seq)
);
create index refund_reversal_by_success on refund_reversal (succeeded_at, refund_id);
create index refund_reversal_by_time on refund_reversal (at, refund_id);
create index refund_reversal_of_operator on refund_reversal (operator_id, at);
create index refund_reversal_of_provider on refund_reversal (provider_refund_id) where provider_refund_id is not null;

-- Functions: e58b582019e048bb
