/** What the page at `/checkout/return` shows to the payer: the state of the payment, after the provider was asked about it. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { LinkTokens } from "../access/LinkTokens.ts"
import type { BookingRow } from "../booking/Booking.ts"
import { bookingLink, BookingLinks } from "../booking/BookingLinks.ts"
import { asOf } from "../booking/Lifecycle.ts"
import type { Reference } from "../kernel/Ids.ts"
import type { Instant } from "../kernel/LocalTime.ts"
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
  readonly time_zone: string
  /** The visit's start. */
  readonly starts_at: Instant
  /** What this payment was about, in minor units. */
  readonly amount: number
  readonly currency: string
  /** Whether the payment is the balance of a booking that is confirmed already. */
  readonly balance: boolean
  /** The payment page, while it can be paid on. */
  readonly url?: string
  /** Until when the places are held. */
  readonly held_until?: Instant
  /** The family's page of the booking. */
  readonly page_url: string
}

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
      const links = yield* BookingLinks
      const tokens = yield* LinkTokens
      const sessions = yield* PaymentSessions
      const inquiry = yield* PaymentInquiry

      const viewOf = Effect.fnUntraced(function* (
        booking: BookingRow,
        all: ReadonlyArray<PaymentSessionRow>,
        now: Instant
      ) {
        const given = all.filter(({ provider_session_id }) => provider_session_id !== null)
        // Of several pages the one on which something happened.
        const session = given.findLast(({ status }) => status === "processing") ?? given.at(-1)
        const status = statusOf(booking, session, now)
        const { currency, reference, starts_at, terms } = booking
        return {
          status,
          reference,
          package_name: terms.package_name,
          playroom_name: terms.playroom_name,
          time_zone: terms.time_zone,
          starts_at,
          amount: session?.amount ?? booking.due_now,
          currency,
          balance: booking.status === "confirmed" && session?.purpose === "balance",
          ...(status === "open" && session?.url ? { url: session.url } : {}),
          ...(booking.status === "held" && booking.hold_expires_at !== null
            ? { held_until: booking.hold_expires_at }
            : {}),
          page_url: yield* tokens.address(bookingLink("booking", booking))
        } satisfies PayerView
      })

      const read = Effect.fn("CheckoutReturn.read")(function* (token: string) {
        const opened = links.opened("checkout_return", token)
        const found = yield* opened
        if (Option.isNone(found)) return Option.none<PayerView>()
        const now = yield* Clock.currentTimeMillis
        const sessionRows = sessions.ofBooking(found.value.booking_id)
        const all = yield* sessionRows
        if (!(yield* inquiry.ask(found.value, all))) return Option.some(yield* viewOf(asOf(found.value, now), all, now))
        const [after, allAfter] = yield* Effect.all([opened, sessionRows])
        if (Option.isNone(after)) return Option.none<PayerView>()
        return Option.some(yield* viewOf(asOf(after.value, now), allAfter, now))
      })

      return CheckoutReturn.of({ read })
    })
  )
}
