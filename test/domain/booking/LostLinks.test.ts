import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { BookingLinks, linkLifetimeMs, mostWaiting } from "../../../src/domain/booking/BookingLinks.ts"
import { BookingRecords, erasedContact, erasePerson } from "../../../src/domain/booking/BookingRecords.ts"
import { LetterOutbox } from "../../../src/domain/booking/LetterOutbox.ts"
import { LinkTokens } from "../../../src/platform/access/LinkTokens.ts"
import { hourMs, minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { lettersOf, letterWorld, sendLetters, sendOneLetter } from "../../support/LetterWorld.ts"
import { cancelBooking, createBooking, paidBooking, startAnew } from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"
import { recordingTracer } from "../../support/recordedSpans.ts"

let networks = 0
/** A network that has asked for nothing yet. */
const newSender = () => `2001:db8:${(++networks).toString(16)}::/64`

/** Asks as one process that stops then: what it took is done. */
const ask = (booking: { readonly reference: string }, email: string, sender = newSender()) =>
  BookingLinks.use((links) => links.sendLost({ reference: booking.reference, email, sender })).pipe(
    Effect.provide(Layer.fresh(BookingLinks.layer)),
    Effect.scoped
  )

/** A reference that nobody has. */
const otherReference = ({ reference }: BookingRow) => reference.replace(/.$/, (last) => (last === "Z" ? "Y" : "Z"))

const begin = Effect.gen(function* () {
  yield* startAnew
  yield* sendLetters
})

/** A confirmed booking whose confirmation was sent. */
const confirmed = Effect.gen(function* () {
  yield* begin
  const { booking } = yield* paidBooking()
  yield* sendOneLetter
  return booking
})

layer(letterWorld())("the link of a booking that was lost", (it) => {
  it.effect("is sent to the address of the booking, as it is now, however the address is spelt", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      const renewed = yield* BookingLinks.use((links) => links.renew(booking))
      assert.isTrue(yield* ask(booking, booking.contact_email.toUpperCase()))
      const letter = yield* sendOneLetter
      assert.strictEqual(letter.to, booking.contact_email)
      assert.include(letter.subject, "The link of your booking: ")
      const links = [...letter.text.matchAll(/http:\/\/localhost:3000\/b\/[\w-]{48}/g)].map(([link]) => link)
      assert.lengthOf([...new Set(links)], 1)
      assert.strictEqual(renewed.link_counter, 1)
      assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed sent", "link sent"])
    })
  )

  it.effect("is sent for nothing but a booking that was confirmed or paid, until 90 days after the visit", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      assert.isTrue(yield* ask(booking, "stranger@example.com"))
      assert.isTrue(yield* ask({ reference: otherReference(booking) }, booking.contact_email))
      const held = yield* createBooking()
      yield* ask(held, held.contact_email)
      assert.lengthOf(yield* sendLetters, 0)
      yield* TestClock.adjust("2 hours")
      yield* ask(held, held.contact_email)
      assert.lengthOf(yield* sendLetters, 0)
      assert.deepStrictEqual(yield* lettersOf(held), [])
      // Nothing was due for it, and it was confirmed all the same.
      const free = yield* createBooking(packages.trustedParty)
      yield* sendOneLetter
      yield* ask(free, free.contact_email)
      yield* sendOneLetter
      yield* TestClock.setTime(booking.ends_at + linkLifetimeMs - minuteMs)
      yield* ask(booking, booking.contact_email)
      yield* sendOneLetter
      yield* TestClock.setTime(booking.ends_at + linkLifetimeMs)
      yield* ask(booking, booking.contact_email)
      assert.lengthOf(yield* sendLetters, 0)
    })
  )

  it.effect("is sent also for a booking that was paid and cancelled, and for nobody who was erased", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      yield* cancelBooking(booking)
      yield* sendOneLetter
      yield* ask(booking, booking.contact_email)
      yield* sendOneLetter
      yield* erasePerson(booking.booking_id, booking.starts_at)
      yield* ask(booking, booking.contact_email)
      yield* ask(booking, erasedContact.email)
      assert.lengthOf(yield* sendLetters, 0)
    })
  )

  it.effect("is sent also for a booking that cost nothing when it was made and is cancelled by now", () =>
    Effect.gen(function* () {
      yield* begin
      const free = yield* createBooking(packages.trustedParty)
      yield* sendOneLetter
      yield* cancelBooking(free)
      yield* sendOneLetter
      yield* ask(free, free.contact_email)
      assert.include((yield* sendOneLetter).subject, "The link of your booking: ")
      assert.deepStrictEqual(yield* lettersOf(free), ["confirmed sent", "ended sent", "link sent"])
      // What was only held and never confirmed stays without a letter.
      const held = yield* createBooking()
      yield* cancelBooking(held)
      yield* ask(held, held.contact_email)
      assert.lengthOf(yield* sendLetters, 0)
    })
  )

  it.effect("is asked for ten times an hour from a network, whether there is such a booking or not", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      const triesOf = Effect.fnUntraced(function* (email: string) {
        const sender = newSender()
        let tries = 0
        while ((yield* Effect.result(ask(booking, email, sender)))._tag === "Success") tries++
        const { retry_after_seconds } = yield* Effect.flip(ask(booking, email, sender)).pipe(
          Effect.filterOrFail((error) => error._tag === "TooManyLookups")
        )
        return { tries, retry_after_seconds }
      })
      const right = yield* triesOf(booking.contact_email)
      assert.deepStrictEqual(right, { tries: 10, retry_after_seconds: 3600 })
      assert.deepStrictEqual(yield* triesOf("stranger@example.com"), right)
      yield* ask(booking, booking.contact_email, newSender())
      yield* TestClock.adjust(hourMs)
      // All that were asked for meanwhile are one letter.
      yield* sendOneLetter
    })
  )

  it.effect("takes the same statements before the answer, whether there is such a booking or not", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      const links = yield* BookingLinks
      const before = Effect.fnUntraced(function* (email: string) {
        const { spans, statements, tracer } = recordingTracer()
        yield* Effect.withTracer(links.sendLost({ reference: booking.reference, email, sender: newSender() }), tracer)
        const ended = statements()
        // The look-up has begun, and nobody waited for it.
        assert.isTrue(
          spans.some(({ name, status }) => name === "BookingLinks.lookForLost" && status._tag === "Started")
        )
        return ended
      })
      const right = yield* before(booking.contact_email)
      assert.isAbove(right.length, 0)
      assert.deepStrictEqual(yield* before("stranger@example.com"), right)
    })
  )

  it.effect("is sent five times a day to one address, and then not at all that day", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      for (let letters = 0; letters < 5; letters++) {
        yield* ask(booking, booking.contact_email)
        yield* sendOneLetter
      }
      yield* ask(booking, booking.contact_email)
      assert.lengthOf(yield* sendLetters, 0)
      yield* TestClock.adjust("25 hours")
      assert.lengthOf(yield* sendLetters, 0)
      yield* ask(booking, booking.contact_email)
      yield* sendOneLetter
    })
  )

  it.effect("is sent to an address that had five other letters that day, and stops none of these", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      const changed = LetterOutbox.use((outbox) => outbox.write({ booking, kind: "changed" }))
      for (let letters = 0; letters < 5; letters++) {
        yield* changed
        yield* sendOneLetter
      }
      yield* changed
      assert.lengthOf(yield* sendLetters, 0)
      for (let letters = 0; letters < 5; letters++) {
        yield* ask(booking, booking.contact_email)
        assert.include((yield* sendOneLetter).subject, "The link of your booking: ")
      }
      yield* ask(booking, booking.contact_email)
      assert.lengthOf(yield* sendLetters, 0)
      // A day later the change that waited is told, beside a new link.
      yield* TestClock.adjust("25 hours")
      yield* ask(booking, booking.contact_email)
      assert.lengthOf(yield* sendLetters, 2)
    })
  )

  it.effect("is not looked for if too many wait: they are told to ask again, and those before them are served", () =>
    Effect.gen(function* () {
      const booking = yield* confirmed
      const records = yield* BookingRecords
      const open = yield* Deferred.make<void>()
      const slow = Layer.succeed(BookingRecords, {
        ...records,
        seen: (by, whose) => Effect.andThen(Deferred.await(open), records.seen(by, whose))
      })
      const mostTaken = Effect.gen(function* () {
        const links = yield* BookingLinks
        const { contact_email: email, reference } = booking
        let taken = 0
        while (yield* links.sendLost({ reference, email, sender: newSender() })) taken++
        yield* Deferred.succeed(open, undefined)
        return taken
      })
      const layers = Layer.fresh(BookingLinks.layerNoDeps).pipe(
        Layer.provide([slow, LinkTokens.layer, LetterOutbox.layer])
      )
      assert.strictEqual(yield* Effect.provide(mostTaken, layers), mostWaiting)
      yield* sendOneLetter
      assert.lengthOf(
        (yield* lettersOf(booking)).filter((letter) => letter.startsWith("link")),
        mostWaiting
      )
    })
  )
})
