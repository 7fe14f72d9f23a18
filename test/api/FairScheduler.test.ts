import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Scheduler } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { FairScheduler } from "../../src/api/FairScheduler.ts"
import { connect } from "node:net"
import { LoopTurn } from "../../src/kernel/LoopTurn.ts"
import { start } from "../support/HttpSurface.ts"
import { getRequest, rawConnection } from "../support/rawConnections.ts"
import { testSettings } from "../support/testSettings.ts"

/** What one step of a request takes on the test's clock; a turn has time for two. */
const [stepMs, turnMs] = [6, 10]

/** Turns of the real event loop with a clock that only `step` moves. Notes who stepped in which turn. */
const watchedTurns = Effect.acquireRelease(
  Effect.sync(() => {
    const state = { now: 0, turn: 0, on: true }
    const steps: Array<{ readonly who: string; readonly turn: number }> = []
    const beat = (): void => {
      state.turn++
      if (state.on) setImmediate(beat)
    }
    beat()
    return {
      turn: new LoopTurn({ now: () => state.now, nextTurn: (task) => void setImmediate(task) }, turnMs),
      step: (who: string) =>
        Effect.sync(() => {
          state.now += stepMs
          steps.push({ who, turn: state.turn })
        }),
      steps,
      /** The most steps that one turn had. */
      most: () =>
        Math.max(...Array.from(Map.groupBy(steps, ({ turn }) => turn).values(), (inOneTurn) => inOneTurn.length)),
      stop: () => {
        state.on = false
      }
    }
  }),
  ({ stop }) => Effect.sync(stop)
)

/** Other senders, and the requests of each. */
const [others, requests] = [10, 6]
const many = others * requests

describe("requests whose answers arrive together", () => {
  it.live("go on over many turns of the event loop, and another sender's is not behind them", () =>
    Effect.gen(function* () {
      const watched = yield* watchedTurns
      const arrived = yield* Deferred.make<void>()
      const allWait = yield* Deferred.make<void>()
      let waiting = 0
      const route = HttpRouter.add(
        "GET",
        "/together",
        Effect.gen(function* () {
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          if (++waiting > many) yield* Deferred.succeed(allWait, undefined)
          yield* Deferred.await(arrived)
          yield* watched.step(headers["x-forwarded-for"] ?? "")
          return HttpServerResponse.text("done")
        })
      )
      const { call } = yield* start({
        more: route,
        turn: watched.turn,
        settings: { trustedProxies: [...testSettings().trustedProxies, "127.0.0.1"] }
      })
      const from = (address: string) => call("/together", { headers: { "x-forwarded-for": address } })
      const answers = yield* Effect.forkScoped(
        Effect.all(
          [...Array.from({ length: many }, (_, n) => from(`198.51.${Math.floor(n / requests)}.1`)), from("192.0.2.2")],
          { concurrency: "unbounded" }
        )
      )
      yield* Deferred.await(allWait)
      yield* Deferred.succeed(arrived, undefined)
      for (const { text } of yield* Fiber.join(answers)) assert.strictEqual(text, "done")
      assert.lengthOf(watched.steps, many + 1)
      // A turn of the event loop may begin three times: with timers, with what has come, and after that.
      assert.isAtMost(watched.most(), 3 * 2)
      // The first ones used up the turn in which the answers came. Then each sender has one step before any has two.
      assert.isBelow(
        watched.steps.findIndex(({ who }) => who === "192.0.2.2"),
        others + 5
      )
    }).pipe(Effect.scoped)
  )
})

