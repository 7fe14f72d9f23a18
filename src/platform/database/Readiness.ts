/**
 * Whether the service can use the database: it answers, has this version's tables, and accepts writes. With a full
 * disk, on a standby or after a failover, a database may answer reads and refuse every booking.
 */
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { cachedFor, makeThrottle } from "../time/Elapsed.ts"
import { Migrations, probeClient } from "./Migrations.ts"
import { connectionGone } from "../errors/InvalidArguments.ts"
import { zoneRules } from "../time/LocalTime.ts"

export type DatabaseState = "ready" | "unmigrated" | "away" | "silent" | "read_only" | "moved" | "unwritable"

/** Why the service is not ready in a state; undefined if it is. */
const hindrances: Readonly<Record<DatabaseState, string | undefined>> = {
  ready: undefined,
  unmigrated: "The database is not migrated yet.",
  away: "The database can't be reached.",
  silent: "The database does not answer.",
  read_only: "The database is read-only.",
  moved: "The database is closed: its rows move, or have moved, to another one.",
  unwritable: "The database can't be written to; the log says why."
}

/** What `/readyz` says of a service that is ready: the release of the tz database that its clocks go by, too. */
export const ready = () => ({ status: "ready", time_zone_rules: zoneRules().release }) as const

/** The longest that an answer takes. */
const within = "2 seconds"
/** The shortest interval between two trial writes; shorter after a failure, so that recovery is noticed soon. */
const tryEvery = { well: "5 seconds", ill: "1 second" } as const

export class Readiness extends Context.Service<
  Readiness,
  {
    /** The current state. Never fails and takes at most two seconds. */
    readonly state: Effect.Effect<DatabaseState>
  }
>()("playroom/database/Readiness") {
  /** Why the database does not let the service serve now; undefined if it does. */
  static readonly hindrance = this.use(({ state }) => Effect.map(state, (now) => hindrances[now]))

  static readonly layer = Layer.effect(
    Readiness,
    Effect.gen(function* () {
      const sql = yield* probeClient
      const migrations = yield* Migrations
      const warn = makeThrottle("1 minute")

      const write = Effect.matchCauseEffect(sql<{ said: string }>`select probe_write() as said`, {
        onSuccess: ([row]) =>
          Effect.succeed<DatabaseState>(
            row?.said === "written" ? "ready" : row?.said === "moved" ? "moved" : "read_only"
          ),
        onFailure: (cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
          const error = Cause.findErrorOption(cause)
          if (error._tag === "Some" && connectionGone(error.value)) return Effect.succeed<DatabaseState>("away")
          return Effect.as(warn(Effect.logError("The database can't be written to", cause)), "unwritable" as const)
        }
      })
      // Of many concurrent callers, one tries.
      const probe = yield* cachedFor(write, (exit) =>
        Exit.isSuccess(exit) && exit.value === "ready" ? tryEvery.well : tryEvery.ill
      )
      const state = Effect.flatMap(migrations.ready, (ready) =>
        ready ? probe : Effect.succeed<DatabaseState>("unmigrated")
      ).pipe(
        Effect.timeout(within),
        Effect.catchTags({
          SqlError: () => Effect.succeed<DatabaseState>("away"),
          TimeoutError: () => Effect.succeed<DatabaseState>("silent")
        })
      )
      return Readiness.of({ state })
    })
  )
}
