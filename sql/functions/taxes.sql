-- Tax: of which rates each payment and each refund is, kept with it when it is counted, whoever counts it. A part is
-- {"rate_percent", "amount", "tax"}: minor units of what moved, and the tax in them. What all moves of a booking have
-- of a rate has just the tax that is inside of their sum. Functions of one expression are inlined; the others are
-- PL/pgSQL, whose plans a connection keeps: as SQL functions they are planned anew in each transaction, which took 8 ms
-- a payment.

-- The step of what can be charged: `chargeStep` in platform/money/Charge.ts.
create or replace function charge_step(currency text) returns int language sql immutable as $$
  select case when currency in ('BHD', 'JOD', 'KWD', 'OMR', 'TND') then 10 when currency = 'MGA' then 100 else 1 end
$$;

-- The tax inside an amount, below 0 if that is: `taxInside` there.
create or replace function tax_inside(gross numeric, rate numeric, currency text) returns bigint
language sql immutable as $$
  select round(gross * rate / ((100 + rate) * charge_step(currency)))::bigint * charge_step(currency)
$$;

-- An amount divided in proportion to weights, none of them below 0, by a step: `shareOut` there.
create or replace function shared_out(amount numeric, weights numeric[], step int) returns bigint[]
language plpgsql immutable as $$
begin
  return (select array_agg(case when total = 0 then case when i = 1 then amount else 0 end
      else (down + case when nth <= round((amount - downs * step) / step) then 1 else 0 end) * step end::bigint order by i)
  from (select i, total, down, sum(down) over () as downs, row_number() over (order by rest desc, i) as nth
    from (select i, total, div(amount * w, nullif(total, 0) * step) as down, mod(amount * w, nullif(total, 0) * step) as rest
      from unnest(weights) with ordinality as each_weight (w, i)
        cross join (select sum(w) as total from unnest(weights) as all_weights (w)) whole) shares) ranked);
end
$$;

