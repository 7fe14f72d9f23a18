/** Data of the page at `/checkout/return`: the state of the payment, after asking the provider about it. */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { LinkTokens, paymentIn } from "../../access/LinkTokens.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { bookingLink, BookingLinks } from "../../booking/BookingLinks.ts"
import type { OperatorContact, Presented } from "../../booking/BookingViews.ts"
import { asOf } from "../../booking/Lifecycle.ts"
import { amountsToPay, laterPayment, nextActor, payBefore, type Standing, standingOf } from "../../booking/Standing.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import type { Playroom } from "../../catalogue/Playroom.ts"
import type { PaymentSessionId, Reference } from "../../kernel/Ids.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import { PaymentSummaries } from "../../payment/PaymentSummaries.ts"
import { Disputes } from "../../payment/refunds/Disputes.ts"
import { countsForBooking, isSentBack, isUnsettled, type RefundRow } from "../../payment/refunds/Refund.ts"
import { RefundRecords } from "../../payment/refunds/RefundRecords.ts"
import { notArrived } from "../../payment/refunds/StillOwed.ts"
import { PaymentInquiry } from "../../payment/settlement/PaymentInquiry.ts"
import { type PaymentSessionRow, presentedBy } from "../../payment/sessions/PaymentSession.ts"
import { PaymentSessions } from "../../payment/sessions/PaymentSessions.ts"
import { type GoesBack, waysBack } from "../family/MoneyFacts.ts"

/**
 * The state of the payment.
 * - `confirmed`: the amount due is paid.
 * - `on_its_way`: the provider is processing the payment.
 * - `open`: the payment page accepts a payment.
 * - `failed`, `closed`: not paid; the places are still held.
 * - `ended`: not paid; the places are free again.
 * - `going_back`, `paid_back`: the booking ended and its money is being refunded, or is refunded.
 * - `cancelled`: cancelled without a refund.
 * - `not_needed_going_back`, `not_needed_paid_back`: the booking is confirmed, but this payment was a duplicate, or a
 *   move had changed the amount. It is being refunded, or is refunded.
 * - `under_review`: the payment is not what was asked for, and a person decides about it.
 * - `sent_back`: such a payment goes back, or went back, and does not count.
 * - `nothing_due`: the booking is confirmed, this page was not paid, and nothing is left to pay.
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
  | "under_review"
  | "sent_back"
  | "asks_venue"

/** Data that the page shows. */
export interface PayerView {
  readonly status: PayerStatus
  readonly reference: Reference
  readonly package_name: string
  readonly playroom_name: string
  readonly operator: OperatorContact
  /** When this was read. */
  readonly now: Instant
  readonly time_zone: string
  readonly address: string
  readonly starts_at: Instant
  readonly ends_at: Instant
  /** The playroom's pictures, if it is still listed. */
  readonly photos: Playroom["photos"]
  /** The amount of this payment, in minor units. */
  readonly amount: number
  readonly currency: string
  /** What the payer paid instead, in a currency of their own. */
  readonly presented?: Presented
  /** Whether this payment is the balance of a confirmed booking. */
  readonly balance: boolean
  /** The booking's unpaid amount, in minor units, when it is due, and whether the booking's page accepts it. */
  readonly outstanding: number
  readonly outstanding_by?: Instant
  /** It is paid at the venue only. */
  readonly outstanding_at_venue?: true
  readonly payable: boolean
  /** What goes back of the booking, or of a duplicate payment. */
  readonly refund: GoesBack
  /** The payment page, while it is open. */
  readonly url?: string
  /** The last try on the open page was declined. */
  readonly declined?: true
  /** When the hold ends, while it can be paid. */
  readonly held_until?: Instant
  /** The family's page of the booking; absent if the payer may not see its address. */
  readonly page_url?: string
  /** Why it is absent. */
  readonly page_withheld?: PageWithheld
  /** The booking's pay page, if the payer came from there and something can be paid. */
  readonly pay_url?: string
}

/**
 * Why a payer may not see the address of the family's page: its link was renewed after the payment page was created, a
 * guest who may only read and pay has found the booking, or the payer came from the pay page, whose address opens no
 * more than itself.
 */
