-- Events of refunds and disputes name the provider's payment.
create index payment_session_payment on payment_session (payment_intent_id) where payment_intent_id is not null;
