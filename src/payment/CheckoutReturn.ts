/** What the page at `/checkout/return` shows to the payer: the state of the payment, after the provider was asked about it. */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { LinkTokens, paymentIn } from "../access/LinkTokens.ts"
import type { BookingRow } from "../booking/Booking.ts"
import { BookingLinks } from "../booking/BookingLinks.ts"
import { asOf } from "../booking/Lifecycle.ts"
import { amountsToPay, type Standing, standingOf } from "../booking/Standing.ts"
import type { PaymentSessionId, Reference } from "../kernel/Ids.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { PaymentSummaries } from "./PaymentSummaries.ts"
import type { RefundRow } from "./refunds/Refund.ts"
import { RefundRecords } from "./refunds/RefundRecords.ts"
import { PaymentInquiry } from "./settlement/PaymentInquiry.ts"
import type { PaymentSessionRow } from "./sessions/PaymentSession.ts"
import { PaymentSessions } from "./sessions/PaymentSessions.ts"

/**
 * The state of the payment. `confirmed`: what was due is paid; `on_its_way`: the provider has the payment and not yet the money;
 * `open`: the page can be paid on; `failed`, `closed`: it was not paid, the places are still held; `ended`: not paid, and the places
 * are free; `going_back`, `paid_back`: money came for a booking that is over, or was given back; `cancelled`: over, and nothing
 * goes back. Of a confirmed booking: `not_needed_going_back`, `not_needed_paid_back`: the payment was for what was paid, or had changed
 * with a move, before it came; `nothing_due`: it was not paid, and nothing is left to pay.
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
  | "not_needed_going_back"
  | "not_needed_paid_back"
  | "nothing_due"

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
  /** What is still to be paid of the booking, in minor units, and whether it can be paid on the booking's page. */
  readonly outstanding: number
  readonly payable: boolean
  /** The payment page, while it can be paid on. */
  readonly url?: string
  /** Until when the places are held. */
  readonly held_until?: Instant
  /** The family's page of the booking; absent where its link was renewed after the payment page was made. */
  readonly page_url?: string
}

const sessionStatus = (session: PaymentSessionRow, now: Instant): PayerStatus => {
  if (session.status === "paid") return "confirmed"
  if (session.status === "processing") return "on_its_way"
  if (session.status === "failed") return "failed"
  return session.status === "open" && now < session.expires_at ? "open" : "closed"
}

/** The refund of a payment that never counted as the booking's money. */
const returnOf = (session: PaymentSessionRow, refunds: ReadonlyArray<RefundRow>): RefundRow | undefined =>
  refunds.find(
    ({ cause, payment_session_id }) =>
      cause === "duplicate_payment" && payment_session_id === session.payment_session_id
  )

/** What became of a payment page of a booking that is confirmed. */
const confirmedStatus = (session: PaymentSessionRow | undefined, { now, outstanding, refunds }: Known): PayerStatus => {
  const returned = session && returnOf(session, refunds)
  if (returned !== undefined) return returned.status === "succeeded" ? "not_needed_paid_back" : "not_needed_going_back"
  if (session?.purpose !== "balance") return "confirmed"
  const was = sessionStatus(session, now)
  return outstanding === 0 && (was === "failed" || was === "closed") ? "nothing_due" : was
}

/** What the payer is told where a booking stands so. Pure. `session`: the one that the payer comes from. */
export const payerStatus = ({ kind }: Standing, session: PaymentSessionRow | undefined, known: Known): PayerStatus => {
  const processing = session?.status === "processing"
  switch (kind) {
    case "to_pay":
    case "payment_failed":
    case "payment_processing":
    case "arriving":
      return session === undefined ? "closed" : sessionStatus(session, known.now)
    case "free":
    case "paid":
    case "balance_due":
    case "balance_overdue":
    case "balance_processing":
    case "over":
      return confirmedStatus(session, known)
    case "expired":
      return processing ? "on_its_way" : "ended"
    case "cancelled":
    case "cancelled_kept":
      return processing ? "on_its_way" : "cancelled"
    case "expired_processing":
    case "cancelled_processing":
      return "on_its_way"
    case "expired_going_back":
    case "cancelled_going_back":
      return "going_back"
    case "expired_paid_back":
    case "cancelled_paid_back":
      return "paid_back"
  }
}

/** What the address has that a payer comes back to. */
export interface ReturnTokens {
  readonly booking: string
  readonly payment: string
}

/** What the rows say beside the standing and the session. */
interface Known {
  readonly now: Instant
  readonly outstanding: number
  readonly refunds: ReadonlyArray<RefundRow>
}

