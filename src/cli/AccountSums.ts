/** The sums of a month's accounts by currency, and by the provider's record against our rows. */
import type { AccountLine } from "../payment/AccountLine.ts"
import { display } from "../kernel/Money.ts"

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
type Name = (typeof names)[number][0]

/** Minor units. */
export class AccountSums {
  readonly #sums = new Map<string, Map<Name, number>>()
  readonly #ours = new Map<string, { ours: number; theirs: number }>()
  /** How many amounts of the provider's record were compared with ours. */
  compared = 0

  #count(currency: string, name: Name, amount: number) {
    const of = this.#sums.get(currency) ?? new Map<Name, number>()
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

  /** A line for each currency, and one where its sums differ. */
  text(): ReadonlyArray<string> {
    return [...this.#sums.keys()].sort().flatMap((currency) => {
      const sums = this.#sums.get(currency) ?? new Map<Name, number>()
      const told = names.flatMap(([name, word]) => {
        const amount = sums.get(name)
        return amount === undefined ? [] : [`${word} ${signed(amount, currency)}`]
      })
      const { ours, theirs } = this.#ours.get(currency) ?? { ours: 0, theirs: 0 }
      const line = `${currency}: ${told.join(", ")}.`
      return ours === theirs
        ? [line]
        : [line, `${currency}: the sums differ: ${signed(ours, currency)} here, ${signed(theirs, currency)} there.`]
    })
  }
}