describe("fibers under the fair scheduler", () => {
  const run = <A>(scheduler: Scheduler.Scheduler, effect: Effect.Effect<A>) => Effect.runFork(effect, { scheduler })

  it.live("all end, also if every step takes longer than a turn", () =>
    Effect.gen(function* () {
      const watched = yield* watchedTurns
      const scheduler = new FairScheduler(watched.turn, () => "one")
      const slow = Effect.gen(function* () {
        for (let n = 0; n < 3; n++) {
          yield* watched.step("slow")
          yield* watched.step("slow")
          yield* Effect.yieldNow
        }
      })
      const fibers = Array.from({ length: 20 }, () => run(scheduler, slow))
      yield* Fiber.joinAll(fibers)
      assert.lengthOf(watched.steps, 20 * 3 * 2)
      assert.isAtMost(watched.most(), 4)
    }).pipe(Effect.scoped)
  )

  it.live("that yield go on in a later turn, even if theirs has time left", () =>
    Effect.gen(function* () {
      const watched = yield* watchedTurns
      const scheduler = new FairScheduler(
        new LoopTurn({ now: () => 0, nextTurn: (task) => void setImmediate(task) }),
        () => "one"
      )
      const times = 10
      yield* Fiber.join(
        run(
          scheduler,
          Effect.forEach(Array.from({ length: times }), () => Effect.andThen(watched.step(""), Effect.yieldNow))
        )
      )
      assert.strictEqual(new Set(watched.steps.map(({ turn }) => turn)).size, times)
    }).pipe(Effect.scoped)
  )

  it.live("that are interrupted while they wait for their turn end at once", () =>
    Effect.gen(function* () {
      const watched = yield* watchedTurns
      const scheduler = new FairScheduler(watched.turn, () => "one")
      const arrived = yield* Deferred.make<void>()
      const fibers = Array.from({ length: 30 }, () =>
        run(scheduler, Effect.andThen(Deferred.await(arrived), watched.step("")))
      )
      yield* Deferred.succeed(arrived, undefined)
      const last = fibers.at(-1)
      if (last === undefined) return
      yield* Fiber.interrupt(last)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(last)))
      yield* Fiber.awaitAll(fibers)
      assert.lengthOf(watched.steps, 29)
    }).pipe(Effect.scoped)
  )
})

it.live("a fiber that is interrupted before its start, in a turn that is over, ends", () =>
  Effect.gen(function* () {
    const watched = yield* watchedTurns
    const scheduler = new FairScheduler(watched.turn, () => "one")
    const interrupted = Effect.gen(function* () {
      yield* watched.step("")
      yield* watched.step("")
      const child = yield* Effect.forkChild(Effect.never)
      yield* Fiber.interrupt(child)
      return yield* Fiber.await(child)
    })
    const exit = yield* Fiber.join(Effect.runFork(interrupted, { scheduler }))
    assert.isTrue(Exit.hasInterrupts(exit))
  }).pipe(Effect.scoped)
)

// Other systems have no loopback addresses beside 127.0.0.1.
describe.skipIf(process.platform !== "linux")("a newcomer's connection", () => {
  it.live("is accepted while another sender's work goes on, however many connections wait before it", () =>
    Effect.gen(function* () {
      const watched = yield* watchedTurns
      const work = { on: true }
      const route = HttpRouter.add(
        "GET",
        "/busy",
        Effect.gen(function* () {
          while (work.on) yield* Effect.andThen(watched.step("flood"), Effect.yieldNow)
          return HttpServerResponse.text("done")
        })
      )
      const { base } = yield* start({ more: route, turn: watched.turn })
      const connected = (text: string, address: string) => rawConnection(base, text, address)
      yield* Effect.all(Array.from({ length: 4 }, () => connected(getRequest("/busy"), "127.0.0.9")))
      while (watched.steps.length < 100) yield* Effect.sleep("1 millis")
      const before = watched.steps.length
      const answered = yield* Effect.callback<number>((resume) => {
        const port = Number(new URL(base).port)
        const open = (localAddress: string) => connect({ port, host: "127.0.0.1", localAddress })
        const flood = Array.from({ length: 150 }, () => open("127.0.0.9"))
        const newcomer = open("127.0.0.2")
        newcomer.write(getRequest("/healthz"))
        newcomer.once("data", () => {
          resume(Effect.succeed(watched.steps.length))
          for (const socket of [...flood, newcomer]) socket.destroy()
        })
      })
      work.on = false
      assert.isBelow(answered - before, 50)
    }).pipe(Effect.scoped)
  )
})
