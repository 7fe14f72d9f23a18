/** `playroom booking move` and `playroom booking change`: another visit, another party. */
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AdultCount, ChildAges, ChildCount } from "../../domain/availability/Availability.ts"
import type { BookingOption } from "../../domain/availability/BookingOption.ts"
import { exceptionsText } from "../../domain/availability/Exceptions.ts"
import type { BookingRow } from "../../domain/booking/Booking.ts"
import { Contact, TelephoneNumber } from "../../platform/text/Contact.ts"
import { Bookings } from "../../domain/booking/Bookings.ts"
import { deadlineStart } from "../../domain/catalogue/RefundSchedule.ts"
import { freeRescheduleUntil, partyChangeUntil } from "../../domain/catalogue/VisitTerms.ts"
import { changeText, extrasText, type ChangedBooking } from "../../domain/booking/ChangePlan.ts"
import { AddOnId } from "../../platform/ids/Ids.ts"
import { boundedText } from "../../platform/errors/InvalidArguments.ts"
import { format, shortDateTime, isLocalDate, isClockTime, type LocalDate } from "../../platform/time/LocalTime.ts"
import { display } from "../../platform/money/Money.ts"
import { wordsIn } from "../../domain/payment/changes/Act.ts"
import { refundRemarks } from "../../domain/payment/changes/RefundDecision.ts"
import { BookingChanges, type PreparedChange } from "../../domain/payment/changes/BookingChanges.ts"
import { changeParty, moveVisit, type VisitRefusal, VisitOffers } from "../../domain/payment/changes/VisitChanges.ts"
import {
  asShown,
  booking_id,
  bookingMissing,
  by,
  changedSinceShown,
  commandActor,
  doAsShown,
  idNamed,
  packageForms,
  partyOptions,
  switchFlag,
  given,
  wrongOptions,
  examples
} from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { json, print } from "./Output.ts"
import type { SlotUnavailable } from "../../domain/availability/OptionPage.ts"

const dueText = ({ terms: { balance_at_venue, price, time_zone } }: BookingRow): string =>
  balance_at_venue === true
    ? " at the venue"
    : price.balance_due_at === undefined
      ? ""
      : ` by ${shortDateTime(time_zone, Date.parse(price.balance_due_at))}`

const moneyOf = (done: ChangedBooking, preview: boolean): string =>
  priceOf(done, preview) +
  (done.waived.amount === 0 ? "" : ` ${done.waived.display} more is too little to be charged, and waived.`) +
  (done.back_before.amount === 0 ? "" : ` ${done.back_before.display} went back before, and is counted.`) +
  (done.goodwill.amount === 0 || done.difference === 0
    ? ""
    : ` ${done.goodwill.display} was given back as goodwill: that stays, and is not counted.`)

const priceOf = ({ balance, booking, difference, from, refund }: ChangedBooking, preview: boolean): string => {
  const text = (amount: number) => display(amount, from.currency)
  const by =
    difference === 0
      ? `The price stays ${text(booking.total)}`
      : `The price is ${text(booking.total)}, ${text(Math.abs(difference))} ${difference > 0 ? "more" : "less"}`
  if (refund.amount > 0) {
    return preview
      ? `${by}: ${refund.display} would go back.`
      : `${by}: ${refund.display} goes back; a running node sends it to the provider.`
  }
  return balance.amount === 0 ? `${by}.` : `${by}: ${balance.display} is still to be paid${dueText(booking)}.`
}

/** Whether the terms allow the change, and from which start they count. For the person who makes it. */
const termsOf = ({ booking, free, from, kind }: ChangedBooking): ReadonlyArray<string> => {
  const { starts_at, terms } = booking
  const at = (instant: number) => shortDateTime(terms.time_zone, instant)
  if (kind === "details") return []
  if (kind === "party") {
    const until = at(partyChangeUntil(from.starts_at, from.terms))
    return [
      free
        ? `Its terms let the party change until ${until}.`
        : `Its terms let the party change until ${until}, which is over: it is changed at your word, with a --reason.`
    ]
  }
  const until = freeRescheduleUntil(from.starts_at, from.terms)
  const measured = deadlineStart(starts_at, terms)
  return [
    free
      ? `Its terms give a free move until ${at(until ?? starts_at)}.`
      : `Its terms give no free move now${until === undefined ? "" : ` (they did until ${at(until)})`}: it is moved at your word, with a --reason.`,
    ...(measured === starts_at ? [] : [`What a cancellation gives back is counted from the start on ${at(measured)}.`])
  ]
}

