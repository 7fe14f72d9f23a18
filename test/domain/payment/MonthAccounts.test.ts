/**
 * What the accounts of a month cost at the provider: of many operators, of a large account, of one that is paid out
 * each day.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountLine } from "../../../src/domain/payment/accounts/AccountLine.ts"
import { makeMonthAccounts } from "../../../src/domain/payment/accounts/MonthAccounts.ts"
import {
  type BalanceTransaction,
  PaymentGateway,
  type ProviderPayout,
  ProviderRefused,
  type Stretch
} from "../../../src/domain/payment/provider/PaymentGateway.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testId } from "../../support/venues.ts"

/** A provider with these records; it counts how often it is asked, and how often at once. */
class Records extends Context.Service<
  Records,
  {
    readonly transactions: Map<string, ReadonlyArray<BalanceTransaction>>
    readonly payouts: Map<string, ReadonlyArray<ProviderPayout>>
    readonly contained: Map<string, ReadonlyArray<string>>
    /** So many make a list too long. */
    longest: number
    asked: number
    most: number
  }
>()("test/Records") {
  static readonly layer = Layer.sync(Records, () => ({
    transactions: new Map(),
    payouts: new Map(),
    contained: new Map(),
    longest: Infinity,
    asked: 0,
    most: 0
  }))
}

const gateway = Layer.unwrap(
  Effect.map(Records, (records) => {
    let now = 0
    const answer = <A, E>(value: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        records.asked += 1
        records.most = Math.max(records.most, ++now)
        const later = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)))
        return Effect.ensuring(
          Effect.andThen(later, value),
          Effect.sync(() => void now--)
        )
      })
    const within = ({ before, since }: Stretch, { created }: { readonly created: number }) =>
      created >= since && created < before
    return Layer.mock(PaymentGateway, {
      balanceTransactions: (account, stretch) =>
        answer(
          Effect.suspend(() => {
            const found = (records.transactions.get(account) ?? []).filter((one) => within(stretch, one))
            return found.length < records.longest
              ? Effect.succeed(found)
              : Effect.fail(new ProviderRefused({ operation: "test", code: "too_many", message: "too many" }))
          })
        ),
      payouts: (account, stretch) =>
        answer(Effect.sync(() => (records.payouts.get(account) ?? []).filter((one) => within(stretch, one)))),
      transactionsOfPayout: (_account, payout) => answer(Effect.sync(() => records.contained.get(payout) ?? []))
    })
  })
)

const world = gateway.pipe(Layer.provideMerge(Records.layer), Layer.provideMerge(TestDatabase.layer))

/** The café's, which this service knows nothing of. */
const sale = (id: string, created: number): BalanceTransaction => ({
  id,
  created,
  category: "charge",
  amount: 450,
  currency: "GBP",
  provider_fee: 27,
  platform_fee: 0,
  net: 423
})

const seconds = (day: number, second = 0) => Date.UTC(2026, 10, day) / 1000 + second

/** So many operators with an account each. */
const begin = Effect.fnUntraced(function* (operators: number) {
  yield* setClock("2026-12-20T09:00:00Z")
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from operator`
  const ids = Array.from({ length: operators }, (_, i) => testId.operator(i + 1))
  yield* sql`insert into operator (operator_id, name, connected_account_id, created_at, updated_at)
    select id, 'Operator ' || lpad(n::text, 3, '0'), 'acct_' || n, now(), now()
    from unnest(${ids}::text[]) with ordinality as x (id, n)`
  const records = yield* Records
  for (const map of [records.transactions, records.payouts, records.contained]) map.clear()
  records.longest = Infinity
  records.asked = records.most = 0
  return records
})

const linesOf = Effect.gen(function* () {
  const lines: Array<AccountLine> = []
  const { failed } = yield* (yield* makeMonthAccounts).compared({ period: "2026-11" }, (line) =>
    Effect.sync(() => void lines.push(line))
  )
  assert.deepStrictEqual(failed, [])
  return lines
})

layer(world, { timeout: "120 seconds" })("the accounts of a month", (it) => {
  it.effect("ask about 500 operators once each, about four at a time, and print them in order", () =>
    Effect.gen(function* () {
      const records = yield* begin(500)
      for (let n = 1; n <= 500; n += 10) records.transactions.set(`acct_${n}`, [sale(`txn_${n}`, seconds(10))])
      const lines = yield* linesOf
      assert.deepStrictEqual(
        lines.map(({ operator_name }) => operator_name),
        Array.from({ length: 50 }, (_, i) => `Operator ${String(1 + 10 * i).padStart(3, "0")}`)
      )
      // Those with business are asked for their payouts, too.
      assert.strictEqual(records.asked, 500 + 50)
      // On a busy machine the fourth may begin when one has ended.
      assert.isAtMost(records.most, 4)
      assert.isAbove(records.most, 1)
    })
  )

  it.effect("have each change of a large account once, however the provider's lists have to be cut", () =>
    Effect.gen(function* () {
      const records = yield* begin(1)
      // A Saturday with most of it, and odd seconds at its borders.
      const sales = Array.from({ length: 2000 }, (_, i) =>
        sale(`txn_${i}`, i < 1800 ? seconds(14, i * 40) : seconds(1 + (i % 29), i))
      )
      records.transactions.set(
        "acct_1",
        sales.toSorted((a, b) => a.created - b.created)
      )
      records.longest = 100
      const lines = yield* linesOf
      const ids = lines.map(({ balance }) => balance?.transaction_id ?? "")
      assert.lengthOf(ids, 2000)
      assert.strictEqual(new Set(ids).size, 2000)
      assert.isBelow(records.asked, 200)
    })
  )

  it.effect("ask the payouts of every day what they contain four at a time, and no more of them than needed", () =>
    Effect.gen(function* () {
      const records = yield* begin(1)
      const days = Array.from({ length: 30 }, (_, i) => i + 1)
      records.transactions.set(
        "acct_1",
        days.map((day) => sale(`txn_${day}`, seconds(day, 36_000)))
      )
      records.payouts.set(
        "acct_1",
        Array.from({ length: 48 }, (_, i) => ({ id: `po_${i}`, created: seconds(i + 1), itemised: true }))
      )
      for (const day of days) records.contained.set(`po_${day + 2}`, [`txn_${day}`])
      const lines = yield* linesOf
      assert.deepStrictEqual(
        lines.map(({ balance }) => balance?.payout),
        days.map((day) => `po_${day + 2}`)
      )
      // On a busy machine the fourth may begin when one has ended.
      assert.isAtMost(records.most, 4)
      assert.isAbove(records.most, 1)
      // One list of changes, one of payouts, and the payouts up to the last that is needed.
      assert.isAtMost(records.asked, 2 + 36)
    })
  )
})
