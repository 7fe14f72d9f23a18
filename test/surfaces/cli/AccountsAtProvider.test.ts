import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PaymentGateway } from "../../../src/domain/payment/provider/PaymentGateway.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { Faults } from "../../../src/extras/sandbox/Faults.ts"
import { importVenue, setClock } from "../../support/BookingWorld.ts"
import { commandsOverSandbox } from "../../support/CommandsOverSandbox.ts"
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
import { packageWith, testId, venueWith } from "../../support/venues.ts"

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
