/** What becomes of payments, refunds and pages that are newer than the backup which the database was restored from. */
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { pack, unpack } from "../../../../src/domain/availability/OptionId.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import { Bookings } from "../../../../src/domain/booking/Bookings.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import { dayMs, minuteMs } from "../../../../src/platform/time/LocalTime.ts"
import { AccountComparison } from "../../../../src/domain/payment/recovery/AccountComparison.ts"
import { WebhookInbox } from "../../../../src/domain/payment/events/WebhookInbox.ts"
import type { PaymentSessionRow } from "../../../../src/domain/payment/sessions/PaymentSession.ts"
import { makeUnknownPayments } from "../../../../src/domain/payment/recovery/UnknownPayments.ts"
import { principal, setClock } from "../../../support/BookingWorld.ts"
import { commandWorld, playroom } from "../../../support/CommandLine.ts"
import {
  actAtProvider,
  bookingState,
  bookingWithSession,
  cancelBooking,
  confirmed,
  createBooking,
  createSession,
  dateOf,
  deleteBookings,
  deliverAndApply,
  expectedState,
  held,
  historyOf,
  now,
  paidBooking,
  payBooking,
  paymentWorld,
  refundsOf,
  runProviderTasks,
  sessionRow,
  startAnew,
  storedEvent
} from "../../../support/PaymentWorld.ts"
import { sessionEvent } from "../../../support/providerEvents.ts"
import { account, packages } from "../../../support/paymentVenues.ts"
import { providerId, ScriptedGateway } from "../../../support/ScriptedGateway.ts"

/** Restores a backup from before the booking was made: it is gone, and the provider knows nothing of that. */
const loseBooking = ({ booking_id }: BookingRow) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`with a as (delete from occupancy where booking_id = ${booking_id}), b as (delete from booking_history where booking_id = ${booking_id}),
      c as (delete from refund where booking_id = ${booking_id}), d as (delete from payment_session where booking_id = ${booking_id}),
      e as (delete from idempotency where result_id = ${booking_id})
    delete from booking where booking_id = ${booking_id}`
  )
