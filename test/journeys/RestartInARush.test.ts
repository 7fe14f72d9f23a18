import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import {
  book,
  bookingIn,
  faults,
  holdMinutes,
  letHoldsLapse,
  liveRows,
  planRush,
  sure,
  tool,
  type Wish
} from "../support/Rush.ts"
import { databaseOf, type Service, startService } from "../support/Service.ts"
import { Booked } from "../support/McpRequests.ts"

class Running extends Context.Service<Running, Service>()("test/RunningInARush") {
  static readonly layer = Layer.effect(
    Running,
    startService({ MAX_HOLDS_PER_KEY: "10000", HOLD_MINUTES: String(holdMinutes) })
  )
}

/** After how many acknowledgements the process is killed, rush by rush. */
const killsAt = [1, 6]
let rushes = 0

/** All at once; the process gets the signal at the given acknowledgement. None: the answer never came. */
const rushUntil = Effect.fnUntraced(function* (
  service: Service,
  wishes: ReadonlyArray<Wish>,
  signalAt: number,
  signal: "SIGKILL" | "SIGTERM"
) {
  let acknowledged = 0
  let code: number | null = null
  const answers = yield* Effect.forEach(
    wishes,
    Effect.fnUntraced(function* (wish) {
      const answer = yield* Effect.option(Effect.sandbox(book(service, wish)))
      if (Option.isNone(answer) || !("booking" in answer.value)) return answer
      if (++acknowledged === signalAt) code = yield* service.stop(signal)
      return answer
    }),
    { concurrency: "unbounded" }
  )
  return { code, answers, booked: answers.map((answer) => bookingIn(Option.getOrUndefined(answer))) }
})

/** Everybody asks again, twice at once, whether or not there was an answer: which booking each has, if any. */
const askAgain = Effect.fnUntraced(function* (service: Service, wishes: ReadonlyArray<Wish>) {
  const answers = yield* Effect.forEach(
    wishes,
    (wish) => Effect.all([book(service, wish), book(service, wish)], { concurrency: 2 }),
    { concurrency: "unbounded" }
  )
  return answers.map((both) => {
    const [one, other] = both.map((answer) => bookingIn(answer)?.booking_id)
    assert.strictEqual(one, other, "the same call answers the same booking")
    if (one === undefined) for (const answer of both) assert.deepStrictEqual(answer, { refused: "slot_unavailable" })
    return one
  })
})

/** A rush in which the process is killed, and all that is asked afterwards; answers how many had no answer by then. */
const killedInARush = Effect.fnUntraced(function* (service: Service, killAt: number) {
  const { contested, wishes, latecomers } = yield* planRush(service, rushes++)
  const { answers, booked: first } = yield* rushUntil(service, wishes, killAt, "SIGKILL")
  yield* service.start

  assert.isAtLeast(first.filter((booking) => booking !== undefined).length, killAt)
  for (const booking of first) {
    if (booking === undefined) continue
    const { booking_id } = booking
    const found = sure(yield* tool(service, Booked, "get_booking", { booking_id })).booking
    assert.deepStrictEqual(found, booking)
  }
  yield* Effect.gen(function* () {
    assert.deepStrictEqual(yield* faults, [])
    const kept = new Map((yield* liveRows).map((row) => [row.contact_email, row.booking_id]))

    const again = yield* askAgain(service, wishes)
    for (const [i, { contact }] of wishes.entries()) {
      const before = first[i]?.booking_id ?? kept.get(contact.email)
      if (before !== undefined) assert.strictEqual(again[i], before, contact.email)
    }
    const sold = again.filter((id, i) => id !== undefined && wishes[i]?.option_id === contested.option_id)
    assert.strictEqual(sold.length, contested.parties)
    assert.deepStrictEqual(yield* faults, [])

    yield* letHoldsLapse
    const next = yield* Effect.forEach(latecomers, (wish) => book(service, wish), { concurrency: "unbounded" })
    assert.strictEqual(next.filter((answer) => "booking" in answer).length, contested.parties)
    assert.deepStrictEqual(yield* faults, [])
  }).pipe(Effect.provideServiceEffect(SqlClient.SqlClient, databaseOf(service)), Effect.scoped)
  return answers.filter(Option.isNone).length
})

layer(Running.layer, { excludeTestServices: true })("a service that ends in a rush", (it) => {
  it.effect(
    "has every booking that it acknowledged, and no half of one that it did not",
    () =>
      Effect.gen(function* () {
        const service = yield* Running
        for (const killAt of killsAt) {
          // A kill after the last answer tells nothing of those who wait for theirs.
          while ((yield* killedInARush(service, killAt)) === 0);
        }
      }),
    120_000
  )

  it.effect(
    "answers for every booking that it makes where it is told to stop, and ends in order",
    () =>
      Effect.gen(function* () {
        const service = yield* Running
        const { wishes } = yield* planRush(service, rushes++)
        const { booked, code } = yield* rushUntil(service, wishes, 4, "SIGTERM")
        assert.strictEqual(code, 0)
        yield* service.start
        yield* Effect.gen(function* () {
          assert.deepStrictEqual(yield* faults, [])
          const buyers = new Set(wishes.map(({ contact }) => contact.email))
          const made = (yield* liveRows).filter(({ contact_email }) => buyers.has(contact_email))
          assert.sameMembers(
            made.map(({ booking_id }) => booking_id),
            booked.flatMap((booking) => (booking === undefined ? [] : [booking.booking_id]))
          )
        }).pipe(Effect.provideServiceEffect(SqlClient.SqlClient, databaseOf(service)), Effect.scoped)
      }),
    120_000
  )
})
