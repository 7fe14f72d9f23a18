-- A closed time, and a spell out of order, by the clock of its place: `time_zone`, `start` and `end` with the offsets that
-- the clock had when it was said, so that both follow the wall when a law changes the clock (domain/booking/ClosedTime.ts).
-- Null: instants of the catalogue file, which stay, or not written down yet. Nodes fill in what is missing.
alter table closure add local_times jsonb;
alter table out_of_order add local_times jsonb;
