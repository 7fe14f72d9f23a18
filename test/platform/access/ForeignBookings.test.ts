/** Someone else's booking against one that does not exist: nothing tells them apart, not even the work. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { newId } from "../../../src/platform/ids/Ids.ts"
import { bookingServices, contact, importVenue, principal, setClock } from "../../support/BookingWorld.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { softPlay } from "../../support/venues.ts"

/** The statements that an effect runs, and how many rows each of them gives. */
const worked = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const statements: Array<readonly [text: string, params: ReadonlyArray<unknown>]> = []
  const told = Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "found" })
  const answer = yield* Effect.provideService(told, Statement.CurrentTransformer, (statement) =>
    Effect.sync(() => {
      statements.push(statement.compile())
      return statement
    })
  )
  const rows: Array<number> = []
  for (const [text, params] of statements) rows.push((yield* sql.unsafe(text, params)).length)
  return { answer, rows, texts: statements.map(([text]) => text) }
})

layer(bookingServices().pipe(Layer.provideMerge(TestDatabase.layer)))("another key's booking", (it) => {
  it.effect("takes the same statement as one that does not exist, which gives as many rows: none", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importVenue(softPlay)
      const { playroom_id } = softPlay.playroom
      const { options } = yield* BookingOptions.use((service) =>
        service.list({ playroom_id, date: "2026-12-05", children: 4 })
      )
      const bookings = yield* Bookings
      const option_id = options[0]?.option_id ?? assert.fail("no option")
      const { row: booking } = yield* bookings.create(principal("key_a"), { option_id, contact: contact() })
      const missing = yield* newId.booking
      const find = (key: string, booking_id: string) => worked(bookings.find(principal(key), booking_id))
      const foreign = yield* find("key_b", booking.booking_id)
      assert.deepStrictEqual(foreign, yield* find("key_b", missing))
      assert.strictEqual(foreign.answer, "BookingNotFound")
      assert.deepStrictEqual(foreign.rows, [0])
      // The measure measures: the owner's own look gives the row.
      assert.deepStrictEqual((yield* find("key_a", booking.booking_id)).rows, [1])
    })
  )

  it.effect("takes the same statements by reference, as one's own with another e-mail address does", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      yield* importVenue(softPlay)
      const { playroom_id } = softPlay.playroom
      const { options } = yield* BookingOptions.use((service) =>
        service.list({ playroom_id, date: "2026-12-06", children: 4 })
      )
      const bookings = yield* Bookings
      const option_id = options[0]?.option_id ?? assert.fail("no option")
      const { row } = yield* bookings.create(principal("key_a"), { option_id, contact: contact() })
      const { contact_email, reference } = row
      const lookUp = (key: string, reference: string, contact_email: string) =>
        worked(bookings.lookUp(principal(key), { reference, contact_email }))
      const none = yield* lookUp("key_b", "ZZZZ-ZZZZ", contact_email)
      assert.strictEqual(none.answer, "BookingNotFound")
      assert.deepStrictEqual(yield* lookUp("key_b", reference, contact_email), none)
      assert.deepStrictEqual(yield* lookUp("key_a", reference, "eve@example.com"), none)
      const own = yield* lookUp("key_a", reference, contact_email)
      assert.strictEqual(own.answer, "found")
      assert.deepStrictEqual(own.texts.slice(0, 1), none.texts)
    })
  )
})
