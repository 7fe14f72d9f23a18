-- Payouts that the account's owner makes by hand, also from its bank into the balance, and payouts that the bank sends back.
alter table sandbox.payout add column automatic boolean not null default true;
alter table sandbox.payout add column failed_at timestamptz;
alter table sandbox.payout drop constraint payout_amount_check;
alter table sandbox.payout add constraint payout_amount_check check (amount <> 0);
