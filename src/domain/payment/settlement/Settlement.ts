/**
 * Applies the provider's facts about a payment session to the session and its booking, in one transaction. Facts may
 * arrive late, twice and in any order, from events or inquiries: the end state is the same (`nextSessionStatus`). A
 * payment pays the booking, confirms an expired booking if its places are still free, or is refunded. Nothing here
 * calls the provider; calls to it become provider tasks.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { ProviderSession } from "../provider/PaymentGateway.ts"
import { format, type Instant, minuteMs } from "../../../platform/time/LocalTime.ts"
import {
  graceMs,
  firstRefundCheckMs,
  isForBalance,
  isLive,
  type Misfit,
  pagesUsedUp,
  type PaymentSessionRow,
  type SessionStatus,
  type StoredAttempt
} from "../sessions/PaymentSession.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { waive } from "../../catalogue/Pricing.ts"
import { downToStep, isBelowMinimumCharge } from "../../../platform/money/Charge.ts"
import type { PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { display } from "../../../platform/money/Money.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { BookingRecords, type Change, isErased } from "../../booking/BookingRecords.ts"
import { Claims } from "../../booking/Claims.ts"
import { failpoint } from "../../../platform/concurrency/Failpoint.ts"
import { ProviderHealth } from "../provider/ProviderHealth.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { failedSoFar, owedSoFar, ownPayments, refundable } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import { Refunds } from "../refunds/Refunds.ts"
import { PaymentSessions, type SessionChange } from "../sessions/PaymentSessions.ts"

/** A reported fact. `free`: complete, and nothing had to be paid. `unknown`: a value newer than we know. */
export type Fact = "open" | "processing" | "paid" | "free" | "failed" | "expired" | "unknown"

/** The fact in the provider's present state of a session. */
export const factOf = (session: ProviderSession): Fact => {
  if (session.status === "open" || session.status === "expired") return session.status
  if (session.status !== "complete") return "unknown"
  if (session.payment_status === "paid") return "paid"
  if (session.payment_status === "no_payment_required") return "free"
  if (session.payment_status !== "unpaid") return "unknown"
  return session.payment_failed === true ? "failed" : "processing"
}

// Facts arrive in any order, several times, or never. The highest rank wins, so that the order does not matter. Money
// ranks highest; a completed page ranks above a closed one.
const rank: Record<SessionStatus, number> = { creating: 0, open: 1, expired: 2, processing: 3, failed: 4, paid: 5 }

/** The session's status after a fact; undefined if the fact changes nothing. */
export const nextSessionStatus = (status: SessionStatus, fact: Fact): SessionStatus | undefined => {
  if (fact === "unknown") return undefined
  const next = fact === "free" ? "paid" : fact
  return rank[next] > rank[status] ? next : undefined
}

/** The tries on a page whose history tells: each costs a line. */
const maxAttemptsTold = 10

/**
 * The unsuccessful try that an answer tells first, given the session's `next` status; undefined if it tells none, or
 * none that is new. Answers may arrive in any order: the latest try stays.
 */
export const newAttempt = (
  { failed_attempt: before, status }: Pick<PaymentSessionRow, "failed_attempt" | "status">,
  next: SessionStatus | undefined,
  { failed_attempt: told }: ProviderSession,
  now: Instant
): StoredAttempt | undefined => {
  const count = (before?.count ?? 0) + 1
  if (next === "failed") return { at: now, outcome: "failed", of: told?.charge ?? "", count }
  const unpaid = next === undefined ? status === "open" : next === "open" || next === "expired"
  if (!unpaid || told === undefined || count > maxAttemptsTold || told.charge === before?.of) return undefined
  const at = told.created === undefined ? now : told.created * 1000
  return before !== null && at < before.at ? undefined : { at, outcome: "declined", of: told.charge, count }
}

/** Whether the provider's answer changes the session's status. */
export const isNews = ({ status }: Pick<PaymentSessionRow, "status">, answer: ProviderSession): boolean =>
  nextSessionStatus(status, factOf(answer)) !== undefined

