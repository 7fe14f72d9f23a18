/**
 * Faults in the middle of a Saturday's bookings, by scripts that a seed repeats: processes of the service killed,
 * PostgreSQL restarted, stopped, hanging, full, locked, without connections; callers cut; the provider slow, cut,
 * lying; clocks that step. What clients saw is judged by `History.ts`, what is stored by the audit, and the money by a
 * provider outside the process.
 *
 *     npm run faults
 *     FAULTS_RUNS=100 FAULTS_SEED=7 npm run faults       (run 3 of them alone: FAULTS_FIRST=3 FAULTS_RUNS=1)
 *     FAULTS_EACH=3 npm run faults                       (so many faults in each run; 4 unless it is said)
 *
 * It needs PostgreSQL's programs, and starts servers of its own.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { givenCluster } from "./Cluster.ts"
import { play } from "./Run.ts"
import { scriptOf } from "./Script.ts"

const numberFrom = (name: string, otherwise: number) => Number(process.env[name] || otherwise)
const seed = numberFrom("FAULTS_SEED", 1)
const runs = numberFrom("FAULTS_RUNS", 1)
const first = numberFrom("FAULTS_FIRST", 0)
const faultsEach = numberFrom("FAULTS_EACH", 4)

for (let run = first; run < first + runs; run++)
  it.live(
    `seed ${seed}, run ${run}`,
    () =>
      Effect.gen(function* () {
        const script = scriptOf(seed, run, faultsEach)
        console.log(`\nfaults: seed ${seed}, run ${run} (${script.topology})`)
        const { counts, log, provider, undecided, violations } = yield* play(script, givenCluster(), (told) => {
          const { acknowledged, calls, done, fault, moved, refused, unanswered } = told
          const codes = Object.entries(refused).map(([code, times]) => `${times} ${code}`)
          console.log(
            `  ${fault}: ${done}; ${calls} calls, ${acknowledged} bookings acknowledged, ${moved} moved, refused: ${codes.join(", ") || "none"}, ${unanswered} without an answer`
          )
        })
        console.log(`  ${JSON.stringify(counts)}\n  the provider: ${JSON.stringify(provider)}`)
        if (undecided.length > 0) console.log(`  undecided: ${undecided.join(", ")}`)
        console.log(`  violations: ${violations.length}`)
        if (violations.length > 0) console.log(log.join("\n").split("\n").slice(-60).join("\n"))
        assert.deepStrictEqual(violations, [])
      }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
    20 * 60_000
  )
