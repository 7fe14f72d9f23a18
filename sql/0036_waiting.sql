-- Families who wait for places of a start that is booked out (domain/booking/WaitingList.ts).
create table waiting (
  waiting_id text collate "C" primary key,
  operator_id text collate "C" not null references operator,
  playroom_id text collate "C" not null references playroom,
  option_id text collate "C" not null,
  starts_at timestamptz not null,
  -- For which it would have places, with setting up and cleaning up.
  claimed tstzrange not null,
  contact_name text not null,
  contact_email text not null,
  child_ages int[] not null default '{}',
  -- In which the family is written to (BCP 47).
  language text not null,
  -- The network address that it was put there from (`bucketOf`), and the entry's number among those of its network.
  sender text not null,
  turn int not null,
  created_at timestamptz not null,
  -- When its start is looked at next: as a node that looks at it says, or at once, as places have come back.
  look_at timestamptz not null,
  -- When places came back, by the clock of the database, until they have been offered: nobody else gets them meanwhile.
  came_back_at timestamptz
);
create index waiting_due on waiting (look_at);
create index waiting_start on waiting (playroom_id, starts_at);
create index waiting_claimed on waiting using gist (operator_id, claimed);
create index waiting_came_back on waiting (playroom_id) where came_back_at is not null;
create index waiting_person on waiting (folded(contact_email));
create index waiting_operator on waiting (operator_id, starts_at);

-- A letter after places came back, which are held for the family that waited first.
alter table letter drop constraint letter_kind_check;
alter table letter add constraint letter_kind_check
  check (kind in ('confirmed', 'changed', 'ended', 'balance_due', 'visit', 'refund_failed', 'sent_back', 'link',
    'booked', 'readdressed', 'from_venue', 'places_back'));
-- Functions: ff8693020edac75b
