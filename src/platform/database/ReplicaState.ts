/** Whether a replica may be read from, and if not, why. One rule for the service and `playroom doctor`. */
import { type Cause, Effect, Exit, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { monotonicMs } from "../time/Elapsed.ts"
import { type Heartbeat, type Reading, systemIdentifier } from "./Heartbeat.ts"

/** The replica is read from only if it shows everything that was committed this many seconds ago. */
export const maxLagSeconds = 5
const maxLagMs = maxLagSeconds * 1000

/** The longest that a replica may take to answer a check. */
const answersWithin = "1 second"
/** The longest that the primary may take for a beat: two slow beats in a row are still within the bound. */
const writtenWithin = "2 seconds"

type ReplicaProblem = "away" | "foreign" | "promoted" | "unmigrated" | "behind" | "unmeasured"
export type ReplicaState = "used" | ReplicaProblem

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
export class ReplicaForeign extends Schema.TaggedError<ReplicaForeign>()("ReplicaForeign", {}) {
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
export const lagMs = ({ reading }: Known, now: number): number | undefined =>
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
