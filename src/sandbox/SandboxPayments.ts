/** The sandbox's checkout sessions and payments: their states, and the events of their changes. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { InstantFromDate } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { SandboxEvents } from "./SandboxEvents.ts"
import { randomId } from "./SandboxIds.ts"
import { sessionObject, SessionRow } from "./SandboxObjects.ts"
import { missing, refuse, type SandboxRefusal } from "./SandboxRefusal.ts"
import type { NewSession } from "./SandboxRules.ts"

/** What a payer can do on the hosted page. */
export const Outcome = Schema.Literals(["pay", "decline", "pay_later_succeeds", "pay_later_fails", "expire"])
export type Outcome = typeof Outcome.Type

/** How long a delayed payment takes to become known. */
const settleMs = 2_000

const Id = Schema.Array(Schema.Struct({ session_id: Schema.String }))
const Next = Schema.Array(Schema.Struct({ at: Schema.NullOr(InstantFromDate) }))

type Found<A> = Effect.Effect<A, SqlError.SqlError | SandboxRefusal>

export class SandboxPayments extends Context.Service<
  SandboxPayments,
  {
    readonly createSession: (account: string, session: NewSession) => Effect.Effect<SessionRow, SqlError.SqlError>
    readonly session: (account: string, id: string) => Found<SessionRow>
    /** For the hosted page, whose address is all that a payer has. */
    readonly sessionOfPage: (id: string) => Found<SessionRow>
    readonly expireSession: (account: string, id: string) => Found<SessionRow>
    /** What the payer chose; a session that is no longer open stays as it is. */
    readonly choose: (id: string, outcome: Outcome) => Found<SessionRow>
    /** The session that a payment is of; locked where the caller, in a transaction, is about to change it. */
    readonly sessionOfIntent: (account: string, id: string, lock: boolean) => Found<SessionRow>
    /** An account's sessions that were made at `since` or later, newest first. */
    readonly list: (account: string, since: Date) => Effect.Effect<ReadonlyArray<SessionRow>, SqlError.SqlError>
    readonly recent: Effect.Effect<ReadonlyArray<SessionRow>, SqlError.SqlError>
    /** Expires what is past its time and settles delayed payments. */
    readonly expireAndSettleDue: Effect.Effect<void, SqlError.SqlError>
    /** When `expireAndSettleDue` has something to do next. */
    readonly nextDue: Effect.Effect<number | undefined, SqlError.SqlError>
  }
