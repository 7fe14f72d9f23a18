/**
 * Payments at the provider that have no row in this database, because it was restored from an older backup. The
 * provider's session has enough data to create its booking again, to assign the payment to another booking, or to
 * refund it.
 */
import { Clock, Effect, Option, Result, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Principal } from "../../../platform/access/ApiKeys.ts"
import { Contact } from "../../../platform/text/Contact.ts"
import { OptionId } from "../../availability/BookingOption.ts"
import { hasLapsed } from "../../booking/Lifecycle.ts"
import { letGuestsFind } from "../../booking/BookingLinks.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings, type CreateError } from "../../booking/Bookings.ts"
import type { Operator } from "../../catalogue/Operator.ts"
import { Operators } from "../../catalogue/Operators.ts"
import { BookingId, PaymentSessionId, Reference } from "../../../platform/ids/Ids.ts"
import { display } from "../../../platform/money/Money.ts"
import { EventRecords } from "../events/EventRecords.ts"
import {
  type CheckoutRequest,
  type GatewayError,
  type ListedSession,
  PaymentGateway,
  type ProviderRefund
} from "../provider/PaymentGateway.ts"
import { inAnotherCurrency, statusOf } from "../refunds/Refund.ts"
import { Purpose } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { factOf, Settlement } from "../settlement/Settlement.ts"

/** This service's own metadata in a session (`CheckoutRequest`). */
const Origin = Schema.Struct({
  payment_session_id: PaymentSessionId,
  booking_id: BookingId,
  reference: Reference,
  purpose: Purpose,
  /** Absent if the person's data was erased when the session was created. */
  option_id: Schema.optionalKey(OptionId),
  key_id: Schema.optionalKey(Schema.String)
})
export type Origin = typeof Origin.Type

/** None if this service did not create the session. */
export const originOf: (found: ListedSession) => Option.Option<Origin> = (found) =>
  Schema.decodeUnknownOption(Origin)(found.metadata)

const contactOf = Schema.decodeUnknownOption(Contact)

/** The result of an assignment: the payment's outcome in words, or why it was not assigned. */
export type Assignment =
  | { readonly done: true; readonly text: string }
  | {
      readonly done: false
      readonly why: string
      /** The booking exists and is of the payment's account, but the payment does not fit it. */
      readonly known: boolean
    }

const notAssigned = (why: string, known = false): Assignment => ({ done: false, why, known })

/** Why a booking can't be created again, in words. */
const rebookProblem = (error: Exclude<CreateError, SqlError.SqlError>): string => {
  switch (error._tag) {
    case "SlotUnavailable":
      return `its places can't be had: ${error.reason}`
    case "PriceChanged":
      return "its price or terms have changed since"
    case "OptionInvalid":
      return "it is not sold any more, or has passed"
    case "OperatorUnavailable":
      return "its operator sells nothing now"
    default:
      return error.message
  }
}

/** The amount of a payment that is not refunded, in minor units, or why nobody can tell. */
export const remainingOf = (
  { session }: ListedSession,
  refunds: ReadonlyArray<ProviderRefund>
): Result.Result<number, string> => {
  const made = refunds.filter((refund) => statusOf(refund) !== "failed")
  const wrong = made.map((refund) => inAnotherCurrency(session.currency, refund)).find((why) => why !== undefined)
  return wrong === undefined
    ? Result.succeed(made.reduce((left, { amount }) => left - amount, session.amount_total))
    : Result.fail(wrong)
}

/** A payment can't be refunded by hand. `why` is a sentence for people. */
class RefundNotAllowed extends Schema.TaggedError<RefundNotAllowed>()("RefundNotAllowed", {
  why: Schema.String
}) {
  override get message(): string {
    return this.why
  }
}

/** A refund of an unknown payment. */
interface PaidBack {
  readonly found: ListedSession
  /** Minor units. */
  readonly amount: number
  /** Absent in a preview. */
  readonly refund?: ProviderRefund
}

