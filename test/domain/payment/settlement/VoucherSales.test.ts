/**
 * Gift vouchers that are bought on a page: there once they are paid, once, whatever is lost, told twice or cut off; and
 * lowered by what goes back of their payment.
 */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { AccountLine } from "../../../../src/domain/payment/accounts/AccountLine.ts"
import { makeMonthAccounts } from "../../../../src/domain/payment/accounts/MonthAccounts.ts"
import { BookingChanges } from "../../../../src/domain/payment/changes/BookingChanges.ts"
import { payByVoucher } from "../../../../src/domain/payment/changes/VenuePayments.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import { AccountComparison } from "../../../../src/domain/payment/recovery/AccountComparison.ts"
import { Vouchers } from "../../../../src/domain/payment/sessions/Vouchers.ts"
import {
  endOfVoucher,
  type VoucherSale,
  VoucherSales,
  type WantedVoucher
} from "../../../../src/domain/payment/settlement/VoucherSales.ts"
import { removeExpired } from "../../../../src/domain/people/privacy/Retention.ts"
import { findings } from "../../../../src/ops/attention/ActionItems.ts"
import { Audit } from "../../../../src/ops/audit/Audit.ts"
import { boughtPath } from "../../../../src/platform/access/LinkTokens.ts"
import { Failpoint, type FailpointName, voucherFailpoints } from "../../../../src/platform/concurrency/Failpoint.ts"
import { newId } from "../../../../src/platform/ids/Ids.ts"
import { dayMs } from "../../../../src/platform/time/LocalTime.ts"
import { setClock } from "../../../support/BookingWorld.ts"
import { commandWorld, playroom } from "../../../support/CommandLine.ts"
import {
  actAndDeliver,
  actAtProvider,
  callCount,
  deliverAndApply,
  now,
  paidBooking,
  reconcile,
  reconcileAfter,
  startAnew
} from "../../../support/PaymentWorld.ts"
import { account, packages, venue } from "../../../support/paymentVenues.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"

const { operator_id } = venue.operator
const offer = { currency: "GBP", min_amount: 1000, max_amount: 25_000, valid_months: 36 }

/** Nothing is sold yet, and the operator sells vouchers online. */
const begin = Effect.gen(function* () {
  const provider = yield* startAnew
  const sql = yield* SqlClient.SqlClient
  yield* sql`update operator set vouchers = ${JSON.stringify(offer)}::jsonb, application_fee_percent = 5
    where operator_id = ${operator_id}`
  provider.disputes.clear()
  return provider
})

const wanting = Effect.fnUntraced(function* (amount = 5000, more: Partial<WantedVoucher> = {}) {
  const wanted: WantedVoucher = {
    voucher_id: yield* newId.voucher,
    operator_id,
    amount,
    buyer: { name: "Ana Lima", email: "ana@example.com" },
    language: "en",
    description: "Gift voucher",
    ...more
  }
  return wanted
})
const buy = (wanted: WantedVoucher, sender = "192.0.2.1") => VoucherSales.use((sales) => sales.buy(wanted, sender))
const saleOf = ({ voucher_id }: Pick<WantedVoucher, "voucher_id">) =>
  Effect.map(
    VoucherSales.use((sales) => sales.find(voucher_id)),
    Option.getOrThrow
  )
const voucherOf = ({ voucher_id }: Pick<WantedVoucher, "voucher_id">) =>
  Vouchers.use((vouchers) => vouchers.find(voucher_id))
const worth = (wanted: Pick<WantedVoucher, "voucher_id">) =>
  Effect.map(voucherOf(wanted), (found) => Option.getOrUndefined(Option.map(found, ({ left }) => left)))

