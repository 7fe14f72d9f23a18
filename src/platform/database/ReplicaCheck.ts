/** Why the configured replica is not read from: for a command, which has no service to ask. */
import { Context, Effect, Layer, type Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { AppConfig } from "../config/AppConfig.ts"
import { replicaClient } from "./Database.ts"
import { monotonicMs } from "../time/Elapsed.ts"
import { makeHeartbeat } from "./Heartbeat.ts"
import type { PoolerUnfit } from "./Pooler.ts"
import { type Known, makeCheck, maxLagSeconds, type ReplicaState, replicaState } from "./ReplicaState.ts"

const looksPerSecond = 4

/** A replica's state, and the failure if it did not answer. */
export interface Examined extends Pick<Known, "failure"> {
  readonly is: ReplicaState
}

export class ReplicaCheck extends Context.Service<
  ReplicaCheck,
  {
    /**
     * Writes to the primary and waits until the replica shows it. Succeeds with the last state; undefined without a
     * replica. Takes a little longer than a replica may be behind.
     */
    readonly state: Effect.Effect<Examined | undefined, SqlError.SqlError | PoolerUnfit>
  }
>()("playroom/database/ReplicaCheck") {
  static readonly layer = Layer.effect(
    ReplicaCheck,
    Effect.gen(function* () {
      const { database } = yield* AppConfig
      const primary = yield* SqlClient.SqlClient
      const examine = Effect.fnUntraced(function* (url: Redacted.Redacted) {
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
      })
      const url = database.kind === "server" ? database.replica : undefined
      const state = url === undefined ? Effect.undefined : Effect.scoped(Effect.provide(examine(url), Reactivity.layer))
      return ReplicaCheck.of({ state })
    })
  )
}
