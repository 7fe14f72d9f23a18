/** The arguments of `create_booking` and `get_booking`, and the row that a request becomes. Pure. */

import { Schema, Context, Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { locking } from "../../platform/database/Transactions.ts"
import { boundedList, boundedText } from "../../platform/errors/InvalidArguments.ts"
import { BookingId, IdempotencyKey, type Reference, TypedReference } from "../../platform/ids/Ids.ts"
import { format, type Instant, minuteMs } from "../../platform/time/LocalTime.ts"
import { addOnsUsed, ChildAges, claimsFor } from "../availability/Availability.ts"
import { OptionIdAsSent } from "../availability/BookingOption.ts"
import type { VisitRequest } from "../availability/Decision.ts"
import { sellableUntil } from "../availability/Starts.ts"
import { ruleOf } from "../catalogue/Codes.ts"
import { isBalanceAtVenue } from "../catalogue/Package.ts"
import { answersIn } from "../catalogue/Questions.ts"
import { codeIn, type Quote } from "../catalogue/Pricing.ts"
import type { BookingRow, BookingTerms } from "./Booking.ts"
import { Contact, EmailAddress } from "../../platform/text/Contact.ts"

// The language in which a family is written to (`booking.language`, BCP 47). What it chose on its own page counts
// before what an assistant's host says or a payer's browser asks for: those are guesses, and only fill in what nobody
// knows.

/** The language of the person for whom a tool is called, as the assistant's host says it; undefined if it does not. */
export const HostLanguage = Context.Reference<string | undefined>("playroom/booking/HostLanguage", {
  defaultValue: () => undefined
})

/** Notes in which language a family is written to. `known`: the family chose it; else it is a guess. */
export const learnLanguage = Effect.fn("learnLanguage")(function* (
  booking_id: BookingId,
  language: string | undefined,
  known: boolean
) {
  if (language === undefined) return
  const sql = yield* SqlClient.SqlClient
  yield* locking(
    sql,
    sql`update booking set language = ${language} where booking_id = ${booking_id}
      and (language is null or (${known}::boolean and language <> ${language}))`
  )
})

// SQL for the extras of bookings, with their current names in the catalogue.

/** An extra by name, and its quantity. */
export const Extra = Schema.Struct({ name: Schema.String, quantity: Schema.Int })
export type Extra = typeof Extra.Type

/** A `from` item with a row for each extra of the booking `b`: `u.add_on_id`, `u.quantity`, and the add-on as `a`. */
export const extrasUsed = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`jsonb_to_recordset(b.terms -> 'add_ons_used') as u(add_on_id text, quantity int)
        left join add_on a using (add_on_id)`

/** The extras of the booking `b` as a JSON list of `Extra`. */
export const extrasOf = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`(select coalesce(jsonb_agg(jsonb_build_object('name', coalesce(a.name, u.add_on_id), 'quantity', u.quantity)
          order by a.position, u.add_on_id), '[]') from ${extrasUsed(sql)})`

/** The arguments of `create_booking`. */
export const BookingRequest = Schema.Struct({
  option_id: OptionIdAsSent,
  contact: Contact,
  child_ages: Schema.optionalKey(ChildAges),
  notes: Schema.optionalKey(boundedText(1000)),
  /** To the venue's questions, each as `slug: answer`. */
  answers: Schema.optionalKey(boundedList(boundedText(1000), 20)),
  /** Make another booking, even if a live one has the same option, e-mail address and name. */
  another: Schema.optionalKey(Schema.Boolean),
  idempotency_key: Schema.optionalKey(IdempotencyKey)
})
export type BookingRequest = typeof BookingRequest.Type

/** So many options are booked by one call at most: a term of Mondays. */
export const maxOrderedOptions = 12

/** The arguments of `create_booking`: of several options, each becomes a booking for the same contact. */
export const OrderRequest = Schema.Struct({
  ...BookingRequest.fields,
  /** Further options of the same business and currency. */
  more_option_ids: Schema.optionalKey(boundedList(OptionIdAsSent, maxOrderedOptions - 1)),
  /** If some of them can't be booked any more, the others are. Otherwise none is. */
  book_rest: Schema.optionalKey(Schema.Boolean)
})
export type OrderRequest = typeof OrderRequest.Type

/** Advice for an assistant without an id or a reference. */
export const askForReference =
  "ask the person for the reference in their confirmation (8 characters, like K7M2-9QXD) and for the e-mail address that the booking is for; no booking is found by e-mail, telephone number or name alone, so if they have lost it, tell the person to ask the playroom itself"

/** Advice for an assistant with a reference alone. */
export const askForEmail =
  "ask the person for the e-mail address that the booking is for (a key with the scope admin needs none)"

/** The arguments of `get_booking`: an id, or a reference with the booking's e-mail address. */
export const BookingLookup = Schema.Struct({
  booking_id: Schema.optionalKey(BookingId),
  reference: Schema.optionalKey(TypedReference),
  contact_email: Schema.optionalKey(EmailAddress)
}).check(
  Schema.makeFilter(
    ({
      booking_id,
      contact_email,
      reference
    }: {
      readonly booking_id?: string
      readonly reference?: string
      readonly contact_email?: string
    }) => {
      if ((booking_id === undefined) === (reference === undefined))
        return `Expected exactly one of booking_id and reference${booking_id === undefined ? `: ${askForReference}` : ""}`
      return (
        contact_email === undefined ||
        booking_id === undefined ||
        "Expected no contact_email beside booking_id: leave contact_email out"
      )
    }
  )
)

/** The visit to book, and its price. */
export interface Agreement extends Omit<VisitRequest, "agreed"> {
  readonly quote: Quote
}

/** The rule for an unpaid balance, if there is a balance. */
const releaseOf = ({ payment }: Agreement["pkg"], { price }: Quote) =>
  payment.kind === "full" || payment.release_unpaid_after_hours === undefined || price.balance_due === undefined
    ? {}
    : { release_unpaid_after_hours: payment.release_unpaid_after_hours }

/** The rule of the code that makes it cheaper, if one does. */
const codeTerms = ({ pkg, quote }: Agreement) => {
  const code = ruleOf(pkg, codeIn(quote.price)?.code)
  return code === undefined ? {} : { code }
}

/** The terms of a new booking. */
export const termsOf = (agreement: Agreement): BookingTerms => {
  const { party, pkg, quote, start, venue } = agreement
  return {
    playroom_name: venue.playroom.name,
    operator_name: venue.operator.name,
    address: venue.playroom.address,
    package_name: pkg.name,
    time_zone: venue.playroom.time_zone,
    local_start: format(venue.playroom.time_zone, start),
    mode: pkg.mode,
    add_ons: party.add_ons,
    price: quote.price,
    cancellation: pkg.cancellation,
    non_refundable: quote.non_refundable,
    ...(quote.deposit === undefined ? {} : { deposit: quote.deposit }),
    claims: claimsFor(venue, pkg, party, start),
    add_ons_used: addOnsUsed(venue, party),
    ...(pkg.final_headcount_hours_before === undefined
      ? {}
      : { final_headcount_hours_before: pkg.final_headcount_hours_before }),
    ...(pkg.party_may_shrink === false ? { party_may_shrink: false as const } : {}),
    ...(pkg.free_reschedule_hours_before === undefined
      ? {}
      : { free_reschedule_hours_before: pkg.free_reschedule_hours_before }),
    ...(isBalanceAtVenue(pkg) ? { balance_at_venue: true as const } : {}),
    ...releaseOf(pkg, quote),
    ...codeTerms(agreement)
  }
}

/** The new row: `held` until `hold_expires_at`, or `confirmed` if nothing is due now. */
export const bookingOf = (
  request: BookingRequest,
  agreement: Agreement,
  made: {
    readonly booking_id: BookingId
    readonly reference: Reference
    readonly key_id: string
    readonly now: Instant
    readonly hold_expires_at: Instant
  }
): BookingRow => {
  const { venue, pkg, party, start, quote } = agreement
  const { playroom, operator } = venue
  const free = quote.price.due_now === 0
  return {
    booking_id: made.booking_id,
    reference: made.reference,
    operator_id: operator.operator_id,
    playroom_id: playroom.playroom_id,
    package_id: pkg.package_id,
    key_id: made.key_id,
    option_id: request.option_id,
    status: free ? "confirmed" : "held",
    payment_status: free ? "not_required" : "unpaid",
    starts_at: start,
    ends_at: start + pkg.duration_minutes * minuteMs,
    children: party.children,
    adults: party.adults,
    contact_name: request.contact.name,
    contact_email: request.contact.email,
    contact_phone: request.contact.phone ?? null,
    child_ages: request.child_ages ?? [],
    notes: request.notes ?? null,
    answers: answersIn(pkg, request.answers),
    guests: null,
    currency: quote.price.currency,
    total: quote.price.total,
    due_now: quote.price.due_now,
    paid: 0,
    refunded: 0,
    terms: termsOf(agreement),
    hold_expires_at: free
      ? null
      : Math.min(made.hold_expires_at, start > made.now ? start : sellableUntil(venue, start)),
    awaiting_provider: false,
    kept_refunded: null,
    attendance: null,
    link_counter: null,
    created_at: made.now
  }
}
