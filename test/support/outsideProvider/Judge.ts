/**
 * The oracle of the rounds. It compares what the provider knows to be paid and refunded with the service's database and
 * with what `doctor` reports. It works the domain's rules out anew, and shares no code with the service.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { hasFailed, isWithPayer, type ProviderRecord } from "./ProviderRecord.ts"

const rowsOf = <A>(schema: Schema.Codec<A, unknown>) => Schema.decodeUnknownEffect(Schema.Array(schema))

const BookingRow = rowsOf(
  Schema.Struct({
    booking_id: Schema.String,
    status: Schema.String,
    payment_status: Schema.String,
    due_now: Schema.Int,
    total: Schema.Int,
    paid: Schema.Int,
    refunded: Schema.Int,
    placed: Schema.Boolean,
    time_zone: Schema.String
  })
)
const SessionRow = rowsOf(
  Schema.Struct({
    payment_session_id: Schema.String,
    provider_session_id: Schema.NullOr(Schema.String),
    booking_id: Schema.String,
    status: Schema.String,
    operator_id: Schema.String,
    amount: Schema.Int,
    refunded: Schema.Int,
    presented: Schema.NullOr(Schema.Struct({ amount: Schema.Int, currency: Schema.String }))
  })
)
const RefundRow = rowsOf(
  Schema.Struct({
    refund_id: Schema.String,
    booking_id: Schema.String,
    payment_session_id: Schema.String,
    cause: Schema.String,
    status: Schema.String,
    failure: Schema.NullOr(Schema.String),
    provider_refund_id: Schema.NullOr(Schema.String)
  })
)
const EventRow = rowsOf(Schema.Struct({ event_id: Schema.String, status: Schema.String }))
const OperatorRow = rowsOf(
  Schema.Struct({
    operator_id: Schema.String,
    billing_customer_id: Schema.NullOr(Schema.String),
    paid_through: Schema.NullOr(Schema.Date)
  })
)
const RefusedRow = rowsOf(Schema.Struct({ receiver: Schema.String, heard_since: Schema.Boolean }))
const DoubleRow = rowsOf(Schema.Struct({ resource_id: Schema.String }))

/** The rows of the service's database that the judge compares. */
export const databaseRecord = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    bookings: yield* BookingRow(
      yield* sql`select booking_id, status, payment_status, due_now, total, paid, refunded,
        exists (select from occupancy o where o.booking_id = b.booking_id) as placed,
        terms ->> 'time_zone' as time_zone from booking b`
    ),
    sessions: yield* SessionRow(
      yield* sql`select payment_session_id, provider_session_id, booking_id, status, operator_id, amount,
        refunded, presented from payment_session`
    ),
    refunds: yield* RefundRow(
      yield* sql`select refund_id, booking_id, payment_session_id, cause, status, failure, provider_refund_id from refund`
    ),
    waiting: yield* EventRow(
      yield* sql`select event_id, status from webhook_event where status not in ('applied', 'ignored')`
    ),
    operators: yield* OperatorRow(yield* sql`select operator_id, billing_customer_id, paid_through from operator`),
    refused: yield* RefusedRow(
      yield* sql`select receiver, exists (select from webhook_event e where e.receiver = r.receiver
        and e.received_at > r.last_at) as heard_since from refused_delivery r where reason = 'signature_stale'`
    ),
    sold_twice: yield* DoubleRow(
      yield* sql`select a.resource_id from occupancy a join occupancy b on a.resource_id = b.resource_id
        and a.ctid < b.ctid and a.units && b.units and a.during && b.during`
    )
  }
})
type DatabaseRecord = Effect.Success<typeof databaseRecord>

/** A cancellation: what the terms, or a person's wish, give back in all. The clock runs meanwhile, so it is a range. */
export interface Cancelled {
  readonly least: number
  readonly most: number
}

export const Finding = Schema.Struct({ what: Schema.String, id: Schema.String, detail: Schema.String })
export type Finding = typeof Finding.Type

export interface Evidence {
  readonly record: ProviderRecord
  readonly database: DatabaseRecord
  readonly cancelled: ReadonlyMap<string, Cancelled>
  /** Until when subscriptions were paid at the beginning, by customer, in milliseconds. */
  readonly subscribed: ReadonlyMap<string, number>
  readonly findings: ReadonlyArray<Finding>
  /** Accounts that have withdrawn our access, or whose balance is empty, at the moment. */
  readonly troubled: ReadonlySet<string>
}

const sum = (rows: ReadonlyArray<{ readonly amount: number }>): number =>
  rows.reduce((total, { amount }) => total + amount, 0)