/** A sale with its page. */
const begun = Effect.fnUntraced(function* (amount?: number, more?: Partial<WantedVoucher>) {
  const wanted = yield* wanting(amount, more)
  const bought = yield* buy(wanted)
  if (bought.is !== "page") return assert.fail(bought.is)
  return { wanted, url: bought.url, sale: yield* saleOf(wanted) }
})
/** The same, paid. */
const sold = Effect.fnUntraced(function* (amount?: number) {
  const { wanted } = yield* begun(amount)
  yield* actAndDeliver(yield* saleOf(wanted), "pay")
  return { wanted, sale: yield* saleOf(wanted) }
})
const spend = Effect.fnUntraced(function* ({ voucher_id }: Pick<WantedVoucher, "voucher_id">) {
  const { booking } = yield* paidBooking(packages.depositParty)
  const code = yield* Vouchers.use((vouchers) => vouchers.code(voucher_id))
  return yield* BookingChanges.use(({ run }) =>
    run(payByVoucher, booking.booking_id, { code, rest: "later" }, { preview: false, who: { as: "family" } })
  )
})
const undo = ({ voucher_id }: Pick<WantedVoucher, "voucher_id">) =>
  Vouchers.use((vouchers) => vouchers.undo(voucher_id, operator_id, "Ann"))
const runDue = VoucherSales.use(({ runDue }) => runDue)
const tokenOf = ({ request }: VoucherSale) => request.success_url.split(boughtPath)[1] ?? assert.fail("no token")
const troubles = Effect.map(
  VoucherSales.use(({ troubles }) => troubles),
  (all) => all.map(({ why }) => why)
)
const sound = Effect.gen(function* () {
  assert.deepStrictEqual(yield* Audit.use(({ rows }) => rows), [])
})
const linesOf = Effect.fnUntraced(function* (period: string) {
  const lines: Array<AccountLine> = []
  const { own, vouchersOwed } = yield* makeMonthAccounts
  const { sums } = yield* own({ period, operator_id }, (line) => Effect.sync(() => lines.push(line)))
  return {
    lines: lines
      .filter(({ kind }) => kind === "voucher")
      .map(({ amount, application_fee, cause, way }) => [way, amount, application_fee, cause]),
    sums: Object.fromEntries(sums.flatMap((one) => one.sums).map(({ amount, name }) => [name, amount])),
    owed: (yield* vouchersOwed({ period, operator_id })).map(({ amount }) => amount)
  }
})

/** A node that ends at a point. */
const dyingAt = (at: FailpointName) => (name: FailpointName) =>
  name === at ? Effect.die(new Error(`killed: ${name}`)) : Effect.void
const killed = <A, E, R>(at: FailpointName, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Effect.provideService(work, Failpoint, dyingAt(at)))
    return Exit.isFailure(exit) && Cause.pretty(exit.cause).includes(`killed: ${at}`)
  })

