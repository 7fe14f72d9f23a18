-- When the person was taken out of a booking (booking/ErasedPerson.ts); null: their data is still there.
alter table booking add column erased_at timestamptz;
--> next
-- What the retention of personal data looks for: since when a booking has been over.
create index booking_over on booking ((case when status = 'confirmed' then ends_at else updated_at end), booking_id)
  where erased_at is null and status <> 'held';
