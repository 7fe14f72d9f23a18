import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { DueBookings } from "../../../../src/domain/booking/DueBookings.ts"
import { asOf } from "../../../../src/domain/booking/Lifecycle.ts"
import { standingOf } from "../../../../src/domain/booking/Standing.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { display } from "../../../../src/platform/money/Money.ts"
import { hourMs } from "../../../../src/platform/time/LocalTime.ts"
import { bookingWithNextStep } from "../../../../src/surfaces/mcp/tools/NextSteps.ts"
import { renderFailure } from "../../../../src/surfaces/mcp/tools/ToolErrors.ts"
import { leadOf } from "../../../../src/surfaces/web/family/BookingPage.ts"
import { moneyTable } from "../../../../src/surfaces/web/family/BookingStep.ts"
import { ShownBookings } from "../../../../src/surfaces/web/family/ShownBookings.ts"
import { PaymentSummaries } from "../../../../src/domain/payment/PaymentSummaries.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { RefundRecords } from "../../../../src/domain/payment/refunds/RefundRecords.ts"
import { Refunds } from "../../../../src/domain/payment/refunds/Refunds.ts"
import { Settlement } from "../../../../src/domain/payment/settlement/Settlement.ts"
import {
  actAndDeliver,
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  comesBack,
  confirmed,
  createSession,
  deliverAndApply,
  expectedState,
  failedRefunds,
  openSession,
  paidBooking,
  paymentWorld,
  reconcile,
  reconcileAfter,
  refundsOf,
  returnTokens,
  runProviderTasks
} from "../../../support/PaymentWorld.ts"
import { giveGoodwill } from "../../../support/Acts.ts"
import { lettersOf, letterWorld, sendLetters, sendOneLetter } from "../../../support/LetterWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { packages } from "../../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../../support/ScriptedGateway.ts"

type Session = PaymentSessionRow

/** The payer pays, and the provider says that it was this. */
const paidAs = Effect.fnUntraced(function* (
  session: Session,
  said: { readonly amount_total?: number; readonly currency?: string; readonly livemode?: boolean },
  action: "pay" | "pay_later" = "pay"
) {
  const provider = yield* ScriptedGateway
  yield* actAtProvider(session, action)
  Object.assign(provider.sessionOf(session), said)
  const event = sessionEvent("checkout.session.completed", provider.sessionOf(session))
  const [stored] = yield* deliverAndApply(event)
  assert.strictEqual(stored?.status, "applied")
  return event
})

/** What everybody reads of a booking now. */
const toldOf = Effect.fnUntraced(function* ({ booking_id }: Pick<BookingRow, "booking_id">) {
  const row = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const summary = yield* PaymentSummaries.use((summaries) => summaries.read(row))
  const booking = asOf(row, summary.now)
  const standing = standingOf(booking, summary)
  const { next_step } = bookingWithNextStep(booking, summary)
  const shown = { booking, summary, unclear: false }
  const { heading, lead } = leadOf(shown, standing, "en")
  return { standing, next_step, page: `${heading}. ${lead}` }
})

const decide = (session: Session, decision: "take" | "send_back") =>
  Settlement.use((settlement) => settlement.decide(session.payment_session_id, decision, "Sam"))

const statusAfterPaying = (session: Session) =>
  Effect.map(comesBack(returnTokens(session)), (found) => found ?? assert.fail("no page"))

