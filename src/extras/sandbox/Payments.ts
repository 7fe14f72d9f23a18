/** The sandbox's checkout sessions and payments, with the events of their changes. */
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { columnsOf, decodeRows } from "../../platform/database/Rows.ts"
import { bookCharge } from "./Balance.ts"
import { Events } from "./Events.ts"
import { missing, one, refuse } from "./Form.ts"
import { intentObject, newId, sessionObject, SessionRow } from "./Objects.ts"
import type { NewSession } from "./SessionRules.ts"

/** The payer's choices on the hosted page. */
export const Outcome = Schema.Literals(["pay", "decline", "pay_later_succeeds", "pay_later_fails", "expire"])
export type Outcome = typeof Outcome.Type

/** The time that a delayed payment takes to settle. */
const settleMs = 2_000

const sessions = decodeRows(Schema.Array(SessionRow))
const columns = columnsOf(SessionRow)
const sessionIds = decodeRows(Schema.Array(Schema.Struct({ session_id: Schema.String })))
const kind = "checkout.session"

const emitEvent = (row: SessionRow, event: string) =>
  Events.use(({ emit }) =>
    emit({
      receiver: "connected",
      type: `checkout.session.${event}`,
      account: row.account,
      // The page is closed by the time of every event, so no address is in it.
      object: sessionObject(row, "")
    })
  )

const expire = Effect.fnUntraced(function* (row: SessionRow) {
  const sql = yield* SqlClient.SqlClient
  const [expired = row] = yield* sessions(
    sql`update sandbox.session set status = 'expired' where session_id = ${row.session_id} returning ${sql.literal(columns)}`
  )
  yield* emitEvent(expired, "expired")
  return expired
})

/** Locks a session, and expires it if its time is over. The caller is in a transaction. */
const lockSession = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* one(
    kind,
    id,
    sessions(sql`select ${sql.literal(columns)} from sandbox.session where session_id = ${id} for update`)
  )
  const now = yield* Clock.currentTimeMillis
  return row.status === "open" && row.expires_at <= now ? yield* expire(row) : row
})

/** For the hosted page. Locks the session only if it has expired. */
export const sessionOfPage = Effect.fn("Sandbox.sessionOfPage")(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* one(
    kind,
    id,
    sessions(sql`select ${sql.literal(columns)} from sandbox.session where session_id = ${id}`)
  )
  const now = yield* Clock.currentTimeMillis
  return row.status === "open" && row.expires_at <= now ? yield* sql.withTransaction(lockSession(id)) : row
})

/** Another account's session does not exist for the caller. */
export const sessionOfAccount = Effect.fn("Sandbox.sessionOfAccount")(function* (account: string, id: string) {
  const row = yield* sessionOfPage(id)
  return row.account === account ? row : yield* missing(kind, id)
})

/** The session of a payment. `locked`: for callers in a transaction that change it. */
export const sessionOfIntent = Effect.fn("Sandbox.sessionOfIntent")(function* (
  account: string,
  id: string,
  lock: "locked" | "as it is"
) {
  const sql = yield* SqlClient.SqlClient
  const found = sql`select ${sql.literal(columns)} from sandbox.session where payment_intent_id = ${id} and account = ${account}`
  return yield* one("payment_intent", id, sessions(lock === "locked" ? sql`${found} for update` : found))
})

export const createSession = Effect.fn("Sandbox.createSession")(function* (account: string, request: NewSession) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const id = yield* newId("cs_test_", 58)
  const rows = sessions(sql`
    insert into sandbox.session (session_id, account, status, payment_status, amount, currency, application_fee,
      product_name, submit_text, description, customer_email, receipt_email, client_reference_id, metadata,
      intent_metadata, success_url, cancel_url, expires_at, adaptive_pricing, locale, created_at)
    values (${id}, ${account}, 'open', 'unpaid', ${request.amount}, ${request.currency}, ${request.application_fee},
      ${request.product_name}, ${request.submit_text ?? null}, ${request.description ?? null},
      ${request.customer_email ?? null}, ${request.receipt_email ?? null}, ${request.client_reference_id ?? null},
      ${JSON.stringify(request.metadata)}::jsonb, ${JSON.stringify(request.intent_metadata)}::jsonb,
      ${request.success_url}, ${request.cancel_url ?? null}, ${new Date(request.expires_at)},
      ${request.adaptive_pricing}, ${request.locale ?? null}, ${new Date(now)})
    returning ${sql.literal(columns)}`)
  return yield* one(kind, id, rows)
})

