-- When the last try to pay on a session's page was declined. A declined try makes a payment of an open session.
alter table sandbox.session add column declined_at timestamptz;
alter table sandbox.session drop constraint session_check;
