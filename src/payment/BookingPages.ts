/** What the family's page of a booking shows: the booking with its payments, and the playroom as the catalogue has it today. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow } from "../booking/Booking.ts"
import { BookingLinks } from "../booking/BookingLinks.ts"
import { BookingRecords } from "../booking/BookingRecords.ts"
import type { PaymentSummary } from "../booking/BookingViews.ts"
import { asOf } from "../booking/Lifecycle.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import type { Playroom } from "../catalogue/Playroom.ts"
import { PaymentSummaries } from "./PaymentSummaries.ts"
import { Disputes, disputeState } from "./refunds/Disputes.ts"

/** A booking as its page shows it. `playroom` is absent where it is no longer listed: what was agreed stands in the booking. */
export interface ShownBooking {
  readonly booking: BookingRow
  readonly summary: PaymentSummary
  /** Money of it moved that could not be booked as usual: a person has to look. */
  readonly unclear: boolean
  /** Its payer's bank holds money of it, until a dispute is decided. */
  readonly disputed: boolean
  readonly playroom?: Playroom
}

/** A booking for a calendar: `changes` have been made to it, the latest at `changed_at`. */
export interface CalendarBooking {
  readonly booking: BookingRow
  readonly changes: number
  readonly changed_at: Instant
}

export class BookingPages extends Context.Service<
  BookingPages,
  {
    /**
     * What the page that a token opens shows now, after the provider was asked about a payment that is not yet known; none where the
     * token opens nothing.
     */
    readonly show: (token: string) => Effect.Effect<Option.Option<ShownBooking>, SqlError.SqlError>
    /** What its calendar entry is made of. */
    readonly calendar: (token: string) => Effect.Effect<Option.Option<CalendarBooking>, SqlError.SqlError>
  }
>()("playroom/payment/BookingPages") {
  static readonly layer = Layer.effect(
    BookingPages,
    Effect.gen(function* () {
      const links = yield* BookingLinks
      const summaries = yield* PaymentSummaries
      const catalogue = yield* Catalogue
      const records = yield* BookingRecords
      const disputes = yield* Disputes

      const show = Effect.fn("BookingPages.show")(function* (token: string) {
        const opened = links.opened("booking", token)
        const found = yield* opened
        if (Option.isNone(found)) return Option.none<ShownBooking>()
        const row = found.value
        const listed = catalogue.venue(row.playroom_id).pipe(
          Effect.asSome,
          Effect.catchTag("PlayroomNotFound", () => Effect.succeedNone)
        )
        const [{ outdated, summary }, venue, flagged, disputed] = yield* Effect.all(
          [summaries.refresh(row), listed, records.flagReason(row.booking_id), disputes.ofBooking(row)],
          { concurrency: "unbounded" }
        )
        const shown = (booking: BookingRow, summary: PaymentSummary, now: number): ShownBooking => ({
          booking: asOf(booking, now),
          summary,
          unclear: flagged !== undefined,
          disputed: disputed.some(({ status }) => disputeState(status) === "open"),
          ...(Option.isSome(venue) ? { playroom: venue.value.playroom } : {})
        })
        const now = yield* Clock.currentTimeMillis
        if (!outdated) return Option.some(shown(row, summary, now))
        const after = yield* opened
        if (Option.isNone(after)) return Option.none<ShownBooking>()
        return Option.some(shown(after.value, yield* summaries.read(after.value), now))
      })

      const calendar = Effect.fn("BookingPages.calendar")(function* (token: string) {
        const found = yield* links.opened("booking", token)
        if (Option.isNone(found)) return Option.none<CalendarBooking>()
        const history = yield* records.history(found.value)
        const booking = asOf(found.value, yield* Clock.currentTimeMillis)
        const lastChange = Date.parse(history.at(-1)?.at ?? "") || booking.created_at
        // A hold whose time is up has no line yet that says so.
        const lapsed = booking.status !== found.value.status
        return Option.some<CalendarBooking>({
          booking,
          changes: history.length + (lapsed ? 1 : 0),
          changed_at: lapsed ? (found.value.hold_expires_at ?? lastChange) : lastChange
        })
      })

      return BookingPages.of({ calendar, show })
    })
  ).pipe(
    Layer.provide([BookingLinks.layer, BookingRecords.layer, Catalogue.layer, Disputes.layer, PaymentSummaries.layer])
  )
}
