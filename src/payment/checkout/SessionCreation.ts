/**
 * Makes the provider's page for a session whose row is written: sends the stored request, stores the answer, or gives the session up.
 * Until the answer is stored nobody has the page's address, so a session that is given up here can't have been paid.
 */
import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import {
  type AccountUnavailable,
  PaymentGateway,
  type ProviderKeyReused,
  type ProviderRefused,
  type ProviderSession,
  type ProviderUnavailable,
  refusedInput
} from "../provider/PaymentGateway.ts"
import { faultPoint } from "../../kernel/FaultPoint.ts"
import { graceMs, type PaymentSessionRow, minSessionMs } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { ProviderTasks } from "../provider/ProviderTasks.ts"

/** A session after its request was sent; `refused` where the provider refused it. */
export interface Finished {
  readonly session: PaymentSessionRow
  readonly refused?: ProviderRefused | ProviderKeyReused | AccountUnavailable
}

export class SessionCreation extends Context.Service<
  SessionCreation,
  {
    /** Sends a session's stored request (again), and stores the answer: for calls whose answer never came. */
    readonly finish: (session: PaymentSessionRow) => Effect.Effect<Finished, ProviderUnavailable | SqlError.SqlError>
    /** Gives a session up whose creation was never answered; nobody has its address. */
    readonly abandon: (session: PaymentSessionRow) => Effect.Effect<PaymentSessionRow, SqlError.SqlError>
  }
>()("playroom/payment/SessionCreation") {
  static readonly layer = Layer.effect(
    SessionCreation,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const bookings = yield* BookingRecords
      const sessions = yield* PaymentSessions
      const gateway = yield* PaymentGateway
      const tasks = yield* ProviderTasks

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

      /** Stores the provider's answer, and lets the hold live as long as the page. */
      const storeAnswer = Effect.fnUntraced(function* (session: PaymentSessionRow, answer: ProviderSession) {
        const now = yield* Clock.currentTimeMillis
        const { booking, session: current } = yield* lock(session)
        const url = answer.url ?? ""
        // An event came first and changed the session; only the page's address was not in it.
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
          // Cancelled or lapsed while the provider was asked: nobody gets this page.
          yield* tasks.offer({ _tag: "expire_session", payment_session_id: open.payment_session_id })
        }
        yield* faultPoint("session stored, not committed")
        return open
      }, sql.withTransaction)

      /** The session with a request without the e-mail address, stored before it is sent; none where it had none. */
      const withoutEmail = Effect.fnUntraced(function* ({ payment_session_id, request }: PaymentSessionRow) {
        const { customer_email, ...rest } = request
        if (customer_email === undefined) return Option.none<PaymentSessionRow>()
        // The provider keeps its refusal under the old key.
        const plain = { ...rest, idempotency_key: `${payment_session_id}_without_email` }
        return yield* sessions.replaceRequest(payment_session_id, plain, yield* Clock.currentTimeMillis)
      })

      /** Whether the provider would refuse its request for its age. */
      const isOld = ({ expires_at }: PaymentSessionRow) =>
        Effect.map(Clock.currentTimeMillis, (now) => now > expires_at - minSessionMs)

      const finish: SessionCreation["Service"]["finish"] = Effect.fn("SessionCreation.finish")(function* (
        session: PaymentSessionRow
      ): Effect.fn.Return<Finished, ProviderUnavailable | SqlError.SqlError> {
        const answer = yield* Effect.result(gateway.createSession(session.request))
        if (Result.isSuccess(answer)) {
          yield* faultPoint("session made at the provider, answer not stored")
          const finished: Finished = { session: yield* storeAnswer(session, answer.success) }
          return finished
        }
        const refused = answer.failure
        if (refused._tag === "ProviderRefused" && refusedInput(refused) === "email") {
          const plain = yield* withoutEmail(session)
          if (Option.isSome(plain)) return yield* finish(plain.value)
        }
        if (refused._tag === "ProviderUnavailable") {
          // Another try would be refused for its age, or get the failure that the provider keeps for a day.
          if (refused.kept === true || (yield* isOld(session))) yield* abandon(session)
          return yield* refused
        }
        const about = { payment_session_id: session.payment_session_id, refused }
        // A request that is sent again late is refused for its age only: the next call makes a new one.
        const late = refused._tag === "ProviderRefused" && refused.parameter === "expires_at" && (yield* isOld(session))
        yield* late
          ? Effect.logInfo("A payment session came too late for the provider", about)
          : Effect.logError("The provider refused a payment session", about)
        const finished: Finished = { session: yield* abandon(session), refused }
        return finished
      })

      return SessionCreation.of({ finish, abandon })
    })
  ).pipe(Layer.provide([BookingRecords.layer, PaymentSessions.layer, ProviderTasks.layer]))
}
