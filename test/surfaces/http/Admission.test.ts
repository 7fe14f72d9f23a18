/** The limit on work under way, on the test's clock, before a server that answers one request after the other. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Admission, admissionLimits, type Place, type Rank, ranks } from "../../../src/surfaces/http/Admission.ts"

interface Arrival {
  readonly sender: string
  readonly rank: Rank
}

/** What became of one who asked: when, and after how long it was answered; undefined: refused. */
interface Outcome extends Arrival {
  readonly at: number
  readonly took: number | undefined
}

const [pauseMs, calmPauseMs] = [10, 1000]

/**
 * A server that answers `perSecond` requests, each in so many `steps`: after one it waits behind all others for the
 * next. The idle statement takes no time, and waits with the others, once. Each step, and the statement, goes a way of
 * `wayMs`.
 */
const serving = Effect.fnUntraced(function* (perSecond: number, steps = 1, wayMs = 0) {
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  let activeMs = 0
  const admission = new Admission(admissionLimits, now, () => activeMs)
  const queue: Array<{ readonly answer: () => void; readonly costs: number }> = []
  const outcomes: Array<Outcome> = []
  const onTheWay: Array<{ readonly at: number; readonly arrive: () => void }> = []
  let speed = perSecond
  let budget = 0
  let lastStatement = -calmPauseMs
  let isOut = false
  const go = (arrive: () => void): void => {
    if (wayMs === 0) arrive()
    else onTheWay.push({ at: now() + wayMs, arrive })
  }
  const ask = (arrival: Arrival): boolean => {
    const at = now()
    const place: Place | undefined = admission.enter(arrival.sender, arrival.rank)
    if (place === undefined) {
      outcomes.push({ ...arrival, at, took: undefined })
      return false
    }
    const answer = (): void => {
      place.end()
      outcomes.push({ ...arrival, at, took: now() - at })
    }
    const stepAfter = (done: number) => (): void => {
      if (done === steps) answer()
      else queue.push({ costs: 1 / steps, answer: () => go(stepAfter(done + 1)) })
    }
    queue.push({ costs: 1 / steps, answer: () => go(stepAfter(1)) })
    return true
  }
  const step = (): void => {
    while (onTheWay[0] !== undefined && onTheWay[0].at <= now()) onTheWay.shift()?.arrive()
    if (!isOut && now() >= lastStatement + (admission.isBusy ? pauseMs : calmPauseMs)) {
      isOut = true
      admission.sent()
      const back = (): void => {
        isOut = false
        lastStatement = now()
        admission.returned()
      }
      queue.push({ costs: 0, answer: () => go(back) })
    }
    budget = Math.min(1, budget) + speed / 1000
    for (let first = queue[0]; first !== undefined && budget >= first.costs; first = queue[0]) {
      budget -= first.costs
      activeMs += (1000 * first.costs) / speed
      queue.shift()
      first.answer()
    }
  }
  return {
    ask,
    outcomes,
    /** Answers so many a second from now on. */
    speed: (perSecond: number): void => {
      speed = perSecond
    },
    /** Runs for so many milliseconds. */
    run: Effect.fnUntraced(function* (ms: number, arrivalsAt: (ms: number) => ReadonlyArray<Arrival> = () => []) {
      for (let passed = 0; passed < ms; passed++) {
        for (const arrival of arrivalsAt(passed)) ask(arrival)
        step()
        yield* TestClock.adjust(1)
      }
    })
  }
})

let named = 0
const newcomer = (rank: Rank): Arrival => ({ sender: `one ${++named}`, rank })

/** So many a second of a rank, each of another sender or all of one. */
const offer = (perSecond: number, rank: Rank, sender?: string) => {
  let due = 0
  return (): ReadonlyArray<Arrival> => {
    due += perSecond / 1000
    const count = Math.floor(due)
    due -= count
    return Array.from({ length: count }, () => (sender === undefined ? newcomer(rank) : { sender, rank }))
  }
}

const times = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<number> =>
  outcomes.flatMap(({ took }) => (took === undefined ? [] : [took])).sort((one, other) => one - other)
