-- Who sells by law, and under which tax number, as a receipt names them. Null: only the name that families know is told.
alter table operator add column legal_name text check (legal_name <> '');
alter table operator add column tax_number text check (tax_number <> '');
