/**
 * Judges a service by what the provider knows to be paid and given back. The database says what the service made of it, `doctor` what it
 * leaves to a person; the rules here are the domain's, worked out anew.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ProviderRecord } from "./OutsideProvider.ts"

const rowsOf = <A>(schema: Schema.Codec<A, unknown>) => Schema.decodeUnknownEffect(Schema.Array(schema))

const BookingRow = rowsOf(
  Schema.Struct({
    booking_id: Schema.String,
    status: Schema.String,
    payment_status: Schema.String,
    due_now: Schema.Int,
    placed: Schema.Boolean
  })
)
const SessionRow = rowsOf(
  Schema.Struct({
    payment_session_id: Schema.String,
    provider_session_id: Schema.NullOr(Schema.String),
    booking_id: Schema.String,
    status: Schema.String,
    operator_id: Schema.String
  })
)
const RefundRow = rowsOf(
  Schema.Struct({
    refund_id: Schema.String,
    payment_session_id: Schema.String,
    cause: Schema.String,
    status: Schema.String,
    provider_refund_id: Schema.NullOr(Schema.String)
  })
)
const EventRow = rowsOf(Schema.Struct({ event_id: Schema.String, status: Schema.String }))
const DoubleRow = rowsOf(Schema.Struct({ resource_id: Schema.String }))

/** What the service's database says, in one look. */
export const lookAtDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    bookings: yield* BookingRow(
      yield* sql`select booking_id, status, payment_status, due_now,
        exists (select from occupancy o where o.booking_id = b.booking_id) as placed from booking b`
    ),
    sessions: yield* SessionRow(
      yield* sql`select payment_session_id, provider_session_id, booking_id, status, operator_id from payment_session`
    ),
    refunds: yield* RefundRow(
      yield* sql`select refund_id, payment_session_id, cause, status, provider_refund_id from refund`
    ),
    waiting: yield* EventRow(
      yield* sql`select event_id, status from webhook_event where status not in ('applied', 'ignored')`
    ),
    sold_twice: yield* DoubleRow(
      yield* sql`select a.resource_id from occupancy a join occupancy b on a.resource_id = b.resource_id
        and a.ctid < b.ctid and a.units && b.units and a.during && b.during`
    )
  }
})
export type InDatabase = Effect.Success<typeof lookAtDatabase>

/** A cancellation that was made: how much the terms, or a person's word, give back in all, as far as a clock that runs can say. */
export interface Cancelled {
  readonly least: number
  readonly most: number
}

export const Finding = Schema.Struct({ what: Schema.String, id: Schema.String, detail: Schema.String })
export type Finding = typeof Finding.Type

export interface Evidence {
  readonly record: ProviderRecord
  readonly database: InDatabase
  readonly cancelled: ReadonlyMap<string, Cancelled>
  readonly findings: ReadonlyArray<Finding>
  /** Accounts that don't let us in at the moment, or can't pay. */
  readonly troubled: ReadonlySet<string>
}

const sum = (rows: ReadonlyArray<{ readonly amount: number }>): number =>
  rows.reduce((total, { amount }) => total + amount, 0)

