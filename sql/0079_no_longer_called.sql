-- What only nodes of earlier releases called: the release before this one calls the functions that took their places.
drop function count_add_ons(text[], timestamptz);
drop function add_guest_booking(text, text, text, text, text, timestamptz);
drop function make_booking(jsonb, jsonb, jsonb, jsonb, boolean, jsonb, integer);
drop function make_booking(jsonb, jsonb, jsonb, jsonb, jsonb, boolean, jsonb, integer);
drop function earlier_booking(jsonb, timestamptz, integer);
drop function earlier_booking(booking_call, timestamptz, integer);
drop function other_bookings(text, text, text, text, timestamptz, integer);
