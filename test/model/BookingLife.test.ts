/**
 * Model-based test of bookings: random scripts of callers, payers, operators, time and network faults against the
 * running services. Every invariant of the domain is checked after every step.
 *
 * A failing script is printed with the command to replay it:
 *
 *     MODEL_SEED=… MODEL_PATH=… MODEL_REPLAY=… npx vitest run test/model
 *
 * MODEL_RUNS is the number of scripts, and MODEL_SEED another seed than that of every run (`fixedSeed.ts`). On a server
 * (TEST_DATABASE_URL) concurrent actions really are concurrent, so a replay may need several attempts.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { runs as some } from "../support/runs.ts"
import type { Action } from "./actions.ts"
import { Ledger } from "./Ledger.ts"
import { conclude, step } from "./run.ts"
import { action, opening } from "./scripts.ts"
import { clockOf, resetModelWorld, modelWorld, Outside, type World } from "./world.ts"
import { Clock } from "effect"

const env = (name: string) => process.env[name] || undefined
const numberFrom = (name: string) => (env(name) === undefined ? undefined : Number(env(name)))
const seed = numberFrom("MODEL_SEED")
const path = env("MODEL_PATH")
const replayPath = env("MODEL_REPLAY")
const runs = numberFrom("MODEL_RUNS") ?? some(6)
const steps = numberFrom("MODEL_STEPS") ?? 40
/** The time limit for shrinking a failing script. */
const shrinkingMs = numberFrom("MODEL_SHRINK_MS") ?? 60_000
/** The time limit for all of it: a script takes about a second, and several if the machine is busy. */
const limitMs = shrinkingMs + runs * 20_000

type Real = <A, E>(effect: Effect.Effect<A, E, World>) => Promise<A>

let played = 0
/** Counts of events in all bookings, to check that the scripts reach them. */
const seen = new Map<string, number>()
const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)

class Step implements fc.AsyncCommand<Ledger, Real> {
  readonly action: Action
  constructor(action: Action) {
    this.action = action
  }
  check = () => true
  run(ledger: Ledger, real: Real) {
    played++
    return real(step(ledger, this.action))
  }
  toString = () => JSON.stringify(this.action)
}

const scripts = fc.commands([action.map((one) => new Step(one))], {
  maxCommands: steps,
  size: "max",
  ...(replayPath === undefined ? {} : { replayPath })
})

layer(modelWorld, { excludeTestServices: true, timeout: 60_000 })("the life of bookings", (it) => {
  it.effect(
    `keeps its promises in ${runs} scripts of up to ${steps} steps`,
    () =>
      Effect.gen(function* () {
        const world = yield* Outside
        const context = yield* Effect.context<World>()
        const clock = clockOf(world)
        const real: Real = (effect) => Effect.runPromiseWith(context)(Effect.provideService(effect, Clock.Clock, clock))
        let failedAt: number | undefined
        const play = async (
          first: ReadonlyArray<Action>,
          script: Iterable<fc.AsyncCommand<Ledger, Real>>,
          byEvents: boolean
        ) => {
          await real(resetModelWorld)
          const ledger = new Ledger()
          for (const one of first) await new Step(one).run(ledger, real)
          await fc.asyncModelRun(() => ({ model: ledger, real }), script)
          const end = await real(conclude(ledger, byEvents))
          for (const { event, to_status } of end.history) count(`${event} → ${to_status}`)
          for (const { voucher } of ledger.orders) {
            const parts = ledger.till.filter((one) => one.voucher === voucher)
            const back = parts.filter(({ onto }) => onto > 0).length
            count(parts.length === 0 ? "order unpaid" : `order paid, ${back} of ${parts.length} went back`)
          }
        }
        const property = fc.asyncProperty(opening, scripts, fc.boolean(), async (first, script, byEvents) => {
          // Every shorter script passes once the time for shrinking is over, so that the shortest found so far is the
          // result.
          if (failedAt !== undefined && Date.now() - failedAt > shrinkingMs) return
          try {
            await play(first, script, byEvents)
          } catch (why) {
            if (failedAt === undefined)
              console.log(
                `A script fails: ${why instanceof Error ? why.stack : why}\nLooking for a shorter one, for ${shrinkingMs} ms at most.`
              )
            failedAt ??= Date.now()
            throw why
          }
        })
        const began = Date.now()
        const result = yield* Effect.promise(() =>
          fc.check(property, {
            numRuns: runs,
            ...(seed === undefined ? {} : { seed }),
            ...(path === undefined ? {} : { path }),
            ...(replayPath === undefined ? {} : { endOnFailure: true }),
            interruptAfterTimeLimit: limitMs,
            markInterruptAsFailure: true
          })
        )
        if (env("MODEL_VERBOSE") !== undefined)
          console.log(`${result.numRuns} scripts, ${played} steps in ${Date.now() - began} ms`, seen)
        if (!result.failed) return
        if (result.counterexample === null) assert.fail(`only ${result.numRuns} scripts were played in time`)
        const script = `${result.counterexample?.[1] ?? ""}`
        const first = (result.counterexample?.[0] ?? []).map((one) => JSON.stringify(one)).join("\n")
        const again = /replayPath="([^"]*)"/.exec(script)?.[1] ?? ""
        const command = `MODEL_SEED=${result.seed} MODEL_PATH=${result.counterexamplePath ?? ""} MODEL_REPLAY=${again} npx vitest run test/model`
        const why =
          result.errorInstance instanceof Error ? (result.errorInstance.stack ?? "") : `${result.errorInstance}`
        assert.fail(
          `${why}\n\n${first}\n---\n${script.replaceAll("},{", "},\n{")}\n\nbyEvents: ${result.counterexample?.[2]}\nAgain: ${command}`
        )
      }),
    limitMs + 20_000
  )
})
