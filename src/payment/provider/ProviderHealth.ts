/**
 * Whether the payment provider can be used, as the calls of all nodes found it: what fails, why, and since when, for `playroom doctor`
 * and the metrics. A failure is kept until a call succeeds again.
 */
import { Clock, Context, Effect, Layer, Metric, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Instant, InstantFromDate, minuteMs } from "../../kernel/LocalTime.ts"
import { decodeRows } from "../../kernel/Rows.ts"
import { type ProviderUnavailable, UnavailableKind } from "./PaymentGateway.ts"

/** A way in which the provider fails now. */
export const ProviderFailure = Schema.Struct({
  kind: UnavailableKind,
  operation: Schema.String,
  reason: Schema.String,
  since: InstantFromDate,
  last_at: InstantFromDate
})
export type ProviderFailure = typeof ProviderFailure.Type

/** A failure that goes on is written down once in `noteEveryMs`. Another node's failure that was not seen for `overAfterMs` is over. */
const noteEveryMs = 10_000
const overAfterMs = minuteMs
/** The most that a call to the provider waits for this to be written down. */
const noteWithin = "1 second"

/** Failures that are not the provider's: our own pause after failures, and an earlier call of ours that is under way. */
const notItsFault = new Set<UnavailableKind>(["paused", "under_way"])

const calls = Metric.counter("provider_calls_total", {
  description: "Calls to the payment provider, by what became of them",
  incremental: true
})

const count = (operation: string, outcome: string) =>
  Metric.update(Metric.withAttributes(calls, { operation, outcome }), 1)

export class ProviderHealth extends Context.Service<
  ProviderHealth,
  {
    /** The provider answered a call, be it with a refusal. Never fails, and seldom writes. */
    readonly recordAnswer: (operation: string) => Effect.Effect<void>
    /** The provider did not do a call. Never fails, and seldom writes. */
    readonly recordFailure: (error: ProviderUnavailable) => Effect.Effect<void>
    /** What fails now, longest first. */
    readonly failures: Effect.Effect<ReadonlyArray<ProviderFailure>, SqlError.SqlError>
  }
>()("playroom/payment/ProviderHealth") {
  static readonly layer = Layer.effect(
    ProviderHealth,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = decodeRows(Schema.Array(ProviderFailure))
      const noted = new Map<UnavailableKind, Instant>()
      let clearedAt = Number.NEGATIVE_INFINITY

      const bestEffort = (write: Effect.Effect<unknown, SqlError.SqlError>) =>
        write.pipe(
          Effect.timeout(noteWithin),
          Effect.catch((error) => Effect.logDebug("The state of the payment provider was not written down", error)),
          Effect.asVoid
        )

      const recordFailure = Effect.fnUntraced(function* ({ kind, operation, reason }: ProviderUnavailable) {
        yield* count(operation, kind)
        const now = yield* Clock.currentTimeMillis
        if (notItsFault.has(kind) || now - (noted.get(kind) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return
        noted.set(kind, now)
        // Nothing can be paid until a person puts it right.
        if (kind === "key_refused")
          yield* Effect.logError("The payment provider does not accept our API key", { operation })
        const at = new Date(now)
        yield* bestEffort(sql`insert into provider_failure (kind, operation, reason, since, last_at)
          values (${kind}, ${operation}, ${reason.slice(0, 500)}, ${at}, ${at})
          on conflict (kind) do update set operation = excluded.operation, reason = excluded.reason, last_at = excluded.last_at`)
      })

      const recordAnswer = Effect.fnUntraced(function* (operation: string) {
        yield* count(operation, "answered")
        const now = yield* Clock.currentTimeMillis
        if (noted.size === 0 && now - clearedAt < overAfterMs) return
        const mine = [...noted.keys()]
        noted.clear()
        clearedAt = now
        yield* bestEffort(sql`delete from provider_failure
          where last_at < ${new Date(now - overAfterMs)} or kind = any(string_to_array(${mine.join()}, ','))`)
      })

      return ProviderHealth.of({
        recordAnswer,
        recordFailure,
        failures: rows(sql`select kind, operation, reason, since, last_at from provider_failure order by since, kind`)
      })
    })
  )

  /** Nothing is written down, and nothing known: for what has no database. */
  static readonly layerWithoutDatabase = Layer.succeed(
    ProviderHealth,
    ProviderHealth.of({
      recordAnswer: () => Effect.void,
      recordFailure: () => Effect.void,
      failures: Effect.succeed([])
    })
  )
}
