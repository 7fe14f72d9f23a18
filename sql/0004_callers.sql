-- Who may call, and how often: API keys, OAuth at /mcp/connect, rate limits, and the service's own secrets.

create table api_key (
  key_id text collate "C" primary key check (key_id like 'key\_%'),
  label text not null,
  hash bytea not null unique check (length(hash) = 32),
  scopes text[] not null
    check (scopes <@ array['bookings:read', 'bookings:write', 'payments:write', 'admin'] and cardinality(scopes) > 0),
  operator_id text collate "C" references operator,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);

-- A token bucket of an address or key, shared by all nodes. Unlogged: after a crash all are full. Each call writes a
-- bucket, so a page has room for the new version of a row beside the old one, and no index is on what changes.
create unlogged table rate_limit (
  key text collate "C" primary key,
  tokens double precision not null,
  -- The tokens granted to the last attempt.
  granted double precision not null,
  -- Milliseconds since 1970 at which the running refill interval started.
  refilled_at double precision not null
) with (fillfactor = 50);

-- A client, interaction, authorization code, token or grant of the authorization server. `id` is a SHA-256 digest: codes
-- and tokens are secrets, and the table holds none that could be used.
create table connect_state (
  kind text not null,
  id bytea not null check (length(id) = 32),
  grant_id text collate "C",
  -- As text: a client may send characters that jsonb refuses.
  payload json not null,
  created_at timestamptz not null,
  -- When the row expires and is removed. A client's expiry moves on while one of its grants is used.
  expires_at timestamptz not null,
  -- When a code or a refresh token was used. The second use ends its grant.
  consumed_at timestamptz,
  -- What the successor of a used refresh token is derived from, together with that token, which the table does not hold.
  -- Random, and removed soon after it has served.
  successor_salt bytea check (length(successor_salt) = 32),
  primary key (kind, id)
);
create index connect_state_grant on connect_state (grant_id) where grant_id is not null;
create index connect_state_expiry on connect_state (expires_at);
create index connect_state_successor on connect_state (consumed_at) where successor_salt is not null;

-- A person's consent that a client acts as a key. A guest's key belongs to the grant and has no secret.
create table connect_grant (
  grant_id text collate "C" primary key check (grant_id like 'grant\_%'),
  -- The digest of the consent's id, so that a double click makes one grant.
  consent bytea unique check (length(consent) = 32),
  sign_in text not null check (sign_in in ('key', 'guest')),
  key_id text collate "C" not null,
  -- The key's digest, as in api_key. The settings' key has no row there, and keeps its id when its secret is replaced.
  key_hash bytea not null check (length(key_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  client_id text not null,
  client_name text,
  -- The host of the client's metadata document, or of its redirect address.
  host text not null,
  -- Whether the client published its document there. Anybody can register a client with any host's address.
  proven boolean not null,
  -- The network address of the person who agreed (IPv6: the /64 network), for the limits of guests.
  address text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index connect_grant_key on connect_grant (key_id);
create index connect_grant_guest_address on connect_grant (address, created_at) where sign_in = 'guest';
create index connect_grant_guest_host on connect_grant (host, proven, created_at) where sign_in = 'guest';

-- A generation of keys of the authorization server, shared by all nodes: they sign its cookies and its ID tokens.
create table connect_key (
  generation int primary key,
  cookie_secret bytea not null check (length(cookie_secret) = 32),
  -- A private key as JSON Web Key (RFC 7517).
  signing_key jsonb not null,
  created_at timestamptz not null
);

-- A secret of the service itself: random, made once, shared by all nodes.
create table service_secret (
  name text primary key,
  secret bytea not null,
  created_at timestamptz not null
);

-- The network of an address as it is stored (`bucketOf`): the /48 of a /64; an IPv4 address itself.
create function network_of(address text) returns text language sql immutable parallel safe
return regexp_replace(address, '^((?:[0-9a-f]{1,4}:){2}[0-9a-f]{1,4}):[0-9a-f]{1,4}::/64$', '\1::/48');

-- A sign-in or registration of the last hour. Unlogged: after a crash everybody has the whole share.
create unlogged table admission (
  kind text not null check (kind in ('sign_in', 'registration')),
  address text not null,
  at timestamptz not null,
  -- Whether it is beyond the sender's own (`within_share`).
  beyond_own boolean not null
);
create index admission_network on admission (kind, network_of(address), at);
create index admission_beyond on admission (kind, at) where beyond_own;
create index admission_at on admission (at);

-- Look-ups by one sender that found nothing, in an hour from the first. Unlogged: after a crash everybody begins anew.
create unlogged table failed_lookup (
  -- An API key's id, or a guest's id or network address.
  sender text collate "C" not null,
  -- What was looked for, as a digest.
  about text collate "C" not null,
  failures int not null,
  since timestamptz not null,
  primary key (sender, about)
);
create index failed_lookup_since on failed_lookup (since);
