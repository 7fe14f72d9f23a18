/** In which language a family is written to: what it chose before what others guess, and these before its venue's. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { HostLanguage } from "../../../src/domain/booking/BookingRequest.ts"
import { ask, familyWorld, pageOf, press } from "../../support/FamilyPages.ts"
import { bySmtp, Mailbox, sendOneLetter, toMailbox } from "../../support/LetterWorld.ts"
import { createBooking, createSession, payBooking, startAnew } from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"

const world = toMailbox.pipe(Layer.provideMerge(Mailbox.layer), Layer.provideMerge(familyWorld({ letters: bySmtp() })))

const languageOf = Effect.fnUntraced(function* ({ booking_id }: BookingRow) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ language: string | null }>`select language from booking where booking_id = ${booking_id}`
  return found?.language
})

/** By an assistant whose host says this of the person. */
const inHost = (locale: string | undefined) => Effect.provideService(HostLanguage, locale)

/** Presses the page's button to pay, in a browser that asks for this. */
const pay = Effect.fnUntraced(function* (booking: BookingRow, accepted: string | undefined) {
  const page = yield* pageOf(booking)
  const headers: Record<string, string> = accepted === undefined ? {} : { "accept-language": accepted }
  const seen = yield* ask(page, { headers })
  yield* press(page, seen, "pay", headers)
})

layer(world)("the language of letters", (it) => {
  it.effect("is the venue's, until somebody says another one; looking at a page says none", () =>
    Effect.gen(function* () {
      yield* startAnew
      const booking = yield* createBooking()
      yield* createSession(booking.booking_id)
      yield* ask(yield* pageOf(booking), { headers: { "accept-language": "de" } })
      assert.isNull(yield* languageOf(booking))
      yield* payBooking(booking)
      assert.strictEqual((yield* sendOneLetter).language, "en")
    })
  )

  it.effect(
    "is what the host says when it books, or when it first has the booking paid: a later host changes nothing",
    () =>
      Effect.gen(function* () {
        yield* startAnew
        const free = yield* createBooking(packages.trustedParty).pipe(inHost("fr-CA"))
        assert.strictEqual(yield* languageOf(free), "fr-CA")
        assert.strictEqual((yield* sendOneLetter).language, "fr")
        const booking = yield* createBooking()
        yield* createSession(booking.booking_id).pipe(inHost("pl"))
        yield* createSession(booking.booking_id).pipe(inHost("de"))
        assert.strictEqual(yield* languageOf(booking), "pl")
        yield* payBooking(booking)
        const letter = yield* sendOneLetter
        assert.strictEqual(letter.language, "pl")
        assert.include(letter.html, '<html lang="pl">')
      })
  )

  it.effect("is what the family chose on its own page, whatever hosts said before and say after", () =>
    Effect.gen(function* () {
      yield* startAnew
      const booking = yield* createBooking().pipe(inHost("es"))
      yield* pay(booking, "nl, ja;q=0.9, en;q=0.8")
      assert.strictEqual(yield* languageOf(booking), "ja")
      yield* createSession(booking.booking_id).pipe(inHost("de"))
      assert.strictEqual(yield* languageOf(booking), "ja")
      // A browser that asks for nothing that we have is none to go by.
      for (const accepted of [undefined, "nl", "*"]) yield* pay(booking, accepted)
      assert.strictEqual(yield* languageOf(booking), "ja")
      yield* pay(booking, "de-AT")
      assert.strictEqual(yield* languageOf(booking), "de")
      yield* payBooking(booking)
      assert.strictEqual((yield* sendOneLetter).language, "de")
    })
  )
})
