/**
 * `playroom accounts`: the money of a month as CSV, a line for each amount that came in, went back or was paid out, and
 * on standard error whether our rows agree with the provider's record.
 */
import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { taxInside } from "../kernel/Charge.ts"
import { format } from "../kernel/LocalTime.ts"
import { attempt } from "../kernel/Outcomes.ts"
import type { Difference } from "../payment/AccountAgreement.ts"
import { type AccountLine, isInMonth, monthRange } from "../payment/AccountLine.ts"
import { type AccountQuery, Accounts, type OperatorAccount, type OwnLine } from "../payment/Accounts.ts"
import { describeCause } from "../telemetry/FailureText.ts"
import { AccountSums, signed } from "./AccountSums.ts"
import { flagNamed, venueFlag } from "./Arguments.ts"
import { CommandFailed } from "./Failure.ts"
import { type CsvCell, csvLine, decimalText, json, plain } from "./Output.ts"
import { count } from "./Report.ts"

const Month = Schema.String.check(
  Schema.isPattern(/^20\d\d-(0[1-9]|1[0-2])$/, { message: "Expected a month, like 2027-01" })
)

/** Lines of one reading: so many are in memory at once. */
const pageSize = 1000

const taxOf = ({ amount, currency, tax_percent }: AccountLine): number => {
  const tax = taxInside(Math.abs(amount), tax_percent, currency)
  return amount < 0 ? -tax : tax
}

const dateOf = ({ at, time_zone }: AccountLine): string => format(time_zone, at).slice(0, 10)

const number = (amount: number, currency: string): CsvCell => ({ number: decimalText(amount, currency) })

/** The columns, with the names of the JSON fields. */
const columns: ReadonlyArray<readonly [string, (line: AccountLine) => CsvCell]> = [
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

const printLine = (asJson: boolean, line: AccountLine) =>
  Console.log(
    asJson
      ? JSON.stringify({ ...line, date: dateOf(line), tax: taxOf(line) })
      : csvLine(columns.map(([, cell]) => cell(line)))
  )

/** Our own lines of a month, page by page: the whole month is never in memory. */
const printOwn = Effect.fnUntraced(function* (
  asJson: boolean,
  month: string,
  which: Pick<AccountQuery, "operator_id" | "at_venue">,
  sums: AccountSums
) {
  const service = yield* Accounts
  let last: OwnLine | undefined
  for (;;) {
    const page: ReadonlyArray<OwnLine> = yield* service.lines({
      ...monthRange(month),
      ...which,
      limit: pageSize,
      ...(last === undefined ? {} : { after: last })
    })
    for (const { before: _before, made_at: _made, paid: _paid, ...line } of page) {
      if (!isInMonth(month, line)) continue
      sums.add(line)
      yield* printLine(asJson, line)
    }
    last = page.at(-1)
    if (page.length < pageSize) return
  }
})

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

const repair =
  "To bring them together: playroom doctor --audit says what it knows of each; playroom payment reconcile --since DATE takes over what this database lacks."

/** An account's lines, as the provider has them; answers what differs. */
const printAccount = Effect.fnUntraced(function* (
  asJson: boolean,
  month: string,
  account: OperatorAccount,
  sums: AccountSums
) {
  const { differences, lines } = yield* Accounts.use((service) => service.atProvider(account, month))
  for (const { own, ...line } of lines) {
    sums.add(line, own)
    yield* printLine(asJson, line)
  }
  for (const one of differences) if (one.kind === "missing") sums.addMissing(one.currency, one.ours)
  return differences.map((one) => differenceText(account.account, one))
})

export const accounts = Command.make(
  "accounts",
  {
    month: Flag.String("month").pipe(
      Flag.withDescription("The month, by each playroom's own clock, like 2027-01"),
      Flag.withSchema(Month)
    ),
    operator: venueFlag("operator"),
    offline: Flag.Boolean("offline").pipe(
      Flag.withDescription("Only what this database has: the provider is not asked, and nothing is compared"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fn(function* ({ json, month, offline, operator }) {
    const named = yield* flagNamed("operator", operator)
    const of = Option.isSome(named) ? { operator_id: named.value } : {}
    const service = yield* Accounts
    const sums = new AccountSums()
    if (!json) yield* Console.log(csvLine(columns.map(([name]) => name)))
    if (offline) {
      yield* printOwn(json, month, of, sums)
      yield* Console.error("The provider was not asked: its fees and payouts are not in this list.")
      return
    }
    const all = yield* service.accounts({ ...monthRange(month), ...of })
    const differ: Array<string> = []
    const failed: Array<string> = []
    for (const account of all) {
      const outcome = yield* attempt(account, printAccount(json, month, account, sums))
      if (outcome.outcome === "done") differ.push(...outcome.value)
      if (outcome.outcome === "failed")
        failed.push(
          `Failed: ${plain(account.operator_name)}, ${account.account}: ${plain(describeCause(outcome.cause))}`
        )
    }
    yield* printOwn(json, month, { ...of, at_venue: true }, sums)
    for (const line of sums.text()) yield* Console.error(line)
    const asked = `${all.length - failed.length} of ${count(all.length, "account")} compared with the provider's record`
    if (failed.length === 0 && differ.length === 0)
      return yield* Console.error(`${asked}: ${count(sums.compared, "amount")}, all agree.`)
    const away =
      failed.length === 0
        ? []
        : [
            `What was paid there by link is not in this list. Run this again when the provider answers, or with --offline: that prints what this database has.`
          ]
    const last = differ.length === 0 ? "what was compared agrees." : `${count(differ.length, "line")} to look at.`
    return yield* new CommandFailed({
      message: [...differ, ...(differ.length === 0 ? [] : [repair]), ...failed, ...away, `${asked}: ${last}`].join("\n")
    })
  })
).pipe(
  Command.withDescription(
    "Print what came in, went back and was paid out in a month, as CSV for a spreadsheet, and compare it with the provider's record; with --json a JSON object a line"
  )
)