>()("playroom/sandbox/SandboxPayments") {
  static readonly layer = Layer.effect(
    SandboxPayments,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const events = yield* SandboxEvents
      const random = yield* SecureRandom.SecureRandom
      const idOf = (prefix: string, length: number) =>
        Effect.provideService(randomId(prefix, length), SecureRandom.SecureRandom, random)

      const sessions = decodeRows(Schema.Array(SessionRow))
      const one = (rows: Effect.Effect<ReadonlyArray<SessionRow>, SqlError.SqlError>, kind: string, id: string) =>
        Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(missing(kind, id)) : Effect.succeed(row)))
      const kind = "checkout.session"

      const emitEvent = (row: SessionRow, event: string) =>
        events.emit({
          receiver: "connected",
          type: `checkout.session.${event}`,
          account: row.account,
          // The page is closed by the time of every event, so no address is in it.
          object: sessionObject(row, "")
        })

      const expire = Effect.fnUntraced(function* (row: SessionRow) {
        const [expired = row] = yield* sessions(
          sql`update sandbox_session set status = 'expired' where session_id = ${row.session_id} returning *`
        )
        yield* emitEvent(expired, "expired")
        return expired
      })

      // Locks a session, and expires it where its time is over. The caller is in a transaction.
      const lockSession = Effect.fnUntraced(function* (id: string) {
        const row = yield* one(
          sessions(sql`select * from sandbox_session where session_id = ${id} for update`),
          kind,
          id
        )
        const now = yield* Clock.currentTimeMillis
        return row.status === "open" && row.expires_at <= now ? yield* expire(row) : row
      })
      // Reads a session, and takes the lock only where its time is over.
      const readSession = Effect.fnUntraced(function* (id: string) {
        const row = yield* one(sessions(sql`select * from sandbox_session where session_id = ${id}`), kind, id)
        const now = yield* Clock.currentTimeMillis
        return row.status === "open" && row.expires_at <= now ? yield* sql.withTransaction(lockSession(id)) : row
      })

      const session = Effect.fn("SandboxPayments.session")(function* (account: string, id: string) {
        const row = yield* readSession(id)
        // Another account's session does not exist here.
        return row.account === account ? row : yield* missing(kind, id)
      })

      const complete = Effect.fnUntraced(function* (row: SessionRow, later: "paid" | "failed" | undefined) {
        const now = yield* Clock.currentTimeMillis
        const intent = yield* idOf("pi_", 24)
        const [done = row] = yield* sessions(sql`
          update sandbox_session set status = 'complete', payment_status = ${later === undefined ? "paid" : "unpaid"},
            payment_intent_id = ${intent}, settles_as = ${later ?? null},
            settles_at = ${later === undefined ? null : new Date(now + settleMs)}::timestamptz
          where session_id = ${row.session_id} returning *`)
        yield* emitEvent(done, "completed")
        return done
      })

      const settleDelayed = Effect.fnUntraced(function* (row: SessionRow) {
        const paid = row.settles_as === "paid"
        const [done = row] = yield* sessions(sql`
          update sandbox_session set settles_at = null, payment_status = ${paid ? "paid" : "unpaid"}
          where session_id = ${row.session_id} returning *`)
        yield* emitEvent(done, paid ? "async_payment_succeeded" : "async_payment_failed")
      })

      const sessionOfIntent = (account: string, id: string, lock: boolean) =>
        one(
          sessions(
            lock
              ? sql`select * from sandbox_session where payment_intent_id = ${id} and account = ${account} for update`
              : sql`select * from sandbox_session where payment_intent_id = ${id} and account = ${account}`
          ),
          "payment_intent",
          id
        )

      return SandboxPayments.of({
        createSession: Effect.fn("SandboxPayments.createSession")(function* (account: string, request: NewSession) {
          const now = yield* Clock.currentTimeMillis
          const id = yield* idOf("cs_test_", 58)
          const [row] = yield* sessions(sql`
            insert into sandbox_session (session_id, account, status, payment_status, amount, currency, application_fee,
              product_name, submit_text, description, customer_email, receipt_email, client_reference_id, metadata, intent_metadata,
              success_url, cancel_url, expires_at, created_at)
            values (${id}, ${account}, 'open', 'unpaid', ${request.amount}, ${request.currency}, ${request.application_fee},
              ${request.product_name}, ${request.submit_text ?? null}, ${request.description ?? null}, ${request.customer_email ?? null},
              ${request.receipt_email ?? null}, ${request.client_reference_id ?? null}, ${JSON.stringify(request.metadata)}::jsonb,
              ${JSON.stringify(request.intent_metadata)}::jsonb, ${request.success_url}, ${request.cancel_url ?? null},
              ${new Date(request.expires_at)}, ${new Date(now)})
            returning *`)
          return row === undefined ? yield* Effect.die("insert returned nothing") : row
        }),

        session,
        sessionOfPage: Effect.fn("SandboxPayments.sessionOfPage")(readSession),

        expireSession: Effect.fn("SandboxPayments.expireSession")((account: string, id: string) =>
          sql.withTransaction(
            Effect.gen(function* () {
              const row = yield* lockSession(id)
              if (row.account !== account) return yield* missing(kind, id)
              if (row.status !== "open") {
                return yield* refuse(
                  `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${row.status}.`
                )
              }
              return yield* expire(row)
            })
          )
        ),

        choose: Effect.fn("SandboxPayments.choose")((id: string, outcome: Outcome) =>
          sql.withTransaction(
            Effect.gen(function* () {
              const row = yield* lockSession(id)
              if (row.status !== "open") return row
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
                  const [declined = row] = yield* sessions(
                    sql`update sandbox_session set declined = declined + 1 where session_id = ${id} returning *`
                  )
                  return declined
                }
              }
            })
          )
        ),

        sessionOfIntent: Effect.fn("SandboxPayments.sessionOfIntent")(sessionOfIntent),

        list: Effect.fn("SandboxPayments.list")((account: string, since: Date) =>
          sessions(sql`select * from sandbox_session where account = ${account} and created_at >= ${since}
            order by created_at desc, session_id`)
        ),

        recent: Effect.suspend(() => sessions(sql`select * from sandbox_session order by created_at desc limit 20`)),

        expireAndSettleDue: Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const due = yield* Effect.orDie(
            Schema.decodeUnknownEffect(Id)(
              yield* sql`select session_id from sandbox_session
                where (status = 'open' and expires_at <= ${now}) or settles_at <= ${now} order by created_at limit 100`
            )
          )
          yield* Effect.forEach(
            due,
            ({ session_id }) =>
              sql
                .withTransaction(
                  Effect.gen(function* () {
                    const row = yield* lockSession(session_id)
                    if (row.settles_at !== null && row.settles_at <= now.getTime()) yield* settleDelayed(row)
                  })
                )
                .pipe(Effect.catchTag("SandboxRefusal", () => Effect.void)),
            { discard: true }
          )
        }).pipe(Effect.withSpan("SandboxPayments.expireAndSettleDue")),

        nextDue: Effect.gen(function* () {
          const [next] = yield* Effect.orDie(
            Schema.decodeUnknownEffect(Next)(
              yield* sql`select least((select min(expires_at) from sandbox_session where status = 'open'),
                (select min(settles_at) from sandbox_session where settles_at is not null)) as at`
            )
          )
          return next?.at ?? undefined
        })
      })
    })
  )
}
