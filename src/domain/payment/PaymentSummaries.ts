/** A booking's payments and refunds, and its operator's contact, for the views of a booking. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { LinkTokens } from "../../platform/access/LinkTokens.ts"
import type { BookingRow } from "../booking/Booking.ts"
import { bookingLink } from "../booking/BookingLinks.ts"
import { BookingRecords } from "../booking/BookingRecords.ts"
import type { PaymentSummary } from "../booking/BookingViews.ts"
import type { PaymentFacts } from "../booking/Standing.ts"
import { closedAccountOf, contactOf, offerOf } from "../catalogue/Operator.ts"
import { type OperatorOfBooking, Operators } from "../catalogue/Operators.ts"
import { packageOf, type Venue } from "../catalogue/Playroom.ts"
import { PaymentInquiry } from "./settlement/PaymentInquiry.ts"
import { VoucherSales } from "./settlement/VoucherSales.ts"
import { makePaymentLink, balanceOnline, holdPayable } from "./checkout/SessionRequest.ts"
import {
  isForBalance,
  lastAttempt,
  misfitOf,
  payableUntil,
  presentedBy,
  type PaymentSessionRow,
  sessionView,
  wasGivenOut
} from "./sessions/PaymentSession.ts"
import { PaymentSessions } from "./sessions/PaymentSessions.ts"
import { Disputes, isUndecided } from "./refunds/Disputes.ts"
import {
  countsForBooking,
  isBalancePaid,
  isFailedAndOwed,
  isSentBack,
  refundable,
  sentBackOf
} from "./refunds/Refund.ts"
import { RefundRecords } from "./refunds/RefundRecords.ts"
import { notArrived } from "./refunds/BookingLedger.ts"

const reviewOf = ({ misfit, session }: NonNullable<ReturnType<typeof misfitOf>>) => ({
  purpose: session.purpose,
  amount: misfit.amount,
  currency: misfit.currency
})

/** Whether a payment was settled after the booking was read and before its sessions were. */
const isOutdated = (booking: BookingRow, sessions: ReadonlyArray<PaymentSessionRow>): boolean => {
  const { payment_status, status } = booking
  const paid = sessions.filter((one) => one.status === "paid")
  const unsettled = payment_status === "deposit_paid" || payment_status === "not_required"
  return (
    (status === "held" && paid.some(({ purpose }) => purpose === "due_now")) ||
    (status === "confirmed" && unsettled && paid.some((one) => isForBalance(one, booking)))
  )
}

