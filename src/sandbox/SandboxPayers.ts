/** What the sandbox, like the provider that it stands in for, keeps of the people who pay: for telling them, and for forgetting them. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"

/** Payment sessions by the service's own ids, and an e-mail address that pages were filled in with. */
export interface Payer {
  readonly payment_session_ids: ReadonlyArray<string>
  readonly email?: string
}

const ids = decodeRows(Schema.Array(Schema.Struct({ session_id: Schema.String })))
const Rows = Schema.Array(Schema.Record(Schema.String, Schema.Json))
const kept = decodeRows(
  Schema.Tuple([Schema.Struct({ sandbox_session: Rows, sandbox_delivery: Rows, sandbox_idempotency: Rows })])
)

const sessionsOf = Effect.fnUntraced(function* ({ email, payment_session_ids }: Payer) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* ids(sql`select session_id from sandbox_session
    where client_reference_id = any(${payment_session_ids}::text[])
      or lower(customer_email) = lower(${email ?? null}::text) or lower(receipt_email) = lower(${email ?? null}::text)`)
  return found.map(({ session_id }) => session_id)
})

/** Whether a text names one of these sessions. */
const names = (sql: SqlClient.SqlClient, column: "body", sessions: ReadonlyArray<string>) =>
  sql`exists (select from unnest(${sessions}::text[]) as named(id) where strpos(${sql.literal(column)}, named.id) > 0)`

/** All rows about a payer. */
export const rowsOfPayer = Effect.fn("rowsOfPayer")(function* (payer: Payer) {
  const sql = yield* SqlClient.SqlClient
  const sessions = yield* sessionsOf(payer)
  const [rows] = yield* kept(sql`select
    (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from sandbox_session s where session_id = any(${sessions}::text[])) as sandbox_session,
    (select coalesce(jsonb_agg(to_jsonb(d)), '[]') from sandbox_delivery d where ${names(sql, "body", sessions)}) as sandbox_delivery,
    (select coalesce(jsonb_agg(to_jsonb(i)), '[]') from sandbox_idempotency i where ${names(sql, "body", sessions)}) as sandbox_idempotency`)
  return rows
})

/**
 * Forgets a payer: sessions and events lose the e-mail address and the addresses that the payer came back to, kept answers go. Amounts
 * and states stay, and an event that is still to be delivered is.
 */
export const forgetPayer = Effect.fn("forgetPayer")(function* (payer: Payer) {
  const sql = yield* SqlClient.SqlClient
  const sessions = yield* sessionsOf(payer)
  if (sessions.length === 0) return
  const origin = (column: "success_url" | "cancel_url") =>
    sql`${sql.literal(column)} = substring(${sql.literal(column)} from '^https?://[^/?#]+')`
  yield* sql`update sandbox_session set customer_email = null, receipt_email = null, ${origin("success_url")}, ${origin("cancel_url")}
    where session_id = any(${sessions}::text[])`
  // Texts, and not `jsonb`, which refuses some of what a person may have sent by hand.
  yield* sql`update sandbox_delivery set body = regexp_replace(
      regexp_replace(body, '"(customer_email|receipt_email|email)": "(?:[^"\\\\]|\\\\.)*"', '"\\1": null', 'g'),
      '"(success_url|cancel_url)": "(https?://[^/?#"\\\\]+)(?:[^"\\\\]|\\\\.)*"', '"\\1": "\\2"', 'g')
    where ${names(sql, "body", sessions)}`
  yield* sql`delete from sandbox_idempotency where ${names(sql, "body", sessions)}`
})
