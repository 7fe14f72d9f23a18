/**
 * Rounds of trouble with a payment provider outside the process: every round families book and pay, some in a currency
 * of their own, operators cancel, payers dispute, calls and events (snapshots or thin) fail in all the ways that a
 * network and a provider have, machines' clocks are wrong by up to twenty minutes, and processes are killed. In every
 * third round a month ends where a playroom is. Then the provider corrects itself: disputes that were lost are won on
 * appeal, refunds fail. At the end the provider's own record is compared with what the service says of each booking and
 * of each month. On a server (`TEST_DATABASE_URL`) the service has two nodes.
 *
 *     ROUNDS=12 ROUNDS_FAMILIES=45 ROUNDS_SEED=7 npx vitest run test/journeys/OutsideProvider.test.ts
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { runRound, settleMonths, settleRound } from "../support/outsideProvider/Round.ts"
import { startRoundWorld } from "../support/outsideProvider/RoundWorld.ts"

const numberFrom = (name: string, otherwise: number) => Number(process.env[name] || otherwise)
const rounds = numberFrom("ROUNDS", 1)
const seed = numberFrom("ROUNDS_SEED", 20_261_121)
const verbose = process.env["ROUNDS_VERBOSE"] !== undefined
const families = numberFrom("ROUNDS_FAMILIES", 5)

it.live(
  `accounts for every penny through kills and a failing provider (rounds: ${rounds})`,
  () =>
    Effect.gen(function* () {
      const world = yield* startRoundWorld(seed)
      assert.isAbove(world.playrooms.length, 3)
      const wrong: Array<string> = []
      let played = 0
      for (; played < rounds && wrong.length === 0; played++) {
        const began = Date.now()
        const last = played === rounds - 1
        wrong.push(...(yield* runRound(world, { number: played, families, monthEnds: played % 3 === 0 })))
        const driven = Date.now()
        wrong.push(...(yield* settleRound(world, played % 4 === 3 || last)))
        if (wrong.length === 0 && (played % 6 === 5 || last)) wrong.push(...(yield* settleMonths(world)))
        if (verbose) {
          const took = `${driven - began} ms and ${Date.now() - driven} ms to settleRound`
          console.log(played, took, JSON.stringify(Object.fromEntries(world.counts)), wrong)
        }
      }
      const { calls, disputes, events, faults, refunds, sessions, turns } = yield* world.provider.record
      const told = {
        rounds: played,
        seed,
        ...Object.fromEntries(world.counts),
        sessions: sessions.length,
        refunds: refunds.length,
        disputes: disputes.length,
        presented: sessions.filter(({ presented }) => presented !== null).length,
        calls,
        faults,
        turns,
        events
      }
      if (verbose) console.log(JSON.stringify(told))
      assert.deepStrictEqual(wrong, [], JSON.stringify(told))
      assert.isAbove(world.counts.get("kills") ?? 0, 0)
      // So many rounds play everything.
      if (rounds >= 10) {
        const { refunds_succeeded_after_all: _, ...turned } = turns
        const all = {
          ...turned,
          thin: events["delivered_thin"],
          presented: told.presented
        }
        for (const [what, times = 0] of Object.entries(all))
          assert.isAbove(times, 0, `${what}: ${JSON.stringify(told)}`)
      }
      assert.isAbove(sessions.filter(({ payment_status }) => payment_status === "paid").length, 0, JSON.stringify(told))
    }).pipe(Effect.scoped),
  rounds * (90_000 + families * 4_000) + 150_000
)
