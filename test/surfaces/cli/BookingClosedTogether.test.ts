/**
 * What one plan does with several bookings is decided together: the room and the extras that one takes, another can't
 * have.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Occupancy } from "../../../src/domain/availability/Occupancy.ts"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { idOf } from "../../support/catalogues.ts"
import { commandWorld, playroom } from "../../support/CommandLine.ts"
import { rowOf } from "../../support/moveWorld.ts"
import { deleteBookings, now } from "../../support/PaymentWorld.ts"
import { bookAt, freeRoom, importSharing } from "../../support/sharedRooms.ts"

const room = (n: number) => idOf("playroom", n)
const closed = (...args: ReadonlyArray<string>) => playroom("booking", "closed", "--playroom", room(1), ...args)
const shownIn = (out: string): string => /--as-shown (\S+),/.exec(out)?.[1] ?? assert.fail(`no code: ${out}`)
const move = ({ reference }: BookingRow, start: string, n: number) => ["--move", `${reference}=${start}@${room(n)}`]
const placeOf = (booking: BookingRow) =>
  Effect.map(rowOf(booking), ({ playroom_id, starts_at }) => [playroom_id, new Date(starts_at).toISOString()])

/** Two bookings of room 1, which is closed then; there are two machines for all rooms. */
const twoClosed = Effect.fnUntraced(function* (machines: number, children = 2) {
  yield* setClock(now)
  yield* deleteBookings
  const rooms = [1, 2, 3].map(freeRoom)
  yield* importSharing({ "bubble-machines": 2 }, rooms)
  const first = yield* bookAt("11:00", 1, machines, { children })
  const second = yield* bookAt("14:00", 1, machines, { children })
  const closures = [{ from: "2026-12-05", to: "2026-12-05", reason: "A pipe broke" }]
  yield* importSharing({ "bubble-machines": 2 }, [...rooms.slice(1), { ...freeRoom(1), closures }], { force: true })
  return [first, second] as const
})

layer(commandWorld, { timeout: "60 seconds" })("playroom booking closed, of several bookings", (it) => {
  it.effect("tells before that an extra which rooms share is not enough for two moves to one time", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoClosed(2)
      const together = [...move(first, "2026-12-06T11:00", 2), ...move(second, "2026-12-06T11:00", 3)]
      const refused = yield* closed(...together, "--preview")
      assert.include(refused.out, "Other bookings of this plan take the room, or an extra, at that time")
      assert.include(refused.failure ?? "", "1 of these can't be done")
      assert.notInclude(refused.out, "--as-shown")
      // One after the other it is enough: the set-up of the second begins as the first ends.
      const apart = [...move(first, "2026-12-06T11:00", 2), ...move(second, "2026-12-06T13:00", 3)]
      const plan = yield* closed(...apart, "--preview")
      const done = yield* closed(...apart, "--as-shown", shownIn(plan.out))
      assert.isUndefined(done.failure)
      assert.deepStrictEqual(yield* placeOf(first), [room(2), "2026-12-06T11:00:00.000Z"])
      assert.deepStrictEqual(yield* placeOf(second), [room(3), "2026-12-06T13:00:00.000Z"])
    })
  )

  it.effect("counts the places of an open room for two groups that move there", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoClosed(0, 12)
      const wishes = [...move(first, "2026-12-06T11:00", 2), ...move(second, "2026-12-06T11:00", 2)]
      const { failure, out } = yield* closed(...wishes, "--preview")
      assert.include(out, "Other bookings of this plan take the room")
      assert.include(failure ?? "", "1 of these can't be done")
      const fewer = yield* twoClosed(0, 4)
      const both = [...move(fewer[0], "2026-12-06T11:00", 2), ...move(fewer[1], "2026-12-06T11:00", 2)]
      const plan = yield* closed(...both, "--preview")
      assert.isUndefined((yield* closed(...both, "--as-shown", shownIn(plan.out))).failure)
    })
  )

  it.effect("asks about those before it only if they have places there, however many they are", () =>
    Effect.gen(function* () {
      const [first] = yield* twoClosed(2)
      let asked = 0
      class Counted extends Set<string> {
        override has(id: string) {
          asked += 1
          return super.has(id)
        }
        override [Symbol.iterator](): SetIterator<string> {
          return assert.fail("all of them are read")
        }
      }
      const left = new Counted()
      for (let n = 0; n < 5000; n += 1) left.add(`booking_${n}`)
      left.add(first.booking_id)
      const day = [Date.parse("2026-12-05T00:00Z"), Date.parse("2026-12-06T00:00Z")] as const
      const { lapsed, taken } = yield* Occupancy.use((occupancy) =>
        occupancy.calendar(room(2), ...day, Date.parse(now), undefined, { left, taken: new Map() })
      )
      assert.isAtMost(asked, 2)
      assert.deepStrictEqual([...new Set(lapsed)], [first.booking_id])
      // The machines of the second are taken for all rooms.
      assert.lengthOf([...taken.values()].flat(), 1)
    })
  )

  it.effect("gives to a move what a booking before it in the plan gives back", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoClosed(2)
      const alone = yield* closed(...move(second, "2026-12-05T11:00", 2), "--preview")
      assert.include(alone.out, "can't be done")
      assert.notInclude(alone.out, "Other bookings of this plan")
      const wishes = ["--cancel", first.reference, ...move(second, "2026-12-05T11:00", 2)]
      const plan = yield* closed(...wishes, "--preview")
      const done = yield* closed(...wishes, "--as-shown", shownIn(plan.out))
      assert.isUndefined(done.failure)
      assert.strictEqual((yield* rowOf(first)).status, "cancelled")
      assert.deepStrictEqual(yield* placeOf(second), [room(2), "2026-12-05T11:00:00.000Z"])
    })
  )
})
