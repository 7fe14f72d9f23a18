/** The lines of accounts, and which belong to a month or a year. Minor units; what went back or left is negative. */

import { Schema } from "effect"
import { OperatorId } from "../../../platform/ids/Ids.ts"
import {
  shareOut,
  taxInside,
  fromProviderAmount,
  feeGivenBack,
  toProviderAmount,
  toProviderFee
} from "../../../platform/money/Charge.ts"
import { decimalText, display } from "../../../platform/money/Money.ts"
import type { Cell, Columns } from "../../../platform/files/Spreadsheet.ts"
import {
  dayMs,
  dayRange,
  format,
  type Instant,
  InstantFromDate,
  isLocalDate
} from "../../../platform/time/LocalTime.ts"
import { WayWithoutProvider } from "../sessions/PaymentSession.ts"

/** What the provider's record says of a line; amounts in the currency of the account's balance. */
const BalancePart = Schema.Struct({
  /** The provider's id of the change of the balance. */
  transaction_id: Schema.String,
  currency: Schema.String,
  provider_fee: Schema.Finite,
  /** What the balance changed by: the amount without both fees. */
  net: Schema.Finite,
  /** The payout that contains it; absent before there is one, and of payouts by hand. */
  payout: Schema.optionalKey(Schema.String)
})

/** What of an amount is of one rate of tax, and the tax in it: minor units, with the sign of the line. */
export const TaxPart = Schema.Struct({ rate_percent: Schema.Finite, amount: Schema.Finite, tax: Schema.Finite })
export type TaxPart = typeof TaxPart.Type

/** One amount that came in, went back, or left the provider's balance. */
export const AccountLine = Schema.Struct({
  at: InstantFromDate,
  /**
   * `payout`: to the operator's bank. `fee`: the provider's, for nothing that was booked. `other`: not of this service.
   * `correction`: no money moved; what was paid before is of other rates of tax since its booking changed. `voucher`:
   * sold, and owed from then on, or undone (`undone`); what nobody spent of one that expired is owed no more (`expired`).
   * Of one that was sold online also what went back by the provider.
   */
  kind: Schema.Literals(["payment", "refund", "dispute", "payout", "fee", "other", "correction", "voucher"]),
  /**
   * `link`: at the provider. `voucher`: no money moved; what is owed on vouchers is less by a payment, and more by a
   * refund. Of a refund that a person made in an unknown way: `other`.
   */
  way: Schema.Literals(["link", ...WayWithoutProvider.literals, "other"]),
  amount: Schema.Finite,
  currency: Schema.String,
  /**
   * The platform's part of a payment by link; of a refund, the part that is given back with it. In the currency of the
   * balance if the provider told it.
   */
  application_fee: Schema.Finite,
  /** The amount by rates of tax, as they were when it was counted; the tax is included. Empty without a booking. */
  taxes: Schema.Array(TaxPart),
  /** Why it went back, or the provider's word for what it is; null for a payment. */
  cause: Schema.NullOr(Schema.String),
  operator_id: OperatorId,
  operator_name: Schema.String,
  booking_id: Schema.NullOr(Schema.String),
  reference: Schema.NullOr(Schema.String),
  /** The room, the package and the start of its visit, as they are now: a booking may have moved since. */
  playroom: Schema.NullOr(Schema.String),
  package: Schema.NullOr(Schema.String),
  /** The code that its booking was sold with. */
  code: Schema.NullOr(Schema.String),
  starts_at: Schema.NullOr(InstantFromDate),
  time_zone: Schema.String,
  /** Our own id of the payment or refund. */
  id: Schema.NullOr(Schema.String),
  /** The provider's id of the payment, refund, dispute or payout; null at the venue. */
  provider_id: Schema.NullOr(Schema.String),
  balance: Schema.optionalKey(BalancePart)
})
export type AccountLine = typeof AccountLine.Type

/** Where a page of lines ends. */
interface Position {
  readonly at: Instant
  readonly id: string
}

/** Between two instants, of one operator or of all. */
export interface LineRange {
  readonly from: Instant
  readonly until: Instant
  readonly operator_id?: string
}

/** Which lines of our own rows, and how many at once. */
export interface AccountQuery extends LineRange {
  /** Only what was paid, or went back, outside the provider. */
  readonly at_venue?: true
  /** Only what was paid on, or went back from, this account at the provider. */
  readonly account?: string
  readonly after?: Position
  readonly limit: number
}

/** A month (`2027-01`) or a year (`2027`), of one operator or of all. */
export interface PeriodQuery {
  readonly period: string
  readonly operator_id?: string
}

