/** What the page at `/checkout/return` shows to the payer: the state of the payment, after the provider was asked about it. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { bookingIn, LinkTokens } from "../access/LinkTokens.ts"
import type { BookingRow } from "../booking/Booking.ts"
import { Bookings } from "../booking/Bookings.ts"
import { asOf } from "../booking/Lifecycle.ts"
import type { Reference } from "../kernel/Ids.ts"
import { dayMs, type Instant, inWords } from "../kernel/LocalTime.ts"
import { display } from "../kernel/Money.ts"
import { PaymentInquiry } from "./workers/PaymentInquiry.ts"
import type { PaymentSessionRow } from "./sessions/PaymentSession.ts"
import { PaymentSessions } from "./sessions/PaymentSessions.ts"

/**
 * The state of the payment. `confirmed`: what was due is paid; `on_its_way`: the provider has the payment and not yet the money;
 * `open`: the page can be paid on; `failed`, `closed`: it was not paid, the places are still held; `ended`: not paid, and the places
 * are free; `going_back`, `paid_back`: money came for a booking that is over, or was given back; `cancelled`: over, and nothing
 * goes back.
 */
export type PayerStatus =
  | "confirmed"
  | "on_its_way"
  | "open"
  | "failed"
  | "closed"
  | "ended"
  | "going_back"
  | "paid_back"
  | "cancelled"

/** What the page shows. */
export interface PayerView {
  readonly status: PayerStatus
  readonly reference: Reference
  readonly package_name: string
  readonly playroom_name: string
  /** The visit's start, in local words. */
  readonly start: string
  /** What this payment was about, in words for people. */
  readonly amount?: string
  /** Whether the payment is the balance of a booking that is confirmed already. */
  readonly balance: boolean
  /** The payment page, while it can be paid on. */
  readonly url?: string
  /** Until when the places are held, in local words. */
  readonly held_until?: string
}

/** How long after the visit's end the address still shows it. */
const shownForMs = 90 * dayMs

const sessionStatus = (session: PaymentSessionRow, now: Instant): PayerStatus => {
  if (session.status === "paid") return "confirmed"
  if (session.status === "processing") return "on_its_way"
  if (session.status === "failed") return "failed"
  return session.status === "open" && now < session.expires_at ? "open" : "closed"
}

/** Pure. `session`: the one that the payer comes from, as far as is known the latest. */
const statusOf = (booking: BookingRow, session: PaymentSessionRow | undefined, now: Instant): PayerStatus => {
  const { payment_status, status } = booking
  if (status === "confirmed") {
    return session?.purpose === "balance" ? sessionStatus(session, now) : "confirmed"
  }
  if (payment_status === "refund_pending") return "going_back"
  if (payment_status === "refunded" || payment_status === "partially_refunded") return "paid_back"
  if (session?.status === "processing") return "on_its_way"
  if (status === "cancelled") return "cancelled"
  if (status === "expired") return "ended"
  return session === undefined ? "closed" : sessionStatus(session, now)
}

export class CheckoutReturn extends Context.Service<
  CheckoutReturn,
  {
    /** What the payer of a token's booking sees now; none where the token opens nothing (any more). */
    readonly read: (token: string) => Effect.Effect<Option.Option<PayerView>, SqlError.SqlError>
  }
>()("playroom/payment/CheckoutReturn") {
  static readonly layer = Layer.effect(
    CheckoutReturn,
    Effect.gen(function* () {
      const links = yield* LinkTokens
      const bookings = yield* Bookings
      const sessions = yield* PaymentSessions
      const inquiry = yield* PaymentInquiry

      const viewOf = (booking: BookingRow, all: ReadonlyArray<PaymentSessionRow>, now: Instant): PayerView => {
        const given = all.filter(({ provider_session_id }) => provider_session_id !== null)
        // Of several pages the one on which something happened.
        const session = given.findLast(({ status }) => status === "processing") ?? given.at(-1)
        const status = statusOf(booking, session, now)
        const words = (instant: Instant) => inWords(booking.terms.time_zone, instant)
        return {
          status,
          reference: booking.reference,
          package_name: booking.terms.package_name,
          playroom_name: booking.terms.playroom_name,
          start: words(booking.starts_at),
          balance: booking.status === "confirmed" && session?.purpose === "balance",
          ...(session === undefined ? {} : { amount: display(session.amount, session.currency) }),
          ...(status === "open" && session?.url ? { url: session.url } : {}),
          ...(booking.status === "held" && booking.hold_expires_at !== null
            ? { held_until: words(booking.hold_expires_at) }
            : {})
        }
      }

      const read = Effect.fn("CheckoutReturn.read")(function* (token: string) {
        const named = bookingIn(token)
        if (Option.isNone(named)) return Option.none<PayerView>()
        const booking_id = named.value
        if (!(yield* links.opens(token, { page: "checkout_return", booking_id, counter: 0 }))) return Option.none()
        const now = yield* Clock.currentTimeMillis
        const booking = bookings.get(booking_id).pipe(
          Effect.asSome,
          Effect.catchTag("BookingNotFound", () => Effect.succeed(Option.none<BookingRow>()))
        )
        const rows = Effect.all([booking, sessions.ofBooking(booking_id)])
        const [found, all] = yield* rows
        if (Option.isNone(found) || found.value.ends_at + shownForMs <= now) return Option.none()
        if (!(yield* inquiry.ask(found.value, all))) return Option.some(viewOf(asOf(found.value, now), all, now))
        const [after, allAfter] = yield* rows
        return Option.map(after, (booking) => viewOf(asOf(booking, now), allAfter, now))
      })

      return CheckoutReturn.of({ read })
    })
  )
}
