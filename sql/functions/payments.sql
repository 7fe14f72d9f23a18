-- Payments.

-- Notes when a refund succeeded. A refund that fails after all has no such time.
create or replace function refund_succeeds() returns trigger language plpgsql as $$
begin
  if new.status <> 'succeeded' then
    new.succeeded_at := null;
  elsif new.succeeded_at is null then
    new.succeeded_at := new.updated_at;
  end if;
  return new;
end
$$;

create or replace trigger refund_succeeds before insert or update of status on refund
  for each row execute function refund_succeeds();
