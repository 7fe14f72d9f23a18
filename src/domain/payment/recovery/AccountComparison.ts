/**
 * Compares the provider's data of one connected account with this database, from a given time on: after a backup was
 * restored, or after a long loss of events. It resolves differences by the ordinary rules and reports those that a
 * person has to decide. A dry run does the same and rolls back. Another run finds the remaining differences.
 */
import { Context, Data, Effect, Layer, Option, Result } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { Bookings } from "../../booking/Bookings.ts"
import { Operators } from "../../catalogue/Operators.ts"
import { EventRecords } from "../events/EventRecords.ts"
import type { BookingId } from "../../../platform/ids/Ids.ts"
import { dayMs, type Instant } from "../../../platform/time/LocalTime.ts"
import { display } from "../../../platform/money/Money.ts"
import { attempt, doneOf, type Outcome } from "../../../platform/concurrency/Outcomes.ts"
import {
  type GatewayError,
  type ListedRefund,
  type ListedSession,
  PaymentGateway,
  type ProviderDispute,
  type RetryableError
} from "../provider/PaymentGateway.ts"
import { ProviderRefunds } from "../refunds/ProviderRefunds.ts"
import { inAnotherCurrency, statusOf } from "../refunds/Refund.ts"
import { RefundRecords } from "../refunds/RefundRecords.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"
import { factOf, isNews, Settlement } from "../settlement/Settlement.ts"
import { VoucherSales } from "../settlement/VoucherSales.ts"
import { type DisputeRow, Disputes, isStored, withdrawnBy } from "../refunds/Disputes.ts"
import { type Assignment, makeUnknownPayments, type Origin, originOf, remainingOf } from "./UnknownPayments.ts"

/**
 * `settled`: a known payment session had a new state; `assigned`: an unknown payment was assigned to its booking;
 * `rebooked`: so was the booking, which was unknown too; `page_closed`: an unknown payment page was closed; `refunded`:
 * money went back; `disputed`: a payer's dispute was unknown; `dispute_changed`: it stood otherwise; `unknown_payment`
 * and `misfit`: a person has to decide.
 */
export type DifferenceKind =
  | "settled"
  | "assigned"
  | "rebooked"
  | "page_closed"
  | "refunded"
  | "disputed"
  | "dispute_changed"
  | "unknown_payment"
  | "misfit"

/** A difference between the provider and this database. */
export interface Difference {
  readonly kind: DifferenceKind
  readonly account: string
  readonly provider_session_id: string
  /** The provider's id of the dispute, if it is one. */
  readonly dispute_id?: string
  readonly booking_id: string
  readonly reference: string | undefined
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  readonly paid_for: string | undefined
  readonly payer: string | undefined
  /** What was done (in a dry run: would be done), or why nothing can be done. */
  readonly text: string
  readonly needs_person: boolean
}

/**
 * A session can be paid this long after its creation (https://docs.stripe.com/api/checkout/sessions/create,
 * `expires_at`).
 */
const maxSessionMs = dayMs
/** Payments per statement. */
const batchSize = 100

interface ComparisonOptions {
  /** The database may lack what happened after this time. */
  readonly since: Instant
  /**
   * For an audit of a running service: pages that closed later, payments that are processing here, and later refunds
   * and events of disputes are left out, since news of them may be on the way; so are unknown pages that return
   * elsewhere. Absent: nothing is.
   */
  readonly until?: Instant
  /** False: a dry run. */
  readonly apply: boolean
}

interface Run {
  readonly apply: boolean
  readonly until: Instant | undefined
  /** Bookings that were created again (in a dry run: would be), with what they booked. */
  readonly rebooked: Map<string, string | undefined>
}

/** Rolls a transaction back, and carries its result. */
class RolledBack<A> extends Data.TaggedError("RolledBack")<{ readonly answer: A }> {
  override readonly message = "Nothing was changed."
}

const isDone = ({ done }: Assignment): boolean => done

type Failure = GatewayError | SqlError.SqlError

