-- What a line of a booking's history says, in parts that a page can say in the reader's language: `detail` is a sentence in English.
alter table booking_history add column facts jsonb;

-- Whose words are erased from a line is erased from its parts, too, also by a process of the release before.
create function erase_history_facts() returns trigger language plpgsql as $$
begin
  new.facts := null;
  return new;
end $$;
create trigger erase_history_facts before update of detail on booking_history
  for each row when (new.detail is null) execute function erase_history_facts();