/**
 * An account at the provider, with the operator that takes payments on it, or who did last: what is of no booking is
 * its.
 */
export const OperatorAccount = Schema.Struct({
  account: Schema.String,
  /** Whose payments and refunds are on it: several if it passed from one operator to another. */
  operators: Schema.Array(OperatorId),
  operator_id: OperatorId,
  operator_name: Schema.String,
  /** That of most of its playrooms. */
  time_zone: Schema.String
})
export type OperatorAccount = typeof OperatorAccount.Type

/** A code: how many confirmed bookings that were made in a period have it, and what it took off them; minor units. */
export const CodeSum = Schema.Struct({
  code: Schema.String,
  currency: Schema.String,
  uses: Schema.Int,
  amount: Schema.Finite
})
export type CodeSum = typeof CodeSum.Type

/** What is owed on vouchers, in minor units. */
export const VouchersOwed = Schema.Struct({ currency: Schema.String, amount: Schema.Finite })
export type VouchersOwed = typeof VouchersOwed.Type

const { balance: _, ...ownFields } = AccountLine.fields

/** A line of our own rows. */
export const OwnLine = Schema.Struct({
  ...ownFields,
  id: Schema.String,
  /** When our row was made. */
  made_at: InstantFromDate,
  /** Who took it at the venue, gave it back there, or undid it; null if nobody is named. */
  by: Schema.NullOr(Schema.String),
  /** Of a refund that gives the platform's fee back: what was paid, and what went back before. */
  paid: Schema.NullOr(Schema.Int),
  before: Schema.NullOr(Schema.Int)
})
export type OwnLine = typeof OwnLine.Type

/** Clocks differ from UTC by less. */
const maxOffsetMs = dayMs

/** Instants that contain a month (`2027-01`) or a year (`2027`) on every clock. */
export const periodRange = (period: string): { readonly from: Instant; readonly until: Instant } => {
  const [year = 0, number] = period.split("-").map(Number)
  return {
    from: Date.UTC(year, (number ?? 1) - 1) - maxOffsetMs,
    until: Date.UTC(year, number ?? 12) + maxOffsetMs
  }
}

/** When a month or a year ends on a clock. */
export const periodEnd = (period: string, time_zone: string): Instant => {
  const [year = 0, month = 12] = period.split("-").map(Number)
  const next = new Date(Date.UTC(year, month)).toISOString().slice(0, 10)
  return isLocalDate(next) ? dayRange(time_zone, next).start : Infinity
}

/** The months of a period that have begun at `now`; of a month: itself. */
export const monthsOf = (period: string, now: Instant): ReadonlyArray<string> =>
  period.includes("-")
    ? [period]
    : Array.from({ length: 12 }, (_, i) => `${period}-${String(i + 1).padStart(2, "0")}`).filter(
        (month) => periodRange(month).from <= now
      )

/** Whether a line is of a month or a year, by its playroom's own clock. */
export const isInPeriod = (period: string, { at, time_zone }: Pick<AccountLine, "at" | "time_zone">): boolean =>
  format(time_zone, at).startsWith(period)

/** What the provider takes of a payment for the platform. */
export const platformFee = (application_fee: number, currency: string): number =>
  fromProviderAmount(toProviderFee(application_fee, currency), currency)

/** Of it, what a refund gives back; `before`: what went back of the payment by earlier refunds. */
export const platformFeeBack = (payment: {
  readonly application_fee: number
  readonly paid: number
  readonly before: number
  readonly amount: number
  readonly currency: string
}): number => {
  const { amount, before, currency } = payment
  const [fee, paid, first, last] = [
    toProviderFee(payment.application_fee, currency),
    toProviderAmount(payment.paid, currency) ?? 0,
    toProviderAmount(before, currency) ?? 0,
    toProviderAmount(before + amount, currency) ?? 0
  ]
  const together = (refunded: number) => feeGivenBack(fee, Math.min(refunded, paid), paid)
  return fromProviderAmount(together(last) - together(first), currency)
}

// A month's accounts for spreadsheets: the same columns for the command and for the desk. `docs/commands.md` explains them.

/** The tax in a line: minor units, negative if it went back. */
export const taxOf = ({ taxes }: Pick<AccountLine, "taxes">): number => taxes.reduce((sum, { tax }) => sum + tax, 0)

const negated = (amount: number): number => (amount === 0 ? 0 : -amount)

/**
 * Parts with the sign of an amount, of which they are: if of another one, divided as they are, with the tax inside of
 * each.
 */
