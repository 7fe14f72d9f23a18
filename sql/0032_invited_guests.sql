-- Guests who say on a visit's invitation that they come (domain/booking/InvitedGuests.ts). Null: nobody yet.
alter table booking add column guests jsonb;
