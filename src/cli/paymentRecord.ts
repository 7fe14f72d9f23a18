/** `playroom payment record` and `returned`: money that was taken at the venue, and that went back there by hand. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { PaymentSessionId, RefundId } from "../kernel/Ids.ts"
import { display, money } from "../kernel/Money.ts"
import { UndonePayments } from "../payment/changes/UndonePayments.ts"
import { VenuePayments } from "../payment/changes/VenuePayments.ts"
import { Refunds } from "../payment/refunds/Refunds.ts"
import { Settlement } from "../payment/settlement/Settlement.ts"
import { VenueWay, wayInWords } from "../payment/sessions/PaymentSession.ts"
import { readAmount } from "./Amounts.ts"
import {
  asShown,
  booking_id,
  bookingMissing,
  by,
  changedSinceShown,
  doAsShown,
  doneBy,
  switchFlag,
  given,
  bookingNamed,
  whoDoes
} from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { json, print } from "./Output.ts"

const way = Flag.Literals("way", VenueWay.literals).pipe(Flag.withDescription("How: cash, card or transfer"))

/** Takes a payment at the venue. A part needs the code of a preview, so that nobody records it twice. */
export const record = Command.make(
  "record",
  {
    booking_id,
    amount: Argument.String("amount").pipe(
      Argument.withDescription(
        "What was paid, in the booking's currency, like 45.00; all that is owed, or a part of it"
      )
    ),
    way,
    by,
    preview: switchFlag("preview", "Say what it would do, and change nothing"),
    asShown,
    json
  },
  Effect.fn(function* ({ amount: text, asShown, booking_id, by, json, preview, way }) {
    const found = yield* bookingNamed(booking_id)
    const amount = yield* readAmount(text, found, "AMOUNT takes")
    const payments = yield* VenuePayments
    const who = yield* doneBy(by)
    const take = (options: Parameters<typeof payments.record>[2]) =>
      payments.record(found.booking_id, { amount, way, ...who }, options).pipe(
        Effect.catchTags({
          ...bookingMissing(booking_id),
          BookingCancelled: () => failed(`${booking_id} is cancelled.`),
          HoldExpired: () => failed(`${booking_id} has expired: its places are free. Book it again.`),
          VenuePaymentRefused: failed,
          ChangedSinceShown: changedSinceShown
        })
      )
    const planned = Option.isSome(asShown) ? undefined : yield* take({ preview: true })
    if (planned !== undefined && !preview && planned.left.amount > 0) {
      return yield* failed(
        `${planned.amount.display} is a part: ${planned.left.display} would be left. So that no part is recorded twice, say it as --preview shows it: --as-shown ${planned.shown}`
      )
    }
    const done = planned !== undefined && preview ? planned : yield* take({ preview, ...given("shown", asShown) })
    const { booking, confirms, left } = done
    const rest = left.amount === 0 ? "nothing is left to pay" : `${left.display} is left to pay`
    const what = `${done.amount.display} ${wayInWords[way]}`
    return yield* print(
      json,
      { preview, ...done },
      [
        preview
          ? `${booking.reference}, if ${what} were recorded now: ${confirms ? "it is confirmed, and " : ""}${rest}. Nothing was changed.`
          : `${booking.reference}: ${what} is recorded; ${confirms ? "it is confirmed, and " : ""}${rest}. A running node closes its payment pages.`,
        ...(preview ? [doAsShown(done)] : [])
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Record what was paid at the venue; the pages that ask for it are closed"))

/** A payment at the venue that was recorded by mistake. */
export const undo = Command.make(
  "undo",
  {
    payment_session_id: Argument.String("payment").pipe(
      Argument.withDescription("payment_…, as `booking show` prints it: taken at the venue"),
      Argument.withSchema(PaymentSessionId)
    ),
    by,
    preview: switchFlag("preview", "Say what it would do, and change nothing"),
    asShown,
    json
  },
  Effect.fn(function* ({ asShown, by, json, payment_session_id, preview }) {
    const who = yield* doneBy(by)
    const done = yield* UndonePayments.use((payments) =>
      payments.undo(payment_session_id, {
        preview,
        ...given("shown", asShown),
        ...who
      })
    ).pipe(
      Effect.catchTags({
        ...bookingMissing(payment_session_id),
        UndoRefused: failed,
        ChangedSinceShown: changedSinceShown
      })
    )
    const { amount, booking, left } = done
    return yield* print(
      json,
      { preview, ...done },
      [
        `${booking.reference}${preview ? ", if this were undone now" : ""}: ${amount.display} was never paid; ${left.display} is left to pay. ${preview ? "Nothing was changed." : "The accounts have it on its day, and its opposite today."}`,
        ...(preview ? [doAsShown(done)] : [])
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Undo a payment at the venue that was recorded by mistake: nothing is given back"))

/** A person's word about a payment that is not what was asked for. */
export const decide = Command.make(
  "decide",
  {
    payment_session_id: Argument.String("payment").pipe(
      Argument.withDescription("payment_…, as `doctor` and `booking show` print it"),
      Argument.withSchema(PaymentSessionId)
    ),
    take: switchFlag(
      "take",
      "The money is this booking's: what is missing is due as usual, and what is too much goes back"
    ),
    sendBack: switchFlag("send-back", "The money goes back to the payer, and the booking asks for its own again"),
    by,
    json
  },
  Effect.fn(function* ({ by, json, payment_session_id, sendBack, take }) {
    if (take === sendBack) return yield* failed("Say either --take or --send-back.")
    const { done_by } = yield* doneBy(by)
    const done = yield* Settlement.use((settlement) =>
      settlement.decide(payment_session_id, take ? "take" : "send_back", done_by)
    ).pipe(Effect.catchTags({ MisfitUndecided: failed }))
    const { amount, asked, booking, currency, text } = done
    return yield* print(
      json,
      { payment_session_id, decision: take ? "take" : "send_back", amount: money(amount, currency), booking, text },
      `${booking.reference}, ${display(amount, currency)} where ${display(asked, booking.currency)} was asked for: ${text}. The booking is ${booking.status}.${take ? "" : " A running node sends the refund to the provider."}`
    )
  })
).pipe(Command.withDescription("Decide about a payment that is not what was asked for: take it, or send it back"))

/** A refund that a person has given back by hand. */
export const returned = Command.make(
  "returned",
  {
    refund_id: Argument.String("refund").pipe(
      Argument.withDescription("refund_…, as `doctor` and `booking show` print it"),
      Argument.withSchema(RefundId)
    ),
    way,
    by,
    json
  },
  Effect.fn(function* ({ by, json, refund_id, way }) {
    const who = yield* whoDoes(by)
    const done = yield* Refunds.use((refunds) => refunds.markPaidBack(refund_id, way, who))
    if (Option.isNone(done)) {
      return yield* failed(`${refund_id} is not to be given back by hand: see playroom doctor, or booking show.`)
    }
    const { amount, booking_id, currency } = done.value
    return yield* print(
      json,
      { refund_id, booking_id, amount, currency, way },
      `${refund_id}: ${display(amount, currency)} was given back ${wayInWords[way]}, and so says the history of ${booking_id}.`
    )
  })
).pipe(
  Command.withDescription(
    "Record that you gave a refund back by hand: of a payment at the venue, or where the provider could not"
  )
)