/** Why the provider's session contradicts our request; undefined if it matches. `livemode`: as this service runs. */
export const mismatch = (
  session: PaymentSessionRow,
  fact: Fact,
  answer: ProviderSession,
  livemode: boolean
): string | undefined => {
  if (session.provider_session_id !== null && session.provider_session_id !== answer.id) {
    return `a second provider session, ${answer.id}, names this payment session`
  }
  // Of a payment that counts, a person has decided.
  if (answer.livemode !== livemode && session.status !== "paid")
    return `livemode is ${answer.livemode}, this service runs with ${livemode}`
  // If nothing had to be paid (the operator gave a full discount), the total may be 0.
  const amountFits = answer.amount_total === session.amount || (fact === "free" && answer.amount_total === 0)
  if (!amountFits || answer.currency !== session.currency) {
    return `asked for ${session.amount} ${session.currency}, the provider says ${answer.amount_total} ${answer.currency}`
  }
  if (answer.payment_currency !== undefined && answer.payment_currency !== session.currency) {
    return `asked for ${session.currency}, the provider has the payment in ${answer.payment_currency}`
  }
  return undefined
}

/** What of a contradicting answer is money of this session; undefined: none is, or it is another session's. */
const misfitIn = (
  { provider_session_id }: PaymentSessionRow,
  fact: Fact,
  answer: ProviderSession,
  now: Instant
): Misfit | undefined => {
  const money = fact === "paid" || fact === "processing"
  const { currency, payment_currency = currency } = answer
  if (!money || answer.amount_total <= 0 || !/^[A-Z]{3}$/.test(currency)) return undefined
  if (provider_session_id !== null && provider_session_id !== answer.id) return undefined
  return {
    amount: answer.amount_total,
    currency,
    other_currency: payment_currency !== currency,
    livemode: answer.livemode,
    payment_intent_id: answer.payment_intent_id ?? null,
    paid: fact === "paid",
    at: now
  }
}

/**
 * Whether a session took no money, whatever its page asked for: its payment failed, or it closed unpaid. What is told
 * late of a payment that has failed was said before.
 */
const tookNothing = (
  { misfit, provider_session_id, status }: PaymentSessionRow,
  fact: Fact,
  answer: ProviderSession
): boolean => {
  if (provider_session_id !== answer.id || misfit?.paid === true) return false
  return fact === "failed" || fact === "expired" || (fact === "processing" && status === "failed")
}

// A booking of which another amount was paid than was asked for. Amounts are minor units.

/**
 * The booking after another amount than is due now was paid: what is paid is due, and the rest is the balance.
 * `settled`: the payments of what is due. `due_at` (RFC 3339): when the rest is due, if that changes.
 */
export const withDue = (
  booking: BookingRow,
  due_now: number,
  settled: ReadonlyArray<PaymentSessionId>,
  due_at?: string
): BookingRow => {
  const {
    balance_due: _,
    balance_due_at = due_at,
    ...price
  } = {
    ...booking.terms.price,
    ...(due_at === undefined ? {} : { balance_due_at: due_at })
  }
  const balance_due = booking.total - due_now
  const rest = balance_due === 0 ? {} : { balance_due, ...(balance_due_at === undefined ? {} : { balance_due_at }) }
  return {
    ...booking,
    due_now,
    terms: {
      ...booking.terms,
      price: { ...price, due_now, display_due_now: display(due_now, booking.currency), ...rest },
      settled_sessions: settled
    }
  }
}

/** What a booking makes of a payment of another amount. `excess` goes back; `left` is still to be paid. */
interface Fitted {
  readonly booking: BookingRow
  readonly excess: number
  readonly left: number
  /** What is not charged, because it is too little for the provider. */
  readonly waived: number
}

/**
 * The booking that takes a payment of which `asked` was asked for. What is missing is its balance, or is waived if it
 * is too little to be charged. What is too much goes back, as after a move to a cheaper visit. `own`: its payments so
 * far.
 */
const fittedTo = (
  booking: BookingRow,
  { amount, payment_session_id, purpose }: Pick<PaymentSessionRow, "amount" | "payment_session_id" | "purpose">,
  asked: number,
  own: ReadonlyArray<PaymentSessionId>
): Fitted => {
  const { currency, due_now, starts_at, terms, total } = booking
  if (amount >= asked) {
    const excess = downToStep(amount - asked, currency)
    if (excess === 0) return { booking, excess, left: 0, waived: 0 }
    const { given_back_by_moves = 0, most_paid = 0 } = terms
    const moved = {
      most_paid: Math.max(most_paid, booking.paid + amount - excess - given_back_by_moves),
      given_back_by_moves: given_back_by_moves + excess
    }
    return { booking: { ...booking, terms: { ...terms, ...moved } }, excess, left: 0, waived: 0 }
  }
  const due = purpose === "due_now" ? amount : due_now + amount
  const waived = isBelowMinimumCharge(total - due, currency) ? total - due : 0
  const left = total - due - waived
  const priced = { ...booking, total: total - waived, terms: { ...terms, price: waive(terms.price, waived) } }
  const due_at = terms.price.balance_due_at ?? format(terms.time_zone, starts_at)
  return { booking: withDue(priced, due, [...own, payment_session_id], due_at), excess: 0, left, waived }
}

