/** A month's accounts as CSV: the same columns for the command and for the desk. `docs/commands.md` explains them. */
import { taxInside } from "../../../platform/money/Charge.ts"
import { type CsvCell, csvLine } from "../../../platform/text/Csv.ts"
import { format } from "../../../platform/time/LocalTime.ts"
import type { AccountLine } from "./AccountLine.ts"
import { decimalText } from "../../../platform/money/Money.ts"

/** The tax in a line, by its rate: minor units, negative if it went back. */
export const taxOf = ({ amount, currency, tax_percent }: AccountLine): number => {
  const tax = taxInside(Math.abs(amount), tax_percent, currency)
  return amount < 0 ? -tax : tax
}

/** The date by the playroom's own clock. */
export const dateOf = ({ at, time_zone }: AccountLine): string => format(time_zone, at).slice(0, 10)

const number = (amount: number, currency: string): CsvCell => ({ number: decimalText(amount, currency) })

/** The columns, with the names of the JSON fields. */
const columns: ReadonlyArray<readonly [name: string, (line: AccountLine) => CsvCell]> = [
  ["date", dateOf],
  ["kind", ({ kind }) => kind],
  ["way", ({ way }) => way],
  ["currency", ({ currency }) => currency],
  ["amount", ({ amount, currency }) => number(amount, currency)],
  ["tax", (line) => number(taxOf(line), line.currency)],
  ["platform_fee", ({ application_fee, balance, currency }) => number(application_fee, balance?.currency ?? currency)],
  ["provider_fee", ({ balance }) => (balance === undefined ? "" : number(balance.provider_fee, balance.currency))],
  ["net", ({ balance }) => (balance === undefined ? "" : number(balance.net, balance.currency))],
  ["balance_currency", ({ balance }) => balance?.currency ?? ""],
  ["payout", ({ balance }) => balance?.payout ?? ""],
  ["cause", ({ cause }) => cause ?? ""],
  ["reference", ({ reference }) => reference ?? ""],
  ["operator", ({ operator_name }) => operator_name],
  ["provider_id", ({ provider_id }) => provider_id ?? ""],
  ["transaction", ({ balance }) => balance?.transaction_id ?? ""],
  ["id", ({ id }) => id ?? ""],
  ["booking_id", ({ booking_id }) => booking_id ?? ""],
  ["operator_id", ({ operator_id }) => operator_id]
]

export const accountsHead = csvLine(columns.map(([name]) => name))
export const accountRow = (line: AccountLine): string => csvLine(columns.map(([, cell]) => cell(line)))
