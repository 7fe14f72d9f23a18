-- What an audit need not look at again (ops/audit/RowFaults.ts). A stretch of bookings, in the order of their ids, reaches
-- from the one before it to its last booking.
create table audit_mark (
  last_booking_id text collate "C" primary key,
  -- Of all its rows, as they were when an audit found them sound. Empty: one did not.
  digest text not null
);
