/** Removes old rows in small batches, so that tables stay small. Every node runs it. */
import { Clock, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { removeOldKeys } from "../../oauth/ConnectKeys.ts"
import { endUnusedGrants, removeEndedGrants, forgetTakenShares } from "../../oauth/Grants.ts"
import { removeExpiredState, removeUsedSalts } from "../../oauth/OAuthState.ts"
import { forgetSettled, forgetFailedLookups } from "../../booking/OtherBookings.ts"
import { forgetKeys } from "../../booking/Idempotency.ts"
import { LetterOutbox } from "../../booking/LetterOutbox.ts"
import { forgetWaiting } from "../../booking/WaitingList.ts"
import { dayMs, hourMs, forkRecurring } from "../../../platform/time/LocalTime.ts"
import { attemptOrLog } from "../../../platform/concurrency/Outcomes.ts"
import { removeEndedChallenges } from "../staff/Passkeys.ts"
import { removeEndedSessions } from "../staff/StaffSessions.ts"
import { forgetSenders, removeUnpaidSales } from "../../payment/settlement/VoucherSales.ts"
import { EventRecords } from "../../payment/events/EventRecords.ts"

/** How long applied and foreign events are kept. Dead and rejected events stay: a person must see them. */
const eventRetentionMs = 90 * dayMs
/** How long idempotency keys are kept; we promise callers one day. */
const idempotencyKeyRetentionMs = 48 * hourMs
/** How long letters that were sent or dropped are kept: for questions of families. Their addresses: a day. */
const letterRetentionMs = 90 * dayMs
/** How long sales of vouchers that were not paid are kept. */
const unpaidSaleRetentionMs = 90 * dayMs
/** Rows per statement, so that each is short. */
const batch = 500

const failed = "Old rows could not be removed; tried again in an hour"

/** Repeats a delete until it removes less than a full batch; returns the number of rows. */
const inBatches = Effect.fnUntraced(function* <R>(remove: Effect.Effect<number, SqlError.SqlError, R>) {
  let removed = 0
  for (let gone = batch; gone === batch; removed += gone) gone = yield* remove
  return removed
})

/** Rows of one kind. If they can't be removed, the others are all the same. */
const removing = <R>(rows: string, remove: Effect.Effect<number, SqlError.SqlError, R>) =>
  attemptOrLog(inBatches(remove), { failed, about: { rows }, otherwise: 0 })

/**
 * Removes events and idempotency keys past their retention, and expired or unused state of `/mcp/connect`. Returns the
 * number of each.
 */
export const removeExpired = Effect.gen(function* () {
  const events = yield* EventRecords
  const letters = yield* LetterOutbox
  const now = yield* Clock.currentTimeMillis
  return {
    events: yield* removing("events", events.purge(now - eventRetentionMs, batch)),
    letters: yield* removing("letters", letters.purge(now - letterRetentionMs, batch)),
    addressesOfLetters: yield* removing("addresses of letters", letters.forgetAddresses(now - dayMs, batch)),
    keys: yield* removing("idempotency keys", forgetKeys(now - idempotencyKeyRetentionMs, batch)),
    unusedGrants: yield* removing("unused grants", endUnusedGrants(now, batch)),
    endedGrants: yield* removing("ended grants", removeEndedGrants(now, batch)),
    failedLookups: yield* removing("failed look-ups", forgetFailedLookups(now - hourMs, batch)),
    guestBookings: yield* removing("guests' settled bookings", forgetSettled(now, batch)),
    waiting: yield* removing("families that waited", forgetWaiting(now, batch)),
    unpaidVouchers: yield* removing("vouchers not paid", removeUnpaidSales(now - unpaidSaleRetentionMs, batch)),
    buyersAddresses: yield* removing("addresses of buyers", forgetSenders(now - hourMs, batch)),
    admissions: yield* removing("admissions", forgetTakenShares(now - hourMs, batch)),
    staffSessions: yield* removing("sessions of staff", removeEndedSessions(now, batch)),
    staffChallenges: yield* removing("challenges of staff", removeEndedChallenges(now, batch)),
    connectState: yield* removing("state of /mcp/connect", removeExpiredState(now, batch)),
    connectSalts: yield* removing("salts of refresh tokens", removeUsedSalts(now, batch)),
    connectKeys: yield* removing("keys of /mcp/connect", removeOldKeys)
  }
}).pipe(Effect.withSpan("Retention.removeExpired"))

/** Runs `removeExpired` soon after the start and every hour, for the lifetime of the layer. */
export const retentionWorker = Layer.effectDiscard(
  forkRecurring(removeExpired, {
    delay: "5 minutes",
    every: "1 hour",
    failed
  })
)