/** The result of a fact. `rejected`: it contradicts our request; nothing changed, and a person has to look. */
export interface Outcome {
  readonly status: "applied" | "ignored" | "rejected"
  readonly text: string
}

const applied = (text: string): Outcome => ({ status: "applied", text })

/**
 * Why nothing was decided about a payment. `not_in_question`: its money is as asked for, or somebody has decided;
 * `not_arrived`: it is still being processed; `other_currency`, `other_mode`: it can't be taken, only sent back.
 */
export class MisfitUndecided extends Schema.TaggedError<MisfitUndecided>()("MisfitUndecided", {
  payment_session_id: Schema.String,
  reason: Schema.Literals(["no_such_payment", "not_in_question", "not_arrived", "other_currency", "other_mode"])
}) {
  override get message(): string {
    const why = {
      no_such_payment: "there is no such payment",
      not_in_question:
        "its money is what was asked for, or somebody has decided about it: playroom booking show says what",
      not_arrived: "its money has not arrived yet",
      other_currency: "it is in another currency than its booking, so it can only be sent back",
      other_mode: "it was made in the provider's other mode, so it can only be sent back"
    }[this.reason]
    return `Nothing was decided about ${this.payment_session_id}: ${why}.`
  }
}

/** What was decided about a payment whose money was not what was asked for. Amounts are minor units of `currency`. */
interface DecidedMisfit {
  readonly booking: BookingRow
  readonly amount: number
  readonly currency: string
  readonly asked: number
  readonly text: string
}

/** Payment statuses in which the amount due is unpaid and can still be paid. */
const payable = new Set<BookingRow["payment_status"]>(["unpaid", "processing", "failed"])

/** Payment statuses of a booking whose balance is unpaid, and of which nothing went back. */
const stillPaid = new Set<BookingRow["payment_status"]>(["deposit_paid", "not_required"])

type SessionIds = Pick<PaymentSessionRow, "payment_session_id" | "booking_id">

/** The other sessions of a booking, oldest first, under its lock. */
type Others = ReadonlyArray<PaymentSessionRow>

/** A part of one payment for several bookings, with the other payments of its booking. */
export interface PaidPart {
  readonly booking: BookingRow
  readonly session: PaymentSessionRow
  readonly others: Others
}

/** Whether a payment revives a booking that has expired, if its places are free. */
const isRevivable = (booking: BookingRow, { purpose }: PaymentSessionRow, now: Instant): boolean => {
  // Released for an unpaid balance: the balance completes what was paid, if nothing of that went back.
  const released = booking.terms.released_at !== undefined
  const missing = released ? stillPaid.has(booking.payment_status) : payable.has(booking.payment_status)
  const wanted = purpose === (released ? "balance" : "due_now")
  // An erased booking has no known owner.
  return missing && wanted && booking.starts_at > now && !isErased(booking)
}

// A session that ends unpaid changes the booking only if no other session of its purpose is live, or has money about
// which a person decides.
const liveOf = (others: Others, { purpose }: PaymentSessionRow): PaymentSessionRow | undefined =>
  others.find((one) => one.purpose === purpose && (isLive(one) || one.misfit !== null))

/**
 * The change of a session that comes to the status `next`. `attempt`: an unsuccessful try that it tells. `provider_now`:
 * the time by the provider's clock, of which what was paid is dated. Where ours is behind at the end of a month, the
 * money would be of a month that was over.
 */