const optionText = ({
  option_id,
  price,
  start
}: Pick<BookingOption, "option_id" | "start"> & {
  readonly price: Pick<BookingOption["price"], "display_total">
}): string => `${start.slice(0, 16).replace("T", " ")}, ${price.display_total}: ${option_id}`

/** For `Effect.catchTags`: the places are taken, and others are named. */
export const slotUnavailable = ({ alternatives, message, nearest, reason }: SlotUnavailable) =>
  failed(
    [
      reason === "closed"
        ? "Nothing can be booked then: the room is closed, or the package has no start then."
        : message,
      ...(alternatives.length === 0
        ? []
        : [
            nearest?.free_without === undefined
              ? "The nearest that can be booked:"
              : "The nearest that can be booked without them:"
          ]),
      ...alternatives.map(optionText)
    ].join("\n")
  )

const isAddOn = Schema.is(AddOnId)

/** A local start, like `2026-12-05T14:00`. */
export const localStart = (text: string): { readonly date: LocalDate; readonly time: string } | undefined => {
  const [date = "", time = "", ...rest] = text.split(/[T ]/)
  return isLocalDate(date) && isClockTime(time) && rest.length === 0 ? { date, time } : undefined
}

/** Where a booking is to move to: an `option_…`, or a local start and a room, of which one may be left out. */
interface Wanted {
  readonly to?: string
  /** Ids or slugs. */
  readonly playroom?: string
  readonly package?: string
}

/** The package that is wanted: the named one, or in another room the one that is like the booking's own. */
const packageIn = Effect.fnUntraced(function* (booking: BookingRow, { package: wanted, playroom }: Wanted) {
  const package_id = wanted === undefined ? undefined : yield* idNamed("package", wanted)
  if (playroom === undefined) return package_id ?? booking.package_id
  const playroom_id = yield* idNamed("playroom", playroom)
  const found = yield* VisitOffers.use((offers) => offers.packages(booking, playroom_id))
  const [only, ...more] = package_id === undefined ? found.filter((one) => one.alike) : []
  const named = package_id === undefined ? undefined : found.find((one) => one.package_id === package_id)
  const chosen = named ?? (more.length === 0 ? only : undefined)
  if (chosen !== undefined) return chosen.package_id
  return yield* failed(
    found.length === 0
      ? `No playroom ${playroom} of the same operator takes this party: see its capacity, ages, currency and packages.`
      : [`Name the --package of ${playroom}:`, ...found.map((one) => `  ${one.package_id}  ${one.package_name}`)].join(
          "\n"
        )
  )
})

/**
 * The option that is wanted: an id as it is, or a start with the booking's party and what of its add-ons is sold
 * there.
 */
export const optionOf = Effect.fnUntraced(function* (wanted: Wanted, id: string) {
  const { to } = wanted
  if (to?.startsWith("option_") === true) {
    if (wanted.playroom === undefined && wanted.package === undefined) return to
    return yield* failed("An option_… has its playroom and package: leave out --playroom and --package.")
  }
  const booking = yield* Bookings.use((bookings) => bookings.get(id))
  const own = format(booking.terms.time_zone, booking.starts_at).slice(0, 16)
  const local = localStart(to ?? own)
  if (local === undefined) return to ?? own
  const package_id = yield* packageIn(booking, wanted)
  return yield* VisitOffers.use((offers) => offers.optionAt(booking, local.date, local.time, package_id))
})

const flags = {
  preview: switchFlag("preview", "Say what it would cost or give back, and change nothing"),
  asShown,
  reason: Flag.String("reason").pipe(
    Flag.withDescription("Kept in the booking's history; needed where its terms do not give the change"),
    Flag.optional
  ),
  exception: switchFlag("exception", "Allow what a rule of the venue's own is against, as --preview names it"),
  by,
  json
}

