/**
 * Leases on token buckets that nodes share: a caller that calls often is given some tokens ahead, and most of its calls are
 * answered from this node's memory. What is leased keeps its room in the bucket, so all nodes together never let more through
 * than the bucket's size and what it earned.
 */
import { Clock, Deferred, Effect, Exit, Latch, type Scope } from "effect"

/** How long a node may use what it took ahead. What is left then is given back within half as long again. */
export const leaseMs = 1000
/** How long a lease keeps its room in the bucket: twice, since nodes' clocks differ, and giving back takes its time. */
export const leaseCountsMs = 2 * leaseMs
/** At most this share of what a bucket holds is given ahead: where it is small, and when it gets empty, each call asks. */
export const shareAhead = 1 / 20
/** The most tokens that are taken ahead. */
const mostAhead = 100

/** `size` tokens were given ahead, `left` of them are unused. */
export interface Lease {
  readonly size: number
  left: number
  /** The bucket's `lease_round` when it was given; where that is another by now, the lease is forgotten. */
  readonly round: number
}

export interface Bucket {
  readonly key: string
  readonly limit: number
  readonly refillMs: number
}

/** Tokens for `wanted` calls that wait, and up to `ahead` more. */
export interface Ask extends Bucket {
  readonly wanted: number
  readonly ahead: number
  /** The lease before, whose rest goes back first. */
  readonly before: Lease
  readonly now: number
}

export interface Given {
  /** At most `wanted + ahead`; fewer than `wanted` where the bucket has no more. */
  readonly granted: number
  readonly round: number
  /** What is left in the bucket. */
  readonly tokens: number
  /** Milliseconds since 1970 at which the running refill interval started. */
  readonly refilledAt: number
}

/** The buckets that all nodes share. Each call is one atomic step. */
export interface SharedBuckets<E> {
  readonly take: (ask: Ask) => Effect.Effect<Given, E>
  /** Puts the rest of a lease back, unless the lease is forgotten. */
  readonly giveBack: (key: string, lease: Lease) => Effect.Effect<void, E>
}

/** What is left after a call, negative where it was refused; and milliseconds since the running refill interval started. */
type Answer = readonly [remaining: number, elapsedMs: number]

interface Held<E> {
  lease: Lease
  /** When the lease ends. */
  until: number
  /** Calls since the bucket was asked that passed. */
  passed: number
  /** Until then the bucket is known to be empty. */
  emptyUntil: number
  given: Given
  readonly waiting: Array<Deferred.Deferred<Answer, E>>
  asking: boolean
}

const none: Lease = { size: 0, left: 0, round: 0 }

const makeHeld = <E>(): Held<E> => ({
  lease: none,
  until: 0,
  passed: 0,
  emptyUntil: 0,
  given: { granted: 0, round: 0, tokens: 0, refilledAt: 0 },
  waiting: [],
  asking: false
})

/** As many as passed last time; twice as many where those came before the lease's time was up. */
const aheadOf = <E>({ passed, until }: Held<E>, now: number): number =>
  Math.min(mostAhead, now < until ? 2 * passed : Math.max(0, passed - 1))

const answer = <E>({ given, lease }: Held<E>, now: number): Answer => [
  given.tokens + lease.left,
  Math.max(0, now - given.refilledAt)
]
const refusal = <E>({ given }: Held<E>, now: number): Answer => [given.tokens - 1, Math.max(0, now - given.refilledAt)]

/** An answer from memory; undefined where the bucket has to be asked. */
const remembered = <E>(held: Held<E>, now: number): Answer | undefined => {
  if (held.lease.left > 0 && now < held.until) {
    held.lease.left--
    held.passed++
    return answer(held, now)
  }
  return now < held.emptyUntil ? refusal(held, now) : undefined
}

/**
 * Takes tokens one by one. A token that another node holds idle is missed for at most `leaseCountsMs`. A bucket that was found empty
 * is believed to be until its next token is due, but no longer than `leaseMs`. What a node held when it died is lost, as if it
 * had been used.
 */
export const makeLeases = <E>(
  shared: SharedBuckets<E>
): Effect.Effect<
  { readonly take: (bucket: Bucket) => Effect.Effect<Answer, E>; readonly size: () => number },
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const all = new Map<string, Held<E>>()
    const anything = yield* Latch.make()

    const giveBack = Effect.fnUntraced(function* (isOver: (held: Held<E>) => boolean) {
      const rests: Array<readonly [key: string, lease: Lease]> = []
      for (const [key, held] of all) {
        if (!isOver(held)) continue
        all.delete(key)
        if (held.lease.left > 0) rests.push([key, held.lease])
      }
      yield* Effect.forEach(
        rests,
        ([key, lease]) =>
          Effect.catch(shared.giveBack(key, lease), (error) => Effect.logDebug("A lease was not given back", error)),
        { concurrency: 4, discard: true }
      )
    })

    yield* Effect.addFinalizer(() => giveBack(() => true))
    yield* anything.await.pipe(
      Effect.andThen(Effect.sleep(leaseMs / 2)),
      Effect.andThen(Clock.currentTimeMillis),
      Effect.flatMap((now) =>
        giveBack(({ asking, emptyUntil, until }) => !asking && until <= now && emptyUntil <= now)
      ),
      Effect.andThen(Effect.sync(() => all.size === 0 && anything.closeUnsafe())),
      Effect.forever,
      Effect.forkScoped
    )

    /** Asks once for all calls that wait, and again for those that came meanwhile and can't be answered from what it got. */
    const ask = Effect.fnUntraced(function* (held: Held<E>, bucket: Bucket) {
      while (held.waiting.length > 0) {
        const calls = held.waiting.splice(0)
        const now = yield* Clock.currentTimeMillis
        const rest = calls.filter((call) => {
          const known = remembered(held, now)
          if (known !== undefined) Deferred.doneUnsafe(call, Exit.succeed(known))
          return known === undefined
        })
        if (rest.length === 0) continue
        const before = held.lease
        const ahead = aheadOf(held, now)
        // Whatever becomes of the question, this lease is over.
        held.lease = none
        const told = yield* Effect.exit(shared.take({ ...bucket, wanted: rest.length, ahead, before, now }))
        if (Exit.isFailure(told)) {
          for (const call of rest) Deferred.doneUnsafe(call, Exit.failCause(told.cause))
          continue
        }
        const { granted, refilledAt, round } = told.value
        held.given = told.value
        held.passed = Math.min(granted, rest.length)
        const size = granted - held.passed
        held.lease = { size, left: size, round }
        held.until = now + leaseMs
        held.emptyUntil = granted < rest.length ? Math.min(held.until, refilledAt + bucket.refillMs) : 0
        for (const [i, call] of rest.entries())
          Deferred.doneUnsafe(call, Exit.succeed(i < granted ? answer(held, now) : refusal(held, now)))
      }
      held.asking = false
    }, Effect.uninterruptible)

    const take = (bucket: Bucket): Effect.Effect<Answer, E> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        let held = all.get(bucket.key)
        if (held === undefined) {
          all.set(bucket.key, (held = makeHeld()))
          anything.openUnsafe()
        }
        const known = remembered(held, now)
        if (known !== undefined) return Effect.succeed(known)
        const call = Deferred.makeUnsafe<Answer, E>()
        held.waiting.push(call)
        if (held.asking) return Deferred.await(call)
        held.asking = true
        // Not by this call, which may be interrupted while others wait for the same answer.
        return Effect.andThen(Effect.forkDetach(ask(held, bucket), { startImmediately: true }), Deferred.await(call))
      })

    return { take, size: () => all.size }
  })