const sessionChange = (
  session: PaymentSessionRow,
  next: SessionStatus,
  answer: ProviderSession,
  attempt: StoredAttempt | undefined,
  now: Instant,
  provider_now: Instant
): SessionChange => ({
  status: next,
  ...(attempt === undefined ? {} : { failed_attempt: attempt }),
  provider_session_id: answer.id,
  url: session.url ?? answer.url ?? "",
  ...(answer.payment_intent_id === undefined ? {} : { payment_intent_id: answer.payment_intent_id }),
  ...(answer.presented === undefined ? {} : { presented: answer.presented }),
  ...(next === "paid" ? { paid_at: provider_now, refund_check_at: now + firstRefundCheckMs } : {})
})

/** The booking event that a payment raises. */
const paymentEvent = (booking: BookingRow, session: PaymentSessionRow) =>
  session.purpose === "balance" || booking.due_now === booking.total ? "all_paid" : "deposit_paid"

/** The same if `left` is still to be paid; undefined: the payment status says so already. */
const partEvent = (booking: BookingRow, session: PaymentSessionRow, left: number) => {
  if (left === 0) return paymentEvent(booking, session)
  const first = session.purpose === "due_now" || booking.payment_status !== "deposit_paid"
  return first ? ("deposit_paid" as const) : undefined
}

/**
 * The change of a booking that gets `amount` (minor units; 0 if nothing had to be paid), and the result in words.
 * `left`: what is still to be paid of what was asked for.
 */
const counted = (
  booking: BookingRow,
  session: PaymentSessionRow,
  amount: number,
  left = 0
): { readonly change: Change; readonly text: string } => {
  const due = session.purpose === "due_now"
  // A refunded booking stays refunded if nothing had to be paid.
  const unchanged = amount === 0 && booking.payment_status === "refunded"
  const payment = partEvent(booking, session, left)
  return {
    change: {
      ...(due ? { transition: "due_paid", awaiting_provider: false } : {}),
      ...(unchanged || payment === undefined ? {} : { payment }),
      paid: amount,
      event: due ? "paid" : "balance_paid",
      detail: display(amount, session.currency)
    },
    text: due ? "paid: confirmed" : "the balance is paid"
  }
}

export class Settlement extends Context.Service<
  Settlement,
  {
    /**
     * Applies the provider's state of a session, in the caller's transaction if there is one. `fact`: the fact of an
     * event, if it says more than the session itself.
     */
    readonly settle: (
      session: SessionIds,
      answer: ProviderSession,
      fact?: Fact
    ) => Effect.Effect<Outcome, SqlError.SqlError>
    /**
     * A person's word about money that is not what was asked for (`misfit`). `take`: it is the booking's. What is
     * missing is due as usual, what is too much goes back; a booking that has ended gets it as a late payment.
     * `send_back`: it goes back, and the booking asks for its money again, or ends as usual. Asked again, it fails and
     * changes nothing.
     */
    readonly decide: (
      payment_session_id: PaymentSessionId,
      decision: "take" | "send_back",
      done_by: string | undefined
    ) => Effect.Effect<DecidedMisfit, MisfitUndecided | SqlError.SqlError>
    /**
     * Counts the parts of one payment for several bookings (`OrderPayments.ts`), in the caller's transaction, which
     * locked the bookings and their other sessions. A booking that is over, or paid already, gives its part back.
     */
    readonly count: (parts: ReadonlyArray<PaidPart>) => Effect.Effect<void, SqlError.SqlError>
    /** Flags the session's money as not accounted for, with the reason, and logs a warning. Nothing else changes. */
    readonly flag: (session: PaymentSessionRow, why: string) => Effect.Effect<Outcome, SqlError.SqlError>
  }
