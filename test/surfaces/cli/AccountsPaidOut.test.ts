/** `playroom accounts` where the balance has another currency than the payments, and where payouts are no routine. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { importVenue, setClock } from "../../support/BookingWorld.ts"
import { commandsOverSandbox, RecordedWire } from "../../support/CommandsOverSandbox.ts"
import {
  accounts,
  atProvider,
  book,
  check,
  dispute,
  type Line,
  partBack,
  pay,
  sum,
  tell
} from "../../support/paidAccounts.ts"
import { cancelBooking, deleteBookings, runProviderTasks } from "../../support/PaymentWorld.ts"
import { packages, venue } from "../../support/paymentVenues.ts"
import { resetSandbox } from "../../support/SandboxWorld.ts"
import { PaymentGateway } from "../../../src/domain/payment/provider/PaymentGateway.ts"
import { packageWith, testId, venueWith } from "../../support/venues.ts"

/** It takes euros in Dublin, and has its account and its bank in London. */
const dublin: Venue = {
  ...venueWith(
    {
      playroom_id: testId.playroom(96),
      operator_id: testId.operator(6),
      currency: "EUR",
      time_zone: "Europe/Dublin",
      country: "IE"
    },
    [
      packageWith({
        ...packages.party,
        package_id: testId.package(961),
        pricing: { base: 9_999, included_children: 10, extra_child: 0, adult: 0, rules: [] }
      })
    ]
  ),
  operator: {
    ...venue.operator,
    operator_id: testId.operator(6),
    name: "Dublin Ltd",
    connected_account_id: "acct_6",
    application_fee_percent: 3.5
  }
}

/** The provider debits its bank where the balance is negative. */
const leeds: Venue = {
  ...venueWith({ playroom_id: testId.playroom(97), operator_id: testId.operator(7), currency: "GBP" }, [
    packageWith({ ...packages.party, package_id: testId.package(971) })
  ]),
  operator: {
    ...venue.operator,
    operator_id: testId.operator(7),
    name: "Leeds Ltd",
    connected_account_id: "acct_debit_7"
  }
}

/**
 * The provider settles what came in and went back in euros in pounds: each change at a rate of its own, with both fees in pounds.
 * What a change was about keeps its euros.
 */
