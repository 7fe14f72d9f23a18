-- Whether a family came, as the venue marked it; and who at the venue did what the history says.
alter table booking add column attendance text check (attendance in ('arrived', 'no_show'));
alter table booking_history add column done_by text;
