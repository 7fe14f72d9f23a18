-- Payments.

-- Notes when a refund succeeded. A refund that fails after all has no such time; one whose amount was corrected has
-- that of the correction.
create or replace function refund_succeeds() returns trigger language plpgsql as $$
begin
  if new.status <> 'succeeded' then
    new.succeeded_at := null;
  elsif new.succeeded_at is null or new.amount <> old.amount then
    new.succeeded_at := new.updated_at;
  end if;
  return new;
end
$$;

create or replace trigger refund_succeeds before insert or update of status on refund
  for each row execute function refund_succeeds();

-- Keeps what was counted as gone back and is not any more, so that the accounts of its day stay as they were.
create or replace function refund_reversed() returns trigger language plpgsql as $$
begin
  insert into refund_reversal (operator_id, booking_id, payment_session_id, refund_id, at, succeeded_at, created_at, cause,
    amount, currency, provider_refund_id, way, tax)
  values (old.operator_id, old.booking_id, old.payment_session_id, old.refund_id, new.updated_at, old.succeeded_at,
    old.created_at, old.cause, old.amount, old.currency, old.provider_refund_id, old.way, old.tax);
  -- What came meanwhile was rounded beside what had gone back: the penny that this leaves is a line of that day.
  insert into tax_correction (operator_id, booking_id, at, currency, tax)
  select old.operator_id, old.booking_id, new.updated_at, old.currency, jsonb_agg(jsonb_build_object(
    'rate_percent', trim_scale(t.rate), 'amount', 0, 'tax', tax_inside(t.came, t.rate, old.currency) - t.tax) order by t.rate desc)
  from booking b cross join lateral taxes_of(b.booking_id, b.terms, '') t
  where b.booking_id = old.booking_id and b.currency = old.currency and tax_inside(t.came, t.rate, old.currency) <> t.tax
  having count(*) > 0;
  return null;
end
$$;

create or replace trigger refund_reversed after update of status, amount on refund for each row
  when (old.status = 'succeeded' and (new.status <> 'succeeded' or new.amount <> old.amount))
  execute function refund_reversed();
