/**
 * Payment sessions for bookings. A first transaction stores the row with the exact request to the provider. Then the
 * provider is called, outside any transaction. A second one stores its answer. Until then nobody has the page's
 * address, so a session that is still `creating` can't be paid.
 */

import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import type { Principal } from "../../../platform/access/ApiKeys.ts"
import { LinkTokens, payTogetherQuery } from "../../../platform/access/LinkTokens.ts"
import { failpoint } from "../../../platform/concurrency/Failpoint.ts"
import { makeKeyedSemaphore } from "../../../platform/concurrency/KeyedSemaphore.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { InvalidArguments, isLockTimeout } from "../../../platform/errors/InvalidArguments.ts"
import { type BookingId, newId, PaymentSessionId } from "../../../platform/ids/Ids.ts"
import { money } from "../../../platform/money/Money.ts"
import { format, type Instant, inWords, minuteMs, until } from "../../../platform/time/LocalTime.ts"
import {
  BookingCancelled,
  type BookingNotFound,
  type BookingRow,
  HoldExpired,
  type IdempotencyConflict,
  type NothingDue,
  type PaymentSessionView
} from "../../booking/Booking.ts"
import { payableWith } from "../../booking/Lifecycle.ts"
import { bookingLink } from "../../booking/BookingLinks.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { HostLanguage, learnLanguage } from "../../booking/BookingRequest.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { idempotencyKeys } from "../../booking/Idempotency.ts"
import { PlayroomSemaphore } from "../../booking/PlayroomSemaphore.ts"
import { type ChangedSinceShown, requireVersion } from "../../booking/VersionToken.ts"
import type { Operator } from "../../catalogue/Operator.ts"
import { Operators } from "../../catalogue/Operators.ts"
import { OperatorUnavailable } from "../../catalogue/Playroom.ts"
import {
  PaymentGateway,
  ProviderUnavailable,
  type AccountUnavailable,
  faultOf,
  type ownFaultKinds,
  type ProviderKeyReused,
  type ProviderRefused,
  refusedInput
} from "../provider/PaymentGateway.ts"
import { ProviderHealth } from "../provider/ProviderHealth.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { isBalancePaid, refundable } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import {
  maxHoldWithoutPageMs,
  pagesUsedUp,
  type PaymentSessionRow,
  type Purpose,
  sessionView,
  wasGivenOut
} from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { PaymentInquiry } from "../settlement/PaymentInquiry.ts"
import { Settlement } from "../settlement/Settlement.ts"
import { VoucherSales } from "../settlement/VoucherSales.ts"
import {
  payer,
  checkNotInQuestion,
  checkoutRequest,
  checkPayable,
  checkReturnUrls,
  fingerprintOf,
  makePaymentLink,
  makeSessionCreation,
  type SendResult,
  type SessionRequest
} from "./SessionRequest.ts"

// What a caller is told if the provider refuses to make a payment page.

type OwnFault = (typeof ownFaultKinds)[number]

const operation = "createSession"

/** What the provider does not take, in words of ours: its own may repeat what was sent. */
const reasons: Readonly<Record<OwnFault, string>> = {
  settings_refused: "the provider does not take our own return address",
  clock_refused: "the provider does not take the time at which the page is to end, which is counted from our clock",
  request_refused: "the provider does not take what this service sends"
}

/**
 * Fails with an error that tells the caller what to do, by whose fault it is (`faultOf`): change an argument, or go
 * elsewhere if it is the operator's. One that is ours is stored for a person, and may be retried.
 */
const makeFailRefused = Effect.map(ProviderHealth, (health) =>
  Effect.fnUntraced(function* (
    { payment_session_id, operator_id }: PaymentSessionRow,
    { status }: Pick<BookingRow, "status">,
    refused: AccountUnavailable | ProviderRefused | ProviderKeyReused,
    request: Pick<SessionRequest, "success_url" | "cancel_url">
  ) {
    const ours = Effect.fnUntraced(function* (kind: OwnFault, detail = "") {
      yield* Effect.logError("The payment provider refuses what this service sends", { payment_session_id, refused })
      const failure = new ProviderUnavailable({ operation, kind, reason: `${reasons[kind]}${detail}` })
      yield* health.recordFailure(failure)
      return yield* failure
    })
    if (refused._tag === "ProviderKeyReused") return yield* ours("request_refused", " (the key of an earlier request)")
    const what = refused._tag === "ProviderRefused" ? refusedInput(refused) : undefined
    if (what === "success_url" || what === "cancel_url") {
      if (request[what] === undefined) return yield* ours("settings_refused")
      const message = `The payment provider does not take this address; leave ${what} out for our own page`
      return yield* new InvalidArguments({ issues: [{ path: what, message }] })
    }
    if (what === "expires_at") return yield* ours("clock_refused")
    if (refused._tag === "ProviderRefused" && what !== undefined && faultOf[what] !== "operator")
      return yield* ours(
        "request_refused",
        ` (${refused.code}${refused.parameter === undefined ? "" : `, ${refused.parameter}`})`
      )
    yield* Effect.logWarning("The operator's account does not take the payment", {
      payment_session_id,
      operator_id,
      refused
    })
    return yield* new OperatorUnavailable({
      operator_id,
      ...(what === undefined ? {} : { payment_refused: what === "amount" ? "amount" : "other" }),
      ...(status === "confirmed" ? { booked: true } : {})
    })
  })
)