/** What the service writes at a refund of its own which the operator made in the dashboard. */
export const settledByDashboard = "settled in the provider's dashboard"

/** What its sentences say where the service's books differ from the provider's. */
const behind = "in our books"
/** Whether a sentence of the judge only says that the service has not heard yet what the provider knows. */
export const isBehind = (sentence: string): boolean => sentence.includes(behind)

const isOver = ({ status }: { readonly status: string }): boolean => status === "succeeded" || status === "failed"

/**
 * A subscription ends where the provider's invoices say. The service must know that at the latest when its own date is
 * over.
 */
const judgeSubscriptions = ({ database, record, subscribed }: Evidence) => {
  const wrong: Array<string> = []
  const ended = new Set<string>()
  for (const { billing_customer_id, operator_id, paid_through } of database.operators) {
    const first = subscribed.get(billing_customer_id ?? "")
    if (first === undefined) continue
    const paid = record.invoices.filter(({ customer }) => customer === billing_customer_id)
    const end = Math.max(first, ...paid.map(({ period_end }) => period_end * 1000))
    const here = paid_through?.getTime() ?? 0
    const about = `${operator_id} has paid until ${new Date(end).toISOString()}, and here until ${paid_through?.toISOString() ?? "never"}`
    if (here > end) wrong.push(`${about}: more than it paid`)
    if (here < end && here < record.now) wrong.push(`${about}: a payment is lost`)
    if (end < record.now) ended.add(operator_id)
  }
  return { wrong, ended }
}

