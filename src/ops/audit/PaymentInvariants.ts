/** Payments: what came in for a booking, and that pages, events and bookings say the same of it. Amounts are minor units. */

import type { SqlClient } from "effect/sql"
import { type EventName, thinType } from "../../domain/payment/provider/Receivers.ts"
import { statusesWithPayer } from "../../domain/payment/refunds/Disputes.ts"
import { paidBackElsewhere, settledByDashboard } from "../../domain/payment/refunds/Refund.ts"
import { dayMs } from "../../platform/time/LocalTime.ts"
import { compareBooking, type Invariant } from "./Invariant.ts"

/** Refunds and disputes: what went back, that all of it that is owed does, and no more. Amounts are minor units. */

const compareRefund = (refund_id: string): string =>
  `compare ${refund_id} with the provider's dashboard; no path of the service leaves it so`

/** What went back of a payment, `s`. A refund in another currency does not count. */
const back = (sql: SqlClient.SqlClient) => sql`(select coalesce(sum(r.amount), 0) from refund r
  where r.booking_id = s.booking_id and r.payment_session_id = s.payment_session_id and r.status = 'succeeded' and r.currency = s.currency)`

/** What went back of it, is on its way, or failed and is still owed. */
const leaving = (sql: SqlClient.SqlClient) => sql`(select coalesce(sum(r.amount), 0) from refund r
  where r.booking_id = s.booking_id and r.payment_session_id = s.payment_session_id and r.currency = s.currency
    and (r.status <> 'failed' or r.failure is distinct from ${settledByDashboard}))`

/** What a decision owes of a booking, `b`; null: nothing was decided. */
const owed = (sql: SqlClient.SqlClient) =>
  sql`coalesce(b.refund_owed, (select max(r.owed) from refund r where r.booking_id = b.booking_id))`

const isReturned = (sql: SqlClient.SqlClient) => sql`exists (select from refund r where r.booking_id = s.booking_id
  and r.payment_session_id = s.payment_session_id and r.cause in ('duplicate_payment', 'late_payment', 'misfit'))`

/** Amounts are rounded to what can be charged: in some currencies to whole hundreds of minor units, for each payment. */
const maxRounding = 100