>()("playroom/payment/settlement/Settlement") {
  static readonly layer = Layer.effect(
    Settlement,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settings = yield* AppConfig
      const bookings = yield* BookingRecords
      const claims = yield* Claims
      const sessions = yield* PaymentSessions
      const refunds = yield* Refunds
      const refundRecords = yield* RefundRecords
      const tasks = yield* ProviderTasks
      const { providerNow } = yield* ProviderHealth
      const livemode = settings.provider.kind === "stripe" && settings.provider.livemode

      const flag = Effect.fn("Settlement.flag")(function* (session: PaymentSessionRow, why: string) {
        const now = yield* Clock.currentTimeMillis
        yield* Effect.logWarning("A payment session contradicts what was asked for", {
          payment_session_id: session.payment_session_id,
          booking_id: session.booking_id,
          why
        })
        yield* sessions.change(session.payment_session_id, { flagged: why }, now)
        return { status: "rejected", text: why } satisfies Outcome
      })

      /**
       * Whether another session has paid for the same purpose without being refunded as late or duplicate, or a move
       * has changed the balance since this page was created. A booking is confirmed once: what was due for that is
       * asked for no more, also if the payment at the venue that confirmed it was undone since. `asked`: what the page
       * asked for, if another amount was paid.
       */
      const isAlreadyPaid = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others,
        asked = session.amount
      ) {
        const { due_now, status, terms, total } = booking
        if (status === "confirmed" && session.purpose === "due_now") return true
        const moved = terms.settled_sessions !== undefined
        if (moved && session.purpose === "balance" && asked !== total - due_now) return true
        if (!others.some(({ status }) => status === "paid")) return false
        return ownPayments(others, yield* refundRecords.ofBooking(session)).some((other) =>
          session.purpose === "balance" ? isForBalance(other, booking) : other.purpose === session.purpose
        )
      })

      /** The booking is over: counts the money as the booking's, and refunds it in full. */
      const refundLatePayment = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        amount: number,
        why: string
      ) {
        if (amount === 0) {
          yield* bookings.change(booking, { note: true, event: "paid_late", detail: why })
          return `${why}; nothing was paid`
        }
        yield* bookings.change(booking, {
          paid: amount,
          payment: "refund_requested",
          event: "paid_late",
          detail: `${why}: ${display(amount, session.currency)} goes back to the payer`
        })
        yield* refunds.request(session, amount, "late_payment")
        return `${why}; refund requested`
      })

      /**
       * The booking that takes a payment of which `asked` was asked for, if that was another amount; and what remains
       * to be done once it is counted: the excess goes back.
       */
      const fit = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others,
        asked: number | undefined
      ) {
        if (asked === undefined) return { booking, left: 0, said: "", after: () => Effect.void }
        const known = yield* refundRecords.ofBooking(session)
        const own = ownPayments(others, known)
        const fitted = fittedTo(
          booking,
          session,
          asked,
          own.map(({ payment_session_id }) => payment_session_id)
        )
        const after = Effect.fnUntraced(function* (changed: BookingRow) {
          if (fitted.booking !== booking) yield* bookings.changeDue(changed)
          if (fitted.excess === 0) return
          const all = [...others, session]
          const before = owedSoFar(all, known, yield* refundRecords.decided(booking.booking_id))
          const owed = refundable(all, known).given_back + failedSoFar(all, known) + fitted.excess
          yield* refunds.request(session, fitted.excess, "move", owed, known)
          yield* refundRecords.decide(booking.booking_id, before + fitted.excess)
          yield* bookings.change(changed, {
            payment: "refund_requested",
            note: true,
            event: "refund_pending",
            detail: `${display(fitted.excess, session.currency)} more was paid than asked for, and goes back`
          })
        })
        const { currency } = session
        const said = [
          ...(fitted.left > 0 ? [`${display(fitted.left, currency)} is still to be paid`] : []),
          ...(fitted.waived > 0 ? [`${display(fitted.waived, currency)} is too little to be charged, and waived`] : []),
          ...(fitted.excess > 0 ? [`${display(fitted.excess, currency)} goes back`] : [])
        ]
        return { booking: fitted.booking, left: fitted.left, said: said.map((one) => `; ${one}`).join(""), after }
      })

      /**
       * Counts `amount` (minor units; 0 if nothing had to be paid). `asked`: what was asked for, if that was another
       * amount. Returns a description of the result.
       */
      const settlePaid = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others,
        amount: number,
        asked?: number,
        /** The bookings whose places were taken again, if the caller did that. */
        retaken?: ReadonlySet<string>
      ) {
        const detail = display(amount, session.currency)
        if (booking.status === "cancelled") {
          return yield* refundLatePayment(booking, session, amount, "paid after the booking was cancelled")
        }
        if (yield* isAlreadyPaid(booking, session, others, asked)) {
          // A duplicate does not count as the booking's money.
          yield* bookings.change(booking, {
            note: true,
            event: "duplicate_payment",
            detail: `${detail} goes back to the payer`
          })
          if (amount > 0) yield* refunds.request(session, amount, "duplicate_payment")
          return "paid before; refund requested"
        }
        if (booking.status === "expired") {
          const released = booking.terms.released_at !== undefined
          const { booking_id } = booking
          const hasPlaces =
            isRevivable(booking, session, yield* Clock.currentTimeMillis) &&
            (retaken ?? (yield* claims.retake([booking]))).has(booking_id)
          if (!hasPlaces) {
            return yield* refundLatePayment(
              booking,
              session,
              amount,
              released
                ? "paid after the places had been released"
                : "paid after the hold had ended and the places were gone"
            )
          }
          const taken = yield* fit(booking, session, others, asked)
          const revived = yield* bookings.change(taken.booking, {
            ...counted(taken.booking, session, amount, taken.left).change,
            transition: "paid_late_places_free",
            awaiting_provider: false,
            event: "paid_late",
            detail: `${detail}, after the ${released ? "places had been released" : "hold had ended"}; the places were still free${taken.said}`
          })
          yield* taken.after(revived)
          return `paid late, the places were still free: confirmed${taken.said}`
        }
        const taken = yield* fit(booking, session, others, asked)
        const { change, text } = counted(taken.booking, session, amount, taken.left)
        const changed = yield* bookings.change(taken.booking, { ...change, detail: `${change.detail}${taken.said}` })
        yield* taken.after(changed)
        return `${text}${taken.said}`
      })

      /** The end of the hold after a page that took nothing, or whose money goes back. Now, if there is no other page. */
      const freshHold = Effect.fnUntraced(function* (
        { hold_expires_at }: BookingRow,
        session: PaymentSessionRow,
        others: Others
      ) {
        const now = yield* Clock.currentTimeMillis
        if (pagesUsedUp([...others, session])) return now
        const least = now + settings.holdMinutes * minuteMs
        // What was told for longer than the page is kept: a waiting list holds places for hours.
        const told = hold_expires_at ?? 0
        return told > session.expires_at + graceMs ? Math.max(told, least) : least
      })

      const settleFailed = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others
      ) {
        if (session.purpose === "balance") {
          yield* bookings.change(booking, { note: true, event: "balance_payment_failed" })
          return
        }
        const last = liveOf(others, session) === undefined
        const hold_expires_at = yield* freshHold(booking, session, others)
        const fresh = { hold_expires_at, awaiting_provider: false }
        yield* bookings.change(booking, {
          ...(last ? { payment: "payment_failed" } : {}),
          ...(last && booking.status === "held" ? fresh : {}),
          note: true,
          event: "payment_failed"
        })
      })

      const settleExpired = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others
      ) {
        // The hold lasts until its own end: until then the booking may get a new session, if it has one left.
        const now = yield* Clock.currentTimeMillis
        const freed =
          session.purpose === "due_now" && booking.status === "held" && liveOf(others, session) === undefined
        const over = freed && pagesUsedUp([...others, session])
        yield* bookings.change(booking, {
          ...(freed ? { payment: "session_closed", awaiting_provider: false } : {}),
          ...(over ? { hold_expires_at: now } : {}),
          note: true,
          event: "payment_session_expired"
        })
      })

      const settleProcessing = Effect.fnUntraced(function* (booking: BookingRow, session: PaymentSessionRow) {
        const due = session.purpose === "due_now"
        yield* bookings.change(booking, {
          ...(due ? { payment: "payment_processing" } : {}),
          ...(due && booking.status === "held" ? { awaiting_provider: true } : {}),
          note: true,
          event: due ? "payment_processing" : "balance_payment_processing"
        })
      })

      const noteDeclined = (booking: BookingRow, { purpose }: PaymentSessionRow) =>
        bookings.change(booking, {
          note: true,
          event: purpose === "due_now" ? "payment_declined" : "balance_payment_declined",
          detail: "nothing was charged"
        })

      /**
       * The money of a session is not what was asked for. Nobody is asked to pay again and the places are kept, as
       * while a payment is processing, until a person decides.
       */
      const contradiction = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others,
        answer: ProviderSession,
        fact: Fact,
        why: string
      ) {
        const now = yield* Clock.currentTimeMillis
        const misfit = session.status === "paid" ? undefined : misfitIn(session, fact, answer, now)
        const before = session.misfit
        if (misfit === undefined) return yield* flag(session, why)
        // It is told by the session, not by the event: whoever decides about it settles both.
        const told = applied(`${why}: a person decides about it`)
        const same = before?.amount === misfit.amount && before.currency === misfit.currency
        if (same && (before.paid || !misfit.paid)) return told
        yield* flag(session, why)
        const live = liveOf(others, session)
        // Only one session per purpose may be live.
        const processing =
          live === undefined && session.status !== "processing"
            ? ({ status: "processing", provider_session_id: answer.id } as const)
            : {}
        yield* sessions.change(session.payment_session_id, { ...processing, misfit }, now)
        if (live?.status === "open")
          yield* tasks.offer({ _tag: "expire_session", payment_session_id: live.payment_session_id })
        const due = session.purpose === "due_now"
        yield* bookings.change(booking, {
          ...(due ? { payment: "payment_processing" } : {}),
          ...(due && booking.status === "held" ? { awaiting_provider: true } : {}),
          note: true,
          event: "payment_in_question",
          detail: `${display(misfit.amount, misfit.currency)} ${misfit.paid ? "was paid" : "is on its way"}, and ${display(session.amount, session.currency)} was asked for: a person decides about it`
        })
        return told
      })

      /** The money goes back, and the booking is as if it had not come. */
      const sendBack = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        others: Others,
        done_by: string | undefined
      ) {
        const shown = display(session.amount, session.currency)
        yield* refunds.request(session, session.amount, "misfit")
        const freed = session.purpose === "due_now" && liveOf(others, session) === undefined
        const held = freed && booking.status === "held"
        const hold_expires_at = yield* freshHold(booking, session, others)
        yield* bookings.change(booking, {
          ...(freed ? { payment: "session_closed" } : {}),
          ...(held ? { awaiting_provider: false, hold_expires_at } : {}),
          note: true,
          ...(done_by === undefined ? {} : { done_by }),
          event: "payment_sent_back",
          detail: `${shown} was not what was asked for, and goes back to the payer`
        })
        return `${shown} goes back to the payer`
      })

      /** Closes the other page for the same purpose. */
      const closeOther = (session: PaymentSessionRow, others: Others) => {
        const other = liveOf(others, session)
        return other === undefined
          ? Effect.void
          : tasks.offer({ _tag: "expire_session", payment_session_id: other.payment_session_id })
      }

      const count: Settlement["Service"]["count"] = Effect.fn("Settlement.count")(function* (parts) {
        // The booking may have changed since it was asked for.
        const askedOf = ({ booking, session }: PaidPart) =>
          booking.due_now === session.amount ? undefined : booking.due_now
        const settleAll = (some: ReadonlyArray<PaidPart>, retaken: ReadonlySet<string>) =>
          Effect.forEach(
            some,
            (part) =>
              Effect.andThen(
                settlePaid(part.booking, part.session, part.others, part.session.amount, askedOf(part), retaken),
                closeOther(part.session, part.others)
              ),
            { discard: true }
          )
        // Those with places come first, since a hold of them that has lapsed is released where it is in the way.
        yield* settleAll(
          parts.filter(({ booking }) => booking.status !== "expired"),
          new Set()
        )
        const late = parts.filter(({ booking }) => booking.status === "expired")
        if (late.length === 0) return
        const now = yield* Clock.currentTimeMillis
        const revivable = yield* Effect.filter(late, (part) =>
          isRevivable(part.booking, part.session, now)
            ? Effect.map(isAlreadyPaid(part.booking, part.session, part.others, askedOf(part)), (paid) => !paid)
            : Effect.succeed(false)
        )
        yield* settleAll(late, yield* claims.retake(revivable.map(({ booking }) => booking)))
      })

      const decide: Settlement["Service"]["decide"] = Effect.fn("Settlement.decide")(function* (
        payment_session_id: PaymentSessionId,
        decision: "take" | "send_back",
        done_by: string | undefined
      ): Effect.fn.Return<DecidedMisfit, MisfitUndecided | SqlError.SqlError> {
        const undecided = (reason: MisfitUndecided["reason"]) => new MisfitUndecided({ payment_session_id, reason })
        const found = yield* sessions.find(payment_session_id)
        if (Option.isNone(found)) return yield* undecided("no_such_payment")
        const { booking_id } = found.value
        const locked = yield* bookings.lockWith(booking_id, sessions.lockOfBooking(booking_id))
        if (Option.isNone(locked)) return yield* undecided("not_in_question")
        const [booking, all] = locked.value
        const session = all.find((one) => one.payment_session_id === payment_session_id)
        const misfit = session?.misfit ?? null
        if (session === undefined || misfit === null) return yield* undecided("not_in_question")
        if (!misfit.paid) return yield* undecided("not_arrived")
        if (decision === "take" && (misfit.other_currency || misfit.currency !== booking.currency))
          return yield* undecided("other_currency")
        if (decision === "take" && misfit.livemode !== livemode) return yield* undecided("other_mode")
        const now = yield* Clock.currentTimeMillis
        const others = all.filter((one) => one !== session)
        const asked = session.amount
        const moved = yield* sessions.acceptMisfit(payment_session_id, misfit, now, yield* providerNow)
        const shown = display(misfit.amount, misfit.currency)
        if (decision === "send_back") {
          const text = yield* sendBack(booking, moved, others, done_by)
          const after = Option.getOrElse(yield* bookings.byId(booking_id), () => booking)
          return { booking: after, amount: misfit.amount, currency: misfit.currency, asked, text }
        }
        yield* bookings.change(booking, {
          note: true,
          ...(done_by === undefined ? {} : { done_by }),
          event: "payment_taken",
          detail: `${shown} is this booking's, though ${display(asked, session.currency)} was asked for`
        })
        const text = yield* settlePaid(booking, moved, others, misfit.amount, asked)
        const after = Option.getOrElse(yield* bookings.byId(booking_id), () => booking)
        return { booking: after, amount: misfit.amount, currency: misfit.currency, asked, text }
      }, sql.withTransaction)

      const noSuchSession: Outcome = { status: "ignored", text: "no such payment session" }

      const settleFact = Effect.fnUntraced(function* (
        { booking_id, payment_session_id }: SessionIds,
        answer: ProviderSession,
        fact: Fact
      ): Effect.fn.Return<Outcome, SqlError.SqlError> {
        const locked = yield* bookings.lockWith(booking_id, sessions.lockOfBooking(booking_id))
        if (Option.isNone(locked)) return noSuchSession
        const [booking, all] = locked.value
        const session = all.find((one) => one.payment_session_id === payment_session_id)
        if (session === undefined) return noSuchSession
        const others = all.filter((one) => one !== session)
        if (fact === "unknown") {
          return { status: "ignored", text: `not understood: ${answer.status}, ${answer.payment_status}` }
        }
        const next = nextSessionStatus(session.status, fact)
        // Only one session per purpose may be live, and a newer one is. A payment of this one counts when it arrives.
        if (next === "processing" && session.status === "expired" && liveOf(others, session) !== undefined)
          return applied("nothing to change: a newer session is open")
        const why = mismatch(session, fact, answer, livemode)
        if (why !== undefined && !tookNothing(session, fact, answer))
          return yield* contradiction(booking, session, others, answer, fact, why)
        const now = yield* Clock.currentTimeMillis
        const attempt = newAttempt(session, next, answer, now)
        if (attempt?.outcome === "declined") yield* noteDeclined(booking, session)
        if (next === undefined) {
          if (attempt === undefined) return applied(`nothing to change: the session is ${session.status}`)
          yield* sessions.change(payment_session_id, { failed_attempt: attempt }, now)
          return applied("the payer's try was declined; the page is open")
        }
        const change = sessionChange(session, next, answer, attempt, now, yield* providerNow)
        const moved = yield* sessions.change(payment_session_id, change, now)
        switch (next) {
          case "creating":
          case "open":
            break
          case "paid": {
            const text = yield* settlePaid(booking, moved, others, fact === "free" ? 0 : moved.amount)
            yield* closeOther(session, others)
            return applied(text)
          }
          case "processing":
            yield* settleProcessing(booking, moved)
            break
          case "failed":
            yield* settleFailed(booking, moved, others)
            break
          case "expired":
            yield* settleExpired(booking, moved, others)
            break
        }
        return applied(`the session of ${display(session.amount, session.currency)} is ${next}`)
      })

      const settle = Effect.fn("Settlement.settle")(
        (session: SessionIds, answer: ProviderSession, fact: Fact = factOf(answer)) =>
          settleFact(session, answer, fact).pipe(
            Effect.tap(() => failpoint("session fact applied, not committed")),
            sql.withTransaction
          )
      )

      return Settlement.of({ settle, count, decide, flag })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Claims.layer,
      PaymentSessions.layer,
      ProviderHealth.layer,
      ProviderTasks.layer,
      RefundRecords.layer,
      Refunds.layer
    ])
  )
}
