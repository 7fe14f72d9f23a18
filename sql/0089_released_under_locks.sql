-- Gives back the places of bookings under the locks on their resources, as places are taken: who has locked a resource then waits for
-- none of its rows, and who gives places back to a calendar at the end of its transaction has locked the room before.
create function release_places(of_bookings text[]) returns void language plpgsql as $$
begin
  perform from resource
    where resource_id in (select o.resource_id from occupancy o where o.booking_id = any (of_bookings))
    order by playroom_id nulls first, resource_id for update;
  -- By a statement of its own: an import that had the locks may have counted stock for these bookings.
  delete from occupancy where booking_id = any (of_bookings);
end $$;