export const refundInvariants: ReadonlyArray<Invariant> = [
  {
    what: "refunded amount differs",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s counts as refunded; its refunds are %s', b.refunded, own.back) as detail
      from page join booking b using (booking_id)
      cross join lateral (select coalesce(sum(least(s.amount, ${back(sql)})), 0) as back from payment_session s
        where s.booking_id = b.booking_id and not exists (select from refund r where r.booking_id = s.booking_id
          and r.payment_session_id = s.payment_session_id and r.cause in ('duplicate_payment', 'misfit'))) own
      where b.refunded <> least(b.paid, own.back)`,
    fix: (id) => `see playroom booking show ${id}, and compare its refunds with the provider's dashboard`
  },
  {
    what: "payment's refunds differ",
    table: "payment_session",
    faults: (
      sql
    ) => sql`select s.payment_session_id as id, format('%s counts as refunded; its refunds are %s', s.refunded, ${back(sql)}) as detail
      from page join payment_session s using (payment_session_id) where s.refunded <> least(s.amount, ${back(sql)})`,
    fix: compareRefund
  },
  {
    what: "late payment kept",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('it expired, and of %s only %s of %s goes back', s.payment_session_id, ${leaving(sql)}, s.amount) as detail
      from page join booking b using (booking_id) join payment_session s using (booking_id)
      where b.status = 'expired' and not b.terms ? 'released_at' and s.status = 'paid' and (s.payment_intent_id is not null or s.way <> 'link')
        and ${leaving(sql)} < s.amount`,
    fix: (id) => `give it back in the provider's dashboard; see playroom booking show ${id}`
  },
  {
    what: "refund owed, not sent",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s is owed, and %s goes back', ${owed(sql)}, own.leaving) as detail
      from page join booking b using (booking_id)
      cross join lateral (select count(*) as payments, coalesce(sum(least(s.amount, ${leaving(sql)})), 0) as leaving,
          coalesce(sum(s.amount) filter (where s.payment_intent_id is not null or s.way <> 'link'), 0) as amount from payment_session s
        where s.booking_id = b.booking_id and s.status = 'paid' and not ${isReturned(sql)}) own
      where own.payments > 0 and least(coalesce(${owed(sql)}, 0), own.amount) - own.leaving >= ${maxRounding}::int * own.payments`,
    fix: (id) => `give the rest back in the provider's dashboard; see playroom booking show ${id}`
  },
  {
    what: "refunded beyond what is owed",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s is owed, and %s is given back', ${owed(sql)}, own.given) as detail
      from page join booking b using (booking_id)
      cross join lateral (select coalesce(sum(r.amount), 0) as given from refund r
        where r.booking_id = b.booking_id and r.cause in ('cancellation', 'move', 'goodwill') and r.status <> 'failed') own
      where own.given > ${owed(sql)}`,
    fix: (id) => `see playroom booking show ${id}, and ask the operator whether it wants the rest back`
  },
  {
    what: "refunded beyond the payment",
    table: "payment_session",
    faults: (
      sql
    ) => sql`select s.payment_session_id as id, format('%s was paid, and %s is given back', s.amount, own.given) as detail
      from page join payment_session s using (payment_session_id)
      cross join lateral (select coalesce(sum(r.amount), 0) as given from refund r
        where r.booking_id = s.booking_id and r.payment_session_id = s.payment_session_id
          and r.cause not in ('dashboard', 'dispute') and r.status <> 'failed') own
      where own.given > s.amount`,
    fix: compareRefund
  },
  {
    what: "refund without the provider's id",
    table: "refund",
    faults: (
      sql
    ) => sql`select r.refund_id as id, format('%s of %s %s, and the provider''s refund is not stored', r.status, r.amount, r.currency) as detail
      from page join refund r using (refund_id)
      where r.provider_refund_id is null
        and (r.status = 'pending' or r.status = 'succeeded' and r.failure is distinct from ${paidBackElsewhere})`,
    fix: (id) => `see in the provider's dashboard whether ${id} was made: if not, the payer has no money yet`
  },
  {
    what: "refund of an unpaid page",
    table: "refund",
    faults: (
      sql
    ) => sql`select r.refund_id as id, format('%s is %s', r.payment_session_id, coalesce(s.status, 'not stored')) as detail
      from page join refund r using (refund_id) left join payment_session s on s.payment_session_id = r.payment_session_id
      where s.status is distinct from 'paid'`,
    fix: compareRefund
  },
  {
    what: "refund differs",
    table: "refund",
    faults: (
      sql
    ) => sql`select r.refund_id as id, format('it is of %s and %s, its payment of %s and %s', r.booking_id, r.operator_id,
        s.booking_id, s.operator_id) as detail
      from page join refund r using (refund_id) join payment_session s on s.payment_session_id = r.payment_session_id
      where s.booking_id <> r.booking_id or s.operator_id <> r.operator_id or r.request ->> 'account' is distinct from s.account
        or r.currency <> s.currency and (r.cause <> 'dashboard' or r.request ->> 'amount' is distinct from r.amount::text)`,
    fix: compareRefund
  },
  {
    what: "dispute differs",
    table: "dispute",
    // A lost dispute counts as a refund for as long as it is lost.
    faults: (
      sql
    ) => sql`select d.dispute_id as id, format('%s of %s: %s; counted as refunded: %s', d.amount, d.booking_id, d.status,
        coalesce(r.amount::text, 'nothing')) as detail
      from page join dispute d using (dispute_id) left join payment_session s on s.payment_session_id = d.payment_session_id
      left join refund r on r.provider_refund_id = d.dispute_id and r.cause = 'dispute'
      where s.booking_id is distinct from d.booking_id or s.operator_id is distinct from d.operator_id
        or (r.refund_id is not null) <> (${sql.in("d.status", statusesWithPayer)} and d.amount > 0)`,
    fix: (id) => `look at ${id} in the provider's dashboard, and at the refunds of its booking`
  }
]

/** Events are applied within seconds, if a node is running. */
const maxEventDelayMs = dayMs

const comparePayment = (payment_session_id: string): string =>
  `compare ${payment_session_id} with the provider's dashboard; no path of the service leaves it so`

/** Whether a payment was given back as a whole, because the booking had ended or was paid already: `s` is its page. */
const returned = (
  sql: SqlClient.SqlClient,
  ...causes: ReadonlyArray<"duplicate_payment" | "late_payment" | "misfit">
) =>
  sql`exists (select from refund r where r.booking_id = s.booking_id and r.payment_session_id = s.payment_session_id
    and ${sql.in("r.cause", causes)})`

/** Whether an event `e` is of a type, as a snapshot or thin. */
const isOfType = (sql: SqlClient.SqlClient, type: EventName) => sql.in("e.type", [type, thinType(type)])

