-- One payment for several bookings that were made together (domain/payment/settlement/OrderPayments.ts): the sale of a
-- voucher that nobody is given, and that is spent on them from the moment at which it is paid. A release that makes no
-- such pages reads none of these columns.
alter table voucher_sale
  add column order_id text collate "C",
  -- What is asked for each booking: [{booking_id, amount}]. Null: a gift voucher.
  add column parts jsonb,
  add constraint voucher_sale_parts check ((order_id is null) = (parts is null));
create index voucher_sale_order on voucher_sale (order_id) where order_id is not null;

-- It is a booking's part of such a payment: paid online, though the provider has the whole.
alter table payment_session add column together boolean not null default false;
