-- Events tell of which payment session and booking they are, and wait in the queue of their kind.
alter table webhook_event
  add column payment_session_id text collate "C",
  add column booking_id text collate "C",
  -- known: of a payment session of ours, applied first. rest: of one that we do not know (yet), and invoices. asked: the provider is
  -- asked for the object first.
  add column queue text not null default 'rest' check (queue in ('known', 'rest', 'asked'));
--> next
update webhook_event e set payment_session_id = s.payment_session_id, booking_id = s.booking_id
from payment_session s
where s.payment_session_id = substring(e.payload from 'payment_[0-7][0-9a-hjkmnp-tv-z]{25}') and s.account = e.account;
--> next
update webhook_event set queue = 'known' where payment_session_id is not null;
--> next
-- Events at another release of the provider's API were put aside unread. Those that may be ours are asked about.
update webhook_event set status = 'received', queue = 'asked', attempts = 0, outcome = null, applied_at = null, next_attempt_at = now()
where status = 'ignored' and outcome like 'API version %' and (payment_session_id is not null or type = 'invoice.paid');
--> next
-- Of events that are not ours the envelope is enough. (No function reads the body: it may hold what json refuses.)
update webhook_event set payload = json_build_object('id', event_id, 'object', 'event', 'type', type, 'account', account,
  'livemode', livemode, 'api_version', api_version, 'data', json_build_object('object', json_build_object()))::text
where status = 'ignored';
--> next
drop index webhook_event_due;
--> next
create index webhook_event_due on webhook_event (queue, next_attempt_at) where status = 'received';
--> next
create index webhook_event_booking on webhook_event (booking_id) where booking_id is not null;
--> next
-- Money moved and a status could not follow: a person has to look (`playroom doctor`).
alter table booking add column flagged text;
--> next
create index booking_flagged on booking (created_at) where flagged is not null;