/** The comparison of one account. A payment that fails hides no other. */
interface Compared {
  /** What the provider has of the account since then. */
  readonly sessions: ReadonlyArray<ListedSession>
  readonly refunds: ReadonlyArray<ListedRefund>
  /**
   * The ids of the stored disputes that the provider has, whenever they were opened; undefined if it could not be
   * asked.
   */
  readonly disputes: ReadonlySet<string> | undefined
  readonly differences: ReadonlyArray<Difference>
  /**
   * By the provider's id of the payment's session, of the payment, or of the dispute: those that could not be compared.
   */
  readonly failed: ReadonlyArray<Outcome<string>>
}

// The disputes of an account.

/** A difference, and the payment whose check puts it right. */
interface DisputeDifference {
  readonly session: PaymentSessionRow
  readonly difference: Difference & { readonly dispute_id: string }
}

const standing = (dispute: Pick<DisputeRow, "amount" | "currency" | "status">): string =>
  `${dispute.status}, ${display(dispute.amount, dispute.currency)}`

/** Why what is stored is not what the provider says of a dispute of this payment; undefined if it is. */
const differs = (
  row: DisputeRow | undefined,
  said: ProviderDispute,
  { payment_session_id }: PaymentSessionRow
): Pick<Difference, "kind" | "text" | "needs_person"> | undefined => {
  if (row === undefined) {
    const withdrawn = withdrawnBy(said)
    const gone = withdrawn === 0 ? "nothing" : display(withdrawn, said.currency)
    const text = `dispute ${said.id} (${said.status}) is not stored; ${gone} is withdrawn for it`
    return { kind: "disputed", text, needs_person: false }
  }
  if (row.payment_session_id !== payment_session_id) {
    const text = `dispute ${said.id} is of ${payment_session_id}, and stored as one of ${row.payment_session_id}`
    return { kind: "dispute_changed", text, needs_person: true }
  }
  if (isStored(row, said)) return undefined
  const text = `dispute ${said.id} is ${standing(said)} at the provider, and ${standing(row)} here`
  return { kind: "dispute_changed", text, needs_person: false }
}

/**
 * Compares all disputes that the provider has of one account with those that are stored, page by page. What is found is
 * put right by the check of the payment that an event of the dispute makes due, too (`ProviderRefunds.ts`). With
 * `until`, those that the provider has sent events about since then are left out: news of them may be on the way.
 * Disputes of payments that are unknown here, or not paid, are too: the comparison of payments is about these.
 */
const makeDisputeComparison = Effect.gen(function* () {
  const gateway = yield* PaymentGateway
  const bookings = yield* BookingRecords
  const disputes = yield* Disputes
  const sessions = yield* PaymentSessions

  const compare = Effect.fn("DisputeComparison.compare")(function* (account: string, until: Instant | undefined) {
    // The ids of the stored disputes that the provider has.
    const there = new Set<string>()
    const differences: Array<DisputeDifference> = []
    let after: string | undefined
    do {
      const page = yield* gateway.disputesPage(account, after)
      const stored = yield* disputes.known(page.disputes.map(({ dispute }) => dispute.id))
      const rows = new Map(stored.map((row) => [row.dispute_id, row]))
      for (const dispute_id of rows.keys()) there.add(dispute_id)
      const paid = yield* sessions.ofPayments(page.disputes.map(({ payment_intent_id }) => payment_intent_id))
      for (const { dispute, payment_intent_id } of page.disputes) {
        const session = paid.find(
          (one) => one.payment_intent_id === payment_intent_id && one.account === account && one.status === "paid"
        )
        if (session === undefined) continue
        const found = differs(rows.get(dispute.id), dispute, session)
        if (found === undefined) continue
        const { booking_id, provider_session_id } = session
        const booking = Option.getOrUndefined(yield* bookings.byId(booking_id))
        const difference = {
          ...found,
          account,
          provider_session_id: provider_session_id ?? "",
          dispute_id: dispute.id,
          booking_id,
          reference: booking?.reference,
          amount: dispute.amount,
          currency: dispute.currency,
          paid_for: undefined,
          payer: undefined
        }
        differences.push({ session, difference })
      }
      after = page.next
      yield* Effect.yieldNow
    } while (after !== undefined)
    if (until === undefined || differences.length === 0) return { differences, there }
    // Asked last, so that no news is missed that came meanwhile. A dispute does not tell when it changed; its events
    // do.
    const news = new Set(yield* gateway.disputesToldSince(account, Math.floor(until / 1000)))
    return { differences: differences.filter(({ difference }) => !news.has(difference.dispute_id)), there }
  })

  return compare
})

