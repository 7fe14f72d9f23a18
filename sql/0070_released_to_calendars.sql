-- Places that a booking gives back while another calendar of the playroom is busy go to that calendar in the same transaction: before,
-- they were for sale until its next look. At the transaction's end, since a change of a booking gives back its places and takes them again.
create function give_places_to_calendars() returns trigger language plpgsql as $$
begin
  if exists (select from calendar_feed f where f.playroom_id = old.resource_id) then
    -- What is busy is asked under the lock, so that a look which is writing just now is not missed.
    perform from resource r where r.resource_id = old.resource_id for update;
    if exists (select from calendar_busy b where b.playroom_id = old.resource_id and b.during && old.during) then
      perform keep_calendar_places(old.resource_id, '-infinity');
    end if;
  end if;
  return null;
end $$;

create constraint trigger occupancy_given_back after delete on occupancy deferrable initially deferred
  for each row when (old.booking_id is not null) execute function give_places_to_calendars();
