import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { begin, type Event, initially, type Order, step, type Supervision } from "../../src/process/Supervision.ts"
import { runs } from "../support/runs.ts"

const minute = 60_000
const endsWithinMs = { stop: 25_000, "hand over": 98_000 }

/** A supervisor whose orders are on record. What it wants to happen later, happens when the test says so. */
const supervisor = (wanted = 2) => {
  let now = 1_000_000
  let { next: state, orders } = begin(initially({ wanted, endsWithinMs }), now)
  const log = (): ReadonlyArray<string> => orders.flatMap((order) => (order._tag === "Log" ? [order.text] : []))
  return {
    state: (): Supervision => state,
    /** What the last event led to, without log lines. */
    orders: (): ReadonlyArray<Order> => orders.filter(({ _tag }) => _tag !== "Log"),
    log,
    started: (): ReadonlyArray<number> => orders.flatMap((order) => (order._tag === "Start" ? [order.worker] : [])),
    dismissed: () => orders.flatMap((order) => (order._tag === "Dismiss" ? [`${order.worker}: ${order.why}`] : [])),
    code: () => orders.find((order) => order._tag === "End")?.code,
    pauseMs: () =>
      orders.flatMap((order) => (order._tag === "Wake" && order.event._tag === "Due" ? [order.afterMs] : []))[0],
    pass: (ms: number) => (now += ms),
    happens: (...events: ReadonlyArray<Event>) => {
      for (const event of events) ({ next: state, orders } = step(state, event, now))
    }
  }
}
const listening = (worker: number): Event => ({ _tag: "Listening", worker })
const ended = (worker: number, code: number | null = 0, signal: string | null = null): Event => ({
  _tag: "Ended",
  worker,
  code,
  signal
})
const killed = (worker: number) => ended(worker, null, "SIGKILL")
const silent = (...workers: ReadonlyArray<number>): Event => ({ _tag: "Silent", workers })
const renew: Event = { _tag: "Renew" }
const stop: Event = { _tag: "Stop" }

