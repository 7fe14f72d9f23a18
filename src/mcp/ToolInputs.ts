/**
 * What each tool takes: section 2 of the published interface. Every property is described in few words (a test holds the
 * budget), and every check says what it accepts, since its message goes back to the assistant.
 */
import { Schema } from "effect"
import { Contact } from "../booking/Booking.ts"
import { AddOnChoice } from "../catalogue/Price.ts"
import { OptionId } from "../booking/BookingOption.ts"
import { Mode } from "../catalogue/Package.ts"
import { BookingId, normalizeReference, PackageId, PlayroomId, Reference } from "../kernel/Ids.ts"
import { ClockTime, ClosingTime, LocalDate, Weekday } from "../kernel/LocalTime.ts"
import { Currency, MinorUnits } from "../kernel/Money.ts"

/** Some text of `minimum` to `maximum` characters. */
const Text = (maximum: number, minimum = 0) =>
  Schema.String.check(
    Schema.isBetweenCodePoints(minimum, maximum, {
      message: `Expected text of ${minimum === 0 ? "at most" : `${minimum} to`} ${maximum} characters`
    })
  )

const whole = (minimum: number, maximum: number) =>
  Schema.Int.check(
    Schema.isBetween({ minimum, maximum }, { message: `Expected a whole number from ${minimum} to ${maximum}` })
  )

const finite = (minimum: number, maximum: number, hint = "") =>
  Schema.Finite.check(
    Schema.isBetween({ minimum, maximum }, { message: `Expected a number from ${minimum} to ${maximum}${hint}` })
  )

const listOf = <S extends Schema.Constraint>(item: S, maximum: number) =>
  Schema.Array(item).check(Schema.isMaxLength(maximum, { message: `Expected a list of at most ${maximum}` }))

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)

const cursor = optional(Text(500, 1).annotate({ description: "next_cursor of the last page." }))
const idempotencyKey = optional(Text(255, 1).annotate({ description: "A retry with the same key never acts twice." }))

export const SearchInput = Schema.Struct({
  query: optional(Text(200).annotate({ description: "Words, like soft play." })),
  city: optional(Text(100).annotate({ description: "City name." })),
  country: optional(
    Schema.String.check(
      Schema.isPattern(/^[A-Z]{2}$/, { message: "Expected an ISO 3166-1 alpha-2 country code, like GB" })
    ).annotate({ description: "ISO 3166-1 alpha-2, like GB." })
  ),
  near: optional(
    Schema.Struct({
      latitude: finite(-90, 90, "; perhaps it is the longitude").annotate({ description: "Degrees north." }),
      longitude: finite(-180, 180).annotate({ description: "Degrees east." }),
      radius_km: optional(
        Schema.Finite.check(
          Schema.isBetween({ minimum: 0.1, maximum: 500 }, { message: "Expected kilometres from 0.1 to 500" })
        ).annotate({ description: "Kilometres, default 25." })
      )
    }).annotate({ description: "Around a point." })
  ),
  date: optional(LocalDate.annotate({ description: "YYYY-MM-DD; only playrooms free then." })),
  start_after: optional(ClockTime.annotate({ description: "HH:MM, with date: earliest start." })),
  end_before: optional(ClosingTime.annotate({ description: "HH:MM to 24:00, with date: latest end." })),
  children: optional(whole(1, 10_000).annotate({ description: "How many children." })),
  adults: optional(whole(0, 10_000).annotate({ description: "How many adults." })),
  child_ages: optional(listOf(whole(0, 17), 500).annotate({ description: "Ages in years." })),
  duration_minutes: optional(whole(5, 1440).annotate({ description: "Length of the visit." })),
  amenities: optional(listOf(Text(60, 1), 20).annotate({ description: "All must be there." })),
  mode: optional(Mode.annotate({ description: "exclusive: the whole room; shared: places in it." })),
  max_total: optional(
    Schema.Struct({
      amount: MinorUnits.annotate({ description: "Minor units, e.g. pence." }),
      currency: Currency.annotate({ description: "ISO 4217." })
    }).annotate({ description: "Most to pay." })
  ),
  sort: optional(
    Schema.Literals(["best_match", "distance", "price"]).annotate({
      description: "distance needs near; price holds within a page."
    })
  ),
  limit: optional(whole(1, 50).annotate({ description: "Default 10." })),
  cursor
})