export const taxesOf = (amount: number, currency: string, kept: ReadonlyArray<TaxPart>): ReadonlyArray<TaxPart> => {
  const size = Math.abs(amount)
  const sign = amount < 0 ? negated : (part: number) => part
  const whole = kept.reduce((sum, part) => sum + part.amount, 0)
  const shares = shareOut(
    size,
    kept.map((part) => part.amount),
    currency
  )
  return kept.map(({ rate_percent, ...part }, i) => {
    const share = whole === size ? part.amount : (shares[i] ?? 0)
    const tax = whole === size ? part.tax : taxInside(share, rate_percent, currency)
    return { rate_percent, amount: sign(share), tax: sign(tax) }
  })
}

/** The date by the playroom's own clock. */
export const dateOf = ({ at, time_zone }: AccountLine): string => format(time_zone, at).slice(0, 10)

/** The local start of its visit, `2027-01-05 14:00`; undefined without a booking. */
export const visitOf = ({ starts_at, time_zone }: AccountLine): string | undefined =>
  starts_at === null ? undefined : format(time_zone, starts_at).slice(0, 16).replace("T", " ")

const number = (amount: number, currency: string): Cell => ({ number: decimalText(amount, currency) })

/** A row: a line, or what of it is of one rate. What is told of the whole line stands in its `first` row. */
export interface AccountRow {
  readonly line: AccountLine
  readonly part: TaxPart | undefined
  readonly first: boolean
}

const ofWhole =
  (cell: (line: AccountLine) => Cell) =>
  ({ first, line }: AccountRow): Cell =>
    first ? cell(line) : ""
const ofLine =
  (cell: (line: AccountLine) => Cell) =>
  ({ line }: AccountRow): Cell =>
    cell(line)

/** The columns, with the names of the JSON fields. */
export const accountColumns: Columns<AccountRow> = [
  ["date", ofLine((line) => ({ at: dateOf(line) }))],
  ["kind", ofLine(({ kind }) => kind)],
  ["way", ofLine(({ way }) => way)],
  ["currency", ofLine(({ currency }) => currency)],
  ["amount", ({ line, part }) => number(part?.amount ?? line.amount, line.currency)],
  ["tax", ({ line, part }) => number(part?.tax ?? 0, line.currency)],
  [
    "platform_fee",
    ofWhole(({ application_fee, balance, currency }) => number(application_fee, balance?.currency ?? currency))
  ],
  [
    "provider_fee",
    ofWhole(({ balance }) => (balance === undefined ? "" : number(balance.provider_fee, balance.currency)))
  ],
  ["net", ofWhole(({ balance }) => (balance === undefined ? "" : number(balance.net, balance.currency)))],
  ["balance_currency", ofWhole(({ balance }) => balance?.currency ?? "")],
  ["payout", ofLine(({ balance }) => balance?.payout ?? "")],
  ["cause", ofLine(({ cause }) => cause ?? "")],
  ["reference", ofLine(({ reference }) => reference ?? "")],
  ["operator", ofLine(({ operator_name }) => operator_name)],
  ["provider_id", ofLine(({ provider_id }) => provider_id ?? "")],
  ["transaction", ofLine(({ balance }) => balance?.transaction_id ?? "")],
  ["id", ofLine(({ id }) => id ?? "")],
  ["booking_id", ofLine(({ booking_id }) => booking_id ?? "")],
  ["operator_id", ofLine(({ operator_id }) => operator_id)],
  ["tax_percent", ({ part }) => (part === undefined ? "" : { number: String(part.rate_percent) })],
  ["playroom", ofLine(({ playroom }) => playroom ?? "")],
  ["package", ofLine((line) => line.package ?? "")],
  [
    "visit",
    ofLine((line) => {
      const at = visitOf(line)
      return at === undefined ? "" : { at }
    })
  ],
  ["code", ofLine(({ code }) => code ?? "")]
]

/** A line as rows, one for each rate of tax in it; one if it has none. */
export const accountRows = (line: AccountLine): ReadonlyArray<AccountRow> =>
  (line.taxes.length === 0 ? [undefined] : line.taxes).map((part, i) => ({ line, part, first: i === 0 }))

// The sums of a month's accounts by currency, and by the provider's record against our rows.

/** An amount for people, with a minus if it left; minor units. */
export const signed = (amount: number, currency: string): string =>
  `${amount < 0 ? "-" : ""}${display(Math.abs(amount), currency)}`

