/**
 * Compares all disputes that the provider has of one connected account with those that are stored, page by page. What
 * is found is put right by the check of the payment that an event of the dispute makes due, too (`ProviderRefunds.ts`).
 */

import { Effect, Option } from "effect"
import { display } from "../../../platform/money/Money.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { BookingRecords } from "../../booking/BookingRecords.ts"
import { PaymentGateway, type ProviderDispute } from "../provider/PaymentGateway.ts"
import { type DisputeRow, Disputes, isStored, withdrawnBy } from "../refunds/Disputes.ts"
import type { PaymentSessionRow } from "../sessions/PaymentSession.ts"
import { PaymentSessions } from "../sessions/PaymentSessions.ts"

// What a comparison of the provider's data with this database tells (`AccountComparison.ts`, `DisputeComparison.ts`).

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
 * Compares the disputes of one account. With `until`, those that the provider has sent events about since then are left
 * out: news of them may be on the way. Disputes of payments that are unknown here, or not paid, are too: the comparison
 * of payments is about these.
 */
export const makeDisputeComparison = Effect.gen(function* () {
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
    // Asked last, so that no news is missed that came meanwhile. A dispute does not tell when it changed; its events do.
    const news = new Set(yield* gateway.disputesToldSince(account, Math.floor(until / 1000)))
    return { differences: differences.filter(({ difference }) => !news.has(difference.dispute_id)), there }
  })

  return compare
})
