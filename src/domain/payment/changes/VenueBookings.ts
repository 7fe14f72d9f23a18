/**
 * Bookings that the venue makes itself, for a family on the telephone or at the counter: by the rules of any other
 * booking (`Bookings.create`), with who made it in the history. Rules of its own it may set aside (`Exceptions.ts`),
 * once it was told which; the history names them. What is due then is paid on the family's page, whose
 * link is sent to it, or was paid at the venue (`VenuePayments.ts`).
 */
import { Clock, Effect, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { venuePrincipal } from "../../../platform/access/ApiKeys.ts"
import { decodeRows } from "../../../platform/database/Rows.ts"
import { priceOption } from "../../availability/BookingOption.ts"
import { type VisitRequest, readVisits } from "../../availability/Decision.ts"
import { type Exception, exceptionsOf, exceptionsText } from "../../availability/Exceptions.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import type { BookingRequest } from "../../booking/BookingRequest.ts"
import { Bookings, type CreateError } from "../../booking/Bookings.ts"
import { LetterOutbox } from "../../booking/LetterOutbox.ts"
import { alsoBooked } from "../../booking/OperatorVisits.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import { packageOf, type Venue } from "../../catalogue/Playroom.ts"
import type { Package } from "../../catalogue/Package.ts"
import type { Party } from "../../catalogue/Pricing.ts"
import { noEmail } from "../../../platform/text/Contact.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import type { OfflinePaymentMethod } from "../sessions/PaymentSession.ts"
import { type Actor, BookingChanges, doneBy, type How } from "./BookingChanges.ts"
import { payAtVenue } from "./VenuePayments.ts"

/** What was paid at the venue when it was booked: what is due then, or the whole price. */
export interface PaidThere {
  readonly way: OfflinePaymentMethod
  readonly amount: "due_now" | "total"
}

/** Who books, and what was paid. `at_counter`: what is due now is paid there, and not by link; or nothing is due. */
interface VenueBooking {
  readonly operator_id: string
  readonly who: Actor
  readonly request: BookingRequest
  readonly at_counter?: boolean
  readonly paid?: PaidThere | undefined
  readonly exceptions?: ReadonlyArray<Exception>
}

/** `unpaid`: the payment at the venue was not recorded, as the booking has changed since or its hold has ended. */
interface MadeByVenue {
  readonly booking: BookingRow
  readonly already_existed: boolean
  readonly unpaid: boolean
}

/** Something that is sold in a playroom of the operator. */
export interface Sold {
  readonly venue: Venue
  readonly pkg: Package
}

const alsoRows = decodeRows(Schema.Array(Schema.Struct({ also: Schema.NullOr(Schema.String) })))

/** What a venue books itself, and what it may choose of. */
export const venueBookings = Effect.gen(function* () {
  const bookings = yield* Bookings
  const catalogue = yield* Catalogue
  const letters = yield* LetterOutbox
  const records = yield* BookingRecords
  const sql = yield* SqlClient.SqlClient
  const { run } = yield* BookingChanges
  const readVisit = yield* readVisits

  /** A package on sale in one of the operator's playrooms; none if it is another's, or not sold. */
  const sold = (operator_id: string, package_id: string): Effect.Effect<Option.Option<Sold>, SqlError.SqlError> =>
    catalogue.venueOfPackage(package_id).pipe(
      Effect.map(({ venue }) =>
        venue.operator.operator_id === operator_id
          ? Option.map(packageOf(venue, package_id), (pkg) => ({ venue, pkg }))
          : Option.none()
      ),
      Effect.catchTag("PackageNotFound", () => Effect.succeedNone)
    )

  /** The visit of an option in one of the operator's playrooms, whether it is free or not. */
  const visit = (
    operator_id: string,
    option_id: string
  ): Effect.Effect<Option.Option<VisitRequest>, SqlError.SqlError> =>
    readVisit(option_id).pipe(
      Effect.map(({ visit }) =>
        visit.venue.operator.operator_id === operator_id ? Option.some(visit) : Option.none()
      ),
      Effect.catchTag("OptionInvalid", () => Effect.succeedNone)
    )

  /** The option of a package for a party at a start, whether it is free or not. */
  const option = ({ party, pkg, start, venue }: Sold & { readonly party: Party; readonly start: Instant }) =>
    Effect.map(Clock.currentTimeMillis, (now) => priceOption(venue, party, { pkg, start, places_left: 0 }, now))

  /**
   * The rules of the venue that a request breaks now; none if its option can't be read. Nobody walks in too late before
   * a visit.
   */
  const exceptions = Effect.fnUntraced(function* ({
    at_counter = false,
    operator_id,
    request
  }: Pick<VenueBooking, "at_counter" | "operator_id" | "request">) {
    const found = yield* visit(operator_id, request.option_id)
    const now = yield* Clock.currentTimeMillis
    const broken = Option.isNone(found) ? [] : exceptionsOf(found.value, request.child_ages ?? [], now)
    return at_counter && request.contact.email === noEmail ? broken.filter((one) => one !== "too_soon") : broken
  })

  /** The booking that `make` would make now. */
  const preview = ({ at_counter = false, exceptions = [], operator_id, request, who }: VenueBooking) =>
    bookings.preview(venuePrincipal(operator_id, doneBy(who).done_by), request, { at_counter, exceptions })

  /**
   * Records what was paid there. A repeat finds the booking paid, or another state than it saw, and does nothing.
   */
  const takePaid = Effect.fnUntraced(function* (row: BookingRow, { amount, way }: PaidThere, who: Actor) {
    const take = (how: Omit<How, "who">) =>
      run(payAtVenue, row.booking_id, { amount: row[amount], way }, { ...how, who })
    return yield* take({ preview: true }).pipe(
      Effect.flatMap(({ confirms, shown }) =>
        confirms || row.status === "confirmed" ? take({ preview: false, shown }) : Effect.void
      ),
      Effect.as(false),
      Effect.catchIf(
        (error) => error._tag !== "SqlError",
        () => Effect.succeed(true)
      )
    )
  })

  /** The reference of another visit that the family has then; none if it has no other. */
  const alsoOf = Effect.fnUntraced(function* ({
    booking_id,
    contact_email,
    ends_at,
    operator_id,
    starts_at,
    status
  }: BookingRow) {
    const now = yield* Clock.currentTimeMillis
    const [found] =
      yield* alsoRows(sql`select ${alsoBooked(sql, now)} as also from (select ${booking_id}::text as booking_id,
      ${operator_id}::text as operator_id, ${contact_email}::text as contact_email, ${status}::text as status,
      ${new Date(starts_at)}::timestamptz as starts_at, ${new Date(ends_at)}::timestamptz as ends_at) b`)
    return found?.also ?? undefined
  })

  /** Makes the booking once, however often it is asked for with one idempotency key. */
  const make = Effect.fn("VenueBookings.make")(function* ({
    at_counter = false,
    exceptions = [],
    operator_id,
    paid,
    request,
    who
  }: VenueBooking): Effect.fn.Return<MadeByVenue, CreateError> {
    const { already_existed, row } = yield* bookings.create(venuePrincipal(operator_id, doneBy(who).done_by), request, {
      at_counter,
      exceptions,
      alongside: Effect.fnUntraced(function* (made) {
        const detail = exceptionsText(exceptions)
        if (exceptions.length > 0)
          yield* records.change(made, { note: true, event: "exception", detail, facts: { exceptions }, ...doneBy(who) })
        // The link to pay by, where nothing was paid there.
        if (made.status === "held" && paid === undefined) yield* letters.write({ booking: made, kind: "booked" })
      })
    })
    // What was recorded for it is not recorded again: only what nothing was paid of yet is paid here.
    const whole = row.status === "confirmed" && paid?.amount === "total" && row.total > 0
    const open = row.paid === 0 && (row.status === "held" || whole)
    if (!open) return { booking: row, already_existed, unpaid: false }
    if (paid !== undefined) return { booking: row, already_existed, unpaid: yield* takePaid(row, paid, who) }
    return { booking: row, already_existed, unpaid: false }
  })

  return { sold, visit, option, exceptions, preview, alsoOf, make }
})
