/** `playroom booking make`: the venue books for a family, as at its desk. */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { LinkTokens } from "../../platform/access/LinkTokens.ts"
import { AdultCount, ChildCount } from "../../domain/availability/Availability.ts"
import { exceptionsText } from "../../domain/availability/Exceptions.ts"
import { BookingRequest } from "../../domain/booking/BookingRequest.ts"
import { Contact, noEmail } from "../../platform/text/Contact.ts"
import { Bookings } from "../../domain/booking/Bookings.ts"
import { OfflinePaymentMethod } from "../../domain/payment/sessions/PaymentSession.ts"
import { bookingLink } from "../../domain/booking/BookingLinks.ts"
import { bookedTerms } from "../../domain/booking/BookingViews.ts"
import { Catalogue } from "../../domain/catalogue/Catalogue.ts"
import { packageOf } from "../../domain/catalogue/Playroom.ts"
import { format, instantOf, minutesOf } from "../../platform/time/LocalTime.ts"
import { display, decimalText } from "../../platform/money/Money.ts"
import { venueBookings } from "../../domain/payment/changes/VenueBookings.ts"
import { PaymentSummaries } from "../../domain/payment/PaymentSummaries.ts"
import { addOnsIn, agesIn, localStart, slotUnavailable } from "./bookingChange.ts"
import {
  by,
  commandActor,
  idNamed,
  packageForms,
  partyOptions,
  switchFlag,
  wrongOptions,
  examples
} from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { instant, json, print } from "./Output.ts"

const wrong = wrongOptions(partyOptions)

const decodeParty = Schema.decodeUnknownEffect(Schema.Struct({ children: ChildCount, adults: AdultCount }))
const decodeRequest = Schema.decodeUnknownEffect(
  Schema.Struct({
    ...BookingRequest.fields,
    contact: Schema.Struct({ ...Contact.fields, email: Schema.optionalKey(Contact.fields.email) })
  })
)

