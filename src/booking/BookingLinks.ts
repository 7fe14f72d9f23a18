/** The links to a booking's pages for the family. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { type BookingPage, bookingIn, type LinkTarget, LinkTokens } from "../access/LinkTokens.ts"
import type { BookingId } from "../kernel/Ids.ts"
import { dayMs } from "../kernel/LocalTime.ts"
import type { BookingRow } from "./Booking.ts"
import { BookingRecords } from "./BookingRecords.ts"

/** Links expire this long after the visit's end. */
export const linkLifetimeMs = 90 * dayMs

/** The target of the booking's current link to a page. */
export const bookingLink = <const Page extends BookingPage>(
  page: Page,
  { booking_id, link_counter }: Pick<BookingRow, "booking_id" | "link_counter">
): LinkTarget & { readonly page: Page } => ({ page, booking_id, counter: link_counter ?? 0 })

export class BookingLinks extends Context.Service<
  BookingLinks,
  {
    /**
     * The booking whose page the token opens. None if the token is invalid or for another page, or if the link was
     * renewed or expired. All of these cases take the same time.
     */
    readonly opened: (page: BookingPage, token: string) => Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>
    /** The booking, unless its links have expired. */
    readonly stillShown: (booking_id: BookingId) => Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>
  }
>()("playroom/booking/BookingLinks") {
  static readonly layer = Layer.effect(
    BookingLinks,
    Effect.gen(function* () {
      const links = yield* LinkTokens
      const records = yield* BookingRecords

      const isShown = Effect.map(
        Clock.currentTimeMillis,
        (now) =>
          ({ ends_at }: BookingRow) =>
            now < ends_at + linkLifetimeMs
      )

      const opened = Effect.fn("BookingLinks.opened")(function* (page: BookingPage, token: string) {
        const named = bookingIn(token)
        if (Option.isNone(named)) return Option.none<BookingRow>()
        const booking_id = named.value
        const found = yield* records.byId(booking_id)
        const target = Option.match(found, {
          onNone: () => ({ page, booking_id, counter: 0 }),
          onSome: (row) => bookingLink(page, row)
        })
        const right = yield* links.opens(token, target)
        const shown = yield* isShown
        return Option.filter(found, (booking) => right && shown(booking))
      })

      const stillShown = Effect.fn("BookingLinks.stillShown")(function* (booking_id: BookingId) {
        return Option.filter(yield* records.byId(booking_id), yield* isShown)
      })

      return BookingLinks.of({ opened, stillShown })
    })
  ).pipe(Layer.provide([BookingRecords.layer, LinkTokens.layer]))
}
