-- Endpoints that were made as event destinations, and get thin events.
alter table sandbox.endpoint add column thin boolean not null default false;
