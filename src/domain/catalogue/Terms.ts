/**
 * The terms of a package in words. Words and refunds use the same data (`refundSteps`), and an option's digest covers
 * all of it. So a buyer never agrees to words that do not hold. `VisitTerms.ts` has a visit's terms, with dates and
 * amounts.
 */
import { Schema } from "effect"
import { downToStep, minimumCharge } from "../../platform/money/Charge.ts"
import { display, MinorUnits, Money } from "../../platform/money/Money.ts"
import { isBalanceAtVenue, type Package } from "./Package.ts"
import { type CancellationTier, refundSteps } from "./RefundSchedule.ts"
import { counted } from "../../platform/text/Text.ts"

/** An agreed deposit in minor units. If it is not `refundable`, it is kept whatever the cancellation tier. */
export const Deposit = Schema.Struct({ amount: MinorUnits, refundable: Schema.Boolean })
export type Deposit = typeof Deposit.Type

/**
 * The refund of a cancellation until then. The last entry has no `until`: it is the refund afterwards. `text` is absent
 * in a long answer: the terms' own text has it.
 */
export const RefundView = Schema.Struct({
  until: Schema.optionalKey(Schema.String.annotate({ description: "RFC 3339." })),
  refund: Money.annotate({ description: "Comes back." }),
  text: Schema.optionalKey(Schema.String.annotate({ description: "Text." }))
})
export type RefundView = typeof RefundView.Type

/** The terms as the tools show them, next to `cancellation`. */
export const TermsView = Schema.Struct({
  deposit: Schema.optionalKey(
    Schema.Struct({
      amount: Schema.optionalKey(Schema.Int.annotate({ description: "Minor units." })),
      display: Schema.optionalKey(Schema.String.annotate({ description: "Text." })),
      percent: Schema.optionalKey(Schema.Finite.annotate({ description: "Of the total." })),
      refundable: Schema.Boolean.annotate({ description: "Tiers apply to it." })
    }).annotate({ description: "Due when booking." })
  ),
  final_headcount_hours: Schema.optionalKey(Schema.Int.annotate({ description: "Hours before." })),
  /** The party may grow, and never shrink. */
  grows_only: Schema.optionalKey(Schema.Literal(true).annotate({ description: "No smaller party." })),
  free_reschedule_hours: Schema.optionalKey(Schema.Int.annotate({ description: "Hours before." })),
  /** RFC 3339. Absent: the places are kept. */
  unpaid_balance: Schema.optionalKey(Schema.String.annotate({ description: "Places go then." })),
  refunds: Schema.optionalKey(Schema.Array(RefundView).annotate({ description: "Back if cancelled." })),
  text: Schema.String.annotate({ description: "Show the person." })
})
export type TermsView = typeof TermsView.Type

/** The data of terms, for words in any language. Without a deposit, everything is due when booking. */
export interface TermsData {
  readonly currency: string
  readonly cancellation: ReadonlyArray<CancellationTier>
  readonly deposit?: Deposit | { readonly percent: number; readonly refundable: boolean } | undefined
  readonly final_headcount_hours_before?: number | undefined
  readonly party_may_shrink?: boolean | undefined
  readonly free_reschedule_hours_before?: number | undefined
  readonly release_unpaid_after_hours?: number | undefined
  readonly balance_at_venue?: boolean
}

const hoursInWords = (hours: number): string => {
  if (hours === 0) return "the start"
  if (hours >= 48 && hours % 24 === 0) return `${hours / 24} days before`
  return `${counted(hours, "hour")} before`
}

const share = (percent: number): string => {
  if (percent === 100) return "all"
  if (percent === 0) return "nothing"
  return percent === 50 ? "half" : `${percent} %`
}

/** Whether the deposit is kept, so that the steps hold for the rest only. */
export const isDepositKept = ({ deposit }: Pick<TermsData, "deposit">): boolean =>
  deposit !== undefined && !deposit.refundable

/** The steps in which what is paid comes back; empty if nothing ever does. */
export const stepsOf = ({ cancellation, deposit }: Pick<TermsData, "cancellation" | "deposit">) =>
  deposit !== undefined && !deposit.refundable && "percent" in deposit && deposit.percent === 100
    ? []
    : refundSteps(cancellation)