type PageWithheld = "renewed" | "found" | "pay_page"

const sessionStatus = (session: PaymentSessionRow, now: Instant): PayerStatus => {
  if (session.status === "paid") return "confirmed"
  if (session.status === "processing") return "on_its_way"
  if (session.status === "failed") return "failed"
  return session.status === "open" && now < session.expires_at ? "open" : "closed"
}

/** The status of a confirmed booking's payment page. */
const confirmedStatus = (
  session: PaymentSessionRow | undefined,
  { now, outstanding, returned }: Facts
): PayerStatus => {
  if (returned.length > 0) return returned.some(isUnsettled) ? "not_needed_going_back" : "not_needed_paid_back"
  if (session?.purpose !== "balance") return "confirmed"
  const was = sessionStatus(session, now)
  return outstanding === 0 && (was === "failed" || was === "closed") ? "nothing_due" : was
}

/** The payer's status for a booking's standing. Pure. `session`: the payment page that the payer comes from. */
export const payerStatus = (standing: Standing, session: PaymentSessionRow | undefined, facts: Facts): PayerStatus => {
  if (session !== undefined && session.misfit !== null) return "under_review"
  if (facts.sent_back) return "sent_back"
  const processing = session?.status === "processing"
  switch (standing.kind) {
    case "to_pay":
    case "payment_failed":
    case "not_payable":
    case "payment_processing":
    case "payment_under_review":
    case "arriving":
      return session === undefined ? "closed" : sessionStatus(session, facts.now)
    case "free":
    case "paid":
    case "balance_due":
    case "balance_overdue":
    case "balance_processing":
    case "balance_under_review":
    case "over":
    case "did_not_come":
      return confirmedStatus(session, facts)
    case "confirmed_paid_back":
      return "asks_venue"
    case "released":
      if (processing || standing.money === "processing" || standing.money === "under_review") return "on_its_way"
      return standing.money === "going_back" || standing.money === "paid_back" ? standing.money : "ended"
    case "expired":
      return processing ? "on_its_way" : "ended"
    case "cancelled":
    case "cancelled_kept":
      return processing ? "on_its_way" : "cancelled"
    case "expired_processing":
    case "cancelled_processing":
    case "expired_under_review":
    case "cancelled_under_review":
      return "on_its_way"
    case "expired_going_back":
    case "cancelled_going_back":
      return "going_back"
    case "expired_paid_back":
    case "cancelled_paid_back":
      return "paid_back"
  }
}

/** The tokens in the address that a payer returns to. */
export interface ReturnTokens {
  readonly booking: string
  readonly payment: string
}

/** What the payer's status depends on besides the standing and the session. */
interface Facts {
  readonly now: Instant
  readonly outstanding: number
  /** The refunds of the session, if it was a duplicate payment, which no booking counts. */
  readonly returned: ReadonlyArray<RefundRow>
  /** The session's money was not what was asked for, and goes back. */
  readonly sent_back: boolean
}

/** The booking and session that the tokens open. `page_withheld`: why the payer may not see the booking's page. */
interface Opened {
  readonly booking: BookingRow
  readonly session: PaymentSessionId | undefined
  readonly page_withheld: PageWithheld | undefined
}

export class CheckoutReturn extends Context.Service<
  CheckoutReturn,
  {
    /**
     * What a payer with these tokens sees now; none if neither token opens anything. The payment token selects one of
     * the booking's payments, and still works after the booking's link was renewed.
     */
    readonly read: (tokens: ReturnTokens) => Effect.Effect<Option.Option<PayerView>, SqlError.SqlError>
  }
