/** `playroom booking move`: reschedules a booking. */
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import type { BookingOption } from "../availability/BookingOption.ts"
import type { BookingRow } from "../booking/Booking.ts"
import { Bookings } from "../booking/Bookings.ts"
import { deadlineStart } from "../catalogue/RefundSchedule.ts"
import { freeRescheduleUntil } from "../catalogue/VisitTerms.ts"
import { type Rescheduled, rescheduleText } from "../booking/Reschedule.ts"
import { ClockTime, LocalDate, shortDateTime } from "../kernel/LocalTime.ts"
import { display } from "../kernel/Money.ts"
import { Reschedules } from "../payment/changes/Reschedules.ts"
import { asShown, booking_id, bookingMissing, changedSinceShown, doAsShown } from "./Arguments.ts"
import { CommandFailed } from "./Failure.ts"
import { json, print } from "./Output.ts"

const dueText = ({ terms: { price, time_zone } }: BookingRow): string =>
  price.balance_due_at === undefined ? "" : ` by ${shortDateTime(time_zone, Date.parse(price.balance_due_at))}`

const moneyOf = (done: Rescheduled, preview: boolean): string =>
  priceOf(done, preview) +
  (done.waived.amount === 0 ? "" : ` ${done.waived.display} more is too little to be charged, and waived.`)

const priceOf = ({ balance, booking, difference, from, refund }: Rescheduled, preview: boolean): string => {
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

/** Whether the terms allow the move, and from which start they count. For the person who moves the booking. */
const termsOf = ({ booking, free, from }: Rescheduled): ReadonlyArray<string> => {
  const { starts_at, terms } = booking
  const at = (instant: number) => shortDateTime(terms.time_zone, instant)
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

const isDate = Schema.is(LocalDate)
const isTime = Schema.is(ClockTime)

/** The option of `--to`: an option id, or a local start with the booking's package, party and add-ons. */
const optionOf = Effect.fnUntraced(function* (to: string, id: string) {
  const [date = "", time = "", ...rest] = to.split(/[T ]/)
  if (!isDate(date) || !isTime(time) || rest.length > 0) return to
  const booking = yield* Bookings.use((bookings) => bookings.get(id))
  return yield* Reschedules.use((reschedules) => reschedules.optionAt(booking, date, time))
})

const failed = ({ message }: { readonly message: string }) => Effect.fail(new CommandFailed({ message }))

export const move = Command.make(
  "move",
  {
    booking_id,
    to: Flag.String("to").pipe(
      Flag.withDescription(
        "option_… of the same playroom (another package, party or add-ons, too), or a local start for the same party, like 2026-12-05T14:00"
      )
    ),
    preview: Flag.Boolean("preview").pipe(
      Flag.withDescription("Say what it would cost or give back, and change nothing"),
      Flag.withDefault(false)
    ),
    asShown,
    reason: Flag.String("reason").pipe(
      Flag.withDescription("Kept in the booking's history; needed where its terms give no free move"),
      Flag.optional
    ),
    json
  },
  Effect.fn(function* ({ asShown, booking_id, to, preview, reason, json }) {
    const done = yield* Effect.gen(function* () {
      const option_id = yield* optionOf(to, booking_id)
      const why = Option.isSome(reason) ? { reason: reason.value } : {}
      const shown = Option.isSome(asShown) ? { shown: asShown.value } : {}
      return yield* Reschedules.use((reschedules) =>
        reschedules.reschedule(booking_id, { option_id, preview, by: "operator", ...why, ...shown })
      )
    }).pipe(
      Effect.catchTags({
        ...bookingMissing(booking_id),
        BookingCancelled: failed,
        HoldExpired: failed,
        RescheduleRefused: failed,
        ChangedSinceShown: changedSinceShown,
        ChangeUnderWay: failed,
        OperatorUnavailable: failed,
        KeepsChanging: failed,
        OptionInvalid: ({ message }) =>
          failed({ message: `${message} --to takes an option_… that get_booking_options gave, or a local start.` }),
        PriceChanged: ({ message, option }) => failed({ message: `${message} Now it is:\n${optionText(option)}` }),
        SlotUnavailable: ({ alternatives, message }) =>
          failed({
            message: [
              message,
              ...(alternatives.length === 0 ? [] : ["The nearest that can be booked:"]),
              ...alternatives.map(optionText)
            ].join("\n")
          })
      })
    )
    const { booking, difference, from, not_asked } = done
    yield* print(
      json,
      {
        preview,
        ...done,
        difference: { amount: difference, currency: from.currency, display: display(difference, from.currency) }
      },
      [
        preview
          ? `${booking.reference}, if it were moved now: ${rescheduleText(from, booking)}. Nothing was changed.`
          : `${booking.reference} is moved: ${rescheduleText(from, booking)}.`,
        moneyOf(done, preview),
        ...termsOf(done),
        ...(preview ? [doAsShown(done)] : []),
        ...(not_asked === undefined
          ? []
          : [
              `The provider could not be asked what went back before (${not_asked}): it is asked before the refund is sent, which is then less where some did.`
            ])
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Move a booking to another start, package or party of its playroom"))
