/**
 * The accounts of a month or a year, line by line, with their sums: by our own rows, or by the provider's record compared with
 * these.
 */
import { type Cause, Clock, Effect, Schema, Stream } from "effect"
import { attempt } from "../../../platform/concurrency/Outcomes.ts"
import {
  type AccountLine,
  type AccountQuery,
  isInPeriod,
  monthsOf,
  type PeriodQuery,
  periodRange,
  type OperatorAccount,
  type OwnLine,
  AccountSums
} from "./AccountLine.ts"
import { makeAccounts } from "./Accounts.ts"
import type { Difference } from "./AccountsAtProvider.ts"

/** A month, like `2027-01`. */
export const Month = Schema.String.check(
  Schema.isPattern(/^20\d\d-(0[1-9]|1[0-2])$/, { message: "Expected a month, like 2027-01" })
)

/** A year, like `2027`. */
export const Year = Schema.String.check(Schema.isPattern(/^20\d\d$/, { message: "Expected a year, like 2027" }))

/** Lines of one reading: so many are in memory at once. */
const pageSize = 1000
/** Of so many accounts and months the provider is asked at once; it limits how often it is asked. */
const accountsAtOnce = 4

/** Takes each line as it is read. */
export type EachLine<R> = (line: AccountLine) => Effect.Effect<void, never, R>

/** What was compared with the provider's record. `failed`: the months whose record could not be had, and why. */
interface ComparedPeriod {
  readonly sums: AccountSums
  readonly accounts: number
  readonly differences: ReadonlyArray<{ readonly account: OperatorAccount; readonly difference: Difference }>
  readonly failed: ReadonlyArray<{
    readonly account: OperatorAccount
    readonly month: string
    readonly cause: Cause.Cause<unknown>
  }>
}

/** The accounts of a month or a year. */
export const makeMonthAccounts = Effect.gen(function* () {
  const service = yield* makeAccounts

  const ownInto = Effect.fnUntraced(function* <R>(
    { period, operator_id }: PeriodQuery,
    which: Pick<AccountQuery, "at_venue">,
    sums: AccountSums,
    each: EachLine<R>
  ) {
    let last: OwnLine | undefined
    for (;;) {
      const page: ReadonlyArray<OwnLine> = yield* service.lines({
        ...periodRange(period),
        ...which,
        ...(operator_id === undefined ? {} : { operator_id }),
        limit: pageSize,
        ...(last === undefined ? {} : { after: last })
      })
      for (const { before: _before, by: _by, made_at: _made, paid: _paid, ...line } of page) {
        if (!isInPeriod(period, line)) continue
        sums.add(line)
        yield* each(line)
      }
      last = page.at(-1)
      if (page.length < pageSize) return
    }
  })

  /** Our own lines, page by page: never all of them are in memory. */
  const own = Effect.fn("MonthAccounts.own")(function* <R>(query: PeriodQuery, each: EachLine<R>) {
    const sums = new AccountSums()
    yield* ownInto(query, {}, sums, each)
    return sums
  })

  /**
   * The lines of all accounts by the provider's record, month by month, and our own of what was paid at the venue.
   */
  const compared = Effect.fn("MonthAccounts.compared")(function* <R>(query: PeriodQuery, each: EachLine<R>) {
    const sums = new AccountSums()
    const { period, ...whose } = query
    const all = yield* service.accounts({ ...periodRange(period), ...whose })
    const differences: Array<ComparedPeriod["differences"][number]> = []
    const failed: Array<ComparedPeriod["failed"][number]> = []
    const months = monthsOf(period, yield* Clock.currentTimeMillis)
    yield* Stream.fromIterable(all.flatMap((account) => months.map((month) => ({ account, month })))).pipe(
      Stream.mapEffect((one) => attempt(one, service.atProvider(one.account, { ...whose, period: one.month })), {
        concurrency: accountsAtOnce
      }),
      Stream.runForEach(
        Effect.fnUntraced(function* (one) {
          if (one.outcome === "failed") failed.push({ ...one.item, cause: one.cause })
          if (one.outcome !== "done") return
          for (const { own, ...line } of one.value.lines) {
            sums.add(line, own)
            yield* each(line)
          }
          for (const difference of one.value.differences) {
            if (difference.kind === "missing") sums.addMissing(difference.currency, difference.ours)
            differences.push({ account: one.item.account, difference })
          }
        })
      )
    )
    yield* ownInto(query, { at_venue: true }, sums, each)
    return { sums, accounts: all.length, differences, failed } satisfies ComparedPeriod
  })

  return { codes: service.codes, vouchersOwed: service.vouchersOwed, own, compared }
})
