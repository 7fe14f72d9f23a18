/** Exports and erases the sandbox's personal data about payers. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows } from "../../platform/database/Rows.ts"

/** A payer's sessions and bookings, by the service's own ids, and e-mail address. */
interface Payer {
  readonly payment_session_ids: ReadonlyArray<string>
  readonly booking_ids: ReadonlyArray<string>
  readonly email?: string
}

const ids = decodeRows(Schema.Array(Schema.Struct({ session_id: Schema.String })))
const tables = decodeRows(Schema.Tuple([Schema.Struct({ there: Schema.Boolean })]))
const Rows = Schema.Array(Schema.Record(Schema.String, Schema.Json))
const kept = decodeRows(
  Schema.Tuple([
    Schema.Struct({ sandbox_session: Rows, sandbox_delivery: Rows, sandbox_idempotency: Rows, sandbox_letter: Rows })
  ])
)

/** A database without a sandbox lacks these tables. */
const started = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [{ there }] = yield* tables(sql`select to_regclass('sandbox.letter') is not null as there`)
  return there
})

const sessionsOf = Effect.fnUntraced(function* ({ email, payment_session_ids }: Payer) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* ids(sql`select session_id from sandbox.session
    where client_reference_id = any(${payment_session_ids}::text[])
      or lower(customer_email collate "default") = lower(${email ?? null}::text collate "default")
      or lower(receipt_email collate "default") = lower(${email ?? null}::text collate "default")`)
  return found.map(({ session_id }) => session_id)
})

/** A condition: the text contains the id of one of these sessions. */
const names = (sql: SqlClient.SqlClient, column: "body", sessions: ReadonlyArray<string>) =>
  sql`exists (select from unnest(${sessions}::text[]) as named(id) where strpos(${sql.literal(column)}, named.id) > 0)`

/** Letters about these bookings, or to this address. */
const lettersTo = (sql: SqlClient.SqlClient, { booking_ids, email }: Payer) =>
  sql`booking_id = any(${booking_ids}::text[]) or lower(recipient collate "default") = lower(${email ?? null}::text collate "default")`

/** All rows about a payer, by table. */
const rows = Effect.fn("Sandbox.rowsOfPayer")(function* (payer: Payer) {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* started))
    return { sandbox_session: [], sandbox_delivery: [], sandbox_idempotency: [], sandbox_letter: [] }
  const sessions = yield* sessionsOf(payer)
  const [found] = yield* kept(sql`select
    (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from sandbox.session s where session_id = any(${sessions}::text[])) as sandbox_session,
    (select coalesce(jsonb_agg(to_jsonb(d)), '[]') from sandbox.delivery d where ${names(sql, "body", sessions)}) as sandbox_delivery,
    (select coalesce(jsonb_agg(to_jsonb(i)), '[]') from sandbox.idempotency i where ${names(sql, "body", sessions)}) as sandbox_idempotency,
    (select coalesce(jsonb_agg(to_jsonb(l)), '[]') from sandbox.letter l where ${lettersTo(sql, payer)}) as sandbox_letter`)
  return found
})

/**
 * Erases a payer: removes the e-mail address and the paths of return addresses from sessions and events, and stored
 * responses and letters. Amounts and states stay, and pending events are still delivered.
 */
const forget = Effect.fn("Sandbox.forgetPayer")(function* (payer: Payer) {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* started)) return
  yield* sql`delete from sandbox.letter where ${lettersTo(sql, payer)}`
  const sessions = yield* sessionsOf(payer)
  if (sessions.length === 0) return
  const origin = (column: "success_url" | "cancel_url") =>
    sql`${sql.literal(column)} = substring(${sql.literal(column)} from '^https?://[^/?#]+')`
  yield* sql`update sandbox.session set customer_email = null, receipt_email = null, ${origin("success_url")}, ${origin("cancel_url")}
    where session_id = any(${sessions}::text[])`
  // As text: `jsonb` rejects some bodies that people may have sent by hand.
  yield* sql`update sandbox.delivery set body = regexp_replace(
      regexp_replace(body, '"(customer_email|receipt_email|email)": "(?:[^"\\\\]|\\\\.)*"', '"\\1": null', 'g'),
      '"(success_url|cancel_url)": "(https?://[^/?#"\\\\]+)(?:[^"\\\\]|\\\\.)*"', '"\\1": "\\2"', 'g')
    where ${names(sql, "body", sessions)}`
  yield* sql`delete from sandbox.idempotency where ${names(sql, "body", sessions)}`
})

export const sandboxPayers = { rows, forget }
