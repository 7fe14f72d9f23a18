-- For /readyz: whether a booking could be written. An update in place can succeed on a full disk, so the table gets a new file with
-- a page in it, and loses it again: nothing stays but a few bytes of the log, which is written through.
create table write_trial (n int not null);
--> next
create function try_to_write() returns text language plpgsql as $$
begin
  if current_setting('transaction_read_only') = 'on' then
    return 'read_only';
  end if;
  begin
    truncate write_trial;
    insert into write_trial values (1);
    raise exception 'undo' using errcode = 'UNDO1';
  exception when sqlstate 'UNDO1' then
    return 'written';
  end;
end $$;
