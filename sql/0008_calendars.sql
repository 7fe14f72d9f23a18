-- Other calendars of playrooms: times that are busy there are taken here.

-- A calendar that the catalogue names (`playroom.details`). Imports keep the rows.
create table calendar_feed (
  feed_id bigint generated always as identity primary key,
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom on delete cascade,
  name text not null,
  url text not null,
  -- When it is asked next. The node that asks sets it ahead, so that no other asks meanwhile.
  ask_at timestamptz not null,
  -- What its host said of the version that was read last.
  etag text,
  last_modified text,
  -- A digest of that version, and up to when its events were read.
  digest bytea,
  read_until timestamptz,
  -- When it was last read, or was the same.
  answered_at timestamptz,
  failing_since timestamptz,
  failure text,
  -- Events of which a time may be busy that is not known: [{"at", "why"}]. No texts of the calendar.
  unread jsonb not null default '[]',
  check ((failing_since is null) = (failure is null)),
  unique (playroom_id, url)
);
create index calendar_feed_due on calendar_feed (ask_at);
create index calendar_feed_failing on calendar_feed (failing_since) where failing_since is not null;
create index calendar_feed_unread on calendar_feed (feed_id) where unread <> '[]';

-- A time at which a calendar is busy, from the moment on at which it was read last. Rows of a calendar do not overlap.
create table calendar_busy (
  feed_id bigint not null references calendar_feed on delete cascade,
  operator_id text collate "C" not null,
  playroom_id text collate "C" not null,
  during tstzrange not null check (not isempty(during) and lower(during) is not null and upper(during) is not null),
  primary key (feed_id, during)
);
create index calendar_busy_playroom on calendar_busy using gist (playroom_id, during);
