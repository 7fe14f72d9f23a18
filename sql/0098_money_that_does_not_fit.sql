-- What the provider has of a session whose money is not what was asked for, until a person decides about it.
alter table payment_session add column misfit jsonb;
-- What was asked for, if a person has decided about another amount or currency: that is then the session's.
alter table payment_session add column asked int;
create index payment_session_misfit on payment_session (operator_id) where misfit is not null;

-- Such money may be sent back: it never counts for the booking.
alter table refund drop constraint refund_cause_check;
alter table refund add constraint refund_cause_check
  check (cause in ('late_payment', 'cancellation', 'duplicate_payment', 'dashboard', 'dispute', 'move', 'goodwill', 'misfit'));

-- The accounts at the provider that each operator has or had: what is told of one that it has left is still told of its payments.
create table operator_account (
  account text collate "C" not null,
  operator_id text collate "C" not null references operator on delete cascade,
  primary key (account, operator_id)
);
create index operator_account_operator on operator_account (operator_id);

create function keep_operator_account() returns trigger language plpgsql as $$
begin
  insert into operator_account (account, operator_id) values (new.connected_account_id, new.operator_id) on conflict do nothing;
  return null;
end $$;

create trigger operator_account_kept after insert or update of connected_account_id on operator
  for each row when (new.connected_account_id is not null) execute function keep_operator_account();

insert into operator_account (account, operator_id)
  select connected_account_id, operator_id from operator where connected_account_id is not null
  union select account, operator_id from payment_session where account <> ''
  on conflict do nothing;