type CreateSessionError =
  | BookingNotFound
  | HoldExpired
  | BookingCancelled
  | NothingDue
  | OperatorUnavailable
  | IdempotencyConflict
  | InvalidArguments
  | ProviderUnavailable
  | SqlError.SqlError

/** What a payer is told, for `VersionToken.ts`. */
export const payOutcome = (purpose: Purpose, amount: number) => ({ purpose, amount })

/** Limit on concurrent writes per booking in this process: further ones wait without a connection. */
const maxWritesPerBooking = 1

/** A hold lasts at least this long while the provider creates the page. */
const minHoldMs = 2 * minuteMs

/** Whether a payment on this page is made or under way. */
const hasMoney = ({ status }: PaymentSessionRow): boolean => status === "processing" || status === "paid"

/**
 * The next step for a session. `resend`: its request was sent, but no answer arrived. `replayed`: an earlier call with
 * the same idempotency key got this session.
 */
interface Step {
  readonly session: PaymentSessionRow
  readonly replayed?: true
  readonly next: "answer" | "send" | "resend" | "ask"
}

/**
 * A session as the tools show it, the booking that it pays, and the addresses of the family's page and of the
 * provider's page. Without the family's page if the caller may only read and pay.
 */
interface CreatedSession extends PaymentSessionView {
  readonly booked: BookingRow
  readonly page_url?: string
  readonly provider_url: string
}

export class Checkout extends Context.Service<
  Checkout,
  {
    /**
     * Returns the payment page of a booking and purpose: the live one, or a new one. The amount is the booking's own.
     * `ProviderUnavailable` leaves everything unchanged, and the call may be retried.
     */
    readonly createSession: (
      principal: Principal,
      request: SessionRequest
    ) => Effect.Effect<CreatedSession, CreateSessionError>
    /**
     * The page on which all bookings that were made together with this one, and are held and unpaid, are paid at once;
     * the booking's own if there is no other. Asked for again, it is the open one. `booked`: this booking.
     */
    readonly createForOrder: (
      principal: Principal,
      request: SessionRequest
    ) => Effect.Effect<CreatedSession, CreateSessionError>
    /**
     * The same as `createSession` for a payer who saw this state of the booking (`VersionToken.ts`); fails if it has
     * changed.
     */
    readonly createSessionAsShown: (
      principal: Principal,
      request: SessionRequest,
      shown: string
    ) => Effect.Effect<CreatedSession, CreateSessionError | ChangedSinceShown>
  }
