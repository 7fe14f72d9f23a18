-- Staff without their device get in again by a link of short life.

alter table staff
  -- Which manager made the open invitation: it ends with that. Null: whoever runs the service.
  add column invited_by text collate "C",
  -- When the first passkey was made: another invitation is open for minutes, not days.
  add column joined_at timestamptz;
update staff s set joined_at = (select min(k.created_at) from staff_passkey k where k.staff_id = s.staff_id);

alter table operator_history drop constraint operator_history_event_check;
alter table operator_history add constraint operator_history_event_check
  check (event in ('paid_through', 'suspended', 'resumed', 'connected', 'closed', 'reopened', 'staff_invited',
    'staff_invitation_ended', 'staff_passkeys_ended', 'staff_joined', 'staff_role_changed', 'staff_removed'));