/** Sentences about all that is wrong; none: every penny is accounted for. */
export const judge = ({ cancelled, database, findings, record, troubled }: Evidence): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const named = (...ids: ReadonlyArray<string>): boolean =>
    findings.some(({ detail, id }) => ids.some((one) => id === one || detail.includes(one)))
  const excused = new Set<string>()

  for (const { resource_id } of database.sold_twice) wrong.push(`${resource_id} is sold twice`)
  for (const { event_id, status } of database.waiting)
    if (!named(event_id)) wrong.push(`event ${event_id} is ${status}, and the doctor does not say so`)

  const own = new Map<string, number>()
  for (const refund of record.refunds) {
    const id = refund.metadata["refund_id"]
    if (id === undefined || refund.status === "failed") continue
    own.set(id, (own.get(id) ?? 0) + 1)
    if (!database.refunds.some((row) => row.refund_id === id))
      wrong.push(`the provider made ${id}, which we do not know`)
  }
  for (const [id, times] of own) if (times > 1) wrong.push(`${id} was made ${times} times`)

  const paidFor = new Set<string>()
  for (const payment of record.sessions) {
    if (payment.payment_status !== "paid" || payment.payment_intent === null) continue
    const session = database.sessions.find(({ provider_session_id }) => provider_session_id === payment.id)
    const booking = database.bookings.find(({ booking_id }) => booking_id === session?.booking_id)
    if (session === undefined || booking === undefined) {
      wrong.push(`${payment.id} is paid, and no session here has it`)
      continue
    }
    const intent = payment.payment_intent
    const alive = record.refunds.filter((one) => one.payment_intent === intent && one.status !== "failed")
    const disputes = record.disputes.filter((one) => one.payment_intent === intent)
    const back = sum(alive) + sum(disputes.filter(({ status }) => status === "lost"))
    const held = sum(disputes.filter(({ status }) => status === "needs_response"))
    const rows = database.refunds.filter(({ payment_session_id }) => payment_session_id === session.payment_session_id)
    const { payment_session_id } = session
    const ids = [payment.id, payment_session_id, booking.booking_id, ...rows.map(({ refund_id }) => refund_id)]
    const about = `${payment.id} of ${payment.amount} ${payment.currency}, ${booking.booking_id} (${booking.status}, ${booking.payment_status}; here ${session.status}), back ${back}`
    for (const id of [...ids, ...disputes.map(({ id }) => id)]) {
      if (disputes.length > 0 || troubled.has(payment.account)) excused.add(id)
    }
    if (back > payment.amount) wrong.push(`${about}: more went back than was paid`)
    const ours = alive.filter(({ metadata }) => metadata["refund_id"] !== undefined)

    if (booking.status === "confirmed") {
      paidFor.add(booking.booking_id)
      if (!booking.placed) wrong.push(`${about}: confirmed without places`)
      if (session.status !== "paid" && !named(...ids)) wrong.push(`${about}: paid, and the session is not`)
      if (ours.length > 0) wrong.push(`${about}: refunded though it stands`)
      continue
    }
    if (booking.status === "held") {
      if (!troubled.has(payment.account) && !named(...ids)) wrong.push(`${about}: paid, and only held`)
      continue
    }
    // What came for a visit that was over or cancelled already goes back whole.
    const late = rows.some(({ cause }) => cause !== "cancellation" && cause !== "dashboard" && cause !== "dispute")
    const bound = late ? undefined : cancelled.get(booking.booking_id)
    const { least, most } = bound ?? { least: payment.amount, most: payment.amount }
    for (const refund of ours) {
      if (refund.known_before + refund.amount > most)
        wrong.push(
          `${about}: ${refund.amount} was sent where ${refund.known_before} had gone back and ${most} was owed`
        )
    }
    if (back < least && back + held < least && !named(...ids))
      wrong.push(`${about}: ${least} was owed; the rest is kept, and the doctor does not say so`)
    if (back < least && held > 0 && !named(...ids, ...disputes.map(({ id }) => id)))
      wrong.push(`${about}: a dispute is open, and the doctor does not say so`)
    const done = rows.every(({ status }) => status === "succeeded" || status === "failed")
    if (!done && !named(...ids, payment.account))
      wrong.push(`${about}: a refund is on its way for ever: ${rows.map(({ status }) => status).join()}`)
    const told = booking.payment_status !== "refund_pending" || named(...ids)
    if (done && !told) wrong.push(`${about}: told as pending for ever`)
  }

  for (const booking of database.bookings) {
    if (booking.status === "confirmed" && booking.due_now > 0 && !paidFor.has(booking.booking_id))
      wrong.push(`${booking.booking_id} is confirmed, and nobody paid`)
    if (booking.placed !== (booking.status === "confirmed" || booking.status === "held"))
      wrong.push(`${booking.booking_id} is ${booking.status}, and its places are ${booking.placed ? "" : "not "}taken`)
  }
  const disputes = new Set(record.disputes.map(({ id }) => id))
  for (const { detail, id, what } of findings) {
    const known = excused.has(id) || disputes.has(id) || [...troubled].some((account) => detail.includes(account))
    const mentions = [...excused].some((one) => detail.includes(one))
    if (!known && !mentions) wrong.push(`the doctor names what needs nobody: ${what} ${id}: ${detail}`)
  }
  return wrong
}
