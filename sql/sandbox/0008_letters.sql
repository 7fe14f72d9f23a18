-- Letters that a mail server would have sent. Nobody gets them; the sandbox's page shows them.
create table sandbox.letter (
  letter_id text collate "C" primary key,
  seq bigint generated always as identity unique,
  booking_id text collate "C" not null,
  recipient text not null,
  subject text not null,
  body text not null,
  html text not null,
  entry_name text,
  entry text,
  stop_url text,
  created_at timestamptz not null,
  check ((entry is null) = (entry_name is null))
);
create index letter_booking on sandbox.letter (booking_id);
