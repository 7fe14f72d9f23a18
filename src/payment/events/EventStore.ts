/**
 * Inserts events into the inbox. Each statement costs a disk write, so concurrent events share one. A single event does
 * not wait.
 */
import { type Array, Cause, Effect, Exit, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { decodeRows } from "../../kernel/Rows.ts"
import { sharedStatement } from "../../kernel/SharedStatement.ts"
import { makeTimeLimit } from "../../kernel/TimeLimit.ts"
import { resolvedByPerson } from "./EventRecords.ts"

/** A new row of `webhook_event`. */
export type EventToStore = {
  readonly event_id: string
  readonly receiver: string
  readonly type: string
  readonly account: string | null
  readonly livemode: boolean
  readonly api_version: string | null
  readonly payload: string
  readonly status: "received" | "ignored"
  readonly outcome: string | null
  /** The payment session that the event names. It is stored only if it exists and is of the event's account. */
  readonly payment_session_id: string | null
  /** The object has to be fetched from the provider before the event is applied. */
  readonly fetch: boolean
  readonly received_at: Date
}

const storedIds = decodeRows(Schema.Array(Schema.Struct({ event_id: Schema.String })))

const maxBatchSize = 32

/** After this time the provider is told to retry. It would wait longer, but each wait holds a connection. */
const storeTimeout = "3 seconds"

/** The more useful of two deliveries of an event. In order: applied as stored, fetched first, ignored. */
const moreUseful = (one: EventToStore, other: EventToStore): EventToStore => {
  const rank = (row: EventToStore) => (row.status === "ignored" ? 0 : row.fetch ? 1 : 2)
  return rank(other) > rank(one) ? other : one
}

/**
 * Builds what stores an event within `storeTimeout`; it returns false if its id is already stored. A more useful delivery
 * replaces a stored event: a known event replaces an unknown one, and one that can be applied as stored replaces one whose
 * object has to be fetched.
 */
export const makeEventStore = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const time = yield* makeTimeLimit(storeTimeout)

  const insert = (rows: ReadonlyArray<EventToStore>) => {
    const all = <K extends keyof EventToStore>(name: K): ReadonlyArray<EventToStore[K]> => rows.map((row) => row[name])
    // The driver can't infer the type of a list of nulls.
    const texts = (name: "account" | "api_version" | "outcome" | "payment_session_id") =>
      all(name).map((word) => word ?? "")
    // Sorted by id, so that two nodes with the same events don't deadlock.
    const inserted = storedIds(sql`
      insert into webhook_event (event_id, receiver, type, account, livemode, api_version, payload, status, outcome,
        received_at, next_attempt_at, applied_at, payment_session_id, booking_id, queue)
      select e.event_id, e.receiver, e.type, nullif(e.account, ''), e.livemode, nullif(e.api_version, ''), e.payload, e.status,
        nullif(e.outcome, ''),
        e.at, e.at, case e.status when 'ignored' then e.at end, s.payment_session_id, s.booking_id,
        case when e.asked then 'asked' when s.payment_session_id is not null then 'known' else 'rest' end
      from unnest(${all("event_id")}::text[], ${all("receiver")}::text[], ${all("type")}::text[], ${texts("account")}::text[],
        ${all("livemode")}::boolean[], ${texts("api_version")}::text[], ${all("payload")}::text[], ${all("status")}::text[],
        ${texts("outcome")}::text[], ${texts("payment_session_id")}::text[], ${all("fetch")}::boolean[], ${all("received_at")}::timestamptz[])
        as e (event_id, receiver, type, account, livemode, api_version, payload, status, outcome, payment_session_id, asked, at)
      left join payment_session s on s.payment_session_id = e.payment_session_id and s.account = e.account
      order by e.event_id
      on conflict (event_id) do update set receiver = excluded.receiver, type = excluded.type, account = excluded.account,
        livemode = excluded.livemode, api_version = excluded.api_version, payload = excluded.payload, status = 'received',
        outcome = null, attempts = 0, next_attempt_at = excluded.next_attempt_at, applied_at = null,
        payment_session_id = excluded.payment_session_id, booking_id = excluded.booking_id, queue = excluded.queue
      where excluded.status = 'received' and (
        (webhook_event.status = 'ignored' and webhook_event.outcome not like ${`%${resolvedByPerson}`})
        or (webhook_event.queue = 'asked' and webhook_event.status in ('received', 'dead') and excluded.queue <> 'asked'))
      returning event_id`)
    return Effect.map(inserted, (stored) => stored.map(({ event_id }) => event_id))
  }

  const storeAll = (rows: Array.NonEmptyReadonlyArray<EventToStore>) => {
    const best = new Map<string, EventToStore>()
    for (const row of rows) {
      const before = best.get(row.event_id)
      best.set(row.event_id, before === undefined ? row : moreUseful(before, row))
    }
    return Effect.map(insert([...best.values()]), (ids) => {
      const stored = new Set(ids)
      // Of two deliveries with one id, the first is new.
      return rows.map(({ event_id }) => Exit.succeed(stored.delete(event_id)))
    })
  }

  return sharedStatement<EventToStore, boolean, SqlError.SqlError | Cause.TimeoutError>(
    { name: "EventStore.insert", most: maxBatchSize, limit: { time, error: () => new Cause.TimeoutError() } },
    (rows) =>
      Effect.catchIf(
        storeAll(rows),
        // One bad event must not block the others.
        (error) => rows.length > 1 && !error.isRetryable,
        () => Effect.forEach(rows, (row) => Effect.exit(Effect.map(insert([row]), (ids) => ids.length > 0)))
      )
  )
})
