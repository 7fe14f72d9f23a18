-- What the provider says of an operator's account: `closed_account` takes no payments, since when and why. It counts
-- only while it is the operator's account. `account_asked_at`: when the provider was last asked about it.
-- `account_opened_at`: when it last took payments again.
alter table operator
  add column closed_account text,
  add column account_closed_at timestamptz,
  add column account_closed_because text,
  add column account_asked_at timestamptz,
  add column account_opened_at timestamptz;
