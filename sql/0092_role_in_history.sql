-- An operator's history says who gave whom another role at the desk, by a word of its own.
alter table operator_history drop constraint operator_history_event_check;
alter table operator_history add constraint operator_history_event_check
  check (event in ('paid_through', 'suspended', 'resumed', 'connected', 'closed', 'reopened', 'staff_invited', 'staff_role_changed',
    'staff_removed'));
