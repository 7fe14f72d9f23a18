-- What the service needs to know whether it can read and write.
--
-- For /readyz: whether a booking could be written. An update in place can succeed on a full disk, so the table gets a
-- new file with a page in it, and loses it again: nothing stays but a few bytes of the write-ahead log.
create table write_probe (n int not null);

create function probe_write() returns text language plpgsql as $$
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

-- A row for each process with a read replica. It writes a number of its own here every second, and learns from what the
-- replica shows of it how far the replica is behind. No clocks are compared.
create table replica_heartbeat (
  node uuid primary key,
  beat double precision not null,
  written_at timestamptz not null default now()
);
