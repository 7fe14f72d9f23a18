-- Health checks.

-- For /readyz: whether a booking could be written. An update in place can succeed on a full disk, so the check makes
-- the table allocate a new file with a page, and drops it. Only a few bytes of the write-ahead log remain.
create or replace function probe_write() returns text language plpgsql as $$
begin
  if current_setting('transaction_read_only') = 'on' then
    return 'read_only';
  end if;
  if exists (select from database_move) then
    return 'moved';
  end if;
  begin
    truncate write_probe;
    insert into write_probe values (1);
    raise exception 'undo' using errcode = 'UNDO1';
  exception when sqlstate 'UNDO1' then
    return 'written';
  end;
end $$;

-- Of triggers of a database whose rows move elsewhere (`playroom database copy --move`): with the code of a read-only
-- database, so that callers are told to come back.
create or replace function refuse_moved() returns trigger language plpgsql as $$
begin
  raise exception 'the rows of this database move to %', (select target from database_move) using errcode = '25006';
end $$;
