/**
 * Compares what the provider has of one connected account with this database, from a time on: after a backup was restored, or where
 * events were lost for long. What follows from it by the ordinary rules is done, or only tried: a dry run does the same and takes it
 * back. What a person has to decide is named. Running it again finds what is left.
 */
import { Context, Data, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AppConfig } from "../../config/AppConfig.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import type { BookingId } from "../../kernel/Ids.ts"
import { dayMs, type Instant } from "../../kernel/LocalTime.ts"
import { display } from "../../kernel/Money.ts"
import {
  type GatewayError,
  type ListedRefund,
  type ListedSession,
  PaymentGateway,
  type RetryableError
} from "../provider/PaymentGateway.ts"
import { ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { statusOf } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { factOf, isNews } from "../settlement/SessionFacts.ts"
import { Settlement } from "../settlement/Settlement.ts"
import { type Given, remainingOf, type Origin, originOf, UnknownPayments } from "./UnknownPayments.ts"

/** A session can be paid for this long after it was made (https://docs.stripe.com/api/checkout/sessions/create, `expires_at`). */
const longestSessionMs = dayMs
/** How many payments are looked up in one statement. */
const atOnce = 100

/**
 * `settled`: a payment session's state was news; `assigned`: a payment that was not known, of a booking that is; `rebooked`: of a booking
 * that was not known either; `page_closed`: a page that nobody should pay on any more; `refunded`: money went back; `unknown_payment`
 * and `misfit`: nothing could be done.
 */
export type DifferenceKind =
  | "settled"
  | "assigned"
  | "rebooked"
  | "page_closed"
  | "refunded"
  | "unknown_payment"
  | "misfit"

/** A difference between the provider and this database. */
export interface Difference {
  readonly kind: DifferenceKind
  readonly account: string
  readonly provider_session_id: string
  readonly booking_id: string
  readonly reference: string | undefined
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  readonly paid_for: string | undefined
  readonly payer: string | undefined
  /** What was done or, in a dry run, would be; or why nothing can be. */
  readonly text: string
  readonly needs_person: boolean
}

export interface ComparisonOptions {
  /** From when on the database may lack what happened. */
  readonly since: Instant
  /** False: a dry run. */
  readonly apply: boolean
}

interface Run {
  readonly apply: boolean
  /** Bookings that were made anew, or would be. */
  readonly rebooked: Set<string>
}

/** Takes a dry run back. */
class TakenBack<A> extends Data.TaggedError("TakenBack")<{ readonly answer: A }> {}

const isDone = ({ done }: Given): boolean => done

type Failure = GatewayError | SqlError.SqlError

export class AccountComparison extends Context.Service<
  AccountComparison,
  {
    /** The differences of one account, oldest payment first. Where it fails, a further run goes on with what is left. */
    readonly compare: (
      account: string,
      options: ComparisonOptions
    ) => Effect.Effect<ReadonlyArray<Difference>, Failure | RetryableError>
  }
>()("playroom/payment/AccountComparison") {
  static readonly layer = Layer.effect(
    AccountComparison,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { baseUrl } = yield* AppConfig
      const gateway = yield* PaymentGateway
      const bookings = yield* BookingRecords
      const sessions = yield* PaymentSessions
      const settlement = yield* Settlement
      const refunds = yield* RefundRecords
      const providerRefunds = yield* ProviderRefunds
      const unknown = yield* UnknownPayments

      /** Does `work` whole or not at all: in a dry run, and where it answers that it is not done, all is taken back. */
      const tryOut = <A, E>(
        apply: boolean,
        work: Effect.Effect<A, E>,
        isDone: (answer: A) => boolean = () => true
      ): Effect.Effect<A, E | SqlError.SqlError> =>
        sql
          .withTransaction(
            Effect.flatMap(work, (answer) =>
              apply && isDone(answer) ? Effect.succeed(answer) : Effect.fail(new TakenBack({ answer }))
            )
          )
          .pipe(
            Effect.catchIf(
              (error): error is TakenBack<A> => error instanceof TakenBack,
              ({ answer }) => Effect.succeed(answer)
            )
          )

      const differenceOf = (
        account: string,
        { description, payer_email, payer_name, session }: ListedSession,
        { booking_id, reference }: Origin,
        rest: Pick<Difference, "kind" | "text"> & { readonly needs_person?: true }
      ): Difference => ({
        account,
        provider_session_id: session.id,
        booking_id,
        reference,
        amount: session.amount_total,
        currency: session.currency,
        paid_for: description,
        payer:
          payer_email === undefined
            ? payer_name
            : payer_name === undefined
              ? payer_email
              : `${payer_name} <${payer_email}>`,
        needs_person: rest.needs_person ?? false,
        kind: rest.kind,
        text: rest.text
      })

      /** A payment, or one on its way, of which there is no row. */
      const compareUnknown = Effect.fnUntraced(function* (
        account: string,
        found: ListedSession,
        origin: Origin,
        { apply, rebooked }: Run
      ) {
        const difference = (kind: DifferenceKind, text: string, needs_person?: true) =>
          differenceOf(account, found, origin, { kind, text, ...(needs_person && { needs_person }) })
        const { booking_id } = origin
        const refunded = Effect.gen(function* () {
          const intent = found.session.payment_intent_id
          const back = intent === undefined ? [] : yield* gateway.listRefunds(account, intent)
          return { left: remainingOf(found, back), all: back.length > 0 && remainingOf(found, back) <= 0 }
        })
        if (Option.isSome(yield* bookings.byId(booking_id))) {
          const given = yield* tryOut(apply, unknown.assign(found, origin, account, booking_id), isDone)
          if (given.done) return difference("assigned", given.text)
          // A person has dealt with it.
          if ((yield* refunded).all) return undefined
          // Into its own account an operator can write any booking: another operator's is not flagged for that.
          if (apply && given.known)
            yield* bookings.flag(booking_id, `payment ${found.session.id} does not fit: ${given.why}`)
          return difference("misfit", given.why, true)
        }
        // A dry run has taken back what this one would be a further payment of.
        if (rebooked.has(booking_id))
          return difference("assigned", "it is a further payment of a booking that is made anew")
        const { all, left } = yield* refunded
        if (all) return undefined
        if (left < found.session.amount_total) {
          const gone = display(found.session.amount_total - left, found.session.currency)
          return difference("unknown_payment", `${gone} of it went back, so it was cancelled or moved`, true)
        }
        const given = yield* tryOut(apply, unknown.rebook(found, origin, account), isDone)
        if (!given.done) return difference("unknown_payment", given.why, true)
        rebooked.add(booking_id)
        return difference("rebooked", given.text)
      })

      const compareSession = Effect.fn("AccountComparison.session")(function* (
        account: string,
        found: ListedSession,
        run: Run
      ): Effect.fn.Return<Difference | undefined, Failure> {
        const { apply } = run
        const origin = Option.getOrUndefined(originOf(found))
        if (origin === undefined) return undefined
        const { session } = found
        const row = Option.getOrUndefined(yield* sessions.find(origin.payment_session_id))
        if (row !== undefined) {
          if (row.account !== account || !isNews(row, session)) return undefined
          const { status, text } = yield* tryOut(apply, settlement.settle(row, session))
          return differenceOf(account, found, origin, {
            kind: status === "applied" ? "settled" : "misfit",
            text,
            ...(status === "applied" ? {} : { needs_person: true })
          })
        }
        switch (factOf(session)) {
          case "expired":
          case "failed":
            return undefined
          case "open": {
            // Another service may use the same account, as in tests.
            if (!found.success_url.startsWith(`${baseUrl}/`)) return undefined
            const closed = differenceOf(account, found, origin, {
              kind: "page_closed",
              text: "nothing is stored of it, so nobody should pay on it"
            })
            if (!apply) return closed
            const now = yield* gateway.expireSession(account, session.id, `expire_${origin.payment_session_id}`)
            if (now.status !== "complete") return closed
            // The payer was faster.
            return yield* compareUnknown(account, yield* gateway.describeSession(account, session.id), origin, run)
          }
          default:
            return yield* compareUnknown(account, found, origin, run)
        }
      })

      /** Refunds of a known payment that are not stored. */
      const compareRefunds = Effect.fn("AccountComparison.refunds")(function* (
        row: PaymentSessionRow,
        listed: ReadonlyArray<ListedRefund>,
        apply: boolean
      ): Effect.fn.Return<Difference | undefined, Failure> {
        const stored = yield* refunds.ofBooking(row)
        const ids = new Set<string | null>(stored.flatMap((refund) => [refund.refund_id, refund.provider_refund_id]))
        const news = listed.filter(({ refund }) => !ids.has(refund.id) && !ids.has(refund.refund_id ?? null))
        if (news.length === 0) return undefined
        if (apply) yield* providerRefunds.checkPayment(row)
        const forgotten = news.some(({ refund }) => refund.refund_id !== undefined)
        const { booking_id } = row
        return {
          kind: "refunded",
          account: row.account,
          provider_session_id: row.provider_session_id ?? "",
          booking_id,
          reference: yield* referenceOf(booking_id),
          amount: news.reduce((sum, { refund }) => sum + refund.amount, 0),
          currency: row.currency,
          paid_for: undefined,
          payer: undefined,
          text: forgotten
            ? "this service gave it back, by a decision that is not stored here: it was cancelled or moved after the backup"
            : "the operator gave it back",
          needs_person: forgotten
        }
      })

      const referenceOf = (booking_id: BookingId) =>
        Effect.map(bookings.byId(booking_id), (found) => Option.getOrUndefined(found)?.reference)

      const compare = Effect.fn("AccountComparison.compare")(function* (
        account: string,
        { apply, since }: ComparisonOptions
      ) {
        const seconds = (at: Instant) => Math.floor(at / 1000)
        const differences: Array<Difference | undefined> = []
        const run: Run = { apply, rebooked: new Set() }
        for (const found of yield* gateway.listSessions(account, seconds(since - longestSessionMs))) {
          differences.push(yield* compareSession(account, found, run))
          yield* Effect.yieldNow
        }
        const back = Map.groupBy(
          (yield* gateway.listRefundsSince(account, seconds(since))).filter(
            ({ refund }) => statusOf(refund) !== "failed"
          ),
          ({ payment_intent_id }) => payment_intent_id
        )
        const payments = [...back.keys()]
        for (let at = 0; at < payments.length; at += atOnce) {
          for (const row of yield* sessions.ofPayments(payments.slice(at, at + atOnce))) {
            if (row.account !== account) continue
            differences.push(yield* compareRefunds(row, back.get(row.payment_intent_id ?? "") ?? [], apply))
          }
        }
        return differences.filter((difference) => difference !== undefined)
      })

      return AccountComparison.of({ compare })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      PaymentSessions.layer,
      ProviderRefunds.layer,
      RefundRecords.layer,
      Settlement.layer,
      UnknownPayments.layer
    ])
  )
}
