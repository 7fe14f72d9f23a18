/**
 * The terms of a booking in words, made of the very data that a refund follows: both read `refundSteps`. Whatever is told here
 * is part of an option's digest, so that a buyer never agrees to other words than those that hold.
 */
import { Schema } from "effect"
import { hourMs, inWords, instantOf, type Instant, localDateOf, localMinutesOf, offsetAt } from "../kernel/LocalTime.ts"
import { display, MinorUnits } from "../kernel/Money.ts"
import type { CancellationTier, Package } from "./Package.ts"

/** A deposit as agreed: minor units. One that is not `refundable` is kept whatever the cancellation tier. */
export const Deposit = Schema.Struct({ amount: MinorUnits, refundable: Schema.Boolean })
export type Deposit = typeof Deposit.Type

/** The terms as the tools show them, beside `cancellation`. */
export const TermsView = Schema.Struct({
  deposit: Schema.optionalKey(
    Schema.Struct({
      amount: Schema.optionalKey(Schema.Int.annotate({ description: "Minor units." })),
      percent: Schema.optionalKey(Schema.Finite.annotate({ description: "Of the total." })),
      refundable: Schema.Boolean.annotate({ description: "Tiers apply to it." })
    }).annotate({ description: "Due when booking." })
  ),
  final_headcount_hours: Schema.optionalKey(Schema.Int.annotate({ description: "Hours before." })),
  free_reschedule_hours: Schema.optionalKey(Schema.Int.annotate({ description: "Hours before." })),
  text: Schema.String.annotate({ description: "Show the person." })
})
export type TermsView = typeof TermsView.Type

/** What terms are made of. Without a deposit all is due when booking. */
export interface Agreed {
  readonly currency: string
  readonly cancellation: ReadonlyArray<CancellationTier>
  readonly deposit?: Deposit | { readonly percent: number; readonly refundable: boolean } | undefined
  readonly final_headcount_hours_before?: number | undefined
  readonly free_reschedule_hours_before?: number | undefined
  /** The visit that it is agreed for, where there is one; `total` in minor units. */
  readonly visit?: { readonly total: number; readonly start: Instant; readonly time_zone: string } | undefined
}

/**
 * What comes back, step by step: up to `hours_before` the start it is `refund_percent`, then what the next step says, after the
 * last one nothing. In falling order of hours; of two tiers for the same hours the kinder one counts.
 */
export const refundSteps = (tiers: ReadonlyArray<CancellationTier>): ReadonlyArray<CancellationTier> => {
  const steps: Array<CancellationTier> = []
  let hours: number | undefined
  for (const tier of tiers.toSorted((a, b) => a.hours_before - b.hours_before || b.refund_percent - a.refund_percent)) {
    // A tier that refunds what the later one does adds nothing to it.
    const adds = tier.refund_percent !== (steps.at(-1)?.refund_percent ?? 0)
    if (adds && tier.hours_before !== hours) steps.push(tier)
    hours = tier.hours_before
  }
  return steps.reverse()
}

const hoursInWords = (hours: number): string => {
  if (hours === 0) return "the start"
  if (hours >= 48 && hours % 24 === 0) return `${hours / 24} days before`
  return hours === 1 ? "1 hour before" : `${hours} hours before`
}

/**
 * Until when, for people. Terms count elapsed hours: where the clocks change between, "14 days before" would be an hour off, so
 * the time on the wall is said, and hours where the wall shows that time twice.
 */
const until = (hours: number, visit: Agreed["visit"]): string => {
  const words = hoursInWords(hours)
  if (visit === undefined || !words.includes("days")) return words
  const { start, time_zone } = visit
  const end = start - hours * hourMs
  if (offsetAt(time_zone, end) === offsetAt(time_zone, start)) return words
  const wall = instantOf(time_zone, localDateOf(time_zone, end), localMinutesOf(time_zone, end))
  return wall === end ? inWords(time_zone, end) : `${hours} hours before`
}

const share = (percent: number): string => {
  if (percent === 100) return "all"
  if (percent === 0) return "nothing"
  return percent === 50 ? "half" : `${percent} %`
}

const refundText = ({ cancellation, currency, deposit, visit }: Agreed): string => {
  if (visit?.total === 0) return "Nothing is to be paid."
  const lead =
    deposit === undefined
      ? undefined
      : `${"amount" in deposit ? display(deposit.amount, currency) : `${deposit.percent} %`} deposit`
  const kept = deposit !== undefined && !deposit.refundable
  const allKept = kept && ("amount" in deposit ? deposit.amount >= (visit?.total ?? Infinity) : deposit.percent === 100)
  const steps = refundSteps(cancellation)
  if (allKept || steps.length === 0) {
    return `${lead === undefined ? "" : `${lead}. `}Nothing that is paid is refunded.`
  }
  const parts = steps.map(
    ({ hours_before, refund_percent }, i) =>
      `${share(refund_percent)} ${i === 0 ? "back " : ""}until ${until(hours_before, visit)}`
  )
  const back = `${parts.join(", ")}, then nothing.`
  if (lead === undefined) return `If cancelled: ${back}`
  return kept ? `${lead}, not refunded. Of the rest: ${back}` : `${lead}. If cancelled, of all that is paid: ${back}`
}

const changesText = ({ final_headcount_hours_before, free_reschedule_hours_before, visit }: Agreed): string => {
  const parts = [
    ...(final_headcount_hours_before === undefined
      ? []
      : [`final headcount ${until(final_headcount_hours_before, visit)}`]),
    ...(free_reschedule_hours_before === undefined
      ? []
      : [`free to move until ${until(free_reschedule_hours_before, visit)}`])
  ].join("; ")
  return parts === "" ? "" : ` ${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`
}

/** The terms with their text. Pure; the text is at most 700 characters where a catalogue file's bounds are kept. */
export const termsView = (agreed: Agreed): TermsView => ({
  ...(agreed.deposit === undefined ? {} : { deposit: agreed.deposit }),
  ...(agreed.final_headcount_hours_before === undefined
    ? {}
    : { final_headcount_hours: agreed.final_headcount_hours_before }),
  ...(agreed.free_reschedule_hours_before === undefined
    ? {}
    : { free_reschedule_hours: agreed.free_reschedule_hours_before }),
  text: refundText(agreed) + changesText(agreed)
})

const depositOf = ({ payment }: Pick<Package, "payment">): Agreed["deposit"] => {
  if (payment.kind === "full") return undefined
  const { deposit, refundable } = payment
  return ("amount" in deposit ? deposit.amount : deposit.percent) === 0 ? undefined : { ...deposit, refundable }
}

/** The terms of a package, whatever the visit. */
export const packageTerms = (
  pkg: Pick<Package, "payment" | "cancellation" | "final_headcount_hours_before" | "free_reschedule_hours_before">,
  currency: string
): TermsView => termsView({ ...pkg, currency, deposit: depositOf(pkg) })
