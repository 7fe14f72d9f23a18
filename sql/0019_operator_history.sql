-- What was changed about an operator, by whom and why; and when the provider was last asked what it has paid.
create table operator_history (
  seq bigint generated always as identity primary key,
  operator_id text collate "C" not null references operator,
  at timestamptz not null,
  event text not null check (event in ('paid_through', 'suspended', 'resumed', 'connected')),
  who text not null,
  -- Why: a person's words, or the invoice.
  reason text,
  was text,
  became text
);
--> next
create index operator_history_operator on operator_history (operator_id, seq);
--> next
alter table operator add column subscription_asked_at timestamptz;
--> next
-- When a person last set `paid_through`: invoices that were paid before have no say any more when the provider is asked.
alter table operator add column paid_through_set_at timestamptz;
--> next
create index operator_subscription on operator ((coalesce(paid_through, created_at))) where billing_customer_id is not null;
