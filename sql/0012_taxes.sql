-- What each payment and refund is made of by rates of tax, kept when it is counted: a later import changes none of them.

-- [{"rate_percent", "amount", "tax"}], in minor units: parts of the amount, and the tax in each. Null: not counted.
alter table payment_session add column tax jsonb;
alter table refund add column tax jsonb;

-- A line of a day on which what was paid before became of other rates, by a change of its booking. Its amounts sum to 0.
create table tax_correction (
  operator_id text collate "C" not null references operator,
  booking_id text collate "C" not null references booking on delete cascade,
  seq bigint generated always as identity,
  at timestamptz not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  tax jsonb not null,
  primary key (booking_id, seq)
);
create index tax_correction_by_time on tax_correction (at, booking_id, seq);
create index tax_correction_of_operator on tax_correction (operator_id, at, booking_id, seq);

-- What was counted before keeps what accounts told of it until now.
update payment_session s set tax = jsonb_build_array(jsonb_build_object('rate_percent', rate, 'amount', s.amount,
  'tax', round(s.amount * rate / ((100 + rate) * step))::bigint * step))
from (select booking_id, (terms #>> '{price,tax,rate_percent}')::numeric as rate, case
  when currency in ('BHD', 'JOD', 'KWD', 'OMR', 'TND') then 10 when currency = 'MGA' then 100 else 1 end as step
  from booking) b
where b.booking_id = s.booking_id and (s.status = 'paid' or s.undone_at is not null);
update refund r set tax = jsonb_build_array(jsonb_build_object('rate_percent', rate, 'amount', r.amount,
  'tax', round(r.amount * rate / ((100 + rate) * step))::bigint * step))
from (select booking_id, (terms #>> '{price,tax,rate_percent}')::numeric as rate, case
  when currency in ('BHD', 'JOD', 'KWD', 'OMR', 'TND') then 10 when currency = 'MGA' then 100 else 1 end as step
  from booking) b
where b.booking_id = r.booking_id and r.status = 'succeeded';

-- Functions: 712ebf4d31d05ab8