/** Makes a change, or previews it, and prints what it does. `verb`: "moved", "changed". */
const changed = Effect.fnUntraced(function* <Wish, Decided, E, R>(
  act: PreparedChange<
    Wish & { readonly reason: string; readonly exception: boolean },
    Decided,
    ChangedBooking,
    VisitRefusal
  >,
  id: string,
  wish: Effect.Effect<Wish, E, R>,
  verb: string,
  { asShown, by, exception, json, preview, reason }: Command.Command.Config.Infer<typeof flags>
) {
  const { run } = yield* BookingChanges
  const wished = { ...(yield* wish), exception, reason: Option.getOrElse(reason, () => "") }
  const how = { preview, who: yield* commandActor(by), ...given("shown", asShown) }
  const done = yield* run(act, id, wished, how).pipe(
    Effect.catchTags({
      BookingCancelled: failed,
      HoldExpired: failed,
      ChangeRefused: failed,
      ChangedSinceShown: changedSinceShown,
      ChangeUnderWay: failed,
      InvalidArguments: wrongOptions(partyOptions).InvalidArguments,
      OperatorUnavailable: failed,
      KeepsChanging: failed,
      NotAllowed: failed,
      PriceChanged: ({ message, option }) => failed(`${message} Now it is:\n${optionText(option)}`),
      SlotUnavailable: slotUnavailable
    })
  )
  const { booking, difference, exceptions, from, without } = done
  const what = changeText(from, booking)
  yield* print(
    json,
    {
      preview,
      ...done,
      difference: { amount: difference, currency: from.currency, display: display(difference, from.currency) }
    },
    [
      preview
        ? `${booking.reference}, if it were ${verb} now: ${what}. Nothing was changed.`
        : `${booking.reference} is ${verb}: ${what}.`,
      ...(without.length === 0
        ? []
        : [`Not taken along, because it is not sold there like that: ${extrasText(without)}.`]),
      moneyOf(done, preview),
      ...(exceptions.length === 0 ? [] : [`Unusual, and allowed by the venue: ${exceptionsText(exceptions)}.`]),
      ...refundRemarks(done, wordsIn("en")),
      ...termsOf(done),
      ...(preview ? [doAsShown(done)] : [])
    ].join("\n")
  )
})

export const move = Command.make(
  "move",
  {
    booking_id,
    to: Flag.String("to").pipe(
      Flag.withDescription(
        "A local start for the same party, like 2026-12-05T14:00; or option_… of any playroom of its operator " +
          "(another package, party or add-ons, too). Left out with --playroom: the same start"
      ),
      Flag.optional
    ),
    playroom: Flag.String("playroom").pipe(
      Flag.withDescription("Another playroom of its operator: its slug, or playroom_…"),
      Flag.optional
    ),
    packageId: Flag.String("package").pipe(
      Flag.withDescription(
        `The package to move to: ${packageForms}. In another playroom, without it, the one with the same name and mode`
      ),
      Flag.optional
    ),
    ...flags
  },
  ({ booking_id, packageId, playroom, to, ...how }) => {
    const wanted: Wanted = {
      ...given("to", to),
      ...given("playroom", playroom),
      ...given("package", packageId)
    }
    const option =
      Object.keys(wanted).length === 0
        ? failed("Say where to: --to START, --playroom, or both.")
        : optionOf(wanted, booking_id)
    return changed(
      moveVisit,
      booking_id,
      Effect.map(option, (option_id) => ({ option_id })),
      "moved",
      how
    ).pipe(
      Effect.catchTags({
        ...bookingMissing(booking_id),
        OptionInvalid: ({ message }) =>
          failed(`${message} --to takes an option_… that get_booking_options gave, or a local start.`)
      })
    )
  }
).pipe(
  Command.withDescription(
    "Move a booking to another start, package, party or playroom of its operator, at the price there. Extras that another room does not sell are named and left behind"
  ),
  examples({
    "What another time would cost": "booking move K7M2-9QXD --to 2027-03-06T14:00 --preview",
    "The same time in another room": "booking move K7M2-9QXD --playroom garden-room --preview"
  })
)

const decodeParty = Schema.decodeUnknownEffect(
  Schema.Struct({
    children: Schema.optionalKey(ChildCount),
    adults: Schema.optionalKey(AdultCount),
    child_ages: Schema.optionalKey(ChildAges),
    contact_name: Schema.optionalKey(Contact.fields.name),
    contact_email: Schema.optionalKey(Contact.fields.email),
    contact_phone: Schema.optionalKey(Schema.NullOr(TelephoneNumber)),
    notes: Schema.optionalKey(Schema.NullOr(boundedText(1000)))
  })
)