layer(paymentWorld())("money that is not what was asked for", (it) => {
  it.effect("is decided once, by whoever comes first, beside its own event and a cancellation", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 6; round++) {
        const { booking, session } = yield* bookingWithSession()
        const event = yield* paidAs(session, { amount_total: 11_999 })
        const decisions = yield* Effect.all(
          [
            Effect.result(decide(session, "take")),
            Effect.result(decide(session, "send_back")),
            Effect.result(decide(session, "take")),
            Effect.as(deliverAndApply({ ...event, id: `${event.id}_again` }), undefined),
            ...(round % 2 === 0 ? [] : [Effect.as(Effect.result(cancelBooking(booking)), undefined)])
          ],
          { concurrency: "unbounded" }
        )
        const made = decisions.filter((it) => it?._tag === "Success")
        assert.isAtMost(made.length, 1, `round ${round}`)
        if (round % 2 === 0) assert.strictEqual(made.length, 1, `round ${round}`)
        yield* runProviderTasks
        const { status } = yield* bookingState(booking)
        const given_back = (yield* refundsOf(booking)).reduce((sum, { amount }) => sum + amount, 0)
        assert.strictEqual(given_back, status === "confirmed" ? 0 : 11_999, `round ${round}: ${status}`)
      }
    })
  )

  it.effect("is told as it is (M2): nobody is asked to pay again, the places are kept, and a person is told", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* paidAs(session, { amount_total: 11_999 })
      const check = Effect.gen(function* () {
        assert.deepStrictEqual(yield* bookingState(booking), expectedState("held", "processing"))
        const { next_step, page, standing } = yield* toldOf(booking)
        assert.strictEqual(standing.kind, "payment_under_review")
        assert.include(next_step, "A payment of £119.99 has come that is not what was asked for")
        assert.include(page, "A payment of £119.99 came that is not what was asked for")
        for (const text of [next_step, page]) {
          assert.notMatch(text, /nothing was charged|create_payment_session/i)
          assert.notInclude(text, "£120.00")
        }
        const refused = yield* Effect.flip(createSession(booking.booking_id))
        assert.strictEqual(refused._tag, "NothingDue")
        if (refused._tag !== "NothingDue") return
        const error = renderFailure(refused)
        assert.strictEqual(error.code, "nothing_due")
        assert.include(error.message, "£119.99")
        assert.notInclude(error.message, "Nothing is paid so far")
        assert.include(error.fix, "not to pay again")
        const after = yield* statusAfterPaying(session)
        assert.deepInclude(after, { standing: "payment_under_review", notice: undefined })
        assert.strictEqual(after.shown.returned?.session.misfit?.amount, 11_999)
      })
      yield* check
      const flagged = yield* PaymentSessions.use((sessions) => sessions.flagged)
      assert.deepInclude(flagged[0], { payment_session_id: session.payment_session_id })
      // After the hold, the page's end, and three weeks.
      for (const time of ["38 minutes", "1 day", "24 days"] as const) {
        yield* reconcileAfter(time)
        if (time !== "24 days") yield* check
        assert.deepStrictEqual(yield* bookingState(booking), expectedState("held", "processing"), time)
      }
      yield* decide(session, "send_back")
      yield* runProviderTasks
      yield* cancelBooking(booking)
    })
  )

  it.effect("sent back, shortens no hold that a waiting list made for hours", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const { booking_id } = booking
      const told = (yield* Clock.currentTimeMillis) + 12 * hourMs
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set hold_expires_at = ${new Date(told)} where booking_id = ${booking_id}`
      yield* paidAs(session, { amount_total: 11_999 })
      yield* decide(session, "send_back")
      assert.strictEqual((yield* Bookings.use((bookings) => bookings.get(booking_id))).hold_expires_at, told)
      yield* runProviderTasks
      yield* cancelBooking(booking)
    })
  )

  it.effect("sent back, hides no later try that failed", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* paidAs(session, { amount_total: 11_999 })
      yield* decide(session, "send_back")
      yield* runProviderTasks
      const later = yield* openSession(booking)
      yield* actAndDeliver(later, "pay_later")
      yield* actAndDeliver(later, "late_failure")
      const row = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      const { last_attempt } = yield* PaymentSummaries.use((summaries) => summaries.read(row))
      assert.strictEqual(last_attempt?.outcome, "failed")
      yield* cancelBooking(booking)
    })
  )

  it.effect("taken, counts with what was paid: a penny too little is waived, and said", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const event = yield* paidAs(session, { amount_total: 11_999 })
      const { text } = yield* decide(session, "take")
      assert.include(text, "£0.01 is too little to be charged, and waived")
      assert.deepStrictEqual(yield* bookingState(booking), { ...confirmed, paid: 11_999 })
      const { standing } = yield* toldOf(booking)
      assert.strictEqual(standing.kind, "paid")
      assert.strictEqual((yield* statusAfterPaying(session)).notice, "arrived")
      // Once, whoever asks again and whatever arrives again.
      assert.strictEqual((yield* Effect.flip(decide(session, "send_back")))._tag, "MisfitUndecided")
      yield* deliverAndApply({ ...event, id: `${event.id}_again` })
      yield* reconcile
      assert.deepStrictEqual(yield* bookingState(booking), { ...confirmed, paid: 11_999 })
      assert.deepStrictEqual(yield* refundsOf(booking), [])
      const after = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      assert.strictEqual(after.total, 11_999)
      assert.strictEqual(
        after.terms.price.lines.reduce((sum, { amount }) => sum + amount, 0),
        after.total
      )
    })
  )

  it.effect("taken, leaves what is missing to be paid as usual, and gives back what is too much", () =>
    Effect.gen(function* () {
      const short = yield* bookingWithSession()
      yield* paidAs(short.session, { amount_total: 10_000 })
      yield* decide(short.session, "take")
      assert.deepStrictEqual(yield* bookingState(short.booking), expectedState("confirmed", "deposit_paid", 10_000))
      const { standing } = yield* toldOf(short.booking)
      assert.deepInclude(standing, { kind: "balance_due" })
      assert.deepInclude("balance" in standing ? standing.balance : {}, { amount: 2000 })
      const rest = yield* openSession(short.booking, "balance")
      assert.strictEqual(rest.amount, 2000)

      const much = yield* bookingWithSession()
      yield* paidAs(much.session, { amount_total: 15_000 })
      yield* decide(much.session, "take")
      yield* runProviderTasks
      assert.deepStrictEqual(
        yield* bookingState(much.booking),
        expectedState("confirmed", "partially_refunded", 15_000, 3000)
      )
      // What went back is no part of what a cancellation owes.
      yield* cancelBooking(much.booking)
      yield* runProviderTasks
      const provider = yield* ScriptedGateway
      assert.deepStrictEqual(provider.paidAndRefunded(much.session), { paid: 15_000, refunded: 15_000 })
    })
  )

  it.effect("taken for a balance that a change or an earlier payment made, is the booking's, and no duplicate", () =>
    Effect.gen(function* () {
      for (const [said, paid, refunded] of [
        [1000, 11_000, 0],
        [2500, 12_500, 500]
      ] as const) {
        const { booking, session } = yield* bookingWithSession()
        yield* paidAs(session, { amount_total: 10_000 })
        yield* decide(session, "take")
        const rest = yield* openSession(booking, "balance")
        assert.strictEqual(rest.amount, 2000)
        yield* paidAs(rest, { amount_total: said })
        const { text } = yield* decide(rest, "take")
        assert.notInclude(text, "paid before")
        yield* runProviderTasks
        const provider = yield* ScriptedGateway
        assert.deepStrictEqual(provider.paidAndRefunded(rest), { paid: said, refunded })
        assert.deepInclude(yield* bookingState(booking), { status: "confirmed", paid, refunded })
        const { standing } = yield* toldOf(booking)
        assert.strictEqual(standing.kind === "balance_due" ? standing.balance.amount : 0, 12_000 - paid + refunded)
      }
    })
  )

  it.effect(
    "taken with too much while a lost dispute has a part of another, gives back that alone once it is won",
    () =>
      Effect.gen(function* () {
        const { booking, session } = yield* bookingWithSession()
        yield* paidAs(session, { amount_total: 10_000 })
        yield* decide(session, "take")
        const provider = yield* ScriptedGateway
        const { id } = provider.openDispute(session, 4000, "lost")
        yield* reconcileAfter("2 days")
        const rest = yield* openSession(booking, "balance")
        yield* paidAs(rest, { amount_total: 2500 })
        yield* decide(rest, "take")
        yield* runProviderTasks
        provider.setDisputeStatus(id, "won")
        yield* reconcileAfter("9 days")
        yield* runProviderTasks
        assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 10_000, refunded: 0 })
        assert.deepStrictEqual(provider.paidAndRefunded(rest), { paid: 2500, refunded: 500 })
      })
  )

  it.effect("taken for a part of the balance, after a part of the deposit went back, leaves the rest to be paid", () =>
    Effect.gen(function* () {
      const provider = yield* ScriptedGateway
      for (const status of ["partially_refunded", "refund_pending"] as const) {
        const { booking, session: deposit } = yield* paidBooking(packages.depositParty)
        if (status === "partially_refunded") provider.refundInDashboard(deposit, 100)
        else yield* giveGoodwill(booking.booking_id, { amount: 100, reason: "Sorry", preview: false })
        if (status === "partially_refunded") yield* reconcileAfter("12 hours")
        const session = yield* openSession(booking, "balance")
        yield* paidAs(session, { amount_total: 1000 })
        yield* decide(session, "take")
        const row = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
        assert.strictEqual(row.payment_status, status)
        assert.deepStrictEqual(yield* DueBookings.use((bookings) => bookings.flagged(10)), [])
        assert.strictEqual((yield* openSession(booking, "balance")).amount, session.amount - 1000)
        yield* cancelBooking(booking)
      }
    })
  )

  it.effect("sent back, goes back once, and the booking asks for its money again, or ends as usual", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const event = yield* paidAs(session, { amount_total: 11_999 })
      yield* TestClock.adjust("2 days")
      yield* decide(session, "send_back")
      assert.strictEqual((yield* Effect.flip(decide(session, "take")))._tag, "MisfitUndecided")
      const going = yield* toldOf(booking)
      assert.strictEqual(going.standing.kind, "to_pay")
      assert.include(going.next_step, "A payment of £119.99 was not what was asked for, and is on its way back")
      assert.include(going.page, "A payment of £119.99 was not what was asked for, so it goes back to you")
      assert.strictEqual((yield* statusAfterPaying(session)).notice, "sent_back")
      yield* runProviderTasks
      yield* deliverAndApply({ ...event, id: `${event.id}_again` })
      const provider = yield* ScriptedGateway
      assert.deepStrictEqual(provider.paidAndRefunded(session), { paid: 11_999, refunded: 11_999 })
      assert.include((yield* toldOf(booking)).page, "so it went back to you")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("held", "unpaid"))
      // Nobody pays: the hold ends, and nothing says that nothing was charged.
      yield* reconcileAfter("16 minutes")
      assert.deepStrictEqual(yield* bookingState(booking), expectedState("expired", "unpaid"))
      const { next_step, page, standing } = yield* toldOf(booking)
      assert.strictEqual(standing.kind, "expired")
      for (const text of [next_step, page]) assert.notMatch(text, /nothing was charged/i)
      assert.include(next_step, "went back to the payer")
    })
  )

  it.effect("sent back, is paid anew with another page", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      yield* paidAs(session, { amount_total: 11_999 })
      yield* decide(session, "send_back")
      const again = yield* openSession(booking)
      yield* actAtProvider(again, "pay")
      const provider = yield* ScriptedGateway
      yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(again)))
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      yield* runProviderTasks
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
    })
  )

  it.effect(
    "for the balance keeps the booking confirmed and asks for no more; sent back, the balance is due again",
    () =>
      Effect.gen(function* () {
        const { booking } = yield* paidBooking(packages.depositParty)
        const session = yield* openSession(booking, "balance")
        yield* paidAs(session, { amount_total: session.amount - 1000 })
        const { next_step, standing } = yield* toldOf(booking)
        assert.strictEqual(standing.kind, "confirmed_under_review")
        assert.notInclude(next_step, "create_payment_session")
        const refused = yield* Effect.flip(createSession(booking.booking_id, { purpose: "balance" }))
        assert.strictEqual(refused._tag, "NothingDue")
        yield* decide(session, "send_back")
        yield* runProviderTasks
        assert.strictEqual((yield* toldOf(booking)).standing.kind, "balance_due")
        assert.strictEqual((yield* openSession(booking, "balance")).amount, session.amount)
      })
  )

  it.effect(
    "for the balance of a visit that is over, or whose places were released, is told as it is, and asked for no more",
    () =>
      Effect.gen(function* () {
        const { booking } = yield* paidBooking(packages.depositParty)
        const session = yield* openSession(booking, "balance")
        yield* paidAs(session, { amount_total: session.amount - 1000 })
        const row = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
        const summary = yield* PaymentSummaries.use((summaries) => summaries.read(row))
        const shown = display(session.amount - 1000, row.currency)
        const saidOf = (one: BookingRow, told: typeof summary) => {
          const { next_step } = bookingWithNextStep(one, told)
          const { lead } = leadOf({ booking: one, summary: told, unclear: false }, standingOf(one, told), "en")
          return [next_step, lead]
        }
        for (const text of saidOf(row, { ...summary, now: row.ends_at })) {
          assert.include(text, shown)
          assert.notInclude(text, "is still to be paid")
        }
        const { under_review: _, ...decided } = summary
        for (const text of saidOf(row, { ...decided, now: row.ends_at })) assert.notInclude(text, "is still to be paid")
        const sent_back = [{ amount: session.amount - 1000, currency: row.currency, state: "going_back" as const }]
        const terms = { ...row.terms, released_at: summary.now }
        for (const text of saidOf({ ...row, status: "expired", paid: 0, terms }, { ...decided, sent_back })) {
          assert.include(text, shown)
          assert.notMatch(text, /nothing was paid/i)
        }
        yield* decide(session, "send_back")
        yield* runProviderTasks
      })
  )

  it.effect("taken with a penny waived, is of the rates of tax of what the booking costs then", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const first of [3000, 6000, 9000]) {
        const { booking, session } = yield* bookingWithSession()
        const parts = [
          [20, first],
          [10, booking.total - first]
        ] as const
        const lines = parts.map(([tax_percent, amount]) => ({
          ...(booking.terms.price.lines[0] ?? assert.fail("no line")),
          unit_amount: amount,
          amount,
          tax_percent
        }))
        const rates = parts.map(([rate_percent, gross]) => ({ rate_percent, gross, tax: 0 }))
        yield* sql`update booking set terms = jsonb_set(jsonb_set(terms, '{price,lines}', ${JSON.stringify(lines)}::jsonb),
          '{price,tax,rates}', ${JSON.stringify(rates)}::jsonb) where booking_id = ${booking.booking_id}`
        yield* paidAs(session, { amount_total: booking.total - 1 })
        yield* decide(session, "take")
        const { terms } = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
        const came = yield* sql`select rate::float8 as rate_percent, came::int as gross, tax::int as tax
          from booking b cross join lateral taxes_of(b.booking_id, b.terms, '') where b.booking_id = ${booking.booking_id}
          order by rate desc`
        assert.deepStrictEqual<unknown>(came, terms.price.tax.rates, `${first}`)
        yield* cancelBooking(booking)
      }
    })
  )

  it.effect("can be decided about, however little it is: less than the platform's fee, too", () =>
    Effect.gen(function* () {
      for (const decision of ["take", "send_back"] as const) {
        const { booking, session } = yield* bookingWithSession()
        assert.isAbove(session.application_fee, 1)
        yield* paidAs(session, { amount_total: 1 })
        yield* decide(session, decision)
        yield* runProviderTasks
        const taken = decision === "take"
        const { paid, status } = yield* bookingState(booking)
        assert.deepStrictEqual({ paid, status }, { paid: taken ? 1 : 0, status: taken ? "confirmed" : "held" })
        const provider = yield* ScriptedGateway
        assert.strictEqual(provider.paidAndRefunded(session).refunded, taken ? 0 : 1)
        yield* cancelBooking(booking)
      }
    })
  )

  it.effect("for a hold that has ended confirms it if it is taken and its places are free", () =>
    Effect.gen(function* () {
      const { booking, session } = yield* bookingWithSession()
      const provider = yield* ScriptedGateway
      yield* TestClock.adjust("38 minutes")
      provider.outage = "away"
      yield* reconcile
      provider.outage = undefined
      yield* paidAs(session, { amount_total: 11_999 })
      const { page, standing } = yield* toldOf(booking)
      assert.strictEqual(standing.kind, "expired_under_review")
      assert.notMatch(page, /nothing was charged/i)
      yield* decide(session, "take")
      assert.deepStrictEqual(yield* bookingState(booking), { ...confirmed, paid: 11_999 })
    })
  )

  it.effect("in another currency, or of the other mode, can only be sent back; one that is on its way waits", () =>
    Effect.gen(function* () {
      const foreign = yield* bookingWithSession()
      yield* paidAs(foreign.session, { currency: "EUR" })
      assert.propertyVal(yield* Effect.flip(decide(foreign.session, "take")), "reason", "other_currency")
      yield* decide(foreign.session, "send_back")
      const [refund] = yield* refundsOf(foreign.booking)
      assert.deepInclude(refund, { amount: 12_000 })

      const live = yield* bookingWithSession()
      const told = yield* paidAs(live.session, { livemode: true })
      assert.strictEqual((yield* toldOf(live.booking)).standing.kind, "payment_under_review")
      assert.propertyVal(yield* Effect.flip(decide(live.session, "take")), "reason", "other_mode")
      yield* decide(live.session, "send_back")
      // Told again, it is in question no more.
      assert.strictEqual((yield* deliverAndApply({ ...told, id: `${told.id}_again` }))[0]?.status, "applied")
      assert.notInclude(
        (yield* PaymentSessions.use((sessions) => sessions.flagged)).map((one) => one.booking_id),
        live.booking.booking_id
      )

      const later = yield* bookingWithSession()
      yield* paidAs(later.session, { amount_total: 11_999 }, "pay_later")
      assert.strictEqual((yield* toldOf(later.booking)).standing.kind, "payment_under_review")
      assert.propertyVal(yield* Effect.flip(decide(later.session, "take")), "reason", "not_arrived")
      const provider = yield* ScriptedGateway
      provider.act(later.session, "late_failure")
      yield* reconcileAfter("11 minutes")
      assert.deepStrictEqual(yield* bookingState(later.booking), expectedState("held", "failed"))
      assert.strictEqual((yield* toldOf(later.booking)).standing.kind, "payment_failed")
    })
  )

  it.effect(
    "that fails needs nobody: no money was taken, whichever of its events comes first, and it can be paid anew",
    () =>
      Effect.gen(function* () {
        const provider = yield* ScriptedGateway
        const open = yield* Effect.all([
          bookingWithSession(),
          bookingWithSession(),
          Effect.flatMap(paidBooking(packages.depositParty), ({ booking }) =>
            Effect.map(openSession(booking, "balance"), (session) => ({ booking, session }))
          )
        ])
        for (const [i, { booking, session }] of open.entries()) {
          const came = provider.act(session, "pay_later")
          const said = i === 1 ? { currency: "EUR" } : { amount_total: session.amount - 1 }
          Object.assign(provider.sessionOf(session), said)
          const completed = sessionEvent("checkout.session.completed", { ...came, ...said })
          const failed = sessionEvent("checkout.session.async_payment_failed", provider.act(session, "late_failure"))
          // As it was; the first was lost; the other way about.
          for (const event of [[completed, failed], [failed], [failed, completed]][i] ?? []) {
            const [stored] = yield* deliverAndApply(event)
            assert.strictEqual(stored?.status, "applied", stored?.outcome ?? "")
          }
          const flagged = (yield* PaymentSessions.use((sessions) => sessions.flagged)).map((one) => one.booking_id)
          assert.notInclude(flagged, booking.booking_id)
          const { next_step, page, standing } = yield* toldOf(booking)
          assert.strictEqual(standing.kind, session.purpose === "due_now" ? "payment_failed" : "balance_due")
          for (const text of [next_step, page]) assert.notMatch(text, /not what was asked for|someone is checking/i)
          const again = yield* openSession(booking, session.purpose)
          assert.strictEqual(again.amount, session.amount)
        }
      })
  )

  it.effect("has words in each language, with what was paid", () =>
    Effect.sync(() => {
      const facts = { amount: "", until: "", paid: "", comes_back: "", paid_back: "", sent_back: "", online: false }
      for (const { standings } of Object.values(messages))
        for (const kind of [
          "payment_under_review",
          "confirmed_under_review",
          "expired_under_review",
          "cancelled_under_review",
          "released"
        ] as const)
          assert.include(standings[kind].lead({ ...facts, in_question: "£99.96" }), "£99.96")
    })
  )
})

layer(letterWorld())("money that is sent back (M2)", (it) => {
  it.effect("is told to the family by a letter: what goes back, why, and what it is asked for now", () =>
    Effect.gen(function* () {
      yield* sendLetters
      const { booking, session } = yield* bookingWithSession()
      yield* paidAs(session, { amount_total: 11_999 })
      assert.lengthOf(yield* sendLetters, 0)
      yield* decide(session, "send_back")
      const letter = yield* sendOneLetter
      assert.strictEqual(letter.to, booking.contact_email)
      assert.include(letter.subject, "A payment goes back to you: ")
      assert.include(letter.text, "A payment of £119.99 was not what was asked for, so it goes back to you")
      assert.match(
        letter.text,
        /£120\.00 is still to be paid, by [^.]*09:15[^.]*\. You can pay on your booking’s page\./
      )
      assert.isUndefined(letter.entry)

      // A second one that comes before the first letter is sent: the newer letter tells both.
      const again = yield* openSession(booking)
      yield* paidAs(again, { currency: "EUR" })
      yield* decide(again, "send_back")
      yield* runProviderTasks
      yield* reconcileAfter("16 minutes")
      const both = yield* sendOneLetter
      assert.include(both.text, "A payment of £119.99 was not what was asked for, so it went back to you")
      assert.include(both.text, "A payment of €120.00 was not what was asked for, so it went back to you")
      assert.include(both.text, "It was not paid in time, and its places are free again.")
      assert.notMatch(both.text, /nothing was charged/i)
      assert.deepStrictEqual(yield* lettersOf(booking), ["sent_back sent", "sent_back sent"])
    })
  )

  it.effect("for a balance says what is still to be paid; taken instead, there is no such letter", () =>
    Effect.gen(function* () {
      yield* sendLetters
      const { booking } = yield* paidBooking(packages.depositParty)
      yield* sendLetters
      const session = yield* openSession(booking, "balance")
      yield* paidAs(session, { amount_total: session.amount - 1000 })
      yield* decide(session, "send_back")
      const letter = yield* sendOneLetter
      assert.include(letter.text, "was not what was asked for, so it goes back to you")
      assert.match(letter.text, /is still to be paid/)
      const short = yield* bookingWithSession()
      yield* paidAs(short.session, { amount_total: 11_999 })
      yield* decide(short.session, "take")
      yield* sendLetters
      assert.deepStrictEqual(yield* lettersOf(short.booking), ["confirmed sent"])
    })
  )

  it.effect("and does not arrive, is told as owed, on the page and by a letter", () =>
    Effect.gen(function* () {
      yield* sendLetters
      const { booking, session } = yield* bookingWithSession()
      yield* paidAs(session, { amount_total: 11_999 })
      yield* decide(session, "send_back")
      const [refund] = yield* RefundRecords.use((records) => records.ofBooking(booking))
      yield* Refunds.use((refunds) =>
        refunds.fail(refund?.refund_id ?? assert.fail("no refund"), "lost_or_stolen_card")
      )
      const { next_step, page } = yield* toldOf(booking)
      assert.include(next_step, "A payment of £119.99 was not what was asked for, and could not be paid back")
      assert.include(page, "£119.99 could not be paid back to you")
      for (const letter of yield* sendLetters) assert.include(letter.text, "£119.99 could not be paid back to you")
    })
  )

  it.effect("in another currency is told in that, and is no part of the booking's sums", () =>
    Effect.gen(function* () {
      yield* sendLetters
      const { booking, session } = yield* bookingWithSession()
      yield* paidAs(session, { currency: "EUR", amount_total: 9000 })
      yield* decide(session, "send_back")
      const [refund] = yield* RefundRecords.use((records) => records.ofBooking(booking))
      yield* Refunds.use((refunds) => refunds.fail(refund?.refund_id ?? assert.fail("no refund"), "declined"))
      const again = yield* openSession(booking)
      yield* actAtProvider(again, "pay")
      const provider = yield* ScriptedGateway
      yield* deliverAndApply(sessionEvent("checkout.session.completed", provider.sessionOf(again)))
      yield* cancelBooking(booking)
      const second = (yield* RefundRecords.use((records) => records.ofBooking(booking))).at(-1)
      yield* Refunds.use((refunds) => refunds.fail(second?.refund_id ?? assert.fail("no refund"), "declined"))
      const row = yield* Bookings.use((bookings) => bookings.get(booking.booking_id))
      const { ledger } = yield* ShownBookings.use((shown) => shown.receipt(row))
      assert.deepStrictEqual(
        ledger.lines.map(({ amount, currency, what }) => [what, amount, currency]),
        [
          ["payment", 9000, "EUR"],
          ["payment", 12_000, "GBP"]
        ]
      )
      assert.strictEqual(ledger.kept, 12_000)
      const table = moneyTable(row, ledger, "en").toString()
      assert.match(table, /€90\.00[^]*£120\.00[^]*Total[^]*£120\.00/)
      const failed = (yield* sendLetters).find(({ subject }) => subject.startsWith("A refund did not reach you"))
      assert.include(failed?.text ?? "", "€90.00 could not be paid back to you")
      assert.include(failed?.text ?? "", "£120.00 could not be paid back to you")
      assert.notInclude(failed?.text ?? "", "£210.00")
      // Each is owed by itself, whatever the other comes to.
      assert.deepStrictEqual(
        (yield* failedRefunds)
          .filter(({ booking_id }) => booking_id === booking.booking_id)
          .map(({ amount }) => amount)
          .sort((a, b) => a - b),
        [9000, 12_000]
      )
      yield* Refunds.use((refunds) => refunds.markPaidBack(second?.refund_id ?? assert.fail("no refund")))
      const left = (yield* Refunds.use((refunds) => refunds.failed())).filter(
        (one) => one.booking_id === booking.booking_id
      )
      assert.deepStrictEqual(
        left.map(({ amount, currency }) => [amount, currency]),
        [[9000, "EUR"]]
      )
    })
  )
})
