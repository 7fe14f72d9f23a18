-- When the provider last answered after a failure: one that nobody saw since is over, though no further call is made.
alter table provider_failure add column answered_at timestamptz;
