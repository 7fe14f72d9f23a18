/**
 * Writes events to the inbox: many in one statement where many come at once, as each statement costs a write to disk. An event that
 * comes alone is written at once.
 */
import { type Array, Effect, Exit, Request, RequestResolver, Semaphore } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { resolvedByPerson } from "./EventRecords.ts"

/** A row of `webhook_event` to be. */
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
  /** The payment session that the event names. It is stored only where this service has it, for the event's account. */
  readonly payment_session_id: string | null
  /** Its object has to be fetched from the provider before it is applied. */
  readonly fetch: boolean
  readonly received_at: Date
}

class StoreEvent extends Request.TaggedClass("StoreEvent")<
  { readonly row: EventToStore },
  boolean,
  SqlError.SqlError
> {}

interface Stored {
  readonly event_id: string
}

const mostInStatement = 32

type Entry = Request.Entry<StoreEvent>

/** Of two deliveries of one event the more useful one: one that is applied before one that is not, as it is before fetched. */
const moreUseful = (one: Entry, other: Entry): Entry => {
  const rank = ({ request: { row } }: Entry) => (row.status === "ignored" ? 0 : row.fetch ? 1 : 2)
  return rank(other) > rank(one) ? other : one
}

/**
 * Stores one event; answers false where its id was there already. A stored event is replaced by a more useful delivery of the same
 * event: one that is not ours by one that is, one whose object has to be fetched by one that can be applied as it is.
 */
export const makeEventStore = (sql: SqlClient.SqlClient) => {
  // One statement at a time: what comes meanwhile goes together in the next.
  const oneStatement = Semaphore.makeUnsafe(1)

  const insert = (entries: ReadonlyArray<Entry>) => {
    const all = <K extends keyof EventToStore>(name: K): ReadonlyArray<EventToStore[K]> =>
      entries.map(({ request }) => request.row[name])
    // The driver can't tell the type of a list of nothing but null.
    const texts = (name: "account" | "api_version" | "outcome" | "payment_session_id") =>
      all(name).map((word) => word ?? "")
    // In order of their ids, so that two nodes with the same events do not wait for each other both ways.
    return sql<Stored>`
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
      returning event_id`
  }

  const storeAll = (entries: Array.NonEmptyReadonlyArray<Entry>): Effect.Effect<void> => {
    const best = new Map<string, Entry>()
    for (const entry of entries) {
      const { event_id } = entry.request.row
      const before = best.get(event_id)
      best.set(event_id, before === undefined ? entry : moreUseful(before, entry))
    }
    return Effect.matchEffect(insert([...best.values()]), {
      onSuccess: (rows) =>
        Effect.sync(() => {
          const stored = new Set(rows.map(({ event_id }) => event_id))
          // Of two of one id the first is new.
          for (const entry of entries) entry.completeUnsafe(Exit.succeed(stored.delete(entry.request.row.event_id)))
        }),
      onFailure: (error) =>
        // One that can't be stored must not keep the others from it.
        entries.length > 1 && !error.isRetryable
          ? Effect.forEach(entries, (entry) => storeAll([entry]), { discard: true })
          : Effect.sync(() => {
              for (const entry of entries) entry.completeUnsafe(Exit.fail(error))
            })
    })
  }

  const resolver = RequestResolver.make<StoreEvent>((entries) => oneStatement.withPermit(storeAll(entries))).pipe(
    RequestResolver.setDelayEffect(Effect.andThen(Effect.yieldNow, oneStatement.withPermit(Effect.void))),
    RequestResolver.batchN(mostInStatement),
    // In the trace of one of the deliveries; the others are linked.
    RequestResolver.withSpan("EventStore.insert")
  )
  return (row: EventToStore) => Effect.request(new StoreEvent({ row }), resolver)
}
