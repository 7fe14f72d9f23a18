/** What was paid for a booking and what went back, by the books of the provider and by the till of the venue. */
import { statusOf } from "../../src/domain/payment/refunds/Refund.ts"
import { type ScriptedGateway, withPayer } from "../support/ScriptedGateway.ts"
import { agreedOf, type Booked, isForBalance, type Ledger, type Page, type Taken } from "./Ledger.ts"
import type { Snapshot } from "./snapshot.ts"

type Provider = ScriptedGateway["Service"]

/** A page at the provider, or a payment at the venue, with its money. */
interface Held {
  readonly page: {
    readonly payment_session_id: string
    readonly purpose: "due_now" | "balance"
    readonly amount: number
  }
  readonly session: { readonly status: string; readonly payment_status: string; readonly payment_failed?: boolean }
  readonly paid: number
  readonly refunded: number
}

const inTill = (taken: Taken): Held => ({
  page: taken,
  session: taken.undone
    ? { status: "expired", payment_status: "unpaid" }
    : { status: "complete", payment_status: "paid" },
  paid: taken.undone ? 0 : taken.amount,
  refunded: taken.returned
})

/** What was paid on a session, and what went back of it. */
export const booksOf = (
  { till }: Ledger,
  provider: Provider,
  {
    payment_session_id,
    provider_session_id
  }: Pick<Snapshot["sessions"][number], "payment_session_id" | "provider_session_id">
): { readonly paid: number; readonly refunded: number } => {
  const taken = till.find((one) => one.payment_session_id === payment_session_id)
  return taken === undefined ? provider.paidAndRefunded(provider_session_id ?? "") : inTill(taken)
}

const total = (all: ReadonlyArray<{ readonly amount: number }>) => all.reduce((sum, { amount }) => sum + amount, 0)

/** Whether what was paid on a page, or is on its way, is not what was asked for, and nobody has decided about it. */
export const isInQuestion = (
  { misfits }: Ledger,
  { sessions }: Provider,
  { payment_session_id, provider_id }: Page
): boolean =>
  misfits.has(payment_session_id) &&
  misfits.get(payment_session_id) === undefined &&
  sessions.get(provider_id)?.payment_failed !== true

/** The payments and refunds of a booking, without what was sent back because it did not fit. `ours`: refunds by the service or by staff. Failed refunds do not count. */
export const moneyOf = (provider: Provider, ledger: Ledger, booked: Booked) => {
  const paidByLink = ledger.pages
    .filter((page) => page.booking === booked && ledger.misfits.get(page.payment_session_id) !== "send_back")
    .flatMap((page) => {
      const session = provider.sessions.get(page.provider_id)
      return session === undefined ? [] : [{ page, session, ...provider.paidAndRefunded(page.provider_id) }]
    })
  const taken = ledger.till.filter(({ booking }) => booking === booked)
  const held: ReadonlyArray<Held> = [...paidByLink, ...taken.map(inTill)]
  const intents = new Set(paidByLink.map(({ session }) => session.payment_intent_id))
  const refunds = [...provider.refunds.values()].filter((one) => intents.has(one.payment_intent_id))
  const made = refunds.filter((one) => statusOf(one) !== "failed")
  const byHand = refunds.filter(({ refund_id }) => refund_id === undefined)
  const disputes = [...provider.disputes.values()].filter(
    (one) => intents.has(one.payment_intent_id) && withPayer.includes(one.status)
  )
  const sum = (pick: "paid" | "refunded") => held.reduce((all, one) => all + one[pick], 0)
  return {
    held,
    ours:
      total(made.filter(({ refund_id }) => refund_id !== undefined)) +
      taken.reduce((all, { returned }) => all + returned, 0),
    paid: sum("paid"),
    refunded: sum("refunded"),
    /** By the operator or by disputes; `failed`: a refund by hand that a person may have sent again. */
    byHand: total(byHand.filter((one) => statusOf(one) !== "failed")) + total(disputes),
    failed: total(byHand.filter((one) => statusOf(one) === "failed"))
  }
}

/** The sums by currency, of those that are not 0. */
export const sumsOf = (all: ReadonlyArray<{ readonly amount: number; readonly currency: string }>) => {
  const sums = [...Map.groupBy(all, ({ currency }) => currency)].map(
    ([currency, some]) => [currency, total(some)] as const
  )
  return Object.fromEntries(sums.filter(([, amount]) => amount !== 0))
}

/** What is left by currency of all that was paid and went back, by the provider's books and the till, with vouchers sold: minor units. */
export const netOf = ({ till, vouchers }: Ledger, provider: Provider): Readonly<Record<string, number>> =>
  sumsOf([
    ...[...provider.sessions.values()].map(({ currency, id }) => {
      const { paid, refunded } = provider.paidAndRefunded(id)
      return { currency, amount: paid - refunded }
    }),
    // What is paid with a voucher came in when it was sold.
    ...till.map((taken) => ({
      currency: "GBP",
      amount: (taken.voucher === undefined ? inTill(taken).paid : taken.onto) - taken.returned
    })),
    ...vouchers.map(({ amount, undone }) => ({ currency: "GBP", amount: undone ? 0 : amount }))
  ])

/**
 * Whether a payment is for the booking's current balance: of that amount, and not known to have come too often. A page
 * of another amount was left over from before a change or a payment at the venue, and its money goes back.
 */
export const paysBalance = ({ last }: Ledger, booked: Booked, { page }: Pick<Held, "page">): boolean => {
  const { due_now, total } = agreedOf(booked)
  const known = ({ cause, payment_session_id }: Snapshot["refunds"][number]) =>
    cause === "duplicate_payment" && payment_session_id === page.payment_session_id
  return isForBalance(booked, page) && page.amount === total - due_now && !last.refunds.some(known)
}
