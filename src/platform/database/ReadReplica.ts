/**
 * Reads from a replica of the database (`DATABASE_REPLICA_URL`) while it is known to be at most a few seconds behind.
 * Everything else, and every read that the replica does not answer, goes to the primary.
 */
import { Cause, Context, Effect, Exit, Layer, Metric, Option, type Redacted, Struct } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { AppConfig } from "../config/AppConfig.ts"
import { unending } from "../time/Recurring.ts"
import { makeThrottle } from "../time/Throttle.ts"
import { replicaClient } from "./Database.ts"
import { monotonicMs } from "../time/Elapsed.ts"
import { makeHeartbeat } from "./Heartbeat.ts"
import { connectionGone } from "../errors/TemporaryFailure.ts"
import {
  lagMs,
  type Known,
  makeCheck,
  ReplicaForeign,
  replicaProblems,
  type ReplicaState,
  replicaState
} from "./ReplicaState.ts"

const checkEvery = "1 second"
/** A read that takes longer on the replica goes to the primary. */
const readWithin = "3 seconds"

const states: ReadonlyArray<ReplicaState> = ["used", ...Struct.keys(replicaProblems)]

/** Why a read went where it did: the replica's state, or that it failed or was refused there and was repeated. */
type Why = ReplicaState | "failed" | "refused"

const reads = Metric.counter("public_reads_total", {
  description: "Reads of the public tools by the server that answered, and why it was that one",
  incremental: true
})
const counterOf = (why: Why) => Metric.withAttributes(reads, { place: why === "used" ? "replica" : "primary", why })
const state = Metric.gauge("replica_state", { description: "1 for the state that the read replica is in" })
const behind = Metric.gauge("replica_behind_seconds", {
  description: "By how much the read replica is behind the primary at most"
})
const whys: ReadonlyArray<Why> = [...states, "failed", "refused"]
const counters = new Map(whys.map((why) => [why, counterOf(why)]))
const gauges = new Map(states.map((one) => [one, Metric.withAttributes(state, { state: one })]))

const count = (why: Why, more = 1): Effect.Effect<void> => {
  const counter = counters.get(why)
  return counter === undefined ? Effect.void : Metric.update(counter, more)
}

/** Updates the metrics. Without a replica all states are 0. An unknown value stays as it was. */
const publish = (now: ReplicaState | undefined, behindMs: number | undefined) =>
  Effect.gen(function* () {
    for (const [one, gauge] of gauges) yield* Metric.update(gauge, one === now ? 1 : 0)
    if (behindMs !== undefined) yield* Metric.update(behind, behindMs / 1000)
  })

export class ReadReplica extends Context.Service<
  ReadReplica,
  {
    /** The replica's database; undefined without a replica. */
    readonly client: SqlClient.SqlClient | undefined
    /**
     * Runs a read on the replica if it is usable now, otherwise on the primary. Both arguments are the same read. Only
     * a success of the replica counts: a failure is repeated on the primary, which may have a row that the replica
     * lacks.
     */
    readonly read: <A, E, R>(
      onReplica: Effect.Effect<A, E, R>,
      onPrimary: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
  }
>()("playroom/database/ReadReplica") {
  /** Without a replica: reads everything from the primary. */
  static readonly none: Layer.Layer<ReadReplica> = Layer.effect(
    ReadReplica,
    Effect.gen(function* () {
      for (const why of whys) yield* count(why, 0)
      yield* publish(undefined, 0)
      return ReadReplica.of({ client: undefined, read: (_, onPrimary) => onPrimary })
    })
  )

  /** A replica's client, and its state, checked every second. */
  static readonly make = Effect.fnUntraced(function* (client: SqlClient.SqlClient, check: Effect.Effect<Known>) {
    for (const why of whys) yield* count(why, 0)
    const warn = makeThrottle("1 minute")
    let known: Known | undefined
    let told: ReplicaState | undefined
    const stateAt = (now: number): ReplicaState => (known === undefined ? "away" : replicaState(known, now))

    const look = Effect.gen(function* () {
      const found = yield* check
      known = found
      const now = yield* monotonicMs
      const is = stateAt(now)
      yield* publish(is, lagMs(found, now))
      if (is === told) return
      told = is
      if (is === "used") return yield* Effect.logInfo("Public reads go to the replica")
      const problem = replicaProblems[is]
      yield* Effect.logWarning(
        `The replica ${problem.is}, so public reads go to the primary. What to do: ${problem.fix}.`,
        ...(found.failure === undefined ? [] : [found.failure])
      )
    })
    yield* look
    const looking = unending(Effect.andThen(Effect.sleep(checkEvery), look), "The replica was not looked at")
    yield* Effect.forkScoped(looking)

    /** What a failed read says about the replica. */
    const note = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>, silent: boolean) {
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      const ours = error === undefined || SqlError.isSqlError(error)
      if (!ours) return yield* count("refused")
      // Until the next check, so that not every read tries again.
      if (silent || (SqlError.isSqlError(error) && connectionGone(error))) known = undefined
      yield* count("failed")
      yield* warn(Effect.logWarning("A read failed on the replica, and was repeated on the primary", cause))
    })

    return ReadReplica.of({
      client,
      read: (onReplica, onPrimary) =>
        Effect.flatMap(monotonicMs, (now) => {
          const is = stateAt(now)
          if (is !== "used") return Effect.andThen(count(is), onPrimary)
          return Effect.flatMap(Effect.exit(Effect.timeoutOption(onReplica, readWithin)), (exit) => {
            if (Exit.isFailure(exit)) return Effect.andThen(note(exit.cause, false), onPrimary)
            return Option.isSome(exit.value)
              ? Effect.as(count("used"), exit.value.value)
              : Effect.andThen(note(Cause.empty, true), onPrimary)
          })
        })
    })
  })

  /** The replica at an address. Fails if it is not a copy of the primary. Waits for one that is away. */
  static readonly at = (url: Redacted.Redacted) =>
    Layer.effect(
      ReadReplica,
      Effect.gen(function* () {
        const primary = yield* SqlClient.SqlClient
        const replica = yield* replicaClient(url)
        const heartbeat = yield* makeHeartbeat(primary)
        const check = yield* makeCheck(heartbeat, primary, replica)
        const first = yield* check
        if (first.foreign) return yield* new ReplicaForeign()
        return yield* ReadReplica.make(replica, check)
      })
    ).pipe(Layer.provide(Reactivity.layer))

  /** The configured replica, or none. Open: the migrated primary. */
  static readonly layer = Layer.unwrap(
    Effect.map(AppConfig, ({ database }) =>
      database.kind === "server" && database.replica !== undefined ? ReadReplica.at(database.replica) : ReadReplica.none
    )
  )
}
