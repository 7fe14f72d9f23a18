/** Removes what nobody needs any more, a little at a time, so that tables do not grow with the years. Every node runs it. */
import { Clock, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { removeOldKeys } from "../oauth/ConnectKeys.ts"
import { endUnusedGrants, removeEndedGrants } from "../oauth/Grants.ts"
import { removeExpiredState } from "../oauth/OAuthState.ts"
import { forgetSettled } from "../booking/GuestLimits.ts"
import { forgetKeys } from "../booking/Idempotency.ts"
import { dayMs, hourMs } from "../kernel/LocalTime.ts"
import { forkRecurring } from "../kernel/Recurring.ts"
import { EventRecords } from "../payment/events/EventRecords.ts"

/** Events that were applied, or were not ours, are kept this long. Dead and rejected ones stay: a person has to see them. */
export const keepEventsMs = 90 * dayMs
/** Idempotency keys are remembered this long; callers may count on a day. */
export const keepKeysMs = 48 * hourMs
/** Rows a statement, so that none holds the database for long. */
const batch = 500

/** Repeats a statement that removes a batch until there is less left than one; answers how many rows went. */
const inBatches = Effect.fnUntraced(function* <R>(remove: Effect.Effect<number, SqlError.SqlError, R>) {
  let removed = 0
  for (let gone = batch; gone === batch; removed += gone) gone = yield* remove
  return removed
})

/**
 * Removes all events and idempotency keys that are older than they are kept, and of `/mcp/connect` what has expired or is not used any
 * more; answers how many of each.
 */
export const removeExpired = Effect.gen(function* () {
  const events = yield* EventRecords
  const now = yield* Clock.currentTimeMillis
  return {
    events: yield* inBatches(events.purge(now - keepEventsMs, batch)),
    keys: yield* inBatches(forgetKeys(now - keepKeysMs, batch)),
    unusedGrants: yield* inBatches(endUnusedGrants(now, batch)),
    endedGrants: yield* inBatches(removeEndedGrants(now, batch)),
    guestBookings: yield* inBatches(forgetSettled(now, batch)),
    connectState: yield* inBatches(removeExpiredState(now, batch)),
    connectKeys: yield* removeOldKeys
  }
}).pipe(Effect.withSpan("Retention.removeExpired"))

/** Removes what is too old soon after the start and every hour, for as long as the layer lives. */
export const retentionWorker = Layer.effectDiscard(
  forkRecurring(removeExpired, {
    delay: "5 minutes",
    every: "1 hour",
    failed: "Old rows could not be removed; tried again in an hour"
  })
)
