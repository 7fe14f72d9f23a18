/** Data of the page of a month's figures at an operator, and of its file for spreadsheets. */
import { Clock, Duration, Effect, Schema } from "effect"
import { Operators } from "../../catalogue/Operators.ts"
import type { OperatorId } from "../../kernel/Ids.ts"
import { localDateOf } from "../../kernel/LocalTime.ts"
import { accountRow, accountsHead } from "../../payment/accounts/AccountCsv.ts"
import { Accounts } from "../../payment/accounts/Accounts.ts"
import type { AccountSums } from "../../payment/accounts/AccountSums.ts"
import { comparedMonth, type EachLine, Month, ownMonth } from "../../payment/accounts/MonthAccounts.ts"

/** What is asked for: `provider`: by the provider's record, compared with our rows. */
interface MonthAsked {
  readonly month: string | undefined
  readonly provider: boolean
}

/**
 * A month's figures. `compared`: how many amounts agree with the provider's record, and how many lines differ; absent if
 * it was not asked. `away`: it did not answer in time, and the figures are our own.
 */
export interface Figures {
  readonly month: string
  readonly this_month: string
  readonly sums: AccountSums["sums"]
  readonly compared?: { readonly amounts: number; readonly differences: number }
  readonly away: boolean
}

/** How long the provider may take; a page has a few seconds. */
const providerTimeout = Duration.seconds(5)
const isMonth = Schema.is(Month)

export const monthFigures = Effect.gen(function* () {
  const accounts = yield* Accounts
  const operators = yield* Operators

  const figures = Effect.fnUntraced(
    function* (
      operator_id: OperatorId,
      { month: wanted, provider }: MonthAsked,
      each: EachLine<never>,
      anew: Effect.Effect<void>
    ) {
      const { time_zone } = yield* Effect.catchTag(operators.page(operator_id), "OperatorNotFound", Effect.die)
      const this_month = localDateOf(time_zone ?? "UTC", yield* Clock.currentTimeMillis).slice(0, 7)
      const month = isMonth(wanted) ? wanted : this_month
      const query = { month, operator_id }
      const own = (away: boolean) =>
        Effect.map(ownMonth(query, each), ({ sums }): Figures => ({ month, this_month, sums, away }))
      if (!provider) return yield* own(false)
      const compared = yield* Effect.timeoutOption(comparedMonth(query, each), providerTimeout)
      if (compared._tag === "None" || compared.value.failed.length > 0) {
        yield* anew
        return yield* own(true)
      }
      const { differences, sums } = compared.value
      return {
        month,
        this_month,
        sums: sums.sums,
        compared: { amounts: sums.compared, differences: differences.length },
        away: false
      } satisfies Figures
    },
    Effect.provideService(Accounts, accounts)
  )

  return {
    /** The month asked for, or this one. */
    read: Effect.fn("MonthFigures.read")((operator_id: OperatorId, asked: MonthAsked) =>
      figures(operator_id, asked, () => Effect.void, Effect.void)
    ),
    /** The same with its lines as CSV. */
    file: Effect.fn("MonthFigures.file")(function* (operator_id: OperatorId, asked: MonthAsked) {
      const lines: Array<string> = []
      const found = yield* figures(
        operator_id,
        asked,
        (line) => Effect.sync(() => void lines.push(accountRow(line))),
        Effect.sync(() => void lines.splice(0))
      )
      return { ...found, csv: [accountsHead, ...lines, ""].join("\r\n") }
    })
  }
})
