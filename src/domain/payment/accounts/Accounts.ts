/**
 * The money of a month: as this service's own rows have it (`lines`), and as the provider's record of an account has
 * it, compared with these (`atProvider`).
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows } from "../../../platform/database/Rows.ts"
import {
  type AccountQuery,
  CodeSum,
  type LineRange,
  OperatorAccount,
  OwnLine,
  periodEnd,
  type PeriodQuery,
  platformFee,
  platformFeeBack,
  taxesOf,
  VouchersOwed
} from "./AccountLine.ts"
import { makeAccountsAtProvider, refundedBefore } from "./AccountsAtProvider.ts"

/** A stored line: its platform's fee as it came or went back, its parts by rates of tax with its sign. */
const ownLine = (stored: OwnLine): OwnLine => {
  const { amount, application_fee, before, currency, kind, paid } = stored
  if (kind === "correction") return stored
  const line = { ...stored, taxes: taxesOf(amount, currency, stored.taxes) }
  if (kind === "payment" || (kind === "voucher" && stored.cause === null && application_fee > 0))
    return { ...line, application_fee: platformFee(application_fee, currency) }
  if (paid === null || before === null) return { ...line, application_fee: 0 }
  const back = platformFeeBack({ application_fee, paid, before, amount: Math.abs(amount), currency })
  return { ...line, application_fee: back === 0 ? 0 : back * Math.sign(amount) }
}

