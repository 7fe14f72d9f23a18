import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PaymentGateway } from "../../../src/domain/payment/provider/PaymentGateway.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { Faults } from "../../../src/extras/sandbox/Faults.ts"
import { contact, importVenue, principal, setClock } from "../../support/BookingWorld.ts"
import { commandsOverSandbox, csvRows, playroom, RecordedWire } from "../../support/CommandLine.ts"
import { cancelBooking, deleteBookings, openSession, runProviderTasks, sessionRow } from "../../support/PaymentWorld.ts"
import { packages, venue } from "../../support/paymentVenues.ts"
import { callSandbox, resetSandbox } from "../../support/SandboxWorld.ts"
import { packageWith, testId, venueWith } from "../../support/venues.ts"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { exponentOf } from "../../../src/platform/money/Money.ts"
import { ProviderRefunds } from "../../../src/domain/payment/refunds/ProviderRefunds.ts"
import { PaymentInquiry } from "../../../src/domain/payment/settlement/PaymentInquiry.ts"

// Bookings that are paid on the sandbox, and what `playroom accounts` prints of a month.

let serial = 0
export const book = Effect.fnUntraced(function* (of: Venue, date: string) {
  const { package_id } = of.packages[0] ?? assert.fail("no package")
  const { playroom_id } = of.playroom
  const { options } = yield* BookingOptions.use((all) => all.list({ playroom_id, package_id, date, children: 8 }))
  const option_id = options[0]?.option_id ?? assert.fail(`no option on ${date}`)
  const of_call = { option_id, contact: contact(`accounts${++serial}`), idempotency_key: `accounts ${serial}` }
  return (yield* Bookings.use((bookings) => bookings.create(principal(), of_call))).row
})

export const pay = Effect.fnUntraced(function* (booking: BookingRow) {
  const session = yield* openSession(booking)
  yield* callSandbox("POST", `/pay/${session.provider_session_id}`, { form: { outcome: "pay" } })
  yield* PaymentInquiry.use((inquiry) => inquiry.ask(session))
  return yield* sessionRow(session.payment_session_id)
})

type Paid = Effect.Success<ReturnType<typeof pay>>
export const tell = (path: string, form: Record<string, string>) => callSandbox("POST", `/sandbox/${path}`, { form })
export const check = (session: Paid) =>
  Effect.flatMap(sessionRow(session.payment_session_id), (row) =>
    ProviderRefunds.use((refunds) => refunds.checkPayment(row))
  )
export const dispute = Effect.fnUntraced(function* (session: Paid, status: string) {
  yield* tell("dispute", { payment_intent: session.payment_intent_id ?? "", status })
  yield* check(session)
})
export const partBack = Effect.fnUntraced(function* ({ reference }: BookingRow, amount: string) {
  const refund = ["booking", "refund", reference, amount, "--reason", "the castle was broken"]
  const { out } = yield* playroom(...refund, "--preview")
  const code = /--as-shown (\S+?),? /.exec(out)?.[1] ?? assert.fail(out)
  yield* playroom(...refund, "--as-shown", code)
  yield* runProviderTasks
})

/** What the command prints of a month, by column, and what it says. */
export const accounts = Effect.fnUntraced(function* (month: string, ...more: ReadonlyArray<string>) {
  const { complaints, failure, out } = yield* playroom("accounts", "--month", month, ...more)
  return { lines: csvRows(out), complaints, failure }
})
export type Line = Effect.Success<ReturnType<typeof accounts>>["lines"][number]

/** The sum of a column in minor units, exactly. */
export const sum = (lines: ReadonlyArray<Line>, column: string, currency: string): number =>
  lines
    .filter((line) => line["currency"] === currency && line[column] !== "")
    .reduce((all, line) => all + Math.round(Number(line[column]) * 10 ** exponentOf(currency)), 0)

/** What the provider says of an account itself. */
export const atProvider = (account: string, from: string, until: string) =>
  PaymentGateway.use((gateway) =>
    gateway.balanceTransactions(account, { since: Date.parse(from) / 1000, before: Date.parse(until) / 1000 })
  )

