/**
 * The provider's health, as the calls of all nodes found it: what fails, why, and since when, for `playroom doctor` and
 * the metrics. A failure is stored until a call succeeds again.
 */
import { Clock, Context, Effect, Layer, Metric, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { monotonicMs } from "../../kernel/Elapsed.ts"
import { InstantFromDate, minuteMs } from "../../kernel/LocalTime.ts"
import { decodeRows } from "../../kernel/Rows.ts"
import { type ProviderUnavailable, UnavailableKind } from "./PaymentGateway.ts"

/** A current failure of the provider. */
export const ProviderFailure = Schema.Struct({
  kind: UnavailableKind,
  operation: Schema.String,
  reason: Schema.String,
  since: InstantFromDate,
  last_at: InstantFromDate
})
export type ProviderFailure = typeof ProviderFailure.Type

/**
 * A continuing failure, and an answer after one, are stored once per `writeIntervalMs`. A failure is over if the provider
 * answered after it and no node saw it for `staleAfterMs`.
 */
const writeIntervalMs = 10_000
const staleAfterMs = minuteMs
/** How long a call to the provider may wait for this write. */
const writeTimeout = "1 second"

/** Kinds that say nothing about the provider: our own circuit breaker, and an earlier call of ours still under way. */
const ignoredKinds = new Set<UnavailableKind>(["paused", "under_way"])

const calls = Metric.counter("provider_calls_total", {
  description: "Calls to the payment provider, by what became of them",
  incremental: true
})

const count = (operation: string, outcome: string) =>
  Metric.update(Metric.withAttributes(calls, { operation, outcome }), 1)

export class ProviderHealth extends Context.Service<
  ProviderHealth,
  {
    /** The provider answered a call, even with a refusal. Never fails, and seldom writes. */
    readonly recordAnswer: (operation: string) => Effect.Effect<void>
    /** The provider did not do a call. Never fails, and seldom writes. */
    readonly recordFailure: (error: ProviderUnavailable) => Effect.Effect<void>
    /** Current failures, oldest first. */
    readonly failures: Effect.Effect<ReadonlyArray<ProviderFailure>, SqlError.SqlError>
  }
>()("playroom/payment/provider/ProviderHealth") {
  static readonly layer = Layer.effect(
    ProviderHealth,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = decodeRows(Schema.Array(ProviderFailure))
      /** When this process wrote each kind, and when it last stored an answer; `monotonicMs`. */
      const writtenAt = new Map<UnavailableKind, number>()
      let answeredAt = Number.NEGATIVE_INFINITY

      const bestEffort = (write: Effect.Effect<unknown, SqlError.SqlError>) =>
        write.pipe(
          Effect.timeout(writeTimeout),
          Effect.catch((error) => Effect.logDebug("The state of the payment provider was not written down", error)),
          Effect.asVoid
        )

      const recordFailure = Effect.fnUntraced(function* ({ kind, operation, reason }: ProviderUnavailable) {
        yield* count(operation, kind)
        const now = yield* monotonicMs
        if (ignoredKinds.has(kind) || now - (writtenAt.get(kind) ?? Number.NEGATIVE_INFINITY) < writeIntervalMs) return
        writtenAt.set(kind, now)
        // No payment works until a person corrects the key.
        if (kind === "key_refused")
          yield* Effect.logError("The payment provider does not accept our API key", { operation })
        const at = new Date(yield* Clock.currentTimeMillis)
        yield* bestEffort(sql`insert into provider_failure (kind, operation, reason, since, last_at)
          values (${kind}, ${operation}, ${reason.slice(0, 500)}, ${at}, ${at})
          on conflict (kind) do update set operation = excluded.operation, reason = excluded.reason, last_at = excluded.last_at`)
      })

      const recordAnswer = Effect.fnUntraced(function* (operation: string) {
        yield* count(operation, "answered")
        const now = yield* monotonicMs
        if (writtenAt.size === 0 && now - answeredAt < writeIntervalMs) return
        const mine = [...writtenAt.keys()]
        writtenAt.clear()
        answeredAt = now
        const date = yield* Clock.currentTimeMillis
        // One that lies ahead was written before the machine's clock stepped back.
        yield* bestEffort(sql`with over as (delete from provider_failure
          where last_at < ${new Date(date - staleAfterMs)} or last_at > ${new Date(date + staleAfterMs)} or kind = any(string_to_array(${mine.join()}, ',')))
          update provider_failure set answered_at = ${new Date(date)}
          where last_at between ${new Date(date - staleAfterMs)} and ${new Date(date)} and kind <> all(string_to_array(${mine.join()}, ','))`)
      })

      return ProviderHealth.of({
        recordAnswer,
        recordFailure,
        failures: Effect.flatMap(Clock.currentTimeMillis, (now) =>
          rows(sql`select kind, operation, reason, since, last_at from provider_failure
            where answered_at is null or answered_at < last_at or last_at > ${new Date(now - staleAfterMs)} order by since, kind`)
        )
      })
    })
  )

  /** Stores nothing and reports no failures: for commands without a database. */
  static readonly layerWithoutDatabase = Layer.succeed(
    ProviderHealth,
    ProviderHealth.of({
      recordAnswer: () => Effect.void,
      recordFailure: () => Effect.void,
      failures: Effect.succeed([])
    })
  )
}
