-- Machines of ours whose clock differs from the payment provider's: one row each, removed when it does no more.
create table clock_offset (
  host text primary key,
  -- What has to be added to its time to get the provider's.
  offset_ms bigint not null,
  since timestamptz not null,
  last_at timestamptz not null
);

-- Deliveries that a receiver refused since it last took one.
create table refused_delivery (
  receiver text not null,
  reason text not null,
  count int not null,
  -- The last one's signature, as seconds ahead of our clock; null if it was not ours to read.
  seconds_ahead int,
  since timestamptz not null,
  last_at timestamptz not null,
  primary key (receiver, reason)
);