const settleInPounds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update sandbox.balance_transaction set currency = 'gbp', amount = round(amount * rate), fee = round(fee * rate),
      application_fee = round(application_fee * rate)
    from (select transaction_id as id, 0.83 + (row_number() over (order by seq)) * 0.0071 as rate from sandbox.balance_transaction) r
    where transaction_id = r.id and currency = 'eur'`
})

const begin = Effect.gen(function* () {
  yield* resetSandbox
  yield* deleteBookings
  yield* setClock("2026-11-20T09:00:00Z")
  yield* importVenue(dublin)
})

const column = (lines: ReadonlyArray<Line>, ...names: ReadonlyArray<string>) =>
  lines.map((line) => names.map((name) => line[name]).join(" "))
/** What each payout and what it contains add up to, in minor units. */
const nets = (lines: ReadonlyArray<Line>, currency: string) => {
  const of = lines.filter((line) => line["balance_currency"] === currency && line["payout"] !== "")
  return Object.fromEntries(
    [...Map.groupBy(of, (line) => line["payout"] ?? "")].map(([id, its]) => [
      id,
      its.reduce((all, line) => all + Math.round(Number(line["net"]) * 100), 0)
    ])
  )
}
const payoutsOf = (account: string) =>
  PaymentGateway.use((gateway) => gateway.payouts(account, { since: 0, before: 4_000_000_000 }))
const payOut = (account: string, amount: string, currency: string) => tell("payout", { account, amount, currency })

layer(commandsOverSandbox())("playroom accounts, paid out", (it) => {
  it.effect(
    "has payments in euros that are settled in pounds: the amounts are compared in euros, and the balance adds up in pounds",
    () =>
      Effect.gen(function* () {
        yield* begin
        const parties = yield* Effect.forEach([1, 2, 3, 4], (n) => book(dublin, `2027-01-0${n}`))
        const [first, second, third, fourth] = parties
        if (!first || !second || !third || !fourth) return assert.fail("not booked")
        const sessions = yield* Effect.forEach(parties, pay)
        yield* TestClock.adjust("1 hour")
        for (const amount of ["33.33", "0.01"]) yield* partBack(first, amount)
        yield* dispute(sessions[1] ?? assert.fail("not paid"), "lost")
        yield* cancelBooking(third)
        yield* runProviderTasks
        const [made] = yield* PaymentGateway.use((gateway) =>
          gateway.listRefunds("acct_6", sessions[2]?.payment_intent_id ?? "")
        )
        yield* tell("refund_turns", { refund: made?.id ?? "", status: "failed" })
        yield* check(sessions[2] ?? assert.fail("not paid"))
        yield* settleInPounds
        yield* setClock("2026-12-02T09:00:00Z")

        const { complaints, failure, lines } = yield* accounts("2026-11", "--operator", testId.operator(6))
        assert.isUndefined(failure)
        assert.match(complaints, /^1 of 1 account compared with the provider's record: 9 amounts, all agree\.$/m)
        const record = yield* atProvider("acct_6", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z")
        assert.strictEqual(lines.length, record.length)
        const theirs = (name: "net" | "platform_fee" | "provider_fee") =>
          record.reduce((all, one) => all + one[name], 0)
        const pounds = (name: string) => lines.reduce((all, line) => all + Math.round(Number(line[name]) * 100), 0)
        for (const name of ["net", "platform_fee", "provider_fee"] as const)
          assert.strictEqual(pounds(name), theirs(name), name)
        // What was paid and what went back is told in the payer's currency, to the cent.
        const payments = lines.filter(({ kind }) => kind === "payment")
        assert.deepStrictEqual(
          column(payments, "currency", "amount", "balance_currency"),
          parties.map(() => "EUR 99.99 GBP")
        )
        assert.sameMembers(
          column(
            lines.filter(({ kind }) => kind === "refund" || kind === "dispute"),
            "kind",
            "currency",
            "amount"
          ),
          ["refund EUR -33.33", "refund EUR -0.01", "refund EUR -99.99", "refund EUR 99.99", "dispute EUR -99.99"]
        )
        assert.strictEqual(sum(payments, "amount", "EUR"), 4 * 9_999)
        const paidOut = nets(lines, "GBP")
        assert.isAbove(Object.keys(paidOut).length, 0)
        for (const [id, left] of Object.entries(paidOut)) assert.strictEqual(left, 0, id)
        const told = Number(/net -?£([\d,.]+)/.exec(complaints)?.[1]?.replace(",", ""))
        const others = record.filter(({ category }) => category !== "payout")
        assert.strictEqual(
          Math.round(told * 100),
          others.reduce((all, one) => all + one.net, 0)
        )
        assert.match(complaints, /^EUR: payments €399\.96, refunds -€33\.34, disputes -€99\.99\.$/m)

        // By our own rows alone the amounts are the same.
        const own = yield* accounts("2026-11", "--offline", "--operator", testId.operator(6))
        assert.strictEqual(
          sum(own.lines, "amount", "EUR"),
          sum(
            lines.filter(({ kind }) => kind !== "payout"),
            "amount",
            "EUR"
          )
        )

        // An amount that differs by a cent is found, though the balance has another currency.
        const sql = yield* SqlClient.SqlClient
        yield* sql`update sandbox.session set amount = amount + 1 where session_id = ${sessions[3]?.provider_session_id ?? ""}`
        const differs = yield* accounts("2026-11", "--operator", testId.operator(6))
        assert.include(
          differs.failure ?? "",
          `Differs: ${sessions[3]?.payment_intent_id} (${fourth.reference}, acct_6) has another amount: €99.99 here, €100.00 there.`
        )
      }),
    60_000
  )

  it.effect(
    "has payouts by hand, one that the bank sent back, and one from the bank, and does not say what they contain",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* pay(yield* book(venue, "2027-01-05"))
        yield* TestClock.adjust("1 hour")
        // By hand from the beginning: nothing is paid out at midnight.
        yield* payOut("acct_1", "5000", "gbp")
        yield* TestClock.adjust("6 days")
        yield* payOut("acct_1", "2000", "gbp")
        const [, sent] = yield* payoutsOf("acct_1")
        yield* TestClock.adjust("1 hour")
        yield* tell("payout_fails", { payout: sent?.id ?? "" })
        yield* TestClock.adjust("1 hour")
        yield* payOut("acct_1", "-1500", "gbp")
        yield* TestClock.adjust("2 days")
        const { complaints, failure, lines } = yield* accounts("2026-11", "--operator", venue.operator.operator_id)
        assert.isUndefined(failure)
        assert.deepStrictEqual(column(lines, "kind", "amount", "cause"), [
          "payment 120.00 ",
          "payout -50.00 payout",
          "payout -20.00 payout",
          "payout 20.00 payout_reversal",
          "payout 15.00 payout"
        ])
        assert.match(complaints, /paid out -£35\.00/)
        assert.match(complaints, /1 of 1 account compared .*: 1 amount, all agree\.$/m)
        // Each names itself, and what came back the one that failed; the payment names none.
        const all = yield* payoutsOf("acct_1")
        assert.deepStrictEqual(
          lines.map((line) => line["payout"]),
          ["", all[0]?.id, all[1]?.id, all[1]?.id, all[2]?.id]
        )
        assert.isTrue(all.every(({ itemised }) => !itemised))
        const record = yield* atProvider("acct_1", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z")
        assert.strictEqual(
          lines.reduce((net, line) => net + Math.round(Number(line["net"]) * 100), 0),
          record.reduce((net, one) => net + one.net, 0)
        )
      }),
    60_000
  )

  it.effect(
    "has an automatic payout that failed and was made again: both add up, over the end of a month, too",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* setClock("2026-11-26T09:00:00Z")
        yield* pay(yield* book(venue, "2027-01-06"))
        yield* setClock("2026-11-30T09:00:00Z")
        const [first] = yield* payoutsOf("acct_1")
        yield* setClock("2026-12-01T09:00:00Z")
        yield* tell("payout_fails", { payout: first?.id ?? "" })
        // Until it is made again, nothing has arrived of the first.
        const between = yield* accounts("2026-12")
        assert.deepStrictEqual(column(between.lines, "cause", "payout"), [`payout_reversal ${first?.id}`])
        yield* pay(yield* book(venue, "2027-01-07"))
        yield* setClock("2026-12-05T09:00:00Z")
        const [, second] = yield* payoutsOf("acct_1")
        const [november, december] = [yield* accounts("2026-11"), yield* accounts("2026-12")]
        assert.isUndefined(november.failure)
        assert.isUndefined(december.failure)
        assert.deepStrictEqual(nets(november.lines, "GBP"), { [first?.id ?? ""]: 0 })
        assert.deepStrictEqual(column(december.lines, "kind", "cause"), [
          "payout payout_reversal",
          "payment ",
          "payout payout",
          "payout payout"
        ])
        const contained = nets(december.lines, "GBP")
        assert.strictEqual(contained[second?.id ?? ""], 0)
        assert.deepStrictEqual([...new Set(Object.values(contained))], [0])
        assert.strictEqual(december.lines[0]?.["payout"], second?.id)
      }),
    60_000
  )

  it.effect("asks an account without any business one thing", () =>
    Effect.gen(function* () {
      yield* begin
      const wire = yield* RecordedWire
      wire.seen.splice(0)
      const { complaints } = yield* accounts("2026-10")
      assert.include(complaints, "3 of 3 accounts compared")
      assert.lengthOf(wire.seen, 3)
    })
  )

  it.effect(
    "has automatic payouts that take money from the bank: each names what it contains and adds up, over the end of a month, too",
    () =>
      Effect.gen(function* () {
        yield* begin
        yield* importVenue(leeds)
        const first = yield* book(leeds, "2027-01-04")
        yield* pay(first)
        yield* setClock("2026-11-24T09:00:00Z")
        yield* cancelBooking(first)
        yield* runProviderTasks
        yield* setClock("2026-11-26T09:00:00Z")
        const second = yield* book(leeds, "2027-01-05")
        yield* pay(second)
        yield* setClock("2026-11-30T09:00:00Z")
        yield* partBack(second, "50.00")
        yield* setClock("2026-12-04T09:00:00Z")
        const [november, december] = [
          yield* accounts("2026-11", "--operator", leeds.operator.operator_id),
          yield* accounts("2026-12", "--operator", leeds.operator.operator_id)
        ]
        for (const { failure } of [november, december]) assert.isUndefined(failure)
        const amounts = (lines: ReadonlyArray<Line>) => column(lines, "kind", "amount", "net")
        assert.deepStrictEqual(amounts(november.lines), [
          "payment 120.00 112.00",
          "payout -112.00 -112.00",
          "refund -120.00 -114.00",
          "payout 114.00 114.00",
          "payment 120.00 112.00",
          "payout -112.00 -112.00",
          "refund -50.00 -47.50"
        ])
        assert.deepStrictEqual(amounts(december.lines), ["payout 47.50 47.50"])
        assert.match(november.complaints, /net -?£[\d.]+, paid out -£110\.00/)
        assert.match(december.complaints, /^GBP: .*paid out £47\.50\.$/m)
        // Each payout and what it contains add up to nothing; the last is of the next month.
        const [first_out, debit, second_out, last] = (yield* payoutsOf("acct_debit_7"))
          .toSorted((one, other) => one.created - other.created)
          .map(({ id }) => id)
        assert.deepStrictEqual(nets(november.lines, "GBP"), {
          [first_out ?? ""]: 0,
          [debit ?? ""]: 0,
          [second_out ?? ""]: 0,
          [last ?? ""]: -4750
        })
        assert.deepStrictEqual(nets(december.lines, "GBP"), { [last ?? ""]: 4750 })

        // The bank refuses the last debit: it is made again, and what came back of the first is in the second.
        yield* tell("payout_fails", { payout: last ?? "" })
        yield* setClock("2026-12-06T09:00:00Z")
        const again = yield* accounts("2026-12", "--operator", leeds.operator.operator_id)
        assert.isUndefined(again.failure)
        assert.deepStrictEqual(amounts(again.lines), [
          "payout 47.50 47.50",
          "payout -47.50 -47.50",
          "payout 47.50 47.50"
        ])
        assert.notStrictEqual(again.lines[1]?.["payout"], last)
        assert.strictEqual(again.lines[1]?.["payout"], again.lines[2]?.["payout"])
        assert.match(again.complaints, /^GBP: .*paid out £47\.50\.$/m)
      }),
    60_000
  )
})