/** The caller is in a transaction. */
export const expireSession = Effect.fn("Sandbox.expireSession")(function* (account: string, id: string) {
  const row = yield* lockSession(id)
  if (row.account !== account) return yield* missing(kind, id)
  if (row.status !== "open") {
    return yield* refuse(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${row.status}.`
    )
  }
  return yield* expire(row)
})

const complete = Effect.fnUntraced(function* (row: SessionRow, later: "paid" | "failed" | undefined) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Clock.currentTimeMillis
  const intent = row.payment_intent_id ?? (yield* newId("pi_", 24))
  const [done = row] = yield* sessions(sql`
    update sandbox.session set status = 'complete', payment_status = ${later === undefined ? "paid" : "unpaid"},
      payment_intent_id = ${intent}, settles_as = ${later ?? null},
      settles_at = ${later === undefined ? null : new Date(now + settleMs)}::timestamptz
    where session_id = ${row.session_id} returning ${sql.literal(columns)}`)
  if (done.payment_status === "paid") yield* bookCharge(done)
  yield* emitEvent(done, "completed")
  return done
})

/** What a payer pays in a currency of their own, in the provider's minor units. */
export type Presented = NonNullable<SessionRow["presented"]>

/** Applies the payer's choice; `presented` where the session offers other currencies. A session that is no longer open stays as it is. The caller is in a transaction. */
export const choose = Effect.fn("Sandbox.choose")(function* (id: string, outcome: Outcome, presented?: Presented) {
  const sql = yield* SqlClient.SqlClient
  const row = yield* lockSession(id)
  if (row.status !== "open") return row
  if (presented !== undefined && row.adaptive_pricing && outcome.startsWith("pay"))
    yield* sql`update sandbox.session set presented = ${JSON.stringify(presented)}::jsonb where session_id = ${id}`
  switch (outcome) {
    case "pay":
      return yield* complete(row, undefined)
    case "pay_later_succeeds":
      return yield* complete(row, "paid")
    case "pay_later_fails":
      return yield* complete(row, "failed")
    case "expire":
      return yield* expire(row)
    case "decline": {
      const now = new Date(yield* Clock.currentTimeMillis)
      const intent = row.payment_intent_id ?? (yield* newId("pi_", 24))
      const [declined = row] = yield* sessions(
        sql`update sandbox.session set declined = declined + 1, declined_at = ${now}, payment_intent_id = ${intent}
          where session_id = ${id} returning ${sql.literal(columns)}`
      )
      yield* Events.use(({ emit }) =>
        emit({
          receiver: "connected",
          type: "payment_intent.payment_failed",
          account: declined.account,
          object: intentObject(declined, intent)
        })
      )
      return declined
    }
  }
})

/** An account's sessions that were made at `since` or later, newest first. */
export const listSessions = Effect.fn("Sandbox.listSessions")(function* (account: string, since: Date) {
  const sql = yield* SqlClient.SqlClient
  return yield* sessions(sql`select ${sql.literal(columns)} from sandbox.session where account = ${account} and created_at >= ${since}
    order by created_at desc, session_id`)
})

export const recentSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sessions(sql`select ${sql.literal(columns)} from sandbox.session order by created_at desc limit 20`)
})

const settleDelayed = Effect.fnUntraced(function* (row: SessionRow) {
  const sql = yield* SqlClient.SqlClient
  const paid = row.settles_as === "paid"
  const [done = row] = yield* sessions(sql`
    update sandbox.session set settles_at = null, payment_status = ${paid ? "paid" : "unpaid"}
    where session_id = ${row.session_id} returning ${sql.literal(columns)}`)
  if (paid) yield* bookCharge(done)
  yield* emitEvent(done, paid ? "async_payment_succeeded" : "async_payment_failed")
})

/** Expires overdue sessions and settles delayed payments. */
export const expireAndSettleDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* Clock.currentTimeMillis)
  const due = yield* sessionIds(sql`select session_id from sandbox.session
    where (status = 'open' and expires_at <= ${now}) or settles_at <= ${now} order by created_at limit 100`)
  const settle = Effect.fnUntraced(function* (id: string) {
    const row = yield* lockSession(id)
    if (row.settles_at !== null && row.settles_at <= now.getTime()) yield* settleDelayed(row)
  })
  yield* Effect.forEach(
    due,
    ({ session_id }) => sql.withTransaction(settle(session_id)).pipe(Effect.catchTag("Refusal", () => Effect.void)),
    { discard: true }
  )
}).pipe(Effect.withSpan("Sandbox.expireAndSettleDue"))