/** The lines and accounts of a month; `atProvider`: by the provider's record of one account. */
export const makeAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = decodeRows(Schema.Array(OwnLine))
  const codeSums = decodeRows(Schema.Array(CodeSum))
  const operators = decodeRows(Schema.Array(OperatorAccount))
  const timeZones = decodeRows(Schema.Array(Schema.Struct({ time_zone: Schema.String })))
  const owed = decodeRows(Schema.Array(VouchersOwed))

  /**
   * What was left of a voucher, `v`, when it expired. What comes back of it later is owed again: nothing of its month
   * changes.
   */
  const unspent = sql`(v.amount - coalesce((select sum(s.amount) from payment_session s
      where s.voucher_id = v.voucher_id and (s.status = 'paid' or s.undone_at >= v.expires_at)), 0)
    + coalesce((select sum(r.amount) from payment_session s join refund r using (booking_id, payment_session_id)
      where s.voucher_id = v.voucher_id and r.way = 'voucher' and r.succeeded_at < v.expires_at), 0)
    - coalesce((select sum(r.amount) from voucher_refund r where r.voucher_id = v.voucher_id
      and r.succeeded_at < v.expires_at and (r.reversed_at is null or r.reversed_at >= v.expires_at)), 0))::int`

  /** At most `limit` lines of our own between two instants, in the order of time, after a position. */
  const lines = Effect.fn("Accounts.lines")(function* ({
    account,
    after = { at: 0, id: "" },
    at_venue,
    from,
    limit,
    operator_id,
    until
  }: AccountQuery) {
    const now = new Date(yield* Clock.currentTimeMillis)
    const between = (
      at:
        | "s.paid_at"
        | "s.undone_at"
        | "r.succeeded_at"
        | "r.at"
        | "r.reversed_at"
        | "c.at"
        | "v.sold_at"
        | "v.voided_at"
        | "v.expires_at",
      id:
        | "s.payment_session_id"
        | "s.payment_session_id || ':undone'"
        | "r.refund_id"
        | "r.refund_id || ':returned'"
        | "c.booking_id || ':' || c.seq"
        | "v.voucher_id"
        | "v.voucher_id || ':undone'"
        | "v.voucher_id || ':expired'"
    ) => {
      const [time, key] = [sql.literal(at), sql.literal(id)]
      const page = sql`(${time}, ${key}) > (${new Date(Math.max(after.at, from - 1))}::timestamptz, ${after.id}::text)`
      const table = sql.literal(at.slice(0, 1))
      const ofOperator = operator_id === undefined ? sql`true` : sql`${table}.operator_id = ${operator_id}`
      const ofAccount = account === undefined ? sql`true` : sql`s.account = ${account} and s.way = 'link'`
      return sql`${time} >= ${new Date(from)} and ${time} < ${new Date(until)} and ${page} and ${ofOperator} and ${ofAccount}
          order by ${time}, ${key} limit ${limit}::int`
    }
    const venue = (of: "s.way <> 'link'" | "r.provider_refund_id is null") =>
      at_venue === undefined ? sql`true` : sql.literal(of)
    /** A payment that was undone stays, and its opposite is of the time at which it was undone. */
    const undone = (
      at: "s.paid_at" | "s.undone_at",
      id: "s.payment_session_id" | "s.payment_session_id || ':undone'",
      amount: "s.amount" | "-s.amount",
      cause: "null" | "'undone'"
    ) =>
      sql`(select ${sql.literal(at)}, 'payment', s.way, ${sql.literal(amount)}, s.currency, s.application_fee,
          s.tax, ${sql.literal(cause)}, s.operator_id, s.booking_id, ${sql.literal(id)}, null, s.created_at, null::int, null::int,
          ${sql.literal(cause === "null" ? "s.taken_by" : "s.undone_by")}
        from payment_session s where s.undone_at is not null and ${between(at, id)})`
    /** What was sold at the venue, and what of that was undone. */
    const voucher = (
      at: "v.sold_at" | "v.voided_at",
      id: "v.voucher_id" | "v.voucher_id || ':undone'",
      cause: "null" | "'undone'"
    ) =>
      sql`(select ${sql.literal(at)}, 'voucher', v.way, ${{ null: sql`v.amount`, "'undone'": sql`-v.amount` }[cause]}, v.currency, 0,
          '[]'::jsonb, ${sql.literal(cause)}, v.operator_id, null, ${sql.literal(id)}, null, v.sold_at, null::int,
          null::int, ${{ null: sql`v.sold_by`, "'undone'": sql`v.voided_by` }[cause]}
        from voucher v where v.way <> 'link' and ${sql.literal(at)} is not null and ${between(at, id)})`
    /** What nobody had spent of a voucher when it expired. */
    const expired = sql`(select v.expires_at, 'voucher', 'voucher', ${unspent}, v.currency, 0, '[]'::jsonb, 'expired', v.operator_id,
          null, v.voucher_id || ':expired', null, v.sold_at, null::int, null::int, null
        from voucher v where v.voided_at is null and v.expires_at <= ${now} and ${unspent} > 0
          and ${between("v.expires_at", "v.voucher_id || ':expired'")})`
    const sale = sql`(select *, 'link' as way from voucher_sale)`
    /** A voucher that was sold online, and what of its payment went back, or did not after all. */
    const online = sql`(select v.sold_at, 'voucher', v.way, v.amount, v.currency, s.application_fee, '[]'::jsonb, null, v.operator_id,
          null, v.voucher_id, coalesce(s.payment_intent_id, s.provider_session_id), s.created_at, null::int, null::int, null
        from voucher v join ${sale} s on s.voucher_id = v.voucher_id
        where v.way = 'link' and ${between("v.sold_at", "v.voucher_id")})`
    const backOnline = (
      at: "r.succeeded_at" | "r.reversed_at",
      id: "r.refund_id" | "r.refund_id || ':returned'",
      amount: "-r.amount" | "r.amount",
      cause: "r.cause" | "'returned'"
    ) =>
      sql`(select ${sql.literal(at)}, 'voucher', 'link', ${sql.literal(amount)}, r.currency, s.application_fee, '[]'::jsonb,
          ${sql.literal(cause)}, r.operator_id, null, ${sql.literal(id)}, r.provider_refund_id, r.created_at,
          case when r.cause = 'undone' then v.amount end, 0, null
        from voucher_refund r join ${sale} s on s.voucher_id = r.voucher_id join voucher v on v.voucher_id = r.voucher_id
        where r.succeeded_at is not null and ${sql.literal(at)} is not null and ${between(at, id)})`
    /** What went back. What did not after all stays, and its opposite is of the time at which that was known. */
    const back = (
      from: "refund r" | "refund_reversal r",
      at: "r.succeeded_at" | "r.at",
      id: "r.refund_id" | "r.refund_id || ':returned'",
      amount: "-r.amount" | "r.amount",
      cause: "r.cause" | "'returned'"
    ) =>
      sql`(select ${sql.literal(at)}, case r.cause when 'dispute' then 'dispute' else 'refund' end,
          coalesce(r.way, case when r.provider_refund_id is null then 'other' else 'link' end), ${sql.literal(amount)},
          r.currency, s.application_fee, coalesce(r.tax, '[]'), ${sql.literal(cause)}, r.operator_id, r.booking_id,
          ${sql.literal(id)}, r.provider_refund_id,
          least(r.created_at, (select d.created_at from dispute d where d.dispute_id = r.provider_refund_id)),
          case when r.provider_refund_id is not null and r.cause not in ('dispute', 'dashboard') then s.amount end,
          ${refundedBefore(sql)},
          case when r.way is not null then (select h.done_by from booking_history h
            where h.booking_id = r.booking_id and h.event = 'refunded' and h.done_by is not null and h.facts ->> 'way' = r.way
            order by abs(extract(epoch from h.at - r.succeeded_at)) limit 1) end
        from ${sql.literal(from)} join payment_session s on s.payment_session_id = r.payment_session_id
        where ${from === "refund r" ? sql`r.status = 'succeeded'` : sql`true`} and ${venue("r.provider_refund_id is null")}
          and ${between(at, id)})`
    const found =
      yield* rows(sql`select l.at, l.kind, l.way, l.amount, l.currency, l.application_fee, l.taxes, l.cause, l.operator_id, l.booking_id, l.id, l.provider_id,
          l.made_at, l.paid, l.before, l.by,
          o.name as operator_name, b.reference, coalesce(b.terms ->> 'time_zone', v.time_zone) as time_zone,
          b.terms ->> 'playroom_name' as playroom, b.terms ->> 'package_name' as package,
          b.terms -> 'code' ->> 'code' as code, b.starts_at from (
        (select s.paid_at as at, 'payment' as kind, s.way, s.amount, s.currency, s.application_fee,
            coalesce(s.tax, '[]') as taxes, null as cause, s.operator_id,
            s.booking_id, s.payment_session_id as id, coalesce(s.payment_intent_id, s.provider_session_id) as provider_id,
            s.created_at as made_at, null::int as paid, null::int as before, s.taken_by as by
          from payment_session s where s.status = 'paid' and ${venue("s.way <> 'link'")}
            -- Not a page that was done for nothing, by the venue's discount: the provider names no payment.
            and (s.way <> 'link' or s.payment_intent_id is not null)
            and ${between("s.paid_at", "s.payment_session_id")})
        union all
        ${undone("s.paid_at", "s.payment_session_id", "s.amount", "null")}
        union all
        ${undone("s.undone_at", "s.payment_session_id || ':undone'", "-s.amount", "'undone'")}
        union all
        ${back("refund r", "r.succeeded_at", "r.refund_id", "-r.amount", "r.cause")}
        union all
        ${back("refund_reversal r", "r.succeeded_at", "r.refund_id", "-r.amount", "r.cause")}
        union all
        ${back("refund_reversal r", "r.at", "r.refund_id || ':returned'", "r.amount", "'returned'")}
        ${
          account === undefined
            ? sql`union all
        (select c.at, 'correction', 'other', 0, c.currency, 0, c.tax, null, c.operator_id, c.booking_id,
            c.booking_id || ':' || c.seq, null, c.at, null::int, null::int, null
          from tax_correction c where ${between("c.at", "c.booking_id || ':' || c.seq")})
        union all
        ${voucher("v.sold_at", "v.voucher_id", "null")}
        union all
        ${voucher("v.voided_at", "v.voucher_id || ':undone'", "'undone'")}
        union all
        ${expired}`
            : sql``
        }
        ${
          at_venue === undefined
            ? sql`union all
        ${online}
        union all
        ${backOnline("r.succeeded_at", "r.refund_id", "-r.amount", "r.cause")}
        union all
        ${backOnline("r.reversed_at", "r.refund_id || ':returned'", "r.amount", "'returned'")}`
            : sql``
        }
        ) l left join booking b on b.booking_id = l.booking_id join operator o on o.operator_id = l.operator_id
          left join voucher v on l.kind = 'voucher' and v.voucher_id = coalesce(
            (select r.voucher_id from voucher_refund r where r.refund_id = split_part(l.id, ':', 1)), split_part(l.id, ':', 1))
        order by l.at, l.id limit ${limit}::int`)
    return found.map(ownLine)
  })

  /** The codes of an operator's confirmed bookings that were made between two instants, in order. */
  const codes = Effect.fn("Accounts.codes")(({ from, operator_id, until }: Required<LineRange>) =>
    codeSums(sql`select b.terms -> 'code' ->> 'code' as code, b.currency, count(*)::int as uses,
        sum((select coalesce(-sum((l ->> 'amount')::bigint), 0) from jsonb_array_elements(b.terms -> 'price' -> 'lines') l
          where l ->> 'code' = b.terms -> 'code' ->> 'code'))::float8 as amount
      from booking b
      where b.operator_id = ${operator_id} and b.status = 'confirmed' and b.terms -> 'code' ->> 'code' is not null
        and b.created_at >= ${new Date(from)} and b.created_at < ${new Date(until)}
      group by 1, 2 order by 1, 2`)
  )

  /**
   * What was owed on vouchers when a period ended on their clocks, or is now if it has not: sold, and neither undone,
   * spent nor expired by then. By currency.
   */
  const vouchersOwed = Effect.fn("Accounts.vouchersOwed")(function* ({ operator_id, period }: PeriodQuery) {
    const now = yield* Clock.currentTimeMillis
    const ofOperator = operator_id === undefined ? sql`true` : sql`v.operator_id = ${operator_id}`
    const zones = yield* timeZones(sql`select distinct v.time_zone from voucher v where ${ofOperator}`)
    const names = zones.map(({ time_zone }) => time_zone)
    const ends = names.map((zone) => new Date(Math.min(now + 1, periodEnd(period, zone))))
    return yield* owed(sql`select v.currency, sum(v.amount - coalesce(spent.amount, 0) - coalesce(back.amount, 0))::float8 as amount
      from voucher v
        join unnest(${names}::text[], ${ends}::timestamptz[]) as e (time_zone, at) on e.time_zone = v.time_zone
        left join lateral (select sum(s.amount
            - coalesce((select sum(r.amount) from refund r where r.booking_id = s.booking_id
                and r.payment_session_id = s.payment_session_id and r.way = 'voucher' and r.succeeded_at < e.at), 0)
            - coalesce((select sum(x.amount) from refund_reversal x where x.booking_id = s.booking_id
                and x.payment_session_id = s.payment_session_id and x.way = 'voucher'
                and x.succeeded_at < e.at and x.at >= e.at), 0)) as amount
          from payment_session s where s.voucher_id = v.voucher_id and s.paid_at < e.at
            and (s.status = 'paid' or s.undone_at >= e.at)) spent on true
        left join lateral (select sum(r.amount) as amount from voucher_refund r where r.voucher_id = v.voucher_id
          and r.succeeded_at < e.at and (r.reversed_at is null or r.reversed_at >= e.at)) back on true
      where ${ofOperator} and v.sold_at < e.at and (v.voided_at is null or v.voided_at >= e.at or v.way = 'link')
        and (v.expires_at is null or v.expires_at > e.at)
      group by 1 having sum(v.amount - coalesce(spent.amount, 0) - coalesce(back.amount, 0)) <> 0 order by 1`)
  })

  /** The accounts on which there may be lines between two instants, each once, by the operators' names. */
  const accounts = Effect.fn("Accounts.accounts")(({ from, operator_id, until }: LineRange) => {
    const ofOperator = operator_id === undefined ? sql`true` : sql`operator_id = ${operator_id}`
    const between = (at: "at" | "paid_at" | "succeeded_at") =>
      sql`${sql.literal(at)} >= ${new Date(from)} and ${sql.literal(at)} < ${new Date(until)}`
    return operators(sql`with used as (
        select connected_account_id as account, operator_id, 'infinity'::timestamptz as at
        from operator where connected_account_id is not null and ${ofOperator}
        union all
        select account, operator_id, max(paid_at) from payment_session
        where status = 'paid' and way = 'link' and ${between("paid_at")} and ${ofOperator} group by account, operator_id
        union all
        select s.account, r.operator_id, max(r.succeeded_at)
        from (select * from refund where status = 'succeeded' and ${between("succeeded_at")} and ${ofOperator}) r
          join payment_session s using (payment_session_id) where s.way = 'link' group by s.account, r.operator_id
        union all
        select account, operator_id, max(paid_at) from voucher_sale
        where status = 'paid' and ${between("paid_at")} and ${ofOperator} group by account, operator_id
        union all
        select s.account, s.operator_id, max(r.succeeded_at) from voucher_refund r join voucher_sale s using (voucher_id)
        where s.operator_id in (select operator_id from operator where ${ofOperator}) and ${between("succeeded_at")}
        group by s.account, s.operator_id
        union all
        select s.account, r.operator_id, max(r.at)
        from (select * from refund_reversal where ${ofOperator} and (${between("succeeded_at")} or ${between("at")})) r
          join payment_session s using (payment_session_id) where s.way = 'link' group by s.account, r.operator_id
      )
      select u.account, u.operators, o.operator_id, o.name as operator_name,
        coalesce((select time_zone from playroom p where p.operator_id = o.operator_id
          group by time_zone order by count(*) desc, time_zone limit 1), 'UTC') as time_zone
      from (select account, array_agg(distinct operator_id) as operators,
          (array_agg(operator_id order by at desc, operator_id))[1] as latest from used group by account) u
        left join operator h on h.connected_account_id = u.account
        join operator o on o.operator_id = coalesce(h.operator_id, u.latest)
      order by o.name, u.account`)
  })

  /**
   * An account's lines of a month by the provider's record, and where our rows differ. Of what one operator asks for,
   * those of others are left out: the account may have been theirs.
   */
  const atProvider = yield* makeAccountsAtProvider(lines)

  return { lines, accounts, atProvider, codes, vouchersOwed }
})
