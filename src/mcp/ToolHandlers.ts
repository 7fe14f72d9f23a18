/** The tools' handlers: they call the services. */
import { Effect, Layer } from "effect"
import type { BookingRow } from "../booking/Booking.ts"
import { BookingOptions } from "../booking/BookingOptions.ts"
import { Bookings } from "../booking/Bookings.ts"
import { type Standing, toView } from "../booking/BookingViews.ts"
import { foldedPage } from "../booking/OptionPage.ts"
import { PlayroomSearch } from "../search/PlayroomSearch.ts"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { normalizeReference } from "../kernel/Ids.ts"
import { BookingStandings } from "../payment/BookingStandings.ts"
import { Payments } from "../payment/Payments.ts"
import { afterBooking, afterSession } from "./NextSteps.ts"
import { CurrentPrincipal, ToolHandlers } from "./Tools.ts"
import { ofTheWish, otherBooking } from "./WishSteps.ts"

/** The live handlers. */
export const toolHandlers: Layer.Layer<
  ToolHandlers,
  never,
  PlayroomSearch | Catalogue | BookingOptions | Bookings | BookingStandings | Payments
> = Layer.effect(
  ToolHandlers,
  Effect.gen(function* () {
    const search = yield* PlayroomSearch
    const catalogue = yield* Catalogue
    const options = yield* BookingOptions
    const bookings = yield* Bookings
    const payments = yield* Payments
    const standings = yield* BookingStandings

    const told = (row: BookingRow, standing: Standing) => {
      const booking = toView(row, standing)
      return { booking, next_step: afterBooking(booking, standing.now) }
    }

    return ToolHandlers.of({
      search_playrooms: (input) => search.search(input),

      get_playroom: ({ playroom_id }) => Effect.map(catalogue.view(playroom_id), (playroom) => ({ playroom })),

      get_booking_options: (input) => Effect.map(options.list(input), foldedPage),

      create_booking: (input) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const { already_existed, beside, row } = yield* bookings.create(principal, input)
          const { booking, next_step } = told(row, yield* standings.of(row))
          const others = beside.map(otherBooking)
          return {
            booking,
            already_existed,
            ...(others.length === 0 ? {} : { other_bookings: others }),
            next_step: `${next_step} ${ofTheWish(input, { booking, already_existed, others })}`.trimEnd()
          }
        }),

      get_booking: ({ booking_id, reference }) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          // The input has exactly one of the two.
          const by = booking_id === undefined ? { reference: normalizeReference(reference ?? "") } : { booking_id }
          const row = yield* bookings.find(principal, by)
          const [{ answered, standing }, history] = yield* Effect.all([standings.look(row), bookings.history(row)], {
            concurrency: 2
          })
          if (!answered) return { ...told(row, standing), history }
          const after = yield* bookings.find(principal, by)
          const [fresh, lines] = yield* Effect.all([standings.of(after), bookings.history(after)], { concurrency: 2 })
          return { ...told(after, fresh), history: lines }
        }),

      create_payment_session: (input) =>
        Effect.gen(function* () {
          const principal = yield* CurrentPrincipal
          const payment_session = yield* payments.createSession(principal, input)
          return { payment_session, next_step: afterSession(payment_session) }
        })
    })
  })
)