export const paymentInvariants: ReadonlyArray<Invariant> = [
  {
    what: "paid amount differs",
    table: "booking",
    // A page that the provider names no payment of may have cost nothing.
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s counts as paid; its payments are %s', b.paid, own.most) as detail
      from page join booking b using (booking_id)
      cross join lateral (
        select coalesce(sum(s.amount) filter (where s.payment_intent_id is not null or s.way <> 'link'), 0) as least, coalesce(sum(s.amount), 0) as most
        from payment_session s where s.booking_id = b.booking_id and s.status = 'paid' and not ${returned(sql, "duplicate_payment", "misfit")}) own
      where b.paid not between own.least and own.most`,
    fix: (id) => `see playroom booking show ${id}, and compare its payments with the provider's dashboard`
  },
  {
    what: "paid twice",
    table: "booking",
    faults: (
      sql
    ) => sql`select s.booking_id as id, format('%s payments for %s, and none goes back', count(*), s.purpose) as detail
      from page join booking b using (booking_id) join payment_session s using (booking_id)
      where s.status = 'paid' and (s.payment_intent_id is not null or s.way <> 'link') and not ${returned(sql, "duplicate_payment", "late_payment", "misfit")}
        and (s.purpose = 'due_now' or not coalesce(b.terms -> 'settled_sessions', '[]') @> to_jsonb(s.payment_session_id))
      group by s.booking_id, s.purpose having count(*) > 1`,
    fix: (id) => `see playroom booking show ${id}, and give the second payment back in the provider's dashboard`
  },
  {
    what: "payment status differs",
    table: "booking",
    faults: (
      sql
    ) => sql`select b.booking_id as id, format('%s, with %s paid and %s refunded', b.payment_status, b.paid, b.refunded) as detail
      from page join booking b using (booking_id)
      where case b.payment_status
        when 'not_required' then b.paid > 0 or b.refunded > 0 or b.due_now > 0
        when 'unpaid' then b.paid > 0 or b.refunded > 0
        when 'failed' then b.paid > 0 or b.refunded > 0
        when 'paid' then b.refunded > 0
        when 'deposit_paid' then b.refunded > 0 or b.due_now = b.total
        when 'refunded' then b.refunded = 0 or b.refunded < b.paid
        when 'partially_refunded' then b.refunded = 0
        when 'refund_pending' then not exists (select from refund r where r.booking_id = b.booking_id
          and (r.status in ('requested', 'pending', 'failed')))
        else false end`,
    fix: compareBooking
  },
  {
    what: "two open pages",
    table: "booking",
    faults: (sql) => sql`select s.booking_id as id, format('%s pages for %s can be paid', count(*), s.purpose) as detail
      from page join payment_session s using (booking_id)
      where s.status in ('creating', 'open', 'processing') group by s.booking_id, s.purpose having count(*) > 1`,
    fix: (id) => `see playroom booking show ${id}; whoever pays both gets one back`
  },
  {
    what: "payment differs",
    table: "payment_session",
    // What is due of a booking changes only when it is moved, a part is paid at the venue, or another amount is taken.
    faults: (sql) => sql`select s.payment_session_id as id,
        format('%s %s for %s of %s; the booking is of %s and asks for %s and %s %s', s.amount, s.currency, s.purpose, s.operator_id,
          coalesce(b.operator_id, 'nobody'), b.due_now, b.total - b.due_now, b.currency) as detail
      from page join payment_session s using (payment_session_id) left join booking b on b.booking_id = s.booking_id
      where b.operator_id is distinct from s.operator_id
        or b.currency is distinct from s.currency and not ${returned(sql, "misfit")}
        or s.way = 'link' and (s.request ->> 'amount' is distinct from coalesce(s.asked, s.amount)::text
          or s.request ->> 'account' is distinct from s.account or s.request ->> 'booking_id' is distinct from s.booking_id)
        or not b.terms ? 'settled_sessions' and s.asked is null and s.amount <> case s.purpose when 'due_now' then b.due_now else b.total - b.due_now end`,
    fix: comparePayment
  },
  {
    what: "payment not recorded",
    table: "payment_session",
    faults: (
      sql
    ) => sql`select s.payment_session_id as id, 'it is paid, and when, or which page of the provider it was, is not stored' as detail
      from page join payment_session s using (payment_session_id)
      where s.status = 'paid' and (s.paid_at is null or s.way = 'link' and s.provider_session_id is null)`,
    fix: comparePayment
  },
  {
    what: "event without its effect",
    table: "webhook_event",
    faults: (
      sql
    ) => sql`select e.event_id as id, format('%s was applied, and %s is %s', e.type, e.payment_session_id, s.status) as detail
      from page join webhook_event e using (event_id) join payment_session s on s.payment_session_id = e.payment_session_id
      where e.status = 'applied' and case
        when ${isOfType(sql, "checkout.session.completed")} then s.status in ('creating', 'open')
        when ${isOfType(sql, "checkout.session.async_payment_succeeded")} then s.status <> 'paid' and s.misfit is null
        else false end`,
    fix: (id) => `see playroom webhook show ${id}; playroom webhook retry ${id} applies it again`
  },
  {
    what: "event never applied",
    table: "webhook_event",
    faults: (
      sql,
      now
    ) => sql`select e.event_id as id, format('%s, received at %s, after %s tries', e.type, e.received_at, e.attempts) as detail
      from page join webhook_event e using (event_id)
      where e.status = 'received' and e.received_at < ${new Date(now - maxEventDelayMs)}::timestamptz`,
    fix: (id) => `see whether a node is running, what it logs, and playroom webhook show ${id}`
  }
]