/** A text of an option; an empty one removes what there was. */
const orRemoved = Option.map((text: string) => text.trim() || null)

/** Add-ons with those of `--add-on addon_…=2`; 0 removes one. */
export const addOnsIn = Effect.fnUntraced(function* (
  before: ReadonlyArray<{ readonly add_on_id: AddOnId; readonly quantity: number }>,
  texts: ReadonlyArray<string>
) {
  const quantities = new Map(before.map(({ add_on_id, quantity }) => [add_on_id, quantity]))
  for (const text of texts) {
    const [add_on_id = "", quantity = "1"] = text.split("=")
    if (!isAddOn(add_on_id) || !/^\d{1,4}$/.test(quantity))
      return yield* failed(`--add-on takes addon_…=QUANTITY, like addon_…=2; not "${text}".`)
    if (Number(quantity) === 0) quantities.delete(add_on_id)
    else quantities.set(add_on_id, Number(quantity))
  }
  return Array.from(quantities, ([add_on_id, quantity]) => ({ add_on_id, quantity }))
})

/** The same of a booking. */
const addOnsWith = (id: string, texts: ReadonlyArray<string>) =>
  Effect.flatMap(
    Bookings.use((bookings) => bookings.get(id)),
    ({ terms }) => addOnsIn(terms.add_ons, texts)
  )

/** The ages of `--ages 4,5,5`. */
export const agesIn = Effect.fnUntraced(function* (flag: Option.Option<string>) {
  if (Option.isNone(flag)) return {}
  const ages = flag.value.match(/[^\s,]+/g) ?? []
  return ages.every((age) => /^\d{1,3}$/.test(age))
    ? { child_ages: ages.map(Number) }
    : yield* failed(`--ages takes whole numbers, like 4,5,5; not "${flag.value}".`)
})

export const change = Command.make(
  "change",
  {
    booking_id,
    children: Flag.Int("children").pipe(Flag.withDescription("How many children come"), Flag.optional),
    adults: Flag.Int("adults").pipe(Flag.withDescription("How many adults come"), Flag.optional),
    ages: Flag.String("ages").pipe(
      Flag.withDescription("The children's ages, one for each: 4,5,5; empty removes them"),
      Flag.optional
    ),
    addOns: Flag.String("add-on").pipe(
      Flag.withDescription("addon_…=QUANTITY; 0 removes it; may be repeated, and others stay"),
      Flag.atLeast(0),
      Flag.withDefault([])
    ),
    name: Flag.String("name").pipe(Flag.withDescription("Whom it is for"), Flag.optional),
    email: Flag.String("email").pipe(
      Flag.withDescription("Their e-mail address: letters and a new link go there, earlier links end"),
      Flag.optional
    ),
    phone: Flag.String("phone").pipe(Flag.withDescription("Telephone number; empty removes it"), Flag.optional),
    notes: Flag.String("notes").pipe(Flag.withDescription("Wishes; empty removes them"), Flag.optional),
    ...flags
  },
  ({ addOns, adults, ages, booking_id, children, email, name, notes, phone, ...how }) => {
    const wish = Effect.gen(function* () {
      const party = yield* decodeParty({
        ...given("children", children),
        ...given("adults", adults),
        ...(yield* agesIn(ages)),
        ...given("contact_name", name),
        ...given("contact_email", email),
        ...given("contact_phone", orRemoved(phone)),
        ...given("notes", orRemoved(notes))
      })
      const add_ons = addOns.length === 0 ? {} : { add_ons: yield* addOnsWith(booking_id, addOns) }
      return { party: { ...party, ...add_ons } }
    })
    return changed(changeParty, booking_id, wish, "changed", how).pipe(
      Effect.catchTags({
        ...bookingMissing(booking_id),
        OptionInvalid: failed,
        SchemaError: wrongOptions(partyOptions).SchemaError
      })
    )
  }
).pipe(
  Command.withDescription(
    "Change the party of a booking at its own start, for the difference of today's prices; ages, wishes and contact cost nothing. The contact can be corrected after the visit, too"
  ),
  examples({ "What four more children would cost": "booking change K7M2-9QXD --children 12 --preview" })
)