>()("playroom/pages/checkout/CheckoutReturn") {
  static readonly layer = Layer.effect(
    CheckoutReturn,
    Effect.gen(function* () {
      const links = yield* BookingLinks
      const linkTokens = yield* LinkTokens
      const sessions = yield* PaymentSessions
      const refundRecords = yield* RefundRecords
      const disputes = yield* Disputes
      const summaries = yield* PaymentSummaries
      const inquiry = yield* PaymentInquiry
      const catalogue = yield* Catalogue

      /** The payment of a valid payment token. */
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
        const sessionOf = ({ booking_id }: BookingRow) =>
          session?.booking_id === booking_id ? session.payment_session_id : undefined
        if (Option.isSome(byLink)) {
          const found = yield* links.wasFound(byLink.value.booking_id)
          return Option.some<Opened>({
            booking: byLink.value,
            session: sessionOf(byLink.value),
            page_withheld: found ? "found" : undefined
          })
        }
        const byPayPage = yield* links.opened("pay", booking)
        if (Option.isSome(byPayPage)) {
          return Option.some<Opened>({
            booking: byPayPage.value,
            session: sessionOf(byPayPage.value),
            page_withheld: "pay_page"
          })
        }
        if (session === undefined) return Option.none<Opened>()
        return Option.map(yield* links.stillShown(session.booking_id), (booking): Opened => ({
          booking,
          session: session.payment_session_id,
          page_withheld: "renewed"
        }))
      })

      const viewOf = Effect.fnUntraced(function* (
        { booking: row, page_withheld, session: named }: Opened,
        all: ReadonlyArray<PaymentSessionRow>
      ) {
        const summary = yield* summaries.read(row)
        const { now } = summary
        const booking = asOf(row, now)
        const given = all.filter(({ provider_session_id }) => provider_session_id !== null)
        const own = given.find(({ payment_session_id }) => payment_session_id === named)
        // If this session was not paid, prefer the one that is processing.
        const processing = given.findLast(({ status }) => status === "processing")
        const session = own?.status === "paid" ? own : (processing ?? own ?? given.at(-1))
        const presented = session && presentedBy(session)
        const { outstanding } = amountsToPay(booking, summary)
        const refunds = yield* refundRecords.ofBooking(row)
        const returned = refunds.filter(
          (one) => one.payment_session_id === session?.payment_session_id && !countsForBooking(one, refunds)
        )
        const standing = standingOf(booking, summary)
        const status = payerStatus(standing, session, {
          now,
          outstanding,
          returned,
          sent_back: session !== undefined && isSentBack(session, refunds)
        })
        const held_until = payBefore(standing)
        const payable =
          outstanding > 0 && nextActor(standing) !== "service" && (booking.status === "held" || summary.balance_online)
        const { currency, ends_at, reference, starts_at, terms } = booking
        const later = booking.status === "confirmed" ? laterPayment(booking, summary) : undefined
        const photos = yield* catalogue.venue(booking.playroom_id).pipe(
          Effect.map(({ playroom }) => playroom.photos),
          Effect.catchTag("PlayroomNotFound", () => Effect.succeed([]))
        )
        return {
          status,
          reference,
          package_name: terms.package_name,
          playroom_name: terms.playroom_name,
          operator: summary.operator,
          now,
          time_zone: terms.time_zone,
          address: terms.address,
          starts_at,
          ends_at,
          photos,
          amount: session?.misfit?.amount ?? session?.amount ?? booking.due_now,
          currency: session?.misfit?.currency ?? session?.currency ?? currency,
          balance: booking.status === "confirmed" && session?.purpose === "balance",
          outstanding,
          refund:
            session === undefined || returned.length === 0
              ? waysBack(summary)
              : notArrived([session], returned, yield* disputes.ofBooking(row), null),
          ...(later === undefined ? {} : { outstanding_by: Date.parse(later.due_at) }),
          ...(terms.balance_at_venue === true ? { outstanding_at_venue: true as const } : {}),
          payable,
          ...(status === "open" && outstanding > 0 && session?.url ? { url: session.url } : {}),
          ...(held_until === undefined ? {} : { held_until }),
          ...(status === "open" && nextActor(standing) === "payer" && summary.last_attempt !== undefined
            ? { declined: true as const }
            : {}),
          ...(presented === undefined ? {} : { presented }),
          ...(page_withheld === undefined ? { page_url: summary.page_url } : { page_withheld }),
          ...(page_withheld === "pay_page" && payable
            ? { pay_url: yield* linkTokens.address(bookingLink("pay", row)) }
            : {})
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
      Catalogue.layer,
      Disputes.layer,
      LinkTokens.layer,
      PaymentInquiry.layer,
      PaymentSessions.layer,
      PaymentSummaries.layer,
      RefundRecords.layer
    ])
  )
}
