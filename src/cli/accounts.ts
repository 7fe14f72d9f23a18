/** `playroom accounts`: the money of a month as CSV, a line for each amount that came in or went back. */
import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { taxInside } from "../kernel/Charge.ts"
import { dayMs, format } from "../kernel/LocalTime.ts"
import { type AccountLine, Accounts } from "../payment/Accounts.ts"
import { flagNamed, venueFlag } from "./Arguments.ts"
import { type CsvCell, csvLine, decimalText, json } from "./Output.ts"

const Month = Schema.String.check(
  Schema.isPattern(/^20\d\d-(0[1-9]|1[0-2])$/, { message: "Expected a month, like 2027-01" })
)

/** Lines of one reading: so many are in memory at once. */
const pageSize = 1000

/** Clocks differ from UTC by less. */
const maxOffsetMs = dayMs

const monthRange = (month: string) => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return { from: Date.UTC(year, number - 1) - maxOffsetMs, until: Date.UTC(year, number) + maxOffsetMs }
}

const taxOf = ({ amount, currency, tax_percent }: AccountLine): number => {
  const tax = taxInside(Math.abs(amount), tax_percent, currency)
  return amount < 0 ? -tax : tax
}

/** The columns, with the names of the JSON fields. */
const columns: ReadonlyArray<readonly [string, (line: AccountLine) => CsvCell]> = [
  ["date", ({ at, time_zone }) => format(time_zone, at).slice(0, 10)],
  ["kind", ({ kind }) => kind],
  ["way", ({ way }) => way],
  ["currency", ({ currency }) => currency],
  ["amount", ({ amount, currency }) => ({ number: decimalText(amount, currency) })],
  ["tax", (line) => ({ number: decimalText(taxOf(line), line.currency) })],
  ["platform_fee", ({ application_fee, currency }) => ({ number: decimalText(application_fee, currency) })],
  ["cause", ({ cause }) => cause ?? ""],
  ["reference", ({ reference }) => reference],
  ["operator", ({ operator_name }) => operator_name],
  ["provider_id", ({ provider_id }) => provider_id ?? ""],
  ["id", ({ id }) => id],
  ["booking_id", ({ booking_id }) => booking_id],
  ["operator_id", ({ operator_id }) => operator_id]
]

export const accounts = Command.make(
  "accounts",
  {
    month: Flag.String("month").pipe(
      Flag.withDescription("The month, by each playroom's own clock, like 2027-01"),
      Flag.withSchema(Month)
    ),
    operator: venueFlag("operator"),
    json
  },
  Effect.fn(function* ({ json, month, operator }) {
    const operator_id = yield* flagNamed("operator", operator)
    const range = monthRange(month)
    const service = yield* Accounts
    if (!json) yield* Console.log(csvLine(columns.map(([name]) => name)))
    let last: AccountLine | undefined
    for (;;) {
      const page: ReadonlyArray<AccountLine> = yield* service.lines({
        ...range,
        limit: pageSize,
        ...(Option.isSome(operator_id) ? { operator_id: operator_id.value } : {}),
        ...(last === undefined ? {} : { after: last })
      })
      const inMonth = page.filter(({ at, time_zone }) => format(time_zone, at).startsWith(month))
      // A line each: the whole month is never in memory.
      for (const line of inMonth) {
        const tax = taxOf(line)
        yield* Console.log(
          json
            ? JSON.stringify({ ...line, date: format(line.time_zone, line.at).slice(0, 10), tax })
            : csvLine(columns.map(([, cell]) => cell(line)))
        )
      }
      last = page.at(-1)
      if (page.length < pageSize) return
    }
  })
).pipe(
  Command.withDescription(
    "Print what came in and went back in a month, as CSV for a spreadsheet; with --json a JSON object a line"
  )
)
