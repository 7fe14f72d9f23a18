/** The sums of a month's accounts by currency, and by the provider's record against our rows. */
import { display } from "../../../platform/money/Money.ts"
import type { AccountLine } from "./AccountLine.ts"

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
  ["venue_refund", "given back at the venue"]
] as const
type SumName = (typeof names)[number][0]

/** Minor units. */
export class AccountSums {
  readonly #sums = new Map<string, Map<SumName, number>>()
  readonly #ours = new Map<string, { ours: number; theirs: number }>()
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
    const { amount, application_fee, balance, currency, kind, way } = line
    if (way !== "link") return this.#count(currency, kind === "payment" ? "venue_payment" : "venue_refund", amount)
    this.#count(currency, kind, amount)
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
  }> {
    return [...this.#sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, sums]) => ({
        currency,
        sums: names.flatMap(([name]) => {
          const amount = sums.get(name)
          return amount === undefined ? [] : [{ name, amount }]
        })
      }))
  }

  /** A line for each currency, and one where its sums differ. */
  text(): ReadonlyArray<string> {
    const words = new Map<SumName, string>(names)
    return this.sums.flatMap(({ currency, sums }) => {
      const told = sums.map(({ amount, name }) => `${words.get(name)} ${signed(amount, currency)}`)
      const { ours, theirs } = this.#ours.get(currency) ?? { ours: 0, theirs: 0 }
      const line = `${currency}: ${told.join(", ")}.`
      return ours === theirs
        ? [line]
        : [line, `${currency}: the sums differ: ${signed(ours, currency)} here, ${signed(theirs, currency)} there.`]
    })
  }
}
