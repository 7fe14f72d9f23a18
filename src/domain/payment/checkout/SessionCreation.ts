/**
 * Creates the provider's page for a stored session: sends its request, and stores the answer or gives the session up.
 * Until the answer is stored nobody has the page's address, so an abandoned session can't have been paid.
 */
import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import {
  type AccountUnavailable,
  type CheckoutRequest,
  PaymentGateway,
  type ProviderKeyReused,
  type ProviderRefused,
  type ProviderSession,
  type ProviderUnavailable,
  refusedInput
} from "../provider/PaymentGateway.ts"
import { ProviderHealth } from "../provider/ProviderHealth.ts"
import { failpoint } from "../../../platform/concurrency/Failpoint.ts"
import { graceMs, minSessionMs, type PaymentSessionRow, sessionMs } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"
import { pageEnd } from "./SessionRequest.ts"

/** The end of the idempotency key of a request whose end is counted from the provider's clock. */
const byTheirClockSuffix = "_by_their_clock"

/** A session after its request was sent. `refused`: the provider's refusal, if any. */
export interface SendResult {
  readonly session: PaymentSessionRow
  readonly refused?: ProviderRefused | ProviderKeyReused | AccountUnavailable
}

export class SessionCreation extends Context.Service<
  SessionCreation,
  {
    /** Sends a session's stored request and stores the answer. May be repeated if no answer arrived. */
    readonly finish: (session: PaymentSessionRow) => Effect.Effect<SendResult, ProviderUnavailable | SqlError.SqlError>
    /** Gives up a session whose creation got no answer; nobody has its address. */
    readonly abandon: (session: PaymentSessionRow) => Effect.Effect<PaymentSessionRow, SqlError.SqlError>
  }
>()("playroom/payment/checkout/SessionCreation") {
  static readonly layer = Layer.effect(
    SessionCreation,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* BookingRecords
      const sessions = yield* PaymentSessions
      const gateway = yield* PaymentGateway
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
        const { status } = booking.value
        if (open.purpose === "due_now" ? status === "held" : status === "confirmed") {
          yield* bookings.change(booking.value, {
            ...(open.purpose === "due_now" ? { hold_expires_at: expires_at + graceMs, awaiting_provider: true } : {}),
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

      const finish: SessionCreation["Service"]["finish"] = Effect.fn("SessionCreation.finish")(function* (
        session: PaymentSessionRow
      ): Effect.fn.Return<SendResult, ProviderUnavailable | SqlError.SqlError> {
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
        const about = { payment_session_id: session.payment_session_id, refused }
        // A late retry is refused only for its age: the next call creates a new session.
        const late = refused._tag === "ProviderRefused" && refused.parameter === "expires_at" && (yield* isOld(session))
        yield* late
          ? Effect.logInfo("A payment session came too late for the provider", about)
          : Effect.logError("The provider refused a payment session", about)
        const finished: SendResult = { session: yield* abandon(session), refused }
        return finished
      })

      return SessionCreation.of({ finish, abandon })
    })
  ).pipe(Layer.provide([BookingRecords.layer, PaymentSessions.layer, ProviderHealth.layer, ProviderTasks.layer]))
}
