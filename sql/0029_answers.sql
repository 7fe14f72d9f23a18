-- What a family answered to the venue's questions (domain/catalogue/Questions.ts). Null: nothing yet.
alter table booking add column answers jsonb;
