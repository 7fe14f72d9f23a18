-- An operator's visits of a day, in all of its playrooms. Holds that expired are most of the rows, and no day shows them.
create index booking_operator_day on booking (operator_id, starts_at) where status <> 'expired';
--> next
create index closure_operator on closure using gist (operator_id, during);
