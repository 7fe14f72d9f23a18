/** The tools' handlers: they call the services and say in a sentence what comes next. */
import { Clock, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingRow, BookingView } from "../booking/Booking.ts"
import { BookingOptions } from "../booking/BookingOptions.ts"
import { Bookings } from "../booking/Bookings.ts"
import { toView } from "../booking/BookingViews.ts"
import { PlayroomSearch } from "../booking/PlayroomSearch.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { normalizeReference } from "../kernel/Ids.ts"
import { Payments } from "../payment/Payments.ts"
import { CurrentPrincipal, ToolHandlers } from "./Tools.ts"
import { ofTheWish, otherBooking } from "./WishSteps.ts"

/** What the assistant does with a booking that `create_booking` answered with. */
const afterBooking = (booking: BookingView, timeIsUp: boolean): string => {
  if (booking.status === "held" && timeIsUp) {
    return "The hold's time is up, but a payment may still be on its way: call get_booking in a minute to see whether it arrived."
  }
  if (booking.status === "held") {
    return booking.payment_session === undefined
      ? `The places are held until ${booking.hold_expires_at}: call create_payment_session with this booking_id before then and give the person its url.`
      : `The places are held until ${booking.hold_expires_at}, and a payment page exists: call create_payment_session with this booking_id to get its url, or get_booking to see whether it is paid.`
  }
  if (booking.status === "confirmed") {
    return booking.price.balance_due === undefined || booking.payment_status === "paid"
      ? `The booking is confirmed: tell the person the reference ${booking.reference}.`
      : `The booking is confirmed: tell the person the reference ${booking.reference}. The balance is due by ${booking.price.balance_due_at}: create_payment_session with purpose balance.`
  }
  return "The booking is no longer alive: call get_booking for its history. To book anew, call get_booking_options, then create_booking with a new idempotency_key."
}

/** What the assistant does with a payment session. */
const afterSession = (status: string, expiresAt: string): string => {
  if (status === "open") {
    return `Give the person the url: they pay there before ${expiresAt}. Then call get_booking to see whether the payment arrived.`
  }
  if (status === "processing")
    return "The payment is being processed: call get_booking later to see whether it arrived."
  if (status === "paid") return "It is paid: call get_booking to see the confirmed booking."
  return "This page can't be paid on any more: call create_payment_session with a new idempotency_key, or get_booking to see the booking."
}

/** The live handlers. */
export const toolHandlers: Layer.Layer<
  ToolHandlers,
  never,
  PlayroomSearch | Catalogue | BookingOptions | Bookings | Payments
> = Layer.effect(
  ToolHandlers,
  Effect.gen(function* () {
    const search = yield* PlayroomSearch
    const catalogue = yield* Catalogue
    const options = yield* BookingOptions
    const bookings = yield* Bookings
    const payments = yield* Payments

    const viewOf = (row: BookingRow): Effect.Effect<BookingView, SqlError.SqlError> =>
      Effect.map(payments.latestSession(row), (session) => toView(row, Option.getOrUndefined(session)))

    return ToolHandlers.of({
      search_playrooms: (input) => search.search(input),

      get_playroom: ({ playroom_id }) => Effect.map(catalogue.view(playroom_id), (playroom) => ({ playroom })),

      get_booking_options: (input) => options.list(input),

      create_booking: (input) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const { already_existed, beside, row } = yield* bookings.create(principal, input)
          const booking = yield* viewOf(row)
          const timeIsUp = (row.hold_expires_at ?? Infinity) <= (yield* Clock.currentTimeMillis)
          const others = beside.map(otherBooking)
          return {
            booking,
            already_existed,
            ...(others.length === 0 ? {} : { other_bookings: others }),
            next_step:
              `${afterBooking(booking, timeIsUp)} ${ofTheWish(input, { booking, already_existed, others })}`.trimEnd()
          }
        }),

      get_booking: ({ booking_id, reference }) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          // The input has exactly one of the two.
          const by = booking_id === undefined ? { reference: normalizeReference(reference ?? "") } : { booking_id }
          const row = yield* bookings.find(principal, by)
          const [{ answered, session }, history] = yield* Effect.all([payments.inquire(row), bookings.history(row)], {
            concurrency: 2
          })
          if (!answered) return { booking: toView(row, Option.getOrUndefined(session)), history }
          const after = yield* bookings.find(principal, by)
          const [booking, lines] = yield* Effect.all([viewOf(after), bookings.history(after)], { concurrency: 2 })
          return { booking, history: lines }
        }),

      create_payment_session: (input) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const payment_session = yield* payments.createSession(principal, input)
          return { payment_session, next_step: afterSession(payment_session.status, payment_session.expires_at) }
        })
    })
  })
)
