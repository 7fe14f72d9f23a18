/** `playroom booking show|cancel` */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { BookingRow } from "../booking/Booking.ts"
import { Bookings } from "../booking/Bookings.ts"
import { format } from "../kernel/LocalTime.ts"
import { display } from "../kernel/Money.ts"
import { Cancellations } from "../payment/Cancellations.ts"
import type { PaymentSessionRow, RefundRow } from "../payment/PaymentSession.ts"
import { PaymentSessions } from "../payment/PaymentSessions.ts"
import { Refunds } from "../payment/Refunds.ts"
import { CommandFailed } from "./Failure.ts"
import { fields, instant, json, print, table } from "./Output.ts"

const booking_id = Argument.String("booking").pipe(
  Argument.withDescription("booking_… or the reference, like K7M2-9QXD")
)

const orMissing = (id: string) => ({
  BookingNotFound: () => Effect.fail(new CommandFailed({ message: `There is no booking ${id}.` }))
})

const summary = (booking: BookingRow) => {
  const money = (amount: number) => display(amount, booking.currency)
  const zone = booking.terms.time_zone
  return fields([
    ["booking", booking.booking_id],
    ["reference", booking.reference],
    ["status", booking.status],
    ["payment", booking.payment_status],
    ["playroom", `${booking.terms.playroom_name} (${booking.playroom_id})`],
    ["package", booking.terms.package_name],
    ["start", `${format(zone, booking.starts_at)} ${zone}`],
    ["end", format(zone, booking.ends_at)],
    ["party", `${booking.children} children, ${booking.adults} adults`],
    [
      "contact",
      `${booking.contact_name} <${booking.contact_email}>${booking.contact_phone === null ? "" : ` ${booking.contact_phone}`}`
    ],
    ["notes", booking.notes ?? undefined],
    ["total", money(booking.total)],
    ["paid", money(booking.paid)],
    ["refunded", booking.refunded === 0 ? undefined : money(booking.refunded)],
    ["held until", booking.hold_expires_at === null ? undefined : instant(booking.hold_expires_at)],
    ["made with key", booking.key_id],
    ["made", instant(booking.created_at)]
  ])
}

const payments = (sessions: ReadonlyArray<PaymentSessionRow>) =>
  table(
    ["PAYMENT", "FOR", "STATUS", "AMOUNT", "ACCOUNT", "AT THE PROVIDER"],
    sessions.map((session) => [
      session.payment_session_id,
      session.purpose,
      session.flagged === null ? session.status : `${session.status} (!)`,
      display(session.amount, session.currency),
      session.account,
      session.payment_intent_id ?? session.provider_session_id ?? "-"
    ])
  )

const moneyBack = (refunds: ReadonlyArray<RefundRow>) =>
  table(
    ["REFUND", "WHY", "STATUS", "AMOUNT", "AT THE PROVIDER", ""],
    refunds.map((refund) => [
      refund.refund_id,
      refund.cause,
      refund.status,
      display(refund.amount, refund.currency),
      refund.provider_refund_id ?? "-",
      refund.failure ?? ""
    ])
  )

const show = Command.make(
  "show",
  { booking_id, json },
  Effect.fn(function* ({ booking_id, json }) {
    const bookings = yield* Bookings
    const booking = yield* bookings.get(booking_id).pipe(Effect.catchTags(orMissing(booking_id)))
    const history = yield* bookings.history(booking)
    const sessions = yield* PaymentSessions.use((service) => service.ofBooking(booking.booking_id))
    const refunds = yield* Refunds.use((service) => service.ofBooking(booking))
    const parts = [
      summary(booking),
      ...(sessions.length === 0 ? [] : [payments(sessions)]),
      ...(refunds.length === 0 ? [] : [moneyBack(refunds)]),
      table(
        ["WHEN", "WHAT", ""],
        history.map((entry) => [entry.at, entry.event, entry.detail ?? ""])
      )
    ]
    yield* print(json, { booking, history, payment_sessions: sessions, refunds }, parts.join("\n\n"))
  })
).pipe(Command.withDescription("Show a booking and its history"))

const cancel = Command.make(
  "cancel",
  {
    booking_id,
    preview: Flag.Boolean("preview").pipe(
      Flag.withDescription("Say what would be refunded, and change nothing"),
      Flag.withDefault(false)
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Kept in the booking's history"), Flag.optional),
    json
  },
  Effect.fn(function* ({ booking_id, preview, reason, json }) {
    const cancellations = yield* Cancellations
    const done = yield* cancellations
      .cancel(booking_id, { preview, ...(Option.isSome(reason) ? { reason: reason.value } : {}) })
      .pipe(
        Effect.catchTags({
          ...orMissing(booking_id),
          BookingCancelled: () => Effect.fail(new CommandFailed({ message: `${booking_id} is cancelled already.` })),
          HoldExpired: () =>
            Effect.fail(
              new CommandFailed({ message: `${booking_id} is a hold that has expired: there is nothing to cancel.` })
            )
        })
      )
    const { booking, refund, refund_percent } = done
    const back = refund.amount === 0 ? "nothing is refunded" : `${refund.display} is refunded`
    yield* print(
      json,
      { preview, booking, refund_percent, refund },
      preview
        ? `${booking.reference}, if it were cancelled now: ${back} (${refund_percent} %). Nothing was changed.`
        : `${booking.reference} is cancelled; ${back} (${refund_percent} %). A running node sends refunds to the provider.`
    )
  })
).pipe(Command.withDescription("Cancel a booking and refund what its terms give back"))

export const booking = Command.make("booking").pipe(
  Command.withDescription("Show and cancel bookings"),
  Command.withSubcommands([show, cancel])
)
