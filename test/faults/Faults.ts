/** What each fault does, and how what it did ends: afterwards everything works again. */
import { Effect, Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { connect, type Socket } from "node:net"
import { serverClient } from "../../src/platform/database/Database.ts"
import { killService } from "../support/outsideProvider/Round.ts"
import { readDatabase, type RoundWorld } from "../support/outsideProvider/RoundWorld.ts"
import type { Service } from "../support/Service.ts"
import { type Cluster, fillDisk, kill, maxConnections, processesOf, signal, start, stop, urlOf } from "./Cluster.ts"
import type { FaultKind } from "./Script.ts"

export interface Scene {
  readonly world: RoundWorld
  readonly cluster: Cluster
  readonly nodes: readonly [Service, ...ReadonlyArray<Service>]
  readonly lastsMs: number
  /** Callers lose their connections while it is set. */
  readonly callers: { cut: boolean }
  /** The service's clock shows so many milliseconds more than the callers'; 0: the same again. */
  readonly stepClock: (ms: number) => Effect.Effect<void>
}

/** What was done, in words. */
type Fault = (scene: Scene) => Effect.Effect<string, unknown>

const wait = ({ lastsMs }: Scene) => Effect.sleep(lastsMs)

const killNode = ({ world }: Scene, service: Service) => killService({ ...world, service })

const paused = (scene: Scene, pids: ReadonlyArray<number>) =>
  Effect.acquireUseRelease(
    signal(pids, "SIGSTOP"),
    () => wait(scene),
    () => signal(pids, "SIGCONT")
  )

/** A client of its own on the primary, connected. */
const client = (cluster: Cluster) =>
  Effect.tap(serverClient(Redacted.make(urlOf(cluster, "primary")), 1), (sql) => sql`select 1`).pipe(
    Effect.provide(Reactivity.layer)
  )
const tell = (cluster: Cluster, statement: string) =>
  Effect.scoped(Effect.flatMap(client(cluster), (sql) => sql.unsafe(statement)))

const cutAll =
  "select count(pg_terminate_backend(pid)) from pg_stat_activity where datname like 'playroom_test_%' and pid <> pg_backend_pid()"

const repeatWhile = <A, E>(scene: Scene, every: number, effect: Effect.Effect<A, E>) =>
  Effect.repeat(Effect.ignore(effect), {
    schedule: Schedule.spaced(every),
    times: Math.ceil(scene.lastsMs / every)
  })

/** What a client sends first: its protocol, who it is, and the database. */
const startupMessage = (): Buffer => {
  const names = Buffer.from(["user", "postgres", "database", "postgres", "", ""].join("\0"))
  const head = Buffer.alloc(8)
  head.writeInt32BE(head.length + names.length)
  head.writeInt32BE(0x30000, 4)
  return Buffer.concat([head, names])
}

/** Takes every connection that the server gives, and those that others give back. */
const takeConnections = (scene: Scene) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { cluster } = scene
      const open = yield* Effect.acquireRelease(
        Effect.sync(() => new Set<Socket>()),
        (sockets) => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
      )
      const take = Effect.sync(() => {
        for (let missing = maxConnections - open.size; missing > 0; missing--) {
          const socket = connect(cluster.ports.primary, "127.0.0.1", () => socket.write(startupMessage()))
          open.add(socket)
          socket.on("error", () => {})
          socket.on("data", () => {})
          socket.once("close", () => open.delete(socket))
        }
      })
      // Before there is no connection left.
      const sql = yield* client(cluster)
      yield* take
      yield* Effect.ignore(sql.unsafe(cutAll))
      yield* repeatWhile(scene, 50, take)
      return open.size
    })
  )

const locks = {
  "all bookings": "lock table booking in access exclusive mode",
  "all places": "select from resource order by resource_id for update"
} as const

const keepLocks = (scene: Scene, what: keyof typeof locks) =>
  readDatabase(
    scene.nodes[0],
    SqlClient.SqlClient.use((sql) => sql.withTransaction(Effect.andThen(sql.unsafe(locks[what]), wait(scene))))
  )

/** A server of the cluster is away for a while. */
const away = (scene: Scene, name: "primary" | "replica", going: Effect.Effect<void>) =>
  Effect.acquireUseRelease(
    going,
    () => wait(scene),
    () => start(scene.cluster, name)
  )

/** The provider fails in these ways: one call, or event, in so many. Payments come late in a phase. */
const provider = (
  scene: Scene,
  how: { readonly calls?: number; readonly events?: number; readonly of: Array<string> }
) =>
  Effect.acquireUseRelease(
    scene.world.provider.control("faults", how),
    () => Effect.sleep(4000 + scene.lastsMs),
    () => scene.world.provider.control("faults")
  )