const p99 = (outcomes: ReadonlyArray<Outcome>): number =>
  times(outcomes).at(Math.ceil(times(outcomes).length * 0.99) - 1) ?? 0
const shareLetIn = (outcomes: ReadonlyArray<Outcome>, rank: Rank): number => {
  const asked = outcomes.filter((one) => one.rank === rank)
  return asked.filter(({ took }) => took !== undefined).length / asked.length
}

describe("admission", () => {
  it.effect(
    "finds the limit of any server by itself: 4 and 10 times as much is answered in time, or refused",
    () =>
      Effect.gen(function* () {
        for (const perSecond of [40, 150, 151, 600, 3000]) {
          for (const factor of [4, 10]) {
            const which = `${factor} times ${perSecond} a second`
            const { outcomes, run } = yield* serving(perSecond)
            const seconds = 6
            yield* run(seconds * 1000, offer(perSecond * factor, ranks.read))
            assert.isAtLeast(times(outcomes).length, 0.9 * perSecond * seconds, which)
            assert.isAtMost(p99(outcomes), 1000, which)
            // As before within two seconds.
            yield* run(1000)
            const before = outcomes.length
            yield* run(1000, offer(perSecond / 2, ranks.read))
            const after = outcomes.slice(before)
            assert.lengthOf(times(after), after.length, which)
            assert.isAtMost(p99(after), 50, which)
          }
        }
      }),
    120_000
  )

  it.effect(
    "answers as much over a far database as over a near one: the way there is no queue, and comes on top of answers' times",
    () =>
      Effect.gen(function* () {
        for (const wayMs of [10, 35, 60]) {
          for (const factor of [0.9, 4, 10]) {
            const which = `${factor} times what can be answered, ${wayMs} ms away`
            const [perSecond, steps, seconds] = [600, 3, 6]
            const { outcomes, run } = yield* serving(perSecond, steps, wayMs)
            // It is known from when little is under way.
            yield* run(1000)
            const offered = offer(perSecond * factor, ranks.read)
            yield* run(2000, offered)
            const before = outcomes.length
            yield* run((seconds - 2) * 1000, offered)
            const refused = outcomes.filter(({ took }) => took === undefined)
            if (factor < 1) assert.lengthOf(refused, 0, which)
            const arrived = seconds - (steps * wayMs) / 1000
            assert.isAtLeast(times(outcomes).length, 0.9 * perSecond * Math.min(1, factor) * arrived, which)
            assert.isAtMost(p99(outcomes.slice(before)), 1000, which)
          }
        }
      }),
    120_000
  )

  it.effect(
    "learns within seconds that its database is nearer or farther than it was, and nothing of that from a stall",
    () =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const admission = new Admission(admissionLimits, () => clock.currentTimeMillisUnsafe())
        const statement = Effect.fnUntraced(function* (ms: number, times = 1) {
          for (let n = 0; n < times; n++) {
            admission.sent()
            yield* TestClock.adjust(ms)
            admission.returned()
          }
        })
        /** How many are let in while such statements come back: beside a queue, as many as are answered in time. */
        const letInBeside = Effect.fnUntraced(function* (ms: number) {
          const places: Array<Place> = []
          for (let n = 0; n < 100; n++) {
            const place = admission.enter(`${n}`, ranks.read)
            if (place !== undefined) places.push(place)
            if (n % 10 !== 0) continue
            // Some are answered: otherwise all might wait for something else.
            places[n / 10]?.end()
            yield* statement(ms)
          }
          for (const place of places) place.end()
          yield* TestClock.adjust(2000)
          return places.length
        })
        yield* statement(5, 10)
        assert.isBelow(yield* letInBeside(45), 50)
        yield* statement(40, 40)
        assert.strictEqual(yield* letInBeside(45), 100)
        yield* statement(500)
        assert.isBelow(yield* letInBeside(90), 50)
        yield* statement(5)
        assert.isBelow(yield* letInBeside(45), 50)
      })
  )

  it.effect("a stall is over once it is over: what was let in before it still counts", () =>
    Effect.gen(function* () {
      const { outcomes, run, speed } = yield* serving(150)
      const offered = offer(600, ranks.read)
      yield* run(2000, offered)
      speed(20)
      yield* run(3000, offered)
      speed(150)
      yield* run(1000, offered)
      const before = outcomes.length
      yield* run(3000, offered)
      assert.isAtMost(p99(outcomes.slice(before)), 1000)
      assert.isAtLeast(times(outcomes.slice(before)).length, 0.9 * 150 * 3)
    })
  )

  it.effect("lets a burst pass, whatever it takes, and a queue that stands no longer than it is over", () =>
    Effect.gen(function* () {
      const { ask, outcomes, run } = yield* serving(150)
      for (let n = 0; n < 200; n++) assert.isTrue(ask(newcomer(ranks.read)))
      yield* run(100)
      // The queue stands now: what comes on top would be late.
      assert.isFalse(ask(newcomer(ranks.read)))
      yield* run(1400)
      assert.lengthOf(times(outcomes), 200)
      assert.isTrue(ask(newcomer(ranks.read)))
    })
  )

  it.effect("lets in of a burst what it can answer in time, once it knows how much of its loop an answer takes", () =>
    Effect.gen(function* () {
      for (const perSecond of [100, 150, 290]) {
        const { ask, outcomes, run } = yield* serving(perSecond)
        // A calm hour: nothing waits, and nothing is refused.
        yield* run(4000, offer(perSecond / 3, ranks.read))
        const before = outcomes.length
        assert.lengthOf(times(outcomes), before)
        for (let n = 0; n < 320; n++) ask(newcomer(ranks.read))
        yield* run(4000)
        const burst = outcomes.slice(before)
        assert.isAtMost(p99(burst), 700, `${perSecond} a second`)
        assert.isAtLeast(times(burst).length, 0.3 * perSecond, `${perSecond} a second`)
      }
    })
  )

  it.effect(
    "lets as many senders in at once as are answered in time, and of one sender more, as these wait in turn",
    () =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const admission = new Admission(admissionLimits, () => clock.currentTimeMillisUnsafe())
        for (let n = 0; n < admissionLimits.burstSenders; n++) assert.isDefined(admission.enter(`${n}`, ranks.read))
        assert.isUndefined(admission.enter("one more", ranks.read))
        // Some more of those that are refused later.
        assert.isDefined(admission.enter("who pays", ranks.payment))
        const other = new Admission(admissionLimits, () => clock.currentTimeMillisUnsafe())
        for (let n = 0; n < admissionLimits.burst; n++) assert.isDefined(other.enter("a host", ranks.read))
        assert.isUndefined(other.enter("a host", ranks.read))
        assert.isDefined(other.enter("another", ranks.read))
      })
  )

  it.effect("refuses nobody while what is under way waits for something else, however long", () =>
    Effect.gen(function* () {
      const { run } = yield* serving(150)
      const clock = yield* Clock.Clock
      const admission = new Admission(admissionLimits, () => clock.currentTimeMillisUnsafe())
      for (let second = 0; second < 5; second++) {
        for (let n = 0; n < 300; n++) assert.isDefined(admission.enter(`${second} ${n}`, ranks.read))
        admission.sent()
        yield* run(5)
        admission.returned()
        yield* run(1000)
      }
      // Nor does it keep what never ends.
      assert.isAtMost(admission.size, 300)
    })
  )

  it.effect(
    "a queue of a moment tells nothing of the rate: what waits for a lock keeps nobody else of its sender out",
    () =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        // The machine stalls for a moment, or for longer before anything was answered.
        for (const [stall, answeredBefore] of [
          [40, 0],
          [40, 1],
          [300, 0]
        ] as const) {
          const admission = new Admission(admissionLimits, () => clock.currentTimeMillisUnsafe())
          const statement = Effect.fnUntraced(function* (ms: number) {
            admission.sent()
            yield* TestClock.adjust(ms)
            admission.returned()
          })
          const asks = (when: string) => {
            const place = admission.enter("a host", ranks.read)
            assert.isDefined(place, when)
            place.end()
          }
          for (let n = 0; n < 52; n++) assert.isDefined(admission.enter("a host", ranks.booking))
          for (let n = 0; n < answeredBefore; n++) asks("before the stall")
          yield* statement(stall)
          asks(`after a stall of ${stall} ms`)
          for (let n = 0; n < 100; n++) {
            yield* statement(n % 20 === 10 ? 40 : 5)
            asks(`${stall} ms, then ${n} statements`)
            yield* TestClock.adjust(pauseMs)
          }
        }
      })
  )

  it.effect(
    "a sender with less than its share is not kept out by another that has more, whatever that one waits for",
    () =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const admission = new Admission(admissionLimits, () => clock.currentTimeMillisUnsafe())
        for (let n = 0; n < 52; n++) assert.isDefined(admission.enter("a host", ranks.booking))
        // A slow machine: each statement waits, and little is answered because little else is asked.
        for (let n = 0; n < 10; n++) {
          admission.sent()
          yield* TestClock.adjust(40)
          admission.returned()
          const [first, second] = [admission.enter("another", ranks.read), admission.enter("another", ranks.read)]
          assert.isDefined(first, `the first after ${n} statements`)
          assert.isDefined(second, `the second after ${n} statements`)
          first.end()
          second.end()
          yield* TestClock.adjust(pauseMs)
        }
        // What would be its own share of that, the host has.
        assert.isUndefined(admission.enter("a host", ranks.read))
      })
  )

  it.effect("refuses reads first, then options, bookings and payments, and what the payment provider tells last", () =>
    Effect.gen(function* () {
      const order = [ranks.read, ranks.option, ranks.booking, ranks.payment, ranks.event]
      for (const flooding of order) {
        const { outcomes, run } = yield* serving(150)
        const flood = offer(1500, flooding)
        yield* run(1000, flood)
        const before = outcomes.length
        const few = order.filter((rank) => rank !== flooding).map((rank) => offer(5, rank))
        yield* run(4000, () => [...flood(), ...few.flatMap((one) => one())])
        for (const rank of order) {
          const share = shareLetIn(outcomes.slice(before), rank)
          if (rank > flooding) assert.isAtLeast(share, 0.95, `${rank} beside a flood of ${flooding}`)
          else if (rank < flooding) assert.isAtMost(share, 0.05, `${rank} beside a flood of ${flooding}`)
        }
      }
    })
  )

  it.effect("counts nobody's reads against that sender's payments, nor against events while a burst is answered", () =>
    Effect.gen(function* () {
      const { ask, outcomes, run } = yield* serving(150)
      yield* run(2000, offer(1500, ranks.read, "a host"))
      assert.isTrue(ask({ sender: "a host", rank: ranks.payment }))
      const before = outcomes.length
      const events = offer(20, ranks.event, "the provider")
      yield* run(2000)
      for (let n = 0; n < 300; n++) ask(newcomer(ranks.read))
      yield* run(1000, events)
      yield* run(2000)
      assert.strictEqual(shareLetIn(outcomes.slice(before), ranks.event), 1)
    })
  )

  it.effect("keeps places for some who come at once beside a flood, however slow the machine is", () =>
    Effect.gen(function* () {
      const { ask, run } = yield* serving(20)
      const flood = offer(400, ranks.read, "flood")
      yield* run(3000, flood)
      for (let n = 0; n < 6; n++) assert.isTrue(ask(newcomer(ranks.read)))
    })
  )

  it.effect("refuses the flood of one sender, or of a few, and not what others ask beside it", () =>
    Effect.gen(function* () {
      for (const senders of [1, 3]) {
        const { outcomes, run } = yield* serving(150)
        const floods = Array.from({ length: senders }, (_, n) => offer(1500 / senders, ranks.read, `flood ${n}`))
        const others = offer(20, ranks.read)
        const all = () => [...floods.flatMap((one) => one()), ...others()]
        // Until it is known how much can be answered.
        yield* run(1000, all)
        const before = outcomes.length
        yield* run(4000, all)
        const ofOthers = outcomes.slice(before).filter(({ sender }) => sender.startsWith("one"))
        assert.isAtLeast(shareLetIn(ofOthers, ranks.read), 0.95)
        const ofFloods = outcomes.slice(before).filter(({ sender }) => sender.startsWith("flood"))
        assert.isAtLeast(times(ofFloods).length, 0.9 * 130 * 4)
      }
    })
  )
})