/** What is done with such a payment. */
export const makeUnknownPayments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const gateway = yield* PaymentGateway
  const bookings = yield* Bookings
  const records = yield* BookingRecords
  const operators = yield* Operators
  const sessions = yield* PaymentSessions
  const settlement = yield* Settlement
  const events = yield* EventRecords

  /** The session's original request, as far as the provider has it. */
  const requestOf = (
    { application_fee, description, session, success_url }: ListedSession,
    { payment_session_id, purpose, reference }: Origin,
    account: string,
    booking_id: BookingId
  ): CheckoutRequest => ({
    account,
    idempotency_key: payment_session_id,
    payment_session_id,
    booking_id,
    reference,
    purpose,
    amount: session.amount_total,
    currency: session.currency,
    application_fee: Math.min(application_fee, session.amount_total),
    description: description ?? "",
    success_url,
    cancel_url: success_url,
    expires_at: session.expires_at
  })

  const isFormer = Effect.fnUntraced(function* (operator: Operator, account: string) {
    const accounts = yield* operators.accounts(operator)
    return accounts.includes(account) && Option.isNone(yield* operators.byConnectedAccount(account))
  })

  /**
   * Assigns a payment to its own or another booking, in one transaction. Then it counts like any payment. The booking
   * must have this amount due, in this account, or its operator had it, and nobody else has it since.
   */
  const assign = Effect.fn("UnknownPayments.assign")(function* (
    found: ListedSession,
    origin: Origin,
    account: string,
    booking_id: BookingId
  ): Effect.fn.Return<Assignment, SqlError.SqlError> {
    const { session } = found
    const now = yield* Clock.currentTimeMillis
    const locked = yield* records.lock(booking_id)
    if (Option.isNone(locked)) return notAssigned(`there is no booking ${booking_id}`)
    const booking = locked.value
    const operator = yield* Effect.catchTag(operators.get(booking.operator_id), "OperatorNotFound", Effect.die)
    if (operator.connected_account_id !== account && !(yield* isFormer(operator, account)))
      return notAssigned(`${booking.reference} is of another account, ${operator.connected_account_id ?? "none"}`)
    const due = origin.purpose === "due_now" ? booking.due_now : booking.total - booking.due_now
    if (session.amount_total !== due || session.currency !== booking.currency) {
      const wanted = `${origin.purpose === "due_now" ? "what is due now" : "the balance"} of ${booking.reference}`
      return notAssigned(
        `${wanted} is ${display(due, booking.currency)}, not ${display(session.amount_total, session.currency)}`,
        true
      )
    }
    const known = Option.getOrUndefined(yield* sessions.find(origin.payment_session_id))
    // Another person was faster.
    if (known?.booking_id === booking_id) return { done: true, text: "it is its payment already" }
    if (known !== undefined) return notAssigned(`it is a payment of ${known.booking_id} already`, true)
    const row = yield* sessions.insert({
      payment_session_id: origin.payment_session_id,
      operator_id: booking.operator_id,
      booking_id,
      provider_session_id: session.id,
      request: requestOf(found, origin, account, booking_id),
      now
    })
    const { status, text } = yield* settlement.settle(row, session)
    yield* events.retryRejected(origin.booking_id, now)
    return status === "applied" ? { done: true, text } : notAssigned(text, true)
  }, sql.withTransaction)

  /**
   * Creates the paid booking again under its old id and reference, if its option is still the same, and assigns the
   * payment.
   */
  const rebook = Effect.fn("UnknownPayments.rebook")(function* (
    found: ListedSession,
    origin: Origin,
    account: string
  ): Effect.fn.Return<Assignment, SqlError.SqlError> {
    const { booking_id, key_id, option_id, purpose, reference } = origin
    if (purpose === "balance") return notAssigned("what was due when it was booked is not found")
    if (option_id === undefined || key_id === undefined) return notAssigned("it does not say what was booked")
    const { payer_email: email = "", payer_name } = found
    const contact = contactOf({ name: payer_name ?? email, email })
    if (Option.isNone(contact)) return notAssigned("it does not say who paid")
    // People whose booking was lost may have booked and paid again.
    const now = yield* Clock.currentTimeMillis
    const same = yield* records.liveOfOption({ key_id, option_id, contact_email: contact.value.email })
    const since = same.find((row) => row.booking_id !== booking_id && !hasLapsed(row, now))
    if (since !== undefined) return notAssigned(`the same person has booked the same again since: ${since.reference}`)
    const principal: Principal = { key_id, scopes: new Set() }
    const made = yield* Effect.result(
      bookings.create(
        principal,
        { option_id, contact: contact.value },
        {
          named: { booking_id, reference },
          alongside: (row) =>
            records.change(row, {
              note: true,
              event: "restored",
              detail: `made anew from payment ${found.session.id}; notes, ages and telephone number are not known any more`
            })
        }
      )
    )
    if (Result.isFailure(made)) {
      if (made.failure._tag === "SqlError") return yield* made.failure
      return notAssigned(rebookProblem(made.failure))
    }
    yield* Effect.provideService(letGuestsFind({ booking_id, key_id }), SqlClient.SqlClient, sql)
    return yield* assign(found, origin, account, booking_id)
  })

  /** Refunds the rest of a payment whose session is unknown. Idempotent. */
  const refund = Effect.fn("UnknownPayments.refund")(function* (
    account: string,
    provider_session_id: string,
    { preview }: { readonly preview: boolean }
  ): Effect.fn.Return<PaidBack, RefundNotAllowed | GatewayError | SqlError.SqlError> {
    const found = yield* gateway.describeSession(account, provider_session_id)
    const origin = originOf(found)
    if (Option.isNone(origin))
      return yield* new RefundNotAllowed({ why: `${provider_session_id} was not made by this service.` })
    const { booking_id, payment_session_id } = origin.value
    const known = yield* sessions.find(payment_session_id)
    if (Option.isSome(known))
      return yield* new RefundNotAllowed({
        why: `${provider_session_id} is a payment of ${known.value.booking_id}: playroom booking cancel ${known.value.booking_id} --refund full --reason … gives it back.`
      })
    const intent = found.session.payment_intent_id
    if (factOf(found.session) !== "paid" || intent === undefined)
      return yield* new RefundNotAllowed({
        why: `${provider_session_id} is not paid: it is ${found.session.status}, ${found.session.payment_status}.`
      })
    const remaining = remainingOf(found, yield* gateway.listRefunds(account, intent))
    if (Result.isFailure(remaining)) return yield* new RefundNotAllowed({ why: `${remaining.failure}.` })
    const amount = remaining.success
    if (amount <= 0) return yield* new RefundNotAllowed({ why: `All of ${provider_session_id} went back already.` })
    if (preview) return { found, amount }
    const request = {
      account,
      idempotency_key: `${payment_session_id}_unknown_${amount}`,
      refund_id: payment_session_id,
      booking_id,
      payment_intent_id: intent,
      amount,
      refund_application_fee: found.application_fee > 0
    }
    const made = yield* gateway.createRefund(request, found.session.currency)
    return { found, amount, refund: made }
  })

  /** The same for a payment that a person names. It must not be refunded, not even in part. */
  const give = Effect.fn("UnknownPayments.give")(function* (
    account: string,
    provider_session_id: string,
    booking_id: BookingId
  ): Effect.fn.Return<Assignment, GatewayError | SqlError.SqlError> {
    const found = yield* gateway.describeSession(account, provider_session_id)
    const origin = originOf(found)
    if (Option.isNone(origin)) return notAssigned(`${provider_session_id} was not made by this service`)
    const intent = found.session.payment_intent_id
    const left = remainingOf(found, intent === undefined ? [] : yield* gateway.listRefunds(account, intent))
    if (Result.isFailure(left)) return notAssigned(left.failure)
    const gone = found.session.amount_total - left.success
    if (gone > 0) return notAssigned(`${display(gone, found.session.currency)} of it went back already`)
    return yield* assign(found, origin.value, account, booking_id)
  })

  return { assign, give, rebook, refund }
})
