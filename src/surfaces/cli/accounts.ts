/**
 * `playroom accounts`: the money of a month or a year as CSV or XLSX, a line for each amount that came in, went back or was paid
 * out, and on standard error whether our rows agree with the provider's record.
 */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { Difference } from "../../domain/payment/accounts/AccountsAtProvider.ts"
import {
  accountColumns,
  type AccountRow,
  accountRows,
  dateOf,
  taxOf,
  type AccountLine,
  signed,
  visitOf
} from "../../domain/payment/accounts/AccountLine.ts"
import { makeMonthAccounts, Month, Year } from "../../domain/payment/accounts/MonthAccounts.ts"
import { describeCause } from "../../platform/telemetry/LogLines.ts"
import { flagNamed, venueFlag, switchFlag, given, examples } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { json, plain, writeXlsx, xlsxFile } from "./Output.ts"
import { csvHead, csvRow } from "../../platform/files/Spreadsheet.ts"
import { counted } from "../../platform/text/Text.ts"

const jsonOf = (line: AccountLine) =>
  JSON.stringify({ ...line, date: dateOf(line), tax: taxOf(line), visit: visitOf(line) })

const says: Readonly<Record<Difference["kind"], string>> = {
  missing: "is here, and not in the provider's record",
  unknown: "is in the provider's record, and not here",
  amount: "has another amount",
  platform_fee: "has another part for the platform",
  status: "moved money at the one, and not at the other"
}

const differenceText = (account: string, one: Difference): string => {
  const amount = (minor: number) => signed(minor, one.currency)
  const of = one.reference === null ? account : `${one.reference}, ${account}`
  return `Differs: ${one.provider_id} (${of}) ${says[one.kind]}: ${amount(one.ours)} here, ${amount(one.theirs)} there.`
}

/** All of them are in memory before the file is written. */
const maxSheetRows = 200_000

const repair =
  "To bring them together: playroom doctor --audit says what it knows of each; playroom payment reconcile --since DATE takes over what this database lacks."

export const accounts = Command.make(
  "accounts",
  {
    month: Flag.String("month").pipe(
      Flag.withDescription("The month, by each playroom's own clock, like 2027-01"),
      Flag.withSchema(Month),
      Flag.optional
    ),
    year: Flag.String("year").pipe(
      Flag.withDescription("A whole year instead, like 2027"),
      Flag.withSchema(Year),
      Flag.optional
    ),
    operator: venueFlag("operator"),
    offline: switchFlag("offline", "Only what this database has: the provider is not asked, and nothing is compared"),
    xlsx: xlsxFile,
    json
  },
  Effect.fn(function* ({ json, month, offline, operator, xlsx, year }) {
    const [period, ...more] = [...Option.toArray(month), ...Option.toArray(year)]
    if (period === undefined || more.length > 0) return yield* failed("Give --month or --year, one of them.")
    if (json && Option.isSome(xlsx)) return yield* failed("Give --json or --xlsx, not both.")
    const named = yield* flagNamed("operator", operator)
    const query = { period, ...given("operator_id", named) }
    const { compared, own, vouchersOwed } = yield* makeMonthAccounts
    const rows: Array<AccountRow> = []
    let found = 0
    const keep = (line: AccountLine) => {
      const all = accountRows(line)
      found += all.length
      if (found <= maxSheetRows) rows.push(...all)
    }
    const each = (line: AccountLine) => {
      if (json) return Console.log(jsonOf(line))
      if (Option.isSome(xlsx)) return Effect.sync(() => keep(line))
      return Effect.forEach(accountRows(line), (row) => Console.log(csvRow(accountColumns, row)), { discard: true })
    }
    const written = Effect.suspend(() =>
      Option.match(xlsx, {
        onNone: () => Effect.void,
        onSome: (path) =>
          found > maxSheetRows
            ? failed(
                `That is ${found} rows, and --xlsx writes ${maxSheetRows} at most: leave --xlsx out for CSV, which has no limit, or give a month or an operator.`
              )
            : writeXlsx(path, period, accountColumns, rows)
      })
    )
    if (!json && Option.isNone(xlsx)) yield* Console.log(csvHead(accountColumns))
    const tellOwed = Effect.flatMap(vouchersOwed(query), (all) =>
      Effect.forEach(all, ({ amount, currency }) =>
        Console.error(`${currency}: owed on vouchers at the end of ${period}, or now: ${signed(amount, currency)}.`)
      )
    )
    if (offline) {
      yield* own(query, each)
      yield* written
      yield* tellOwed
      yield* Console.error("The provider was not asked: its fees and payouts are not in this list.")
      return
    }
    const { accounts: all, differences, failed: away, sums } = yield* compared(query, each)
    yield* written
    const differ = differences.map(({ account, difference }) => differenceText(account.account, difference))
    const notCompared = away.map(
      ({ account, cause, month }) =>
        `Failed: ${plain(account.operator_name)}, ${account.account}${month === period ? "" : `, ${month}`}: ${plain(describeCause(cause))}`
    )
    for (const line of sums.text()) yield* Console.error(line)
    yield* tellOwed
    const unanswered = new Set(away.map(({ account }) => account.account)).size
    const asked = `${all - unanswered} of ${counted(all, "account")} compared with the provider's record`
    if (notCompared.length === 0 && differ.length === 0)
      return yield* Console.error(`${asked}: ${counted(sums.compared, "amount")}, all agree.`)
    const without =
      notCompared.length === 0
        ? []
        : [
            `What was paid there by link is not in this list. Run this again when the provider answers, or with --offline: that prints what this database has.`
          ]
    const last = differ.length === 0 ? "what was compared agrees." : `${counted(differ.length, "line")} to look at.`
    return yield* failed(
      [...differ, ...(differ.length === 0 ? [] : [repair]), ...notCompared, ...without, `${asked}: ${last}`].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Print the money of a month or a year as CSV, or write a new spreadsheet of at most 200,000 rows, and compare it with the provider's record; with --json a JSON object a line"
  ),
  examples({ "A spreadsheet of March": "accounts --month 2027-03 --operator castle-play --xlsx march.xlsx" })
)