layer(commandWorld)("a voucher sold online", (it) => {
  it.effect("is not sold unless the operator says so, and within its bounds", () =>
    Effect.gen(function* () {
      const provider = yield* startAnew
      const sql = yield* SqlClient.SqlClient
      yield* sql`update operator set vouchers = null where operator_id = ${operator_id}`
      assert.deepStrictEqual(yield* buy(yield* wanting()), { is: "not_sold" })
      yield* begin
      for (const amount of [999, 25_001, 0, -5000])
        assert.deepStrictEqual(yield* buy(yield* wanting(amount)), { is: "amount" })
      assert.deepStrictEqual(yield* buy(yield* wanting(5000, { operator_id: "operator_01h40000000000000000000777" })), {
        is: "not_sold"
      })
      yield* sql`update operator set suspended_at = now() where operator_id = ${operator_id}`
      assert.deepStrictEqual(yield* buy(yield* wanting()), { is: "not_sold" })
      yield* sql`update operator set suspended_at = null where operator_id = ${operator_id}`
      assert.strictEqual(provider.sessions.size, 0)
      for (const amount of [1000, 25_000]) assert.strictEqual((yield* buy(yield* wanting(amount))).is, "page")
    })
  )

  it.effect("is there once it is paid, once, however often that is told; and pays a booking", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      const { sale, url, wanted } = yield* begun(5000, { recipient: "Bo", greeting: "Happy birthday!" })
      assert.deepStrictEqual([sale.status, url], ["open", `https://pay.example/${sale.provider_session_id ?? ""}`])
      assert.isUndefined(yield* worth(wanted))
      // The same form again.
      assert.deepStrictEqual(yield* buy(wanted), { is: "page", url })
      assert.strictEqual(provider.sessions.size, 1)
      yield* actAndDeliver(sale, "pay")
      const said = provider.sessionOf(sale)
      yield* deliverAndApply(
        sessionEvent("checkout.session.completed", said),
        sessionEvent("checkout.session.async_payment_succeeded", said),
        sessionEvent("checkout.session.expired", said)
      )
      yield* reconcile
      const paid = yield* saleOf(wanted)
      assert.deepInclude(paid, { status: "paid", flagged: null, application_fee: 250 })
      const voucher = Option.getOrThrow(yield* voucherOf(wanted))
      assert.deepInclude(voucher, { amount: 5000, left: 5000, way: "link", currency: "GBP" })
      assert.strictEqual(voucher.expires_at, endOfVoucher(voucher.sold_at, 36, voucher.time_zone))
      assert.deepStrictEqual(yield* buy(wanted), { is: "page", url: paid.request.success_url })
      assert.strictEqual((yield* spend(wanted)).amount.amount, 5000)
      assert.strictEqual(yield* worth(wanted), 0)
      assert.deepStrictEqual(yield* troubles, [])
      yield* sound
    })
  )

  it.effect("is paid though no event comes: by who returns, and by a look-up later", () =>
    Effect.gen(function* () {
      yield* begin
      const sales = yield* VoucherSales
      const [one, other, third] = [yield* begun(), yield* begun(), yield* begun()]
      yield* actAtProvider(one.sale, "pay")
      assert.strictEqual(Option.getOrThrow(yield* sales.returned(tokenOf(one.sale))).status, "paid")
      assert.strictEqual(yield* worth(one.wanted), 5000)
      yield* actAtProvider(other.sale, "pay")
      yield* actAtProvider(third.sale, "pay_later")
      yield* reconcileAfter("33 minutes")
      assert.deepStrictEqual([yield* worth(other.wanted), (yield* saleOf(third.wanted)).status], [5000, "processing"])
      assert.isUndefined(yield* worth(third.wanted))
      yield* actAtProvider(third.sale, "late_success")
      yield* reconcileAfter("11 minutes")
      assert.strictEqual(yield* worth(third.wanted), 5000)
      assert.isTrue(Option.isNone(yield* sales.returned("x".repeat(48))))
    })
  )

  it.effect("is none if its page closes, or its payment fails; paid late after all it is one", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      const [closed, failed] = [yield* begun(), yield* begun()]
      yield* actAtProvider(closed.sale, "expire")
      yield* actAndDeliver(failed.sale, "pay_later")
      yield* actAndDeliver(failed.sale, "late_failure")
      yield* reconcileAfter("33 minutes")
      assert.deepStrictEqual(
        [(yield* saleOf(closed.wanted)).status, (yield* saleOf(failed.wanted)).status],
        ["expired", "failed"]
      )
      assert.isUndefined(yield* worth(closed.wanted))
      Object.assign(provider.sessionOf(closed.sale), {
        status: "complete",
        payment_status: "paid",
        payment_intent_id: "pi_late"
      })
      yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(closed.sale)))
      assert.strictEqual(yield* worth(closed.wanted), 5000)
      // The form of a page that is closed begins another sale.
      const again = yield* buy(failed.wanted)
      assert.strictEqual(again.is, "page")
      assert.strictEqual(provider.sessions.size, 3)
    })
  )

  it.effect("is asked for again where the provider was away or gave no answer, and has one page", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      for (const fault of ["away", "unanswered"] as const) {
        const wanted = yield* wanting()
        provider.injectFault("createSession", fault)
        assert.deepStrictEqual(yield* buy(wanted), { is: "unavailable" })
        const { size } = provider.sessions
        assert.strictEqual((yield* buy(wanted)).is, "page")
        assert.strictEqual(provider.sessions.size, fault === "away" ? size + 1 : size)
        yield* actAndDeliver(yield* saleOf(wanted), "pay")
        assert.strictEqual(yield* worth(wanted), 5000)
      }
      assert.deepStrictEqual(
        yield* buy(yield* wanting(5000, { buyer: { name: "A", email: "ü@example.com" } }), "198.51.100.2"),
        { is: "email" }
      )
      provider.injectFault("createSession", "amount_refused")
      assert.deepStrictEqual(yield* buy(yield* wanting(), "198.51.100.2"), { is: "unavailable" })
      provider.injectFault("createSession", "account_closed")
      assert.deepStrictEqual(yield* buy(yield* wanting(), "198.51.100.2"), { is: "not_sold" })
      yield* (yield* SqlClient.SqlClient)`update operator set closed_account = null, account_closed_at = null`
    })
  )

  it.effect("ends right wherever a node is killed", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      for (const at of voucherFailpoints) {
        const wanted = yield* wanting()
        const died: Array<boolean> = [yield* killed(at, buy(wanted))]
        assert.strictEqual((yield* buy(wanted)).is, "page")
        const sale = yield* saleOf(wanted)
        yield* actAtProvider(sale, "pay")
        yield* TestClock.adjust("33 minutes")
        died.push(yield* killed(at, runDue))
        yield* TestClock.adjust("3 minutes")
        yield* runDue
        assert.strictEqual(yield* worth(wanted), 5000, at)
        yield* undo(wanted)
        died.push(yield* killed(at, runDue))
        yield* TestClock.adjust("3 minutes")
        yield* runDue
        assert.include(died, true, at)
        assert.deepStrictEqual(provider.paidAndRefunded(sale), { paid: 5000, refunded: 5000 }, at)
        assert.strictEqual(
          [...provider.refunds.values()].filter(
            ({ payment_intent_id }) => payment_intent_id === provider.sessionOf(sale).payment_intent_id
          ).length,
          1,
          at
        )
      }
      assert.strictEqual(provider.sessions.size, voucherFailpoints.length)
      yield* sound
    })
  )

  it.effect("two at once that ask for the same have one page, and two tellers make one voucher", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      const wanted = yield* wanting()
      const answers = yield* Effect.all([buy(wanted), buy(wanted), buy(wanted)], { concurrency: "unbounded" })
      assert.strictEqual(new Set(answers.map((one) => (one.is === "page" ? one.url : one.is))).size, 1)
      assert.strictEqual(provider.sessions.size, 1)
      const sale = yield* saleOf(wanted)
      const answer = provider.act(sale, "pay")
      const sales = yield* VoucherSales
      yield* Effect.all(
        [1, 2, 3].map(() => sales.settle(sale.payment_session_id, answer)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(yield* worth(wanted), 5000)
      assert.strictEqual((yield* linesOf(now.slice(0, 7))).lines.length, 1)
      // The second begins while the first is anywhere between its first statement and its last.
      const sql = yield* SqlClient.SqlClient
      for (let after = 0; after < 12; after++) {
        provider.sessions.clear()
        const again = yield* wanting()
        const later = Effect.andThen(Effect.repeat(sql`select 1`, { times: after }), buy(again, `192.0.2.${after + 2}`))
        yield* Effect.all([buy(again, `192.0.2.${after + 2}`), later], { concurrency: "unbounded" })
        assert.strictEqual(provider.sessions.size, 1, `${after} statements later`)
      }
    })
  )

  it.effect(
    "is of what was paid, if that is another amount; in another currency, or on another page, a person looks",
    () =>
      Effect.gen(function* () {
        const provider = yield* begin
        const { sale, wanted } = yield* begun()
        provider.sessionOf(sale).amount_total = 4000
        yield* actAndDeliver(sale, "pay")
        assert.strictEqual(yield* worth(wanted), 4000)
        const foreign = yield* begun()
        Object.assign(provider.sessionOf(foreign.sale), { currency: "USD" })
        yield* actAndDeliver(foreign.sale, "pay")
        assert.isUndefined(yield* worth(foreign.wanted))
        const twice = yield* begun()
        const second = { ...provider.act(twice.sale, "pay"), id: "cs_other", payment_intent_id: "pi_other" }
        yield* actAndDeliver(twice.sale, "pay")
        yield* deliverAndApply(sessionEvent("checkout.session.completed", second))
        assert.strictEqual(yield* worth(twice.wanted), 5000)
        const found = (yield* findings).filter(({ what }) => what === "voucher sold online")
        assert.deepStrictEqual(
          found.map(({ id }) => id).toSorted(),
          [foreign.wanted.voucher_id, twice.wanted.voucher_id].toSorted()
        )
        for (const { id } of found) assert.include((yield* playroom("doctor", "--settle", id)).out, "dealt with")
        assert.deepStrictEqual(yield* troubles, [])
      })
  )

  it.effect("nothing is charged for makes none", () =>
    Effect.gen(function* () {
      yield* begin
      const { sale, wanted } = yield* begun()
      yield* actAndDeliver(sale, "free")
      assert.strictEqual((yield* saleOf(wanted)).status, "failed")
      assert.isUndefined(yield* worth(wanted))
    })
  )

  it.effect("a network has five unpaid within an hour, and takes nobody else's", () =>
    Effect.gen(function* () {
      yield* begin
      const asked = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => Effect.flatMap(wanting(), (one) => buy(one)))
      assert.deepStrictEqual(
        asked.map(({ is }) => is),
        ["page", "page", "page", "page", "page", "too_many"]
      )
      assert.strictEqual((yield* buy(yield* wanting(), "198.51.100.7")).is, "page")
      yield* TestClock.adjust("61 minutes")
      assert.strictEqual((yield* buy(yield* wanting())).is, "page")
      yield* TestClock.adjust("61 minutes")
      const many = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, i) => i),
        () => Effect.flatMap(wanting(), (one) => buy(one, "203.0.113.9")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(many.filter(({ is }) => is === "page").length, 5)
    })
  )

  it.effect("undone, its payment goes back by the provider, once; of one that was spent in part nothing does", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      const { sale, wanted } = yield* sold()
      const calls = yield* callCount("createRefund")
      yield* undo(wanted)
      yield* undo(wanted)
      yield* reconcile
      yield* undo(wanted)
      yield* reconcileAfter("3 minutes")
      assert.deepStrictEqual(provider.paidAndRefunded(sale), { paid: 5000, refunded: 5000 })
      assert.strictEqual(yield* callCount("createRefund"), calls + 1)
      assert.strictEqual(provider.refunds.size, 1)
      const spent = yield* sold(20_000)
      yield* spend(spent.wanted)
      assert.strictEqual((yield* Effect.flip(undo(spent.wanted)))._tag, "VoucherKept")
      yield* setClock("2026-11-20T10:00:00Z")
      const { out } = yield* playroom("voucher", "undo", (yield* sold()).wanted.voucher_id)
      assert.include(out, "What was paid for it goes back")
      const { lines, owed } = yield* linesOf(now.slice(0, 7))
      assert.sameDeepMembers(lines, [
        ["link", 5000, 250, null],
        ["link", -5000, -250, "undone"],
        ["link", 20_000, 1000, null],
        ["link", 5000, 250, null]
      ])
      // What is undone is owed until it has gone back.
      assert.deepStrictEqual(owed, [10_000])
      yield* sound
    })
  )

  it.effect("a refund that fails waits for a person, who sends it again; one without money is tried for days", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      const { sale, wanted } = yield* sold()
      provider.injectFault("createRefund", "refused")
      yield* undo(wanted)
      yield* reconcile
      assert.match((yield* troubles).join(), /is failed/)
      provider.balanceTooSmall = true
      yield* undo(wanted)
      yield* reconcile
      assert.deepStrictEqual(yield* troubles, [])
      yield* reconcileAfter("61 minutes")
      assert.strictEqual(provider.paidAndRefunded(sale).refunded, 0)
      provider.balanceTooSmall = false
      yield* reconcileAfter("61 minutes")
      assert.deepStrictEqual(provider.paidAndRefunded(sale), { paid: 5000, refunded: 5000 })
      const [made] = [...provider.refunds.values()]
      // It fails after it had succeeded: the lines of its day stay.
      provider.setRefundStatus(made?.id ?? "", "failed", "lost_or_stolen_card")
      yield* reconcileAfter("7 hours")
      const { lines, owed } = yield* linesOf(now.slice(0, 7))
      assert.sameDeepMembers(lines, [
        ["link", 5000, 250, null],
        ["link", -5000, -250, "undone"],
        ["link", 5000, 250, "returned"]
      ])
      assert.deepStrictEqual(owed, [5000])
      assert.deepStrictEqual(yield* troubles, ["it was undone, and £50.00 of its payment did not go back"])
      yield* undo(wanted)
      yield* reconcile
      assert.deepStrictEqual(provider.paidAndRefunded(sale), { paid: 5000, refunded: 5000 })
      assert.deepStrictEqual((yield* linesOf(now.slice(0, 7))).owed, [])
    })
  )

  it.effect("is lowered by what is refunded in the dashboard; what was spent already needs a person", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      const { sale, wanted } = yield* sold(20_000)
      const refund = provider.refundInDashboard(sale, 3000)
      yield* reconcileAfter("7 hours")
      assert.strictEqual(yield* worth(wanted), 17_000)
      provider.setRefundStatus(refund.id, "failed")
      yield* reconcileAfter("7 hours")
      assert.strictEqual(yield* worth(wanted), 20_000)
      yield* spend(wanted)
      assert.strictEqual(yield* worth(wanted), 5000)
      provider.refundInDashboard(sale, 8000)
      yield* reconcileAfter("1 day")
      assert.strictEqual(yield* worth(wanted), 0)
      assert.deepStrictEqual(yield* troubles, ["£30.00 of it was spent before it went back to who paid"])
      yield* playroom("doctor", "--settle", wanted.voucher_id)
      assert.deepStrictEqual(yield* troubles, [])
      yield* sound
    })
  )

  it.effect("is stopped by a dispute, and goes on if the venue wins", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      const { sale, wanted } = yield* sold()
      const dispute = provider.openDispute(sale)
      yield* reconcileAfter("7 hours")
      assert.strictEqual(yield* worth(wanted), 0)
      assert.match((yield* troubles).join(), /dispute .* is needs_response/)
      provider.setDisputeStatus(dispute.id, "lost")
      yield* reconcileAfter("7 hours")
      const month = now.slice(0, 7)
      assert.deepInclude((yield* linesOf(month)).lines, ["link", -5000, 0, "dispute"])
      provider.setDisputeStatus(dispute.id, "won")
      yield* reconcileAfter("7 days")
      assert.strictEqual(yield* worth(wanted), 5000)
      assert.deepInclude((yield* linesOf(month)).lines, ["link", 5000, 0, "returned"])
      // Undone while it is disputed: what the bank gives back later goes back, too, once a person says so.
      const other = yield* sold()
      const open = provider.openDispute(other.sale)
      yield* reconcileAfter("7 hours")
      yield* undo(other.wanted)
      yield* reconcileAfter("7 hours")
      assert.strictEqual(provider.refunds.size, 0)
      provider.setDisputeStatus(open.id, "won")
      yield* reconcileAfter("8 hours")
      assert.include(yield* troubles, "it was undone, and £50.00 of its payment did not go back")
      yield* undo(other.wanted)
      yield* reconcile
      assert.deepStrictEqual(provider.paidAndRefunded(other.sale), { paid: 5000, refunded: 5000 })
    })
  )

  it.effect("that a restored backup lacks is taken over with its code, and lacks no refund", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      const sql = yield* SqlClient.SqlClient
      const { sale, wanted } = yield* sold()
      provider.refundInDashboard(sale, 1000)
      const code = yield* Vouchers.use((vouchers) => vouchers.code(wanted.voucher_id))
      yield* sql`with a as (delete from voucher) delete from voucher_sale`
      const compare = (apply: boolean) =>
        AccountComparison.use((comparison) =>
          comparison.compare(account, { since: Date.parse(now) - dayMs, apply })
        ).pipe(Effect.map(({ differences }) => differences.map(({ kind, needs_person }) => [kind, needs_person])))
      assert.deepStrictEqual(yield* compare(false), [["assigned", false]])
      assert.isTrue(Option.isNone(yield* voucherOf(wanted)))
      assert.deepStrictEqual((yield* compare(true))[0], ["assigned", false])
      yield* runDue
      const found = yield* Vouchers.use((vouchers) => vouchers.byCode(code))
      assert.strictEqual(Option.getOrThrow(found).left, 4000)
      assert.deepStrictEqual(yield* compare(false), [])
      yield* sound
    })
  )

  it.effect("that the provider does not have, or has and we lack, is named by the audit of the books", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      // Ids never go back, and other tests were later than it is now.
      yield* setClock("2027-06-01T09:00:00Z")
      const [kept, invented, lost] = [yield* sold(), yield* sold(6000), yield* sold(7000)]
      yield* TestClock.adjust("1 day")
      yield* reconcile
      const named = Effect.map(
        Audit.use(({ books }) => books),
        (all = []) => all.map(({ id }) => id).toSorted()
      )
      assert.deepStrictEqual(yield* named, [])
      yield* sql`update voucher_sale set provider_session_id = 'cs_invented'
        where voucher_id = ${invented.wanted.voucher_id}`
      yield* sql`with a as (delete from voucher where voucher_id = ${lost.wanted.voucher_id})
        delete from voucher_sale where voucher_id = ${lost.wanted.voucher_id}`
      const found = yield* named
      assert.include(found, invented.sale.payment_session_id)
      assert.include(found, lost.sale.provider_session_id)
      assert.notInclude(found, kept.sale.payment_session_id)
    })
  )

  it.effect("its buyer is exported, and erased once the payment is over", () =>
    Effect.gen(function* () {
      yield* begin
      const { sale, wanted } = yield* begun(5000, { recipient: "Bo", greeting: "Happy birthday!" })
      assert.include((yield* playroom("person", "export", "--email", "ANA@example.com")).out, "Happy birthday!")
      const open = yield* playroom("person", "erase", "--email", "ana@example.com")
      assert.include(open.failure, "gift voucher is being paid")
      yield* actAndDeliver(sale, "pay")
      assert.isUndefined((yield* playroom("person", "erase", "--email", "ana@example.com")).failure)
      const after = yield* saleOf(wanted)
      assert.deepInclude(after, { buyer_name: null, buyer_email: null, recipient: null, greeting: null })
      assert.notInclude(JSON.stringify(after), "ana@example.com")
      assert.notInclude(JSON.stringify(after), tokenOf(sale))
      assert.strictEqual(yield* worth(wanted), 5000)
    })
  )

  it.effect("that was not paid is forgotten after three months, and whence it was asked for after an hour", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const [paid, { wanted }] = [yield* sold(), yield* begun()]
      yield* reconcileAfter("33 minutes")
      yield* actAtProvider(yield* saleOf(wanted), "expire")
      yield* reconcileAfter("2 minutes")
      yield* TestClock.adjust("1 hour")
      yield* removeExpired
      assert.deepStrictEqual(yield* sql`select distinct sender from voucher_sale`, [{ sender: null }])
      yield* TestClock.adjust("91 days")
      yield* removeExpired
      assert.deepStrictEqual(yield* sql`select voucher_id from voucher_sale`, [{ voucher_id: paid.wanted.voucher_id }])
    })
  )

  it.effect("events of it that were stored are applied one by one, and told by its own ids", () =>
    Effect.gen(function* () {
      const provider = yield* begin
      const { sale, wanted } = yield* begun()
      const [event] = yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.act(sale, "pay")))
      assert.strictEqual(event?.status, "applied")
      assert.include(event?.outcome, `${sale.payment_session_id} of ${wanted.voucher_id}: paid`)
      assert.isAtLeast((yield* WebhookInbox.use((inbox) => inbox.applyDue())) ?? 0, 0)
      yield* setClock(now)
    })
  )
})
