/** `playroom payment record` and `returned`: money that was taken at the venue, and that went back there by hand. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { PaymentSessionId, RefundId } from "../../platform/ids/Ids.ts"
import { display, money } from "../../platform/money/Money.ts"
import { undoneField, undoPayment, UndoRefused } from "../../domain/payment/changes/UndonePayments.ts"
import { payAtVenue } from "../../domain/payment/changes/VenuePayments.ts"
import { PaymentSessions } from "../../domain/payment/sessions/PaymentSessions.ts"
import { Bookings } from "../../domain/booking/Bookings.ts"
import { giveBackByHand, NotOwedByHand } from "../../domain/payment/changes/Presses.ts"
import { RefundRecords } from "../../domain/payment/refunds/RefundRecords.ts"
import { VenueWay, wayInWords } from "../../domain/payment/sessions/PaymentSession.ts"
import { Settlement } from "../../domain/payment/settlement/Settlement.ts"
import { aboutBooking, actCommand, pressing } from "./actCommand.ts"
import { bookingMissing, by, doneBy, switchFlag } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { json, print } from "./Output.ts"

const way = Flag.Literals("way", VenueWay.literals).pipe(Flag.withDescription("How: cash, card or transfer"))

export const record = actCommand(payAtVenue, aboutBooking)

/** The booking of a payment. */
const bookingOf = Effect.fnUntraced(function* (id: string) {
  const found = yield* PaymentSessions.use((sessions) => sessions.find(PaymentSessionId.make(id)))
  if (Option.isSome(found)) return yield* Bookings.use((bookings) => bookings.get(found.value.booking_id))
  return yield* failed(new UndoRefused({ payment_session_id: id, reason: "not_recorded" }))
})

export const undo = actCommand(undoPayment, {
  name: undoneField.name,
  param: Argument.String("payment").pipe(
    Argument.withDescription(undoneField.flag),
    Argument.withSchema(PaymentSessionId)
  ),
  find: (id) => Effect.catchTags(bookingOf(id), bookingMissing(id))
})

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
    const found = yield* RefundRecords.use((refunds) => refunds.find(refund_id))
    if (Option.isNone(found)) return yield* failed(new NotOwedByHand({ refund_id }))
    const { booking_id } = found.value
    const { amount } = yield* pressing(giveBackByHand, booking_id, { refund: refund_id, way }, by)
    return yield* print(
      json,
      { refund_id, booking_id, amount: amount.amount, currency: amount.currency, way },
      `${refund_id}: ${amount.display} was given back ${wayInWords[way]}, and so says the history of ${booking_id}.`
    )
  })
).pipe(
  Command.withDescription(
    "Record that you gave a refund back by hand: of a payment at the venue, or where the provider could not"
  )
)
