import { Effect, Schema, Struct } from "effect"
import { Tool } from "effect/ai"
import { SqlError } from "effect/sql"
import { OptionInvalid, PriceChanged } from "../../../domain/availability/BookingOption.ts"
import { SlotUnavailable } from "../../../domain/availability/OptionPage.ts"
import { AlreadyBooked, IdempotencyConflict, KeepsChanging, TooManyHolds } from "../../../domain/booking/Booking.ts"
import { type BookingRequest, OrderRequest } from "../../../domain/booking/BookingRequest.ts"
import {
  BookingView,
  OtherBooking,
  withoutOtherStarts,
  withoutStepTexts,
  withTogether
} from "../../../domain/booking/BookingViews.ts"
import { Bookings, type CreatedOrder } from "../../../domain/booking/Bookings.ts"
import { isLiveBooking } from "../../../domain/booking/Lifecycle.ts"
import type { LiveOther } from "../../../domain/booking/OtherBookings.ts"
import { type Answers, saysSame } from "../../../domain/catalogue/Questions.ts"
import { OperatorUnavailable } from "../../../domain/catalogue/Playroom.ts"
import { PaymentSummaries } from "../../../domain/payment/PaymentSummaries.ts"
import type { Principal } from "../../../platform/access/ApiKeys.ts"
import { fitView } from "../../../platform/text/ResponseBudget.ts"
import { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import { format, whenInWords } from "../../../platform/time/LocalTime.ts"
import {
  beyondService,
  CurrentPrincipal,
  idempotencyKeyDescription,
  keyedTool,
  writeHints,
  contactAtOption
} from "./McpTool.ts"
import { afterOrder, bookingWithNextStep, nextStepField, notAgreed, spendsVoucher } from "./NextSteps.ts"

// How the tools tell of the other live bookings of the same e-mail address, before one of them is paid.

/** The result field. */
const otherBookingsField = Schema.optionalKey(Schema.Array(OtherBooking).annotate({ description: "Of this e-mail." }))

/** The field in a result; absent if there are none. */
export interface OtherBookings {
  readonly other_bookings?: ReadonlyArray<OtherBooking>
}

/** The field with these bookings. */
export const withOthers = (live: ReadonlyArray<LiveOther>): OtherBookings =>
  live.length === 0
    ? {}
    : {
        other_bookings: live.map((one) =>
          "other_name" in one
            ? one
            : {
                playroom_name: one.playroom_name,
                status: one.status,
                when: whenInWords(one.time_zone, one.starts_at),
                start: format(one.time_zone, one.starts_at)
              }
        )
      }

/** What to ask the person because of them; none if there are none. */
export const otherBookingsText = ({ other_bookings }: OtherBookings): ReadonlyArray<string> => {
  if (other_bookings === undefined) return []
  const named = other_bookings.filter(({ other_name }) => other_name !== true)
  const otherwise = other_bookings.find(({ other_name }) => other_name === true)
  const list = named.map(({ status, when }) => `${when} (${status})`).join(", ")
  return [
    ...(named.length === 0
      ? []
      : [
          `This e-mail address also has bookings at ${list}: ask whether one of them is the same wish before this one is paid, and let this one lapse if so.`
        ]),
    ...(otherwise === undefined
      ? []
      : otherwise.same_playroom === true
        ? [
            "This e-mail address also has a booking under another name at this playroom on this day: ask the person whether it is the same visit before this one is paid."
          ]
        : [
            "This e-mail address also has a booking under another name: ask the person whether the address is their own, and whether somebody of the family has booked already, before this one is paid."
          ])
  ]
}

const definition = Tool.make("create_booking", {
  description:
    "Book the option that the person chose, once they agreed to its price and terms. Needs an API key. Returns the booking: held for free until hold_expires_at, when it lapses by itself if unpaid; with nothing due now confirmed at once. Amounts are minor units of price.currency; times carry the playroom's UTC offset. Asked again for the same option, e-mail and name, it is the same (already_existed). Next: create_payment_session if held.",
  parameters: OrderRequest,
  success: Schema.Struct({
    next_step: nextStepField,
    booking: BookingView.annotate({ description: "The booking." }),
    already_existed: Schema.Boolean.annotate({ description: "Made before." }),
    not_booked: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Gone." })),
    other_bookings: otherBookingsField
  }),
  failure: Schema.Union([
    OptionInvalid,
    PriceChanged,
    SlotUnavailable,
    OperatorUnavailable,
    AlreadyBooked,
    IdempotencyConflict,
    TooManyHolds,
    KeepsChanging,
    InvalidArguments,
    SqlError.SqlError
  ]),
  dependencies: [CurrentPrincipal]
})
  .annotate(Tool.Title, "Create booking")
  .annotateMerge(writeHints)

/** The arguments that differ from the existing booking. It stays unchanged. */
const ignoredChanges = (
  { answers, child_ages, contact, notes }: BookingRequest,
  booking: BookingView,
  stored: Answers
): ReadonlyArray<string> => [
  ...(notes === undefined || notes === booking.notes ? [] : ["notes"]),
  ...(contact.phone === undefined || contact.phone === booking.contact.phone ? [] : ["contact.phone"]),
  ...(child_ages === undefined || String(child_ages) === String(booking.child_ages ?? []) ? [] : ["child_ages"]),
  ...(saysSame(stored, answers) ? [] : ["answers"])
]

const alreadyExistedText = (
  booking: BookingView,
  kept: ReadonlyArray<string>,
  brief: boolean
): ReadonlyArray<string> => [
  "An earlier call made this booking, and this one made none.",
  ...(kept.length === 0 ? [] : [`It stays as it was, without what this call gave otherwise: ${kept.join(", ")}.`]),
  ...(isLiveBooking(booking) && !brief
    ? [
        "Only where the person wants one more of the same: repeat this call with another true and a new idempotency_key."
      ]
    : [])
]

const freeHoldText = (booking: BookingView): ReadonlyArray<string> =>
  booking.status === "held" && booking.payment_status === "unpaid" && booking.payment_session === undefined
    ? ["Holding costs nothing: what the person did not choose, or does not pay, lapses by itself then."]
    : []

/** Notes are no agreement, whatever a person wrote into them: a discount code, a price, a promise. */
const notesText = ({ notes }: BookingView): ReadonlyArray<string> =>
  notes === undefined
    ? []
    : [
        "The notes go to the operator as a wish, which nobody has agreed to: tell the person so, and the price as it is."
      ]

/**
 * What follows the next step (`brief`: without what descriptions or the answer's beginning have, too): that holding is free, that notes promise nothing, what an earlier call made, other
 * bookings.
 */
const bookingNotes = (
  answer: {
    readonly booking: BookingView
    /** What this call gave otherwise, if an earlier one made the booking. */
    readonly kept: ReadonlyArray<string> | undefined
    readonly others: OtherBookings
  },
  brief: boolean
): string =>
  [
    ...(brief ? [] : freeHoldText(answer.booking)),
    ...(brief && notAgreed(answer.booking) !== "" ? [] : notesText(answer.booking)),
    ...(answer.kept === undefined ? [] : alreadyExistedText(answer.booking, answer.kept, brief)),
    ...otherBookingsText(answer.others)
  ].join(" ")

export const createBooking = keyedTool(definition, "bookings:write", {
  showsCard: true,
  descriptions: {
    option_id: "From get_booking_options.",
    more_option_ids: "More dates or rooms: all or none.",
    book_rest: "true: what is free.",
    contact: "Who books.",
    child_ages: "0 to 17.",
    notes: "Wishes for the operator.",
    answers: 'To ask: "slug: answer".',
    another: "true: one more of the same.",
    idempotency_key: idempotencyKeyDescription
  },
  unknownFieldHint: `${beyondService}; put it into notes only as a wish that nobody has agreed to`,
  contact: contactAtOption,
  handler: Effect.gen(function* () {
    const bookings = yield* Bookings
    const summaries = yield* PaymentSummaries
    const hasVoucher = yield* spendsVoucher
    /** One option's booking, or those of several, of which the first is shown in full. */
    const create = (principal: Principal, { book_rest, more_option_ids = [], ...request }: OrderRequest) =>
      more_option_ids.length === 0
        ? Effect.map(bookings.create(principal, request), (created): CreatedOrder => ({
            made: [created],
            not_booked: [],
            others: created.others
          }))
        : bookings.createOrder(principal, {
            ...request,
            more_option_ids,
            ...(book_rest === undefined ? {} : { book_rest })
          })
    return (request) =>
      Effect.gen(function* () {
        const { made, not_booked, others: live } = yield* create(yield* CurrentPrincipal, request)
        const [{ row, venue }, ...rest] = made
        const { booking: alone, next_step } = bookingWithNextStep(
          row,
          yield* venue === undefined ? summaries.read(row) : summaries.ofNew(row, venue),
          {},
          yield* hasVoucher(row)
        )
        const booking = withTogether(
          alone,
          rest.map((one) => one.row)
        )
        const already_existed = made.every((one) => one.already_existed)
        const first = afterOrder(
          made.map((one) => one.row),
          not_booked
        )
        const kept = already_existed ? ignoredChanges(request, booking, row.answers) : undefined
        const others = withOthers(live)
        const answer = (brief: boolean) => ({
          next_step: `${first} ${next_step} ${bookingNotes({ booking, kept, others }, brief)}`.trim(),
          booking,
          already_existed,
          ...(not_booked.length === 0 ? {} : { not_booked: not_booked.map(({ option_id }) => option_id) }),
          ...others
        })
        return fitView(
          answer(false),
          [
            () => answer(true),
            (view) => ({ ...view, booking: withoutOtherStarts(view.booking) }),
            (view) => ({ ...view, booking: withoutStepTexts(view.booking) }),
            // `when` has the start, too.
            ({ other_bookings = [], ...view }) => ({
              ...view,
              other_bookings: other_bookings.map((other) => Struct.omit(other, ["start"]))
            })
          ],
          []
        )
      })
  })
})
