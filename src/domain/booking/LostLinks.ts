/**
 * Who lost the link of a booking's page asks for it by reference and e-mail address, and it is sent to that address. The
 * answer tells nobody whether there is such a booking, nor does the time that it takes: all that is done before it is the
 * same, and the booking is looked for afterwards.
 */
import { Clock, Context, Effect, FiberSet, Layer, Option, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { BookingRow, TooManyLookups } from "./Booking.ts"
import { BookingLinks } from "./BookingLinks.ts"
import { BookingRecords } from "./BookingRecords.ts"
import { LetterOutbox } from "./LetterOutbox.ts"
import { countLookup } from "./ReferenceLookups.ts"

/** Bookings that one process looks for at the same time; further requests wait. */
const atOnce = 2
/** Requests that wait. Beyond them none are taken until some are done. */
export const mostWaiting = 200

export interface LostLink {
  /** As `normalizeReference` writes it. */
  readonly reference: string
  readonly email: string
  /** The network address of who asks, as `bucketOf` names it. */
  readonly sender: string
}

/**
 * Letters go only to an address that once confirmed or paid something: others may have been named by a stranger. A
 * booking for which nothing was due (`not_required`) was confirmed when it was made, and stays proven after its end.
 */
const isProven = ({ paid, payment_status, status }: BookingRow): boolean =>
  status === "confirmed" || paid > 0 || payment_status === "not_required"

export class LostLinks extends Context.Service<
  LostLinks,
  {
    /** Whether letters are sent at all. */
    readonly on: boolean
    /**
     * Has the link sent to the address of the booking with this reference and e-mail address, if there is one. False if
     * too many requests wait: then nothing is done. Fails after ten tries of a sender with one reference within an hour,
     * right and wrong ones.
     */
    readonly ask: (request: LostLink) => Effect.Effect<boolean, TooManyLookups | SqlError.SqlError>
  }
>()("playroom/booking/LostLinks") {
  /** Over the records of the context. */
  static readonly layerOver = Layer.effect(
    LostLinks,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const records = yield* BookingRecords
      const links = yield* BookingLinks
      const outbox = yield* LetterOutbox
      const requests = yield* FiberSet.make<void>()
      const turns = Semaphore.makeUnsafe(atOnce)

      const send = Effect.fn("LostLinks.send")(function* ({ email, reference }: LostLink) {
        const found = yield* records.seen({ reference, contact_email: email }, { guest: false })
        if (Option.isNone(found) || !isProven(found.value.row)) return
        const shown = yield* links.stillShown(found.value.row.booking_id)
        if (Option.isSome(shown)) yield* outbox.write({ booking: shown.value, kind: "link" })
      })

      const sendLater = (request: LostLink) =>
        send(request).pipe(
          Effect.catchCause((cause) => Effect.logWarning("The link of a booking could not be sent", cause)),
          turns.withPermit,
          // Once taken, a request is done also if this process stops now.
          Effect.uninterruptible
        )

      const ask = Effect.fn("LostLinks.ask")(function* (request: LostLink) {
        if (!outbox.on || (yield* FiberSet.size(requests)) >= mostWaiting) return false
        const count = countLookup(request.sender, request.reference, yield* Clock.currentTimeMillis)
        yield* Effect.provideService(count, SqlClient.SqlClient, sql)
        yield* FiberSet.run(requests, sendLater(request))
        return true
      })

      return LostLinks.of({ on: outbox.on, ask })
    })
  )

  static readonly layer = LostLinks.layerOver.pipe(
    Layer.provide([BookingLinks.layer, BookingRecords.layer, LetterOutbox.layer])
  )
}