>()("playroom/payment/checkout/Checkout") {
  static readonly layer = Layer.effect(
    Checkout,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settings = yield* AppConfig
      const bookings = yield* Bookings
      const bookingRecords = yield* BookingRecords
      const operators = yield* Operators
      const sessions = yield* PaymentSessions
      const refundRecords = yield* RefundRecords
      const keys = yield* idempotencyKeys("create_payment_session", PaymentSessionId)
      const gateway = yield* PaymentGateway
      const settlement = yield* Settlement
      const sales = yield* VoucherSales
      const inquiry = yield* PaymentInquiry
      const { finish } = yield* makeSessionCreation
      const links = yield* LinkTokens
      const withPaymentLink = yield* makePaymentLink
      const random = yield* SecureRandom.SecureRandom
      const withPermitOf = yield* makeKeyedSemaphore(maxWritesPerBooking, isLockTimeout)
      const { withPermit } = yield* PlayroomSemaphore
      const { providerNow } = yield* ProviderHealth
      const failRefused = yield* makeFailRefused

      /** An id for a new session, and the tokens of its return addresses. */
      const newSessionIds = Effect.fnUntraced(function* (found: BookingRow) {
        const payment_session_id = yield* Effect.provideService(newId.payment, SecureRandom.SecureRandom, random)
        const booking = yield* links.make(
          bookingLink(settings.paymentLink === "own" ? "pay" : "checkout_return", found)
        )
        const payment = yield* links.make({ page: "payment", payment_session_id, counter: 0 })
        return { payment_session_id, tokens: { booking, payment } }
      })

      /**
       * Transaction 1: checks the request, and returns the live session or a new row. `closed`: a session under this
       * key that nobody was told, since the provider said that it is closed.
       */
      const prepare = Effect.fnUntraced(function* (
        principal: Principal,
        booking_id: BookingId,
        request: SessionRequest,
        shown: string | undefined,
        { payment_session_id, tokens }: Effect.Success<ReturnType<typeof newSessionIds>>,
        closed: PaymentSessionId | undefined
      ): Effect.fn.Return<Step, CreateSessionError | ChangedSinceShown> {
        const now = yield* Clock.currentTimeMillis
        const purpose = request.purpose ?? "due_now"
        const found = yield* bookingRecords.lock(booking_id)
        const booking = yield* Effect.orDie(Effect.fromOption(found))
        yield* Effect.provideService(learnLanguage(booking_id, yield* HostLanguage, false), SqlClient.SqlClient, sql)
        const call = {
          principal,
          idempotency_key: request.idempotency_key,
          fingerprint: fingerprintOf(booking_id, request)
        }
        const all = yield* sessions.ofBooking(booking_id)
        yield* checkNotInQuestion(booking, all, purpose)
        const before = Option.filter(yield* keys.recall(call), (id) => id !== closed)
        const replayed = Option.isSome(before) ? yield* sessions.find(before.value) : Option.none()
        // A page that could not be created before is created now. Any other is returned as it is.
        if (Option.isSome(replayed) && wasGivenOut(replayed.value)) {
          const { expires_at, status } = replayed.value
          const next = status === "open" && expires_at <= now ? "ask" : "answer"
          return { session: replayed.value, replayed: true, next }
        }
        const live = yield* sessions.live(booking_id, purpose)
        if (Option.isSome(live) && live.value.status === "processing") {
          yield* keys.replace(call, live.value.payment_session_id, now)
          return { session: live.value, next: "answer" }
        }
        const operator = yield* Effect.catchTag(operators.get(booking.operator_id), "OperatorNotFound", Effect.die)
        const known = all.some(({ status }) => status === "paid") ? yield* refundRecords.ofBooking(booking) : []
        const balance_paid = isBalancePaid(booking, all, known)
        const { account, amount } = yield* checkPayable(booking, operator, { purpose, balance_paid }, now)
        yield* requireVersion(booking, payOutcome(purpose, amount), shown)
        if (Option.isSome(live)) {
          const { status, expires_at } = live.value
          // Don't store the key: the page may turn out to be closed.
          if (status === "open" && expires_at <= now) return { session: live.value, next: "ask" }
          yield* keys.replace(call, live.value.payment_session_id, now)
          if (status === "open") return { session: live.value, next: "answer" }
          if (expires_at > now) return { session: live.value, next: "resend" }
          yield* sessions.change(live.value.payment_session_id, { status: "failed" }, now)
        }
        if (purpose === "due_now" && pagesUsedUp(all)) return yield* new HoldExpired({ booking_id })
        const session = yield* sessions.insert({
          payment_session_id,
          operator_id: operator.operator_id,
          booking_id,
          now,
          request: checkoutRequest({
            payment_session_id,
            booking,
            operator,
            account,
            amount,
            request,
            refunds: refundable(all, known),
            tokens,
            settings,
            payer: yield* payer,
            now,
            provider_now: yield* providerNow
          })
        })
        yield* keys.replace(call, payment_session_id, now)
        if (booking.hold_expires_at !== null) {
          // The hold must not lapse before the second transaction stores the provider's answer.
          yield* bookingRecords.change(booking, {
            hold_expires_at: Math.max(
              booking.hold_expires_at,
              Math.min(now + minHoldMs, booking.created_at + maxHoldWithoutPageMs)
            ),
            event: "payment_session_requested"
          })
        }
        return { session, next: "send" }
      }, sql.withTransaction)

      const viewOf = Effect.fnUntraced(function* (session: PaymentSessionRow, booking: BookingRow) {
        const now = yield* Clock.currentTimeMillis
        const view = yield* Effect.orDie(Effect.fromNullishOr(sessionView(session, booking, now)))
        return { ...(yield* withPaymentLink(view, booking)), provider_url: view.url ?? "" }
      })

      const unavailable = (reason: string) => new ProviderUnavailable({ operation: "createSession", reason })

      /** Asks the provider about a page that should be closed. */
      const ask = Effect.fnUntraced(function* (
        booking: BookingRow,
        session: PaymentSessionRow,
        request: SessionRequest
      ) {
        if (session.provider_session_id === null) return
        const answer = yield* gateway.getSession(session.account, session.provider_session_id).pipe(
          Effect.catchTag("AccountUnavailable", (error) => failRefused(session, booking, error, request)),
          Effect.catchTag(["ProviderRefused", "ProviderKeyReused"], (error) => Effect.fail(unavailable(error.message)))
        )
        yield* settlement.settle(session, answer)
      })

      /** Sends the request; none if the session can't be paid and a new one is needed. */
      const send = Effect.fnUntraced(function* (
        booking: BookingRow,
        step: Step,
        request: SessionRequest
      ): Effect.fn.Return<Option.Option<PaymentSessionRow>, CreateSessionError> {
        const { refused, session } = yield* finish(step.session).pipe(
          // A concurrent call may have got the answer.
          Effect.catchTag("ProviderUnavailable", (error) =>
            Effect.flatMap(sessions.find(step.session.payment_session_id), (row) =>
              Option.isSome(row) && row.value.provider_session_id !== null
                ? Effect.succeed<SendResult>({ session: row.value })
                : Effect.fail(error)
            )
          )
        )
        // After a refused retry, send a new request: the old one may have been too late for the provider.
        if (refused?._tag === "AccountUnavailable" || (refused !== undefined && step.next === "send")) {
          return yield* failRefused(session, booking, refused, request)
        }
        return Option.filter(Option.some(session), ({ status }) => status !== "failed" && status !== "expired")
      })

      /** The booking, once it is known whether a page has paid it with others. */
      const findAsked = Effect.fnUntraced(function* (principal: Principal, id: BookingId) {
        const found = yield* bookings.find(principal, id)
        return (yield* sales.askForReader(found.row)) ? yield* bookings.find(principal, id) : found
      })

      const create = Effect.fn("Checkout.createSession")(function* (
        principal: Principal,
        request: SessionRequest,
        shown: string | undefined
      ): Effect.fn.Return<CreatedSession, CreateSessionError | ChangedSinceShown> {
        yield* checkReturnUrls(request, settings)
        const { may_change, row: found } = yield* findAsked(principal, request.booking_id)
        const { booking_id } = found
        const page = may_change ? { page_url: yield* links.address(bookingLink("booking", found)) } : {}
        // Try again if the live session turns out to be closed. After three rounds the provider contradicts itself.
        let closed: PaymentSessionId | undefined
        for (let round = 0; round < 3; round++) {
          const ids = yield* newSessionIds(found)
          const step = yield* withPermitOf(
            booking_id,
            withPermit(found.playroom_id, prepare(principal, booking_id, request, shown, ids, closed))
          )
          if (step.next === "ask") {
            yield* ask(found, step.session, request)
            continue
          }
          const { row: booking } = yield* bookings.find(principal, booking_id)
          if (step.next === "answer") {
            // Its payer may have paid, or tried to, since we last heard of it.
            if (!(yield* inquiry.askForReader(booking, [step.session])))
              return { ...(yield* viewOf(step.session, booking)), booked: booking, ...page }
            const session = Option.getOrElse(yield* sessions.find(step.session.payment_session_id), () => step.session)
            if (session.status !== step.session.status && !hasMoney(session)) {
              if (step.replayed === undefined) closed = session.payment_session_id
              continue
            }
            const { row: booked } = yield* bookings.find(principal, booking_id)
            return { ...(yield* viewOf(session, booked)), booked, ...page }
          }
          yield* failpoint("session written, provider not asked")
          const sent = yield* send(booking, step, request)
          yield* failpoint("session stored, not answered")
          if (Option.isNone(sent)) continue
          const { row: after } = yield* bookings.find(principal, booking_id)
          if (after.status === "cancelled") return yield* new BookingCancelled({ booking_id })
          if (after.status === "expired") return yield* new HoldExpired({ booking_id })
          return { ...(yield* viewOf(sent.value, after)), booked: after, ...page }
        }
        return yield* unavailable("the provider does not know the payment sessions that it made")
      })

      const createAlone = (principal: Principal, request: SessionRequest) =>
        Effect.catchTag(create(principal, request, undefined), "ChangedSinceShown", Effect.die)

      /** Of bookings that were made together, those that are to be paid, and what each asks for. */
      const unpaidOf = Effect.fnUntraced(function* (rows: ReadonlyArray<BookingRow>, operator: Operator, now: Instant) {
        const unpaid: Array<{ readonly booking: BookingRow; readonly account: string; readonly amount: number }> = []
        for (const booking of rows) {
          const all = yield* sessions.ofBooking(booking.booking_id)
          if (all.some(hasMoney)) continue
          const asked = yield* checkNotInQuestion(booking, all, "due_now").pipe(
            Effect.andThen(checkPayable(booking, operator, { purpose: "due_now", balance_paid: false }, now)),
            Effect.catchTag(["BookingCancelled", "HoldExpired", "NothingDue"], () => Effect.undefined)
          )
          if (asked !== undefined) unpaid.push({ booking, ...asked })
        }
        return unpaid
      })

      const createForOrder = Effect.fn("Checkout.createForOrder")(function* (
        principal: Principal,
        request: SessionRequest
      ): Effect.fn.Return<CreatedSession, CreateSessionError> {
        yield* checkReturnUrls(request, settings)
        const { may_change, row: found } = yield* findAsked(principal, request.booking_id)
        const { booking_id, currency, operator_id, terms } = found
        const order_id = yield* bookingRecords.orderOf([found])
        const now = yield* Clock.currentTimeMillis
        const operator = yield* Effect.catchTag(operators.get(operator_id), "OperatorNotFound", Effect.die)
        const rows = payableWith(found, [found, ...(yield* bookings.together(principal, found))])
        const unpaid = yield* unpaidOf(rows, operator, now)
        const [first] = unpaid
        if (order_id === undefined || first === undefined || unpaid.length < 2)
          return yield* createAlone(principal, { ...request, booking_id: first?.booking.booking_id ?? booking_id })
        const reader = yield* payer
        const own = settings.paymentLink === "own"
        const token = yield* links.make(bookingLink(own ? "pay" : "checkout_return", found))
        const visits = unpaid.map(({ booking }) => {
          const { playroom_name, time_zone } = booking.terms
          return `${playroom_name}, ${inWords(time_zone, booking.starts_at)}`
        })
        const wanted = yield* sales.payOrder({
          order_id,
          operator,
          account: first.account,
          currency,
          parts: unpaid
            .map(({ amount, booking }) => ({ booking_id: booking.booking_id, amount }))
            .toSorted((a, b) => (a.booking_id < b.booking_id ? -1 : 1)),
          description: reader?.description ?? visits.join("; "),
          ...(reader === undefined ? {} : { language: reader.locale }),
          return_url: `${settings.baseUrl}/checkout/return?token=${token}`,
          ...(request.success_url === undefined ? {} : { success_url: request.success_url }),
          ...(request.cancel_url === undefined ? {} : { cancel_url: request.cancel_url })
        })
        if (wanted.is !== "page") {
          if (wanted.is === "not_sold") return yield* new OperatorUnavailable({ operator_id: operator.operator_id })
          if (wanted.is === "too_many") return yield* new HoldExpired({ booking_id })
          return yield* unavailable("it makes no page for several bookings now")
        }
        const { amount, expires_at, payment_session_id } = wanted.sale
        const { row: booked } = yield* bookings.find(principal, booking_id)
        return {
          payment_session_id,
          booking_id,
          purpose: "due_now",
          status: "open",
          url: own ? `${yield* links.address(bookingLink("pay", found))}${payTogetherQuery}` : wanted.url,
          amount: money(amount, currency),
          expires_at: format(terms.time_zone, expires_at),
          expires_in: until(expires_at, yield* Clock.currentTimeMillis),
          provider_url: wanted.url,
          booked,
          ...(may_change ? { page_url: yield* links.address(bookingLink("booking", found)) } : {})
        }
      })

      return Checkout.of({
        createSession: createAlone,
        createForOrder,
        createSessionAsShown: create
      })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Bookings.layer,
      PlayroomSemaphore.layer,
      LinkTokens.layer,
      Operators.layer,
      PaymentInquiry.layer,
      PaymentSessions.layer,
      ProviderHealth.layer,
      RefundRecords.layer,
      ProviderTasks.layer,
      Settlement.layer,
      VoucherSales.layer
    ])
  )
}
