/**
 * The input of `create_payment_session`, its checks, the request to the provider, and how the provider's page is made
 * of a stored request.
 */

import { noEmail } from "../../../platform/text/Contact.ts"
import { Clock, Context, Effect, Option, Result, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { LinkTokens } from "../../../platform/access/LinkTokens.ts"
import { failpoint } from "../../../platform/concurrency/Failpoint.ts"
import { type Settings, AppConfig } from "../../../platform/config/AppConfig.ts"
import { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import { BookingId, IdempotencyKey, type PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { isBelowMinimumCharge, percentOf } from "../../../platform/money/Charge.ts"
import { display, money } from "../../../platform/money/Money.ts"
import { webAddress } from "../../../platform/text/Text.ts"
import { type Instant, inWords } from "../../../platform/time/LocalTime.ts"
import {
  BookingCancelled,
  type BookingRow,
  HoldExpired,
  NothingDue,
  type RefundState,
  type PaymentSessionView
} from "../../booking/Booking.ts"
import { bookingLink } from "../../booking/BookingLinks.ts"
import { HostLanguage } from "../../booking/BookingRequest.ts"
import { bookedTerms, placesInWords } from "../../booking/BookingViews.ts"
import { BookingRecords, isErased } from "../../booking/BookingRecords.ts"
import { holdRuns } from "../../booking/Lifecycle.ts"
import { Operators } from "../../catalogue/Operators.ts"
import { type Operator, sells } from "../../catalogue/Operator.ts"
import { OperatorUnavailable } from "../../catalogue/Playroom.ts"
import {
  type AccountUnavailable,
  checkoutLocale,
  type CheckoutRequest,
  PaymentGateway,
  type ProviderKeyReused,
  type ProviderRefused,
  type ProviderSession,
  type ProviderUnavailable,
  refusedInput
} from "../provider/PaymentGateway.ts"
import { ProviderHealth } from "../provider/ProviderHealth.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import {
  graceMs,
  minSessionMs,
  misfitOf,
  pageEnd,
  type PaymentSessionRow,
  Purpose,
  sessionMs
} from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"

// The address that a person gets to pay at.

/**
 * Makes the function that puts this address into a session that can be paid. With `PAYMENT_LINK=own` it is the
 * booking's pay page.
 */
export const makePaymentLink = Effect.gen(function* () {
  const { paymentLink } = yield* AppConfig
  const links = yield* LinkTokens
  return (session: PaymentSessionView, booking: Pick<BookingRow, "booking_id" | "link_counter">) =>
    paymentLink === "provider" || session.url === undefined
      ? Effect.succeed(session)
      : Effect.map(links.address(bookingLink("pay", booking)), (url): PaymentSessionView => ({ ...session, url }))
})

// Who reads the provider's page: in which language, and in which words the pages told them what they pay.

/** `locale`: BCP 47. `description` and `terms`: in that language; without them they are in English. */
export interface Payer {
  readonly locale: string
  readonly description?: string
  readonly terms?: string
}

/** The payer for whom one of our pages makes a payment page; undefined if an assistant does. */
export const CurrentPayer = Context.Reference<Payer | undefined>("playroom/payment/checkout/CurrentPayer", {
  defaultValue: () => undefined
})

/** Who reads the payment page; undefined if nobody says it. */
export const payer = Effect.gen(function* () {
  const language = yield* HostLanguage
  return (yield* CurrentPayer) ?? (language === undefined ? undefined : { locale: language })
})

/** The form of a return address; `checkReturnUrls` checks the rest. */
const ReturnUrl = Schema.String.check(
  Schema.isPattern(/^https?:\/\/\S{1,1990}$/, { message: "Expected an address like https://example.com/done" })
)

/** The input of `create_payment_session`; `purpose` is `due_now` if absent. */
export const SessionRequest = Schema.Struct({
  booking_id: BookingId,
  purpose: Schema.optionalKey(Purpose),
  success_url: Schema.optionalKey(ReturnUrl),
  cancel_url: Schema.optionalKey(ReturnUrl),
  idempotency_key: Schema.optionalKey(IdempotencyKey)
})
export type SessionRequest = typeof SessionRequest.Type

/** SHA-256 of the request, for its idempotency key. */
export const fingerprintOf = (booking_id: BookingId, request: SessionRequest): Uint8Array =>
  createHash("sha256")
    .update(
      JSON.stringify([
        booking_id,
        request.purpose ?? "due_now",
        request.success_url ?? null,
        request.cancel_url ?? null
      ])
    )
    .digest()

const maxUrlLength = 2000

/**
 * Checks that return addresses are of our own origin or on the allow-list, and that every program parses them the same
 * way.
 */
export const checkReturnUrls = (
  request: Pick<SessionRequest, "success_url" | "cancel_url">,
  settings: Pick<Settings, "baseUrl" | "returnUrlOrigins">
): Effect.Effect<void, InvalidArguments> => {
  const allowed = new Set([settings.baseUrl, ...settings.returnUrlOrigins])
  const issues = (["success_url", "cancel_url"] as const).flatMap((path) => {
    const text = request[path]
    if (text === undefined) return []
    const url = text.length > maxUrlLength ? undefined : webAddress(text)
    if (url === undefined) {
      const message =
        "Expected an http or https address, without a user name, backslashes, spaces or invisible characters"
      return [{ path, message }]
    }
    return allowed.has(url.origin)
      ? []
      : [
          {
            path,
            message: `The origin ${url.origin} is not on the list of allowed return addresses; leave ${path} out for our own page`
          }
        ]
  })
  return issues.length === 0 ? Effect.void : Effect.fail(new InvalidArguments({ issues }))
}

/**
 * Checks that this purpose of the booking can be paid now; returns the account and the amount (minor units).
 * `balance_paid`: by its payments. A refunded part of a deposit is not due again, and does not reduce the balance.
 */
export const checkPayable = (
  booking: BookingRow,
  operator: Operator,
  { balance_paid, purpose }: { readonly purpose: Purpose; readonly balance_paid: boolean },
  now: Instant
): Effect.Effect<
  { readonly account: string; readonly amount: number },
  HoldExpired | BookingCancelled | NothingDue | OperatorUnavailable
> => {
  const { booking_id, currency } = booking
  const held = booking.status === "held" ? { due_now: money(booking.due_now, currency) } : {}
  const nothingDue = (why: string, balance = 0) =>
    Effect.fail(
      new NothingDue({
        booking_id,
        why,
        paid: money(booking.paid, currency),
        ...held,
        ...(balance === 0 ? {} : { balance: money(balance, currency) })
      })
    )
  if (booking.status === "cancelled") return Effect.fail(new BookingCancelled({ booking_id }))
  const lapsed = booking.status === "held" && !holdRuns(booking, now)
  if (booking.status === "expired" || lapsed) return Effect.fail(new HoldExpired({ booking_id }))
  const amount = purpose === "due_now" ? booking.due_now : booking.total - booking.due_now
  const isPaid = balance_paid || booking.payment_status === "paid"
  if (purpose === "due_now" && booking.status === "confirmed") {
    const why = booking.due_now === 0 ? "Nothing was due when booking." : "What was due when booking is paid."
    return nothingDue(why, isPaid ? 0 : booking.total - booking.due_now)
  }
  if (purpose === "balance" && amount === 0) return nothingDue("There is no balance: all of it is due when booking.")
  if (purpose === "balance" && booking.status === "held") {
    return nothingDue("The balance can be paid once what is due now is paid.")
  }
  if (purpose === "balance" && isPaid) return nothingDue("No balance is left to pay.")
  if (purpose === "balance" && booking.terms.balance_at_venue === true)
    return nothingDue("The balance is paid at the venue, and not by link.")
  const { operator_id, connected_account_id } = operator
  // A lapsed subscription stops new sales, but the balance of a confirmed booking may still be paid.
  const open = purpose === "due_now" ? sells(operator, now) : operator.suspended_at === undefined
  if (!open || connected_account_id === undefined) {
    return Effect.fail(
      new OperatorUnavailable({ operator_id, ...(booking.status === "confirmed" ? { booked: true } : {}) })
    )
  }
  if (isBelowMinimumCharge(amount, booking.currency)) {
    return Effect.fail(
      new OperatorUnavailable({
        operator_id,
        payment_refused: "amount",
        ...(booking.status === "confirmed" ? { booked: true } : {})
      })
    )
  }
  return Effect.succeed({ account: connected_account_id, amount })
}

/**
 * Fails if money has come for this purpose that is not what was asked for, about which a person has still to decide:
 * nobody is asked to pay again.
 */
export const checkNotInQuestion = (
  booking: BookingRow,
  sessions: ReadonlyArray<PaymentSessionRow>,
  purpose: Purpose
): Effect.Effect<void, NothingDue> => {
  const found = misfitOf(sessions)
  const asks =
    booking.status === "held" ||
    (booking.status === "confirmed" && purpose === "balance" && found?.session.purpose === "balance")
  if (found === undefined || !asks) return Effect.void
  const { amount, currency } = found.misfit
  const shown = display(amount, currency)
  return Effect.fail(
    new NothingDue({
      booking_id: booking.booking_id,
      why: `a payment of ${shown} for it has come that is not what was asked for, and a person is checking it.`,
      paid: money(booking.paid, booking.currency),
      under_review: money(amount, currency)
    })
  )
}

/** Whether the balance can be paid on a page: now, or for a held booking, once its deposit is paid. */
export const balanceOnline = (
  booking: BookingRow,
  operator: Operator,
  balance_paid: boolean,
  now: Instant
): Effect.Effect<boolean> => {
  const deposited: BookingRow = { ...booking, status: "confirmed", payment_status: "deposit_paid" }
  const payable = booking.status === "held" ? deposited : booking
  return Effect.isSuccess(checkPayable(payable, operator, { purpose: "balance", balance_paid }, now))
}

/** Whether what is due for a hold can be paid on a page now. Only what the operator lacks counts, not the time. */
export const holdPayable = (booking: BookingRow, operator: Operator, now: Instant): Effect.Effect<boolean> =>
  checkPayable(booking, operator, { purpose: "due_now", balance_paid: false }, now).pipe(
    Effect.as(true),
    Effect.catchTag("OperatorUnavailable", () => Effect.succeed(false)),
    Effect.orElseSucceed(() => true)
  )

/** The request that creates a session at the provider. It is stored, so that a retry sends the same request. */
export const checkoutRequest = (of: {
  readonly payment_session_id: PaymentSessionId
  readonly booking: BookingRow
  readonly operator: Operator
  readonly account: string
  readonly amount: number
  readonly request: SessionRequest
  /** The refunds of its payments, and the rest. */
  readonly refunds: RefundState
  /**
   * They identify the booking and the payment to our own return page (`platform/access/LinkTokens.ts`). Whoever pays
   * can read them: `booking` opens no more than the address at which the payer began.
   */
  readonly tokens: { readonly booking: string; readonly payment: string }
  readonly settings: Pick<Settings, "baseUrl" | "paymentLink">
  readonly payer: Payer | undefined
  readonly now: Instant
  /** The time by the provider's clock, from which it counts how long a page lasts. */
  readonly provider_now: Instant
}): CheckoutRequest => {
  const { account, amount, booking, operator, payer, payment_session_id, request, tokens } = of
  const returnUrl = (outcome: "success" | "cancel") =>
    `${of.settings.baseUrl}/checkout/return?outcome=${outcome}&token=${tokens.booking}&payment=${tokens.payment}`
  const purpose = request.purpose ?? "due_now"
  return {
    account,
    idempotency_key: payment_session_id,
    payment_session_id,
    booking_id: booking.booking_id,
    reference: booking.reference,
    purpose,
    amount,
    currency: booking.currency,
    application_fee: percentOf(amount, operator.application_fee_percent, booking.currency),
    description:
      payer?.description ??
      `${booking.terms.package_name}, ${booking.terms.playroom_name}, ${inWords(booking.terms.time_zone, booking.starts_at)}: ${placesInWords(booking)}${
        purpose === "balance" ? " (balance)" : booking.due_now < booking.total ? " (deposit)" : ""
      }`,
    terms:
      payer?.terms ??
      bookedTerms(booking, { ...of.refunds, now: of.now, refund_on_its_way: 0, balance_paid: false }).text,
    // The provider shows the address to whoever pays. A pay page may be passed on to somebody who shall not learn it.
    ...(isErased(booking) || booking.contact_email === noEmail || of.settings.paymentLink === "own"
      ? {}
      : { customer_email: booking.contact_email }),
    success_url: request.success_url ?? returnUrl("success"),
    cancel_url: request.cancel_url ?? returnUrl("cancel"),
    // People pay the amount that they were told, in the currency in which they were told it.
    adaptive_pricing: false,
    ...(payer === undefined ? {} : { locale: checkoutLocale(payer.locale) }),
    expires_at: pageEnd(of.provider_now),
    ...(isErased(booking) ? {} : { option_id: booking.option_id, key_id: booking.key_id })
  }
}

// How the provider's page is made of a stored request.

/** The end of the idempotency key of a request whose end is counted from the provider's clock. */
const byTheirClockSuffix = "_by_their_clock"

/** A session after its request was sent. `refused`: the provider's refusal, if any. */
export interface SendResult {
  readonly session: PaymentSessionRow
  readonly refused?: ProviderRefused | ProviderKeyReused | AccountUnavailable
}

/**
 * Creates the provider's page for a stored session: `finish` sends its request, and stores the answer or gives the
 * session up (`abandon`). Until the answer is stored nobody has the page's address, so an abandoned session can't have
 * been paid.
 */
export const makeSessionCreation = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const bookings = yield* BookingRecords
  const sessions = yield* PaymentSessions
  const gateway = yield* PaymentGateway
  const operators = yield* Operators
  const tasks = yield* ProviderTasks
  const { providerNow } = yield* ProviderHealth

  const lock = Effect.fnUntraced(function* (session: PaymentSessionRow) {
    const locked = yield* bookings.lockWith(session.booking_id, sessions.lock(session.payment_session_id))
    return {
      booking: Option.map(locked, ([booking]) => booking),
      session: Option.getOrElse(
        Option.flatMap(locked, ([, current]) => current),
        () => session
      )
    }
  })

  /** Gives up a session whose creation got no answer; nobody has its address. */
  const abandon = Effect.fn("SessionCreation.abandon")(function* (session: PaymentSessionRow) {
    const now = yield* Clock.currentTimeMillis
    const { session: current } = yield* lock(session)
    if (current.status !== "creating") return current
    return yield* sessions.change(current.payment_session_id, { status: "failed" }, now)
  }, sql.withTransaction)

  /** Stores the provider's answer, and extends the hold to the page's lifetime. */
  const storeAnswer = Effect.fnUntraced(function* (session: PaymentSessionRow, answer: ProviderSession) {
    const now = yield* Clock.currentTimeMillis
    const { booking, session: current } = yield* lock(session)
    const url = answer.url ?? ""
    // An event changed the session first. It lacks only the page's address.
    if (current.status !== "creating") {
      if (current.url !== null && current.url !== "") return current
      return yield* sessions.change(current.payment_session_id, { url }, now)
    }
    const expires_at = answer.expires_at * 1000
    const open = yield* sessions.change(
      current.payment_session_id,
      { status: "open", provider_session_id: answer.id, url, expires_at },
      now
    )
    if (Option.isNone(booking)) return open
    const { hold_expires_at, status } = booking.value
    if (open.purpose === "due_now" ? status === "held" : status === "confirmed") {
      yield* bookings.change(booking.value, {
        ...(open.purpose === "due_now"
          ? { hold_expires_at: Math.max(expires_at + graceMs, hold_expires_at ?? 0), awaiting_provider: true }
          : {}),
        note: true,
        event: "payment_session_created"
      })
    } else {
      // The booking was cancelled or lapsed meanwhile: nobody gets this page.
      yield* tasks.offer({ _tag: "expire_session", payment_session_id: open.payment_session_id })
    }
    yield* failpoint("session stored, not committed")
    return open
  }, sql.withTransaction)

  /** Stores the request without its e-mail address, before it is sent; none if it has none. */
  const withoutEmail = Effect.fnUntraced(function* (
    { payment_session_id }: PaymentSessionRow,
    { customer_email, ...rest }: CheckoutRequest
  ) {
    if (customer_email === undefined) return Option.none<PaymentSessionRow>()
    // The provider keeps its refusal under the old key.
    const plain = { ...rest, idempotency_key: `${payment_session_id}_without_email` }
    return yield* sessions.replaceRequest(payment_session_id, plain, yield* Clock.currentTimeMillis)
  })

  /**
   * Stores the request with an end that is counted from the provider's own clock, as its refusal has told that;
   * none if that was done before, or if its clock and ours are the same.
   */
  const byTheirClock = Effect.fnUntraced(function* (
    { payment_session_id }: PaymentSessionRow,
    request: CheckoutRequest
  ) {
    const expires_at = pageEnd(yield* providerNow)
    const idempotency_key = `${request.idempotency_key}${byTheirClockSuffix}`
    const again = request.idempotency_key.endsWith(byTheirClockSuffix)
    if (again || Math.abs(expires_at - request.expires_at) <= 1) return Option.none<PaymentSessionRow>()
    const timed = { ...request, expires_at, idempotency_key }
    return yield* sessions.replaceRequest(payment_session_id, timed, yield* Clock.currentTimeMillis)
  })

  /** Whether the request is too old for the provider, however far the clocks are apart. */
  const isOld = ({ created_at }: PaymentSessionRow) =>
    Effect.map(Clock.currentTimeMillis, (now) => now > created_at + sessionMs - minSessionMs)

  /** Sends a session's stored request and stores the answer. May be repeated if no answer arrived. */
  const finish: (session: PaymentSessionRow) => Effect.Effect<SendResult, ProviderUnavailable | SqlError.SqlError> =
    Effect.fn("SessionCreation.finish")(function* (session): Effect.fn.Return<
      SendResult,
      ProviderUnavailable | SqlError.SqlError
    > {
      const request = yield* Effect.orDie(Effect.fromNullishOr(session.request))
      const answer = yield* Effect.result(gateway.createSession(request))
      if (Result.isSuccess(answer)) {
        yield* failpoint("session made at the provider, answer not stored")
        const finished: SendResult = { session: yield* storeAnswer(session, answer.success) }
        return finished
      }
      const refused = answer.failure
      if (refused._tag === "ProviderRefused" && refusedInput(refused) === "email") {
        const plain = yield* withoutEmail(session, request)
        if (Option.isSome(plain)) return yield* finish(plain.value)
      }
      if (refused._tag === "ProviderRefused" && refusedInput(refused) === "expires_at" && !(yield* isOld(session))) {
        const timed = yield* byTheirClock(session, request)
        if (Option.isSome(timed)) return yield* finish(timed.value)
      }
      if (refused._tag === "ProviderUnavailable") {
        // A retry would be too old, or get the failure that the provider keeps for a day.
        if (refused.kept === true || (yield* isOld(session))) yield* abandon(session)
        return yield* refused
      }
      // Whoever asks for the next one is told at once that the operator sells nothing.
      if (refused._tag === "AccountUnavailable") yield* operators.closeAccount(refused.account, refused.reason)
      const about = { payment_session_id: session.payment_session_id, refused }
      // A late retry is refused only for its age: the next call creates a new session.
      const late = refused._tag === "ProviderRefused" && refused.parameter === "expires_at" && (yield* isOld(session))
      yield* late
        ? Effect.logInfo("A payment session came too late for the provider", about)
        : Effect.logError("The provider refused a payment session", about)
      const finished: SendResult = { session: yield* abandon(session), refused }
      return finished
    })

  return { finish, abandon }
})
