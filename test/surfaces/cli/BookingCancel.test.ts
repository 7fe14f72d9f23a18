import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { addDays, localDateOf } from "../../../src/platform/time/LocalTime.ts"
import { Reconciliation } from "../../../src/domain/payment/workers/Reconciliation.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import {
  createBooking,
  deleteBookings,
  payBooking,
  runProviderTasks,
  setClockBefore
} from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"
import { ScriptedGateway } from "../../support/ScriptedGateway.ts"

/** £120 is paid for a visit in 30 hours or more and less than 48: its terms give half back. */
const half = Effect.gen(function* () {
  yield* deleteBookings
  const provider = yield* ScriptedGateway
  const today = localDateOf("UTC", yield* Clock.currentTimeMillis)
  const booking = yield* createBooking(packages.party, { date: addDays(today, 4) })
  const session = yield* payBooking(booking)
  yield* setClockBefore(booking, 30)
  provider.balanceTooSmall = false
  provider.outage = undefined
  return { booking, provider, session }
})
const cancel = (reference: string, ...args: ReadonlyArray<string>) => playroom("booking", "cancel", reference, ...args)

layer(commandWorld)("playroom booking cancel", (it) => {
  it.effect("shows in the preview what went back before, and what is refunded at a person's word", () =>
    Effect.gen(function* () {
      const { booking, provider, session } = yield* half
      provider.refundInDashboard(session, 4500)
      const terms = (yield* cancel(booking.reference, "--preview")).out
      for (const text of ["What comes back: £15.00\n", "£45.00 went back before", "Nothing was changed"])
        assert.include(terms, text)
      assert.strictEqual(
        member(parsed((yield* cancel(booking.reference, "--preview", "--json")).out), "refund_percent"),
        50
      )
      const asked = ["--refund", "45.00", "--reason", "The roof leaks"]
      const preview = yield* cancel(booking.reference, "--preview", "--json", ...asked)
      assert.strictEqual(member(member(parsed(preview.out), "refund"), "amount"), 4500)
      assert.strictEqual(member(member(parsed(preview.out), "given_back"), "amount"), 4500)
      assert.include(
        (yield* cancel(booking.reference, ...asked)).out,
        "What comes back: £45.00\nWhat the terms say: £15.00\n"
      )
      yield* runProviderTasks
      assert.strictEqual(provider.paidAndRefunded(session).refunded, 9000)
      const shown = (yield* playroom("booking", "show", booking.reference)).out
      assert.include(shown, "The roof leaks; £45.00 will be refunded at a person's word, not by the terms (£15.00)")
    })
  )

  it.effect("refunds what the preview said, or says what has changed since, cancels nothing and exits non-zero", () =>
    Effect.gen(function* () {
      const { booking, provider, session } = yield* half
      const shownIn = ({ out }: { readonly out: string }) => String(member(parsed(out), "shown"))
      const full = ["--refund", "full", "--reason", "The roof leaks"]
      const asShown = shownIn(yield* cancel(booking.reference, "--preview", "--json", ...full))
      // Another refund than the preview's, and money that went back since the preview.
      assert.include((yield* cancel(booking.reference, "--as-shown", asShown)).failure ?? "", "what this would do")
      provider.refundInDashboard(session, 4500)
      const { failure } = yield* cancel(booking.reference, ...full, "--as-shown", asShown)
      assert.include(failure ?? "", "Nothing was done")
      assert.include(failure ?? "", "has changed since it was shown (what this would do)")
      assert.include((yield* playroom("booking", "show", booking.reference)).out, "confirmed")
      const now = shownIn(yield* cancel(booking.reference, "--preview", "--json", ...full))
      assert.include((yield* cancel(booking.reference, ...full, "--as-shown", now)).out, "What comes back: £75.00\n")
    })
  )

  it.effect("takes no refund that the provider can't make in the currency", () =>
    Effect.gen(function* () {
      const { booking } = yield* half
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set currency = 'KWD' where booking_id = ${booking.booking_id}`
      const asked = ["--preview", "--refund", "1.005", "--reason", "The roof leaks"]
      const { failure = "" } = yield* cancel(booking.reference, ...asked)
      assert.include(failure, "The provider refunds KWD in steps of 0.010: KWD\u00a01.000, for example")
      const fine = yield* cancel(booking.reference, "--preview", "--refund", "1.010", "--reason", "The roof leaks")
      assert.include(fine.out, "What comes back: KWD\u00a01.010\n")
    })
  )

  it.effect(
    "refuses an amount that the currency can't say, one that is more than is left, and a word without a reason",
    () =>
      Effect.gen(function* () {
        const { booking, provider, session } = yield* half
        provider.refundInDashboard(session, 4500)
        for (const [args, says] of [
          [["--refund", "45.001", "--reason", "x"], "at most 2 decimals, like 45.00"],
          [["--refund", "-1", "--reason", "x"], "at most 2 decimals"],
          [["--refund", "0", "--reason", "x"], "terms, full, none"],
          [["--refund", "half", "--reason", "x"], "terms, full, none"],
          [["--refund", "75.01", "--reason", "x"], "Only £75.00 is left"],
          [["--refund", "full"], "give the --reason"],
          [["--refund", "none", "--reason", " "], "give the --reason"]
        ] as const) {
          assert.include((yield* cancel(booking.reference, ...args)).failure ?? "", says, args.join(" "))
        }
        assert.include((yield* playroom("booking", "show", booking.reference)).out, "confirmed")
        assert.isUndefined((yield* cancel(booking.reference, "--refund", "full", "--reason", "Closed")).failure)
        yield* runProviderTasks
        assert.strictEqual(provider.paidAndRefunded(session).refunded, 12_000)
      })
  )

  it.effect("frees the places though the provider can't be asked, and says so", () =>
    Effect.gen(function* () {
      const { booking, provider } = yield* half
      provider.outage = "away"
      for (const args of [["--preview"], []]) {
        assert.include((yield* cancel(booking.reference, ...args)).out, "The payment provider could not be asked")
      }
      provider.outage = undefined
      assert.include((yield* playroom("booking", "show", booking.reference)).out, "cancelled")
    })
  )
})

layer(commandWorld)("playroom doctor, of money on its way back", (it) => {
  it.effect("names a refund that waits for money, and tries it at once when told to", () =>
    Effect.gen(function* () {
      const { booking, provider, session } = yield* half
      provider.balanceTooSmall = true
      yield* cancel(booking.reference)
      yield* runProviderTasks
      const sick = yield* playroom("doctor")
      assert.include(sick.failure ?? "", "1 thing needs a person")
      for (const text of ["refund waits for money", "£60.00", "add money to the balance of acct_1", "--revive"])
        assert.include(sick.out, text)
      assert.include((yield* playroom("booking", "show", booking.reference)).out, "waits for money")
      provider.balanceTooSmall = false
      const refund = /refund_[0-9a-z]{26}/.exec(sick.out)?.[0] ?? assert.fail("no refund waits")
      assert.include((yield* playroom("doctor", "--revive", refund)).out, "will be sent again")
      yield* TestClock.adjust("3 minutes")
      yield* Reconciliation.use(({ runOnce }) => runOnce)
      assert.strictEqual(provider.paidAndRefunded(session).refunded, 6000)
      assert.include((yield* playroom("doctor")).out, "All is well")
    })
  )

  it.effect("names a dispute until a person has dealt with it, and booking show tells of it", () =>
    Effect.gen(function* () {
      const { booking, provider, session } = yield* half
      const { id: dispute } = provider.openDispute(session)
      const preview = (yield* cancel(booking.reference, "--preview")).out
      assert.include(preview, "£120.00 is under dispute")
      const sick = yield* playroom("doctor")
      for (const text of ["payment disputed", dispute, "needs_response", "to be answered by 2027-01-15"])
        assert.include(sick.out, text)
      assert.include((yield* playroom("booking", "show", booking.reference)).out, dispute)
      assert.include((yield* playroom("doctor", "--settle", dispute)).out, "dealt with")
      assert.include((yield* playroom("doctor")).out, "All is well")
      yield* cancel(booking.reference)
      yield* runProviderTasks
      assert.include((yield* playroom("doctor")).out, "refund waits for a dispute")
      provider.setDisputeStatus(dispute, "lost")
      yield* TestClock.adjust("13 hours")
      yield* Reconciliation.use(({ runOnce }) => runOnce)
      assert.include((yield* playroom("doctor")).out, "dispute lost")
      yield* playroom("doctor", "--settle", dispute)
      assert.include((yield* playroom("doctor")).out, "All is well")
    })
  )
})
