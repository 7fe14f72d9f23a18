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
  sign_in text not null check (sign_in in ('key', 'guest')),
  key_id text collate "C" not null,
  -- The key's digest, as in api_key. The key of the settings has no row there, and its id stays when its secret is replaced.
  key_hash bytea not null check (length(key_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  client_id text not null,
  client_name text,
  -- Who asked: the host of the client's document, or of the address that it sends people back to.
  host text not null,
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
create index connect_grant_guest_host on connect_grant (host, created_at) where sign_in = 'guest';
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
-- The bookings of guests that cost nobody anything yet: live holds, and visits to come of which nothing is paid. Counted for one
-- guest's key, for all guests from one address, and for all who use one host; the last two up to `most`. Guests of one address or
-- host who book at once are counted one after the other, to the end of the caller's transaction.
create function count_unpaid_of_guests(of_key text, of_address text, of_host text, at timestamptz, most int)
returns table (of_guest int, of_network int, of_client int) language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('guest address ' || of_address, 0));
  perform pg_advisory_xact_lock(hashtextextended('guest host ' || of_host, 0));
  return query
    select
      (select count(*)::int from booking b where b.key_id = of_key
        and (b.status = 'held' and b.hold_expires_at > at or b.status = 'confirmed' and b.paid = 0 and b.starts_at > at)),
      (select count(*)::int from (
        select from connect_grant g join booking b on b.key_id = g.key_id
        where g.sign_in = 'guest' and g.address = of_address
          and (b.status = 'held' and b.hold_expires_at > at or b.status = 'confirmed' and b.paid = 0 and b.starts_at > at)
        limit most) network),
      (select count(*)::int from (
        select from connect_grant g join booking b on b.key_id = g.key_id
        where g.sign_in = 'guest' and g.host = of_host
          and (b.status = 'held' and b.hold_expires_at > at or b.status = 'confirmed' and b.paid = 0 and b.starts_at > at)
        limit most) client);
end $$;
