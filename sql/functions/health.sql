-- Health checks.

-- For /readyz: whether a booking could be written. An update in place can succeed on a full disk, so the check makes
-- the table allocate a new file with a page, and drops it. Only a few bytes of the write-ahead log remain.
create or replace function probe_write() returns text language plpgsql as $$
begin
  if current_setting('transaction_read_only') = 'on' then
    return 'read_only';
  end if;
  begin
    truncate write_probe;
    insert into write_probe values (1);
    raise exception 'undo' using errcode = 'UNDO1';
  exception when sqlstate 'UNDO1' then
    return 'written';
  end;
end $$;
