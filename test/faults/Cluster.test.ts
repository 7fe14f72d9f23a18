/** The server of the runs comes back whatever is done to it: a run that waits for it says nothing of the service. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { existsSync } from "node:fs"
import { connect } from "node:net"
import { serverClient } from "../../src/platform/database/Database.ts"
import { hasPrograms, kill, newCluster, processesOf, start, urlOf } from "./Cluster.ts"

// Processes are found where Linux shows them.
describe.skipIf(!hasPrograms() || !existsSync("/proc/self/cwd"))("the PostgreSQL of the runs of faults", () => {
  it.live("starts again as soon as all of it was killed, however many come meanwhile", () =>
    Effect.gen(function* () {
      const cluster = yield* newCluster
      const asked = Effect.scoped(
        Effect.flatMap(serverClient(Redacted.make(urlOf(cluster, "primary")), 1), (sql) => sql`select 1 as one`)
      )
      // Each stays for a moment only: together they may not take all the connections that the server has.
      const storm = setInterval(() => {
        const one = connect(cluster.ports.primary, "127.0.0.1")
          .on("error", () => {})
          .on("connect", () => setTimeout(() => one.destroy(), 20).unref())
          .unref()
      }, 20)
      yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(storm)))
      for (let times = 0; times < 3; times++) {
        assert.deepStrictEqual(yield* asked, [{ one: 1 }])
        const [before = 0, ...others] = processesOf(cluster, "primary")
        assert.isNotEmpty(others)
        yield* kill(cluster, "primary")
        assert.deepStrictEqual(processesOf(cluster, "primary"), [])
        yield* start(cluster, "primary")
        assert.notInclude(processesOf(cluster, "primary"), before)
      }
      assert.deepStrictEqual(yield* asked, [{ one: 1 }])
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})