/** What a sum is of, in the order of printing. Amounts, then the fees and what the balance changed by. */
const names = [
  ["payment", "payments"],
  ["refund", "refunds"],
  ["dispute", "disputes"],
  ["fee", "other fees"],
  ["other", "not of this service"],
  ["platform_fee", "the platform's fees"],
  ["provider_fee", "the provider's fees"],
  ["net", "net"],
  ["payout", "paid out"],
  ["venue_payment", "paid at the venue"],
  ["venue_refund", "given back at the venue"],
  ["voucher_sold", "vouchers sold"],
  ["voucher_payment", "paid by voucher"],
  ["voucher_refund", "given back onto vouchers"],
  ["voucher_expired", "vouchers expired"]
] as const
type SumName = (typeof names)[number][0]

/** Which sum a line is of, of those that the provider knows nothing of. */
const sumOf = ({ cause, kind, way }: AccountLine): SumName => {
  if (kind === "voucher") return cause === "expired" ? "voucher_expired" : "voucher_sold"
  if (way === "voucher") return kind === "payment" ? "voucher_payment" : "voucher_refund"
  return kind === "payment" ? "venue_payment" : "venue_refund"
}

/** Minor units. */
export class AccountSums {
  readonly #sums = new Map<string, Map<SumName, number>>()
  readonly #ours = new Map<string, { ours: number; theirs: number }>()
  readonly #rates = new Map<string, Map<number, TaxPart>>()
  /** How many amounts of the provider's record were compared with ours. */
  compared = 0

  #count(currency: string, name: SumName, amount: number) {
    const of = this.#sums.get(currency) ?? new Map<SumName, number>()
    of.set(name, (of.get(name) ?? 0) + amount)
    this.#sums.set(currency, of)
  }

  #compare(currency: string, ours: number, theirs: number) {
    const before = this.#ours.get(currency) ?? { ours: 0, theirs: 0 }
    this.#ours.set(currency, { ours: before.ours + ours, theirs: before.theirs + theirs })
  }

  /** Counts a line; `own`: our amount for it. */
  add(line: AccountLine, own?: number): void {
    const { amount, application_fee, balance, currency, kind, taxes, way } = line
    const rates = this.#rates.get(currency) ?? new Map<number, TaxPart>()
    this.#rates.set(currency, rates)
    for (const { amount, rate_percent, tax } of taxes) {
      const before = rates.get(rate_percent) ?? { amount: 0, tax: 0 }
      rates.set(rate_percent, { rate_percent, amount: before.amount + amount, tax: before.tax + tax })
    }
    if (kind === "correction") return
    if (way !== "link") return this.#count(currency, sumOf(line), amount)
    this.#count(currency, kind === "voucher" ? sumOf(line) : kind, amount)
    if (balance !== undefined) {
      this.#count(balance.currency, "platform_fee", application_fee)
      this.#count(balance.currency, "provider_fee", balance.provider_fee)
      if (kind !== "payout") this.#count(balance.currency, "net", balance.net)
    }
    if (own === undefined) return
    this.compared += 1
    this.#compare(currency, own, amount)
  }

  /** Counts an amount of ours that the provider's record lacks. */
  addMissing(currency: string, ours: number): void {
    this.#compare(currency, ours, 0)
  }

  /** The sums of each currency, in the order of printing. */
  get sums(): ReadonlyArray<{
    readonly currency: string
    readonly sums: ReadonlyArray<{ readonly name: SumName; readonly amount: number }>
    /** What came less what went back, by rates of tax, the highest first. */
    readonly taxes: ReadonlyArray<TaxPart>
  }> {
    return [...new Set([...this.#sums.keys(), ...this.#rates.keys()])].toSorted().map((currency) => ({
      currency,
      sums: names.flatMap(([name]) => {
        const amount = this.#sums.get(currency)?.get(name)
        return amount === undefined ? [] : [{ name, amount }]
      }),
      taxes: [...(this.#rates.get(currency)?.values() ?? [])].toSorted((a, b) => b.rate_percent - a.rate_percent)
    }))
  }

  /** A line for each currency, one for each rate of tax in it, and one where its sums differ. */
  text(): ReadonlyArray<string> {
    const words = new Map<SumName, string>(names)
    return this.sums.flatMap(({ currency, sums, taxes }) => {
      const told = sums.map(({ amount, name }) => `${words.get(name)} ${signed(amount, currency)}`)
      const { ours, theirs } = this.#ours.get(currency) ?? { ours: 0, theirs: 0 }
      const rates = taxes.map(
        ({ amount, rate_percent, tax }) =>
          `${currency} at ${rate_percent} %: ${signed(amount, currency)}, of which tax ${signed(tax, currency)}.`
      )
      const lines = [...(told.length === 0 ? [] : [`${currency}: ${told.join(", ")}.`]), ...rates]
      return ours === theirs
        ? lines
        : [...lines, `${currency}: the sums differ: ${signed(ours, currency)} here, ${signed(theirs, currency)} there.`]
    })
  }
}