/** Whose payer comes back. `knows_page`: may be led to the booking's page. */
interface Opened {
  readonly booking: BookingRow
  readonly session: PaymentSessionId | undefined
  readonly knows_page: boolean
}

export class CheckoutReturn extends Context.Service<
  CheckoutReturn,
  {
    /**
     * What the payer sees now who comes back with these tokens; none where neither opens anything (any more). That of the payment says
     * which of a booking's payments it is about, and tells how it stands also where the booking's link was renewed meanwhile.
     */
    readonly read: (tokens: ReturnTokens) => Effect.Effect<Option.Option<PayerView>, SqlError.SqlError>
  }
>()("playroom/payment/CheckoutReturn") {
  static readonly layer = Layer.effect(
    CheckoutReturn,
    Effect.gen(function* () {
      const links = yield* BookingLinks
      const linkTokens = yield* LinkTokens
      const sessions = yield* PaymentSessions
      const refundRecords = yield* RefundRecords
      const summaries = yield* PaymentSummaries
      const inquiry = yield* PaymentInquiry

      /** The payment that a token names and proves. */
      const paymentOf = Effect.fnUntraced(function* (token: string) {
        const named = paymentIn(token)
        if (Option.isNone(named)) return Option.none<PaymentSessionRow>()
        const payment_session_id = named.value
        const right = yield* linkTokens.opens(token, { page: "payment", payment_session_id, counter: 0 })
        return right ? yield* sessions.find(payment_session_id) : Option.none()
      })

      const open = Effect.fnUntraced(function* ({ booking, payment }: ReturnTokens) {
        const [byLink, paid] = yield* Effect.all([links.opened("checkout_return", booking), paymentOf(payment)])
        const session = Option.getOrUndefined(paid)
        if (Option.isSome(byLink)) {
          const { booking_id } = byLink.value
          const known = session?.booking_id === booking_id ? session.payment_session_id : undefined
          return Option.some<Opened>({ booking: byLink.value, session: known, knows_page: true })
        }
        if (session === undefined) return Option.none<Opened>()
        return Option.map(yield* links.stillShown(session.booking_id), (booking): Opened => ({
          booking,
          session: session.payment_session_id,
          knows_page: false
        }))
      })

      const viewOf = Effect.fnUntraced(function* (
        { booking: row, knows_page, session: named }: Opened,
        all: ReadonlyArray<PaymentSessionRow>
      ) {
        const summary = yield* summaries.read(row)
        const { now } = summary
        const booking = asOf(row, now)
        const given = all.filter(({ provider_session_id }) => provider_session_id !== null)
        const own = given.find(({ payment_session_id }) => payment_session_id === named)
        // Where it was not paid, the one on which something happens.
        const processing = given.findLast(({ status }) => status === "processing")
        const session = own?.status === "paid" ? own : (processing ?? own ?? given.at(-1))
        const { outstanding } = amountsToPay(booking, summary)
        const refunds = yield* refundRecords.ofBooking(row)
        const status = payerStatus(standingOf(booking, summary), session, { now, outstanding, refunds })
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
          outstanding,
          payable: outstanding > 0 && (booking.status === "held" || summary.balance_online),
          ...(status === "open" && outstanding > 0 && session?.url ? { url: session.url } : {}),
          ...(booking.status === "held" && booking.hold_expires_at !== null
            ? { held_until: booking.hold_expires_at }
            : {}),
          ...(knows_page ? { page_url: summary.page_url } : {})
        } satisfies PayerView
      })

      const read = Effect.fn("CheckoutReturn.read")(function* (tokens: ReturnTokens) {
        const opened = open(tokens)
        const found = yield* opened
        if (Option.isNone(found)) return Option.none<PayerView>()
        const { booking } = found.value
        const sessionRows = sessions.ofBooking(booking.booking_id)
        const all = yield* sessionRows
        if (!(yield* inquiry.askForReader(booking, all))) return Option.some(yield* viewOf(found.value, all))
        const [after, allAfter] = yield* Effect.all([opened, sessionRows])
        if (Option.isNone(after)) return Option.none<PayerView>()
        return Option.some(yield* viewOf(after.value, allAfter))
      })

      return CheckoutReturn.of({ read })
    })
  ).pipe(
    Layer.provide([
      BookingLinks.layer,
      LinkTokens.layer,
      PaymentInquiry.layer,
      PaymentSessions.layer,
      PaymentSummaries.layer,
      RefundRecords.layer
    ])
  )
}