/** Restores a backup from before the booking's payment pages were made. */
const loseSessions = ({ booking_id }: BookingRow) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from payment_session where booking_id = ${booking_id}`)

/** A booking whose payment the provider has, and of which no event came. */
const paidWithoutEvent = Effect.gen(function* () {
  yield* startAnew
  const made = yield* bookingWithSession()
  yield* actAtProvider(made.session, "pay")
  return made
})
/** The same after a backup from before its payment pages was restored. */
const paidOnLostPage = Effect.tap(paidWithoutEvent, ({ booking }) => loseSessions(booking))

/** Lowers what a booking costs here by £1. */
const makeCheaper = ({ booking_id }: BookingRow) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`update booking set due_now = due_now - 100, total = total - 100 where booking_id = ${booking_id}`
  )

/** Changes a session as the provider has it; answers what it was. */
const changeAtProvider = Effect.fnUntraced(function* (
  session: PaymentSessionRow,
  changes: { readonly account?: string; readonly amount_total?: number }
) {
  const { sessionOf, sessions } = yield* ScriptedGateway
  const stored = sessionOf(session)
  sessions.set(stored.id, { ...stored, ...changes })
  return stored
})

const compareSince = (account: string, since: number, apply: boolean) =>
  AccountComparison.use((comparison) => comparison.compare(account, { since, apply })).pipe(
    Effect.map(({ differences, failed }) => {
      assert.deepStrictEqual(failed, [])
      return differences
    })
  )
const compare = (apply: boolean) => compareSince(account, Date.parse(now) - minuteMs, apply)
const kinds = (apply: boolean) =>
  Effect.map(compare(apply), (findings) =>
    findings.map(({ kind, needs_person }) => `${kind}${needs_person ? "!" : ""}`)
  )
const flagOf = ({ booking_id }: BookingRow) => BookingRecords.use((records) => records.flagReason(booking_id))

layer(paymentWorld({ returnUrlOrigins: ["https://app.example.com"] }))(
  "comparing an account with the database",
  (it) => {
    it.effect("settles a payment of which no event came; a dry run says the same and changes nothing", () =>
      Effect.gen(function* () {
        const { booking } = yield* paidWithoutEvent
        assert.deepStrictEqual(yield* kinds(false), ["settled"])
        assert.deepStrictEqual(yield* bookingState(booking), held)
        assert.deepStrictEqual(yield* kinds(true), ["settled"])
        assert.deepStrictEqual(yield* bookingState(booking), confirmed)
        assert.deepStrictEqual(yield* kinds(true), [])
      })
    )

    it.effect("gives a payment whose page is not known to the booking that it names", () =>
      Effect.gen(function* () {
        const { booking, session } = yield* paidOnLostPage
        assert.deepStrictEqual(yield* kinds(false), ["assigned"])
        assert.deepStrictEqual(yield* bookingState(booking), held)
        assert.deepStrictEqual(yield* kinds(true), ["assigned"])
        assert.deepStrictEqual(yield* bookingState(booking), confirmed)
        // From here on it is a payment as any other: a cancellation gives it back, once.
        yield* cancelBooking(booking)
        yield* runProviderTasks
        assert.deepStrictEqual((yield* ScriptedGateway).paidAndRefunded(session), { paid: 12_000, refunded: 12_000 })
        assert.deepStrictEqual(yield* kinds(true), [])
      })
    )

    it.effect("tells a person of a balance that was paid for another visit than is booked here, once", () =>
      Effect.gen(function* () {
        yield* startAnew
        const { booking } = yield* paidBooking(packages.depositParty)
        const sql = yield* SqlClient.SqlClient
        const loseMove = (payments: number) =>
          sql`with a as (delete from payment_session where booking_id = ${booking.booking_id} and payment_session_id not in (
              select payment_session_id from payment_session where booking_id = ${booking.booking_id} order by created_at limit ${payments}::int))
            update booking set option_id = ${booking.option_id}, payment_status = 'deposit_paid', paid = due_now where booking_id = ${booking.booking_id}`
        // The backup is from before the family moved to another start at the same price, and paid the balance for that.
        const agreed = unpack(booking.option_id) ?? assert.fail("not unpacked")
        const other = pack({ ...agreed, start: agreed.start + 3_600_000, add_ons: [] }, [])
        yield* sql`update booking set option_id = ${other} where booking_id = ${booking.booking_id}`
        yield* payBooking(booking, "balance")
        yield* loseMove(1)
        assert.deepStrictEqual(yield* kinds(false), ["assigned!"])
        assert.isUndefined(yield* flagOf(booking))
        assert.deepStrictEqual(yield* kinds(true), ["assigned!"])
        assert.include(yield* flagOf(booking), "moved or changed after the backup?")
        assert.include(yield* flagOf(booking), "(balance)")
        assert.deepInclude(yield* bookingState(booking), { payment_status: "paid" })
        assert.deepStrictEqual(yield* kinds(true), [])
        // From before the booking: it is made anew as it was, and the balance is the other visit's.
        yield* loseBooking(booking)
        assert.deepStrictEqual(yield* kinds(false), ["rebooked", "assigned!"])
        assert.deepStrictEqual(yield* kinds(true), ["rebooked", "assigned!"])
      })
    )

    it.effect(
      "books again what was paid for a booking that is not known, under its id and reference, with its balance",
      () =>
        Effect.gen(function* () {
          yield* startAnew
          const { booking } = yield* paidBooking(packages.depositParty)
          yield* payBooking(booking, "balance")
          const before = yield* bookingState(booking)
          yield* loseBooking(booking)
          assert.deepStrictEqual(yield* kinds(false), ["rebooked", "assigned"])
          assert.isTrue(Option.isNone(yield* BookingRecords.use((records) => records.byId(booking.booking_id))))
          assert.deepStrictEqual(yield* kinds(true), ["rebooked", "assigned"])
          assert.deepStrictEqual(yield* bookingState(booking), before)
          const again = yield* Bookings.use((bookings) => bookings.get(booking.reference))
          for (const same of ["booking_id", "starts_at", "total", "key_id", "contact_email", "option_id"] as const)
            assert.strictEqual(again[same], booking[same])
          assert.include(yield* historyOf(again), "restored")
          assert.deepStrictEqual(yield* kinds(true), [])
        })
    )

    it.effect(
      "names a payment whose places are sold again, which can be paid back, once, or given to another booking",
      () =>
        Effect.gen(function* () {
          const provider = yield* startAnew
          const first = yield* paidBooking()
          yield* loseBooking(first.booking)
          const taken = yield* createBooking(packages.party, { date: dateOf(first.booking) })
          assert.strictEqual(taken.starts_at, first.booking.starts_at)
          const [found] = yield* compare(true)
          assert.deepInclude(found, {
            kind: "unknown_payment",
            needs_person: true,
            amount: 12_000,
            provider_session_id: providerId(first.session),
            reference: first.booking.reference
          })
          assert.include(found?.text, "its places can't be had")
          assert.include(found?.payer, first.booking.contact_email)
          const payBack = (preview: boolean) =>
            Effect.flatMap(makeUnknownPayments, (payments) =>
              payments.refund(account, providerId(first.session), { preview })
            )
          assert.strictEqual((yield* payBack(true)).amount, 12_000)
          assert.strictEqual(provider.paidAndRefunded(first.session).refunded, 0)
          provider.injectFault("createRefund", "unanswered")
          yield* Effect.flip(payBack(false))
          assert.include((yield* Effect.flip(payBack(false))).message, "went back already")
          assert.strictEqual(provider.paidAndRefunded(first.session).refunded, 12_000)
          assert.deepStrictEqual(yield* kinds(true), [])
          // Another person, who does not know that, gives it to a booking.
          const instead = yield* createBooking(packages.party)
          const given = yield* Effect.flatMap(makeUnknownPayments, (payments) =>
            payments.give(account, providerId(first.session), instead.booking_id)
          )
          assert.deepInclude(given, { done: false, why: "£120.00 of it went back already" })
          assert.deepStrictEqual(yield* bookingState(instead), held)
        })
    )

    it.effect("does not book again what was cancelled in part, nor what the family has booked again itself", () =>
      Effect.gen(function* () {
        const provider = yield* startAnew
        const inPart = yield* paidBooking()
        provider.refundInDashboard(inPart.session, 5000)
        yield* loseBooking(inPart.booking)
        const twice = yield* paidBooking()
        yield* loseBooking(twice.booking)
        const sql = yield* SqlClient.SqlClient
        const { option_id } = twice.booking
        const { row: again } = yield* Bookings.use((bookings) =>
          bookings.create(principal("key_a"), {
            option_id,
            contact: { name: "In another name", email: twice.booking.contact_email }
          })
        )
        const texts = (yield* compare(true)).map(({ kind, text }) => `${kind}: ${text}`)
        assert.strictEqual(texts.length, 2)
        assert.include(texts[0], "unknown_payment: £50.00 of it went back")
        assert.include(texts[1], `unknown_payment: the same person has booked the same again since: ${again.reference}`)
        assert.deepStrictEqual(
          (yield* sql`select booking_id from booking`).map((row) => row["booking_id"]),
          [again.booking_id]
        )
      })
    )

    it.effect("flags a booking whose payment does not fit what it costs here, and leaves both as they are", () =>
      Effect.gen(function* () {
        const { booking } = yield* paidOnLostPage
        yield* makeCheaper(booking)
        for (const _ of [1, 2]) assert.deepStrictEqual(yield* kinds(true), ["misfit!"])
        assert.deepStrictEqual(yield* bookingState(booking), held)
        const flag = (yield* flagOf(booking)) ?? assert.fail("no flag")
        assert.include(flag, "£119.00, not £120.00")
        assert.strictEqual(flag.split("does not fit").length, 2, "the same is said once")
      })
    )

    it.effect("leaves a booking alone that a payment of another operator's account names", () =>
      Effect.gen(function* () {
        const { booking, session } = yield* paidOnLostPage
        yield* changeAtProvider(session, { account: "acct_2" })
        const [found] = yield* compareSince("acct_2", Date.parse(now) - minuteMs, true)
        assert.deepInclude(found, { kind: "misfit", needs_person: true })
        assert.include(found?.text, "is of another account, acct_1")
        assert.deepStrictEqual(yield* bookingState(booking), held)
        assert.isUndefined(yield* flagOf(booking))
      })
    )

    it.effect("gives a payment on an account that its operator has left since to its booking (M6)", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { booking } = yield* paidOnLostPage
        const { operator_id } = booking
        yield* sql`update operator set connected_account_id = 'acct_new' where operator_id = ${operator_id}`
        const other = yield* sql`update operator set connected_account_id = ${account}
          where operator_id <> ${operator_id} returning operator_id`
        assert.isNotEmpty(other)
        // Another operator's by now could name any booking in it.
        assert.deepStrictEqual(yield* kinds(true), ["misfit!"])
        yield* sql`update operator set connected_account_id = 'acct_2' where connected_account_id = ${account}`
        assert.deepStrictEqual(yield* kinds(true), ["assigned"])
        assert.deepStrictEqual(yield* bookingState(booking), confirmed)
        yield* sql`update operator set connected_account_id = ${account} where operator_id = ${operator_id}`
      })
    )

    it.effect("says no more of a payment that does not fit, once it is given back", () =>
      Effect.gen(function* () {
        const { booking, session } = yield* paidOnLostPage
        yield* makeCheaper(booking)
        assert.deepStrictEqual(yield* kinds(true), ["misfit!"])
        yield* Effect.flatMap(makeUnknownPayments, (payments) =>
          payments.refund(account, providerId(session), { preview: false })
        )
        assert.deepStrictEqual(yield* kinds(true), [])
      })
    )

    it.effect(
      "books again once where two people run it at the same time, and over a hold of the family's that has lapsed",
      () =>
        Effect.gen(function* () {
          const { booking } = yield* paidWithoutEvent
          yield* loseBooking(booking)
          // The backup has an earlier hold of the same person, and the service that would release it is stopped.
          const earlier = yield* createBooking(packages.party, { date: dateOf(booking) })
          yield* setClock(
            earlier.hold_expires_at === null ? now : new Date(earlier.hold_expires_at + minuteMs).toISOString()
          )
          const both = yield* Effect.all([kinds(true), kinds(true)], { concurrency: 2 })
          assert.deepStrictEqual(both.flat()[0], "rebooked")
          assert.notInclude(both.flat().join(), "!")
          assert.deepInclude(yield* bookingState(booking), confirmed)
          const lines = yield* historyOf(booking)
          assert.strictEqual(lines.filter((line) => line === "restored").length, 1)
          assert.deepStrictEqual(yield* kinds(true), [])
        })
    )

    it.effect(
      "books again whole or not at all, in a dry run as with --apply: no hold stays of a payment that is not its booking's",
      () =>
        Effect.gen(function* () {
          yield* startAnew
          const { booking, session } = yield* paidBooking()
          yield* loseBooking(booking)
          // As if an operator had written another booking's option into it.
          const { amount_total } = yield* changeAtProvider(session, { amount_total: 1 })
          const sql = yield* SqlClient.SqlClient
          for (const apply of [false, true]) {
            const [found] = yield* compare(apply)
            assert.deepInclude(found, { kind: "unknown_payment", needs_person: true })
            assert.include(found?.text, "£120.00, not £0.01")
            assert.deepStrictEqual(yield* sql`select booking_id from booking`, [])
          }
          yield* changeAtProvider(session, { amount_total })
          yield* createBooking(packages.party, { date: dateOf(booking) })
          for (const apply of [false, true]) assert.include((yield* compare(apply))[0]?.text, "its places can't be had")
        })
    )

    it.effect("writes down a refund of a decision that is lost, once, and has a person look at the booking", () =>
      Effect.gen(function* () {
        const provider = yield* startAnew
        const { booking, session } = yield* paidBooking()
        yield* cancelBooking(booking)
        yield* runProviderTasks
        assert.strictEqual(provider.paidAndRefunded(session).refunded, 12_000)
        // The backup is from before the cancellation.
        const sql = yield* SqlClient.SqlClient
        yield* sql`with a as (delete from refund where booking_id = ${booking.booking_id}), b as (delete from provider_task),
          c as (update payment_session set refunded = 0 where booking_id = ${booking.booking_id})
        update booking set status = 'confirmed', payment_status = 'paid', refunded = 0 where booking_id = ${booking.booking_id}`
        assert.deepStrictEqual(yield* kinds(false), ["refunded!"])
        assert.isUndefined(yield* flagOf(booking))
        assert.deepStrictEqual(yield* kinds(true), ["refunded!"])
        assert.include(yield* flagOf(booking), "cancelled, moved, changed, or an amount given back after the backup?")
        assert.deepInclude(yield* bookingState(booking), { status: "confirmed", refunded: 12_000 })
        yield* cancelBooking(booking)
        yield* runProviderTasks
        assert.strictEqual(provider.paidAndRefunded(session).refunded, 12_000, "nothing goes back twice")
        assert.strictEqual((yield* refundsOf(booking)).length, 1)
        assert.deepStrictEqual(yield* kinds(true), [])
      })
    )

    it.effect("closes pages of which nothing is stored, and takes the payment where the payer was faster", () =>
      Effect.gen(function* () {
        const provider = yield* startAnew
        const open = yield* bookingWithSession()
        yield* loseSessions(open.booking)
        // Another service's, that uses the same account.
        const elsewhere = yield* createBooking()
        const address = { success_url: "https://app.example.com/done" }
        const other = yield* sessionRow((yield* createSession(elsewhere.booking_id, address)).payment_session_id)
        yield* loseBooking(elsewhere)
        assert.deepStrictEqual(yield* kinds(false), ["page_closed"])
        assert.strictEqual(provider.sessionOf(open.session).status, "open")
        assert.deepStrictEqual(yield* kinds(true), ["page_closed"])
        assert.strictEqual(provider.sessionOf(open.session).status, "expired")
        assert.strictEqual(provider.sessionOf(other).status, "open")
        // A booking whose page was closed gets another one.
        yield* payBooking(open.booking)
        assert.deepStrictEqual(yield* bookingState(open.booking), confirmed)
      })
    )

    it.effect("asks for what was paid up to a day before, and says nothing of what is older or was not made here", () =>
      Effect.gen(function* () {
        const { booking } = yield* paidWithoutEvent
        yield* loseBooking(booking)
        const since = (at: number) => compareSince(account, at, false)
        assert.strictEqual((yield* since(Date.parse(now) + dayMs - minuteMs)).length, 1)
        assert.strictEqual((yield* since(Date.parse(now) + dayMs + minuteMs)).length, 0)
      })
    )
  }
)

layer(paymentWorld())("an event of a payment whose booking is not known", (it) => {
  it.effect("is kept for a person without the payer's data, and applied when the payment has its booking", () =>
    Effect.gen(function* () {
      yield* startAnew
      const inbox = yield* WebhookInbox
      const { booking, session } = yield* bookingWithSession()
      const said = yield* actAtProvider(session, "pay")
      yield* loseBooking(booking)
      const event = sessionEvent("checkout.session.completed", said)
      Object.assign(event.data.object, {
        customer_email: booking.contact_email,
        metadata: { payment_session_id: session.payment_session_id, booking_id: booking.booking_id }
      })
      yield* deliverAndApply(event)
      for (let minute = 0; minute < 10; minute++) {
        yield* TestClock.adjust("1 minute")
        yield* inbox.applyDue()
      }
      const kept = yield* storedEvent(event.id)
      assert.deepInclude(kept, { status: "rejected", booking_id: booking.booking_id, payment_session_id: null })
      assert.notInclude(kept.payload, booking.contact_email)
      yield* inbox.retry(event.id)
      for (let minute = 0; minute < 10; minute++) {
        yield* inbox.applyDue()
        yield* TestClock.adjust("1 minute")
      }
      assert.strictEqual((yield* storedEvent(event.id)).status, "rejected", "a further try says the same")
      assert.deepStrictEqual(yield* kinds(true), ["rebooked"])
      yield* inbox.applyDue()
      assert.strictEqual((yield* storedEvent(event.id)).status, "applied")
      assert.deepInclude(yield* bookingState(booking), { status: "confirmed", paid: 12_000, places: true })
    })
  )
})

layer(commandWorld)("playroom payment", (it) => {
  it.effect("reconcile is a dry run unless told otherwise, and says what it can't do, and how a person can", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking, session } = yield* paidBooking()
      yield* loseBooking(booking)
      const since = ["payment", "reconcile", "--since", "2026-11-20"]
      const dry = yield* playroom(...since)
      assert.include(dry.out, "to book again")
      assert.include(dry.out, "Nothing was changed: --apply does it.")
      const taken = yield* createBooking(packages.party, { date: dateOf(booking) })
      const named = yield* playroom(...since, "--apply", "--account", account)
      const refund = ["payment", "refund", providerId(session), "--account", account]
      assert.include(named.out, `playroom ${refund.join(" ")} --yes`)
      assert.include(named.failure, "1 thing needs a person.")
      // The family takes another day, and does not pay a second time.
      const instead = yield* createBooking(packages.party)
      const assigned = yield* playroom(
        "payment",
        "assign",
        providerId(session),
        instead.reference,
        "--account",
        account
      )
      assert.include(assigned.out, "paid: confirmed")
      assert.deepStrictEqual(yield* bookingState(instead), expectedState("confirmed", "paid", 12_000))
      assert.include((yield* playroom(...refund, "--yes")).failure, "playroom booking cancel")
      assert.include((yield* playroom(...since)).out, "nothing is missing")
      assert.strictEqual((yield* bookingState(taken)).status, "held")
      for (const bad of ["yesterday", "2026-01-01", "2027-01-01"])
        assert.include(
          (yield* playroom("payment", "reconcile", "--since", bad)).failure,
          "--since takes when the backup was made"
        )
    })
  )

  it.effect("reconcile asks the account that a payment was made on, though its operator has left it (M6)", () =>
    Effect.gen(function* () {
      yield* startAnew
      const sql = yield* SqlClient.SqlClient
      const { booking, session } = yield* bookingWithSession()
      yield* actAtProvider(session, "pay")
      const { operator_id } = booking
      yield* sql`update operator set connected_account_id = 'acct_new' where operator_id = ${operator_id}`
      const done = yield* playroom("payment", "reconcile", "--since", "2026-11-20", "--apply")
      assert.include(done.out, `payment settled  ${providerId(session)}`)
      assert.include(done.out, `on ${account}`)
      assert.deepStrictEqual(yield* bookingState(booking), confirmed)
      yield* sql`update operator set connected_account_id = ${account} where operator_id = ${operator_id}`
    })
  )

  it.effect("reconcile notes disputes, too, whenever they were opened, once", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const provider = yield* ScriptedGateway
      const { booking, session } = yield* paidBooking()
      provider.disputes.clear()
      const { id } = provider.openDispute(session, 5000, "lost")
      const since = ["payment", "reconcile", "--since", now]
      const dry = yield* playroom(...since)
      assert.include(dry.out, `dispute to note  ${providerId(session)}`)
      assert.include(dry.out, `dispute ${id} (lost) is not stored; £50.00 is withdrawn for it`)
      assert.deepInclude(yield* bookingState(booking), { refunded: 0 })
      assert.include((yield* playroom(...since, "--apply")).out, `dispute noted  ${providerId(session)}`)
      assert.deepInclude(yield* bookingState(booking), { payment_status: "partially_refunded", refunded: 5000 })
      provider.setDisputeStatus(id, "won")
      assert.include(
        (yield* playroom(...since, "--apply")).out,
        "is won, £50.00 at the provider, and lost, £50.00 here"
      )
      assert.deepInclude(yield* bookingState(booking), { payment_status: "paid", refunded: 0 })
      assert.include((yield* playroom(...since)).out, "nothing is missing")
    })
  )
})
