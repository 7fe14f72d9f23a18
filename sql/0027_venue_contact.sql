-- The telephone number that families call, as the operator writes it. Null: none is known.
alter table operator add column phone text check (phone <> '');
