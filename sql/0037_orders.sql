-- Which bookings one call made together, all or none (domain/booking/Claims.ts). Null: it was made by itself.
alter table booking add column order_id text collate "C";
create index booking_order on booking (order_id) where order_id is not null;
