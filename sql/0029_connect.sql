-- OAuth at /mcp/connect: what the authorization server keeps, what people agreed to, and the server's own keys.

-- One row for each client, interaction, authorization code, token and grant. `id` is a SHA-256 digest: codes and tokens are secrets,
-- and the table holds none that could be used.
create table connect_state (
  kind text not null,
  id bytea not null check (length(id) = 32),
  grant_id text collate "C",
  -- As text: a client may send characters that jsonb refuses.
  payload json not null,
  created_at timestamptz not null,
  -- Until when the row counts; after that it is removed. A client's moves on while a grant of it is used.
  expires_at timestamptz not null,
  -- When a code or a refresh token was used: the second time ends its grant.
  consumed_at timestamptz,
  primary key (kind, id)
);
--> next
create index connect_state_grant on connect_state (grant_id) where grant_id is not null;
--> next
create index connect_state_expiry on connect_state (expires_at);
--> next
-- What a person agreed to: that a client acts as a key. A guest's key is the grant's own and nobody knows a secret for it.
create table connect_grant (
  grant_id text collate "C" primary key check (grant_id like 'grant\_%'),
  -- The digest of the consent's id: a person who presses twice agrees once.
  consent bytea unique check (length(consent) = 32),
  sign_in text not null check (sign_in in ('key', 'guest')),
  key_id text collate "C" not null,
  -- The key's digest, as in api_key. The key of the settings has no row there, and its id stays when its secret is replaced.
  key_hash bytea not null check (length(key_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  client_id text not null,
  client_name text,
  -- Who asked: the host of the client's document, or of the address that it sends people back to.
  host text not null,
  -- Whether the client published its document there. Anybody can register a client with any host's address.
  proven boolean not null,
  -- The network address of the person who agreed (IPv6: the /64 network), for the limits of guests.
  address text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
--> next
create index connect_grant_key on connect_grant (key_id);
--> next
create index connect_grant_guest_address on connect_grant (address, created_at) where sign_in = 'guest';
--> next
create index connect_grant_guest_host on connect_grant (host, proven, created_at) where sign_in = 'guest';
--> next
-- Keys of the authorization server, shared by all nodes: what signs its cookies and its ID tokens. A rotation adds a generation.
create table connect_key (
  generation int primary key,
  cookie_secret bytea not null check (length(cookie_secret) = 32),
  -- A private key as JSON Web Key (RFC 7517).
  signing_key jsonb not null,
  created_at timestamptz not null
);
--> next
-- The bookings of guests of which nothing is paid: one row each from the moment that it is made, until the next guest who shares its
-- address, host or playroom finds that it counts no more, or the retention does.
create table guest_booking (
  booking_id text collate "C" primary key references booking on delete cascade,
  key_id text collate "C" not null,
  address text not null,
  host text not null,
  playroom_id text collate "C" not null
);
--> next
create index guest_booking_address on guest_booking (address);
--> next
create index guest_booking_host on guest_booking (host);
--> next
create index guest_booking_playroom on guest_booking (playroom_id);
--> next
-- Whether a booking takes a place for nothing: a live hold, or a visit to come of which nothing is paid. A hold whose payer may still
-- be paying keeps its place after its time.
create function is_unpaid(b booking, at timestamptz) returns boolean language sql immutable as $$
  select b.status = 'held' and (b.hold_expires_at > at or b.awaiting_provider)
    or b.status = 'confirmed' and b.paid = 0 and b.starts_at > at
$$;
--> next
-- Writes down a guest's booking, and counts the unpaid ones: of the guest's key, and of all guests from one address, of one host, and in
-- one playroom. Rows that count no more go first, so what is read stays as small as the limits are. Guests who share one of the three
-- are counted one after the other, to the end of the caller's transaction.
create function add_guest_booking(
  new_booking text, of_key text, of_address text, of_host text, of_playroom text, at timestamptz)
returns table (of_guest int, from_address int, through_host int, in_playroom int) language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('guest address ' || of_address, 0));
  perform pg_advisory_xact_lock(hashtextextended('guest host ' || of_host, 0));
  perform pg_advisory_xact_lock(hashtextextended('guest playroom ' || of_playroom, 0));
  delete from guest_booking where booking_id in (
    select g.booking_id from guest_booking g join booking b using (booking_id)
    where (g.address = of_address or g.host = of_host or g.playroom_id = of_playroom) and not is_unpaid(b, at)
    for update of g skip locked);
  insert into guest_booking (booking_id, key_id, address, host, playroom_id)
    values (new_booking, of_key, of_address, of_host, of_playroom) on conflict do nothing;
  return query
    select count(*) filter (where g.key_id = of_key)::int, count(*) filter (where g.address = of_address)::int,
      count(*) filter (where g.host = of_host)::int, count(*) filter (where g.playroom_id = of_playroom)::int
    from guest_booking g join booking b using (booking_id)
    where (g.address = of_address or g.host = of_host or g.playroom_id = of_playroom) and is_unpaid(b, at);
end $$;
