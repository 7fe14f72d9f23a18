-- A connection keeps the plans of the functions for taxes (`functions/taxes.sql`), which divide amounts by the charge step.

drop function if exists shared_out(numeric, numeric[]);

-- Functions: 31cd692f14c03e84
