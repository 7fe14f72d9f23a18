/**
 * The money of a month, as this service's own rows have it: payments by link and at the venue, refunds, and what lost
 * disputes took. The provider's own fees and its payouts are not among them.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingId, OperatorId } from "../kernel/Ids.ts"
import { type Instant, InstantFromDate } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { VenueWay } from "./sessions/PaymentSession.ts"

/** One amount that came in or went back. Minor units of `currency`; what went back is negative. */
export const AccountLine = Schema.Struct({
  at: InstantFromDate,
  kind: Schema.Literals(["payment", "refund", "dispute"]),
  /** Of a payment or a refund by the provider: `link`. Of a refund that a person made in an unknown way: `other`. */
  way: Schema.Literals(["link", ...VenueWay.literals, "other"]),
  amount: Schema.Int,
  currency: Schema.String,
  /** The platform's part of a payment by link; of a refund, the part that is given back with it. */
  application_fee: Schema.Int,
  /** The tax's rate of the booking, in percent: a part of the amount, included in it. */
  tax_percent: Schema.Finite,
  /** Why it went back; null for a payment. */
  cause: Schema.NullOr(Schema.String),
  operator_id: OperatorId,
  operator_name: Schema.String,
  booking_id: BookingId,
  reference: Schema.String,
  time_zone: Schema.String,
  /** Our own id of the payment or refund. */
  id: Schema.String,
  /** The provider's id of the payment, refund or dispute; null at the venue. */
  provider_id: Schema.NullOr(Schema.String)
})
export type AccountLine = typeof AccountLine.Type

/** Where a page of lines ends. */
interface Position {
  readonly at: Instant
  readonly id: string
}

export interface AccountQuery {
  readonly from: Instant
  readonly until: Instant
  readonly operator_id?: string
  readonly after?: Position
  readonly limit: number
}

export class Accounts extends Context.Service<
  Accounts,
  {
    /** At most `limit` lines between two instants, in the order of time, after a position. */
    readonly lines: (query: AccountQuery) => Effect.Effect<ReadonlyArray<AccountLine>, SqlError.SqlError>
  }
>()("playroom/payment/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = decodeRows(Schema.Array(AccountLine))

      const lines = Effect.fn("Accounts.lines")(({
        after = { at: 0, id: "" },
        from,
        limit,
        operator_id,
        until
      }: AccountQuery) => {
        const between = (at: "s.paid_at" | "r.updated_at", id: "s.payment_session_id" | "r.refund_id") => {
          const [time, key] = [sql.literal(at), sql.literal(id)]
          const page = sql`(${time}, ${key}) > (${new Date(Math.max(after.at, from - 1))}::timestamptz, ${after.id}::text)`
          const table = sql.literal(at.slice(0, 1))
          const ofOperator = operator_id === undefined ? sql`true` : sql`${table}.operator_id = ${operator_id}`
          return sql`${time} >= ${new Date(from)} and ${time} < ${new Date(until)} and ${page} and ${ofOperator}
              order by ${time}, ${key} limit ${limit}::int`
        }
        return rows(sql`select l.at, l.kind, l.way, l.amount, l.currency, l.application_fee, l.cause, l.operator_id, l.booking_id, l.id, l.provider_id,
              (b.terms -> 'price' -> 'tax' ->> 'rate_percent')::float8 as tax_percent,
              o.name as operator_name, b.reference, b.terms ->> 'time_zone' as time_zone from (
            (select s.paid_at as at, 'payment' as kind, s.way, s.amount, s.currency, s.application_fee, null as cause, s.operator_id,
                s.booking_id, s.payment_session_id as id, coalesce(s.payment_intent_id, s.provider_session_id) as provider_id
              from payment_session s where s.status = 'paid' and ${between("s.paid_at", "s.payment_session_id")})
            union all
            (select r.updated_at, case r.cause when 'dispute' then 'dispute' else 'refund' end,
                coalesce(r.way, case when r.provider_refund_id is null then 'other' else 'link' end), -r.amount, r.currency,
                case when r.cause = 'dispute' or r.provider_refund_id is null or s.amount = 0 then 0
                  else -round(s.application_fee::numeric * r.amount / s.amount)::int end,
                r.cause, r.operator_id, r.booking_id, r.refund_id, r.provider_refund_id
              from refund r join payment_session s on s.payment_session_id = r.payment_session_id
              where r.status = 'succeeded' and ${between("r.updated_at", "r.refund_id")})
            ) l join booking b on b.booking_id = l.booking_id join operator o on o.operator_id = l.operator_id
            order by l.at, l.id limit ${limit}::int`)
      })
      return Accounts.of({ lines })
    })
  )
}
