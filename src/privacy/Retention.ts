/** Removes old rows in small batches, so that tables stay small. Every node runs it. */
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

/** How long applied and foreign events are kept. Dead and rejected events stay: a person must see them. */
const eventRetentionMs = 90 * dayMs
/** How long idempotency keys are kept; we promise callers one day. */
const idempotencyKeyRetentionMs = 48 * hourMs
/** Rows per statement, so that each is short. */
const batch = 500

/** Repeats a delete until it removes less than a full batch; returns the number of rows. */
const inBatches = Effect.fnUntraced(function* <R>(remove: Effect.Effect<number, SqlError.SqlError, R>) {
  let removed = 0
  for (let gone = batch; gone === batch; removed += gone) gone = yield* remove
  return removed
})

/**
 * Removes events and idempotency keys past their retention, and expired or unused state of `/mcp/connect`. Returns the
 * number of each.
 */
export const removeExpired = Effect.gen(function* () {
  const events = yield* EventRecords
  const now = yield* Clock.currentTimeMillis
  return {
    events: yield* inBatches(events.purge(now - eventRetentionMs, batch)),
    keys: yield* inBatches(forgetKeys(now - idempotencyKeyRetentionMs, batch)),
    unusedGrants: yield* inBatches(endUnusedGrants(now, batch)),
    endedGrants: yield* inBatches(removeEndedGrants(now, batch)),
    guestBookings: yield* inBatches(forgetSettled(now, batch)),
    connectState: yield* inBatches(removeExpiredState(now, batch)),
    connectKeys: yield* removeOldKeys
  }
}).pipe(Effect.withSpan("Retention.removeExpired"))

/** Runs `removeExpired` soon after the start and every hour, for the lifetime of the layer. */
export const retentionWorker = Layer.effectDiscard(
  forkRecurring(removeExpired, {
    delay: "5 minutes",
    every: "1 hour",
    failed: "Old rows could not be removed; tried again in an hour"
  })
)