describe("a supervisor", () => {
  it("starts one worker, and the others when it listens", () => {
    const it = supervisor(3)
    assert.deepStrictEqual(it.started(), [1])
    it.happens(listening(1))
    assert.deepStrictEqual(it.started(), [2, 3])
  })

  it("ends with the exit code of the first worker where that can't start, without another try", () => {
    const it = supervisor()
    it.happens(ended(1, 1))
    assert.deepStrictEqual([it.code(), it.started()], [1, []])
    const helped = supervisor()
    helped.happens(ended(1, 0))
    assert.strictEqual(helped.code(), 0)
    const shot = supervisor()
    shot.happens(killed(1))
    assert.strictEqual(shot.code(), 1)
    assert.lengthOf(shot.log(), 1)
  })

  it("starts a worker anew at once that had listened for a minute, and waits longer and longer for one that does not stay", () => {
    const it = supervisor()
    it.happens(listening(1), listening(2))
    it.pass(minute)
    it.happens(killed(2))
    assert.strictEqual(it.pauseMs(), 0)
    const pauses: Array<number | undefined> = []
    for (let worker = 3; worker < 12; worker += 1) {
      it.happens({ _tag: "Due" })
      assert.deepStrictEqual(it.started(), [worker])
      it.happens(ended(worker, 1))
      pauses.push(it.pauseMs())
      // The first one listens: the service goes on, however often the other fails.
      assert.isUndefined(it.code())
    }
    assert.deepStrictEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000])
  })

  it("ends the service where no worker stays up", () => {
    const it = supervisor()
    it.happens(listening(1), listening(2))
    it.pass(minute)
    it.happens(killed(1), killed(2))
    let failures = 2
    while (it.code() === undefined && failures < 100) {
      it.happens({ _tag: "Due" })
      for (const worker of it.started()) it.happens(ended(worker, 1))
      failures += 1
    }
    assert.strictEqual(it.code(), 1)
    assert.isBelow(failures, 12)
    assert.deepStrictEqual(it.log(), ["No worker stays up: the service ends"])
  })

  it("replaces one worker after the other: each goes when the one in its place listens", () => {
    const it = supervisor()
    it.happens(listening(1), listening(2), renew)
    assert.deepStrictEqual([it.started(), it.dismissed()], [[3], []])
    it.happens(listening(3))
    assert.deepStrictEqual([it.started(), it.dismissed()], [[], ["1: hand over"]])
    it.happens(ended(1))
    assert.deepStrictEqual([it.started(), it.dismissed()], [[4], []])
    it.happens(listening(4))
    assert.deepStrictEqual(it.dismissed(), ["2: hand over"])
    it.happens(ended(2))
    assert.deepStrictEqual([it.orders(), it.log()], [[], ["All workers were replaced"]])
    assert.strictEqual(it.state().allFailures, 0)
  })

  it("replaces all of them once more where it is asked meanwhile, however often", () => {
    const it = supervisor()
    it.happens(listening(1), listening(2), renew, listening(3), renew, ended(1), renew, listening(4), ended(2))
    assert.deepStrictEqual(it.started(), [5])
    it.happens(listening(5), ended(3), listening(6), ended(4))
    assert.deepStrictEqual([it.started(), [...it.state().workers.keys()]], [[], [5, 6]])
  })

  it("keeps the workers that it has where a new one can't start, and tries again when asked", () => {
    const it = supervisor()
    it.happens(listening(1), listening(2), renew, ended(3, 1))
    assert.deepStrictEqual([it.orders(), [...it.state().workers.keys()]], [[], [1, 2]])
    assert.include(it.log().join(), "serve on")
    it.happens(renew)
    assert.deepStrictEqual(it.started(), [4])
    // Both the old one and the one in its place.
    it.happens(killed(1))
    assert.deepStrictEqual(it.started(), [])
    it.happens(ended(4, 1))
    assert.isDefined(it.pauseMs())
  })

  it("stops all workers, whatever they are doing, and ends when the last has ended", () => {
    const it = supervisor(3)
    it.happens(listening(1), listening(2), renew, listening(4), stop)
    assert.sameMembers(it.dismissed(), ["1: stop", "2: stop", "3: stop", "4: stop"])
    it.happens(stop, renew, { _tag: "Due" })
    assert.deepStrictEqual(it.orders(), [])
    it.happens(ended(1), ended(2), ended(3), ended(4))
    assert.strictEqual(it.code(), 0)
  })

  it("kills workers that do not end in time, and says so by its exit code", () => {
    const it = supervisor()
    it.happens(listening(1), listening(2), stop, ended(1), { _tag: "Overdue", worker: undefined })
    assert.deepStrictEqual(it.orders(), [{ _tag: "Kill", worker: 2 }])
    it.happens(killed(2))
    assert.strictEqual(it.code(), 1)
    const late = supervisor()
    late.happens(listening(1), listening(2), renew, listening(3), { _tag: "Overdue", worker: 1 })
    assert.deepStrictEqual(late.orders(), [{ _tag: "Kill", worker: 1 }])
    late.happens(killed(1))
    assert.deepStrictEqual(late.started(), [4])
  })

  it("kills a worker that does not answer and starts another in its place, counted apart and told once", () => {
    const it = supervisor()
    it.happens(listening(1), listening(2))
    it.pass(minute)
    it.happens(silent(2))
    assert.deepStrictEqual([it.orders(), it.log()], [[{ _tag: "Kill", worker: 2 }], []])
    // It may take a moment to end.
    it.happens(silent(2))
    assert.deepStrictEqual(it.orders(), [])
    it.happens(killed(2))
    assert.deepStrictEqual([it.pauseMs(), it.log()], [0, ["A worker did not answer, and was killed"]])
    it.happens({ _tag: "Due" })
    assert.deepStrictEqual(it.started(), [3])
    assert.deepInclude(it.state(), { allFailures: 0, allSilent: 1 })
  })

  it("kills one of several silent workers at a time, with pauses that grow: those that only work hard get time to answer", () => {
    const it = supervisor(4)
    it.happens(listening(1), listening(2), listening(3), listening(4))
    it.pass(minute)
    const kills: Array<number> = []
    // All are silent, whoever takes a place.
    for (let second = 0; second < 3600; second += 1) {
      it.pass(1000)
      it.happens(silent(...it.state().workers.keys()))
      for (const order of it.orders()) {
        if (order._tag !== "Kill") continue
        kills.push(second)
        it.happens(killed(order.worker), { _tag: "Due" }, listening(it.state().nextId - 1))
      }
    }
    assert.deepStrictEqual(kills.slice(0, 6), [0, 10, 30, 70, 150, 310])
    assert.isAtMost(kills.length, 28)
    // After some time without any, the next one is replaced at once again, and the pause is short.
    it.pass(10 * minute)
    const ids = [...it.state().workers.keys()]
    it.happens(silent(...ids))
    assert.lengthOf(it.orders(), 1)
    it.pass(10_000)
    it.happens(silent(...ids))
    assert.lengthOf(it.orders(), 1)
  })

  it("leaves silent workers alone that start, were dismissed, or that it stops anyway", () => {
    const it = supervisor()
    it.happens(silent(1), listening(1), silent(2))
    assert.deepStrictEqual(it.orders(), [])
    it.happens(listening(2), renew, listening(3), silent(1))
    assert.deepStrictEqual(it.orders(), [])
    it.happens(stop, silent(1, 2, 3))
    assert.deepStrictEqual(it.orders(), [])
  })

  it("takes the one that starts for a silent worker's, if that was to be replaced anyway", () => {
    const it = supervisor()
    it.happens(listening(1), listening(2), renew, silent(1), killed(1))
    assert.deepStrictEqual(it.log(), [
      "A worker did not answer, and was killed; one that takes its place is starting already"
    ])
    assert.deepStrictEqual(it.orders(), [])
    it.happens(listening(3))
    assert.deepStrictEqual(it.started(), [4])
  })

  it("mentions a worker that takes minutes to start", () => {
    const it = supervisor()
    it.pass(minute)
    it.happens({ _tag: "Unstarted", worker: 1 })
    assert.match(it.log().join(), /still starting/)
    it.happens(listening(1), { _tag: "Unstarted", worker: 1 })
    assert.deepStrictEqual(it.log(), [])
  })
})

