/**
 * Reads from a replica of the database (`DATABASE_REPLICA_URL`) while it is known to be at most a few seconds behind.
 * Everything else, and every read that the replica does not answer, goes to the primary.
 */

import { Cause, Context, Effect, Exit, Layer, Metric, Option, type Redacted, Struct, Schedule, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { AppConfig } from "../config/AppConfig.ts"
import { connectionGone } from "../errors/InvalidArguments.ts"
import { monotonicMs, makeThrottle } from "../time/Elapsed.ts"
import { unending } from "../time/LocalTime.ts"
import { replicaClient } from "./Database.ts"
import { makeHeartbeat, type Heartbeat, type Reading, systemIdentifier } from "./Maintenance.ts"

// Whether a replica may be read from, and if not, why. One rule for the service and `playroom doctor`.

/** The replica is read from only if it shows everything that was committed this many seconds ago. */
export const maxLagSeconds = 5
const maxLagMs = maxLagSeconds * 1000

/** The longest that a replica may take to answer a check. */
const answersWithin = "1 second"
/** The longest that the primary may take for a beat: two slow beats in a row are still within the bound. */
const writtenWithin = "2 seconds"

type ReplicaProblem = "away" | "foreign" | "promoted" | "unmigrated" | "behind" | "unmeasured"
type ReplicaState = "used" | ReplicaProblem

/** What is wrong (follows "the replica"), and what to do about it. */
export const replicaProblems: Readonly<Record<ReplicaProblem, { readonly is: string; readonly fix: string }>> = {
  away: {
    is: "does not answer as it should",
    fix: "see whether it runs and has finished starting, accepts connections from this machine, and lets the role read the tables"
  },
  foreign: {
    is: "is no copy of the primary: it has another system identifier",
    fix: "give DATABASE_REPLICA_URL a replica of the server in DATABASE_URL, made by pg_basebackup, or remove it"
  },
  promoted: {
    is: "is no replica any more, or never was: it replays no log, and takes writes of its own",
    fix: "make it a replica of the primary again (pg_rewind, or a new pg_basebackup), or remove DATABASE_REPLICA_URL"
  },
  unmigrated: {
    is: "lacks migrations of this release",
    fix: "see whether it replays the primary's log (pg_stat_replication there), and whether both addresses name the same database"
  },
  behind: {
    is: `does not show what was written to the primary ${maxLagSeconds} seconds ago`,
    fix: "see pg_stat_replication on the primary (is it connected?), and on the replica whether replay is paused (select pg_is_wal_replay_paused()) or waits for long statements (max_standby_streaming_delay)"
  },
  unmeasured: {
    is: "can't be told to be up to date: the primary takes no heartbeat",
    fix: "see whether the primary takes writes (/readyz)"
  }
}

/** DATABASE_REPLICA_URL leads to a server that is not a copy of the primary. */
class ReplicaForeign extends Schema.TaggedError<ReplicaForeign>()("ReplicaForeign", {}) {
  override get message(): string {
    const { fix, is } = replicaProblems.foreign
    return `The server of DATABASE_REPLICA_URL ${is}. To start, ${fix}.`
  }
}

/** What is known about a replica. Times are `monotonicMs`. */
export interface Known {
  /** Its last answer; undefined if it did not answer. */
  readonly reading: Reading | undefined
  /** Why it did not answer. */
  readonly failure?: Cause.Cause<SqlError.SqlError | Cause.TimeoutError>
  /** Whether it is another server's copy. */
  readonly foreign: boolean
  /** When the last beat that the primary stored was sent. */
  readonly written: number
}

/** An upper bound of the replica's lag, in milliseconds; undefined if it showed no beat. */
const lagMs = ({ reading }: Known, now: number): number | undefined =>
  reading?.beat === undefined ? undefined : now - reading.beat

/** The replica's state at a time. */
export const replicaState = (known: Known, now: number): ReplicaState => {
  const { foreign, reading, written } = known
  if (reading === undefined) return "away"
  if (foreign) return "foreign"
  if (!reading.standby) return "promoted"
  if (!reading.migrated) return "unmigrated"
  if ((lagMs(known, now) ?? Infinity) <= maxLagMs) return "used"
  return now - written <= maxLagMs ? "behind" : "unmeasured"
}

/**
 * Makes a check that writes a beat and then asks the replica. It never fails and takes a few seconds at most. The
 * server's identity is checked whenever the replica answers again, since another server may have taken its address.
 */
export const makeCheck = Effect.fnUntraced(function* (
  heartbeat: Heartbeat,
  primary: SqlClient.SqlClient,
  replica: SqlClient.SqlClient
) {
  const identifier = (sql: SqlClient.SqlClient) =>
    Effect.map(Effect.timeoutOption(systemIdentifier(sql), answersWithin), Option.getOrUndefined)
  const ours = yield* identifier(primary)
  let known: Known = { reading: undefined, foreign: false, written: yield* monotonicMs }
  return Effect.gen(function* () {
    const sent = yield* monotonicMs
    const took = yield* Effect.option(Effect.timeout(heartbeat.write(sent), writtenWithin))
    const answer = yield* Effect.exit(Effect.timeout(heartbeat.read(replica), answersWithin))
    const reading = Exit.isSuccess(answer) ? answer.value : undefined
    let { foreign } = known
    if (known.reading === undefined && reading !== undefined) {
      const theirs = yield* identifier(replica)
      foreign = ours !== undefined && theirs !== undefined && ours !== theirs
    }
    const written = Option.isSome(took) ? sent : known.written
    known = { reading, foreign, written, ...(Exit.isFailure(answer) ? { failure: answer.cause } : {}) }
    return known
  })
})

// Why the configured replica is not read from: for a command, which has no service to ask.

const looksPerSecond = 4

/** A replica's state, and the failure if it did not answer. */
export interface Examined extends Pick<Known, "failure"> {
  readonly is: ReplicaState
}

/**
 * Writes to the primary and waits until the replica shows it. Succeeds with the last state; undefined without a
 * replica. Takes a little longer than a replica may be behind.
 */
export const examineReplica = Effect.gen(function* () {
  const { database } = yield* AppConfig
  const url = database.kind === "server" ? database.replica : undefined
  if (url === undefined) return undefined
  const primary = yield* SqlClient.SqlClient
  const replica = yield* replicaClient(url, 1)
  const check = yield* makeCheck(yield* makeHeartbeat(primary), primary, replica)
  const look = Effect.gen(function* () {
    const known = yield* check
    const examined: Examined = { ...known, is: replicaState(known, yield* monotonicMs) }
    return examined
  })
  return yield* Effect.repeat(look, {
    schedule: Schedule.spaced(1000 / looksPerSecond),
    // These pass by themselves if the replica is only a moment behind.
    while: ({ is }) => is === "behind" || is === "unmigrated",
    times: looksPerSecond * maxLagSeconds
  })
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

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
