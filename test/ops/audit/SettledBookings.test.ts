/** What an audit sees of bookings that it found sound before. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { rowFaults } from "../../../src/ops/audit/RowFaults.ts"
import { dayMs } from "../../../src/platform/time/LocalTime.ts"
import { paymentWorld, reconcile, runProviderTasks } from "../../support/PaymentWorld.ts"
import { faults } from "./faults.ts"
import { RolledBack, scene } from "./scene.ts"

/** Each booking is a stretch of its own. */
const audit = rowFaults({ page: 1 })

layer(paymentWorld(), { timeout: 120_000 })("an audit after another", (it) => {
  it.effect(
    "reads no more of what is over than its versions, and finds all the same what was planted in it since",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const all = yield* scene
        // All visits are over, and all holds have ended.
        yield* TestClock.adjust(400 * dayMs)
        yield* reconcile
        yield* runProviderTasks
        const first = yield* audit
        const settled = { found: [], checked: 0, settled: first.checked }
        assert.deepStrictEqual(first, { found: [], checked: first.checked, settled: 0 })
        assert.deepStrictEqual(yield* audit, settled)
        for (const { plant, unseen = false, what } of faults) {
          const [changed, full] = yield* sql
            .withTransaction(
              Effect.gen(function* () {
                yield* sql`set local session_replication_role = replica`
                for (const statement of plant(all)) yield* sql.unsafe(statement)
                const { found: changed } = yield* audit
                yield* sql`delete from audit_mark`
                const { found: full } = yield* rowFaults()
                return yield* new RolledBack({ found: [changed, full] as const })
              })
            )
            .pipe(
              Effect.catchTag("RolledBack", ({ found }) => Effect.succeed(found)),
              Effect.map((looked) => looked.map((found) => found.map((one) => `${one.what} ${one.id}`).sort()))
            )
          if (unseen) assert.isAbove(full?.length ?? 0, changed?.length ?? 0, what)
          else assert.deepStrictEqual(changed, full, what)
        }
        assert.deepStrictEqual(yield* audit, settled, "all is as it was")
      }),
    120_000
  )
})
