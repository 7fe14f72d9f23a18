-- The payer's last unsuccessful try on a payment page: when, how it ended, the provider's id of the charge, and how many
-- tries there were (`StoredAttempt`).
alter table payment_session add column failed_attempt jsonb;