const refundText = ({ cancellation, currency, deposit }: TermsData): string => {
  const lead =
    deposit === undefined
      ? undefined
      : `${"amount" in deposit ? display(deposit.amount, currency) : `${deposit.percent} %`} deposit`
  const kept = isDepositKept({ deposit })
  const steps = stepsOf({ cancellation, deposit })
  if (steps.length === 0) {
    return `${lead === undefined ? "" : `${lead}. `}Nothing that is paid is refunded.`
  }
  const parts = steps.map(
    ({ hours_before, refund_percent }, i) =>
      `${share(refund_percent)} ${i === 0 ? "back " : ""}until ${hoursInWords(hours_before)}`
  )
  const back = `${parts.join(", ")}, then nothing.`
  if (lead === undefined) return `If cancelled: ${back}`
  return kept ? `${lead}, not refunded. Of the rest: ${back}` : `${lead}. If cancelled, of all that is paid: ${back}`
}

/** That a party may not become smaller, as part of a sentence. */
export const growsText = "the party may grow, but not become smaller"

const changesText = (agreed: TermsData): string => {
  const { final_headcount_hours_before, free_reschedule_hours_before, party_may_shrink } = agreed
  const parts = [
    ...(final_headcount_hours_before === undefined
      ? []
      : [`final headcount ${hoursInWords(final_headcount_hours_before)}`]),
    ...(party_may_shrink === false ? [growsText] : []),
    ...(free_reschedule_hours_before === undefined
      ? []
      : [`free to move until ${hoursInWords(free_reschedule_hours_before)}`])
  ].join("; ")
  return parts === "" ? "" : ` ${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`
}

const unpaidText = ({ release_unpaid_after_hours: hours }: TermsData): string =>
  hours === undefined
    ? ""
    : ` If the rest is still unpaid ${counted(hours, "hour")} after it is due, the places are released.`

/** That what is not due when booking is paid at the venue. */
export const atVenueText = " What is left to pay is paid at the venue."

/** A deposit as the tools show it. */
export const shownDeposit = <D extends NonNullable<TermsData["deposit"]>>(deposit: D, currency: string) =>
  "amount" in deposit ? { ...deposit, display: display(deposit.amount, currency) } : deposit

/** The terms with their text. Pure. The text has at most 700 characters within a catalogue file's limits. */
const termsView = (agreed: TermsData): TermsView => ({
  ...(agreed.deposit === undefined ? {} : { deposit: shownDeposit(agreed.deposit, agreed.currency) }),
  ...(agreed.final_headcount_hours_before === undefined
    ? {}
    : { final_headcount_hours: agreed.final_headcount_hours_before }),
  ...(agreed.party_may_shrink === false ? { grows_only: true as const } : {}),
  ...(agreed.free_reschedule_hours_before === undefined
    ? {}
    : { free_reschedule_hours: agreed.free_reschedule_hours_before }),
  text:
    refundText(agreed) +
    changesText(agreed) +
    unpaidText(agreed) +
    (agreed.balance_at_venue === true ? atVenueText : "")
})

/** The deposit as `Pricing.quote` charges it: a fixed one too small to be charged is none. */
const depositTerms = ({ payment }: Pick<Package, "payment">, currency: string): TermsData["deposit"] => {
  if (payment.kind === "full") return undefined
  const { deposit, refundable } = payment
  if ("percent" in deposit) return deposit.percent === 0 ? undefined : { ...deposit, refundable }
  const amount = downToStep(deposit.amount, currency)
  return amount < minimumCharge(currency) ? undefined : { amount, refundable }
}

type PackageWithTerms = Pick<
  Package,
  "payment" | "cancellation" | "final_headcount_hours_before" | "party_may_shrink" | "free_reschedule_hours_before"
>

/** The terms of a package as data, for any visit. */
export const packageTermsData = (pkg: PackageWithTerms, currency: string): TermsData => ({
  ...pkg,
  currency,
  deposit: depositTerms(pkg, currency),
  balance_at_venue: isBalanceAtVenue(pkg),
  ...(pkg.payment.kind === "full" ? {} : { release_unpaid_after_hours: pkg.payment.release_unpaid_after_hours })
})

/** The same with their text. */
export const packageTerms = (pkg: PackageWithTerms, currency: string): TermsView =>
  termsView(packageTermsData(pkg, currency))
