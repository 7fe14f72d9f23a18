-- A refund has every status of the provider's, and a person can give it another one, which it keeps.
alter table sandbox.refund drop constraint refund_status_check;
alter table sandbox.refund add constraint refund_status_check
  check (status in ('pending', 'requires_action', 'succeeded', 'failed', 'canceled'));
alter table sandbox.refund add column turned boolean not null default false;