/** The service's clock is wrong for a while, and then right again. */
const wrongClock = (scene: Scene, ms: number) =>
  Effect.acquireUseRelease(
    scene.stepClock(ms),
    () => wait(scene),
    () => scene.stepClock(0)
  )

const even = ({ lastsMs }: Scene): boolean => lastsMs % 2 === 0

export const faults: Readonly<Record<FaultKind, Fault>> = {
  service_killed: (scene) => Effect.as(killNode(scene, scene.nodes[0]), "kill -9 of the service"),
  node_paused: (scene) => Effect.as(paused(scene, [scene.nodes[0].pid()]), "a node stopped, and let go on"),
  other_node_killed: (scene) =>
    Effect.as(
      Effect.forEach(scene.nodes.slice(1), (node) => killNode(scene, node)),
      "kill -9 of the other node"
    ),
  replica_stopped: (scene) =>
    Effect.as(away(scene, "replica", stop(scene.cluster, "replica", "immediate")), "the replica stopped"),
  database_restarted: ({ cluster }) =>
    Effect.as(Effect.andThen(stop(cluster, "primary", "fast"), start(cluster, "primary")), "PostgreSQL restarted"),
  database_stopped: (scene) =>
    Effect.as(
      away(scene, "primary", stop(scene.cluster, "primary", "immediate")),
      "PostgreSQL stopped, without a checkpoint"
    ),
  // One of its processes: it ends the others, and recovers by itself. Or all of them.
  database_killed: (scene) =>
    even(scene)
      ? Effect.as(
          signal(processesOf(scene.cluster, "primary").slice(-1), "SIGKILL"),
          "kill -9 of one of PostgreSQL's processes"
        )
      : Effect.as(away(scene, "primary", kill(scene.cluster, "primary")), "kill -9 of all of PostgreSQL's processes"),
  database_paused: (scene) =>
    Effect.as(paused(scene, processesOf(scene.cluster, "primary")), "PostgreSQL hangs, and goes on"),
  database_connections_cut: (scene) =>
    Effect.as(
      repeatWhile(scene, 200, tell(scene.cluster, cutAll)),
      "every connection to PostgreSQL cut, again and again"
    ),
  database_out_of_connections: (scene) => Effect.as(takeConnections(scene), "PostgreSQL out of connections"),
  database_full: (scene) => {
    if (!scene.cluster.ownDisk)
      return Effect.succeed("LEFT OUT: PostgreSQL's disk full, which needs the right to mount a small disk")
    // Its log takes the next of its files, which find no room. Its tables may have room left.
    const writing = "select pg_logical_emit_message(false, 'full', repeat('x', 4000000)) from generate_series(1, 40)"
    const full = Effect.scoped(
      Effect.gen(function* () {
        yield* fillDisk(scene.cluster)
        yield* Effect.ignore(tell(scene.cluster, writing))
        yield* wait(scene)
      })
    )
    // Where it could not write its log, it has ended.
    return Effect.as(Effect.ensuring(full, start(scene.cluster, "primary")), "PostgreSQL's disk full")
  },
  database_locked: (scene) => {
    const what = even(scene) ? "all bookings" : "all places"
    return Effect.as(keepLocks(scene, what), `${what} locked`)
  },
  callers_cut: (scene) =>
    Effect.as(
      Effect.acquireUseRelease(
        Effect.sync(() => (scene.callers.cut = true)),
        () => wait(scene),
        () => Effect.sync(() => (scene.callers.cut = false))
      ),
      "callers lose their connections in the middle of calls"
    ),
  provider_slow: (scene) => Effect.as(provider(scene, { calls: 1, of: ["slow"] }), "the provider slow"),
  provider_cut: (scene) =>
    Effect.as(
      provider(scene, {
        calls: 2,
        of: ["cut", "cut_after", "error_500_saved", "error_500_saved_after", "rate_limit", "html_502"]
      }),
      "calls to the provider cut, before and after it acted"
    ),
  provider_lying: (scene) =>
    Effect.as(
      provider(scene, { events: 1, of: ["drop", "duplicate", "corrupt", "reorder", "delay", "other_release"] }),
      "the provider's events dropped, doubled, corrupt, in another order, days late"
    ),
  clock_ahead: (scene) => {
    const ms = even(scene) ? 100_000 : 20 * 60_000
    return Effect.as(wrongClock(scene, ms), `the service's clock ${ms / 1000} seconds ahead, and back`)
  },
  clock_back: (scene) => Effect.as(wrongClock(scene, -100_000), "the service's clock 100 seconds back, and right again")
}