/** A sentence for each thing that is wrong; empty where every penny is accounted for. */
export const judge = (evidence: Evidence): ReadonlyArray<string> => {
  const { cancelled, database, findings, record, troubled } = evidence
  const subscriptions = judgeSubscriptions(evidence)
  const wrong = [...subscriptions.wrong]
  const named = (...ids: ReadonlyArray<string>): boolean =>
    findings.some(({ detail, id }) => ids.some((one) => id === one || detail.includes(one)))
  const excused = new Set<string>(subscriptions.ended)

  for (const { resource_id } of database.sold_twice) wrong.push(`${resource_id} is sold twice`)
  for (const { event_id, status } of database.waiting)
    if (!named(event_id)) wrong.push(`event ${event_id} is ${status}, and the doctor does not say so`)

  const own = new Map<string, number>()
  for (const refund of record.refunds) {
    const id = refund.metadata["refund_id"]
    if (id === undefined || hasFailed(refund)) continue
    own.set(id, (own.get(id) ?? 0) + 1)
    if (!database.refunds.some((row) => row.refund_id === id))
      wrong.push(`the provider made ${id}, which we do not know`)
  }
  for (const [id, times] of own) if (times > 1) wrong.push(`${id} was made ${times} times`)

  /** Each paid session of the provider, with the service's rows about it. */
  const payments = record.sessions.flatMap((payment) => {
    if (payment.payment_status !== "paid" || payment.payment_intent === null) return []
    const session = database.sessions.find(({ provider_session_id }) => provider_session_id === payment.id)
    if (session === undefined) {
      wrong.push(`${payment.id} is paid, and no session here has it`)
      return []
    }
    const { payment_session_id, status } = session
    const intent = payment.payment_intent
    const alive = record.refunds.filter((one) => one.payment_intent === intent && !hasFailed(one))
    const disputes = record.disputes.filter((one) => one.payment_intent === intent)
    const rows = database.refunds.filter((row) => row.payment_session_id === payment_session_id)
    const back = sum(alive) + sum(disputes.filter(isWithPayer))
    if (back > payment.amount)
      wrong.push(`${payment.id} of ${payment.amount}, back ${back}: more went back than was paid`)
    /** What has reached the payer, and what the service says of that. */
    const gone = Math.min(payment.amount, back - sum(alive.filter((one) => one.status !== "succeeded")))
    const made = {
      intent,
      account: payment.account,
      amount: payment.amount,
      booking_id: session.booking_id,
      known: status === "paid",
      // What came for a visit that was over or cancelled already, or twice, goes back whole.
      whole: status !== "paid" || rows.some(({ cause }) => cause === "late_payment" || cause === "duplicate_payment"),
      back,
      gone,
      // Refunds that failed at an account that has withdrawn our access: nobody tells the service of it.
      unheard: troubled.has(payment.account) ? Math.max(0, session.refunded - gone) : 0,
      here: session,
      presented: payment.presented,
      duplicate: rows.some(({ cause }) => cause === "duplicate_payment"),
      held: sum(disputes.filter((one) => one.status === "needs_response" || one.status === "under_review")),
      disputes: disputes.map(({ id }) => id),
      // A refund that a person made in the dashboard, that failed and was sent again is that person's decision.
      ours: alive.filter(
        ({ metadata: { refund_id } }) =>
          rows.every((row) => row.refund_id !== refund_id || row.cause !== "dashboard") && refund_id !== undefined
      ),
      rows,
      ids: [payment.id, payment_session_id, session.booking_id, ...rows.map(({ refund_id }) => refund_id)]
    }
    for (const id of [...made.ids, ...made.disputes])
      if (disputes.length > 0 || troubled.has(payment.account)) excused.add(id)
    // A refund that the payer's bank sent back needs a person, until one has it sent again.
    const failed = record.refunds.filter((one) => one.payment_intent === intent && hasFailed(one))
    for (const { refund_id, provider_refund_id } of rows)
      if (failed.some(({ id, metadata }) => id === provider_refund_id || metadata["refund_id"] === refund_id))
        excused.add(refund_id)
    return [made]
  })
  type Made = (typeof payments)[number]

  /** Payments of a booking that is over: between `least` and `most` of them is owed in all. */
  const judgeOwed = (about: string, of: ReadonlyArray<Made>, { least, most }: Cancelled): void => {
    const ids = of.flatMap((one) => one.ids)
    const back = of.reduce((total, one) => total + one.back, 0)
    const held = of.reduce((total, one) => total + one.held, 0)
    const ours = of.flatMap((one) => one.ours)
    if (sum(ours) > most) wrong.push(`${about}: ${sum(ours)} was sent in all where ${most} was owed`)
    for (const refund of ours) {
      const known = of.reduce((total, { intent }) => total + (refund.known[intent] ?? 0), 0)
      if (known + refund.amount > most)
        wrong.push(`${about}: ${refund.amount} was sent where ${known} had gone back and ${most} was owed`)
    }
    const unheard = of.reduce((total, one) => total + one.unheard, 0)
    if (back + held + unheard < least && !named(...ids))
      wrong.push(`${about}: ${least} was owed, ${back} is back; the rest is kept, and the doctor does not say so`)
    if (back < least && held > 0 && !named(...ids, ...of.flatMap(({ disputes }) => disputes)))
      wrong.push(`${about}: a dispute is open, and the doctor does not say so`)
  }

  /** What the service says was paid and went back is what the provider's record says. */
  const judgeBooks = (
    about: string,
    { paid, refunded }: DatabaseRecord["bookings"][number],
    payments: ReadonlyArray<Made>
  ): ReadonlyArray<string> => {
    const differ: Array<string> = []
    const compare = (what: string, here: number, there: number) => {
      if (here !== there) differ.push(`${about}: ${what} ${here} ${behind}, and ${there} at the provider`)
    }
    const known = payments.filter((one) => one.known)
    for (const { amount, gone, here, presented } of known) {
      compare(`${here.payment_session_id} is paid`, here.amount, amount)
      compare(`of ${here.payment_session_id} went back`, here.refunded, gone)
      const told = here.presented === null ? "" : `${here.presented.amount} ${here.presented.currency}`
      if (told !== (presented === null ? "" : `${presented.amount} ${presented.currency.toUpperCase()}`))
        differ.push(`${about}: the payer paid in another currency: ${told}, ${JSON.stringify(presented)}`)
    }
    // A second payment for the same purpose never is the booking's money.
    const own = known.filter(({ duplicate }) => !duplicate)
    compare("paid is", paid, sum(own))
    compare(
      "refunded is",
      refunded,
      own.reduce((total, { gone }) => total + gone, 0)
    )
    return differ
  }

  const paidFor = new Set<string>()
  for (const booking of database.bookings) {
    const { booking_id, payment_status, status } = booking
    const paid = payments.filter((one) => one.booking_id === booking_id)
    const told = paid.map((one) => `${one.ids[0]} of ${one.amount}, back ${one.back}`).join("; ")
    const about = `${booking_id} (${status}, ${payment_status}; ${told})`
    const ids = paid.flatMap((one) => one.ids)
    const accounts = paid.map(({ account }) => account)

    if (!accounts.some((account) => troubled.has(account))) wrong.push(...judgeBooks(about, booking, paid))
    if (paid.length > 0 && status === "confirmed") {
      paidFor.add(booking_id)
      if (!booking.placed) wrong.push(`${about}: confirmed without places`)
      for (const one of paid) {
        if (!one.known && !named(...one.ids)) wrong.push(`${about}: ${one.ids[0]} is paid, and its session is not`)
        if (one.ours.length > 0) wrong.push(`${about}: refunded though it stands`)
      }
      // All that was paid went back otherwise: a person decides whether the visit takes place.
      if (paid.every(({ amount, back }) => back >= amount)) excused.add(booking_id)
    }
    if (paid.length > 0 && status === "held" && !accounts.some((account) => troubled.has(account)) && !named(...ids))
      wrong.push(`${about}: paid, and only held`)
    if (paid.length > 0 && status !== "confirmed" && status !== "held") {
      const bound = cancelled.get(booking_id)
      const pooled = bound === undefined ? [] : paid.filter(({ whole }) => !whole)
      if (bound !== undefined && pooled.length > 0) judgeOwed(about, pooled, bound)
      for (const one of paid)
        if (!pooled.includes(one)) judgeOwed(about, [one], { least: one.amount, most: one.amount })
      const rows = paid.flatMap((one) => one.rows)
      const done = rows.every(isOver)
      if (!done && !named(...ids, ...accounts))
        wrong.push(`${about}: a refund is on its way for ever: ${rows.map((row) => row.status).join()}`)
      if (done && payment_status === "refund_pending" && !named(...ids))
        wrong.push(`${about}: told as pending for ever`)
    }
    if (status === "confirmed" && booking.due_now > 0 && !paidFor.has(booking_id))
      wrong.push(`${booking_id} is confirmed, and nobody paid`)
    if (booking.placed !== (status === "confirmed" || status === "held"))
      wrong.push(`${booking_id} is ${status}, and its places are ${booking.placed ? "" : "not "}taken`)
  }

  const disputes = new Set(record.disputes.map(({ id }) => id))
  /** Of visits that stand, the balance that nobody has paid is named once it is due. */
  const owing = (id: string): boolean =>
    database.bookings.some(
      ({ booking_id, status, total }) =>
        booking_id === id &&
        status === "confirmed" &&
        sum(payments.filter(({ here }) => here.booking_id === id)) < total
    )
  const unheard = new Set(database.refused.flatMap((one) => (one.heard_since ? [] : [one.receiver])))
  for (const { detail, id, what } of findings) {
    if (["balance overdue", "unpaid after the visit"].includes(what) && owing(id)) continue
    // While a clock was wrong deliveries were refused, and the provider has had none for that receiver since.
    if (what === "deliveries refused" && unheard.has(id)) continue
    const known = excused.has(id) || disputes.has(id) || [...troubled].some((account) => detail.includes(account))
    const mentions = [...excused].some((one) => detail.includes(one))
    if (!known && !mentions) wrong.push(`the doctor names what needs nobody: ${what} ${id}: ${detail}`)
  }
  return wrong
}

