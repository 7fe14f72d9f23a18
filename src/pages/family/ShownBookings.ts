/** Data of a family's booking page: the booking, its payments, and the playroom as the catalogue lists it today. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow, HistoryEntry, OperatorContact } from "../../booking/Booking.ts"
import { BookingLinks } from "../../booking/BookingLinks.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import type { PaymentSummary } from "../../booking/BookingViews.ts"
import { asOf } from "../../booking/Lifecycle.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import { contactOf } from "../../catalogue/Operator.ts"
import { Operators } from "../../catalogue/Operators.ts"
import type { Playroom } from "../../catalogue/Playroom.ts"
import { PaymentSummaries } from "../../payment/PaymentSummaries.ts"
import { Disputes, isUndecided } from "../../payment/refunds/Disputes.ts"

/**
 * A booking as its page shows it. `playroom` is absent if it is no longer listed; the booking keeps its agreed terms.
 */
export interface ShownBooking {
  readonly booking: BookingRow
  readonly summary: PaymentSummary
  /** A payment or refund needs a person to look at it. */
  readonly unclear: boolean
  /** The payer's bank holds money of the booking because of an open dispute. */
  readonly disputed: boolean
  /** When it was cancelled, if it was. */
  readonly ended_at?: Instant
  /** When the visit was to begin before its last move. */
  readonly moved_from?: Instant
  readonly playroom?: Playroom
}

/** A booking for a calendar, with the number of its changes and the time of the latest. */
export interface CalendarBooking {
  readonly booking: BookingRow
  readonly changes: number
  readonly changed_at: Instant
  readonly operator: OperatorContact
  /** What the family must bring or sign. */
  readonly bring?: string
}

const isCancellation = ({ event }: HistoryEntry): boolean => event === "cancelled"

export class ShownBookings extends Context.Service<
  ShownBookings,
  {
    /**
     * The booking that a token for a page opens; none if the token opens nothing. Asks the provider first about payments
     * without a known result.
     */
    readonly show: (
      page: "booking" | "pay",
      token: string
    ) => Effect.Effect<Option.Option<ShownBooking>, SqlError.SqlError>
    /** The booking for its calendar entry; none if the token opens nothing. */
    readonly calendar: (token: string) => Effect.Effect<Option.Option<CalendarBooking>, SqlError.SqlError>
  }
>()("playroom/pages/family/ShownBookings") {
  static readonly layer = Layer.effect(
    ShownBookings,
    Effect.gen(function* () {
      const links = yield* BookingLinks
      const summaries = yield* PaymentSummaries
      const catalogue = yield* Catalogue
      const records = yield* BookingRecords
      const disputes = yield* Disputes
      const operators = yield* Operators

      const show = Effect.fn("ShownBookings.show")(function* (page: "booking" | "pay", token: string) {
        const opened = links.opened(page, token)
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
        const end = row.status === "cancelled" ? (yield* records.history(row)).findLast(isCancellation) : undefined
        const ended_at = end && Date.parse(end.at)
        const shown = (booking: BookingRow, summary: PaymentSummary, now: number): ShownBooking => ({
          booking: asOf(booking, now),
          summary,
          unclear: flagged !== undefined,
          disputed: disputed.some(isUndecided),
          ...(ended_at === undefined ? {} : { ended_at }),
          ...(Option.isSome(venue) ? { playroom: venue.value.playroom } : {})
        })
        const now = yield* Clock.currentTimeMillis
        if (!outdated) return Option.some(shown(row, summary, now))
        const after = yield* opened
        if (Option.isNone(after)) return Option.none<ShownBooking>()
        return Option.some(shown(after.value, yield* summaries.read(after.value), now))
      })

      const calendar = Effect.fn("ShownBookings.calendar")(function* (token: string) {
        const found = yield* links.opened("booking", token)
        if (Option.isNone(found)) return Option.none<CalendarBooking>()
        const row = found.value
        const venue = Effect.catchTag(operators.ofPlayroom(row.playroom_id), "PlayroomNotFound", Effect.die)
        const [history, { bring, operator }] = yield* Effect.all([records.history(row), venue], { concurrency: 2 })
        const booking = asOf(found.value, yield* Clock.currentTimeMillis)
        const lastChange = Date.parse(history.at(-1)?.at ?? "") || booking.created_at
        // An ended hold may have no history line for its end yet.
        const lapsed = booking.status !== found.value.status
        return Option.some<CalendarBooking>({
          booking,
          operator: { name: operator.name, ...contactOf(operator) },
          ...(bring === undefined ? {} : { bring }),
          changes: history.length + (lapsed ? 1 : 0),
          changed_at: lapsed ? (found.value.hold_expires_at ?? lastChange) : lastChange
        })
      })

      return ShownBookings.of({ calendar, show })
    })
  ).pipe(
    Layer.provide([
      BookingLinks.layer,
      BookingRecords.layer,
      Catalogue.layer,
      Disputes.layer,
      Operators.layer,
      PaymentSummaries.layer
    ])
  )
}
