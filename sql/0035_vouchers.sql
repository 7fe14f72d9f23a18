-- Gift vouchers (domain/payment/sessions/Vouchers.ts). Amounts are minor units. What is left of a voucher is stored
-- nowhere: it is the amount, less what was paid with it, and with what of that went back onto it.
create table voucher (
  voucher_id text collate "C" primary key check (voucher_id like 'voucher\_%'),
  operator_id text collate "C" not null references operator,
  -- SHA-256 of its code.
  code_digest bytea not null unique,
  amount int not null check (amount > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- How it was paid, and who took the money.
  way text not null check (way in ('cash', 'card', 'transfer')),
  sold_by text,
  sold_at timestamptz not null,
  -- Of the venue when it was sold: in the accounts it is of a day there.
  time_zone text not null,
  -- Null: it does not end.
  expires_at timestamptz check (expires_at > sold_at),
  -- It was sold by mistake. It stays in the accounts, with its opposite.
  voided_at timestamptz,
  voided_by text
);
create index voucher_by_sale on voucher (operator_id, sold_at, voucher_id);
create index voucher_by_end on voucher (expires_at, voucher_id) where expires_at is not null and voided_at is null;
create index voucher_by_voiding on voucher (voided_at, voucher_id) where voided_at is not null;
create index voucher_sold on voucher (sold_at, voucher_id);

alter table payment_session add column voucher_id text collate "C" references voucher;
create index payment_session_voucher on payment_session (voucher_id) where voucher_id is not null;
alter table payment_session drop constraint payment_session_way_check;
alter table payment_session add constraint payment_session_way_check
  check (way in ('link', 'cash', 'card', 'transfer') or way = 'voucher' and voucher_id is not null);
alter table refund drop constraint refund_way_check;
alter table refund add constraint refund_way_check check (way in ('cash', 'card', 'transfer', 'voucher'));
alter table refund_reversal drop constraint refund_reversal_way_check;
alter table refund_reversal add constraint refund_reversal_way_check
  check (way in ('cash', 'card', 'transfer', 'voucher'));