export class PaymentSummaries extends Context.Service<
  PaymentSummaries,
  {
    /** Reads our own rows; does not ask the provider. */
    readonly read: (booking: BookingRow) => Effect.Effect<PaymentSummary, SqlError.SqlError>
    /** Of a booking that was just made: it has no payments, and its venue is known. Reads nothing. */
    readonly ofNew: (booking: BookingRow, venue: Venue) => Effect.Effect<PaymentSummary, SqlError.SqlError>
    /** An operator's bookings with money that is not what was asked for, about which a person has to decide. */
    readonly underReview: (
      operator_id: string
    ) => Effect.Effect<ReadonlyMap<string, NonNullable<PaymentFacts["under_review"]>>, SqlError.SqlError>
    /**
     * Whether a booking's balance is paid. The payment status answers this, unless there was a refund: then its
     * payments are read.
     */
    readonly balancePaid: (
      listed: Pick<BookingRow, "booking_id" | "payment_status" | "status">
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /**
     * Like `read`, but asks the provider first about sessions that may have been paid (`PaymentInquiry.ts`).
     * `outdated`: the provider answered, or an event arrived; read the booking and its summary again.
     */
    readonly refresh: (
      booking: BookingRow
    ) => Effect.Effect<{ readonly summary: PaymentSummary; readonly outdated: boolean }, SqlError.SqlError>
  }
>()("playroom/payment/PaymentSummaries") {
  static readonly layer = Layer.effect(
    PaymentSummaries,
    Effect.gen(function* () {
      const disputes = yield* Disputes
      const operators = yield* Operators
      const sessions = yield* PaymentSessions
      const refunds = yield* RefundRecords
      const inquiry = yield* PaymentInquiry
      const sales = yield* VoucherSales
      const links = yield* LinkTokens
      const records = yield* BookingRecords
      const withPaymentLink = yield* makePaymentLink

      const venueOf = (booking: BookingRow) => operators.ofBooking(booking)

      const together = { concurrency: 2 } as const

      const summaryOf = Effect.fnUntraced(function* (
        booking: BookingRow,
        all: ReadonlyArray<PaymentSessionRow>,
        { bring, operator, questions }: OperatorOfBooking
      ) {
        const now = yield* Clock.currentTimeMillis
        const paid = all.some(({ status }) => status === "paid")
        const [known, disputed] = paid
          ? yield* Effect.all([refunds.ofBooking(booking), disputes.ofBooking(booking)], together)
          : [[], []]
        const balance_paid = isBalancePaid(booking, all, known)
        const latest = all.findLast((one) => wasGivenOut(one) && !isSentBack(one, known))
        const question = misfitOf(all)
        const closed = closedAccountOf(operator)
        const sent = all.flatMap((one) => sentBackOf(one, known, closed) ?? [])
        const view = latest && sessionView(latest, booking, now)
        const session = view && (yield* withPaymentLink(view, booking))
        const presented = all.flatMap((one) => {
          const told = presentedBy(one)
          return told === undefined ? [] : [told]
        })
        const counting = all.filter((one) => countsForBooking(one, known))
        const owed = known.some(isFailedAndOwed) ? yield* refunds.decided(booking.booking_id) : null
        const back = notArrived(counting, known, disputed, { closed, owed })
        const isAsked = (one: PaymentSessionRow) =>
          booking.status === "held" ? one.purpose === "due_now" : isForBalance(one, booking)
        const attempt = lastAttempt(all.filter((one) => isAsked(one) && !isSentBack(one, known)))
        const end = latest?.status === "open" ? payableUntil(latest, booking) : -Infinity
        return {
          now,
          operator: { name: operator.name, ...contactOf(operator) },
          ...(bring === undefined ? {} : { bring }),
          ...(questions.length === 0 ? {} : { questions }),
          ...(session === undefined ? {} : { session }),
          ...(presented.length === 0 ? {} : { presented }),
          ...(now < end ? { payable_until: end } : {}),
          ...(attempt === undefined ? {} : { last_attempt: { at: attempt.at, outcome: attempt.outcome } }),
          ...(question === undefined ? {} : { under_review: reviewOf(question) }),
          ...(sent.length === 0 ? {} : { sent_back: sent }),
          ...refundable(all, known),
          refund_on_its_way: back.amount,
          ...(back.by_hand === 0 ? {} : { refund_by_hand: back.by_hand }),
          ...(back.disputed === 0 ? {} : { refund_disputed: back.disputed }),
          ...(back.blocked === 0 ? {} : { refund_blocked: back.blocked }),
          ...(closed !== undefined && all.some(({ account, status }) => status === "paid" && account === closed)
            ? { account_closed: true as const }
            : {}),
          ...(disputed.some(isUndecided) ? { disputed: true as const } : {}),
          ...(back.failed === 0 ? {} : { refund_failed: back.failed }),
          balance_paid,
          balance_online: yield* balanceOnline(booking, operator, balance_paid, now),
          ...((yield* holdPayable(booking, operator, now)) ? {} : { hold_not_payable: true as const }),
          ...(operator.suspended_at === undefined ? {} : { suspended: true as const }),
          ...(offerOf(operator, now) === undefined ? {} : { sells_vouchers: true as const }),
          page_url: yield* links.address(bookingLink("booking", booking))
        } satisfies PaymentSummary
      })

      const read = Effect.fn("PaymentSummaries.read")(function* (booking: BookingRow) {
        const [all, venue] = yield* Effect.all([sessions.ofBooking(booking.booking_id), venueOf(booking)], together)
        return yield* summaryOf(booking, all, venue)
      })

      const ofNew = (booking: BookingRow, venue: Venue) => {
        const { operator, playroom } = venue
        const { bring } = playroom
        const { questions = [] } = Option.getOrElse(packageOf(venue, booking.package_id), () => ({ questions: [] }))
        return summaryOf(booking, [], { operator, ...(bring === undefined ? {} : { bring }), questions })
      }

      const balancePaid = Effect.fnUntraced(function* ({
        booking_id,
        payment_status,
        status
      }: Pick<BookingRow, "booking_id" | "payment_status" | "status">) {
        if (status !== "confirmed" || payment_status === "paid") return true
        if (payment_status === "deposit_paid" || payment_status === "not_required") return false
        const booking = yield* records.byId(booking_id)
        if (Option.isNone(booking)) return false
        const [all, known] = yield* Effect.all(
          [sessions.ofBooking(booking_id), refunds.ofBooking(booking.value)],
          together
        )
        return isBalancePaid(booking.value, all, known)
      })

      const refresh = Effect.fn("PaymentSummaries.refresh")(function* (booking: BookingRow) {
        const asked = Effect.gen(function* () {
          const all = yield* sessions.ofBooking(booking.booking_id)
          // A page may pay it with others.
          const askers = [inquiry.askForReader(booking, all), sales.askForReader(booking)]
          const answers = yield* Effect.all(askers, together)
          return { all, answered: answers.includes(true) }
        })
        const [{ all, answered }, venue] = yield* Effect.all([asked, venueOf(booking)], together)
        const seems = isOutdated(booking, all)
        const known = seems ? yield* refunds.ofBooking(booking) : []
        const settled =
          seems &&
          isOutdated(
            booking,
            all.filter((one) => !isSentBack(one, known))
          )
        return { summary: yield* summaryOf(booking, all, venue), outdated: answered || settled }
      })

      const underReview = Effect.fn("PaymentSummaries.underReview")(function* (operator_id: string) {
        const found = yield* sessions.misfitsOf(operator_id)
        return new Map(
          found.flatMap((session) =>
            session.misfit === null
              ? []
              : [[session.booking_id, reviewOf({ session, misfit: session.misfit })] as const]
          )
        )
      })

      return PaymentSummaries.of({ balancePaid, ofNew, read, refresh, underReview })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Disputes.layer,
      LinkTokens.layer,
      Operators.layer,
      PaymentInquiry.layer,
      PaymentSessions.layer,
      RefundRecords.layer,
      VoucherSales.layer
    ])
  )
}