/** A second operator, in Tokyo: a currency without decimals, and a fee that leaves a rest. */
const tokyo: Venue = {
  ...venueWith(
    {
      playroom_id: testId.playroom(95),
      operator_id: testId.operator(5),
      currency: "JPY",
      time_zone: "Asia/Tokyo",
      country: "JP"
    },
    [
      packageWith({
        ...packages.party,
        package_id: testId.package(951),
        pricing: { base: 9_990, included_children: 10, extra_child: 0, adult: 0, rules: [] }
      })
    ]
  ),
  operator: {
    ...venue.operator,
    operator_id: testId.operator(5),
    name: "Tokyo KK",
    connected_account_id: "acct_5",
    application_fee_percent: 7
  }
}

const begin = Effect.gen(function* () {
  yield* resetSandbox
  yield* deleteBookings
  yield* setClock("2026-11-20T09:00:00Z")
  yield* importVenue(tokyo)
})

layer(commandsOverSandbox())("playroom accounts, by the provider's record", (it) => {
  it.effect(
    "has payments, part refunds, failed and refused ones, disputes, fees and payouts of two operators; all sums agree",
    () =>
      Effect.gen(function* () {
        yield* begin
        const parties = yield* Effect.forEach([1, 2, 3, 4, 5], (n) => book(venue, `2027-01-0${n}`))
        const [first, second, third, fourth, fifth] = parties
        if (!first || !second || !third || !fourth || !fifth) return assert.fail("not booked")
        const sessions = yield* Effect.forEach(parties, pay)
        const yen = yield* book(tokyo, "2027-01-10")
        yield* pay(yen)
        yield* TestClock.adjust("1 hour")
        for (const amount of ["33.33", "33.33"]) yield* partBack(first, amount)
        for (const amount of ["2150", "2150", "5690"]) yield* partBack(yen, amount)
        // One is refused, and waits; it is not in the record.
        yield* Faults.use((faults) => faults.set({ api: { fault: "balance_insufficient", times: 1 } }))
        yield* partBack(second, "10.00")
        yield* Faults.use(({ reset }) => reset)
        // One fails after it was made.
        yield* cancelBooking(third)
        yield* runProviderTasks
        const [made] = yield* PaymentGateway.use((gateway) =>
          gateway.listRefunds("acct_1", sessions[2]?.payment_intent_id ?? "")
        )
        yield* tell("refund_turns", { refund: made?.id ?? "", status: "failed" })
        yield* check(sessions[2] ?? assert.fail("not paid"))
        yield* dispute(sessions[3] ?? assert.fail("not paid"), "lost")
        for (const status of ["needs_response", "won"]) yield* dispute(sessions[4] ?? assert.fail("not paid"), status)
        yield* setClock("2026-12-02T09:00:00Z")

        const { complaints, failure, lines } = yield* accounts("2026-11")
        assert.isUndefined(failure)
        assert.match(complaints, /^3 of 3 accounts compared with the provider's record: 16 amounts, all agree\.$/m)
        for (const [account, currency] of [
          ["acct_1", "GBP"],
          ["acct_5", "JPY"]
        ] as const) {
          const record = yield* atProvider(account, "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z")
          const of = lines.filter((line) => line["balance_currency"] === currency)
          assert.strictEqual(of.length, record.length)
          for (const [column, name] of [
            ["amount", "amount"],
            ["platform_fee", "platform_fee"],
            ["provider_fee", "provider_fee"],
            ["net", "net"]
          ] as const) {
            const theirs = record.reduce((all, one) => all + one[name], 0)
            assert.strictEqual(sum(of, column, currency), theirs, `${column} ${currency}`)
          }
          // What a payout contains adds up to it.
          const payouts = new Set(of.flatMap(({ payout = "" }) => (payout === "" ? [] : [payout])))
          // The fees of the yen that went back whole are still owed there: nothing is paid out.
          assert.strictEqual(payouts.size > 0, currency === "GBP")
          for (const payout of payouts)
            assert.strictEqual(
              sum(
                of.filter((line) => line["payout"] === payout),
                "net",
                currency
              ),
              0
            )
        }
        const yens = lines.filter(({ currency }) => currency === "JPY")
        assert.deepStrictEqual(
          yens.filter(({ kind }) => kind === "refund").map((line) => [line["amount"], line["platform_fee"]]),
          [
            ["-2150", "-150"],
            ["-2150", "-151"],
            ["-5690", "-398"]
          ]
        )
        assert.strictEqual(sum(yens, "platform_fee", "JPY"), 0)
        const kinds = lines
          .filter(({ currency }) => currency === "GBP")
          .map(({ cause, kind }) => `${kind} ${cause}`.trim())
        assert.includeMembers(kinds, [
          "payment",
          "refund goodwill",
          "refund refund_failure",
          "dispute dispute_reversal"
        ])
        const own = yield* accounts("2026-11", "--offline")
        assert.include(own.complaints, "The provider was not asked")
        const all = (of: ReadonlyArray<Line>, currency: string) =>
          sum(
            of.filter(({ kind }) => kind !== "payout"),
            "amount",
            currency
          )
        for (const currency of ["GBP", "JPY"]) assert.strictEqual(all(own.lines, currency), all(lines, currency))
        assert.strictEqual(sum(own.lines, "platform_fee", "JPY"), 0)
      }),
    60_000
  )

  it.effect(
    "names what differs, with both amounts, and fails; an account that is away is named and left out",
    () =>
      Effect.gen(function* () {
        yield* begin
        const sql = yield* SqlClient.SqlClient
        const booking = yield* book(venue, "2027-01-11")
        const session = yield* pay(booking)
        const other = yield* pay(yield* book(venue, "2027-01-12"))
        yield* sql`update sandbox.session set amount = 11000 where session_id = ${session.provider_session_id}`
        yield* sql`update sandbox.balance_transaction set amount = 11000 where source_id = ${(session.payment_intent_id ?? "").replace("pi_", "ch_")}`
        yield* sql`delete from sandbox.balance_transaction where source_id = ${(other.payment_intent_id ?? "").replace("pi_", "ch_")}`
        // The café's, which this service knows nothing of.
        yield* sql`insert into sandbox.balance_transaction (transaction_id, account, type, category, amount, fee, application_fee, currency, source_id, created_at, available_on)
        values ('txn_cafe', 'acct_1', 'charge', 'charge', 450, 27, 0, 'gbp', 'ch_cafe', '2026-11-20', '2030-01-01')`
        const { complaints, failure, lines } = yield* accounts("2026-11")
        assert.include(
          failure ?? "",
          `Differs: ${session.payment_intent_id} (${booking.reference}, acct_1) has another amount: £120.00 here, £110.00 there.`
        )
        assert.include(failure ?? "", `Differs: ${other.payment_intent_id}`)
        assert.include(failure ?? "", "is here, and not in the provider's record: £120.00 here, £0.00 there.")
        assert.match(failure ?? "", /2 lines to look at\.$/)
        assert.include(complaints, "GBP: the sums differ: £240.00 here, £110.00 there.")
        assert.include(
          lines.find(({ kind }) => kind === "other"),
          { amount: "4.50", provider_fee: "0.27", booking_id: "" }
        )

        yield* Faults.use((faults) => faults.set({ api: { fault: "error_500", times: 100 } }))
        const away = yield* accounts("2026-11", "--operator", testId.operator(5))
        yield* Faults.use(({ reset }) => reset)
        assert.deepStrictEqual(away.lines, [])
        assert.match(away.failure ?? "", /^Failed: Tokyo KK, acct_5: /)
        assert.include(away.failure ?? "", "or with --offline")
        assert.match(
          away.failure ?? "",
          /0 of 1 account compared with the provider's record: what was compared agrees\.$/
        )
      }),
    60_000
  )

  it.effect(
    "a month begins and ends by the venue's clock, and a refund keeps its date",
    () =>
      Effect.gen(function* () {
        yield* begin
        // In Tokyo it is December already.
        yield* setClock("2026-11-30T16:00:00Z")
        const yen = yield* pay(yield* book(tokyo, "2027-01-13"))
        const party = yield* book(venue, "2027-01-13")
        const pounds = yield* pay(party)
        yield* partBack(party, "20.00")
        yield* setClock("2026-12-03T10:00:00Z")
        const sql = yield* SqlClient.SqlClient
        yield* sql`update refund set updated_at = '2026-12-03T10:00:00Z', failure = failure where booking_id = ${party.booking_id}`
        const ids = (lines: ReadonlyArray<Line>) =>
          lines.filter(({ kind }) => kind === "payment").map((line) => line["provider_id"])
        for (const more of [[], ["--offline"]]) {
          const november = yield* accounts("2026-11", ...more)
          const december = yield* accounts("2026-12", ...more)
          assert.isUndefined(november.failure)
          assert.isUndefined(december.failure)
          assert.deepStrictEqual(ids(november.lines), [pounds.payment_intent_id ?? ""])
          assert.deepStrictEqual(ids(december.lines), [yen.payment_intent_id ?? ""])
          assert.strictEqual(november.lines.filter(({ kind }) => kind === "refund").length, 1)
        }
      }),
    60_000
  )

  it.effect(
    "has each line of an account that passed from one operator to another once, with the operator whose booking it is",
    () =>
      Effect.gen(function* () {
        yield* begin
        const party = yield* book(venue, "2027-01-14")
        yield* pay(party)
        yield* partBack(party, "20.00")
        yield* setClock("2026-11-24T09:00:00Z")
        const passed = { ...tokyo.operator, connected_account_id: "acct_1" }
        yield* importVenue({ ...venue, operator: { ...venue.operator, connected_account_id: "acct_1b" } })
        yield* importVenue({ ...tokyo, operator: passed })
        yield* pay(yield* book({ ...tokyo, operator: passed }, "2027-01-14"))
        yield* setClock("2026-11-29T09:00:00Z")
        const lineOf = ({ amount, kind, operator }: Line) => `${kind} ${amount} ${operator}`
        const of = venue.operator.name
        const all = yield* accounts("2026-11")
        assert.isUndefined(all.failure)
        assert.sameMembers(all.lines.map(lineOf), [
          `payment 120.00 ${of}`,
          `refund -20.00 ${of}`,
          "payment 9990 Tokyo KK",
          ...all.lines.filter(({ kind }) => kind === "payout").map(({ amount }) => `payout ${amount} Tokyo KK`)
        ])
        const transactions = all.lines.map(({ transaction }) => transaction)
        assert.strictEqual(new Set(transactions).size, transactions.length)
        assert.isAbove(all.lines.filter(({ kind }) => kind === "payout").length, 0)
        // Each operator has its own bookings alone, and both together have all.
        const before = yield* accounts("2026-11", "--operator", venue.operator.operator_id)
        const after = yield* accounts("2026-11", "--operator", testId.operator(5))
        for (const { failure } of [before, after]) assert.isUndefined(failure)
        assert.sameMembers(before.lines.map(lineOf), [`payment 120.00 ${of}`, `refund -20.00 ${of}`])
        assert.sameMembers([...before.lines, ...after.lines].map(lineOf), all.lines.map(lineOf))
        // What the provider lacks is missed of both, once.
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from sandbox.balance_transaction where category in ('charge', 'refund')`
        const missed = (yield* accounts("2026-11")).failure ?? ""
        assert.match(missed, /3 lines to look at\.$/)
        assert.include((yield* accounts("2026-11", "--operator", testId.operator(5))).failure, "1 line to look at")
        yield* importVenue(tokyo)
        yield* importVenue(venue)
      }),
    60_000
  )
})

// `playroom accounts` where the balance has another currency than the payments, and where payouts are no routine.

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
 * The provider settles what came in and went back in euros in pounds: each change at a rate of its own, with both fees
 * in pounds. What a change was about keeps its euros.
 */
const settleInPounds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update sandbox.balance_transaction set currency = 'gbp', amount = round(amount * rate), fee = round(fee * rate),
      application_fee = round(application_fee * rate)
    from (select transaction_id as id, 0.83 + (row_number() over (order by seq)) * 0.0071 as rate from sandbox.balance_transaction) r
    where transaction_id = r.id and currency = 'eur'`
})

const beginPaidOut = Effect.gen(function* () {
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
        yield* beginPaidOut
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
        yield* beginPaidOut
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
        yield* beginPaidOut
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
      yield* beginPaidOut
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
        yield* beginPaidOut
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
