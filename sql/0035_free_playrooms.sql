-- What a search by price shows first: playrooms that may be free.
create index playroom_free on playroom (playroom_id) where listed and from_price = 0;