// The accounts of months.

/** A line of `playroom accounts --json`. */
export const MonthLine = Schema.Struct({
  at: Schema.Union([Schema.String, Schema.Finite]),
  kind: Schema.String,
  way: Schema.String,
  amount: Schema.Finite,
  application_fee: Schema.Finite,
  booking_id: Schema.NullOr(Schema.String),
  provider_id: Schema.NullOr(Schema.String),
  balance: Schema.optionalKey(
    Schema.Struct({ transaction_id: Schema.String, provider_fee: Schema.Finite, net: Schema.Finite })
  )
})
type MonthLine = typeof MonthLine.Type

/** A month's accounts: by the provider's record, and by the service's own rows. */
interface ToldMonth {
  readonly month: string
  readonly compared: ReadonlyArray<MonthLine>
  readonly own: ReadonlyArray<MonthLine>
  /** What the command said where it found a difference; empty if it found none. */
  readonly said: string
}

const calendars = new Map<string, Intl.DateTimeFormat>()
/** The month on a zone's clocks, like `2027-01`. */
export const monthAt = (timeZone: string, at: number): string => {
  const calendar =
    calendars.get(timeZone) ?? new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit" })
  calendars.set(timeZone, calendar)
  return calendar.format(at)
}

/** Each movement of the provider with the booking and the month that it is of. */
const placedMovements = ({ movements, sessions }: ProviderRecord, database: DatabaseRecord) => {
  const zones = new Map(database.bookings.map(({ booking_id, time_zone }) => [booking_id, time_zone]))
  const bookings = new Map(
    database.sessions.map(({ booking_id, provider_session_id }) => [provider_session_id, booking_id])
  )
  const intents = new Map(sessions.map(({ id, payment_intent }) => [id, payment_intent]))
  return movements.flatMap((one) => {
    const booking_id = bookings.get(one.session)
    if (booking_id === undefined) return []
    const month = monthAt(zones.get(booking_id) ?? "UTC", one.at)
    return [{ ...one, booking_id, month, intent: intents.get(one.session) }]
  })
}

