-- What the hosted page says above its button (custom_text.submit.message).
alter table sandbox_session add column submit_text text;