-- A booking by rates: its price; what came less what went back, and the tax in it; and the same without what went back
-- beside the price (goodwill, a lost dispute, what the venue gave back in the provider's dashboard). `beside`: a
-- payment or a refund that is left out.
create or replace function taxes_of(of_booking text, terms jsonb, beside text)
returns table (rate numeric, price numeric, came numeric, tax numeric, counted numeric) language sql stable as $$
  select x.rate, sum(x.price), sum(x.came), sum(x.tax), sum(x.counted) from (
    select (r ->> 'rate_percent')::numeric as rate, (r ->> 'gross')::numeric as price, 0 as came, 0 as tax, 0 as counted
    from jsonb_array_elements(coalesce(terms #> '{price,tax,rates}', jsonb_build_array(jsonb_build_object(
      'rate_percent', terms #> '{price,tax,rate_percent}', 'gross', terms #> '{price,total}')))) r
    union all
    select (p ->> 'rate_percent')::numeric, 0, sign * (p ->> 'amount')::numeric, sign * (p ->> 'tax')::numeric,
      counts * (p ->> 'amount')::numeric
    from (
      select s.tax, 1 as sign, 1 as counts from payment_session s
      -- By the booking's index: the condition alone would let a plan read the index of all that is paid.
      where s.booking_id = of_booking and case when s.status = 'paid' then s.payment_session_id <> beside end
      union all
      select r.tax, -1, case when r.cause in ('goodwill', 'dispute', 'dashboard') then 0 else -1 end from refund r
      where r.booking_id = of_booking and r.refund_id <> beside
      union all
      select c.tax, 1, 1 from tax_correction c where c.booking_id = of_booking) m
      cross join jsonb_array_elements(m.tax) p) x
  group by x.rate
$$;

-- The parts of an amount that came for a booking, or went back of it. What comes is what the price still lacks of each
-- rate, and beyond that as the whole price is. What goes back of a live booking is what it has too much of a rate, and
-- beyond that, or of one that is over, as what came is. In another currency than the booking's it has none.
create or replace function tax_parts(of_booking text, beside text, amount int, in_currency text, back boolean)
returns jsonb language plpgsql stable as $$
declare one record;
begin
  -- Of one rate, as nearly all bookings are, it is that rate's: read without the shares, which take as long as the
  -- rest.
  select count(*) as n, min(t.rate) as rate, min(t.came) as came, min(t.tax) as tax into one
  from booking b cross join lateral taxes_of(b.booking_id, b.terms, beside) t
  where b.booking_id = of_booking and b.currency = in_currency;
  if one.n = 1 and amount > 0 then
    return jsonb_build_array(jsonb_build_object('rate_percent', trim_scale(one.rate), 'amount', amount,
      'tax', case when back then one.tax - tax_inside(one.came - amount, one.rate, in_currency)
        else tax_inside(one.came + amount, one.rate, in_currency) - one.tax end));
  end if;
  return (with rated as (
    select row_number() over (order by t.rate desc) as i, t.rate, t.price, t.came, t.tax, greatest(0,
      case when not back then t.price - t.counted when b.status in ('held', 'confirmed') then t.counted - t.price
        else t.came end) as wanted
    from booking b cross join lateral taxes_of(b.booking_id, b.terms, beside) t
    where b.booking_id = of_booking and b.currency = in_currency),
  first as (select least(amount, sum(wanted)) as sum,
    shared_out(least(amount, sum(wanted)), array_agg(wanted order by i), charge_step(in_currency)) as parts from rated),
  rest as (select shared_out(amount - min(first.sum), array_agg(
      greatest(0, case when back then came - first.parts[i] else price end) order by i), charge_step(in_currency)) as parts
    from rated cross join first),
  parts as (select rate, came, tax, first.parts[i] + rest.parts[i] as amount from rated cross join first cross join rest)
  select coalesce(jsonb_agg(jsonb_build_object('rate_percent', trim_scale(rate), 'amount', p.amount,
    'tax', case when back then tax - tax_inside(came - p.amount, rate, in_currency)
      else tax_inside(came + p.amount, rate, in_currency) - tax end) order by rate desc), '[]')
  from parts p where p.amount <> 0);
end
$$;

create or replace function payment_taxed() returns trigger language plpgsql as $$
begin
  new.tax := tax_parts(new.booking_id, new.payment_session_id, new.amount, new.currency, false);
  return new;
end
$$;

create or replace trigger payment_taxed before insert or update of status on payment_session
  for each row when (new.status = 'paid' and new.tax is null) execute function payment_taxed();

-- A refund that fails after all has no parts; what never counted as a payment has none that go back.
create or replace function refund_taxed() returns trigger language plpgsql as $$
begin
  if new.status <> 'succeeded' then
    new.tax := null;
  elsif new.tax is null or new.amount <> old.amount then
    new.tax := case when exists (select from payment_session s
        where s.payment_session_id = new.payment_session_id and s.tax is not null)
      then tax_parts(new.booking_id, new.refund_id, new.amount, new.currency, true) else '[]' end;
  end if;
  return new;
end
$$;

create or replace trigger refund_taxed before insert or update of status, amount on refund
  for each row execute function refund_taxed();

-- What was paid, and is of other rates than the booking has since a change, is corrected by a line of that day: as much
-- as it has too much of some rates, and its price lacks of others. What it has too much in all goes back as a refund.
create or replace function booking_taxed() returns trigger language plpgsql as $$
begin
  if (select count(*) from taxes_of(new.booking_id, new.terms, '')) < 2 then return null; end if;
  insert into tax_correction (operator_id, booking_id, at, currency, tax)
  with rated as (
    select row_number() over (order by t.rate desc) as i, t.rate, t.came, t.tax, greatest(0, t.counted - t.price) as more,
      greatest(0, t.price - t.counted) as less from taxes_of(new.booking_id, new.terms, '') t),
  moved as (select sum, shared_out(sum, mores, charge_step(new.currency)) as off,
      shared_out(sum, lesses, charge_step(new.currency)) as onto
    from (select least(sum(more), sum(less)) as sum, array_agg(more order by i) as mores, array_agg(less order by i) as lesses
      from rated) sums),
  parts as (select rate, came, tax, moved.onto[i] - moved.off[i] as amount from rated cross join moved where moved.sum > 0)
  select new.operator_id, new.booking_id, new.updated_at, new.currency, jsonb_agg(jsonb_build_object(
    'rate_percent', trim_scale(rate), 'amount', p.amount, 'tax', tax_inside(came + p.amount, rate, new.currency) - tax)
    order by rate desc)
  from parts p where p.amount <> 0 having count(*) > 0;
  return null;
end
$$;

create or replace trigger booking_taxed after update of updated_at on booking
  for each row when (new.status = 'confirmed' and new.paid > 0) execute function booking_taxed();
