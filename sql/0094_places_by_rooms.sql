-- The places of one room's closures: no release calls this. Those of any number of rooms are made by the function that takes a list.
drop function keep_closure_places(text, timestamptz);
