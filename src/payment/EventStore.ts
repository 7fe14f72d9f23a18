/**
 * Writes events to the inbox: many in one statement where many come at once, as each statement costs a write to disk. At rest an
 * event waits for nobody.
 */
import { Array, Effect, Exit, Request, RequestResolver, Semaphore } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** A row of `webhook_event` to be. */
export type EventToStore = {
  readonly event_id: string
  readonly receiver: string
  readonly type: string
  readonly account: string | null
  readonly livemode: boolean
  readonly api_version: string | null
  readonly payload: string
  readonly status: string
  readonly outcome: string | null
  readonly next_attempt_at: Date
  readonly received_at: Date
  readonly applied_at: Date | null
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

/** Stores one event; false where its id was there already. */
export const makeEventStore = (sql: SqlClient.SqlClient) => {
  // One statement at a time: what comes meanwhile goes together in the next.
  const turn = Semaphore.makeUnsafe(1)

  const insert = (entries: Array.NonEmptyReadonlyArray<Request.Entry<StoreEvent>>) =>
    sql<Stored>`insert into webhook_event ${sql.insert(Array.map(entries, ({ request }) => request.row))}
      on conflict (event_id) do nothing returning event_id`

  const storeAll = (entries: Array.NonEmptyReadonlyArray<Request.Entry<StoreEvent>>): Effect.Effect<void> =>
    Effect.matchEffect(insert(entries), {
      onSuccess: (rows) =>
        Effect.sync(() => {
          const stored = new Set(rows.map(({ event_id }) => event_id))
          // Of two of one id the first is new.
          for (const entry of entries) entry.completeUnsafe(Exit.succeed(stored.delete(entry.request.row.event_id)))
        }),
      onFailure: (error) =>
        // One that can't be stored must not stand in the way of the others.
        entries.length > 1 && !error.isRetryable
          ? Effect.forEach(entries, (entry) => storeAll([entry]), { discard: true })
          : Effect.sync(() => {
              for (const entry of entries) entry.completeUnsafe(Exit.fail(error))
            })
    })

  const resolver = RequestResolver.make<StoreEvent>((entries) => turn.withPermit(storeAll(entries))).pipe(
    RequestResolver.setDelayEffect(Effect.andThen(Effect.yieldNow, turn.withPermit(Effect.void))),
    RequestResolver.batchN(mostInStatement)
  )
  return (row: EventToStore) => Effect.request(new StoreEvent({ row }), resolver)
}