export const make = Command.make(
  "make",
  {
    named: Argument.String("package").pipe(Argument.withDescription(`What is booked: ${packageForms}`)),
    at: Flag.String("at").pipe(Flag.withDescription("A local start, like 2026-12-05T14:00")),
    children: Flag.Int("children").pipe(Flag.withDescription("How many children come")),
    adults: Flag.Int("adults").pipe(Flag.withDescription("How many adults come"), Flag.withDefault(0)),
    name: Flag.String("name").pipe(Flag.withDescription("Who books"), Flag.withDefault("Walk-in")),
    email: Flag.String("email").pipe(
      Flag.withDescription("Their e-mail address: letters go there; without one, none are sent"),
      Flag.optional
    ),
    paid: Flag.Literals("paid", OfflinePaymentMethod.literals).pipe(
      Flag.withDescription("Paid in whole at the till, and how; a visit that has begun is sold only so"),
      Flag.optional
    ),
    phone: Flag.String("phone").pipe(Flag.withDescription("Telephone number"), Flag.optional),
    ages: Flag.String("ages").pipe(Flag.withDescription("The children's ages, one for each: 4,5,5"), Flag.optional),
    notes: Flag.String("notes").pipe(Flag.withDescription("Wishes"), Flag.optional),
    answers: Flag.String("answer").pipe(
      Flag.withDescription('"SLUG: ANSWER" to a question of the venue; may be repeated'),
      Flag.atLeast(0),
      Flag.withDefault([])
    ),
    addOns: Flag.String("add-on").pipe(
      Flag.withDescription("addon_…=QUANTITY; may be repeated"),
      Flag.atLeast(0),
      Flag.withDefault([])
    ),
    another: switchFlag("another", "Make another one of the same start, name and e-mail address"),
    exception: switchFlag("exception", "Book what a rule of the venue's own is against, as --preview names it"),
    by,
    preview: switchFlag("preview", "Say what it would cost, and book nothing"),
    json
  },
  Effect.fn(function* (input) {
    const { addOns, ages, another, answers, at, by, email, exception, json, name, named, notes, paid, phone, preview } =
      input
    const package_id = yield* idNamed("package", named)
    const bookings = yield* venueBookings
    const { venue } = yield* Catalogue.use((catalogue) => catalogue.venueOfPackage(package_id)).pipe(
      Effect.catchTag("PackageNotFound", failed)
    )
    const pkg = yield* Effect.orDie(Effect.fromOption(packageOf(venue, package_id)))
    const local = localStart(at)
    const start = local && instantOf(venue.playroom.time_zone, local.date, minutesOf(local.time))
    if (start === undefined) return yield* failed(`--at takes a local start, like 2026-12-05T14:00; not "${at}".`)
    const given = (flag: Option.Option<string>) => Option.filter(flag, (text) => text.trim() !== "")
    const optional = (field: string, flag: Option.Option<string>) =>
      Option.match(given(flag), { onNone: () => ({}), onSome: (text) => ({ [field]: text.trim() }) })
    const { request } = yield* Effect.gen(function* () {
      const aged = yield* agesIn(given(ages))
      const party = { ...(yield* decodeParty(input)), ...aged, add_ons: yield* addOnsIn([], addOns) }
      const { option_id } = yield* bookings.option({ venue, pkg, party, start })
      const decoded = yield* decodeRequest({
        option_id,
        contact: { name, ...optional("email", email), ...optional("phone", phone) },
        ...aged,
        ...optional("notes", notes),
        ...(answers.length === 0 ? {} : { answers }),
        ...(another ? { another } : {})
      })
      const { contact } = decoded
      const request: BookingRequest = { ...decoded, contact: { ...contact, email: contact.email ?? noEmail } }
      return { request }
    }).pipe(Effect.catchTag("SchemaError", wrong.SchemaError))
    const { operator_id } = venue.operator
    const way = Option.getOrUndefined(paid)
    const at_counter = way !== undefined
    const exceptions = yield* bookings.exceptions({ at_counter, operator_id, request })
    const unusual = `Unusual: ${exceptionsText(exceptions)}. Only the venue can allow it: --exception books it, and the history names it.`
    if (exceptions.length > 0 && !preview && !exception) return yield* failed(unusual)
    const call = {
      operator_id,
      request,
      exceptions,
      who: yield* commandActor(by),
      at_counter,
      paid: way && ({ way, amount: "total" } as const)
    }
    const { already_existed, booking: made } = yield* (
      preview
        ? Effect.map(bookings.preview(call), (booking) => ({ already_existed: false, booking }))
        : bookings.make(call)
    ).pipe(
      Effect.catchTags({
        AlreadyBooked: failed,
        IdempotencyConflict: failed,
        InvalidArguments: wrong.InvalidArguments,
        KeepsChanging: failed,
        OperatorUnavailable: failed,
        OptionInvalid: failed,
        PriceChanged: failed,
        TooManyHolds: failed,
        SlotUnavailable: slotUnavailable
      })
    )
    // What was paid with it is not in what was made.
    const booking = preview ? made : yield* Bookings.use((bookings) => bookings.get(made.booking_id)).pipe(Effect.orDie)
    const { currency, due_now, hold_expires_at, reference, starts_at, terms, total } = booking
    const money = (amount: number) => display(amount, currency)
    const told = bookedTerms(booking, yield* PaymentSummaries.use((summaries) => summaries.read(booking))).text
    const what = `${terms.package_name}, ${terms.playroom_name}, ${format(terms.time_zone, starts_at)}, ${booking.children} children: ${money(total)}`
    const page_url = yield* LinkTokens.use((links) => links.address(bookingLink("booking", booking)))
    const also = yield* bookings.alsoOf(booking)
    const held =
      hold_expires_at === null || (preview && way !== undefined)
        ? []
        : [
            `${money(due_now)} is due now. The places are held until ${instant(hold_expires_at)}: paid on the ` +
              `family's page, or recorded with playroom payment record ${preview ? "REFERENCE" : reference} ` +
              `${decimalText(due_now, currency)} --way cash.`
          ]
    return yield* print(
      json,
      {
        preview,
        already_existed,
        also,
        exceptions,
        ...(preview ? {} : { booking, page_url }),
        total,
        due_now,
        currency,
        terms: told
      },
      [
        preview
          ? `If it were booked now: ${what}. Nothing was booked.`
          : already_existed
            ? `It was booked already, and is ${booking.status}: ${reference}. --another makes one more.`
            : `${reference} is ${booking.status}: ${what}.`,
        ...held,
        ...(preview && exceptions.length > 0 ? [unusual] : []),
        ...(also === undefined ? [] : [`The same family has another booking then: ${also}.`]),
        `Its terms: ${told}`,
        ...(preview ? [] : ["The family's page, to read out or send:", "", page_url])
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Book for a family, as at the desk, and print what is due, until when the places are held, and the address of its page. A walk-in needs no name and no address. Repeated with the same start, name and e-mail address it makes no second booking without --another"
  ),
  examples({
    "By telephone: what it would cost":
      "booking make main-hall/birthday-party --at 2027-03-06T14:00 --children 8 --name Ana --email ana@example.com --preview",
    "A walk-in, paid at the till": "booking make main-hall/open-play --at 2027-03-06T14:00 --children 2 --paid cash"
  })
)
