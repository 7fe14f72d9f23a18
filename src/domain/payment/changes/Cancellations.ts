/**
 * A booking is cancelled: its capacity is released, and the refund by its terms is requested, once. An operator may
 * refund another amount, for example if a venue closes; a family can't, and not once the visit has begun. A balance
 * that stays unpaid ends a booking in the same way, by the clock.
 */
import { Data, Effect, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { BookingCancelled, BookingRow, HoldExpired } from "../../booking/Booking.ts"
import { balanceMayLapse, isLiveBooking } from "../../booking/Lifecycle.ts"
import { BookingId } from "../../../platform/ids/Ids.ts"
import { hourMs, type Instant } from "../../../platform/time/LocalTime.ts"
import { type Money, money } from "../../../platform/money/Money.ts"
import { isBalancePaid, isReturnedWhole, type RefundRow } from "../refunds/Refund.ts"
import { graceMs, isLive, type PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { type Act, amountInput, amountOf, type Field, reasonField, reasonMissing } from "./Act.ts"
import {
  type BookingChange,
  type BookingChanges,
  type Told,
  type Writes,
  alive,
  type Situation
} from "./BookingChanges.ts"
import {
  type DecidedRefund,
  decideRefund,
  type GivenBack,
  givenBackOf,
  type RefundChoice,
  refundFacts,
  refundInHistory,
  refundOutcome,
  type RefundTooLarge,
  refundRemarks
} from "./RefundDecision.ts"

interface CancelledRefund extends GivenBack {
  /** The share of the refundable amount that the terms give back now. */
  readonly refund_percent: number
  /** The refund by the terms, even if another was chosen. */
  readonly by_terms: Money
}

/** The result or preview of a cancellation. */
export type Cancellation = CancelledRefund & Told

/** A family can't cancel a visit that has begun. */
class VisitBegun extends Schema.TaggedError<VisitBegun>()("VisitBegun", { booking_id: BookingId }) {
  override get message(): string {
    return `The visit of ${this.booking_id} has begun: only the operator can cancel it.`
  }
}

type Refusal = BookingCancelled | HoldExpired | RefundTooLarge

const answer = ({ booking }: Situation, decided: DecidedRefund): CancelledRefund => ({
  ...givenBackOf(booking, decided),
  refund_percent: decided.refund_percent,
  by_terms: money(decided.by_terms, booking.currency)
})

/** What a cancellation gives back: by the terms, in full, nothing, or an amount. */
const refundField: Field<RefundChoice> = {
  name: "refund",
  read: (typed, booking) => {
    const chosen = typed("refund") === "" ? "terms" : typed("refund")
    if (chosen === "terms" || chosen === "full" || chosen === "none") return Result.succeed(chosen)
    return Result.map(amountOf("refund", typed(amountInput), booking), (amount) => ({ amount }))
  },
  input: {
    kind: "choice",
    values: ["terms", "full", "none"],
    first: "terms",
    amountFor: amountInput,
    legend: ({ m }) => m.desk.cancel.refund,
    choices: ({ m: { desk } }) => [
      { value: "terms", label: desk.cancel.byTerms },
      { value: "full", label: desk.cancel.full },
      { value: "none", label: desk.cancel.none },
      { value: "amount", label: desk.cancel.part }
    ]
  },
  asked: ({ booking }, may) => may("cancel_otherwise") && booking.paid > 0,
  flag:
    "terms: what the terms give back; full: all that is left; none; or an amount in the booking's currency, like " +
    "45.00, beside what went back before. All but terms need --reason"
}

interface CancelWish {
  readonly refund: RefundChoice
  /** Empty if none was given: what the terms give back needs none. */
  readonly reason: string
}

const end = Effect.fnUntraced(function* (
  booking: BookingRow,
  decided: DecidedRefund,
  { reason, refund }: CancelWish,
  as: "cancelled" | "balance_lapsed",
  write: Writes,
  why: string = reason
) {
  const ending = as === "cancelled" ? booking : yield* write.release(booking)
  const ended = yield* write.change(ending, {
    transition: as,
    ...(decided.amount > 0 ? { payment: "refund_requested" } : {}),
    awaiting_provider: false,
    event: as,
    detail: refundInHistory(booking, decided, refund, why),
    facts: { ...refundFacts(decided, refund, reason), ...(write.by === "family" ? { by: write.by } : {}) }
  })
  yield* write.refund(booking, decided, "cancellation")
  return { booking: ended }
})

const reason = reasonField(false)

/** Cancels a booking. */
export const cancel: Act<CancelWish, DecidedRefund, CancelledRefund, Refusal | VisitBegun> = {
  span: "Cancellations.cancel",
  step: "cancel",
  right: "cancel_by_terms",
  needs: ({ refund }) => (refund === "terms" ? undefined : "cancel_otherwise"),
  forFamilies: true,
  fields: [refundField, reason],
  wish: (read) =>
    Result.flatMap(Result.all({ refund: read(refundField), reason: read(reason) }), (wish) =>
      wish.refund !== "terms" && wish.reason === "" ? Result.fail(reasonMissing) : Result.succeed(wish)
    ),
  asks: true,
  // Nobody is to pay on an open page. A payment that arrives anyway is refunded in full.
  closesPages: true,
  stopsAt: "cancellation decided, not committed",
  open: (as, by) => {
    const { booking_id, starts_at } = as.booking
    const begun = by === "family" && starts_at <= as.now
    return Result.flatMap(alive(as), () => (begun ? Result.fail(new VisitBegun({ booking_id })) : Result.void))
  },
  decide: (as, { refund }) => decideRefund(as, refund),
  outcome: refundOutcome,
  answer,
  apply: ({ booking }, decided, wish, write) =>
    end(booking, decided, wish, "cancelled", write, write.by === "family" ? "by the family, on its page" : undefined),
  isOffered: ({ booking }) => isLiveBooking(booking),
  words: ({ m: { desk } }) => ({ title: desk.cancel.title, confirm: desk.cancel.confirm, over: desk.cancel.ended }),
  told: (done, words) => {
    const { desk, words: text } = words.m
    const { booking, by_terms, refund } = done
    return {
      facts: [
        { term: text.paid, is: words.money(money(booking.paid, booking.currency)) },
        { term: text.comesBack, is: words.money(refund), look: "main" },
        ...(by_terms.amount === refund.amount ? [] : [{ term: desk.cancel.byTerms, is: words.money(by_terms) }])
      ],
      sentences: [...refundRemarks(done, words), desk.cancel.places]
    }
  },
  refused: (error, { m, money }) =>
    error._tag === "RefundTooLarge" ? m.desk.back.tooMuch(money(error.left)) : m.desk.cancel.ended,
  command: {
    name: "cancel",
    description:
      "Cancel a booking and refund what its terms give back, or what you say. The preview has what went back before or is under dispute"
  }
}

/** What a family wishes that cancels on its page. */
export const byTheFamily = { refund: "terms", reason: "" } as const

/** An unpaid balance releases nothing now. */
class BalanceStands extends Data.TaggedError("BalanceStands") {
  override get message(): string {
    return "The balance is paid, or may still be paid."
  }
}

/** Whether money may still come from a session. A page past its end and the grace has been asked about. */
const mayPay = (session: PaymentSessionRow, now: Instant): boolean =>
  session.purpose === "balance" &&
  isLive(session) &&
  (session.status === "processing" || now < session.expires_at + graceMs)

/** When the first payment of what was due became known that the booking kept; `-Infinity` if nothing was due. */
const confirmedAt = (sessions: ReadonlyArray<PaymentSessionRow>, refunds: ReadonlyArray<RefundRow>): Instant => {
  const kept = sessions.filter((session) => session.purpose === "due_now" && !isReturnedWhole(session, refunds))
  const times = kept.flatMap(({ paid_at }) => (paid_at === null ? [] : [paid_at]))
  return times.length === 0 ? -Infinity : Math.min(...times)
}

/** Whoever is confirmed late, because the news of the payment was, has as long to pay the balance. */
const balanceStands = ({ booking, now, refunds, sessions }: Situation): boolean =>
  confirmedAt(sessions, refunds) + (booking.terms.release_unpaid_after_hours ?? 0) * hourMs > now ||
  !balanceMayLapse(booking, now) ||
  isBalancePaid(booking, sessions, refunds) ||
  sessions.some((one) => mayPay(one, now))

const lapse: BookingChange<undefined, DecidedRefund, CancelledRefund, Refusal | BalanceStands> = {
  span: "Cancellations.releaseUnpaid",
  asks: true,
  closesPages: true,
  open: (as) => Result.flatMap(alive(as), () => (balanceStands(as) ? Result.fail(new BalanceStands()) : Result.void)),
  decide: (as) => decideRefund(as, "terms"),
  outcome: refundOutcome,
  answer,
  apply: ({ booking }, decided, _, write) => {
    const why = "the balance was not paid in time, as its terms say"
    return end(booking, decided, { refund: "terms", reason: "" }, "balance_lapsed", write, why)
  }
}

/**
 * Releases the places of a booking whose balance has been unpaid for as long as its terms say, with what they give
 * back. False if it stands: it is paid, a payment is under way, its page may still be paid, or it was moved.
 */
export const releaseUnpaid = (
  changes: BookingChanges["Service"],
  booking_id: BookingId
): Effect.Effect<boolean, SqlError.SqlError> =>
  changes.run(lapse, booking_id, undefined, { preview: false, who: { as: "operator" } }).pipe(
    Effect.as(true),
    Effect.catchIf(
      (error) => error._tag !== "SqlError",
      () => Effect.succeed(false)
    )
  )
