-- What changed an account's balance, and what was paid out of it to its bank. In the provider's minor units; what leaves is negative.
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

create table sandbox.payout (
  payout_id text collate "C" primary key,
  account text not null,
  amount int not null check (amount > 0),
  currency text not null,
  created_at timestamptz not null
);
create index payout_account on sandbox.payout (account, created_at);

-- Whether the platform's fee goes back in proportion.
alter table sandbox.refund add column with_fee boolean not null default false;

-- What was there before has no fees: nobody had asked for them.
insert into sandbox.balance_transaction (transaction_id, account, type, category, amount, fee, application_fee, currency, source_id, created_at, available_on)
select 'txn_' || md5(session_id), account, 'charge', 'charge', amount, 0, application_fee, currency,
  'ch_' || substr(payment_intent_id, 4), created_at, created_at from sandbox.session where payment_status = 'paid'
union all
select 'txn_' || md5(refund_id), r.account, 'refund', 'refund', -r.amount, 0, 0, s.currency, refund_id, r.created_at, r.created_at
  from sandbox.refund r join sandbox.session s using (session_id) where r.status not in ('failed', 'canceled')
union all
select 'txn_' || md5(dispute_id), d.account, 'adjustment', 'dispute', -d.amount, 0, 0, s.currency, dispute_id, d.created_at, d.created_at
  from sandbox.dispute d join sandbox.session s using (session_id)
  where d.status in ('needs_response', 'under_review', 'lost', 'prevented', 'appeal_needs_response', 'appeal_under_review');