/** The months with a movement, and the next ones, in which the service may have learnt of it. */
export const monthsOf = (record: ProviderRecord, database: DatabaseRecord): ReadonlyArray<string> => {
  const months = placedMovements(record, database).map(({ month }) => month)
  const since = Math.min(record.now, ...record.movements.map(({ at }) => at))
  for (let at = since; at < record.now + 2 * 86_400_000; at += 86_400_000) months.push(monthAt("UTC", at))
  return [...new Set(months)].sort()
}

const total = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

interface MonthsEvidence {
  readonly record: ProviderRecord
  readonly database: DatabaseRecord
  readonly months: ReadonlyArray<ToldMonth>
  readonly troubled: ReadonlySet<string>
}

/** A sentence for each amount that a month's accounts say otherwise than the provider's movements. */
export const judgeMonths = ({ database, months, record, troubled }: MonthsEvidence): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const placed = placedMovements(record, database)
  const apart = new Set(placed.filter(({ account }) => troubled.has(account)).map(({ booking_id }) => booking_id))
  const judged = <A extends { readonly booking_id: string | null }>(lines: ReadonlyArray<A>) =>
    lines.flatMap((line) => (line.booking_id === null || apart.has(line.booking_id) ? [] : [line]))
  const compare = (
    about: string,
    told: ReadonlyMap<string, ReadonlyArray<number>>,
    there: ReadonlyMap<string, ReadonlyArray<number>>
  ) => {
    for (const key of new Set([...told.keys(), ...there.keys()])) {
      const [here, provider] = [told.get(key)?.join(), there.get(key)?.join()]
      if (here !== provider) wrong.push(`${key}: ${about} ${here} in our accounts, and ${provider} at the provider`)
    }
  }
  /** By key: how many lines there are, and the sum of each number. */
  const sums = <A>(
    lines: ReadonlyArray<A>,
    keyOf: (line: A) => string,
    numbersOf: (line: A) => ReadonlyArray<number>
  ): ReadonlyMap<string, ReadonlyArray<number>> =>
    new Map(
      [...Map.groupBy(lines, keyOf)].map(([key, all]) => {
        const numbers = all.map(numbersOf)
        return [key, (numbers[0] ?? []).map((_, i) => total(numbers.map((one) => one[i] ?? 0)))] as const
      })
    )

  const byLink = (lines: ReadonlyArray<MonthLine>, month: string) =>
    judged(lines)
      .filter(({ kind, way }) => way === "link" && kind !== "correction")
      .map((line) => ({ ...line, month }))
  const compared = months.flatMap(({ compared, month }) => byLink(compared, month))
  const ofMonth = (one: { readonly booking_id: string | null; readonly kind: string; readonly month: string }) =>
    `${one.booking_id} in ${one.month}, ${one.kind}`
  compare(
    "lines, amount, provider's fee, platform's fee, net",
    sums(compared, ofMonth, ({ amount, application_fee, balance }) => [
      1,
      amount,
      balance?.provider_fee ?? Number.NaN,
      application_fee,
      balance?.net ?? Number.NaN
    ]),
    sums(judged(placed), ofMonth, ({ amount, application_fee, fee }) => [
      1,
      amount,
      fee,
      application_fee,
      amount - fee - application_fee
    ])
  )
  for (const { month, said } of months) if (said !== "" && troubled.size === 0) wrong.push(`${month}: ${said}`)

  // Our own rows have the same in all. They may learn of it in a later month, and never in an earlier one.
  const own = months.flatMap(({ month, own: lines }) => byLink(lines, month))
  const ofBooking = (one: { readonly booking_id: string | null; readonly kind: string }) =>
    `${one.booking_id}, ${one.kind === "payment" ? "in" : "back"}`
  const moved = (lines: ReadonlyMap<string, ReadonlyArray<number>>) =>
    new Map([...lines].filter(([, [amount]]) => amount !== 0))
  compare(
    "in all",
    moved(sums(own, ofBooking, ({ amount }) => [amount])),
    moved(sums(judged(placed), ofBooking, ({ amount }) => [amount]))
  )
  for (const line of own) {
    const paid = placed.find(({ intent, kind }) => kind === "payment" && intent === line.provider_id)
    if (line.kind !== "payment" || paid === undefined) continue
    const early = paid.at - new Date(line.at).getTime()
    if (early > 1000)
      wrong.push(`${line.booking_id}: paid ${early} ms earlier in our own rows, in ${line.month} for ${paid.month}`)
  }
  return wrong
}
