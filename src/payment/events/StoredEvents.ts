/**
 * Applies events that can be applied as stored. Events of known sessions that wait at the same time are claimed
 * together, and payments among them that only have to be counted (`Settlement.countAll`) share a transaction and its
 * statements. All others are applied one by one, as an event that waits alone.
 */
import { Cause, Clock, Effect, Exit } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import { Settlement } from "../settlement/Settlement.ts"
import { type EventAttempts, spanAttributes } from "./EventAttempts.ts"
import { outcomeAbout } from "./EventHandler.ts"
import { EventRecords, type WebhookEvent } from "./EventRecords.ts"

/** The most events of known sessions that are claimed together. More would keep a connection for too long. */
const maxTogether = 32

type Claim = (now: Instant) => Effect.Effect<ReadonlyArray<WebhookEvent>, SqlError.SqlError>

/** Returns what applies the next events, at most `most`, and returns how many it tried; undefined if none was due. */
export const makeStoredEvents = Effect.fnUntraced(function* (
  attempts: EventAttempts,
  /** Runs between two transactions. */
  between: Effect.Effect<void>
) {
  const sql = yield* SqlClient.SqlClient
  const records = yield* EventRecords
  const settlement = yield* Settlement

  /** Counts the payments among the events, and marks them; returns the events that were left out. */
  const applyTogether = Effect.fn("WebhookInbox.applyTogether")(function* (claimed: ReadonlyArray<WebhookEvent>) {
    const bookings = new Set<string | null>()
    const all = claimed.flatMap((event) => {
      // What else is told of a booking comes after its first event, whatever becomes of that.
      const first = !bookings.has(event.booking_id)
      bookings.add(event.booking_id)
      const reported = first ? attempts.stated(event) : undefined
      return reported === undefined ? [] : [{ event, reported }]
    })
    const outcomes = yield* settlement.countAll(all.map(({ reported }) => reported))
    const finished = all.flatMap(({ event, reported }) => {
      const outcome = outcomes.get(reported)
      if (outcome === undefined) return []
      const { subject, text } = outcomeAbout(reported.session, outcome)
      return [{ event, status: outcome.status, outcome: text, subject }]
    })
    yield* faultPoint("event applied, not marked")
    if (finished.length > 0) yield* records.finish(finished, yield* Clock.currentTimeMillis)
    for (const { event } of finished)
      yield* Effect.withSpan(Effect.void, "WebhookInbox.apply", { attributes: spanAttributes(event) })
    yield* faultPoint("event marked, not committed")
    const done = new Set(finished.map(({ event }) => event))
    return claimed.filter((event) => !done.has(event))
  })

  /** Claims events and applies them in one transaction, or one by one; returns how many it tried, if any was due. */
  const applyClaimed = Effect.fnUntraced(function* (
    claim: Claim
  ): Effect.fn.Return<number | undefined, SqlError.SqlError> {
    const now = yield* Clock.currentTimeMillis
    let claimed: ReadonlyArray<WebhookEvent> = []
    const result = yield* Effect.gen(function* () {
      claimed = yield* claim(now)
      const [only, ...others] = claimed
      if (only === undefined) return []
      if (others.length > 0) return yield* applyTogether(claimed)
      yield* attempts.applyAndMark(only, attempts.effectOf(only))
      return []
    }).pipe(sql.withTransaction, Effect.exit)
    const [only, ...others] = claimed
    if (only === undefined) {
      yield* result
      return undefined
    }
    if (others.length === 0) {
      yield* attempts.afterTry(only, Exit.asVoid(result))
      return 1
    }
    if (Exit.isFailure(result) && Cause.hasInterruptsOnly(result.cause)) return yield* Effect.interrupt
    // One bad event must not hold up the others.
    const left = Exit.isSuccess(result) ? result.value : claimed
    let tried = claimed.length - left.length
    for (const { event_id } of left) {
      yield* between
      // Another node may have been faster.
      tried += (yield* applyClaimed((now) => records.claim({ event_id }, now))) ?? 0
    }
    return tried
  })

  // Events of known sessions go first. After each claim of theirs the others have their turn, so that they don't starve.
  let othersTurn = false
  return (most: number): Effect.Effect<number | undefined, SqlError.SqlError> =>
    applyClaimed(
      Effect.fnUntraced(function* (now: Instant) {
        const known = records.claim("known", now, Math.min(most, maxTogether))
        const others = records.claim("rest", now)
        const [first, second] = othersTurn ? [others, known] : [known, others]
        othersTurn = !othersTurn
        const claimed = yield* first
        return claimed.length > 0 ? claimed : yield* second
      })
    )
})
