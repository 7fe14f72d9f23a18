-- For the audit: an operator's disputes in the order of their ids, without those of all others in between.
create index dispute_operator on dispute (operator_id, dispute_id);
