import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"
import { escape, ask, familyWorld, pageOf, press } from "../../../support/FamilyPages.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { confirmedOn, hall, movable, moveBooking, optionOn, rowOf } from "../../../support/moveWorld.ts"
import { deleteBookings, historyOf, refundsOf } from "../../../support/PaymentWorld.ts"
import { recordingTracer } from "../../../support/recordedSpans.ts"

const recorded = recordingTracer()
const world = familyWorld().pipe(Layer.provide(Layer.succeed(Tracer.Tracer, recorded.tracer)))

const begin = Effect.andThen(importVenue(hall), deleteBookings)

const moveForm = Effect.fnUntraced(function* (booking: BookingRow, date: string, time?: string) {
  const page = yield* pageOf(booking)
  return yield* ask(`${page}?step=move&option=${yield* optionOn(date, time)}`)
})
const movesOf = (booking: BookingRow) =>
  Effect.map(historyOf(booking), (lines) => lines.filter((event) => event === "moved").length)
const startOf = (booking: BookingRow) =>
  Effect.map(rowOf(booking), ({ starts_at }) => new Date(starts_at).toISOString().slice(0, 16))

layer(world)("a form of the family's page names the state that it showed", (it) => {
  it.effect(
    "a move form that was opened before another move moves nothing, and shows the page with today's facts",
    () =>
      Effect.gen(function* () {
        yield* begin
        const booking = yield* confirmedOn("2026-12-10")
        const page = yield* pageOf(booking)
        const before = yield* moveForm(booking, "2026-12-14")
        // Agreed by telephone meanwhile.
        yield* moveBooking(booking, yield* optionOn("2026-12-16"))
        const stale = yield* press(page, before, "move")
        assert.strictEqual(stale.status, 409)
        assert.include(stale.text, "Nothing was moved: something has changed since you looked.")
        assert.include(stale.text, "Wednesday, 16 December 2026, 10:00–12:00")
        assert.strictEqual(yield* startOf(booking), "2026-12-16T10:00")
        // Who has seen the facts of today may go on.
        assert.strictEqual((yield* press(page, stale, "move")).status, 303)
        assert.strictEqual(yield* startOf(booking), "2026-12-14T10:00")
      })
  )

  it.effect(
    "a cancel form that was opened before a move cancels nothing, even if the same amount would come back",
    () =>
      Effect.gen(function* () {
        yield* begin
        const booking = yield* confirmedOn("2026-12-16")
        const page = yield* pageOf(booking)
        const before = yield* ask(`${page}?step=cancel`)
        yield* moveBooking(booking, yield* optionOn("2026-12-17"))
        const stale = yield* press(page, before, "cancel")
        assert.strictEqual(stale.status, 409)
        assert.include(stale.text, "Nothing was cancelled: something has changed since you looked.")
        assert.strictEqual((yield* rowOf(booking)).status, "confirmed")
        assert.strictEqual((yield* press(page, stale, "cancel")).status, 303)
      })
  )

  it.effect("a button that names an amount charges that amount or nothing", () =>
    Effect.gen(function* () {
      yield* begin
      const { depositParty: pkg } = movable
      const booking = yield* confirmedOn("2026-12-10", "10:00", pkg)
      const page = yield* pageOf(booking)
      const before = yield* ask(page)
      assert.include(before.text, "Pay the rest: £150.00")
      yield* moveBooking(booking, yield* optionOn("2026-12-12", "10:00", { pkg }))
      const stale = yield* press(page, before, "pay")
      assert.strictEqual(stale.status, 409)
      assert.include(stale.text, "Something has changed since you looked, so nothing was charged.")
      assert.include(stale.text, "Pay the rest: £190.00")
      assert.strictEqual((yield* press(page, stale, "pay")).status, 303)
    })
  )

  it.effect("says that something has changed in each language", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-10")
      const page = yield* pageOf(booking)
      const before = { move: yield* moveForm(booking, "2026-12-14"), cancel: yield* ask(`${page}?step=cancel`) }
      yield* moveBooking(booking, yield* optionOn("2026-12-16"))
      for (const language of languages) {
        for (const step of ["move", "cancel"] as const) {
          const { text } = yield* press(page, before[step], step, { "accept-language": language })
          assert.include(text, escape(messages[language][step].changed))
        }
      }
    })
  )

  it.effect("of forty presses on one form at once, one takes locks, and all are answered with its outcome", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-10")
      const other = yield* confirmedOn("2026-12-11")
      const [page, otherPage] = yield* Effect.all([pageOf(booking), pageOf(other)])
      const form = yield* moveForm(booking, "2026-12-14")
      const otherForm = yield* moveForm(other, "2026-12-15")
      const locksBefore = recorded.statements().filter(isBookingLock).length
      const [presses, others] = yield* Effect.all(
        [
          Effect.all(
            Array.from({ length: 40 }, () => press(page, form, "move")),
            { concurrency: "unbounded" }
          ),
          press(otherPage, otherForm, "move")
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(presses.map(({ status }) => status))], [303])
      assert.strictEqual(others.status, 303)
      assert.deepStrictEqual([yield* movesOf(booking), yield* movesOf(other)], [1, 1])
      // One lock for each of the two bookings: what can be refused without looking never waits for a lock.
      assert.strictEqual(recorded.statements().filter(isBookingLock).length - locksBefore, 2)
      assert.deepStrictEqual(yield* refundsOf(booking), [])
    })
  )
})

const isBookingLock = (statement: unknown) =>
  /from booking where booking_id = any\(.+\) order by booking_id for no key update/.test(String(statement))