export const GetPlayroomInput = Schema.Struct({
  playroom_id: PlayroomId.annotate({ description: "From search_playrooms." })
})

export const OptionsInput = Schema.Struct({
  playroom_id: PlayroomId.annotate({ description: "From search_playrooms." }),
  date: LocalDate.annotate({ description: "First day, YYYY-MM-DD." }),
  children: whole(1, 10_000).annotate({ description: "Number of children." }),
  date_to: optional(LocalDate.annotate({ description: "Last day, at most 31 days later; default date." })),
  adults: optional(whole(0, 10_000).annotate({ description: "Default 0." })),
  package_id: optional(PackageId.annotate({ description: "Only this one." })),
  add_ons: optional(listOf(AddOnChoice, 50).annotate({ description: "Extras to price in." })),
  weekdays: optional(listOf(Weekday, 7).annotate({ description: "Only on these." })),
  start_after: optional(ClockTime.annotate({ description: "HH:MM: earliest start." })),
  end_before: optional(ClosingTime.annotate({ description: "HH:MM to 24:00: latest end." })),
  limit: optional(whole(1, 100).annotate({ description: "Page size, default 20." })),
  cursor
})

export const CreateBookingInput = Schema.Struct({
  option_id: OptionId.annotate({ description: "From get_booking_options." }),
  contact: Contact.annotate({ description: "The person who books." }),
  child_ages: optional(listOf(whole(0, 17), 500).annotate({ description: "Their ages in years." })),
  notes: optional(Text(1000).annotate({ description: "Wishes for the operator." })),
  another: optional(Schema.Boolean.annotate({ description: "true: a further booking of the same." })),
  idempotency_key: idempotencyKey
})

const isReference = Schema.is(Reference)

/** As people type it: dashes, spaces and case do not matter; decoded to the one spelling by the handler. */
const TypedReference = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      (text.length <= 40 && isReference(normalizeReference(text))) ||
      "Expected a booking reference of 8 characters, like K7M2-9QXD",
    { toJsonSchema: () => ({}) }
  )
)

/** What an assistant does that has neither: other fields do not find a booking. */
export const referenceOnly =
  "ask the person for the reference in their confirmation (8 characters, like K7M2-9QXD); no booking is found by e-mail, telephone number or name, so if they have lost it, tell the person to ask the playroom itself"

export const GetBookingInput = Schema.Struct({
  booking_id: optional(BookingId.annotate({ description: "From create_booking. Either this," })),
  reference: optional(TypedReference.annotate({ description: "or this: the reference, like K7M2-9QXD." }))
}).check(
  Schema.makeFilter(
    (input: { readonly booking_id?: string; readonly reference?: string }) =>
      (input.booking_id === undefined) !== (input.reference === undefined) ||
      `Expected exactly one of booking_id and reference${input.booking_id === undefined ? `: ${referenceOnly}` : ""}`,
    { toJsonSchema: () => ({}) }
  )
)

const ReturnUrl = Schema.String.check(
  Schema.isPattern(/^https?:\/\/\S{1,1990}$/, { message: "Expected an address like https://example.com/done" })
)

export const CreatePaymentSessionInput = Schema.Struct({
  booking_id: BookingId.annotate({ description: "From create_booking." }),
  purpose: optional(
    Schema.Literals(["due_now", "balance"]).annotate({ description: "due_now (default), or balance after a deposit." })
  ),
  success_url: optional(ReturnUrl.annotate({ description: "Where the payer lands; may be left out." })),
  cancel_url: optional(ReturnUrl.annotate({ description: "Where on giving up; may be left out." })),
  idempotency_key: idempotencyKey
})
