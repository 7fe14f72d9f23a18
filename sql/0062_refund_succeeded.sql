-- When a refund succeeded. Later changes of its row leave it as it is; one that failed after all and succeeds again has a new one.
alter table refund add column succeeded_at timestamptz;
update refund set succeeded_at = updated_at where status = 'succeeded';

-- A trigger, because a release before writes no such column.
create function refund_succeeds() returns trigger language plpgsql as $$
begin
  if new.status <> 'succeeded' then
    new.succeeded_at := null;
  elsif new.succeeded_at is null then
    new.succeeded_at := new.updated_at;
  end if;
  return new;
end
$$;
create trigger refund_succeeds before insert or update of status on refund
  for each row execute function refund_succeeds();

create index refund_by_success on refund (succeeded_at, refund_id) where status = 'succeeded';
