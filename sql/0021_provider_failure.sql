-- How the payment provider fails now, if it does: one row for each way, gone when a call succeeds again.
create table provider_failure (
  kind text primary key,
  operation text not null,
  reason text not null,
  since timestamptz not null,
  last_at timestamptz not null
);
--> next
-- What was set aside is few among many: doctor and metrics find it without reading the others.
create index webhook_event_aside on webhook_event (received_at) where status in ('rejected', 'dead');