// The account.

export class AccountComparison extends Context.Service<
  AccountComparison,
  {
    /** Compares one account, oldest payment first. Fails only if the provider's payments could not be listed. */
    readonly compare: (account: string, options: ComparisonOptions) => Effect.Effect<Compared, Failure | RetryableError>
  }
>()("playroom/payment/recovery/AccountComparison") {
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
      const unknown = yield* makeUnknownPayments
      const compareDisputes = yield* makeDisputeComparison
      const sales = yield* VoucherSales

      /** Runs `work` in a transaction. Rolls it back in a dry run, or if the result is not done. */
      const commitIfDone = <A, E>(
        apply: boolean,
        work: Effect.Effect<A, E>,
        isDone: (answer: A) => boolean = () => true
      ): Effect.Effect<A, E | SqlError.SqlError> =>
        sql
          .withTransaction(
            Effect.flatMap(work, (answer) =>
              apply && isDone(answer) ? Effect.succeed(answer) : Effect.fail(new RolledBack({ answer }))
            )
          )
          .pipe(
            Effect.catchIf(
              (error): error is RolledBack<A> => error instanceof RolledBack,
              ({ answer }) => Effect.succeed(answer)
            )
          )

      const differenceOf = (
        account: string,
        { description, payer_email, payer_name, session }: ListedSession,
        { booking_id, reference }: { readonly booking_id: string; readonly reference: string | undefined },
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

      /** Handles a payment without a row, paid or processing. */
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
          const left = remainingOf(found, back)
          return { left, all: back.length > 0 && Result.isSuccess(left) && left.success <= 0 }
        })
        /** The amount alone does not tell that a family has moved, or is another party, and has paid for that. */
        const assigned = Effect.fnUntraced(function* (text: string, booked: string | undefined) {
          if (origin.option_id === undefined || origin.option_id === booked) return difference("assigned", text)
          const what = found.description ?? "another visit or party"
          const why = "which is not what is booked here: moved or changed after the backup?"
          if (apply) yield* bookings.flag(booking_id, `payment ${found.session.id} is for ${what}, ${why}`)
          return difference("assigned", `${text}; it is for ${what}, ${why}`, true)
        })
        const known = yield* bookings.byId(booking_id)
        if (Option.isSome(known)) {
          const assignment = yield* commitIfDone(apply, unknown.assign(found, origin, account, booking_id), isDone)
          if (assignment.done) return yield* assigned(assignment.text, known.value.option_id)
          // A person has resolved it.
          if ((yield* refunded).all) return undefined
          // An operator can name any booking in its own account, so another operator's booking is not flagged.
          if (apply && assignment.known)
            yield* bookings.flag(booking_id, `payment ${found.session.id} does not fit: ${assignment.why}`)
          return difference("misfit", assignment.why, true)
        }
        // A dry run has rolled the booking of this further payment back.
        if (rebooked.has(booking_id))
          return yield* assigned("it is a further payment of a booking that is made anew", rebooked.get(booking_id))
        const { all, left } = yield* refunded
        if (all) return undefined
        if (Result.isFailure(left)) return difference("unknown_payment", left.failure, true)
        if (left.success < found.session.amount_total) {
          const gone = display(found.session.amount_total - left.success, found.session.currency)
          return difference(
            "unknown_payment",
            `${gone} of it went back, so it was cancelled, moved or changed, or an amount was given back`,
            true
          )
        }
        const assignment = yield* commitIfDone(apply, unknown.rebook(found, origin, account), isDone)
        if (!assignment.done) return difference("unknown_payment", assignment.why, true)
        rebooked.set(booking_id, origin.option_id)
        return difference("rebooked", assignment.text)
      })

      /** The same of a gift voucher that was sold online. One that is unknown here is taken over, with its old code. */
      const compareSale = Effect.fnUntraced(function* (
        account: string,
        found: ListedSession,
        { apply, until }: Run
      ): Effect.fn.Return<Difference | undefined, Failure> {
        const { payment_session_id = "", voucher_id } = found.metadata
        const { session, success_url } = found
        if (voucher_id === undefined) return undefined
        const difference = (kind: DifferenceKind, text: string, needs_person?: true) =>
          differenceOf(
            account,
            found,
            { booking_id: voucher_id, reference: undefined },
            {
              kind,
              text,
              ...(needs_person && { needs_person })
            }
          )
        const known = Option.getOrUndefined(yield* sales.named(account, { payment_session_id }))
        if (known !== undefined) {
          if (!isNews(known, session) || (until !== undefined && known.status === "processing")) return undefined
          if (factOf(session) === "free" && known.status === "failed") return undefined
          const { status, text } = yield* commitIfDone(apply, sales.settle(payment_session_id, session))
          return status === "applied" ? difference("settled", text) : difference("misfit", text, true)
        }
        // Another service may use the same account.
        if (until !== undefined && !success_url.startsWith(`${baseUrl}/`)) return undefined
        const restored = yield* sales.restore(account, found, apply)
        if (restored === undefined)
          return factOf(session) === "paid"
            ? difference("unknown_payment", "it is of a gift voucher that is not in this database", true)
            : undefined
        return restored.status === "applied"
          ? difference("assigned", restored.text)
          : difference("misfit", restored.text, true)
      })

      /** Refunds of vouchers' payments that are not stored. */
      const compareSaleRefunds = Effect.fnUntraced(function* (
        account: string,
        listed: ReadonlyArray<ListedRefund>,
        apply: boolean
      ) {
        const found = yield* sales.unknownRefunds(account, listed)
        if (apply) for (const { payment_intent_id } of found) yield* sales.checkSoon(account, { payment_intent_id })
        return found.map(({ amount, currency, provider_session_id, voucher_id }): Difference => ({
          kind: "refunded",
          account,
          provider_session_id,
          booking_id: voucher_id,
          reference: undefined,
          amount,
          currency,
          paid_for: undefined,
          payer: undefined,
          text: "it went back of a gift voucher's payment, and lowers that",
          needs_person: false
        }))
      })

      const compareSession = Effect.fn("AccountComparison.session")(function* (
        account: string,
        found: ListedSession,
        run: Run
      ): Effect.fn.Return<Difference | undefined, Failure> {
        const { apply, until } = run
        if (until !== undefined && found.session.expires_at * 1000 > until) return undefined
        const origin = Option.getOrUndefined(originOf(found))
        if (origin === undefined) return yield* compareSale(account, found, run)
        const { session } = found
        const row = Option.getOrUndefined(yield* sessions.find(origin.payment_session_id))
        if (row !== undefined) {
          if (row.account !== account || !isNews(row, session)) return undefined
          if (until !== undefined && row.status === "processing") return undefined
          const { status, text } = yield* commitIfDone(apply, settlement.settle(row, session))
          return differenceOf(account, found, origin, {
            kind: status === "applied" ? "settled" : "misfit",
            text,
            ...(status === "applied" ? {} : { needs_person: true })
          })
        }
        // Another service may use the same account: its payments are no fault of ours.
        if (until !== undefined && !found.success_url.startsWith(`${baseUrl}/`)) return undefined
        switch (factOf(session)) {
          case "expired":
          case "failed":
            return undefined
          case "open": {
            // Another service may use the same account, for example in tests.
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

      /** Finds refunds of a known payment that are not stored. */
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
        const lostDecision = news.some(({ refund }) => refund.refund_id !== undefined)
        const { booking_id } = row
        const difference = {
          account: row.account,
          provider_session_id: row.provider_session_id ?? "",
          booking_id,
          reference: yield* referenceOf(booking_id),
          paid_for: undefined,
          payer: undefined
        }
        for (const { refund } of news) {
          const { amount, currency } = refund
          const text = inAnotherCurrency(row.currency, refund)
          if (text !== undefined) return { kind: "misfit", ...difference, amount, currency, text, needs_person: true }
        }
        return {
          kind: "refunded",
          ...difference,
          amount: news.reduce((sum, { refund }) => sum + refund.amount, 0),
          currency: row.currency,
          text: lostDecision
            ? "this service gave it back, by a decision that is not stored here: after the backup it was cancelled, moved or changed, or an amount was given back"
            : "the operator gave it back",
          needs_person: lostDecision
        }
      })

      const referenceOf = (booking_id: BookingId) =>
        Effect.map(bookings.byId(booking_id), (found) => Option.getOrUndefined(found)?.reference)

      const compare = Effect.fn("AccountComparison.compare")(function* (
        account: string,
        { apply, since, until }: ComparisonOptions
      ) {
        const seconds = (at: Instant) => Math.floor(at / 1000)
        // All lists come first: if one of payments fails, nothing was done yet.
        const listed = yield* gateway.listSessions(account, seconds(since - maxSessionMs))
        const refunded = (yield* gateway.listRefundsSince(account, seconds(since))).filter(
          ({ refund }) => statusOf(refund) !== "failed"
        )
        const disputed = yield* attempt(`disputes of ${account}`, compareDisputes(account, until))
        const back = Map.groupBy(
          refunded.filter(({ created }) => until === undefined || created * 1000 <= until),
          ({ payment_intent_id }) => payment_intent_id
        )
        const outcomes: Array<Outcome<string, Difference | undefined, Failure>> = []
        const run: Run = { apply, until, rebooked: new Map() }
        for (const found of listed) {
          outcomes.push(yield* attempt(found.session.id, compareSession(account, found, run)))
          yield* Effect.yieldNow
        }
        const payments = [...back.keys()]
        for (let at = 0; at < payments.length; at += batchSize) {
          const batch = payments.slice(at, at + batchSize)
          const read = yield* attempt(batch.join(", "), sessions.ofPayments(batch))
          if (read.outcome !== "done") outcomes.push(read)
          for (const row of read.outcome === "done" ? read.value : []) {
            if (row.account !== account) continue
            const intent = row.payment_intent_id ?? ""
            outcomes.push(yield* attempt(intent, compareRefunds(row, back.get(intent) ?? [], apply)))
          }
        }
        const ofSales = yield* attempt(
          `refunds of vouchers on ${account}`,
          compareSaleRefunds(account, [...back.values()].flat(), apply)
        )
        if (ofSales.outcome !== "done") outcomes.push(ofSales)
        if (disputed.outcome !== "done") outcomes.push(disputed)
        for (const { difference, session } of disputed.outcome === "done" ? disputed.value.differences : [])
          outcomes.push(
            yield* attempt(
              difference.dispute_id,
              Effect.as(apply ? providerRefunds.checkPayment(session) : Effect.void, difference)
            )
          )
        return {
          sessions: listed,
          refunds: refunded,
          disputes: disputed.outcome === "done" ? disputed.value.there : undefined,
          differences: [
            ...doneOf(outcomes).flatMap(({ value }) => (value === undefined ? [] : [value])),
            ...(ofSales.outcome === "done" ? ofSales.value : [])
          ],
          failed: outcomes.filter(({ outcome }) => outcome !== "done")
        }
      })

      return AccountComparison.of({ compare })
    })
  ).pipe(
    Layer.provide([
      BookingRecords.layer,
      Bookings.layer,
      Disputes.layer,
      EventRecords.layer,
      Operators.layer,
      PaymentSessions.layer,
      ProviderRefunds.layer,
      RefundRecords.layer,
      Settlement.layer,
      VoucherSales.layer
    ])
  )
}
