/**
 * The accounts of a month, line by line, with their sums: by our own rows, or by the provider's record compared with
 * these.
 */
import { type Cause, Effect, Schema, Stream } from "effect"
import { attempt } from "../../../platform/concurrency/Outcomes.ts"
import {
  type AccountLine,
  type AccountQuery,
  isInMonth,
  type MonthQuery,
  monthRange,
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

/** Lines of one reading: so many are in memory at once. */
const pageSize = 1000
/** Of so many accounts the provider is asked at once; it limits how often it is asked. */
const accountsAtOnce = 4

/** Takes each line as it is read. */
export type EachLine<R> = (line: AccountLine) => Effect.Effect<void, never, R>

/** What was compared with the provider's record. `failed`: the accounts whose record could not be had, and why. */
interface ComparedMonth {
  readonly sums: AccountSums
  readonly accounts: number
  readonly differences: ReadonlyArray<{ readonly account: OperatorAccount; readonly difference: Difference }>
  readonly failed: ReadonlyArray<{ readonly account: OperatorAccount; readonly cause: Cause.Cause<unknown> }>
}

/** The accounts of a month. */
export const makeMonthAccounts = Effect.gen(function* () {
  const service = yield* makeAccounts

  const ownInto = Effect.fnUntraced(function* <R>(
    { month, operator_id }: MonthQuery,
    which: Pick<AccountQuery, "at_venue">,
    sums: AccountSums,
    each: EachLine<R>
  ) {
    let last: OwnLine | undefined
    for (;;) {
      const page: ReadonlyArray<OwnLine> = yield* service.lines({
        ...monthRange(month),
        ...which,
        ...(operator_id === undefined ? {} : { operator_id }),
        limit: pageSize,
        ...(last === undefined ? {} : { after: last })
      })
      for (const { before: _before, made_at: _made, paid: _paid, ...line } of page) {
        if (!isInMonth(month, line)) continue
        sums.add(line)
        yield* each(line)
      }
      last = page.at(-1)
      if (page.length < pageSize) return
    }
  })

  /** Our own lines of a month, page by page: the whole month is never in memory. */
  const own = Effect.fn("MonthAccounts.own")(function* <R>(query: MonthQuery, each: EachLine<R>) {
    const sums = new AccountSums()
    yield* ownInto(query, {}, sums, each)
    return sums
  })

  /** The lines of all accounts by the provider's record, and our own of what was paid at the venue. */
  const compared = Effect.fn("MonthAccounts.compared")(function* <R>(query: MonthQuery, each: EachLine<R>) {
    const sums = new AccountSums()
    const { month, ...whose } = query
    const all = yield* service.accounts({ ...monthRange(month), ...whose })
    const differences: Array<ComparedMonth["differences"][number]> = []
    const failed: Array<ComparedMonth["failed"][number]> = []
    yield* Stream.fromIterable(all).pipe(
      Stream.mapEffect((account) => attempt(account, service.atProvider(account, query)), {
        concurrency: accountsAtOnce
      }),
      Stream.runForEach(
        Effect.fnUntraced(function* (one) {
          if (one.outcome === "failed") failed.push({ account: one.item, cause: one.cause })
          if (one.outcome !== "done") return
          for (const { own, ...line } of one.value.lines) {
            sums.add(line, own)
            yield* each(line)
          }
          for (const difference of one.value.differences) {
            if (difference.kind === "missing") sums.addMissing(difference.currency, difference.ours)
            differences.push({ account: one.item, difference })
          }
        })
      )
    )
    yield* ownInto(query, { at_venue: true }, sums, each)
    return { sums, accounts: all.length, differences, failed } satisfies ComparedMonth
  })

  return { own, compared }
})