describe("whatever happens, in whatever order", () => {
  const choice = fc.record({ what: fc.nat(99), which: fc.nat(20), passMs: fc.nat(120_000) })

  it("there are never more workers than wanted and one that takes a place, and none too few for long; a stop ends all", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(choice, { maxLength: 80 }), (wanted, choices) => {
        const it = supervisor(wanted)
        const alive = new Set<number>()
        const leaving = new Set<number>()
        let due = 0
        let code: number | undefined
        const obey = () => {
          for (const order of it.orders()) {
            if (order._tag === "Start") alive.add(order.worker)
            if (order._tag === "Dismiss") leaving.add(order.worker)
            if (order._tag === "Wake" && order.event._tag === "Due") due += 1
            if (order._tag === "End") code = order.code
          }
        }
        const act = (event: Event) => {
          if (event._tag === "Ended") alive.delete(event.worker)
          if (event._tag === "Due") due -= 1
          it.happens(event)
          obey()
        }
        obey()
        for (const { passMs, what, which } of choices) {
          if (code !== undefined) break
          it.pass(passMs)
          const one = [...alive][which % alive.size] ?? 0
          if (what < 50) act(listening(one))
          else if (what < 62) act(leaving.has(one) ? ended(one) : ended(one, 1))
          else if (what < 70) act(killed(one))
          else if (what < 85 && due > 0) act({ _tag: "Due" })
          else if (what < 92) act(renew)
          else if (what < 97) act(silent(one, ...alive))
          else if (what === 99) act(stop)
          const staying = [...alive].filter((id) => !leaving.has(id)).length
          assert.isAtMost(staying, wanted + 1)
          // At the start there is one; later each place is taken, or will be after a pause.
          if (it.state().up && it.state().ending === undefined) assert.isAtLeast(staying + due, wanted)
        }
        if (code !== undefined) return
        act(stop)
        for (const worker of alive) {
          assert.isUndefined(code)
          act(ended(worker))
        }
        assert.isDefined(code)
      }),
      { numRuns: runs(100) }
    )
  })
})
