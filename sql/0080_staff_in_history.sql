-- An operator's history says who invited whom to the desk, and who removed whom. `was` and `became` name the person.
alter table operator_history drop constraint operator_history_event_check;
alter table operator_history add constraint operator_history_event_check
  check (event in ('paid_through', 'suspended', 'resumed', 'connected', 'closed', 'reopened', 'staff_invited', 'staff_removed'));
